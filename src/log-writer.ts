// Log lines to a file descriptor, in batches: a system call per line would cost more than the call it is about. Writing
// never waits for a slow reader: lines that it has not read yet are buffered up to a limit, so that a reader that stops
// cannot fill the memory. Beyond that, lines are dropped, and a line in the log says how many. The same goes for lines
// that a full disk refused.
//
// Why not pino's own sonic-boom (`pino.destination({ sync: false, minLength: 65536 })`): measured by a script that only
// writes 400,000 audit lines, a hundred per turn of the event loop, not by a gateway under load (Node 20, two busy
// cores, three runs each). To a file this takes 1.6-1.7 s of processor time and sonic-boom 5.8-6.5 s. Behind a slow
// reader this dropped 95,000-202,000 of them, and sonic-boom, which sets no limit unless one is set, kept all of them
// in memory.
import { fstatSync, write, writeSync } from 'node:fs';
import { escapeHidden } from './endpoint/hidden.ts';

const BATCH_BYTES = 64 * 1024;
const MAX_BUFFERED_BYTES = 16 * 1024 * 1024;
const MAX_DELAY_MS = 250;
const RETRY_MS = 20;
const NEWLINE = 0x0a;
const DELETE = 0x7f;
/** At the end of the process, wait at most this long for a reader that reads nothing. */
const MAX_STALL_MS = 2_000;
/**
 * Writes up to this size to a pipe are atomic (PIPE_BUF of Linux; POSIX guarantees 512): longer ones may be mixed with those of other
 * writers.
 */
const ATOMIC_BYTES = 4_096;

export class LineWriter {
  readonly #fd: number;
  readonly #maxWriteBytes: number;
  readonly #buffer = new LineBuffer();
  /** The bytes that are being written now. */
  #batch: Buffer | undefined;
  /** Lines that were dropped and not reported yet. */
  #losses = 0;
  /** How many dropped lines the batch reports. */
  #reportedLosses = 0;
  /** The last line was only partly written, because the disk was full. */
  #isTorn = false;
  #timer: NodeJS.Timeout | undefined;
  /** Set while the reader reads nothing. */
  #retry: NodeJS.Timeout | undefined;
  #stalledMs = 0;
  readonly #flushCallbacks: (() => void)[] = [];

  /** `isShared`: other processes write to the same descriptor. */
  constructor(fd: number, isShared = false) {
    this.#fd = fd;
    // Appending to a file is atomic, whatever the length.
    this.#maxWriteBytes = isShared && !fstatSync(fd).isFile() ? ATOMIC_BYTES : Number.POSITIVE_INFINITY;
    process.once('exit', () => this.flushSync());
  }

  write(line: string): void {
    if (this.#buffer.bytes >= MAX_BUFFERED_BYTES) {
      this.#losses++;
      return;
    }
    this.#buffer.add(line);
    if (this.#buffer.bytes >= BATCH_BYTES) this.#startBatch();
    else this.#startTimer();
  }

  /** Calls back when everything given so far is written, or cannot be. */
  flush(callback: () => void): void {
    this.#flushCallbacks.push(callback);
    this.#stalledMs = 0;
    this.#retry?.ref();
    this.#startBatch();
  }

  /** For the end of the process. */
  flushSync(): void {
    if (this.#buffer.bytes === 0) return;
    try {
      for (let bytes = this.#takeBatch(); bytes.length > 0; )
        bytes = bytes.subarray(writeSync(this.#fd, cutLines(bytes, this.#maxWriteBytes)));
    } catch {
      // The pipe is full or closed. The process is ending and must not wait.
    }
  }

  #startTimer(): void {
    this.#timer ??= setTimeout(() => this.#startBatch(), MAX_DELAY_MS).unref();
  }

  #startBatch(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    if (this.#batch !== undefined) return;
    if (this.#buffer.bytes === 0) {
      this.#callFlushed();
      return;
    }
    this.#batch = this.#takeBatch();
    this.#writeBatch();
  }

  #takeBatch(): Buffer {
    if (this.#losses > 0) this.#buffer.add(toLossLine(this.#losses));
    const bytes = this.#buffer.take();
    this.#reportedLosses = this.#losses;
    this.#losses = 0;
    return this.#isTorn ? Buffer.concat([LINE_END, bytes]) : bytes;
  }

  #writeBatch(): void {
    this.#retry = undefined;
    const bytes = this.#batch!;
    write(this.#fd, cutLines(bytes, this.#maxWriteBytes), (error, count) => {
      if (error?.code === 'EAGAIN') this.#writeLater();
      else this.#noteWritten(bytes, error, count);
    });
  }

  /** Retries later, because the reader reads nothing at the moment. */
  #writeLater(): void {
    this.#retry = setTimeout(() => this.#writeBatch(), RETRY_MS);
    this.#stalledMs += RETRY_MS;
    // While the process is flushing its last lines, only this timer keeps it alive.
    if (this.#flushCallbacks.length === 0) this.#retry.unref();
    else if (this.#stalledMs > MAX_STALL_MS) this.#giveUp();
  }

  #noteWritten(bytes: Buffer, error: Error | null, count: number): void {
    this.#stalledMs = 0;
    if (error) this.#losses += countLost(bytes, this.#reportedLosses);
    else if (count > 0) this.#isTorn = bytes[count - 1] !== NEWLINE;
    // Any other error means a full disk or a closed reader: the gateway continues.
    this.#batch = error || count === bytes.length ? undefined : bytes.subarray(count);
    if (this.#batch !== undefined) this.#writeBatch();
    else if (this.#flushCallbacks.length > 0 || this.#buffer.bytes >= BATCH_BYTES) this.#startBatch();
    else if (this.#buffer.bytes > 0) this.#startTimer();
  }

  #giveUp(): void {
    clearTimeout(this.#retry);
    this.#batch = undefined;
    this.#buffer.take();
    this.#callFlushed();
  }

  #callFlushed(): void {
    for (const callback of this.#flushCallbacks.splice(0)) callback();
  }
}

const LINE_END = Buffer.from('\n');

/**
 * Lines are kept as bytes. As strings, they would be thousands of objects that survive a collection of the young generation, and
 * each would have to be checked for hidden characters.
 */
class LineBuffer {
  #block = Buffer.allocUnsafeSlow(2 * BATCH_BYTES);
  #length = 0;
  #isPlain = true;

  get bytes(): number {
    return this.#length;
  }

  add(line: string): void {
    // A UTF-16 code unit takes three bytes at most; a surrogate pair takes four.
    const maxLength = this.#length + 3 * line.length;
    if (maxLength > this.#block.length) {
      const larger = Buffer.allocUnsafeSlow(Math.max(maxLength, 2 * this.#block.length));
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

/** The longest beginning of whole lines that fits, but at least one line. */
function cutLines(bytes: Buffer, maxBytes: number): Buffer {
  if (bytes.length <= maxBytes) return bytes;
  const end = bytes.lastIndexOf(NEWLINE, maxBytes - 1);
  return bytes.subarray(0, (end < 0 ? bytes.indexOf(NEWLINE) : end) + 1 || bytes.length);
}

function toLossLine(lines: number): string {
  return `${JSON.stringify({ level: 40, time: new Date().toISOString(), msg: 'log lines dropped', lines })}\n`;
}

/**
 * Counts the lines that were not written, to be reported later. A partly written line counts, by its end; a line of which only the
 * line break was missing does not, nor does a line that was counted before.
 */
function countLost(bytes: Buffer, reportedLosses: number): number {
  // The line that reports dropped lines does not count itself.
  let lines = reportedLosses > 0 ? reportedLosses - 1 : 0;
  if (bytes[0] === NEWLINE) lines--;
  for (const byte of bytes) if (byte === NEWLINE) lines++;
  return lines;
}
