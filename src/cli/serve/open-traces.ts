// The export of traces, where the configuration switches it on, and what the log says of it.
import type { TracerProvider } from '@opentelemetry/api';
import type { Config } from '../../config/read-config.ts';
import { readCollectorFiles } from '../../config/tracing/tracing-plan.ts';
import type { Logger } from '../../log.ts';
import { PRODUCT } from '../../product.ts';
import { findTracing } from '../../tracing/tracing.ts';

export interface Traces {
  readonly provider: TracerProvider;
  close(): Promise<void>;
}

export async function openTraces({ tracing }: Config, log: Logger): Promise<Traces | undefined> {
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
