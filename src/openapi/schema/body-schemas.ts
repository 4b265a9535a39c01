// What the schema of a body, or of one of its fields, is about: bytes, text, an object, or an object that has required fields.
import { isObject } from '../../endpoint/is-object.ts';
import { listAt, textAt, textsAt } from '../../endpoint/untrusted.ts';
import { isNullable, typesOf, UNIONS } from '../../schema/keywords.ts';
import { kindOf } from '../objects/media-type-object.ts';
import { type DocumentPlace, type Follow, orUndefined, type Resolver } from '../source/resolve.ts';
import type { OneWayProperties } from './one-way-properties.ts';
import { behindRef, dereferencedNode, ignoresRefSiblings, refOf, type SchemaNode } from './schema-refs.ts';
import type { Field } from './schema-shape.ts';

/** `type: string, format: binary` (3.0), or a string with a media type of its own (3.1). */
export function isBytes(schema: DocumentPlace | undefined, resolver: Resolver): boolean {
  return isBytesNode(dereferencedNode(schema, resolver));
}

function isBytesNode(schema: SchemaNode | undefined): boolean {
  if (!schema) return false;
  const { type, format, contentEncoding } = schema.node;
  if (type === 'file' || format === 'binary') return true;
  const media = textAt(schema.node, 'contentMediaType');
  return media !== undefined && contentEncoding === undefined && kindOf(media) === 'binary';
}

export function isText(schema: DocumentPlace | undefined, resolver: Resolver): boolean {
  const target = dereferencedNode(schema, resolver);
  return target !== undefined && typesOf(target.node)[0] === 'string';
}

/** A binary string, an array of binary strings, or a string whose content type (of the Encoding Object) is binary. */
export function isFileField(field: Field, contentType: string | undefined, resolver: Resolver): boolean {
  return field.schemas.some((schema) => {
    const target = dereferencedNode(schema, resolver);
    if (!target || isBytesNode(target)) return target !== undefined;
    const { type, items } = target.node;
    if (type === 'array' && isBytesNode(behindRef(target.document, items, resolver.followAll))) return true;
    const plain = type === 'string' || Object.keys(target.node).length === 0;
    return plain && contentType?.split(',').every((part) => kindOf(part) === 'binary') === true;
  });
}

/** The type is object, or there is no type. */
export function mayBeObject(schema: DocumentPlace, resolver: Resolver): boolean {
  const types = typesOf(dereferencedNode(schema, resolver)?.node ?? {});
  return types.length === 0 || types.includes('object');
}

/**
 * Whether a schema accepts only objects with some required field, or lists of such objects (JSON Patch). A body with such a schema
 * counts as required although the document does not declare it so: generators forget `required: true` (74 of Box's 118 bodies, 34 of
 * Twilio's 62), and a call without arguments would then create an empty record.
 */
export type RequiresFields = (schema: DocumentPlace) => boolean;

/** Schemas visited for one body. Without this limit, nested unions would take 2^n steps. */
const MAX_SCHEMAS = 500;

export function createRequiresFields(follow: Follow, oneWay: OneWayProperties): RequiresFields {
  const check = ({ document, value }: Pick<DocumentPlace, 'document' | 'value'>, budget: { left: number }): boolean => {
    if (!isObject(value) || --budget.left < 0 || isNullable(value)) return false;
    const inner = (schema: unknown) => check({ document, value: schema }, budget);
    const ref = refOf(value);
    if (ref !== undefined) {
      const target = orUndefined(() => follow(document, ref));
      if (target && check(target, budget)) return true;
      if (ignoresRefSiblings(document)) return false;
    }
    const types = typesOf(value);
    // Box writes `required: [items]` beside the items of a list.
    if (types.length === 1 && types[0] === 'array')
      return textsAt(value, 'required').length > 0 || Number(value.minItems) > 0 || inner(value.items);
    // If a list, a string or null is accepted as well, the required fields of an object prove nothing.
    if (types.some((type) => type !== 'object')) return false;
    if (oneWay.requiredNames(document, value, 'request').length > 0) return true;
    if (listAt(value, 'allOf').some(inner)) return true;
    return UNIONS.some((union) => {
      const branches = listAt(value, union);
      return branches.length > 0 && branches.every(inner);
    });
  };
  return (schema) => check(schema, { left: MAX_SCHEMAS });
}
