// The bytes of a document as text. Large documents are JSON and almost entirely ASCII. A few other characters make V8 use two bytes
// for every character of the text, and slow down decoding. So JSON is parsed from a text in which those characters are written as
// escapes, and the original text is decoded only on demand. GitHub's 13 MB with 50 such characters: 32 ms instead of 44 until it
// can be parsed, and 12 MB less at the peak.
import { isAscii } from 'node:buffer';

export interface DocumentText {
  readonly bytes: number;
  /** Whether it begins like JSON. */
  readonly isJson: boolean;
  /** Decoded at every access. */
  readonly text: string;
  /** A text that JSON.parse reads as the same value, if it is cheap to make. Made at every access. */
  readonly json?: string | undefined;
}

/** Decodes UTF-8, or UTF-16 if there is a byte order mark for it. */
export function toDocumentText(bytes: Buffer): DocumentText {
  const isJson = beginsLikeJson(bytes);
  return {
    bytes: bytes.length,
    isJson,
    get text() {
      return decode(bytes);
    },
    get json() {
      return isJson ? withEscapes(bytes) : undefined;
    },
  };
}

export function decode(bytes: Buffer): string {
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return bytes.toString('utf16le', 2);
  const isBigEndian = bytes[0] === 0xfe && bytes[1] === 0xff;
  if (isBigEndian)
    return Buffer.from(bytes.subarray(2, bytes.length & ~1))
      .swap16()
      .toString('utf16le');
  // The same text, several times faster.
  return isAscii(bytes) ? bytes.toString('latin1') : bytes.toString('utf8');
}

function beginsLikeJson(bytes: Buffer): boolean {
  let at = 0;
  while (bytes[at] === 32 || (bytes[at]! >= 9 && bytes[at]! <= 13)) at++;
  return isJsonText(decode(bytes.subarray(at, at + 64)));
}

export function isJsonText(text: string): boolean {
  return /^\s*[{[]/.test(text);
}

const BACKSLASH = 92;

/**
 * `é` becomes `\u00e9`. Outside of strings neither is valid JSON. After a backslash only the escape would be valid, so such a text
 * is left alone.
 */
function withEscapes(bytes: Buffer): string | undefined {
  const pieces = findNonAsciiPieces(bytes);
  if (pieces === undefined) return undefined;
  const parts: Buffer[] = [];
  let start = 0;
  for (const piece of pieces) {
    for (let at = Math.max(piece, start); at < Math.min(piece + PIECE, bytes.length); at++) {
      if (bytes[at]! < 0x80) continue;
      if (bytes[at - 1] === BACKSLASH) return undefined;
      const from = at;
      while (bytes[at]! >= 0x80) at++;
      parts.push(bytes.subarray(start, from), Buffer.from(toEscapes(bytes.toString('utf8', from, at)), 'latin1'));
      start = at;
    }
  }
  if (parts.length === 0) return bytes.toString('latin1');
  return Buffer.concat([...parts, bytes.subarray(start)]).toString('latin1');
}

const BLOCK = 16 * 1024;
const PIECE = 128;
/** At most one piece in this many may have characters that are not ASCII; text in a script other than Latin is parsed unchanged. */
const MIN_ASCII_PIECES = 32;

/** Where pieces with characters that are not ASCII begin; undefined if there are too many. */
function findNonAsciiPieces(bytes: Buffer): number[] | undefined {
  const pieces: number[] = [];
  const most = Math.ceil(bytes.length / PIECE / MIN_ASCII_PIECES);
  for (let block = 0; block < bytes.length; block += BLOCK) {
    const end = Math.min(block + BLOCK, bytes.length);
    if (isAscii(bytes.subarray(block, end))) continue;
    for (let piece = block; piece < end; piece += PIECE) {
      if (!isAscii(bytes.subarray(piece, Math.min(piece + PIECE, end)))) pieces.push(piece);
    }
    if (pieces.length > most) return undefined;
  }
  return pieces;
}

function toEscapes(text: string): string {
  let escapes = '';
  for (let at = 0; at < text.length; at++) escapes += `\\u${text.charCodeAt(at).toString(16).padStart(4, '0')}`;
  return escapes;
}
