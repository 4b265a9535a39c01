// Bytes → text a model may read: charset, nothing hidden, HTML reduced to what it says.

// WHATWG reads both labels as windows-1252; Node 20's TextDecoder gets these 32 wrong.
const WINDOWS_1252 = [
  ...'\u20ac\u0081\u201a\u0192\u201e\u2026\u2020\u2021\u02c6\u2030\u0160\u2039\u0152\u008d\u017d\u008f',
  ...'\u0090\u2018\u2019\u201c\u201d\u2022\u2013\u2014\u02dc\u2122\u0161\u203a\u0153\u009d\u017e\u0178',
];

/** Decodes by declared charset; UTF-8 without one, or with one nobody knows. */
export function decodeText(body: Buffer, charset: string | undefined): string {
  if (charset === undefined || isUtf8Label(charset)) {
    const text = body.toString('utf8');
    return text.charCodeAt(0) === 0xfeff ? text.slice(1) : text;
  }
  if (/^(windows-1252|cp1252|iso-?8859-1|latin-?1)$/.test(charset)) {
    return body.toString('latin1').replace(/[\x80-\x9f]/g, (c1) => WINDOWS_1252[c1.charCodeAt(0) - 0x80] as string);
  }
  try {
    return new TextDecoder(charset).decode(body);
  } catch {
    return body.toString('utf8');
  }
}

export function isUtf8Label(charset: string | undefined): boolean {
  return charset === undefined || charset === 'utf-8' || charset === 'utf8' || charset === 'us-ascii';
}

// C0 (but tab, line feed, carriage return), DEL, C1, soft hyphen, Arabic letter mark, zero-width and bidi controls,
// invisible operators, BOM, interlinear marks, and the tag characters U+E0000–E007F (as surrogates).
const HIDDEN =
  /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\u00ad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]|\udb40[\udc00-\udc7f]/;
const ALL_HIDDEN = new RegExp(HIDDEN.source, 'g');

/** Writes hidden characters as `\uXXXX`, which inside JSON is the same string: nothing is lost, nothing is hidden. */
export function visible(text: string): string {
  if (!HIDDEN.test(text)) return text;
  return text.replace(ALL_HIDDEN, (found) => {
    let out = '';
    for (let index = 0; index < found.length; index++) {
      out += `\\u${found.charCodeAt(index).toString(16).padStart(4, '0')}`;
    }
    return out;
  });
}

// Bytes that are hidden characters by themselves, or begin UTF-8 sequences some of which are.
const SUSPECT = new Uint8Array(256);
for (let byte = 0; byte < 32; byte++) SUSPECT[byte] = byte === 9 || byte === 10 || byte === 13 ? 0 : 1;
SUSPECT[0x7f] = 1;
for (const lead of [0xc2, 0xd8, 0xe1, 0xe2, 0xef, 0xf3]) SUSPECT[lead] = 1;

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

/** The high bit of a byte is set if it is below 0x20, is 0x7f or is not ASCII (and, by carry, now and then for nothing). */
function flags(word: number): number {
  return (word - 0x20202020) | word | (word + 0x01010101);
}

function hasSuspect(bytes: Buffer, from: number, to: number): boolean {
  for (let at = from; at < to; at++) if (SUSPECT[bytes[at] as number] !== 0) return true;
  return false;
}

const DROPPED_ELEMENTS = new Set(['script', 'style', 'noscript', 'template', 'svg', 'iframe']);
const BLOCKS =
  /^(address|article|aside|blockquote|br|dd|div|dl|dt|fieldset|figure|footer|form|h[1-6]|header|hr|li|main|nav|ol|p|pre|section|table|td|th|tr|ul|title)$/;
const ENTITIES: Readonly<Record<string, string>> = Object.freeze(
  Object.assign(Object.create(null) as Record<string, string>, {
    amp: '&',
    lt: '<',
    gt: '>',
    quot: '"',
    apos: "'",
    nbsp: ' ',
    copy: '©',
    hellip: '…',
    mdash: '—',
    ndash: '–',
    euro: '€',
  }),
);

/** The readable part of an HTML page, in one pass from left to right: no regular expression ever looks back. */
export function htmlToText(html: string): string {
  const out: string[] = [];
  // Elements known to have no end tag further on: looking again each time would be quadratic.
  const unclosed = new Set<string>();
  let at = 0;
  while (at < html.length) {
    const open = html.indexOf('<', at);
    if (open < 0) {
      out.push(html.slice(at));
      break;
    }
    out.push(html.slice(at, open));
    if (html.startsWith('<!--', open)) {
      const end = html.indexOf('-->', open + 4);
      at = end < 0 ? html.length : end + 3;
      continue;
    }
    const close = html.indexOf('>', open);
    if (close < 0) break;
    const name = /^<\/?([a-z][a-z0-9]{0,20})/i.exec(html.slice(open, open + 24))?.[1]?.toLowerCase() ?? '';
    at = close + 1;
    if (DROPPED_ELEMENTS.has(name) && html[open + 1] !== '/' && html[close - 1] !== '/') {
      const end = unclosed.has(name) ? -1 : endOfElement(html, name, at);
      if (end >= 0) at = end;
      else if (name === 'script' || name === 'style') break;
      else unclosed.add(name);
    } else if (BLOCKS.test(name)) {
      out.push('\n');
    }
  }
  return unescapeHtml(out.join(''))
    .replace(/[^\S\n]+/g, ' ')
    .replace(/ ?\n ?/g, '\n')
    .replace(/\n{3,}/g, '\n\n')
    .trim();
}

/** Where the element ends, or -1. */
function endOfElement(html: string, name: string, from: number): number {
  // Case-insensitive search without copying the page once per element.
  const pattern = new RegExp(`</${name}[\\s>/]`, 'gi');
  pattern.lastIndex = from;
  const found = pattern.exec(html);
  if (found === null) return -1;
  const close = html.indexOf('>', found.index);
  return close < 0 ? html.length : close + 1;
}

function unescapeHtml(text: string): string {
  return text.replace(/&(#x[0-9a-f]{1,6}|#[0-9]{1,7}|[a-z]{2,8});/gi, (whole, name: string) => {
    if (name[0] !== '#') return ENTITIES[name.toLowerCase()] ?? whole;
    const code = name[1] === 'x' || name[1] === 'X' ? Number.parseInt(name.slice(2), 16) : Number(name.slice(1));
    return code > 0 && code <= 0x10ffff ? String.fromCodePoint(code) : whole;
  });
}
