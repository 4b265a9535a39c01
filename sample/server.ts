// The sample REST API: a small task board on node:http, so that the very first start of the gateway needs no network.
// openapi/tasks.yaml describes it; a test holds the two together.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createBoard } from './board.ts';
import { createRoutes, problem, type Reply, type Route } from './routes.ts';

/** A sample API that runs in this process. */
export interface SampleApi {
  /** `http://127.0.0.1:1234`, no slash at the end. */
  readonly url: string;
  close(): Promise<void>;
}

const MAX_BODY_BYTES = 64 * 1024;

/**
 * Starts the sample API; port 0 picks a free one. Resolves once it listens.
 *
 * ```ts
 * const api = await startSampleApi();
 * console.log(api.url);
 * await api.close();
 * ```
 */
export async function startSampleApi({
  host = '127.0.0.1',
  port = 0,
  now,
}: {
  host?: string;
  port?: number;
  now?: () => Date;
} = {}): Promise<SampleApi> {
  const routes = createRoutes(createBoard(now));
  const waiting = new Set<NodeJS.Timeout>();
  const server = createServer({ requestTimeout: 10_000, headersTimeout: 5_000 }, (request, response) => {
    answer(routes, request, response, waiting).catch(() => response.destroy());
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, resolve);
  });
  const address = server.address() as AddressInfo;
  return {
    url: `http://${address.family === 'IPv6' ? `[${address.address}]` : address.address}:${address.port}`,
    close: () =>
      new Promise((resolve) => {
        for (const timer of waiting) clearTimeout(timer);
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

async function answer(
  routes: readonly Route[],
  request: IncomingMessage,
  response: ServerResponse,
  waiting: Set<NodeJS.Timeout>,
): Promise<void> {
  const reply = await react(routes, request);
  if (reply.delayMs === undefined) return send(reply, request, response);
  const timer = setTimeout(() => {
    waiting.delete(timer);
    send(reply, request, response);
  }, reply.delayMs);
  waiting.add(timer);
  response.once('close', () => {
    clearTimeout(timer);
    waiting.delete(timer);
  });
}

async function react(routes: readonly Route[], request: IncomingMessage): Promise<Reply> {
  const base = 'http://sample.invalid';
  if (!URL.canParse(request.url ?? '/', base)) return problem(400, 'Bad request', 'The request target is not a URL.');
  const url = new URL(request.url ?? '/', base);
  const fits = routes.flatMap((route) => {
    const params = matchPath(route.path, url.pathname);
    return params === undefined ? [] : [{ route, params }];
  });
  if (fits.length === 0) return problem(404, 'No such path', `There is nothing at ${url.pathname}.`);
  const method = request.method === 'HEAD' ? 'GET' : request.method;
  const fit = fits.find(({ route }) => route.method === method);
  if (fit === undefined) {
    const allow = fits.map(({ route }) => route.method).join(', ');
    return problem(405, 'Method not allowed', `Use ${allow} here.`, {}, { allow });
  }
  const body = await readBody(request);
  if ('problem' in body) return body.problem;
  const origin = `http://${request.headers.host ?? 'localhost'}`;
  return fit.route.handle({
    params: fit.params,
    query: url.searchParams,
    body: body.value,
    origin,
    path: url.pathname,
  });
}

/** The template's variables, or undefined when the path is another one. */
export function matchPath(template: string, path: string): Record<string, string> | undefined {
  const wanted = template.split('/');
  const given = path.split('/');
  if (wanted.length !== given.length) return undefined;
  const params: Record<string, string> = Object.create(null);
  for (const [index, segment] of wanted.entries()) {
    if (segment.startsWith('{')) params[segment.slice(1, -1)] = given[index]!;
    else if (segment !== given[index]) return undefined;
  }
  return params;
}

async function readBody(request: IncomingMessage): Promise<{ value: unknown } | { problem: Reply }> {
  if (request.method === 'GET' || request.method === 'HEAD' || request.method === 'DELETE') return { value: undefined };
  const type = (request.headers['content-type'] ?? '').split(';')[0]!.trim().toLowerCase();
  if (type !== 'application/json' && type !== 'application/merge-patch+json') {
    return { problem: problem(415, 'Unsupported media type', 'Send application/json.') };
  }
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > MAX_BODY_BYTES) {
      return {
        problem: problem(413, 'Body too large', `Send at most ${MAX_BODY_BYTES} bytes.`, {}, { connection: 'close' }),
      };
    }
    chunks.push(chunk);
  }
  try {
    return { value: JSON.parse(Buffer.concat(chunks).toString('utf8')) };
  } catch {
    return { problem: problem(400, 'Malformed JSON', 'The body is not JSON.') };
  }
}

function send(reply: Reply, request: IncomingMessage, response: ServerResponse): void {
  if (response.destroyed) return;
  const body =
    reply.body === undefined
      ? undefined
      : Buffer.isBuffer(reply.body)
        ? reply.body
        : Buffer.from(JSON.stringify(reply.body));
  response.writeHead(reply.status, {
    ...(body === undefined
      ? {}
      : { 'content-type': 'application/json; charset=utf-8', 'content-length': String(body.length) }),
    ...reply.headers,
  });
  response.end(request.method === 'HEAD' ? undefined : body);
}
