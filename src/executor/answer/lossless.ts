// Reads and writes JSON without changing large integers: 64-bit ids are common, and `JSON.parse` rounds them silently. In between, a
// marked string stands for such a number.
import { randomUUID } from 'node:crypto';
import { escapeHiddenCharacters } from '../../endpoint/hidden.ts';
import { endOfString } from '../../endpoint/untrusted.ts';

const MARK = '\u0000#';
/** The mark as JSON writes it, and the quotes around the digits. */
const ESCAPED_MARK_LENGTH = '"\\u0000#"'.length;
const MARKED = /"\\u0000#(-?\d+)"/g;
const MAX_PLAIN_DEPTH = 200;
const LONG_DIGITS = /\d{16}/;
const NUMBER = /-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g;

export function parseExactJson(text: string): unknown {
  return JSON.parse(LONG_DIGITS.test(text) ? markLongIntegers(text) : text);
}

/**
 * Finds strings with indexOf(): one regular expression for strings and numbers would need a stack as long as the text.
 */
function markLongIntegers(text: string): string {
  let out = '';
  let at = 0;
  while (at < text.length) {
    const quote = text.indexOf('"', at);
    const outside = quote < 0 ? text.slice(at) : text.slice(at, quote);
    out += LONG_DIGITS.test(outside) ? outside.replace(NUMBER, mark) : outside;
    if (quote < 0) break;
    at = endOfString(text, quote);
    out += text.slice(quote, at);
  }
  return out;
}

function mark(token: string): string {
  if (token.length < 16 || !/^-?\d+$/.test(token) || String(Number(token)) === token) return token;
  return `"\\u0000#${token}"`;
}

/** JSON of arguments: integers too long for a number are bigints, and are written digit by digit. */
export function writeJson(value: unknown): string {
  try {
    return JSON.stringify(value);
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    // The mark cannot be guessed, so no text of the caller can be mistaken for a number.
    const mark = randomUUID();
    const text = JSON.stringify(value, (_, inner: unknown) => (typeof inner === 'bigint' ? mark + inner : inner));
    return text.replace(new RegExp(`"${mark}(-?\\d+)"`, 'g'), '$1');
  }
}

export function stringifyJson(value: unknown): string {
  const text = JSON.stringify(value) ?? 'null';
  return text.includes('"\\u0000#') ? text.replace(MARKED, '$1') : text;
}

/** Listing the keys of an object that has a million takes a tenth of a second, and every step of shaping needs them. */
const longKeyLists = new WeakMap<object, readonly string[]>();
const LONG_KEY_LIST = 1_000;

/** `Object.keys`, made once for a large object. The object must not change afterwards. */
export function listKeys(value: object): readonly string[] {
  const list = longKeyLists.get(value);
  if (list !== undefined) return list;
  const keys = Object.keys(value);
  if (keys.length > LONG_KEY_LIST) longKeyLists.set(value, keys);
  return keys;
}

/** Length of `stringifyJson(value)`, or something larger than `limit` as soon as it is known to be. */
export function jsonLength(value: unknown, limit: number): number {
  if (typeof value === 'string') {
    if (value.length > limit) return value.length;
    return JSON.stringify(value).length - (value.startsWith(MARK) ? ESCAPED_MARK_LENGTH : 0);
  }
  if (typeof value !== 'object' || value === null) return String(value ?? null).length;
  let length = 2;
  if (Array.isArray(value)) {
    for (let index = 0; index < value.length && length <= limit; index++) {
      length += jsonLength(value[index], limit - length) + (index === 0 ? 0 : 1);
    }
    return length;
  }
  for (const key of listKeys(value)) {
    if (length > limit) break;
    length += JSON.stringify(key).length + (length === 2 ? 1 : 2);
    length += jsonLength((value as Record<string, unknown>)[key], limit - length);
  }
  return length;
}

/**
 * A copy without marks, for code that serialises the value again: digits as a string keep their value. Hidden characters are made
 * visible here, because the value does not pass through our own text output.
 */
export function toPlain(value: unknown, depth = 0): unknown {
  if (typeof value === 'string')
    return escapeHiddenCharacters(value.startsWith(MARK) ? value.slice(MARK.length) : value);
  if (typeof value !== 'object' || value === null) return value;
  // Limited depth: whatever serialises the copy is recursive as well.
  if (depth > MAX_PLAIN_DEPTH) return '…';
  if (Array.isArray(value)) return value.map((item) => toPlain(item, depth + 1));
  const copy: Record<string, unknown> = {};
  for (const [key, inner] of Object.entries(value)) {
    if (key === '__proto__') continue;
    copy[escapeHiddenCharacters(key)] = toPlain(inner, depth + 1);
  }
  return copy;
}
