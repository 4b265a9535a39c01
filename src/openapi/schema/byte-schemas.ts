// Which schemas mean bytes rather than text.

import { textAt } from '../../endpoint/untrusted.ts';
import { typesOf } from '../../schema/keywords.ts';
import { kindOf } from '../objects/media-type-object.ts';
import type { Place, Resolver } from '../source/resolve.ts';
import { behindRef, nodeBehind, type SchemaNode } from './schema-refs.ts';
import type { Field } from './schema-shape.ts';

/** `type: string, format: binary` (3.0), or a string with a media type of its own (3.1). */
export function isBytes(schema: Place | undefined, resolver: Resolver): boolean {
  return saysBytes(nodeBehind(schema, resolver));
}

function saysBytes(schema: SchemaNode | undefined): boolean {
  if (!schema) return false;
  const { type, format, contentEncoding } = schema.node;
  if (type === 'file' || format === 'binary') return true;
  const media = textAt(schema.node, 'contentMediaType');
  return media !== undefined && contentEncoding === undefined && kindOf(media) === 'binary';
}

export function isText(schema: Place | undefined, resolver: Resolver): boolean {
  const target = nodeBehind(schema, resolver);
  return target !== undefined && typesOf(target.node)[0] === 'string';
}

/** A binary string, an array of them, or a string whose part is declared as bytes. */
export function isFile(field: Field, contentType: string | undefined, resolver: Resolver): boolean {
  return field.schemas.some((schema) => {
    const target = nodeBehind(schema, resolver);
    if (!target || saysBytes(target)) return target !== undefined;
    const { type, items } = target.node;
    if (type === 'array' && saysBytes(behindRef(target.document, items, resolver.followAll))) return true;
    const plain = type === 'string' || Object.keys(target.node).length === 0;
    return plain && contentType?.split(',').every((part) => kindOf(part) === 'binary') === true;
  });
}

/** Says that it is an object, or nothing about its type. */
export function mayBeObject(schema: Place, resolver: Resolver): boolean {
  const types = typesOf(nodeBehind(schema, resolver)?.node ?? {});
  return types.length === 0 || types.includes('object');
}
