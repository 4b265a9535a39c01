// Sends a request with its own span, following OpenTelemetry's conventions for HTTP clients, and passes the trace on. Nothing
// that may contain arguments or secrets is recorded: not the URL, only the template of its path.
import type { CallSpan } from '../tracing/call-span.ts';
import type { WireRequest } from './request/build-request.ts';
import type { Errand, RawResponse, Send, Watch } from './send.ts';

export interface TracedRequest {
  /** `/pets/{petId}`. Absent: a request of the gateway itself, for a token, which must not get the caller's baggage. */
  readonly template?: string;
  /** How often the call has sent before: redirects, and once more with another token. */
  readonly resends?: number;
  readonly watch?: Watch | undefined;
  /** The last touch, once the headers are there. */
  readonly sign?: (request: WireRequest) => WireRequest;
}

/** Sends it as a step of `parent`. */
export async function sendTraced(
  send: Send,
  request: WireRequest,
  errand: Errand,
  parent: CallSpan,
  { template, resends = 0, watch, sign = (whole) => whole }: TracedRequest = {},
): Promise<RawResponse> {
  const { method, origin } = request;
  const { hostname, port, protocol } = new URL(origin);
  const span = parent.beginClient(template === undefined ? method : `${method} ${template}`, {
    'http.request.method': method,
    'server.address': hostname,
    'server.port': port === '' ? (protocol === 'https:' ? 443 : 80) : Number(port),
    ...(template !== undefined && { 'url.template': template }),
    ...(resends > 0 && { 'http.request.resend_count': resends }),
  });
  const { baggage, ...context } = span.headers;
  const traceHeaders = template === undefined || baggage === undefined ? context : { ...context, baggage };
  try {
    const raw = await send(sign({ ...request, headers: { ...request.headers, ...traceHeaders } }), errand, watch);
    span.set('http.response.status_code', raw.status);
    if (raw.failure !== undefined) span.fail(raw.failure);
    else if (raw.status >= 400) span.fail(String(raw.status));
    return raw;
  } catch (error) {
    span.fail(error);
    throw error;
  } finally {
    span.end();
  }
}
