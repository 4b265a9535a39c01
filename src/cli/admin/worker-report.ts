// What a worker tells the process that looks after it, which has the admin listener: metrics, conditions, and that it heard of
// another log level.
import type { Reason } from '../../admin/admin-view.ts';
import type { Snapshot } from '../../telemetry/families.ts';
import type { Metrics } from '../../telemetry/metrics.ts';
import type { Channel } from '../../workers/worker-messages.ts';

export const ADMIN_TOPIC = 'admin';

/** What a worker is asked, or told. */
export type ToReporter =
  | { readonly kind: 'report' | 'reasons'; readonly id: number }
  | { readonly kind: 'level'; readonly level: string; readonly why: string };

/** `id` is that of the question; absent where nobody asked. Without `snapshots` where only reasons were asked for. */
export interface Report {
  readonly kind: 'report';
  readonly id?: number;
  readonly snapshots?: readonly Snapshot[];
  readonly reasons: readonly Reason[];
}

/** `begun`: it hears from now on. */
export type FromReporter = Report | { readonly kind: 'begun' };

export interface ReporterParts {
  readonly metrics: Metrics;
  readonly reasons: () => readonly Reason[];
  readonly setLevel: (level: string, why: string) => void;
}

/** Answers until the end; the function returned says once more what was counted. */
export function reportTo(channel: Channel, { metrics, reasons, setLevel }: ReporterParts): () => Promise<void> {
  const report = async (id?: number): Promise<void> => {
    const snapshots = (await metrics.snapshot()).map(withoutGaps);
    channel.send({ kind: 'report', ...(id !== undefined && { id }), snapshots, reasons: reasons() } satisfies Report);
  };
  channel.onMessage((message) => {
    const order = message as ToReporter;
    if (order.kind === 'level') setLevel(order.level, order.why);
    else if (order.kind === 'reasons')
      channel.send({ kind: 'report', id: order.id, reasons: reasons() } satisfies Report);
    else void report(order.id);
  });
  channel.send({ kind: 'begun' } satisfies FromReporter);
  return () => report();
}

/** The way between the two knows neither NaN nor infinity. */
function withoutGaps(metric: Snapshot): Snapshot {
  return { ...metric, values: metric.values.filter(({ value }) => Number.isFinite(value)) };
}
