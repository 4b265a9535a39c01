// Bytes → content blocks, text or a JSON value, by what the body is.
import type { Content } from '../../../call/outcome.ts';
import { stripHtml } from '../../../endpoint/conventions/html.ts';
import { escapeHiddenCharacters } from '../../../endpoint/hidden.ts';
import { tidyLines, unescapeHtml } from '../../../endpoint/plain-text.ts';
import { type Redactor, redactBeginning } from '../../../endpoint/redaction/redact.ts';
import { ToolError } from '../../../errors.ts';
import type { RawResponse } from '../../send.ts';
import type { AnswerInput } from '../build-answer.ts';
import { tooLarge } from '../cut-answer.ts';
import { parseExactJson } from '../lossless.ts';
import { decodeCharset, parseMediaType, sniff } from './answer-media.ts';
import { toFileContent } from './file-content.ts';

export type Decoded =
  | { readonly kind: 'content'; readonly content: readonly Content[] }
  /** `note`: what is unexpected about it. */
  | { readonly kind: 'text'; readonly text: string; readonly note?: string }
  /** `isJson`: the text is the value as JSON, not one of lines or events. */
  | { readonly kind: 'json'; readonly text: string; readonly value: unknown; readonly isJson?: true };

/** Objects and lists in one answer. Parsing millions of them would keep every other caller waiting. */
const MAX_CONTAINERS = 1_000_000;
/** Shorter answers cannot contain that many. */
const COUNTED_FROM_BYTES = 2 * MAX_CONTAINERS;
const QUOTED_CHARS = 200;
const MAX_EVENTS = 10_000;
const MAX_LINES = 50_000;
const MAX_EMPTY_CHARS = 2_000;

export interface Decoding {
  readonly redact: Redactor;
  /** A projection or structured content was asked for, so JSON that does not parse is a failure. */
  readonly needsJson: boolean;
  /** This operation answers with web pages. */
  readonly expectsHtml: boolean;
  /** Larger files are described; 0 describes all of them. */
  readonly maxFileBytes: number;
}

export function decodeBody(
  { method, raw, tool, isRead }: Pick<AnswerInput, 'method' | 'raw' | 'tool' | 'isRead'>,
  { redact, needsJson, expectsHtml, maxFileBytes }: Decoding,
): Decoded {
  const { body, headers } = raw;
  if (body.length === 0) return note(escapeHiddenCharacters(redact(emptyText(method, raw)).slice(0, MAX_EMPTY_CHARS)));
  const media = parseMediaType(headers['content-type']);
  // Many storage APIs call everything octet-stream, and some APIs declare text as a picture, so the first bytes decide.
  const isAnything = media.essence === 'application/octet-stream';
  const guess = media.kind === undefined || media.kind === 'image' || isAnything ? sniff(body) : undefined;
  const kind = guess?.kind ?? media.kind!;
  if (kind === 'image' || kind === 'audio' || kind === 'binary') {
    const mimeType =
      guess !== undefined && (media.kind !== undefined || media.essence === '') ? guess.essence : media.essence;
    const type = kind === 'binary' ? 'resource' : kind;
    return { kind: 'content', content: toFileContent({ type, raw, mimeType, maxBytes: maxFileBytes, redact }) };
  }

  const source = decodeCharset(body, media.charset);
  // A secret may be interrupted by tags and entities, so they are removed before redacting.
  if (kind === 'html' && !isAnything) {
    const page = tidyLines(unescapeHtml(stripHtml(source, true)));
    // stripHtml() stops early in a long page, perhaps in the middle of a secret.
    const text = raw.cut === undefined && source.length <= LOOKED_AT ? redact(page) : redactBeginning(redact, page);
    return expectsHtml ? { kind: 'text', text } : { kind: 'text', text, note: describePage(source) };
  }
  const text = raw.cut === undefined ? redact(source) : redactBeginning(redact, source);
  switch (isAnything ? 'text' : kind) {
    case 'sse':
      return { kind: 'json', text, value: parseEvents(text) };
    case 'ndjson':
      return { kind: 'json', text, value: parseLines(text) };
    case 'json':
      refuseTooManyContainers(body, tool, isRead);
      if (raw.cut !== undefined && raw.status < 400) return { kind: 'json', text, value: parseLines(text) };
      return parseDeclared(text, tool, needsJson);
    default:
      if (!needsJson || !/^\s*[[{]/.test(text)) return { kind: 'text', text };
      refuseTooManyContainers(body, tool, isRead);
      return parseUndeclared(text);
  }
}

function note(text: string): Decoded {
  return { kind: 'content', content: [{ type: 'text', text }] };
}

/** Describes an answer without a body by its status and headers. */
function emptyText(method: string, { status, headers }: RawResponse): string {
  if (status === 304) return 'Not modified (304)';
  const first = status >= 200 && status < 300 ? `OK (${status})` : `Status ${status}, no body`;
  const names =
    method === 'HEAD'
      ? ['content-type', 'content-length', 'etag', 'last-modified', 'location']
      : status === 201 || status === 202
        ? ['location']
        : [];
  const lines = names.filter((name) => headers[name] !== undefined).map((name) => `${name}: ${headers[name]}`);
  return [first, ...lines].join('\n');
}

function refuseTooManyContainers(body: Buffer, tool: string, isRead: boolean): void {
  if (body.length < COUNTED_FROM_BYTES) return;
  let containers = 0;
  for (let at = 0; at < body.length; at++) if (body[at] === 0x7b || body[at] === 0x5b) containers++;
  if (containers <= MAX_CONTAINERS) return;
  throw tooLarge(tool, `holds more than ${MAX_CONTAINERS} objects and lists`, { isRead });
}

function parseDeclared(text: string, tool: string, isNeeded: boolean): Decoded {
  try {
    return { kind: 'json', text, value: parseExactJson(text), isJson: true };
  } catch {
    if (!isNeeded) return { kind: 'text', text, note: describeBroken(text) };
    const why = `the API says its answer is JSON, but it does not parse. It begins: ${escapeHiddenCharacters(text.slice(0, QUOTED_CHARS))}`;
    throw new ToolError('BAD_RESPONSE', tool, why, { tool });
  }
}

/** Text that looks like JSON. */
function parseUndeclared(text: string): Decoded {
  try {
    return { kind: 'json', text, value: parseExactJson(text), isJson: true };
  } catch {
    return { kind: 'text', text };
  }
}

function describeBroken(text: string): string {
  const what = text.trimStart().startsWith('<')
    ? 'is a web page or XML'
    : 'does not parse: it may be cut off or mixed with other output';
  return `the API labels this answer JSON, but it ${what}; do not treat it as a result, and tell the user`;
}

/** A password field, or a title that asks for a login: the page that a proxy or the API shows to unauthenticated requests. */
const LOGIN_FIELD = /<input\b[^<>]{0,400}\btype\s{0,5}=\s{0,5}["']?password/i;
const LOGIN_TITLE = /<title\b[^<>]{0,100}>[^<]{0,200}\b(?:log[ -]?in|sign[ -]?in|authenticat|single sign|sso)/i;
/** How much of a page is searched for these. */
const LOOKED_AT = 64 * 1024;

function describePage(html: string): string {
  const head = html.slice(0, LOOKED_AT);
  return LOGIN_FIELD.test(head) || LOGIN_TITLE.test(head)
    ? 'the API answered with a login page instead of data: the gateway’s credential is missing, has expired, or a proxy asks for one; changing the arguments will not help, tell the user'
    : 'the API answered with a web page instead of data; if that is not what this operation gives, the base URL or path is wrong: tell the user';
}

/** Whether a body begins and ends as JSON does. Any other is decoded in full. */
export function hasEndsOfJson(body: Buffer): boolean {
  let start = 0;
  let end = body.length - 1;
  while (start < end && isSpace(body[start])) start++;
  while (end > start && isSpace(body[end])) end--;
  const [first, last] = [body[start], body[end]];
  return end > start && ((first === 0x7b && last === 0x7d) || (first === 0x5b && last === 0x5d));
}

function isSpace(byte: number | undefined): boolean {
  return byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09;
}

/** One JSON document per line; a line that is not JSON stays as text. */
function parseLines(text: string): unknown[] {
  const lines = text.split(/[\n\u001e]/).filter((line) => line.trim() !== '');
  const values = lines.slice(0, MAX_LINES).map((line) => parseOr(line.trim()));
  return lines.length > MAX_LINES ? [...values, `… +${lines.length - MAX_LINES} lines`] : values;
}

function parseOr(text: string): unknown {
  try {
    return parseExactJson(text);
  } catch {
    return text;
  }
}

/** The events of a stream: their data, with the event's name where it has one. */
function parseEvents(text: string): unknown[] {
  const events: unknown[] = [];
  let data: string[] = [];
  let name = '';
  const flush = () => {
    const payload = data.join('\n');
    if (data.length > 0 && payload !== '[DONE]') {
      events.push(name === '' || name === 'message' ? parseOr(payload) : { event: name, data: parseOr(payload) });
    }
    data = [];
    name = '';
  };
  for (const line of text.split(/\r\n|\r|\n/)) {
    if (events.length >= MAX_EVENTS) return [...events, `… more than ${MAX_EVENTS} events`];
    if (line === '') flush();
    else if (line.startsWith('data:')) data.push(line.slice(line[5] === ' ' ? 6 : 5));
    else if (line.startsWith('event:')) name = line.slice(6).trim();
  }
  flush();
  return events;
}
