// Shared state in a worker: its primary keeps it, and ends together with its workers. A primary that hangs is treated like a Redis
// that cannot be reached: rates are counted in this process alone, and confirmations are refused.
import type { MessageBus } from '../protocol/questions/message-bus.ts';
import { PrimaryClient } from './primary-client.ts';
import type { SharedState } from './shared-state.ts';
import { createSharedTokens } from './shared-token-store.ts';
import type { StateChannel } from './state-messages.ts';
import { WorkerSemaphores } from './worker-semaphores.ts';

/** All workers are busy when they start. */
const HELLO_MS = 30_000;

export interface WorkerStateOptions {
  /** To the primary. */
  readonly channel: StateChannel;
}

/** Rejects if the primary does not answer: a worker does not serve without it. */
export async function openWorkerState({ channel }: WorkerStateOptions): Promise<SharedState> {
  const primary = new PrimaryClient(channel);
  const { address, mark, workers, permits } = await primary.ask('hello', {}, HELLO_MS);
  return {
    get isUsable() {
      return primary.isUsable;
    },
    rates: {
      get isUsable() {
        return primary.isUsable;
      },
      take: (key, rate, most) => primary.ask('takeTokens', { key, rate, most }).catch(() => undefined),
    },
    spent: {
      mark: () => mark,
      spend: (nonce, expiresAtMs, issuedUnder) => primary.ask('spend', { nonce, expiresAtMs, mark: issuedUnder }),
    },
    messages: createWorkerMessages(primary, address),
    tokens: createSharedTokens({
      claim: (name, badGeneration, owner) => primary.ask('claimToken', { name, badGeneration, owner }),
      finish: async (name, owner, text, keepMs) => primary.report('finishToken', { name, owner, text, keepMs }),
    }),
    permits: new WorkerSemaphores(primary, workers, permits),
    secrets: [],
    close: () => primary.close(),
  };
}

function createWorkerMessages(primary: PrimaryClient, address: string): MessageBus {
  const listeners: ((text: string) => void)[] = [];
  primary.onOrder('receiveText', ({ text }) => {
    for (const listener of listeners) listener(text);
  });
  return {
    address,
    send: (to, text) => primary.ask('sendText', { to, text }).catch(() => 'away' as const),
    // The primary runs as long as this worker does.
    isUsable: true,
    sendAll: (text) => primary.report('sendTextToAll', { text }),
    receive: (listener) => void listeners.push(listener),
  };
}
