// One HTTP connection: tells the requests in progress on it that their client has left. One
// AbortSignal serves the whole connection: creating one per request would cost a tenth of a small call.
import { getEventListeners } from 'node:events';
import type { Socket } from 'node:net';
import { SharedSignal } from '../call/departure.ts';

const CONNECTION = Symbol('what is in progress on this socket');

/** Call it when a request starts, and `leave()` when it is answered. */
export function enterConnection(socket: Socket & { [CONNECTION]?: Connection }): Connection {
  socket[CONNECTION] ??= new Connection(socket);
  socket[CONNECTION].enter();
  return socket[CONNECTION];
}

export class Connection {
  private shared = new SharedSignal();
  private underWay = 0;

  constructor(socket: Socket) {
    if (socket.destroyed) this.shared.abort();
    else socket.once('close', () => this.shared.abort());
  }

  get signal(): AbortSignal {
    return this.shared.signal;
  }

  enter(): void {
    this.underWay++;
  }

  leave(): void {
    if (--this.underWay > 0 || !this.shared.wasHeard) return;
    this.shared.wasHeard = false;
    // A handler that still listens after its answer must not be called for events of later requests.
    if (getEventListeners(this.signal, 'abort').length > 0) this.shared = new SharedSignal();
  }
}
