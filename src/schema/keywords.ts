// The JSON Schema keywords we know, by what they contain. All code that walks schemas uses this table, so a property that happens to
// be called `$ref` or `properties` is never mistaken for a keyword.
import { isObject } from '../endpoint/is-object.ts';
import type { Node } from '../endpoint/untrusted.ts';

/**
 * What a keyword contains: one schema, a list of them, schemas by name, definitions by name, text and examples that
 * restrict nothing, or a rule of its own.
 */
type Content = 'schema' | 'schemas' | 'named' | 'definitions' | 'annotation' | 'rule';

const TABLE: Readonly<Record<Content, string>> = {
  schema: `additionalItems additionalProperties contains contentSchema else if items not propertyNames then
    unevaluatedItems unevaluatedProperties`,
  schemas: 'allOf anyOf oneOf prefixItems',
  named: 'properties patternProperties dependentSchemas',
  definitions: '$defs definitions',
  annotation: `title description default example examples deprecated readOnly writeOnly contentEncoding contentMediaType
    $schema $comment`,
  rule: `type enum const format pattern minLength maxLength minimum maximum exclusiveMinimum exclusiveMaximum multipleOf
    minItems maxItems uniqueItems minContains maxContains required minProperties maxProperties dependencies
    dependentRequired $ref $id $anchor $dynamicRef $dynamicAnchor $vocabulary`,
};

const namesOf = (content: Content): readonly string[] => TABLE[content].split(/\s+/);

export const SCHEMA_KEYWORDS: ReadonlySet<string> = new Set(namesOf('schema'));
export const SCHEMA_LIST_KEYWORDS: ReadonlySet<string> = new Set(namesOf('schemas'));
export const SCHEMA_MAP_KEYWORDS: ReadonlySet<string> = new Set(namesOf('named'));
export const DEFINITION_KEYWORDS: ReadonlySet<string> = new Set(namesOf('definitions'));
export const ANNOTATIONS: ReadonlySet<string> = new Set(namesOf('annotation'));
/** Keywords of older drafts and of OpenAPI: read, but never written. */
const OUTDATED: readonly string[] = ['additionalItems', 'example'];
/** Keywords of the current draft. */
export const KEYWORDS: readonly string[] = (Object.keys(TABLE) as Content[])
  .flatMap(namesOf)
  .filter((keyword) => !OUTDATED.includes(keyword));

/** A value fits one of several schemas. */
export const UNIONS = ['anyOf', 'oneOf'] as const;
/** Schemas about the same value that decide or forbid, unlike those that always apply. */
export const CONDITIONS: readonly string[] = ['not', 'if', 'then', 'else'];
/** The same, by the name of a property that is there. */
export const NAMED_CONDITIONS: readonly string[] = ['dependentSchemas', 'dependencies'];
/** Keywords that may declare further properties of the same object, besides `properties` itself. */
export const COMPOSITIONS: readonly string[] = [
  '$ref',
  '$dynamicRef',
  'allOf',
  ...UNIONS,
  ...CONDITIONS,
  ...NAMED_CONDITIONS,
];
/** Keywords for the properties that an object does not name. */
export const OPENINGS: readonly string[] = ['additionalProperties', 'unevaluatedProperties', 'patternProperties'];

export const TYPES: readonly string[] = ['string', 'integer', 'number', 'boolean', 'object', 'array', 'null'];

/**
 * The values where schemas belong directly inside a schema, with the JSON pointer steps that lead there. A keyword whose value has
 * the wrong shape contains nothing.
 */
export function* subschemas(
  schema: Node,
): Generator<readonly [keyword: string, key: string | number | undefined, schema: unknown]> {
  for (const keyword of Object.keys(schema)) {
    const value = schema[keyword];
    if (SCHEMA_LIST_KEYWORDS.has(keyword) || (keyword === 'items' && Array.isArray(value))) {
      if (Array.isArray(value)) for (const [index, item] of value.entries()) yield [keyword, index, item];
    } else if (SCHEMA_KEYWORDS.has(keyword)) yield [keyword, undefined, value];
    else if (SCHEMA_MAP_KEYWORDS.has(keyword) || DEFINITION_KEYWORDS.has(keyword) || keyword === 'dependencies') {
      if (!isObject(value)) continue;
      for (const key of Object.keys(value))
        if (keyword !== 'dependencies' || !Array.isArray(value[key])) yield [keyword, key, value[key]];
    }
  }
}

/** A copy of a schema with the schemas directly inside it changed. */
export function mapSubschemas(
  schema: Node,
  change: (inner: unknown, keyword: string, key: string | number | undefined) => unknown,
): Record<string, unknown> {
  const copy = copyOf(schema);
  for (const [keyword, key, inner] of subschemas(schema)) {
    const replacement = change(inner, keyword, key);
    if (key === undefined) copy[keyword] = replacement;
    else {
      if (copy[keyword] === schema[keyword]) copy[keyword] = copyOf(schema[keyword] as Node);
      setOwn(copy[keyword] as object, key, replacement);
    }
  }
  return copy;
}

/** A shallow copy of a list or an object. */
export function copyOf<T extends object>(original: T): { -readonly [key in keyof T]: T[key] } {
  if (Array.isArray(original)) return [...original] as typeof original;
  const copy = {};
  for (const key of Object.keys(original)) setOwn(copy, key, original[key as keyof T]);
  return copy as T;
}

/**
 * `dependencies` (draft 7 and before) as the keywords that took its place: lists of names, and schemas, which are changed
 * on the way.
 */
export function splitDependencies(
  dependencies: Node,
  change: (schema: unknown) => unknown,
): { dependentRequired?: Record<string, unknown>; dependentSchemas?: Record<string, unknown> } {
  const maps: ReturnType<typeof splitDependencies> = {};
  for (const key of Object.keys(dependencies)) {
    const needs = dependencies[key];
    const isNames = typeof needs === 'string' || Array.isArray(needs);
    const keyword = isNames ? 'dependentRequired' : 'dependentSchemas';
    maps[keyword] ??= {};
    setOwn(maps[keyword], key, isNames ? [needs].flat() : change(needs));
  }
  return maps;
}

/** Plain assignment to `__proto__` would change the object instead of naming a property. */
export function setOwn(target: object, key: string | number, value: unknown): void {
  if (key !== '__proto__') (target as Record<string | number, unknown>)[key] = value;
  else Object.defineProperty(target, key, { value, enumerable: true, configurable: true, writable: true });
}

/** How the `$comment` of a schema begins if the schema was not read as written. */
export const GUESS = 'Guessed: ';

/** Names of types in other languages, and formats written as types. */
const OTHER_TYPES: Readonly<Record<string, string>> = {
  string: 'str text varchar char date date-time datetime timestamp time uuid guid uri url email password byte base64',
  integer: 'int int32 int64 long short bigint uint uint32 uint64',
  number: 'float double decimal numeric float32 float64',
  boolean: 'bool',
  object: 'dict dictionary map hash hashmap struct',
  array: 'list set',
  null: 'none nil',
};
const FORMATS: Readonly<Record<string, string>> = {
  date: 'date',
  'date-time': 'date-time',
  datetime: 'date-time',
  uuid: 'uuid',
  guid: 'uuid',
  uri: 'uri',
  url: 'uri',
  email: 'email',
};
const MEANT: ReadonlyMap<string, string> = new Map(
  Object.entries(OTHER_TYPES).flatMap(([type, names]) => names.split(' ').map((name) => [name, type] as const)),
);

/** The type that a name means, and the format it implies; undefined if the name is unknown. */
export function toType(name: string): { readonly name: string; readonly format?: string | undefined } | undefined {
  if (TYPES.includes(name)) return { name };
  const plain = name.trim().toLowerCase();
  if (TYPES.includes(plain)) return { name: plain };
  const type = MEANT.get(plain);
  return type === undefined ? undefined : { name: type, format: FORMATS[plain] };
}

/** The types that a schema names, without unknown ones; empty if it names none. */
export function typesOf(schema: Node): string[] {
  const { type } = schema;
  if (typeof type === 'string' && TYPES.includes(type)) return [type];
  // `string|null`, `string or integer`
  const names = typeof type === 'string' ? type.slice(0, 100).split(/[|,/]| or /) : Array.isArray(type) ? type : [];
  const types = names.map((name) => (typeof name === 'string' ? toType(name)?.name : undefined));
  return [...new Set(types.filter((name) => name !== undefined))];
}

/** Any spelling of "may be null": 3.0 `nullable`, 2.0 `x-nullable`. */
export function isNullable(schema: Node): boolean {
  return schema.nullable === true || schema['x-nullable'] === true;
}
