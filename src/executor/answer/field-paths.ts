// Dot paths into a JSON answer: as a model writes them in `fields`, and those an answer could be asked for.
import { isObject } from '../../endpoint/is-object.ts';
import { keysOf } from './lossless.ts';

const MAX_FIELDS = 200;
const MAX_CHARS = 10_000;
const MAX_NESTING = 32;
const MAX_AVAILABLE = 40;

/**
 * `a.b`, `items[].id`, `items(id,owner.login)` and several of them in one string, comma-separated: whatever a model
 * writes for "only these", as plain dot paths. One pass over the text; what is beyond the limits is not read.
 */
export function parseFields(fields: readonly string[]): string[] {
  const text = fields.join(',').slice(0, MAX_CHARS);
  const paths = new Set<string>();
  const prefixes: string[] = [];
  let name = '';
  const add = () => {
    const path = toPath((prefixes.at(-1) ?? '') + name);
    if (path !== '' && name.trim() !== '') paths.add(path);
    name = '';
  };
  for (const character of text) {
    if (paths.size >= MAX_FIELDS) break;
    if (character === '(' && prefixes.length < MAX_NESTING) {
      prefixes.push(`${prefixes.at(-1) ?? ''}${name.trim()}.`);
      name = '';
    } else if (character === ')') {
      add();
      prefixes.pop();
    } else if (character === ',') add();
    else name += character;
  }
  add();
  return [...paths];
}

/** `$.items[0]..id` as `items.id`. */
function toPath(text: string): string {
  const segments = text
    .trim()
    .replace(/\[[^\][]{0,20}\]/g, '')
    .split('.')
    .filter((segment) => segment !== '');
  if (segments[0] === '$') segments.shift();
  return segments.join('.');
}

/** Dot paths a projection could name: the keys of the (first) object, and of what is inside them one level down. */
export function availableFields(value: unknown): string[] {
  const fields: string[] = [];
  collectFields(value, '', fields, 0);
  return fields;
}

function collectFields(value: unknown, prefix: string, into: string[], depth: number): void {
  const sample = firstObject(value);
  if (sample === undefined || depth > 1) return;
  for (const key of keysOf(sample)) {
    if (into.length >= MAX_AVAILABLE) return;
    const inner = sample[key];
    into.push(prefix + key);
    if (depth === 0 && typeof inner === 'object') collectFields(inner, `${prefix}${key}.`, into, depth + 1);
  }
}

export function firstObject(value: unknown): Record<string, unknown> | undefined {
  let inner = value;
  for (let depth = 0; Array.isArray(inner) && depth < 4; depth++)
    inner = inner.find((item) => typeof item === 'object' && item !== null);
  return isObject(inner) ? inner : undefined;
}
