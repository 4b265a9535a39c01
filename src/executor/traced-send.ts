// Sends a request with its own span, following OpenTelemetry's conventions for HTTP clients, and propagates the trace. Nothing that
// may contain arguments or secrets is recorded: not the URL, only the template of its path.
import type { CallSpan } from '../tracing/call-span.ts';
import type { WireRequest } from './request/build-request.ts';
import type { RawResponse, Send, SendOptions, TransferObserver } from './send.ts';

export interface TracedRequest {
  /** `/pets/{petId}`. Absent for requests of the gateway itself, for a token: those must not carry the caller's baggage. */
  readonly template?: string;
  /** How many requests the call has sent before: redirects, and one with a refused token. */
  readonly resends?: number;
  readonly watch?: TransferObserver | undefined;
  /** Signs the request once it has all its headers. */
  readonly sign?: (request: WireRequest) => WireRequest;
}

/** Sends the request in a child span of `parent`. */
export async function sendTraced(
  send: Send,
  request: WireRequest,
  options: SendOptions,
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
    const raw = await send(sign({ ...request, headers: { ...request.headers, ...traceHeaders } }), options, watch);
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
