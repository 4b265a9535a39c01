// Media Type Object, by its key: how a body of that type is written, and which type is used if a document offers several.
// https://spec.openapis.org/oas/v3.2.0.html#media-type-object
import { familyOf, type MediaFamily, toEssence } from '../../endpoint/media-type.ts';

/** JSON first, because models write it best; then by how much of the schema can be kept. */
const ORDER = ['json', 'merge-patch', 'json-patch', 'form', 'multipart', 'any', 'text', 'binary', 'xml'] as const;

export type MediaKind = (typeof ORDER)[number];

/** How a body of each family is written. Content that a model cannot write as text is sent as a file. */
const KINDS: Readonly<Record<MediaFamily, MediaKind>> = {
  json: 'json',
  json5: 'json',
  'merge-patch': 'merge-patch',
  'json-patch': 'json-patch',
  'json-lines': 'text',
  events: 'text',
  form: 'form',
  multipart: 'multipart',
  html: 'text',
  xml: 'xml',
  svg: 'binary',
  text: 'text',
  image: 'binary',
  audio: 'binary',
  binary: 'binary',
  any: 'any',
  unknown: 'binary',
};

export function kindOf(mediaType: string): MediaKind {
  return KINDS[familyOf(mediaType)];
}

export function isJsonType(mediaType: string): boolean {
  const kind = kindOf(mediaType);
  return kind === 'json' || kind === 'merge-patch' || kind === 'json-patch';
}

/** The media type of the request; `application/json` itself before `application/*+json`, then the document's order. */
export function chooseMediaType(
  mediaTypes: readonly string[],
  hasFiles: (mediaType: string) => boolean,
): string | undefined {
  let best: string | undefined;
  let bestRank = Number.POSITIVE_INFINITY;
  for (const mediaType of mediaTypes) {
    const kind = kindOf(mediaType);
    let rank = ORDER.indexOf(kind) * 4;
    if (kind === 'json') rank += toEssence(mediaType) === 'application/json' ? 0 : mediaType.includes('*') ? 2 : 1;
    // A file does not fit into a urlencoded form.
    if (kind === 'multipart' && hasFiles(mediaType)) rank = ORDER.indexOf('form') * 4 - 1;
    if (rank >= bestRank) continue;
    best = mediaType;
    bestRank = rank;
  }
  return best;
}
