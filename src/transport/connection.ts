// One HTTP connection: tells whoever is under way on it that its client has left, and stops node's parser on it. One
// AbortSignal serves the whole connection: making one for every request would cost a tenth of a small call.
import { getEventListeners, setMaxListeners } from 'node:events';
import type { Socket } from 'node:net';
import { shareSignal } from '../call/departure.ts';

const connections = new WeakMap<Socket, Connection>();

/** To be called when a request is taken up; `leave()` when it is answered. */
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
    // A handler that went on listening after its answer must not be called for what happens to later requests. One listener
    // is that of shareSignal().
    if (getEventListeners(this.signal, 'abort').length > 1) this.controller = createController();
  }
}

function createController(): AbortController {
  const controller = new AbortController();
  // Pipelined requests share the signal; Node would take them for a leak.
  setMaxListeners(0, controller.signal);
  shareSignal(controller.signal);
  return controller;
}

/**
 * Node's parser has no way to stop within the 64 KB that a read of a socket may bring: thousands of requests, or ten thousand
 * chunks of a body. It is undocumented, but as old as node's server; another runtime may have none, and then goes on.
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

/** What llhttp takes for "leave the rest of these bytes alone"; to node it is the answer to a protocol upgrade. */
const STOP_PARSING = 2;

/** What follows the request that is being parsed never becomes one. */
export function stopRequests(socket: Socket): void {
  const parser = parserOf(socket);
  if (parser) parser.onIncoming = () => STOP_PARSING;
}

/** Nothing more of the body that is being parsed is announced, until the connection is closed. */
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
