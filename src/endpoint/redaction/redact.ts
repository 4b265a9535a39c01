// Takes known secrets out of a text on its way out: as they are, inside base64, and however their letters are escaped.
import { decodeEscapes, mayHoldEscapes } from './escapes.ts';

export interface Redactor {
  (text: string): string;
  /** For secrets that come into being while running: OAuth access tokens. */
  addSecret(value: string): void;
  /** All it takes out, for a redactor in another thread. */
  secrets(): readonly string[];
}

const REPLACEMENT = '[redacted]';
/** Shorter values would take ordinary words out of every text. */
const MIN_LENGTH = 4;
/** A shorter run of base64 appears by chance. */
const MIN_BASE64_LENGTH = 8;
/** Tokens come and go; the oldest of those added while running make room. */
const MAX_ADDED = 64;
/** An escape inside an escape inside an escape: `%26%23x41%3B`. */
const MAX_LAYERS = 3;

export function createRedactor(secrets: readonly string[]): Redactor {
  const configured = new Set(secrets.filter((value) => value.length >= MIN_LENGTH));
  const added = new Set<string>();
  let needles = needlesOf(configured);

  const redact = (text: string): string => {
    if (needles.length === 0) return text;
    let out = text;
    for (const needle of needles) if (out.includes(needle)) out = out.replaceAll(needle, REPLACEMENT);
    return mayHoldEscapes(out) ? redactEscaped(out, needles) : out;
  };
  return Object.assign(redact, {
    addSecret(value: string) {
      if (value.length < MIN_LENGTH || configured.has(value)) return;
      // In use again, so not the oldest any more.
      if (added.delete(value)) {
        added.add(value);
        return;
      }
      if (added.size >= MAX_ADDED) added.delete(added.values().next().value as string);
      added.add(value);
      needles = needlesOf([...configured, ...added]);
    },
    secrets: () => [...configured, ...added],
  });
}

/** Longest first, so that a secret inside another does not leave the rest of it standing. */
function needlesOf(secrets: Iterable<string>): string[] {
  const needles = new Set([...secrets].flatMap(formsOf));
  return [...needles].sort((a, b) => b.length - a.length);
}

/** What to look for: the value, as a form writes its blanks, as a URL its letters beyond ASCII, and inside base64. */
function formsOf(value: string): string[] {
  const runs = base64Runs(value);
  const urlSafe = runs.map((run) => run.replaceAll('+', '-').replaceAll('/', '_'));
  // Half a surrogate pair has no percent-encoded form, so it cannot appear in one.
  const percent = value.replace(/[^\x00-\x7f\p{Surrogate}]+/gu, encodeURIComponent);
  const lower = percent.replace(/%[0-9A-F]{2}/g, (triplet) => triplet.toLowerCase());
  return [value, ...[value, percent, lower].flatMap((form) => [form, form.replaceAll(' ', '+')]), ...runs, ...urlSafe];
}

type Span = [start: number, end: number];

/** Looks again in the text as a reader would decode it, layer by layer, and cuts the spelled-out secret from the original. */
function redactEscaped(text: string, needles: readonly string[]): string {
  const hits: Span[] = [];
  findEscaped({ text, starts: undefined, depth: 0 }, needles, hits, new Set([text]));
  if (hits.length === 0) return text;
  hits.sort((a, b) => a[0] - b[0]);
  let out = '';
  let end = 0;
  for (const [from, to] of hits) {
    if (from >= end) out += text.slice(end, from) + REPLACEMENT;
    end = Math.max(end, to);
  }
  return out + text.slice(end);
}

interface Layer {
  readonly text: string;
  /** Where each character begins in the original. */
  readonly starts: Uint32Array | undefined;
  readonly depth: number;
}

/** A secret may stand between tags as well as inside one (an attribute), so a layer with tags is read both ways. */
function findEscaped(layer: Layer, needles: readonly string[], hits: Span[], visits: Set<string>): void {
  if (layer.depth === MAX_LAYERS || !mayHoldEscapes(layer.text)) return;
  for (const tags of ['out', 'kept'] as const) {
    const { text, starts, hadTags } = decodeEscapes(layer.text, tags, layer.starts);
    if (!visits.has(text)) {
      visits.add(text);
      for (const needle of needles) {
        for (let at = text.indexOf(needle); at >= 0; at = text.indexOf(needle, at + needle.length)) {
          hits.push([starts[at] as number, starts[at + needle.length] as number]);
        }
      }
      findEscaped({ text, starts, depth: layer.depth + 1 }, needles, hits, visits);
    }
    if (!hadTags) return;
  }
}

/** The characters that stay the same wherever the secret stands inside base64-encoded text: one run per alignment. */
function base64Runs(value: string): string[] {
  const runs: string[] = [];
  const bytes = Buffer.from(value);
  for (const offset of [0, 1, 2]) {
    const encoded = Buffer.concat([Buffer.alloc(offset), bytes]).toString('base64');
    const start = offset === 0 ? 0 : offset + 1;
    const run = encoded.slice(start, Math.floor(((offset + bytes.length) * 8) / 6));
    if (run.length >= MIN_BASE64_LENGTH) runs.push(run);
  }
  return runs;
}
