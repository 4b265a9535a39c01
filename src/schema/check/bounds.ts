// Limits on arguments before any schema is checked: depth, number of values, names. They are far above what a call needs, and low
// enough that no check of that many values blocks the event loop for 100 ms.
import type { Args } from '../../endpoint/model.ts';

export const MAX_DEPTH = 64;
export const MAX_VALUES = 20_000;
/** Of one object: every name that a schema does not know is compared with those it does. */
export const MAX_KEYS = 5_000;

/** A key that means something to JavaScript objects is never an argument. */
const FORBIDDEN_KEYS: readonly string[] = ['__proto__', 'constructor', 'prototype'];

export type BoundsVerdict = 'ok' | 'too_deep' | 'too_many' | 'too_wide';

let budget = 0;
let isRounded = false;

/** Whether arguments are shallow and small enough to validate. Allocates nothing. */
export function withinBounds(args: unknown): BoundsVerdict {
  budget = MAX_VALUES;
  isRounded = false;
  return visit(args, 0);
}

/** Whether what was last looked at holds a number so large that its last digits may be wrong. */
export function holdsRounded(): boolean {
  return isRounded;
}

function visit(value: unknown, depth: number): BoundsVerdict {
  if (--budget < 0) return 'too_many';
  if (typeof value !== 'object' || value === null) {
    if (typeof value === 'number' && (value > Number.MAX_SAFE_INTEGER || value < Number.MIN_SAFE_INTEGER))
      isRounded = true;
    return 'ok';
  }
  if (depth >= MAX_DEPTH) return 'too_deep';
  if (Array.isArray(value)) {
    for (let index = 0; index < value.length; index++) {
      const verdict = visit(value[index], depth + 1);
      if (verdict !== 'ok') return verdict;
    }
    return 'ok';
  }
  let keys = 0;
  for (const key in value) {
    if (++keys > MAX_KEYS) return 'too_wide';
    const verdict = visit((value as Record<string, unknown>)[key], depth + 1);
    if (verdict !== 'ok') return verdict;
  }
  return 'ok';
}

/** The first such name among the arguments, most dangerous first. */
export function forbiddenKey(args: Args): string | undefined {
  for (const key of FORBIDDEN_KEYS) if (Object.hasOwn(args, key)) return key;
  return undefined;
}
