// Which keys of a JSON answer are kept. A domain file drops some (`drop`) or keeps only some (`pick`); a caller asks for `fields`.
import { compileGlob } from '../../endpoint/glob.ts';
import { isObject } from '../../endpoint/is-object.ts';
import { remember } from '../../endpoint/untrusted.ts';
import { listKeys } from './lossless.ts';

/** Limits on what a caller writes in `fields`, and on the names that are suggested. */
const MAX_FIELDS = 200;
const MAX_CHARS = 10_000;
const MAX_NESTING = 32;
const MAX_AVAILABLE = 40;
const MAX_SEGMENTS = 32;
/** `*` before different names multiplies the states; real paths need far fewer. */
const MAX_STATES = 1_000;
/** The API chooses the keys. Whether a key is dropped is cached for this many. */
const MAX_REMEMBERED = 10_000;

type Branch = Map<string, Branch>;

/**
 * Removes keys from an answer. A plain name or a glob (`type-id`, `*_url`) is a key wherever it stands, so it means the
 * same in one item and in a list of them. A dot path (`owner.login`, `$.meta`) is one place, counted from the root,
 * with arrays passed through.
 */
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

/** Copies only the parts that contain something to drop. */
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
  for (const key of listKeys(value)) {
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

export interface Picked {
  /** Undefined: nothing of it was asked for. */
  readonly value: unknown;
  /** Paths that matched nothing. */
  readonly unmatched: readonly string[];
}

/** The paths that lead into one object, all at the same depth. */
interface State {
  readonly depth: number;
  readonly paths: readonly Path[];
  /** The keys that the paths name here. */
  readonly names: ReadonlySet<string>;
  readonly steps: Map<string, Step>;
}

interface Path {
  readonly id: number;
  readonly segments: readonly string[];
  /** By depth, the rest of the path: one segment, or several that may be one key with dots in it. */
  readonly rests: readonly string[];
}

interface Step {
  /** Paths that are satisfied by the presence of this key. */
  readonly matches: readonly Path[];
  /** The key is kept with all it holds. */
  readonly whole: boolean;
  readonly next: State | undefined;
}

/**
 * A function that keeps only some dot paths of an answer; arrays on the way are passed through. It returns undefined if
 * the wildcards combine into too many states. One pass over the answer follows all paths together: one state describes
 * the keys of each object, however many paths there are.
 */
export function compilePick(paths: readonly string[]): (value: unknown) => Picked | undefined {
  const automaton = new PathAutomaton();
  const start = automaton.stateOf(
    0,
    paths.map(parsePath).filter(({ segments }) => segments.length <= MAX_SEGMENTS),
  );
  return (value) => {
    const hits = new Set<number>();
    const part = start === undefined ? undefined : pick(value, start, automaton, hits);
    if (automaton.overflowed) return undefined;
    return { value: part, unmatched: paths.filter((_, id) => !hits.has(id)) };
  };
}

function parsePath(text: string, id: number): Path {
  const segments = text.split('.');
  return { id, segments, rests: segments.map((_, depth) => segments.slice(depth).join('.')) };
}

function pick(value: unknown, state: State, automaton: PathAutomaton, hits: Set<number>): unknown {
  if (typeof value !== 'object' || value === null) return undefined;
  if (Array.isArray(value)) {
    // An empty array counts as a match: no item contradicts the path.
    if (value.length === 0) for (const { id } of state.paths) hits.add(id);
    const items: unknown[] = [];
    for (const item of value) {
      const part = item === null ? null : pick(item, state, automaton, hits);
      if (part !== undefined) items.push(part);
    }
    return items;
  }
  const members: [string, unknown][] = [];
  for (const key of listKeys(value)) {
    const { matches, whole, next } = automaton.step(state, key);
    const inner = (value as Record<string, unknown>)[key];
    if (whole) {
      members.push([key, inner]);
      for (const { id } of matches) hits.add(id);
    } else if (next !== undefined) {
      const part = pick(inner, next, automaton, hits);
      if (part !== undefined) members.push([key, part]);
    }
  }
  return Object.fromEntries(members);
}

/** States and steps are built when an answer first needs them, and kept. */
class PathAutomaton {
  overflowed = false;
  readonly #states = new Map<string, State>();

  stateOf(depth: number, paths: readonly Path[]): State | undefined {
    if (paths.length === 0) return undefined;
    const key = `${depth}:${paths.map(({ id }) => id).join()}`;
    let state = this.#states.get(key);
    if (state === undefined) {
      this.overflowed ||= this.#states.size >= MAX_STATES;
      if (this.overflowed) return undefined;
      const names = new Set(paths.flatMap(({ segments, rests }) => [segments[depth]!, rests[depth]!]));
      state = { depth, paths, names, steps: new Map() };
      this.#states.set(key, state);
    }
    return state;
  }

  /** Keys the paths do not name share the step of `*`. */
  step(state: State, key: string): Step {
    const name = state.names.has(key) ? key : '*';
    let step = state.steps.get(name);
    if (step === undefined) {
      step = this.#buildStep(state, name);
      state.steps.set(name, step);
    }
    return step;
  }

  #buildStep({ depth, paths }: State, name: string): Step {
    const names = (text: string) => text === name || text === '*';
    const ends = paths.filter(({ rests }) => names(rests[depth]!));
    const through = paths.filter(({ segments }) => depth < segments.length - 1 && names(segments[depth]!));
    if (ends.length > 0) return { matches: [...ends, ...through], whole: true, next: undefined };
    return { matches: [], whole: false, next: this.stateOf(depth + 1, through) };
  }
}

/**
 * What a caller asks for in `fields`, as plain dot paths: `a.b`, `items[].id`, `items(id,owner.login)`, and several of them in one
 * string, separated by commas, because models write all of these. One pass over the text, which is not read beyond the limits.
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

/** Dot paths that `fields` could name: the keys of the (first) object, and those one level down. */
export function availableFields(value: unknown): string[] {
  const fields: string[] = [];
  collectFields(value, '', fields, 0);
  return fields;
}

function collectFields(value: unknown, prefix: string, into: string[], depth: number): void {
  const sample = firstObject(value);
  if (sample === undefined || depth > 1) return;
  for (const key of listKeys(sample)) {
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
