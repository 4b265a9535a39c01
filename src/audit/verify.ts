// Checks audit files: every line against its own hash, the line before it and the signatures. Only one line at a time is in memory, so
// files may have any size.
import { createHash } from 'node:crypto';
import { closeSync, openSync, readSync } from 'node:fs';
import { GatewayError } from '../errors.ts';
import { GENESIS, type Head, MAX_LINE_BYTES, type ParsedLine, parseLine } from './line.ts';
import type { CheckingKey } from './signing-key.ts';

/** A problem, and where it is. */
export interface Flaw {
  readonly file: string;
  readonly line: number;
  readonly what: string;
}

export interface TrailVerdict {
  readonly ok: boolean;
  /** In the order in which they were read. */
  readonly files: readonly string[];
  readonly records: number;
  readonly calls: number;
  readonly checkpoints: number;
  readonly first: number | undefined;
  readonly last: Head | undefined;
  /** At most MAX_FLAWS; `flawCount` counts all. */
  readonly flaws: readonly Flaw[];
  readonly flawCount: number;
  /** Remarks that are not problems. */
  readonly notes: readonly Flaw[];
  /** Records after the last signature: consistent changes to them cannot be detected. */
  readonly unsigned: number;
  /** Whether the last record is the signature of a gateway that stopped cleanly. */
  readonly isClosed: boolean;
}

export interface VerifyOptions {
  readonly keys: readonly CheckingKey[];
  /** Records that were noted elsewhere, such as in the log: the files must contain them. */
  readonly heads?: readonly Head[];
  /** The gateway has stopped, so its last signature must be there. */
  readonly mustBeClosed?: boolean;
}

const MAX_FLAWS = 100;
/** Tolerance between the moment a signature is due and the record that waits for it. */
const SLACK_MS = 5_000;

export function verifyTrail(files: readonly string[], options: VerifyOptions): TrailVerdict {
  const sequence = inOrder(files);
  const check = new TrailCheck(options);
  for (const file of sequence) {
    check.enter(file);
    for (const line of readLines(file)) check.read(line);
    check.leave();
  }
  return check.finish(sequence);
}

/** Sorts files by their first records, because a shell may expand `audit.jsonl*` in any order. */
function inOrder(files: readonly string[]): readonly string[] {
  const firsts = files.map((file) => {
    const [first] = readRecords(file);
    return { file, seq: first?.seq ?? Number.POSITIVE_INFINITY };
  });
  return firsts.sort((a, b) => (a.seq === b.seq ? 0 : a.seq - b.seq)).map(({ file }) => file);
}

/** All lines that are records, whether or not they form a chain. */
export function* readRecords(file: string): Generator<ParsedLine> {
  for (const { bytes } of readLines(file)) {
    const line = bytes && parseLine(bytes);
    if (line !== undefined) yield line;
  }
}

/** A line that is too long to be a record has no bytes. */
interface RawLine {
  readonly number: number;
  readonly bytes: Buffer | undefined;
  /** False for the end of a file without a line break. */
  readonly isEnded: boolean;
}

function* readLines(file: string): Generator<RawLine> {
  const fd = open(file);
  try {
    const chunk = Buffer.alloc(64 * 1024);
    let parts: Buffer[] = [];
    let size = 0;
    let number = 1;
    const take = (isEnded: boolean): RawLine => {
      const line = { number: number++, bytes: size > MAX_LINE_BYTES ? undefined : Buffer.concat(parts), isEnded };
      parts = [];
      size = 0;
      return line;
    };
    const add = (piece: Buffer) => {
      size += piece.length;
      if (size <= MAX_LINE_BYTES) parts.push(Buffer.from(piece));
      else parts = [];
    };
    for (;;) {
      const count = readSync(fd, chunk, 0, chunk.length, null);
      if (count === 0) break;
      let start = 0;
      for (let end = chunk.indexOf(10); end >= 0 && end < count; end = chunk.indexOf(10, start)) {
        add(chunk.subarray(start, end));
        start = end + 1;
        yield take(true);
      }
      if (start < count) add(chunk.subarray(start, count));
    }
    if (size > 0) yield take(false);
  } finally {
    closeSync(fd);
  }
}

function open(file: string): number {
  try {
    return openSync(file, 'r');
  } catch (cause) {
    throw new GatewayError('BAD_CONFIG', `Cannot read ${file}: ${(cause as Error).message}.`, {}, cause);
  }
}

/** Checks line by line; this is its state between two lines. */
class TrailCheck {
  readonly #keys: ReadonlyMap<string, CheckingKey>;
  readonly #heads: ReadonlyMap<number, string>;
  readonly #mustBeClosed: boolean;
  readonly #headsLeft: Set<number>;
  readonly #flaws: Flaw[] = [];
  readonly #notes: Flaw[] = [];
  #flawCount = 0;
  #file = '';
  #line = 0;
  #isFirstOfFile = true;
  #head: Head | undefined;
  #first: number | undefined;
  #last: ParsedLine | undefined;
  #records = 0;
  #calls = 0;
  #checkpoints = 0;
  #unsigned = 0;
  #unsignedBefore = 0;
  #unsignedSinceMs = 0;
  #signEveryMs = Number.POSITIVE_INFINITY;
  /** A line that is not a record: legitimate only if the next line is the recovery record that describes it. */
  #torn: { readonly number: number; readonly bytes: Buffer; readonly isEnded: boolean } | undefined;

  constructor({ keys, heads = [], mustBeClosed = false }: VerifyOptions) {
    this.#keys = new Map(keys.map((key) => [key.id, key]));
    this.#heads = new Map(heads.map(({ seq, hash }) => [seq, hash]));
    this.#headsLeft = new Set(this.#heads.keys());
    this.#mustBeClosed = mustBeClosed;
  }

  enter(file: string): void {
    this.#file = file;
    this.#line = 0;
    this.#isFirstOfFile = true;
  }

  read({ number, bytes, isEnded }: RawLine): void {
    this.#line = number;
    const line = bytes && parseLine(bytes);
    if (line === undefined) {
      this.#reportTorn();
      if (bytes === undefined) this.#report('is too long to be a record');
      else this.#torn = { number, bytes, isEnded };
      return;
    }
    this.#settleTorn(line);
    this.#records++;
    if (!isEnded) this.#note('is the last, and has no line break yet');
    if (!line.isIntact) this.#report(`record ${line.seq} was changed: its hash is not that of its bytes`);
    if (this.#link(line)) this.#take(line);
    this.#isFirstOfFile = false;
  }

  leave(): void {
    const fragment = this.#torn;
    if (fragment === undefined) return;
    this.#torn = undefined;
    this.#line = fragment.number;
    if (fragment.isEnded) this.#report(NO_RECORD);
    else this.#note('is an unfinished record (the process ended while it wrote); the next start marks it as such');
  }

  finish(files: readonly string[]): TrailVerdict {
    const isClosed = this.#last?.kind === 'checkpoint' && this.#last.record.final === true;
    if (this.#records === 0) this.#report('there is no record in it');
    if (this.#mustBeClosed && this.#records > 0 && !isClosed)
      this.#report('does not end with the signature of a clean stop: the lines after this one are missing');
    for (const seq of this.#headsLeft) this.#report(`record ${seq} is missing, and it was noted elsewhere`);
    return {
      ok: this.#flawCount === 0,
      files,
      records: this.#records,
      calls: this.#calls,
      checkpoints: this.#checkpoints,
      first: this.#first,
      last: this.#last && { seq: this.#last.seq, hash: this.#last.hash },
      flaws: this.#flaws,
      flawCount: this.#flawCount,
      notes: this.#notes,
      unsigned: this.#unsigned,
      isClosed,
    };
  }

  /** Whether the check can continue from this line: it is in its place, or starts another chain. */
  #link(line: ParsedLine): boolean {
    const head = this.#head;
    if (head === undefined) {
      if (line.seq !== 1 || line.prev !== GENESIS.hash) this.#linkFirst(line);
      return true;
    }
    if (line.seq <= head.seq) {
      const startsChain = this.#isFirstOfFile && line.seq === 1;
      this.#report(
        startsChain
          ? `begins a separate chain: it does not continue from record ${head.seq} of the file before`
          : `record ${line.seq} comes after record ${head.seq}: it was moved, repeated or inserted`,
      );
      return startsChain;
    }
    if (line.seq > head.seq + 1) this.#report(`${range(head.seq + 1, line.seq - 1)} missing before this line`);
    else if (line.prev !== head.hash)
      this.#report(`record ${line.seq} does not continue from record ${head.seq}: one of them was replaced`);
    return true;
  }

  #linkFirst({ seq, kind, record }: ParsedLine): void {
    // An `open` record with `clean` was written by a restart that continued an existing file, so that file had other lines before
    // it.
    if (kind !== 'open' || seq === 1 || record.clean !== undefined) {
      this.#report(seq === 1 ? 'record 1 does not begin a chain' : `${range(1, seq - 1)} missing before this line`);
      return;
    }
    const before = typeof record.before === 'string' ? ` (${record.before})` : '';
    this.#note(
      `continues from record ${seq - 1} of an earlier file${before}: pass that file too, and the link is checked`,
    );
  }

  #take(line: ParsedLine): void {
    this.#head = line;
    this.#last = line;
    this.#first ??= line.seq;
    const head = this.#heads.get(line.seq);
    if (head !== undefined) {
      this.#headsLeft.delete(line.seq);
      if (head !== line.hash) this.#report(`record ${line.seq} is not the one that was noted elsewhere`);
    }
    if (line.kind === 'checkpoint') {
      this.#checkSignature(line);
      return;
    }
    this.#checkDue(line);
    this.#unsignedBefore = this.#unsigned;
    if (this.#unsigned++ === 0) this.#unsignedSinceMs = line.timeMs;
    const { kind, record } = line;
    if (kind === 'call') this.#calls++;
    if (kind === 'open') this.#takeOpening(record);
    if (kind === 'gap')
      this.#note(
        `${String(record.lost)} records were lost and ${String(record.refused)} calls refused: ${String(record.why)}`,
      );
  }

  #takeOpening({ signEverySeconds, reason, clean }: ParsedLine['record']): void {
    if (typeof signEverySeconds === 'number') this.#signEveryMs = signEverySeconds * 1_000;
    if (reason === 'cut') this.#note('the file was truncated before this line while the gateway wrote to it');
    if (clean !== false) return;
    const tail = this.#unsignedBefore === 0 ? '' : `; ${this.#unsignedBefore} records before it had no signature yet`;
    this.#note(
      `the gateway did not stop cleanly (it was killed, or the end of the file was removed before this line)${tail}`,
    );
  }

  /**
   * When a signature is due, a gateway signs before it writes the next record. So no gateway wrote a longer stretch without a
   * signature.
   */
  #checkDue({ kind, timeMs }: ParsedLine): void {
    if (this.#unsigned === 0 || kind === 'open' || kind === 'recovery') return;
    const waitedMs = timeMs - this.#unsignedSinceMs;
    if (waitedMs <= this.#signEveryMs + SLACK_MS) return;
    this.#report(
      `no signature for ${Math.round(waitedMs / 1_000)} s before this line, though one was due every ${this.#signEveryMs / 1_000} s`,
    );
    this.#unsignedSinceMs = timeMs;
  }

  #checkSignature({ seq, record, signed }: ParsedLine): void {
    this.#checkpoints++;
    const key = typeof record.key === 'string' ? this.#keys.get(record.key) : undefined;
    if (signed === undefined) this.#report(`checkpoint ${seq} has no signature`);
    else if (key === undefined) this.#report(`checkpoint ${seq} is signed with another key (${String(record.key)})`);
    else if (!key.isSignature(signed.bytes, signed.signature))
      this.#report(`the signature of checkpoint ${seq} is wrong`);
    else if (record.records !== seq - 1) this.#report(`checkpoint ${seq} signs ${String(record.records)} records`);
    this.#unsigned = 0;
  }

  #settleTorn({ kind, record }: ParsedLine): void {
    const fragment = this.#torn;
    if (fragment === undefined) {
      if (kind === 'recovery') this.#report('marks an unfinished line that is not there: it was removed');
      return;
    }
    const sha256 = createHash('sha256').update(fragment.bytes).digest('base64url');
    if (kind !== 'recovery' || record.tornBytes !== fragment.bytes.length || record.tornSha256 !== sha256) {
      this.#reportTorn();
      return;
    }
    this.#torn = undefined;
    this.#note('marks the line before, which was never finished: its call was not answered');
  }

  #reportTorn(): void {
    const fragment = this.#torn;
    if (fragment === undefined) return;
    this.#torn = undefined;
    this.#add(fragment.number, NO_RECORD);
  }

  #report(what: string): void {
    this.#add(this.#line, what);
  }

  #add(line: number, what: string): void {
    this.#flawCount++;
    if (this.#flaws.length < MAX_FLAWS) this.#flaws.push({ file: this.#file, line, what });
  }

  #note(what: string): void {
    if (this.#notes.length < MAX_FLAWS) this.#notes.push({ file: this.#file, line: this.#line, what });
  }
}

const NO_RECORD = 'is not a record: it was changed or inserted';

function range(from: number, to: number): string {
  return from === to ? `record ${from} is` : `records ${from} to ${to} are`;
}
