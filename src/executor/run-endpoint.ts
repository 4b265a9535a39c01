// One call from arguments to answer: proof, request, redirects, answer, all inside one deadline.
import type { Args, Endpoint } from '../endpoint/model.ts';
import type { Redactor } from '../endpoint/secrets.ts';
import { GatewayError, ToolTimeoutError } from '../errors.ts';
import { type Answer, compileAnswer } from './answer/build-answer.ts';
import type { ExecuteOptions } from './executor.ts';
import type { Tokens } from './oauth.ts';
import { followRedirect, isRedirect } from './redirect.ts';
import type { RequestPlan, WireRequest } from './request/build-request.ts';
import { buildProof, chooseCredentials, missingCredential, type OAuthCredential, type Proof } from './request/proof.ts';
import type { RawResponse, Send, Watch } from './send.ts';
import { type Report, watchProgress } from './upstream-progress.ts';

export type RunCall = (args: Args, options: ExecuteOptions) => Promise<Answer>;

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
): RunCall {
  const { timeoutMs, maxResponseBytes } = endpoint.limits;
  const answer = compileAnswer(endpoint, redact);
  const repeatable = endpoint.effect === 'read' || endpoint.idempotent;
  let need: Need | undefined;

  // The hot path: one await, no closure, nothing allocated that the call does not need.
  async function run(args: Args, options: ExecuteOptions, watch: Watch | undefined): Promise<Answer> {
    need ??= findNeed(endpoint, options.tool);
    if (need.kind === 'oauth') return runWithTokens(need, args, options, watch);
    const { tool, signal } = options;
    const request = plan.build(args, tool, need.proof, options.trace);
    const started = performance.now();
    const raw = await send(request, { tool, signal, remainingMs: timeoutMs, timeoutMs, maxResponseBytes, watch });
    if (raw.status >= 300 && raw.status < 400 && isRedirect(raw))
      return follow(request, raw, args, options, watch, started);
    return answer(request, raw, args, tool, options.fields);
  }

  function sendWithin(request: WireRequest, options: ExecuteOptions, remainingMs: number, watch: Watch | undefined) {
    const { tool, signal } = options;
    return send(request, { tool, signal, remainingMs, timeoutMs, maxResponseBytes, watch });
  }

  async function follow(
    request: WireRequest,
    raw: RawResponse,
    args: Args,
    options: ExecuteOptions,
    watch: Watch | undefined,
    started: number,
  ): Promise<Answer> {
    let asked = request;
    let got = raw;
    for (let hop = 0; isRedirect(got); hop++) {
      asked = followRedirect(asked, got, plan.basePath, hop, options.tool, redact);
      got = await sendWithin(asked, options, timeoutMs - (performance.now() - started), watch);
    }
    return answer(asked, got, args, options.tool, options.fields);
  }

  async function runWithTokens(
    { proofFor, oauth }: Extract<Need, { kind: 'oauth' }>,
    args: Args,
    options: ExecuteOptions,
    watch: Watch | undefined,
  ): Promise<Answer> {
    const started = performance.now();
    const { tool, trace } = options;
    // Refuse what cannot be sent before anything goes anywhere.
    plan.build(args, tool, undefined, trace);
    for (let attempt = 0; ; attempt++) {
      const inHand = new Map<OAuthCredential, string>();
      for (const credential of oauth) {
        const left = timeoutMs - (performance.now() - started);
        const token =
          tokens.current(credential) ??
          (await waitFor(tokens.fetch(credential, tool, plan.origin), options, left, timeoutMs));
        redact.addSecret(token);
        inHand.set(credential, token);
      }
      const request = plan.build(args, tool, proofFor(tool, inHand), trace);
      const raw = await sendWithin(request, options, timeoutMs - (performance.now() - started), watch);
      if (raw.status === 401) for (const [credential, token] of inHand) tokens.forget(credential, token);
      // A revoked token looks just like this; a call that may be repeated gets one new one.
      if (raw.status !== 401 || attempt > 0 || !repeatable) return follow(request, raw, args, options, watch, started);
    }
  }

  async function runWatched(args: Args, options: ExecuteOptions, report: Report): Promise<Answer> {
    const watch = watchProgress(report);
    try {
      return await run(args, options, watch);
    } finally {
      watch.stop();
    }
  }

  return (args, options) =>
    options.progress === undefined ? run(args, options, undefined) : runWatched(args, options, options.progress);
}

/** Reads the secrets once they are all there; until then every call says which are missing. */
function findNeed(endpoint: Endpoint, tool: string): Need {
  const choice = chooseCredentials(endpoint);
  if (choice.kind === 'missing') throw missingCredential(tool, choice.alternatives);
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
function waitFor<T>(shared: Promise<T>, options: ExecuteOptions, remainingMs: number, timeoutMs: number): Promise<T> {
  const { tool, signal } = options;
  return new Promise<T>((resolve, reject) => {
    const leave = () =>
      settle(() => reject(new GatewayError('CANCELLED', `${tool} was cancelled by the caller.`, { tool })));
    const expire = () => settle(() => reject(new ToolTimeoutError(tool, timeoutMs / 1000)));
    const timer = setTimeout(expire, Math.max(0, remainingMs));
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
