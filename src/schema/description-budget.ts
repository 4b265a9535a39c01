// What a description may cost, and which of its words are worth it.
import { splitSentences } from '../endpoint/plain-text.ts';

/** Claude Code cuts longer descriptions silently. UTF-16 units. */
export const HARD_LIMIT = 2_048;
/** What OpenAI has accepted at all times; the default for one tool per operation. */
export const DEFAULT_LIMIT = 1_024;

/** True when `text` already holds every word of `other`: descriptions love to repeat their summaries and names. */
export function says(text: string, other: string): boolean {
  const vocabulary = new Set(wordsOf(text));
  return wordsOf(other).every((word) => vocabulary.has(word));
}

/** The words that carry meaning, in singular. */
export function wordsOf(text: string): string[] {
  const words =
    text
      .replace(/([a-z\d])([A-Z])/g, '$1 $2')
      .toLowerCase()
      .match(/[\p{L}\p{N}]+/gu) ?? [];
  return words.filter((word) => !FILLERS.has(word)).map((word) => word.replace(/(?<=.{3})(?:es|s|e)$/, ''));
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

/** What has none of these words has no such sentence. */
const MAYBE_NOISE = /\b(?:for|see|learn|read|media|vnd|access|oauth|tokens?|permission|scopes?)\b/i;

/** The text without such sentences; the first one always stays. */
export function withoutNoise(text: string): string {
  if (!MAYBE_NOISE.test(text)) return text;
  return splitSentences(text)
    .filter((sentence, place) => place === 0 || !NOISE.test(sentence))
    .join(' ');
}
