// The limit for the work of checking one call's arguments. Compiled schemas take time in proportion to their arguments. Walking a
// schema takes steps from the budget, and a call that needs too many is refused. Each call has one budget, which is passed to
// everything that takes part in checking it.
import type { PatternVerdict } from './pattern.ts';

/** Steps for checking (all rounds together), for other readings of values, and for explaining, which also stores what it finds. */
const MAX_STEPS = { check: 120_000, read: 60_000, explain: 30_000 };

type Purpose = keyof typeof MAX_STEPS;

/** Checking a name costs less than visiting a schema. */
export const KEY_COST: number = 1 / 4;
/** Reading this many characters costs as much as one step. */
const CHARS_PER_STEP = 48;
/** Schemas compiled within one call: ajv takes up to half a millisecond for each. Further ones are walked. */
export const MAX_COMPILED = 60;

/** Thrown when the steps for a purpose are used up. */
export const BUDGET_EXCEEDED: unique symbol = Symbol('budget exceeded');

export class Budget {
  /** Values that withinBounds() may still visit; each run starts again. */
  valuesLeft = 0;
  /** Whether withinBounds() has seen a number so large that its last digits may be wrong. */
  holdsRounded = false;
  /** What matching patterns has cost so far; pattern.ts sets the limits. */
  matchSteps = 0;
  matchMs = 0;
  /** Results of expensive matches, by pattern and value. */
  matches: Map<string, Map<string, PatternVerdict>> | undefined;
  #steps = MAX_STEPS.check;
  #purpose: Purpose = 'check';
  /** The steps left for the other purposes. Undefined in most calls, which only check. */
  #reserves: Record<Purpose, number> | undefined;
  #compilable = MAX_COMPILED;

  /** `purpose`: what the steps are for at first. */
  constructor(purpose: Purpose = 'check') {
    if (purpose !== 'check') this.payFrom(purpose);
  }

  /** Switches to the allowance of another purpose. */
  payFrom(purpose: Purpose): void {
    this.#reserves ??= { ...MAX_STEPS };
    this.#reserves[this.#purpose] = this.#steps;
    this.#purpose = purpose;
    this.#steps = this.#reserves[purpose];
  }

  /** Takes steps from the current allowance. */
  spend(steps: number): void {
    this.#steps -= steps;
    if (this.#steps < 0) throw BUDGET_EXCEEDED;
  }

  /** Takes the steps for reading a text. */
  spendOnText(text: string): void {
    this.spend(text.length / CHARS_PER_STEP);
  }

  /** Whether the current allowance is used up. */
  get isSpent(): boolean {
    return this.#steps < 0;
  }

  /** Whether this many schemas may still be compiled within the call; if so, they count as compiled. */
  mayCompile(schemas: number): boolean {
    if (schemas > this.#compilable) return false;
    this.#compilable -= schemas;
    return true;
  }
}
