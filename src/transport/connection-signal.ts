// Notifies the requests in progress on an HTTP connection that their client has disconnected. One AbortSignal serves the whole
// connection: creating one per request would cost a tenth of a small call.
import { getEventListeners } from 'node:events';
import type { Socket } from 'node:net';
import { SharedSignal } from '../event-loop/abort-listeners.ts';

const CONNECTION = Symbol('the ConnectionSignal of a socket');

/** Call it when a request starts, and `leave()` when it is answered. */
export function enterConnection(socket: Socket & { [CONNECTION]?: ConnectionSignal }): ConnectionSignal {
  socket[CONNECTION] ??= new ConnectionSignal(socket);
  socket[CONNECTION].enter();
  return socket[CONNECTION];
}

export class ConnectionSignal {
  #shared = new SharedSignal();
  #requests = 0;

  constructor(socket: Socket) {
    if (socket.destroyed) this.#shared.abort();
    else socket.once('close', () => this.#shared.abort());
  }

  get signal(): AbortSignal {
    return this.#shared.signal;
  }

  enter(): void {
    this.#requests++;
  }

  leave(): void {
    if (--this.#requests > 0 || !this.#shared.hasOtherListeners) return;
    this.#shared.hasOtherListeners = false;
    // A handler that still listens after its answer must not be notified of events of later requests.
    if (getEventListeners(this.signal, 'abort').length > 0) this.#shared = new SharedSignal();
  }
}
