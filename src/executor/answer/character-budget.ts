// The character budget. From JSON, whole items are cut from the main list of the answer; if there is no such list, long values are
// shortened. The rest is always valid JSON. An answer may be a thousand times the budget, so its values are measured only until it is
// clear that they are too long. Other text is cut at the end of a line.
import { wholeCharacters } from '../../endpoint/plain-text.ts';
import { emptyMap } from '../../endpoint/untrusted.ts';
import { jsonLength, listKeys, stringifyJson } from './lossless.ts';

export interface Fitted {
  readonly value: unknown;
  readonly text: string;
  /** Whole items were cut from the main list. */
  readonly cut?: { readonly shown: number; readonly total: number };
  /** Long values were shortened. */
  readonly shortened?: boolean;
}

/** Room for the sentence that says what was cut. */
const NOTE_ROOM = 400;
const MAX_SEARCH_DEPTH = 3;
/** How many members of the answer are searched for lists. */
const MAX_VISITS = 10_000;
/** How much of each list is measured to tell which is the longest. */
const WEIGHED_CHARS = 100_000;

/**
 * `sourceChars` is the length of the text the value was parsed from. If that is not much too long, writing it is faster than
 * measuring it.
 */
export function fitJson(value: unknown, maxChars: number, sourceChars = Number.POSITIVE_INFINITY): Fitted {
  if (sourceChars <= 2 * maxChars || jsonLength(value, maxChars) <= maxChars) {
    const text = stringifyJson(value);
    if (text.length <= maxChars) return { value, text };
  }
  const room = Math.max(maxChars - NOTE_ROOM, Math.floor(maxChars / 2));
  return cutItems(value, room) ?? shorten(value, room);
}

interface Place {
  readonly path: readonly string[];
  readonly items: readonly unknown[];
}

/** The main list of the answer: the answer itself, or the list in it for which `weigh` returns most. */
export function mainList(
  value: unknown,
  weigh: (items: readonly unknown[]) => number = (items) => items.length,
): Place | undefined {
  if (Array.isArray(value)) return { path: [], items: value };
  let best: Place | undefined;
  let bestWeight = -1;
  let visits = 0;
  const visit = (inner: unknown, path: readonly string[]): void => {
    if (typeof inner !== 'object' || inner === null) return;
    if (Array.isArray(inner)) {
      const weight = weigh(inner);
      if (weight > bestWeight) [best, bestWeight] = [{ path, items: inner }, weight];
      return;
    }
    if (path.length >= MAX_SEARCH_DEPTH) return;
    for (const key of listKeys(inner)) {
      if (++visits > MAX_VISITS) return;
      visit((inner as Record<string, unknown>)[key], [...path, key]);
    }
  };
  visit(value, []);
  return best;
}

/** Approximate length of the list as JSON: the beginning is measured, the rest extrapolated. */
function weighText(items: readonly unknown[]): number {
  let chars = 0;
  for (let index = 0; index < items.length; index++) {
    if (chars > WEIGHED_CHARS) return (chars / index) * items.length;
    chars += jsonLength(items[index], WEIGHED_CHARS) + 1;
  }
  return chars;
}

function cutItems(value: unknown, room: number): Fitted | undefined {
  const list = mainList(value, weighText);
  if (list === undefined || list.items.length < 2) return undefined;
  let rest = room - jsonLength(replaceAt(value, list.path, []), room);
  let count = 0;
  while (count < list.items.length) {
    rest -= jsonLength(list.items[count], rest) + 1;
    if (rest < 0) break;
    count++;
  }
  if (count === 0) return undefined;
  const cutValue = replaceAt(value, list.path, list.items.slice(0, count));
  return { value: cutValue, text: stringifyJson(cutValue), cut: { shown: count, total: list.items.length } };
}

function replaceAt(value: unknown, path: readonly string[], replacement: unknown): unknown {
  const [key, ...rest] = path;
  if (key === undefined) return replacement;
  const copy = Object.assign(emptyMap<unknown>(), value);
  copy[key] = replaceAt(copy[key], rest, replacement);
  return copy;
}

interface Level {
  readonly chars: number;
  readonly items: number;
  readonly keys: number;
  readonly depth: number;
}

/** Tried in turn until the text fits. */
const LEVELS: readonly Level[] = [
  { chars: 4_000, items: 200, keys: 500, depth: 20 },
  { chars: 1_000, items: 50, keys: 200, depth: 12 },
  { chars: 300, items: 20, keys: 100, depth: 8 },
  { chars: 120, items: 8, keys: 50, depth: 6 },
  { chars: 60, items: 3, keys: 25, depth: 4 },
  { chars: 40, items: 1, keys: 12, depth: 2 },
];

function shorten(value: unknown, room: number): Fitted {
  const toFitted = (short: unknown): Fitted => ({ value: short, text: stringifyJson(short), shortened: true });
  if (typeof value === 'string') return toFitted(shortString(value, Math.max(20, Math.floor(room / 2))));
  for (const level of LEVELS) {
    const short = shortenWith(value, level, 0, { chars: room });
    const fit = short === undefined ? undefined : toFitted(short);
    if (fit !== undefined && fit.text.length <= room) return fit;
  }
  if (Array.isArray(value)) return toFitted(`a list of ${value.length} items`);
  return toFitted(`an object with ${listKeys(value as object).length} keys`);
}

/** Undefined as soon as it is clear that the text will be longer than what is left. */
function shortenWith(value: unknown, level: Level, depth: number, rest: { chars: number }): unknown {
  if (typeof value !== 'object' || value === null || depth >= level.depth) {
    const short = typeof value === 'string' ? shortString(value, level.chars) : summaryOf(value);
    rest.chars -= String(short).length + 1;
    return rest.chars < 0 ? undefined : short;
  }
  rest.chars -= 2;
  if (Array.isArray(value)) {
    const items: unknown[] = [];
    for (let index = 0; index < Math.min(value.length, level.items); index++) {
      const item = shortenWith(value[index], level, depth + 1, rest);
      if (item === undefined) return undefined;
      items.push(item);
    }
    if (value.length > level.items) items.push(`… +${value.length - level.items} items`);
    return items;
  }
  const out = emptyMap<unknown>();
  const keys = listKeys(value);
  for (let index = 0; index < Math.min(keys.length, level.keys); index++) {
    const key = keys[index] as string;
    rest.chars -= Math.min(key.length, 200) + 3;
    const inner = shortenWith((value as Record<string, unknown>)[key], level, depth + 1, rest);
    if (inner === undefined) return undefined;
    out[shortString(key, 200)] = inner;
  }
  if (keys.length > level.keys) out['…'] = `+${keys.length - level.keys} keys`;
  return out;
}

/** A scalar as it is; of anything else, its size. */
function summaryOf(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  return Array.isArray(value) ? `[… ${value.length} items]` : '{…}';
}

function shortString(text: string, chars: number): string {
  return text.length <= chars ? text : `${wholeCharacters(text, chars)}… (+${text.length - chars} characters)`;
}

/** Cuts text at the end of a line, or inside the first one if it is too long by itself. */
export function cutLines(text: string, maxChars: number): { text: string; note?: string } {
  if (text.length <= maxChars) return { text };
  const room = Math.max(maxChars - NOTE_ROOM, Math.floor(maxChars / 2));
  const end = text.lastIndexOf('\n', room);
  const beginning = end > room / 2 ? text.slice(0, end) : wholeCharacters(text, room);
  const lines = `${countLines(beginning)} of ${countLines(text)} lines`;
  return { text: beginning, note: `showing ${lines} (${beginning.length} of ${text.length} characters)` };
}

function countLines(text: string): number {
  let lines = 1;
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) lines++;
  return lines;
}
