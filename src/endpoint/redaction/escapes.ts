// Ways to write a letter as something else: `\u0041`, `\x41`, `%41`, `&#65;`, `&#x41;`, `&amp;`, `\/`; and what a reader does
// not see between two letters: tags and invisible characters. Decoding is one pass over the text.

/** Quick, and often true of text without any: only a reason to look closer. */
export function mayHoldEscapes(text: string): boolean {
  return SUSPECT.test(text);
}

const SUSPECT = /\\[^bfnrt]|%[2-7]|&[#a-z]|<[/!a-z]|[\u00ad\u200b-\u200f\u2060-\u2064\ufeff]/i;

export interface DecodedText {
  readonly text: string;
  /** Where in the original each character begins; one more entry for the end. */
  readonly starts: Uint32Array;
  /** Whether tags were left out. */
  readonly hadTags: boolean;
}

const MAX_TAG = 500;
const MAX_ENTITY = 12;

/** `tags`: whether they are text or left out. `before`: the starts of the text that this one was decoded from. */
export function decodeEscapes(text: string, tags: 'kept' | 'out', before?: Uint32Array): DecodedText {
  const units = new Uint16Array(text.length);
  const starts = new Uint32Array(text.length + 1);
  let length = 0;
  let at = 0;
  let nextClose = -1;
  let hadTags = false;
  const emit = (unit: number) => {
    units[length] = unit;
    starts[length++] = before === undefined ? at : (before[at] as number);
  };
  while (at < text.length) {
    const code = text.charCodeAt(at);
    if (code === BACKSLASH) {
      const run = runOfBackslashes(text, at);
      const spelled = readBackslash(text, at + run, run);
      if (spelled !== undefined) {
        emit(spelled.code);
        at += run + spelled.length;
      } else for (const end = at + run; at < end; at++) emit(code);
      continue;
    } else if (code === PERCENT) {
      const byte = hex(text, at + 1, 2);
      if (byte >= 0 && byte < 0x80) {
        emit(byte);
        at += 3;
        continue;
      }
    } else if (code === AMPERSAND) {
      const entity = readEntity(text, at);
      if (entity !== undefined) {
        emit(entity.code);
        at += entity.length;
        continue;
      }
    } else if (tags === 'out' && code === LESS_THAN && TAG_BEGIN.test(text[at + 1] ?? '')) {
      if (nextClose < at) nextClose = text.indexOf('>', at);
      if (nextClose < 0) nextClose = text.length + MAX_TAG;
      const nextOpen = text.indexOf('<', at + 1);
      if (nextClose - at < MAX_TAG && (nextOpen < 0 || nextClose < nextOpen)) {
        at = nextClose + 1;
        hadTags = true;
        continue;
      }
    } else if (code >= 0xad && INVISIBLE.test(text[at] as string)) {
      at++;
      continue;
    }
    emit(code);
    at++;
  }
  starts[length] = before === undefined ? text.length : (before[text.length] as number);
  return { text: toText(units.subarray(0, length)), starts, hadTags };
}

const BACKSLASH = 0x5c;
const PERCENT = 0x25;
const AMPERSAND = 0x26;
const LESS_THAN = 0x3c;
const QUOTE = 0x22;
const TAG_BEGIN = /[a-z/!]/i;
const INVISIBLE = /[\u00ad\u200b-\u200f\u2060-\u2064\ufeff]/;

/** Text inside text is escaped again, so the run may be long. */
function runOfBackslashes(text: string, at: number): number {
  let run = 1;
  while (text.charCodeAt(at + run) === BACKSLASH) run++;
  return run;
}

interface Escape {
  readonly code: number;
  readonly length: number;
}

function readBackslash(text: string, at: number, run: number): Escape | undefined {
  const code = text.charCodeAt(at);
  const letter = text[at];
  if (letter === 'u' && text[at + 1] === '{') {
    const end = text.slice(at, at + MAX_ENTITY).indexOf('}');
    const value = end < 0 ? -1 : hex(text, at + 2, end - 2);
    return value >= 0 && value < 0x10000 ? { code: value, length: end + 1 } : undefined;
  }
  const digits = letter === 'u' ? 4 : letter === 'x' ? 2 : 0;
  if (digits > 0) {
    const value = hex(text, at + 1, digits);
    return value < 0 ? undefined : { code: value, length: digits + 1 };
  }
  // An even run before a quote is backslashes, and the quote ends the string.
  if (code === QUOTE && run % 2 === 0) return undefined;
  return PUNCTUATION.test(letter ?? '') ? { code, length: 1 } : undefined;
}

const PUNCTUATION = /[!-/:-@[-`{-~]/;

function readEntity(text: string, at: number): Escape | undefined {
  const match = ENTITY.exec(text.slice(at, at + MAX_ENTITY));
  if (match === null) return undefined;
  const [whole, hexadecimal, decimal, name] = match;
  const code =
    hexadecimal !== undefined
      ? Number.parseInt(hexadecimal, 16)
      : decimal !== undefined
        ? Number(decimal)
        : (NAMED.get(name as string) ?? -1);
  return code > 0 && code < 0x10000 ? { code, length: whole.length } : undefined;
}

const ENTITY = /^&(?:#[xX]([0-9a-fA-F]{1,7});?|#([0-9]{1,8});?|([A-Za-z]{2,8});)/;

/** The names HTML has for what stands in secrets. */
const NAMED = new Map(
  Object.entries({
    amp: '&',
    lt: '<',
    gt: '>',
    quot: '"',
    apos: "'",
    sol: '/',
    hyphen: '-',
    bsol: '\\',
    plus: '+',
    equals: '=',
    period: '.',
    comma: ',',
    colon: ':',
    semi: ';',
    excl: '!',
    quest: '?',
    num: '#',
    dollar: '$',
    percnt: '%',
    ast: '*',
    lpar: '(',
    rpar: ')',
    lsqb: '[',
    rsqb: ']',
    lcub: '{',
    rcub: '}',
    commat: '@',
    Hat: '^',
    lowbar: '_',
    grave: '`',
    verbar: '|',
  }).map(([name, character]) => [name, character.charCodeAt(0)]),
);

/** -1 where something else than `digits` hexadecimal digits stands there. */
function hex(text: string, at: number, digits: number): number {
  let value = 0;
  for (let index = 0; index < digits; index++) {
    const code = text.charCodeAt(at + index);
    const lower = code | 0x20;
    const digit = code >= 0x30 && code <= 0x39 ? code - 0x30 : lower >= 0x61 && lower <= 0x66 ? lower - 0x57 : -1;
    if (digit < 0) return -1;
    value = value * 16 + digit;
  }
  return digits > 0 ? value : -1;
}

function toText(units: Uint16Array): string {
  return Buffer.from(units.buffer, units.byteOffset, units.byteLength).toString('utf16le');
}
