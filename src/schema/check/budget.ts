// What checking the arguments of one call may cost. Compiled schemas take time in proportion to their arguments. Walking a schema is
// paid for step by step, and a call that needs too many steps is refused. Each call gets one budget, which is handed to everything
// that takes part in checking it.
import type { PatternVerdict } from './pattern.ts';

/** Steps for checking (however often that is done), for other readings of values, and for explaining, which also writes down what it finds. */
const MAX_STEPS = { check: 120_000, read: 60_000, explain: 30_000 };

type Purpose = keyof typeof MAX_STEPS;

/** Looking at a name costs less than looking into a schema. */
export const KEY_COST: number = 1 / 4;
/** Reading through this many characters costs as much as one step. */
const CHARS_PER_STEP = 48;
/** Schemas compiled within one call: ajv takes up to half a millisecond for each. Any more are walked. */
export const MAX_COMPILED = 60;

/** Thrown when the steps for a purpose are used up. */
export const BUDGET_EXCEEDED: unique symbol = Symbol('budget exceeded');

export class Budget {
  /** Values that may still be looked at by withinBounds(), which starts anew each time. */
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
  /** What is left for the purposes that do not pay at the moment; most calls need no other purpose than checking. */
  #reserves: Record<Purpose, number> | undefined;
  #compilable = MAX_COMPILED;

  /** `purpose`: what the steps are for at first. */
  constructor(purpose: Purpose = 'check') {
    if (purpose !== 'check') this.payFrom(purpose);
  }

  /** Which allowance pays from here on. */
  payFrom(purpose: Purpose): void {
    this.#reserves ??= { ...MAX_STEPS };
    this.#reserves[this.#purpose] = this.#steps;
    this.#purpose = purpose;
    this.#steps = this.#reserves[purpose];
  }

  /** Takes steps from the allowance that pays at the moment. */
  spend(steps: number): void {
    this.#steps -= steps;
    if (this.#steps < 0) throw BUDGET_EXCEEDED;
  }

  /** Pays for reading through a text. */
  spendOnText(text: string): void {
    this.spend(text.length / CHARS_PER_STEP);
  }

  /** Whether the allowance that pays at the moment is used up. */
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
