// Limits of a message, checked in its text before it is parsed: JSON.parse alone takes 40 ms for 50,000 fields, and
// every later pass takes as long again. Short texts are not checked, since they cannot contain that many values.
import { endOfString } from '../../endpoint/untrusted.ts';
import { MAX_DEPTH, MAX_KEYS, MAX_VALUES } from '../../schema/check/bounds.ts';

/** A quarter more than arguments may have, so that arguments just beyond their own limits get an error that names their tool. */
const MAX_MESSAGE_VALUES = MAX_VALUES * 1.25;
const MAX_MESSAGE_KEYS = MAX_KEYS * 1.25;
/** A value takes at least two characters, a level of nesting one. */
const HARMLESS_CHARS = MAX_MESSAGE_VALUES * 2;

const QUOTE = 0x22;
const COMMA = 0x2c;
const COLON = 0x3a;
const OPEN_BRACKET = 0x5b;
const CLOSE_BRACKET = 0x5d;
const OPEN_BRACE = 0x7b;
const CLOSE_BRACE = 0x7d;
const NUMBER_CHARACTERS = '-+.eE0123456789';

/** By depth, the number of fields of each open object; for an array, a number that never reaches the limit. */
const fields = new Int32Array(MAX_DEPTH + 2);
const ARRAY = -0x40000000;

type MessageExcess = 'too_deep' | 'too_many' | 'too_wide';

export const EXCESS_REASONS: Readonly<Record<Exclude<MessageExcess, 'too_deep'>, string>> = {
  too_many: `the message holds more than ${MAX_MESSAGE_VALUES} values; split it over several requests.`,
  too_wide: `an object of the message holds more than ${MAX_MESSAGE_KEYS} fields; split it over several requests.`,
};

/** The limit that the text exceeds, if any. It does not check whether the text is JSON. */
export function findExcess(text: string): MessageExcess | undefined {
  if (text.length <= HARMLESS_CHARS) return undefined;
  let values = 1;
  let depth = 0;
  for (let at = 0; at < text.length; at++) {
    switch (text.charCodeAt(at)) {
      case QUOTE:
        at = endOfString(text, at) - 1;
        break;
      case COMMA:
        if (++values > MAX_MESSAGE_VALUES) return 'too_many';
        if (++fields[depth]! > MAX_MESSAGE_KEYS) return 'too_wide';
        break;
      case OPEN_BRACKET:
        if (depth > MAX_DEPTH) return 'too_deep';
        fields[++depth] = ARRAY;
        if (text.charCodeAt(at + 1) !== CLOSE_BRACKET && ++values > MAX_MESSAGE_VALUES) return 'too_many';
        break;
      case OPEN_BRACE:
        if (depth > MAX_DEPTH) return 'too_deep';
        fields[++depth] = 1;
        if (text.charCodeAt(at + 1) !== CLOSE_BRACE && ++values > MAX_MESSAGE_VALUES) return 'too_many';
        break;
      case CLOSE_BRACKET:
      case CLOSE_BRACE:
        if (depth > 0) depth--;
    }
  }
  return undefined;
}

/** The text of the message's own `id`, so that a refusal can be matched to its request; undefined if it has none or two. */
export function findIdText(text: string): string | undefined {
  let depth = 0;
  let idText: string | undefined;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === OPEN_BRACE || code === OPEN_BRACKET) depth++;
    else if (code === CLOSE_BRACE || code === CLOSE_BRACKET) depth--;
    else if (code === QUOTE) {
      const start = at;
      at = endOfString(text, at) - 1;
      if (depth !== 1 || at - start !== 3 || !text.startsWith('"id"', start)) continue;
      const colon = skipBlanks(text, at + 1);
      if (text.charCodeAt(colon) !== COLON) continue;
      if (idText !== undefined) return undefined;
      const from = skipBlanks(text, colon + 1);
      at = text.charCodeAt(from) === QUOTE ? endOfString(text, from) - 1 : endOfNumber(text, from);
      idText = text.slice(from, at + 1);
    }
  }
  return idText;
}

/** The index of the last character of a number that starts here, or the index before `start` if there is none. */
function endOfNumber(text: string, start: number): number {
  let at = start;
  while (NUMBER_CHARACTERS.includes(text.charAt(at)) && at < text.length) at++;
  return at - 1;
}

function skipBlanks(text: string, start: number): number {
  let at = start;
  for (let code = text.charCodeAt(at); code === 0x20 || (code >= 0x09 && code <= 0x0d); code = text.charCodeAt(at))
    at++;
  return at;
}
