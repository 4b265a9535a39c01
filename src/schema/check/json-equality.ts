// Equality of JSON values, and duplicates in linear time.
import { cachedKeys, memoizeByObject } from '../memoize.ts';
import { type Budget, KEY_COST } from './budget.ts';

/** Cost of writing one value into the text, its name sorted among the others. */
const NODE_COST = 3;

/** Whether a JSON value equals one that never changes (object keys in any order). It stops at the first difference. */
export function sameJson(value: unknown, fixed: unknown, budget?: Budget): boolean {
  if (value === fixed) return true;
  if (typeof value !== 'object' || typeof fixed !== 'object' || value === null || fixed === null) return false;
  if (Array.isArray(value) !== Array.isArray(fixed)) return false;
  const keys = Object.keys(value);
  budget?.spend(1 + keys.length * KEY_COST);
  if (keys.length !== cachedKeys(fixed).length) return false;
  return keys.every((key) => {
    budget?.spend(1);
    return Object.hasOwn(fixed, key) && sameJson(value[key as never], fixed[key as never], budget);
  });
}

export function haveDuplicates(items: readonly unknown[], budget: Budget): boolean {
  const keys = new Set<unknown>();
  for (const item of items) {
    budget.spend(KEY_COST);
    if (typeof item === 'string') budget.spendOnText(item);
    // Strings are prefixed so that "{}" and {} stay different.
    const key =
      typeof item === 'object' && item !== null
        ? toCanonicalText(item, budget)
        : typeof item === 'string'
          ? `"${item}`
          : item;
    if (keys.has(key)) return true;
    keys.add(key);
  }
  return false;
}

/** A list of values, however long: scalars by hash, objects and arrays by their text. */
export class ValueSet {
  readonly #scalars: ReadonlySet<unknown>;
  readonly #texts: ReadonlySet<string>;

  constructor(values: readonly unknown[], budget: Budget) {
    budget.spend(values.length * KEY_COST);
    this.#scalars = new Set(values.filter((value) => typeof value !== 'object' || value === null));
    const objects = values.filter((value) => typeof value === 'object' && value !== null);
    this.#texts = new Set(objects.map((value) => toCanonicalText(value, budget)));
  }

  has(value: unknown, budget: Budget): boolean {
    if (typeof value !== 'object' || value === null) return this.#scalars.has(value);
    return this.#texts.size > 0 && this.#texts.has(toCanonicalText(value, budget));
  }
}

/** The list must not change afterwards. */
export const valueSetOf: (values: readonly unknown[], budget: Budget) => ValueSet = memoizeByObject(
  (values: readonly unknown[], budget: Budget) => new ValueSet(values, budget),
);

/** One text per JSON value, keys sorted. */
function toCanonicalText(value: unknown, budget: Budget): string {
  budget.spend(NODE_COST);
  if (typeof value === 'string') budget.spendOnText(value);
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'null';
  if (Array.isArray(value)) return `[${value.map((item) => toCanonicalText(item, budget)).join(',')}]`;
  const entries = Object.keys(value)
    .sort()
    .map((key) => `${JSON.stringify(key)}:${toCanonicalText((value as Record<string, unknown>)[key], budget)}`);
  return `{${entries.join(',')}}`;
}
