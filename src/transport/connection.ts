// Tells whoever is under way on a connection that its client has left. One AbortSignal serves the whole connection:
// making one for every request would cost a tenth of a small call.
import { getEventListeners, setMaxListeners } from 'node:events';
import type { Socket } from 'node:net';

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

  /** More than one request is under way: the client did not wait for an answer. */
  get isPipelined(): boolean {
    return this.underWay > 1;
  }

  enter(): void {
    this.underWay++;
  }

  leave(): void {
    if (--this.underWay > 0) return;
    // A handler that went on listening after its answer must not be called for what happens to later requests.
    if (getEventListeners(this.signal, 'abort').length > 0) this.controller = createController();
  }
}

function createController(): AbortController {
  const controller = new AbortController();
  // Pipelined requests share the signal; Node would take them for a leak.
  setMaxListeners(0, controller.signal);
  return controller;
}
