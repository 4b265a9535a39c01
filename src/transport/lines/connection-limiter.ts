// Limits the connections of the TCP listener. A connection that has not authenticated yet is closed when another one
// needs its place, so that silent connections cannot keep others out. No authenticated caller can take the last places.
import type { Socket } from 'node:net';

interface LimitedConnection {
  readonly socket: Socket;
  /** Undefined until the connection has authenticated. */
  caller: string | undefined;
}

/** The caller of all connections if authentication is off. */
const ANYBODY = '';

export class ConnectionLimiter {
  readonly #max: number;
  readonly #perCaller: number;
  /**
   * In the order of their arrival. The key is the address and port of the peer: after a TLS handshake, the socket is
   * another object.
   */
  readonly #connections = new Map<string, LimitedConnection>();

  constructor(max: number) {
    this.#max = max;
    this.#perCaller = max < 4 ? max : max - Math.ceil(max / 8);
  }

  /**
   * Call it for every connection, before any handshake. If the limit is reached, returns the connection that must be closed: the oldest
   * unauthenticated one, or this one.
   */
  add(socket: Socket): Socket | undefined {
    const oldest = this.#connections.size < this.#max ? undefined : (this.#removeUnauthenticated() ?? socket);
    if (oldest === socket) return oldest;
    const peer = peerOf(socket);
    const entry = { socket, caller: undefined };
    this.#connections.set(peer, entry);
    socket.once('close', () => {
      if (this.#connections.get(peer) === entry) this.#connections.delete(peer);
    });
    return oldest;
  }

  /** Call it when the caller is known, or without one if authentication is off. False: this caller has reached its limit. */
  authenticate(socket: Socket, caller: string | undefined): boolean {
    let own = 0;
    for (const entry of this.#connections.values()) if (entry.caller === caller) own++;
    if (caller !== undefined && own >= this.#perCaller) return false;
    const entry = this.#connections.get(peerOf(socket));
    if (entry) entry.caller = caller ?? ANYBODY;
    return true;
  }

  #removeUnauthenticated(): Socket | undefined {
    for (const [peer, { socket, caller }] of this.#connections) {
      if (caller !== undefined) continue;
      this.#connections.delete(peer);
      return socket;
    }
    return undefined;
  }
}

function peerOf({ remoteAddress, remotePort }: Socket): string {
  return `${remoteAddress} ${remotePort}`;
}
