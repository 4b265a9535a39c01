// How long a description may be, and which of its words are worth their tokens.
import { splitSentences } from '../endpoint/plain-text.ts';

/** Claude Code cuts longer descriptions silently. UTF-16 units. */
export const TEXT_LIMIT = 2_048;
/** What OpenAI has always accepted; the default for one tool per operation. */
export const TOOL_DESCRIPTION_LIMIT = 1_024;

/** True when `text` already holds every word of `other`: descriptions often repeat their summaries and names. */
export function says(text: string, other: string): boolean {
  return saysWords([new Set(wordsOf(text))], other);
}

/** The same, with the words collected once for many texts. Most texts differ within their first few words. */
export function saysWords(vocabularies: readonly ReadonlySet<string>[], other: string): boolean {
  for (const [word] of plain(other).matchAll(WORD)) {
    if (FILLERS.has(word)) continue;
    const stem = stemOf(word);
    if (!vocabularies.some((words) => words.has(stem))) return false;
  }
  return true;
}

/** The words that carry meaning, in singular. */
export function wordsOf(text: string): string[] {
  const words = plain(text).match(WORD) ?? [];
  return words.filter((word) => !FILLERS.has(word)).map(stemOf);
}

const WORD = /[\p{L}\p{N}]+/gu;

function plain(text: string): string {
  return text.replace(/([a-z\d])([A-Z])/g, '$1 $2').toLowerCase();
}

/** Without the `es`, `s` or `e` at its end, if at least three letters remain. */
function stemOf(word: string): string {
  if (word.length > 4 && word.endsWith('es')) return word.slice(0, -2);
  return word.length > 3 && (word.endsWith('s') || word.endsWith('e')) ? word.slice(0, -1) : word;
}

const FILLERS = new Set(
  'a an the of to for in on and by with this that is are its it existing given specified specific new'.split(' '),
);

/**
 * Sentences that help a person with a browser and a key, not a model with a gateway: where to read on, which media types,
 * tokens and scopes there are.
 */
const NOISE =
  /^(?:for (?:more|further|additional) (?:information|details|info)\b|see (?:also\b|the\b|["“'])|(?:learn|read) more\b)|\bmedia types?\b|\bapplication\/vnd\.|\b(?:access tokens?|oauth|token types?|permission set|scopes?:)/i;

/** A text without these words has no such sentence. */
const MAYBE_NOISE = /\b(?:for|see|learn|read|media|vnd|access|oauth|tokens?|permission|scopes?)\b/i;

/** The text without such sentences; the first one always stays. */
export function withoutNoise(text: string): string {
  if (!MAYBE_NOISE.test(text)) return text;
  return splitSentences(text)
    .filter((sentence, place) => place === 0 || !NOISE.test(sentence))
    .join(' ');
}
