// Equality of JSON values, and duplicates in linear time.
import { keysOf, rememberByObject } from '../remember.ts';
import { KEY_EFFORT, spend, spendOnText } from './effort.ts';

/** Cost of writing one value into the text, its name sorted among the others. */
const NODE_EFFORT = 3;

/**
 * Whether a JSON value equals one that never changes (object keys in any order): it ends at the first difference. `pay` is
 * told what looking costs.
 */
export function sameJson(value: unknown, fixed: unknown, pay: (effort: number) => void = () => {}): boolean {
  if (value === fixed) return true;
  if (typeof value !== 'object' || typeof fixed !== 'object' || value === null || fixed === null) return false;
  if (Array.isArray(value) !== Array.isArray(fixed)) return false;
  const keys = Object.keys(value);
  pay(1 + keys.length * KEY_EFFORT);
  if (keys.length !== keysOf(fixed).length) return false;
  return keys.every((key) => {
    pay(1);
    return Object.hasOwn(fixed, key) && sameJson(value[key as never], fixed[key as never], pay);
  });
}

export function haveDuplicates(items: readonly unknown[]): boolean {
  const keys = new Set<unknown>();
  for (const item of items) {
    spend(KEY_EFFORT);
    if (typeof item === 'string') spendOnText(item);
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
    spend(values.length * KEY_EFFORT);
    const plain = new Set(values.filter((value) => typeof value !== 'object' || value === null));
    const objects = values.filter((value) => typeof value === 'object' && value !== null);
    const texts = new Set(objects.map((value) => canonical(value)));
    return (value: unknown) =>
      typeof value === 'object' && value !== null ? texts.size > 0 && texts.has(canonical(value)) : plain.has(value);
  },
);

/** One text per JSON value, keys sorted. */
function canonical(value: unknown): string {
  spend(NODE_EFFORT);
  if (typeof value === 'string') spendOnText(value);
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'null';
  if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`;
  const entries = Object.keys(value)
    .sort()
    .map((key) => `${JSON.stringify(key)}:${canonical((value as Record<string, unknown>)[key])}`);
  return `{${entries.join(',')}}`;
}
