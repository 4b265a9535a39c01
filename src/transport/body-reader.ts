// Reads the bodies of POST requests under two limits: the size of each, and the total of all incomplete ones.
import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { ByteCollector } from '../event-loop/byte-collector.ts';
import { turnEnd } from '../event-loop/turns.ts';
import { DirectRequest, stopBody } from './node-internals.ts';

export interface BodyLimits {
  readonly maxBodyBytes: number;
  /** All incomplete bodies together: slow clients must not fill the memory. */
  readonly maxHeldBytes: number;
}

/** Receives the body: exactly one of these is called. */
export interface BodyReceiver {
  takeBody(body: Buffer): void;
  refuseBody(why: 'too_large' | 'busy'): void;
  /** The client disconnected before the body was complete, so there is no request. */
  loseBody(): void;
}

export interface BodyReader {
  /** Call it for every connection, and noteRequest() when it has sent a request. */
  addConnection(socket: Socket): void;
  noteRequest(socket: Socket): void;
  read(request: IncomingMessage, caller: string, receiver: BodyReceiver): void;
}

const EMPTY = Buffer.alloc(0);
/** Each chunk costs an event, however small it is: a megabyte byte by byte would take half a second. */
const MAX_SMALL_CHUNKS = 256;
const SMALL_CHUNK_BYTES = 1_024;
/** For all bodies together. Node emits all chunks in a read of 64 KB at once: 10,000, if they have a byte each. */
const MAX_CHUNKS_PER_TURN = 2_048;
const RESUMED_PER_TURN = 8;

export function createBodyReader({ maxBodyBytes, maxHeldBytes }: BodyLimits): BodyReader {
  const chunkLimiter = new ChunkLimiter();
  const limits: SharedLimits = { chunkLimiter, incomplete: new IncompleteBodies(maxHeldBytes), maxBodyBytes };
  return {
    addConnection: (socket) => chunkLimiter.addConnection(socket),
    noteRequest: (socket) => chunkLimiter.remove(socket),
    read(request, caller, receiver) {
      // If the client disconnected while it was being identified, no event will follow.
      if (request.destroyed || request.socket.destroyed) return receiver.loseBody();
      const body = new IncomingBody(limits, request, caller, receiver);
      request.on('error', () => body.lose());
      if (request instanceof DirectRequest && request.feed(body)) return;
      body.wasComplete = request.complete;
      request.on('data', (chunk: Buffer) => body.add(chunk));
      request.on('end', () => body.end());
    },
  };
}

interface SharedLimits {
  readonly chunkLimiter: ChunkLimiter;
  readonly incomplete: IncompleteBodies;
  readonly maxBodyBytes: number;
}

/** One body that is being read. */
class IncomingBody implements IncompleteBody {
  readonly caller: string;
  /** How much of it counts as incomplete. */
  bytes = 0;
  /** All of it had arrived before it was read. */
  wasComplete = false;
  readonly #limits: SharedLimits;
  readonly #socket: Socket;
  readonly #receiver: BodyReceiver;
  readonly #isChunked: boolean;
  readonly #length: number | undefined;
  #first: Buffer | undefined;
  #more: ByteCollector | undefined;
  #size = 0;
  #chunks = 0;
  #isOver = false;

  constructor(limits: SharedLimits, { socket, headers }: IncomingMessage, caller: string, receiver: BodyReceiver) {
    this.caller = caller;
    this.#limits = limits;
    this.#socket = socket;
    this.#receiver = receiver;
    this.#isChunked = headers['transfer-encoding'] !== undefined;
    this.#length = this.#isChunked ? undefined : Number(headers['content-length']);
    if (this.#isChunked) limits.chunkLimiter.add(socket);
  }

  add(chunk: Buffer): void {
    const { chunkLimiter, incomplete, maxBodyBytes } = this.#limits;
    if (this.#isChunked) chunkLimiter.noteChunk(this.#socket);
    if (this.#isOver) return;
    this.#size += chunk.length;
    const isTooFragmented = this.#isChunked && ++this.#chunks > MAX_SMALL_CHUNKS + this.#size / SMALL_CHUNK_BYTES;
    if (this.#size > maxBodyBytes || isTooFragmented) {
      this.#stop('too_large');
      return;
    }
    // A body that arrives in one piece is not counted: it is processed in this turn, even if incomplete bodies use up
    // the limit.
    if (this.#size !== this.#length) incomplete.add(this, chunk.length);
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
    this.#release();
    // This body had arrived before it was read, perhaps after node read the sockets of this turn. By the end of the
    // next turn, node may have seen that the client closed its side, and have abandoned the request.
    if (this.wasComplete) this.#receiver.takeBody(body);
    else void turnEnd().then(() => this.#receiver.takeBody(body));
  }

  lose(): void {
    if (this.#isOver) return;
    this.#release();
    this.#receiver.loseBody();
  }

  /** Refuses this body to make room for others. */
  evict(): void {
    this.#stop('busy');
  }

  #stop(why: 'too_large' | 'busy'): void {
    this.#release();
    // The rest is dropped: otherwise node would read it until the refusal is written, and emit an event for each chunk.
    this.#socket.pause();
    stopBody(this.#socket);
    this.#receiver.refuseBody(why);
  }

  #release(): void {
    if (this.#isChunked) this.#limits.chunkLimiter.remove(this.#socket);
    if (this.bytes > 0) this.#limits.incomplete.remove(this);
    this.#first = this.#more = undefined;
    this.#isOver = true;
  }
}

interface IncompleteBody {
  readonly caller: string;
  bytes: number;
  evict(): void;
}

interface CallerBodies {
  bytes: number;
  readonly bodies: Set<IncompleteBody>;
}

/**
 * All incomplete bodies together. If they exceed the limit, a body of the caller with the most bytes is refused, so that
 * other callers are not affected.
 */
class IncompleteBodies {
  readonly #max: number;
  #bytes = 0;
  readonly #callers = new Map<string, CallerBodies>();

  constructor(max: number) {
    this.#max = max;
  }

  add(body: IncompleteBody, bytes: number): void {
    const own: CallerBodies = this.#callers.get(body.caller) ?? { bytes: 0, bodies: new Set() };
    this.#callers.set(body.caller, own);
    own.bodies.add(body);
    own.bytes += bytes;
    body.bytes += bytes;
    this.#bytes += bytes;
    while (this.#bytes > this.#max) this.#pickVictim(body).evict();
  }

  remove(body: IncompleteBody): void {
    const own = this.#callers.get(body.caller);
    if (!own?.bodies.delete(body)) return;
    own.bytes -= body.bytes;
    this.#bytes -= body.bytes;
    if (own.bodies.size === 0) this.#callers.delete(body.caller);
  }

  /**
   * The oldest body of the caller with the most bytes. If that is the caller of this body, this body instead, since its
   * earlier ones may be complete soon.
   */
  #pickVictim(body: IncompleteBody): IncompleteBody {
    let most = this.#callers.get(body.caller)!;
    for (const other of this.#callers.values()) if (other.bytes > most.bytes) most = other;
    if (most.bodies.has(body)) return body;
    const [oldest] = most.bodies;
    return oldest!;
  }
}

/**
 * Limits the chunks of all bodies in one turn of the event loop. It tracks the connections that may deliver thousands
 * of chunks at once: those in the middle of a chunked body, and those without a request so far. If too many chunks come
 * in one turn, the other connections are paused and resumed a few per turn: together they could take a second.
 */
class ChunkLimiter {
  readonly #sockets = new Set<Socket>();
  readonly #paused: Socket[] = [];
  #chunks = 0;

  addConnection(socket: Socket): void {
    this.add(socket);
    socket.once('close', () => this.remove(socket));
  }

  add(socket: Socket): void {
    this.#sockets.add(socket);
  }

  remove(socket: Socket): void {
    this.#sockets.delete(socket);
  }

  noteChunk(socket: Socket): void {
    if (this.#chunks++ === 0) setImmediate(this.#startTurn);
    if (this.#chunks !== MAX_CHUNKS_PER_TURN) return;
    const isIdle = this.#paused.length === 0;
    for (const other of this.#sockets) {
      if (other === socket || other.isPaused()) continue;
      other.pause();
      this.#paused.push(other);
    }
    if (isIdle && this.#paused.length > 0) setImmediate(this.#resumeSome);
  }

  readonly #startTurn = (): void => {
    this.#chunks = 0;
  };

  readonly #resumeSome = (): void => {
    for (const socket of this.#paused.splice(0, RESUMED_PER_TURN)) socket.resume();
    if (this.#paused.length > 0) setImmediate(this.#resumeSome);
  };
}
