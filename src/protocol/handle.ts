// handle(message, sender): the whole protocol, one message at a time, the same for every transport. Pure of I/O: what goes
// out before the answer goes through `sender.send`.
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Meter } from '../call/meter.ts';
import { GatewayError } from '../errors.ts';
import type { Redaction } from '../orchestration/redaction.ts';
import type { Tracing } from '../tracing/tracing.ts';
import { createDispatch, type DispatchParts } from './dispatch.ts';
import { claimsModern, isModernHeader, MODERN_VERSION } from './eras.ts';
import { createLegacy, type LegacyParts } from './legacy-era.ts';
import { createModern } from './modern-era.ts';
import type { Introduction, Origin, Reply, Sender } from './sender.ts';
import { cancel } from './session.ts';
import { createSubscriptions } from './subscriptions.ts';
import { type CannedParts, createCanned } from './wire/canned.ts';
import { createFailureReply } from './wire/failure-reply.ts';
import {
  idOfUnread,
  type Message,
  type Params,
  parseMessages,
  type RequestId,
  type RequestMessage,
} from './wire/jsonrpc.ts';
import { traceAnswers } from './wire/request-span.ts';

export interface ProtocolParts
  extends Omit<CannedParts, 'writer'>,
    Omit<DispatchParts, 'canned'>,
    Pick<LegacyParts, 'signer' | 'profile' | 'forward' | 'elicitTimeoutMs' | 'mailbox'> {
  readonly redaction: Redaction;
  /** Where requests are recorded. Absent: nowhere. */
  readonly tracing?: Tracing | undefined;
  readonly onIntroduction: (introduction: Introduction) => void;
  /** Counts requests. Absent: nobody counts. */
  readonly meter?: Pick<Meter, 'countRequest'> | undefined;
  /** Called with unexpected errors; the client only learns that there was one. */
  readonly onInternalError: (error: unknown) => void;
}

/** Undefined: nothing to answer. */
type Answer = Reply | undefined | Promise<Reply | undefined>;

export interface Protocol {
  /** `message`: JSON text, or a message that is parsed already. Never throws and never rejects. */
  handle(message: unknown, sender: Sender): Answer;
  /**
   * A message was refused unread (too large, not text). It may have been the answer to a question of ours, but to which is
   * unknown, so all questions to that client end now instead of when they time out.
   */
  loseMessage(origin: Origin): void;
  /** Ends what would otherwise stay open forever; calls in progress may finish. */
  close(): void;
  /** Gives up calls that no client can end any more: those of legacy clients over HTTP outlive their connection. */
  abort(): void;
}

const MAX_BATCH = 100;

export function createProtocol(parts: ProtocolParts): Protocol {
  const { meter } = parts;
  const replies = createCanned(parts);
  const dispatch = createDispatch({ ...parts, canned: replies });
  const failureReply = createFailureReply(parts.redaction, parts.onInternalError);
  const subscriptions = createSubscriptions(parts.writer);
  const modern = createModern({ ...parts, canned: replies, dispatch, subscriptions, failed: failureReply });
  const legacy = createLegacy({ ...parts, canned: replies, dispatch });

  const stray = (id: RequestId | undefined, error: unknown): Reply => ({
    ...failureReply(id, error, true),
    notJsonRpc: true,
  });
  const invalid = (reason: string) => new GatewayError('INVALID_REQUEST', `Invalid request: ${reason}`);

  const respond = (message: RequestMessage, sender: Sender): Answer => {
    const isModern = claimsModern(message.params);
    meter?.countRequest(message.method, isModern ? 'modern' : 'legacy', sender.transport);
    const fail = (error: unknown) => failureReply(message.id, error, isModern);
    try {
      const reply = (isModern ? modern : legacy).answer(message, sender);
      return reply instanceof Promise ? reply.catch(fail) : reply;
    } catch (error) {
      return fail(error);
    }
  };

  const { tracing } = parts;
  const answer = tracing === undefined ? respond : traceAnswers({ ...parts, tracing }, respond);

  const takeNote = (method: string, params: Params | undefined, sender: Sender): void => {
    const id = params?.requestId;
    if (method !== 'notifications/cancelled' || (typeof id !== 'string' && typeof id !== 'number')) return;
    if (sender.session) cancel(sender.session, id);
    else legacy.cancel(sender, id);
  };

  /** An answer to a question of ours ends the question even if it cannot be read: no other one will come. */
  const endQuestion = (id: RequestId | undefined, message: string, sender: Sender): void => {
    legacy.settle({ kind: 'response', id, error: { message } }, sender)?.catch(() => {});
  };

  const route = (message: Message, sender: Sender): Answer => {
    switch (message.kind) {
      case 'request':
        return answer(message, sender);
      case 'notification':
        return void takeNote(message.method, message.params, sender);
      case 'response':
        return legacy.settle(message, sender)?.then(
          () => undefined,
          (error: unknown) => failureReply(undefined, error, false),
        );
      case 'invalid':
        return stray(message.id, invalid(message.reason));
      case 'excess':
        endQuestion(message.id, message.reason, sender);
        return failureReply(message.id, invalid(message.reason), true);
    }
  };

  const one = (message: Message, sender: Sender): Answer => {
    try {
      return route(message, sender);
    } catch (error) {
      return failureReply(undefined, error, true);
    }
  };

  const batch = async (messages: readonly Message[], sender: Sender): Promise<Reply | undefined> => {
    const answers: Answer[] = [];
    for (const message of messages) {
      // Other work gets a turn between two messages, so that a batch of a hundred does not block it.
      if (answers.length > 0) await nextTurn();
      answers.push(one(message, sender));
    }
    const bodies = (await Promise.all(answers)).flatMap((reply) => (reply?.body ? [reply.body] : []));
    return bodies.length > 0 ? { body: `[${bodies.join(',')}]`, status: 200 } : undefined;
  };

  return {
    handle(source, sender) {
      let messages: Message | readonly Message[];
      try {
        messages = parseMessages(source);
      } catch (error) {
        endQuestion(idOfUnread(source), 'its answer could not be read', sender);
        return stray(undefined, error);
      }
      if (!isBatch(messages)) return one(messages, sender);
      const refusal = refuseBatch(messages, sender);
      return refusal ? stray(undefined, refusal) : batch(messages, sender);
    },
    loseMessage: (origin) =>
      legacy.loseMessage(origin, 'A message from the client could not be read; it may have been the answer'),
    close: () => subscriptions.close(),
    abort: () => legacy.abort(),
  };
}

function isBatch(messages: Message | readonly Message[]): messages is readonly Message[] {
  return Array.isArray(messages);
}

/** Batches were removed from MCP with 2025-06-18: only messages of older revisions may come in one. */
function refuseBatch(messages: readonly Message[], { headers }: Sender): GatewayError | undefined {
  const refuse = (why: string) => new GatewayError('INVALID_REQUEST', `Invalid request: ${why}`);
  if (messages.length === 0) return refuse('a batch must hold at least one message.');
  if (messages.length > MAX_BATCH) return refuse(`a batch may hold at most ${MAX_BATCH} messages.`);
  if (
    isModernHeader(headers?.['mcp-protocol-version']) ||
    messages.some((message) => 'params' in message && claimsModern(message.params))
  ) {
    return refuse(`${MODERN_VERSION} has no batches; send one message at a time.`);
  }
  if (messages.some((message) => message.kind === 'request' && message.method === 'initialize')) {
    return refuse('"initialize" cannot be part of a batch.');
  }
  return undefined;
}
