// The character budget. Whole items are cut from the list an answer is about; where there is no such list, long values
// are shortened. What is left is always valid JSON.
import { stringifyJson } from './lossless.ts';

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

export function fitJson(value: unknown, maxChars: number): Fitted {
  const text = stringifyJson(value);
  if (text.length <= maxChars) return { value, text };
  const room = Math.max(maxChars - NOTE_ROOM, Math.floor(maxChars / 2));
  return cutItems(value, text, room) ?? shorten(value, room);
}

interface Place {
  readonly path: readonly string[];
  readonly items: readonly unknown[];
  readonly chars: number;
}

/** The list the answer is about: itself, or the largest one inside, if it is most of the text. */
export function mainList(value: unknown, totalChars?: number): Place | undefined {
  if (Array.isArray(value)) return { path: [], items: value, chars: totalChars ?? 0 };
  let best: Place | undefined;
  const visit = (inner: unknown, path: readonly string[]): void => {
    if (typeof inner !== 'object' || inner === null) return;
    if (Array.isArray(inner)) {
      const chars = totalChars === undefined ? inner.length : stringifyJson(inner).length;
      if (best === undefined || chars > best.chars) best = { path, items: inner, chars };
      return;
    }
    if (path.length < MAX_SEARCH_DEPTH) for (const [key, next] of Object.entries(inner)) visit(next, [...path, key]);
  };
  visit(value, []);
  return best;
}

function cutItems(value: unknown, text: string, room: number): Fitted | undefined {
  const list = mainList(value, text.length);
  if (list === undefined || list.items.length < 2) return undefined;
  const around = text.length - list.chars;
  let left = room - around - 2;
  let shown = 0;
  for (const item of list.items) {
    left -= stringifyJson(item).length + 1;
    if (left < 0) break;
    shown++;
  }
  if (shown === 0) return undefined;
  const cutValue = replaceAt(value, list.path, list.items.slice(0, shown));
  return { value: cutValue, text: stringifyJson(cutValue), cut: { shown, total: list.items.length } };
}

function replaceAt(value: unknown, path: readonly string[], replacement: unknown): unknown {
  const [key, ...rest] = path;
  if (key === undefined) return replacement;
  const copy = Object.assign(Object.create(null) as Record<string, unknown>, value);
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
  if (typeof value === 'string') {
    const short = shortString(value, Math.max(20, Math.floor(room / 2)));
    return { value: short, text: stringifyJson(short), shortened: true };
  }
  for (const level of LEVELS) {
    const short = shortenWith(value, level, 0);
    const text = stringifyJson(short);
    if (text.length <= room) return { value: short, text, shortened: true };
  }
  const summary = Array.isArray(value)
    ? `a list of ${value.length} items`
    : `an object with ${Object.keys(value as object).length} keys`;
  return { value: summary, text: stringifyJson(summary), shortened: true };
}

function shortenWith(value: unknown, level: Level, depth: number): unknown {
  if (typeof value === 'string') return shortString(value, level.chars);
  if (typeof value !== 'object' || value === null) return value;
  if (depth >= level.depth) return Array.isArray(value) ? `[… ${value.length} items]` : '{…}';
  if (Array.isArray(value)) {
    const items = value.slice(0, level.items).map((item) => shortenWith(item, level, depth + 1));
    if (value.length > level.items) items.push(`… +${value.length - level.items} items`);
    return items;
  }
  const out = Object.create(null) as Record<string, unknown>;
  const keys = Object.keys(value);
  for (const key of keys.slice(0, level.keys)) {
    out[shortString(key, 200)] = shortenWith((value as Record<string, unknown>)[key], level, depth + 1);
  }
  if (keys.length > level.keys) out['…'] = `+${keys.length - level.keys} keys`;
  return out;
}

function shortString(text: string, chars: number): string {
  return text.length <= chars ? text : `${wholeCharacters(text, chars)}… (+${text.length - chars} characters)`;
}

/** Never between the halves of a surrogate pair. */
export function wholeCharacters(text: string, length: number): string {
  const last = text.charCodeAt(length - 1);
  return text.slice(0, last >= 0xd800 && last <= 0xdbff ? length - 1 : length);
}

/** Cuts text at the end of a line, or inside the first one if it is too long by itself. */
export function fitLines(text: string, maxChars: number): { text: string; note?: string } {
  if (text.length <= maxChars) return { text };
  const room = Math.max(maxChars - NOTE_ROOM, Math.floor(maxChars / 2));
  const end = text.lastIndexOf('\n', room);
  const kept = end > room / 2 ? text.slice(0, end) : wholeCharacters(text, room);
  const note = `showing ${countLines(kept)} of ${countLines(text)} lines (${kept.length} of ${text.length} characters)`;
  return { text: kept, note };
}

function countLines(text: string): number {
  let lines = 1;
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) lines++;
  return lines;
}
