// landbridge serve with several workers, in the primary: starts and watches them, prints the announcement once, passes on
// signals, and holds what the workers share.
import { randomBytes } from 'node:crypto';
import type { AdminServer } from '../../admin/admin-server.ts';
import type { Config } from '../../config/read-config.ts';
import { createLog, flushLog, type Logger, setLevel } from '../../log.ts';
import { createPrimaryState } from '../../state/primary-state.ts';
import { createRefusals } from '../../transport/door/refusals.ts';
import type { Slot } from '../../workers/slot.ts';
import { Supervisor } from '../../workers/supervise.ts';
import { listWorkerFlags } from '../../workers/worker-launch.ts';
import { STATE_TOPIC } from '../../workers/worker-messages.ts';
import { refuseOpenAdmin } from '../admin/admin-checks.ts';
import { listenForAdmin } from '../admin/listen-for-admin.ts';
import { ADMIN_TOPIC } from '../admin/worker-report.ts';
import { WorkersView } from '../admin/workers-view.ts';
import { createSecondSignal } from '../serve/ending/second-signal.ts';
import { writeAnnouncement } from '../terminal/announcement.ts';
import { keepNotices } from '../terminal/process-notices.ts';
import { createSharedSample } from './shared-sample.ts';

/** Time to release everything, in addition to the time a worker may take to stop. */
const STOP_SLACK_MS = 10_000;
const SECRET_BYTES = 32;
const ENDED_BY_SIGNAL = 130;

/** Resolves when all workers listen; signals end it. */
export async function runPrimary(config: Config, workers: number): Promise<void> {
  const log = createLog({ level: config.logLevel, pretty: process.stderr.isTTY === true, isShared: true });
  keepNotices(log);
  const sample = createSharedSample();
  const signals = { haveCome: false };
  const state = createPrimaryState({ workers });
  const view = config.admin && openView(config, workers, log, () => signals.haveCome);
  const admin = view && (await openListener(config, view, log));
  /** What is to be done when the worker of a slot is gone. */
  const leaving = new Map<Slot, () => void>();
  const supervisor = new Supervisor({
    workers,
    secret: randomBytes(SECRET_BYTES).toString('base64url'),
    log,
    adminPort: admin?.port,
    execArgv: listWorkerFlags(process.execArgv, process.env.NODE_OPTIONS),
    stopMs: (config.drainSeconds + config.graceSeconds) * 1_000 + STOP_SLACK_MS,
    onWorker: (slot) => {
      sample.serve(slot);
      leaving.set(slot, state.attach(slot.channel(STATE_TOPIC)));
      view?.attach(slot.number, slot.channel(ADMIN_TOPIC));
    },
    onGone: (slot) => {
      leaving.get(slot)?.();
      view?.detach(slot.number);
    },
  });
  heedSignals(supervisor, signals, log, admin);
  try {
    const announcement = await supervisor.start();
    if (signals.haveCome) return;
    if (announcement) writeAnnouncement(announcement, log);
  } catch (error) {
    // A worker that was told to stop during its start has not failed.
    if (!signals.haveCome) throw error;
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

function heedSignals(
  supervisor: Supervisor,
  signals: { haveCome: boolean },
  log: Logger,
  admin: AdminServer | undefined,
): void {
  let code: number | undefined;
  let isSecond = () => false;
  const stop = (why: string) => {
    if (signals.haveCome) {
      if (!isSecond()) return;
      code = ENDED_BY_SIGNAL;
      void supervisor.end();
      return;
    }
    signals.haveCome = true;
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
