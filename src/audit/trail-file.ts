// The file of a trail, which is only appended to. It tracks the expected length of the file, so that a second writer, a
// truncation and a rotation by another program are noticed.
import {
  closeSync,
  existsSync,
  fdatasync,
  fstatSync,
  openSync,
  readdirSync,
  readSync,
  renameSync,
  type Stats,
  statfsSync,
  statSync,
  writeSync,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { type Head, MAX_LINE_BYTES, type ParsedLine, parseLine } from './line.ts';

/** The end of a file. */
export interface Tail {
  /** The last complete record; undefined if there is none. */
  readonly last?: ParsedLine | undefined;
  /** The bytes after the last line break: the beginning of a line whose rest was never written. */
  readonly torn: Buffer;
}

/** `moved`: another file, or none, has the name now. `cut`: the file is shorter than what was written. `foreign`: it is longer. */
export type FileChange = 'none' | 'moved' | 'cut' | 'foreign';

/** With less free space, no call is started: the records of calls in progress still have to be written. */
const RESERVE_BYTES = 128 * 1024;

export class TrailFile {
  readonly path: string;
  readonly #folder: string;
  readonly #fd: number;
  readonly #identity: Stats;
  #size: number;
  /** The rest of a line that is only partly on disk. It is written before anything else. */
  #rest: Buffer | undefined;

  constructor(path: string) {
    this.path = path;
    this.#folder = dirname(path);
    this.#fd = openSync(path, 'a', 0o600);
    this.#identity = fstatSync(this.#fd);
    this.#size = this.#identity.size;
    if (this.#identity.isFile()) return;
    closeSync(this.#fd);
    throw new Error('it is not a regular file');
  }

  get size(): number {
    return this.#size;
  }

  /** True if all of the text was written; false if only its beginning was, and the rest follows. Throws if nothing was written. */
  append(text: string): boolean {
    this.finishLine();
    return this.#write(Buffer.from(text), false);
  }

  /** Writes the rest of an unfinished line; throws if there is still no space for it. */
  finishLine(): void {
    const rest = this.#rest;
    if (rest === undefined) return;
    this.#rest = undefined;
    try {
      if (!this.#write(rest, true)) throw new Error('the disk had room for only part of a line');
    } catch (error) {
      this.#rest ??= rest;
      throw error;
    }
  }

  #write(bytes: Buffer, isRest: boolean): boolean {
    for (let offset = 0; offset < bytes.length; ) {
      try {
        const count = writeSync(this.#fd, bytes, offset);
        offset += count;
        this.#size += count;
      } catch (error) {
        if (offset === 0) {
          if (isRest) this.#rest = bytes;
          throw error;
        }
        this.#rest = bytes.subarray(offset);
        return false;
      }
    }
    return true;
  }

  /** How another process changed the file. */
  findChange(): FileChange {
    const now = statSync(this.path, { throwIfNoEntry: false });
    if (now === undefined || now.ino !== this.#identity.ino || now.dev !== this.#identity.dev) return 'moved';
    if (now.size === this.#size) return 'none';
    return now.size < this.#size ? 'cut' : 'foreign';
  }

  /** After a truncation: continues at the present end of the file. */
  adoptSize(): void {
    this.#size = fstatSync(this.#fd).size;
    this.#rest = undefined;
  }

  /**
   * Whether the disk has space for a few more records. A file system that does not report its size (some network mounts) is assumed to
   * have space.
   */
  hasRoom(): boolean {
    const { blocks, bsize, bavail, bfree } = statfsSync(this.#folder);
    if (blocks === 0) return true;
    return (process.getuid?.() === 0 ? bfree : bavail) * bsize >= RESERVE_BYTES;
  }

  /** After this, a power failure can destroy only later records. It does not block. */
  sync(): void {
    fdatasync(this.#fd, () => {});
  }

  close(): void {
    closeSync(this.#fd);
  }

  /** Renames the file and returns the new name; the file stays open. */
  archive(seq: number): string {
    const name = `${this.path}.${String(seq).padStart(12, '0')}`;
    const target = existsSync(name) ? `${name}-${Date.now()}` : name;
    renameSync(this.path, target);
    return basename(target);
  }
}

export function readTail(path: string): Tail {
  const fd = openSync(path, 'r');
  try {
    const { size } = fstatSync(fd);
    const length = Math.min(size, 2 * MAX_LINE_BYTES);
    const bytes = Buffer.alloc(length);
    readSync(fd, bytes, 0, length, size - length);
    const end = bytes.lastIndexOf(10);
    const fragment = bytes.subarray(end + 1);
    if (end < 0) return { torn: fragment };
    const start = bytes.lastIndexOf(10, end - 1);
    return { last: end === 0 ? undefined : parseLine(bytes.subarray(start + 1, end)), torn: fragment };
  } finally {
    closeSync(fd);
  }
}

export interface Predecessor extends Head {
  readonly file: string;
}

/** If a file was renamed while no process wrote it (`audit.jsonl.1` exists, `audit.jsonl` does not), its chain is continued. */
export function findPredecessor(path: string): Predecessor | undefined {
  const folder = dirname(path);
  const name = basename(path);
  // `audit-10` must not count as an earlier `audit-1`, so no digit may follow the name.
  const names = readdirSync(folder).filter((other) => other.startsWith(name) && /^\D/.test(other.slice(name.length)));
  const ends = names.flatMap((file): Predecessor[] => {
    const stats = statSync(join(folder, file), { throwIfNoEntry: false });
    if (!stats?.isFile()) return [];
    const last = readTail(join(folder, file)).last;
    return last?.isIntact ? [{ file, seq: last.seq, hash: last.hash }] : [];
  });
  return ends.sort((a, b) => b.seq - a.seq)[0];
}
