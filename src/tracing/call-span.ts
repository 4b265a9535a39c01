// One span of a request, and how to continue from it. It travels with ExecutionContext, so there is no look-up of a current span;
// without tracing, there are no such objects. No span contains a value of an argument, a secret or a query.
import type { Attributes, Context, Link, Span, SpanKind, Tracer } from '@opentelemetry/api';
import { ERRORS, GatewayError } from '../errors.ts';
import { otel } from './otel-api.ts';

export type { Attributes } from '@opentelemetry/api';

/** What a span begins with. */
export interface SpanStart {
  readonly name: string;
  readonly attributes?: Attributes | undefined;
  readonly links?: Link[] | undefined;
}

export class CallSpan {
  readonly #tracer: Tracer;
  readonly #span: Span;
  readonly #context: Context;
  /** Of the caller, passed on as it came. */
  readonly #baggage: string | undefined;
  #hasEnded = false;

  private constructor(tracer: Tracer, kind: SpanKind, parent: Context, baggage: string | undefined, start: SpanStart) {
    const { name, attributes = {}, links } = start;
    this.#tracer = tracer;
    this.#span = tracer.startSpan(name, { kind, attributes, ...(links && { links }) }, parent);
    this.#context = otel().trace.setSpan(parent, this.#span);
    this.#baggage = baggage;
  }

  /** The span of a request that came in. */
  static open(tracer: Tracer, parent: Context, baggage: string | undefined, start: SpanStart): CallSpan {
    return new CallSpan(tracer, otel().SpanKind.SERVER, parent, baggage, start);
  }

  /** A step of ours. */
  begin(name: string, attributes?: Attributes): CallSpan {
    return new CallSpan(this.#tracer, otel().SpanKind.INTERNAL, this.#context, this.#baggage, { name, attributes });
  }

  /** A request to another system. */
  beginClient(name: string, attributes: Attributes): CallSpan {
    return new CallSpan(this.#tracer, otel().SpanKind.CLIENT, this.#context, this.#baggage, { name, attributes });
  }

  /** A step that is waited for: it begins now and ends with the promise. */
  async around<Result>(name: string, waiting: Promise<Result>, attributes?: Attributes): Promise<Result> {
    const step = this.begin(name, attributes);
    try {
      return await waiting;
    } catch (error) {
      step.fail(error);
      throw error;
    } finally {
      step.end();
    }
  }

  /** A step that is done at once. */
  step<Result>(name: string, work: () => Result): Result {
    const step = this.begin(name);
    try {
      return work();
    } catch (error) {
      step.fail(error);
      throw error;
    } finally {
      step.end();
    }
  }

  set(name: string, value: string | number | boolean | undefined): void {
    if (value !== undefined && !this.#hasEnded) this.#span.setAttribute(name, value);
  }

  /** `type` is one of a few words, or what was thrown; never a message, which may contain arguments. */
  fail(type: unknown): void {
    if (this.#hasEnded) return;
    this.#span.setAttribute('error.type', typeof type === 'string' ? type : errorTypeOf(type));
    this.#span.setStatus({ code: otel().SpanStatusCode.ERROR });
  }

  /** Ends once; later calls have no effect. */
  end(): void {
    if (this.#hasEnded) return;
    this.#hasEnded = true;
    this.#span.end();
  }

  /** Code of an embedding application that looks for the current span finds this one, if it has a context manager. */
  run<Result>(work: () => Result): Result {
    return otel().context.with(this.#context, work);
  }

  get traceId(): string {
    return this.#span.spanContext().traceId;
  }

  /** W3C Trace Context and Baggage headers for the next request. */
  get headers(): Readonly<Record<string, string>> {
    const { traceId, spanId, traceFlags, traceState } = this.#span.spanContext();
    const state = traceState?.serialize();
    return {
      traceparent: `00-${traceId}-${spanId}-0${traceFlags & 1}`,
      ...(state && { tracestate: state }),
      ...(this.#baggage !== undefined && { baggage: this.#baggage }),
    };
  }
}

/** `timeout`, `unreachable` …: as the result of a call names it. */
function errorTypeOf(error: unknown): string {
  const row = error instanceof GatewayError ? ERRORS[error.code] : undefined;
  if (row?.wire === 'tool') return row.mode;
  return row?.wire === 'jsonrpc' ? String(row.code) : '_OTHER';
}
