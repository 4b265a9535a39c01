// Limits the work of one call. Compiled schemas take time in proportion to their arguments; walking a schema is paid for step by
// step, and a call that needs too many steps is refused.

/** Explaining also writes down what it finds. */
const MAX_EFFORT = { check: 120_000, read: 60_000, explain: 30_000 };
/** Looking at a name costs less than looking into a schema. */
export const KEY_EFFORT: number = 1 / 4;
/** Reading through so many characters costs as much as one step. */
const CHARS_PER_EFFORT = 48;
/** Schemas compiled within one call: ajv takes up to half a millisecond for each. What is beyond is walked. */
export const MAX_COMPILED = 60;

const allowances = { ...MAX_EFFORT };
let purpose: keyof typeof allowances = 'check';
let compiling = MAX_COMPILED;

/** Thrown when an allowance is used up. */
export const TOO_MUCH_EFFORT: unique symbol = Symbol('too much effort');

/** A fresh allowance for one call: for checking, however often that is done, for other readings, and for explaining. */
export function allowEffort(): void {
  Object.assign(allowances, MAX_EFFORT);
  compiling = MAX_COMPILED;
  purpose = 'check';
}

/** Which allowance pays from here on. */
export function payFrom(allowance: keyof typeof allowances): void {
  purpose = allowance;
}

/** Takes from the allowance that pays now. */
export function spend(effort: number): void {
  allowances[purpose] -= effort;
  if (allowances[purpose] < 0) throw TOO_MUCH_EFFORT;
}

/** Whether the allowance that pays now is used up. */
export function isSpent(): boolean {
  return allowances[purpose] < 0;
}

/** Pays for reading through a text. */
export function spendOnText(text: string): void {
  spend(text.length / CHARS_PER_EFFORT);
}

/** Whether so many schemas may still be compiled within this call; if so, they count as compiled. */
export function mayCompile(schemas: number): boolean {
  if (schemas > compiling) return false;
  compiling -= schemas;
  return true;
}
