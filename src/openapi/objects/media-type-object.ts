// Media types: what they are, and which one is used when a document offers several.
import { isJsonEssence, toEssence } from '../../endpoint/media-type.ts';

export type MediaKind =
  | 'json'
  | 'merge-patch'
  | 'json-patch'
  | 'form'
  | 'multipart'
  | 'text'
  | 'xml'
  | 'binary'
  | 'any';

const kinds = new Map<string, MediaKind>();
const MAX_KINDS = 500;

/** Documents repeat a handful of types thousands of times. */
export function kindOf(mediaType: string): MediaKind {
  let kind = kinds.get(mediaType);
  if (kind === undefined) {
    kind = readKind(mediaType);
    if (kinds.size < MAX_KINDS) kinds.set(mediaType, kind);
  }
  return kind;
}

function readKind(mediaType: string): MediaKind {
  const type = toEssence(mediaType);
  if (type === '*/*' || type === '' || type === 'application/*') return 'any';
  if (type.endsWith('merge-patch+json')) return 'merge-patch';
  if (type === 'application/json-patch+json') return 'json-patch';
  if (isJsonEssence(type) || type === 'application/json5') return 'json';
  if (type === 'application/x-www-form-urlencoded') return 'form';
  if (type.startsWith('multipart/')) return 'multipart';
  if (/[/+]xml$/.test(type) && type !== 'image/svg+xml') return 'xml';
  if (
    type.startsWith('text/') ||
    /[/+]ya?ml$/.test(type) ||
    /[/.-](?:ya?ml|csv|graphql|javascript|sql|jsonl|ndjson|x-ndjson|json-seq|jsonlines)$/.test(type)
  )
    return 'text';
  return 'binary';
}

export function isJson(mediaType: string): boolean {
  const kind = kindOf(mediaType);
  return kind === 'json' || kind === 'merge-patch' || kind === 'json-patch';
}

/** JSON comes first because it is what a model writes best; the rest by how much of the schema survives. */
const ORDER: readonly MediaKind[] = [
  'json',
  'merge-patch',
  'json-patch',
  'form',
  'multipart',
  'any',
  'text',
  'binary',
  'xml',
];

/** The request media type to use; `application/json` itself before its relatives, then the document's order. */
export function chooseMediaType(
  offered: readonly string[],
  hasFiles: (mediaType: string) => boolean,
): string | undefined {
  let best: string | undefined;
  let bestRank = Number.POSITIVE_INFINITY;
  for (const mediaType of offered) {
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
