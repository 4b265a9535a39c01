// One call in the adapter: it waits for a permit of its caller, runs, and ends with a record.
import { buildDigest } from '../call/digest.ts';
import { withholdUnrecorded } from '../call/evidence.ts';
import { ExecutionContext, type RequestFacts, type ResultFacts } from '../call/execution-context.ts';
import type { Outcome } from '../call/outcome.ts';
import type { Args } from '../endpoint/model.ts';
import { GatewayError, toRpcCode } from '../errors.ts';
import { CallPermit } from '../limits/call-permit.ts';
import type { CallSpan } from '../tracing/call-span.ts';
import type { ActiveCalls } from './active-calls.ts';
import type { AdapterOptions } from './adapter.ts';

const MAX_REASON_CHARS = 200;

export class AdapterCall {
  readonly context: ExecutionContext;
  readonly #options: AdapterOptions & { readonly activeCalls: ActiveCalls };
  readonly #request: RequestFacts;
  readonly #name: string;
  readonly #args: Args;
  readonly #startedAt = performance.now();
  readonly #permit = new CallPermit();

  constructor(
    options: AdapterOptions & { readonly activeCalls: ActiveCalls },
    request: RequestFacts,
    name: string,
    args: Args,
  ) {
    this.#options = options;
    this.#request = request;
    this.#name = name;
    this.#args = args;
    const facts = this.#permit.releaseWhileAsking(request);
    this.context = ExecutionContext.fromRequest(facts, options.evidence).withToolCall(name);
  }

  /** Undefined if the limits admit the call at once: it then continues in the same turn of the event loop. */
  waitForPermit(): Promise<void> | undefined {
    const { context } = this;
    const { activeCalls, limits } = this.#options;
    activeCalls.refuseAfterShutdown(context);
    const limiter = limits?.limiterOf(context.principal, context);
    const waiting = limiter && this.#permit.acquire(limiter, context, this.#startedAt);
    if (waiting === undefined) return undefined;
    const permit = activeCalls.orShutdown(context, waiting);
    return context.wait(context.span === undefined ? permit : context.span.around('queue', permit));
  }

  /** Records the message for the caller: the name that was called and the nearest existing one. Returns the error. */
  noteMissing(error: GatewayError): GatewayError {
    this.context.noteFailure(undefined, undefined, error.message.slice(0, MAX_REASON_CHARS));
    return error;
  }

  /** Ends the call with a JSON-RPC error. Returns what to throw: another error if the call could not be recorded. */
  fail(error: unknown): unknown {
    noteRpcFailure(this.context, error);
    const code = toRpcCode(error, this.#request.client.era === 'modern');
    return this.finish('error', code) ? error : withholdUnrecorded(this.context);
  }

  /** `answer`: the outcome of a tool call. Returns false if the audit trail could not record the call. */
  finish(outcome: ResultFacts['outcome'], errorCode?: number, answer?: Outcome): boolean {
    const { context } = this;
    const { activeCalls, excessCalls, meter, audit, evidence, onHandlerError } = this.#options;
    const permit = this.#permit;
    permit.end();
    const isExcess = permit.wasRefused && !activeCalls.isClosed;
    const isUnrecorded = isExcess && excessCalls?.note(context.principal.id) === false;
    if (isUnrecorded) meter?.countExcess(context, outcome);
    if (isUnrecorded && context.span === undefined) return true;
    if (permit.askedMs > 0) context.noteWait(permit.askedMs);
    const conclusion = context.withResult({ outcome, errorCode, durationMs: performance.now() - this.#startedAt });
    if (context.span !== undefined) concludeSpan(context.span, conclusion);
    if (isUnrecorded) return true;
    const record = (
      conclusion.argumentsDigest === undefined ? this.#withDigest(conclusion, outcome) : conclusion
    ).seal();
    audit(record);
    meter?.countCall(record, answer);
    const { cause } = context.journal;
    if (cause !== undefined) onHandlerError(cause);
    return evidence === undefined || evidence.write(record);
  }

  /** A call that never reached an operation has no digest of its arguments yet. */
  #withDigest(context: ExecutionContext, outcome: ResultFacts['outcome']): ExecutionContext {
    const { findHidden } = this.#options;
    const hidden = outcome === 'ok' ? undefined : findHidden?.(this.#request.method, this.#name, this.#args);
    return context.withOperation({ ...hidden, argumentsDigest: buildDigest(this.#args) });
  }
}

/** Why a call ends in a JSON-RPC error. Failures that become the result of a tool are noted where they become one. */
function noteRpcFailure(context: ExecutionContext, error: unknown): void {
  if (!(error instanceof GatewayError)) return;
  if (error.code === 'NOT_RECORDED') context.noteFailure('not_recorded');
  if (error.code === 'SHUTTING_DOWN') context.noteFailure('shutting_down');
  // After a colon, the message may quote arguments, which must not get into the record.
  if (error.code === 'INVALID_PARAMS')
    context.noteFailure(undefined, undefined, error.message.split(/: |\n/, 1)[0]!.slice(0, MAX_REASON_CHARS));
}

/**
 * OpenTelemetry calls every result with `isError` a `tool_error`, whatever the reason. Our own failure mode is a second
 * attribute.
 */
function concludeSpan(span: CallSpan, record: ExecutionContext): void {
  const result = record.results.at(-1);
  span.set('landbridge.operation', record.operation);
  span.set('landbridge.effect', record.journal.effect);
  if (result === undefined || result.outcome === 'ok') return;
  span.set('landbridge.outcome', result.outcome);
  span.set('landbridge.failure_mode', result.failureMode);
  if (result.outcome === 'failed') span.fail('tool_error');
}
