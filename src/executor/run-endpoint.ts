// One call from arguments to answer: proof, request, redirects, answer, all inside one deadline.
import type { ReportProgress } from '../call/caller.ts';
import type { ExecutionContext } from '../call/execution-context.ts';
import type { Args, Endpoint } from '../endpoint/model.ts';
import type { Redactor } from '../endpoint/redaction/redact.ts';
import { GatewayError, ToolTimeoutError } from '../errors.ts';
import type { AnswerThreads } from './answer/answer-threads.ts';
import { type Answer, type AnswerInput, compileAnswer } from './answer/build-answer.ts';
import { compilePaging, pagingArgs } from './answer/paging.ts';
import type { Tokens } from './oauth.ts';
import { followRedirect, isRedirect } from './redirect.ts';
import type { RequestPlan, WireRequest } from './request/build-request.ts';
import { buildProof, chooseCredentials, missingCredential, type OAuthCredential, type Proof } from './request/proof.ts';
import type { RawResponse, Send, Watch } from './send.ts';
import { watchProgress } from './upstream-progress.ts';

/** Reading takes 2-30 ms at this size, for the worst kind (empty lists as TOON) 80; a thread adds about one. */
const MAX_INLINE_BYTES = 128 * 1024;

export type RunCall = (context: ExecutionContext, args: Args) => Promise<Answer>;

type Need =
  | { kind: 'static'; proof: Proof | undefined }
  | { kind: 'oauth'; proofFor: (tool: string, tokens: TokenMap) => Proof; oauth: readonly OAuthCredential[] };
type TokenMap = ReadonlyMap<OAuthCredential, string>;

export function compileCall(
  endpoint: Endpoint,
  plan: RequestPlan,
  send: Send,
  tokens: Tokens,
  redact: Redactor,
  threads: AnswerThreads,
): RunCall {
  const answerPlan = { response: endpoint.response, paging: compilePaging(endpoint) };
  const buildAnswer = compileAnswer(answerPlan, redact);
  const repeatable = endpoint.effect === 'read' || endpoint.idempotent;
  let need: Need | undefined;

  // The hot path: one await, no closure, nothing allocated that the call does not need.
  async function run(context: ExecutionContext, args: Args, watch: Watch | undefined): Promise<Answer> {
    need ??= findNeed(endpoint, context.label);
    if (need.kind === 'oauth') return runWithTokens(need, context, args, watch);
    const request = plan.build(args, context.label, need.proof, context.trace);
    let raw: RawResponse;
    try {
      raw = await send(request, context, watch);
    } catch (error) {
      throw noteSilence(request, context, error);
    }
    noteAnswer(request, context, raw);
    if (raw.status >= 300 && raw.status < 400 && isRedirect(raw)) return follow(request, raw, context, args, watch);
    return read(request, raw, context, args);
  }

  function read(request: WireRequest, raw: RawResponse, context: ExecutionContext, args: Args) {
    const { label: tool, controls } = context;
    const input: AnswerInput = { method: request.method, raw, args, tool, fields: controls?.fields };
    return raw.body.length <= MAX_INLINE_BYTES ? buildAnswer(input) : readInThread(input, context);
  }

  function readInThread(input: AnswerInput, context: ExecutionContext): Promise<Answer> {
    const { paging } = answerPlan;
    const job = {
      plan: answerPlan,
      secrets: redact.secrets(),
      input: { ...input, args: pagingArgs(paging, input.args) },
    };
    return waitFor(threads.read(job, context), context, endpoint.limits.timeoutMs);
  }

  /** Sends, and notes in the record what was sent and what came of it. The hot path spells it out: one promise less. */
  async function exchange(
    request: WireRequest,
    context: ExecutionContext,
    watch: Watch | undefined,
  ): Promise<RawResponse> {
    try {
      const raw = await send(request, context, watch);
      noteAnswer(request, context, raw);
      return raw;
    } catch (error) {
      throw noteSilence(request, context, error);
    }
  }

  async function follow(
    request: WireRequest,
    raw: RawResponse,
    context: ExecutionContext,
    args: Args,
    watch: Watch | undefined,
  ): Promise<Answer> {
    let target = request;
    let response = raw;
    for (let hop = 0; isRedirect(response); hop++) {
      target = followRedirect(target, response, plan.basePath, hop, context.label, redact);
      response = await exchange(target, context, watch);
    }
    return read(target, response, context, args);
  }

  async function runWithTokens(
    { proofFor, oauth }: Extract<Need, { kind: 'oauth' }>,
    context: ExecutionContext,
    args: Args,
    watch: Watch | undefined,
  ): Promise<Answer> {
    const { label, trace } = context;
    // Refuse what cannot be sent before anything goes anywhere.
    plan.build(args, label, undefined, trace);
    for (let attempt = 0; ; attempt++) {
      const inHand = new Map<OAuthCredential, string>();
      for (const credential of oauth) {
        const token =
          tokens.current(credential) ??
          (await waitFor(tokens.fetch(credential, label, plan.origin), context, endpoint.limits.timeoutMs));
        inHand.set(credential, token);
      }
      const request = plan.build(args, label, proofFor(label, inHand), trace);
      const raw = await exchange(request, context, watch);
      if (raw.status === 401) for (const [credential, token] of inHand) tokens.forget(credential, token);
      // A revoked token looks just like this; a call that may be repeated gets one new one.
      if (raw.status !== 401 || attempt > 0 || !repeatable) return follow(request, raw, context, args, watch);
    }
  }

  async function runWatched(context: ExecutionContext, args: Args, report: ReportProgress): Promise<Answer> {
    const watch = watchProgress(report);
    try {
      return await run(context, args, watch);
    } finally {
      watch.stop();
    }
  }

  return (context, args) => {
    const timed = context.withDeadline(endpoint.limits.timeoutMs);
    return timed.progress === undefined ? run(timed, args, undefined) : runWatched(timed, args, timed.progress);
  };
}

function noteAnswer({ method, url }: WireRequest, context: ExecutionContext, { status, body }: RawResponse): void {
  context.noteUpstream({ method, url, status, bytes: body.length });
}

function noteSilence({ method, url }: WireRequest, context: ExecutionContext, error: unknown): unknown {
  context.noteUpstream({ method, url });
  return error;
}

/** Reads the secrets once they are all there; until then every call says which are missing. */
function findNeed(endpoint: Endpoint, tool: string): Need {
  const choice = chooseCredentials(endpoint);
  if (choice.kind === 'missing') throw missingCredential(tool, choice);
  if (choice.kind === 'none') return { kind: 'static', proof: undefined };
  const { credentials } = choice;
  const oauth = credentials.filter((credential) => credential.kind === 'oauth2');
  if (oauth.length === 0) return { kind: 'static', proof: buildProof(tool, credentials, () => '') };
  return {
    kind: 'oauth',
    oauth,
    proofFor: (forTool, tokens) => buildProof(forTool, credentials, (credential) => tokens.get(credential) ?? ''),
  };
}

/** Waits for something shared with other calls: this caller's leaving or deadline ends only this caller's wait. */
function waitFor<T>(shared: Promise<T>, { label, signal, deadline }: ExecutionContext, timeoutMs: number): Promise<T> {
  return new Promise<T>((resolve, reject) => {
    const leave = () =>
      settle(() => reject(new GatewayError('CANCELLED', `${label} was cancelled by the caller.`, { tool: label })));
    const expire = () => settle(() => reject(new ToolTimeoutError(label, timeoutMs / 1000)));
    const timer = setTimeout(expire, Math.max(0, deadline - performance.now()));
    const settle = (then: () => void) => {
      clearTimeout(timer);
      signal.removeEventListener('abort', leave);
      then();
    };
    signal.addEventListener('abort', leave);
    shared.then(
      (value) => settle(() => resolve(value)),
      (error: unknown) => settle(() => reject(error)),
    );
    if (signal.aborted) leave();
  });
}
