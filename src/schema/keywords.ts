// The JSON Schema keywords we know, by what stands in them. Everything that walks schemas goes by these tables, so a
// property that happens to be called `$ref` or `properties` is never mistaken for a keyword.
import { isNode, type Node } from '../endpoint/untrusted.ts';

export const SCHEMA_KEYWORDS = new Set([
  'additionalProperties',
  'additionalItems',
  'contains',
  'contentSchema',
  'else',
  'if',
  'items',
  'not',
  'propertyNames',
  'then',
  'unevaluatedItems',
  'unevaluatedProperties',
]);
export const SCHEMA_LIST_KEYWORDS = new Set(['allOf', 'anyOf', 'oneOf', 'prefixItems']);
export const SCHEMA_MAP_KEYWORDS = new Set(['properties', 'patternProperties', 'dependentSchemas']);

const TYPES = new Set(['string', 'number', 'integer', 'boolean', 'object', 'array', 'null']);

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
      if (isNode(value)) for (const key of Object.keys(value)) yield [keyword, key, value[key]];
    } else if (keyword === 'dependencies' && isNode(value)) {
      for (const key of Object.keys(value)) if (!Array.isArray(value[key])) yield [keyword, key, value[key]];
    }
  }
}

/** The types a schema names, unknown ones left out; empty where it names none. */
export function typesOf(schema: Node): string[] {
  const { type } = schema;
  if (typeof type === 'string') return TYPES.has(type) ? [type] : [];
  if (!Array.isArray(type)) return [];
  return [...new Set(type.filter((name): name is string => typeof name === 'string' && TYPES.has(name)))];
}

/** Any spelling of "may be null": 3.0 `nullable`, 2.0 `x-nullable`. */
export function isNullable(schema: Node): boolean {
  return schema.nullable === true || schema['x-nullable'] === true;
}
