// How a request joins the trace of its caller. Spans are recorded by the SDK of the program itself (otlp-export.ts), or by that of an
// application in which the gateway is embedded; here, both look the same.
import type { Context, Link, SpanContext, Tracer, TracerProvider } from '@opentelemetry/api';
import { type Attributes, CallSpan } from './call-span.ts';
import { hasRegistry, otel } from './otel-api.ts';

/** Well-formed W3C fields: traceparent, tracestate, baggage. */
export type TraceFields = Readonly<Record<string, string>>;

/** The trace context that came with a request. */
export interface TraceCarrier {
  /** In `_meta` of the message. */
  readonly meta: TraceFields | undefined;
  /** In the headers of the HTTP request that brought it. */
  readonly headers: TraceFields | undefined;
}

export interface Tracing {
  /** Starts the span of a request. */
  open(name: string, attributes: Attributes, carrier: TraceCarrier): CallSpan;
}

const SCOPE = 'landbridge';

/** Undefined if nothing records spans: calls then create none. `provider` replaces the registered one. */
export function findTracing(version?: string, provider?: TracerProvider): Tracing | undefined {
  const tracer = provider ? provider.getTracer(SCOPE, version) : findRegistered(version);
  return tracer && createTracing(tracer);
}

/** The API also returns tracers that do nothing: those of a registry without a provider. */
function findRegistered(version: string | undefined): Tracer | undefined {
  if (!hasRegistry()) return undefined;
  const registry = otel().trace.getTracerProvider() as TracerProvider & {
    getDelegateTracer?: (name: string, version?: string) => Tracer | undefined;
  };
  return registry.getDelegateTracer === undefined
    ? registry.getTracer(SCOPE, version)
    : registry.getDelegateTracer(SCOPE, version);
}

/**
 * The trace context of the message takes precedence over that of the HTTP request, which may have passed several proxies with spans of
 * their own (OpenTelemetry's conventions for MCP). The other context becomes a link.
 */
function createTracing(tracer: Tracer): Tracing {
  return {
    open(name, attributes, { meta, headers }) {
      // If the application traces its HTTP server itself, its span has already read the headers.
      const { context: contextApi, isSpanContextValid, trace } = otel();
      const ambient = contextApi.active();
      const outer = trace.getSpanContext(ambient);
      const ofMessage = toSpanContext(meta);
      const ofTransport = outer && isSpanContextValid(outer) ? outer : toSpanContext(headers);
      const parent: Context = toParent(ofMessage ?? (ofTransport === outer ? undefined : ofTransport), ambient);
      const links: Link[] | undefined =
        ofMessage && ofTransport && ofTransport.spanId !== ofMessage.spanId ? [{ context: ofTransport }] : undefined;
      const baggage = meta?.baggage ?? (ofMessage === undefined ? headers?.baggage : undefined);
      return CallSpan.open(tracer, parent, baggage, { name, attributes, links });
    },
  };
}

function toParent(remote: SpanContext | undefined, ambient: Context): Context {
  return remote === undefined ? ambient : otel().trace.setSpanContext(otel().ROOT_CONTEXT, remote);
}

function toSpanContext(fields: TraceFields | undefined): SpanContext | undefined {
  const parent = fields?.traceparent;
  if (parent === undefined) return undefined;
  const [, traceId = '', spanId = '', flags = ''] = parent.split('-');
  const state = fields?.tracestate;
  return {
    traceId,
    spanId,
    traceFlags: Number.parseInt(flags, 16) & 1,
    isRemote: true,
    ...(state !== undefined && { traceState: otel().createTraceState(state) }),
  };
}
