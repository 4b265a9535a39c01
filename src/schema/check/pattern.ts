// Runs the regular expressions of schemas without ever letting one block the event loop. The first of these that applies is used:
// 1. The engine of JavaScript, if the text of the pattern proves that it takes linear time.
// 2. RE2, which always takes linear time.
// 3. A conjunction of such patterns, for lookaheads at the start (`^(?=.*\d)(?!x).+$`).
// 4. JavaScript again, on subjects so short that its steps are bounded: for the few patterns that are left (lookaround elsewhere,
//    back references, repeats above 1,000).
// A deadline would not help: a timer cannot interrupt a match in this thread, and a worker would make validation asynchronous.
// A pattern without any bound (`(a+)+\1`) is not enforced. The doctor reports it, and the API may still refuse the value.
import { createRequire } from 'node:module';
import type { RE2JS } from 're2js';
import { once } from '../../endpoint/untrusted.ts';
import type { Budget } from './budget.ts';
import { costOfPattern } from './pattern-cost.ts';

/** `too_long`: more steps than one match may take; `too_many`: than one call may. `unusable`: no engine accepts it. */
export type PatternVerdict = 'match' | 'mismatch' | 'too_long' | 'too_many' | 'unusable';

export interface SafePattern {
  /** native: proven linear. re2: linear. bounded: short subjects only. unchecked: accepts all. none: refuses all. */
  readonly engine: 'native' | 're2' | 'bounded' | 'unchecked' | 'none';
  /** Whether RE2 accepts it, and so the engines of most other clients. */
  readonly portable: boolean;
  verdict(value: string, budget: Budget): PatternVerdict;
  test(value: string, budget: Budget): boolean;
}

/** Limit for one match. A step of RE2 (a character, for each instruction of the pattern) takes up to 100 ns. */
const MAX_STEPS = 250_000;
/** This many steps of a bounded native pattern take as long as one of RE2. */
const NATIVE_STEPS_PER_STEP = 8;
const FREE_PER_CHARACTER = 4;
const FREE_PER_VALUE = 500;
/** Small programs run as an automaton whose states all fit its cache: they cost the same for every character. */
const SMALL_PROGRAM = 64;
const SMALL_PROGRAM_STEPS = 2;
/** For all matches of one call. A value is refused only if both the steps and the time are used up, so slowness alone refuses nothing. */
const FREE_STEPS = 1_000_000;
const FREE_MS = 30;
/** Expensive matches are remembered during the call, because explaining a refusal repeats them. */
const EXPENSIVE_STEPS = 5_000;
const MAX_REMEMBERED = 64;
const MAX_PATTERN_CHARS = 8_192;
const MAX_CACHED = 4_096;

const cache = new Map<string, SafePattern>();

/** The pattern, compiled once per text and shared. Never throws. */
export function safePattern(source: string): SafePattern {
  const entry = cache.get(source);
  if (entry) return entry;
  if (cache.size >= MAX_CACHED) cache.delete(cache.keys().next().value!);
  const pattern = buildPattern(source);
  cache.set(source, pattern);
  return pattern;
}

function buildPattern(source: string): SafePattern {
  if (source.length > MAX_PATTERN_CHARS) return toPattern('none', never, () => 'unusable');
  const expression = withAnchors(source);
  const native = compileNative(expression);
  const cost = costOfPattern(expression);
  // Only with `u` do characters mean code points, as they do to RE2 and to JSON Schema; then RE2 is not needed.
  const unicode = native?.unicode === true && cost?.linear === true;
  const re2 = unicode ? undefined : compileRe2(expression);
  const portable = once(() => (unicode ? compileRe2(expression) : re2) !== undefined);
  if (native && cost?.linear && !re2) {
    return toPattern('native', portable, (value, budget) => {
      const steps = cost.steps(value.length);
      // Most cost a step or two per character and are free; those with long fixed repeats use up the budget.
      if (steps <= FREE_PER_CHARACTER * value.length + FREE_PER_VALUE) return verdictOf(native.test(value));
      return withinBudget(budget, source, value, steps / NATIVE_STEPS_PER_STEP, () => native.test(value));
    });
  }
  if (re2) {
    const size = re2.programSize();
    const perCharacter = size <= SMALL_PROGRAM ? SMALL_PROGRAM_STEPS : size;
    return toPattern('re2', portable, (value, budget) =>
      withinBudget(budget, source, value, value.length * perCharacter, () => re2.test(value)),
    );
  }
  if (!native) return toPattern('none', never, () => 'unusable');
  const parts = splitLookaheads(expression);
  if (parts) return toPattern('bounded', never, (value, budget) => matchAll(parts, value, budget));
  if (!cost || cost.steps(1) === Number.POSITIVE_INFINITY) return toPattern('unchecked', never, () => 'match');
  return toPattern('bounded', never, (value, budget) =>
    withinBudget(budget, source, value, cost.steps(value.length) / NATIVE_STEPS_PER_STEP, () => native.test(value)),
  );
}

const never = (): boolean => false;

function withinBudget(
  budget: Budget,
  source: string,
  value: string,
  steps: number,
  test: () => boolean,
): PatternVerdict {
  if (steps > MAX_STEPS) return 'too_long';
  const earlier = steps > EXPENSIVE_STEPS ? budget.matches?.get(source)?.get(value) : undefined;
  if (earlier !== undefined) return earlier;
  if (budget.matchSteps > FREE_STEPS && budget.matchMs > FREE_MS) return 'too_many';
  budget.matchSteps += steps;
  const start = performance.now();
  const verdict = verdictOf(test());
  budget.matchMs += performance.now() - start;
  if (steps > EXPENSIVE_STEPS) rememberMatch(budget, source, value, verdict);
  return verdict;
}

function rememberMatch(budget: Budget, source: string, value: string, verdict: PatternVerdict): void {
  budget.matches ??= new Map();
  const verdicts = budget.matches.get(source) ?? new Map<string, PatternVerdict>();
  if (verdicts.size < MAX_REMEMBERED) budget.matches.set(source, verdicts.set(value, verdict));
}

function verdictOf(matches: boolean): PatternVerdict {
  return matches ? 'match' : 'mismatch';
}

interface Part {
  readonly pattern: SafePattern;
  /** The value must not match. */
  readonly negative: boolean;
}

function matchAll(parts: readonly Part[], value: string, budget: Budget): PatternVerdict {
  for (const { pattern, negative } of parts) {
    const verdict = pattern.verdict(value, budget);
    if (verdict !== 'match' && verdict !== 'mismatch') return verdict;
    if ((verdict === 'match') === negative) return 'mismatch';
  }
  return 'match';
}

/** `^(?=A)(?!B)C` as `^A`, not `^B`, and `^C`; undefined for any other pattern. */
function splitLookaheads(source: string): readonly Part[] | undefined {
  // A back reference would lose its group.
  if (!source.startsWith('^(?') || /\\(?:[1-9]|k<)/.test(source)) return undefined;
  const parts: Part[] = [];
  let at = 1;
  while (source.startsWith('(?=', at) || source.startsWith('(?!', at)) {
    const end = endOfGroup(source, at);
    if (end === undefined || /^[*+?{]/.test(source.slice(end))) return undefined;
    parts.push({ pattern: safePattern(`^(?:${source.slice(at + 3, end - 1)})`), negative: source[at + 2] === '!' });
    at = end;
  }
  const rest = source.slice(at);
  if (parts.length === 0 || endOfGroup(`(${rest})`, 0, true) !== rest.length + 2) return undefined;
  if (rest !== '') parts.push({ pattern: safePattern(`^${rest}`), negative: false });
  const isChecked = parts.every(({ pattern }) => pattern.engine !== 'none' && pattern.engine !== 'unchecked');
  return isChecked ? parts : undefined;
}

/** Where the group that opens at `start` ends; undefined if it does not end, or has alternatives although it is to stand `alone`. */
function endOfGroup(source: string, start: number, alone = false): number | undefined {
  let depth = 0;
  let inClass = false;
  for (let at = start; at < source.length; at++) {
    const character = source[at];
    if (character === '\\') at++;
    else if (inClass) inClass = character !== ']';
    else if (character === '[') inClass = true;
    else if (character === '(') depth++;
    else if (character === '|' && alone && depth === 1) return undefined;
    else if (character === ')' && --depth === 0) return at + 1;
  }
  return undefined;
}

function toPattern(
  engine: SafePattern['engine'],
  portable: () => boolean,
  verdict: SafePattern['verdict'],
): SafePattern {
  return Object.freeze({
    engine,
    get portable() {
      return portable();
    },
    verdict,
    test: (value: string, budget: Budget) => verdict(value, budget) === 'match',
  });
}

let engine: typeof RE2JS | undefined;
/** 260 KB of tables and code, loaded for the first pattern that is not proven linear. */
const loadRe2 = (): typeof RE2JS =>
  (engine ??= (createRequire(import.meta.url)('re2js') as { RE2JS: typeof RE2JS }).RE2JS);

function compileRe2(source: string): RE2JS | undefined {
  // The translation would turn a named back reference into plain letters.
  if (/\\k</.test(source)) return undefined;
  try {
    const re2 = loadRe2();
    return re2.compile(re2.translateRegExp(source));
  } catch {
    return undefined;
  }
}

function compileNative(source: string): RegExp | undefined {
  // 4.9 % of real patterns refuse `u`; but without it `\p{…}` would mean the letter p.
  for (const flags of /\\p\{/i.test(source) ? ['u'] : ['u', '']) {
    try {
      return new RegExp(source, flags);
    } catch {
      // the next flags, or none
    }
  }
  return undefined;
}

/** Python and Ruby authors write `\A…\Z`; ECMA-262 would read the letters A and Z, which is never intended. */
function withAnchors(source: string): string {
  if (!/\\[AZz]/.test(source)) return source;
  let text = '';
  let inClass = false;
  for (let at = 0; at < source.length; at++) {
    const character = source[at]!;
    if (character === '[') inClass = true;
    else if (character === ']') inClass = false;
    if (character !== '\\') {
      text += character;
      continue;
    }
    const letter = source[++at] ?? '';
    text += inClass ? `\\${letter}` : letter === 'A' ? '^' : letter === 'Z' || letter === 'z' ? '$' : `\\${letter}`;
  }
  return text;
}
