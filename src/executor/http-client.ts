// An HTTP client for servers that the gateway itself depends on, such as an authorization server: it follows no redirects, and limits
// answers in bytes and time.
import { setMaxListeners } from 'node:events';
import type { EndpointLimits } from '../endpoint/model.ts';
import { GatewayError, ToolError } from '../errors.ts';
import type { ProxyRules } from '../network/proxy-rules.ts';
import { createSender } from './send.ts';

export interface HttpClient {
  ask(request: {
    readonly method: 'GET' | 'POST';
    readonly url: URL;
    readonly headers?: Readonly<Record<string, string>>;
    readonly body?: string;
  }): Promise<{ readonly status: number; readonly body: Buffer }>;
  close(): Promise<void>;
}

const LIMITS: EndpointLimits = Object.freeze({ timeoutMs: 5_000, maxResponseBytes: 256 * 1024 });

/** `proxies`: those of the environment, as for calls. */
export function createHttpClient(userAgent: string, proxies: ProxyRules): HttpClient {
  const sender = createSender({ connections: 64, proxies });
  const closing = new AbortController();
  // Every open request listens to this signal.
  setMaxListeners(0, closing.signal);
  return {
    async ask({ method, url, headers, body }) {
      const request = {
        method,
        origin: url.origin,
        path: url.pathname + url.search,
        url: url.origin + url.pathname,
        headers: { 'user-agent': userAgent, ...headers },
        body: body ?? null,
        limits: LIMITS,
        isRead: true,
      };
      const options = { label: url.origin, signal: closing.signal, deadline: performance.now() + LIMITS.timeoutMs };
      try {
        return await sender.send(request, options).catch((error: unknown) => {
          // The server may have closed an idle socket just then. These requests change nothing, so they can be repeated.
          if (error instanceof GatewayError && error.code === 'UNREACHABLE') return sender.send(request, options);
          throw error;
        });
      } catch (error) {
        throw new Error(explain(error), { cause: error });
      }
    },
    close() {
      closing.abort();
      return sender.close();
    },
  };
}

/** The reason without advice to a caller: only the operator reads it. */
function explain(error: unknown): string {
  const code = error instanceof GatewayError ? error.code : undefined;
  if (code === 'TIMEOUT') return `it did not answer within ${LIMITS.timeoutMs / 1000} s`;
  if (code === 'TOO_LARGE') return `its answer is larger than ${LIMITS.maxResponseBytes} bytes`;
  if (code === 'BAD_RESPONSE') return 'its answer is not valid HTTP';
  const [reason = ''] = (error instanceof ToolError ? error.why : (error as Error).message).split('\n', 1);
  return `it could not be reached: ${reason}`;
}
