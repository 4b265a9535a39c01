// A small disk of its own (tmpfs), so that a full one can be had without filling the machine's. Where mounting is not allowed
// there is none.
import { execFile, execFileSync } from 'node:child_process';
import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';

export interface Disk {
  readonly folder: string;
  /** Resolves when nothing more can be written. */
  fill(): Promise<void>;
  free(): void;
  unmount(): void;
}

export function mountDisk(folder: string, megabytes: number): Disk | undefined {
  mkdirSync(folder, { recursive: true });
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${megabytes}m`, 'tmpfs', folder], { stdio: 'ignore' });
  } catch {
    return undefined;
  }
  const ballast = join(folder, 'ballast');
  return {
    folder,
    // In a process of its own: half a gigabyte would hold up the clients and the API, which live in this one, for seconds. It ends
    // with an error, as there is no room left.
    fill: () =>
      new Promise((resolve) => {
        execFile('dd', ['if=/dev/zero', `of=${ballast}`, 'bs=64k'], () => resolve());
      }),
    free: () => rmSync(ballast, { force: true }),
    unmount() {
      try {
        execFileSync('umount', ['-l', folder], { stdio: 'ignore' });
      } catch {
        // It was not mounted any more.
      }
    },
  };
}
