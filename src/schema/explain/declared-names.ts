// The property names that a schema declares, in any of its branches.
import { isObject } from '../../endpoint/is-object.ts';
import type { JsonSchema } from '../../endpoint/model.ts';
import { CONDITIONS, NAMED_CONDITIONS, UNIONS } from '../keywords.ts';
import { conjuncts, isSchema, type SchemaObject, schemasOf } from '../references.ts';
import { rememberByObject } from '../remember.ts';

const MAX_PARTS = 256;

/** Names declared by a schema and everything composed into it; its own alone where it takes no others. */
export const declaredNames: (schema: SchemaObject, root: JsonSchema) => ReadonlySet<string> = rememberByObject(
  (schema: SchemaObject, root: JsonSchema) => {
    const parts = schema.additionalProperties === false ? [schema] : conjuncts(root, [schema], composed, MAX_PARTS);
    const names = [...parts].map((part) =>
      isObject(part) && isObject(part.properties) ? Object.keys(part.properties) : [],
    );
    return new Set(names.flat());
  },
);

/** What may add names beside references and allOf, which are followed anyway. A `not` declares nothing. */
function composed(schema: SchemaObject): readonly JsonSchema[] {
  return [
    ...UNIONS.flatMap((keyword) => schemasOf(schema[keyword])),
    ...CONDITIONS.filter((keyword) => keyword !== 'not').map((keyword) => schema[keyword]),
    ...NAMED_CONDITIONS.flatMap((keyword) => (isObject(schema[keyword]) ? Object.values(schema[keyword]) : [])),
  ].filter(isSchema);
}
