// Keeps validation from becoming exponential. A definition that refers to others through unions can be entered 2^n times
// for n levels of nesting; every such definition counts its entries, and a call that needs too many is refused.
import { isObject } from '../../endpoint/is-object.ts';
import type { JsonSchema } from '../../endpoint/model.ts';

/** Keyword put into definitions that lead on to others. */
export const EFFORT_KEYWORD = 'x-landbridge-effort';
const MAX_ENTRIES = 200_000;
let left = MAX_ENTRIES;

/** Thrown out of a compiled validator. */
export const TOO_MUCH_EFFORT: unique symbol = Symbol('too much effort');

export function resetEffort(): void {
  left = MAX_ENTRIES;
}

export function spendEffort(): boolean {
  if (--left < 0) throw TOO_MUCH_EFFORT;
  return true;
}

/** The schema with counting definitions; the same object when no definition refers to another. */
export function countEffort(root: JsonSchema): JsonSchema {
  if (!isObject(root)) return root;
  let copy = root;
  for (const holder of ['$defs', 'definitions']) {
    const definitions = root[holder];
    if (!isObject(definitions)) continue;
    const counted = { ...definitions };
    let changed = false;
    for (const name of Object.keys(definitions)) {
      const definition = definitions[name];
      if (name === '__proto__' || !isObject(definition) || !refers(definition, 0)) continue;
      counted[name] = { ...definition, [EFFORT_KEYWORD]: true };
      changed = true;
    }
    if (changed) copy = { ...copy, [holder]: counted };
  }
  return refersToRoot(root) ? { ...copy, [EFFORT_KEYWORD]: true } : copy;
}

function refers(value: unknown, depth: number): boolean {
  if (typeof value !== 'object' || value === null || depth > 200) return depth > 200;
  if (typeof (value as { $ref?: unknown }).$ref === 'string') return true;
  return Object.values(value).some((part) => refers(part, depth + 1));
}

/** Whether a reference leads anywhere but to a definition. */
export function refersToRoot(root: JsonSchema): boolean {
  const seen = (value: unknown, depth: number): boolean => {
    if (typeof value !== 'object' || value === null) return false;
    if (depth > 200) return true;
    const { $ref } = value as { $ref?: unknown };
    if (typeof $ref === 'string' && !/^#\/(?:\$defs|definitions)\//.test($ref)) return true;
    return Object.values(value).some((part) => seen(part, depth + 1));
  };
  return seen(root, 0);
}
