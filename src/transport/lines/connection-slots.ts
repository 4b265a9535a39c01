// Limits the connections of the TCP listener. A connection that has not authenticated yet keeps its slot only until another connection
// needs it, so that silent connections shut nobody out; and no authenticated caller can take the last slots.
import type { Socket } from 'node:net';

interface ConnectionSlot {
  readonly socket: Socket;
  /** Undefined until the connection has authenticated. */
  caller: string | undefined;
}

/** The caller of all connections if authentication is off. */
const ANYBODY = '';

export class ConnectionSlots {
  readonly #max: number;
  readonly #perCaller: number;
  /** In the order of their arrival. By address and port of the peer: with TLS, the socket after the handshake is another one. */
  readonly #slots = new Map<string, ConnectionSlot>();

  constructor(max: number) {
    this.#max = max;
    this.#perCaller = max < 4 ? max : max - Math.ceil(max / 8);
  }

  /**
   * Call it for every connection, before any handshake. If all slots are taken, returns the connection that must be closed: the oldest
   * unauthenticated one, or this one.
   */
  add(socket: Socket): Socket | undefined {
    const oldest = this.#slots.size < this.#max ? undefined : (this.#removeUnauthenticated() ?? socket);
    if (oldest === socket) return oldest;
    const peer = peerOf(socket);
    const slot = { socket, caller: undefined };
    this.#slots.set(peer, slot);
    socket.once('close', () => {
      if (this.#slots.get(peer) === slot) this.#slots.delete(peer);
    });
    return oldest;
  }

  /** Call it when the caller is known, or without one if authentication is off. False: this caller has reached its limit. */
  authenticate(socket: Socket, caller: string | undefined): boolean {
    let own = 0;
    for (const slot of this.#slots.values()) if (slot.caller === caller) own++;
    if (caller !== undefined && own >= this.#perCaller) return false;
    const slot = this.#slots.get(peerOf(socket));
    if (slot) slot.caller = caller ?? ANYBODY;
    return true;
  }

  #removeUnauthenticated(): Socket | undefined {
    for (const [peer, { socket, caller }] of this.#slots) {
      if (caller !== undefined) continue;
      this.#slots.delete(peer);
      return socket;
    }
    return undefined;
  }
}

function peerOf({ remoteAddress, remotePort }: Socket): string {
  return `${remoteAddress} ${remotePort}`;
}
