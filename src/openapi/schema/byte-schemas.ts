// Which schemas mean bytes rather than text.

import { textAt } from '../../endpoint/untrusted.ts';
import { typesOf } from '../../schema/keywords.ts';
import { kindOf } from '../objects/media-type-object.ts';
import type { SourceDocument } from '../source/documents.ts';
import type { Place, Resolver } from '../source/resolve.ts';
import { type Field, nodeBehind } from './schema-shape.ts';

/** `type: string, format: binary` (3.0), or a string with a media type of its own (3.1). */
export function isBytes(document: SourceDocument, schema: unknown, resolver: Resolver): boolean {
  const target = nodeBehind(document, schema, resolver);
  if (!target) return false;
  const { node } = target;
  if (node.type === 'file' || node.format === 'binary') return true;
  const media = textAt(node, 'contentMediaType');
  return media !== undefined && node.contentEncoding === undefined && kindOf(media) === 'binary';
}

export function isText(document: SourceDocument, schema: unknown, resolver: Resolver): boolean {
  const target = nodeBehind(document, schema, resolver);
  return target !== undefined && typesOf(target.node)[0] === 'string';
}

/** A binary string, an array of them, or a string whose part is declared as bytes. */
export function isFile(field: Field, contentType: string | undefined, resolver: Resolver): boolean {
  for (const { document, value } of field.schemas) {
    if (isBytes(document, value, resolver)) return true;
    const target = nodeBehind(document, value, resolver);
    if (!target) continue;
    if (target.node.type === 'array' && isBytes(target.document, target.node.items, resolver)) return true;
    const plain =
      target.node.type === 'string' || (target.node.type === undefined && Object.keys(target.node).length === 0);
    if (plain && contentType?.split(',').every((type) => kindOf(type) === 'binary')) return true;
  }
  return false;
}

/** Says that it is an object, or nothing about its type. */
export function mayBeObject({ document, value }: Place, resolver: Resolver): boolean {
  const target = nodeBehind(document, value, resolver);
  const types = target ? typesOf(target.node) : [];
  return types.length === 0 || types.includes('object');
}
