// What Linux tells about processes: their children, descriptors, memory and sockets. And a list of every process of a run,
// so that each is ended by its number, and none is left.
import { readdirSync, readFileSync, readlinkSync } from 'node:fs';

const started = new Set<number>();

/** One more that must be gone when the run is over, with all that it starts. */
export function note(pid: number | undefined): void {
  if (pid !== undefined) started.add(pid);
}

/** Those of the run that are still there; children that were seen count. */
export function listLeft(): number[] {
  return [...started].filter(isAlive);
}

/** By number, each for itself. */
export function killLeft(): void {
  noteChildren();
  for (const pid of listLeft())
    try {
      process.kill(pid, 'SIGKILL');
    } catch {
      // It has ended in between.
    }
}

/** Looked for again and again: a worker that was replaced is not the one that was there before. */
export function noteChildren(): void {
  for (const pid of [process.pid, ...started]) for (const child of childrenOf(pid)) started.add(child);
}

export function childrenOf(pid: number): number[] {
  const children = readText(`/proc/${pid}/task/${pid}/children`).trim();
  return children === '' ? [] : children.split(' ').map(Number);
}

/** A zombie has ended, and its parent has not looked yet; but its sockets are open until the last of its threads is gone. */
export function isAlive(pid: number): boolean {
  const stat = readText(`/proc/${pid}/stat`);
  if (stat === '') return false;
  return !/\) [ZX] /.test(stat) || countEntries(`/proc/${pid}/task`) > 1;
}

export function countDescriptors(pid: number): number {
  return countEntries(`/proc/${pid}/fd`);
}

function countEntries(folder: string): number {
  try {
    return readdirSync(folder).length;
  } catch {
    return 0;
  }
}

export interface Socket {
  readonly localPort: number;
  readonly remotePort: number;
}

/** Established TCP connections over IPv4 that a process holds. */
export function listConnections(pid: number): Socket[] {
  const own = new Set<string>();
  try {
    for (const fd of readdirSync(`/proc/${pid}/fd`)) {
      const inode = /^socket:\[(\d+)\]$/.exec(readLink(`/proc/${pid}/fd/${fd}`))?.[1];
      if (inode !== undefined) own.add(inode);
    }
  } catch {
    return [];
  }
  return readText('/proc/net/tcp')
    .split('\n')
    .slice(1)
    .flatMap((line) => {
      const [, local = '', remote = '', state, , , , , , inode = ''] = line.trim().split(/\s+/);
      if (state !== '01' || !own.has(inode)) return [];
      return [{ localPort: portOf(local), remotePort: portOf(remote) }];
    });
}

function portOf(address: string): number {
  return Number.parseInt(address.slice(address.indexOf(':') + 1), 16);
}

function readText(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}

function readLink(path: string): string {
  try {
    return readlinkSync(path);
  } catch {
    return '';
  }
}
