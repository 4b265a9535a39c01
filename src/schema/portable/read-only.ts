// Which readOnly fields a caller is shown. The API fills them in itself, so most are noise in a request; the exception are
// those that say which thing is meant, in an object inside another one (`service: {id, type}`).
import { isObject } from '../../endpoint/is-object.ts';
import type { JsonSchema } from '../../endpoint/model.ts';
import { mapSubschemas } from '../keywords.ts';

/** What an API calls a thing by. */
const IDENTITY = /^_?(?:id|uu?id|guid|gid|sid|key)$/i;
/** What it tells kinds of things apart by, beside an identity. */
const KIND = /^_?(?:type|kind|(?:object|resource|entity)_?type)$/i;
/** What else may name a thing where there is no better. */
const NAMING = /^_?(?:name|slug|code|href|self|url|uri|ref|login|username|email|number)$|(?:[a-z]I[dD]|ID|_id)$/;

export function isKind(name: string): boolean {
  return KIND.test(name);
}

/** Whether everything said about a field says that the API fills it in. */
export function isReadOnly(schemas: readonly JsonSchema[]): boolean {
  return schemas.length > 0 && schemas.every((schema) => isObject(schema) && schema.readOnly === true);
}

/** What is known of the fields of an object. */
interface Fields {
  readonly names: readonly string[];
  /** The API fills it in itself. */
  readonly isUnasked: (name: string) => boolean;
  readonly isRequired: (name: string) => boolean;
}

/** The fields a caller needs to see, of an object that is sent as a whole or is part of another. */
export function shownNames(fields: Fields, place: 'whole' | 'part'): readonly string[] {
  const { names, isUnasked, isRequired } = fields;
  const unasked = names.filter(isUnasked);
  if (unasked.length === 0) return names;
  // With nothing else to fill in, the object is a reference.
  const isReference = unasked.length === names.length;
  const isNamed = names.some((name) => isRequired(name) && NAMING.test(name));
  const telling = new Set<string>();
  if (isReference || (place === 'part' && !isNamed)) {
    const identities = unasked.filter((name) => IDENTITY.test(name));
    const choice = identities.length > 0 || !isReference ? identities : unasked.filter((name) => NAMING.test(name));
    for (const name of choice) telling.add(name);
    if (telling.size > 0) for (const name of unasked) if (isKind(name)) telling.add(name);
  }
  return names.filter((name) => !isUnasked(name) || telling.has(name));
}

/** An enforced schema of arguments without the fields and comments nobody needs to see. */
export function hideReadOnly(schema: JsonSchema): JsonSchema {
  return hide(schema, true);
}

function hide(schema: unknown, isArguments: boolean): JsonSchema {
  if (!isObject(schema)) return schema as JsonSchema;
  const shown = mapSubschemas(schema, (inner) => hide(inner, false));
  delete shown.$comment;
  const { properties } = shown;
  if (!isObject(properties)) return shown;
  const names = Object.keys(properties);
  const isUnasked = (name: string) => isReadOnly([properties[name] as JsonSchema]);
  const required = new Set(Array.isArray(shown.required) ? shown.required : []);
  const few = isArguments
    ? names.filter((name) => !isUnasked(name))
    : shownNames({ names, isUnasked, isRequired: (name) => required.has(name) }, 'part');
  if (few.length === names.length) return shown;
  return { ...shown, properties: Object.fromEntries(few.map((name) => [name, properties[name]])) };
}
