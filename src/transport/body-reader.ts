// The body of a POST, under two limits: its own size, and what all bodies still on their way hold together.
import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { ByteCollector } from '../executor/byte-collector.ts';
import { queueTurn } from '../executor/turns.ts';

export interface BodyLimits {
  readonly maxBodyBytes: number;
  /** Bodies still on their way, all together: slow clients must not fill the memory. */
  readonly maxHeldBytes: number;
}

export interface BodyReader {
  /** Once for every connection. */
  meet(socket: Socket): void;
  /** For every request that did not wait for the answer to the one before: 64 KB may hold hundreds. */
  notePipelined(socket: Socket): void;
  /** Calls exactly one of these; `leave` when the client does, half-way: it has asked for nothing then. */
  read(
    request: IncomingMessage,
    done: (body: Buffer) => void,
    refuse: (why: 'too_large' | 'busy') => void,
    leave: () => void,
  ): void;
}

const EMPTY = Buffer.alloc(0);
/** Each piece costs an event, however small it is: a megabyte byte by byte would take seconds. */
const MAX_PIECES = 1_024;
/** Of all bodies together. Node hands on every chunk of 64 KB at once: 10,000 of them, when they have a byte each. */
const MAX_PIECES_PER_TURN = 2_048;
const PIPELINED_WEIGHT = 20;

export function createBodyReader({ maxBodyBytes, maxHeldBytes }: BodyLimits): BodyReader {
  const crowd = createCrowd();
  let held = 0;
  return {
    meet: crowd.enter,
    notePipelined: (socket) => crowd.note(socket, PIPELINED_WEIGHT),
    read(request, done, refuse, leave) {
      let first: Buffer | undefined;
      let more: ByteCollector | undefined;
      let size = 0;
      let pieces = 0;
      let over = false;
      const isChunked = request.headers['transfer-encoding'] !== undefined;
      const letGo = () => {
        held -= size;
        size = 0;
        first = more = undefined;
        over = true;
      };
      request.on('data', (chunk: Buffer) => {
        if (over) return;
        if (isChunked) crowd.note(request.socket, 1);
        size += chunk.length;
        held += chunk.length;
        const isTooLarge = size > maxBodyBytes || ++pieces > MAX_PIECES;
        if (isTooLarge || held > maxHeldBytes) {
          const why = isTooLarge ? 'too_large' : 'busy';
          letGo();
          // The rest is nobody's; node would go on and read it until the refusal is written.
          request.socket.pause();
          return refuse(why);
        }
        if (first === undefined) first = chunk;
        else {
          more ??= new ByteCollector(first);
          more.add(chunk);
        }
      });
      request.on('end', () => {
        if (over) return;
        const body = more?.bytes() ?? first ?? EMPTY;
        letGo();
        done(body);
      });
      request.on('error', () => {
        letGo();
        leave();
      });
    },
  };
}

interface Crowd {
  enter(socket: Socket): void;
  /** `weight`: what it costs, in pieces. */
  note(socket: Socket, weight: number): void;
}

/**
 * Everybody who is connected. When one of them brings too much in a turn, whatever else has become ready meanwhile is left
 * for later turns: first those who have been answered before, then the others one after the other.
 */
function createCrowd(): Crowd {
  const crowd = new Set<Socket>();
  let pieces = 0;
  const startTurn = () => {
    pieces = 0;
  };
  return {
    enter(socket) {
      crowd.add(socket);
      socket.once('close', () => crowd.delete(socket));
    },
    note(socket, weight) {
      if (pieces === 0) setImmediate(startTurn);
      const isOver = pieces >= MAX_PIECES_PER_TURN;
      pieces += weight;
      if (isOver || pieces < MAX_PIECES_PER_TURN) return;
      for (const other of crowd) {
        if (other === socket || other.isPaused()) continue;
        other.pause();
        const resume = () => other.resume();
        if (other.bytesWritten > 0) setImmediate(resume);
        else queueTurn(resume);
      }
    },
  };
}
