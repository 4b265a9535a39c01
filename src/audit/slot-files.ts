// The audit files of several workers, one each: `audit.jsonl` becomes `audit-1.jsonl`, `audit-2.jsonl` …, all signed with one
// key.
import { readdirSync } from 'node:fs';
import { basename, dirname, extname, join } from 'node:path';

/** A name with the number of the process (`%p`) is different for each worker already. */
export function fileOfSlot(file: string, slot: number): string {
  if (file.includes('%p')) return file;
  const extension = extname(file);
  return `${file.slice(0, file.length - extension.length)}-${slot}${extension}`;
}

/** The files of all slots: those of the configured number, and those left over from slots that no longer exist. */
export function filesOfSlots(file: string, slots: number): readonly string[] {
  const slotFiles = Array.from({ length: slots }, (_, index) => fileOfSlot(file, index + 1));
  const folder = dirname(file);
  const isOfSlot = (name: string) => name !== basename(file) && withoutSlot(name) === basename(file);
  const names = readFolder(folder).filter(isOfSlot);
  return [...new Set([...slotFiles, ...names.map((name) => join(folder, name))])];
}

/** What was configured, of a file of a slot; any other name as it is. */
export function withoutSlot(file: string): string {
  const extension = extname(file);
  return `${file.slice(0, file.length - extension.length).replace(/-\d+$/, '')}${extension}`;
}

function readFolder(folder: string): readonly string[] {
  try {
    return readdirSync(folder).sort();
  } catch {
    return [];
  }
}
