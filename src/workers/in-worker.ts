// A worker's side of the channel to the primary: the orders it gets, its reports, and what it does if the primary ends.
import cluster from 'node:cluster';
import { GatewayError } from '../errors.ts';
import {
  SLOT_VARIABLE,
  type ToPrimary,
  type ToWorker,
  type WorkerChannel,
  type WorkerReady,
  type WorkerStart,
} from './worker-messages.ts';

/**
 * Signals are handled by the primary: a terminal sends them to all processes, and a worker that ended by itself would leave calls
 * unanswered.
 */
const LEFT_TO_PRIMARY: readonly NodeJS.Signals[] = ['SIGINT', 'SIGTERM', 'SIGHUP'];
const ENDED_BY_SIGNAL = 130;

/** Resolves when the primary has told this worker to begin; with undefined if this process is not a worker of a gateway. */
export async function joinPrimary(): Promise<Primary | undefined> {
  if (process.env[SLOT_VARIABLE] === undefined || !cluster.isWorker || !process.connected) return undefined;
  // Removed, so that neither the settings nor child processes see it.
  delete process.env[SLOT_VARIABLE];
  return new Promise((resolve) => {
    const primary = new Primary(() => resolve(primary));
  });
}

export class Primary {
  #begin: WorkerStart | undefined;
  readonly #onBegin: () => void;
  readonly #listeners = new Map<string, ((body: unknown) => void)[]>();
  #stop: (why: string) => void = () => process.exit(0);
  #hangUp: (() => void) | undefined;
  #hasHungUp = false;
  /** The primary has ended. */
  #isOrphan = false;
  readonly #left: Promise<void>;
  #resolveLeft: () => void = () => {};

  constructor(onBegin: () => void) {
    this.#onBegin = onBegin;
    this.#left = new Promise((resolve) => {
      this.#resolveLeft = resolve;
    });
    for (const signal of LEFT_TO_PRIMARY)
      process.on(signal, () => {
        if (this.#isOrphan && signal !== 'SIGHUP') process.exit(ENDED_BY_SIGNAL);
      });
    cluster.worker!.once('disconnect', () => {
      this.#isOrphan = true;
      // Otherwise Node.js would end the process at once, together with its calls in progress.
      cluster.worker!.exitedAfterDisconnect = true;
      this.#resolveLeft();
      this.#stop('the primary process is gone');
    });
    process.on('message', (message: ToWorker) => this.#receive(message));
    this.#send({ kind: 'hello' });
  }

  /** The start message of this worker. */
  get begin(): WorkerStart {
    return this.#begin!;
  }

  /** An arrow function, because it is passed on without its object. */
  readonly channel = (topic: string): WorkerChannel => ({
    send: (body) => this.#send({ kind: 'note', topic, body }),
    onMessage: (listener) => {
      this.#listeners.set(topic, [...(this.#listeners.get(topic) ?? []), listener]);
    },
  });

  /**
   * Makes the primary send no new connections; resolves when those on their way have arrived. It is also passed on
   * without its object.
   */
  readonly endListening = (): Promise<void> => {
    this.#send({ kind: 'leaving' });
    return this.#left;
  };

  /** Reports that this worker serves. */
  ready(ready: WorkerReady): void {
    this.#send({ kind: 'ready', ready });
  }

  /** Runs the start of this worker. If it fails, reports the reason to the primary and ends this process. */
  async start(serve: () => Promise<void>): Promise<void> {
    try {
      await serve();
    } catch (error) {
      if (!(error instanceof GatewayError)) throw error;
      const { code, message, details } = error;
      await new Promise<void>((resolve) =>
        this.#send({ kind: 'failed', failure: { code, message, details } }, resolve),
      );
      process.exit(1);
    }
  }

  /** Sets what an order to stop does. Until then, such an order ends the process. */
  onStop(stop: (why: string) => void): void {
    this.#stop = stop;
  }

  onHangUp(listener: () => void): void {
    this.#hangUp = listener;
    // The signal came during the start, perhaps after the new files had been read.
    if (this.#hasHungUp) listener();
  }

  #receive(message: ToWorker): void {
    if (message.kind === 'begin') {
      this.#begin = message.begin;
      this.#onBegin();
    } else if (message.kind === 'ping') this.#send({ kind: 'pong' });
    else if (message.kind === 'stop') this.#stop(message.why);
    else if (message.kind === 'end') process.exit(ENDED_BY_SIGNAL);
    else if (message.kind === 'hangup') this.#receiveHangUp();
    else if (message.kind === 'left') this.#resolveLeft();
    else for (const listener of this.#listeners.get(message.topic) ?? []) listener(message.body);
  }

  #receiveHangUp(): void {
    if (this.#hangUp === undefined) this.#hasHungUp = true;
    else this.#hangUp();
  }

  #send(message: ToPrimary, callback?: () => void): void {
    if (process.connected) process.send!(message, undefined, undefined, () => callback?.());
    else callback?.();
  }
}
