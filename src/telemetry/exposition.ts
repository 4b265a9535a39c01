// The only file that imports prom-client: metrics of the process, and the text of a scrape.
import { collectDefaultMetrics, type Metric, Registry } from 'prom-client';
import type { Snapshot } from './families.ts';

/** Memory, processor time, file descriptors, garbage collections: the metrics of every Node.js process. */
export function createProcessMetrics(): () => Promise<readonly Snapshot[]> {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  return async () => {
    const all = (await registry.getMetricsAsJSON()) as unknown as readonly Snapshot[];
    // Without gauges whose names end in _total: `promtool check metrics` refuses them, and they are of little use.
    return all.filter(({ name, type }) => type === 'counter' || !name.endsWith('_total'));
  };
}

export interface Exposition {
  readonly contentType: string;
  readonly text: string;
}

/** `accept`: the Accept header of the scrape. */
export async function renderMetrics(all: readonly Snapshot[], accept = ''): Promise<Exposition> {
  const isOpenMetrics = /\bapplication\/openmetrics-text\b/.test(accept);
  const contentType = isOpenMetrics ? Registry.OPENMETRICS_CONTENT_TYPE : Registry.PROMETHEUS_CONTENT_TYPE;
  const registry = new Registry();
  registry.setContentType(contentType as typeof Registry.PROMETHEUS_CONTENT_TYPE);
  for (const metric of all) {
    if (metric.values.length === 0) continue;
    // In OpenMetrics, the name of a counter has no suffix; the registry adds it to the series.
    const view =
      isOpenMetrics && metric.type === 'counter' ? { ...metric, name: metric.name.replace(/_total$/, '') } : metric;
    registry.registerMetric({ ...view, get: () => view } as unknown as Metric<string>);
  }
  return { contentType, text: await registry.metrics() };
}
