// Limits on arguments before any schema is checked: depth, number of values, names. They are far above what a call needs, and low
// enough that no check of that many values blocks the event loop for 100 ms.
import type { Args } from '../../endpoint/model.ts';
import type { Budget } from './budget.ts';

export const MAX_DEPTH = 64;
export const MAX_VALUES = 20_000;
/** Limit for one object: every undeclared name is compared with all declared ones. */
export const MAX_KEYS = 5_000;

/** Keys with a meaning for JavaScript objects. validator.ts always refuses `__proto__`, and the others unless the schema declares them. */
const FORBIDDEN_KEYS: readonly string[] = ['__proto__', 'constructor', 'prototype'];

export type BoundsVerdict = 'ok' | 'too_deep' | 'too_many' | 'too_wide';

/** Whether arguments are shallow and small enough to validate. Allocates nothing; sets `budget.holdsRounded`. */
export function withinBounds(args: unknown, budget: Budget): BoundsVerdict {
  budget.valuesLeft = MAX_VALUES;
  return visit(args, 0, budget);
}

function visit(value: unknown, depth: number, budget: Budget): BoundsVerdict {
  if (--budget.valuesLeft < 0) return 'too_many';
  if (typeof value !== 'object' || value === null) {
    if (typeof value === 'number' && (value > Number.MAX_SAFE_INTEGER || value < Number.MIN_SAFE_INTEGER))
      budget.holdsRounded = true;
    return 'ok';
  }
  if (depth >= MAX_DEPTH) return 'too_deep';
  if (Array.isArray(value)) {
    for (let index = 0; index < value.length; index++) {
      const verdict = visit(value[index], depth + 1, budget);
      if (verdict !== 'ok') return verdict;
    }
    return 'ok';
  }
  let keys = 0;
  for (const key in value) {
    if (++keys > MAX_KEYS) return 'too_wide';
    const verdict = visit((value as Record<string, unknown>)[key], depth + 1, budget);
    if (verdict !== 'ok') return verdict;
  }
  return 'ok';
}

/** The first such key among the arguments, the most dangerous one first. */
export function forbiddenKey(args: Args): string | undefined {
  for (const key of FORBIDDEN_KEYS) if (Object.hasOwn(args, key)) return key;
  return undefined;
}
