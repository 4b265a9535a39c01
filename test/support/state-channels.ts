// The two ends of a channel between a worker and its primary, as IPC is one: copies of values, in order, later.
import type { StateChannel } from '../../src/state/state-messages.ts';

export interface ChannelPair {
  readonly worker: StateChannel;
  readonly primary: StateChannel;
  /** Messages so far, both ways. */
  readonly count: () => number;
  /** As if the other end hung: nothing arrives any more, in either direction. */
  cut(): void;
}

export function connectState(): ChannelPair {
  let count = 0;
  let isCut = false;
  const listeners: Record<'worker' | 'primary', (message: unknown) => void> = { worker: () => {}, primary: () => {} };
  const end = (own: 'worker' | 'primary', other: 'worker' | 'primary'): StateChannel => ({
    send(message) {
      count++;
      const text = JSON.stringify(message);
      setImmediate(() => isCut || listeners[other](JSON.parse(text)));
    },
    onMessage: (listener) => {
      listeners[own] = listener;
    },
  });
  return {
    worker: end('worker', 'primary'),
    primary: end('primary', 'worker'),
    count: () => count,
    cut: () => {
      isCut = true;
    },
  };
}
