// What a model reads about one operation offered as a tool of its own.
import type { Endpoint } from '../endpoint/model.ts';
import { cutText, firstSentence, toPlainText } from '../endpoint/plain-text.ts';
import { DEFAULT_LIMIT, says, withoutNoise, wordsOf } from '../schema/description-budget.ts';

/** Purpose first, then what the document says beyond it, within the limit. Never empty. */
export function describeEndpoint(endpoint: Endpoint, limit: number = DEFAULT_LIMIT): string {
  const summary = endSentence(toPlainText(endpoint.summary) || `${endpoint.method} ${endpoint.path}`);
  const more = withoutNoise(toPlainText(endpoint.description ?? ''));
  const marks = endpoint.deprecated ? ' Deprecated.' : '';
  const text = says(summary, more) ? summary : restates(firstSentence(more), summary) ? more : `${summary} ${more}`;
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

/** The same again in a few words more: then the longer one says it all. */
function restates(sentence: string, summary: string): boolean {
  return says(sentence, summary) && wordsOf(sentence).length <= wordsOf(summary).length + 4;
}
