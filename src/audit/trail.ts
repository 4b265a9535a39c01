// The audit trail: every call is a line of a file. Each line contains the hash of the line before, and the chain is signed at regular
// intervals. A line is written before the call is answered, with one system call and no waiting (1-2 µs): every answered call is in
// the file, even after kill -9. docs/audit.md says what the lines mean and what they prove.
import { createHash } from 'node:crypto';
import { hostname } from 'node:os';
import { type Evidence, refuseUnrecorded } from '../call/evidence.ts';
import type { ExecutionContext } from '../call/execution-context.ts';
import type { Effect } from '../endpoint/model.ts';
import { type Redact, writeBegin, writeCall } from './call-facts.ts';
import type { FileLock } from './file-lock.ts';
import { buildLine, GENESIS, type Head, parseLine, type RecordKind } from './line.ts';
import type { SigningKey } from './signing-key.ts';
import { findPredecessor, readTail, type Tail, TrailFile } from './trail-file.ts';

/** Where an audit trail is written, and how. */
export interface TrailOptions {
  /** `%h` stands for the name of the host, `%p` for the id of the process. */
  readonly file: string;
  /** Default: `audit-key.pem` beside `audit.jsonl`, made on first use. */
  readonly keyFile?: string | undefined;
  /** When a record cannot be written: refuse calls, or continue and log it. Default: `refuse`. */
  readonly onError?: 'refuse' | 'continue' | undefined;
  /** Default: 60. */
  readonly signEverySeconds?: number | undefined;
  /** A file that reaches this size is followed by a new one. Default: never. */
  readonly maxBytes?: number | undefined;
  /** The number of the worker that writes the trail; part of the first record of every file. */
  readonly worker?: number | undefined;
  /** Removes secrets from a text. */
  readonly redact?: Redact | undefined;
  readonly log?: TrailLog | undefined;
}

/** Receives the messages of the audit trail to the operator. */
export interface TrailLog {
  info(facts: object, message: string): void;
  warn(facts: object, message: string): void;
  error(facts: object, message: string): void;
}

const CHECK_EVERY_MS = 1_000;
const REFRESH_MS = 10_000;
/** Records kept in memory while nothing can be written; those beyond are only counted as lost. */
const MAX_PENDING = 10_000;

/** Why nothing can be written, and since when. */
interface Trouble {
  readonly why: string;
  readonly sinceMs: number;
}

/** The outcome of writing a record. `partial`: the beginning of its line is in the file, and the rest will follow. */
type WriteOutcome = 'written' | 'partial' | 'missing';

export class Trail implements Evidence {
  readonly #key: SigningKey;
  readonly #lock: FileLock;
  readonly #redact: Redact;
  readonly #log: TrailLog | undefined;
  readonly #refuses: boolean;
  readonly #signEveryMs: number;
  readonly #maxBytes: number;
  readonly #worker: number | undefined;
  readonly #timers: readonly NodeJS.Timeout[];
  #file: TrailFile;
  #head: Head = GENESIS;
  /** Records since the last signature, and when the first of them was written. */
  #unsigned = 0;
  #unsignedSinceMs = 0;
  #nextCheckMs = 0;
  /** The first record of a new file, until it is written. */
  #opening: { readonly facts: object; readonly before: string } | undefined;
  #trouble: Trouble | undefined;
  /** Records of calls that were made; they wait for disk space. */
  #pending: string[] = [];
  #losses = 0;
  #refused = 0;
  #isClosed = false;

  constructor(path: string, key: SigningKey, lock: FileLock, options: TrailOptions) {
    this.#key = key;
    this.#lock = lock;
    this.#redact = options.redact ?? ((text) => text);
    this.#log = options.log;
    this.#refuses = options.onError !== 'continue';
    this.#signEveryMs = (options.signEverySeconds ?? 60) * 1_000;
    this.#maxBytes = options.maxBytes ?? Number.POSITIVE_INFINITY;
    this.#worker = options.worker;
    this.#file = new TrailFile(path);
    try {
      this.#resume();
    } catch (error) {
      this.#file.close();
      throw error;
    }
    this.#timers = [
      setInterval(() => this.#tick(), this.#signEveryMs).unref(),
      setInterval(() => this.#lock.refresh(), REFRESH_MS).unref(),
    ];
  }

  get file(): string {
    return this.#file.path;
  }

  get isRefusing(): boolean {
    return this.#refuses && this.#trouble !== undefined;
  }

  admit(label: string): void {
    if (!this.#refuses) return;
    if (this.#isWritable()) return;
    this.#refused++;
    throw refuseUnrecorded(label);
  }

  begin(context: ExecutionContext, effect: Effect): void {
    if (this.#put('begin', writeBegin(context, effect, this.#redact)) === 'written') return;
    this.#refused++;
    throw refuseUnrecorded(context.label);
  }

  write(record: ExecutionContext): boolean {
    // The call was refused because nothing can be written; it was counted at that time.
    if (record.results[0]?.failureMode === 'not_recorded') return true;
    const facts = writeCall(record, this.#redact);
    const outcome = this.#put('call', facts);
    if (outcome === 'missing') {
      if (this.#pending.length < MAX_PENDING) this.#pending.push(facts);
      else this.#losses++;
    }
    return outcome === 'written';
  }

  countRefused(principal: string, count: number, sinceMs: number): void {
    this.#put('refused', JSON.stringify({ principal, count, since: toTime(sinceMs) }));
  }

  reopen(): void {
    if (this.#isClosed) return;
    this.#nextCheckMs = 0;
    if (this.#trouble) this.#recover();
    else this.#attempt(() => this.#checkFile(Date.now()));
  }

  close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    for (const timer of this.#timers) clearInterval(timer);
    if (this.#trouble) this.#recover();
    if (!this.#trouble) this.#attempt(() => this.#sign(Date.now(), { final: true }));
    const missing = this.#pending.length + this.#losses;
    if (missing > 0) this.#log?.error({ file: this.#file.path, missing }, 'records of calls could not be written');
    this.#file.close();
    this.#lock.release();
  }

  #put(kind: RecordKind, facts: string): WriteOutcome {
    if (this.#isClosed) return this.#refuses ? 'missing' : 'written';
    const outcome = this.#trouble === undefined || this.#recover() ? this.#tryRecord(kind, facts) : 'missing';
    if (this.#refuses || outcome === 'written') return outcome;
    if (outcome === 'missing') this.#losses++;
    return 'written';
  }

  #tryRecord(kind: RecordKind, facts: string): WriteOutcome {
    try {
      this.#record(kind, facts);
      return 'written';
    } catch (error) {
      this.#fail((error as Error).message);
      return error instanceof PartlyWritten && error.kind === kind ? 'partial' : 'missing';
    }
  }

  /** Before a call: whether its record could probably be written. */
  #isWritable(): boolean {
    if (this.#isClosed) return false;
    return this.#attempt(() => this.#checkDiskSpace()) && (this.#trouble === undefined || this.#recover());
  }

  #checkDiskSpace(): void {
    if (!this.#file.hasRoom()) throw new Error('the disk is full');
  }

  #attempt(action: () => void): boolean {
    try {
      action();
      return true;
    } catch (error) {
      this.#fail((error as Error).message);
      return false;
    }
  }

  #fail(why: string): void {
    if (this.#trouble !== undefined) return;
    this.#trouble = { why, sinceMs: Date.now() };
    this.#log?.error(
      { file: this.#file.path, why },
      this.#refuses
        ? 'the audit file cannot be written: calls are refused until it can'
        : 'the audit file cannot be written: calls go on without a record until it can',
    );
  }

  /** Tries to write again: first the rest of an unfinished line, at the end a record of how much is missing. */
  #recover(): boolean {
    const trouble = this.#trouble;
    if (trouble === undefined) return true;
    try {
      if (this.#refuses) this.#checkDiskSpace();
      this.#file.finishLine();
      const now = Date.now();
      this.#nextCheckMs = 0;
      this.#checkFile(now);
      if (this.#unsigned > 0) this.#sign(now);
      this.#recordPending();
      this.#recordGap(trouble);
    } catch {
      return false;
    }
    this.#trouble = undefined;
    this.#log?.warn({ file: this.#file.path, forMs: Date.now() - trouble.sinceMs }, 'the audit file is written again');
    return true;
  }

  #recordPending(): void {
    let count = 0;
    try {
      for (const facts of this.#pending) {
        this.#record('call', facts);
        count++;
      }
    } catch (error) {
      if (error instanceof PartlyWritten && error.kind === 'call') count++;
      throw error;
    } finally {
      this.#pending = this.#pending.slice(count);
    }
  }

  #recordGap({ why, sinceMs }: Trouble): void {
    const gap = { lost: this.#losses, refused: this.#refused };
    if (gap.lost === 0 && gap.refused === 0) return;
    const since = new Date(sinceMs).toISOString();
    try {
      this.#record('gap', JSON.stringify({ ...gap, since, why: this.#redact(why) }));
    } catch (error) {
      if (!(error instanceof PartlyWritten && error.kind === 'gap')) throw error;
      [this.#losses, this.#refused] = [0, 0];
      throw error;
    }
    [this.#losses, this.#refused] = [0, 0];
    this.#log?.warn({ file: this.#file.path, ...gap }, 'the audit trail has a gap');
  }

  /** Throws if the record could not be written, or only in part. */
  #record(kind: RecordKind, facts: string): void {
    const now = Date.now();
    if (now >= this.#nextCheckMs) this.#checkFile(now);
    if (this.#opening !== undefined) this.#writeOpening(now);
    if (this.#unsigned > 0 && now - this.#unsignedSinceMs >= this.#signEveryMs) this.#sign(now);
    if (this.#file.size >= this.#maxBytes) this.#rotate(now);
    this.#append(kind, facts, now);
  }

  #append(kind: RecordKind, facts: string, now: number, before = ''): void {
    const line = buildLine(this.#head, toTime(now), kind, facts, kind === 'checkpoint' ? this.#key.sign : undefined);
    const isWhole = this.#file.append(before + line.text);
    // The beginning of the line is in the file and the rest will follow, so the chain continues after it.
    this.#head = line;
    if (kind === 'checkpoint') this.#unsigned = 0;
    else if (this.#unsigned++ === 0) this.#unsignedSinceMs = now;
    if (!isWhole) throw new PartlyWritten(kind);
  }

  #sign(now: number, more: object = {}): void {
    this.#append('checkpoint', JSON.stringify({ records: this.#head.seq, key: this.#key.id, ...more }), now);
    this.#file.sync();
    this.#log?.info({ seq: this.#head.seq, hash: this.#head.hash }, 'audit checkpoint');
  }

  #tick(): void {
    if (this.#trouble !== undefined) this.#recover();
    else if (this.#unsigned > 0) this.#attempt(() => this.#sign(Date.now()));
  }

  #checkFile(now: number): void {
    this.#nextCheckMs = now + CHECK_EVERY_MS;
    const change = this.#file.findChange();
    if (change === 'none') return;
    if (change === 'foreign') throw new Error('another process writes to it too');
    if (change === 'moved') {
      this.#followRename(now);
      return;
    }
    this.#log?.error({ file: this.#file.path }, 'the audit file was truncated while the gateway wrote to it');
    this.#file.adoptSize();
    // The rest of the file may end in the middle of a line.
    this.#open(now, { reason: 'cut' }, this.#file.size === 0 ? '' : '\n');
  }

  #rotate(now: number): void {
    this.#sign(now, { closes: true });
    // If the next step fails, the file has been moved already; the next attempt continues from there.
    const before = this.#file.archive(this.#head.seq);
    this.#replace(new TrailFile(this.#file.path), before, now, 'rotated');
  }

  /** Another program renamed the file: it ends with a signature under its new name, and a new file is started. */
  #followRename(now: number): void {
    const next = new TrailFile(this.#file.path);
    try {
      if (next.size > 0) throw new Error('another file that is not empty now has its name');
      this.#sign(now, { closes: true });
    } catch (error) {
      next.close();
      throw error;
    }
    this.#replace(next, undefined, now, 'moved');
  }

  #replace(next: TrailFile, before: string | undefined, now: number, reason: string): void {
    this.#file.close();
    this.#file = next;
    this.#nextCheckMs = now + CHECK_EVERY_MS;
    this.#open(now, { reason, ...(before !== undefined && { before }) });
  }

  /** Writes the first record of a file or a process. Its `prev` is the record that the chain continues from. */
  #open(now: number, facts: object, before = ''): void {
    this.#opening = { facts, before };
    this.#writeOpening(now);
  }

  #writeOpening(now: number): void {
    const { facts, before } = this.#opening!;
    const signEverySeconds = this.#signEveryMs / 1_000;
    const worker = this.#worker;
    const who = { host: hostname(), pid: process.pid, ...(worker !== undefined && { worker }) };
    const all = { ...facts, ...who, key: this.#key.id, signEverySeconds };
    try {
      this.#append('open', JSON.stringify(all), now, before);
    } catch (error) {
      if (error instanceof PartlyWritten) this.#opening = undefined;
      throw error;
    }
    this.#opening = undefined;
    this.#sign(now);
  }

  /** Continues at the end of the file, or of the earlier file that was renamed. */
  #resume(): void {
    const now = Date.now();
    if (this.#file.size === 0) {
      const before = findPredecessor(this.#file.path);
      if (before) this.#head = before;
      this.#open(now, { reason: 'start', ...(before && { before: before.file }) });
      return;
    }
    const tail = readTail(this.#file.path);
    const whole = tail.torn.length > 0 ? parseLine(tail.torn) : undefined;
    // Only the line break after the last line is missing.
    if (whole?.isIntact && whole.prev === (tail.last?.hash ?? GENESIS.hash)) {
      this.#head = whole;
      this.#open(now, { reason: 'start', clean: false }, '\n');
      return;
    }
    this.#head = this.#readHead(tail);
    if (tail.torn.length > 0) this.#recordTornLine(tail.torn, now);
    this.#open(now, { reason: 'start', clean: tail.torn.length === 0 && tail.last?.record.final === true });
  }

  #readHead({ last, torn }: Tail): Head {
    if (last?.isIntact) return last;
    // The very first line was never finished.
    if (last === undefined && torn.length === this.#file.size) return GENESIS;
    throw new Error(
      'its last line is not an audit record, or was changed. Keep the file as evidence under another name, and start again',
    );
  }

  /** A line that was cut off by the end of the process stays as it is; the recovery record after it describes it. */
  #recordTornLine(fragment: Buffer, now: number): void {
    const sha256 = createHash('sha256').update(fragment).digest('base64url');
    this.#append('recovery', JSON.stringify({ tornBytes: fragment.length, tornSha256: sha256 }), now, '\n');
  }
}

/** Only the beginning of a line was written; the rest follows before anything else. */
class PartlyWritten extends Error {
  readonly kind: RecordKind;

  constructor(kind: RecordKind) {
    super('the disk had room for only part of a line');
    this.kind = kind;
  }
}

let timeAt = 0;
let timeText = '';

/** Cached, because many records share a millisecond. */
function toTime(now: number): string {
  if (now !== timeAt) {
    timeAt = now;
    timeText = new Date(now).toISOString();
  }
  return timeText;
}
