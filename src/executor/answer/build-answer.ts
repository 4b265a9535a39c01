// Status + body → answer. A small JSON or text answer that needs no shaping passes through: it is decoded once and not parsed. Of a
// paged answer, only an outline is parsed.
import type { Content } from '../../call/outcome.ts';
import { QuotedText } from '../../call/quoted-text.ts';
import { escapeHiddenCharacters, mayHide } from '../../endpoint/hidden.ts';
import type { Args, ResponsePlan } from '../../endpoint/model.ts';
import type { Redactor } from '../../endpoint/redaction/redact.ts';
import { ToolError } from '../../errors.ts';
import type { RawResponse } from '../send.ts';
import { type ApiProblem, extractProblem, retryAfter } from './api-problem.ts';
import { cutLines } from './character-budget.ts';
import { decodeCharset, isUtf8Label, parseMediaType } from './decoding/answer-media.ts';
import { type Decoded, decodeBody, hasEndsOfJson } from './decoding/decode.ts';
import { type ScannedJson, scanJson, writeOutline } from './decoding/scan-json.ts';
import { parseExactJson } from './lossless.ts';
import { nextPage, type PagingPlan } from './paging.ts';
import { compileShape, describeNext, isTerse, type Shaped } from './shape-answer.ts';

export interface Answer {
  readonly status: number;
  readonly ok: boolean;
  /** Decoded, shaped, within the budget. */
  readonly content: readonly Content[];
  /** Only when the endpoint asks for it. */
  readonly structured?: unknown;
  /** Not ok: what the API says is wrong, at most 4,000 characters. */
  readonly problem?: ApiProblem;
  readonly retryAfterSeconds?: number;
  /** Not ok: the methods its Allow header lists. */
  readonly allow?: string;
  /** By how many seconds our clock is ahead of the API's, if they differ by minutes. */
  readonly clockSkewSeconds?: number;
  /** Not ok: its WWW-Authenticate header. */
  readonly challenge?: string;
}

/**
 * The parts of an endpoint that reading its answers needs. Plain data, like its input: it may be sent to another
 * thread.
 */
export interface AnswerPlan {
  readonly response: ResponsePlan;
  readonly paging: PagingPlan;
}

export interface AnswerInput {
  /** The method of the request. */
  readonly method: string;
  /** The request changes nothing. */
  readonly isRead: boolean;
  readonly raw: RawResponse;
  readonly args: Args;
  readonly tool: string;
  readonly fields: readonly string[] | undefined;
}

/** Larger pictures, sounds and files are not accepted by models and clients; a domain file may set another limit. */
const MAX_FILE_BYTES = 1024 * 1024;
const MAX_ERROR_CHARS = 4_000;
const MAX_HEADER_CHARS = 160;

/** Whether an answer within the limits passes through unchanged, unless the caller asks for fields of it. */
export function isUnshaped({ pick = [], drop = [], structured, format }: ResponsePlan): boolean {
  return pick.length === 0 && drop.length === 0 && !structured && format !== 'toon';
}

/** 2xx, and 304: "not modified" is what a conditional request asks for. */
export function isOk(status: number): boolean {
  return (status >= 200 && status < 300) || status === 304;
}

/** `redact` removes the endpoint's own secrets: an API may echo what it was sent. */
export function compileAnswer({ response, paging }: AnswerPlan, redact: Redactor): (input: AnswerInput) => Answer {
  const shape = compileShape(response);
  const hasNoShape = isUnshaped(response);
  const expectsHtml = /html/i.test(response.accept ?? '');

  return (input) => {
    const { raw, args, tool, fields } = input;
    const { status, headers, cut } = raw;
    const ok = isOk(status);
    if (ok && hasNoShape && fields === undefined) {
      const block = passThrough(input, { response, paging }, redact);
      if (block !== undefined) return { status, ok, content: [block] };
    }
    const needsJson = ok && (!hasNoShape || fields !== undefined);
    const maxFileBytes = ok ? (response.maxFileBytes ?? MAX_FILE_BYTES) : 0;
    const body = decodeBody(input, { redact, needsJson, expectsHtml, maxFileBytes });
    if (!ok) return buildFailure(raw, body, redact);
    const cutNotes = cut === undefined ? [] : [cut];
    if (body.kind === 'content')
      return {
        status,
        ok,
        content: cut === undefined ? body.content : [textBlock(`No whole line or event came: ${cut}`)],
      };
    const call = { plan: paging, args, headers };
    if (body.kind === 'text' || response.format === 'text') {
      const next = nextPage(call, undefined);
      const fit = cutLines(body.text, response.maxChars);
      const notes = [
        ...(body.kind === 'text' && body.note !== undefined ? [body.note] : []),
        ...(fields === undefined ? [] : ['fields was ignored: the answer is not JSON']),
        ...(fit.note === undefined ? [] : [fit.note]),
        ...(next === undefined ? [] : [`next: ${next}`]),
        ...cutNotes,
      ];
      return { status, ok, content: [textBlock(withNotes(escapeHiddenCharacters(fit.text), notes))] };
    }
    let result: Shaped;
    try {
      result = shape({ value: body.value, json: body.isJson && body.text }, call, fields);
    } catch (error) {
      // All code that walks the value is recursive. Ten thousand levels are an attack or a mistake.
      if (!(error instanceof RangeError)) throw error;
      throw new ToolError('BAD_RESPONSE', tool, `the API's JSON is nested too deeply to be read.`, { tool });
    }
    const text = result.isUnchanged ? show(result.text, raw) : escapeHiddenCharacters(result.text);
    return {
      status,
      ok,
      content: [textBlock(withNotes(text, [...result.notes, ...cutNotes]))],
      ...(response.structured && { structured: result.structured() }),
    };
  };
}

/**
 * Up to this size, a whole JSON answer must be valid. For longer answers without pages, only the beginning and the end
 * must look like JSON.
 */
const MAX_SCANNED_BYTES = 1024;

/** An answer that needs no shaping, if it is short enough, complete, and can be shown unchanged. */
function passThrough(
  { raw, args }: AnswerInput,
  { response, paging }: AnswerPlan,
  redact: Redactor,
): Content | undefined {
  const { headers, body, cut } = raw;
  // UTF-8 has at least one byte per character, so the byte length bounds the text.
  if (cut !== undefined || headers.link !== undefined || body.length === 0 || body.length > response.maxChars)
    return undefined;
  const { kind, charset } = parseMediaType(headers['content-type']);
  if (kind !== 'text' && kind !== 'json') return undefined;
  const scan = kind === 'json' ? scanJson(body) : undefined;
  if (kind === 'json') {
    const mustBeValid = body.length <= MAX_SCANNED_BYTES || paging.pagination !== undefined;
    if (mustBeValid ? scan === undefined : !hasEndsOfJson(body)) return undefined;
    if (paging.pagination !== undefined)
      return isUtf8Label(charset) ? passPage(scan!, { raw, args }, paging, redact) : undefined;
  }
  if (scan === undefined || !isUtf8Label(charset)) return textBlock(show(redact(decodeCharset(body, charset)), raw));
  const text = textOf(scan, body);
  const display = showScanned(scan, redact(text), raw);
  return display === text ? new QuotedText(text, scan.quoted) : textBlock(display);
}

/** A paged answer has to be read for the next page, however short it is. */
function passPage(
  scan: ScannedJson,
  { raw, args }: Pick<AnswerInput, 'raw' | 'args'>,
  paging: PagingPlan,
  redact: Redactor,
): Content | undefined {
  const { headers, body } = raw;
  // The outline has only the last item of each list, so a path with the index of an item cannot be looked up in it.
  if (!scan.isPlain || /\d/.test(paging.pagination?.nextFrom ?? '')) return undefined;
  const text = textOf(scan, body);
  if (!isTerse(text) || redact(text) !== text) return undefined;
  const value = parseExactJson(writeOutline(body, scan.lists));
  const notes = describeNext(value, nextPage({ plan: paging, args, headers }, value));
  const display = showScanned(scan, text, raw);
  if (display !== text) return textBlock(withNotes(display, notes));
  const block = new QuotedText(text, scan.quoted);
  return notes.length === 0 ? block : block.withLine(joinNotes(notes));
}

function textOf({ isSimple }: ScannedJson, body: Buffer): string {
  return isSimple ? body.toString('latin1') : decodeCharset(body, undefined);
}

function showScanned({ isSimple }: ScannedJson, text: string, raw: RawResponse): string {
  return isSimple ? text : show(text, raw);
}

/** The text of a body with hidden characters made visible. Checking the bytes first is faster than checking the text. */
function show(text: string, { headers, body }: RawResponse): string {
  const { charset } = parseMediaType(headers['content-type']);
  return isUtf8Label(charset) && !mayHide(body) ? text : escapeHiddenCharacters(text);
}

function textBlock(text: string): Content {
  return { type: 'text', text };
}

/** Says in the last line what was left out. */
function withNotes(text: string, notes: readonly string[]): string {
  return notes.length === 0 ? text : `${text}\n${joinNotes(notes)}`;
}

function joinNotes(notes: readonly string[]): string {
  return escapeHiddenCharacters(notes.join('; '));
}

function buildFailure(raw: RawResponse, body: Decoded, redact: (text: string) => string): Answer {
  const text = body.kind === 'content' ? '' : body.text;
  const problem = extractProblem(body.kind === 'json' ? body.value : undefined, text);
  const retryAfterSeconds = retryAfter(raw.status, raw.headers);
  return {
    status: raw.status,
    ok: false,
    content:
      body.kind === 'content'
        ? body.content
        : [textBlock(escapeHiddenCharacters(cutLines(text, MAX_ERROR_CHARS).text))],
    problem,
    ...(retryAfterSeconds !== undefined && { retryAfterSeconds }),
    ...clockSkew(raw),
    ...shortHeader('allow', raw.headers.allow, redact),
    ...shortHeader('challenge', raw.headers['www-authenticate'], redact),
  };
}

/** Signatures are valid for some minutes, so a clock may be wrong by this much. */
const MAX_SKEW_S = 240;

function clockSkew({ headers }: RawResponse): Partial<Answer> {
  const seconds = Math.round((Date.now() - Date.parse(String(headers.date))) / 1000);
  return Math.abs(seconds) > MAX_SKEW_S ? { clockSkewSeconds: seconds } : {};
}

function shortHeader(
  key: 'allow' | 'challenge',
  header: string | string[] | undefined,
  redact: (text: string) => string,
): Partial<Answer> {
  const text = header === undefined ? '' : escapeHiddenCharacters(redact([header].flat().join(', '))).trim();
  return text === '' ? {} : { [key]: text.slice(0, MAX_HEADER_CHARS) };
}
