// One HTTP connection: tells the requests in progress on it that their client has left, and can stop node's parser. One
// AbortSignal serves the whole connection: creating one per request would cost a tenth of a small call.
import { getEventListeners, setMaxListeners } from 'node:events';
import type { Socket } from 'node:net';
import { shareSignal } from '../call/departure.ts';

const connections = new WeakMap<Socket, Connection>();

/** Call it when a request starts, and `leave()` when it is answered. */
export function enterConnection(socket: Socket): Connection {
  let connection = connections.get(socket);
  if (connection === undefined) {
    connection = new Connection(socket);
    connections.set(socket, connection);
  }
  connection.enter();
  return connection;
}

class Connection {
  private controller = createController();
  private underWay = 0;

  constructor(socket: Socket) {
    if (socket.destroyed) this.controller.abort();
    else socket.once('close', () => this.controller.abort());
  }

  get signal(): AbortSignal {
    return this.controller.signal;
  }

  enter(): void {
    this.underWay++;
  }

  leave(): void {
    if (--this.underWay > 0) return;
    // A handler that still listens after its answer must not be called for events of later requests. One listener is that of
    // shareSignal().
    if (getEventListeners(this.signal, 'abort').length > 1) this.controller = createController();
  }
}

function createController(): AbortController {
  const controller = new AbortController();
  // Pipelined requests share the signal; Node would otherwise warn of a leak.
  setMaxListeners(0, controller.signal);
  shareSignal(controller.signal);
  return controller;
}

/**
 * Node's parser cannot be stopped within the 64 KB that a read of a socket may bring: thousands of requests, or ten thousand
 * chunks of a body. This uses an undocumented interface that is as old as node's server; another runtime may lack it, and then
 * reads on.
 */
interface Parser {
  /** Set for each connection. What it returns goes to llhttp. */
  onIncoming: unknown;
  /** By kind of event; belongs to the parser, which serves another connection later. */
  [kind: number]: unknown;
  readonly constructor: { readonly kOnBody?: number };
}

function parserOf(socket: Socket & { readonly parser?: Parser | null }): Parser | undefined {
  return socket.parser ?? undefined;
}

/** Tells llhttp to leave the rest of these bytes alone; node uses it for protocol upgrades. */
const STOP_PARSING = 2;

/** Requests after the one that is being parsed are dropped. */
export function stopRequests(socket: Socket): void {
  const parser = parserOf(socket);
  if (parser) parser.onIncoming = () => STOP_PARSING;
}

/** No more events for the body that is being parsed, until the connection is closed. */
export function stopBody(socket: Socket): void {
  const parser = parserOf(socket);
  const kind = parser?.constructor.kOnBody;
  if (!parser || kind === undefined) return;
  const announce = parser[kind];
  parser[kind] = undefined;
  socket.once('close', () => {
    parser[kind] = announce;
  });
}
