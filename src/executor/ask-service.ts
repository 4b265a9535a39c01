// Short requests to servers that the gateway itself depends on, such as an authorization server: redirects are not followed, and
// answers are limited in bytes and time.
import { setMaxListeners } from 'node:events';
import type { EndpointLimits } from '../endpoint/model.ts';
import { GatewayError, ToolError } from '../errors.ts';
import type { ProxyRules } from '../network/proxy-rules.ts';
import { createSender } from './send.ts';

export interface ServiceQuestion {
  readonly method: 'GET' | 'POST';
  readonly url: URL;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

export interface ServiceDoor {
  ask(question: ServiceQuestion): Promise<{ readonly status: number; readonly body: Buffer }>;
  close(): Promise<void>;
}

const LIMITS: EndpointLimits = Object.freeze({ timeoutMs: 5_000, maxResponseBytes: 256 * 1024 });

/** `proxies`: what the environment says of them, as for calls. */
export function createServiceDoor(userAgent: string, proxies: ProxyRules): ServiceDoor {
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
      const errand = { label: url.origin, signal: closing.signal, deadline: performance.now() + LIMITS.timeoutMs };
      try {
        return await sender.send(request, errand).catch((error: unknown) => {
          // The server may close an idle socket at this moment. Such a request changes nothing, so it can be repeated.
          if (error instanceof GatewayError && error.code === 'UNREACHABLE') return sender.send(request, errand);
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

/** Without advice to a caller: only the operator reads it. */
function explain(error: unknown): string {
  const code = error instanceof GatewayError ? error.code : undefined;
  if (code === 'TIMEOUT') return `it did not answer within ${LIMITS.timeoutMs / 1000} s`;
  if (code === 'TOO_LARGE') return `its answer is larger than ${LIMITS.maxResponseBytes} bytes`;
  if (code === 'BAD_RESPONSE') return 'its answer is not valid HTTP';
  const [reason = ''] = (error instanceof ToolError ? error.why : (error as Error).message).split('\n', 1);
  return `it could not be reached: ${reason}`;
}
