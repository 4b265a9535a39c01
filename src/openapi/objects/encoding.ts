// Encoding Object: how each field of a form or multipart body is written, and which of them are files.
// https://spec.openapis.org/oas/v3.2.0.html#encoding-object
import { HEADER_NAME, HEADER_VALUE } from '../../endpoint/headers/header-names.ts';
import type { PartEncoding } from '../../endpoint/model.ts';
import { emptyMap, listAt, type Node, nodeAt, omitUndefined, own, textAt } from '../../endpoint/untrusted.ts';
import { isFileField } from '../schema/body-schemas.ts';
import type { Field } from '../schema/schema-shape.ts';
import type { Resolver } from '../source/resolve.ts';

const FORM_STYLES = ['form', 'spaceDelimited', 'pipeDelimited', 'deepObject'] as const;

/** Undefined if every field is written in the default way. `media`: the Media Type Object. */
export function encodingsOf(
  fields: readonly Field[],
  media: unknown,
  kind: 'form' | 'multipart',
  resolver: Resolver,
): Record<string, PartEncoding> | undefined {
  const encodings = emptyMap<PartEncoding>();
  for (const field of fields) {
    const part = encodingOf(field, nodeAt(nodeAt(media, 'encoding'), field.name) ?? {}, kind, resolver);
    if (Object.keys(part).length > 0) encodings[field.name] = part;
  }
  return Object.keys(encodings).length > 0 ? encodings : undefined;
}

function encodingOf(field: Field, encoding: Node, kind: 'form' | 'multipart', resolver: Resolver): PartEncoding {
  const contentType = textAt(encoding, 'contentType');
  const { style, explode } = encoding;
  const isUpload = kind === 'multipart' && isFileField(field, contentType, resolver);
  return omitUndefined<PartEncoding>({
    // With several types or a range, the type of the file itself is used.
    contentType: contentType !== undefined && (isUpload || !/[,*]/.test(contentType)) ? contentType : undefined,
    style: FORM_STYLES.find((name) => name === style),
    explode: typeof explode === 'boolean' ? explode : undefined,
    allowReserved: encoding.allowReserved === true || undefined,
    headers: fixedHeaders(encoding),
    file: isUpload || undefined,
  });
}

/** Headers of a part with a fixed value in the document; for others there is no argument. */
function fixedHeaders(encoding: Node): Record<string, string> | undefined {
  const headers = nodeAt(encoding, 'headers') ?? {};
  const out = emptyMap<string>();
  for (const name of Object.keys(headers)) {
    const schema = nodeAt(headers[name], 'schema');
    const list = listAt(schema, 'enum');
    const value = own(schema, 'const') ?? own(schema, 'default') ?? (list.length === 1 ? list[0] : undefined);
    const safe = HEADER_NAME.test(name) && name.toLowerCase() !== 'content-type';
    if (safe && (typeof value === 'string' || typeof value === 'number') && HEADER_VALUE.test(String(value)))
      out[name] = String(value);
  }
  return Object.keys(out).length > 0 ? out : undefined;
}
