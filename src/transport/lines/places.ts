// The places for connections. A connection that has not authenticated yet keeps its place only until another needs it, so that
// silent connections shut nobody out; and no authenticated caller can take the last places.
import type { Socket } from 'node:net';

interface Place {
  readonly socket: Socket;
  /** Undefined: nobody knows yet who it is. */
  caller: string | undefined;
}

const ANYBODY = '';

export class Places {
  readonly #max: number;
  readonly #perCaller: number;
  /** In the order they came. By address and port of the peer: in TLS the socket is another one after the handshake. */
  readonly #places = new Map<string, Place>();

  constructor(max: number) {
    this.#max = max;
    this.#perCaller = max < 4 ? max : max - Math.ceil(max / 8);
  }

  /**
   * Call it for every connection, before any handshake. Returns the connection that has to go if there is no place: the oldest
   * unauthenticated one, or this one.
   */
  enter(socket: Socket): Socket | undefined {
    const leaving = this.#places.size < this.#max ? undefined : (this.#forgetStranger() ?? socket);
    if (leaving === socket) return leaving;
    const peer = peerOf(socket);
    const place = { socket, caller: undefined };
    this.#places.set(peer, place);
    socket.once('close', () => {
      if (this.#places.get(peer) === place) this.#places.delete(peer);
    });
    return leaving;
  }

  /** The caller is known now, or authentication is off. False: this caller already has as many places as one may have. */
  settle(socket: Socket, caller: string | undefined): boolean {
    let own = 0;
    for (const place of this.#places.values()) if (place.caller === caller) own++;
    if (caller !== undefined && own >= this.#perCaller) return false;
    const place = this.#places.get(peerOf(socket));
    if (place) place.caller = caller ?? ANYBODY;
    return true;
  }

  #forgetStranger(): Socket | undefined {
    for (const [peer, { socket, caller }] of this.#places) {
      if (caller !== undefined) continue;
      this.#places.delete(peer);
      return socket;
    }
    return undefined;
  }
}

function peerOf({ remoteAddress, remotePort }: Socket): string {
  return `${remoteAddress} ${remotePort}`;
}
