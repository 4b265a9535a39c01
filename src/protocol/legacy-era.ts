// 2025-11-25 and older: `initialize`, `ping`, and requests of ours to the client. No session is kept for HTTP; on stdio
// and TCP the connection is the session.
import { setMaxListeners } from 'node:events';
import type { Call, Client } from '../call/handler.ts';
import { GatewayError } from '../errors.ts';
import { createChannel } from './channel.ts';
import { createOutgoing } from './client-questions.ts';
import { type Dispatch, wantsProgress } from './dispatch.ts';
import {
  isLegacyVersion,
  isLogLevel,
  isModernHeader,
  LEGACY_VERSIONS,
  type LegacyVersion,
  MODERN_VERSION,
  negotiate,
  passesLevel,
} from './eras.ts';
import { createLegacySessions, isAskable } from './legacy-session.ts';
import type { Reply, RequestContext } from './request-context.ts';
import { abandon, cancel, createSession, type Session, track, untrack } from './session.ts';
import type { Canned } from './wire/canned.ts';
import { type Message, type RequestId, writeNotification } from './wire/jsonrpc.ts';
import { notFound, ok } from './wire/reply.ts';

export interface LegacyParts {
  readonly canned: Canned;
  readonly dispatch: Dispatch;
  readonly sessionKey: Buffer;
  readonly elicitTimeoutMs?: number | undefined;
  readonly logging: boolean;
  readonly subscribe: boolean;
}

type Request = Extract<Message, { kind: 'request' }>;

export interface Legacy {
  answer(request: Request, context: RequestContext): Reply | Promise<Reply | undefined>;
  settle(response: Extract<Message, { kind: 'response' }>, context: RequestContext): void;
  cancel(context: RequestContext, id: RequestId): void;
  /** Gives up what is under way over HTTP. */
  abort(): void;
  createLog(send: RequestContext['send'], bar: string | undefined): Call['log'] | undefined;
}

const NO_CAPABILITIES = Object.freeze({});

export function createLegacy(parts: LegacyParts): Legacy {
  const { canned, dispatch } = parts;
  const sessions = createLegacySessions(parts.sessionKey);
  const outgoing = createOutgoing(parts.elicitTimeoutMs);
  /** Requests under way over HTTP, by session id: only there are a client's own ids unique. */
  const overHttp = new Map<string, Session>();
  /** Legacy HTTP: a disconnect is not a cancellation (2025-11-25, basic/transports); only the end of the server is. */
  const theEnd = new AbortController();
  // Every request under way shares it; Node would take them for a leak.
  setMaxListeners(0, theEnd.signal);

  const sessionIdOf = ({ headers, principal }: RequestContext) => {
    const id = headers?.['mcp-session-id'];
    if (typeof id !== 'string') return undefined;
    const capabilities = sessions.read(principal.id, id);
    return capabilities && { id, capabilities };
  };

  const initialize = (request: Request, context: RequestContext): Reply => {
    const { protocolVersion, capabilities } = request.params ?? {};
    if (typeof protocolVersion !== 'string') {
      throw new GatewayError('INVALID_PARAMS', 'Invalid params: "protocolVersion" must be a string.');
    }
    const version = negotiate(protocolVersion);
    const declared =
      typeof capabilities === 'object' && capabilities !== null
        ? (capabilities as Record<string, unknown>)
        : NO_CAPABILITIES;
    const reply = ok(request, canned.initialize(version));
    if (context.session) {
      context.session.version = version;
      context.session.capabilities = declared;
      return reply;
    }
    return context.headers && isAskable(declared)
      ? { ...reply, sessionId: sessions.mint(context.principal.id, declared) }
      : reply;
  };

  const createLog: Legacy['createLog'] = (send, bar) => {
    if (!send) return undefined;
    return (level, data) => {
      if (passesLevel(level, bar ?? 'debug')) send(writeNotification('notifications/message', { level, data }));
    };
  };

  const serve = async (
    request: Request,
    context: RequestContext,
    version: LegacyVersion,
  ): Promise<Reply | undefined> => {
    const { id, method, params } = request;
    const { session, send, park } = context;
    const known = session ? undefined : sessionIdOf(context);
    const scope = session ?? (known && (overHttp.get(known.id) ?? createSession()));
    if (known && scope) overHttp.set(known.id, scope);
    const controller = scope && track(scope, id);
    const capabilities = session?.capabilities ?? known?.capabilities ?? NO_CAPABILITIES;
    const owner = session ?? known?.id;
    const ended = session?.ended.signal;
    const client: Client = {
      era: 'legacy',
      capabilities,
      ...(send &&
        owner !== undefined && {
          request: async (asked, given, signal) => {
            const unpark = park?.();
            try {
              return await outgoing.ask({ owner, send, ended }, asked, given, signal);
            } finally {
              unpark?.();
            }
          },
        }),
    };
    const signal = controller?.signal ?? (context.transport === 'http' ? theEnd.signal : context.signal);
    // A POST that takes only JSON must have an answer even when it was cancelled.
    const silent = session !== undefined || send !== undefined;
    const channel = send && (parts.logging || wantsProgress(params)) ? createChannel(send, signal) : undefined;
    try {
      const log = parts.logging ? createLog(channel?.send, session?.logLevel) : undefined;
      const result = await dispatch({
        id,
        method,
        params,
        version,
        client,
        signal,
        context,
        send: channel?.send,
        log,
      });
      if (result === undefined) throw notFound(method);
      return signal.aborted && silent ? silence(context) : ok(request, result);
    } catch (error) {
      if (signal.aborted && silent) return silence(context);
      throw error;
    } finally {
      channel?.shut();
      if (scope && controller) untrack(scope, id, controller);
      if (known && scope?.underWay.size === 0) overHttp.delete(known.id);
    }
  };

  return {
    createLog,
    answer(request, context) {
      const { method, params } = request;
      checkHeader(request, context);
      switch (method) {
        case 'initialize':
          return initialize(request, context);
        case 'ping':
          return ok(request, '{}');
        case 'tools/list':
          return ok(request, canned.list(method, versionOf(context), params?.cursor));
        case 'logging/setLevel':
          if (!parts.logging) throw notFound(method);
          if (!isLogLevel(params?.level))
            throw new GatewayError('INVALID_PARAMS', 'Invalid params: "level" is not a log level.');
          if (context.session) context.session.logLevel = params.level;
          return ok(request, '{}');
        case 'resources/subscribe':
        case 'resources/unsubscribe':
          if (!parts.subscribe) throw notFound(method);
          if (typeof params?.uri !== 'string')
            throw new GatewayError('INVALID_PARAMS', 'Invalid params: "uri" must be a string.');
          return ok(request, '{}');
        default:
          return serve(request, context, versionOf(context));
      }
    },
    settle(response, context) {
      const { id, result, error } = response;
      const owner = context.session ?? sessionIdOf(context)?.id;
      if (owner !== undefined && id !== undefined) outgoing.settle(owner, id, result, error);
    },
    cancel(context, id) {
      const known = sessionIdOf(context);
      const scope = known && overHttp.get(known.id);
      if (scope) cancel(scope, id);
    },
    abort() {
      theEnd.abort();
      for (const scope of overHttp.values()) abandon(scope);
    },
  };
}

/** Nothing is sent for a cancelled request; over HTTP its stream ends empty. */
function silence({ session }: RequestContext): Reply | undefined {
  return session ? undefined : { body: '', status: 200 };
}

/** Without a header HTTP clients are taken for 2025-03-26 (2025-11-25, basic/transports). */
function versionOf({ session, headers }: RequestContext): LegacyVersion {
  if (session) return session.version ?? LEGACY_VERSIONS[0];
  const header = headers?.['mcp-protocol-version'];
  return isLegacyVersion(header) ? header : headers ? '2025-03-26' : LEGACY_VERSIONS[0];
}

function checkHeader({ method }: Request, { headers }: RequestContext): void {
  const version = headers?.['mcp-protocol-version'];
  if (version === undefined || isLegacyVersion(version)) return;
  if (isModernHeader(version)) {
    if (method === 'initialize') {
      throw new GatewayError(
        'HEADER_MISMATCH',
        `Header mismatch: MCP-Protocol-Version says ${version}, which has no initialize.`,
      );
    }
    throw new GatewayError(
      'INVALID_ENVELOPE',
      `Requests of ${version} must carry _meta with "io.modelcontextprotocol/protocolVersion".`,
    );
  }
  throw new GatewayError(
    'INVALID_REQUEST',
    `Unsupported MCP-Protocol-Version header; this server knows ${[MODERN_VERSION, ...LEGACY_VERSIONS].join(', ')}.`,
  );
}
