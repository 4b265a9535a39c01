// Secrets in files, as containers mount them: `file:/run/secrets/x` is the name of one wherever a variable can be named.
import { closeSync, constants, fstatSync, openSync, readSync } from 'node:fs';
import { resolve } from 'node:path';
import type { SourceValue, ValueSource, Variables } from './sources.ts';

/** In front of a path: the secret is what that file holds. */
export const FILE_MARK = 'file:';
/** Keys and tokens are short; a private key for signatures is one of the longest. */
const MAX_SECRET_BYTES = 64 * 1024;

export const fileSource = {
  mark: FILE_MARK,
  suffix: 'File',
  noun: 'file',
  describe: (field) =>
    `Instead of \`${field}\`: a file that holds the value. The path is relative to the domain file. The file is read at start, at most 64 KB; line breaks at its end are removed.`,
  example: (name) => `/run/secrets/${name}`,
  locate: (path, folder) => resolve(folder, path),
  read(path, env) {
    const file = readFileOnce(env, path);
    return 'problem' in file ? { problem: `it ${file.problem}` } : file;
  },
  // A relative path could be relative to any folder.
  findProblem: (path) =>
    path.startsWith('/') ? undefined : `whose path must be absolute, such as \${file:/run/secrets/key}`,
} as const satisfies ValueSource;

/** Contents of files, read once per environment: thousands of operations may name the same file. */
const contents = new WeakMap<Variables, Map<string, SourceValue>>();

/** The text of a file, or why there is none, to follow the path in a sentence. */
export function readFileOnce(env: Variables, path: string): SourceValue {
  let files = contents.get(env);
  if (files === undefined) {
    files = new Map();
    contents.set(env, files);
  }
  let value = files.get(path);
  if (value === undefined) {
    const file = readSecretFile(path);
    value = 'problem' in file ? file : file.text === '' ? { problem: 'is empty' } : { text: file.text, isSecret: true };
    files.set(path, value);
  }
  return value;
}

/** The text without trailing line breaks, which editors and `echo` add. */
export function readSecretFile(
  path: string,
  maxBytes = MAX_SECRET_BYTES,
): { readonly text: string } | { readonly problem: string } {
  let descriptor: number;
  try {
    // Without O_NONBLOCK, opening a pipe without a writer would block forever.
    descriptor = openSync(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
  } catch (error) {
    return { problem: reasonOf(error) };
  }
  try {
    // Reading a pipe or device may never end, or never begin.
    if (!fstatSync(descriptor).isFile()) return { problem: 'is not a file' };
    const bytes = Buffer.alloc(maxBytes + 1);
    let size = 0;
    for (let count = -1; count !== 0 && size < bytes.length; size += count)
      count = readSync(descriptor, bytes, size, bytes.length - size, null);
    if (size > maxBytes) return { problem: `is larger than ${maxBytes / 1024} KB` };
    let end = size;
    while (end > 0 && (bytes[end - 1] === 0x0a || bytes[end - 1] === 0x0d)) end--;
    return { text: bytes.toString('utf8', 0, end) };
  } catch (error) {
    return { problem: reasonOf(error) };
  } finally {
    closeSync(descriptor);
  }
}

function reasonOf(error: unknown): string {
  const { code } = error as NodeJS.ErrnoException;
  if (code === 'ENOENT' || code === 'ENOTDIR') return 'does not exist';
  if (code === 'EACCES' || code === 'EPERM') return 'may not be read by this user';
  return code === 'EISDIR' ? 'is a folder' : `cannot be read (${code})`;
}
