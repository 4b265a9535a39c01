// Keeps only some dot paths of a JSON answer; arrays on the way are passed through. All paths are walked together, once
// over the answer: each object asks one state what its keys mean, however many paths there are.
import { keysOf } from './lossless.ts';

export interface Picked {
  /** Undefined: nothing of it was asked for. */
  readonly value: unknown;
  /** Paths that matched nothing. */
  readonly unmatched: readonly string[];
}

/** The paths that lead into one object. All have got to the same depth. */
interface State {
  readonly depth: number;
  readonly paths: readonly Path[];
  /** What the paths call a key here. */
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

const MAX_SEGMENTS = 32;
/** `*` before different names multiplies the states; real paths need far fewer. */
const MAX_STATES = 1_000;

/** A function that picks `paths`. It returns undefined if their wildcards combine into too many states. */
export function compilePick(paths: readonly string[]): (value: unknown) => Picked | undefined {
  const machine = new Machine();
  const start = machine.stateOf(
    0,
    paths.map(parsePath).filter(({ segments }) => segments.length <= MAX_SEGMENTS),
  );
  return (value) => {
    const hits = new Set<number>();
    const part = start === undefined ? undefined : pick(value, start, machine, hits);
    if (machine.overflowed) return undefined;
    return { value: part, unmatched: paths.filter((_, id) => !hits.has(id)) };
  };
}

function parsePath(text: string, id: number): Path {
  const segments = text.split('.');
  return { id, segments, rests: segments.map((_, depth) => segments.slice(depth).join('.')) };
}

function pick(value: unknown, state: State, machine: Machine, hits: Set<number>): unknown {
  if (typeof value !== 'object' || value === null) return undefined;
  if (Array.isArray(value)) {
    // An empty array counts as a match: no item contradicts the path.
    if (value.length === 0) for (const { id } of state.paths) hits.add(id);
    const items: unknown[] = [];
    for (const item of value) {
      const part = item === null ? null : pick(item, state, machine, hits);
      if (part !== undefined) items.push(part);
    }
    return items;
  }
  const members: [string, unknown][] = [];
  for (const key of keysOf(value)) {
    const { matches, whole, next } = machine.step(state, key);
    const inner = (value as Record<string, unknown>)[key];
    if (whole) {
      members.push([key, inner]);
      for (const { id } of matches) hits.add(id);
    } else if (next !== undefined) {
      const part = pick(inner, next, machine, hits);
      if (part !== undefined) members.push([key, part]);
    }
  }
  return Object.fromEntries(members);
}

/** States and steps come into being as answers need them, and are kept. */
class Machine {
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
