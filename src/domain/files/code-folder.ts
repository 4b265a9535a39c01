// Where compiled code is kept between starts: below the user's own folder, and never in a default below /tmp. What lies there is
// executed, so nobody else may be able to write there.
import { mkdirSync, statSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';

/** Undefined: it cannot be kept (a read-only system, a user without a home, a home of somebody else), so every start compiles anew. */
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
