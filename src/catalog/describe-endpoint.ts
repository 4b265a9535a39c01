// What a model reads about one operation offered as a tool of its own.
import type { Endpoint } from '../endpoint/model.ts';
import { cutText, DEFAULT_LIMIT, firstSentence, toPlainText } from './text.ts';

/** Purpose first, then what the document says beyond it, within the limit. Never empty. */
export function describeEndpoint(endpoint: Endpoint, limit: number = DEFAULT_LIMIT): string {
  const summary = endSentence(toPlainText(endpoint.summary) || `${endpoint.method} ${endpoint.path}`);
  const more = toPlainText(endpoint.description ?? '');
  const marks = endpoint.deprecated ? ' Deprecated.' : '';
  const text = says(summary, more) ? summary : says(firstSentence(more), summary) ? more : `${summary} ${more}`;
  return cutText(text, limit - marks.length) + marks;
}

/** One line: for action lists and search hits. */
export function describeBriefly(endpoint: Endpoint, limit: number): string {
  const summary = toPlainText(endpoint.summary) || `${endpoint.method} ${endpoint.path}`;
  return cutText(firstSentence(summary), limit).replace(/\.$/, '');
}

function endSentence(text: string): string {
  return /[.!?…:]$/.test(text) ? text : `${text}.`;
}

/** True when `text` already holds every word of `other`: descriptions love to repeat their summaries. */
function says(text: string, other: string): boolean {
  const known = new Set(wordsOf(text));
  return wordsOf(other).every((word) => known.has(word));
}

function wordsOf(text: string): string[] {
  const words = text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
  return words.filter((word) => !FILLERS.has(word)).map((word) => word.replace(/(?<=.{3})(?:es|s)$/, ''));
}

const FILLERS = new Set(['a', 'an', 'the', 'of', 'to', 'for', 'in', 'and', 'by', 'with', 'this', 'that', 'is', 'are']);
