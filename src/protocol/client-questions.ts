// Requests of ours to a legacy client (elicitation, sampling, roots), and the answers that come back: on the same
// connection, or on another POST. Ids are unguessable and an answer counts only from whom it was asked of.
import { randomUUID } from 'node:crypto';
import { GatewayError, UnansweredError } from '../errors.ts';
import { type RequestId, writeNotification, writeRequest } from './wire/jsonrpc.ts';

export interface Peer {
  /** Whose answer counts. */
  readonly owner: unknown;
  readonly send: (message: string) => void;
  /** Aborted when no answer can come any more. */
  readonly ended?: AbortSignal | undefined;
}

export interface ClientQuestions {
  /** `signal` cancels the question together with the call that asks it. */
  ask(peer: Peer, method: string, params: unknown, signal: AbortSignal): Promise<unknown>;
  /** False when nobody waits for this answer. */
  settle(owner: unknown, id: RequestId, result: unknown, error: unknown): boolean;
}

interface Waiting {
  readonly owner: unknown;
  readonly resolve: (result: unknown) => void;
  readonly reject: (error: unknown) => void;
}

/** One client that never answers must not use up everybody's questions. */
const MAX_WAITING_PER_CLIENT = 20;
const MAX_WAITING = 5_000;

export function createClientQuestions(timeoutMs = 300_000): ClientQuestions {
  const waiting = new Map<RequestId, Waiting>();
  /** How many wait for each client. */
  const open = new Map<unknown, number>();
  const count = (owner: unknown, change: 1 | -1) => {
    const left = (open.get(owner) ?? 0) + change;
    if (left > 0) open.set(owner, left);
    else open.delete(owner);
  };
  return {
    ask({ owner, send, ended }, method, params, signal) {
      return new Promise((resolve, reject) => {
        const own = open.get(owner) ?? 0;
        if (own >= MAX_WAITING_PER_CLIENT || waiting.size >= MAX_WAITING) {
          throw new GatewayError('RATE_LIMITED', 'Too many questions are open; answer some of them, then try again.');
        }
        const id = `landbridge-${randomUUID()}`;
        // Written before a slot is taken: what JSON cannot say throws here.
        const text = writeRequest(id, method, params);
        const finish = () => {
          clearTimeout(timer);
          signal.removeEventListener('abort', onAbort);
          ended?.removeEventListener('abort', onEnd);
          if (waiting.delete(id)) count(owner, -1);
        };
        const giveUp = (reason: string, error: GatewayError) => {
          // Only a question that was sent can be taken back.
          if (waiting.has(id)) send(writeNotification('notifications/cancelled', { requestId: id, reason }));
          finish();
          reject(error);
        };
        const onAbort = () =>
          giveUp('The call was cancelled', new GatewayError('CANCELLED', 'The caller cancelled the call.'));
        const onEnd = () =>
          giveUp(
            'No answer can come',
            new GatewayError(
              'NOT_CONFIRMED',
              'The client closed its side before it answered; nothing was sent. Ask the user, then call again.',
            ),
          );
        const onTimeout = () =>
          giveUp('No answer in time', new UnansweredError(`Nobody answered within ${timeoutMs / 1000} s`));
        const timer = setTimeout(onTimeout, timeoutMs);
        timer.unref();
        if (signal.aborted) return onAbort();
        if (ended?.aborted) return onEnd();
        signal.addEventListener('abort', onAbort, { once: true });
        ended?.addEventListener('abort', onEnd, { once: true });
        count(owner, 1);
        waiting.set(id, {
          owner,
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
      const entry = waiting.get(id);
      if (!entry || entry.owner !== owner) return false;
      if (error === undefined) entry.resolve(result);
      else {
        const { message } = (error ?? {}) as { message?: unknown };
        // Whatever a client sends here is data: an object with a toString of its own must not reach String().
        const why = typeof message === 'string' ? message.slice(0, 200) : 'it gave no reason';
        entry.reject(new UnansweredError(`The client could not ask the user (${why})`));
      }
      return true;
    },
  };
}
