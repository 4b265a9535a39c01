// Paths in landbridge.yaml are relative to its folder. The zod types do not know that folder: they wrap each path, and
// resolvePaths() puts the folder in front.

import { isAbsolute, join } from 'node:path';
import { type Of, text } from '../domain/definition/shape/fields.ts';
import { isWebAddress } from '../endpoint/address.ts';
import { isObject } from '../endpoint/is-object.ts';
import { FILE_MARK } from '../endpoint/sources/secret-file.ts';

class PathInFile {
  readonly path: string;
  readonly mark: string;
  constructor(path: string, mark = '') {
    this.path = path;
    this.mark = mark;
  }
}

/** A file or folder. resolvePaths() turns it into a path that can be opened. */
export const filePath: Of<string> = text.transform((path) => new PathInFile(path) as unknown as string);

/** The same, or a URL. */
export const sourcePath: Of<string> = text.transform((path) =>
  isWebAddress(path) || path === '-' ? path : (new PathInFile(path) as unknown as string),
);

/** The name of a variable, or `file:` and a path. */
export const secretName: Of<string> = text.transform((name) =>
  name.startsWith(FILE_MARK) ? (new PathInFile(name.slice(FILE_MARK.length), FILE_MARK) as unknown as string) : name,
);

/** The value with every path resolved against the folder. */
export function resolvePaths<Value>(value: Value, folder: string): Value {
  if (value instanceof PathInFile) {
    const isWhole = folder === '' || isAbsolute(value.path);
    return (value.mark + (isWhole ? value.path : join(folder, value.path))) as unknown as Value;
  }
  if (Array.isArray(value)) return value.map((item: unknown) => resolvePaths(item, folder)) as Value;
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, resolvePaths(inner, folder)])) as Value;
}
