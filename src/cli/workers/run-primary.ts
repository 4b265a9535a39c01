// landbridge serve with several workers, in the primary: starts and watches them, prints the announcement once, passes on
// signals, and holds what the workers share.
import { randomBytes } from 'node:crypto';
import type { AdminServer } from '../../admin/admin-server.ts';
import type { Config } from '../../config/read-config.ts';
import { createLog, flushLog, type Logger, setLevel } from '../../log.ts';
import { createPrimaryState } from '../../state/primary-state.ts';
import { createRefusals } from '../../transport/refusals.ts';
import { Supervisor } from '../../workers/supervise.ts';
import { listWorkerFlags } from '../../workers/worker-launch.ts';
import { STATE_TOPIC } from '../../workers/worker-messages.ts';
import type { WorkerSlot } from '../../workers/worker-slot.ts';
import { listenForAdmin, refuseOpenAdmin } from '../admin/listen-for-admin.ts';
import { ADMIN_TOPIC } from '../admin/worker-report.ts';
import { WorkersView } from '../admin/workers-view.ts';
import type { Io } from '../io.ts';
import { createSecondSignal } from '../second-signal.ts';
import { logProcessNotices, writeAnnouncement } from '../terminal/process-output.ts';
import { createSharedSample } from './shared-sample.ts';

/** Time to release everything, in addition to the time a worker may take to stop. */
const STOP_SLACK_MS = 10_000;
const SECRET_BYTES = 32;
const ENDED_BY_SIGNAL = 130;

/** Resolves when all workers listen; signals end it. */
export async function runPrimary(io: Io, config: Config, workers: number): Promise<void> {
  const log = createLog({ level: config.logLevel, pretty: io.stderr.isTTY === true, isShared: true });
  logProcessNotices(log);
  const sample = createSharedSample();
  const progress = { isStopping: false };
  const state = createPrimaryState({ workers });
  const view = config.admin && openView(config, workers, log, () => progress.isStopping);
  const admin = view && (await openListener(config, view, log));
  /** What to do when the worker of a slot has ended. */
  const detachers = new Map<WorkerSlot, () => void>();
  const supervisor = new Supervisor({
    workers,
    secret: randomBytes(SECRET_BYTES).toString('base64url'),
    log,
    adminPort: admin?.port,
    execArgv: listWorkerFlags(process.execArgv, io.env.NODE_OPTIONS),
    stopMs: (config.drainSeconds + config.graceSeconds) * 1_000 + STOP_SLACK_MS,
    onWorker: (slot) => {
      sample.serve(slot);
      detachers.set(slot, state.attach(slot.channel(STATE_TOPIC)));
      view?.attach(slot.number, slot.channel(ADMIN_TOPIC));
    },
    onGone: (slot) => {
      detachers.get(slot)?.();
      view?.detach(slot.number);
    },
  });
  handlePrimarySignals(supervisor, progress, log, admin);
  try {
    const announcement = await supervisor.start();
    if (progress.isStopping) return;
    if (announcement) writeAnnouncement(io, announcement, log);
  } catch (error) {
    // A worker that was stopped during its start has not failed.
    if (!progress.isStopping) throw error;
  }
}

function openView(config: Config, size: number, log: Logger, isStopping: () => boolean): WorkersView {
  refuseOpenAdmin(config);
  return new WorkersView({
    wanted: size,
    level: config.logLevel,
    setLevel: (level, why) => setLevel(log, level, why),
    isStopping,
  });
}

function openListener({ admin }: Config, view: WorkersView, log: Logger): Promise<AdminServer> {
  return listenForAdmin(
    view,
    admin!,
    log,
    createRefusals((facts, message) => log.warn(facts, message)),
  );
}

function handlePrimarySignals(
  supervisor: Supervisor,
  progress: { isStopping: boolean },
  log: Logger,
  admin: AdminServer | undefined,
): void {
  let code: number | undefined;
  let isSecond = () => false;
  const stop = (why: string) => {
    if (progress.isStopping) {
      if (!isSecond()) return;
      code = ENDED_BY_SIGNAL;
      void supervisor.end();
      return;
    }
    progress.isStopping = true;
    isSecond = createSecondSignal();
    void supervisor.stop(why).then(async (isClean) => {
      await admin?.close();
      await flushLog(log);
      process.exit(code ?? (isClean ? 0 : 1));
    });
  };
  process.on('SIGTERM', () => stop('SIGTERM'));
  process.on('SIGINT', () => stop('SIGINT'));
  process.on('SIGHUP', () => supervisor.hangUp());
}
