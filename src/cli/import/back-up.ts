// Writes files as a whole, and keeps copies of those that are overwritten.
import { existsSync } from 'node:fs';
import { cp, mkdir, rename, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { Write } from './place-files.ts';

/** Copies a file or folder to `<path>.bak`, or to `.bak.2` … if that exists. Undefined if there is nothing to copy. */
export async function backUp(path: string): Promise<string | undefined> {
  if (!existsSync(path)) return undefined;
  let copy = `${path}.bak`;
  for (let number = 2; existsSync(copy); number++) copy = `${path}.bak.${number}`;
  await cp(path, copy, { recursive: true, preserveTimestamps: true });
  return copy;
}

/** One after the other: if one fails, the rest are not written. */
export async function writeFiles(writes: readonly Write[]): Promise<void> {
  for (const [path, text] of writes) await replaceFile(path, text);
}

/** The file appears whole or not at all; its folder is created if it is missing. */
export async function replaceFile(path: string, text: string, mode?: number): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  const draft = `${path}.${process.pid}.draft`;
  await writeFile(draft, text, mode === undefined ? {} : { mode });
  await rename(draft, path);
}
