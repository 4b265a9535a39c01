// Output schemas for eras of MCP that only support objects: any other value is wrapped as `{result: …}`, and so is its schema.
import { isObject } from '../endpoint/is-object.ts';
import type { JsonSchema } from '../endpoint/model.ts';
import { mapSubschemas } from './keywords.ts';

/** True when a legacy client cannot take this schema as it is (MCP up to 2025-11-25 wants `type: "object"`). */
function needsWrapping(schema: JsonSchema): boolean {
  return typeof schema === 'boolean' || schema.type !== 'object';
}

/** The schema a legacy client is shown: itself, or wrapped as `{result: …}` with its local references still valid. */
export function toLegacyOutputSchema(schema: JsonSchema): JsonSchema {
  if (!needsWrapping(schema)) return schema;
  const result = moveReferences(schema, '#/properties/result');
  if (typeof result === 'boolean' || !('$schema' in result)) {
    return { type: 'object', properties: { result }, required: ['result'] };
  }
  // `$schema` is only legal at the root of a schema resource.
  const { $schema, ...natural } = result;
  return { $schema, type: 'object', properties: { result: natural }, required: ['result'] };
}

/** The structured value that goes with `toLegacyOutputSchema(schema)`. */
export function toLegacyStructured(schema: JsonSchema | undefined, value: unknown): unknown {
  return schema === undefined
    ? isObject(value)
      ? value
      : { result: value }
    : needsWrapping(schema)
      ? { result: value }
      : value;
}

/** Rewrites `#` and `#/…` where they are references, and nowhere else: a property may well be called `$ref`. */
function moveReferences(schema: JsonSchema, prefix: string): JsonSchema {
  if (typeof schema !== 'object' || schema === null || Array.isArray(schema)) return schema;
  // Below an `$id` of its own, `#` means that inner resource, which moves as a whole.
  if (typeof schema.$id === 'string' && schema.$id !== '' && !schema.$id.startsWith('#')) return schema;
  const copy = mapSubschemas(schema, (inner) => moveReferences(inner as JsonSchema, prefix));
  for (const keyword of ['$ref', '$dynamicRef']) {
    const ref = copy[keyword];
    if (typeof ref === 'string' && (ref === '#' || ref.startsWith('#/'))) copy[keyword] = prefix + ref.slice(1);
  }
  return copy;
}
