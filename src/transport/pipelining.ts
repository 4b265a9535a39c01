// Pipelined requests: those that did not wait for the answer to the one before. One read of a socket may contain thousands, and node
// parses all of them at once. The first few are served in separate turns, the next one is refused, and the rest are never read.
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { queueTurn } from '../event-loop/turns.ts';
import { stopBody } from './node-internals.ts';

/** On one connection, beside the one that is being answered: parsing them costs as much as a few calls. */
const MAX_PIPELINED = 32;
/** A request with more headers counts as several. */
const HEADERS_PER_WEIGHT = 32;
/** For all connections together. The cost of writing their answers follows after the turn. */
const SERVED_PER_TURN = 4;

interface Pipeline {
  /** The sum of the weights of its pipelined requests. */
  weight: number;
  /** Bytes read from the socket when its last request came. */
  readBytes: number;
}

type Handle = (request: IncomingMessage, response: ServerResponse) => void;

export class Pipelines {
  readonly #pipelines = new WeakMap<Socket, Pipeline>();
  /** The weights of pipelined requests. */
  readonly #weights = new WeakMap<ServerResponse, number>();
  readonly #queue: (() => void)[] = [];

  /** Call it for every connection. */
  addConnection(socket: Socket): void {
    this.#pipelines.set(socket, { weight: 0, readBytes: 0 });
  }

  /** Whether this is the only request of its connection that has no answer yet. */
  isAlone(response: ServerResponse): boolean {
    // Node assigns the socket to an answer when those before it are written.
    if (response.socket === null) return false;
    return this.#pipelines.get(response.socket)?.weight === (this.#weights.get(response) ?? 0);
  }

  /** Calls `serve` or `refuse`; `serve` at once for clients that wait for answers. */
  enter(request: IncomingMessage, response: ServerResponse, serve: Handle, refuse: Handle): void {
    const { socket } = request;
    const pipeline = this.#pipelines.get(socket)!;
    const { bytesRead } = socket;
    // Node assigns the socket to an answer when the one before is written. While node reads bodies and long headers, other work may
    // run, so the answer before may be written already although this request came in the same read.
    const hasWaited = response.socket !== null && bytesRead !== pipeline.readBytes;
    pipeline.readBytes = bytesRead;
    if (hasWaited) serve(request, response);
    else if (!this.#queueRequest(request, response, pipeline, serve)) refuse(request, response);
  }

  /** False if the request must be refused. */
  #queueRequest(request: IncomingMessage, response: ServerResponse, pipeline: Pipeline, serve: Handle): boolean {
    const { socket, headers, rawHeaders } = request;
    const weight = 1 + Math.floor(rawHeaders.length / (2 * HEADERS_PER_WEIGHT));
    if (pipeline.weight + weight > MAX_PIPELINED) return false;
    // Its chunks, perhaps ten thousand, would be read before its turn comes.
    if (headers['transfer-encoding'] !== undefined) {
      stopBody(socket);
      return false;
    }
    pipeline.weight += weight;
    this.#weights.set(response, weight);
    response.once('close', () => {
      pipeline.weight -= weight;
    });
    const isFirst = this.#queue.push(() => socket.destroyed || serve(request, response)) === 1;
    if (isFirst) queueTurn(this.#serveSome);
    return true;
  }

  readonly #serveSome = (): void => {
    for (const serve of this.#queue.splice(0, SERVED_PER_TURN)) serve();
    if (this.#queue.length > 0) queueTurn(this.#serveSome);
  };
}
