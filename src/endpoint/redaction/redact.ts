// Removes known secrets from texts that leave the gateway, also from texts that were cut: as they are, inside base64, and however their
// letters are escaped.
import { decodeEscapes, escapesFor } from './escapes.ts';

export interface Redactor {
  (text: string): string;
  /** For secrets that appear at run time and expire: access tokens. */
  addSecret(value: string): void;
  /** For secrets of the configuration that become known later; unlike added ones they are never dropped. */
  keepSecret(value: string): void;
  /** All that it removes, for a redactor in another thread. */
  secrets(): readonly string[];
}

export const REPLACEMENT = '[redacted]';
/** Shorter values would remove ordinary words from every text. */
const MIN_LENGTH = 4;
/** A shorter run of base64 appears by chance. */
const MIN_BASE64_LENGTH = 8;
/** Limit of secrets added at run time, such as tokens; the oldest are dropped. */
const MAX_ADDED = 64;
/** An escape inside an escape inside an escape: `%26%23x41%3B`. */
const MAX_LAYERS = 3;
/** A letter takes up to so many characters to write, as `&amp;#x00041;`; a secret with tags between its letters more. */
const MAX_SPELLING = 16;
const MAX_TAG = 500;
/** An escape or a tag of which the rest is missing: `\u00`, `%4`, `&#6`, `<b cl`, half a character. */
const INCOMPLETE =
  /(?:\\{1,64}(?:u\{[\da-f]{0,8}|u[\da-f]{0,3}|x[\da-f]?)?|%(?:25){0,3}[\da-f]?|&[a-z\d#;]{0,20}|<[^<>]{0,497}|\ufffd)$/i;

export function createRedactor(secrets: readonly string[]): Redactor {
  const permanent = new Set(secrets.filter((value) => value.length >= MIN_LENGTH));
  const additions = new Set<string>();
  let needles: readonly string[] = [];
  let escapes = escapesFor(needles);
  const rebuild = () => {
    needles = needlesOf([...permanent, ...additions]);
    escapes = escapesFor(needles);
  };
  rebuild();

  const redact = (text: string): string => {
    if (needles.length === 0) return text;
    let out = text;
    for (const needle of needles) if (out.includes(needle)) out = out.replaceAll(needle, REPLACEMENT);
    return escapes.test(out) ? redactEscaped(out, needles, escapes) : out;
  };
  return Object.assign(redact, {
    addSecret(value: string) {
      if (value.length < MIN_LENGTH || permanent.has(value)) return;
      // Used again, so it becomes the newest.
      if (additions.delete(value)) {
        additions.add(value);
        return;
      }
      if (additions.size >= MAX_ADDED) additions.delete(additions.values().next().value as string);
      additions.add(value);
      rebuild();
    },
    keepSecret(value: string) {
      if (value.length < MIN_LENGTH || permanent.has(value)) return;
      additions.delete(value);
      permanent.add(value);
      rebuild();
    },
    secrets: () => [...permanent, ...additions],
  });
}

/** A redactor that also removes the secrets of `own`: tokens of a single caller or call. */
export function joinRedactors(redact: Redactor, own: Redactor): Redactor {
  return Object.assign((text: string) => redact(own(text)), {
    addSecret: redact.addSecret,
    keepSecret: redact.keepSecret,
    secrets: () => [...redact.secrets(), ...own.secrets()],
  });
}

/** Longest first, so that removing a secret inside another one does not leave the rest of the longer one. */
function needlesOf(secrets: Iterable<string>): string[] {
  const needles = new Set([...secrets].flatMap(formsOf));
  return [...needles].sort((a, b) => b.length - a.length);
}

/** The spellings to look for: the value itself, its blanks as in a form, its non-ASCII letters as in a URL, and inside base64. */
function formsOf(value: string): string[] {
  const runs = base64Runs(value);
  const urlSafe = runs.map((run) => run.replaceAll('+', '-').replaceAll('/', '_'));
  // Half a surrogate pair has no percent-encoded form, so it cannot appear in one.
  const percent = value.replace(/[^\x00-\x7f\p{Surrogate}]+/gu, encodeURIComponent);
  const lower = percent.replace(/%[0-9A-F]{2}/g, (triplet) => triplet.toLowerCase());
  return [value, ...[value, percent, lower].flatMap((form) => [form, form.replaceAll(' ', '+')]), ...runs, ...urlSafe];
}

/** Searches the text again as a reader would decode it, layer by layer, and removes the escaped secret from the original. */
function redactEscaped(text: string, needles: readonly string[], escapes: RegExp): string {
  const hits: [start: number, end: number][] = [];
  const visits = new Set([text]);
  /** `origins`: where each character of the layer begins in the text. */
  const search = (layer: string, origins: Uint32Array | undefined, depth: number): void => {
    if (depth === MAX_LAYERS || !escapes.test(layer)) return;
    // A secret may be split by tags, or be inside one (an attribute): text with tags is searched both with and without them.
    for (const tags of ['out', 'kept'] as const) {
      const { text: inner, starts, hadTags } = decodeEscapes(layer, tags, origins);
      if (!visits.has(inner)) {
        visits.add(inner);
        for (const needle of needles) {
          for (let at = inner.indexOf(needle); at >= 0; at = inner.indexOf(needle, at + needle.length)) {
            hits.push([starts[at]!, starts[at + needle.length]!]);
          }
        }
        search(inner, starts, depth + 1);
      }
      if (!hadTags) return;
    }
  };
  search(text, undefined, 0);
  hits.sort((a, b) => a[0] - b[0]);
  let out = '';
  let end = 0;
  for (const [from, to] of hits) {
    if (from >= end) out += text.slice(end, from) + REPLACEMENT;
    end = Math.max(end, to);
  }
  return hits.length === 0 ? text : out + text.slice(end);
}

/** The base64 characters of the secret that do not depend on what surrounds it: one run for each of the three alignments. */
function base64Runs(value: string): string[] {
  const runs: string[] = [];
  const bytes = Buffer.from(value);
  for (const offset of [0, 1, 2]) {
    const base64 = Buffer.concat([Buffer.alloc(offset), bytes]).toString('base64');
    const start = offset === 0 ? 0 : offset + 1;
    const run = base64.slice(start, Math.floor(((offset + bytes.length) * 8) / 6));
    if (run.length >= MIN_BASE64_LENGTH) runs.push(run);
  }
  return runs;
}

/**
 * Redacts a text of which the end is missing. It may end in the middle of a secret, which redact() does not recognise. If it ends with
 * the beginning of a secret, that is removed as well: plain, inside base64, and with any escaping of its letters.
 */
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

/** How many characters at the end are the beginning of the needle; 0 if they are too few to decide. In linear time (KMP). */
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
