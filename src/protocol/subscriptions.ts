// subscriptions/listen: acknowledged and held open. Tools, prompts and resources never change while the server runs, so nothing
// is ever sent except the end, which tells the client that the server is shutting down.
import { isObject } from '../endpoint/is-object.ts';
import { GatewayError } from '../errors.ts';
import { META, MODERN_VERSION } from './eras.ts';
import type { Sender } from './sender.ts';
import { Shares } from './shares.ts';
import { type Params, type RequestId, writeNotification } from './wire/jsonrpc.ts';
import type { ResultWriter } from './wire/results.ts';

export interface Subscriptions {
  /** Resolves with the final result at shutdown, with undefined when the client cancels or leaves. */
  listen(
    id: RequestId,
    params: Params | undefined,
    sender: Pick<Sender, 'principal' | 'send' | 'session' | 'park'>,
    signal: AbortSignal,
  ): Promise<string | undefined>;
  close(): void;
}

const MAX_OPEN = 1_000;

export function createSubscriptions(writer: ResultWriter): Subscriptions {
  const open = new Set<() => void>();
  const shares = new Shares(MAX_OPEN);
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
      if (!shares.enter(principal))
        throw new GatewayError(
          'INVALID_REQUEST',
          `At most ${MAX_OPEN} subscriptions may be open, and at most half of them by one caller.`,
        );
      try {
        const _meta = { [META.subscriptionId]: id };
        send(writeNotification('notifications/subscriptions/acknowledged', { notifications: {}, _meta }));
        // A client that has finished sending can still be told about the end, but must not delay it.
        const silent = session?.ended.signal;
        const unpark = park?.();
        const isOver = await new Promise<boolean>((resolve) => {
          const onAbort = () => settle(false);
          const end = () => settle(true);
          const settle = (gracefully: boolean) => {
            signal.removeEventListener('abort', onAbort);
            silent?.removeEventListener('abort', end);
            open.delete(end);
            resolve(gracefully);
          };
          open.add(end);
          if (signal.aborted) return onAbort();
          if (isClosed || silent?.aborted) return end();
          signal.addEventListener('abort', onAbort, { once: true });
          silent?.addEventListener('abort', end, { once: true });
        });
        unpark?.();
        return isOver ? writer.writeObject({ _meta }, MODERN_VERSION) : undefined;
      } finally {
        shares.leave(principal);
      }
    },
    close() {
      isClosed = true;
      for (const end of [...open]) end();
    },
  };
}
