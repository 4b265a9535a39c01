// How a process that serves ends, and what signals do to it. At the end no new calls are accepted, calls in progress are answered,
// and everything is released.
import { setTimeout as sleep } from 'node:timers/promises';
import { flushLog } from '../../log.ts';
import { POOLED_QUIET_MS } from '../../transport/closing.ts';
import type { Primary } from '../../workers/in-worker.ts';
import { createSecondSignal } from '../second-signal.ts';
import type { Components } from './serve-process.ts';
import { closeTransports, renewTls, type Transports } from './start-transports.ts';

/** Reasons that wait for load balancers: sent by an orchestrator or operator. Ctrl-C at a terminal and a bug do not wait. */
const WAITING_REASONS: ReadonlySet<string> = new Set(['SIGTERM']);
const ENDED_BY_SIGNAL = 130;

export interface Shutdown {
  readonly hasBegun: boolean;
  /** What is to be done last. */
  atEnd(act: () => Promise<void> | undefined): void;
  /** Resolves with the exit code when all is done. A second call returns the shutdown in progress. */
  begin(why: string, code: number): Promise<number>;
}

/** `transports`: those that are open when it begins. */
export function createShutdown(components: Components, transports: () => Transports): Shutdown {
  let end: Promise<number> | undefined;
  let last: () => Promise<void> | undefined = () => undefined;
  const shutDown = async (why: string, code: number) => {
    await closeAndRelease(components, transports, why);
    await last();
    return code;
  };
  return {
    get hasBegun() {
      return end !== undefined;
    },
    atEnd(act) {
      last = act;
    },
    begin(why, code) {
      end ??= shutDown(why, code);
      return end;
    },
  };
}

async function closeAndRelease(components: Components, transports: () => Transports, why: string): Promise<void> {
  const { config, log, gateway } = components;
  logShutdown(components, why);
  const { http, tcp } = transports();
  http?.drain();
  // Load balancers need time to notice; until then, calls are served as before.
  const isWaiting = WAITING_REASONS.has(why) && config.drainSeconds > 0;
  if (isWaiting && (http || tcp)) await sleep(config.drainSeconds * 1_000);
  // Subscriptions would otherwise hold their connections open for the whole grace time.
  gateway.drain();
  await closeTransports(transports(), config.graceSeconds * 1_000, isWaiting ? POOLED_QUIET_MS : undefined);
  await components.release();
  await flushLog(log);
}

function logShutdown({ log, refusals, gateway }: Components, why: string): void {
  refusals.flush();
  const counts = Object.entries(gateway.limits.refused).filter(([, count]) => count > 0);
  log.info(
    {
      why,
      ...(refusals.counts.size > 0 && { refused: Object.fromEntries(refusals.counts) }),
      ...(counts.length > 0 && { limited: Object.fromEntries(counts) }),
    },
    'stopping',
  );
}

/** Also handles bugs: errors that nobody caught end the process. `primary` receives the signals if this process is a worker. */
export function handleSignals(
  components: Components,
  transports: Transports,
  shutdown: Shutdown,
  primary?: Pick<Primary, 'onStop' | 'onHangUp'>,
): void {
  const { log, audit } = components;
  let isSecond = () => false;
  const end = (why: string, code = 0) => {
    if (shutdown.hasBegun) {
      if (code === 0 && !isSecond()) return;
      process.exit(code === 0 ? ENDED_BY_SIGNAL : code);
    }
    isSecond = createSecondSignal();
    void shutdown.begin(why, code).then((status) => process.exit(status));
  };
  const hangUp = () => reopenFiles(components, transports);
  if (primary) {
    // Called a second time if the primary ends while this process is stopping.
    primary.onStop((why) => shutdown.hasBegun || end(why));
    primary.onHangUp(hangUp);
  } else {
    process.on('SIGTERM', () => end('SIGTERM'));
    process.on('SIGINT', () => end('SIGINT'));
    process.on('SIGHUP', hangUp);
  }
  // Signs the audit trail even if the process ends without a proper stop.
  process.on('exit', () => audit?.close());
  // An unexpected bug: log it, let other calls finish, and end. Continuing could produce answers from half-changed state.
  process.on('uncaughtException', (error) => {
    log.fatal({ err: error }, 'uncaught exception');
    end('uncaughtException', 1);
  });
  process.on('unhandledRejection', (error) => {
    log.fatal({ err: error }, 'unhandled rejection');
    end('unhandledRejection', 1);
  });
  // A shutdown closes stdin itself; that must not count as a second signal.
  const { http, tcp, stdio } = transports;
  if (stdio && !http && !tcp) void stdio.finished.then(() => shutdown.hasBegun || end('stdin ended'));
}

/** SIGHUP: logrotate has renamed the audit file, or the certificate was renewed. */
function reopenFiles({ log, audit, certificate }: Components, transports: Transports): void {
  log.info(
    { audit: audit !== undefined, tls: certificate !== undefined },
    'SIGHUP: audit file and certificate are opened again; keys and settings are read only at start',
  );
  audit?.reopen();
  certificate?.renew((tls) => renewTls(transports, tls));
}
