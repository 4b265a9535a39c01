// Reads the body of a POST, under two limits: its own size, and the total of all incomplete bodies.
import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { ByteCollector } from '../executor/byte-collector.ts';
import { turnEnd } from '../executor/turns.ts';
import { DirectRequest } from './node-http/direct-request.ts';
import { stopBody } from './node-http/parser-stop.ts';

export interface BodyLimits {
  readonly maxBodyBytes: number;
  /** Bodies still on their way, all together: slow clients must not fill the memory. */
  readonly maxHeldBytes: number;
}

/** Receives the body: exactly one of these is called. */
export interface BodyTaker {
  takeBody(body: Buffer): void;
  refuseBody(why: 'too_large' | 'busy'): void;
  /** The client disconnected before the body was complete, so there is no request. */
  loseBody(): void;
}

export interface BodyReader {
  /** Call it for every connection, and noteRequest() when it has sent a request. */
  meet(socket: Socket): void;
  noteRequest(socket: Socket): void;
  read(request: IncomingMessage, caller: string, taker: BodyTaker): void;
}

const EMPTY = Buffer.alloc(0);
/** Each chunk costs an event, however small it is: a megabyte byte by byte would take half a second. */
const MAX_SMALL_CHUNKS = 256;
const SMALL_CHUNK_BYTES = 1_024;
/** For all bodies together. Node emits every chunk in a read of 64 KB at once: 10,000 of them, if they have a byte each. */
const MAX_CHUNKS_PER_TURN = 2_048;
const RESUMED_PER_TURN = 8;

export function createBodyReader({ maxBodyBytes, maxHeldBytes }: BodyLimits): BodyReader {
  const parts: ReadingParts = { crowd: createCrowd(), pieces: new HeldParts(maxHeldBytes), maxBodyBytes };
  return {
    meet: parts.crowd.enter,
    noteRequest: parts.crowd.leave,
    read(request, caller, taker) {
      // If the client left while it was being identified, no event will follow.
      if (request.destroyed || request.socket.destroyed) return taker.loseBody();
      const body = new IncomingBody(parts, request, caller, taker);
      request.on('error', () => body.lose());
      if (request instanceof DirectRequest && request.feed(body)) return;
      body.isHere = request.complete;
      request.on('data', (chunk: Buffer) => body.add(chunk));
      request.on('end', () => body.end());
    },
  };
}

interface ReadingParts {
  readonly crowd: Crowd;
  readonly pieces: HeldParts;
  readonly maxBodyBytes: number;
}

/** One body on its way. */
class IncomingBody implements Part {
  readonly caller: string;
  /** Of it among the pieces. */
  bytes = 0;
  /** All of it came before its reader. */
  isHere = false;
  readonly #parts: ReadingParts;
  readonly #socket: Socket;
  readonly #taker: BodyTaker;
  readonly #isChunked: boolean;
  readonly #length: number | undefined;
  #first: Buffer | undefined;
  #more: ByteCollector | undefined;
  #size = 0;
  #chunks = 0;
  #isOver = false;

  constructor(parts: ReadingParts, { socket, headers }: IncomingMessage, caller: string, taker: BodyTaker) {
    this.caller = caller;
    this.#parts = parts;
    this.#socket = socket;
    this.#taker = taker;
    this.#isChunked = headers['transfer-encoding'] !== undefined;
    this.#length = this.#isChunked ? undefined : Number(headers['content-length']);
    if (this.#isChunked) parts.crowd.enterAgain(socket);
  }

  add(chunk: Buffer): void {
    const { crowd, pieces, maxBodyBytes } = this.#parts;
    if (this.#isChunked) crowd.noteChunk(this.#socket);
    if (this.#isOver) return;
    this.#size += chunk.length;
    const isCrumbled = this.#isChunked && ++this.#chunks > MAX_SMALL_CHUNKS + this.#size / SMALL_CHUNK_BYTES;
    if (this.#size > maxBodyBytes || isCrumbled) {
      this.#stop('too_large');
      return;
    }
    // A complete body is not counted: it is taken in this turn, so bodies that occupy the limit cannot keep it out.
    if (this.#size !== this.#length) pieces.add(this, chunk.length);
    if (this.#isOver) return;
    if (this.#first === undefined) this.#first = chunk;
    else {
      this.#more ??= new ByteCollector(this.#first);
      this.#more.add(chunk);
    }
  }

  end(): void {
    if (this.#isOver) return;
    const body = this.#more?.bytes() ?? this.#first ?? EMPTY;
    this.#letGo();
    // Who reads a body later than it came may be past the sockets of this turn: before the end of the next one, node would read that
    // the client has ended its side, and give the request up.
    if (this.isHere) this.#taker.takeBody(body);
    else void turnEnd().then(() => this.#taker.takeBody(body));
  }

  lose(): void {
    if (this.#isOver) return;
    this.#letGo();
    this.#taker.loseBody();
  }

  giveWay(): void {
    this.#stop('busy');
  }

  #stop(why: 'too_large' | 'busy'): void {
    this.#letGo();
    // The rest is dropped: otherwise node would read it until the refusal is written, and emit an event for each chunk.
    this.#socket.pause();
    stopBody(this.#socket);
    this.#taker.refuseBody(why);
  }

  #letGo(): void {
    if (this.#isChunked) this.#parts.crowd.leave(this.#socket);
    if (this.bytes > 0) this.#parts.pieces.remove(this);
    this.#first = this.#more = undefined;
    this.#isOver = true;
  }
}

/** What is there of a body that is not whole yet. */
interface Part {
  readonly caller: string;
  bytes: number;
  giveWay(): void;
}

interface Holder {
  bytes: number;
  readonly parts: Set<Part>;
}

/**
 * All incomplete bodies together. If they exceed the limit, the caller that holds most loses its oldest, so that no caller pays
 * for another.
 */
class HeldParts {
  readonly #max: number;
  #bytes = 0;
  readonly #callers = new Map<string, Holder>();

  constructor(max: number) {
    this.#max = max;
  }

  add(part: Part, bytes: number): void {
    const own: Holder = this.#callers.get(part.caller) ?? { bytes: 0, parts: new Set() };
    this.#callers.set(part.caller, own);
    own.parts.add(part);
    own.bytes += bytes;
    part.bytes += bytes;
    this.#bytes += bytes;
    while (this.#bytes > this.#max) this.#pick(part).giveWay();
  }

  remove(part: Part): void {
    const own = this.#callers.get(part.caller);
    if (!own?.parts.delete(part)) return;
    own.bytes -= part.bytes;
    this.#bytes -= part.bytes;
    if (own.parts.size === 0) this.#callers.delete(part.caller);
  }

  /** If that is the caller of the new part, its newest body goes, since earlier ones may be complete soon. */
  #pick(part: Part): Part {
    let most = this.#callers.get(part.caller)!;
    for (const other of this.#callers.values()) if (other.bytes > most.bytes) most = other;
    if (most.parts.has(part)) return part;
    const [oldest] = most.parts;
    return oldest!;
  }
}

interface Crowd {
  readonly enter: (socket: Socket) => void;
  enterAgain(socket: Socket): void;
  readonly leave: (socket: Socket) => void;
  noteChunk(socket: Socket): void;
}

/**
 * The connections that may deliver thousands of chunks at once: those in the middle of a chunked body, and those without a
 * request so far. If too many chunks come in one turn, the other connections are paused and resumed a few per turn: together they
 * would take a second.
 */
function createCrowd(): Crowd {
  const crowd = new Set<Socket>();
  const queue: Socket[] = [];
  let chunks = 0;
  const startTurn = () => {
    chunks = 0;
  };
  const resumeSome = () => {
    for (const socket of queue.splice(0, RESUMED_PER_TURN)) socket.resume();
    if (queue.length > 0) setImmediate(resumeSome);
  };
  return {
    enter(socket) {
      crowd.add(socket);
      socket.once('close', () => crowd.delete(socket));
    },
    enterAgain: (socket) => crowd.add(socket),
    leave: (socket) => crowd.delete(socket),
    noteChunk(socket) {
      if (chunks++ === 0) setImmediate(startTurn);
      if (chunks !== MAX_CHUNKS_PER_TURN) return;
      const isIdle = queue.length === 0;
      for (const other of crowd) {
        if (other === socket || other.isPaused()) continue;
        other.pause();
        queue.push(other);
      }
      if (isIdle && queue.length > 0) setImmediate(resumeSome);
    },
  };
}
