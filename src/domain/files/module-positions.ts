// Finds the positions of fields in a TypeScript or JavaScript domain file by scanning its text: object literals in the default export
// or in constants of the file. Objects that are built in other ways have no known position.
import type { Problem } from '../../endpoint/problems.ts';
import type { FilePosition, PositionOf } from './mistakes.ts';

/** An open bracket. Without a path, nothing in it is a field of the domain. */
interface OpenBracket {
  readonly open: string;
  readonly path: readonly string[] | undefined;
  /** The index in a list. */
  index: number;
  /** Whether a key may come next; only in braces. */
  isKeyNext: boolean;
  /** The path of the value that is being read. */
  value: readonly string[] | undefined;
}

const MAX_TEXT = 1024 * 1024;
const WORD = /[\w$]+/y;
const COLON = /\s*:/y;

/** Positions by path. A path that occurs twice has none. */
export function findPositions(text: string): PositionOf {
  const offsets = text.length > MAX_TEXT ? new Map<string, number>() : readOffsets(text);
  return (path) => {
    for (let length = path.length; length > 0; length--) {
      const offset = offsetOf(offsets, path.slice(0, length).map(String));
      if (offset !== undefined) return offset < 0 ? undefined : positionAt(text, offset);
    }
    return undefined;
  };
}

/** The field itself, or its place in a constant that is named like a field around it. */
function offsetOf(offsets: ReadonlyMap<string, number>, path: Problem['path']): number | undefined {
  for (let start = 0; start === 0 || start < path.length - 1; start++) {
    const offset = offsets.get(keyOf(path.slice(start)));
    if (offset !== undefined) return offset;
  }
  return undefined;
}

function positionAt(text: string, offset: number): FilePosition {
  const before = text.slice(0, offset);
  return { line: before.split('\n').length, column: offset - before.lastIndexOf('\n') };
}

function keyOf(path: Problem['path']): string {
  return JSON.stringify(path.map(String));
}

/** The offset of every key that is written out; -1 for a path that occurs twice. */
function readOffsets(text: string): Map<string, number> {
  const offsets = new Map<string, number>();
  const main =
    /\b(?:export\s{1,9}default|defineDomain\s{0,9}\()\s{0,9}([\w$]{1,100})\s{0,9}(?:[;),\n]|as\b|satisfies\b)/.exec(
      text,
    )?.[1];
  const stack: OpenBracket[] = [];
  /** The path of an object that begins here, outside of all others. */
  let pending: readonly string[] | undefined;
  let previous = '';
  for (let at = 0; at < text.length; ) {
    const char = text[at]!;
    const frame = stack.at(-1);
    const end = skipBlank(text, at, previous);
    if (end > at) {
      at = end;
      continue;
    }
    const token = readToken(text, at);
    if (token !== undefined && frame?.isKeyNext && isKey(text, token.end)) {
      frame.value = frame.path && [...frame.path, token.name];
      const key = keyOf(frame.value ?? []);
      if (frame.value) offsets.set(key, offsets.has(key) ? -1 : at);
      frame.isKeyNext = false;
    } else if (token !== undefined) {
      if (frame) frame.isKeyNext = false;
      if (stack.length === 0) pending = toRoot(text, token, main) ?? pending;
    } else if ('{[('.includes(char)) {
      const isRoot = stack.every(({ open, path }) => open === '(' && path === undefined);
      const path = frame?.value ?? (isRoot && char !== '(' ? pending : undefined);
      const value = char === '[' && path ? [...path, '0'] : char === '(' ? path : undefined;
      stack.push({ open: char, path, index: 0, isKeyNext: char === '{', value });
    } else if ('}])'.includes(char)) {
      stack.pop();
    } else if (char === ',' && frame) {
      frame.index++;
      frame.isKeyNext = frame.open === '{';
      if (frame.open !== '(')
        frame.value = frame.open === '[' && frame.path ? [...frame.path, `${frame.index}`] : undefined;
    } else if (char === ';' && stack.length === 0) pending = undefined;
    previous = char;
    at = token?.end ?? at + 1;
  }
  return offsets;
}

/** `const get = {` is about `get`, and the object of the default export about the domain itself. */
function toRoot(text: string, { name, end }: Token, main: string | undefined): readonly string[] | undefined {
  if (name === 'default' || name === 'defineDomain') return [];
  const isConstant = /^(?:\s{0,9}:[^=\n]{1,200})?\s{0,9}=(?!=)/.test(text.slice(end, end + 300));
  return !isConstant ? undefined : name === main ? [] : [name];
}

interface Token {
  readonly name: string;
  readonly end: number;
}

/** A word, or a text in quotes. */
function readToken(text: string, at: number): Token | undefined {
  const char = text[at]!;
  if (char === '"' || char === "'" || char === '`') {
    const end = skipTo(text, at + 1, char);
    return { name: text.slice(at + 1, end - 1), end };
  }
  WORD.lastIndex = at;
  const word = WORD.exec(text)?.[0];
  return word === undefined ? undefined : { name: word, end: at + word.length };
}

function isKey(text: string, end: number): boolean {
  COLON.lastIndex = end;
  return COLON.test(text);
}

/** The position after white space, comments and regular expressions; `at` if none begins there. */
function skipBlank(text: string, at: number, previous: string): number {
  if (/\s/.test(text[at]!)) return at + 1;
  if (text[at] !== '/') return at;
  if (text[at + 1] === '/') return endOf(text, '\n', at);
  if (text[at + 1] === '*') return endOf(text, '*/', at + 2);
  return '(,=:[!&|?{};'.includes(previous) ? skipTo(text, at + 1, '/') : at;
}

function endOf(text: string, mark: string, from: number): number {
  const at = text.indexOf(mark, from);
  return at < 0 ? text.length : at + mark.length;
}

/** The position after the closing mark. */
function skipTo(text: string, from: number, mark: string): number {
  let at = from;
  while (at < text.length && text[at] !== mark) at += text[at] === '\\' ? 2 : 1;
  return Math.min(at + 1, text.length);
}
