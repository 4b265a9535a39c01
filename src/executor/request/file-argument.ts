// File arguments → bytes. A file comes as base64 or as text, never as a path: the gateway opens no local file.
import { isObject } from '../../endpoint/is-object.ts';
import { Unsendable, wellFormed } from './wire-text.ts';

/** Of text without blanks at its end: two adjacent `\s*` would try every way to share them. */
const BASE64 = /^[A-Za-z0-9+/_\-\s]*={0,2}$/;
const DATA_URI = /^data:([^;,]*)(?:;[^;,]*)*?;base64,/i;
const MEDIA_TYPE = /^[\w!#$&^.+-]+\/[\w!#$&^.+-]+(?:\s*;\s*[\w!#$&^.+-]+=(?:[\w!#$&^.+-]+|"[^"\\\r\n]*"))*$/;

interface FileFields {
  readonly filename?: unknown;
  readonly mimeType?: unknown;
  readonly base64?: unknown;
  readonly text?: unknown;
}

export function isFile(value: unknown): value is FileFields {
  return isObject(value) && (typeof value.base64 === 'string' || typeof value.text === 'string');
}

/** The bytes of a file argument; a bare string is its text. */
export function bytesOf(value: unknown): Buffer {
  if (typeof value === 'string') return Buffer.from(wellFormed(value));
  if (!isFile(value)) throw new Unsendable('must be a file: {"base64": "…"} or {"text": "…"}');
  if (typeof value.base64 !== 'string') return Buffer.from(wellFormed(value.text as string));
  const base64 = value.base64.replace(DATA_URI, '').trimEnd();
  if (!BASE64.test(base64))
    throw new Unsendable('holds `base64` that is not base64; send plain text as `text` instead');
  return Buffer.from(base64, 'base64');
}

/** What the file says it is, else what its data URI says, else the fallback. */
export function mediaTypeOf(value: unknown, fallback: string): string {
  if (!isFile(value)) return fallback;
  const mediaType =
    typeof value.mimeType === 'string'
      ? value.mimeType.trim()
      : typeof value.base64 === 'string'
        ? DATA_URI.exec(value.base64)?.[1]
        : undefined;
  if (mediaType === undefined || mediaType === '') return fallback;
  if (!MEDIA_TYPE.test(mediaType))
    throw new Unsendable('has a `mimeType` that is no media type; send one like "image/png"');
  return mediaType;
}

export function filenameOf(value: unknown): string | undefined {
  return isFile(value) && typeof value.filename === 'string' && value.filename !== '' ? value.filename : undefined;
}
