// Bytes → text a model may read: charset, and HTML reduced to what it says.
import { tidyLines, unescapeHtml } from '../../endpoint/plain-text.ts';

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

const DROPPED_ELEMENTS = new Set(['script', 'style', 'noscript', 'template', 'svg', 'iframe']);
const BLOCKS =
  /^(address|article|aside|blockquote|br|dd|div|dl|dt|fieldset|figure|footer|form|h[1-6]|header|hr|li|main|nav|ol|p|pre|section|table|td|th|tr|ul|title)$/;

/** No answer may show more, so nothing further is read. */
const MAX_PAGE_CHARS = 1_000_000;
const MAX_TAGS = 100_000;

/** The readable part of an HTML page, in one pass from left to right: no regular expression ever looks back. */
export function htmlToText(html: string): string {
  const out: string[] = [];
  let room = MAX_PAGE_CHARS;
  const write = (text: string) => {
    out.push(text.length > room ? text.slice(0, room) : text);
    room -= text.length;
  };
  // Elements that have no end tag further on: looking again each time would be quadratic.
  const unclosed = new Set<string>();
  let at = 0;
  for (let tags = 0; at < html.length && room > 0 && tags < MAX_TAGS; tags++) {
    const open = html.indexOf('<', at);
    if (open < 0) {
      write(html.slice(at));
      break;
    }
    write(html.slice(at, open));
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
      write('\n');
    }
  }
  return tidyLines(unescapeHtml(out.join('')));
}

/** Where the element ends, or -1. */
function endOfElement(html: string, name: string, from: number): number {
  // Case-insensitive search without copying the page once per element.
  const pattern = new RegExp(`</${name}[\\s>/]`, 'gi');
  pattern.lastIndex = from;
  const end = pattern.exec(html);
  if (end === null) return -1;
  const close = html.indexOf('>', end.index);
  return close < 0 ? html.length : close + 1;
}
