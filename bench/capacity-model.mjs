// The capacity model: pure arithmetic over measured figures. What a deployment needs (cores, memory, Redis, disks, network),
// which of them is used up first, and what throughput and latency a closed loop of callers sees (mean value analysis).

/** Utilisation that a core, a Redis or a link should not exceed: beyond it queues grow faster than load. */
export const TARGET = 0.6;

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
  const cpuUs = callCpuUs(figures, mix, features);
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
 * A closed loop: `callers` connections that send their next request when the answer is there, through stations in a row.
 * Exact mean value analysis for one server per station; a station of several servers becomes a queue with the demand divided
 * by them and a delay of the rest (Seidmann). `stations`: [{ demandUs, servers }]. Returns calls a second and the mean time.
 */
export function solveClosed(stations, callers, delayUs = 0) {
  const parts = stations.map(({ demandUs, servers = 1 }) => ({
    queueUs: demandUs / servers,
    delayUs: (demandUs * (servers - 1)) / servers,
  }));
  const fixedUs = delayUs + parts.reduce((sum, part) => sum + part.delayUs, 0);
  let lengths = parts.map(() => 0);
  let throughput = 0;
  let timeUs = 0;
  for (let count = 1; count <= callers; count++) {
    const times = parts.map(({ queueUs }, at) => queueUs * (1 + lengths[at]));
    timeUs = fixedUs + times.reduce((sum, time) => sum + time, 0);
    throughput = count / timeUs;
    lengths = times.map((time) => throughput * time);
  }
  return { callsPerSecond: throughput * 1e6, meanMs: timeUs / 1_000 };
}

/** An open stream of calls on `servers` cores: the mean time a call waits for one of them (M/M/c, Erlang C), in µs. */
export function waitUs(callsPerSecond, serviceUs, servers) {
  const offered = (callsPerSecond * serviceUs) / 1e6;
  const use = offered / servers;
  if (use >= 1) return Number.POSITIVE_INFINITY;
  // Erlang B step by step, which stays finite where factorials do not.
  let blocked = 1;
  for (let count = 1; count <= servers; count++) blocked = (offered * blocked) / (count + offered * blocked);
  const waits = blocked / (1 - use * (1 - blocked));
  return (waits * serviceUs) / (servers - offered);
}
