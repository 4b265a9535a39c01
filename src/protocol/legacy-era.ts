// Revisions 2025-11-25 and older: `initialize`, `ping`, and requests of the gateway to the client. The gateway stores
// no session for HTTP; on stdio and TCP, the connection is the session.
import type { Client } from '../call/caller.ts';
import { isObject } from '../endpoint/is-object.ts';
import { GatewayError } from '../errors.ts';
import { SharedSignal } from '../event-loop/abort-listeners.ts';
import type { Redaction } from '../orchestration/redaction.ts';
import type { Signer } from '../orchestration/signer.ts';
import type { CallSpan } from '../tracing/call-span.ts';
import { createChannel, createClientLog, createProgressReporter, progressTokenOf } from './channel.ts';
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
import { canElicit, createLegacyAsk, type SendRequest } from './questions/asking.ts';
import { type ClientQuestions, createClientQuestions } from './questions/client-questions.ts';
import type { SessionRelay } from './questions/session-relay.ts';
import { buildRequestFacts, parseSecondRound } from './request-facts.ts';
import type { Introduction, MessageSource, Reply, Sender } from './sender.ts';
import { cancel, cancelAll, type PendingRequests, type Session, track, untrack } from './session.ts';
import { createSessionIds, type SessionIds } from './session-ids.ts';
import type { Canned } from './wire/canned.ts';
import type { JsonRpcId, Message, RequestMessage } from './wire/jsonrpc.ts';
import { notFound, ok } from './wire/replies.ts';

export interface LegacyOptions {
  readonly canned: Canned;
  readonly dispatch: Dispatch;
  readonly signer: Signer;
  readonly redaction: Redaction;
  /** '' is the default profile. */
  readonly profile: string;
  /** Headers of a request that domains pass on to their APIs; lower case. */
  readonly forward: readonly string[];
  readonly elicitTimeoutMs?: number | undefined;
  /** Set if other processes serve the same clients. */
  readonly mailbox?: SessionRelay | undefined;
  readonly logging: boolean;
  readonly subscribe: boolean;
  readonly onIntroduction: (introduction: Introduction) => void;
}

/** A client with what it declared: on its connection, or over HTTP in its signed session id. */
interface LegacyClient {
  /** Only answers from this owner count. */
  readonly owner: unknown;
  readonly capabilities: Readonly<Record<string, unknown>>;
  readonly name?: string | undefined;
  readonly release?: string | undefined;
  readonly requests: PendingRequests;
}

export class LegacyEra {
  readonly #options: LegacyOptions;
  readonly #sessionIds: SessionIds;
  readonly #questions: ClientQuestions;
  readonly #httpClients: HttpClients;
  /** For HTTP, where a disconnect is not a cancellation (2025-11-25, basic/transports): aborted only by abort(). */
  readonly #shutdown = new SharedSignal();

  constructor(options: LegacyOptions) {
    const { mailbox } = options;
    this.#options = options;
    this.#sessionIds = createSessionIds(options.signer);
    this.#questions = createClientQuestions(options.elicitTimeoutMs, mailbox);
    this.#httpClients = new HttpClients(this.#sessionIds);
    mailbox?.register({
      settle: (session, { id, result, error }) => void this.#questions.settle(session, id, result, error),
      cancel: (session, id) => void this.#httpClients.cancel(session, id),
      giveUp: (session, why) => this.#questions.giveUp(session, why),
    });
  }

  answer(message: RequestMessage, sender: Sender): Reply | Promise<Reply | undefined> {
    const { method, params } = message;
    const { dispatch } = this.#options;
    checkHeader(message, sender);
    if (method === 'initialize') return initialize(message, sender, this.#options, this.#sessionIds);
    refuseForeignSession(sender, this.#sessionIds);
    if (method === 'ping') return ok(message, '{}');
    if (dispatch.performs(method)) return this.#perform(message, sender);
    const text =
      dispatch.lookUp(method, versionOf(sender), params) ?? changeConnectionSettings(message, sender, this.#options);
    if (text === undefined) throw notFound(method);
    return ok(message, text);
  }

  /** Returns a promise if another process asked; it rejects if the answer cannot be delivered. */
  settle({ id, result, error }: Extract<Message, { kind: 'response' }>, sender: Sender): Promise<void> | undefined {
    const owner = sender.session ?? this.#httpClients.idOf(sender);
    if (owner === undefined || id === undefined || this.#questions.settle(owner, id, result, error)) return undefined;
    if (typeof owner !== 'string') return undefined;
    return this.#options.mailbox?.forward(owner, sender.principal, { id, result, error });
  }

  loseMessage(source: MessageSource, why: string): void {
    const owner = source.session ?? this.#httpClients.idOf(source);
    if (owner === undefined) return;
    this.#questions.giveUp(owner, why);
    if (typeof owner === 'string') this.#options.mailbox?.giveUp(owner, source.principal, why);
  }

  /** Cancels a request over HTTP, in whichever process it is in progress. */
  cancel(sender: Sender, id: JsonRpcId): void {
    const session = this.#httpClients.idOf(sender);
    if (session === undefined || this.#httpClients.cancel(session, id)) return;
    this.#options.mailbox?.cancel(session, sender.principal, id);
  }

  /** Cancels all requests in progress over HTTP. */
  abort(): void {
    this.#shutdown.abort();
    this.#httpClients.cancelAll();
  }

  async #perform(message: RequestMessage, sender: Sender): Promise<Reply | undefined> {
    const { id, params } = message;
    const { session, send } = sender;
    const { logging, redaction, dispatch } = this.#options;
    const version = versionOf(sender);
    const legacyClient = session ? fromSession(session) : this.#httpClients.enter(sender);
    const controller = legacyClient && track(legacyClient.requests, id);
    const signal = controller?.signal ?? (sender.transport === 'http' ? this.#shutdown.signal : sender.signal);
    // A POST that accepts only JSON must get an answer even if the request was cancelled.
    const mayBeSilent = session !== undefined || send !== undefined;
    const token = progressTokenOf(params);
    const channel = send && (logging || token !== undefined) ? createChannel(send, signal) : undefined;
    const notifications = channel && {
      progress: token !== undefined ? createProgressReporter(token, channel.send, redaction) : undefined,
      log: logging ? createClientLog(channel.send, session?.logLevel, redaction) : undefined,
    };
    try {
      const client = toClient(legacyClient, sender, version, this.#questions, redaction, message.span);
      const round = parseSecondRound(params);
      const facts = buildRequestFacts(message, sender, client, signal, round, this.#options);
      const reply = await dispatch.perform(notifications ? { ...facts, ...notifications } : facts, message, version);
      return signal.aborted && mayBeSilent ? silence(sender) : reply;
    } catch (error) {
      if (signal.aborted && mayBeSilent) return silence(sender);
      throw error;
    } finally {
      channel?.close();
      if (legacyClient && controller) untrack(legacyClient.requests, id, controller);
      if (!session) this.#httpClients.leave(sender);
    }
  }
}

function fromSession(session: Session): LegacyClient {
  return {
    owner: session,
    capabilities: session.capabilities,
    name: session.clientName,
    release: session.clientRelease,
    requests: session,
  };
}

/** The HTTP clients with requests in progress in this process, by session id. */
class HttpClients {
  readonly #sessionIds: SessionIds;
  readonly #clients = new Map<string, LegacyClient>();

  constructor(sessionIds: SessionIds) {
    this.#sessionIds = sessionIds;
  }

  /** The session id of a sender; undefined if it has none, or one that was not issued to this caller. */
  idOf(sender: MessageSource): string | undefined {
    const id = sessionIdIn(sender);
    return id !== undefined && this.#sessionIds.read(sender.principal.id, id) ? id : undefined;
  }

  /**
   * Call it when a request of a session begins; undefined if the session id is missing or not signed for this caller.
   */
  enter(sender: Sender): LegacyClient | undefined {
    const id = sessionIdIn(sender);
    const declaration = id === undefined ? undefined : this.#sessionIds.read(sender.principal.id, id);
    if (id === undefined || !declaration) return undefined;
    const { capabilities, name, release } = declaration;
    const client = this.#clients.get(id) ?? {
      owner: id,
      capabilities,
      name,
      release,
      requests: { underWay: new Map() },
    };
    this.#clients.set(id, client);
    return client;
  }

  /** Call it when a request is answered. Sessions without requests in progress are not stored. */
  leave(sender: Sender): void {
    const id = sessionIdIn(sender);
    if (id !== undefined && this.#clients.get(id)?.requests.underWay.size === 0) this.#clients.delete(id);
  }

  /** False if this process has no such request in progress. */
  cancel(session: string, id: JsonRpcId): boolean {
    const requests = this.#clients.get(session)?.requests;
    if (!requests?.underWay.has(id)) return false;
    cancel(requests, id);
    return true;
  }

  cancelAll(): void {
    for (const { requests } of this.#clients.values()) cancelAll(requests);
  }
}

function sessionIdIn({ headers }: MessageSource): string | undefined {
  const id = headers?.['mcp-session-id'];
  return typeof id === 'string' ? id : undefined;
}

/**
 * An identified caller may only use its own sessions. Sessions of anonymous callers are not bound to anyone, and an id
 * from before a restart does no harm.
 */
function refuseForeignSession({ headers, principal }: Sender, sessionIds: SessionIds): void {
  const id = headers?.['mcp-session-id'];
  if (id === undefined || principal.id === 'anonymous') return;
  if (typeof id === 'string' && sessionIds.read(principal.id, id)) return;
  throw new GatewayError(
    'SESSION_NOT_FOUND',
    'Session not found: it belongs to another caller or profile, or to another server. Send "initialize" without Mcp-Session-Id.',
  );
}

const NO_CAPABILITIES = Object.freeze({});

function initialize(
  message: RequestMessage,
  { session, headers, principal, transport }: Sender,
  { canned, onIntroduction }: LegacyOptions,
  sessionIds: SessionIds,
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
  return { ...reply, sessionId: sessionIds.mint(principal.id, declaration) };
}

/** Handles the methods that only change settings of a connection; undefined for all others. */
function changeConnectionSettings(
  { method, params }: RequestMessage,
  { session }: Sender,
  { logging, subscribe }: LegacyOptions,
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
  legacyClient: LegacyClient | undefined,
  { session, principal, send, park, signal: connection }: Sender,
  version: LegacyVersion,
  questions: ClientQuestions,
  redaction: Redaction,
  span: CallSpan | undefined,
): Client {
  const capabilities = legacyClient?.capabilities ?? NO_CAPABILITIES;
  const { name, release } = legacyClient ?? {};
  const client: Client = { era: 'legacy', version, name, release, capabilities };
  if (!send || !legacyClient || Object.keys(capabilities).length === 0) return client;
  // A question is sent on the stream of its request; once that is closed, the client cannot read it.
  const peer = { owner: legacyClient.owner, principal, send, ended: session?.ended.signal ?? connection };
  const sendRequest: SendRequest = async (method, params, signal, parent) => {
    const unpark = park?.();
    const question = parent?.beginClient(method, { 'mcp.method.name': method, 'mcp.protocol.version': version });
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
    request: (method, params, signal) => sendRequest(method, params, signal, span),
    ...(canElicit(capabilities) && { ask: createLegacyAsk(sendRequest) }),
  };
}

/** A cancelled request gets no answer; over HTTP its stream ends empty. */
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
