// File arguments → bytes. A file comes as base64 or as text, never as a path: the gateway opens no local file.
import { typeOfBytes, typeOfName } from '../../endpoint/conventions/file-types.ts';
import { isObject } from '../../endpoint/is-object.ts';
import { toEssence } from '../../endpoint/media-type.ts';
import { remember } from '../../endpoint/untrusted.ts';
import { checkHeaderValue, Unsendable, wellFormed } from '../../endpoint/wire-text.ts';

/** For text that was trimmed at its end: two adjacent `\s*` would backtrack over every way to split the blanks. */
const BASE64 = /^[A-Za-z0-9+/_\-\s]*={0,2}$/;
const DATA_URI = /^data:([^;,]*)(?:;[^;,]*)*?;base64,/i;
const MEDIA_TYPE = /^[\w!#$&^.+-]+\/[\w!#$&^.+-]+(?:\s*;\s*[\w!#$&^.+-]+=(?:[\w!#$&^.+-]+|"[^"\\\r\n]*"))*$/;

interface FileFields {
  readonly filename?: unknown;
  readonly mimeType?: unknown;
  readonly base64?: unknown;
  readonly text?: unknown;
}

export function isFileArgument(value: unknown): value is FileFields {
  return isObject(value) && (typeof value.base64 === 'string' || typeof value.text === 'string');
}

/** The bytes of a file argument; a bare string is its text. */
export function bytesOf(value: unknown): Buffer {
  if (typeof value === 'string') return Buffer.from(wellFormed(value));
  if (!isFileArgument(value)) throw new Unsendable('must be a file: {"base64": "…"} or {"text": "…"}');
  if (typeof value.base64 !== 'string') return Buffer.from(wellFormed(value.text as string));
  const base64 = value.base64.replace(DATA_URI, '').trimEnd();
  if (!BASE64.test(base64))
    throw new Unsendable('has a `base64` that is not valid base64; send plain text as `text` instead');
  return Buffer.from(base64, 'base64');
}

/**
 * The file's own `mimeType`, else that of its data URI. Else, of the types that `accept` lists (several, or ranges, as documents write
 * them), the one that its name or its content shows.
 */
export function mediaTypeOf(value: unknown, accept: string | undefined): string {
  const own = isFileArgument(value) ? ownType(value) : undefined;
  if (own === undefined) return chooseType(accept, value);
  if (!MEDIA_TYPE.test(own))
    throw new Unsendable('has a `mimeType` that is not a media type; send one like "image/png"');
  return own;
}

function ownType({ mimeType, base64 }: FileFields): string | undefined {
  const type =
    typeof mimeType === 'string'
      ? mimeType.trim()
      : typeof base64 === 'string'
        ? DATA_URI.exec(base64.slice(0, MAX_URI_HEAD))?.[1]
        : undefined;
  return type === '' ? undefined : type;
}

const MAX_URI_HEAD = 1_000;

function chooseType(accept: string | undefined, value: unknown): string {
  const types = accept === undefined ? [] : splitTypes(accept);
  const concrete = types.find((type) => !type.includes('*'));
  // One type, as most documents have it: nothing to choose.
  if (types.length === 1 && concrete !== undefined) return concrete;
  const actual = detectType(value);
  if (actual !== undefined && (types.length === 0 || types.some((type) => isWithin(actual, type)))) return actual;
  return concrete ?? actual ?? 'application/octet-stream';
}

const splitTypes = remember(200, (list) =>
  list
    .split(',')
    .map((type) => type.trim())
    .filter((type) => type !== '' && checkHeaderValue(type) !== ''),
);

/** `image/*` and `*\/*` are ranges. */
function isWithin(type: string, range: string): boolean {
  const [ours, theirs] = [toEssence(type), toEssence(range)];
  return theirs === '*/*' || ours === theirs || (theirs.endsWith('/*') && ours.startsWith(theirs.slice(0, -1)));
}

/** By the name, else by the first bytes. A file given as text has a text type if nothing else is found. */
function detectType(value: unknown): string | undefined {
  const byName = typeOfName(filenameOf(value) ?? '');
  if (byName !== undefined) return byName;
  const text =
    typeof value === 'string'
      ? value
      : isFileArgument(value) && typeof value.base64 !== 'string'
        ? value.text
        : undefined;
  if (typeof text === 'string') return /^[\x00-\x7f]*$/.test(text) ? 'text/plain' : 'text/plain; charset=utf-8';
  return typeOfBytes(bytesOf(value));
}

export function filenameOf(value: unknown): string | undefined {
  return isFileArgument(value) && typeof value.filename === 'string' && value.filename !== ''
    ? value.filename
    : undefined;
}
