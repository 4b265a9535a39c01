// The open HTTP connections, and the requests in progress on each. At shutdown, idle ones are closed, but only when no request can be
// on its way. RFC 9112 9.5 gives a server no other way to close a connection without losing a request: each answer says
// `Connection: close`, and connections without an answer get some time.
import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { FIRST_BYTE_MS } from './closing.ts';

interface OpenConnection {
  readonly socket: Socket;
  /** Not answered yet; at most one if the client waits for answers. Not a Set, for the reason given in event-loop/active-set.ts. */
  readonly answers: ServerResponse[];
  /** Bytes read when the last answer was written: if there are more, a request has begun. */
  readBytes: number;
  /** The sum of bytes read and written at the last check, and since when it has not changed. */
  mark: number;
  quietSince: number;
  /** Its neighbours in a list ordered by the time of the last answer. */
  before: OpenConnection | undefined;
  after: OpenConnection | undefined;
}

export class OpenConnections {
  readonly #open = new Map<Socket, OpenConnection>();
  /** A linked list; the first was answered longest ago. Moving an entry of a Map to its end would cost microseconds per answer. */
  #first: OpenConnection | undefined;
  #last: OpenConnection | undefined;
  readonly #onAnswered: (this: ServerResponse) => void;
  readonly #max: number;

  constructor(max: number) {
    this.#max = max;
    const note = (response: ServerResponse) => this.#noteAnswered(response);
    // One function for all answers: `this` is the answer.
    this.#onAnswered = function onAnswered() {
      note(this);
    };
  }

  /**
   * Call it for every connection. If there is no room for one more, the one that has been idle longest is closed, or else the new one.
   * Returns the closed one.
   */
  add(socket: Socket): Socket | undefined {
    const closing = this.#open.size < this.#max ? undefined : (this.#findIdle() ?? socket);
    closing?.destroySoon();
    if (closing === socket) return closing;
    const connection: OpenConnection = {
      socket,
      answers: [],
      readBytes: 0,
      mark: 0,
      quietSince: performance.now(),
      before: undefined,
      after: undefined,
    };
    this.#open.set(socket, connection);
    this.#append(connection);
    socket.once('close', () => {
      if (this.#open.delete(socket)) this.#unlink(connection);
    });
    return closing;
  }

  /** Call it for every request. */
  noteRequest(response: ServerResponse): void {
    this.#open.get(response.req.socket)?.answers.push(response);
    response.on('close', this.#onAnswered);
  }

  /** Answers that are not finished. */
  *unanswered(): Iterable<ServerResponse> {
    for (const { answers } of this.#open.values()) yield* answers;
  }

  /**
   * Makes node close connections whose client reads nothing of its answer for this long: otherwise the answer would wait forever and
   * occupy its place. Node's socket timer restarts with everything that is read or written, even a part of a large answer. Call it more
   * often than `stallMs`, so that the timer ends in time: an event stream whose client has read everything may stay silent.
   */
  watchReaders(stallMs: number): void {
    for (const socket of this.#open.keys()) {
      const isBehind = socket.writableLength > 0;
      if (isBehind && !socket.timeout) socket.setTimeout(stallMs);
      else if (!isBehind && socket.timeout === stallMs) socket.setTimeout(0);
    }
  }

  /** Notes which connections are quiet. Call it regularly, so that it is known how long each has been. */
  checkIdle(): void {
    const now = performance.now();
    for (const [socket, connection] of this.#open) this.#isQuiet(socket, connection, now, 0);
  }

  /**
   * Closes connections that have been idle for this long. Call it when all received data has been read: unread bytes would cause a reset.
   */
  closeIdle(quietMs: number): void {
    const now = performance.now();
    for (const [socket, connection] of this.#open) {
      if (this.#isQuiet(socket, connection, now, quietMs)) socket.destroySoon();
    }
  }

  #noteAnswered(response: ServerResponse): void {
    const { socket } = response.req;
    const connection = this.#open.get(socket);
    if (connection === undefined) return;
    const { answers } = connection;
    if (answers[0] === response) answers.shift();
    else if (answers.includes(response)) answers.splice(answers.indexOf(response), 1);
    connection.readBytes = socket.bytesRead;
    if (connection === this.#last) return;
    this.#unlink(connection);
    this.#append(connection);
  }

  #append(connection: OpenConnection): void {
    connection.before = this.#last;
    connection.after = undefined;
    if (this.#last) this.#last.after = connection;
    else this.#first = connection;
    this.#last = connection;
  }

  #unlink({ before, after }: OpenConnection): void {
    if (before) before.after = after;
    else this.#first = after;
    if (after) after.before = before;
    else this.#last = before;
  }

  #findIdle(): Socket | undefined {
    for (let connection = this.#first; connection; connection = connection.after) {
      const { socket, answers, readBytes } = connection;
      if (answers.length === 0 && socket.bytesRead === readBytes && !socket.destroyed) return socket;
    }
    return undefined;
  }

  #isQuiet(socket: Socket, connection: OpenConnection, now: number, quietMs: number): boolean {
    const mark = socket.bytesRead + socket.bytesWritten;
    if (connection.answers.length > 0 || mark !== connection.mark) {
      connection.mark = mark;
      connection.quietSince = now;
      return false;
    }
    // A request has begun, so the connection must not be closed; if nothing follows, node's own timeout ends it.
    if (socket.bytesRead > connection.readBytes) return false;
    return now - connection.quietSince >= (socket.bytesRead === 0 ? FIRST_BYTE_MS : quietMs);
  }
}
