// Characters that a model reads but a person does not see. They are removed from prose, refused in values, and shown as escapes in data
// from an API.

/** Zero-width, bidirectional, tag and variation characters, fillers, lone surrogates, controls but tab and line feed. */
const UNSEEN = String.raw`\u0000-\u0008\u000b-\u001f\u007f-\u009f\u2028\u2029\ufff9-\uffff\p{DI}\p{Cs}`;
const HIDDEN = new RegExp(`[${UNSEEN}]`, 'gu');
/** For a line of JSON, in which control characters below U+0020 are escaped already. */
const HIDDEN_IN_LINE = /[\u007f-\u009f\u2028\u2029\ufff9-\uffff\p{DI}]/gu;
const HIDDEN_OR_BREAK = new RegExp(`[\\t\\n${UNSEEN}]`, 'gu');

/** Characters without a legitimate use in a text. Joiners (emoji, Persian) and direction marks (Hebrew, Arabic) have one. */
const COVERT = String.raw`\u{e0000}-\u{e0fff}\u202a-\u202e\u2066-\u2069\u200b\u2060-\u2064\ufeff\u00ad`;
/** Several selectors or joiners in a row have no meaning, but can hide data after a single letter. */
const PAYLOAD = String.raw`[\ufe00-\ufe0f]{2,}|[\u200c\u200d]{3,}`;
const COVERT_TEXT = new RegExp(`[${COVERT}]|${PAYLOAD}`, 'u');
/** The flags of England, Scotland and Wales are a black flag and tags. */
const TAGGED_FLAG = /\u{1f3f4}[\u{e0061}-\u{e007a}]{3,6}\u{e007f}/gu;
/** The same as escapes of JSON text. */
const COVERT_ESCAPED = /\\u(?:202[a-e]|206[0-46-9]|200b|feff|00ad|db4[0-3]\\ud[c-f][0-9a-f]{2})/i;
/** Terminal sequences, which can colour the background, erase lines or conceal words. */
const TERMINAL =
  /(?:\x1b|(?<!\\)\\(?:u001b|x1b|e|033))(?:\[[0-9;?]{0,20}[A-Za-z]|\][0-9]{1,4};)|\x9b[0-9;?]{0,20}[A-Za-z]/i;
const COVERT_VALUE = new RegExp(`[${COVERT}\\u200e\\u200f\\p{Cc}]`, 'u');

const ANSI = /\x1b(?:\[[0-9;?]*[ -/]*[@-~]|\][^\x07\x1b]{0,200}(?:\x07|\x1b\\)?|[@-Z\\-_])/g;
const PLAIN = /^[\x20-\x7e\n]*$/;

/** Prose without hidden characters and terminal sequences. Line breaks of all kinds become `\n`. */
export function stripHidden(text: string): string {
  if (PLAIN.test(text)) return text;
  return text
    .replace(/\r\n?|[\u2028\u2029]/g, '\n')
    .replace(ANSI, '')
    .replace(HIDDEN, '');
}

/** Escapes such characters in a line of JSON, so that it stays one line and a terminal shows them. */
export function escapeHidden(json: string): string {
  if (PLAIN.test(json)) return json;
  return json.replace(HIDDEN_IN_LINE, toEscapes);
}

/** `\uXXXX` for each code unit of a character. */
function toEscapes(character: string): string {
  let out = '';
  for (let index = 0; index < character.length; index++)
    out += `\\u${character.charCodeAt(index).toString(16).padStart(4, '0')}`;
  return out;
}

/** Text that is shown to a person as data: hidden characters and line breaks are written as `\u{202e}`. */
export function showHidden(text: string): string {
  return text.replace(HIDDEN_OR_BREAK, (character) => `\\u{${character.codePointAt(0)?.toString(16)}}`);
}

/** Whether a value has hidden characters. Unlike prose, it cannot be cleaned without changing it. */
export function hasHiddenText(value: string): boolean {
  return COVERT_VALUE.test(value);
}

/** The first character or sequence of a document that only serves to hide something. */
export function findCovert(text: string): RegExpExecArray | null {
  const first = COVERT_TEXT.exec(text) ?? COVERT_ESCAPED.exec(text) ?? TERMINAL.exec(text);
  if (first === null || !text.includes('\u{1f3f4}')) return first;
  const plain = text.replace(TAGGED_FLAG, (flag) => ' '.repeat(flag.length));
  return COVERT_TEXT.exec(plain) ?? COVERT_ESCAPED.exec(plain) ?? TERMINAL.exec(plain);
}

// The characters that answers are searched for: every byte of every answer, so no Unicode properties, and selectors of emoji stay. C0 but
// tab, line feed and carriage return, DEL, C1, soft hyphen, Arabic letter mark, zero-width and bidirectional controls,
// invisible operators, fillers, byte order and interlinear marks, and (as surrogates) U+E0000–E01EF: the tag characters and
// the supplementary variation selectors, with which any bytes can be hidden after one letter.
const IN_DATA =
  /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\u00ad\u061c\u115f\u1160\u17b4\u17b5\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\u3164\ufeff\uffa0\ufff9-\ufffb]|\udb40[\udc00-\uddef]/;
const ALL_IN_DATA = new RegExp(IN_DATA.source, 'g');

/** Writes hidden characters as `\uXXXX`, which is the same string inside JSON. */
export function escapeHiddenCharacters(text: string): string {
  if (!IN_DATA.test(text)) return text;
  return text.replace(ALL_IN_DATA, toEscapes);
}

// Bytes that are hidden characters by themselves, or begin UTF-8 sequences some of which are.
const SUSPECT = new Uint8Array(256);
for (let byte = 0; byte < 32; byte++) SUSPECT[byte] = byte === 9 || byte === 10 || byte === 13 ? 0 : 1;
SUSPECT[0x7f] = 1;
for (const lead of [0xc2, 0xd8, 0xe1, 0xe2, 0xe3, 0xef, 0xf3]) SUSPECT[lead] = 1;

/**
 * Whether UTF-8 bytes may hold something `visible` would change. Sixteen bytes at a time: most answers are compact JSON
 * in ASCII, and for those this is five times as fast as the regular expression.
 */
export function mayHide(bytes: Buffer): boolean {
  const { length, byteOffset } = bytes;
  const head = (4 - (byteOffset & 3)) & 3;
  if (length < head + 16) return hasSuspect(bytes, 0, length);
  const words = new Int32Array(bytes.buffer, byteOffset + head, ((length - head) >> 4) * 4);
  for (let index = 0; index < words.length; index += 4) {
    const a = words[index] as number;
    const b = words[index + 1] as number;
    const c = words[index + 2] as number;
    const d = words[index + 3] as number;
    if ((flags(a) | flags(b) | flags(c) | flags(d)) & 0x80808080) {
      const at = head + index * 4;
      if (hasSuspect(bytes, at, at + 16)) return true;
    }
  }
  return hasSuspect(bytes, 0, head) || hasSuspect(bytes, head + words.length * 4, length);
}

/** The high bit of a byte is set if it is below 0x20, is 0x7f or is not ASCII (because of carries, it is sometimes set for other bytes). */
function flags(word: number): number {
  return (word - 0x20202020) | word | (word + 0x01010101);
}

function hasSuspect(bytes: Buffer, from: number, to: number): boolean {
  for (let at = from; at < to; at++) if (SUSPECT[bytes[at] as number] !== 0) return true;
  return false;
}
