// Corrects common mistakes in schemas. Every correction is noted in the `$comment` of the schema, which the doctor reports.
import { isObject } from '../../endpoint/is-object.ts';
import type { JsonSchema } from '../../endpoint/model.ts';
import { type Node, nodeAt, textsAt } from '../../endpoint/untrusted.ts';
import { GUESS, toType, typesOf } from '../../schema/keywords.ts';
import { numberIn } from './schema-values.ts';

type Draft = Record<string, unknown>;

/** The names an object requires: its list, a single name, and properties with `required: true` (draft 3). */
export function requiredIn(schema: Node): readonly string[] {
  const names = typeof schema.required === 'string' ? [schema.required] : textsAt(schema, 'required');
  const properties = nodeAt(schema, 'properties');
  if (properties === undefined) return names;
  const own = Object.keys(properties).filter((name) => {
    const property = properties[name];
    return isObject(property) && property.required === true && !names.includes(name);
  });
  return own.length === 0 ? names : [...names, ...own];
}

/** Corrects a converted schema in place. `source` is what the document has. */
export function correctMistakes(source: Node, out: Draft): void {
  correctType(source, out);
  if (Array.isArray(out.enum)) fitEnum(out as Draft & { enum: unknown[] });
  fitDefault(out);
  dropCrossedBounds(out);
  if (
    isObject(source.properties) &&
    Object.values(source.properties).some((one) => isObject(one) && one.required === true)
  )
    guess(out, 'required: true on a property is read as an entry in the required list of its object');
}

/** `int`, `date-time` or `string|null` as a type; an unknown type is ignored. */
function correctType({ type, format }: Node, out: Draft): void {
  if (type === undefined || (typeof type === 'string' && toType(type)?.name === type)) return;
  const names = [type].flat().filter((name): name is string => typeof name === 'string');
  const odd = names.filter((name) => toType(name)?.name !== name && name !== 'any');
  if (odd.length === 0) return;
  const types = typesOf({ type });
  guess(
    out,
    `type ${odd.map((name) => JSON.stringify(name)).join(', ')} is read as ${types.join(' or ') || 'any value'}`,
  );
  const hint = odd.map((name) => toType(name)?.format).find((one) => one !== undefined);
  if (format === undefined && hint !== undefined) out.format = hint;
}

function fitEnum(out: Draft & { enum: unknown[] }): void {
  const [only, ...others] = out.enum;
  if (Array.isArray(only) && others.length === 0 && out.type !== 'array' && only.length > 0) {
    out.enum = only;
    guess(out, 'a list inside enum is read as the enum itself');
  }
  const types = [out.type].flat().filter((type) => type !== undefined) as string[];
  if (types.length === 0) return;
  if (types.includes('array') && !out.enum.some(Array.isArray)) {
    moveToItems(out, types);
    return;
  }
  if (
    types.includes('boolean') &&
    out.enum.every((value) => typeof value === 'string' && /^(?:true|false)$/i.test(value))
  )
    out.enum = out.enum.map((value) => /^true$/i.test(value as string));
  // `enum: [a, null]` means that null is allowed.
  if (out.enum.includes(null) && !types.includes('null')) out.type = [...types, 'null'];
  if (out.enum.some((value) => value !== null && [out.type].flat().some((type) => isOf(type, value)))) return;
  if (out.enum.every((value) => value === null)) return;
  delete out.type;
  guess(out, `none of the values in enum is of type ${types.join(' or ')}; the type is ignored`);
}

/** If the enum of an array lists no arrays, it is meant for the items. */
function moveToItems(out: Draft & { enum?: unknown[] }, types: readonly string[]): void {
  const values = (out.enum as unknown[]).filter((value) => value !== null);
  if (values.length < out.enum!.length && !types.includes('null')) out.type = [...types, 'null'];
  delete out.enum;
  guess(out, 'enum on an array is read as the enum of its items');
  const items = out.items as JsonSchema | undefined;
  if (values.length === 0 || (isObject(items) && items.enum !== undefined)) return;
  const text = isObject(items) && items.type === 'string' ? values.map(String) : values;
  out.items = isObject(items)
    ? items.$ref === undefined
      ? { ...items, enum: text }
      : { allOf: [items], enum: text }
    : { enum: text };
}

/** A default that is not in the enum is dropped. */
function fitDefault(out: Draft): void {
  if (!Array.isArray(out.enum) || out.default === undefined || typeof out.default === 'object') return;
  if (!out.enum.includes(out.default)) delete out.default;
}

const BOUNDS = [
  ['minimum', 'maximum'],
  ['minLength', 'maxLength'],
  ['minItems', 'maxItems'],
  ['minProperties', 'maxProperties'],
] as const;

/** Bounds that exclude every value are a mistake, and are dropped; the API checks its own. */
function dropCrossedBounds(out: Draft): void {
  for (const [low, high] of BOUNDS) {
    const [least, most] = [numberIn(out[low]), numberIn(out[high])];
    if (least === undefined || most === undefined || least <= most) continue;
    delete out[low];
    delete out[high];
    guess(out, `${low} ${least} is above ${high} ${most}; both are ignored`);
  }
}

function isOf(type: unknown, value: unknown): boolean {
  if (type === 'integer') return Number.isInteger(value);
  if (type === 'array') return Array.isArray(value);
  if (type === 'object') return isObject(value);
  return typeof value === type;
}

/** Notes a correction. */
function guess(out: Draft, what: string): void {
  out.$comment = typeof out.$comment === 'string' ? `${out.$comment}; ${what}` : GUESS + what;
}
