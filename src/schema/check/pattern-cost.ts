// How many steps a backtracking engine may need for a regular expression, read from its text. Every repetition that can
// end at several places multiplies the ways to match by the number of those places; a repetition of something that can
// itself match in several ways has no such bound. The figure is an upper bound: a pattern that it rates as cheap is cheap.

/** Ways to match: `factor` times the smaller of the subject's length and each of `repeats`. */
interface Ways {
  readonly factor: number;
  readonly repeats: readonly number[];
  /** Whether there is exactly one way to match at a given place, and it consumes characters. */
  readonly single: boolean;
  /** Whether its match consumes no characters. It still costs steps. */
  readonly isAssertion?: boolean;
}

export interface PatternCost {
  /** Whether steps grow no faster than the subject, by a small factor. */
  readonly linear: boolean;
  /** The maximum number of steps for a subject of this length; infinite if there is no bound. */
  steps(length: number): number;
}

const MAX_LINEAR_FACTOR = 256;
/** For `linear`: up to this count, a repetition is a constant factor; above it, its steps grow with the subject. */
const SHORT_REPEAT = 16;
const MAX_NESTING = 50;
/** A group that matches in several ways may be written out this many times. */
const MAX_COPIES = 4;
const ONE: Ways = { factor: 1, repeats: [], single: true };
const NOTHING: Ways = { factor: 1, repeats: [], single: false, isAssertion: true };
const ENDLESS: Ways = { factor: Number.POSITIVE_INFINITY, repeats: [], single: false };

/** The cost of a pattern; undefined if its syntax is not supported. */
export function costOfPattern(source: string): PatternCost | undefined {
  const reader = { source, at: 0, anchored: true };
  const ways = readAlternatives(reader, 0);
  if (ways === undefined || reader.at < source.length) return undefined;
  // An expression that may begin anywhere is tried at every character.
  const repeats = reader.anchored ? ways.repeats : [...ways.repeats, Number.POSITIVE_INFINITY];
  const long = repeats.filter((most) => most > SHORT_REPEAT).length;
  const short = repeats.reduce((product, most) => (most > SHORT_REPEAT ? product : product * most), ways.factor);
  return {
    linear: long <= 1 && short <= MAX_LINEAR_FACTOR,
    steps: (length) => repeats.reduce((product, most) => product * Math.min(length + 1, most), ways.factor),
  };
}

interface Reader {
  readonly source: string;
  at: number;
  /** Whether every alternative begins with `^`. */
  anchored: boolean;
}

function readAlternatives(reader: Reader, depth: number): Ways | undefined {
  if (depth > MAX_NESTING) return undefined;
  const branches: Ways[] = [];
  do {
    if (depth === 0 && reader.source[reader.at] !== '^') reader.anchored = false;
    const branch = readSequence(reader, depth);
    if (branch === undefined) return undefined;
    branches.push(branch);
  } while (reader.source[reader.at] === '|' && ++reader.at);
  if (branches.length === 1) return branches[0];
  // All branches may be tried, each with the ways of the widest.
  return {
    factor: branches.reduce((sum, { factor }) => sum + factor, 0),
    repeats: widest(branches),
    single: false,
  };
}

function widest(branches: readonly Ways[]): number[] {
  const length = Math.max(...branches.map(({ repeats }) => repeats.length));
  const rankings = branches.map(({ repeats }) => [...repeats].sort((a, b) => b - a));
  return Array.from({ length }, (_, place) => Math.max(...rankings.map((repeats) => repeats[place] ?? 1)));
}

function readSequence(reader: Reader, depth: number): Ways | undefined {
  let all: Ways = { factor: 1, repeats: [], single: false };
  let consumes = false;
  let single = true;
  while (reader.at < reader.source.length && !'|)'.includes(reader.source[reader.at]!)) {
    const atom = readAtom(reader, depth);
    if (atom === undefined) return undefined;
    const ways = readRepeat(reader, atom);
    all = { factor: all.factor * ways.factor, repeats: [...all.repeats, ...ways.repeats], single: false };
    consumes ||= ways.single;
    single &&= ways.single || ways.isAssertion === true;
  }
  return { ...all, single: single && consumes };
}

/** A character, a class, an assertion, a back reference or a group. */
function readAtom(reader: Reader, depth: number): Ways | undefined {
  const rest = reader.source[reader.at]!;
  if (rest === '(') return readGroup(reader, depth);
  if (rest === '[') {
    const end = endOfClass(reader.source, reader.at);
    reader.at = end;
    return end > reader.source.length ? undefined : ONE;
  }
  if (rest === '\\') return readEscape(reader);
  reader.at++;
  return rest === '^' || rest === '$' ? NOTHING : ONE;
}

function endOfClass(source: string, start: number): number {
  let at = start + 1;
  while (at < source.length && source[at] !== ']') at += source[at] === '\\' ? 2 : 1;
  return at + 1;
}

const ESCAPE = /\\(?:u\{[0-9a-fA-F]+\}|u[0-9a-fA-F]{4}|x[0-9a-fA-F]{2}|c[A-Za-z]|[pP]\{[^}]*\}|k<[^>]*>|[\s\S])/y;

function readEscape(reader: Reader): Ways | undefined {
  ESCAPE.lastIndex = reader.at;
  const text = ESCAPE.exec(reader.source)?.[0];
  if (text === undefined) return undefined;
  reader.at += text.length;
  if (/^\\[bB]$/.test(text)) return NOTHING;
  // A back reference compares as many characters as its group has taken.
  if (/^\\(?:[1-9]|k<)/.test(text)) return { factor: 1, repeats: [Number.POSITIVE_INFINITY], single: false };
  return ONE;
}

function readGroup(reader: Reader, depth: number): Ways | undefined {
  const opening = /\((?:\?(?:<?[=!]|:|<[^>=!][^>]*>))?/y;
  opening.lastIndex = reader.at;
  const text = opening.exec(reader.source)?.[0] ?? '(';
  reader.at += text.length;
  if (reader.source[reader.at] === '?') return undefined;
  const inner = readAlternatives(reader, depth + 1);
  if (inner === undefined || reader.source[reader.at] !== ')') return undefined;
  reader.at++;
  // An assertion matches or not and consumes nothing, so its text is not matched a second time.
  return /[=!]$/.test(text) ? { ...inner, single: false, isAssertion: true } : inner;
}

const REPEAT = /(?:([*+?])|\{(\d+)(?:(,)(\d*))?\})\??/y;

function readRepeat(reader: Reader, atom: Ways): Ways {
  REPEAT.lastIndex = reader.at;
  const match = REPEAT.exec(reader.source);
  if (match === null) return atom;
  reader.at += match[0].length;
  const [, sign, low, comma = '', high = ''] = match;
  const least = sign === '+' ? 1 : sign === undefined ? Number(low) : 0;
  const most =
    sign === '?'
      ? 1
      : sign !== undefined || (comma === ',' && high === '')
        ? Number.POSITIVE_INFINITY
        : Number(high === '' ? low : high);
  return repeat(atom, least, most);
}

function repeat(atom: Ways, least: number, most: number): Ways {
  if (most === 0) return NOTHING;
  if (atom.single) {
    // What is repeated a fixed number of times has one way to match, and needs that many steps every time it is tried.
    const factor = atom.factor * Math.max(1, least);
    if (least === most) return { ...atom, factor };
    return { factor, repeats: [...atom.repeats, most - least + 1], single: false };
  }
  if (most > MAX_COPIES) return ENDLESS;
  return {
    factor: (atom.factor + (least === most ? 0 : 1)) ** most,
    repeats: Array.from({ length: most }, () => atom.repeats).flat(),
    single: false,
  };
}
