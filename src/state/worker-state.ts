// Shared state in a worker: its primary keeps it, and ends together with its workers. A primary that hangs is like a Redis that
// cannot be reached: rates are counted here alone, and permissions refused.
import type { Letters } from '../protocol/questions/letters.ts';
import type { SharedState } from './shared-state.ts';
import { createSharedTokens } from './shelf.ts';
import type { StateChannel } from './state-channel.ts';
import { openWorkerLink, type WorkerLink } from './worker-link.ts';
import { WorkerRoom } from './worker-room.ts';

export interface WorkerStateOptions {
  /** To the primary. */
  readonly channel: StateChannel;
}

/** Rejects if the primary does not answer: a worker does not serve without it. */
export async function openWorkerState({ channel }: WorkerStateOptions): Promise<SharedState> {
  const link = openWorkerLink(channel);
  const { address, mark, workers, parts } = await link.ask('hello', {}, HELLO_MS);
  return {
    get isUsable() {
      return link.isUsable;
    },
    rates: {
      get isUsable() {
        return link.isUsable;
      },
      take: (key, rate, most) => link.ask('take', { key, rate, most }).catch(() => undefined),
    },
    spent: {
      mark: () => mark,
      spend: (nonce, expiresAtMs, issuedUnder) => link.ask('spend', { nonce, expiresAtMs, mark: issuedUnder }),
    },
    letters: createWorkerLetters(link, address),
    tokens: createSharedTokens({
      claim: (name, badGeneration, owner) => link.ask('claim', { name, refused: badGeneration, owner }),
      finish: async (name, owner, text, keepMs) => link.report('finish', { name, owner, text, keepMs }),
    }),
    room: new WorkerRoom(link, workers, parts),
    secrets: [],
    close: () => link.close(),
  };
}

/** At start all workers are busy at once. */
const HELLO_MS = 30_000;

function createWorkerLetters(link: WorkerLink, address: string): Letters {
  const listeners: ((text: string) => void)[] = [];
  link.obey('letter', ({ text }) => {
    for (const listener of listeners) listener(text);
  });
  return {
    address,
    send: (to, text) => link.ask('letter', { to, text }).catch(() => 'away' as const),
    // The primary is there as long as this worker is.
    isUsable: true,
    sendAll: (text) => link.report('letterToAll', { text }),
    receive: (listener) => void listeners.push(listener),
  };
}
