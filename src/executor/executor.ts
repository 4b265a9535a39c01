// Turns an endpoint and arguments into a request, and its answer into a result. It decides nothing: callers have validated the
// arguments and obtained confirmation before.
import type { AssertionSigner } from '../call/assertion-signer.ts';
import type { ExecutionContext } from '../call/execution-context.ts';
import { endpointSecrets } from '../credentials/secrets.ts';
import { AccessTokenCache } from '../credentials/tokens/access-token-cache.ts';
import type { SharedTokens } from '../credentials/tokens/shared-tokens.ts';
import type { Args, Endpoint } from '../endpoint/model.ts';
import { createRedactor, type Redactor } from '../endpoint/redaction/redact.ts';
import { AnswerThreads } from './answer/answer-threads.ts';
import type { Answer } from './answer/build-answer.ts';
import type { PoolLoad, PoolOptions } from './pools.ts';
import { compileRequest, type RequestPlan } from './request/build-request.ts';
import { buildPreview, previewProof, type RequestPreview } from './request/preview.ts';
import { type CallDependencies, compileCall, type OnAnswer } from './run-endpoint.ts';
import { createSender } from './send.ts';
import { createTokenClient } from './token-client.ts';

export type { RequestPreview } from './request/preview.ts';

export interface CompiledEndpoint {
  run(context: ExecutionContext, args: Args): Promise<Answer>;
  /** Sends nothing. `tool` is the name used in messages. */
  preview(args: Args, tool: string): RequestPreview;
}

export interface Executor {
  compile(endpoint: Endpoint): CompiledEndpoint;
  /** The sockets to APIs. */
  readonly pools: readonly PoolLoad[];
  /** Aborts requests in progress. */
  abort(): void;
  /** Waits for requests in progress. */
  close(): Promise<void>;
}

export interface ExecutorOptions extends PoolOptions {
  /** Used unless the endpoint or an argument sets another. Default `landbridge`. */
  readonly userAgent?: string;
  /** Redacts answers. It gets the secrets of every endpoint that is called, and access tokens as they are issued. */
  readonly redact?: Redactor;
  /** Called with every raw answer. If it returns a text, that replaces a successful answer. */
  readonly onAnswer?: OnAnswer;
  /** Signs the assertions about callers that domains ask for. */
  readonly signer?: AssertionSigner;
  /** Limits the calls of one domain to one origin, before its sockets. Logins are not counted. */
  readonly semaphoreOf?: CallDependencies['semaphoreOf'];
  /** Access tokens shared with other processes. */
  readonly sharedTokens?: SharedTokens;
}

export function createExecutor(options: ExecutorOptions = {}): Executor {
  // With limits, their queue must be the only one: a limited pool would be a second one, shared by all domains of an origin.
  const sender = createSender(options.semaphoreOf === undefined ? options : { ...options, connections: null });
  const redact = options.redact ?? createRedactor([]);
  for (const proxy of [options.proxies?.http, options.proxies?.https])
    for (const secret of proxy?.secrets ?? []) redact.keepSecret(secret);
  const threads = new AnswerThreads();
  const { onAnswer, signer, semaphoreOf } = options;
  const userAgent = options.userAgent ?? 'landbridge';
  const tokens = new AccessTokenCache(createTokenClient(sender.send, redact, userAgent), options.sharedTokens);

  return {
    compile(endpoint) {
      // Compiled on first use: a catalog may have thousands of endpoints that are never called.
      let call: ReturnType<typeof compileCall> | undefined;
      let plan: RequestPlan | undefined;
      const planFor = (tool: string): RequestPlan => {
        if (plan === undefined) {
          for (const secret of endpointSecrets(endpoint)) redact.keepSecret(secret);
          plan = compileRequest(endpoint, userAgent, tool);
        }
        return plan;
      };
      return {
        run(context, args) {
          try {
            call ??= compileCall(endpoint, planFor(context.label), {
              send: sender.send,
              tokens,
              redact,
              threads,
              onAnswer,
              signer,
              semaphoreOf,
            });
          } catch (error) {
            return Promise.reject(error);
          }
          return call(context, args);
        },
        preview(args, tool) {
          const { proof, missing } = previewProof(endpoint);
          const request = planFor(tool).build(args, tool, proof);
          return buildPreview(request, missing, redact);
        },
      };
    },
    get pools() {
      return sender.pools;
    },
    abort: () => sender.abort(),
    async close() {
      await sender.close();
      await threads.close();
    },
  };
}
