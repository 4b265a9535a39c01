// /healthz and /readyz, which load balancers request every few seconds. Plain requests are answered here, so that a gateway that is
// only called and probed never loads express.
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { RouteOptions } from './routes.ts';

type ProbeOptions = Pick<RouteOptions, 'ready' | 'isExhausted' | 'problem' | 'sharedState'>;

interface ProbeAnswer {
  readonly status: number;
  readonly body: object;
}

const stateOf = ({ sharedState }: ProbeOptions) => sharedState && { state: sharedState() };

export const PROBES: ReadonlyMap<string, (options: ProbeOptions) => ProbeAnswer> = new Map([
  ['/healthz', (options: ProbeOptions) => ({ status: 200, body: { status: 'ok', ...stateOf(options) } })],
  [
    '/readyz',
    (options: ProbeOptions) => {
      const status = !options.ready()
        ? 'draining'
        : options.isExhausted?.()
          ? 'out of memory'
          : (options.problem?.() ?? 'ready');
      return { status: status === 'ready' ? 200 : 503, body: { status, ...stateOf(options) } };
    },
  ],
]);

/** Writes the same bytes as express. False: another path, spelling, method or condition, which routes.ts handles. */
export function answerProbe(options: ProbeOptions, request: IncomingMessage, response: ServerResponse): boolean {
  const { method, url = '', headers } = request;
  const probe = method === 'GET' ? PROBES.get(url) : undefined;
  if (!probe || headers['if-none-match'] !== undefined || headers['if-modified-since'] !== undefined) return false;
  const { status, body } = probe(options);
  const text = JSON.stringify(body);
  response.statusCode = status;
  response.setHeader('Content-Type', 'application/json; charset=utf-8');
  response.setHeader('Content-Length', Buffer.byteLength(text));
  response.end(text);
  return true;
}
