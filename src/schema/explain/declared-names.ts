// The property names that a schema declares, in any of its branches.
import { isObject } from '../../endpoint/is-object.ts';
import type { JsonSchema } from '../../endpoint/model.ts';
import { CONDITIONS, NAMED_CONDITIONS, UNIONS } from '../keywords.ts';
import { conjuncts, isSchema, type SchemaObject, schemasOf } from '../references.ts';
import { rememberByObject } from '../remember.ts';

const MAX_PARTS = 256;

const findNames = rememberByObject((schema: SchemaObject, root: JsonSchema): ReadonlySet<string> => {
  const names = new Set<string>();
  const parts = schema.additionalProperties === false ? [schema] : conjuncts(root, [schema], composed, MAX_PARTS);
  for (const part of parts) {
    if (isObject(part) && isObject(part.properties)) for (const name of Object.keys(part.properties)) names.add(name);
  }
  return names;
});

/** Names declared by a schema and everything composed into it; its own alone where it takes no others. */
export function declaredNames(root: JsonSchema, schema: SchemaObject): ReadonlySet<string> {
  return findNames(schema, root);
}

/** What may add names beside references and allOf, which are followed anyway. A `not` declares nothing. */
function composed(schema: SchemaObject): readonly JsonSchema[] {
  return [
    ...UNIONS.flatMap((keyword) => schemasOf(schema[keyword])),
    ...CONDITIONS.filter((keyword) => keyword !== 'not').map((keyword) => schema[keyword]),
    ...NAMED_CONDITIONS.flatMap((keyword) => (isObject(schema[keyword]) ? Object.values(schema[keyword]) : [])),
  ].filter(isSchema);
}
