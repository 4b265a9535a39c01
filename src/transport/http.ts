// POST /mcp straight on node:http: the hot path. Every other request goes to the express app in routes.ts.
import { isUtf8 } from 'node:buffer';
import { createServer, type IncomingMessage, type Server, type ServerOptions, type ServerResponse } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { Socket } from 'node:net';
import type { Principal } from '../call/caller.ts';
import { ERRORS } from '../errors.ts';
import { inTurn, MAX_UNQUEUED_MESSAGE } from '../executor/turns.ts';
import { SHED_RETRY_SECONDS } from '../limits/overload.ts';
import type { Protocol } from '../protocol/handle.ts';
import type { Reply } from '../protocol/sender.ts';
import { writeError } from '../protocol/wire/jsonrpc.ts';
import { type AdmissionOptions, createAdmission, type Refusal } from './admission.ts';
import { createBodyReader } from './body-reader.ts';
import { enterConnection, stopRequests } from './connection.ts';
import { createRefusals, type RefusalReason, type Refusals, reasonOf } from './door/refusals.ts';
import { type TlsOptions, toTlsServerOptions } from './door/tls.ts';
import { addressOf } from './door/visitor.ts';
import { HttpSender, type Identity, JSON_TYPE } from './http-sender.ts';
import { createLoad, type Load, within } from './in-flight.ts';
import { explainListenError, trackConnections } from './listen.ts';
import { createPipelines } from './pipelining.ts';

/** Who calls, or what to refuse the request with; undefined is a plain 401. */
export type Identified<Data = unknown> = Identity<Data> | Refusal | undefined;

/** `profile` is what the request is for: '' is /mcp itself. */
export type Identify<Data = unknown> = (
  request: IncomingMessage,
  profile: string,
) => Identified<Data> | Promise<Identified<Data>>;

export interface HttpOptions<Data = unknown> extends AdmissionOptions {
  readonly host: string;
  readonly port: number;
  readonly maxBodyBytes: number;
  /** Requests under way in this process; more are sent away with 503. */
  readonly maxInFlight: number;
  /** Bodies still on their way, all together; whoever brings more is sent away with 503. Default 64 MiB. */
  readonly maxHeldBytes?: number;
  /** From the first byte of a request to its last. Default 30 s. */
  readonly requestTimeoutMs?: number;
  /** HTTPS in place of HTTP. */
  readonly tls?: TlsOptions | undefined;
  /** Told whoever is turned away. */
  readonly refusals?: Refusals | undefined;
  /** Says that this request is to be sent away, before anything gets slow. Default: never. */
  readonly mustShed?: () => boolean;
  /** Default: everybody is `anonymous`. */
  readonly identify?: Identify<Data>;
}

export interface HttpParts {
  /** `/mcp` → '', `/mcp/admin` → 'admin'; as much of it as the principal may use. */
  readonly protocolOf: (profile: string, principal: Principal) => Protocol | undefined;
  readonly hasProfile: (profile: string) => boolean;
  /** Everything that is not POST /mcp. */
  readonly otherwise: (request: IncomingMessage, response: ServerResponse) => void;
  readonly onInternalError: (error: unknown) => void;
}

export interface HttpServer {
  readonly port: number;
  close(graceMs: number): Promise<void>;
}

const ANONYMOUS: Identity = Object.freeze({ principal: Object.freeze({ id: 'anonymous' }) });
const BUSY = 'Too many requests are under way; try again in a moment.';
const PIPELINED = 'Too many requests on one connection; wait for answers before sending more.';
const NOT_A_PATH = 'Bad request: the request line must name a path, such as /mcp, and no host.';
const NO_HOST = 'Bad request: HTTP/1.1 needs a Host header.';
const RETRY = { 'retry-after': '1' };
const OVERLOADED = 'The gateway is overloaded; try again in a moment.';
const RETRY_LATER = { 'retry-after': String(SHED_RETRY_SECONDS) };
const UNKNOWN_CALLER = 'Unauthorized: it is not known who calls.';
const INTERNAL = 'Internal error; the gateway’s log says more.';
/** Node leaves out what is beyond; such a request is refused, since nobody knows what it would have said. */
const MAX_HEADERS = 200;
const TOO_MANY_HEADERS = `A request may have fewer than ${MAX_HEADERS} headers.`;
export const HELD_BYTES = 64 * 1024 * 1024;
export const REQUEST_TIMEOUT_MS = 30_000;

export async function startHttp(parts: HttpParts, options: HttpOptions): Promise<HttpServer> {
  const load = createLoad();
  const door = createDoor(parts, options, load);
  const requestTimeoutMs = options.requestTimeoutMs ?? REQUEST_TIMEOUT_MS;
  const server = createServerOf(
    options.tls,
    {
      maxHeaderSize: 16 * 1024,
      headersTimeout: Math.min(10_000, requestTimeoutMs),
      requestTimeout: requestTimeoutMs,
      keepAliveTimeout: 60_000,
      // Node checks the two above only this often; its default leaves slow clients half a minute more.
      connectionsCheckingInterval: Math.min(5_000, requestTimeoutMs),
      // Refused here: node's own refusals are written however many of them one read of a socket holds.
      requireHostHeader: false,
    },
    door.open,
  );
  server.maxHeadersCount = MAX_HEADERS;
  const connections = trackConnections();
  if (options.tls) server.on('connection', connections.add);
  server.on(options.tls ? 'secureConnection' : 'connection', door.meet);
  server.on('tlsClientError', door.missHandshake);
  server.on('checkExpectation', door.open);
  // No 'clientError' listener: Node's own answers 400, 408 or 431, and never into an answer already begun.
  const port = await listen(server, options);
  return {
    port,
    async close(graceMs) {
      door.drain();
      const closed = new Promise((resolve) => server.close(resolve));
      server.closeIdleConnections();
      await within(graceMs, load.idle());
      // What was answered a moment ago must still reach its client.
      server.closeIdleConnections();
      await within(500, closed);
      server.closeAllConnections();
      connections.destroyAll();
      await closed;
    },
  };
}

function createServerOf(tls: TlsOptions | undefined, settings: ServerOptions, open: Door['open']): Server {
  return tls ? createTlsServer({ ...settings, ...toTlsServerOptions(tls) }, open) : createServer(settings, open);
}

function listen(server: Server, { host, port }: HttpOptions): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', (error) => reject(explainListenError(error, 'HTTP', host, port)));
    server.listen(port, host, () => resolve((server.address() as { port: number }).port));
  });
}

interface Door {
  readonly meet: (socket: Socket) => void;
  readonly missHandshake: (error: unknown, socket: Socket) => void;
  readonly open: (request: IncomingMessage, response: ServerResponse) => void;
  /** From now on answers close their connection. */
  drain(): void;
}

/** Everything between a request at the door and the answer on its way. */
function createDoor(
  { protocolOf, hasProfile, otherwise, onInternalError }: HttpParts,
  options: HttpOptions,
  load: Load,
): Door {
  const admission = createAdmission(options);
  const pipelines = createPipelines();
  const bodies = createBodyReader({
    maxBodyBytes: options.maxBodyBytes,
    maxHeldBytes: options.maxHeldBytes ?? HELD_BYTES,
  });
  const tooLarge = `The body is larger than ${options.maxBodyBytes} bytes, or comes in too many pieces. Start with --max-body <bytes> to take larger ones.`;
  const { identify, refusals = createRefusals() } = options;
  let draining = false;

  const refuse = (
    request: IncomingMessage,
    response: ServerResponse,
    status: number,
    message: string,
    headers: Readonly<Record<string, string>> = {},
    reason: RefusalReason | undefined = reasonOf(status),
    principal?: string,
  ) => {
    stopRequests(request.socket);
    const { address: remote } = admission.visitorOf(request);
    if (reason !== undefined) refusals.note({ transport: 'http', reason, status, remote, principal });
    writeRefusal(response, status, message, { ...admission.corsHeaders(request), ...headers });
  };

  const refuseAs = (request: IncomingMessage, response: ServerResponse, refusal: Refusal) =>
    refuse(request, response, refusal.status, refusal.message, refusal.headers, refusal.reason, refusal.caller);

  const answer = async (
    protocol: Protocol,
    request: IncomingMessage,
    response: ServerResponse,
    identity: Identity,
    bytes: Buffer,
  ) => {
    const connection = enterConnection(request.socket);
    const { address: remote } = admission.visitorOf(request);
    const cors = admission.corsHeaders(request);
    const sender = new HttpSender(request, response, identity, remote, connection.signal, cors, load);
    load.enter();
    try {
      const handle = () => {
        if (isUtf8(bytes)) return protocol.handle(bytes.toString(), sender);
        protocol.loseMessage(sender);
        return NOT_UTF8;
      };
      const reply = await (bytes.length > MAX_UNQUEUED_MESSAGE ? inTurn(handle) : handle());
      sender.finish(reply, draining);
      const reason = reply?.refused ?? (reply?.status === 400 ? 'malformed' : undefined);
      if (reason)
        refusals.note({ transport: 'http', reason, status: reply!.status, remote, principal: sender.principal.id });
    } catch (error) {
      onInternalError(error);
      if (sender.isStreaming) sender.finish(undefined, draining);
      else refuse(request, response, 500, INTERNAL);
    } finally {
      connection.leave();
      load.leave();
    }
  };

  const readBody = (protocol: Protocol, request: IncomingMessage, response: ServerResponse, identity: Identity) => {
    const { headers } = request;
    const refuseTooLarge = () => {
      refuse(request, response, 413, tooLarge, {}, 'too_large', identity.principal.id);
      protocol.loseMessage({ principal: identity.principal, headers });
    };
    const refuseBusy = () => refuse(request, response, 503, BUSY, RETRY, 'busy', identity.principal.id);
    if (Number(headers['content-length'] ?? 0) > options.maxBodyBytes) return refuseTooLarge();
    bodies.read(
      request,
      (body) => {
        if (response.headersSent) return;
        // Asked again: many bodies may have been on their way while there was room for one.
        if (load.underWay >= options.maxInFlight) refuseBusy();
        else void answer(protocol, request, response, identity, body);
      },
      (why) => {
        // Node would first read what is left of the body, to the last crumb.
        response.once('finish', () => request.socket.destroy());
        if (why === 'too_large') refuseTooLarge();
        else refuseBusy();
      },
      () => response.destroy(),
    );
  };

  const enter = (profile: Named, request: IncomingMessage, response: ServerResponse, identity: Identity) => {
    const protocol = profile === undefined ? undefined : protocolOf(profile, identity.principal);
    // The same for what the caller may not use and for what there is not.
    if (protocol === undefined)
      refuse(request, response, 404, nothingAt(request.url ?? ''), {}, 'not_found', identity.principal.id);
    else if (request.method === 'POST') readBody(protocol, request, response, identity);
    else otherwise(request, response);
  };

  const admit = (profile: Named, request: IncomingMessage, response: ServerResponse, identified: Identified) => {
    if (identified === undefined) refuse(request, response, 401, UNKNOWN_CALLER, { 'www-authenticate': 'Bearer' });
    else if ('principal' in identified) enter(profile, request, response, identified);
    else refuseAs(request, response, identified);
  };

  const receiveFrom = async (
    profile: Named,
    request: IncomingMessage,
    response: ServerResponse,
    identifying: Promise<Identified>,
  ) => {
    load.enter();
    try {
      const identified = await identifying;
      if (load.underWay > options.maxInFlight) refuse(request, response, 503, BUSY, RETRY);
      else admit(profile, request, response, identified);
    } catch (error) {
      onInternalError(error);
      refuse(request, response, 500, INTERNAL);
    } finally {
      load.leave();
    }
  };

  const receive = (profile: Named, request: IncomingMessage, response: ServerResponse) => {
    const refusal = request.method === 'POST' ? admission.check(request) : admission.checkSource(request);
    if (refusal) return refuseAs(request, response, refusal);
    if (load.underWay >= options.maxInFlight) return refuse(request, response, 503, BUSY, RETRY);
    if (options.mustShed?.()) return refuse(request, response, 503, OVERLOADED, RETRY_LATER);
    if (!identify) return enter(profile, request, response, ANONYMOUS);
    let identified: ReturnType<Identify>;
    try {
      identified = identify(request, profile ?? '');
    } catch (error) {
      onInternalError(error);
      return refuse(request, response, 500, INTERNAL);
    }
    // A key, or a token that was checked before, is known at once: no promise, no turn of the loop.
    if (identified instanceof Promise) void receiveFrom(profile, request, response, identified);
    else admit(profile, request, response, identified);
  };

  const serve = (request: IncomingMessage, response: ServerResponse) => {
    const { host, expect } = request.headers;
    if (host === undefined && request.httpVersion === '1.1') return refuse(request, response, 400, NO_HOST);
    if (expect !== undefined && expect.toLowerCase() !== '100-continue')
      return refuse(request, response, 417, 'Expectation failed: send the request without "Expect".');
    const { method, url = '' } = request;
    // RFC 9112 has whole URLs for proxies; the host in one would count in place of the Host that was checked.
    if (!url.startsWith('/')) return refuse(request, response, 400, NOT_A_PATH);
    const profile = profileOf(url);
    // Where callers are told apart, who has not said who he is learns not even which profiles there are; browsers ask for
    // permission (OPTIONS) before they send anything.
    const isOurs = identify
      ? method !== 'OPTIONS' && isMcp(url)
      : method === 'POST' && profile !== undefined && hasProfile(profile);
    if (isOurs) receive(profile, request, response);
    else otherwise(request, response);
  };

  const refusePipelined = (request: IncomingMessage, response: ServerResponse) =>
    refuse(request, response, 503, PIPELINED, RETRY, 'pipelining');

  /** Node answers these itself, and never into an answer already begun. */
  const noteBadBytes = ({ code = '' }: NodeJS.ErrnoException, remote: string | undefined) => {
    const status = STATUS_OF_ERROR[code] ?? (code.startsWith('HPE_') ? 400 : undefined);
    const reason = status && reasonOf(status);
    if (reason) refusals.note({ transport: 'http', reason, status, remote });
  };

  return {
    meet(socket) {
      const remote = addressOf(socket);
      socket.once('error', (error) => noteBadBytes(error, remote));
      bodies.meet(socket);
      pipelines.meet(socket);
    },
    open(request, response) {
      bodies.noteRequest(request.socket);
      if (request.rawHeaders.length >= 2 * MAX_HEADERS) return refuse(request, response, 431, TOO_MANY_HEADERS);
      pipelines.enter(request, response, serve, refusePipelined);
    },
    missHandshake: (_error, socket) => refusals.note({ transport: 'http', reason: 'tls', remote: addressOf(socket) }),
    drain: () => {
      draining = true;
    },
  };
}

/** Where node's parser, or its clock, ends a request. */
const STATUS_OF_ERROR: Readonly<Record<string, number>> = {
  HPE_HEADER_OVERFLOW: 431,
  HPE_CHUNK_EXTENSIONS_OVERFLOW: 413,
  ERR_HTTP_REQUEST_TIMEOUT: 408,
};

const NOT_UTF8: Reply = {
  body: writeError(undefined, ERRORS.PARSE_ERROR.code, 'Parse error: the body is not valid UTF-8.'),
  status: 400,
};

function writeRefusal(
  response: ServerResponse,
  status: number,
  message: string,
  headers: Readonly<Record<string, string>>,
): void {
  if (response.headersSent) return;
  const { code } = status < 500 ? ERRORS.INVALID_REQUEST : ERRORS.INTERNAL;
  const body = writeError(undefined, code, message);
  response.writeHead(status, {
    'content-type': JSON_TYPE,
    'content-length': Buffer.byteLength(body),
    // The rest of the request is not wanted: without `close` the client would go on sending it.
    connection: 'close',
    ...headers,
  });
  response.end(body);
}

/** '' for /mcp, the name for /mcp/<name>, undefined for any other path. */
type Named = string | undefined;

export function profileOf(url: string): Named {
  const path = pathOf(url);
  if (path === '/mcp' || path === '/mcp/') return '';
  if (!path.startsWith('/mcp/')) return undefined;
  const name = path.slice(5);
  return /^[a-z][a-z0-9_-]{0,31}$/.test(name) ? name : undefined;
}

function isMcp(url: string): boolean {
  const path = pathOf(url);
  return path === '/mcp' || path.startsWith('/mcp/');
}

function pathOf(url: string): string {
  const end = url.indexOf('?');
  return end === -1 ? url : url.slice(0, end);
}

export function nothingAt(url: string): string {
  return `There is nothing at ${pathOf(url).slice(0, 200)}. MCP is served at POST /mcp.`;
}
