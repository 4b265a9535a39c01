// 2026-07-28: stateless. Every request carries its revision and the client's capabilities in `_meta`.
import type { Client } from '../call/caller.ts';
import type { RequestFacts } from '../call/execution-context.ts';
import { GatewayError } from '../errors.ts';
import type { Redaction } from '../orchestration/redaction.ts';
import { canElicit, createModernAsk, type SecondRound } from './asking.ts';
import { createChannel, createLog, createProgress, progressTokenOf } from './channel.ts';
import type { Dispatch } from './dispatch.ts';
import { clientInfoOf, type Envelope, META, MODERN_VERSION, parseEnvelope } from './eras.ts';
import { parseSecondRound, toRequestFacts } from './request-facts.ts';
import type { Introduction, Reply, Sender } from './sender.ts';
import { track, untrack } from './session.ts';
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
  onIntroduction,
}: ModernParts): Modern {
  /** Runs what takes time, where `notifications/cancelled` can end it; over HTTP the connection is the cancellation. */
  const cancellable = async (
    message: RequestMessage,
    sender: Sender,
    run: (signal: AbortSignal) => Promise<string | undefined>,
  ): Promise<Reply | undefined> => {
    const { session, signal } = sender;
    const controller = session && track(session, message.id);
    try {
      const text = await run(controller?.signal ?? signal);
      return text === undefined || controller?.signal.aborted ? undefined : ok(message, text);
    } catch (error) {
      return controller?.signal.aborted ? undefined : failed(message.id, error, true);
    } finally {
      if (controller) untrack(session, message.id, controller);
    }
  };

  const perform = async (message: RequestMessage, sender: Sender, envelope: Envelope, signal: AbortSignal) => {
    const { params } = message;
    const round = parseSecondRound(params);
    const bar = envelope.meta[META.logLevel] as string | undefined;
    const token = progressTokenOf(params);
    const channel =
      sender.send && (bar !== undefined || token !== undefined) ? createChannel(sender.send, signal) : undefined;
    const live: Pick<RequestFacts, 'progress' | 'log'> = channel
      ? {
          progress: token === undefined ? undefined : createProgress(token, channel.send, redaction),
          log: bar === undefined ? undefined : createLog(channel.send, bar, redaction),
        }
      : NOTHING_LIVE;
    const facts = toRequestFacts(message, sender, toClient(envelope, round), signal, round, live);
    try {
      return await dispatch.perform(facts, MODERN_VERSION, params, sender.headers);
    } finally {
      channel?.shut();
    }
  };

  return {
    answer(message, sender) {
      const { id, method, params } = message;
      const envelope = checkEnvelope(message, sender);
      if (method === 'server/discover') {
        const { transport, principal } = sender;
        const client = clientInfoOf(envelope.meta[META.clientInfo]);
        onIntroduction({ method, version: MODERN_VERSION, client, transport, principal: principal.id });
        return ok(message, canned.discover);
      }
      const text = dispatch.look(method, MODERN_VERSION, params);
      if (text !== undefined) return ok(message, text);
      if (dispatch.performs(method))
        return cancellable(message, sender, (signal) => perform(message, sender, envelope, signal));
      if (method === 'subscriptions/listen')
        return cancellable(message, sender, (signal) => subscriptions.listen(id, params, sender, signal));
      throw notFound(method);
    },
  };
}

const NOTHING_LIVE = Object.freeze({});

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

function toClient({ capabilities }: Envelope, round: SecondRound): Client {
  const client: Client = { era: 'modern', version: MODERN_VERSION, capabilities };
  const isAnswered = round.requestState !== undefined && round.answers !== undefined;
  return canElicit(capabilities) || isAnswered ? { ...client, ask: createModernAsk(round) } : client;
}
