// 2026-07-28: stateless. Every request carries its revision and the client's capabilities in `_meta`.
import type { Client } from '../call/caller.ts';
import type { RequestFacts } from '../call/execution-context.ts';
import { GatewayError } from '../errors.ts';
import type { Redaction } from '../orchestration/redaction.ts';
import { createChannel, createLog, createProgress, progressTokenOf } from './channel.ts';
import type { Dispatch } from './dispatch.ts';
import { clientInfoOf, type Envelope, META, MODERN_VERSION, parseEnvelope } from './eras.ts';
import { askModern, canElicit, type SecondRound } from './questions/asking.ts';
import { parseSecondRound, toRequestFacts } from './request-facts.ts';
import type { Introduction, Reply, Sender } from './sender.ts';
import { type Session, track, untrack } from './session.ts';
import type { Subscriptions } from './subscriptions.ts';
import type { Canned } from './wire/canned.ts';
import type { FailureReply } from './wire/failure-reply.ts';
import { checkRequestHeaders, checkVersionHeader } from './wire/header-checks.ts';
import type { RequestMessage } from './wire/jsonrpc.ts';
import { notFound, ok } from './wire/reply.ts';

export interface ModernParts {
  readonly canned: Canned;
  readonly dispatch: Dispatch;
  readonly subscriptions: Subscriptions;
  readonly redaction: Redaction;
  readonly failed: FailureReply;
  readonly profile: string;
  readonly forward: readonly string[];
  readonly onIntroduction: (introduction: Introduction) => void;
}

export interface Modern {
  answer(message: RequestMessage, sender: Sender): Reply | Promise<Reply | undefined>;
}

export function createModern({
  canned,
  dispatch,
  subscriptions,
  redaction,
  failed,
  profile,
  forward,
  onIntroduction,
}: ModernParts): Modern {
  const surroundings = { profile, forward };
  const perform = (
    message: RequestMessage,
    sender: Sender,
    envelope: Envelope,
    signal: AbortSignal,
  ): Promise<Reply> => {
    const { params } = message;
    const round = parseSecondRound(params);
    const bar = envelope.meta[META.logLevel] as string | undefined;
    const token = progressTokenOf(params);
    const client = toClient(envelope, round);
    const facts = toRequestFacts(message, sender, client, signal, round, surroundings);
    if ((bar === undefined && token === undefined) || !sender.send) {
      return dispatch.perform(facts, message, MODERN_VERSION, sender.headers);
    }
    const channel = createChannel(sender.send, signal);
    const live: RequestFacts = {
      ...facts,
      progress: token === undefined ? undefined : createProgress(token, channel.send, redaction),
      log: bar === undefined ? undefined : createLog(channel.send, bar, redaction),
    };
    return dispatch.perform(live, message, MODERN_VERSION, sender.headers).finally(channel.shut);
  };

  const listen = async (message: RequestMessage, sender: Sender, signal: AbortSignal): Promise<Reply | undefined> => {
    const text = await subscriptions.listen(message.id, message.params, sender, signal);
    return text === undefined ? undefined : ok(message, text);
  };

  /** On a connection `notifications/cancelled` ends a request, without an answer; over HTTP the connection's end does. */
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
      return controller.signal.aborted ? undefined : failed(message.id, error, true);
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
      const text = dispatch.look(method, MODERN_VERSION, params);
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
