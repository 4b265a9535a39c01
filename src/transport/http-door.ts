// Everything between the arrival of a request and the body of one that is let in. Requests that are not MCP go elsewhere; for the
// others it checks where they come from, whether there is room, who calls, and whether that caller may use this profile.
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { BACK_IN_SECONDS } from '../adapter/under-way.ts';
import type { Principal } from '../call/caller.ts';
import { SHED_RETRY_SECONDS } from '../limits/overload.ts';
import type { Protocol } from '../protocol/handle.ts';
import { type Admission, type AdmissionOptions, createAdmission, type Refusal } from './admission.ts';
import { createBodyReader } from './body-reader.ts';
import { basePathOf, createBasePathStripper, sentUrlOf } from './door/base-path.ts';
import { BROKEN, BUSY, createRefuse, noteBadBytes, type Refuse } from './door/http-refusals.ts';
import { createRefusals, type Refusals } from './door/refusals.ts';
import { handshakeFailure } from './door/tls.ts';
import { addressOf } from './door/visitor.ts';
import { OpenConnections } from './ending/open-connections.ts';
import type { Identity } from './http-sender.ts';
import type { Load } from './in-flight.ts';
import { isMcp, nothingAt, type ProfileName, profileOf } from './mcp-path.ts';
import { createPipelines } from './pipelining.ts';
import { createPost, type Post } from './post.ts';

/** Who calls, or what to refuse the request with; undefined is a plain 401. */
export type Identified<Data = unknown> = Identity<Data> | Refusal | undefined;

/** `profile` is what the request is for: '' is /mcp itself. */
export type Identify<Data = unknown> = (
  request: IncomingMessage,
  profile: string,
) => Identified<Data> | Promise<Identified<Data>>;

export interface DoorOptions<Data = unknown> extends AdmissionOptions {
  readonly maxBodyBytes: number;
  /** Requests under way in this process; more are sent away with 503. */
  readonly maxInFlight: number;
  /** Limit of all incomplete bodies together; further ones are refused with 503. Default 64 MiB. */
  readonly maxHeldBytes?: number;
  /** Connections at once; one more takes the place of the one that has been idle longest. Default 10,000. */
  readonly maxHttpConnections?: number | undefined;
  /** Notified of every refusal. */
  readonly refusals?: Refusals | undefined;
  /** Whether this request should be shed, before the process gets slow. Default: never. */
  readonly mustShed?: () => boolean;
  /** Default: everybody is `anonymous`. */
  readonly identify?: Identify<Data>;
}

export interface DoorParts {
  /** `/mcp` → '', `/mcp/admin` → 'admin'; as much of it as the principal may use. */
  readonly protocolOf: (profile: string, principal: Principal) => Protocol | undefined;
  readonly hasProfile: (profile: string) => boolean;
  /** Everything that is not POST /mcp. */
  readonly otherwise: (request: IncomingMessage, response: ServerResponse) => void;
  readonly onInternalError: (error: unknown) => void;
}

export interface Door {
  readonly meet: (socket: Socket) => void;
  readonly missHandshake: (error: unknown, socket: Socket) => void;
  readonly open: (request: IncomingMessage, response: ServerResponse) => void;
  /** From now on answers close their connection; or, with `false`, no longer. */
  drain(closesConnections?: boolean): void;
  /** Closes connections whose client reads nothing of its answer for this long. Call it regularly. */
  watchReaders(stallMs: number): void;
  /** Looks at which connections are idle; `closeIdle` also closes those that have been for this long. */
  readonly look: () => void;
  readonly closeIdle: (quietMs: number) => void;
  /** Refuses all requests that have no answer yet. */
  refuseAll(): void;
}

/** Node drops further headers; such a request is refused, because what they would have said is unknown. */
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
  headers: { 'retry-after': String(BACK_IN_SECONDS) },
  reason: 'shutting_down',
};
const UNKNOWN_CALLER: Refusal = {
  status: 401,
  message: 'Unauthorized: the caller could not be identified.',
  headers: { 'www-authenticate': 'Bearer' },
};

export function createDoor(parts: DoorParts, options: DoorOptions, load: Load): Door {
  const admission = createAdmission(options);
  const pipelines = createPipelines();
  const { refusals = createRefusals(), maxBodyBytes, maxInFlight, maxHeldBytes = HELD_BYTES } = options;
  const bodies = createBodyReader({ maxBodyBytes, maxHeldBytes });
  const refuse = createRefuse(admission, refusals);
  const connections = new OpenConnections(options.maxHttpConnections ?? HTTP_CONNECTIONS);
  const stripBasePath = createBasePathStripper(options);
  let draining = false;
  // Of several pipelined requests, only the last answer closes the connection: an earlier one would cut off the others.
  const isLast = (response: ServerResponse) => draining && pipelines.isAlone(response);
  const { onInternalError } = parts;
  const limits = { maxBodyBytes, maxInFlight };
  const post = createPost({ ...limits, admission, bodies, load, refuse, refusals, isLast, onInternalError });
  const otherwise: DoorParts['otherwise'] = (request, response) => {
    if (isLast(response)) response.shouldKeepAlive = false;
    parts.otherwise(request, response);
  };
  const receive = createReception({ ...parts, otherwise, admission, load, refuse, post }, options);
  const serve = createSorter({ ...parts, otherwise }, { refuse, receive, tellsApart: options.identify !== undefined });
  const refusePipelined = (request: IncomingMessage, response: ServerResponse) => refuse(request, response, PIPELINED);

  return {
    meet(socket) {
      const remote = addressOf(socket);
      socket.once('error', (error) => noteBadBytes(refusals, error, remote));
      bodies.meet(socket);
      pipelines.meet(socket);
      const leaving = connections.meet(socket);
      if (leaving) refusals.note({ transport: 'http', reason: 'connections', remote: addressOf(leaving) });
    },
    open(request, response) {
      bodies.noteRequest(request.socket);
      stripBasePath?.(request);
      connections.enter(response);
      if (request.rawHeaders.length >= 2 * MAX_HEADERS) return refuse(request, response, TOO_MANY_HEADERS);
      pipelines.enter(request, response, serve, refusePipelined);
    },
    missHandshake: (error, socket) =>
      refusals.note({ transport: 'http', reason: 'tls', remote: addressOf(socket), why: handshakeFailure(error) }),
    drain: (closesConnections = true) => {
      draining = closesConnections;
    },
    watchReaders: (stallMs) => connections.watchReaders(stallMs),
    look: () => connections.look(),
    closeIdle: (quietMs) => connections.closeIdle(quietMs),
    refuseAll() {
      for (const response of [...connections.unanswered()]) {
        if (response.headersSent) response.end();
        else refuse(response.req, response, SHUTTING_DOWN);
      }
    },
  };
}

type Receive = (profile: ProfileName, request: IncomingMessage, response: ServerResponse) => void;

/** Tells requests for MCP from all others, and from what is no request at all. */
function createSorter(
  { hasProfile, otherwise }: DoorParts,
  { refuse, receive, tellsApart }: { refuse: Refuse; receive: Receive; tellsApart: boolean },
) {
  return (request: IncomingMessage, response: ServerResponse) => {
    const { host, expect } = request.headers;
    if (host === undefined && request.httpVersion === '1.1') return refuse(request, response, NO_HOST);
    if (expect !== undefined && expect.toLowerCase() !== '100-continue')
      return refuse(request, response, NO_EXPECTATION);
    const { method, url = '' } = request;
    // RFC 9112 has whole URLs for proxies; the host in one would count in place of the Host that was checked.
    if (!url.startsWith('/')) return refuse(request, response, NOT_A_PATH);
    const profile = profileOf(url);
    // With authentication, unknown callers do not even learn which profiles exist, so the profile is checked later. Browsers send
    // OPTIONS without credentials first.
    const isOurs = tellsApart
      ? method !== 'OPTIONS' && isMcp(url)
      : method === 'POST' && profile !== undefined && hasProfile(profile);
    if (isOurs) receive(profile, request, response);
    else otherwise(request, response);
  };
}

interface ReceptionParts extends DoorParts {
  readonly admission: Admission;
  readonly load: Load;
  readonly refuse: Refuse;
  readonly post: Post;
}

/** Checks where a request comes from, whether there is room, who calls, and whether that caller may use the profile. */
function createReception(parts: ReceptionParts, options: DoorOptions): Receive {
  const { identify, maxInFlight, mustShed } = options;
  const base = basePathOf(options);
  const { admission, load, refuse, post, protocolOf, otherwise, onInternalError } = parts;
  /** Requests whose caller is not known yet. They are limited separately, so that strangers take no room from known callers. */
  let strangers = 0;

  const enter = (profile: ProfileName, request: IncomingMessage, response: ServerResponse, identity: Identity) => {
    const protocol = profile === undefined ? undefined : protocolOf(profile, identity.principal);
    // The same answer for profiles that the caller may not use and for those that do not exist.
    if (protocol === undefined) refuse(request, response, toNotFound(request, base, identity));
    else if (request.method === 'POST') post(protocol, request, response, identity);
    else otherwise(request, response);
  };

  const admit = (profile: ProfileName, request: IncomingMessage, response: ServerResponse, identity: Identified) => {
    if (identity === undefined) refuse(request, response, UNKNOWN_CALLER);
    else if ('principal' in identity) enter(profile, request, response, identity);
    else refuse(request, response, identity);
  };

  const receiveLater = async (
    profile: ProfileName,
    request: IncomingMessage,
    response: ServerResponse,
    identifying: Promise<Identified>,
  ) => {
    strangers++;
    load.enter();
    const unpark = load.park();
    try {
      const identity = await identifying.finally(() => {
        strangers--;
        unpark();
      });
      if (load.underWay > maxInFlight) refuse(request, response, BUSY);
      else admit(profile, request, response, identity);
    } catch (error) {
      onInternalError(error);
      refuse(request, response, BROKEN);
    } finally {
      load.leave();
    }
  };

  return (profile, request, response) => {
    const refusal = request.method === 'POST' ? admission.check(request) : admission.checkSource(request);
    if (refusal) return refuse(request, response, refusal);
    if (load.underWay >= maxInFlight) return refuse(request, response, BUSY);
    if (mustShed?.()) return refuse(request, response, OVERLOADED);
    if (!identify) return enter(profile, request, response, ANONYMOUS);
    if (strangers >= maxInFlight) return refuse(request, response, BUSY);
    let identity: ReturnType<Identify>;
    try {
      identity = identify(request, profile ?? '');
    } catch (error) {
      onInternalError(error);
      return refuse(request, response, BROKEN);
    }
    // A key, or a token that was checked before, is known at once: no promise, no turn of the loop.
    if (identity instanceof Promise) void receiveLater(profile, request, response, identity);
    else admit(profile, request, response, identity);
  };
}

function toNotFound(request: IncomingMessage, base: string, { principal }: Identity): Refusal {
  const message = nothingAt(sentUrlOf(request), base, principal.profiles);
  return { status: 404, message, reason: 'not_found', caller: principal.id };
}
