// What a model reads about one operation offered as a tool of its own.
import type { Endpoint } from '../endpoint/model.ts';
import { cutText, DEFAULT_LIMIT, firstSentence, toPlainText } from './text.ts';

/** Purpose first, then what the document says beyond it, within the limit. Never empty. */
export function describeEndpoint(endpoint: Endpoint, limit: number = DEFAULT_LIMIT): string {
  const summary = endSentence(toPlainText(endpoint.summary) || `${endpoint.method} ${endpoint.path}`);
  const more = toPlainText(endpoint.description ?? '');
  const marks = endpoint.deprecated ? ' Deprecated.' : '';
  const text = isSaid(summary, more) ? summary : `${summary} ${more}`;
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

/** The description often only repeats the summary, with or without a full stop. */
function isSaid(summary: string, more: string): boolean {
  const plain = (text: string) =>
    text
      .toLowerCase()
      .replace(/[^\p{L}\p{N}]+/gu, ' ')
      .trim();
  return plain(more) === '' || plain(summary).startsWith(plain(more));
}
