// Media types as headers and documents write them: which family each belongs to. Requests and answers decide what
// they do with a family.
import { remember } from './untrusted.ts';

/** The types of each family. The first match counts. */
const FAMILIES = [
  ['any', /^(?:\*\/\*|application\/\*)?$/],
  ['merge-patch', /merge-patch\+json$/],
  ['json-patch', /^application\/json-patch\+json$/],
  ['json5', /^application\/json5$/],
  ['json-lines', /[/.-](?:jsonl|ndjson|json-lines|jsonlines|json-seq)$|\/stream\+json$/],
  // JSON itself and every type built on it (RFC 6839).
  ['json', /[/+]json$/],
  ['events', /^text\/event-stream$/],
  ['form', /^application\/x-www-form-urlencoded$/],
  ['multipart', /^multipart\//],
  ['html', /^(?:text\/html|application\/xhtml\+xml)$/],
  ['svg', /^image\/svg\+xml$/],
  ['xml', /[/+]xml$/],
  ['text', /^text\/|^application\/(?:toml|x-sh|jwt|pgp-signature|x-pem-file|rtf|ecmascript)$/],
  ['text', /[/.-](?:ya?ml|csv|graphql|javascript|sql)$|\+(?:ya?ml|text)$/],
  ['image', /^image\/(?:png|jpe?g|gif|webp)$/],
  ['audio', /^audio\//],
  ['binary', /^(?:image|video|font|model)\//],
  ['binary', /^application\/(?:octet-stream|pdf|zip|gzip|x-tar|msword|wasm|x-protobuf|protobuf|msgpack|cbor)$/],
] as const;

export type MediaFamily = (typeof FAMILIES)[number][0] | 'unknown';

/** Without parameters, lower case. */
export function toEssence(mediaType: string): string {
  return mediaType.split(';', 1)[0]!.trim().toLowerCase();
}

/** The family of a media type; a range belongs to the family of its types. Documents and servers repeat a handful of types. */
export const familyOf = remember(500, (mediaType): MediaFamily => {
  const essence = toEssence(mediaType);
  return FAMILIES.find(([, types]) => types.test(essence))?.[0] ?? 'unknown';
});
