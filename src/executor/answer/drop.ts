// Takes keys out of a JSON answer. A plain name or a glob (`type-id`, `*_url`) is a key wherever it stands, so it means the
// same in one item and in a list of them; a dot path (`owner.login`, `$.meta`) is one place, counted from the root, with
// arrays passed through.
import { compileGlob } from '../../endpoint/glob.ts';
import { remember } from '../../endpoint/untrusted.ts';
import { keysOf } from './lossless.ts';

type Branch = Map<string, Branch>;

/** Keys are the upstream's: what was found out about them is remembered up to this many. */
const MAX_REMEMBERED = 10_000;

export function compileDrop(patterns: readonly string[]): (value: unknown) => unknown {
  const isPath = (pattern: string) => pattern.includes('.') && !pattern.includes('*');
  const root = buildTrie(patterns.filter(isPath));
  const isDropped = compileNames(patterns.filter((pattern) => !isPath(pattern)));
  return (value) => drop(value, root, isDropped);
}

function buildTrie(paths: readonly string[]): Branch {
  const root: Branch = new Map();
  for (const path of paths) {
    let branch = root;
    for (const key of path.replace(/^\$\./, '').split('.')) {
      const next: Branch = branch.get(key) ?? new Map();
      branch.set(key, next);
      branch = next;
    }
  }
  return root;
}

function compileNames(patterns: readonly string[]): ((key: string) => boolean) | undefined {
  if (patterns.length === 0) return undefined;
  const names = new Set(patterns);
  const globs = patterns.filter((pattern) => pattern.includes('*')).map((glob) => compileGlob(glob));
  return remember(MAX_REMEMBERED, (key) => names.has(key) || globs.some((matches) => matches(key)));
}

/** What holds nothing to drop is not copied. */
function drop(value: unknown, branch: Branch | undefined, isDropped: ((key: string) => boolean) | undefined): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (branch === undefined && isDropped === undefined) return value;
  if (Array.isArray(value)) {
    let items: unknown[] | undefined;
    for (let index = 0; index < value.length; index++) {
      const item = drop(value[index], branch, isDropped);
      if (item !== value[index]) items ??= value.slice();
      if (items !== undefined) items[index] = item;
    }
    return items ?? value;
  }
  const members: [string, unknown][] = [];
  let differs = false;
  for (const key of keysOf(value)) {
    const next = branch?.get(key);
    if ((next !== undefined && next.size === 0) || isDropped?.(key) === true) {
      differs = true;
      continue;
    }
    const before = (value as Record<string, unknown>)[key];
    const inner = drop(before, next, isDropped);
    differs ||= inner !== before;
    members.push([key, inner]);
  }
  return differs ? Object.fromEntries(members) : value;
}
