// subscriptions/listen: acknowledged and kept open. Tools, prompts and resources never change while the server runs, so the only message
// that follows is the final result, which tells the client that the server is shutting down.
import { isObject } from '../endpoint/is-object.ts';
import { GatewayError } from '../errors.ts';
import { META, MODERN_VERSION } from './eras.ts';
import { FairShare } from './fair-share.ts';
import type { Sender } from './sender.ts';
import { type JsonRpcId, type MessageParams, writeNotification } from './wire/jsonrpc.ts';
import type { ResultWriter } from './wire/results.ts';

export interface Subscriptions {
  /** Resolves with the final result at shutdown, with undefined when the client cancels or disconnects. */
  listen(
    id: JsonRpcId,
    params: MessageParams | undefined,
    sender: Pick<Sender, 'principal' | 'send' | 'session' | 'park'>,
    signal: AbortSignal,
  ): Promise<string | undefined>;
  close(): void;
}

const MAX_OPEN = 1_000;

export function createSubscriptions(writer: ResultWriter): Subscriptions {
  const open = new Set<() => void>();
  const permits = new FairShare(MAX_OPEN);
  let isClosed = false;
  return {
    async listen(id, params, { principal, send, session, park }, signal) {
      const { notifications } = params ?? {};
      if (!isObject(notifications)) {
        throw new GatewayError(
          'INVALID_PARAMS',
          'Invalid params: "notifications" must be an object that says what to listen for.',
        );
      }
      if (!send) {
        throw new GatewayError(
          'INVALID_REQUEST',
          'subscriptions/listen needs a stream: send "Accept: application/json, text/event-stream".',
        );
      }
      if (!permits.acquire(principal))
        throw new GatewayError(
          'INVALID_REQUEST',
          `At most ${MAX_OPEN} subscriptions may be open, and at most half of them by one caller.`,
        );
      try {
        const _meta = { [META.subscriptionId]: id };
        send(writeNotification('notifications/subscriptions/acknowledged', { notifications: {}, _meta }));
        // A client that has finished sending still gets the final result, but must not delay the end.
        const inputEnded = session?.ended.signal;
        const unpark = park?.();
        const isOver = await new Promise<boolean>((resolve) => {
          const onAbort = () => settle(false);
          const end = () => settle(true);
          const settle = (gracefully: boolean) => {
            signal.removeEventListener('abort', onAbort);
            inputEnded?.removeEventListener('abort', end);
            open.delete(end);
            resolve(gracefully);
          };
          open.add(end);
          if (signal.aborted) return onAbort();
          if (isClosed || inputEnded?.aborted) return end();
          signal.addEventListener('abort', onAbort, { once: true });
          inputEnded?.addEventListener('abort', end, { once: true });
        });
        unpark?.();
        return isOver ? writer.writeObject({ _meta }, MODERN_VERSION) : undefined;
      } finally {
        permits.release(principal);
      }
    },
    close() {
      isClosed = true;
      for (const end of [...open]) end();
    },
  };
}
