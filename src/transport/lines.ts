// A conversation over a byte stream: stdio and TCP differ only in where the bytes come from.
import { isUtf8 } from 'node:buffer';
import type { Readable, Writable } from 'node:stream';
import { ERRORS } from '../errors.ts';
import type { Principal } from '../orchestration/call.ts';
import type { Protocol } from '../protocol/handle.ts';
import { writeError } from '../protocol/jsonrpc.ts';
import { abandon, createSession } from '../protocol/session.ts';
import { createLineSplitter } from './framing.ts';

export interface LineLimits {
  readonly maxLineBytes: number;
  /** Requests under way on one connection; beyond that we stop reading until one is done. */
  readonly maxConcurrent: number;
}

export interface Conversation {
  /** Resolves when the other side has finished sending and everything it asked is answered. */
  readonly finished: Promise<void>;
  /** Requests under way. */
  active(): number;
  /** The other side is gone. */
  abandon(): void;
}

export function converse(
  protocol: Protocol,
  transport: 'stdio' | 'tcp',
  principal: Principal,
  input: Readable,
  output: Writable,
  limits: LineLimits,
): Conversation {
  const session = createSession();
  const gone = new AbortController();
  let active = 0;
  let ended = false;
  let finish = () => {};
  const finished = new Promise<void>((resolve) => {
    finish = resolve;
  });

  const send = (message: string) => {
    if (gone.signal.aborted || output.destroyed) return;
    if (!output.write(`${message}\n`)) throttle();
  };
  const throttle = () => {
    input.pause();
    output.once('drain', resume);
  };
  const resume = () => {
    if (active < limits.maxConcurrent && !output.writableNeedDrain) input.resume();
  };
  const context = { transport, principal, session, send, signal: gone.signal };
  const refuse = (message: string) => send(writeError(undefined, ERRORS.PARSE_ERROR.code, `Parse error: ${message}`));

  const onLine = (bytes: Buffer) => {
    if (!isUtf8(bytes)) return refuse('the line is not valid UTF-8.');
    const text = bytes.toString();
    if (text.trim() === '') return;
    const reply = protocol.handle(text, context);
    if (!(reply instanceof Promise)) {
      if (reply) send(reply.body);
      return;
    }
    if (++active >= limits.maxConcurrent) input.pause();
    void reply.then((late) => {
      active--;
      if (late) send(late.body);
      resume();
      if (ended && active === 0) finish();
    });
  };
  const splitter = createLineSplitter(limits.maxLineBytes, onLine, () =>
    refuse(`a line may have at most ${limits.maxLineBytes} bytes.`),
  );

  const end = () => {
    if (ended) return;
    splitter.end();
    ended = true;
    if (active === 0) finish();
  };
  input.on('data', (chunk: Buffer) => splitter.push(chunk));
  input.once('end', end);
  input.once('close', end);
  // A peer that vanishes mid-write is an end like any other.
  input.on('error', end);
  output.on('error', end);

  return {
    finished,
    active: () => active,
    abandon: () => {
      gone.abort();
      abandon(session);
    },
  };
}
