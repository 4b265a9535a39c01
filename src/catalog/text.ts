// Words from documents made fit for a model: no markup, no link targets, cut where a sentence ends.
import { stripHidden } from '../orchestration/validation/text.ts';

/** Claude Code cuts longer descriptions silently (OPENAPI.md 1.3). UTF-16 units. */
export const HARD_LIMIT = 2_048;
/** What OpenAI has accepted at all times; the default for one tool per operation. */
export const DEFAULT_LIMIT = 1_024;

const ENTITIES: Readonly<Record<string, string>> = {
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  '#39': "'",
  apos: "'",
  nbsp: ' ',
};

/** Nothing below reads further, so hostile text cannot cost more than this. */
const MAX_INPUT = 8_000;

/** Markdown and HTML to plain words. Paragraphs become sentences in a row. */
export function toPlainText(text: string): string {
  return stripHidden(text.slice(0, MAX_INPUT))
    .replace(/<!--[\s\S]*?-->/g, ' ')
    .replace(/<(script|style)\b[\s\S]*?<\/\1>/gi, ' ')
    .replace(/<\/?[a-z][^<>]*>/gi, ' ')
    .replace(/!\[([^[\]]*)\]\([^()\s]*(?:\s[^()]*)?\)/g, '$1')
    .replace(/\[([^[\]]+)\]\([^()]*(?:\([^()]*\)[^()]*)*\)/g, '$1')
    .replace(/&(amp|lt|gt|quot|#39|apos|nbsp);/g, (_, name: string) => ENTITIES[name] ?? ' ')
    .replace(/^\s{0,3}#{1,6}\s+/gm, '')
    .replace(/^\s*>\s?(\[![A-Z]+\])?/gm, '')
    .replace(/\*\*([^*\n]+)\*\*/g, '$1')
    .replace(/```\w*/g, '')
    .replace(/\s+/g, ' ')
    .trim();
}

/** The first sentence; the whole text when it is one. */
export function firstSentence(text: string): string {
  const end = /[.!?](?=\s+[A-Z`"'(]|\s*$)/g;
  for (const match of text.matchAll(end)) {
    const sentence = text.slice(0, match.index + 1);
    if (!/\b(?:e\.g|i\.e|etc|vs|cf|no|approx|incl)\.$/i.test(sentence)) return sentence;
  }
  return text;
}

/** Cuts to `limit` UTF-16 units, at a sentence if one ends in the second half, else at a word. */
export function cutText(text: string, limit: number): string {
  if (text.length <= limit) return text;
  const room = text.slice(0, limit);
  const sentence = Math.max(room.lastIndexOf('. '), room.lastIndexOf('.\n'));
  if (sentence > limit / 2) return room.slice(0, sentence + 1);
  const short = room.slice(0, limit - 1);
  const word = short.lastIndexOf(' ');
  // Never half a surrogate pair.
  const body = (word > limit / 2 ? short.slice(0, word) : short).replace(/[\uD800-\uDBFF]$/, '');
  return `${body.replace(/[\s,;:.]+$/, '')}…`;
}

/** True when `text` already holds every word of `other`: descriptions love to repeat their summaries and names. */
export function says(text: string, other: string): boolean {
  const known = new Set(wordsOf(text));
  return wordsOf(other).every((word) => known.has(word));
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

/** The text without such sentences; the first one always stays. */
export function withoutNoise(text: string): string {
  return text
    .split(/(?<=[.!?:]["”'’)]?)\s+(?=[A-Z`"“'(*-])/)
    .filter((sentence, place) => place === 0 || !NOISE.test(sentence))
    .join(' ');
}
