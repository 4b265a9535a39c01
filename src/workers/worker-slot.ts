// A slot for one worker: the process that runs in it now, and what is remembered of earlier ones.
import type { Worker } from 'node:cluster';
import { BackOff, type BackOffRules } from './back-off.ts';
import type { StartFailure, ToPrimary, ToWorker, WorkerChannel, WorkerReady } from './worker-messages.ts';

/** How a process ended: with a code, or by a signal. */
export interface WorkerEnd {
  readonly code: number | null;
  readonly signal: string | null;
  readonly lifeMs: number;
  /** Whether it had ever listened. */
  readonly wasReady: boolean;
  readonly failure: StartFailure | undefined;
}

export interface SlotEvents {
  onHello(slot: WorkerSlot): void;
  onReady(slot: WorkerSlot, ready: WorkerReady): void;
  /** The worker wants no new connections. */
  onLeaving(slot: WorkerSlot, worker: Worker): void;
  onEnd(slot: WorkerSlot, end: WorkerEnd): void;
}

/**
 * Unanswered pings in a row after which a worker counts as hanging. Counted instead of timed, so that no worker is
 * killed after the machine has slept.
 */
const MAX_UNANSWERED = 6;

export class WorkerSlot {
  readonly number: number;
  readonly #backOff: BackOff;
  readonly #events: SlotEvents;
  readonly #listeners = new Map<string, ((body: unknown) => void)[]>();
  #worker: Worker | undefined;
  #ready: WorkerReady | undefined;
  #failure: StartFailure | undefined;
  #unanswered = 0;
  #restart: NodeJS.Timeout | undefined;

  constructor(number: number, events: SlotEvents, rules?: BackOffRules) {
    this.number = number;
    this.#events = events;
    this.#backOff = new BackOff(rules);
  }

  get isAlive(): boolean {
    return this.#worker !== undefined;
  }

  get isReady(): boolean {
    return this.#ready !== undefined;
  }

  get pid(): number | undefined {
    return this.#worker?.process.pid;
  }

  /** Sets the process that was started for this slot. */
  fill(worker: Worker): void {
    const startedAt = performance.now();
    this.#worker = worker;
    this.#listeners.clear();
    this.#unanswered = 0;
    this.#failure = undefined;
    worker.on('message', (message: ToPrimary) => this.#receive(message, worker));
    // If the channel breaks, the process ends as well, and that is handled.
    worker.on('error', () => {});
    worker.once('exit', (code, signal) => {
      const end = {
        code,
        signal,
        lifeMs: performance.now() - startedAt,
        wasReady: this.isReady,
        failure: this.#failure,
      };
      this.#worker = undefined;
      this.#ready = undefined;
      this.#events.onEnd(this, end);
    });
  }

  send(message: ToWorker): void {
    // A worker that has ended needs no message; its end is reported separately.
    if (this.#worker?.isConnected()) this.#worker.send(message, () => {});
  }

  /** A channel to the process that is in this slot now; it is silent after the end of that process. */
  channel(topic: string): WorkerChannel {
    const worker = this.#worker;
    return {
      send: (body) => {
        if (this.#worker === worker) this.send({ kind: 'note', topic, body });
      },
      onMessage: (listener) => {
        this.#listeners.set(topic, [...(this.#listeners.get(topic) ?? []), listener]);
      },
    };
  }

  /** True if too many pings are unanswered: the process hangs. */
  ping(): boolean {
    if (!this.isReady) return false;
    if (this.#unanswered >= MAX_UNANSWERED) return true;
    this.#unanswered++;
    this.send({ kind: 'ping' });
    return false;
  }

  kill(): void {
    this.#worker?.process.kill('SIGKILL');
  }

  /** Calls `refill` when another process may be started, after one that lived for this long. Returns the delay. */
  refillAfter(lifeMs: number, refill: () => void): number {
    const delayMs = this.#backOff.delayAfter(lifeMs);
    this.#restart = setTimeout(refill, delayMs);
    return delayMs;
  }

  /** Starts no further process. */
  retire(): void {
    clearTimeout(this.#restart);
  }

  #receive(message: ToPrimary, worker: Worker): void {
    if (message.kind === 'note') {
      for (const listener of this.#listeners.get(message.topic) ?? []) listener(message.body);
    } else if (message.kind === 'pong') {
      this.#unanswered = 0;
    } else if (message.kind === 'hello') {
      this.#events.onHello(this);
    } else if (message.kind === 'leaving') {
      this.#events.onLeaving(this, worker);
    } else if (message.kind === 'failed') {
      this.#failure = message.failure;
    } else {
      this.#ready = message.ready;
      this.#events.onReady(this, message.ready);
    }
  }
}
