// The tables of SCALE.md, made of the measured figures and the model. Each stands between two marks of its name.
import {
  callCpuUs,
  findBottlenecks,
  memoryMb,
  sizeDeployment,
  solveClosed,
  TARGET,
  waitUs,
} from './capacity-model.mjs';

/** What callers do, where nobody knows better: mostly reads of one thing, some lists, some writes. */
export const MIX = { get: 0.7, biglist: 0.15, create: 0.1, list: 0.05 };
const LATENCY_MS = 50;
const LOADS = [100, 10_000, 1_000_000];
const PRODUCTION = ['API key', 'audit', 'metrics'];

export function buildTables(figures) {
  const hasRedis = figures.redis !== undefined;
  const shared = [...PRODUCTION, ...(hasRedis ? ['redis'] : [])];
  return {
    machine: [sayMachine(figures)],
    calls: buildCalls(figures),
    features: buildFeatures(figures),
    memory: buildMemory(figures),
    bytes: buildBytes(figures),
    sizes: buildSizes(figures, shared),
    bottlenecks: buildBottlenecks(figures, shared),
    waits: buildWaits(figures, shared),
    points: buildPoints(figures.points),
  };
}

/** `<!-- name -->` … `<!-- /name -->`: what is between is made, never written. */
export function replaceTables(text, tables) {
  let result = text;
  for (const [name, lines] of Object.entries(tables)) {
    const [open, close] = [`<!-- ${name} -->`, `<!-- /${name} -->`];
    const [from, to] = [result.indexOf(open), result.indexOf(close)];
    if (from < 0 || to < from) throw new Error(`SCALE.md has no place for ${name}: ${open} … ${close}`);
    result = `${result.slice(0, from + open.length)}\n${lines.join('\n')}\n${result.slice(to)}`;
  }
  return result;
}

const table = (head, rows) => [
  `| ${head.join(' | ')} |`,
  `|${head.map((_, at) => (at === 0 ? '---' : '---:')).join('|')}|`,
  ...rows.map((row) => `| ${row.join(' | ')} |`),
];
const whole = (value) => Math.round(value).toLocaleString('en-US');
const fixed = (value, digits = 1) => value.toFixed(digits);

/** How busy the machine was belongs to what was measured on it. */
function sayMachine({ machine: { cpu, cores, memoryGb, node }, points }) {
  const foreign = points.map((point) => point.foreign).sort((a, b) => a - b)[points.length >> 1];
  const busy =
    foreign > 0.2
      ? ` Other programs used ${fixed(foreign)} of the ${cores} cores meanwhile: take the figures for too high.`
      : '';
  return `Measured on ${cores} cores of ${cpu}, ${memoryGb} GB, Node ${node.replace(/^v/, '')}.${busy}`;
}

function buildCalls({ calls }) {
  const rows = Object.values(calls).map(({ label, cpuUs }) => [
    label,
    fixed(cpuUs),
    whole(1e6 / cpuUs),
    whole((1e6 / cpuUs) * TARGET),
  ]);
  return table(['call', 'µs of processor time', 'calls/s of a whole core', `at ${TARGET * 100} %`], rows);
}

const WORDS = {
  'API key': 'an API key',
  JWT: 'an access token (JWT) seen before',
  audit: 'an audit trail',
  metrics: 'metrics (the admin listener)',
  redis: 'limits shared through Redis',
  workers: 'workers (the way through the primary)',
};

function buildFeatures({ features }) {
  const rows = Object.entries(features).map(([name, { callUs, writeUs = callUs }]) => [
    WORDS[name],
    fixed(callUs),
    fixed(writeUs),
  ]);
  return table(['switched on', 'µs more for a read', 'µs more for a write'], rows);
}

function buildMemory(figures) {
  const { baseMb, perThousandOperationsMb, perIdleConnectionKb, perStreamKb } = figures.memory;
  const rows = [
    ['a process with ten operations, after some load', `${baseMb} MB`],
    ...Object.entries(perThousandOperationsMb).map(([exposure, mb]) => [
      `1,000 operations more, exposure \`${exposure}\``,
      `${fixed(mb)} MB`,
    ]),
    ['an idle connection', `${fixed(perIdleConnectionKb)} KB`],
    ['an open stream (`subscriptions/listen`)', `${fixed(perStreamKb)} KB`],
    [
      'so: 5,000 operations in `search`, 5,000 idle connections, 1,000 streams',
      `${whole(memoryMb(figures, { exposure: 'search', operations: 5_000, idleConnections: 5_000, streams: 1_000 }))} MB`,
    ],
  ];
  return table(['what', 'memory'], rows);
}

function buildBytes({ calls, audit, redis, ipc }) {
  const rows = [
    ...Object.values(calls).map(({ label, logBytes, networkBytes }) => [
      label,
      `${whole(logBytes)} bytes of log, ${whole(networkBytes)} on the network`,
    ]),
    ['audit trail, a read', `${whole(audit.readBytes)} bytes`],
    ['audit trail, a write', `${whole(audit.writeBytes)} bytes`],
    ...(redis
      ? [
          [
            'Redis, a call with a rate',
            `${fixed(redis.opsPerCall, 2)} commands, ${whole(redis.bytesPerCall)} bytes, ${fixed(redis.cpuUs)} µs of its processor`,
          ],
        ]
      : []),
    ['primary of workers, a call', `${fixed(ipc.primaryUs)} µs of its processor`],
  ];
  return table(['what', 'a call'], rows);
}

function buildSizes(figures, features) {
  const rows = LOADS.map((callsPerSecond) => {
    const { workers, underWay, logBytes, auditBytes, networkBytes, redisOps, uses } = sizeDeployment(figures, {
      callsPerSecond,
      mix: MIX,
      features,
      latencyMs: LATENCY_MS,
    });
    return [
      whole(callsPerSecond),
      whole(workers),
      whole(underWay),
      `${fixed((networkBytes * 8) / 1e9, 3)} Gbit/s`,
      `${whole((logBytes * 86_400) / 1e9)} GB`,
      `${whole((auditBytes * 86_400) / 1e9)} GB`,
      `${whole(redisOps)} ops/s (${uses.Redis.needed})`,
    ];
  });
  return table(
    ['calls/s', 'cores', 'calls under way', 'network', 'log a day', 'audit a day', 'Redis (how many)'],
    rows,
  );
}

function buildBottlenecks(figures, features) {
  const limits = findBottlenecks(figures, { mix: MIX, features, latencyMs: LATENCY_MS });
  return table(
    ['what is full first', 'at calls/s'],
    limits.map(({ part, callsPerSecond }) => [part, whole(callsPerSecond)]),
  );
}

function buildWaits(figures, features) {
  const cpuUs = callCpuUs(figures, MIX, features);
  const rows = [0.3, 0.6, 0.8, 0.9, 0.95].map((use) => [
    `${use * 100} %`,
    ...[1, 4, 16].map((cores) => `${fixed(waitUs((use * cores * 1e6) / cpuUs, cpuUs, cores) / 1_000, 2)} ms`),
  ]);
  return table(['cores in use', 'wait on 1 core', 'on 4', 'on 16'], rows);
}

/** What is taken from a measured point: what a call costs the gateway, and its caller and API. All the others are predicted. */
const CALIBRATED_AT = 16;

export function predictPoints(points) {
  return points.map((point) => {
    const { workers, callers, foreign, latencyMs } = point;
    const { cpuUs, otherUs } = points.find((one) => one.workers === workers && one.callers === CALIBRATED_AT);
    // What other programs took of the machine is not there for us.
    const left = Math.max(0.1, 1 - foreign / 2);
    const stations =
      workers === 1
        ? [{ demandUs: cpuUs / left }, { demandUs: otherUs / left }]
        : [{ demandUs: (cpuUs + otherUs) / left, servers: 2 }];
    const { callsPerSecond, meanMs } = solveClosed(stations, callers, latencyMs * 1_000);
    const measuredMs = (callers / point.callsPerSecond) * 1_000;
    return {
      ...point,
      predicted: callsPerSecond,
      predictedMs: meanMs,
      measuredMs,
      error: callsPerSecond / point.callsPerSecond - 1,
    };
  });
}

function buildPoints(points) {
  const rows = predictPoints(points).map(
    ({ workers, latencyMs, callers, callsPerSecond, predicted, measuredMs, predictedMs, error, foreign }) => [
      workers,
      `${latencyMs} ms`,
      callers,
      whole(callsPerSecond),
      whole(predicted),
      fixed(measuredMs, 2),
      fixed(predictedMs, 2),
      `${error < 0 ? '−' : '+'}${fixed(Math.abs(error) * 100, 0)} %`,
      fixed(foreign, 2),
    ],
  );
  return table(
    [
      'workers',
      'the API takes',
      'callers',
      'calls/s measured',
      'predicted',
      'ms measured',
      'predicted',
      'error',
      'cores others used',
    ],
    rows,
  );
}
