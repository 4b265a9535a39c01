// Pieces of a conversion that need no context: keywords that hold plain values, null beside a schema, definition names.

import { isObject } from '../../endpoint/is-object.ts';
import type { JsonSchema } from '../../endpoint/model.ts';
import { toPlainLines } from '../../endpoint/plain-text.ts';
import { emptyMap, type Node } from '../../endpoint/untrusted.ts';
import { typesOf, UNIONS } from '../../schema/keywords.ts';
import { isSmallValue, numberIn, patternIn, sizeIn } from './schema-values.ts';

type Read = (value: unknown) => unknown;

const textOf: Read = (value) => (typeof value === 'string' ? value : undefined);
const proseOf: Read = (value) => (typeof value === 'string' && toPlainLines(value)) || undefined;
const trueOnly: Read = (value) => value === true || undefined;
const exclusiveBound: Read = (value) => (typeof value === 'number' ? value : undefined);
const listOf = (value: unknown) => (Array.isArray(value) && value.length > 0 ? value : undefined);
const smallOnly = (value: unknown) => (isSmallValue(value) ? value : undefined);

/** Keywords without schemas inside, each with what its value can mean; undefined for nothing. */
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

/** Copies a keyword without schemas inside, where its value can mean something. */
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

export const NULL: JsonSchema = Object.freeze({ type: 'null' });

export function annotationsOf(schema: JsonSchema): Node {
  if (!isObject(schema)) return {};
  const annotations: Record<string, unknown> = {};
  for (const keyword of ['title', 'description', 'deprecated', 'default', 'examples']) {
    if (Object.hasOwn(schema, keyword)) annotations[keyword] = schema[keyword];
  }
  return annotations;
}

/** What may refuse null although the type allows it. */
const RULES_ON_NULL = ['allOf', ...UNIONS, 'const', 'not'];

/** The schema, or null. Wherever the document put `nullable`, null is meant to pass. */
export function orNull(schema: Record<string, unknown>): JsonSchema {
  const { type, enum: values } = schema;
  if (type !== undefined) {
    const types = [type].flat();
    if (!types.includes('null')) schema.type = [...types, 'null'];
    if (Array.isArray(values) && !values.includes(null)) schema.enum = [...values, null];
  }
  const rules = type === undefined ? [...RULES_ON_NULL, 'enum', '$ref'] : RULES_ON_NULL;
  return rules.some((keyword) => Object.hasOwn(schema, keyword)) ? beside(schema) : schema;
}

function beside(schema: Record<string, unknown>): JsonSchema {
  const annotations = annotationsOf(schema);
  const rest: Record<string, unknown> = {};
  for (const key of Object.keys(schema)) if (!Object.hasOwn(annotations, key)) rest[key] = schema[key];
  return { ...annotations, anyOf: [rest, NULL] };
}

export function nameLists(map: Node, oneWayNames: ReadonlySet<string>): Record<string, string[]> {
  const out = emptyMap<string[]>();
  for (const key of Object.keys(map)) {
    const value = map[key];
    if (!Array.isArray(value)) continue;
    out[key] = value.filter((name): name is string => typeof name === 'string' && !oneWayNames.has(name));
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
