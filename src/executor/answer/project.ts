// Projection: which parts of a JSON answer are kept. Dot paths are applied to every item of an array on the way.
import { isObject } from '../../endpoint/is-object.ts';

type Node = Map<string, Node>;

export interface Projected {
  readonly value: unknown;
  /** Paths that matched nothing. */
  readonly unknown: readonly string[];
}

const MAX_DEPTH = 64;
const MAX_FIELDS = 200;

/**
 * `a.b`, `items[].id`, `items(id,owner.login)` and several of them in one string, comma-separated: whatever a model
 * writes for "only these", as plain dot paths.
 */
export function parseFields(fields: readonly string[]): string[] {
  const paths: string[] = [];
  for (const field of fields) {
    expand(field, 0, '', paths);
    if (paths.length > MAX_FIELDS) return paths.slice(0, MAX_FIELDS);
  }
  return [...new Set(paths)];
}

/** Reads one comma-separated list; answers where it ended. */
function expand(text: string, from: number, prefix: string, into: string[]): number {
  let name = '';
  const flush = () => {
    const clean = name
      .trim()
      .replace(/\[[^\]]{0,20}\]/g, '')
      .replace(/^\$?\.+|\.+$/g, '');
    if (clean !== '') into.push(prefix + clean);
    name = '';
  };
  let at = from;
  while (at < text.length && into.length <= MAX_FIELDS) {
    const character = text[at] as string;
    if (character === '(' && prefix.length < 1000) {
      at = expand(text, at + 1, `${prefix}${name.trim()}.`, into);
      name = '';
      continue;
    }
    if (character === ')') {
      flush();
      return at + 1;
    }
    if (character === ',') flush();
    else name += character;
    at++;
  }
  flush();
  return at;
}

/** Keeps only these paths. A path nothing matches is reported, not an error: the call has already happened. */
export function compilePick(paths: readonly string[]): (value: unknown) => Projected {
  return (value) => {
    const matched = new Set<string>();
    const picked = pick(
      value,
      paths.map((path) => ({ rest: path, path })),
      matched,
      0,
    );
    return { value: picked, unknown: paths.filter((path) => !matched.has(path)) };
  };
}

interface Wanted {
  readonly rest: string;
  readonly path: string;
}

function pick(value: unknown, wanted: readonly Wanted[], matched: Set<string>, depth: number): unknown {
  if (Array.isArray(value)) {
    // An empty array has no item to contradict the path.
    if (value.length === 0) for (const { path } of wanted) matched.add(path);
    return depth > MAX_DEPTH ? [] : value.map((item) => pick(item, wanted, matched, depth + 1));
  }
  if (typeof value !== 'object' || value === null || depth > MAX_DEPTH) return value;
  const from = value as Record<string, unknown>;
  const out = Object.create(null) as Record<string, unknown>;
  const deeper = new Map<string, Wanted[]>();
  const whole = new Set<string>();
  for (const want of wanted) {
    for (const [key, rest] of keysFor(from, want.rest)) {
      if (rest === '') {
        whole.add(key);
        matched.add(want.path);
      } else {
        const list = deeper.get(key);
        if (list === undefined) deeper.set(key, [{ rest, path: want.path }]);
        else list.push({ rest, path: want.path });
      }
    }
  }
  // In the order of the answer, whatever the order of the request.
  for (const key of Object.keys(from)) {
    const list = deeper.get(key);
    if (whole.has(key)) {
      out[key] = from[key];
      for (const { path } of list ?? []) matched.add(path);
      continue;
    }
    const inner = from[key];
    if (list === undefined || typeof inner !== 'object' || inner === null) continue;
    out[key] = pick(inner, list, matched, depth + 1);
  }
  return out;
}

/** Keys of an object a path can begin with, and what is left of it. A key may itself hold dots; `*` is any key. */
function keysFor(from: Record<string, unknown>, rest: string): [string, string][] {
  if (Object.hasOwn(from, rest)) return [[rest, '']];
  const dot = rest.indexOf('.');
  const head = dot < 0 ? rest : rest.slice(0, dot);
  const tail = dot < 0 ? '' : rest.slice(dot + 1);
  if (head === '*') return Object.keys(from).map((key) => [key, tail]);
  return Object.hasOwn(from, head) ? [[head, tail]] : [];
}

/** Drops dot paths, and keys that match a glob (`*_url`) at any depth. */
export function compileDrop(patterns: readonly string[]): (value: unknown) => unknown {
  const globs = patterns.filter((pattern) => pattern.includes('*'));
  const root: Node = new Map();
  for (const pattern of patterns) {
    if (pattern.includes('*')) continue;
    let node = root;
    for (const key of pattern.split('.')) {
      let next = node.get(key);
      if (next === undefined) {
        next = new Map();
        node.set(key, next);
      }
      node = next;
    }
  }
  const cache = new Map<string, boolean>();
  const globbed = (key: string): boolean => {
    let answer = cache.get(key);
    if (answer === undefined) {
      answer = globs.some((glob) => matchesGlob(key, glob));
      if (cache.size < 10_000) cache.set(key, answer);
    }
    return answer;
  };
  return (value) => drop(value, root, globs.length > 0 ? globbed : undefined, 0);
}

function drop(
  value: unknown,
  node: Node | undefined,
  globbed: ((key: string) => boolean) | undefined,
  depth: number,
): unknown {
  if (typeof value !== 'object' || value === null || depth > MAX_DEPTH) return value;
  if (node === undefined && globbed === undefined) return value;
  if (Array.isArray(value)) return value.map((item) => drop(item, node, globbed, depth + 1));
  const out = Object.create(null) as Record<string, unknown>;
  for (const [key, inner] of Object.entries(value)) {
    const next = node?.get(key);
    if ((next !== undefined && next.size === 0) || globbed?.(key) === true) continue;
    out[key] = drop(inner, next, globbed, depth + 1);
  }
  return out;
}

/** `*` stands for any run of characters. Greedy with one way back: linear for every pattern people write. */
function matchesGlob(text: string, glob: string): boolean {
  let at = 0;
  let in_ = 0;
  let star = -1;
  let mark = 0;
  while (at < text.length) {
    if (glob[in_] === '*') {
      star = in_++;
      mark = at;
    } else if (glob[in_] === text[at]) {
      in_++;
      at++;
    } else if (star >= 0) {
      in_ = star + 1;
      at = ++mark;
    } else {
      return false;
    }
  }
  while (glob[in_] === '*') in_++;
  return in_ === glob.length;
}

/** Dot paths a projection could name: the keys of the (first) object, and of what is inside them one level down. */
export function availableFields(value: unknown, limit = 40): string[] {
  const fields: string[] = [];
  collectFields(value, '', fields, limit, 0);
  return fields;
}

function collectFields(value: unknown, prefix: string, into: string[], limit: number, depth: number): void {
  const sample = firstObject(value);
  if (sample === undefined || depth > 1) return;
  for (const [key, inner] of Object.entries(sample)) {
    if (into.length >= limit) return;
    into.push(prefix + key);
    if (depth === 0 && typeof inner === 'object') collectFields(inner, `${prefix}${key}.`, into, limit, depth + 1);
  }
}

export function firstObject(value: unknown): Record<string, unknown> | undefined {
  let inner = value;
  for (let depth = 0; Array.isArray(inner) && depth < 4; depth++)
    inner = inner.find((item) => typeof item === 'object' && item !== null);
  return isObject(inner) ? inner : undefined;
}
