// Runs the regular expressions of schemas without ever letting one block the process. RE2 (linear time) does the work;
// the few patterns it refuses (lookaround, back references, repeats above 1,000) run natively on bounded input under a
// deadline. A pattern that cannot be checked refuses the value and says so: nothing is dropped in silence.
import { createContext, Script } from 'node:vm';
import { RE2JS } from 're2js';

/** `unsafe`: the deadline passed. `too_long`: never tried. `unusable`: no engine understands the pattern. */
export type PatternVerdict = 'match' | 'mismatch' | 'too_long' | 'unsafe' | 'unusable';

export interface SafePattern {
  /** re2: linear. native: bounded and timed. none: refuses everything. */
  readonly engine: 're2' | 'native' | 'none';
  verdict(value: string): PatternVerdict;
  test(value: string): boolean;
  /** ajv keys patterns by this: without a distinct text all of them collapse into the first. */
  toString(): string;
}

/** Characters a natively run pattern may look at. */
const NATIVE_MAX_CHARS = 16_384;
/** One native match, and all native matches of one validation together. */
const NATIVE_MATCH_MS = 100;
const NATIVE_TOTAL_MS = 250;
/** Steps a native match may take without a deadline. */
const NATIVE_FREE_STEPS = 1e7;
/** RE2 costs at most characters × program size; more than this is refused instead of waited for. */
const RE2_MAX_STEPS = 100_000_000;
const MAX_PATTERN_CHARS = 8_192;
const MAX_CACHED = 4_096;

const cache = new Map<string, SafePattern>();
const sandbox = createContext(Object.create(null) as { pattern?: RegExp; value?: string });
const probe = new Script('pattern.test(value)');
let nativeSpentMs = 0;

/** Every validation starts with a fresh allowance of native matching time. */
export function resetNativeBudget(): void {
  nativeSpentMs = 0;
}

/** The pattern, compiled once per text and shared. Never throws. */
export function safePattern(source: string): SafePattern {
  const known = cache.get(source);
  if (known) return known;
  if (cache.size >= MAX_CACHED) cache.delete(cache.keys().next().value!);
  const made = build(source);
  cache.set(source, made);
  return made;
}

function build(source: string): SafePattern {
  if (source.length > MAX_PATTERN_CHARS) return pattern(source, 'none', () => 'unusable');
  const anchored = withAnchors(source);
  const re2 = compileRe2(anchored);
  if (re2) {
    const maxChars = RE2_MAX_STEPS / Math.max(1, re2.programSize());
    return pattern(source, 're2', (value) =>
      value.length > maxChars ? 'too_long' : re2.test(value) ? 'match' : 'mismatch',
    );
  }
  const native = compileNative(anchored);
  if (!native) return pattern(source, 'none', () => 'unusable');
  const power = backtrackingPower(anchored);
  return pattern(source, 'native', (value) => {
    if (value.length > NATIVE_MAX_CHARS) return 'too_long';
    // A deadline costs a watchdog thread (0.2 ms); patterns that cannot run away do without.
    if (value.length ** power <= NATIVE_FREE_STEPS) return native.test(value) ? 'match' : 'mismatch';
    return testNative(native, value);
  });
}

/** Exponent of the worst case in the length of the input: one per quantifier, without end once a group repeats. */
function backtrackingPower(source: string): number {
  const tokens =
    source.match(/\\[\s\S]|\[(?:\\[\s\S]|[^\]\\])*\]|\(\?<?[=!:]|\)(?:[*+]|\{)|[*+?]|\{\d*,?\d*\}|[\s\S]/g) ?? [];
  let power = 0;
  for (const token of tokens) {
    if (/^\)[*+{]$/.test(token)) return Number.POSITIVE_INFINITY;
    if (/^[*+?]$/.test(token) || /^\{\d*,\d*\}$/.test(token)) power++;
  }
  return power;
}

function pattern(source: string, engine: SafePattern['engine'], verdict: SafePattern['verdict']): SafePattern {
  return Object.freeze({
    engine,
    verdict,
    test: (value: string) => verdict(value) === 'match',
    toString: () => `/${source}/`,
  });
}

function compileRe2(source: string): RE2JS | undefined {
  // The translation would turn a named back reference into plain letters.
  if (/\\k</.test(source)) return undefined;
  try {
    return RE2JS.compile(RE2JS.translateRegExp(source));
  } catch {
    return undefined;
  }
}

function compileNative(source: string): RegExp | undefined {
  // Without `u`, `\p{…}` would mean the letter p: there the flag is needed, elsewhere 4.9 % of real patterns refuse it.
  for (const flags of /\\p\{/i.test(source) ? ['u'] : ['', 'u']) {
    try {
      return new RegExp(source, flags);
    } catch {
      // the next flags, or none
    }
  }
  return undefined;
}

function testNative(native: RegExp, value: string): PatternVerdict {
  if (nativeSpentMs >= NATIVE_TOTAL_MS) return 'unsafe';
  const started = performance.now();
  sandbox.pattern = native;
  sandbox.value = value;
  try {
    return probe.runInContext(sandbox, { timeout: NATIVE_MATCH_MS }) === true ? 'match' : 'mismatch';
  } catch {
    return 'unsafe';
  } finally {
    sandbox.pattern = undefined;
    sandbox.value = undefined;
    nativeSpentMs += performance.now() - started;
  }
}

/** Python and Ruby authors write `\A…\Z`; ECMA-262 would read the letters A and Z, which nobody means. */
function withAnchors(source: string): string {
  return source.replace(/\\([\s\S])|\[(?:\\[\s\S]|[^\]\\])*\]/g, (whole, letter?: string) =>
    letter === 'A' ? '^' : letter === 'Z' || letter === 'z' ? '$' : whole,
  );
}

/** For ajv's `code.regExp`. */
export const regExpEngine: { (source: string, flags: string): SafePattern; code: string } = Object.assign(
  (source: string) => safePattern(source),
  { code: 'safePattern' },
);
