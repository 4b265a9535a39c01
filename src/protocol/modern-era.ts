// Revision 2026-07-28, which is stateless: every request carries its revision and the client's capabilities in `_meta`.
import type { Client } from '../call/caller.ts';
import type { RequestFacts } from '../call/execution-context.ts';
import { GatewayError } from '../errors.ts';
import type { Redaction } from '../orchestration/redaction.ts';
import { createChannel, createClientLog, createProgressReporter, progressTokenOf } from './channel.ts';
import type { Dispatch } from './dispatch.ts';
import { clientInfoOf, type Envelope, META, MODERN_VERSION, parseEnvelope } from './eras.ts';
import { askModern, canElicit, type SecondRound } from './questions/asking.ts';
import { buildRequestFacts, parseSecondRound } from './request-facts.ts';
import type { Introduction, Reply, Sender } from './sender.ts';
import { type Session, track, untrack } from './session.ts';
import type { Subscriptions } from './subscriptions.ts';
import type { Canned } from './wire/canned.ts';
import { checkRequestHeaders, checkVersionHeader } from './wire/header-checks.ts';
import type { RequestMessage } from './wire/jsonrpc.ts';
import { type FailureReply, notFound, ok } from './wire/replies.ts';

export interface ModernEraOptions {
  readonly canned: Canned;
  readonly dispatch: Dispatch;
  readonly subscriptions: Subscriptions;
  readonly redaction: Redaction;
  readonly failureReply: FailureReply;
  readonly profile: string;
  readonly forward: readonly string[];
  readonly onIntroduction: (introduction: Introduction) => void;
}

export interface ModernEra {
  answer(message: RequestMessage, sender: Sender): Reply | Promise<Reply | undefined>;
}

export function createModernEra({
  canned,
  dispatch,
  subscriptions,
  redaction,
  failureReply,
  profile,
  forward,
  onIntroduction,
}: ModernEraOptions): ModernEra {
  const perform = (
    message: RequestMessage,
    sender: Sender,
    envelope: Envelope,
    signal: AbortSignal,
  ): Promise<Reply> => {
    const { params } = message;
    const round = parseSecondRound(params);
    const logLevel = envelope.meta[META.logLevel] as string | undefined;
    const token = progressTokenOf(params);
    const client = toClient(envelope, round);
    const facts = buildRequestFacts(message, sender, client, signal, round, { profile, forward });
    if ((logLevel === undefined && token === undefined) || !sender.send) {
      return dispatch.perform(facts, message, MODERN_VERSION, sender.headers);
    }
    const channel = createChannel(sender.send, signal);
    const notifyingFacts: RequestFacts = {
      ...facts,
      progress: token === undefined ? undefined : createProgressReporter(token, channel.send, redaction),
      log: logLevel === undefined ? undefined : createClientLog(channel.send, logLevel, redaction),
    };
    return dispatch.perform(notifyingFacts, message, MODERN_VERSION, sender.headers).finally(channel.close);
  };

  const listen = async (message: RequestMessage, sender: Sender, signal: AbortSignal): Promise<Reply | undefined> => {
    const text = await subscriptions.listen(message.id, message.params, sender, signal);
    return text === undefined ? undefined : ok(message, text);
  };

  /** On stdio and TCP, `notifications/cancelled` ends a request without an answer; over HTTP, the end of its connection does. */
  const cancellable = async (
    message: RequestMessage,
    session: Session,
    run: (signal: AbortSignal) => Promise<Reply | undefined>,
  ): Promise<Reply | undefined> => {
    const controller = track(session, message.id);
    try {
      const reply = await run(controller.signal);
      return controller.signal.aborted ? undefined : reply;
    } catch (error) {
      return controller.signal.aborted ? undefined : failureReply(message.id, error, true);
    } finally {
      untrack(session, message.id, controller);
    }
  };

  return {
    answer(message, sender) {
      const { method, params } = message;
      const envelope = checkEnvelope(message, sender);
      if (method === 'server/discover') {
        const { transport, principal } = sender;
        const client = clientInfoOf(envelope.meta[META.clientInfo]);
        onIntroduction({ method, version: MODERN_VERSION, client, transport, principal: principal.id });
        return ok(message, canned.discover);
      }
      const text = dispatch.lookUp(method, MODERN_VERSION, params);
      if (text !== undefined) return ok(message, text);
      const run = dispatch.performs(method)
        ? (signal: AbortSignal) => perform(message, sender, envelope, signal)
        : method === 'subscriptions/listen'
          ? (signal: AbortSignal) => listen(message, sender, signal)
          : undefined;
      if (run) return sender.session ? cancellable(message, sender.session, run) : run(sender.signal);
      throw notFound(method);
    },
  };
}

function checkEnvelope({ method, params }: RequestMessage, { headers }: Sender): Envelope {
  const envelope = parseEnvelope(params);
  if (headers) checkVersionHeader(headers, envelope.version);
  if (envelope.version !== MODERN_VERSION) {
    throw new GatewayError(
      'UNSUPPORTED_PROTOCOL_VERSION',
      `Unsupported protocol version ${JSON.stringify(envelope.version).slice(0, 40)}.`,
      { supported: [MODERN_VERSION], requested: envelope.version },
    );
  }
  if (headers) checkRequestHeaders(headers, method, params);
  return envelope;
}

function toClient({ capabilities, meta }: Envelope, round: SecondRound): Client {
  const info = clientInfoOf(meta[META.clientInfo]);
  const client: Client = {
    era: 'modern',
    takesRounds: true,
    version: MODERN_VERSION,
    name: info?.name,
    release: info?.version,
    capabilities,
  };
  const isAnswered = round.requestState !== undefined && round.answers !== undefined;
  return canElicit(capabilities) || isAnswered ? { ...client, ask: askModern } : client;
}
