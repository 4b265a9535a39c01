// Reads JSON and YAML from outside: only own properties count, and values of wrong types count as missing. Also small helpers for such
// values, and for values that are built once.

import { isObject } from './is-object.ts';

export type Node = { readonly [key: string]: unknown };

/** An own property; `__proto__` and `constructor` are keys like any other. */
export function own(node: unknown, key: string): unknown {
  return typeof node === 'object' && node !== null && Object.hasOwn(node, key)
    ? (node as Record<string, unknown>)[key]
    : undefined;
}

export function nodeAt(node: unknown, key: string): Node | undefined {
  const value = own(node, key);
  return isObject(value) ? value : undefined;
}

export function textAt(node: unknown, key: string): string | undefined {
  const value = own(node, key);
  return typeof value === 'string' ? value : undefined;
}

const NOTHING: readonly unknown[] = Object.freeze([]);

export function listAt(node: unknown, key: string): readonly unknown[] {
  const value = own(node, key);
  return Array.isArray(value) ? value : NOTHING;
}

export function textsAt(node: unknown, key: string): string[] {
  return listAt(node, key).filter((item): item is string => typeof item === 'string');
}

/** A map keyed by input: no prototype, so no key is special. */
export function emptyMap<Value>(): Record<string, Value> {
  return Object.create(null) as Record<string, Value>;
}

/** Without properties that are undefined (exactOptionalPropertyTypes). */
export function omitUndefined<Shape extends object>(shape: { [Key in keyof Shape]: Shape[Key] | undefined }): Shape {
  const present: Partial<Shape> = {};
  for (const key of Object.keys(shape) as (keyof Shape)[]) if (shape[key] !== undefined) present[key] = shape[key];
  return present as Shape;
}

/** Undefined if the text is not JSON. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Undefined if the text is not JSON, or not an object. */
export function parseJsonObject(text: string): Node | undefined {
  const value = parseJson(text);
  return isObject(value) ? value : undefined;
}

const BACKSLASH = 0x5c;

/** Whether the quote at `quote` of a JSON text is escaped, by an odd number of backslashes. */
export function isEscaped(text: string, quote: number): boolean {
  let slashes = quote;
  while (text.charCodeAt(slashes - 1) === BACKSLASH) slashes--;
  return (quote - slashes) % 2 === 1;
}

/** The position after the closing quote of the JSON string that opens at `quote`; the end of the text if there is none. */
export function endOfString(text: string, quote: number): number {
  for (let end = text.indexOf('"', quote + 1); end >= 0; end = text.indexOf('"', end + 1)) {
    if (!isEscaped(text, end)) return end + 1;
  }
  return text.length;
}

/** One step of a JSON pointer (RFC 6901). */
export function pointerSegment(key: string | number): string {
  if (typeof key === 'number' || !/[~/]/.test(key)) return `/${key}`;
  return `/${key.replaceAll('~', '~0').replaceAll('/', '~1')}`;
}

/** Decodes percent-encoding; a text with an invalid sequence stays unchanged. */
export function decodePercent(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** Runs `build` on first use and keeps the result, to which `seal` is applied first. */
export function once<Value>(build: () => Value, seal?: (value: Value) => Value): () => Value {
  let state: { value: Value } | undefined;
  return () => {
    state ??= { value: seal === undefined ? build() : seal(build()) };
    return state.value;
  };
}

/** Runs `build` once per key and keeps the results of the first `max` keys, so that memory stays bounded. */
export function remember<Value>(max: number, build: (key: string) => Value): (key: string) => Value {
  const values = new Map<string, Value>();
  return (key) => {
    let value = values.get(key);
    if (value === undefined) {
      value = build(key);
      if (values.size < max) values.set(key, value);
    }
    return value;
  };
}

/** The value at a dot path; keys that hold dots themselves are found first. */
export function valueAtPath(value: unknown, path: string): unknown {
  if (typeof value !== 'object' || value === null) return undefined;
  if (Object.hasOwn(value, path)) return (value as Record<string, unknown>)[path];
  const dot = path.indexOf('.');
  if (dot <= 0 || !Object.hasOwn(value, path.slice(0, dot))) return undefined;
  return valueAtPath((value as Record<string, unknown>)[path.slice(0, dot)], path.slice(dot + 1));
}
