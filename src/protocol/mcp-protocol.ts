// The protocol layer: one message in, one answer out, the same for every transport. It does no I/O of its own; messages before the
// answer go through `sender.send`.
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Meter } from '../call/meter.ts';
import { GatewayError } from '../errors.ts';
import type { Redaction } from '../orchestration/redaction.ts';
import type { Tracing } from '../tracing/tracing.ts';
import { createDispatch, type DispatchOptions } from './dispatch.ts';
import { claimsModern, isModernHeader, MODERN_VERSION } from './eras.ts';
import { LegacyEra, type LegacyOptions } from './legacy-era.ts';
import { createModernEra, type ModernEra } from './modern-era.ts';
import type { Introduction, MessageSource, Reply, Sender } from './sender.ts';
import { cancel } from './session.ts';
import { createSubscriptions, type Subscriptions } from './subscriptions.ts';
import { type CannedOptions, createCanned } from './wire/canned.ts';
import {
  idOfUnread,
  type JsonRpcId,
  type Message,
  type MessageParams,
  parseMessages,
  type RequestMessage,
} from './wire/jsonrpc.ts';
import { createFailureReply, type FailureReply } from './wire/replies.ts';
import { traceAnswers } from './wire/request-span.ts';

export interface ProtocolOptions
  extends Omit<CannedOptions, 'writer'>,
    Omit<DispatchOptions, 'canned'>,
    Pick<LegacyOptions, 'signer' | 'profile' | 'forward' | 'elicitTimeoutMs' | 'mailbox'> {
  readonly redaction: Redaction;
  /** Records requests. Absent: they are not recorded. */
  readonly tracing?: Tracing | undefined;
  readonly onIntroduction: (introduction: Introduction) => void;
  /** Counts requests. Absent: they are not counted. */
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
   * Call it when a message was refused without being parsed (too large, not text). It may have been the answer to a
   * question of the gateway. Which question is unknown, so all questions to that client end now instead of timing out.
   */
  loseMessage(source: MessageSource): void;
  /** Ends open subscriptions; calls in progress may finish. */
  close(): void;
  /** Cancels calls that no client can cancel any more: those of legacy clients over HTTP outlive their connection. */
  abort(): void;
}

const MAX_BATCH = 100;

export class McpProtocol implements Protocol {
  readonly #meter: ProtocolOptions['meter'];
  readonly #failureReply: FailureReply;
  readonly #subscriptions: Subscriptions;
  readonly #modern: ModernEra;
  readonly #legacy: LegacyEra;
  readonly #answer: (message: RequestMessage, sender: Sender) => Answer;

  constructor(options: ProtocolOptions) {
    const { tracing } = options;
    const cannedAnswers = createCanned(options);
    const dispatch = createDispatch({ ...options, canned: cannedAnswers });
    this.#meter = options.meter;
    this.#failureReply = createFailureReply(options.redaction, options.onInternalError);
    this.#subscriptions = createSubscriptions(options.writer);
    this.#modern = createModernEra({
      ...options,
      canned: cannedAnswers,
      dispatch,
      subscriptions: this.#subscriptions,
      failureReply: this.#failureReply,
    });
    this.#legacy = new LegacyEra({ ...options, canned: cannedAnswers, dispatch });
    this.#answer = tracing === undefined ? this.#respond : traceAnswers({ ...options, tracing }, this.#respond);
  }

  handle(source: unknown, sender: Sender): Answer {
    let messages: Message | readonly Message[];
    try {
      messages = parseMessages(source);
    } catch (error) {
      this.#endQuestion(idOfUnread(source), 'its answer could not be read', sender);
      return this.#refuseNotJsonRpc(undefined, error);
    }
    if (!isBatch(messages)) return this.#handleOne(messages, sender);
    const refusal = refuseBatch(messages, sender);
    return refusal ? this.#refuseNotJsonRpc(undefined, refusal) : this.#handleBatch(messages, sender);
  }

  loseMessage(source: MessageSource): void {
    this.#legacy.loseMessage(source, 'A message from the client could not be read; it may have been the answer');
  }

  close(): void {
    this.#subscriptions.close();
  }

  abort(): void {
    this.#legacy.abort();
  }

  #handleOne(message: Message, sender: Sender): Answer {
    try {
      return this.#route(message, sender);
    } catch (error) {
      return this.#failureReply(undefined, error, true);
    }
  }

  async #handleBatch(messages: readonly Message[], sender: Sender): Promise<Reply | undefined> {
    const answers: Answer[] = [];
    for (const message of messages) {
      // Yields between two messages, so that a batch of a hundred does not block other work.
      if (answers.length > 0) await nextTurn();
      answers.push(this.#handleOne(message, sender));
    }
    const bodies = (await Promise.all(answers)).flatMap((reply) => (reply?.body ? [reply.body] : []));
    return bodies.length > 0 ? { body: `[${bodies.join(',')}]`, status: 200 } : undefined;
  }

  #route(message: Message, sender: Sender): Answer {
    switch (message.kind) {
      case 'request':
        return this.#answer(message, sender);
      case 'notification':
        return void this.#handleNotification(message.method, message.params, sender);
      case 'response':
        return this.#legacy.settle(message, sender)?.then(
          () => undefined,
          (error: unknown) => this.#failureReply(undefined, error, false),
        );
      case 'invalid':
        return this.#refuseNotJsonRpc(message.id, invalid(message.reason));
      case 'excess':
        this.#endQuestion(message.id, message.reason, sender);
        return this.#failureReply(message.id, invalid(message.reason), true);
    }
  }

  readonly #respond = (message: RequestMessage, sender: Sender): Answer => {
    const isModern = claimsModern(message.params);
    this.#meter?.countRequest(message.method, isModern ? 'modern' : 'legacy', sender.transport);
    const fail = (error: unknown) => this.#failureReply(message.id, error, isModern);
    try {
      const reply = (isModern ? this.#modern : this.#legacy).answer(message, sender);
      return reply instanceof Promise ? reply.catch(fail) : reply;
    } catch (error) {
      return fail(error);
    }
  };

  /** The only notification with an effect is a cancellation. */
  #handleNotification(method: string, params: MessageParams | undefined, sender: Sender): void {
    const id = params?.requestId;
    if (method !== 'notifications/cancelled' || (typeof id !== 'string' && typeof id !== 'number')) return;
    if (sender.session) cancel(sender.session, id);
    else this.#legacy.cancel(sender, id);
  }

  /** Ends the question that this message answers, even if the message cannot be read: no other answer will come. */
  #endQuestion(id: JsonRpcId | undefined, message: string, sender: Sender): void {
    this.#legacy.settle({ kind: 'response', id, error: { message } }, sender)?.catch(() => {});
  }

  #refuseNotJsonRpc(id: JsonRpcId | undefined, error: unknown): Reply {
    return { ...this.#failureReply(id, error, true), notJsonRpc: true };
  }
}

function invalid(reason: string): GatewayError {
  return new GatewayError('INVALID_REQUEST', `Invalid request: ${reason}`);
}

function isBatch(messages: Message | readonly Message[]): messages is readonly Message[] {
  return Array.isArray(messages);
}

/** Batches were removed from MCP with 2025-06-18: only messages of older revisions may be sent in one. */
function refuseBatch(messages: readonly Message[], { headers }: Sender): GatewayError | undefined {
  if (messages.length === 0) return invalid('a batch must hold at least one message.');
  if (messages.length > MAX_BATCH) return invalid(`a batch may hold at most ${MAX_BATCH} messages.`);
  if (
    isModernHeader(headers?.['mcp-protocol-version']) ||
    messages.some((message) => 'params' in message && claimsModern(message.params))
  ) {
    return invalid(`${MODERN_VERSION} has no batches; send one message at a time.`);
  }
  if (messages.some((message) => message.kind === 'request' && message.method === 'initialize')) {
    return invalid('"initialize" cannot be part of a batch.');
  }
  return undefined;
}
