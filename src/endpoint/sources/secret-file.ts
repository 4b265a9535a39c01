// Secrets in files, as containers mount them: `file:/run/secrets/x` is the name of one wherever a variable can be named, and
// `SHOP_KEY_FILE` names one where SHOP_KEY itself is not set.
import { closeSync, constants, fstatSync, openSync, readSync } from 'node:fs';

type Variables = Readonly<Record<string, string | undefined>>;

/** The text of a file, or why there is none. */
type SecretFile = { readonly text: string } | { readonly problem: string };

/** In front of a path: the secret is what that file holds. */
export const FILE_MARK = 'file:';
/** Suffix of a variable that holds the path of the file with the secret. */
const FILE_SUFFIX = '_FILE';
/** Keys and tokens are short; a private key for signatures is one of the longest. */
const MAX_SECRET_BYTES = 64 * 1024;

/** Contents of files, read once per environment: thousands of operations may name the same file. */
const contents = new WeakMap<Variables, Map<string, SecretFile>>();

/** What is in the file that stands for this variable; undefined where there is none. */
export function secretFileFor(env: Variables, name: string): SecretFile | undefined {
  const path = pathFor(env, name);
  if (path === undefined) return undefined;
  let files = contents.get(env);
  if (files === undefined) {
    files = new Map();
    contents.set(env, files);
  }
  let file = files.get(path);
  if (file === undefined) {
    file = readSecretFile(path);
    files.set(path, file);
  }
  return file;
}

/** Why the file for a variable has no value, to follow the variable's name in a sentence. */
export function fileProblem(env: Variables, name: string): string | undefined {
  const file = secretFileFor(env, name);
  const problem = file === undefined ? undefined : 'problem' in file ? file.problem : undefined;
  const why = problem ?? (file !== undefined && 'text' in file && file.text === '' ? 'is empty' : undefined);
  if (why === undefined) return undefined;
  return name.startsWith(FILE_MARK) ? `it ${why}` : `${name}${FILE_SUFFIX}: ${pathFor(env, name)} ${why}`;
}

function pathFor(env: Variables, name: string): string | undefined {
  if (name.startsWith(FILE_MARK)) return name.slice(FILE_MARK.length);
  const variable = name + FILE_SUFFIX;
  return (Object.hasOwn(env, variable) ? env[variable] : undefined) || undefined;
}

/** The text without trailing line breaks, which editors and `echo` add. */
export function readSecretFile(path: string, maxBytes = MAX_SECRET_BYTES): SecretFile {
  let descriptor: number;
  try {
    // Without O_NONBLOCK, opening a pipe without a writer would block forever.
    descriptor = openSync(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
  } catch (error) {
    return { problem: reasonOf(error) };
  }
  try {
    // A pipe or device may never end, or never begin.
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
