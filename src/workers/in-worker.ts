// A worker's side of the way to the primary process: what it is told, what it tells, and what becomes of it alone.
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
  /** From now on it serves. */
  ready(ready: Ready): void;
  /** Runs what makes this process serve. Where that cannot be, the primary process is told why, and this one ends. */
  start(serve: () => Promise<void>): Promise<void>;
  /** Until somebody listens, being told to stop ends the process. */
  onStop(stop: (why: string) => void): void;
  onHangUp(listener: () => void): void;
  /** Has the primary process send nobody new; resolves when whoever was on the way is here. */
  endListening(): Promise<void>;
}

/** Signals are the primary's: a terminal sends them to everybody, and whoever ended by itself would leave calls unanswered. */
const LEFT_TO_PRIMARY: readonly NodeJS.Signals[] = ['SIGINT', 'SIGTERM', 'SIGHUP'];
const ENDED_BY_SIGNAL = 130;

/** Undefined: this process is no worker of ours. */
export async function joinPrimary(): Promise<Primary | undefined> {
  if (process.env[SLOT_VARIABLE] === undefined || !cluster.isWorker || !process.connected) return undefined;
  // Neither for settings nor for whatever this process starts.
  delete process.env[SLOT_VARIABLE];
  let stop: (why: string) => void = () => process.exit(0);
  let hasHungUp = false;
  let hangUp = () => {
    hasHungUp = true;
  };
  let isAlone = false;
  let hasLeft = () => {};
  const left = new Promise<void>((resolve) => {
    hasLeft = resolve;
  });
  for (const signal of LEFT_TO_PRIMARY)
    process.on(signal, () => {
      if (isAlone && signal !== 'SIGHUP') process.exit(ENDED_BY_SIGNAL);
    });
  cluster.worker!.once('disconnect', () => {
    isAlone = true;
    // Else Node.js would end the process on the spot, and with it the calls under way.
    cluster.worker!.exitedAfterDisconnect = true;
    hasLeft();
    stop('the primary process is gone');
  });
  const listeners = new Map<string, ((body: unknown) => void)[]>();
  const send = (message: ToPrimary, done?: () => void) => {
    if (process.connected) process.send!(message, undefined, undefined, () => done?.());
    else done?.();
  };
  const begin = await new Promise<Begin>((resolve) => {
    process.on('message', (message: ToWorker) => {
      if (message.kind === 'begin') resolve(message.begin);
      else if (message.kind === 'ping') send({ kind: 'pong' });
      else if (message.kind === 'stop') stop(message.why);
      else if (message.kind === 'end') process.exit(ENDED_BY_SIGNAL);
      else if (message.kind === 'hangup') hangUp();
      else if (message.kind === 'left') hasLeft();
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
      // It was told while it started, perhaps after it had read what is new.
      if (hasHungUp) listener();
    },
    endListening: () => {
      send({ kind: 'leaving' });
      return left;
    },
  };
}
