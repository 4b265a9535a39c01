// POST /mcp straight on node:http: the hot path. Every other request goes to the express app in routes.ts.
import { isUtf8 } from 'node:buffer';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { Principal } from '../call/caller.ts';
import { ERRORS } from '../errors.ts';
import type { Protocol } from '../protocol/handle.ts';
import type { Sender } from '../protocol/sender.ts';
import { writeError } from '../protocol/wire/jsonrpc.ts';
import { createFrontier, type Frontier, type FrontierOptions } from './admission.ts';
import { enterConnection } from './connection.ts';
import { explainListenError } from './listen.ts';
import { createSse, type Sse } from './sse.ts';
import { within } from './within.ts';

export interface HttpOptions extends FrontierOptions {
  readonly host: string;
  readonly port: number;
  readonly maxBodyBytes: number;
  /** Requests under way in this process; more are sent away with 503. */
  readonly maxInFlight: number;
  /** Bodies still on their way, all together; whoever brings more is sent away with 503. Default 64 MiB. */
  readonly maxHeldBytes?: number;
  /** From the first byte of a request to its last. Default 30 s. */
  readonly requestTimeoutMs?: number;
}

export interface HttpParts {
  /** `/mcp` → '', `/mcp/admin` → 'admin'. */
  readonly protocolOf: (profile: string) => Protocol | undefined;
  /** Everything that is not POST /mcp. */
  readonly otherwise: (request: IncomingMessage, response: ServerResponse) => void;
  readonly onInternalError: (error: unknown) => void;
}

export interface HttpServer {
  readonly port: number;
  close(graceMs: number): Promise<void>;
}

const PRINCIPAL: Principal = Object.freeze({ id: 'anonymous' });
const JSON_HEADERS = 'application/json';
const BUSY = 'Too many requests are under way; try again in a moment.';
const RETRY = { 'retry-after': '1' };

export async function startHttp(parts: HttpParts, options: HttpOptions): Promise<HttpServer> {
  const frontier: Frontier = createFrontier(options);
  const requestTimeoutMs = options.requestTimeoutMs ?? 30_000;
  const maxHeldBytes = options.maxHeldBytes ?? 64 * 1024 * 1024;
  /** Requests that are work for us, and those that only wait for their client. */
  let inFlight = 0;
  let parked = 0;
  /** Bytes of bodies that have not come to their end: slow clients must not fill the memory together. */
  let held = 0;
  let draining = false;
  let wake = () => {};

  const tooLarge = `The body is larger than ${options.maxBodyBytes} bytes.`;

  const refuse = (
    request: IncomingMessage,
    response: ServerResponse,
    status: number,
    message: string,
    headers: Record<string, string> = {},
  ) => {
    if (response.headersSent) return;
    const { code } = status < 500 ? ERRORS.INVALID_REQUEST : ERRORS.INTERNAL;
    const body = writeError(undefined, code, message);
    // The rest of the request is not wanted: without `close` the client would go on sending it.
    response.writeHead(status, {
      'content-type': JSON_HEADERS,
      'content-length': Buffer.byteLength(body),
      connection: 'close',
      ...frontier.corsHeaders(request),
      ...headers,
    });
    response.end(body);
  };

  const answer = async (protocol: Protocol, request: IncomingMessage, response: ServerResponse, bytes: Buffer) => {
    const connection = enterConnection(request.socket);
    let sse: Sse | undefined;
    const accept = request.headers.accept;
    const sender: Sender = {
      transport: 'http',
      principal: PRINCIPAL,
      headers: request.headers,
      signal: connection.signal,
      park: () => {
        inFlight--;
        parked++;
        return () => {
          inFlight++;
          parked--;
        };
      },
      ...(accept?.includes('text/event-stream') && {
        send: (message: string) => {
          sse ??= createSse(response, frontier.corsHeaders(request));
          sse.send(message);
        },
      }),
    };
    inFlight++;
    try {
      const text = isUtf8(bytes) ? bytes.toString() : undefined;
      const reply =
        text === undefined
          ? {
              body: writeError(undefined, ERRORS.PARSE_ERROR.code, 'Parse error: the body is not valid UTF-8.'),
              status: 400,
            }
          : await protocol.handle(text, sender);
      if (response.destroyed) return;
      if (sse) return sse.end(reply?.body || undefined);
      if (reply?.body === '') return createSse(response, frontier.corsHeaders(request)).end(undefined);
      const cors = frontier.corsHeaders(request);
      if (!reply) {
        response.writeHead(202, { ...cors, 'content-length': 0 });
        response.end();
        return;
      }
      const { body, status, sessionId } = reply;
      const headers = ['content-type', JSON_HEADERS, 'content-length', String(Buffer.byteLength(body))];
      if (sessionId !== undefined) headers.push('mcp-session-id', sessionId);
      if (draining) headers.push('connection', 'close');
      if (cors) headers.push(...Object.entries(cors).flat());
      response.writeHead(status, headers);
      response.end(body);
    } catch (error) {
      parts.onInternalError(error);
      refuse(request, response, 500, 'Internal error; the gateway’s log says more.');
    } finally {
      connection.leave();
      if (--inFlight + parked === 0) wake();
    }
  };

  const receive = (protocol: Protocol, request: IncomingMessage, response: ServerResponse) => {
    const refusal = frontier.check(request);
    if (refusal) return refuse(request, response, refusal.status, refusal.message);
    if (inFlight >= options.maxInFlight) {
      return refuse(request, response, 503, BUSY, RETRY);
    }
    const declared = request.headers['content-length'];
    if (declared !== undefined && Number(declared) > options.maxBodyBytes) {
      return refuse(request, response, 413, tooLarge);
    }
    let first: Buffer | undefined;
    let more: Buffer[] | undefined;
    let size = 0;
    const letGo = () => {
      held -= size;
      size = 0;
      first = more = undefined;
    };
    request.on('data', (chunk: Buffer) => {
      if (response.headersSent) return;
      size += chunk.length;
      held += chunk.length;
      if (size > options.maxBodyBytes) {
        letGo();
        return refuse(request, response, 413, tooLarge);
      }
      if (held > maxHeldBytes) {
        letGo();
        return refuse(request, response, 503, BUSY, RETRY);
      }
      if (first === undefined) first = chunk;
      else if (more === undefined) more = [first, chunk];
      else more.push(chunk);
    });
    request.on('end', () => {
      held -= size;
      size = 0;
      if (response.headersSent) return;
      void answer(protocol, request, response, more ? Buffer.concat(more) : (first ?? Buffer.alloc(0)));
    });
    // A client that leaves half-way through its body has asked for nothing.
    request.on('error', () => {
      letGo();
      response.destroy();
    });
  };

  const server = createServer(
    {
      maxHeaderSize: 16 * 1024,
      headersTimeout: Math.min(10_000, requestTimeoutMs),
      requestTimeout: requestTimeoutMs,
      keepAliveTimeout: 60_000,
      // Node checks the two above only this often; its default leaves slow clients half a minute more.
      connectionsCheckingInterval: Math.min(5_000, requestTimeoutMs),
    },
    (request, response) => {
      const profile = request.method === 'POST' ? profileOf(request.url ?? '') : undefined;
      const protocol = profile === undefined ? undefined : parts.protocolOf(profile);
      if (protocol) receive(protocol, request, response);
      else parts.otherwise(request, response);
    },
  );
  // No 'clientError' listener: Node's own answers 400, 408 or 431, and never into an answer already begun.

  const port = await new Promise<number>((resolve, reject) => {
    server.once('error', (error) => reject(explainListenError(error, 'HTTP', options.host, options.port)));
    server.listen(options.port, options.host, () => resolve((server.address() as { port: number }).port));
  });

  return {
    port,
    async close(graceMs) {
      draining = true;
      const closed = new Promise((resolve) => server.close(resolve));
      server.closeIdleConnections();
      const idle = new Promise<void>((resolve) => {
        wake = resolve;
        if (inFlight + parked === 0) resolve();
      });
      await within(graceMs, idle);
      // What was answered a moment ago must still reach its client.
      server.closeIdleConnections();
      await within(500, closed);
      server.closeAllConnections();
      await closed;
    },
  };
}

/** '' for /mcp, the name for /mcp/<name>, undefined for any other path. */
export function profileOf(url: string): string | undefined {
  const end = url.indexOf('?');
  const path = end === -1 ? url : url.slice(0, end);
  if (path === '/mcp' || path === '/mcp/') return '';
  if (!path.startsWith('/mcp/')) return undefined;
  const name = path.slice(5);
  return /^[a-z][a-z0-9_-]{0,31}$/.test(name) ? name : undefined;
}
