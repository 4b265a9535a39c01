// Log lines to a file descriptor, in batches: a system call per line would cost more than the call it is about. Nobody
// waits for a slow reader: what it has not taken yet is kept up to a limit, so that a reader that stops cannot fill the
// memory. Beyond that lines are dropped, and a line in the log says how many; so it does of those that a full disk refused.
//
// Why not pino's own sonic-boom (`pino.destination({ sync: false, minLength: 65536 })`): measured by a script that only
// writes 400,000 audit lines, a hundred per turn of the event loop, not by a gateway under load (Node 20, two busy cores,
// three runs each). To a file this takes 1.6-1.7 s of processor time and sonic-boom 5.8-6.5 s. Behind a slow reader this
// dropped 95,000-202,000 of them, and sonic-boom, which sets no limit unless it is told one, kept all of them in memory.
import { fstatSync, write, writeSync } from 'node:fs';
import { escapeHidden } from './endpoint/hidden.ts';

export interface LineWriter {
  write(line: string): void;
  /** Calls back when everything given so far is written, or cannot be. */
  flush(callback: () => void): void;
  /** For the end of the process. */
  flushSync(): void;
}

const BATCH_BYTES = 64 * 1024;
const MAX_WAITING_BYTES = 16 * 1024 * 1024;
const MAX_DELAY_MS = 250;
const RETRY_MS = 20;
const NEWLINE = 0x0a;
const DELETE = 0x7f;
/** At the end of the process, a reader that takes nothing is waited for at most this long. */
const MAX_STALL_MS = 2_000;
/**
 * Writes up to this size to a pipe are atomic (PIPE_BUF of Linux; POSIX guarantees 512): longer ones may be mixed with other
 * writers'.
 */
const WHOLE_BYTES = 4_096;

/** `isShared`: other processes write to it as well. */
export function createLineWriter(fd: number, isShared = false): LineWriter {
  const waiting = new WaitingLines();
  let losses = 0;
  let batch: Buffer | undefined;
  /** How many dropped lines the batch tells of. */
  let noticeLosses = 0;
  /** The last line was only partly written, because the disk was full. */
  let isTorn = false;
  let timer: NodeJS.Timeout | undefined;
  /** Set while the reader takes nothing. */
  let retry: NodeJS.Timeout | undefined;
  let stalledMs = 0;
  const flushing: (() => void)[] = [];
  // Appending to a file is atomic, whatever the length.
  const maxPiece = isShared && !fstatSync(fd).isFile() ? WHOLE_BYTES : Number.POSITIVE_INFINITY;

  const take = (): Buffer => {
    if (losses > 0) waiting.add(writeNotice(losses));
    const bytes = waiting.take();
    noticeLosses = losses;
    losses = 0;
    return isTorn ? Buffer.concat([LINE_END, bytes]) : bytes;
  };

  const start = () => {
    clearTimeout(timer);
    timer = undefined;
    if (batch !== undefined) return;
    if (waiting.bytes === 0) {
      for (const callback of flushing.splice(0)) callback();
      return;
    }
    batch = take();
    go();
  };

  const giveUp = () => {
    clearTimeout(retry);
    batch = undefined;
    waiting.take();
    for (const callback of flushing.splice(0)) callback();
  };

  const go = () => {
    retry = undefined;
    const bytes = batch as Buffer;
    write(fd, cutLines(bytes, maxPiece), (error, count) => {
      if (error?.code === 'EAGAIN') {
        retry = setTimeout(go, RETRY_MS);
        stalledMs += RETRY_MS;
        // At the end of the process the timer is all that keeps it alive until the last lines are out.
        if (flushing.length === 0) retry.unref();
        else if (stalledMs > MAX_STALL_MS) giveUp();
        return;
      }
      stalledMs = 0;
      if (error) losses += countLost(bytes, noticeLosses);
      else if (count > 0) isTorn = bytes[count - 1] !== NEWLINE;
      // Any other error means a full disk or a closed reader: calls go on.
      batch = error || count === bytes.length ? undefined : bytes.subarray(count);
      if (batch !== undefined) go();
      else if (flushing.length > 0 || waiting.bytes >= BATCH_BYTES) start();
      else if (waiting.bytes > 0) arm();
    });
  };

  const arm = () => {
    timer ??= setTimeout(start, MAX_DELAY_MS).unref();
  };

  const flushSync = () => {
    if (waiting.bytes === 0) return;
    try {
      for (let bytes = take(); bytes.length > 0; ) bytes = bytes.subarray(writeSync(fd, cutLines(bytes, maxPiece)));
    } catch {
      // A full pipe or none at all: the process is ending, and must not wait for either.
    }
  };
  process.once('exit', flushSync);

  return {
    write(line) {
      if (waiting.bytes >= MAX_WAITING_BYTES) {
        losses++;
        return;
      }
      waiting.add(line);
      if (waiting.bytes >= BATCH_BYTES) start();
      else arm();
    },
    flush(callback) {
      flushing.push(callback);
      stalledMs = 0;
      retry?.ref();
      start();
    },
    flushSync,
  };
}

const LINE_END = Buffer.from('\n');

/**
 * Lines are kept as bytes. As strings, they would be thousands of objects that survive a collection of the young generation, and
 * each would have to be checked for hidden characters.
 */
class WaitingLines {
  #block = Buffer.allocUnsafeSlow(2 * BATCH_BYTES);
  #length = 0;
  #isPlain = true;

  get bytes(): number {
    return this.#length;
  }

  add(line: string): void {
    // A character takes three bytes at most; a pair of surrogates, four.
    const most = this.#length + 3 * line.length;
    if (most > this.#block.length) {
      const larger = Buffer.allocUnsafeSlow(Math.max(most, 2 * this.#block.length));
      this.#block.copy(larger, 0, 0, this.#length);
      this.#block = larger;
    }
    const count = this.#block.write(line, this.#length);
    if (count !== line.length) this.#isPlain = false;
    this.#length += count;
  }

  take(): Buffer {
    const bytes = this.#block.subarray(0, this.#length);
    const isPlain = this.#isPlain && !bytes.includes(DELETE);
    this.#block = Buffer.allocUnsafeSlow(2 * BATCH_BYTES);
    this.#length = 0;
    this.#isPlain = true;
    return isPlain ? bytes : Buffer.from(escapeHidden(bytes.toString()));
  }
}

/** As many whole lines from the beginning as fit, and one at least. */
function cutLines(bytes: Buffer, maxBytes: number): Buffer {
  if (bytes.length <= maxBytes) return bytes;
  const fitting = bytes.lastIndexOf(10, maxBytes - 1);
  return bytes.subarray(0, (fitting < 0 ? bytes.indexOf(10) : fitting) + 1 || bytes.length);
}

function writeNotice(lines: number): string {
  return `${JSON.stringify({ level: 40, time: new Date().toISOString(), msg: 'log lines dropped', lines })}\n`;
}

/**
 * Counts the lines that were not written, to be reported later. A line that was begun counts by its end; one that only lacked its
 * line break, or was counted before, does not.
 */
function countLost(bytes: Buffer, noticeLosses: number): number {
  // The line that reports dropped lines does not count itself.
  let lines = noticeLosses > 0 ? noticeLosses - 1 : 0;
  if (bytes[0] === NEWLINE) lines--;
  for (const byte of bytes) if (byte === NEWLINE) lines++;
  return lines;
}
