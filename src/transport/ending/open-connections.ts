// The HTTP connections that are open, and what is under way on each: at the end those that are idle are closed, and only when
// nobody can have sent anything on them. RFC 9112 9.5 has no other way for a server to let go of a connection without losing
// a request: each answer says `Connection: close`, and who gets none is given time.
import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { FIRST_BYTE_MS } from './patience.ts';

interface Connection {
  readonly socket: Socket;
  /** Not answered yet: one, where the client waits for answers. No Set, for the reason that call/roster.ts has none. */
  readonly answers: ServerResponse[];
  /** Bytes read when the last answer was written: more of them are a request that begins. */
  readBytes: number;
  /** What it had read and written when it was last looked at, and since when that is so. */
  mark: number;
  quietSince: number;
  /** Its neighbours in the order of the last answers. */
  before: Connection | undefined;
  after: Connection | undefined;
}

export class OpenConnections {
  readonly #open = new Map<Socket, Connection>();
  /** The first was answered longest ago. A list: taking one out of the middle of a Map and adding it again costs microseconds. */
  #first: Connection | undefined;
  #last: Connection | undefined;
  readonly #onAnswered: (this: ServerResponse) => void;
  readonly #max: number;

  constructor(max: number) {
    this.#max = max;
    const note = (response: ServerResponse) => this.#noteAnswered(response);
    // One function for all of them: `this` is the answer.
    this.#onAnswered = function onAnswered() {
      note(this);
    };
  }

  /** To be called for every connection. Where there is no room for one more, the one that was idle longest is closed, or else itself: it is returned. */
  meet(socket: Socket): Socket | undefined {
    const leaving = this.#open.size < this.#max ? undefined : (this.#findIdle() ?? socket);
    leaving?.destroySoon();
    if (leaving === socket) return leaving;
    const connection: Connection = {
      socket,
      answers: [],
      readBytes: 0,
      mark: 0,
      quietSince: performance.now(),
      before: undefined,
      after: undefined,
    };
    this.#open.set(socket, connection);
    this.#putLast(connection);
    socket.once('close', () => {
      if (this.#open.delete(socket)) this.#takeOut(connection);
    });
    return leaving;
  }

  /** To be called for every request. */
  enter(response: ServerResponse): void {
    this.#open.get(response.req.socket)?.answers.push(response);
    response.on('close', this.#onAnswered);
  }

  /** Answers that are still owed. */
  *unanswered(): Iterable<ServerResponse> {
    for (const { answers } of this.#open.values()) yield* answers;
  }

  /**
   * Has node hang up on whoever takes nothing of its answer for this long: it would wait for ever, and so would the answer and the place of the
   * connection. Node's own timer of a socket begins anew with whatever is read or written, also of a part of a large answer. To be called more
   * often than that: a stream that has caught up may be silent for as long as it likes.
   */
  watchReaders(stallMs: number): void {
    for (const socket of this.#open.keys()) {
      const isBehind = socket.writableLength > 0;
      if (isBehind && !socket.timeout) socket.setTimeout(stallMs);
      else if (!isBehind && socket.timeout === stallMs) socket.setTimeout(0);
    }
  }

  /** Looks at all of them; to be called every now and then, so that it is known how long each has been quiet. */
  look(): void {
    const now = performance.now();
    for (const [socket, connection] of this.#open) this.#isQuiet(socket, connection, now, 0);
  }

  /** Closes those that have been idle for this long. To be called when everything that came was read: bytes unread would reset them. */
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
    this.#takeOut(connection);
    this.#putLast(connection);
  }

  #putLast(connection: Connection): void {
    connection.before = this.#last;
    connection.after = undefined;
    if (this.#last) this.#last.after = connection;
    else this.#first = connection;
    this.#last = connection;
  }

  #takeOut({ before, after }: Connection): void {
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

  #isQuiet(socket: Socket, connection: Connection, now: number, quietMs: number): boolean {
    const mark = socket.bytesRead + socket.bytesWritten;
    if (connection.answers.length > 0 || mark !== connection.mark) {
      connection.mark = mark;
      connection.quietSince = now;
      return false;
    }
    // Half a request is none that may be left; node's own clock ends it where nothing follows.
    if (socket.bytesRead > connection.readBytes) return false;
    return now - connection.quietSince >= (socket.bytesRead === 0 ? FIRST_BYTE_MS : quietMs);
  }
}
