// How a gateway that serves ends: no new calls are accepted, calls in progress are answered, and everything is released.
import { setTimeout as sleep } from 'node:timers/promises';
import { flushLog } from '../../../log.ts';
import { POOLED_QUIET_MS } from '../../../transport/ending/patience.ts';
import type { Parts } from '../open-parts.ts';
import { closeTransports, type Transports } from '../start-transports.ts';

/** Reasons that wait for load balancers: sent by an orchestrator or operator. Ctrl-C at a terminal and a bug do not wait. */
const AWAITED: ReadonlySet<string> = new Set(['SIGTERM']);

export interface Stopping {
  readonly hasBegun: boolean;
  /** Resolves with the exit code when all is done. A second call returns the stop in progress. */
  stop(why: string, code?: number): Promise<number>;
}

/** `transports`: those that are open when it begins. */
export function createStopping(parts: Parts, transports: () => Transports): Stopping {
  let end: Promise<number> | undefined;
  return {
    get hasBegun() {
      return end !== undefined;
    },
    stop(why, code = 0) {
      end ??= runStop(parts, transports, why).then(() => code);
      return end;
    },
  };
}

async function runStop(parts: Parts, transports: () => Transports, why: string): Promise<void> {
  const { config, log, gateway } = parts;
  logStop(parts, why);
  const { http, tcp } = transports();
  http?.drain();
  // Load balancers need time to notice; until then, calls are served as before.
  const isAwaited = AWAITED.has(why) && config.drainSeconds > 0;
  if (isAwaited && (http || tcp)) await sleep(config.drainSeconds * 1_000);
  // Subscriptions would otherwise hold their connections open for the whole grace time.
  gateway.drain();
  await closeTransports(transports(), config.graceSeconds * 1_000, isAwaited ? POOLED_QUIET_MS : undefined);
  await parts.release();
  await flushLog(log);
}

function logStop({ log, refusals, gateway }: Parts, why: string): void {
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
