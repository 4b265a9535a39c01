// JSON-RPC 2.0 as MCP uses it: text in, classified messages out; and answers, written without serialising their result again.
import { isObject } from '../../endpoint/is-object.ts';
import { endOfString } from '../../endpoint/untrusted.ts';
import { GatewayError } from '../../errors.ts';
import { MAX_DEPTH } from '../../schema/check/bounds.ts';
import type { CallSpan } from '../../tracing/call-span.ts';
import { EXCESS_REASONS, findExcess, findIdText } from './message-bounds.ts';

/** The id a client chose for its request, or we for ours; not the `requestId` of the log, which is unique. */
export type JsonRpcId = string | number;
export type MessageParams = Readonly<Record<string, unknown>>;

export type RequestMessage = Extract<Message, { kind: 'request' }>;

export type Message =
  | {
      readonly kind: 'request';
      readonly id: JsonRpcId;
      readonly method: string;
      readonly params: MessageParams | undefined;
      /** Its span, if requests are traced. */
      readonly span?: CallSpan | undefined;
    }
  | { readonly kind: 'notification'; readonly method: string; readonly params: MessageParams | undefined }
  | {
      readonly kind: 'response';
      /** Undefined in an error about a message whose id could not be read. */
      readonly id: JsonRpcId | undefined;
      readonly result?: unknown;
      readonly error?: unknown;
    }
  /** `excess`: too large to be examined; it may be any kind of message. */
  | { readonly kind: 'invalid' | 'excess'; readonly id: JsonRpcId | undefined; readonly reason: string };

/** One message, or the messages of a batch. `source`: JSON text, or a value that is parsed already. Throws PARSE_ERROR. */
export function parseMessages(source: unknown): Message | readonly Message[] {
  if (typeof source !== 'string') return classifyAll(checkDepth(source));
  const excess = findExcess(source);
  if (excess === undefined) return classifyAll(parseJson(source));
  if (excess === 'too_deep') throw tooDeep();
  return { kind: 'excess', id: idOfUnread(source), reason: EXCESS_REASONS[excess] };
}

function classifyAll(value: unknown): Message | readonly Message[] {
  return Array.isArray(value) ? value.map(classify) : classify(value);
}

/** The id of a message that could not be read, if its text has one. */
export function idOfUnread(source: unknown): JsonRpcId | undefined {
  return typeof source === 'string' ? readId(findIdText(source)) : undefined;
}

function readId(text: string | undefined): JsonRpcId | undefined {
  try {
    const id: unknown = JSON.parse(text ?? '');
    return isJsonRpcId(id) ? id : undefined;
  } catch {
    return undefined;
  }
}

function tooDeep(): GatewayError {
  return new GatewayError('PARSE_ERROR', `Parse error: nested deeper than ${MAX_DEPTH} levels.`);
}

function parseJson(text: string): unknown {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (cause) {
    throw new GatewayError('PARSE_ERROR', 'Parse error: the message is not valid JSON.', {}, cause);
  }
  if (countKeys(value, 0) !== countWrittenKeys(text)) {
    // Parsers disagree on which of two equal keys counts (OWASP AISVS 10.4.7), which an attacker could exploit.
    throw new GatewayError('PARSE_ERROR', 'Parse error: an object has the same key twice.');
  }
  return value;
}

function checkDepth(value: unknown): unknown {
  countKeys(value, 0);
  return value;
}

function countKeys(value: unknown, depth: number): number {
  if (typeof value !== 'object' || value === null) return 0;
  if (depth > MAX_DEPTH) throw tooDeep();
  let keys = 0;
  if (Array.isArray(value)) {
    for (const item of value) keys += countKeys(item, depth + 1);
    return keys;
  }
  for (const key in value) keys += 1 + countKeys((value as Record<string, unknown>)[key], depth + 1);
  return keys;
}

/** Counts the keys in a text that is valid JSON: strings followed by a colon. */
function countWrittenKeys(text: string): number {
  let keys = 0;
  let start = text.indexOf('"');
  while (start !== -1) {
    let after = endOfString(text, start);
    let code = text.charCodeAt(after);
    while (code === 0x20 || code === 0x0a || code === 0x0d || code === 0x09) code = text.charCodeAt(++after);
    if (code === 0x3a) keys++;
    start = text.indexOf('"', after);
  }
  return keys;
}

function classify(value: unknown): Message {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    return { kind: 'invalid', id: undefined, reason: 'A message must be a JSON object.' };
  }
  const { jsonrpc, id, method, params } = value as Record<string, unknown>;
  const rpcId = isJsonRpcId(id) ? id : undefined;
  if (jsonrpc !== '2.0') return { kind: 'invalid', id: rpcId, reason: '"jsonrpc" must be "2.0".' };
  // An error without an id is still a response: answering it could start an endless exchange of errors.
  if (method === undefined && ('error' in value || ('result' in value && rpcId !== undefined))) {
    const { result, error } = value as Record<string, unknown>;
    return { kind: 'response', id: rpcId, result, error };
  }
  if ('id' in value && rpcId === undefined) {
    return { kind: 'invalid', id: undefined, reason: '"id" must be a string or an integer.' };
  }
  if (typeof method === 'string') {
    if (params !== undefined && !isObject(params)) {
      return { kind: 'invalid', id: rpcId, reason: '"params" must be an object.' };
    }
    if (params?._meta !== undefined && !isObject(params._meta)) {
      return { kind: 'invalid', id: rpcId, reason: '"_meta" must be an object.' };
    }
    return rpcId === undefined
      ? { kind: 'notification', method, params }
      : { kind: 'request', id: rpcId, method, params };
  }
  return { kind: 'invalid', id: rpcId, reason: '"method" must be a string.' };
}

function isJsonRpcId(id: unknown): id is JsonRpcId {
  // Integers beyond 2^53 were already rounded by JSON.parse: the answer would carry another id.
  return typeof id === 'string' || Number.isSafeInteger(id);
}

/** `result` is JSON text. */
export function writeResult(id: JsonRpcId, result: string): string {
  return `{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":${result}}`;
}

/** The id is left out when it is unknown: 2026-07-28 does not allow null (schema.ts, JSONRPCErrorResponse). */
export function writeError(id: JsonRpcId | undefined, code: number, message: string, data?: unknown): string {
  return JSON.stringify({
    jsonrpc: '2.0',
    ...(id !== undefined && { id }),
    error: { code, message, ...(data !== undefined && { data }) },
  });
}

export function writeNotification(method: string, params: MessageParams): string {
  return JSON.stringify({ jsonrpc: '2.0', method, params });
}

export function writeRequest(id: JsonRpcId, method: string, params: unknown): string {
  return JSON.stringify({ jsonrpc: '2.0', id, method, params });
}
