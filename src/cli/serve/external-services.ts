// What a gateway that serves connects to besides its APIs: the state it shares with replicas and workers, and the collector of its
// traces. Neither prevents the start if it cannot be reached.
import type { TracerProvider } from '@opentelemetry/api';
import type { Config } from '../../config/read-config.ts';
import { readCollectorFiles } from '../../config/tracing-plan.ts';
import type { Logger } from '../../log.ts';
import { PRODUCT } from '../../product.ts';
import { combineStates, type SharedState } from '../../state/shared-state.ts';
import { findTracing } from '../../tracing/tracing.ts';
import type { Primary } from '../../workers/in-worker.ts';
import { STATE_TOPIC } from '../../workers/worker-messages.ts';

/** State shared by replicas, if configured, and by the workers of one gateway. */
export async function openState(config: Config, log: Logger, primary?: Primary): Promise<SharedState | undefined> {
  const workers = primary && (await openWorkers(primary));
  if (config.state === undefined) return workers;
  const replicas = await openReplicas(config.state, config.secret, log);
  return workers === undefined ? replicas : combineStates(replicas, workers);
}

async function openWorkers(primary: Primary): Promise<SharedState> {
  const { openWorkerState } = await import('../../state/worker-state.ts');
  return openWorkerState({ channel: primary.channel(STATE_TOPIC) });
}

async function openReplicas(url: string, secret: string | undefined, log: Logger): Promise<SharedState> {
  if (secret === undefined)
    log.warn('shared state: without a common secret (LANDBRIDGE_SECRET), replicas share only rate limits');
  const { openRedisState } = await import('../../state/redis-state.ts');
  return openRedisState({
    url,
    secret: secret === undefined ? undefined : Buffer.from(secret),
    onChange: (isUsable, where, why) => {
      if (isUsable) log.info({ where }, 'shared state is up: all replicas share limits and confirmations');
      else
        log.warn(
          { where, why },
          'shared state is down: each replica applies the limits and logs in to APIs on its own, and confirmations are refused',
        );
    },
    onWarning: (message) => log.warn(`shared state: ${message}`),
  });
}

/** Undefined if the configuration does not switch tracing on, or an OpenTelemetry SDK in this process already exports traces. */
export async function openTraces(
  { tracing }: Config,
  log: Logger,
): Promise<{ readonly provider: TracerProvider; close(): Promise<void> } | undefined> {
  if (tracing === undefined) return undefined;
  for (const warning of tracing.warnings) log.warn(warning);
  const { version } = PRODUCT;
  if (findTracing(version) !== undefined) {
    log.info('the OpenTelemetry SDK of this process exports the traces');
    return undefined;
  }
  const { openTraceExport } = await import('../../tracing/otlp-export.ts');
  const where = new URL(tracing.endpoint).origin;
  const { provider, close } = openTraceExport({
    ...tracing,
    version,
    tls: readCollectorFiles(tracing),
    onChange: (isArriving, { losses, why }) => {
      if (isArriving) log.info({ lost: losses, where }, 'traces reach the collector again');
      else
        log.warn(
          { lost: losses, where, why },
          'traces do not reach the collector: calls continue, but their spans are lost',
        );
    },
    onWarning: (message) => log.warn(`tracing: ${message}`),
  });
  return {
    provider,
    async close() {
      const { losses } = await close();
      if (losses > 0) log.warn({ lost: losses, where }, 'spans were lost');
    },
  };
}
