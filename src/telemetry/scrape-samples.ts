// Metrics that are read during a scrape, at no cost to calls.
import type { Limits } from '../limits/create-limits.ts';
import { type Sample, type Snapshot, toSamples } from './families.ts';
import { METRICS, type MetricSpec } from './metric-table.ts';

/** Where the values come from. */
export interface MetricSources {
  readonly version: string;
  readonly limits: Pick<Limits, 'refused' | 'overload' | 'callersWaiting' | 'upstreams'>;
  /** Requests and connections that were refused, by reason. */
  readonly refusals: ReadonlyMap<string, number>;
  readonly catalogs: readonly CatalogSize[];
  readonly pools: () => readonly PoolState[];
  readonly transports: () => readonly (readonly [name: string, load: TransportState])[];
  /** Problems that may make the gateway unready, and whether each exists at the moment. */
  readonly conditions: () => readonly ConditionState[];
  /** Absent in a worker: only the primary counts them. */
  readonly workers?: WorkerCounts | undefined;
  /** When the certificate of the gateway expires, in milliseconds; undefined if there is none. */
  readonly certificateEndsMs?: (() => number | undefined) | undefined;
}

export interface CatalogSize {
  readonly profile: string;
  readonly tools: number;
  readonly operations: number;
  /** How many tokens tools/list costs a model. */
  readonly tokens: number;
}

export interface PoolState {
  readonly origin: string;
  readonly connected: number;
  readonly free: number;
  readonly running: number;
  readonly pending: number;
}

export interface TransportState {
  readonly connections: number;
  readonly underWay: number;
  readonly parked?: number;
  readonly streams?: number;
}

export interface ConditionState {
  readonly name: string;
  readonly holds: boolean;
  readonly isUnready: boolean;
}

export interface WorkerCounts {
  readonly wanted: number;
  readonly running: number;
  /** Workers that ended unexpectedly, since the start. */
  readonly exits: number;
}

const MAX_ORIGINS = 50;
const OTHER = 'other';

export function readSamples(sources: MetricSources): readonly Snapshot[] {
  return [
    ...readTraffic(sources),
    ...readUpstreams(sources),
    ...readRefusals(sources),
    ...readHealth(sources),
    ...readCatalogs(sources),
    ...(sources.workers ? readWorkers(sources.workers) : []),
  ];
}

function readTraffic({ transports, limits }: MetricSources): Snapshot[] {
  const all = transports();
  const sum = (what: 'parked' | 'streams') => all.reduce((total, [, load]) => total + (load[what] ?? 0), 0);
  return [
    each(METRICS.inFlight, all, ([name, { underWay }]) => [[[name], underWay]]),
    each(METRICS.connections, all, ([name, { connections }]) => [[[name], connections]]),
    one(METRICS.parked, sum('parked')),
    one(METRICS.streams, sum('streams')),
    one(METRICS.callerQueue, limits.callersWaiting),
  ];
}

function readUpstreams({ limits, pools }: MetricSources): Snapshot[] {
  const { upstreams } = limits;
  const origins = sumByOrigin(pools());
  return [
    each(METRICS.upstreamCalls, upstreams, ({ domain, running, waiting }) => [
      [[domain, 'running'], running],
      [[domain, 'queued'], waiting],
    ]),
    each(METRICS.upstreamLimit, upstreams, ({ domain, concurrent }) => [[[domain], concurrent]]),
    each(METRICS.upstreamSockets, origins, ({ origin, connected, free }) => [
      [[origin, 'connected'], connected],
      [[origin, 'free'], free],
    ]),
    each(METRICS.upstreamRequests, origins, ({ origin, running, pending }) => [
      [[origin, 'running'], running],
      [[origin, 'pending'], pending],
    ]),
  ];
}

/** Redirects and documents may lead to any number of origins; those beyond the limit are counted as one. */
function sumByOrigin(pools: readonly PoolState[]): readonly PoolState[] {
  const sums = new Map<string, PoolState>();
  for (const pool of pools) {
    const origin = sums.has(pool.origin) || sums.size < MAX_ORIGINS ? pool.origin : OTHER;
    const before = sums.get(origin);
    sums.set(origin, {
      origin,
      connected: (before?.connected ?? 0) + pool.connected,
      free: (before?.free ?? 0) + pool.free,
      running: (before?.running ?? 0) + pool.running,
      pending: (before?.pending ?? 0) + pool.pending,
    });
  }
  return [...sums.values()];
}

function readRefusals({ limits, refusals }: MetricSources): Snapshot[] {
  const { principalRate, principalBusy, upstreamBusy, overload } = limits.refused;
  return [
    one(METRICS.shed, overload),
    toSamples(METRICS.limitRefusals, [
      [['principal_rate'], principalRate],
      [['principal_busy'], principalBusy],
      [['upstream_busy'], upstreamBusy],
    ]),
    each(METRICS.doorRefusals, [...refusals], ([reason, count]) => [[[reason], count]]),
  ];
}

function readHealth({ limits, conditions, certificateEndsMs, version }: MetricSources): Snapshot[] {
  const all = conditions();
  const endsMs = certificateEndsMs?.();
  return [
    one(METRICS.eventLoopBusy, performance.eventLoopUtilization().active / 1_000),
    one(METRICS.heapUsed, limits.overload.heapPercent / 100),
    one(METRICS.ready, all.some(({ holds, isUnready }) => holds && isUnready) ? 0 : 1),
    each(METRICS.condition, all, ({ name, holds }) => [[[name], holds ? 1 : 0]]),
    toSamples(METRICS.certificateExpiry, endsMs === undefined ? [] : [[[], endsMs / 1_000]]),
    toSamples(METRICS.buildInfo, [[[version, process.version], 1]]),
  ];
}

function readCatalogs({ catalogs }: MetricSources): Snapshot[] {
  return [
    each(METRICS.tools, catalogs, ({ profile, tools }) => [[[profile], tools]]),
    each(METRICS.operations, catalogs, ({ profile, operations }) => [[[profile], operations]]),
    each(METRICS.listTokens, catalogs, ({ profile, tokens }) => [[[profile], tokens]]),
  ];
}

export function readWorkers({ wanted, running, exits }: WorkerCounts): Snapshot[] {
  return [
    toSamples(METRICS.workers, [
      [['wanted'], wanted],
      [['running'], running],
    ]),
    one(METRICS.workerExits, exits),
  ];
}

function each<Item>(spec: MetricSpec, items: readonly Item[], toSeries: (item: Item) => readonly Sample[]): Snapshot {
  return toSamples(spec, items.flatMap(toSeries));
}

function one(spec: MetricSpec, value: number): Snapshot {
  return toSamples(spec, [[[], value]]);
}
