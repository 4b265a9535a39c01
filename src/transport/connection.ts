// One HTTP connection: tells the requests in progress on it that their client has left. One
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

export class Connection {
  private controller = this.createController();
  private underWay = 0;
  private hasListeners = false;

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
    if (--this.underWay > 0 || !this.hasListeners) return;
    this.hasListeners = false;
    // A handler that still listens after its answer must not be called for events of later requests. One listener is that of
    // shareSignal().
    if (getEventListeners(this.signal, 'abort').length > 1) this.controller = this.createController();
  }

  private createController(): AbortController {
    const controller = new AbortController();
    const { signal } = controller;
    // Pipelined requests share the signal; Node would otherwise warn of a leak.
    setMaxListeners(0, signal);
    shareSignal(signal);
    // Few handlers listen themselves, and to ask for the listeners takes a microsecond of every request.
    signal.addEventListener = (...args: Parameters<AbortSignal['addEventListener']>) => {
      this.hasListeners = true;
      AbortSignal.prototype.addEventListener.apply(signal, args);
    };
    return controller;
  }
}
