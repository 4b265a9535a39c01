// What kind of answer a body is: from its Content-Type, or from its first bytes where the header says nothing.
import { isUtf8 } from 'node:buffer';
import { familyOf, type MediaFamily, toEssence } from '../../endpoint/media-type.ts';

export type Kind = 'json' | 'ndjson' | 'sse' | 'html' | 'text' | 'image' | 'audio' | 'binary';

export interface Media {
  /** Lower case, no parameters; '' when the header is missing or says nothing. */
  readonly essence: string;
  readonly charset: string | undefined;
  /** Undefined: the bytes have to tell. */
  readonly kind: Kind | undefined;
}

const UNKNOWN: Media = Object.freeze({ essence: '', charset: undefined, kind: undefined });
const remembered = new Map<string, Media>();
/** Servers send a handful of values; one that sends ever new ones must not fill the memory. */
const MAX_REMEMBERED = 256;

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
  const text = typeof header === 'string' ? header : (header[0] ?? '');
  let media = remembered.get(text);
  if (media === undefined) {
    media = parse(text);
    if (remembered.size < MAX_REMEMBERED) remembered.set(text, media);
  }
  return media;
}

function parse(header: string): Media {
  const essence = toEssence(header);
  if (!/^[\w!#$&^.+-]+\/[\w!#$&^.+-]+$/.test(essence)) return UNKNOWN;
  const parameter =
    header.length === essence.length
      ? undefined
      : header
          .split(';')
          .slice(1)
          .findLast((part) => CHARSET.test(part));
  const charset = parameter === undefined ? undefined : CHARSET.exec(parameter)?.[1]?.toLowerCase();
  return { essence, charset, kind: KINDS[familyOf(essence)] };
}

const CHARSET = /^\s*charset\s*=\s*"?([\w:.+-]+)"?\s*$/i;

/** The image type the bytes are in. A body that only claims to be an image breaks the clients that show it. */
export function sniffImage(body: Buffer): string | undefined {
  if (body.length >= 8 && body.readUInt32BE(0) === 0x89504e47) return 'image/png';
  if (body.length >= 3 && body[0] === 0xff && body[1] === 0xd8 && body[2] === 0xff) return 'image/jpeg';
  const head = body.toString('latin1', 0, 12);
  if (head.startsWith('GIF87a') || head.startsWith('GIF89a')) return 'image/gif';
  if (head.startsWith('RIFF') && head.slice(8) === 'WEBP') return 'image/webp';
  return undefined;
}

function sniffAudio(body: Buffer): string | undefined {
  const head = body.toString('latin1', 0, 12);
  if (head.startsWith('RIFF') && head.slice(8) === 'WAVE') return 'audio/wav';
  if (head.startsWith('OggS')) return 'audio/ogg';
  if (head.startsWith('ID3')) return 'audio/mpeg';
  if (head.startsWith('fLaC')) return 'audio/flac';
  return undefined;
}

/** What a body is that no header describes. */
export function sniff(body: Buffer): { kind: Kind; essence: string } {
  const image = sniffImage(body);
  if (image !== undefined) return { kind: 'image', essence: image };
  const audio = sniffAudio(body);
  if (audio !== undefined) return { kind: 'audio', essence: audio };
  const head = body.subarray(0, 1024);
  if (head.includes(0) || head.toString('latin1', 0, 5) === '%PDF-' || !isUtf8(body)) {
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
