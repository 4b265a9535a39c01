// Values of keywords: numbers, patterns, defaults, enums, null. Documents often give them the wrong type, so a keyword is used only
// if its value makes sense.
import { isObject } from '../../endpoint/is-object.ts';
import type { JsonSchema } from '../../endpoint/model.ts';
import { toPlainLines } from '../../endpoint/plain-text.ts';
import { emptyMap, type Node } from '../../endpoint/untrusted.ts';
import { safePattern } from '../../schema/check/pattern.ts';
import { typesOf, UNIONS } from '../../schema/keywords.ts';

const MAX_VALUE_NODES = 500;
const MAX_VALUE_DEPTH = 24;
const MAX_VALUE_CHARS = 4_000;

export function numberIn(value: unknown): number | undefined {
  const number = typeof value === 'string' && value.trim() !== '' ? Number(value) : value;
  return typeof number === 'number' && Number.isFinite(number) ? number : undefined;
}

function sizeIn(value: unknown): number | undefined {
  const size = numberIn(value);
  return size !== undefined && Number.isInteger(size) && size >= 0 ? size : undefined;
}

/** A pattern that no regex engine accepts (`\p{Graph}` is Java's) is ignored; for the others, the validator chooses the engine. */
export function usablePattern(pattern: string): boolean {
  return safePattern(pattern).engine !== 'none';
}

/**
 * The pattern of a keyword, if a regex engine accepts it. From a JavaScript literal (`/^[a-z]+$/`), only the part between the slashes
 * is used, because with the slashes nothing could match. JSON Schema has no flags, so a literal with a flag that makes it match more
 * is ignored.
 */
function patternIn(value: unknown): string | undefined {
  if (typeof value !== 'string') return undefined;
  const end = value.startsWith('/^') ? value.lastIndexOf('$/') : -1;
  const flags = value.slice(end + 2);
  if (end < 0 || /[^a-z]/.test(flags)) return usablePattern(value) ? value : undefined;
  const pattern = value.slice(1, end + 1);
  return /[^gu]/.test(flags) || !usablePattern(pattern) ? undefined : pattern;
}

/** Defaults and examples are only shown: those that are too large or too deep are left out. */
export function isSmallValue(value: unknown): boolean {
  let nodes = 0;
  let chars = 0;
  const fits = (inner: unknown, depth: number): boolean => {
    if (typeof inner === 'string') chars += inner.length;
    if (++nodes > MAX_VALUE_NODES || depth > MAX_VALUE_DEPTH || chars > MAX_VALUE_CHARS) return false;
    if (Array.isArray(inner)) return inner.every((item) => fits(item, depth + 1));
    if (isObject(inner)) return Object.values(inner).every((item) => fits(item, depth + 1));
    return inner !== undefined;
  };
  return fits(value, 0);
}

/** YAML reads `enum: [1, 2]` under `type: string` as numbers; they are converted to the type. */
export function fitValues(schema: Record<string, unknown>): void {
  const { type } = schema;
  if (type !== 'string' && type !== 'integer' && type !== 'number') return;
  const adapt = type === 'string' ? toText : toNumber;
  if (Array.isArray(schema.enum) && schema.enum.some((value) => adapt(value) !== value))
    schema.enum = schema.enum.map(adapt);
  for (const keyword of ['const', 'default']) {
    if (Object.hasOwn(schema, keyword) && adapt(schema[keyword]) !== schema[keyword])
      schema[keyword] = adapt(schema[keyword]);
  }
}

function toText(value: unknown): unknown {
  return typeof value === 'number' || typeof value === 'boolean' ? String(value) : value;
}

function toNumber(value: unknown): unknown {
  return typeof value === 'string' ? (numberIn(value) ?? value) : value;
}

type Read = (value: unknown) => unknown;

const textOf: Read = (value) => (typeof value === 'string' ? value : undefined);
const proseOf: Read = (value) => (typeof value === 'string' && toPlainLines(value)) || undefined;
const trueOnly: Read = (value) => value === true || undefined;
const exclusiveBound: Read = (value) => (typeof value === 'number' ? value : undefined);
const listOf = (value: unknown) => (Array.isArray(value) && value.length > 0 ? value : undefined);
const smallOnly = (value: unknown) => (isSmallValue(value) ? value : undefined);

/** Keywords without schemas inside, each with a function that returns its value, or undefined if that makes no sense. */
const PLAIN: ReadonlyMap<string, Read> = new Map([
  ...[
    'maxLength',
    'minLength',
    'maxItems',
    'minItems',
    'maxProperties',
    'minProperties',
    'maxContains',
    'minContains',
  ].map((keyword) => [keyword, sizeIn] as const),
  ...['description', 'title'].map((keyword) => [keyword, proseOf] as const),
  ...['format', 'contentEncoding', 'contentMediaType'].map((keyword) => [keyword, textOf] as const),
  ...['uniqueItems', 'deprecated'].map((keyword) => [keyword, trueOnly] as const),
  ...['exclusiveMaximum', 'exclusiveMinimum'].map((keyword) => [keyword, exclusiveBound] as const),
  ['enum', listOf],
  ['default', smallOnly],
  ['examples', (value) => smallOnly(listOf(value))],
  ['multipleOf', (value) => (typeof value === 'number' && value > 0 ? value : undefined)],
  ['pattern', patternIn],
]);

/** Copies a keyword without schemas inside, if its value makes sense. */
export function convertPlain(
  schema: Node,
  keyword: string,
  value: unknown,
  oneWayNames: ReadonlySet<string>,
  out: Record<string, unknown>,
): void {
  if (keyword === 'type') {
    const types = typesOf({ type: value });
    if (types.length > 0) out.type = types.length === 1 ? types[0] : types;
  } else if (keyword === 'dependentRequired') {
    if (isObject(value)) out.dependentRequired = nameLists(value, oneWayNames);
  } else if (keyword === 'const') out.const = value;
  else if (keyword === 'example') {
    if (isSmallValue(value)) out.examples ??= [value];
  } else if (keyword === 'minimum' || keyword === 'maximum') {
    // 3.0 writes an exclusive bound as `minimum` plus `exclusiveMinimum: true`.
    const exclusive = keyword === 'minimum' ? 'exclusiveMinimum' : 'exclusiveMaximum';
    const bound = numberIn(value);
    if (bound !== undefined) out[schema[exclusive] === true ? exclusive : keyword] = bound;
  } else {
    const content = PLAIN.get(keyword)?.(value);
    if (content !== undefined) out[keyword] = content;
  }
}

export const NULL_SCHEMA: JsonSchema = Object.freeze({ type: 'null' });

export function annotationsOf(schema: JsonSchema): Node {
  if (!isObject(schema)) return {};
  const annotations: Record<string, unknown> = {};
  for (const keyword of ['title', 'description', 'deprecated', 'default', 'examples']) {
    if (Object.hasOwn(schema, keyword)) annotations[keyword] = schema[keyword];
  }
  return annotations;
}

/** Keywords that may refuse null although the type allows it. */
const RULES_ON_NULL = ['allOf', ...UNIONS, 'const', 'not'];

/** The schema with null allowed. Wherever the document has `nullable`, null is meant to be accepted. */
export function orNull(schema: Record<string, unknown>): JsonSchema {
  const { type, enum: values } = schema;
  if (type !== undefined) {
    const types = [type].flat();
    if (!types.includes('null')) schema.type = [...types, 'null'];
    if (Array.isArray(values) && !values.includes(null)) schema.enum = [...values, null];
  }
  const rules = type === undefined ? [...RULES_ON_NULL, 'enum', '$ref'] : RULES_ON_NULL;
  return rules.some((keyword) => Object.hasOwn(schema, keyword)) ? eitherOrNull(schema) : schema;
}

/** Annotations stay outside of the union. */
function eitherOrNull(schema: Record<string, unknown>): JsonSchema {
  const annotations = annotationsOf(schema);
  const rest: Record<string, unknown> = {};
  for (const key of Object.keys(schema)) if (!Object.hasOwn(annotations, key)) rest[key] = schema[key];
  return { ...annotations, anyOf: [rest, NULL_SCHEMA] };
}

/** `dependentRequired` without the names that need not be given. */
export function nameLists(map: Node, oneWayNames: ReadonlySet<string>): Record<string, string[]> {
  const out = emptyMap<string[]>();
  for (const key of Object.keys(map)) {
    const value = map[key];
    if (!Array.isArray(value)) continue;
    out[key] = value.filter((name): name is string => typeof name === 'string' && !oneWayNames.has(name));
  }
  return out;
}
