// The only door to prom-client: what it knows of the process, and the text that is scraped.
import { collectDefaultMetrics, type Metric, Registry } from 'prom-client';
import type { Snapshot } from './families.ts';

/** Memory, processor time, descriptors, garbage collections: what every program in Node tells. */
export function createProcessMetrics(): () => Promise<readonly Snapshot[]> {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  return async () => {
    const all = (await registry.getMetricsAsJSON()) as unknown as readonly Snapshot[];
    // Gauges with a name ending in _total: `promtool check metrics` refuses them, and they are of little use.
    return all.filter(({ name, type }) => type === 'counter' || !name.endsWith('_total'));
  };
}

export interface Exposition {
  readonly contentType: string;
  readonly text: string;
}

/** `accept`: the Accept header of the scrape. */
export async function renderMetrics(all: readonly Snapshot[], accept = ''): Promise<Exposition> {
  const isOpen = /\bapplication\/openmetrics-text\b/.test(accept);
  const contentType = isOpen ? Registry.OPENMETRICS_CONTENT_TYPE : Registry.PROMETHEUS_CONTENT_TYPE;
  const registry = new Registry();
  registry.setContentType(contentType as typeof Registry.PROMETHEUS_CONTENT_TYPE);
  for (const metric of all) {
    if (metric.values.length === 0) continue;
    // In OpenMetrics a counter is called without the suffix of its series, which the registry adds.
    const view = isOpen && metric.type === 'counter' ? { ...metric, name: metric.name.replace(/_total$/, '') } : metric;
    registry.registerMetric({ ...view, get: () => view } as unknown as Metric<string>);
  }
  return { contentType, text: await registry.metrics() };
}
