// Determines the kind of an answer from its Content-Type, or from its first bytes if the header does not help, and
// decodes its text by charset.
import { isUtf8 } from 'node:buffer';
import { typeOfBytes } from '../../../endpoint/conventions/file-types.ts';
import { familyOf, type MediaFamily, toEssence } from '../../../endpoint/media-type.ts';
import { remember } from '../../../endpoint/untrusted.ts';

export type Kind = 'json' | 'ndjson' | 'sse' | 'html' | 'text' | 'image' | 'audio' | 'binary';

export interface Media {
  /** Lower case, no parameters; '' when the header is missing or says nothing. */
  readonly essence: string;
  readonly charset: string | undefined;
  /** Undefined: the first bytes decide. */
  readonly kind: Kind | undefined;
}

const UNKNOWN: Media = Object.freeze({ essence: '', charset: undefined, kind: undefined });

/** How an answer of each family is decoded; families left out are decided by the bytes. */
const KINDS: Readonly<Partial<Record<MediaFamily, Kind>>> = {
  json: 'json',
  'merge-patch': 'json',
  'json-patch': 'json',
  'json-lines': 'ndjson',
  events: 'sse',
  html: 'html',
  xml: 'text',
  svg: 'text',
  text: 'text',
  form: 'text',
  image: 'image',
  audio: 'audio',
  binary: 'binary',
};

export function parseMediaType(header: string | readonly string[] | undefined): Media {
  if (header === undefined) return UNKNOWN;
  return parse(typeof header === 'string' ? header : (header[0] ?? ''));
}

const parse = remember(256, (header): Media => {
  const essence = toEssence(header);
  if (!/^[\w!#$&^.+-]+\/[\w!#$&^.+-]+$/.test(essence)) return UNKNOWN;
  const [, ...parameters] = header.split(';');
  const charset = CHARSET.exec(parameters.findLast((parameter) => CHARSET.test(parameter)) ?? '')?.[1];
  return { essence, charset: charset?.toLowerCase(), kind: KINDS[familyOf(essence)] };
});

const CHARSET = /^\s*charset\s*=\s*"?([\w:.+-]+)"?\s*$/i;

/** The kind of a body that no header describes. */
export function sniff(body: Buffer): { kind: Kind; essence: string } {
  const type = typeOfBytes(body);
  if (type !== undefined) return { kind: KINDS[familyOf(type)] ?? 'binary', essence: type };
  const head = body.subarray(0, 1024);
  if (head.includes(0) || !isUtf8(body)) {
    return { kind: 'binary', essence: 'application/octet-stream' };
  }
  const start = head
    .toString('utf8')
    .replace(/^\ufeff/, '')
    .trimStart();
  if (start[0] === '{' || start[0] === '[') return { kind: 'json', essence: 'application/json' };
  if (/^<(!doctype\s+html|html[\s>])/i.test(start)) return { kind: 'html', essence: 'text/html' };
  return { kind: 'text', essence: 'text/plain' };
}

// WHATWG reads both labels as windows-1252; Node 20's TextDecoder gets these 32 wrong.
const WINDOWS_1252 = [
  ...'\u20ac\u0081\u201a\u0192\u201e\u2026\u2020\u2021\u02c6\u2030\u0160\u2039\u0152\u008d\u017d\u008f',
  ...'\u0090\u2018\u2019\u201c\u201d\u2022\u2013\u2014\u02dc\u2122\u0161\u203a\u0153\u009d\u017e\u0178',
];

/** Decodes by the declared charset; as UTF-8 if there is none, or an unknown one. */
export function decodeCharset(body: Buffer, charset: string | undefined): string {
  if (charset === undefined || isUtf8Label(charset)) {
    const text = body.toString('utf8');
    return text.charCodeAt(0) === 0xfeff ? text.slice(1) : text;
  }
  if (/^(windows-1252|cp1252|iso-?8859-1|latin-?1)$/.test(charset)) {
    return body.toString('latin1').replace(/[\x80-\x9f]/g, (c1) => WINDOWS_1252[c1.charCodeAt(0) - 0x80] as string);
  }
  try {
    return new TextDecoder(charset).decode(body);
  } catch {
    return body.toString('utf8');
  }
}

export function isUtf8Label(charset: string | undefined): boolean {
  return charset === undefined || charset === 'utf-8' || charset === 'utf8' || charset === 'us-ascii';
}
