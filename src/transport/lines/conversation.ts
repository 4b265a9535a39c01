// A conversation of newline-delimited messages over a byte stream, for stdio and TCP. TCP adds repeated checks of the caller
// (`mayGoOn`) and of peers that do not speak JSON-RPC (`strictness`).
import { isUtf8 } from 'node:buffer';
import { setMaxListeners } from 'node:events';
import type { Readable, Writable } from 'node:stream';
import type { Principal } from '../../call/caller.ts';
import { ERRORS } from '../../errors.ts';
import { hasTimeLeft, MAX_UNQUEUED_MESSAGE, queueTurn } from '../../event-loop/turns.ts';
import type { Protocol } from '../../protocol/mcp-protocol.ts';
import type { Reply, Sender } from '../../protocol/sender.ts';
import { cancelAll, createSession, type Session } from '../../protocol/session.ts';
import { writeError } from '../../protocol/wire/jsonrpc.ts';
import { QUIET_MS } from '../closing.ts';
import { createParking } from '../in-flight.ts';
import { type RefusalFacts, refusalOf } from '../refusals.ts';
import { createLineSplitter, type LineSplitter } from './framing.ts';

/** Default limit of the requests in progress on one connection. */
export const REQUESTS_PER_CONNECTION = 100;

export interface LineLimits {
  readonly maxLineBytes: number;
  /** Requests in progress on one connection. At the limit, nothing more is read until one is done. */
  readonly maxConcurrent: number;
}

/**
 * What to do with a peer that does not speak JSON-RPC. A web page can make a browser send lines of its choice to a TCP
 * port (a `no-cors` POST), so there the first line must be a message. After that, a few consecutive lines may be
 * something else.
 */
interface Strictness {
  /** Called once; no further data is read. */
  readonly onNotJsonRpc: () => void;
  readonly maxNonMessages: number;
}

export interface ConversationOptions {
  readonly protocol: Protocol;
  readonly transport: 'stdio' | 'tcp';
  readonly principal: Principal;
  /** The address of the other side. */
  readonly remote?: string | undefined;
  /** Checked before every line: whether the caller may still use this connection. If not, no further line is accepted. */
  readonly mayGoOn?: (() => boolean | Promise<boolean>) | undefined;
  readonly input: Readable;
  readonly output: Writable;
  /**
   * Answers that are ready at the same time are sent with one write. Over TCP, 64 calls of one connection then take a sixth less processor
   * time. A pipe holds 64 KB, and single writes cost less there.
   */
  readonly joinsWrites?: boolean;
  readonly limits: LineLimits;
  readonly strictness?: Strictness;
  /** Called for every message that is refused. */
  readonly onRefusal?: ((refusal: LineRefusal) => void) | undefined;
}

export type LineRefusal = Pick<RefusalFacts, 'reason' | 'why'>;

/** How long the lines of one connection are processed in its turn before other connections get theirs. */
const MAX_TURN_MS = 10;

export class Conversation {
  /** Resolves when the other side has finished sending and all its requests are answered. */
  readonly finished: Promise<void>;
  readonly #options: ConversationOptions;
  readonly #session: Session = createSession();
  /** Aborted when the other side has disconnected. */
  readonly #disconnected = new AbortController();
  readonly #splitter: LineSplitter;
  readonly #finished = createGate();
  readonly #drained = createGate();
  /** Read but not processed yet: one chunk may contain more lines than may be in progress, or than the peer reads answers for. */
  #queue: Buffer[] = [];
  /** Requests not answered yet, and how many of them wait for the client. */
  #active = 0;
  #parked = 0;
  #ended = false;
  /** When data was last read. */
  #readAt = performance.now();
  #draining = false;
  /** Processing a line may call #proceed again (park); the running loop then continues. */
  #proceeding = false;
  /** Set while the rest of the queue waits for its turn. */
  #awaitsTurn = false;
  /** Consecutive lines that were not JSON-RPC, and whether any line was. */
  #nonMessages = 0;
  #hasSentMessage = false;
  /** No further line is accepted: the peer does not speak JSON-RPC, or its caller may not go on. */
  #isRejected = false;
  /** Set while `mayGoOn` is deciding about the next line, and once it has allowed it. */
  #isChecking = false;
  #isAllowed = false;
  /** Set while messages are collected before they are written together. */
  #isCollecting = false;

  constructor(options: ConversationOptions) {
    const { input, output, limits } = options;
    this.#options = options;
    this.finished = this.#finished.opened;
    // Every question to the client listens to this signal; Node would otherwise warn of a leak.
    setMaxListeners(0, this.#session.ended.signal);
    this.#splitter = createLineSplitter(
      limits.maxLineBytes,
      (line) => this.#queue.push(line),
      () => this.#refuse(`a line may have at most ${limits.maxLineBytes} bytes (--max-body).`, 'too_large'),
    );
    input.on('data', (chunk: Buffer) => this.#read(chunk));
    const end = () => this.#end();
    input.once('end', end);
    input.once('close', end);
    input.on('error', end);
    output.on('drain', () => this.#proceed());
    // A peer that disappears during a write is a normal end.
    output.on('error', () => {
      this.abandon();
      end();
    });
  }

  get active(): number {
    return this.#active;
  }

  /** Nothing is in progress, and nothing has been read for a while. */
  get isQuiet(): boolean {
    return this.#active === 0 && this.#queue.length === 0 && performance.now() - this.#readAt >= QUIET_MS;
  }

  /** Sends no more questions to the client, and ends those that wait for its answer. */
  stopAsking(): void {
    this.#session.ended.abort();
  }

  /** Accepts no more requests; resolves when those in progress are answered. */
  drain(): Promise<void> {
    this.#draining = true;
    this.#queue = [];
    this.stopAsking();
    this.#proceed();
    return this.#drained.opened;
  }

  /** Cancels everything in progress: the other side has disconnected. */
  abandon(): void {
    this.#queue = [];
    this.#disconnected.abort();
    cancelAll(this.#session);
  }

  // Bound, like #park: the sender of every line passes them on.
  readonly #send = (message: string): void => {
    const { output } = this.#options;
    if (this.#disconnected.signal.aborted || output.destroyed) return;
    if (this.#options.joinsWrites && !this.#isCollecting) {
      this.#isCollecting = true;
      output.cork();
      process.nextTick(this.#flush);
    }
    output.write(`${message}\n`);
  };

  readonly #flush = (): void => {
    if (this.#isCollecting) this.#options.output.uncork();
    this.#isCollecting = false;
  };

  #refuse(message: string, reason: LineRefusal['reason']): void {
    const { protocol, principal, onRefusal } = this.#options;
    protocol.loseMessage({ principal, session: this.#session });
    this.#send(writeError(undefined, ERRORS.PARSE_ERROR.code, `Parse error: ${message}`));
    this.#noteLine(false);
    if (!this.#isRejected) onRefusal?.({ reason });
  }

  /** One sender per line: however many questions its messages ask, it is parked once. */
  #toSender(): Sender {
    const { transport, principal, remote } = this.#options;
    const { signal } = this.#disconnected;
    const park = createParking(this.#park);
    return { transport, principal, remote, session: this.#session, send: this.#send, park, signal };
  }

  readonly #park = (): (() => void) => {
    this.#parked++;
    this.#proceed();
    return () => {
      this.#parked--;
    };
  };

  #read(chunk: Buffer): void {
    // Read and dropped while draining: closing a socket with unread bytes would reset it, and lose the last answers.
    if (this.#ended || this.#draining || this.#isRejected) return;
    this.#readAt = performance.now();
    this.#splitter.push(chunk);
    this.#proceed();
  }

  #end(): void {
    if (!this.#ended) this.#splitter.end();
    this.#ended = true;
    this.#proceed();
  }

  #noteLine(isMessage: boolean): void {
    const { strictness } = this.#options;
    this.#nonMessages = isMessage ? 0 : this.#nonMessages + 1;
    this.#hasSentMessage ||= isMessage;
    const isTolerated =
      this.#nonMessages === 0 || (this.#hasSentMessage && this.#nonMessages <= (strictness?.maxNonMessages ?? 0));
    if (!strictness || isTolerated || this.#isRejected) return;
    this.#isRejected = true;
    strictness.onNotJsonRpc();
  }

  #take(bytes: Buffer): void {
    if (!isUtf8(bytes)) {
      this.#refuse('the line is not valid UTF-8.', 'malformed');
      return;
    }
    const text = bytes.toString();
    if (text.trim() === '') return;
    const reply = this.#options.protocol.handle(text, this.#toSender());
    if (!(reply instanceof Promise)) {
      if (reply) this.#send(reply.body);
      this.#noteLine(reply?.notJsonRpc !== true);
      this.#noteRefusal(reply);
      return;
    }
    this.#noteLine(true);
    this.#active++;
    const settle = (late: Reply | undefined) => {
      this.#active--;
      this.#noteRefusal(late);
      if (late) this.#send(late.body);
      // Answers come in microtasks: continuing here would block everything else until the queue is empty.
      if (this.#queue.length > 0) this.#waitForTurn();
      else this.#proceed();
    };
    void reply.then(settle, () => settle(undefined));
  }

  /** Not for rejected peers: that is reported instead. */
  #noteRefusal(reply: Reply | undefined): void {
    const { onRefusal } = this.#options;
    if (!onRefusal || this.#isRejected) return;
    const refusal = refusalOf(reply);
    if (refusal) onRefusal(refusal);
  }

  /** Whether the next line may be processed. False also while that is being decided; processing continues afterwards. */
  #isAdmitted(): boolean {
    const { mayGoOn } = this.#options;
    if (!mayGoOn || this.#isAllowed) {
      this.#isAllowed = false;
      return true;
    }
    const answer = mayGoOn();
    if (typeof answer === 'boolean') {
      if (!answer) this.#isRejected = true;
      return answer;
    }
    this.#isChecking = true;
    const settle = (isGood: boolean) => {
      this.#isChecking = false;
      this.#isAllowed = isGood;
      if (!isGood) this.#isRejected = true;
      this.#proceed();
    };
    void answer.then(settle, () => settle(false));
    return false;
  }

  #isFull(): boolean {
    const { limits, output } = this.#options;
    return this.#isChecking || this.#active - this.#parked >= limits.maxConcurrent || output.writableNeedDrain;
  }

  /** `isTurn`: this runs in a turn of the event loop. A large line is processed only then, and as the first one. */
  #proceed(isTurn = false): void {
    if (this.#proceeding || this.#awaitsTurn) return;
    this.#proceeding = true;
    const until = performance.now() + MAX_TURN_MS;
    let next = 0;
    const hasTime = isTurn ? () => performance.now() < until : hasTimeLeft;
    const mayGoOn = () => !this.#isFull() && !this.#isRejected && hasTime();
    const isLarge = () => this.#queue[next]!.length > MAX_UNQUEUED_MESSAGE && !(isTurn && next === 0);
    while (next < this.#queue.length && mayGoOn() && !isLarge() && this.#isAdmitted()) this.#take(this.#queue[next++]!);
    this.#queue = this.#isRejected ? [] : this.#queue.slice(next);
    this.#proceeding = false;
    if (this.#queue.length > 0 && !this.#isFull()) this.#waitForTurn();
    if (this.#active === 0 && (this.#draining || this.#ended)) this.#flush();
    if (this.#draining && this.#active === 0) this.#drained.open();
    if (!this.#ended) this.#steerInput();
    else if (this.#queue.length === 0) this.#finish();
  }

  /** Lets other connections run in between: a chunk may hold thousands of lines. */
  #waitForTurn(): void {
    if (this.#awaitsTurn) return;
    this.#awaitsTurn = true;
    queueTurn(() => {
      this.#awaitsTurn = false;
      this.#proceed(true);
    });
  }

  #steerInput(): void {
    const { input } = this.#options;
    if ((this.#isFull() || this.#queue.length > 0) && !this.#draining) input.pause();
    else input.resume();
  }

  #finish(): void {
    this.#session.ended.abort();
    if (this.#active === 0) this.#finished.open();
  }
}

function createGate(): { readonly opened: Promise<void>; open(): void } {
  let open = () => {};
  const opening = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { opened: opening, open: () => open() };
}
