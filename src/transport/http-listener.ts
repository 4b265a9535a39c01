// The HTTP listener on node:http: how it starts, and how it ends without losing a request.
import { createServer, type Server, type ServerOptions } from 'node:http';
import { createServer as createTlsServer, type Server as TlsServer } from 'node:https';
import { Server as NetServer } from 'node:net';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { acceptLastConnections, CHECK_MS, FLUSH_MS, QUIET_MS, within } from './closing.ts';
import { RequestLoad, type TransportLoad } from './in-flight.ts';
import { explainListenError, trackConnections } from './listen.ts';
import { type ListenerTlsOptions, toTlsServerOptions } from './listener-tls.ts';
import { DirectRequest } from './node-internals.ts';
import {
  type HttpBackend,
  MAX_HEADERS,
  RequestHandler,
  type RequestHandlerOptions,
  type RequestListener,
} from './request-handler.ts';

export interface HttpOptions<Data = unknown> extends RequestHandlerOptions<Data> {
  readonly host: string;
  readonly port: number;
  /** From the first byte of a request to its last. Default 30 s. */
  readonly requestTimeoutMs?: number;
  /** How long a client may leave its answer unread. Default 60 s. */
  readonly stallMs?: number;
  /** How long an idle connection stays open. Default 620 s. */
  readonly keepAliveMs?: number | undefined;
  /** HTTPS in place of HTTP. */
  readonly tls?: ListenerTlsOptions | undefined;
  /** Called when the grace time of `close()` is over: calls in progress must be answered now. `gateway.abort` does that. */
  readonly giveUp?: (() => void) | undefined;
  /** If another process accepts connections for this one: makes it stop, and resolves when the last of them has arrived. */
  readonly endListening?: (() => Promise<void>) | undefined;
}

/** A running HTTP server. */
export interface HttpServer {
  readonly port: number;
  readonly load: TransportLoad;
  /** From now on every answer closes its connection. New connections are served as before, until `close()`. */
  drain(): void;
  /** Accepts no new connections; requests in progress are answered, within the grace time. Connections idle for `quietMs` are closed. */
  close(graceMs: number, quietMs?: number): Promise<void>;
  /** Uses another certificate for new connections; if it cannot be used, throws and keeps the old one. */
  renewTls(tls: ListenerTlsOptions): void;
}

export const REQUEST_TIMEOUT_MS = 30_000;
/**
 * Longer than proxies keep their connections (nginx and AWS 60 s, Google's load balancers 600): the side that sends requests must close
 * first, or it may send one into a connection that is being closed.
 */
const KEEP_ALIVE_MS = 620_000;
/** Like send_timeout of nginx. */
const STALL_MS = 60_000;
const WATCH_MS = 5_000;

export async function startHttp(backend: HttpBackend, options: HttpOptions): Promise<HttpServer> {
  const load = new RequestLoad();
  const handler = new RequestHandler(backend, options, load);
  const requestTimeoutMs = options.requestTimeoutMs ?? REQUEST_TIMEOUT_MS;
  const server = createServerOf(
    options.tls,
    {
      maxHeaderSize: 16 * 1024,
      headersTimeout: Math.min(10_000, requestTimeoutMs),
      requestTimeout: requestTimeoutMs,
      keepAliveTimeout: options.keepAliveMs ?? KEEP_ALIVE_MS,
      // Node checks headersTimeout and requestTimeout only this often; its default would give slow clients half a
      // minute more.
      connectionsCheckingInterval: Math.min(5_000, requestTimeoutMs),
      // The handler checks it: node would write its own refusal for every request in one read of a socket, however many.
      requireHostHeader: false,
      IncomingMessage: DirectRequest,
    },
    handler.handle,
  );
  server.maxHeadersCount = MAX_HEADERS;
  const connections = trackConnections();
  server.on('connection', connections.add);
  server.on(options.tls ? 'secureConnection' : 'connection', handler.addConnection);
  server.on('tlsClientError', handler.noteTlsFailure);
  server.on('checkExpectation', handler.handle);
  // No 'clientError' listener: node itself answers 400, 408 or 431, unless an answer has already begun.
  const port = await listen(server, options);
  const stallMs = options.stallMs ?? STALL_MS;
  const watching = setInterval(handler.watchReaders, Math.min(WATCH_MS, stallMs / 2), stallMs).unref();
  const shutdown = new Shutdown(server, handler, load, options);
  return {
    port,
    get load() {
      const { underWay, parked, streams } = load;
      return { connections: connections.size, underWay, parked, streams };
    },
    drain: () => shutdown.drain(),
    async close(graceMs, quietMs) {
      await shutdown.close(graceMs, quietMs);
      clearInterval(watching);
      server.closeAllConnections();
      connections.destroyAll();
      await shutdown.closed;
    },
    renewTls(tls) {
      (server as TlsServer).setSecureContext(toTlsServerOptions(tls));
    },
  };
}

class Shutdown {
  /** Resolves when all connections are closed. */
  readonly closed: Promise<void>;
  readonly #server: Server;
  readonly #handler: RequestHandler;
  readonly #load: RequestLoad;
  readonly #options: HttpOptions;
  #onClosed = () => {};
  #idleCheck: NodeJS.Timeout | undefined;

  constructor(server: Server, handler: RequestHandler, load: RequestLoad, options: HttpOptions) {
    this.#server = server;
    this.#handler = handler;
    this.#load = load;
    this.#options = options;
    this.closed = new Promise<void>((resolve) => {
      this.#onClosed = resolve;
    });
  }

  drain(): void {
    this.#handler.drain();
    this.#idleCheck ??= setInterval(this.#handler.checkIdle, CHECK_MS).unref();
  }

  async close(graceMs: number, quietMs = QUIET_MS): Promise<void> {
    const { giveUp, endListening } = this.#options;
    this.drain();
    if (graceMs > 0) {
      // Connections stay open a moment longer, so that clients open no new ones while the listener closes.
      this.#handler.drain(false);
      await endListening?.();
      await acceptLastConnections(this.#server);
      this.#handler.drain();
    }
    // Not close() of node:http: since Node 19 it first closes idle connections, on which a request may be on its way.
    NetServer.prototype.close.call(this.#server, this.#onClosed);
    // In setImmediate, after the event loop has read from sockets: what has arrived by then counts as a request in progress.
    const closing = setInterval(() => setImmediate(this.#handler.closeIdle, quietMs), CHECK_MS);
    // The call of a legacy client continues after its client disconnects (2025-11-25, basic/transports), so wait for
    // requests as well.
    const isOver = await within(graceMs, Promise.all([this.closed, this.#load.idle()]));
    if (!isOver) {
      giveUp?.();
      // Calls that were given up are answered in the next turns.
      for (let turn = 0; turn < 3; turn++) await nextTurn();
      this.#handler.refuseAll();
      await within(FLUSH_MS, this.closed);
    }
    clearInterval(closing);
    clearInterval(this.#idleCheck);
    // Called for its side effect: it stops node's own timer.
    this.#server.close(() => {});
  }
}

function createServerOf(tls: ListenerTlsOptions | undefined, settings: ServerOptions, handle: RequestListener): Server {
  return tls ? createTlsServer({ ...settings, ...toTlsServerOptions(tls) }, handle) : createServer(settings, handle);
}

function listen(server: Server, { host, port }: HttpOptions): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', (error) => reject(explainListenError(error, 'HTTP', host, port)));
    server.listen(port, host, () => resolve((server.address() as { port: number }).port));
  });
}
