// Extracts the description of a problem from an API's answer, and when to try again. Errors come in every shape; these
// are the common ones.

import { STATUS_CODES } from 'node:http';
import { escapeHiddenCharacters } from '../../endpoint/hidden.ts';
import { valueAtPath } from '../../endpoint/untrusted.ts';
import { cut } from '../../schema/explain/show.ts';
import type { RawResponse } from '../send.ts';
import { fitJson } from './character-budget.ts';
import { stringifyJson, toPlain } from './lossless.ts';

export interface ApiProblem {
  readonly title?: string;
  readonly detail?: string;
  readonly type?: string;
  readonly errors?: unknown;
  /** The body as text, cut. */
  readonly body?: string;
}

const MAX_CHARS = 4_000;
const MAX_TITLE = 300;
const MAX_DETAIL = 1_500;
const MAX_ERRORS = 1_500;

// Where each is usually found, the most likely place first.
const TITLES = 'title error.title error error.status error.type code error.code name'.split(' ');
const DETAILS = `detail message error.message error_description error.detail error_message errorMessage description msg
  Message fault.faultstring errors.0.message errors.0.detail errors.0.title reason`.split(/\s+/);
const LISTS = 'errors error.errors error.details details violations invalid_params invalid-params issues'.split(' ');

/** RFC 9457 members, or the most similar members of the body. `text` is the body as the model may see it. */
export function extractProblem(value: unknown, text: string): ApiProblem {
  if (typeof value !== 'object' || value === null) {
    return text === '' ? {} : { body: cut(escapeHiddenCharacters(text), MAX_CHARS) };
  }
  const title = firstText(value, TITLES);
  const detail = firstText(value, DETAILS);
  const type = firstText(value, ['type']);
  const errors = LISTS.map((path) => valueAtPath(value, path)).find(
    (inner) => typeof inner === 'object' && inner !== null,
  );
  // FastAPI puts its list of errors where RFC 9457 has a sentence.
  const list = errors ?? (typeof valueAtPath(value, 'detail') === 'object' ? valueAtPath(value, 'detail') : undefined);
  const problem: ApiProblem = {
    ...(title !== undefined && { title: cut(escapeHiddenCharacters(title), MAX_TITLE) }),
    ...(detail !== undefined && detail !== title && { detail: cut(escapeHiddenCharacters(detail), MAX_DETAIL) }),
    ...(type !== undefined && type !== 'about:blank' && { type: cut(escapeHiddenCharacters(type), MAX_TITLE) }),
    ...(list !== undefined && list !== null && { errors: toPlain(fitJson(list, MAX_ERRORS).value) }),
  };
  const length = stringifyJson(problem).length;
  const parts = new Set<unknown>([title, detail, type, list]);
  if (length >= MAX_CHARS - 100 || isShown(value, parts, 0)) return problem;
  return { ...problem, body: cut(escapeHiddenCharacters(text), MAX_CHARS - length) };
}

/** Whether the API gave no reason, or only the name of the status. */
export function isSilent(status: number, problem: ApiProblem = {}): boolean {
  const phrase = STATUS_CODES[status]?.toLowerCase();
  return Object.values(problem).every((text) => typeof text === 'string' && text.trim().toLowerCase() === phrase);
}

/** Members that add nothing to the status line. */
const REPEATED = new Set(['status', 'statusCode', 'status_code', 'instance']);

/** Whether everything in the body is shown already, so that it need not be shown again. */
function isShown(value: object, parts: ReadonlySet<unknown>, depth: number): boolean {
  return Object.entries(value).every(([key, inner]: [string, unknown]) => {
    if (inner === null || inner === '' || parts.has(inner) || (depth === 0 && REPEATED.has(key))) return true;
    if (typeof inner === 'number') return parts.has(String(inner));
    return depth < 2 && typeof inner === 'object' && !Array.isArray(inner) && isShown(inner, parts, depth + 1);
  });
}

function firstText(value: object, paths: readonly string[]): string | undefined {
  for (const path of paths) {
    const inner = valueAtPath(value, path);
    if (typeof inner === 'string' && inner !== '') return inner;
    if (typeof inner === 'number' && path.endsWith('code')) return String(inner);
  }
  return undefined;
}

/** Seconds to wait: Retry-After (a number or a date), else the reset time of an exhausted rate limit. */
export function retryAfter(status: number, headers: RawResponse['headers'], now = Date.now()): number | undefined {
  const header = headers['retry-after'];
  if (header !== undefined) {
    const text = String(header).trim();
    if (/^\d{1,10}(\.\d+)?$/.test(text)) return secondsUntil(Number(text), now);
    // An HTTP date begins with the name of a day (its oldest form names no zone and means GMT), ISO 8601 with a year;
    // Date.parse would also read "-5" as one.
    const dateText = /^[A-Za-z]{3} .*\d$/.test(text) ? `${text} GMT` : text;
    const date = /^(?:[A-Za-z]{3}|\d{4}-\d\d-\d\dT)/.test(text) ? Date.parse(dateText) : Number.NaN;
    if (!Number.isNaN(date)) return Math.max(0, Math.ceil((date - now) / 1000));
  }
  if (status !== 429 && status !== 403 && status !== 503) return undefined;
  const remaining = headers['x-ratelimit-remaining'] ?? headers['ratelimit-remaining'];
  const reset = Number(headers['x-ratelimit-reset'] ?? headers['ratelimit-reset'] ?? Number.NaN);
  if (remaining === undefined || Number(remaining) !== 0 || !Number.isFinite(reset) || reset < 0) return undefined;
  return secondsUntil(reset, now);
}

/** Epoch seconds at some APIs, seconds from now at others. */
function secondsUntil(seconds: number, now: number): number {
  return seconds > 1_000_000_000 ? Math.max(0, Math.ceil(seconds - now / 1000)) : Math.ceil(seconds);
}
