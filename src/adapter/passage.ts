// One call on its way through the adapter: it waits for its caller's limits, and leaves with a record.
import { buildDigest } from '../call/digest.ts';
import { ExecutionContext, type RequestFacts, type ResultFacts } from '../call/execution-context.ts';
import type { Outcome } from '../call/outcome.ts';
import type { Args } from '../endpoint/model.ts';
import { Lease } from '../limits/lease.ts';
import type { AdapterParts } from './adapter-parts.ts';
import { concludeSpan } from './conclude-span.ts';
import type { UnderWay } from './under-way.ts';

export type PassageParts = AdapterParts & { readonly underWay: UnderWay };

export class Passage {
  readonly context: ExecutionContext;
  readonly #parts: PassageParts;
  readonly #request: RequestFacts;
  readonly #name: string;
  readonly #args: Args;
  readonly #startedAt = performance.now();
  readonly #lease = new Lease();

  constructor(parts: PassageParts, request: RequestFacts, name: string, args: Args) {
    this.#parts = parts;
    this.#request = request;
    this.#name = name;
    this.#args = args;
    this.context = ExecutionContext.fromRequest(this.#lease.lend(request), parts.evidence).withToolCall(name);
  }

  /** Undefined if the limits admit the call at once: it then continues without waiting for a turn of the event loop. */
  waitForRoom(): Promise<void> | undefined {
    const { context } = this;
    const { underWay, limits } = this.#parts;
    underWay.admit(context);
    const gate = limits?.gateOf(context.principal, context);
    const waiting = gate && this.#lease.enter(gate, context, this.#startedAt);
    if (waiting === undefined) return undefined;
    const room = underWay.orEnd(context, waiting);
    return context.wait(context.span === undefined ? room : context.span.around('queue', room));
  }

  /** False: the audit trail could not record the call. */
  finish(outcome: ResultFacts['outcome'], errorCode?: number, answer?: Outcome): boolean {
    const { context } = this;
    const { underWay, excessCalls, meter, audit, evidence, onHandlerError } = this.#parts;
    const lease = this.#lease;
    lease.end();
    const isExcess = lease.wasRefused && !underWay.isOver;
    const isUntold = isExcess && excessCalls?.note(context.principal.id) === false;
    if (isUntold) meter?.countExcess(context, outcome);
    if (isUntold && context.span === undefined) return true;
    if (lease.askedMs > 0) context.noteWait(lease.askedMs);
    const conclusion = context.withResult({ outcome, errorCode, durationMs: performance.now() - this.#startedAt });
    if (context.span !== undefined) concludeSpan(context.span, conclusion);
    if (isUntold) return true;
    const record = (conclusion.argumentsDigest === undefined ? this.#digested(conclusion, outcome) : conclusion).seal();
    audit(record);
    meter?.countCall(record, answer);
    if (context.cause !== undefined) onHandlerError(context.cause);
    return evidence === undefined || evidence.write(record);
  }

  /** A call that never reached an operation has no digest of its arguments yet. */
  #digested(context: ExecutionContext, outcome: ResultFacts['outcome']): ExecutionContext {
    const hidden =
      outcome === 'ok' ? undefined : this.#parts.findHidden?.(this.#request.method, this.#name, this.#args);
    return context.withOperation({ ...hidden, argumentsDigest: buildDigest(this.#args) });
  }
}
