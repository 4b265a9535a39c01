// POST /mcp straight on node:http: the hot path. Every other request goes to the express app in routes.ts.
import { createServer, type Server, type ServerOptions } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import { type TlsOptions, toTlsServerOptions } from './door/tls.ts';
import { createDoor, type Door, type DoorOptions, type DoorParts, MAX_HEADERS } from './http-door.ts';
import { createLoad, within } from './in-flight.ts';
import { explainListenError, trackConnections } from './listen.ts';

export interface HttpOptions<Data = unknown> extends DoorOptions<Data> {
  readonly host: string;
  readonly port: number;
  /** From the first byte of a request to its last. Default 30 s. */
  readonly requestTimeoutMs?: number;
  /** HTTPS in place of HTTP. */
  readonly tls?: TlsOptions | undefined;
}

export interface HttpServer {
  readonly port: number;
  close(graceMs: number): Promise<void>;
}

export const REQUEST_TIMEOUT_MS = 30_000;

export async function startHttp(parts: DoorParts, options: HttpOptions): Promise<HttpServer> {
  const load = createLoad();
  const door = createDoor(parts, options, load);
  const requestTimeoutMs = options.requestTimeoutMs ?? REQUEST_TIMEOUT_MS;
  const server = createServerOf(
    options.tls,
    {
      maxHeaderSize: 16 * 1024,
      headersTimeout: Math.min(10_000, requestTimeoutMs),
      requestTimeout: requestTimeoutMs,
      keepAliveTimeout: 60_000,
      // Node checks the two above only this often; its default leaves slow clients half a minute more.
      connectionsCheckingInterval: Math.min(5_000, requestTimeoutMs),
      // Refused here: node's own refusals are written however many of them one read of a socket holds.
      requireHostHeader: false,
    },
    door.open,
  );
  server.maxHeadersCount = MAX_HEADERS;
  const connections = trackConnections();
  if (options.tls) server.on('connection', connections.add);
  server.on(options.tls ? 'secureConnection' : 'connection', door.meet);
  server.on('tlsClientError', door.missHandshake);
  server.on('checkExpectation', door.open);
  // No 'clientError' listener: Node's own answers 400, 408 or 431, and never into an answer already begun.
  const port = await listen(server, options);
  return {
    port,
    async close(graceMs) {
      door.drain();
      const closed = new Promise((resolve) => server.close(resolve));
      server.closeIdleConnections();
      await within(graceMs, load.idle());
      // What was answered a moment ago must still reach its client.
      server.closeIdleConnections();
      await within(500, closed);
      server.closeAllConnections();
      connections.destroyAll();
      await closed;
    },
  };
}

function createServerOf(tls: TlsOptions | undefined, settings: ServerOptions, open: Door['open']): Server {
  return tls ? createTlsServer({ ...settings, ...toTlsServerOptions(tls) }, open) : createServer(settings, open);
}

function listen(server: Server, { host, port }: HttpOptions): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', (error) => reject(explainListenError(error, 'HTTP', host, port)));
    server.listen(port, host, () => resolve((server.address() as { port: number }).port));
  });
}
