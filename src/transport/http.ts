// POST /mcp straight on node:http: the hot path. Plain probes go to probes.ts, every other request to the express app in routes.ts.
import { createServer, type Server, type ServerOptions } from 'node:http';
import { createServer as createTlsServer, type Server as TlsServer } from 'node:https';
import { Server as NetServer } from 'node:net';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { type TlsOptions, toTlsServerOptions } from './door/tls.ts';
import { letLastOnesIn } from './ending/last-visitors.ts';
import { FLUSH_MS, LOOK_MS, QUIET_MS } from './ending/patience.ts';
import { createDoor, type Door, type DoorOptions, type DoorParts, MAX_HEADERS } from './http-door.ts';
import { createLoad, type Load, type TransportLoad, within } from './in-flight.ts';
import { explainListenError, trackConnections } from './listen.ts';
import { DirectRequest } from './node-http/direct-request.ts';

export interface HttpOptions<Data = unknown> extends DoorOptions<Data> {
  readonly host: string;
  readonly port: number;
  /** From the first byte of a request to its last. Default 30 s. */
  readonly requestTimeoutMs?: number;
  /** How long an answer waits for its reader to take any of it. Default 60 s. */
  readonly stallMs?: number;
  /** How long an idle connection stays open. Default 620 s. */
  readonly keepAliveMs?: number | undefined;
  /** HTTPS in place of HTTP. */
  readonly tls?: TlsOptions | undefined;
  /** Called when the grace time of `close()` is over: calls in progress must be answered now. `gateway.abort` does that. */
  readonly giveUp?: (() => void) | undefined;
  /** If another process accepts the connections for this one: makes it stop, and resolves when the last of them is here. */
  readonly endListening?: (() => Promise<void>) | undefined;
}

export interface HttpServer {
  readonly port: number;
  readonly load: TransportLoad;
  /** From now on every answer closes its connection. New ones are served as before, until `close()`. */
  drain(): void;
  /** Accepts no new connections; requests in progress are answered, within the grace time. Connections idle for `quietMs` are closed. */
  close(graceMs: number, quietMs?: number): Promise<void>;
  /** Uses another certificate for new connections; if it cannot be used, throws and keeps the old one. */
  renewTls(tls: TlsOptions): void;
}

export const REQUEST_TIMEOUT_MS = 30_000;
/**
 * Longer than proxies keep theirs (nginx and AWS 60 s, Google's load balancers 600): the side that sends requests must be the one
 * that closes first, or it may send one into a connection that is being closed.
 */
const KEEP_ALIVE_MS = 620_000;
/** As nginx' send_timeout. */
const STALL_MS = 60_000;
const WATCH_MS = 5_000;

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
      keepAliveTimeout: options.keepAliveMs ?? KEEP_ALIVE_MS,
      // Node checks the two above only this often; its default leaves slow clients half a minute more.
      connectionsCheckingInterval: Math.min(5_000, requestTimeoutMs),
      // Checked in the door: node's own refusals would be written for every request in one read of a socket, however many.
      requireHostHeader: false,
      IncomingMessage: DirectRequest,
    },
    door.open,
  );
  server.maxHeadersCount = MAX_HEADERS;
  const connections = trackConnections();
  server.on('connection', connections.add);
  server.on(options.tls ? 'secureConnection' : 'connection', door.meet);
  server.on('tlsClientError', door.missHandshake);
  server.on('checkExpectation', door.open);
  // No 'clientError' listener: Node's own answers 400, 408 or 431, unless an answer has already begun.
  const port = await listen(server, options);
  const stallMs = options.stallMs ?? STALL_MS;
  const watching = setInterval(door.watchReaders, Math.min(WATCH_MS, stallMs / 2), stallMs).unref();
  const end = createEnd(server, door, load, options);
  return {
    port,
    get load() {
      const { underWay, parked, streams } = load;
      return { connections: connections.size, underWay, parked, streams };
    },
    drain: end.drain,
    async close(graceMs, quietMs) {
      await end.close(graceMs, quietMs);
      clearInterval(watching);
      server.closeAllConnections();
      connections.destroyAll();
      await end.closed;
    },
    renewTls(tls) {
      (server as TlsServer).setSecureContext(toTlsServerOptions(tls));
    },
  };
}

function createEnd(server: Server, door: Door, load: Load, { giveUp, endListening }: HttpOptions) {
  let looking: NodeJS.Timeout | undefined;
  let hasClosed = () => {};
  const whenClosed = new Promise<void>((resolve) => {
    hasClosed = resolve;
  });
  const drain = () => {
    door.drain();
    looking ??= setInterval(door.look, LOOK_MS).unref();
  };
  return {
    closed: whenClosed,
    drain,
    async close(graceMs: number, quietMs = QUIET_MS): Promise<void> {
      drain();
      if (graceMs > 0) {
        // A client that keeps its connection for a moment longer makes no new one while the listener closes.
        door.drain(false);
        await endListening?.();
        await letLastOnesIn(server);
        door.drain();
      }
      // Not close() of node:http: since Node 19 it begins with closing idle connections, on which a request may be under way.
      NetServer.prototype.close.call(server, hasClosed);
      // In setImmediate, after the event loop has read from sockets: what has arrived by then counts as a request in progress.
      const closing = setInterval(() => setImmediate(door.closeIdle, quietMs), LOOK_MS);
      // A legacy client may hang up, and its call goes on (2025-11-25, basic/transports).
      const isOver = await within(graceMs, Promise.all([whenClosed, load.idle()]));
      if (!isOver) {
        giveUp?.();
        // Calls that were given up are answered in the next turns.
        for (let turn = 0; turn < 3; turn++) await nextTurn();
        door.refuseAll();
        await within(FLUSH_MS, whenClosed);
      }
      clearInterval(closing);
      clearInterval(looking);
      // Called for its other effect: it stops node's own timer.
      server.close(() => {});
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
