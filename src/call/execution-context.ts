// ExecutionContext: the one object that carries a request from the adapter down to the executor, and its record after.
//   fromRequest → withToolCall → (withAction → withOperation → withDeadline) → withResult → seal
// Every step returns a frozen copy. The copies of one request share a journal, in which the layers below the adapter note
// what happened: middleware may replace an outcome, but not what was asked of the API. seal() turns the journal into the
// audit record and lets go of everything alive (signal, client, functions, the caller's own data). It never holds a
// secret: of the arguments a digest is kept, and what `audit:` of a domain file allows; of the upstream URL no query.
import type { Effect } from '../endpoint/model.ts';
import type { FailureMode } from '../errors.ts';
import type { CallSpan } from '../tracing/call-span.ts';
import type { Client, Principal, ReportProgress, Transport, WriteLog } from './caller.ts';
import type { Confirmation, Evidence, Permission } from './evidence.ts';

/** What protocol knows about a request when it arrives. */
export interface RequestFacts<Data = unknown> {
  readonly requestId: string;
  readonly method: string;
  readonly principal: Principal;
  readonly transport: Transport;
  /** The address the call comes from; none over stdio. */
  readonly remote?: string | undefined;
  readonly client: Client;
  /** Aborted when the caller leaves or cancels. */
  readonly signal: AbortSignal;
  /** Whatever the caller's transport put there (claims, a tenant …), for handlers and middleware. */
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

/** Arguments that steer the gateway instead of going upstream (controls.ts takes them out of the arguments). */
export interface Controls {
  readonly fields?: readonly string[];
  readonly dryRun?: boolean;
  readonly confirmationToken?: string;
}

export interface OperationFacts {
  /** Fully-qualified name of what runs: `domain.action`, or the native tool's name. Absent: nothing was found to run. */
  readonly operation?: string | undefined;
  /** Of the arguments without controls, so that a refusal and its confirmed repeat carry the same one. */
  readonly argumentsDigest: string;
  readonly controls?: Controls | undefined;
  readonly effect?: Effect | undefined;
  /** What was decided about such calls, and why; frozen. */
  readonly permission?: Permission | undefined;
  /** The arguments as far as the audit trail may keep them: redacted, cut and frozen. */
  readonly argumentRecord?: unknown;
}

/** What was asked of the REST API. `url` carries no query string and no credentials; no status means no answer came. */
export interface UpstreamTrace {
  readonly method: string;
  readonly url: string;
  readonly status?: number;
  readonly bytes?: number;
}

export interface ResultFacts {
  readonly outcome: 'ok' | 'failed' | 'input_required' | 'error';
  /** JSON-RPC error code, when the request ended in one. */
  readonly errorCode?: number | undefined;
  readonly durationMs: number;
}

export interface ResultRecord extends ResultFacts {
  readonly failureMode?: FailureMode | undefined;
  /** Why, in a few words that hold no argument: `missing title`. */
  readonly reason?: string | undefined;
  /** The last request that went out. */
  readonly upstream?: UpstreamTrace | undefined;
}

interface Journal {
  action: string | undefined;
  operation: string | undefined;
  argumentsDigest: string | undefined;
  failureMode: FailureMode | undefined;
  reason: string | undefined;
  cause: unknown;
  upstream: UpstreamTrace | undefined;
  upstreamMs: number;
  waitedMs: number;
  effect: Effect | undefined;
  permission: Permission | undefined;
  confirmation: Confirmation | undefined;
  isDryRun: boolean;
  mayHaveChanged: boolean;
  argumentRecord: unknown;
  readonly evidence: Evidence | undefined;
}

const BIRTH = Symbol('only ExecutionContext itself makes contexts');
/** The signal of a sealed record, frozen like the rest of it. */
const NEVER = Object.freeze(new AbortController().signal);

export class ExecutionContext<Data = unknown> implements RequestFacts<Data> {
  readonly startedAt: number;
  /** As the client called it. */
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
  /** Shared by all copies and read through the getters below, so that a copy holds only what differs. */
  readonly #request: RequestFacts<Data>;
  readonly #journal: Journal;

  constructor(key: symbol, request: RequestFacts<Data>, journal: Journal, before?: ExecutionContext) {
    if (key !== BIRTH) throw new TypeError('Make an ExecutionContext with ExecutionContext.fromRequest().');
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
  }

  get requestId(): string {
    return this.#request.requestId;
  }

  get method(): string {
    return this.#request.method;
  }

  get principal(): Principal {
    return this.#request.principal;
  }

  get transport(): Transport {
    return this.#request.transport;
  }

  get remote(): string | undefined {
    return this.#request.remote;
  }

  get client(): Client {
    return this.#request.client;
  }

  get signal(): AbortSignal {
    return this.#request.signal;
  }

  get data(): Data | undefined {
    return this.#request.data;
  }

  get trace(): Readonly<Record<string, string>> | undefined {
    return this.#request.trace;
  }

  get span(): CallSpan | undefined {
    return this.#request.span;
  }

  get traceId(): string | undefined {
    return this.#request.traceId ?? this.#request.span?.traceId;
  }

  get forwarded(): Readonly<Record<string, string>> | undefined {
    return this.#request.forwarded;
  }

  get progress(): ReportProgress | undefined {
    return this.#request.progress;
  }

  get log(): WriteLog | undefined {
    return this.#request.log;
  }

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
    return publish(new ExecutionContext(BIRTH, facts, createJournal(evidence)));
  }

  /** Binds the tool (or resource, or prompt) this request is about. Once. */
  withToolCall(tool: string): ExecutionContext<Data> {
    mustBeOpen(this);
    if (tool.trim() === '') throw new TypeError('withToolCall() needs a tool name that is not blank.');
    if (this.tool !== undefined) throw new TypeError(`This context is already bound to ${this.tool}.`);
    const draft = this.#draft();
    draft.tool = tool;
    draft.label = tool;
    return publish(draft);
  }

  /** Names what the tool was asked to do: one action of several. `label` is what messages call it from here on. */
  withAction(action: string, label = `${this.tool}/${action}`): ExecutionContext<Data> {
    mustBeOpen(this);
    if (this.tool === undefined) throw new TypeError('Bind a tool with withToolCall() before naming its action.');
    // A call made inside another one does not take its place in the record.
    if (this.operation === undefined) this.#journal.action = action;
    const draft = this.#draft();
    draft.action = action;
    draft.label = label;
    return publish(draft);
  }

  /** Says what runs, and with which arguments. */
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
    return publish(new ExecutionContext(BIRTH, { ...this.#request, answers, requestState }, this.#journal, this));
  }

  /** The same call, whose next steps are recorded under this span. */
  withSpan(span: CallSpan): ExecutionContext<Data> {
    mustBeOpen(this);
    return publish(new ExecutionContext(BIRTH, { ...this.#request, span }, this.#journal, this));
  }

  /** Starts the clock: from here on the call has this long. */
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
      // A failure that middleware recovered from is no failure of the call.
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

  /** The audit record: deeply frozen, with nothing alive in it. */
  seal(): ExecutionContext<never> {
    mustBeOpen(this);
    const { requestId, method, transport, remote, profile, principal, client, traceId } = this;
    const request: RequestFacts<never> = Object.freeze({
      requestId,
      method,
      transport,
      remote,
      profile,
      traceId,
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
    const draft: Draft<never> = new ExecutionContext<never>(BIRTH, request, toRest(this.#journal), this);
    draft.controls = undefined;
    draft.deadline = Number.POSITIVE_INFINITY;
    draft.sealed = true;
    return publish(draft);
  }

  /** The fields worth keeping: who asked for what, and the result. */
  toJSON(): object {
    const { requestId, method, transport, remote, startedAt, tool, action, operation, argumentsDigest, results } = this;
    const { era, version } = this.client;
    return {
      requestId,
      method,
      transport,
      remote,
      principal: this.principal.id,
      client: { era, version },
      startedAt,
      tool,
      action,
      operation,
      argumentsDigest,
      effect: this.effect,
      permission: this.permission,
      confirmation: this.confirmation,
      results,
    };
  }

  #draft(): Draft<Data> {
    return new ExecutionContext(BIRTH, this.#request, this.#journal, this);
  }

  /** Notes a request that went out; later ones replace earlier ones, and the time they took adds up. */
  noteUpstream(trace: UpstreamTrace, tookMs = 0): void {
    mustBeOpen(this);
    this.#journal.upstream = Object.freeze(trace);
    this.#journal.upstreamMs += tookMs;
  }

  /** Notes that the call only waited: for room, a token or a person. */
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
  announce(effect: Effect): void {
    mustBeOpen(this);
    this.#journal.evidence?.begin(this, effect);
    this.#journal.mayHaveChanged = true;
  }

  /**
   * Notes why the call is about to fail; `cause` is what a handler or middleware threw. No mode: nothing was found that could
   * run.
   */
  noteFailure(mode: FailureMode | undefined, cause?: unknown, reason?: string): void {
    mustBeOpen(this);
    this.#journal.failureMode = mode;
    this.#journal.reason = reason;
    this.#journal.cause = cause;
  }

  /** What a handler or middleware threw, for the operator only: it may say more than a caller should read. */
  get cause(): unknown {
    return this.#journal.cause;
  }

  /** What such a call does; undefined where nothing was found to run. */
  get effect(): Effect | undefined {
    return this.#journal.effect;
  }

  get permission(): Permission | undefined {
    return this.#journal.permission;
  }

  get confirmation(): Confirmation | undefined {
    return this.#journal.confirmation;
  }

  /** A request other than a read was about to be sent or passed to a handler. */
  get mayHaveChanged(): boolean {
    return this.#journal.mayHaveChanged;
  }

  get isDryRun(): boolean {
    return this.#journal.isDryRun;
  }

  get argumentRecord(): unknown {
    return this.#journal.argumentRecord;
  }

  /** How long the API took, all requests together. */
  get upstreamMs(): number {
    return this.#journal.upstreamMs;
  }

  /** How long it waited for room, a token or a person. */
  get waitedMs(): number {
    return this.#journal.waitedMs;
  }

  /** The last request that went out so far. */
  get upstream(): UpstreamTrace | undefined {
    return this.#journal.upstream ?? this.results.at(-1)?.upstream;
  }
}

/** A copy that nobody else has seen yet. */
type Draft<Data> = { -readonly [Key in keyof ExecutionContext<Data>]: ExecutionContext<Data>[Key] };

function publish<Data>(draft: Draft<Data>): ExecutionContext<Data> {
  return Object.freeze(draft) as ExecutionContext<Data>;
}

const NO_RESULTS: readonly ResultRecord[] = Object.freeze([]);
const NO_CAPABILITIES = Object.freeze({});

/** What a sealed record needs of its journal; the results have the rest. */
function toRest(journal: Journal): Journal {
  const rest = createJournal();
  rest.upstreamMs = journal.upstreamMs;
  rest.waitedMs = journal.waitedMs;
  rest.effect = journal.effect;
  rest.permission = journal.permission;
  rest.confirmation = journal.confirmation;
  rest.isDryRun = journal.isDryRun;
  rest.argumentRecord = journal.argumentRecord;
  return rest;
}

function createJournal(evidence?: Evidence): Journal {
  return {
    action: undefined,
    operation: undefined,
    argumentsDigest: undefined,
    failureMode: undefined,
    reason: undefined,
    cause: undefined,
    upstream: undefined,
    upstreamMs: 0,
    waitedMs: 0,
    effect: undefined,
    permission: undefined,
    confirmation: undefined,
    isDryRun: false,
    mayHaveChanged: false,
    argumentRecord: undefined,
    evidence,
  };
}

function mustBeOpen(context: ExecutionContext): void {
  if (context.sealed) throw new TypeError(`The context of request ${context.requestId} is sealed.`);
}
