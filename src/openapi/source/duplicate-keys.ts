// Keys that occur twice in an object of a JSON text. JSON.parse silently keeps the last one, but the author should know. Linear
// in the text; the places are searched only if the number of keys shows that there may be duplicates: counting takes about 15 ms
// for GitHub's 13 MB, finding the places 250.

import { endOfString, isEscaped, step } from '../../endpoint/untrusted.ts';

/** How many are named; one is as good a reason to look as a thousand. */
export const MAX_DUPLICATES = 10;

const QUOTE = 34;
const COLON = 58;
const COMMA = 44;
const OPEN_BRACE = 123;
const CLOSE_BRACE = 125;
const OPEN_BRACKET = 91;
const CLOSE_BRACKET = 93;

/** How many keys a valid JSON text has, or more: a string that begins with a colon looks like the end of one. */
export function countKeys(text: string): number {
  let keys = 0;
  for (let colon = text.indexOf(':'); colon >= 0; colon = text.indexOf(':', colon + 1)) {
    let at = colon - 1;
    while (isSpace(text.charCodeAt(at))) at--;
    if (text.charCodeAt(at) === QUOTE && !isEscaped(text, at)) keys++;
  }
  return keys;
}

/** `/paths/~1a at line 7` for each key that its object already had, in the order of the text. */
export function findDuplicateKeys(text: string): string[] {
  const places: string[] = [];
  /** The objects and arrays around the current place; an array's keys are undefined. */
  const open: { readonly keys: Set<string> | undefined; at: string | number }[] = [];
  let start = 0;
  for (let at = 0; at < text.length && places.length < MAX_DUPLICATES; ) {
    const code = text.charCodeAt(at);
    const inner = open[open.length - 1];
    if (code === QUOTE) {
      start = at;
      at = endOfString(text, at);
      continue;
    }
    if (code === COLON && inner?.keys) {
      const key = keyOf(text, start);
      if (inner.keys.has(key))
        places.push(
          `${open
            .slice(0, -1)
            .map((part) => step(part.at))
            .join('')}${step(key)} at line ${lineAt(text, start)}`,
        );
      inner.keys.add(key);
      inner.at = key;
    } else if (code === COMMA && inner && !inner.keys) (inner.at as number)++;
    else if (code === OPEN_BRACE) open.push({ keys: new Set(), at: '' });
    else if (code === OPEN_BRACKET) open.push({ keys: undefined, at: 0 });
    else if (code === CLOSE_BRACE || code === CLOSE_BRACKET) open.pop();
    at++;
  }
  return places;
}

function keyOf(text: string, start: number): string {
  const raw = text.slice(start, endOfString(text, start));
  return raw.includes('\\') ? (JSON.parse(raw) as string) : raw.slice(1, -1);
}

function isSpace(code: number): boolean {
  return code === 32 || code === 10 || code === 13 || code === 9;
}

function lineAt(text: string, position: number): number {
  let line = 1;
  for (let end = text.indexOf('\n'); end >= 0 && end < position; end = text.indexOf('\n', end + 1)) line++;
  return line;
}
