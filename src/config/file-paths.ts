// Paths in landbridge.yaml count from the folder it stands in. A type cannot know that folder: it leaves a mark, and
// whoever read the file puts the folder in front.
import { isAbsolute, join } from 'node:path';
import { type Of, text } from '../domain/definition/shape/fields.ts';
import { isObject } from '../endpoint/is-object.ts';

class PathInFile {
  readonly path: string;
  constructor(path: string) {
    this.path = path;
  }
}

/** A file or folder; what a reader gets of it is a path that can be opened. */
export const filePath: Of<string> = text.transform((path) => new PathInFile(path) as unknown as string);

/** The same, or a URL. */
export const sourcePath: Of<string> = text.transform((path) =>
  /^https?:\/\//i.test(path) || path === '-' ? path : (new PathInFile(path) as unknown as string),
);

/** The value with every path counted from the folder. */
export function resolvePaths<Value>(value: Value, folder: string): Value {
  if (value instanceof PathInFile) {
    const isWhole = folder === '' || isAbsolute(value.path);
    return (isWhole ? value.path : join(folder, value.path)) as unknown as Value;
  }
  if (Array.isArray(value)) return value.map((item: unknown) => resolvePaths(item, folder)) as Value;
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, resolvePaths(inner, folder)])) as Value;
}
