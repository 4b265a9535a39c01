// Removes known secrets from texts that leave the gateway: as they are, inside base64, and however their letters are escaped.
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
export const MIN_LENGTH = 4;
/** A shorter run of base64 appears by chance. */
const MIN_BASE64_LENGTH = 8;
/** Limit of secrets added at run time, such as tokens; the oldest are dropped. */
const MAX_ADDED = 64;
/** An escape inside an escape inside an escape: `%26%23x41%3B`. */
export const MAX_LAYERS = 3;

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

/** Longest first, so that a secret inside another does not leave the rest of it standing. */
export function needlesOf(secrets: Iterable<string>): string[] {
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

/** Looks again in the text as a reader would decode it, layer by layer, and cuts the spelled-out secret from the original. */
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
