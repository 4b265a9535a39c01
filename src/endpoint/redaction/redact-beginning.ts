// A text that was cut may end in the middle of a secret, which redact() does not recognise. If a text ends with the beginning of a
// secret, that is removed as well: plain, inside base64, and with any escaping of its letters.
import { decodeEscapes, escapesFor } from './escapes.ts';
import { MAX_LAYERS, MIN_LENGTH, needlesOf, REPLACEMENT, type Redactor } from './redact.ts';

/** A letter takes up to so many characters to write, as `&amp;#x00041;`; a secret with tags between its letters more. */
const MAX_SPELLING = 16;
const MAX_TAG = 500;
/** An escape or a tag of which the rest is missing: `\u00`, `%4`, `&#6`, `<b cl`, half a character. */
const INCOMPLETE =
  /(?:\\{1,64}(?:u\{[\da-f]{0,8}|u[\da-f]{0,3}|x[\da-f]?)?|%(?:25){0,3}[\da-f]?|&[a-z\d#;]{0,20}|<[^<>]{0,497}|\ufffd)$/i;

/** Redacts a text of which the end is missing. */
export function redactBeginning(redact: Redactor, beginning: string): string {
  const text = redact(beginning);
  const needles = needlesOf(redact.secrets());
  if (needles.length === 0) return text;
  const offset = Math.max(0, text.length - needles[0]!.length * MAX_SPELLING - MAX_TAG);
  const at = startOfSecret(text.slice(offset), needles);
  return at === undefined ? text : text.slice(0, offset + at) + REPLACEMENT;
}

/** Where the first secret starts that continues past the end of the text. */
function startOfSecret(text: string, needles: readonly string[]): number | undefined {
  let first = text.length;
  const visits = new Set<string>();
  const escapes = escapesFor(needles);
  const search = (layer: string, origins: Uint32Array | undefined, depth: number, isWhole = false): void => {
    if (visits.has(layer)) return;
    visits.add(layer);
    const length = needles.reduce((most, needle) => Math.max(most, overlap(layer, needle)), 0);
    const at = layer.length - length;
    if (length > 0) first = Math.min(first, origins?.[at] ?? at);
    // An escape that looks incomplete may be plain text: `&amp` and `\x4` are read both ways.
    const end = isWhole ? layer.length : endOfWhole(layer);
    if (end < layer.length) search(layer.slice(0, end), origins, depth, true);
    if (depth === MAX_LAYERS || !escapes.test(layer)) return;
    for (const tags of ['out', 'kept'] as const) {
      const { text: inner, starts, hadTags } = decodeEscapes(layer, tags, origins);
      search(inner, starts, depth + 1);
      if (!hadTags) return;
    }
  };
  search(text, undefined, 0);
  return first < text.length ? first : undefined;
}

function endOfWhole(text: string): number {
  const tail = text.slice(-MAX_TAG);
  const match = INCOMPLETE.exec(tail);
  return match === null ? text.length : text.length - tail.length + match.index;
}

/** How many characters at the end are the beginning of the needle; 0 where too few to tell. In linear time (KMP). */
function overlap(text: string, needle: string): number {
  const tail = text.slice(1 - needle.length);
  const from = tail.indexOf(needle.slice(0, MIN_LENGTH));
  if (from < 0) return 0;
  // borders[n]: how long the beginning of the needle is that its first n + 1 characters end with.
  const borders = new Uint32Array(needle.length);
  for (let at = 1, length = 0; at < needle.length; at++) {
    while (length > 0 && needle[at] !== needle[length]) length = borders[length - 1]!;
    if (needle[at] === needle[length]) length++;
    borders[at] = length;
  }
  let length = 0;
  for (let at = from; at < tail.length; at++) {
    while (length > 0 && tail[at] !== needle[length]) length = borders[length - 1]!;
    if (tail[at] === needle[length]) length++;
  }
  return length < MIN_LENGTH ? 0 : length;
}
