// Encoding Object: how each field of a form or multipart body is written, and which of them are files.
// https://spec.openapis.org/oas/v3.2.0.html#encoding-object

import { HEADER_NAME, HEADER_VALUE } from '../../endpoint/headers/header-names.ts';
import type { ParameterStyle, PartEncoding } from '../../endpoint/model.ts';
import { type Node, nodeAt, own, textAt } from '../../endpoint/untrusted.ts';
import { isFile } from '../schema/byte-schemas.ts';
import type { Field } from '../schema/schema-shape.ts';
import type { Resolver } from '../source/resolve.ts';

const FORM_STYLES = new Set<string>(['form', 'spaceDelimited', 'pipeDelimited', 'deepObject']);

/** Undefined where every field is written the default way. */
export function encodingsOf(
  fields: readonly Field[],
  declaration: Node | undefined,
  kind: 'form' | 'multipart',
  resolver: Resolver,
): Record<string, PartEncoding> | undefined {
  let encodings: Record<string, PartEncoding> | undefined;
  for (const field of fields) {
    const part = encodingOf(field, nodeAt(declaration, field.name), kind, resolver);
    if (!part) continue;
    encodings ??= Object.create(null) as Record<string, PartEncoding>;
    encodings[field.name] = part;
  }
  return encodings;
}

function encodingOf(
  field: Field,
  declaration: Node | undefined,
  kind: 'form' | 'multipart',
  resolver: Resolver,
): PartEncoding | undefined {
  const contentType = textAt(declaration, 'contentType');
  const style = textAt(declaration, 'style');
  const headers = fixedHeaders(declaration);
  const file = kind === 'multipart' && isFile(field, contentType, resolver);
  const part: PartEncoding = {
    // Several types or a range: the file's own type decides.
    ...(contentType !== undefined && !/[,*]/.test(contentType) ? { contentType } : {}),
    ...(style !== undefined && FORM_STYLES.has(style) ? { style: style as ParameterStyle } : {}),
    ...(typeof declaration?.explode === 'boolean' ? { explode: declaration.explode } : {}),
    ...(declaration?.allowReserved === true ? { allowReserved: true } : {}),
    ...(headers ? { headers } : {}),
    ...(file ? { file: true } : {}),
  };
  return Object.keys(part).length > 0 ? part : undefined;
}

/** Headers of a part whose value the document fixes; others have no argument to come from. */
function fixedHeaders(declaration: Node | undefined): Record<string, string> | undefined {
  const headers = nodeAt(declaration, 'headers');
  if (!headers) return undefined;
  const out: Record<string, string> = Object.create(null);
  for (const name of Object.keys(headers)) {
    const schema = nodeAt(headers[name], 'schema');
    const list = own(schema, 'enum');
    const value =
      own(schema, 'const') ??
      own(schema, 'default') ??
      (Array.isArray(list) && list.length === 1 ? list[0] : undefined);
    const safe = HEADER_NAME.test(name) && name.toLowerCase() !== 'content-type';
    if (safe && (typeof value === 'string' || typeof value === 'number') && HEADER_VALUE.test(String(value)))
      out[name] = String(value);
  }
  return Object.keys(out).length > 0 ? out : undefined;
}
