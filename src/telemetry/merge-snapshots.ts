// Merges the metrics of several workers. Counters of a worker that ended are kept: if the sum decreased, it would look like a
// restart of the whole gateway.
import type { SeriesValue, Snapshot } from './families.ts';

type Merge = (values: readonly number[]) => number;

const MERGES: Readonly<Record<string, Merge>> = {
  sum: (values) => values.reduce((sum, value) => sum + value, 0),
  max: (values) => Math.max(...values),
  min: (values) => Math.min(...values),
  average: (values) => values.reduce((sum, value) => sum + value, 0) / values.length,
  first: ([value]) => value!,
  // The time when the process started: the earliest counts.
  omit: (values) => Math.min(...values),
};

function mergeSnapshots(all: readonly (readonly Snapshot[])[]): readonly Snapshot[] {
  const byName = new Map<string, Snapshot[]>();
  for (const metric of all.flat()) {
    const same = byName.get(metric.name);
    if (same === undefined) byName.set(metric.name, [metric]);
    else same.push(metric);
  }
  return [...byName.values()].map(mergeMetric);
}

function mergeMetric(all: readonly Snapshot[]): Snapshot {
  const first = all[0]!;
  const merge = MERGES[first.aggregator] ?? MERGES.sum!;
  const series = new Map<string, { readonly one: SeriesValue; readonly values: number[] }>();
  for (const { values } of all)
    for (const one of values) {
      const key = `${one.metricName ?? ''} ${JSON.stringify(Object.entries(one.labels).sort(byLabel))}`;
      const same = series.get(key);
      if (same === undefined) series.set(key, { one, values: [one.value] });
      else same.values.push(one.value);
    }
  return { ...first, values: [...series.values()].map(({ one, values }) => ({ ...one, value: merge(values) })) };
}

function byLabel([one]: readonly [string, unknown], [other]: readonly [string, unknown]): number {
  return one < other ? -1 : 1;
}

/** The latest metrics of each worker, by id. */
export class WorkerSnapshots {
  readonly #running = new Map<number, readonly Snapshot[]>();
  #ended: readonly Snapshot[] = [];

  update(worker: number, snapshots: readonly Snapshot[]): void {
    this.#running.set(worker, snapshots);
  }

  /** The worker has ended: its counters are kept, its gauges are dropped. */
  keepCounters(worker: number): void {
    const last = this.#running.get(worker);
    if (last === undefined) return;
    this.#running.delete(worker);
    this.#ended = mergeSnapshots([this.#ended, last.filter(({ type }) => type !== 'gauge')]);
  }

  /** `own`: the metrics of this process. */
  merge(own: readonly Snapshot[] = []): readonly Snapshot[] {
    return mergeSnapshots([...this.#running.values(), this.#ended, own]);
  }
}
