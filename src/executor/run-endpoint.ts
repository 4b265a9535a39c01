// Runs one call of an endpoint: credentials, request, redirects and answer, all within one deadline.
import type { AssertionSigner } from '../call/assertion-signer.ts';
import type { ReportProgress } from '../call/caller.ts';
import type { ExecutionContext } from '../call/execution-context.ts';
import { fillCallerHeaders } from '../credentials/caller-headers.ts';
import { cookiesFor } from '../credentials/login/set-cookie.ts';
import {
  buildProof,
  callerTokenFor,
  chooseCredentials,
  missingCredential,
  type Proof,
  type ProofPlan,
  planProof,
  signAssertion,
  signRequest,
  tokenProofOf,
} from '../credentials/proof.ts';
import { type AccessTokenCache, secretsOfToken } from '../credentials/tokens/access-token-cache.ts';
import type { IssuedToken, TokenRequest } from '../credentials/tokens/token-request.ts';
import type { Credential } from '../endpoint/credential.ts';
import { escapeHiddenCharacters } from '../endpoint/hidden.ts';
import type { Args, CallerHeader, Endpoint } from '../endpoint/model.ts';
import { createRedactor, joinRedactors, type Redactor, redactBeginning } from '../endpoint/redaction/redact.ts';
import { GatewayError, type TimeoutEffect, ToolTimeoutError } from '../errors.ts';
import { inTurn, MAX_UNQUEUED_ANSWER } from '../event-loop/turns.ts';
import type { FairSemaphore } from '../limits/fair-semaphore.ts';
import { hidesPath } from '../schema/argument-record.ts';
import type { AnswerThreads } from './answer/answer-threads.ts';
import {
  type Answer,
  type AnswerInput,
  type AnswerPlan,
  compileAnswer,
  isOk,
  isUnshaped,
} from './answer/build-answer.ts';
import { compilePaging, pagingArgs } from './answer/paging.ts';
import { followRedirect, isRedirect } from './redirect.ts';
import type { RequestPlan, WireRequest } from './request/build-request.ts';
import type { RawResponse, Send, TransferObserver } from './send.ts';
import { sendTraced } from './traced-send.ts';
import { watchProgress } from './upstream-progress.ts';

/**
 * Answers up to this size are read on the event loop, which takes 2-30 ms, and 80 in the worst case (empty lists as TOON). A thread
 * adds about 1 ms, but keeps larger ones from delaying other calls: beside answers of 8 MB, small calls would take 105-170 ms.
 */
const MAX_INLINE_BYTES = 128 * 1024;

const CUT_READING_MS = 10_000;

export type RunCall = (context: ExecutionContext, args: Args) => Promise<Answer>;

type Need = { kind: 'static'; proof: Proof | undefined; signature?: Credential | undefined } | LiveNeed;

/** Credentials that are known only when a call is made: fetched tokens, and claims about the caller. */
interface LiveNeed extends ProofPlan {
  readonly kind: 'live';
  readonly callerHeaders: readonly CallerHeader[];
  readonly textOf: (token: IssuedToken) => string;
}

/** The proof of one call, the tokens in it, and a redactor that also removes those of this caller. */
interface LiveProof {
  readonly proof: Proof;
  readonly tokens: readonly UsedToken[];
  readonly redact: Redactor;
}
/** A request, and the answer to it. */
interface Exchange {
  readonly request: WireRequest;
  readonly raw: RawResponse;
}

type UsedToken = readonly [request: TokenRequest, token: IssuedToken];

/** Called with every raw answer. If it returns a text, that replaces a successful answer. */
export type OnAnswer = (answer: RawResponse) => string | undefined;

/** The dependencies that the calls of all endpoints share. */
export interface CallDependencies {
  readonly send: Send;
  readonly tokens: AccessTokenCache;
  readonly redact: Redactor;
  readonly threads: AnswerThreads;
  readonly onAnswer: OnAnswer | undefined;
  readonly signer: AssertionSigner | undefined;
  /** Limits the calls of one domain at one origin. Absent: no limit. */
  readonly semaphoreOf?: ((domain: string, origin: string) => FairSemaphore) | undefined;
}

export function compileCall(endpoint: Endpoint, plan: RequestPlan, parts: CallDependencies): RunCall {
  const call = new EndpointCall(endpoint, plan, parts);
  return (context, args) => {
    const ownContext = context.withDeadline(endpoint.limits.timeoutMs);
    return ownContext.progress === undefined
      ? call.run(ownContext, args)
      : call.runWatched(ownContext, args, ownContext.progress);
  };
}

/** Everything about calls of one endpoint that does not depend on the single call. */
class EndpointCall {
  readonly #endpoint: Endpoint;
  readonly #plan: RequestPlan;
  readonly #send: Send;
  readonly #tokens: AccessTokenCache;
  readonly #redact: Redactor;
  readonly #threads: AnswerThreads;
  readonly #onAnswer: OnAnswer | undefined;
  readonly #signer: AssertionSigner | undefined;
  readonly #semaphore: FairSemaphore | undefined;
  readonly #answerPlan: AnswerPlan;
  readonly #buildAnswer: (input: AnswerInput) => Answer;
  /** Answers up to this size pass without being parsed, which takes almost no time. */
  readonly #maxPassingBytes: number;
  /** Recorded in place of the URL if a value in its path must not be recorded. */
  readonly #recordedUrl: string | undefined;
  /** For spans: the path of the request without values. */
  readonly #template: string;
  #need: Need | undefined;

  constructor(
    endpoint: Endpoint,
    plan: RequestPlan,
    { send, tokens, redact, threads, onAnswer, signer, semaphoreOf }: CallDependencies,
  ) {
    this.#endpoint = endpoint;
    this.#plan = plan;
    this.#send = send;
    this.#tokens = tokens;
    this.#redact = redact;
    this.#threads = threads;
    this.#onAnswer = onAnswer;
    this.#signer = signer;
    this.#semaphore = semaphoreOf?.(endpoint.domain, plan.origin);
    this.#template = plan.basePath + endpoint.path;
    this.#answerPlan = { response: endpoint.response, paging: compilePaging(endpoint) };
    this.#buildAnswer = compileAnswer(this.#answerPlan, redact);
    this.#recordedUrl = hidesPath(endpoint) ? `${endpoint.baseUrl}${endpoint.path}` : undefined;
    const { response } = endpoint;
    this.#maxPassingBytes = isUnshaped(response) ? Math.min(response.maxChars, MAX_INLINE_BYTES) : 0;
  }

  // The hot path: one await, no closure, and no allocation that the call does not need.
  async run(context: ExecutionContext, args: Args, watch?: TransferObserver): Promise<Answer> {
    this.#need ??= findNeed(this.#endpoint, this.#plan, context.label);
    if (this.#need.kind === 'live') return this.#runLive(this.#need, context, args, watch);
    const { proof, signature } = this.#need;
    const { span } = context;
    const request = this.#plan.build(args, context.label, proof, context.request.trace);
    const waiting = this.#semaphore?.acquire(context.principal.id, context);
    if (waiting !== undefined) await context.wait(span === undefined ? waiting : span.around('queue', waiting));
    let raw: RawResponse;
    let next: Exchange | undefined;
    try {
      if (span !== undefined || signature !== undefined) raw = await this.#exchange(request, context, watch);
      else {
        const sentAt = performance.now();
        try {
          raw = await this.#send(request, context, watch);
        } catch (error) {
          throw this.#noteSilence(request, context, sentAt, error);
        }
        this.#noteAnswer(request, context, sentAt, raw);
      }
      // A call keeps its permit for all requests it sends: if each needed its own, a call could be refused half-way.
      if (raw.status >= 300 && raw.status < 400 && isRedirect(raw))
        next = await this.#follow(request, raw, context, watch);
    } finally {
      this.#semaphore?.release(context.principal.id);
    }
    if (next !== undefined) return this.#read(next.request, next.raw, context, args);
    return this.#read(request, raw, context, args);
  }

  async runWatched(context: ExecutionContext, args: Args, report: ReportProgress): Promise<Answer> {
    const watch = watchProgress(report);
    try {
      return await this.run(context, args, watch);
    } finally {
      watch.stop();
    }
  }

  #read(
    request: WireRequest,
    raw: RawResponse,
    context: ExecutionContext,
    args: Args,
    redact = this.#redact,
  ): Answer | Promise<Answer> {
    const { label: tool, controls } = context;
    const { method, isRead } = request;
    if (raw.failure !== undefined) throw withBeginning(raw.failure, raw.body, redact);
    const text = this.#onAnswer?.(raw);
    if (text !== undefined && isOk(raw.status))
      return { status: raw.status, ok: true, content: [{ type: 'text', text }] };
    const input: AnswerInput = { method, isRead, raw, args, tool, fields: controls?.fields };
    const size = raw.body.length;
    const build = redact === this.#redact ? this.#buildAnswer : compileAnswer(this.#answerPlan, redact);
    if (size <= MAX_UNQUEUED_ANSWER || (size <= this.#maxPassingBytes && input.fields === undefined))
      return build(input);
    return size <= MAX_INLINE_BYTES ? inTurn(() => build(input)) : this.#readInThread(input, context, redact);
  }

  #readInThread(input: AnswerInput, context: ExecutionContext, redact: Redactor): Promise<Answer> {
    const plan = this.#answerPlan;
    const job = {
      plan,
      secrets: redact.secrets(),
      input: { ...input, args: pagingArgs(plan.paging, input.args) },
    };
    const consequence = input.isRead ? 'nothing' : 'unknown';
    // If the deadline cut the answer off, the call has no time left, so reading gets its own.
    const reader = input.raw.cut === undefined ? context : context.withDeadline(CUT_READING_MS);
    return waitFor(this.#threads.read(job, reader), reader, this.#endpoint.limits.timeoutMs, consequence);
  }

  /**
   * Signs and sends a request, and notes request and answer in the record and the trace. The hot path needs no signature and no span,
   * and does the rest inline to save a promise. `resends`: how many requests the call has sent before.
   */
  async #exchange(
    request: WireRequest,
    context: ExecutionContext,
    watch: TransferObserver | undefined,
    resends = 0,
  ): Promise<RawResponse> {
    const { span } = context;
    const sentAt = performance.now();
    try {
      const raw = await (span === undefined
        ? this.#send(this.#sign(request), context, watch)
        : sendTraced(this.#send, request, context, span, {
            template: this.#template,
            resends,
            watch,
            sign: (whole) => this.#sign(whole),
          }));
      this.#noteAnswer(request, context, sentAt, raw);
      return raw;
    } catch (error) {
      throw this.#noteSilence(request, context, sentAt, error);
    }
  }

  #noteAnswer({ method, url }: WireRequest, context: ExecutionContext, sentAt: number, raw: RawResponse): void {
    const trace = { method, url: this.#recordedUrl ?? url, status: raw.status, bytes: raw.body.length };
    context.noteUpstream(trace, performance.now() - sentAt);
  }

  #noteSilence({ method, url }: WireRequest, context: ExecutionContext, sentAt: number, error: unknown): unknown {
    context.noteUpstream({ method, url: this.#recordedUrl ?? url }, performance.now() - sentAt);
    return error;
  }

  async #follow(
    request: WireRequest,
    raw: RawResponse,
    context: ExecutionContext,
    watch: TransferObserver | undefined,
    redact = this.#redact,
    resends = 0,
  ): Promise<Exchange> {
    let last: Exchange = { request, raw };
    for (let hop = 0; isRedirect(last.raw); hop++) {
      const { basePath } = this.#plan;
      const next = followRedirect(last.request, last.raw, basePath, hop, context.label, redact);
      last = { request: next, raw: await this.#exchange(next, context, watch, resends + hop + 1) };
    }
    return last;
  }

  /** A signature is for one address and one moment, so a redirected request is signed again. */
  #sign(request: WireRequest): WireRequest {
    const signature = this.#need?.signature;
    return signature === undefined ? request : signRequest(request, signature);
  }

  async #runLive(
    need: LiveNeed,
    context: ExecutionContext,
    args: Args,
    watch: TransferObserver | undefined,
  ): Promise<Answer> {
    const { label } = context;
    const { trace } = context.request;
    const isRepeatable =
      this.#endpoint.effect === 'read' ||
      this.#endpoint.idempotent ||
      need.tokens.every((credential) => tokenProofOf(credential).mayRepeatWrites);
    // Before a token is fetched, this refuses arguments that cannot be sent.
    this.#plan.build(args, label, undefined, trace);
    let live = await this.#prove(need, context);
    let last: Exchange;
    const waiting = this.#semaphore?.acquire(context.principal.id, context);
    if (waiting !== undefined)
      await context.wait(context.span === undefined ? waiting : context.span.around('queue', waiting));
    try {
      for (let attempt = 0; ; attempt++) {
        const request = this.#plan.build(args, label, live.proof, trace);
        const raw = await this.#exchange(request, context, watch, attempt);
        // An expired or revoked token looks like this: a call that may be repeated gets one new token.
        const mayHelp = this.#forgetTokens(live.tokens, raw.status);
        if (!mayHelp || attempt > 0 || !isRepeatable) {
          last = await this.#follow(request, raw, context, watch, live.redact, attempt);
          break;
        }
        live = await this.#prove(need, context);
      }
    } finally {
      this.#semaphore?.release(context.principal.id);
    }
    return this.#read(last.request, last.raw, context, args, live.redact);
  }

  /** Checks the caller first: if it lacks a value that a header for the API needs, no token is fetched. */
  async #prove(need: LiveNeed, context: ExecutionContext): Promise<LiveProof> {
    const { label, principal } = context;
    const headers = fillCallerHeaders(need.callerHeaders, context);
    const requests = need.tokens.map((credential): TokenRequest => {
      const callerToken = callerTokenFor(credential, principal, label);
      const { connection } = this.#endpoint;
      return { credential, tool: label, apiOrigin: this.#plan.origin, connection, callerToken };
    });
    const texts = new Map<Credential, string>();
    let redact = this.#redact;
    for (const credential of need.assertions) {
      const jwt = await signAssertion(credential, this.#signer, context, this.#plan.origin);
      texts.set(credential, jwt);
      redact = joinRedactors(redact, createRedactor([jwt]));
    }
    const tokens: UsedToken[] = [];
    for (const request of requests) {
      const token = await this.#takeToken(request, context);
      texts.set(request.credential, need.textOf(token));
      tokens.push([request, token]);
      if (request.callerToken !== undefined)
        redact = joinRedactors(redact, redactorOf(token, request.callerToken.token));
    }
    const proof = buildProof(label, need.credentials, (credential) => texts.get(credential) ?? '');
    return { proof: { ...proof, headers: { ...headers, ...proof.headers } }, tokens, redact };
  }

  /** Drops the tokens that were refused; true if new ones may help. */
  #forgetTokens(tokens: readonly UsedToken[], status: number): boolean {
    let mayHelp = false;
    for (const [request, token] of tokens) {
      const { credential } = request;
      if (tokenProofOf(credential).renewOn(credential).includes(status))
        mayHelp = this.#tokens.forget(request, token) || mayHelp;
    }
    return mayHelp;
  }

  async #takeToken(request: TokenRequest, context: ExecutionContext): Promise<IssuedToken> {
    const token = this.#tokens.current(request) ?? (await context.wait(this.#fetchToken(request, context)));
    // Added at every use, because the redactor drops the oldest secrets.
    if (request.callerToken === undefined) for (const secret of secretsOfToken(token)) this.#redact.addSecret(secret);
    return token;
  }

  /** A call that waits for a token which another call is fetching shows that in its trace as well. */
  async #fetchToken(request: TokenRequest, context: ExecutionContext): Promise<IssuedToken> {
    const step = context.span?.begin('token', { 'landbridge.credential': request.credential.name });
    try {
      const fetching = this.#tokens.fetch(step === undefined ? request : { ...request, span: step });
      return await waitFor(fetching, context, this.#endpoint.limits.timeoutMs, 'unproven');
    } catch (error) {
      step?.fail(error);
      throw error;
    } finally {
      step?.end();
    }
  }
}

/** Redactors for the token of a caller and the one it was exchanged for; kept, because both serve many calls. */
const redactors = new WeakMap<IssuedToken, Redactor>();

function redactorOf(token: IssuedToken, callerToken: string): Redactor {
  let redactor = redactors.get(token);
  if (redactor === undefined) {
    redactor = createRedactor([callerToken, token.token]);
    redactors.set(token, redactor);
  }
  return redactor;
}

const MAX_LOOKED_AT = 16 * 1024;
const MAX_BEGINNING = 600;

/**
 * Part of a JSON document is not a result, but its beginning may help the caller to ask for less. The text is redacted before it is cut,
 * and its end, which was cut off before, with special care.
 */
function withBeginning(failure: GatewayError, body: Buffer, redact: Redactor): GatewayError {
  const text = redactBeginning(redact, body.toString('utf8', 0, MAX_LOOKED_AT)).slice(0, MAX_BEGINNING);
  if (text.trim() === '') return failure;
  failure.message += `\nThe answer is incomplete, and not a result. It began: ${escapeHiddenCharacters(text)}`;
  return failure;
}

/** Reads the secrets once all of them are set; until then the error of every call names the missing ones. */
function findNeed(endpoint: Endpoint, { basePath, origin }: RequestPlan, tool: string): Need {
  const choice = chooseCredentials(endpoint);
  if (choice.kind === 'missing') throw missingCredential(tool, choice);
  const { callerHeaders = [] } = endpoint;
  if (choice.kind === 'none' && callerHeaders.length === 0) return { kind: 'static', proof: undefined };
  const credentials = choice.kind === 'none' ? [] : choice.credentials;
  const plan = planProof(credentials, origin, tool);
  if (plan.tokens.length === 0 && plan.assertions.length === 0 && callerHeaders.length === 0)
    return { kind: 'static', proof: buildProof(tool, credentials), signature: plan.signature };
  // A cookie's path is compared with the part of the path that is the same in every request.
  const path = basePath + endpoint.path.replace(/\{.*$/s, '');
  const textOf = ({ token, cookies }: IssuedToken) => (cookies === undefined ? token : cookiesFor(cookies, path));
  return { kind: 'live', ...plan, callerHeaders, textOf };
}

/**
 * Waits for something that other calls share: if this caller disconnects or its deadline passes, only this wait ends.
 */
function waitFor<T>(
  promise: Promise<T>,
  { label, signal, deadline }: ExecutionContext,
  timeoutMs: number,
  effect: TimeoutEffect,
): Promise<T> {
  return new Promise<T>((resolve, reject) => {
    const leave = () =>
      settle(() => reject(new GatewayError('CANCELLED', `${label} was cancelled by the caller.`, { tool: label })));
    const expire = () => settle(() => reject(new ToolTimeoutError(label, timeoutMs / 1000, effect)));
    const timer = setTimeout(expire, Math.max(0, deadline - performance.now()));
    const settle = (then: () => void) => {
      clearTimeout(timer);
      signal.removeEventListener('abort', leave);
      then();
    };
    signal.addEventListener('abort', leave);
    promise.then(
      (value) => settle(() => resolve(value)),
      (error: unknown) => settle(() => reject(error)),
    );
    if (signal.aborted) leave();
  });
}
