// What a worker reports to its primary, which has the admin listener: metrics, conditions, and that it received a change of the
// log level.
import type { ReadinessProblem } from '../../admin/admin-view.ts';
import type { Snapshot } from '../../telemetry/families.ts';
import type { Metrics } from '../../telemetry/metrics.ts';
import type { WorkerChannel } from '../../workers/worker-messages.ts';

export const ADMIN_TOPIC = 'admin';

/** Messages from the primary to a worker. */
export type MessageToReporter =
  | { readonly kind: 'report' | 'reasons'; readonly id: number }
  | { readonly kind: 'level'; readonly level: string; readonly why: string };

/** `id` is that of the question; absent if the worker reports on its own. `snapshots` is missing if the question was about reasons only. */
export interface WorkerReport {
  readonly kind: 'report';
  readonly id?: number;
  readonly snapshots?: readonly Snapshot[];
  readonly reasons: readonly ReadinessProblem[];
}

/** Messages from a worker to the primary. `begun`: the worker listens for messages from now on. */
export type MessageFromReporter = WorkerReport | { readonly kind: 'begun' };

/** Answers until the process ends; the function returned sends the counts once more. */
export function reportTo(
  channel: WorkerChannel,
  {
    metrics,
    reasons,
    setLevel,
  }: {
    readonly metrics: Metrics;
    readonly reasons: () => readonly ReadinessProblem[];
    readonly setLevel: (level: string, why: string) => void;
  },
): () => Promise<void> {
  const report = async (id?: number): Promise<void> => {
    const snapshots = (await metrics.snapshot()).map(withoutNonFinite);
    channel.send({
      kind: 'report',
      ...(id !== undefined && { id }),
      snapshots,
      reasons: reasons(),
    } satisfies WorkerReport);
  };
  channel.onMessage((message) => {
    const order = message as MessageToReporter;
    if (order.kind === 'level') setLevel(order.level, order.why);
    else if (order.kind === 'reasons')
      channel.send({ kind: 'report', id: order.id, reasons: reasons() } satisfies WorkerReport);
    else void report(order.id);
  });
  channel.send({ kind: 'begun' } satisfies MessageFromReporter);
  return () => report();
}

/** The channel between the processes carries JSON, which has neither NaN nor infinity. */
function withoutNonFinite(metric: Snapshot): Snapshot {
  return { ...metric, values: metric.values.filter(({ value }) => Number.isFinite(value)) };
}
