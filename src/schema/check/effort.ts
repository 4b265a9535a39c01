// Keeps the work of one call bounded. Compiled schemas cost what their arguments measure; whatever is walked pays for every
// step, and a call that needs too many is refused.

const MAX_EFFORT = 200_000;
/** Explaining also writes down what it finds. */
const MAX_EXPLAINING = 40_000;
/** Schemas compiled within one call: ajv takes up to half a millisecond for each. What is beyond is walked. */
export const MAX_COMPILED = 60;

let left = MAX_EFFORT;
let explaining = MAX_EXPLAINING;
let compiling = MAX_COMPILED;
let purpose: 'check' | 'explain' = 'check';

/** Thrown when an allowance is used up. */
export const TOO_MUCH_EFFORT: unique symbol = Symbol('too much effort');

/** A fresh allowance for one call: so much for checking, however often that is done, and so much for explaining. */
export function allowEffort(): void {
  left = MAX_EFFORT;
  explaining = MAX_EXPLAINING;
  compiling = MAX_COMPILED;
  purpose = 'check';
}

/** Which allowance pays from here on. */
export function payFrom(allowance: 'check' | 'explain'): void {
  purpose = allowance;
}

/** Takes from the allowance that pays now. */
export function spend(effort: number): void {
  if (purpose === 'check') left -= effort;
  else explaining -= effort;
  if ((purpose === 'check' ? left : explaining) < 0) throw TOO_MUCH_EFFORT;
}

/** Whether so many schemas may still be compiled within this call; if so, they count as compiled. */
export function mayCompile(schemas: number): boolean {
  if (schemas > compiling) return false;
  compiling -= schemas;
  return true;
}
