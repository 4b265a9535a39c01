// 2025-11-25 and older: `initialize`, `ping`, and requests of ours to the client. No session is kept for HTTP; on stdio
// and TCP the connection is the session.
import type { Client } from '../call/caller.ts';
import { SharedSignal } from '../call/departure.ts';
import { isObject } from '../endpoint/is-object.ts';
import { GatewayError } from '../errors.ts';
import type { Redaction } from '../orchestration/redaction.ts';
import type { Signer } from '../orchestration/signer.ts';
import type { CallSpan } from '../tracing/call-span.ts';
import { createChannel, createLog, createProgress, progressTokenOf } from './channel.ts';
import type { Dispatch } from './dispatch.ts';
import {
  clientInfoOf,
  isLegacyVersion,
  isLogLevel,
  isModernHeader,
  LEGACY_VERSIONS,
  type LegacyVersion,
  MODERN_VERSION,
  negotiate,
  versionOf,
} from './eras.ts';
import { createLegacySessions, type LegacySessions } from './legacy-session.ts';
import { canElicit, createLegacyAsk, type PutToClient } from './questions/asking.ts';
import { type ClientQuestions, createClientQuestions } from './questions/client-questions.ts';
import type { Mailbox } from './questions/mailbox.ts';
import { parseSecondRound, toRequestFacts } from './request-facts.ts';
import type { Introduction, Origin, Reply, Sender } from './sender.ts';
import { abandon, cancel, type Scope, track, untrack } from './session.ts';
import type { Canned } from './wire/canned.ts';
import type { Message, RequestId, RequestMessage } from './wire/jsonrpc.ts';
import { notFound, ok } from './wire/reply.ts';

export interface LegacyParts {
  readonly canned: Canned;
  readonly dispatch: Dispatch;
  readonly signer: Signer;
  readonly redaction: Redaction;
  /** '' is what is served by default. */
  readonly profile: string;
  /** Headers of a request that domains pass on; lower case. */
  readonly forward: readonly string[];
  readonly elicitTimeoutMs?: number | undefined;
  /** Where other processes serve the same clients. */
  readonly mailbox?: Mailbox | undefined;
  readonly logging: boolean;
  readonly subscribe: boolean;
  readonly onIntroduction: (introduction: Introduction) => void;
}

export interface Legacy {
  answer(message: RequestMessage, sender: Sender): Reply | Promise<Reply | undefined>;
  /** A promise if another process asked; it rejects if the answer cannot be delivered. */
  settle(response: Extract<Message, { kind: 'response' }>, sender: Sender): Promise<void> | undefined;
  cancel(sender: Sender, id: RequestId): void;
  loseMessage(sender: Origin, why: string): void;
  /** Gives up what is under way over HTTP. */
  abort(): void;
}

/** What is known about a client: from its connection, or over HTTP from its signed session id. */
interface Acquaintance {
  /** Only answers from this owner count. */
  readonly owner: unknown;
  readonly capabilities: Readonly<Record<string, unknown>>;
  readonly name?: string | undefined;
  readonly release?: string | undefined;
  /** Requests in progress. A client's own ids are unique only within this scope. */
  readonly scope: Scope;
}

export function createLegacy(parts: LegacyParts): Legacy {
  const sessions = createLegacySessions(parts.signer);
  const { mailbox } = parts;
  const questions = createClientQuestions(parts.elicitTimeoutMs, mailbox);
  const overHttp = createHttpScopes(sessions);
  /** Legacy HTTP: a disconnect is not a cancellation (2025-11-25, basic/transports); only the end of the server is. */
  const theEnd = new SharedSignal();

  const acquaintanceOf = (sender: Sender): Acquaintance | undefined => {
    const { session } = sender;
    if (session)
      return {
        owner: session,
        capabilities: session.capabilities,
        name: session.clientName,
        release: session.clientRelease,
        scope: session,
      };
    return overHttp.enter(sender);
  };

  const perform = async (message: RequestMessage, sender: Sender): Promise<Reply | undefined> => {
    const { id, params } = message;
    const { session, send } = sender;
    const version = versionOf(sender);
    const acquaintance = acquaintanceOf(sender);
    const controller = acquaintance && track(acquaintance.scope, id);
    const signal = controller?.signal ?? (sender.transport === 'http' ? theEnd.signal : sender.signal);
    // A POST that accepts only JSON must get an answer even if the request was cancelled.
    const mayBeSilent = session !== undefined || send !== undefined;
    const token = progressTokenOf(params);
    const channel = send && (parts.logging || token !== undefined) ? createChannel(send, signal) : undefined;
    const live = channel && {
      progress: token !== undefined ? createProgress(token, channel.send, parts.redaction) : undefined,
      log: parts.logging ? createLog(channel.send, session?.logLevel, parts.redaction) : undefined,
    };
    try {
      const client = toClient(acquaintance, sender, version, questions, parts.redaction, message.span);
      const round = parseSecondRound(params);
      const facts = toRequestFacts(message, sender, client, signal, round, parts);
      const reply = await parts.dispatch.perform(live ? { ...facts, ...live } : facts, message, version);
      return signal.aborted && mayBeSilent ? silence(sender) : reply;
    } catch (error) {
      if (signal.aborted && mayBeSilent) return silence(sender);
      throw error;
    } finally {
      channel?.shut();
      if (acquaintance && controller) untrack(acquaintance.scope, id, controller);
      if (!session) overHttp.leave(sender);
    }
  };

  mailbox?.register({
    settle: (session, { id, result, error }) => void questions.settle(session, id, result, error),
    cancel: (session, id) => void overHttp.cancel(session, id),
    giveUp: (session, why) => questions.giveUp(session, why),
  });

  return {
    answer(message, sender) {
      const { method, params } = message;
      checkHeader(message, sender);
      if (method === 'initialize') return initialize(message, sender, parts, sessions);
      refuseForeignSession(sender, sessions);
      if (method === 'ping') return ok(message, '{}');
      if (parts.dispatch.performs(method)) return perform(message, sender);
      const text = parts.dispatch.look(method, versionOf(sender), params) ?? changeSettings(message, sender, parts);
      if (text === undefined) throw notFound(method);
      return ok(message, text);
    },
    settle({ id, result, error }, sender) {
      const owner = sender.session ?? overHttp.idOf(sender);
      if (owner === undefined || id === undefined || questions.settle(owner, id, result, error)) return undefined;
      return typeof owner === 'string' ? mailbox?.forward(owner, sender.principal, { id, result, error }) : undefined;
    },
    loseMessage(sender, why) {
      const owner = sender.session ?? overHttp.idOf(sender);
      if (owner === undefined) return;
      questions.giveUp(owner, why);
      if (typeof owner === 'string') mailbox?.giveUp(owner, sender.principal, why);
    },
    cancel(sender, id) {
      const session = overHttp.idOf(sender);
      if (session !== undefined && !overHttp.cancel(session, id)) mailbox?.cancel(session, sender.principal, id);
    },
    abort() {
      theEnd.abort();
      overHttp.abandonAll();
    },
  };
}

interface HttpScopes {
  /** To be called when a request of a session is taken up; undefined where the id is missing or not one of ours. */
  enter(sender: Sender): Acquaintance | undefined;
  /** The id of its session; undefined where it is missing or not one of ours for this caller. */
  idOf(sender: Origin): string | undefined;
  /** False where this process has no such request under way. */
  cancel(session: string, id: RequestId): boolean;
  /** Call it when a request is answered: nothing is kept of a session without requests in progress. */
  leave(sender: Sender): void;
  abandonAll(): void;
}

function createHttpScopes(sessions: LegacySessions): HttpScopes {
  const open = new Map<string, Acquaintance>();
  const saidBy = ({ headers }: Origin) => {
    const id = headers?.['mcp-session-id'];
    return typeof id === 'string' ? id : undefined;
  };
  return {
    idOf(sender) {
      const id = saidBy(sender);
      // Signed for one principal: the session id of another caller is not accepted.
      return id !== undefined && sessions.read(sender.principal.id, id) ? id : undefined;
    },
    cancel(session, id) {
      const scope = open.get(session)?.scope;
      if (!scope?.underWay.has(id)) return false;
      cancel(scope, id);
      return true;
    },
    enter(sender) {
      const id = saidBy(sender);
      const declaration = id === undefined ? undefined : sessions.read(sender.principal.id, id);
      if (id === undefined || !declaration) return undefined;
      const { capabilities, name, release } = declaration;
      const scope = { underWay: new Map() };
      const acquaintance = open.get(id) ?? { owner: id, capabilities, name, release, scope };
      open.set(id, acquaintance);
      return acquaintance;
    },
    leave(sender) {
      const id = saidBy(sender);
      if (id !== undefined && open.get(id)?.scope.underWay.size === 0) open.delete(id);
    },
    abandonAll() {
      for (const { scope } of open.values()) abandon(scope);
    },
  };
}

/**
 * A known caller may only use sessions of its own. Anonymous callers have nothing to bind a session to, and an id from before a
 * restart does no harm there.
 */
function refuseForeignSession({ headers, principal }: Sender, sessions: LegacySessions): void {
  const id = headers?.['mcp-session-id'];
  if (id === undefined || principal.id === 'anonymous') return;
  if (typeof id === 'string' && sessions.read(principal.id, id)) return;
  throw new GatewayError(
    'SESSION_NOT_FOUND',
    'Session not found: it belongs to another caller or profile, or to another server. Send "initialize" without Mcp-Session-Id.',
  );
}

const NO_CAPABILITIES = Object.freeze({});

function initialize(
  message: RequestMessage,
  { session, headers, principal, transport }: Sender,
  { canned, onIntroduction }: LegacyParts,
  sessions: LegacySessions,
): Reply {
  const { protocolVersion, capabilities, clientInfo } = message.params ?? {};
  if (typeof protocolVersion !== 'string') {
    throw new GatewayError('INVALID_PARAMS', 'Invalid params: "protocolVersion" must be a string.');
  }
  const version = negotiate(protocolVersion);
  const clientCapabilities = isObject(capabilities) ? capabilities : NO_CAPABILITIES;
  const client = clientInfoOf(clientInfo);
  onIntroduction({ method: message.method, version, client, transport, principal: principal.id });
  const reply = ok(message, canned.initialize(version));
  if (session) {
    session.version = version;
    session.capabilities = clientCapabilities;
    session.clientName = client?.name;
    session.clientRelease = client?.version;
    return reply;
  }
  if (!headers) return reply;
  const declaration = { capabilities: clientCapabilities, name: client?.name, release: client?.version };
  return { ...reply, sessionId: sessions.mint(principal.id, declaration) };
}

/** The methods that only change what is remembered of a connection; undefined for all others. */
function changeSettings(
  { method, params }: RequestMessage,
  { session }: Sender,
  { logging, subscribe }: LegacyParts,
): string | undefined {
  if (method === 'logging/setLevel' && logging) {
    if (!isLogLevel(params?.level))
      throw new GatewayError('INVALID_PARAMS', 'Invalid params: "level" is not a log level.');
    if (session) session.logLevel = params.level;
    return '{}';
  }
  if ((method === 'resources/subscribe' || method === 'resources/unsubscribe') && subscribe) {
    if (typeof params?.uri !== 'string')
      throw new GatewayError('INVALID_PARAMS', 'Invalid params: "uri" must be a string.');
    return '{}';
  }
  return undefined;
}

function toClient(
  acquaintance: Acquaintance | undefined,
  { session, principal, send, park, signal: connection }: Sender,
  version: LegacyVersion,
  questions: ClientQuestions,
  redaction: Redaction,
  span: CallSpan | undefined,
): Client {
  const capabilities = acquaintance?.capabilities ?? NO_CAPABILITIES;
  const { name, release } = acquaintance ?? {};
  const client: Client = { era: 'legacy', version, name, release, capabilities };
  if (!send || !acquaintance || Object.keys(capabilities).length === 0) return client;
  // A question is sent on the stream of its request: if that is closed, nobody reads it.
  const peer = { owner: acquaintance.owner, principal, send, ended: session?.ended.signal ?? connection };
  const put: PutToClient = async (method, params, signal, asking) => {
    const unpark = park?.();
    const question = asking?.beginClient(method, { 'mcp.method.name': method, 'mcp.protocol.version': version });
    try {
      return await questions.ask(peer, method, redaction.value(params), signal);
    } catch (error) {
      question?.fail(error);
      throw error;
    } finally {
      question?.end();
      unpark?.();
    }
  };
  return {
    ...client,
    request: (method, params, signal) => put(method, params, signal, span),
    ...(canElicit(capabilities) && { ask: createLegacyAsk(put) }),
  };
}

/** Nothing is sent for a cancelled request; over HTTP its stream ends empty. */
function silence({ session }: Sender): Reply | undefined {
  return session ? undefined : { body: '', status: 200 };
}

function checkHeader({ method }: RequestMessage, { headers }: Sender): void {
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
    `Unsupported MCP-Protocol-Version header; this server supports ${[MODERN_VERSION, ...LEGACY_VERSIONS].join(', ')}.`,
  );
}
