// Pieces of a conversion that need no context: keywords that hold plain values, null beside a schema, definition names.
import type { JsonSchema } from '../../endpoint/model.ts';
import { toPlainLines } from '../../endpoint/plain-text.ts';
import { emptyMap, isNode, type Node } from '../../endpoint/untrusted.ts';
import { typesOf } from '../../schema/keywords.ts';
import { isSmallValue, numberIn, sizeIn, usablePattern } from './schema-values.ts';

const SIZES = new Set([
  'maxLength',
  'minLength',
  'maxItems',
  'minItems',
  'maxProperties',
  'minProperties',
  'maxContains',
  'minContains',
]);

/** Copies a keyword without schemas inside, where its value can mean something. */
export function convertPlain(
  schema: Node,
  keyword: string,
  value: unknown,
  hidden: ReadonlySet<string> | undefined,
  out: Record<string, unknown>,
): void {
  if (SIZES.has(keyword)) {
    const size = sizeIn(value);
    if (size !== undefined) out[keyword] = size;
    return;
  }
  switch (keyword) {
    case 'type': {
      const types = typesOf({ type: value });
      if (types.length > 0) out.type = types.length === 1 ? types[0] : types;
      break;
    }
    case 'required': {
      if (!Array.isArray(value)) break;
      const names = [...new Set(value.filter((name) => typeof name === 'string' && !hidden?.has(name)))];
      if (names.length > 0) out.required = names;
      break;
    }
    case 'description':
    case 'title': {
      const text = typeof value === 'string' ? toPlainLines(value) : '';
      if (text !== '') out[keyword] = text;
      break;
    }
    case 'enum':
      if (Array.isArray(value) && value.length > 0) out.enum = value;
      break;
    case 'const':
      out.const = value;
      break;
    case 'default':
      if (isSmallValue(value)) out.default = value;
      break;
    case 'example':
      if (isSmallValue(value)) out.examples ??= [value];
      break;
    case 'examples':
      if (Array.isArray(value) && value.length > 0 && isSmallValue(value)) out.examples = value;
      break;
    case 'minimum':
    case 'maximum': {
      // 3.0 writes an exclusive bound as `minimum` plus `exclusiveMinimum: true`.
      const exclusive = keyword === 'minimum' ? 'exclusiveMinimum' : 'exclusiveMaximum';
      const bound = numberIn(value);
      if (bound !== undefined) out[schema[exclusive] === true ? exclusive : keyword] = bound;
      break;
    }
    case 'exclusiveMaximum':
    case 'exclusiveMinimum':
      if (typeof value === 'number') out[keyword] = value;
      break;
    case 'multipleOf':
      if (typeof value === 'number' && value > 0) out.multipleOf = value;
      break;
    case 'pattern':
      if (typeof value === 'string' && usablePattern(value)) out.pattern = value;
      break;
    case 'format':
    case 'contentEncoding':
    case 'contentMediaType':
      if (typeof value === 'string') out[keyword] = value;
      break;
    case 'uniqueItems':
    case 'deprecated':
      if (value === true) out[keyword] = true;
      break;
    case 'dependentRequired':
      if (isNode(value)) out.dependentRequired = nameLists(value);
      break;
  }
}

export const NULL: JsonSchema = Object.freeze({ type: 'null' });

/** `$dynamicRef` and `$recursiveRef` without the dynamic scope: the definition they name by default. */
export function refOf(schema: Node): string | undefined {
  for (const keyword of ['$ref', '$dynamicRef', '$recursiveRef']) {
    const value = schema[keyword];
    if (typeof value === 'string') return value;
  }
  return undefined;
}

export function annotationsOf(schema: JsonSchema): Node {
  if (!isNode(schema)) return {};
  const annotations: Record<string, unknown> = {};
  for (const keyword of ['title', 'description', 'deprecated', 'default', 'examples']) {
    if (Object.hasOwn(schema, keyword)) annotations[keyword] = schema[keyword];
  }
  return annotations;
}

/** The schema, or null. Wherever the document put `nullable`, null is meant to pass. */
export function orNull(schema: Record<string, unknown>): JsonSchema {
  const { type, enum: values } = schema;
  if (type !== undefined) {
    const types = Array.isArray(type) ? type : [type];
    if (!types.includes('null')) schema.type = [...types, 'null'];
    if (Array.isArray(values) && !values.includes(null)) schema.enum = [...values, null];
    for (const keyword of ['allOf', 'anyOf', 'oneOf', 'const', 'not'])
      if (Object.hasOwn(schema, keyword)) return beside(schema);
    return schema;
  }
  for (const keyword of ['enum', 'const', 'allOf', 'anyOf', 'oneOf', 'not', '$ref']) {
    if (Object.hasOwn(schema, keyword)) return beside(schema);
  }
  return schema;
}

function beside(schema: Record<string, unknown>): JsonSchema {
  const annotations = annotationsOf(schema);
  const rest: Record<string, unknown> = {};
  for (const key of Object.keys(schema)) if (!Object.hasOwn(annotations, key)) rest[key] = schema[key];
  return { ...annotations, anyOf: [rest, NULL] };
}

export function nameLists(map: Node): Record<string, string[]> {
  const out = emptyMap<string[]>();
  for (const key of Object.keys(map)) {
    const value = map[key];
    if (Array.isArray(value)) out[key] = value.filter((name): name is string => typeof name === 'string');
  }
  return out;
}

/** The last part of the pointer that says something, safe in a URI fragment, unique. */
export function definitionName(pointer: string, names: Set<string>): string {
  const parts = pointer.split('/').slice(1).reverse();
  const telling = parts.find((part) => !/^(?:\d+|schema|items|properties|allOf|oneOf|anyOf|)$/.test(part)) ?? 'Root';
  const base =
    telling
      .replace(/~[01]/g, '_')
      .replace(/[^A-Za-z0-9_.-]+/g, '_')
      .slice(0, 80) || 'Schema';
  let name = base === '__proto__' ? 'proto' : base;
  for (let number = 2; names.has(name); number++) name = `${base}_${number}`;
  names.add(name);
  return name;
}
