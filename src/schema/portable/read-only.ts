// Which readOnly fields a caller sees. The API sets them itself, so most are noise in a request. The exceptions are those that
// identify a thing in a nested object (`service: {id, type}`).
import { isObject } from '../../endpoint/is-object.ts';
import type { JsonSchema } from '../../endpoint/model.ts';
import { mapSubschemas, subschemas } from '../keywords.ts';

/** Names of fields that identify a thing. */
const IDENTITY = /^_?(?:id|uu?id|guid|gid|sid|key)$/i;
/** Names of fields that distinguish kinds of things, beside an identity. */
const KIND = /^_?(?:type|kind|(?:object|resource|entity)_?type)$/i;
/** Other names that may identify a thing if there is nothing better. */
const NAMING = /^_?(?:name|slug|code|href|self|url|uri|ref|login|username|email|number)$|(?:[a-z]I[dD]|ID|_id)$/;

export function isKind(name: string): boolean {
  return KIND.test(name);
}

/** Whether all schemas of a field declare that the API sets it. */
export function isReadOnly(schemas: readonly JsonSchema[]): boolean {
  return schemas.length > 0 && schemas.every((schema) => isObject(schema) && schema.readOnly === true);
}

/** Facts about the fields of an object. */
interface Fields {
  readonly names: readonly string[];
  readonly isSetByApi: (name: string) => boolean;
  readonly isRequired: (name: string) => boolean;
  /** Names of the fields that distinguish variants of the object. */
  readonly tags: ReadonlySet<unknown>;
}

/** The field that determines which variant of a union is meant. */
export function tagOf({ discriminator }: { readonly [keyword: string]: unknown }): unknown {
  return isObject(discriminator) ? discriminator.propertyName : undefined;
}

/**
 * The fields a caller needs to see, of an object that is sent as a whole, is part of another, or is an item of a list of
 * things to change: such an item is identified only by its id, even if it has a name, because the name may be what changes.
 */
export function shownNames(fields: Fields, place: 'whole' | 'part' | 'item'): readonly string[] {
  const { names, isSetByApi, isRequired, tags } = fields;
  const extras = names.filter(isSetByApi);
  if (extras.length === 0) return names;
  // With nothing else to fill in, the object is a reference.
  const isReference = extras.length === names.length;
  const isNamed = names.some((name) => isRequired(name) && NAMING.test(name));
  const identifying = new Set<string>();
  if (isReference || place === 'item' || (place === 'part' && !isNamed)) {
    const identities = extras.filter((name) => IDENTITY.test(name));
    const choice = identities.length > 0 || !isReference ? identities : extras.filter((name) => NAMING.test(name));
    for (const name of choice) identifying.add(name);
    if (identifying.size > 0) for (const name of extras) if (isKind(name)) identifying.add(name);
  }
  return names.filter((name) => !isSetByApi(name) || identifying.has(name) || tags.has(name));
}

/** An enforced schema of arguments without fields and comments that callers do not need; `parts` as in `shownNames`. */
export function hideReadOnly(schema: JsonSchema, parts: 'part' | 'item'): JsonSchema {
  const tags = new Set<unknown>();
  noteTags(schema, tags);
  return hide(schema, 'arguments', { parts, tags });
}

/** Variants are definitions, and the union that names their tag refers to them, so tags are collected from everywhere. */
function noteTags(schema: unknown, tags: Set<unknown>): void {
  if (!isObject(schema)) return;
  tags.add(tagOf(schema));
  for (const [, , inner] of subschemas(schema)) noteTags(inner, tags);
}

function hide(
  schema: unknown,
  place: 'arguments' | 'inside',
  hiding: { readonly parts: 'part' | 'item'; readonly tags: ReadonlySet<unknown> },
): JsonSchema {
  if (!isObject(schema)) return schema as JsonSchema;
  const copy = mapSubschemas(schema, (inner) => hide(inner, 'inside', hiding));
  delete copy.$comment;
  const { properties } = copy;
  if (!isObject(properties)) return copy;
  const names = Object.keys(properties);
  const isSetByApi = (name: string) => isReadOnly([properties[name] as JsonSchema]);
  const required = new Set(Array.isArray(copy.required) ? copy.required : []);
  const few =
    place === 'arguments'
      ? names.filter((name) => !isSetByApi(name))
      : shownNames({ names, isSetByApi, isRequired: (name) => required.has(name), tags: hiding.tags }, hiding.parts);
  if (few.length === names.length) return copy;
  const { dependentRequired, ...rest } = copy;
  // What a hidden field requires does not matter.
  const rules = Object.entries(isObject(dependentRequired) ? dependentRequired : {}).filter(
    ([name]) => few.includes(name) || !Object.hasOwn(properties, name),
  );
  return {
    ...rest,
    properties: Object.fromEntries(few.map((name) => [name, properties[name]])),
    ...(rules.length > 0 && { dependentRequired: Object.fromEntries(rules) }),
  };
}
