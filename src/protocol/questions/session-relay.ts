// Messages between processes about sessions of legacy HTTP clients: the answer to a question of another process, a call to cancel in
// whichever process runs it, a message that could not be read. The sending process has checked whose session it is.
import { setTimeout as pause } from 'node:timers/promises';
import type { Principal } from '../../call/caller.ts';
import { parseJsonObject } from '../../endpoint/untrusted.ts';
import { GatewayError } from '../../errors.ts';
import { FairShare } from '../fair-share.ts';
import type { JsonRpcId } from '../wire/jsonrpc.ts';
import type { MessageBus } from './message-bus.ts';

/** An answer of a client. */
export interface ClientAnswer {
  readonly id: JsonRpcId;
  readonly result?: unknown;
  readonly error?: unknown;
}

/** A protocol of this process. It handles messages about its own sessions only. */
export interface RelayTarget {
  settle(session: string, answer: ClientAnswer): void;
  cancel(session: string, id: JsonRpcId): void;
  giveUp(session: string, why: string): void;
}

export interface SessionRelay {
  /** The address of this process, which is part of the ids of its questions. */
  readonly address: string;
  /** False while an answer that another process receives could not be forwarded. */
  readonly isUsable: boolean;
  register(target: RelayTarget): void;
  /**
   * Sends the answer to the process that asked. Rejects if that is impossible now; answers whose id is not that of a
   * question of the gateway are dropped.
   */
  forward(session: string, principal: Pick<Principal, 'id'>, answer: ClientAnswer): Promise<void>;
  cancel(session: string, principal: Pick<Principal, 'id'>, id: JsonRpcId): void;
  giveUp(session: string, principal: Pick<Principal, 'id'>, why: string): void;
}

/** The address in the id of a question. */
const QUESTION = /^landbridge-([0-9a-f]{16})-[0-9a-f-]{36}$/;
/** Longer ids of a client are not sent, because every process would have to read them. */
const MAX_ID_CHARS = 256;

const MAX_CHARS = 1024 * 1024;
/** How long to retry while Redis is being restarted, or while the process has lost its connection to it. */
const RETRY_FOR_MS = 2_000;
const RETRY_MS = 100;
/** The most answers that are retried at a time. */
const MAX_RETRYING = 500;

export function createSessionRelay(bus: MessageBus): SessionRelay {
  const targets: RelayTarget[] = [];
  const permits = new FairShare(MAX_RETRYING);
  const rateLimit = new RateLimit();
  bus.receive((text) => {
    const message = parseRelayMessage(text);
    for (const target of message ? targets : []) deliver(message!, target);
  });

  const deliverWithin = async (to: string, text: string, retryForMs: number): Promise<void> => {
    const until = performance.now() + retryForMs;
    while ((await bus.send(to, text)) !== 'delivered') {
      // An empty message tests whether the receiver is reachable, so that a large one is not sent again and again.
      do {
        if (performance.now() + RETRY_MS > until) throw undelivered();
        await pause(RETRY_MS);
      } while ((await bus.send(to, '')) !== 'delivered');
    }
  };

  return {
    address: bus.address,
    get isUsable() {
      return bus.isUsable;
    },
    register: (target) => void targets.push(target),
    async forward(session, principal, answer) {
      const [, to] = (typeof answer.id === 'string' && QUESTION.exec(answer.id)) || [];
      if (to === undefined || to === bus.address) return;
      const text = writeAnswer(session, answer);
      const mayRetry = permits.acquire(principal);
      try {
        await deliverWithin(to, text, mayRetry ? RETRY_FOR_MS : 0);
      } finally {
        if (mayRetry) permits.release(principal);
      }
    },
    cancel(session, principal, id) {
      if (String(id).length > MAX_ID_CHARS) return;
      if (rateLimit.take(principal.id)) bus.sendAll(JSON.stringify({ session, cancel: id }));
    },
    giveUp(session, principal, why) {
      if (rateLimit.take(principal.id)) bus.sendAll(JSON.stringify({ session, unread: why }));
    },
  };
}

interface RelayMessage {
  readonly session: string;
  readonly answer?: ClientAnswer;
  readonly cancel?: JsonRpcId;
  readonly unread?: string;
}

/** An answer that is too large still ends its question: no other answer will come. */
function writeAnswer(session: string, answer: ClientAnswer): string {
  const text = JSON.stringify({ session, answer });
  if (text.length <= MAX_CHARS) return text;
  const error = { message: 'its answer is too large to be passed on' };
  return JSON.stringify({ session, answer: { id: answer.id, error } });
}

/** Messages come from our own processes, but perhaps of another release. */
function parseRelayMessage(text: string): RelayMessage | undefined {
  const message = parseJsonObject(text);
  return typeof message?.session === 'string' ? (message as unknown as RelayMessage) : undefined;
}

function deliver({ session, answer, cancel, unread }: RelayMessage, target: RelayTarget): void {
  if (answer !== undefined) target.settle(session, answer);
  if (cancel !== undefined) target.cancel(session, cancel);
  if (unread !== undefined) target.giveUp(session, unread);
}

function undelivered(): GatewayError {
  return new GatewayError(
    'ANSWER_UNDELIVERED',
    'The answer could not be handed to the process of this gateway that asked: that process has ended, or the shared state is down. Send the same answer again in a few seconds; if the call has ended by then, make it again.',
    { retry_after_seconds: 2 },
  );
}

/** Messages per second. Limited because each message costs every process some work. */
const MAX_PER_CALLER = 50;
const MAX_PER_SECOND = 500;

class RateLimit {
  readonly #own = new Map<string, number>();
  #all = 0;
  #second = 0;

  take(caller: string): boolean {
    const second = Math.floor(performance.now() / 1_000);
    if (second !== this.#second) {
      this.#second = second;
      this.#all = 0;
      this.#own.clear();
    }
    const own = this.#own.get(caller) ?? 0;
    if (own >= MAX_PER_CALLER || this.#all >= MAX_PER_SECOND) return false;
    this.#own.set(caller, own + 1);
    this.#all++;
    return true;
  }
}
