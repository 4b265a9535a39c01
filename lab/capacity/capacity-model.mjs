// The capacity model: pure arithmetic over measured figures. What a deployment needs (cores, memory, Redis, disks, network),
// which of them is used up first, and, with capacity-simulation.mjs, what its callers see.
import { fitPrice, simulateClosed, WORKERS_YOUNG_GENERATION } from './capacity-simulation.mjs';

/** How much of what a core, a Redis or a link can do at most is planned with: beyond it queues grow faster than load. */
export const TARGET = 0.6;

/** What callers do, where nobody knows better: mostly reads of one thing, some lists, some writes. */
export const MIX = { get: 0.7, biglist: 0.15, create: 0.1, list: 0.05 };
/** What a deployment has switched on. */
export const PRODUCTION = ['API key', 'audit', 'metrics'];

/**
 * Closed loops that are measured and predicted. One process has a core of its own beside its callers and its API; two workers share both cores
 * with them. An API that answers at once, so that cores are all there is to wait for; and one that takes its time, as most do. `mix` is what
 * the sizes are about: MIX, with PRODUCTION switched on.
 */
export const SERIES = {
  one: { workers: 1, latencyMs: 0, callers: [1, 2, 4, 8, 16, 32, 64] },
  two: { workers: 2, latencyMs: 0, callers: [1, 2, 4, 8, 16, 32, 64] },
  'slow-one': { workers: 1, latencyMs: 25, callers: [8, 32, 128, 256] },
  'slow-two': { workers: 2, latencyMs: 25, callers: [8, 32, 128, 256] },
  mix: { workers: 1, latencyMs: 0, callers: [2, 8, 32], isProduction: true },
};

/**
 * Of a machine's cores: what others may use while a sample is taken, the gateways among them that are sampled in turn with it and have nothing to do. The
 * clocks of Linux tick in hundredths of a second.
 */
export const MAX_FOREIGN = 0.2;
/** The series with points that were measured while other programs ran. */
export function findNoisy(points) {
  return [...new Set(points.filter(({ foreign }) => foreign > MAX_FOREIGN).map(({ series }) => series))];
}

/** By which share the cores of the machine that was measured are slower at times than on average, and quicker at others (capacity-simulation.mjs). */
export const UNEVENNESS = 0.3;

/** What one link, one log disk and one process take at most before TARGET is applied: ordinary parts, not the best ones. */
const PARTS = {
  networkBytesPerSecond: 1.25e9,
  diskBytesPerSecond: 200e6,
  connectionsPerProcess: 10_000,
};

/**
 * Processor time of one call in µs. `mix`: { get: 0.7, … } sums to 1; `features`: names of `figures.features`, each with what it adds to
 * a call, and to a write where that is more.
 */
export function callCpuUs(figures, mix, features = []) {
  let sum = 0;
  for (const [kind, share] of Object.entries(mix)) {
    let us = figures.calls[kind].cpuUs;
    for (const name of features) {
      const { callUs, writeUs = callUs } = figures.features[name];
      us += kind === 'create' ? writeUs : callUs;
    }
    sum += share * us;
  }
  return sum;
}

function average(mix, of) {
  return Object.entries(mix).reduce((sum, [kind, share]) => sum + share * of(kind), 0);
}

/** What so many calls a second need. `latencyMs`: how long the API takes, which decides how many calls are under way. */
export function sizeDeployment(figures, { callsPerSecond, mix, features, latencyMs }) {
  const cpuUs = withHeld(callCpuUs(figures, mix, features), figures.price.heldUs, latencyMs);
  const writes = mix.create ?? 0;
  const isAudited = features.includes('audit');
  const isShared = features.includes('redis');
  const cores = (callsPerSecond * cpuUs) / 1e6 / TARGET;
  const workers = Math.max(1, Math.ceil(cores));
  const logBytes = callsPerSecond * average(mix, (kind) => figures.calls[kind].logBytes);
  const auditBytes = isAudited
    ? callsPerSecond * ((1 - writes) * figures.audit.readBytes + writes * figures.audit.writeBytes)
    : 0;
  const networkBytes = callsPerSecond * average(mix, (kind) => figures.calls[kind].networkBytes);
  const redisOps = isShared ? callsPerSecond * figures.redis.opsPerCall : 0;
  const underWay = (callsPerSecond * (latencyMs + cpuUs / 1_000)) / 1_000;
  const uses = {
    core: { use: cores * TARGET, unit: 'cores', needed: workers },
    // It uses one core, whatever the machine has.
    Redis: toParts(isShared ? (callsPerSecond * figures.redis.cpuUs) / 1e6 : 0, 1),
    network: toParts(networkBytes, PARTS.networkBytesPerSecond),
    'log disk': toParts(logBytes + auditBytes, PARTS.diskBytesPerSecond),
    // Each call under way holds a connection of its caller and one to the API.
    sockets: toParts(underWay * 2, PARTS.connectionsPerProcess),
  };
  return { callsPerSecond, cpuUs, cores, workers, logBytes, auditBytes, networkBytes, redisOps, underWay, uses };
}

/**
 * With the calls that a worker has under way meanwhile, which are as many as it takes a second at TARGET, times how long the API takes:
 * µs = cpuUs + heldUs · latency · TARGET / µs. A worker's young generation is four times that of the process that was measured.
 */
function withHeld(cpuUs, heldUs, latencyMs) {
  const product = (heldUs / WORKERS_YOUNG_GENERATION) * latencyMs * 1_000 * TARGET;
  return (cpuUs + Math.sqrt(cpuUs ** 2 + 4 * product)) / 2;
}

function toParts(use, ofOne) {
  return { use, share: use / ofOne, needed: Math.ceil(use / ofOne / TARGET) };
}

/** Calls a second at which one of each part (one core, one Redis …) reaches TARGET, the lowest first. */
export function findBottlenecks(figures, { mix, features, latencyMs }) {
  const at = sizeDeployment(figures, { callsPerSecond: 1_000_000, mix, features, latencyMs });
  const limits = [
    { part: 'one core', callsPerSecond: (1e6 * TARGET) / at.cpuUs },
    ...Object.entries(at.uses)
      .filter(([part, { share }]) => part !== 'core' && share > 0)
      .map(([part, { share }]) => ({
        part: part === 'sockets' ? 'sockets of one process' : `one ${part}`,
        callsPerSecond: (1_000_000 * TARGET) / share,
      })),
  ];
  return limits.sort((a, b) => a.callsPerSecond - b.callsPerSecond);
}

/** Memory of one process in MB. */
export function memoryMb(figures, { exposure = 'tools', operations = 0, idleConnections = 0, streams = 0 }) {
  const { baseMb, perThousandOperationsMb, perIdleConnectionKb, perStreamKb } = figures.memory;
  return (
    baseMb +
    (operations / 1_000) * perThousandOperationsMb[exposure] +
    (idleConnections * perIdleConnectionKb + streams * perStreamKb) / 1_024
  );
}

/**
 * With what waking, a turn, a call and a call under way cost a process (capacity-simulation.mjs), for a plain read of one thing: fitted to what a call cost
 * in the points, which takes some seconds. Those of the mix are left out: they are predicted altogether.
 */
export function withPrice(figures) {
  const missing = Object.keys(SERIES).find((name) => !figures.points?.some(({ series }) => series === name));
  if (missing !== undefined)
    throw new Error(`${missing} was not measured: node lab/capacity/capacity.mjs --measure --only ${missing}`);
  const points = figures.points.filter(({ series }) => SERIES[series].isProduction !== true);
  return { ...figures, price: fitPrice(points.map((point) => ({ ...point, unevenness: UNEVENNESS }))) };
}

/**
 * The price of other calls: they differ in the call itself, not in waking and waiting. What kinds and features cost was measured at another time than the
 * points, maybe at another speed of the machine: the load that both have, a plain read by 32 callers, tells by how much.
 */
export function priceOf(figures, mix, features) {
  const more = callCpuUs(figures, mix, features) - figures.calls.get.cpuUs;
  const same = figures.points.find(({ series, callers }) => series === 'one' && callers === 32);
  return { ...figures.price, callUs: figures.price.callUs + (more * same.gatewayUs) / figures.calls.get.cpuUs };
}

/** What the simulation says of every measured point; what callers and API cost themselves is taken from it, as they are not what is looked at. */
export function predictPoints(figures) {
  return figures.points.map((point) => {
    const price = SERIES[point.series].isProduction ? priceOf(figures, MIX, PRODUCTION) : figures.price;
    const { callsPerSecond, meanMs, gatewayCores } = simulateClosed({ ...point, price, unevenness: UNEVENNESS });
    return {
      ...point,
      measuredMs: (point.callers / point.callsPerSecond) * 1_000,
      measuredCores: (point.callsPerSecond * point.gatewayUs) / 1e6,
      predicted: callsPerSecond,
      predictedMs: meanMs,
      predictedCores: gatewayCores,
      error: callsPerSecond / point.callsPerSecond - 1,
    };
  });
}
