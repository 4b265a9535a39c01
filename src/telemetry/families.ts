// Counters and histograms that calls update. A series is looked up once and kept; from then on, counting is an addition.
// prom-client's own metrics hash the labels for every observation, which takes longer than everything else we count.
import type { MetricSpec } from './metric-table.ts';

/** One metric at one moment, in the shape that prom-client has for it; plain data, so that workers can send it. */
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
  /** Of a histogram: `…_bucket`, `…_sum` or `…_count`. */
  readonly metricName?: string;
}

/** However many combinations of labels there are. The rest shares one series. */
const MAX_SERIES = 5_000;
const REST = 'other';

/** One number. */
export class Cell {
  value = 0;
}

/** How many observations were up to each bound. */
export class Buckets {
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

interface Series<One> {
  readonly labels: Readonly<Record<string, string>>;
  readonly one: One;
}

/** The series of one metric by the values of its labels. */
class Family<One> {
  readonly spec: MetricSpec;
  readonly #create: () => One;
  readonly #series = new Map<string, Series<One>>();

  constructor(spec: MetricSpec, create: () => One) {
    this.spec = spec;
    this.#create = create;
  }

  /** The series with these values, in the order of the table. To be kept: looking it up again costs more than counting. */
  at(...values: readonly string[]): One {
    const key = JSON.stringify(values);
    const series = this.#series.get(key);
    if (series !== undefined) return series.one;
    if (this.#series.size >= MAX_SERIES && values.some((value) => value !== REST))
      return this.at(...values.map(() => REST));
    const labels = Object.fromEntries(Object.keys(this.spec.labels).map((name, index) => [name, values[index] ?? '']));
    const one = this.#create();
    this.#series.set(key, { labels, one });
    return one;
  }

  protected all(): readonly Series<One>[] {
    return [...this.#series.values()];
  }
}

export class CounterFamily extends Family<Cell> {
  constructor(spec: MetricSpec) {
    super(spec, () => new Cell());
  }

  snapshot(): Snapshot {
    return toSnapshot(
      this.spec,
      this.all().map(({ labels, one }) => ({ labels, value: one.value })),
    );
  }
}

export class HistogramFamily extends Family<Buckets> {
  constructor(spec: MetricSpec & { readonly buckets: readonly number[] }) {
    super(spec, () => new Buckets(spec.buckets));
  }

  snapshot(): Snapshot {
    const { name, buckets = [] } = this.spec;
    const values = this.all().flatMap(({ labels, one }): SeriesValue[] => {
      let count = 0;
      const upTo = one.counts.map((own, index) => {
        count += own;
        return { labels: { ...labels, le: buckets[index] ?? '+Inf' }, value: count, metricName: `${name}_bucket` };
      });
      return [
        ...upTo,
        { labels, value: one.sum, metricName: `${name}_sum` },
        { labels, value: count, metricName: `${name}_count` },
      ];
    });
    return toSnapshot(this.spec, values);
  }
}

/** One value, with its labels in the order of the table. */
export type Sample = readonly [labels: readonly string[], value: number];

/** A metric that something else counts, as it stands at the moment of a scrape. */
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
