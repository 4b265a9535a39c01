// What a model reads about one operation offered as a tool of its own.
import type { Endpoint } from '../endpoint/model.ts';
import { closeColon, cutText, firstSentence, toOneLine, toPlainText } from '../endpoint/plain-text.ts';
import { says, TOOL_DESCRIPTION_LIMIT, withoutNoise, wordsOf } from '../schema/description-budget.ts';

/** The summary, then what the description adds to it, within the limit. Never empty. */
export function describeEndpoint(endpoint: Endpoint, limit: number = TOOL_DESCRIPTION_LIMIT): string {
  const summary = endSentence(toPlainText(endpoint.summary) || `${endpoint.method} ${endpoint.path}`);
  const more = withoutNoise(toPlainText(endpoint.description ?? ''));
  const marks = endpoint.deprecated ? ' Deprecated.' : '';
  const text = says(summary, more) ? summary : restates(firstSentence(more), summary) ? more : `${summary} ${more}`;
  return closeColon(cutText(text, limit - marks.length)) + marks;
}

/** The description of each endpoint. Where several would have the same text, method and path follow it. */
export function describeUniquely(endpoints: readonly Endpoint[]): ReadonlyMap<Endpoint, string> {
  const texts = endpoints.map((endpoint) => describeEndpoint(endpoint));
  return new Map(
    toUniqueTexts(endpoints, texts, TOOL_DESCRIPTION_LIMIT).map((text, place) => [endpoints[place]!, text]),
  );
}

/** Makes the texts of a list unique: one that occurs more than once is followed by method and path, within the limit. */
export function toUniqueTexts(endpoints: readonly Endpoint[], texts: readonly string[], limit: number): string[] {
  const counts = new Map<string, number>();
  for (const text of texts) counts.set(text, (counts.get(text) ?? 0) + 1);
  return texts.map((text, place) => {
    const request = requestOf(endpoints[place]!);
    if (counts.get(text) === 1 || text.includes(request)) return text;
    return `${cutText(text, Math.max(0, limit - request.length - 1))} ${request}`;
  });
}

const MAX_REQUEST = 160;

/** Method and path. A very long path is cut at the front, because its end is the most specific part. */
function requestOf({ method, path }: Endpoint): string {
  const plain = toOneLine(path);
  return `${method} ${plain.length > MAX_REQUEST ? `…${plain.slice(-MAX_REQUEST)}` : plain}`;
}

/** One line: for action lists and search hits. */
export function describeBriefly(endpoint: Endpoint, limit: number): string {
  const summary = toPlainText(endpoint.summary) || `${endpoint.method} ${endpoint.path}`;
  return closeColon(cutText(firstSentence(summary), limit).replace(/\.$/, ''));
}

function endSentence(text: string): string {
  return /[.!?…:]$/.test(text) ? text : `${text}.`;
}

/** The sentence repeats the summary with at most four more words; then it replaces the summary. */
function restates(sentence: string, summary: string): boolean {
  return says(sentence, summary) && wordsOf(sentence).length <= wordsOf(summary).length + 4;
}
