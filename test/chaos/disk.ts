// A small disk of its own (tmpfs), so that a full one can be had without filling the machine's. Where mounting is not allowed
// there is none.
import { execFileSync } from 'node:child_process';
import { mkdirSync, rmSync, statfsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

export interface Disk {
  readonly folder: string;
  /** Nothing more can be written. */
  fill(): void;
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
    fill() {
      const { bavail, bsize } = statfsSync(folder);
      try {
        writeFileSync(ballast, Buffer.alloc(bavail * bsize));
      } catch {
        // Others wrote in the meantime: full all the same.
      }
    },
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
