// Handles the requests of an HTTP server up to the body of one that is admitted. Requests that are not for MCP go to the other routes.
// For the rest it checks where they come from, whether there is room, who calls, and whether that caller may use the profile.
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { RETRY_AFTER_SHUTDOWN_SECONDS } from '../adapter/active-calls.ts';
import type { Principal } from '../call/caller.ts';
import { SHED_RETRY_SECONDS } from '../limits/overload.ts';
import type { Protocol } from '../protocol/mcp-protocol.ts';
import { createBodyReader } from './body-reader.ts';
import { addressOf } from './client-address.ts';
import type { Identity } from './http-sender.ts';
import type { RequestLoad } from './in-flight.ts';
import { handshakeFailure } from './listener-tls.ts';
import {
  createBasePathStripper,
  isMcp,
  nothingAt,
  originalUrlOf,
  type ProfileName,
  profileOf,
  publicBasePath,
} from './mcp-path.ts';
import { OpenConnections } from './open-connections.ts';
import { Pipelines } from './pipelining.ts';
import { PostHandler } from './post.ts';
import { createRefusals, type Refusals } from './refusals.ts';
import { BUSY, createRefuseRequest, INTERNAL_ERROR, noteParserError, type RefuseRequest } from './refuse-request.ts';
import { createRequestChecks, type Refusal, type RequestCheckOptions } from './request-checks.ts';

/** Who calls, or the refusal of the request; undefined is a plain 401. */
export type Identified<Data = unknown> = Identity<Data> | Refusal | undefined;

/** `profile` is what the request is for: '' is /mcp itself. */
export type Identify<Data = unknown> = (
  request: IncomingMessage,
  profile: string,
) => Identified<Data> | Promise<Identified<Data>>;

export interface RequestHandlerOptions<Data = unknown> extends RequestCheckOptions {
  readonly maxBodyBytes: number;
  /** Requests in progress in this process; more are refused with 503. */
  readonly maxInFlight: number;
  /** Limit of all incomplete bodies together; further ones are refused with 503. Default 64 MiB. */
  readonly maxHeldBytes?: number;
  /** Connections at once; one more replaces the one that has been idle longest. Default 10,000. */
  readonly maxHttpConnections?: number | undefined;
  /** Counts and logs every refusal. */
  readonly refusals?: Refusals | undefined;
  /** Whether to refuse this request because the process is about to get slow. Default: never. */
  readonly mustShed?: () => boolean;
  /** Default: everybody is `anonymous`. */
  readonly identify?: Identify<Data>;
}

/** Where requests are passed on to. */
export interface HttpBackend {
  /** `/mcp` → '', `/mcp/admin` → 'admin'; undefined if there is no such profile, or the principal may not use it. */
  readonly protocolOf: (profile: string, principal: Principal) => Protocol | undefined;
  readonly hasProfile: (profile: string) => boolean;
  /** Handles everything that is not POST /mcp. */
  readonly otherwise: RequestListener;
  readonly onInternalError: (error: unknown) => void;
}

export type RequestListener = (request: IncomingMessage, response: ServerResponse) => void;

/** Node drops further headers. Such a request is refused, because the dropped ones might have changed its meaning. */
export const MAX_HEADERS = 200;
/** An idle one takes some 10 KB, with TLS some 40 (measured with 5,000 and 3,000 of them). */
const HTTP_CONNECTIONS = 10_000;
export const HELD_BYTES = 64 * 1024 * 1024;

const ANONYMOUS: Identity = Object.freeze({ principal: Object.freeze({ id: 'anonymous' }) });
const TOO_MANY_HEADERS: Refusal = { status: 431, message: `A request must have fewer than ${MAX_HEADERS} headers.` };
const PIPELINED: Refusal = {
  ...BUSY,
  message: 'Too many requests on one connection; wait for answers before sending more.',
  reason: 'pipelining',
};
const NO_HOST: Refusal = { status: 400, message: 'Bad request: HTTP/1.1 needs a Host header.' };
const NO_EXPECTATION: Refusal = {
  status: 417,
  message: 'Expectation failed: send the request without "Expect".',
};
const NOT_A_PATH: Refusal = {
  status: 400,
  message: 'Bad request: the request line must name a path, such as /mcp, and no host.',
};
const OVERLOADED: Refusal = {
  status: 503,
  message: 'The gateway is overloaded; try again in a moment.',
  headers: { 'retry-after': String(SHED_RETRY_SECONDS) },
};
const SHUTTING_DOWN: Refusal = {
  status: 503,
  message: 'The gateway is shutting down, and this request was not handled; send it again.',
  headers: { 'retry-after': String(RETRY_AFTER_SHUTDOWN_SECONDS) },
  reason: 'shutting_down',
};
const UNKNOWN_CALLER: Refusal = {
  status: 401,
  message: 'Unauthorized: the caller could not be identified.',
  headers: { 'www-authenticate': 'Bearer' },
};

type Check = (request: IncomingMessage) => Refusal | undefined;

/** For every request, whatever it is for. */
const FORM_CHECKS: readonly Check[] = [
  ({ headers, httpVersion }) => (headers.host === undefined && httpVersion === '1.1' ? NO_HOST : undefined),
  ({ headers: { expect } }) =>
    expect !== undefined && expect.toLowerCase() !== '100-continue' ? NO_EXPECTATION : undefined,
  // RFC 9112 allows whole URLs, for proxies. The host in one would count instead of the Host that is checked.
  ({ url = '' }) => (url.startsWith('/') ? undefined : NOT_A_PATH),
];

function findRefusal(checks: readonly Check[], request: IncomingMessage): Refusal | undefined {
  for (const check of checks) {
    const refusal = check(request);
    if (refusal !== undefined) return refusal;
  }
  return undefined;
}

export class RequestHandler {
  readonly #backend: HttpBackend;
  readonly #load: RequestLoad;
  readonly #refusals: Refusals;
  readonly #refuse: RefuseRequest;
  readonly #pipelines = new Pipelines();
  readonly #bodies: ReturnType<typeof createBodyReader>;
  readonly #connections: OpenConnections;
  readonly #posts: PostHandler;
  readonly #stripBasePath: ReturnType<typeof createBasePathStripper>;
  readonly #basePath: string;
  readonly #identify: Identify | undefined;
  readonly #maxInFlight: number;
  /** In this order, for requests for MCP, before the caller is identified. */
  readonly #checks: readonly Check[];
  /** Requests whose caller is being identified. They have their own limit, so that unknown callers take no room from known ones. */
  #identifying = 0;
  #isDraining = false;

  constructor(backend: HttpBackend, options: RequestHandlerOptions, load: RequestLoad) {
    const { refusals = createRefusals(), maxBodyBytes, maxInFlight, maxHeldBytes = HELD_BYTES, mustShed } = options;
    const checks = createRequestChecks(options);
    this.#backend = backend;
    this.#load = load;
    this.#refusals = refusals;
    this.#refuse = createRefuseRequest(checks, refusals);
    this.#bodies = createBodyReader({ maxBodyBytes, maxHeldBytes });
    this.#connections = new OpenConnections(options.maxHttpConnections ?? HTTP_CONNECTIONS);
    this.#stripBasePath = createBasePathStripper(options);
    this.#basePath = publicBasePath(options);
    this.#identify = options.identify;
    this.#maxInFlight = maxInFlight;
    this.#checks = [
      (request) => (request.method === 'POST' ? checks.check(request) : checks.checkSource(request)),
      () => (load.underWay >= maxInFlight ? BUSY : undefined),
      () => (mustShed?.() ? OVERLOADED : undefined),
      () => (this.#identifying >= maxInFlight ? BUSY : undefined),
    ];
    this.#posts = new PostHandler({
      maxBodyBytes,
      maxInFlight,
      checks,
      bodies: this.#bodies,
      load,
      refuse: this.#refuse,
      refusals,
      isLast: this.#isLast,
      onInternalError: backend.onInternalError,
    });
  }

  /** Call it for every connection, after its TLS handshake. */
  readonly addConnection = (socket: Socket): void => {
    const remote = addressOf(socket);
    socket.once('error', (error) => noteParserError(this.#refusals, error, remote));
    this.#bodies.addConnection(socket);
    this.#pipelines.addConnection(socket);
    const closing = this.#connections.add(socket);
    if (closing) this.#refusals.note({ transport: 'http', reason: 'connections', remote: addressOf(closing) });
  };

  readonly noteTlsFailure = (error: unknown, socket: Socket): void => {
    const why = handshakeFailure(error);
    this.#refusals.note({ transport: 'http', reason: 'tls', remote: addressOf(socket), why });
  };

  readonly handle: RequestListener = (request, response) => {
    this.#bodies.noteRequest(request.socket);
    this.#stripBasePath?.(request);
    this.#connections.noteRequest(response);
    if (request.rawHeaders.length >= 2 * MAX_HEADERS) this.#refuse(request, response, TOO_MANY_HEADERS);
    else this.#pipelines.enter(request, response, this.#serve, this.#refusePipelined);
  };

  /** From now on, answers close their connection; with `false`, they keep it open again. */
  drain(closesConnections = true): void {
    this.#isDraining = closesConnections;
  }

  /** Closes connections whose client reads nothing of its answer for this long. Call it regularly. */
  readonly watchReaders = (stallMs: number): void => this.#connections.watchReaders(stallMs);

  /** Checks which connections are idle; `closeIdle` also closes those that have been idle for this long. */
  readonly checkIdle = (): void => this.#connections.checkIdle();
  readonly closeIdle = (quietMs: number): void => this.#connections.closeIdle(quietMs);

  /** Refuses all requests that have no answer yet. */
  refuseAll(): void {
    for (const response of [...this.#connections.unanswered()]) {
      if (response.headersSent) response.end();
      else this.#refuse(response.req, response, SHUTTING_DOWN);
    }
  }

  readonly #serve: RequestListener = (request, response) => {
    const formRefusal = findRefusal(FORM_CHECKS, request);
    if (formRefusal !== undefined) return this.#refuse(request, response, formRefusal);
    const { url = '' } = request;
    const profile = profileOf(url);
    if (!this.#isForMcp(request, url, profile)) return this.#passOn(request, response);
    const refusal = findRefusal(this.#checks, request);
    if (refusal !== undefined) return this.#refuse(request, response, refusal);
    if (this.#identify === undefined) return this.#enter(profile, request, response, ANONYMOUS);
    let identity: ReturnType<Identify>;
    try {
      identity = this.#identify(request, profile ?? '');
    } catch (error) {
      return this.#fail(request, response, error);
    }
    // A key, or a token that was checked before, is known at once: no promise, no turn of the event loop.
    if (identity instanceof Promise) void this.#admitLater(profile, request, response, identity);
    else this.#admit(profile, request, response, identity);
  };

  readonly #refusePipelined: RequestListener = (request, response) => this.#refuse(request, response, PIPELINED);

  /**
   * With authentication, unknown callers do not even learn which profiles exist, so the profile is checked later. Browsers send OPTIONS
   * without credentials first.
   */
  #isForMcp({ method }: IncomingMessage, url: string, profile: ProfileName): boolean {
    if (this.#identify !== undefined) return method !== 'OPTIONS' && isMcp(url);
    return method === 'POST' && profile !== undefined && this.#backend.hasProfile(profile);
  }

  async #admitLater(
    profile: ProfileName,
    request: IncomingMessage,
    response: ServerResponse,
    identifying: Promise<Identified>,
  ): Promise<void> {
    const load = this.#load;
    this.#identifying++;
    load.enter();
    const unpark = load.park();
    try {
      const identity = await identifying.finally(() => {
        this.#identifying--;
        unpark();
      });
      if (load.underWay > this.#maxInFlight) this.#refuse(request, response, BUSY);
      else this.#admit(profile, request, response, identity);
    } catch (error) {
      this.#fail(request, response, error);
    } finally {
      load.leave();
    }
  }

  #admit(profile: ProfileName, request: IncomingMessage, response: ServerResponse, identity: Identified): void {
    if (identity === undefined) this.#refuse(request, response, UNKNOWN_CALLER);
    else if ('principal' in identity) this.#enter(profile, request, response, identity);
    else this.#refuse(request, response, identity);
  }

  #enter(profile: ProfileName, request: IncomingMessage, response: ServerResponse, identity: Identity): void {
    const { principal } = identity;
    const protocol = profile === undefined ? undefined : this.#backend.protocolOf(profile, principal);
    if (protocol === undefined) {
      // The same answer for profiles that the caller may not use and for those that do not exist.
      const message = nothingAt(originalUrlOf(request), this.#basePath, principal.profiles);
      this.#refuse(request, response, { status: 404, message, reason: 'not_found', caller: principal.id });
    } else if (request.method === 'POST') this.#posts.handle(protocol, request, response, identity);
    else this.#passOn(request, response);
  }

  #passOn(request: IncomingMessage, response: ServerResponse): void {
    if (this.#isLast(response)) response.shouldKeepAlive = false;
    this.#backend.otherwise(request, response);
  }

  #fail(request: IncomingMessage, response: ServerResponse, error: unknown): void {
    this.#backend.onInternalError(error);
    this.#refuse(request, response, INTERNAL_ERROR);
  }

  /**
   * Only the answer to the last of several pipelined requests closes the connection: closing it earlier would lose the
   * others.
   */
  readonly #isLast = (response: ServerResponse): boolean => this.#isDraining && this.#pipelines.isAlone(response);
}
