// Does, never decides: endpoint + arguments → request → answer. Callers have validated and confirmed before.
import type { Args, Endpoint } from '../endpoint/model.ts';
import { createRedactor, type Redactor, secretValues } from '../endpoint/secrets.ts';
import type { Answer } from './answer/build-answer.ts';
import { createTokens } from './oauth.ts';
import { compileRequest, type RequestPlan } from './request/build-request.ts';
import { buildPreview, previewProof, type RequestPreview } from './request/preview.ts';
import { compileCall } from './run-endpoint.ts';
import { createSender, type Dispatcher } from './send.ts';

export type { RequestPreview } from './request/preview.ts';

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

export interface CompiledEndpoint {
  run(args: Args, options: ExecuteOptions): Promise<Answer>;
  /** Sends nothing. */
  preview(args: Args): RequestPreview;
}

export interface Executor {
  compile(endpoint: Endpoint): CompiledEndpoint;
  /** Waits for what is in flight. */
  close(): Promise<void>;
}

export interface ExecutorOptions {
  /** Replaces the connection pools; asked at every call. */
  readonly dispatcher?: (origin: string) => Dispatcher;
  /** Sockets per origin, 64 by default. */
  readonly connections?: number;
  /** Where neither the endpoint nor an argument says otherwise; `landbridge` by default. */
  readonly userAgent?: string;
  /** Told every secret that comes into being while running (access tokens), for the log's redactor. */
  readonly onSecret?: (value: string) => void;
}

export function createExecutor(options: ExecutorOptions = {}): Executor {
  const sender = createSender(options);
  const tokens = createTokens(sender.send, options.onSecret ?? (() => {}));
  const userAgent = options.userAgent ?? 'landbridge';
  const redactorFor = createRedactors();

  return {
    compile(endpoint) {
      // Compiled on first use: a catalog may hold thousands of endpoints that are never called.
      let plan: RequestPlan | undefined;
      let call: ReturnType<typeof compileCall> | undefined;
      const planOf = () => (plan ??= compileRequest(endpoint, userAgent));
      return {
        run(args, runOptions) {
          if (call === undefined) {
            try {
              call = compileCall(endpoint, planOf(), sender.send, tokens, redactorFor(endpoint));
            } catch (error) {
              return Promise.reject(error);
            }
          }
          return call(args, runOptions);
        },
        preview(args) {
          const { proof, missing } = previewProof(endpoint);
          const request = planOf().build(args, endpoint.toolName, proof);
          return buildPreview(request, missing, redactorFor(endpoint));
        },
      };
    },
    close: () => sender.close(),
  };
}

/** Endpoints with the same secrets share one redactor. */
function createRedactors(): (endpoint: Endpoint) => Redactor {
  const redactors = new Map<string, Redactor>();
  return (endpoint) => {
    const secrets = endpoint.security.flat().flatMap(secretValues);
    const key = JSON.stringify(secrets);
    let redactor = redactors.get(key);
    if (redactor === undefined) {
      redactor = createRedactor(secrets);
      redactors.set(key, redactor);
    }
    return redactor;
  };
}
