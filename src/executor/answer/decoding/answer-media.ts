// What kind of answer a body is: from its Content-Type, or from its first bytes where the header says nothing.
import { isUtf8 } from 'node:buffer';
import { typeOfBytes } from '../../../endpoint/conventions/file-types.ts';
import { familyOf, type MediaFamily, toEssence } from '../../../endpoint/media-type.ts';
import { remember } from '../../../endpoint/untrusted.ts';

export type Kind = 'json' | 'ndjson' | 'sse' | 'html' | 'text' | 'image' | 'audio' | 'binary';

export interface Media {
  /** Lower case, no parameters; '' when the header is missing or says nothing. */
  readonly essence: string;
  readonly charset: string | undefined;
  /** Undefined: the bytes have to tell. */
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

/** What a body is that no header describes. */
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
