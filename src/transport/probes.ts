// What load balancers ask every few seconds: /healthz and /readyz. Asked plainly they are answered here: a gateway that is only
// called and probed never loads express.
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { RoutesParts } from './routes.ts';

type ProbeParts = Pick<RoutesParts, 'ready' | 'isExhausted' | 'problem' | 'sharedState'>;

interface Probed {
  readonly status: number;
  readonly body: object;
}

const stateOf = ({ sharedState }: ProbeParts) => sharedState && { state: sharedState() };

export const PROBES: ReadonlyMap<string, (parts: ProbeParts) => Probed> = new Map([
  ['/healthz', (parts: ProbeParts) => ({ status: 200, body: { status: 'ok', ...stateOf(parts) } })],
  [
    '/readyz',
    (parts: ProbeParts) => {
      const status = !parts.ready()
        ? 'draining'
        : parts.isExhausted?.()
          ? 'out of memory'
          : (parts.problem?.() ?? 'ready');
      return { status: status === 'ready' ? 200 : 503, body: { status, ...stateOf(parts) } };
    },
  ],
]);

/** Writes the very bytes that express would. False: another path, spelling, method or condition, for routes.ts. */
export function answerProbe(parts: ProbeParts, request: IncomingMessage, response: ServerResponse): boolean {
  const { method, url = '', headers } = request;
  const probe = method === 'GET' ? PROBES.get(url) : undefined;
  if (!probe || headers['if-none-match'] !== undefined || headers['if-modified-since'] !== undefined) return false;
  const { status, body } = probe(parts);
  const text = JSON.stringify(body);
  response.statusCode = status;
  response.setHeader('Content-Type', 'application/json; charset=utf-8');
  response.setHeader('Content-Length', Buffer.byteLength(text));
  response.end(text);
  return true;
}
