// Requests of the gateway to a legacy client (elicitation, sampling, roots), and their answers, which come on the same
// connection or in another POST. Ids cannot be guessed, and only the client that was asked can answer.
import { randomUUID } from 'node:crypto';
import type { Principal } from '../../call/caller.ts';
import { GatewayError, UnansweredError } from '../../errors.ts';
import { FairShare } from '../fair-share.ts';
import { type JsonRpcId, writeNotification, writeRequest } from '../wire/jsonrpc.ts';
import type { SessionRelay } from './session-relay.ts';

interface QuestionedClient {
  /** Only answers from this owner count. */
  readonly owner: unknown;
  /** Limits count by principal, which may have many clients. */
  readonly principal: Pick<Principal, 'id'>;
  readonly send: (message: string) => void;
  /** Aborted when no answer can come any more. */
  readonly ended?: AbortSignal | undefined;
}

export interface ClientQuestions {
  /** `signal` cancels the question together with the call that asks it. */
  ask(client: QuestionedClient, method: string, params: unknown, signal: AbortSignal): Promise<unknown>;
  /** False if no question waits for this answer. */
  settle(owner: unknown, id: JsonRpcId, result: unknown, error: unknown): boolean;
  /** Ends all questions to a client, because one of its answers was lost and it is unknown which. */
  giveUp(owner: unknown, why: string): void;
}

interface PendingQuestion {
  readonly owner: unknown;
  readonly principal: QuestionedClient['principal'];
  readonly resolve: (result: unknown) => void;
  readonly reject: (error: unknown) => void;
  /** Cancels the question. */
  readonly giveUp: (reason: string, error: GatewayError) => void;
}

/** A client that never answers must not use up the questions of all others. */
const MAX_PENDING_PER_CLIENT = 20;
const MAX_PENDING = 5_000;

/** `mailbox`: set if another process may receive the answers. */
export function createClientQuestions(
  timeoutMs = 300_000,
  mailbox?: Pick<SessionRelay, 'address' | 'isUsable'>,
): ClientQuestions {
  const prefix = mailbox === undefined ? 'landbridge-' : `landbridge-${mailbox.address}-`;
  const pending = new Map<JsonRpcId, PendingQuestion>();
  /** By the client that must answer them. */
  const byOwner = new Map<unknown, Set<PendingQuestion>>();
  const permits = new FairShare(MAX_PENDING);
  const enter = (id: JsonRpcId, entry: PendingQuestion) => {
    pending.set(id, entry);
    byOwner.set(entry.owner, (byOwner.get(entry.owner) ?? new Set()).add(entry));
  };
  const leave = (id: JsonRpcId) => {
    const entry = pending.get(id);
    if (entry === undefined) return;
    pending.delete(id);
    permits.release(entry.principal);
    const own = byOwner.get(entry.owner);
    own?.delete(entry);
    if (own?.size === 0) byOwner.delete(entry.owner);
  };
  return {
    ask({ owner, principal, send, ended }, method, params, signal) {
      return new Promise((resolve, reject) => {
        // Over HTTP, any process may receive the answer. Without shared state it would be lost, so the question is not asked.
        if (typeof owner === 'string' && mailbox?.isUsable === false)
          throw new UnansweredError('The user cannot be asked while the shared state is down');
        if ((byOwner.get(owner)?.size ?? 0) >= MAX_PENDING_PER_CLIENT) throw tooMany();
        const id = prefix + randomUUID();
        // Serialised before a permit is acquired: values that JSON cannot express throw here.
        const text = writeRequest(id, method, params);
        const finish = () => {
          clearTimeout(timer);
          signal.removeEventListener('abort', onAbort);
          ended?.removeEventListener('abort', onEnd);
          leave(id);
        };
        const giveUp = (reason: string, error: GatewayError) => {
          // Only a question that was sent can be cancelled.
          if (pending.has(id)) send(writeNotification('notifications/cancelled', { requestId: id, reason }));
          finish();
          reject(error);
        };
        const onAbort = () =>
          giveUp('The call was cancelled', new GatewayError('CANCELLED', 'The caller cancelled the call.'));
        const onEnd = () =>
          giveUp('No answer can come', new UnansweredError('The client closed the connection before it answered'));
        const onTimeout = () =>
          giveUp('No answer in time', new UnansweredError(`Nobody answered within ${timeoutMs / 1000} s`));
        const timer = setTimeout(onTimeout, timeoutMs);
        timer.unref();
        if (signal.aborted) return onAbort();
        if (ended?.aborted) return onEnd();
        if (!permits.acquire(principal)) {
          clearTimeout(timer);
          throw tooMany();
        }
        signal.addEventListener('abort', onAbort, { once: true });
        ended?.addEventListener('abort', onEnd, { once: true });
        enter(id, {
          owner,
          principal,
          giveUp,
          resolve: (result) => {
            finish();
            resolve(result);
          },
          reject: (error) => {
            finish();
            reject(error);
          },
        });
        send(text);
      });
    },
    settle(owner, id, result, error) {
      const entry = pending.get(id);
      if (!entry || entry.owner !== owner) return false;
      if (error === undefined) entry.resolve(result);
      else {
        const { message } = (error ?? {}) as { message?: unknown };
        // A client may send anything here: an object with its own toString must not reach String().
        const why = typeof message === 'string' ? message.slice(0, 200) : 'it gave no reason';
        entry.reject(new UnansweredError(`The client could not ask the user (${why})`));
      }
      return true;
    },
    giveUp(owner, why) {
      for (const entry of [...(byOwner.get(owner) ?? [])]) entry.giveUp('No answer can come', new UnansweredError(why));
    },
  };
}

function tooMany(): GatewayError {
  return new GatewayError('RATE_LIMITED', 'Too many questions are open; answer some of them, then try again.');
}
