// The JSON Schema keywords we know, by what stands in them. Everything that walks schemas goes by this table, so a
// property that happens to be called `$ref` or `properties` is never mistaken for a keyword.
import { isObject } from '../endpoint/is-object.ts';
import type { Node } from '../endpoint/untrusted.ts';

/**
 * What stands in a keyword: one schema, a list of them, schemas by name, definitions by name, text and examples that
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
/** Of older drafts and of OpenAPI: read, but nothing to write today. */
const OUTDATED: readonly string[] = ['additionalItems', 'example'];
/** What may be written in a schema of today. */
export const KEYWORDS: readonly string[] = (Object.keys(TABLE) as Content[])
  .flatMap(namesOf)
  .filter((keyword) => !OUTDATED.includes(keyword));

/** A value fits one of several schemas. */
export const UNIONS = ['anyOf', 'oneOf'] as const;
/** Schemas about the same value that decide or forbid, beside those that simply hold. */
export const CONDITIONS: readonly string[] = ['not', 'if', 'then', 'else'];
/** The same, by the name of a property that is there. */
export const NAMED_CONDITIONS: readonly string[] = ['dependentSchemas', 'dependencies'];
/** What may declare further properties of the same object, beside `properties` itself. */
export const COMPOSITIONS: readonly string[] = [
  '$ref',
  '$dynamicRef',
  'allOf',
  ...UNIONS,
  ...CONDITIONS,
  ...NAMED_CONDITIONS,
];
/** What says how an object treats properties it does not name. */
export const OPENINGS: readonly string[] = ['additionalProperties', 'unevaluatedProperties', 'patternProperties'];

export const TYPES: readonly string[] = ['string', 'integer', 'number', 'boolean', 'object', 'array', 'null'];

/** The schemas directly inside a schema, with the JSON pointer steps that lead there. */
export function* subschemas(
  schema: Node,
): Generator<readonly [keyword: string, key: string | number | undefined, schema: unknown]> {
  for (const keyword of Object.keys(schema)) {
    const value = schema[keyword];
    if (typeof value !== 'object' || value === null) continue;
    if (SCHEMA_KEYWORDS.has(keyword)) {
      if (!Array.isArray(value)) yield [keyword, undefined, value];
      else if (keyword === 'items') for (const [index, item] of value.entries()) yield [keyword, index, item];
    } else if (SCHEMA_LIST_KEYWORDS.has(keyword)) {
      if (Array.isArray(value)) for (const [index, item] of value.entries()) yield [keyword, index, item];
    } else if (SCHEMA_MAP_KEYWORDS.has(keyword)) {
      if (isObject(value)) for (const key of Object.keys(value)) yield [keyword, key, value[key]];
    } else if (keyword === 'dependencies' && isObject(value)) {
      for (const key of Object.keys(value)) if (!Array.isArray(value[key])) yield [keyword, key, value[key]];
    }
  }
}

/**
 * A copy of a schema with every schema directly inside it changed. What is not a schema where one belongs is handed over
 * too; a keyword of another shape than its kind stays as it is.
 */
export function mapSubschemas(
  schema: Node,
  change: (inner: unknown, keyword: string, key: string | number | undefined) => unknown,
): Record<string, unknown> {
  const copy: Record<string, unknown> = {};
  for (const keyword of Object.keys(schema)) setOwn(copy, keyword, mapKeyword(keyword, schema[keyword], change));
  return copy;
}

function mapKeyword(
  keyword: string,
  value: unknown,
  change: (inner: unknown, keyword: string, key: string | number | undefined) => unknown,
): unknown {
  if (SCHEMA_LIST_KEYWORDS.has(keyword) || (keyword === 'items' && Array.isArray(value)))
    return Array.isArray(value) ? value.map((inner, index) => change(inner, keyword, index)) : value;
  if (SCHEMA_KEYWORDS.has(keyword)) return change(value, keyword, undefined);
  if (
    !isObject(value) ||
    !(SCHEMA_MAP_KEYWORDS.has(keyword) || DEFINITION_KEYWORDS.has(keyword) || keyword === 'dependencies')
  )
    return value;
  const copy: Record<string, unknown> = {};
  for (const key of Object.keys(value)) {
    const inner = value[key];
    setOwn(copy, key, keyword === 'dependencies' && Array.isArray(inner) ? inner : change(inner, keyword, key));
  }
  return copy;
}

/** Plain assignment to `__proto__` would change the object instead of naming a property. */
export function setOwn(target: object, key: string | number, value: unknown): void {
  Object.defineProperty(target, key, { value, enumerable: true, configurable: true, writable: true });
}

/** The types a schema names, unknown ones left out; empty where it names none. */
export function typesOf(schema: Node): string[] {
  const { type } = schema;
  if (typeof type === 'string') return TYPES.includes(type) ? [type] : [];
  if (!Array.isArray(type)) return [];
  return [...new Set(type.filter((name): name is string => typeof name === 'string' && TYPES.includes(name)))];
}

/** Any spelling of "may be null": 3.0 `nullable`, 2.0 `x-nullable`. */
export function isNullable(schema: Node): boolean {
  return schema.nullable === true || schema['x-nullable'] === true;
}
