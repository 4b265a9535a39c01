// ExecutionContext: the one object that carries a request from the adapter down to the executor, and then becomes its
// record.
//   fromRequest → withToolCall → (withAction → withOperation → withDeadline) → withResult → seal
// Every step returns a frozen copy. `request` holds what protocol found out about the request. `journal` holds what the
// layers below the adapter noted; all copies share it. Handlers and middleware use the getters of this class. seal()
// turns the context into the audit record, without the signal, the client's functions and the caller's own data. A
// record never holds a secret: it keeps a digest of the arguments and what `audit:` of a domain file allows, and the
// upstream URL without its query.
import type { Effect } from '../endpoint/model.ts';
import type { FailureMode } from '../errors.ts';
import type { CallSpan } from '../tracing/call-span.ts';
import type { Client, Principal, ReportProgress, Transport, WriteLog } from './caller.ts';
import type { Confirmation, Evidence, Permission } from './evidence.ts';
import { type CallJournal, createJournal, type OpenJournal, sealJournal, type UpstreamTrace } from './journal.ts';

/** The facts about a request when it arrives, found out by protocol. */
export interface RequestFacts<Data = unknown> {
  readonly requestId: string;
  readonly method: string;
  readonly principal: Principal;
  readonly transport: Transport;
  /** The address the call comes from; none over stdio. */
  readonly remote?: string | undefined;
  readonly client: Client;
  /** Aborted when the caller disconnects or cancels. */
  readonly signal: AbortSignal;
  /** Data attached by the transport (claims, a tenant …), for handlers and middleware. */
  readonly data?: Data | undefined;
  /** W3C trace context, validated, forwarded upstream as headers. */
  readonly trace?: Readonly<Record<string, string>> | undefined;
  /** Parent of the spans of this request. Absent if nothing is traced. */
  readonly span?: CallSpan | undefined;
  /** In a record: the trace it is a part of. */
  readonly traceId?: string | undefined;
  /** Headers of the caller's request that some domain passes on (`forward:`), and no others; lower-case names. */
  readonly forwarded?: Readonly<Record<string, string>> | undefined;
  /** Present only when the caller asked for progress. */
  readonly progress?: ReportProgress | undefined;
  /** Present only when the caller wants log messages. */
  readonly log?: WriteLog | undefined;
  /** The profile that serves it; absent or '' is what is served by default. */
  readonly profile?: string | undefined;
  /** Second round of a multi round-trip request: the person's answers, and the state we signed. */
  readonly answers?: Readonly<Record<string, unknown>> | undefined;
  readonly requestState?: string | undefined;
}

/** Arguments for the gateway itself, which are not sent upstream (controls.ts removes them from the arguments). */
export interface Controls {
  readonly fields?: readonly string[];
  readonly dryRun?: boolean;
  readonly confirmationToken?: string;
}

export interface OperationFacts {
  /** Fully-qualified name of what runs: `domain.action`, or the native tool's name. Absent: nothing was found to run. */
  readonly operation?: string | undefined;
  /** A digest of the arguments without controls, so that a refusal and the confirmed repeat have the same one. */
  readonly argumentsDigest: string;
  readonly controls?: Controls | undefined;
  readonly effect?: Effect | undefined;
  /** The decision about such calls, and its reason; frozen. */
  readonly permission?: Permission | undefined;
  /** The arguments as far as the audit trail may keep them: redacted, cut and frozen. */
  readonly argumentRecord?: unknown;
}

/** How a call ended. */
export interface ResultFacts {
  readonly outcome: 'ok' | 'failed' | 'input_required' | 'error';
  /** JSON-RPC error code, when the request ended in one. */
  readonly errorCode?: number | undefined;
  readonly durationMs: number;
}

/** How a call ended, with what was noted about it. */
export interface ResultRecord extends ResultFacts {
  readonly failureMode?: FailureMode | undefined;
  /** Why, in a few words that hold no argument: `missing title`. */
  readonly reason?: string | undefined;
  /** The last request that went out. */
  readonly upstream?: UpstreamTrace | undefined;
}

const CONSTRUCTOR_KEY = Symbol('only ExecutionContext itself makes contexts');
/** The signal of a sealed record, frozen like the rest of it. */
const NEVER = Object.freeze(new AbortController().signal);

/**
 * What handlers and middleware know about a call. Every step of a call returns a frozen copy.
 *
 * ```ts
 * const whoAmI = defineTool({
 *   name: 'who_am_i',
 *   description: 'Says who is calling.',
 *   run: ({ principal, label }) => `${principal.id} called ${label}`,
 * });
 * ```
 */
export class ExecutionContext<Data = unknown> {
  readonly startedAt: number;
  /** The name that the client called. */
  readonly tool: string | undefined;
  /** Inside the tool: the action of a grouped tool, the operation named to call_operation. */
  readonly action: string | undefined;
  /** For messages: the tool, followed by the action of a grouped tool or by the operation of call_operation. */
  readonly label: string;
  readonly operation: string | undefined;
  readonly argumentsDigest: string | undefined;
  readonly controls: Controls | undefined;
  /** When the call must be over, on the clock of performance.now(). */
  readonly deadline: number;
  readonly results: readonly ResultRecord[];
  readonly sealed: boolean;
  // Private, so that nothing that prints or copies a context prints the request with it.
  readonly #request: RequestFacts<Data>;
  readonly #journal: OpenJournal;
  readonly #evidence: Evidence | undefined;

  constructor(
    key: symbol,
    request: RequestFacts<Data>,
    journal: OpenJournal,
    evidence?: Evidence,
    before?: ExecutionContext,
  ) {
    if (key !== CONSTRUCTOR_KEY) throw new TypeError('Make an ExecutionContext with ExecutionContext.fromRequest().');
    this.startedAt = before ? before.startedAt : Date.now();
    this.tool = before?.tool;
    this.action = before?.action;
    this.label = before ? before.label : '';
    this.operation = before?.operation;
    this.argumentsDigest = before?.argumentsDigest;
    this.controls = before?.controls;
    this.deadline = before ? before.deadline : Number.POSITIVE_INFINITY;
    this.results = before ? before.results : NO_RESULTS;
    this.sealed = false;
    this.#request = request;
    this.#journal = journal;
    this.#evidence = evidence;
  }

  /**
   * The facts about the request from protocol, as a copy. In a sealed record: without functions, signals and secrets.
   */
  get request(): RequestFacts<Data> {
    return this.sealed ? this.#request : { ...this.#request };
  }

  /** What was noted so far, as a copy, so that changes to it do not reach the record. */
  get journal(): CallJournal {
    return { ...this.#journal };
  }

  get requestId(): string {
    return this.#request.requestId;
  }

  get principal(): Principal {
    return this.#request.principal;
  }

  get client(): Client {
    return this.#request.client;
  }

  /** Aborted when the caller disconnects or cancels. */
  get signal(): AbortSignal {
    return this.#request.signal;
  }

  /** Data attached by the transport. */
  get data(): Data | undefined {
    return this.#request.data;
  }

  /** Parent of the spans of this request. Questions to the client are recorded under it. */
  get span(): CallSpan | undefined {
    return this.#request.span;
  }

  /** Present only when the caller asked for progress. */
  get progress(): ReportProgress | undefined {
    return this.#request.progress;
  }

  /** Present only when the caller wants log messages. */
  get log(): WriteLog | undefined {
    return this.#request.log;
  }

  /** '' is what is served by default. */
  get profile(): string {
    return this.#request.profile ?? '';
  }

  get answers(): Readonly<Record<string, unknown>> | undefined {
    return this.#request.answers;
  }

  get requestState(): string | undefined {
    return this.#request.requestState;
  }

  /** `evidence` records that the call is about to change something. */
  static fromRequest<Data = unknown>(facts: RequestFacts<Data>, evidence?: Evidence): ExecutionContext<Data> {
    if (facts.requestId.trim() === '') throw new TypeError('An ExecutionContext needs a request id that is not blank.');
    if (facts.method.trim() === '') throw new TypeError('An ExecutionContext needs a method that is not blank.');
    return publish(new ExecutionContext(CONSTRUCTOR_KEY, facts, createJournal(), evidence));
  }

  /** Binds the tool, resource or prompt that this request is about; possible once. */
  withToolCall(tool: string): ExecutionContext<Data> {
    mustBeOpen(this);
    if (tool.trim() === '') throw new TypeError('withToolCall() needs a tool name that is not blank.');
    if (this.tool !== undefined) throw new TypeError(`This context is already bound to ${this.tool}.`);
    const draft = this.#draft();
    draft.tool = tool;
    draft.label = tool;
    return publish(draft);
  }

  /** Notes which action of the tool was called. From here on messages name the call by `label`. */
  withAction(action: string, label = `${this.tool}/${action}`): ExecutionContext<Data> {
    mustBeOpen(this);
    if (this.tool === undefined) throw new TypeError('Bind a tool with withToolCall() before naming its action.');
    // A call made inside another one does not replace it in the record.
    if (this.operation === undefined) this.#journal.action = action;
    const draft = this.#draft();
    draft.action = action;
    draft.label = label;
    return publish(draft);
  }

  /** Notes which operation runs, and with which arguments. */
  withOperation(facts: OperationFacts): ExecutionContext<Data> {
    mustBeOpen(this);
    if (this.tool === undefined) throw new TypeError('Bind a tool with withToolCall() before its operation.');
    if (this.operation === undefined) {
      this.#journal.operation = facts.operation;
      this.#journal.argumentsDigest = facts.argumentsDigest;
      this.#journal.effect = facts.effect;
      this.#journal.permission = facts.permission;
      this.#journal.isDryRun = facts.controls?.dryRun === true;
      this.#journal.argumentRecord = facts.argumentRecord;
    }
    const draft = this.#draft();
    draft.operation = facts.operation ?? this.operation;
    draft.argumentsDigest = facts.argumentsDigest;
    draft.controls = facts.controls;
    return publish(draft);
  }

  /** The same call with the answers and state of questions that a layer further down asked. */
  withRound({ answers, requestState }: Pick<RequestFacts, 'answers' | 'requestState'>): ExecutionContext<Data> {
    mustBeOpen(this);
    return publish(this.#draft({ ...this.#request, answers, requestState }));
  }

  /** The same call. Its next steps are recorded under this span. */
  withSpan(span: CallSpan): ExecutionContext<Data> {
    mustBeOpen(this);
    return publish(this.#draft({ ...this.#request, span }));
  }

  /** Starts the deadline: from here on the call has this long. */
  withDeadline(timeoutMs: number): ExecutionContext<Data> {
    mustBeOpen(this);
    const draft = this.#draft();
    draft.deadline = performance.now() + timeoutMs;
    return publish(draft);
  }

  withResult(facts: ResultFacts): ExecutionContext<Data> {
    mustBeOpen(this);
    if (this.tool === undefined) throw new TypeError('Bind a tool with withToolCall() before adding a result.');
    const { action, operation, argumentsDigest, failureMode, reason, upstream } = this.#journal;
    const isFailure = facts.outcome === 'failed' || facts.outcome === 'error';
    const record: ResultRecord = {
      outcome: facts.outcome,
      errorCode: facts.errorCode,
      durationMs: facts.durationMs,
      // If middleware recovered from a failure, the call itself did not fail.
      failureMode: isFailure ? failureMode : undefined,
      ...(isFailure && reason !== undefined && { reason }),
      upstream,
    };
    const draft = this.#draft();
    draft.action = action ?? this.action;
    draft.operation = operation ?? this.operation;
    draft.argumentsDigest = argumentsDigest ?? this.argumentsDigest;
    draft.results = Object.freeze([...this.results, Object.freeze(record)]);
    return publish(draft);
  }

  /** The audit record: deeply frozen, without functions, signals and the caller's own data. */
  seal(): ExecutionContext<never> {
    mustBeOpen(this);
    const { requestId, method, transport, remote, principal, client, traceId, span } = this.#request;
    const request: RequestFacts<never> = Object.freeze({
      requestId,
      method,
      transport,
      remote,
      profile: this.profile,
      traceId: traceId ?? span?.traceId,
      principal: Object.freeze({ id: principal.id }),
      client: Object.freeze({
        era: client.era,
        version: client.version,
        name: client.name,
        release: client.release,
        capabilities: NO_CAPABILITIES,
      }),
      signal: NEVER,
    });
    const draft: Draft<never> = new ExecutionContext<never>(
      CONSTRUCTOR_KEY,
      request,
      sealJournal(this.#journal),
      undefined,
      this,
    );
    draft.controls = undefined;
    draft.deadline = Number.POSITIVE_INFINITY;
    draft.sealed = true;
    return publish(draft);
  }

  /** Who asked for what, and the result. */
  toJSON(): object {
    const { startedAt, tool, action, operation, argumentsDigest, results } = this;
    const { requestId, method, transport, remote, principal, client } = this.#request;
    const { effect, permission, confirmation } = this.#journal;
    return {
      requestId,
      method,
      transport,
      remote,
      principal: principal.id,
      client: { era: client.era, version: client.version },
      startedAt,
      tool,
      action,
      operation,
      argumentsDigest,
      effect,
      permission,
      confirmation,
      results,
    };
  }

  #draft(request: RequestFacts<Data> = this.#request): Draft<Data> {
    return new ExecutionContext(CONSTRUCTOR_KEY, request, this.#journal, this.#evidence, this);
  }

  /** Notes a request that went out; later ones replace earlier ones, and the time they took adds up. */
  noteUpstream(trace: UpstreamTrace, tookMs = 0): void {
    mustBeOpen(this);
    this.#journal.upstream = Object.freeze(trace);
    this.#journal.upstreamMs += tookMs;
  }

  /** Notes that the call only waited: for a permit, a token or a person. */
  noteWait(tookMs: number): void {
    mustBeOpen(this);
    this.#journal.waitedMs += tookMs;
  }

  /** Waits, and notes how long. */
  async wait<Awaited>(until: Promise<Awaited>): Promise<Awaited> {
    const since = performance.now();
    try {
      return await until;
    } finally {
      this.#journal.waitedMs += performance.now() - since;
    }
  }

  /** Notes a confirmation: one that was issued, or that permitted this call. */
  noteConfirmation(confirmation: Confirmation): void {
    mustBeOpen(this);
    this.#journal.confirmation = Object.freeze({ ...this.#journal.confirmation, ...confirmation });
  }

  /** Records that the call may change something from here on. Throws if that cannot be recorded; then nothing may be sent. */
  beginChange(effect: Effect): void {
    mustBeOpen(this);
    this.#evidence?.begin(this, effect);
    this.#journal.mayHaveChanged = true;
  }

  /**
   * Notes why the call is about to fail; `cause` is what a handler or middleware threw. `mode` is undefined if nothing
   * was found that could run.
   */
  noteFailure(mode: FailureMode | undefined, cause?: unknown, reason?: string): void {
    mustBeOpen(this);
    this.#journal.failureMode = mode;
    this.#journal.reason = reason;
    this.#journal.cause = cause;
  }
}

/** A copy that is not published yet, so its fields can still be set. */
type Draft<Data> = { -readonly [Key in keyof ExecutionContext<Data>]: ExecutionContext<Data>[Key] };

function publish<Data>(draft: Draft<Data>): ExecutionContext<Data> {
  return Object.freeze(draft) as ExecutionContext<Data>;
}

const NO_RESULTS: readonly ResultRecord[] = Object.freeze([]);
const NO_CAPABILITIES = Object.freeze({});

function mustBeOpen(context: ExecutionContext): void {
  if (context.sealed) throw new TypeError(`The context of request ${context.requestId} is sealed.`);
}
