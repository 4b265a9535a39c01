// What kind of answer a body is: from its Content-Type, or from its first bytes where the header says nothing.
import { isUtf8 } from 'node:buffer';
import { isJsonEssence, toEssence } from '../../endpoint/media-type.ts';

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
  let charset: string | undefined;
  for (const parameter of header.split(';').slice(1)) {
    const match = /^\s*charset\s*=\s*"?([\w:.+-]+)"?\s*$/i.exec(parameter);
    if (match !== null) charset = match[1]?.toLowerCase();
  }
  return { essence, charset, kind: kindOf(essence) };
}

const TEXT_APPLICATIONS =
  /^application\/(xml|yaml|x-yaml|toml|graphql|sql|javascript|ecmascript|x-javascript|x-sh|jwt|pgp-signature|x-www-form-urlencoded|x-pem-file|rtf|xhtml\+xml)$/;

function kindOf(essence: string): Kind | undefined {
  if (isJsonEssence(essence)) return 'json';
  if (/^application\/(x-)?(ndjson|jsonl|json-lines|jsonlines|json-seq|stream\+json)$/.test(essence)) return 'ndjson';
  if (essence === 'text/event-stream') return 'sse';
  if (essence === 'text/html' || essence === 'application/xhtml+xml') return 'html';
  if (essence === 'image/svg+xml' || essence.startsWith('text/') || /\+(xml|yaml|text)$/.test(essence)) return 'text';
  if (TEXT_APPLICATIONS.test(essence)) return 'text';
  if (/^image\/(png|jpe?g|gif|webp)$/.test(essence)) return 'image';
  if (essence.startsWith('audio/')) return 'audio';
  if (/^(image|video|font|model)\//.test(essence)) return 'binary';
  if (/^application\/(octet-stream|pdf|zip|gzip|x-tar|msword|wasm|x-protobuf|protobuf|msgpack|cbor)$/.test(essence)) {
    return 'binary';
  }
  return undefined;
}

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
