// Folders of the run below the system's temporary one; none outlives it.
import { rmSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const folders = new Set<string>();

export async function makeFolder(name: string): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), `landbridge-${name}-`));
  folders.add(folder);
  return folder;
}

export async function removeFolder(folder: string): Promise<void> {
  await rm(folder, { recursive: true, force: true, maxRetries: 5 });
  folders.delete(folder);
}

/** For a run that is interrupted: at once, though a program that was just killed may still be writing. */
export function removeFolders(): void {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 50 });
}
