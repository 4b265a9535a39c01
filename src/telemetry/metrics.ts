// The metrics of one process: those counted while calls run, those computed during a scrape, and those of Node itself.
import type { OpenMeter } from '../call/meter.ts';
import { createCallMetrics } from './call-meter.ts';
import { createProcessMetrics } from './exposition.ts';
import { HistogramFamily, type Snapshot } from './families.ts';
import { METRICS } from './metric-table.ts';
import { type MetricSources, readSamples } from './scrape-samples.ts';

export interface Metrics {
  /** For the gateway, which is created before the sources exist. */
  readonly openMeter: OpenMeter;
  /** Sets the sources that scrapes read. */
  watch(sources: MetricSources): void;
  snapshot(): Promise<readonly Snapshot[]>;
}

export function createMetrics(): Metrics {
  const calls = createCallMetrics();
  const delay = new HistogramFamily(METRICS.eventLoopDelay);
  const delays = delay.at();
  const readProcess = createProcessMetrics();
  let sources: MetricSources | undefined;
  return {
    openMeter: calls.openMeter,
    watch(all) {
      sources = all;
      all.limits.overload.reportDelays((lateMs) => delays.observe(lateMs / 1_000));
    },
    snapshot: async () => [
      ...calls.snapshot(),
      ...(sources ? readSamples(sources) : []),
      delay.snapshot(),
      ...(await readProcess()),
    ],
  };
}
