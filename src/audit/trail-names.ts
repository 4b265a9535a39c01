// The names of audit files and of their key. Several workers have a file each: `audit.jsonl` becomes `audit-1.jsonl`,
// `audit-2.jsonl` …, all signed with one key.
import { readdirSync } from 'node:fs';
import { hostname } from 'node:os';
import { basename, dirname, extname, join } from 'node:path';

/** `%h` is the name of the host, `%p` the id of the process. */
export function fillFileName(file: string): string {
  return file.replaceAll('%h', hostname().replace(/[^\w.-]/g, '_')).replaceAll('%p', String(process.pid));
}

/** One key for all processes that share a pattern: `audit-%p.jsonl` → `audit-key.pem`. */
export function defaultKeyFile(file: string): string {
  const name = basename(file)
    .replace(/[-_.]?%[hp]/g, '')
    .replace(/\.jsonl?$/, '');
  return join(dirname(file), `${name || 'audit'}-key.pem`);
}

/** A name with the id of the process (`%p`) already differs between workers. */
export function workerTrailFile(file: string, slot: number): string {
  if (file.includes('%p')) return file;
  const extension = extname(file);
  return `${file.slice(0, file.length - extension.length)}-${slot}${extension}`;
}

/** The files of all workers: of the configured number, and of workers that no longer exist. */
export function workerTrailFiles(file: string, slots: number): readonly string[] {
  const slotFiles = Array.from({ length: slots }, (_, index) => workerTrailFile(file, index + 1));
  const folder = dirname(file);
  const isOfSlot = (name: string) => name !== basename(file) && withoutWorkerNumber(name) === basename(file);
  const names = readFolder(folder).filter(isOfSlot);
  return [...new Set([...slotFiles, ...names.map((name) => join(folder, name))])];
}

/** The configured name, of the file of a worker; any other name unchanged. */
export function withoutWorkerNumber(file: string): string {
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
