// Counters and histograms that calls update. A series is looked up once and kept; from then on, counting is an addition.
// prom-client's own metrics hash the labels of every observation, which takes longer than all other counting.
import type { MetricSpec } from './metric-table.ts';

/** One metric at one moment, in the shape that prom-client uses; plain data, so that workers can send it. */
export interface Snapshot {
  readonly name: string;
  readonly help: string;
  readonly type: string;
  readonly aggregator: string;
  readonly values: readonly SeriesValue[];
}

export interface SeriesValue {
  readonly labels: Readonly<Record<string, string | number>>;
  readonly value: number;
  /** For a histogram: `…_bucket`, `…_sum` or `…_count`. */
  readonly metricName?: string;
}

/** Combinations of labels per metric. All others share one series. */
const MAX_SERIES = 5_000;
const OVERFLOW_LABEL = 'other';

/** The value of one series of a counter. */
export class Counter {
  value = 0;
}

/** The values of one series of a histogram. */
export class Histogram {
  readonly counts: number[];
  readonly #bounds: readonly number[];
  sum = 0;

  constructor(bounds: readonly number[]) {
    this.#bounds = bounds;
    this.counts = new Array(bounds.length + 1).fill(0) as number[];
  }

  observe(value: number): void {
    const bounds = this.#bounds;
    let index = 0;
    while (index < bounds.length && value > bounds[index]!) index++;
    this.counts[index]!++;
    this.sum += value;
  }
}

interface Series<Value> {
  readonly labels: Readonly<Record<string, string>>;
  readonly value: Value;
}

/** The series of one metric by the values of its labels. */
class Family<Value> {
  readonly spec: MetricSpec;
  readonly #create: () => Value;
  readonly #series = new Map<string, Series<Value>>();

  constructor(spec: MetricSpec, create: () => Value) {
    this.spec = spec;
    this.#create = create;
  }

  /** The series with these label values, in the order of the table. Keep it: looking it up again costs more than counting. */
  at(...values: readonly string[]): Value {
    const key = JSON.stringify(values);
    const series = this.#series.get(key);
    if (series !== undefined) return series.value;
    if (this.#series.size >= MAX_SERIES && values.some((value) => value !== OVERFLOW_LABEL))
      return this.at(...values.map(() => OVERFLOW_LABEL));
    const labels = Object.fromEntries(Object.keys(this.spec.labels).map((name, index) => [name, values[index] ?? '']));
    const value = this.#create();
    this.#series.set(key, { labels, value });
    return value;
  }

  protected all(): readonly Series<Value>[] {
    return [...this.#series.values()];
  }
}

export class CounterFamily extends Family<Counter> {
  constructor(spec: MetricSpec) {
    super(spec, () => new Counter());
  }

  snapshot(): Snapshot {
    return toSnapshot(
      this.spec,
      this.all().map(({ labels, value: counter }) => ({ labels, value: counter.value })),
    );
  }
}

export class HistogramFamily extends Family<Histogram> {
  constructor(spec: MetricSpec & { readonly buckets: readonly number[] }) {
    super(spec, () => new Histogram(spec.buckets));
  }

  snapshot(): Snapshot {
    const { name, buckets = [] } = this.spec;
    const values = this.all().flatMap(({ labels, value: histogram }): SeriesValue[] => {
      let count = 0;
      const cumulative = histogram.counts.map((own, index) => {
        count += own;
        return { labels: { ...labels, le: buckets[index] ?? '+Inf' }, value: count, metricName: `${name}_bucket` };
      });
      return [
        ...cumulative,
        { labels, value: histogram.sum, metricName: `${name}_sum` },
        { labels, value: count, metricName: `${name}_count` },
      ];
    });
    return toSnapshot(this.spec, values);
  }
}

/** One value, with its label values in the order of the table. */
export type Sample = readonly [labels: readonly string[], value: number];

/** A metric whose values are read at the moment of a scrape. */
export function toSamples(spec: MetricSpec, samples: readonly Sample[]): Snapshot {
  const names = Object.keys(spec.labels);
  const values = samples.map(([labels, value]) => ({
    labels: Object.fromEntries(names.map((name, index) => [name, labels[index] ?? ''])),
    value,
  }));
  return toSnapshot(spec, values);
}

function toSnapshot({ name, help, type, merge = 'sum' }: MetricSpec, values: readonly SeriesValue[]): Snapshot {
  return { name, help, type, aggregator: merge, values };
}
