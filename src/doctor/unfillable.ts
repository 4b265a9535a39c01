// Required arguments no value can satisfy: a tool that has one can never be called.
import { isObject } from '../endpoint/is-object.ts';
import type { JsonSchema } from '../endpoint/model.ts';

type Node = Readonly<Record<string, unknown>>;

const MAX_DEPTH = 8;

/** One sentence per required argument that cannot be filled. */
export function findUnfillable(schema: JsonSchema): string[] {
  if (typeof schema === 'boolean') return schema ? [] : ['no arguments are accepted at all'];
  const { properties = {}, required = [] } = schema as { properties?: Record<string, JsonSchema>; required?: unknown };
  if (!Array.isArray(required)) return [];
  return required.flatMap((key) => {
    const why = Object.hasOwn(properties, key as string)
      ? whyImpossible(properties[key as string]!, schema as Node, 0)
      : 'it is required and not declared';
    return why ? [`\`${key as string}\`: ${why}`] : [];
  });
}

function whyImpossible(given: JsonSchema, root: Node, depth: number): string | undefined {
  if (given === false) return 'nothing is accepted';
  if (given === true || depth > MAX_DEPTH) return undefined;
  const schema = given as Node;
  const $ref = schema.$ref;
  if (typeof $ref === 'string' && $ref.startsWith('#/$defs/')) {
    const target = (root.$defs as Record<string, JsonSchema> | undefined)?.[$ref.slice(8)];
    const why = target === undefined ? undefined : whyImpossible(target, root, depth + 1);
    if (why) return why;
  }
  if (Array.isArray(schema.enum) && schema.enum.length === 0) return 'its list of values is empty';
  const apart = contradiction(schema);
  if (apart) return apart;
  for (const union of [schema.anyOf, schema.oneOf]) {
    if (
      Array.isArray(union) &&
      union.length > 0 &&
      union.every((branch) => whyImpossible(branch as JsonSchema, root, depth + 1))
    ) {
      return 'none of its variants can be satisfied';
    }
  }
  if (Array.isArray(schema.allOf)) {
    for (const part of schema.allOf) {
      const why = whyImpossible(part as JsonSchema, root, depth + 1);
      if (why) return why;
    }
  }
  if (schema.type === 'object') {
    const inner = findInner(schema, root, depth);
    if (inner) return inner;
  }
  return undefined;
}

function findInner(schema: Node, root: Node, depth: number): string | undefined {
  const { properties = {}, required = [] } = schema as { properties?: Record<string, JsonSchema>; required?: unknown };
  if (!Array.isArray(required)) return undefined;
  for (const key of required as string[]) {
    if (!Object.hasOwn(properties, key)) {
      if (schema.additionalProperties === false) return `its property ${key} is required and not allowed`;
      continue;
    }
    const why = whyImpossible(properties[key]!, root, depth + 1);
    if (why) return `its property ${key}: ${why}`;
  }
  return undefined;
}

const PAIRS: readonly [string, string, string][] = [
  ['minimum', 'maximum', 'its minimum is above its maximum'],
  ['minLength', 'maxLength', 'its minLength is above its maxLength'],
  ['minItems', 'maxItems', 'its minItems is above its maxItems'],
  ['minProperties', 'maxProperties', 'its minProperties is above its maxProperties'],
];

function contradiction(schema: Node): string | undefined {
  for (const [low, high, why] of PAIRS) {
    if (typeof schema[low] === 'number' && typeof schema[high] === 'number' && schema[low] > schema[high]) return why;
  }
  const { type, enum: values } = schema;
  if (
    typeof type === 'string' &&
    Array.isArray(values) &&
    values.length > 0 &&
    !values.some((value) => fits(value, type))
  ) {
    return `none of its values is of type ${type}`;
  }
  return undefined;
}

function fits(value: unknown, type: string): boolean {
  if (type === 'integer') return Number.isInteger(value);
  if (type === 'array') return Array.isArray(value);
  if (type === 'null') return value === null;
  if (type === 'object') return isObject(value);
  return typeof value === type;
}
