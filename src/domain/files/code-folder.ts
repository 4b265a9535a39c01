// The folder in which compiled code is kept between starts: below the user's home, and not below /tmp. The code is executed, so other
// users must not be able to write there.
import { mkdirSync, statSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';

/**
 * Undefined if there is no such folder (a read-only system, a user without a home, a home that belongs to another user). Then every
 * start compiles.
 */
export function openCodeFolder(name: string, home = homedir): string | undefined {
  try {
    const folder = join(home(), '.cache', 'landbridge', name);
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    const { uid, mode } = statSync(folder);
    // Windows has neither users nor modes of this kind.
    const isOwn = process.getuid === undefined || (uid === process.getuid() && (mode & 0o022) === 0);
    return isOwn ? folder : undefined;
  } catch {
    return undefined;
  }
}
