// handle(text, context): the whole protocol, one message at a time, the same for every transport. Pure of I/O: what goes
// out before the answer goes through `context.send`.
import { setImmediate as nextTurn } from 'node:timers/promises';
import { ERRORS, GatewayError } from '../errors.ts';
import { createChannel } from './channel.ts';
import { createDispatch, type Dispatch, type DispatchParts, wantsProgress } from './dispatch.ts';
import { claimsModern, isModernHeader, META, MODERN_VERSION, parseEnvelope } from './eras.ts';
import { createLegacy, type LegacyParts } from './legacy-era.ts';
import type { Reply, RequestContext } from './request-context.ts';
import { cancel, track, untrack } from './session.ts';
import { createSubscriptions } from './subscriptions.ts';
import { type Canned, type CannedParts, createCanned } from './wire/canned.ts';
import { checkRequestHeaders, checkVersionHeader } from './wire/header-checks.ts';
import { type Message, parseMessages, toRpcCode, writeError } from './wire/jsonrpc.ts';
import { notFound, ok } from './wire/reply.ts';

export interface ProtocolParts
  extends Omit<CannedParts, 'writer'>,
    Omit<DispatchParts, 'canned'>,
    Pick<LegacyParts, 'sessionKey' | 'elicitTimeoutMs'> {
  /** Told of failures nobody foresaw; the client only learns that there was one. */
  readonly onInternalError: (error: unknown) => void;
}

export interface Protocol {
  /** Undefined: nothing to answer. */
  handle(text: string, context: RequestContext): Reply | undefined | Promise<Reply | undefined>;
  /** Ends what would stay open for ever; calls under way may finish. */
  close(): void;
  /** Gives up calls that no client can end any more: those of legacy clients over HTTP outlive their connection. */
  abort(): void;
}

type Request = Extract<Message, { kind: 'request' }>;

const MAX_BATCH = 100;

export function createProtocol(parts: ProtocolParts): Protocol {
  const canned: Canned = createCanned(parts);
  const dispatch: Dispatch = createDispatch({ ...parts, canned });
  const subscriptions = createSubscriptions(parts.writer);
  const legacy = createLegacy({ ...parts, canned, dispatch });

  const modern = (request: Request, context: RequestContext): Reply | undefined | Promise<Reply | undefined> => {
    const { id, method, params } = request;
    const { headers, session } = context;
    const envelope = parseEnvelope(params);
    if (headers) checkVersionHeader(headers, envelope.version);
    if (envelope.version !== MODERN_VERSION) {
      throw new GatewayError(
        'UNSUPPORTED_PROTOCOL_VERSION',
        `Unsupported protocol version ${JSON.stringify(envelope.version).slice(0, 40)}.`,
        {
          supported: [MODERN_VERSION],
          requested: envelope.version,
        },
      );
    }
    if (headers) checkRequestHeaders(headers, method, params);
    if (method === 'server/discover') return ok(request, canned.discover);
    // Over HTTP the connection is the cancellation; elsewhere `notifications/cancelled` is.
    const controller = session && track(session, id);
    const signal = controller?.signal ?? context.signal;
    const bar = envelope.meta[META.logLevel] as string | undefined;
    const channel =
      context.send && (bar !== undefined || wantsProgress(params)) ? createChannel(context.send, signal) : undefined;
    const finish = () => {
      channel?.shut();
      if (controller) untrack(session, id, controller);
    };
    try {
      const result =
        method === 'subscriptions/listen'
          ? subscriptions.listen(id, params, context, signal)
          : dispatch({
              id,
              method,
              params,
              version: MODERN_VERSION,
              client: { era: 'modern', capabilities: envelope.capabilities },
              signal,
              context,
              mirroredIn: headers,
              send: channel?.send,
              log: bar === undefined ? undefined : legacy.createLog(channel?.send, bar),
            });
      if (result === undefined) throw notFound(method);
      if (typeof result === 'string') {
        finish();
        return ok(request, result);
      }
      return result.then(
        (text) => {
          finish();
          return text === undefined || controller?.signal.aborted ? undefined : ok(request, text);
        },
        (error: unknown) => {
          finish();
          return controller?.signal.aborted ? undefined : failed(request, error, true);
        },
      );
    } catch (error) {
      finish();
      throw error;
    }
  };

  const failed = (request: Request | undefined, error: unknown, isModern: boolean): Reply => {
    const id = request?.id;
    const row = error instanceof GatewayError ? ERRORS[error.code] : undefined;
    // What belongs to start-up has no business here: its text names files of ours.
    if (error instanceof GatewayError && row && row.wire !== 'startup') {
      const code = !isModern && error.code === 'RESOURCE_NOT_FOUND' ? -32002 : toRpcCode(error.code);
      // Only a tool call has isError; whatever else fails that way is an error of the request, and says why.
      const details = row.wire === 'tool' ? { ...error.details, failure_mode: row.mode } : error.details;
      const data = Object.keys(details).length > 0 ? details : undefined;
      return { body: writeError(id, code, error.message, data), status: statusOf(error, isModern) };
    }
    parts.onInternalError(error);
    return { body: writeError(id, ERRORS.INTERNAL.code, 'Internal error; the gateway’s log says more.'), status: 500 };
  };

  const answer = (request: Request, context: RequestContext): Reply | undefined | Promise<Reply | undefined> => {
    const isModern = claimsModern(request.params);
    try {
      if (isModern) return modern(request, context);
      const reply = legacy.answer(request, context);
      return reply instanceof Promise ? reply.catch((error: unknown) => failed(request, error, false)) : reply;
    } catch (error) {
      return failed(request, error, isModern);
    }
  };

  const route = (message: Message, context: RequestContext): Reply | undefined | Promise<Reply | undefined> => {
    switch (message.kind) {
      case 'request':
        return answer(message, context);
      case 'notification':
        if (message.method === 'notifications/cancelled') {
          const id = message.params?.requestId;
          if (typeof id !== 'string' && typeof id !== 'number') return undefined;
          if (context.session) cancel(context.session, id);
          else legacy.cancel(context, id);
        }
        return undefined;
      case 'response':
        legacy.settle(message, context);
        return undefined;
      case 'invalid':
        return {
          body: writeError(message.id, ERRORS.INVALID_REQUEST.code, `Invalid request: ${message.reason}`),
          status: 400,
        };
    }
  };

  // Transports rely on it: handle() neither throws nor rejects, whatever was sent.
  const one: typeof route = (message, context) => {
    try {
      return route(message, context);
    } catch (error) {
      return failed(undefined, error, true);
    }
  };

  /** Batches left MCP with 2025-06-18: only messages older than that may come in one. */
  const batch = async (messages: readonly Message[], context: RequestContext): Promise<Reply | undefined> => {
    const refuse = (why: string) => ({
      body: writeError(undefined, ERRORS.INVALID_REQUEST.code, `Invalid request: ${why}`),
      status: 400,
    });
    if (messages.length === 0) return refuse('a batch must hold at least one message.');
    if (messages.length > MAX_BATCH) return refuse(`a batch may hold at most ${MAX_BATCH} messages.`);
    if (
      isModernHeader(context.headers?.['mcp-protocol-version']) ||
      messages.some((message) => 'params' in message && claimsModern(message.params))
    ) {
      return refuse(`${MODERN_VERSION} has no batches; send one message at a time.`);
    }
    if (messages.some((message) => message.kind === 'request' && message.method === 'initialize')) {
      return refuse('"initialize" cannot be part of a batch.');
    }
    const under: (Reply | undefined | Promise<Reply | undefined>)[] = [];
    for (const message of messages) {
      // Others get their turn between two messages: a hundred of them must not keep everybody waiting.
      if (under.length > 0) await nextTurn();
      under.push(one(message, context));
    }
    const replies = await Promise.all(under);
    const bodies = replies.flatMap((reply) => (reply?.body ? [reply.body] : []));
    return bodies.length > 0 ? { body: `[${bodies.join(',')}]`, status: 200 } : undefined;
  };

  return {
    handle(text, context) {
      let parsed: Message | readonly Message[];
      try {
        parsed = parseMessages(text);
      } catch (error) {
        return failed(undefined, error, true);
      }
      return Array.isArray(parsed) ? batch(parsed, context) : one(parsed as Message, context);
    },
    close: () => subscriptions.close(),
    abort: () => legacy.abort(),
  };
}

/** 2026-07-28, basic/transports. To a legacy client 404 would mean that its session is gone. */
function statusOf(error: GatewayError, isModern: boolean): number {
  switch (error.code) {
    case 'METHOD_NOT_FOUND':
      return isModern ? 404 : 200;
    case 'PARSE_ERROR':
    case 'INVALID_REQUEST':
    case 'INVALID_ENVELOPE':
    case 'HEADER_MISMATCH':
    case 'MISSING_CLIENT_CAPABILITY':
    case 'UNSUPPORTED_PROTOCOL_VERSION':
      return 400;
    default:
      return 200;
  }
}
