// What a process that serves reports to operators: through its own listener, or as a worker through its primary.
import type { AdminServer } from '../../admin/admin-server.ts';
import { type AdminView, toReadiness } from '../../admin/admin-view.ts';
import { createLevelControl } from '../../admin/log-level.ts';
import type { Gateway } from '../../gateway.ts';
import { setLevel } from '../../log.ts';
import { PRODUCT } from '../../product.ts';
import type { Metrics } from '../../telemetry/metrics.ts';
import type { CatalogSize, ConditionState, WorkerCounts } from '../../telemetry/scrape-samples.ts';
import type { WorkerChannel } from '../../workers/worker-messages.ts';
import { estimateCost } from '../exposure-cost.ts';
import type { Condition, ReadConditions } from '../serve/conditions.ts';
import type { Components } from '../serve/serve-process.ts';
import { listLoads, type Transports } from '../serve/start-transports.ts';
import { listenForAdmin } from './listen-for-admin.ts';
import { reportTo } from './worker-report.ts';

/** A single process counts as its only worker. */
const ALONE = Object.freeze({ wanted: 1, running: 1, exits: 0 });

/** The admin listener of a single process. Undefined if none is configured. */
export async function openAdmin(
  components: Components,
  transports: Transports,
  conditions: ReadConditions,
): Promise<AdminServer | undefined> {
  const { config, log, metrics, refusals } = components;
  if (config.admin === undefined || metrics === undefined) return undefined;
  watchComponents(metrics, components, transports, conditions, ALONE);
  const view: AdminView = {
    metrics: () => metrics.snapshot(),
    readiness: () => toReadiness(conditions()),
    logLevel: createLevelControl(log.level, (level, why) => setLevel(log, level, why)),
  };
  return listenForAdmin(view, config.admin, log, refusals);
}

/** The reports of a worker for its primary, which has the listener. Undefined if none is configured. */
export function openReports(
  components: Components,
  transports: Transports,
  conditions: ReadConditions,
  channel: WorkerChannel,
): (() => Promise<void>) | undefined {
  const { log, metrics } = components;
  if (metrics === undefined) return undefined;
  watchComponents(metrics, components, transports, conditions);
  return reportTo(channel, {
    metrics,
    reasons: conditions,
    setLevel: (level) => {
      log.level = level;
    },
  });
}

function watchComponents(
  metrics: Metrics,
  components: Components,
  transports: Transports,
  conditions: ReadConditions,
  workers?: WorkerCounts,
): void {
  const { gateway, refusals, certificate } = components;
  const names = listConditions(components);
  metrics.watch({
    version: PRODUCT.version,
    limits: gateway.limits,
    refusals: refusals.counts,
    catalogs: measureCatalogs(gateway),
    pools: () => gateway.pools,
    transports: () => listLoads(transports),
    conditions: () => toStates(names, conditions()),
    certificateEndsMs: () => certificate?.validToMs,
    workers,
  });
}

/** The conditions that can occur in this gateway: parts that are not configured have none. */
function listConditions({ audit, state, authorities }: Components): Condition['name'][] {
  return [
    'draining',
    'memory',
    'overload',
    ...(audit ? (['audit'] as const) : []),
    ...(state ? (['state'] as const) : []),
    ...(authorities?.issuers ? (['issuer'] as const) : []),
  ];
}

function toStates(names: readonly Condition['name'][], holding: readonly Condition[]): ConditionState[] {
  return names.map((name) => {
    const condition = holding.find((one) => one.name === name);
    return { name, holds: condition !== undefined, isUnready: condition?.isUnready ?? false };
  });
}

/** Measured once: the catalogs of a gateway do not change. */
function measureCatalogs(gateway: Gateway): CatalogSize[] {
  return [['', gateway] as const, ...gateway.profiles].map(([profile, { registry }]) => ({
    profile,
    tools: registry.tools.size,
    operations: registry.operations.length,
    tokens: estimateCost({ registry }),
  }));
}
