// Requests of ours to a legacy client (elicitation, sampling, roots), and the answers that come back: on the same
// connection, or on another POST. Ids are unguessable and an answer counts only from whom it was asked of.
import { randomUUID } from 'node:crypto';
import { GatewayError } from '../errors.ts';
import { type RequestId, writeNotification, writeRequest } from './jsonrpc.ts';

export interface Outgoing {
  ask(
    owner: unknown,
    send: (message: string) => void,
    method: string,
    params: unknown,
    signal: AbortSignal,
  ): Promise<unknown>;
  /** False when nobody waits for this answer. */
  settle(owner: unknown, id: RequestId, result: unknown, error: unknown): boolean;
}

interface Waiting {
  readonly owner: unknown;
  readonly resolve: (result: unknown) => void;
  readonly reject: (error: unknown) => void;
}

const MAX_WAITING = 1_000;

export function createOutgoing(timeoutMs = 300_000): Outgoing {
  const waiting = new Map<RequestId, Waiting>();
  return {
    ask(owner, send, method, params, signal) {
      if (waiting.size >= MAX_WAITING) {
        throw new GatewayError('RATE_LIMITED', 'Too many questions are open with clients; try again in a minute.');
      }
      return new Promise((resolve, reject) => {
        const id = `landbridge-${randomUUID()}`;
        const finish = () => {
          clearTimeout(timer);
          signal.removeEventListener('abort', onAbort);
          waiting.delete(id);
        };
        const giveUp = (reason: string, error: GatewayError) => {
          finish();
          send(writeNotification('notifications/cancelled', { requestId: id, reason }));
          reject(error);
        };
        const onAbort = () =>
          giveUp('The call was cancelled', new GatewayError('CANCELLED', 'The caller cancelled the call.'));
        const timer = setTimeout(
          () =>
            giveUp(
              'No answer in time',
              new GatewayError(
                'NOT_CONFIRMED',
                `Nobody answered within ${timeoutMs / 1000} s; nothing was sent. Ask the user, then call again.`,
              ),
            ),
          timeoutMs,
        );
        timer.unref();
        if (signal.aborted) return onAbort();
        signal.addEventListener('abort', onAbort, { once: true });
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
        send(writeRequest(id, method, params));
      });
    },
    settle(owner, id, result, error) {
      const entry = waiting.get(id);
      if (!entry || entry.owner !== owner) return false;
      if (error === undefined) entry.resolve(result);
      else {
        const { message } = (error ?? {}) as { message?: unknown };
        entry.reject(
          new GatewayError(
            'NOT_CONFIRMED',
            `The client could not ask the user (${String(message).slice(0, 200)}); nothing was sent.`,
          ),
        );
      }
      return true;
    },
  };
}
