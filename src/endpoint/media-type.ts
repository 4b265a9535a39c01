// Media types as headers and documents write them: the one place that knows what they mean. Requests and answers each say
// what they do with a family.

export type MediaFamily =
  | 'json'
  | 'json5'
  | 'merge-patch'
  | 'json-patch'
  | 'json-lines'
  | 'events'
  | 'form'
  | 'multipart'
  | 'html'
  | 'xml'
  | 'svg'
  | 'text'
  | 'image'
  | 'audio'
  | 'binary'
  | 'any'
  | 'unknown';

/** Without parameters, lower case. */
export function toEssence(mediaType: string): string {
  return mediaType.split(';', 1)[0]!.trim().toLowerCase();
}

const families = new Map<string, MediaFamily>();
/** Documents and servers repeat a handful of types; one that sends ever new ones must not fill the memory. */
const MAX_FAMILIES = 500;

/** The family of a media type; ranges count as what they range over. */
export function familyOf(mediaType: string): MediaFamily {
  let family = families.get(mediaType);
  if (family === undefined) {
    family = classify(toEssence(mediaType));
    if (families.size < MAX_FAMILIES) families.set(mediaType, family);
  }
  return family;
}

const TEXT_APPLICATION =
  /^application\/(?:toml|x-sh|jwt|pgp-signature|x-pem-file|rtf|ecmascript)$|[/.-](?:ya?ml|csv|graphql|javascript|sql)$|\+(?:ya?ml|text)$/;
const LINES = /[/.-](?:jsonl|ndjson|json-lines|jsonlines|json-seq)$|\/stream\+json$/;
const BINARY =
  /^(?:image|video|font|model)\/|^application\/(?:octet-stream|pdf|zip|gzip|x-tar|msword|wasm|x-protobuf|protobuf|msgpack|cbor)$/;

function classify(essence: string): MediaFamily {
  if (essence === '*/*' || essence === '' || essence === 'application/*') return 'any';
  if (essence.endsWith('merge-patch+json')) return 'merge-patch';
  if (essence === 'application/json-patch+json') return 'json-patch';
  if (essence === 'application/json5') return 'json5';
  if (LINES.test(essence)) return 'json-lines';
  // JSON itself and every type built on it (RFC 6839).
  if (essence.endsWith('/json') || essence.endsWith('+json')) return 'json';
  if (essence === 'text/event-stream') return 'events';
  if (essence === 'application/x-www-form-urlencoded') return 'form';
  if (essence.startsWith('multipart/')) return 'multipart';
  if (essence === 'text/html' || essence === 'application/xhtml+xml') return 'html';
  if (essence === 'image/svg+xml') return 'svg';
  if (/[/+]xml$/.test(essence)) return 'xml';
  if (essence.startsWith('text/') || TEXT_APPLICATION.test(essence)) return 'text';
  if (/^image\/(?:png|jpe?g|gif|webp)$/.test(essence)) return 'image';
  if (essence.startsWith('audio/')) return 'audio';
  return BINARY.test(essence) ? 'binary' : 'unknown';
}
