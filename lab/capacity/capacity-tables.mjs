// The tables of SCALE.md, made of the measured figures and the model. Each stands between two marks of its name.
import {
  findBottlenecks,
  MIX,
  memoryMb,
  PRODUCTION,
  predictPoints,
  priceOf,
  sizeDeployment,
  TARGET,
  UNEVENNESS,
} from './capacity-model.mjs';
import { simulateClosed, simulateOpen, WORKERS_YOUNG_GENERATION } from './capacity-simulation.mjs';

const LATENCY_MS = 50;
const LOADS = [100, 10_000, 1_000_000];

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
    prices: buildPrices(figures.price),
    points: buildPoints(figures),
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
  const most = Math.max(...points.map(({ foreign }) => foreign));
  return `Measured on ${cores} cores of ${cpu}, ${memoryGb} GB, Node ${node.replace(/^v/, '')}; other programs used at most ${fixed(most, 2)} of a core during the measurement.`;
}

function buildCalls({ calls }) {
  const rows = Object.values(calls).map(({ label, cpuUs }) => [
    label,
    fixed(cpuUs),
    whole(1e6 / cpuUs),
    whole((1e6 / cpuUs) * TARGET),
  ]);
  return table(['call', 'µs of processor time', 'calls/s on a full core', `at ${TARGET * 100} %`], rows);
}

const WORDS = {
  'API key': 'an API key',
  JWT: 'an access token (JWT) that was checked before',
  audit: 'an audit trail',
  metrics: 'metrics (the admin listener)',
  redis: 'limits shared through Redis',
};

function buildFeatures({ features }) {
  const rows = Object.entries(features).map(([name, { callUs, writeUs = callUs }]) => [
    WORDS[name],
    fixed(callUs),
    fixed(writeUs),
  ]);
  return table(['feature', 'µs more for a read', 'µs more for a write'], rows);
}

function buildMemory(figures) {
  const { baseMb, perThousandOperationsMb, perIdleConnectionKb, perStreamKb } = figures.memory;
  const rows = [
    ['a process with ten operations, after some load', `${baseMb} MB`],
    ...Object.entries(perThousandOperationsMb).map(([exposure, mb]) => [
      `each 1,000 operations more, exposure \`${exposure}\``,
      `${fixed(mb)} MB`,
    ]),
    ['an idle connection', `${fixed(perIdleConnectionKb)} KB`],
    ['an open stream (`subscriptions/listen`)', `${fixed(perStreamKb)} KB`],
    [
      'example: 5,000 operations in `search`, 5,000 idle connections, 1,000 streams',
      `${whole(memoryMb(figures, { exposure: 'search', operations: 5_000, idleConnections: 5_000, streams: 1_000 }))} MB`,
    ],
  ];
  return table(['part', 'memory'], rows);
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
            `${fixed(redis.opsPerCall, 2)} commands, ${whole(redis.bytesPerCall)} bytes, ${fixed(redis.cpuUs)} µs of processor time`,
          ],
        ]
      : []),
    ['primary process of workers, a call', `${fixed(ipc.primaryUs)} µs of processor time`],
  ];
  return table(['kind of call', 'amount per call'], rows);
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
    [
      'calls/s',
      'cores',
      'calls in progress',
      'network',
      'log per day',
      'audit trail per day',
      'Redis (number of servers)',
    ],
    rows,
  );
}

function buildBottlenecks(figures, features) {
  const limits = findBottlenecks(figures, { mix: MIX, features, latencyMs: LATENCY_MS });
  return table(
    ['part', 'full at calls/s'],
    limits.map(({ part, callsPerSecond }) => [part, whole(callsPerSecond)]),
  );
}

/** More callers than a process can serve, so that it has no rest. */
const CROWD = 1_000;

/** One worker, to which calls come on their own. */
function buildWaits(figures, features) {
  const { heldUs, ...price } = priceOf(figures, MIX, features);
  const worker = {
    price: { ...price, heldUs: heldUs / WORKERS_YOUNG_GENERATION },
    latencyMs: LATENCY_MS,
    unevenness: UNEVENNESS,
  };
  const most = simulateClosed({ ...worker, workers: 1, callers: CROWD, upstreamUs: 1, loadUs: 1 }).callsPerSecond;
  const rows = [0.1, 0.3, TARGET, 0.8, 0.9].map((share) => {
    const { meanMs, gatewayCores } = simulateOpen({ ...worker, callsPerSecond: share * most });
    return [
      `${fixed(share * 100, 0)} %`,
      whole(share * most),
      `${fixed(gatewayCores * 100, 0)} %`,
      `${fixed(meanMs - LATENCY_MS, 2)} ms`,
    ];
  });
  return table(['share of the most calls/s', 'calls/s', 'core busy', 'time of a call without the API'], rows);
}

function buildPrices({ callUs, turnUs, wakeUs, heldUs, crowdShare }) {
  return table(
    ['price', 'µs'],
    [
      ['the call itself', fixed(callUs)],
      [
        'a turn of the event loop: each call needs two, and shares them with calls that arrive at the same time',
        fixed(turnUs),
      ],
      ['waking an idle event loop', fixed(wakeUs)],
      ['each other call in progress, in a single process (a quarter of this in a worker)', fixed(heldUs, 2)],
      [
        'everything, if two workers share two cores with their callers and their API',
        `+${fixed(crowdShare * 100, 0)} %`,
      ],
    ],
  );
}

function buildPoints(figures) {
  const rows = predictPoints(figures).map((point) => [
    point.series === 'mix' ? 'the mix' : 'get one',
    point.workers,
    `${point.latencyMs} ms`,
    point.callers,
    whole(point.callsPerSecond),
    whole(point.predicted),
    `${point.error < 0 ? '−' : '+'}${fixed(Math.abs(point.error) * 100, 0)} %`,
    fixed(point.measuredMs, 2),
    fixed(point.predictedMs, 2),
    fixed(point.measuredCores, 2),
    fixed(point.predictedCores, 2),
  ]);
  return table(
    [
      'calls',
      'workers',
      'API time',
      'callers',
      'calls/s measured',
      'predicted',
      'error',
      'ms measured',
      'predicted',
      'cores measured',
      'predicted',
    ],
    rows,
  );
}
