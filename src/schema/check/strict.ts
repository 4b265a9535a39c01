// Arguments are strict: a name the schema does not know is an error and never vanishes, whatever the schema is made of.
import { isObject } from '../../endpoint/is-object.ts';
import type { JsonSchema } from '../../endpoint/model.ts';
import { declaredNames } from '../explain/declared-names.ts';
import { isRequiredOnly } from '../explain/explain-unions.ts';
import { COMPOSITIONS, OPENINGS } from '../keywords.ts';
import { deref, type SchemaObject, schemasOf } from '../references.ts';
import { rememberByObject } from '../remember.ts';

/**
 * The schema as it is enforced. If it says nothing about other names, none are accepted: through `additionalProperties` or, if
 * parts of it may declare names as well, `unevaluatedProperties`. A schema that is explicitly open, or declares nothing at all,
 * stays open.
 */
export function toStrictSchema(schema: JsonSchema): JsonSchema {
  return isObject(schema) ? strictSchemaOf(schema) : schema;
}

// Also because what is remembered about a schema (its types, its names) is remembered by the object.
const strictSchemaOf = rememberByObject(closeSchema);

function closeSchema(schema: SchemaObject): SchemaObject {
  const whole = withSets(schema);
  if (OPENINGS.some((keyword) => Object.hasOwn(whole, keyword))) return whole;
  if (!COMPOSITIONS.some((keyword) => Object.hasOwn(whole, keyword)))
    return isObject(whole.properties) ? { ...whole, additionalProperties: false } : whole;
  return declaredNames(whole, whole).size > 0 ? { ...whole, unevaluatedProperties: false } : whole;
}

/** `oneOf` of nothing but required names means at least one of these sets: giving more than one is no contradiction. */
function withSets(schema: SchemaObject): SchemaObject {
  const branches = schemasOf(schema.oneOf);
  if (branches.length === 0 || schema.anyOf !== undefined) return schema;
  if (!branches.every((branch) => isRequiredOnly(deref(schema, branch)))) return schema;
  const { oneOf, ...rest } = schema;
  return { ...rest, anyOf: oneOf };
}
