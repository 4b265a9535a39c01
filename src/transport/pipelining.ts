// Requests that did not wait for the answer before them. One read of a socket may contain thousands of them, and node parses all
// of them at once: the first few are served in turns of their own, the next one is refused, and the rest are never read.
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { queueTurn } from '../executor/turns.ts';
import { stopBody } from './node-http/parser-stop.ts';

/** On one connection, beside the one that is being answered: to parse them costs as much as a few calls. */
const MAX_PIPELINED = 32;
/** A request with more headers counts as several. */
const HEADERS_OF_ONE = 32;
/** For all connections together. The cost of their answers comes after the turn, and is not included in it. */
const SERVED_PER_TURN = 4;

interface Pipeline {
  /** What the requests that wait weigh together. */
  weight: number;
  /** Bytes read of the socket when its last request came. */
  readBytes: number;
}

export interface Pipelines {
  meet(socket: Socket): void;
  /** Whether this is the one request of its connection that has no answer yet. */
  isAlone(response: ServerResponse): boolean;
  /** Calls one of the two; `serve` at once for clients that wait for answers. */
  enter(
    request: IncomingMessage,
    response: ServerResponse,
    serve: (request: IncomingMessage, response: ServerResponse) => void,
    refuse: (request: IncomingMessage, response: ServerResponse) => void,
  ): void;
}

export function createPipelines(): Pipelines {
  const pipelines = new WeakMap<Socket, Pipeline>();
  /** Of requests that did not wait. */
  const weights = new WeakMap<ServerResponse, number>();
  const queue: (() => void)[] = [];
  const serveSome = () => {
    for (const serve of queue.splice(0, SERVED_PER_TURN)) serve();
    if (queue.length > 0) queueTurn(serveSome);
  };
  return {
    meet(socket) {
      pipelines.set(socket, { weight: 0, readBytes: 0 });
    },
    isAlone(response) {
      // Node assigns the socket to an answer when those before it are written.
      if (response.socket === null) return false;
      return pipelines.get(response.socket)?.weight === (weights.get(response) ?? 0);
    },
    enter(request, response, serve, refuse) {
      const { socket } = request;
      const pipeline = pipelines.get(socket)!;
      const { bytesRead } = socket;
      // Node assigns the socket to an answer when the one before is written. While it reads bodies and long headers, other work
      // may run, so the one before may be written already although this request came in the same read.
      const hasWaited = response.socket !== null && bytesRead !== pipeline.readBytes;
      pipeline.readBytes = bytesRead;
      if (hasWaited) return serve(request, response);
      const weight = 1 + Math.floor(request.rawHeaders.length / (2 * HEADERS_OF_ONE));
      if (pipeline.weight + weight > MAX_PIPELINED) return refuse(request, response);
      // Its chunks, maybe ten thousand, would be read before its turn comes.
      if (request.headers['transfer-encoding'] !== undefined) {
        stopBody(socket);
        return refuse(request, response);
      }
      pipeline.weight += weight;
      weights.set(response, weight);
      response.once('close', () => {
        pipeline.weight -= weight;
      });
      const isFirst = queue.push(() => socket.destroyed || serve(request, response)) === 1;
      if (isFirst) queueTurn(serveSome);
    },
  };
}
