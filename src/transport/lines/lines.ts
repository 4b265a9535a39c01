// A conversation over a byte stream, for stdio and TCP alike; TCP adds who may go on (`mayGoOn`) and how strangers are treated
// (`manners`).
import { isUtf8 } from 'node:buffer';
import { setMaxListeners } from 'node:events';
import type { Readable, Writable } from 'node:stream';
import type { Principal } from '../../call/caller.ts';
import { ERRORS } from '../../errors.ts';
import { hasTimeLeft, MAX_UNQUEUED_MESSAGE, queueTurn } from '../../executor/turns.ts';
import type { Protocol } from '../../protocol/handle.ts';
import type { Reply, Sender } from '../../protocol/sender.ts';
import { abandon, createSession, type Session } from '../../protocol/session.ts';
import { writeError } from '../../protocol/wire/jsonrpc.ts';
import { type RefusalFacts, refusalOf } from '../door/refusals.ts';
import { QUIET_MS } from '../ending/patience.ts';
import { createParking } from '../in-flight.ts';
import { createLineSplitter, type LineSplitter } from './framing.ts';

/** Requests under way on one connection, where nobody says otherwise. */
export const LINES_UNDER_WAY = 100;

export interface LineLimits {
  readonly maxLineBytes: number;
  /** Requests under way on one connection; beyond that we stop reading until one is done. */
  readonly maxConcurrent: number;
}

/**
 * What to do with a peer that does not speak JSON-RPC. A web page can make a browser send lines of its choice to a TCP
 * port (a `no-cors` POST), so there the first line must be a message; one that was is forgiven a few later slips.
 */
export interface Manners {
  /** Called once; data that was not read until then is never read. */
  readonly onStranger: () => void;
  readonly maxSlips: number;
}

export interface ConversationParts {
  readonly protocol: Protocol;
  readonly transport: 'stdio' | 'tcp';
  readonly principal: Principal;
  /** The address of the other side. */
  readonly remote?: string | undefined;
  /** Checked before every line: may the caller who began this conversation go on? If not, no further line is accepted. */
  readonly mayGoOn?: (() => boolean | Promise<boolean>) | undefined;
  readonly input: Readable;
  readonly output: Writable;
  /**
   * Answers that are ready at the same time leave with one write. Over TCP 64 calls of one connection take a sixth less processor time;
   * a pipe holds 64 KB, and takes one answer at a time with less.
   */
  readonly joinsWrites?: boolean;
  readonly limits: LineLimits;
  readonly manners?: Manners;
  /** Told of messages that were refused. */
  readonly onRefusal?: ((refusal: LineRefusal) => void) | undefined;
}

export type LineRefusal = Pick<RefusalFacts, 'reason' | 'why'>;

/** How long lines of one connection are taken in its turn before others get theirs. */
const MAX_TURN_MS = 10;

export class Conversation {
  /** Resolves when the other side has finished sending and everything it asked is answered. */
  readonly finished: Promise<void>;
  readonly #parts: ConversationParts;
  readonly #session: Session = createSession();
  readonly #departure = new AbortController();
  readonly #splitter: LineSplitter;
  readonly #finished = createGate();
  readonly #drained = createGate();
  /** Read but not processed yet: one chunk may contain more lines than may be in progress, or than the peer reads answers for. */
  #queue: Buffer[] = [];
  /** Requests not answered yet, and how many of them only wait for the client. */
  #active = 0;
  #parked = 0;
  #ended = false;
  /** When something came last. */
  #readAt = performance.now();
  #draining = false;
  /** Processing a line may call #proceed again (park); the running loop then simply continues. */
  #proceeding = false;
  /** Set while the rest of the queue waits for its turn. */
  #awaitsTurn = false;
  /** Consecutive lines that were not JSON-RPC, and whether any line was. */
  #slips = 0;
  #isAcquainted = false;
  #estranged = false;
  /** Set while it is being checked whether the next line is allowed; and once it is. */
  #isAsking = false;
  #isCleared = false;
  /** Set while messages wait for each other before they are written. */
  #isCollecting = false;

  constructor(parts: ConversationParts) {
    const { input, output, limits } = parts;
    this.#parts = parts;
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
    // Nobody reads answers any more: a peer that disappears during a write is a normal end.
    output.on('error', () => {
      this.abandon();
      end();
    });
  }

  get active(): number {
    return this.#active;
  }

  /** Nothing is under way, and nothing has come for a while. */
  get isQuiet(): boolean {
    return this.#active === 0 && this.#queue.length === 0 && performance.now() - this.#readAt >= QUIET_MS;
  }

  /** Asks the client nothing any more, and ends the questions that wait for its answer. */
  stopAsking(): void {
    this.#session.ended.abort();
  }

  /** Takes no more requests; resolves when those under way are answered. */
  drain(): Promise<void> {
    this.#draining = true;
    this.#queue = [];
    this.stopAsking();
    this.#proceed();
    return this.#drained.opened;
  }

  /** The other side is gone. */
  abandon(): void {
    this.#queue = [];
    this.#departure.abort();
    abandon(this.#session);
  }

  // Bound, as #park is: every line's sender hands them on.
  readonly #send = (message: string): void => {
    const { output } = this.#parts;
    if (this.#departure.signal.aborted || output.destroyed) return;
    if (this.#parts.joinsWrites && !this.#isCollecting) {
      this.#isCollecting = true;
      output.cork();
      process.nextTick(this.#flush);
    }
    output.write(`${message}\n`);
  };

  readonly #flush = (): void => {
    if (this.#isCollecting) this.#parts.output.uncork();
    this.#isCollecting = false;
  };

  #refuse(message: string, reason: LineRefusal['reason']): void {
    const { protocol, principal, onRefusal } = this.#parts;
    protocol.loseMessage({ principal, session: this.#session });
    this.#send(writeError(undefined, ERRORS.PARSE_ERROR.code, `Parse error: ${message}`));
    this.#noteManners(false);
    if (!this.#estranged) onRefusal?.({ reason });
  }

  /** One sender per line: however many questions its messages ask, it counts as one request in progress. */
  #toSender(): Sender {
    const { transport, principal, remote } = this.#parts;
    const { signal } = this.#departure;
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
    if (this.#ended || this.#draining || this.#estranged) return;
    this.#readAt = performance.now();
    this.#splitter.push(chunk);
    this.#proceed();
  }

  #end(): void {
    if (!this.#ended) this.#splitter.end();
    this.#ended = true;
    this.#proceed();
  }

  #noteManners(isMessage: boolean): void {
    const { manners } = this.#parts;
    this.#slips = isMessage ? 0 : this.#slips + 1;
    this.#isAcquainted ||= isMessage;
    const isForgiven = this.#slips === 0 || (this.#isAcquainted && this.#slips <= (manners?.maxSlips ?? 0));
    if (!manners || isForgiven || this.#estranged) return;
    this.#estranged = true;
    manners.onStranger();
  }

  #take(bytes: Buffer): void {
    if (!isUtf8(bytes)) {
      this.#refuse('the line is not valid UTF-8.', 'malformed');
      return;
    }
    const text = bytes.toString();
    if (text.trim() === '') return;
    const reply = this.#parts.protocol.handle(text, this.#toSender());
    if (!(reply instanceof Promise)) {
      if (reply) this.#send(reply.body);
      this.#noteManners(reply?.notJsonRpc !== true);
      this.#noteRefusal(reply);
      return;
    }
    this.#noteManners(true);
    this.#active++;
    const settle = (late: Reply | undefined) => {
      this.#active--;
      this.#noteRefusal(late);
      if (late) this.#send(late.body);
      // Answers come in microtasks: continuing right here would block everything else for the whole queue.
      if (this.#queue.length > 0) this.#waitForTurn();
      else this.#proceed();
    };
    void reply.then(settle, () => settle(undefined));
  }

  /** Not for peers whose connection is closed: that is reported instead. */
  #noteRefusal(reply: Reply | undefined): void {
    const { onRefusal } = this.#parts;
    if (!onRefusal || this.#estranged) return;
    const refusal = refusalOf(reply);
    if (refusal) onRefusal(refusal);
  }

  /** False also while it is being checked; processing continues afterwards. */
  #isAdmitted(): boolean {
    const { mayGoOn } = this.#parts;
    if (!mayGoOn || this.#isCleared) {
      this.#isCleared = false;
      return true;
    }
    const answer = mayGoOn();
    if (typeof answer === 'boolean') {
      if (!answer) this.#estranged = true;
      return answer;
    }
    this.#isAsking = true;
    const settle = (isGood: boolean) => {
      this.#isAsking = false;
      this.#isCleared = isGood;
      if (!isGood) this.#estranged = true;
      this.#proceed();
    };
    void answer.then(settle, () => settle(false));
    return false;
  }

  #isFull(): boolean {
    const { limits, output } = this.#parts;
    return this.#isAsking || this.#active - this.#parked >= limits.maxConcurrent || output.writableNeedDrain;
  }

  /** `isTurn`: this is its turn of the event loop. A large line is only taken then, and as the first one. */
  #proceed(isTurn = false): void {
    if (this.#proceeding || this.#awaitsTurn) return;
    this.#proceeding = true;
    const until = performance.now() + MAX_TURN_MS;
    let next = 0;
    const hasTime = isTurn ? () => performance.now() < until : hasTimeLeft;
    const mayGoOn = () => !this.#isFull() && !this.#estranged && hasTime();
    const isLarge = () => this.#queue[next]!.length > MAX_UNQUEUED_MESSAGE && !(isTurn && next === 0);
    while (next < this.#queue.length && mayGoOn() && !isLarge() && this.#isAdmitted()) this.#take(this.#queue[next++]!);
    this.#queue = this.#estranged ? [] : this.#queue.slice(next);
    this.#proceeding = false;
    if (this.#queue.length > 0 && !this.#isFull()) this.#waitForTurn();
    if (this.#active === 0 && (this.#draining || this.#ended)) this.#flush();
    if (this.#draining && this.#active === 0) this.#drained.open();
    if (!this.#ended) this.#steerInput();
    else if (this.#queue.length === 0) this.#finish();
  }

  /** Others get their turn: a chunk may hold thousands of lines. */
  #waitForTurn(): void {
    if (this.#awaitsTurn) return;
    this.#awaitsTurn = true;
    queueTurn(() => {
      this.#awaitsTurn = false;
      this.#proceed(true);
    });
  }

  #steerInput(): void {
    const { input } = this.#parts;
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
