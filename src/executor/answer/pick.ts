// Keeps only some dot paths of a JSON answer; arrays on the way are passed through. All paths are walked together, once
// over the answer: each object asks one state what its keys mean, however many paths there are.
import { keysOf } from './lossless.ts';

export interface Picked {
  /** Undefined: nothing of it was asked for. */
  readonly value: unknown;
  /** Paths that matched nothing. */
  readonly unmatched: readonly string[];
}

/** Where some of the paths have got to. */
interface Branch {
  readonly id: number;
  readonly children: Map<string, Branch>;
  /** Paths that end here, by what is left of them: one segment, or several that a key with dots in it may spell. */
  readonly ends: Map<string, number[]>;
  readonly through: number[];
}

/** The branches that apply to one object. Several do where `*` and a name lead to the same place. */
interface State {
  readonly branches: readonly Branch[];
  readonly names: ReadonlySet<string>;
  readonly steps: Map<string, Step>;
  /** For every key the paths do not name. */
  other: Step | undefined;
}

interface Step {
  /** Paths that are satisfied by the presence of this key. */
  readonly matches: readonly number[];
  /** The key is kept with all it holds. */
  readonly whole: boolean;
  readonly next: State | undefined;
}

const MAX_SEGMENTS = 32;
/** `*` before different names multiplies the states; nobody needs so many. */
const MAX_STATES = 1_000;

/** A function that picks `paths`. It gives undefined where their wildcards combine in too many ways to be followed. */
export function compilePick(paths: readonly string[]): (value: unknown) => Picked | undefined {
  const machine = createMachine(paths);
  return (value) => {
    const matched = new Set<number>();
    const picked = machine.start === undefined ? undefined : pick(value, machine.start, machine.step, matched);
    if (machine.overflowed()) return undefined;
    return { value: picked, unmatched: paths.filter((_, id) => !matched.has(id)) };
  };
}

type StepOf = (state: State, key: string) => Step;

function pick(value: unknown, state: State, step: StepOf, matched: Set<number>): unknown {
  if (typeof value !== 'object' || value === null) return undefined;
  if (Array.isArray(value)) {
    // An empty array has no item to contradict the path.
    if (value.length === 0) for (const branch of state.branches) for (const id of branch.through) matched.add(id);
    const items: unknown[] = [];
    for (const item of value) {
      const picked = item === null ? null : pick(item, state, step, matched);
      if (picked !== undefined) items.push(picked);
    }
    return items;
  }
  const members: [string, unknown][] = [];
  for (const key of keysOf(value)) {
    const { matches, whole, next } = step(state, key);
    const inner = (value as Record<string, unknown>)[key];
    if (whole) {
      members.push([key, inner]);
      for (const id of matches) matched.add(id);
    } else if (next !== undefined) {
      const picked = pick(inner, next, step, matched);
      if (picked !== undefined) members.push([key, picked]);
    }
  }
  return Object.fromEntries(members);
}

interface Machine {
  readonly start: State | undefined;
  readonly step: StepOf;
  readonly overflowed: () => boolean;
}

/** States and steps come into being as answers need them, and are kept. */
function createMachine(paths: readonly string[]): Machine {
  const states = new Map<string, State>();
  let overflow = false;

  const stateOf = (branches: readonly Branch[]): State | undefined => {
    if (branches.length === 0) return undefined;
    const key = branches.map(({ id }) => id).join();
    let state = states.get(key);
    if (state === undefined) {
      if (states.size >= MAX_STATES) {
        overflow = true;
        return undefined;
      }
      const names = new Set(branches.flatMap(({ children, ends }) => [...children.keys(), ...ends.keys()]));
      state = { branches, names, steps: new Map(), other: undefined };
      states.set(key, state);
    }
    return state;
  };

  const buildStep = (state: State, key: string): Step => {
    const names = key === '*' ? ['*'] : [key, '*'];
    const ends = state.branches.flatMap((branch) => names.flatMap((name) => branch.ends.get(name) ?? []));
    const next = state.branches.flatMap((branch) => names.flatMap((name) => branch.children.get(name) ?? []));
    const inside = ends.length === 0 ? [] : next.flatMap(({ through }) => through);
    return { matches: [...ends, ...inside], whole: ends.length > 0, next: ends.length > 0 ? undefined : stateOf(next) };
  };

  return {
    start: stateOf([buildTrie(paths)]),
    step: (state, key) => {
      if (!state.names.has(key)) {
        state.other ??= buildStep(state, '*');
        return state.other;
      }
      let step = state.steps.get(key);
      if (step === undefined) {
        step = buildStep(state, key);
        state.steps.set(key, step);
      }
      return step;
    },
    overflowed: () => overflow,
  };
}

function buildTrie(paths: readonly string[]): Branch {
  let count = 0;
  const createBranch = (): Branch => ({ id: count++, children: new Map(), ends: new Map(), through: [] });
  const root = createBranch();
  for (const [id, path] of paths.entries()) {
    const segments = path.split('.');
    if (segments.length > MAX_SEGMENTS) continue;
    let branch = root;
    for (const [index, segment] of segments.entries()) {
      branch.through.push(id);
      const rest = segments.slice(index).join('.');
      branch.ends.set(rest, [...(branch.ends.get(rest) ?? []), id]);
      if (index === segments.length - 1) break;
      let child = branch.children.get(segment);
      if (child === undefined) {
        child = createBranch();
        branch.children.set(segment, child);
      }
      branch = child;
    }
  }
  return root;
}
