// A worker's side of the channel to the primary: what it is told, what it reports, and what it does if the primary ends.
import cluster from 'node:cluster';
import { GatewayError } from '../errors.ts';
import {
  type Begin,
  type Channel,
  type Ready,
  SLOT_VARIABLE,
  type ToPrimary,
  type ToWorker,
} from './worker-messages.ts';

export interface Primary {
  readonly begin: Begin;
  channel(topic: string): Channel;
  /** Reports that this worker serves. */
  ready(ready: Ready): void;
  /** Runs the start of this worker. If it fails, the primary is told why, and this process ends. */
  start(serve: () => Promise<void>): Promise<void>;
  /** Until a listener is set, an order to stop ends the process. */
  onStop(stop: (why: string) => void): void;
  onHangUp(listener: () => void): void;
  /** Makes the primary send no new connections; resolves when those on their way have arrived. */
  endListening(): Promise<void>;
}

/**
 * Signals are handled by the primary: a terminal sends them to all processes, and a worker that ended by itself would leave calls
 * unanswered.
 */
const LEFT_TO_PRIMARY: readonly NodeJS.Signals[] = ['SIGINT', 'SIGTERM', 'SIGHUP'];
const ENDED_BY_SIGNAL = 130;

/** Undefined if this process is not a worker of a gateway. */
export async function joinPrimary(): Promise<Primary | undefined> {
  if (process.env[SLOT_VARIABLE] === undefined || !cluster.isWorker || !process.connected) return undefined;
  // Removed, so that neither the settings nor child processes see it.
  delete process.env[SLOT_VARIABLE];
  let stop: (why: string) => void = () => process.exit(0);
  let hasHungUp = false;
  let hangUp = () => {
    hasHungUp = true;
  };
  let isOrphan = false;
  let resolveLeft = () => {};
  const left = new Promise<void>((resolve) => {
    resolveLeft = resolve;
  });
  for (const signal of LEFT_TO_PRIMARY)
    process.on(signal, () => {
      if (isOrphan && signal !== 'SIGHUP') process.exit(ENDED_BY_SIGNAL);
    });
  cluster.worker!.once('disconnect', () => {
    isOrphan = true;
    // Otherwise Node.js would end the process at once, together with its calls in progress.
    cluster.worker!.exitedAfterDisconnect = true;
    resolveLeft();
    stop('the primary process is gone');
  });
  const listeners = new Map<string, ((body: unknown) => void)[]>();
  const send = (message: ToPrimary, callback?: () => void) => {
    if (process.connected) process.send!(message, undefined, undefined, () => callback?.());
    else callback?.();
  };
  const begin = await new Promise<Begin>((resolve) => {
    process.on('message', (message: ToWorker) => {
      if (message.kind === 'begin') resolve(message.begin);
      else if (message.kind === 'ping') send({ kind: 'pong' });
      else if (message.kind === 'stop') stop(message.why);
      else if (message.kind === 'end') process.exit(ENDED_BY_SIGNAL);
      else if (message.kind === 'hangup') hangUp();
      else if (message.kind === 'left') resolveLeft();
      else for (const listener of listeners.get(message.topic) ?? []) listener(message.body);
    });
    send({ kind: 'hello' });
  });
  return {
    begin,
    channel: (topic) => ({
      send: (body) => send({ kind: 'note', topic, body }),
      onMessage: (listener) => {
        listeners.set(topic, [...(listeners.get(topic) ?? []), listener]);
      },
    }),
    ready: (ready) => send({ kind: 'ready', ready }),
    async start(serve) {
      try {
        await serve();
      } catch (error) {
        if (!(error instanceof GatewayError)) throw error;
        const { code, message, details } = error;
        await new Promise<void>((resolve) => send({ kind: 'failed', failure: { code, message, details } }, resolve));
        process.exit(1);
      }
    },
    onStop: (listener) => {
      stop = listener;
    },
    onHangUp: (listener) => {
      hangUp = listener;
      // The signal came during the start, perhaps after the new files had been read.
      if (hasHungUp) listener();
    },
    endListening: () => {
      send({ kind: 'leaving' });
      return left;
    },
  };
}
