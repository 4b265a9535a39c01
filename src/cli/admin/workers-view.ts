// What the admin listener of a gateway with several workers shows: the reports of all workers, merged into one.
import type { AdminView, Readiness, ReadinessProblem } from '../../admin/admin-view.ts';
import { createLevelControl, type LevelControl } from '../../admin/log-level.ts';
import type { Snapshot } from '../../telemetry/families.ts';
import { WorkerSnapshots } from '../../telemetry/merge-snapshots.ts';
import { readWorkers } from '../../telemetry/scrape-samples.ts';
import type { WorkerChannel } from '../../workers/worker-messages.ts';
import type { MessageFromReporter, MessageToReporter, WorkerReport } from './worker-report.ts';

export interface WorkersViewOptions {
  readonly wanted: number;
  readonly level: string;
  /** For this process itself. */
  readonly setLevel: (level: string, why: string) => void;
  /** Whether the gateway is stopping: a worker that ends then does not count as an exit. */
  readonly isStopping: () => boolean;
}

/**
 * Longest wait for a busy or hanging worker. After that, metrics use its last report, and readiness does not count it as ready.
 */
const REPORT_MS = 2_000;

type Question = 'report' | 'reasons';

export class WorkersView implements AdminView {
  readonly logLevel: LevelControl;
  readonly #options: WorkersViewOptions;
  readonly #channels = new Map<number, WorkerChannel>();
  readonly #snapshots = new WorkerSnapshots();
  readonly #pending = new Map<number, (report: WorkerReport | undefined) => void>();
  #questions = 0;
  #exits = 0;

  constructor(options: WorkersViewOptions) {
    this.#options = options;
    this.logLevel = createLevelControl(options.level, (level, why) => {
      options.setLevel(level, why);
      for (const channel of this.#channels.values()) sendMessage(channel, { kind: 'level', level, why });
    });
  }

  /** A worker was started in the slot. */
  attach(slot: number, channel: WorkerChannel): void {
    channel.onMessage((message) => {
      const report = message as MessageFromReporter;
      if (report.kind === 'begun') this.#addWorker(slot, channel);
      else {
        if (report.snapshots) this.#snapshots.update(slot, report.snapshots);
        if (report.id !== undefined) this.#pending.get(report.id)?.(report);
      }
    });
  }

  /** The worker of the slot has ended. */
  detach(slot: number): void {
    this.#channels.delete(slot);
    this.#snapshots.keepCounters(slot);
    if (!this.#options.isStopping()) this.#exits++;
  }

  async metrics(): Promise<readonly Snapshot[]> {
    await this.#ask('report');
    const { wanted } = this.#options;
    return this.#snapshots.merge(readWorkers({ wanted, running: this.#channels.size, exits: this.#exits }));
  }

  async readiness(): Promise<Readiness> {
    // Needs no token and may be called at any rate, so no metrics are collected or merged for it.
    const reports = await this.#ask('reasons');
    const { wanted } = this.#options;
    const ready = reports.filter(({ reasons }) => !reasons.some(({ isUnready }) => isUnready)).length;
    const isReady = ready > 0;
    const missing = { name: 'workers', what: `${ready} of ${wanted} workers are ready`, isUnready: !isReady };
    const reasons = [...mergeReasons(reports, isReady), ...(ready < wanted ? [missing] : [])];
    return { isReady, reasons, workers: { wanted, ready } };
  }

  #addWorker(slot: number, channel: WorkerChannel): void {
    this.#channels.set(slot, channel);
    const { level, configured } = this.logLevel.state;
    if (level !== configured) sendMessage(channel, { kind: 'level', level, why: 'as asked for before' });
  }

  async #ask(kind: Question): Promise<readonly WorkerReport[]> {
    const reports = await Promise.all([...this.#channels.values()].map((channel) => this.#askOne(channel, kind)));
    return reports.filter((report) => report !== undefined);
  }

  #askOne(channel: WorkerChannel, kind: Question): Promise<WorkerReport | undefined> {
    const id = ++this.#questions;
    return new Promise<WorkerReport | undefined>((resolve) => {
      const timer = setTimeout(() => this.#pending.get(id)?.(undefined), REPORT_MS);
      this.#pending.set(id, (report) => {
        clearTimeout(timer);
        this.#pending.delete(id);
        resolve(report);
      });
      sendMessage(channel, { kind, id });
    });
  }
}

/**
 * Each reason once, with the number of workers that report it. While any worker is ready, no reason makes the gateway unready.
 */
function mergeReasons(reports: readonly WorkerReport[], isReady: boolean): ReadinessProblem[] {
  const all = reports.flatMap(({ reasons }) => reasons);
  return [...new Set(all.map(({ name }) => name))].map((name) => {
    const same = all.filter((reason) => reason.name === name);
    const { what, isUnready } = same[0]!;
    return { name, what, isUnready: isUnready && !isReady, workers: same.length };
  });
}

function sendMessage(channel: WorkerChannel, message: MessageToReporter): void {
  channel.send(message);
}
