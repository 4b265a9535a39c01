// The primary process: starts workers, replaces those that end, and passes on signals. It serves nothing itself, so no call can crash
// it.
import cluster, { type Worker } from 'node:cluster';
import { type ErrorCode, GatewayError } from '../errors.ts';
import type { BackOffRules } from './back-off.ts';
import { Handover } from './handover.ts';
import { type Announcement, SLOT_VARIABLE, type WorkerReady } from './worker-messages.ts';
import { type WorkerEnd, WorkerSlot } from './worker-slot.ts';

export interface SupervisorLog {
  info(facts: object, message: string): void;
  warn(facts: object, message: string): void;
  error(facts: object, message: string): void;
}

export interface SupervisorOptions {
  readonly workers: number;
  readonly secret: string;
  /** The port of the admin listener, if there is one. */
  readonly adminPort?: number | undefined;
  readonly log: SupervisorLog;
  /** Flags for Node.js itself. */
  readonly execArgv: readonly string[];
  /** How long workers may take to stop before they are killed. */
  readonly stopMs: number;
  /** A process was started in a slot and does nothing yet: channels to it must be opened now. */
  readonly onWorker?: ((slot: WorkerSlot) => void) | undefined;
  /** The process of a slot has ended. */
  readonly onGone?: ((slot: WorkerSlot) => void) | undefined;
  readonly backOff?: BackOffRules | undefined;
  /** Between two pings. Default: 10 s. */
  readonly heartbeatMs?: number | undefined;
}

const HEARTBEAT_MS = 10_000;
/**
 * How long a worker that is ordered to end immediately may take for its last signature and log lines. Then it is
 * killed.
 */
const END_MS = 2_000;

export class Supervisor {
  readonly #options: SupervisorOptions;
  readonly #slots: readonly WorkerSlot[];
  readonly #heartbeat: NodeJS.Timeout;
  readonly #handover = new Handover();
  /** Callbacks that wait for the first message of a slot. */
  readonly #awaited = new Map<WorkerSlot, (outcome: WorkerReady | GatewayError) => void>();
  readonly #allEnded: Promise<void>;
  #settle: () => void = () => {};
  /** The report of the first worker; all others listen on the same ports and serve the same. */
  #first: WorkerReady | undefined;
  /** Ports that the settings left open are requested by number from now on, because the worker that had them has ended. */
  #arePortsKept = false;
  #isStopping = false;
  #isClean = true;

  constructor(options: SupervisorOptions) {
    this.#options = options;
    const events = {
      onHello: (slot: WorkerSlot) => this.#sendStart(slot),
      onReady: (slot: WorkerSlot, ready: WorkerReady) => this.#welcome(slot, ready),
      onLeaving: (slot: WorkerSlot, worker: Worker) =>
        void this.#handover.release(worker).then(() => slot.send({ kind: 'left' })),
      onEnd: (slot: WorkerSlot, end: WorkerEnd) => this.#replace(slot, end),
    };
    this.#slots = Array.from(
      { length: options.workers },
      (_, index) => new WorkerSlot(index + 1, events, options.backOff),
    );
    this.#allEnded = new Promise((resolve) => {
      this.#settle = resolve;
    });
    this.#heartbeat = setInterval(() => this.#ping(), options.heartbeatMs ?? HEARTBEAT_MS).unref();
    // Workers do not read stdin: the terminal belongs to the primary.
    cluster.setupPrimary({ execArgv: [...options.execArgv], stdio: ['ignore', 'inherit', 'inherit', 'ipc'] });
  }

  get slots(): readonly WorkerSlot[] {
    return this.#slots;
  }

  get readyCount(): number {
    return this.#slots.filter(({ isReady }) => isReady).length;
  }

  /** Starts the first worker, then all others. Throws the reason if the first cannot start. */
  async start(): Promise<Announcement | undefined> {
    const [first, ...others] = this.#slots;
    const { announcement } = await this.#startOne(first!);
    // If one fails now although the first did not, it is restarted like any that ends later.
    await Promise.all(others.map((slot) => this.#startOne(slot).catch(() => {})));
    return announcement;
  }

  /** Passes SIGHUP on to all workers. */
  hangUp(): void {
    for (const slot of this.#slots) slot.send({ kind: 'hangup' });
  }

  /** Resolves when all workers have ended: true if each ended as it should. */
  async stop(why: string): Promise<boolean> {
    this.#retire();
    for (const slot of this.#slots) slot.send({ kind: 'stop', why });
    const timer = setTimeout(() => this.#killAll('did not stop in time'), this.#options.stopMs);
    await this.#allEnded;
    clearTimeout(timer);
    return this.#isClean;
  }

  /** Ends all workers immediately, without waiting for their calls. */
  async end(): Promise<void> {
    this.#retire();
    for (const slot of this.#slots) slot.send({ kind: 'end' });
    const timer = setTimeout(() => this.#killAll('did not end when told to'), END_MS);
    await this.#allEnded;
    clearTimeout(timer);
  }

  #startOne(slot: WorkerSlot): Promise<WorkerReady> {
    return new Promise((resolve, reject) => {
      this.#awaited.set(slot, (outcome) => (outcome instanceof GatewayError ? reject(outcome) : resolve(outcome)));
      this.#fork(slot);
    });
  }

  #fork(slot: WorkerSlot): void {
    if (!this.#slots.some(({ isAlive }) => isAlive)) this.#arePortsKept = this.#first !== undefined;
    const worker = cluster.fork({ [SLOT_VARIABLE]: String(slot.number) });
    this.#handover.watch(worker);
    slot.fill(worker);
    this.#options.onWorker?.(slot);
  }

  #sendStart(slot: WorkerSlot): void {
    // A stop that was sent before the worker listened for messages was lost, so it is sent again.
    if (this.#isStopping) {
      slot.send({ kind: 'stop', why: 'stopped while it started' });
      return;
    }
    const { workers, secret } = this.#options;
    const ports = this.#arePortsKept ? this.#first!.ports : {};
    const begin = {
      slot: slot.number,
      workers,
      isFirst: this.#first === undefined,
      secret,
      ports,
      adminPort: this.#options.adminPort,
    };
    slot.send({ kind: 'begin', begin });
  }

  #welcome(slot: WorkerSlot, ready: WorkerReady): void {
    this.#first ??= ready;
    if (ready.catalogDigest !== this.#first.catalogDigest)
      this.#options.log.warn(
        { worker: slot.number },
        'this worker serves other tools than the first: files have changed since the start. Restart the gateway, so that all serve the same',
      );
    this.#options.log.info({ worker: slot.number, pid: slot.pid }, 'a worker serves');
    this.#answer(slot, ready);
  }

  #replace(slot: WorkerSlot, end: WorkerEnd): void {
    const { log, onGone } = this.#options;
    onGone?.(slot);
    const { code, signal, failure } = end;
    if (this.#isStopping) {
      if (code !== 0) this.#isClean = false;
      this.#settleWhenAllEnded();
    } else if (this.#first !== undefined) {
      const restartInMs = slot.refillAfter(end.lifeMs, () => this.#fork(slot));
      const how = signal === null ? { code } : { signal };
      const facts = { worker: slot.number, ...(failure ? { why: failure.message } : how), restartInMs };
      log.error(
        facts,
        end.wasReady ? 'a worker ended, and is started again' : 'a worker could not start, and is tried again',
      );
    }
    this.#answer(slot, toStartError(end));
  }

  /** Passes the outcome to the callback that waits for the first message of a slot. */
  #answer(slot: WorkerSlot, outcome: WorkerReady | GatewayError): void {
    this.#awaited.get(slot)?.(outcome);
    this.#awaited.delete(slot);
  }

  #ping(): void {
    for (const slot of this.#slots) {
      if (!slot.ping()) continue;
      this.#options.log.error(
        { worker: slot.number, pid: slot.pid },
        'a worker has not answered for long: it is killed',
      );
      slot.kill();
    }
  }

  #retire(): void {
    this.#isStopping = true;
    clearInterval(this.#heartbeat);
    for (const slot of this.#slots) slot.retire();
    this.#settleWhenAllEnded();
  }

  #settleWhenAllEnded(): void {
    if (!this.#slots.some(({ isAlive }) => isAlive)) this.#settle();
  }

  #killAll(why: string): void {
    for (const slot of this.#slots) {
      if (!slot.isAlive) continue;
      this.#options.log.error({ worker: slot.number, pid: slot.pid }, `a worker ${why}: it is killed`);
      slot.kill();
    }
  }
}

/** Why no worker could start, for the person who started the program. */
function toStartError({ code, signal, failure }: WorkerEnd): GatewayError {
  if (failure) return new GatewayError(failure.code as ErrorCode, failure.message, { ...failure.details });
  const how = signal === null ? `code ${code}` : signal;
  return new GatewayError(
    'CANNOT_LISTEN',
    `The first worker ended (${how}) before it listened; what it said stands above. Without workers (--workers 1) the same shows in one process.`,
  );
}
