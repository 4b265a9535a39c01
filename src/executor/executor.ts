// Does, never decides: endpoint + arguments → request → answer. Callers have validated and confirmed before.
import type { Dispatcher } from 'undici';
import type { Args, Endpoint } from '../endpoint/model.ts';
import { buildProof, chooseCredentials, missingCredential, type Proof } from './credentials.ts';
import { compileRequest, type RequestPlan } from './request.ts';
import { type Answer, buildAnswer } from './response.ts';
import { createSender, type Sender } from './send.ts';

export interface ExecuteOptions {
  /** For messages. */
  readonly tool: string;
  /** Aborted when the caller leaves: the upstream request ends at once. */
  readonly signal: AbortSignal;
  /** traceparent, tracestate, baggage; already validated. */
  readonly trace?: Readonly<Record<string, string>>;
  /** Dot paths the model wants to see. */
  readonly fields?: readonly string[];
  /** Called for calls that last, with strictly increasing values. */
  readonly progress?: (progress: number, total?: number, message?: string) => void;
}

/** The request as it would go out, with credentials replaced by `[redacted]`. */
export interface RequestPreview {
  readonly method: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
}

export interface CompiledEndpoint {
  run(args: Args, options: ExecuteOptions): Promise<Answer>;
  preview(args: Args): RequestPreview;
}

export interface Executor {
  compile(endpoint: Endpoint): CompiledEndpoint;
  close(): Promise<void>;
}

export interface ExecutorOptions {
  /** Replaces the connection pools; asked at every call. */
  readonly dispatcher?: (origin: string) => Dispatcher;
  /** Sockets per origin, 64 by default. */
  readonly connections?: number;
  readonly userAgent?: string;
}

export function createExecutor(options: ExecutorOptions = {}): Executor {
  const sender = createSender(options);
  const userAgent = options.userAgent ?? 'landbridge';
  return {
    compile: (endpoint) => compileEndpoint(endpoint, sender, userAgent),
    close: () => sender.close(),
  };
}

function compileEndpoint(endpoint: Endpoint, sender: Sender, userAgent: string): CompiledEndpoint {
  // Compiled on first use: a catalog may hold thousands of endpoints that are never called.
  let plan: RequestPlan | undefined;
  let proof: Proof | undefined;
  return {
    async run(args, options) {
      plan ??= compileRequest(endpoint, userAgent);
      const choice = chooseCredentials(endpoint);
      if (choice.kind === 'missing') throw missingCredential(options.tool, choice.alternatives);
      if (choice.kind === 'chosen') proof ??= buildProof(options.tool, choice.credentials, () => '');
      const request = plan.build(args, options.tool, proof, options.trace);
      const raw = await sender.send(request, {
        tool: options.tool,
        signal: options.signal,
        remainingMs: endpoint.limits.timeoutMs,
        timeoutMs: endpoint.limits.timeoutMs,
        maxResponseBytes: endpoint.limits.maxResponseBytes,
      });
      return buildAnswer(endpoint, request, raw);
    },
    preview(args) {
      plan ??= compileRequest(endpoint, userAgent);
      const request = plan.build(args, endpoint.toolName, undefined);
      return {
        method: request.method,
        url: request.origin + request.path,
        headers: request.headers,
        ...(request.body !== null && { body: request.body.toString() }),
      };
    },
  };
}
