// What a worker reports to its primary, which has the admin listener: metrics, conditions, and that it received a change of the
// log level.
import type { Reason } from '../../admin/admin-view.ts';
import type { Snapshot } from '../../telemetry/families.ts';
import type { Metrics } from '../../telemetry/metrics.ts';
import type { Channel } from '../../workers/worker-messages.ts';

export const ADMIN_TOPIC = 'admin';

/** What a worker is asked, or told. */
export type ToReporter =
  | { readonly kind: 'report' | 'reasons'; readonly id: number }
  | { readonly kind: 'level'; readonly level: string; readonly why: string };

/** `id` is that of the question; absent if the worker reports on its own. Without `snapshots` if only reasons were asked for. */
export interface Report {
  readonly kind: 'report';
  readonly id?: number;
  readonly snapshots?: readonly Snapshot[];
  readonly reasons: readonly Reason[];
}

/** `begun`: the worker listens for messages from now on. */
export type FromReporter = Report | { readonly kind: 'begun' };

export interface ReporterParts {
  readonly metrics: Metrics;
  readonly reasons: () => readonly Reason[];
  readonly setLevel: (level: string, why: string) => void;
}

/** Answers until the process ends; the function returned sends the counts once more. */
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

/** The channel between the processes carries JSON, which has neither NaN nor infinity. */
function withoutGaps(metric: Snapshot): Snapshot {
  return { ...metric, values: metric.values.filter(({ value }) => Number.isFinite(value)) };
}
