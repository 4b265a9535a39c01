// A conversation over a byte stream: stdio and TCP differ only in where the bytes come from.
import { isUtf8 } from 'node:buffer';
import type { Readable, Writable } from 'node:stream';
import type { Principal } from '../call/caller.ts';
import { ERRORS } from '../errors.ts';
import type { Protocol } from '../protocol/handle.ts';
import type { Sender } from '../protocol/sender.ts';
import { abandon, createSession } from '../protocol/session.ts';
import { writeError } from '../protocol/wire/jsonrpc.ts';
import { createLineSplitter } from './framing.ts';

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
  /** Called once; what was not read until then never is. */
  readonly onStranger: () => void;
  readonly maxSlips: number;
}

export interface Conversation {
  /** Resolves when the other side has finished sending and everything it asked is answered. */
  readonly finished: Promise<void>;
  /** Requests not answered yet. */
  active(): number;
  /** Takes no more requests; resolves when those under way are answered. Whoever waits for the client waits in vain. */
  drain(): Promise<void>;
  /** The other side is gone. */
  abandon(): void;
}

/** How long lines of one connection are taken before others get their turn. */
const MAX_TURN_MS = 10;

export function converse(
  protocol: Protocol,
  transport: 'stdio' | 'tcp',
  principal: Principal,
  input: Readable,
  output: Writable,
  limits: LineLimits,
  manners?: Manners,
): Conversation {
  const session = createSession();
  const gone = new AbortController();
  /** Read, but not looked at: one chunk may hold more lines than may be under way, or than the peer takes answers. */
  let queue: Buffer[] = [];
  let active = 0;
  /** Of these, how many only wait for the client. */
  let parked = 0;
  let ended = false;
  let draining = false;
  const finished = createGate();
  const drained = createGate();

  const send = (message: string) => {
    if (!gone.signal.aborted && !output.destroyed) output.write(`${message}\n`);
  };
  const park = () => {
    parked++;
    proceed();
    return () => {
      parked--;
    };
  };
  const sender: Sender = { transport, principal, session, send, park, signal: gone.signal };
  const refuse = (message: string) => send(writeError(undefined, ERRORS.PARSE_ERROR.code, `Parse error: ${message}`));

  /** Lines in a row that were no JSON-RPC, and whether any was. */
  let slips = 0;
  let isAcquainted = false;
  let estranged = false;
  const noteManners = (isMessage: boolean) => {
    slips = isMessage ? 0 : slips + 1;
    isAcquainted ||= isMessage;
    if (!manners || slips === 0 || (isAcquainted && slips <= manners.maxSlips)) return;
    estranged = true;
    manners.onStranger();
  };

  const take = (bytes: Buffer) => {
    if (!isUtf8(bytes)) {
      refuse('the line is not valid UTF-8.');
      return noteManners(false);
    }
    const text = bytes.toString();
    if (text.trim() === '') return;
    const reply = protocol.handle(text, sender);
    if (!(reply instanceof Promise)) {
      if (reply) send(reply.body);
      return noteManners(reply?.notJsonRpc !== true);
    }
    noteManners(true);
    active++;
    void reply.then((late) => {
      active--;
      if (late) send(late.body);
      proceed();
    });
  };

  const full = () => active - parked >= limits.maxConcurrent || output.writableNeedDrain;
  let proceeding = false;
  /** Set while the rest of the queue waits for its turn. */
  let turn: NodeJS.Immediate | undefined;
  const proceed = () => {
    // A line taken may end in here again (park); the loop that is running goes on by itself.
    if (proceeding || turn) return;
    proceeding = true;
    const until = performance.now() + MAX_TURN_MS;
    let next = 0;
    while (next < queue.length && !full() && !estranged && performance.now() < until) take(queue[next++]!);
    queue = next >= queue.length || estranged ? [] : queue.slice(next);
    proceeding = false;
    if (queue.length > 0 && !full()) {
      // Others get their turn: a chunk may hold thousands of lines.
      turn = setImmediate(() => {
        turn = undefined;
        proceed();
      });
    }
    if (draining && active === 0) drained.open();
    if (!ended) {
      if ((full() || queue.length > 0) && !draining) input.pause();
      else input.resume();
    } else if (queue.length === 0) {
      session.ended.abort();
      if (active === 0) finished.open();
    }
  };

  const splitter = createLineSplitter(
    limits.maxLineBytes,
    (line) => queue.push(line),
    () => {
      refuse(`a line may have at most ${limits.maxLineBytes} bytes.`);
      noteManners(false);
    },
  );
  const leave = () => {
    queue = [];
    gone.abort();
    abandon(session);
  };
  const end = () => {
    if (ended) return;
    splitter.end();
    ended = true;
    proceed();
  };
  input.on('data', (chunk: Buffer) => {
    // Read and dropped while draining: closing a socket with unread bytes would reset it, and lose the last answers.
    if (ended || draining || estranged) return;
    splitter.push(chunk);
    proceed();
  });
  input.once('end', end);
  input.once('close', end);
  input.on('error', end);
  output.on('drain', proceed);
  // Nobody reads answers any more: a peer that vanished mid-write is an end like any other.
  output.on('error', () => {
    leave();
    end();
  });

  return {
    finished: finished.opened,
    active: () => active,
    drain: () => {
      draining = true;
      queue = [];
      session.ended.abort();
      proceed();
      return drained.opened;
    },
    abandon: leave,
  };
}

function createGate(): { readonly opened: Promise<void>; open(): void } {
  let open = () => {};
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { opened, open: () => open() };
}
