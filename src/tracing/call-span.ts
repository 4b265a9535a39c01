// One span of a request, and the spans below it. It travels with ExecutionContext, so no current span has to be looked up; without
// tracing, there are no such objects. No span contains the value of an argument, a secret or a query.
import type { Attributes, Context, Link, Span, SpanKind, Tracer } from '@opentelemetry/api';
import { ERRORS, GatewayError } from '../errors.ts';
import { otel } from './otel-api.ts';

export type { Attributes } from '@opentelemetry/api';

/** The name, attributes and links of a new span. */
export interface SpanStart {
  readonly name: string;
  readonly attributes?: Attributes | undefined;
  readonly links?: Link[] | undefined;
}

export class CallSpan {
  readonly #tracer: Tracer;
  readonly #span: Span;
  readonly #context: Context;
  /** The baggage of the caller, which is passed on unchanged. */
  readonly #baggage: string | undefined;
  #hasEnded = false;

  private constructor(tracer: Tracer, kind: SpanKind, parent: Context, baggage: string | undefined, start: SpanStart) {
    const { name, attributes = {}, links } = start;
    this.#tracer = tracer;
    this.#span = tracer.startSpan(name, { kind, attributes, ...(links && { links }) }, parent);
    this.#context = otel().trace.setSpan(parent, this.#span);
    this.#baggage = baggage;
  }

  /** The span of an incoming request. */
  static open(tracer: Tracer, parent: Context, baggage: string | undefined, start: SpanStart): CallSpan {
    return new CallSpan(tracer, otel().SpanKind.SERVER, parent, baggage, start);
  }

  /** A step within the gateway. */
  begin(name: string, attributes?: Attributes): CallSpan {
    return new CallSpan(this.#tracer, otel().SpanKind.INTERNAL, this.#context, this.#baggage, { name, attributes });
  }

  /** A request to another system. */
  beginClient(name: string, attributes: Attributes): CallSpan {
    return new CallSpan(this.#tracer, otel().SpanKind.CLIENT, this.#context, this.#baggage, { name, attributes });
  }

  /** An asynchronous step: it starts now and ends with the promise. */
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

  /** A synchronous step. */
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

  /** `type` is one of a few words, or the error that was thrown. Its message is not recorded: it may contain arguments. */
  fail(type: unknown): void {
    if (this.#hasEnded) return;
    this.#span.setAttribute('error.type', typeof type === 'string' ? type : errorTypeOf(type));
    this.#span.setStatus({ code: otel().SpanStatusCode.ERROR });
  }

  /** Only the first call has an effect. */
  end(): void {
    if (this.#hasEnded) return;
    this.#hasEnded = true;
    this.#span.end();
  }

  /** Makes this the current span for code of an embedding application, if it has a context manager. */
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

/** `timeout`, `unreachable` …: the same word as in the result of a call. */
function errorTypeOf(error: unknown): string {
  const row = error instanceof GatewayError ? ERRORS[error.code] : undefined;
  if (row?.wire === 'tool') return row.mode;
  return row?.wire === 'jsonrpc' ? String(row.code) : '_OTHER';
}
