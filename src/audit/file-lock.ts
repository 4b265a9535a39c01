// One process per audit file: two processes would write two chains into it. The lock is a file that names its holder.
// The lock of a process that has ended is taken over, so kill -9 leaves nothing to clean up.
import { readFileSync, readlinkSync, renameSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { GatewayError } from '../errors.ts';

export interface FileLock {
  /**
   * Must be called regularly: to a process on another machine or in another container, the age of the lock is the only sign of life.
   */
  refresh(): void;
  release(): void;
}

/** A lock from another machine or container that was not refreshed for this long is stale. */
const STALE_MS = 60_000;

interface LockOwner {
  readonly host: string;
  /** The scope of its pid: this boot of the kernel, and this container. */
  readonly place: string;
  readonly pid: number;
  /** When the process started, in the system's units: pids are reused. */
  readonly since?: string | undefined;
  /** The primary of a worker. If it has ended, the worker ends as soon as its last calls are answered. */
  readonly primary?: { readonly pid: number; readonly since?: string | undefined } | undefined;
}

// Hidden, so that `audit.jsonl*` names the audit files and nothing else.
const lockOf = (file: string) => join(dirname(file), `.${basename(file)}.lock`);

const CHECK_EVERY_MS = 100;

/**
 * Resolves when no orphan writes the file. An orphan is a worker whose primary was killed; it answers its last calls and ends. Any
 * other owner keeps the lock: `lockFile` then refuses. `onWait` is called once if there is an orphan.
 */
export async function untilNoOrphan(file: string, atMostMs: number, onWait: (pid: number) => void): Promise<void> {
  let hasReported = false;
  for (const endsAt = performance.now() + atMostMs; performance.now() < endsAt; await sleep(CHECK_EVERY_MS)) {
    const owner = readOwner(lockOf(file));
    if (owner?.primary === undefined || owner.host !== hostname() || owner.place !== ownPlace()) return;
    if (!isAlive(owner) || isAlive(owner.primary)) return;
    if (!hasReported) onWait(owner.pid);
    hasReported = true;
  }
}

/** `isWorker`: this process is a worker of its parent process. */
export function lockFile(file: string, isWorker = false): FileLock {
  const path = lockOf(file);
  const { pid, ppid } = process;
  const primary = isWorker ? { pid: ppid, since: startOf(ppid) } : undefined;
  const own: LockOwner = { host: hostname(), place: ownPlace(), pid, since: startOf(pid), primary };
  const text = `${JSON.stringify(own)}\n`;
  if (!create(path, text)) {
    removeStale(path, file, own);
    if (!create(path, text)) throw inUse(file, path, readOwner(path));
  }
  return {
    refresh() {
      try {
        const now = new Date();
        utimesSync(path, now, now);
      } catch {
        // The lock was removed. A second writer would still be noticed, because the trail checks the file itself.
      }
    },
    release() {
      if (readText(path) === text) rmSync(path, { force: true });
    },
  };
}

function create(path: string, text: string): boolean {
  try {
    writeFileSync(path, text, { flag: 'wx', mode: 0o600 });
    return true;
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === 'EEXIST') return false;
    // If the disk is full, the file exists now but is empty.
    rmSync(path, { force: true });
    const { code, message } = cause as NodeJS.ErrnoException;
    const why = code === 'ENOENT' ? `the folder ${dirname(path)} does not exist; create it` : message;
    throw new GatewayError('BAD_CONFIG', `Cannot lock the audit file (audit.file): ${why}.`, {}, cause);
  }
}

/**
 * Renames the lock and reads it again before removing it: if two processes find the same stale lock, only one of them removes it.
 */
function removeStale(path: string, file: string, own: LockOwner): void {
  const text = readText(path);
  const owner = readOwner(path);
  if (text !== undefined && !isStale(path, owner, own)) throw inUse(file, path, owner);
  const aside = `${path}.${process.pid}`;
  try {
    renameSync(path, aside);
  } catch {
    return;
  }
  if (text !== undefined && readText(aside) !== text) {
    renameSync(aside, path);
    throw inUse(file, path, readOwner(path));
  }
  rmSync(aside, { force: true });
}

function isStale(path: string, owner: LockOwner | undefined, own: LockOwner): boolean {
  const ageMs = Date.now() - (statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0);
  // An empty lock may be about to be written. A container may have the host name of its machine, and every container has a process 1,
  // so the pid of another place means nothing: only the age of the lock counts.
  if (owner === undefined || owner.host !== own.host || owner.place !== own.place) return ageMs > STALE_MS;
  return !isAlive(owner);
}

function isAlive({ pid, since }: Pick<LockOwner, 'pid' | 'since'>): boolean {
  try {
    process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
  const start = startOf(pid);
  return since === undefined || start === undefined || start === since;
}

/** The PID namespace alone is not enough: outside containers it has the same number on every machine. */
function ownPlace(): string {
  try {
    const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
    return `${boot} ${readlinkSync('/proc/self/ns/pid')}`;
  } catch {
    return '';
  }
}

/** Field 22 of /proc/<pid>/stat: clock ticks since the machine started. Other systems have no /proc. */
function startOf(pid: number): string | undefined {
  const stat = readText(`/proc/${pid}/stat`);
  return stat?.slice(stat.lastIndexOf(')') + 2).split(' ')[19];
}

function readOwner(path: string): LockOwner | undefined {
  try {
    const { host, place, pid, since, primary } = JSON.parse(readText(path) ?? '') as LockOwner;
    return typeof host === 'string' && Number.isSafeInteger(pid) ? { host, place, pid, since, primary } : undefined;
  } catch {
    return undefined;
  }
}

function readText(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return undefined;
  }
}

function inUse(file: string, path: string, owner: LockOwner | undefined): GatewayError {
  const who = owner === undefined ? 'another process' : `process ${owner.pid} on ${owner.host}`;
  return new GatewayError(
    'BAD_CONFIG',
    `${who} already writes the audit file ${file}. Give each process its own file: in audit.file, %h stands for the host and %p for the process. If no process writes it, remove ${path}; a lock of another machine or container stays valid for a minute after its process has ended.`,
  );
}
