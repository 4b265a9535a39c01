// Equality of JSON values, and duplicates in linear time.
import { rememberByObject } from '../remember.ts';

/** Whether two JSON values are equal (object keys in any order). */
export function sameJson(a: unknown, b: unknown): boolean {
  if (a === b) return true;
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return false;
  return canonical(a) === canonical(b);
}

export function haveDuplicates(items: readonly unknown[]): boolean {
  const keys = new Set<unknown>();
  for (const item of items) {
    // Strings are prefixed so that "{}" and {} stay different.
    const key =
      typeof item === 'object' && item !== null ? canonical(item) : typeof item === 'string' ? `"${item}` : item;
    if (keys.has(key)) return true;
    keys.add(key);
  }
  return false;
}

/** Whether a value is one of some, however many there are: plain values by hash, objects and arrays by their text. */
export const membershipOf: (values: readonly unknown[]) => (value: unknown) => boolean = rememberByObject(
  (values: readonly unknown[]) => {
    const plain = new Set(values.filter((value) => typeof value !== 'object' || value === null));
    const texts = new Set(values.filter((value) => typeof value === 'object' && value !== null).map(canonical));
    return (value: unknown) =>
      typeof value === 'object' && value !== null ? texts.size > 0 && texts.has(canonical(value)) : plain.has(value);
  },
);

/** One text per JSON value, keys sorted. */
function canonical(value: unknown): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'null';
  if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`;
  const entries = Object.keys(value)
    .sort()
    .map((key) => `${JSON.stringify(key)}:${canonical((value as Record<string, unknown>)[key])}`);
  return `{${entries.join(',')}}`;
}
