// A running gateway as a client sees it: MCP over HTTP, for `call`, `tools` and `explain` with --url. Stateless MCP
// (2026-07-28) first; a server that does not support it is called again as in 2025-11-25, with `initialize`.

import { isWebUrl } from '../../endpoint/address.ts';
import { type Environment, expand, needsVariables } from '../../endpoint/environment.ts';
import { splitHeaderLine } from '../../endpoint/headers/header-fields.ts';
import { HEADER_NAME } from '../../endpoint/headers/header-names.ts';
import { escapeHiddenCharacters } from '../../endpoint/hidden.ts';
import { isObject } from '../../endpoint/is-object.ts';
import { toEssence } from '../../endpoint/media-type.ts';
import { parseJsonObject } from '../../endpoint/untrusted.ts';
import { ERRORS, GatewayError, usageError } from '../../errors.ts';
import { isUnknownAuthority } from '../../executor/tls-failure.ts';
import { LEGACY_VERSIONS, META, MODERN_VERSION } from '../../protocol/eras.ts';
import { readEvents } from './event-stream.ts';

export type RpcParams = Readonly<Record<string, unknown>>;

/** Sends one request and returns its result. A JSON-RPC error is thrown as `RpcFailure`. */
export type SendRemoteRequest = (method: string, params: RpcParams) => Promise<RpcParams>;

/** Answers a question that a server of the older kind asks while a call is under way. */
export type AnswerQuestion = (params: { readonly message: string }) => Promise<RpcParams>;

export interface RemoteOptions {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly client: { readonly name: string; readonly version: string };
  /** Absent: nobody can be asked. */
  readonly answer?: AnswerQuestion | undefined;
}

/** The other side understood the message and refused it. */
export class RpcFailure extends GatewayError {
  readonly rpcCode: number;
  readonly data: RpcParams;

  constructor({ code, message, data }: { code?: unknown; message?: unknown; data?: unknown }) {
    super('BAD_CONFIG', typeof message === 'string' ? message : 'The gateway refused the request without a reason.');
    this.rpcCode = typeof code === 'number' ? code : 0;
    this.data = isObject(data) ? data : {};
  }
}

/** The URL that --url and --profile mean: a gateway's address without a path means its /mcp. */
export function readGatewayUrl(text: string, profile: string | undefined): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (!url || !isWebUrl(url))
    throw usageError(`--url must be the address of a running gateway, for example http://127.0.0.1:3333/mcp.`);
  const path = url.pathname === '/' ? '/mcp' : url.pathname.replace(/\/$/, '');
  url.pathname = profile === undefined ? path : `${path}/${encodeURIComponent(profile)}`;
  return url.href;
}

export function readHeaderFlags(lines: readonly string[], env: Environment): Record<string, string> {
  const headers: Record<string, string> = {};
  for (const line of lines) {
    const { name, value } = splitHeaderLine(line);
    const { text, missing } = expand(value, env);
    if (missing.length > 0) throw usageError(`--header ${name} ${needsVariables(missing)}.`);
    if (!HEADER_NAME.test(name) || /[\r\n\0]/.test(text))
      throw usageError(`--header ${JSON.stringify(name)} cannot be sent: write it as 'Name: value'.`);
    headers[name] = text;
  }
  return headers;
}

export function connectGateway(options: RemoteOptions): { request: SendRemoteRequest; close(): Promise<void> } {
  const post = createPost(options);
  let legacy: LegacySession | undefined;
  let id = 0;

  const sendModern: SendRemoteRequest = async (method, params) => {
    const _meta = {
      [META.version]: MODERN_VERSION,
      [META.clientInfo]: options.client,
      [META.capabilities]: options.answer ? { elicitation: { form: {} } } : {},
    };
    const headers: Record<string, string> = { 'mcp-protocol-version': MODERN_VERSION, 'mcp-method': method };
    if (typeof params.name === 'string') headers['mcp-name'] = toHeaderValue(params.name);
    return toResult(
      await post({ jsonrpc: '2.0', id: ++id, method, params: { ...params, _meta } }, headers),
      options.url,
    );
  };

  return {
    async request(method, params) {
      if (legacy) return legacy.request(method, params);
      try {
        return await sendModern(method, params);
      } catch (error) {
        // A server of 2025-11-25 may refuse a request without a session in many ways: any refusal that is not of stateless MCP is
        // tried again.
        if (!(error instanceof RpcFailure) || isModernRefusal(error)) throw error;
        legacy = await openLegacy(post, options).catch(() => undefined);
        if (!legacy) throw error;
        return legacy.request(method, params);
      }
    },
    close: async () => legacy?.close(),
  };
}

/** -32000 is what servers before 2026-07-28 use for nearly everything. */
const OLD_REFUSALS: readonly number[] = [-32000, ERRORS.INVALID_REQUEST.code, ERRORS.METHOD_NOT_FOUND.code];

/** Codes that only stateless MCP has, and those of a request that was understood. */
function isModernRefusal({ rpcCode, data }: RpcFailure): boolean {
  if (rpcCode === ERRORS.UNSUPPORTED_PROTOCOL_VERSION.code) return !Array.isArray(data.supported);
  return !OLD_REFUSALS.includes(rpcCode);
}

interface Answer {
  readonly status: number;
  readonly message: RpcParams | undefined;
  readonly sessionId: string | null;
}

type Post = (
  message: RpcParams,
  headers: Readonly<Record<string, string>>,
  onRequest?: (request: RpcParams) => Promise<void>,
) => Promise<Answer>;

function createPost({ url, headers: own }: RemoteOptions): Post {
  return async (message, headers, onRequest) => {
    const response = await fetch(url, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        ...headers,
        ...own,
      },
      body: JSON.stringify(message),
      // Redirects are not followed: a header may be a secret, and is meant for this origin only.
      redirect: 'manual',
    }).catch((error: unknown) => {
      throw explainConnection(url, error);
    });
    await refuseForeignAnswers(url, response, own);
    const sessionId = response.headers.get('mcp-session-id');
    const { status } = response;
    const type = mediaTypeOf(response);
    if (type === 'text/event-stream') {
      for await (const event of readEvents(response)) {
        if (isObject(event) && typeof event.method === 'string' && event.id !== undefined) await onRequest?.(event);
        else if (isObject(event) && event.id === message.id) return { status, sessionId, message: event };
      }
      return { status, sessionId, message: undefined };
    }
    const text = await response.text();
    return { status, sessionId, message: type === 'application/json' ? parseJsonObject(text) : undefined };
  };
}

function toResult({ message, status }: Answer, url: string): RpcParams {
  if (isObject(message?.result)) return message.result;
  if (isObject(message?.error)) throw new RpcFailure(message.error);
  // An error page of something else, or a stream that ended early.
  throw failure(`${url} answered ${status} without an MCP message. Check that this is the address of an MCP server.`);
}

interface LegacySession {
  readonly request: SendRemoteRequest;
  close(): Promise<void>;
}

async function openLegacy(post: Post, { url, headers: own, client, answer }: RemoteOptions): Promise<LegacySession> {
  const [newest] = LEGACY_VERSIONS;
  const capabilities = answer ? { elicitation: {} } : {};
  let id = 0;
  const hello = { protocolVersion: newest, capabilities, clientInfo: client };
  const opening = await post({ jsonrpc: '2.0', id: ++id, method: 'initialize', params: hello }, {});
  const { protocolVersion } = toResult(opening, url);
  const headers = {
    'mcp-protocol-version': String(protocolVersion),
    ...(opening.sessionId !== null && { 'mcp-session-id': opening.sessionId }),
  };
  await post({ jsonrpc: '2.0', method: 'notifications/initialized' }, headers);
  const onRequest = async ({ id: question, method, params }: RpcParams) => {
    const body =
      method === 'elicitation/create' && answer
        ? { result: await answer(params as { message: string }) }
        : { error: { code: ERRORS.METHOD_NOT_FOUND.code, message: 'Method not found' } };
    await post({ jsonrpc: '2.0', id: question, ...body }, headers);
  };
  return {
    request: async (method, params) =>
      toResult(await post({ jsonrpc: '2.0', id: ++id, method, params }, headers, onRequest), url),
    close: async () => {
      if (opening.sessionId === null) return;
      // Some servers keep sessions until they are deleted. It does not matter whether this one accepts the request.
      await fetch(url, { method: 'DELETE', headers: { ...headers, ...own } }).catch(() => {});
    },
  };
}

const GATEWAY_STATUSES: ReadonlySet<number> = new Set([502, 503, 504]);

/** Throws for answers that do not come from an MCP endpoint, or that ask for a credential. */
async function refuseForeignAnswers(url: string, response: Response, own: RemoteOptions['headers']): Promise<void> {
  const { status, headers } = response;
  const type = headers.get('content-type') ?? 'nothing';
  if (status >= 300 && status < 400)
    throw failure(`${url} redirects to ${headers.get('location') ?? 'nowhere'}: give that address to --url.`);
  // Callers without a credential are told how to send one; others what is wrong with theirs.
  const isKnown = Object.keys(own).some((name) => /^(?:authorization|x-api-key)$/i.test(name));
  const reason = (status === 401 && isKnown) || status === 404 ? await readRefusal(response) : undefined;
  if (reason !== undefined) throw failure(`${url} (${status}): ${reason}`);
  if (status === 401 || status === 407)
    throw failure(`${url} needs a key or token (${status}): add --header 'Authorization: Bearer \${TOKEN}'.`);
  if (status === 404 && !/event-stream/.test(type))
    throw failure(
      `There is no MCP server at ${url} (404). A gateway serves /mcp, and each of its profiles at /mcp/<profile>.`,
    );
  if (status === 405)
    throw failure(`${url} does not accept POST (405), so it is not an MCP server. A gateway serves /mcp.`);
  if (!/^text\/html\b/.test(type)) return;
  // A web page with one of these codes comes from a proxy, not from the gateway.
  if (GATEWAY_STATUSES.has(status))
    throw failure(
      `A proxy at ${url} answered ${status}: the gateway behind it is down, is restarting, or does not answer in time.`,
    );
  if (status === 400 && url.startsWith('http:'))
    throw failure(`${url} answered 400 with a web page, so it is not an MCP server. Does this port need https://?`);
  throw failure(`${url} answered ${status} with a web page, so it is not an MCP server.`);
}

/**
 * The gateway's own message about a caller that it refuses. A message with an id is an MCP answer, which is read elsewhere.
 */
async function readRefusal(response: Response): Promise<string | undefined> {
  if (mediaTypeOf(response) !== 'application/json') return undefined;
  const { id, error } = parseJsonObject(await response.clone().text()) ?? {};
  const message = isObject(error) ? error.message : undefined;
  return typeof message === 'string' && (id === undefined || id === null)
    ? escapeHiddenCharacters(message.slice(0, 500))
    : undefined;
}

// Node.js reads the variable, so it counts for the connections of the command itself. Domain files have `tls.ca` for APIs.
const TRUST_ADVICE =
  'If this is your own certificate, set NODE_EXTRA_CA_CERTS=ca.pem, a file with the certificate of its authority.';

const CONNECTION: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'nothing listens there. Start the gateway with "landbridge serve", or check the port',
  ENOTFOUND: 'there is no host with this name',
  EAI_AGAIN: 'the host name cannot be resolved at the moment',
  ECONNRESET: 'the connection was closed before an answer came',
  UND_ERR_SOCKET: 'the connection was closed before an answer came',
  UND_ERR_CONNECT_TIMEOUT: 'there was no answer',
  ETIMEDOUT: 'there was no answer',
  UND_ERR_HEADERS_TIMEOUT: 'no answer came within five minutes',
};

function explainConnection(url: string, error: unknown): GatewayError {
  const { cause, message } = error as {
    message: string;
    cause?: { code?: string; message?: string; errors?: Error[] };
  };
  const code = cause?.code ?? (cause?.errors?.[0] as { code?: string } | undefined)?.code ?? '';
  if (isUnknownAuthority(code)) return failure(`Cannot reach ${url}: ${cause?.message}. ${TRUST_ADVICE}`, error);
  const why = CONNECTION[code] ?? cause?.message ?? message;
  return failure(`Cannot reach ${url}: ${why}.`, error);
}

/** Text that a header cannot contain unchanged is sent as base64 (2026-07-28, transports). */
function toHeaderValue(text: string): string {
  const isPlain = /^[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?$/.test(text) && !text.startsWith('=?base64?');
  return isPlain ? text : `=?base64?${Buffer.from(text).toString('base64')}?=`;
}

function mediaTypeOf({ headers }: Response): string {
  return toEssence(headers.get('content-type') ?? '');
}

function failure(message: string, cause?: unknown): GatewayError {
  return new GatewayError('BAD_CONFIG', message, {}, cause);
}
