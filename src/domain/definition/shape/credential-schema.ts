// The shape of a credential in a domain file: either with a `kind`, or as variables for a security scheme of the imported document.
import { z } from 'zod';
import type { ShapeTools } from '../../../credentials/credential-kind.ts';
import type { CredentialDefinition } from '../../../credentials/kind-table.ts';
import { variableName } from '../../../credentials/secret-fields.ts';
import { kindShapes, type SchemeDefinition, schemeFields } from '../../../credentials/shapes.ts';
import { isObject } from '../../../endpoint/is-object.ts';
import {
  about,
  chosen,
  closed,
  FILLED,
  headerName,
  inAnyCase,
  list,
  named,
  strict,
  text,
  texts,
  withDefault,
} from './fields.ts';

/** Picked one by one: with `z` as a whole, the bundle would contain all of zod, and every start would load it. */
const types: ShapeTools['z'] = {
  array: z.array,
  boolean: z.boolean,
  discriminatedUnion: z.discriminatedUnion,
  enum: z.enum,
  int: z.int,
  literal: z.literal,
  number: z.number,
  record: z.record,
  string: z.string,
  union: z.union,
  unknown: z.unknown,
};

const tools: ShapeTools = {
  ...{ z: types, about, closed, FILLED, headerName },
  ...{ inAnyCase, list, named, text, texts, withDefault },
};

export const variable: z.ZodString = variableName(tools);

const kinds = kindShapes(tools);
const fields = schemeFields(tools);
const scheme = strict(fields).meta({
  id: 'scheme',
  description:
    'The secret values for a security scheme of the imported document. The document says which kind it is. Use the name of the scheme as the name of the credential.',
});

/** Without a kind, a field that names a variable or a file is one of a scheme, misspelt. */
function isMisspeltScheme(value: object): boolean {
  return !('kind' in value) && Object.keys(value).every((key) => key in fields || /(?:Env|File)$/.test(key));
}

/** Without `kind` it can only be a security scheme of an imported document; the build reports it if there is none. */
export const credential = chosen<z.ZodType<CredentialDefinition | SchemeDefinition>>([kinds, scheme], (value) =>
  isObject(value) && !Object.keys(value).every((key) => key in fields) && !isMisspeltScheme(value) ? kinds : scheme,
);
