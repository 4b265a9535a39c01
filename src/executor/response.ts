// Status + body → answer.
import type { Content, UpstreamTrace } from '../endpoint/content.ts';
import type { Endpoint } from '../endpoint/model.ts';
import type { WireRequest } from './request.ts';
import type { RawResponse } from './send.ts';

export interface Problem {
  readonly title?: string;
  readonly detail?: string;
  readonly type?: string;
  readonly errors?: unknown;
  /** The body as text, cut. */
  readonly body?: string;
}

export interface Answer {
  readonly status: number;
  /** 2xx, and 304: "not modified" is what a conditional request asks for. */
  readonly ok: boolean;
  /** Decoded, shaped, within the budget. */
  readonly content: readonly Content[];
  /** Only when the endpoint asks for it. */
  readonly structured?: unknown;
  readonly upstream: UpstreamTrace;
  /** Not ok: what the API says is wrong, at most 4,000 characters. */
  readonly problem?: Problem;
  readonly retryAfterSeconds?: number;
}

export function buildAnswer(endpoint: Endpoint, request: WireRequest, raw: RawResponse): Answer {
  const { status, body } = raw;
  const ok = (status >= 200 && status < 300) || status === 304;
  const upstream = { method: request.method, url: request.url, status, bytes: body.length };
  const text = body.length === 0 ? `OK (${status})` : body.toString('utf8');
  if (!ok) return { status, ok, content: [{ type: 'text', text }], upstream, problem: { body: text.slice(0, 4000) } };
  const structured = endpoint.response.structured ? (JSON.parse(text) as unknown) : undefined;
  return { status, ok, content: [{ type: 'text', text }], upstream, ...(structured !== undefined && { structured }) };
}
