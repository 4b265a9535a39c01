// The body of a POST, under two limits: its own size, and what all bodies still on their way hold together.
import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { ByteCollector } from '../executor/byte-collector.ts';
import { stopBody } from './connection.ts';

export interface BodyLimits {
  readonly maxBodyBytes: number;
  /** Bodies still on their way, all together: slow clients must not fill the memory. */
  readonly maxHeldBytes: number;
}

export interface BodyReader {
  /** To be called for every connection, and again when it has asked for something. */
  meet(socket: Socket): void;
  noteRequest(socket: Socket): void;
  /** Calls exactly one of these; `leave` when the client does, half-way: it has asked for nothing then. */
  read(
    request: IncomingMessage,
    caller: string,
    done: (body: Buffer) => void,
    refuse: (why: 'too_large' | 'busy') => void,
    leave: () => void,
  ): void;
}

const EMPTY = Buffer.alloc(0);
/** Each chunk costs an event, however small it is: a megabyte byte by byte would take half a second. */
const MAX_SMALL_CHUNKS = 256;
const SMALL_CHUNK_BYTES = 1_024;
/** Of all bodies together. Node hands on every chunk of 64 KB at once: 10,000 of them, when they have a byte each. */
const MAX_CHUNKS_PER_TURN = 2_048;
const RESUMED_PER_TURN = 8;

export function createBodyReader({ maxBodyBytes, maxHeldBytes }: BodyLimits): BodyReader {
  const crowd = createCrowd();
  const parts = new HeldParts(maxHeldBytes);
  return {
    meet: crowd.enter,
    noteRequest: crowd.leave,
    read(request, caller, done, refuse, leave) {
      const { socket, headers } = request;
      // Who left while it was found out who calls has no event left to tell it by.
      if (request.destroyed || socket.destroyed) return leave();
      const isChunked = headers['transfer-encoding'] !== undefined;
      const length = isChunked ? undefined : Number(headers['content-length']);
      let first: Buffer | undefined;
      let more: ByteCollector | undefined;
      let size = 0;
      let chunks = 0;
      let over = false;
      const letGo = () => {
        if (isChunked) crowd.leave(socket);
        parts.remove(part);
        first = more = undefined;
        over = true;
      };
      const stop = (why: 'too_large' | 'busy') => {
        letGo();
        // The rest is nobody's: node would go on and read it until the refusal is written, and announce each chunk of it.
        socket.pause();
        stopBody(socket);
        refuse(why);
      };
      const part: Part = { caller, bytes: 0, giveWay: () => stop('busy') };
      if (isChunked) crowd.enterAgain(socket);
      request.on('data', (chunk: Buffer) => {
        if (isChunked) crowd.noteChunk(socket);
        if (over) return;
        size += chunk.length;
        const isCrumbled = isChunked && ++chunks > MAX_SMALL_CHUNKS + size / SMALL_CHUNK_BYTES;
        if (size > maxBodyBytes || isCrumbled) return stop('too_large');
        // What is whole is not held: it ends in this very turn, and nobody who keeps others' room can keep it out.
        if (size !== length) parts.add(part, chunk.length);
        if (over) return;
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

/** What is there of a body that is not whole yet. */
interface Part {
  readonly caller: string;
  bytes: number;
  readonly giveWay: () => void;
}

interface Holder {
  bytes: number;
  readonly parts: Set<Part>;
}

/** All of them together. Where they are too much, whoever holds most of it loses its oldest: nobody pays for somebody else. */
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

  /** Of a caller's own bodies the newest goes, as those before it may be whole soon. */
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
 * The connections that may bring thousands of chunks at once: those with a body in chunks on its way, and those that have
 * not asked for anything yet. When one of them does, whatever the others have ready is left for later turns, a few of them
 * in each: all in one they would take a second.
 */
function createCrowd(): Crowd {
  const crowd = new Set<Socket>();
  const paused: Socket[] = [];
  let chunks = 0;
  const startTurn = () => {
    chunks = 0;
  };
  const resumeSome = () => {
    for (const socket of paused.splice(0, RESUMED_PER_TURN)) socket.resume();
    if (paused.length > 0) setImmediate(resumeSome);
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
      const isIdle = paused.length === 0;
      for (const other of crowd) {
        if (other === socket || other.isPaused()) continue;
        other.pause();
        paused.push(other);
      }
      if (isIdle && paused.length > 0) setImmediate(resumeSome);
    },
  };
}
