// Measures what the capacity model is made of: processor time of calls by kind and of what can be switched on, bytes of logs,
// trails and wires, memory by catalog, connection and stream, and how many calls a closed loop makes on one and two workers.
// Processor time, not wall time: other programs on the machine take the latter, and only little of the former.
import { createHash, randomBytes } from 'node:crypto';
import { mkdtempSync, openSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import { cpus, tmpdir, totalmem } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { CACHE, prepareLab } from './cache.mjs';
import { buildManyDocument } from './documents.mjs';
import { startIssuer } from './identity.mjs';
import { load } from './load.mjs';
import { buildRequest, check, findTool, listTools, OPERATIONS } from './messages.mjs';
import { median } from './pairs.mjs';
import {
  cpuNs,
  freePort,
  hasTool,
  machineCpuNs,
  ownCpuNs,
  startNode,
  startProgram,
  stop,
  waitFor,
} from './processes.mjs';
import { startUpstream } from './servers.mjs';

const CLI = fileURLToPath(new URL('../dist/cli/main.js', import.meta.url));
const WEIGH = fileURLToPath(new URL('../test/chaos/weigh.cjs', import.meta.url));
const CONNECTIONS = 32;
const SECRET = 'what all processes of a measurement seal with';
const PUBLIC_URL = 'http://127.0.0.1:3998';
/** One caller makes all the load, and nothing is turned away: neither by a limit nor because others hold the processor. */
const LIMITS = {
  perPrincipal: { rate: '1000000/s', concurrent: 10_000 },
  perUpstream: { concurrent: 1_000 },
  shed: { eventLoopMs: 10_000 },
};

/** What is measured by itself: each part gives some of the figures. */
const MEASURES = {
  calls: measureCalls,
  features: measureFeatures,
  redis: measureRedis,
  workers: measureWorkers,
  memory: async (bench) => ({ memory: await measureMemory(bench) }),
  points: async (bench) => ({ points: await measurePoints(bench) }),
};

/** `only`: the parts that are measured; of the others `before` has the figures. */
export async function measureCapacity({ seconds, rounds, say, only = Object.keys(MEASURES), before = {}, save }) {
  const folder = mkdtempSync(join(tmpdir(), 'landbridge-capacity-'));
  const lab = prepareLab(true);
  const upstream = await startUpstream(lab);
  const bench = { folder, lab, upstream, seconds, rounds, say };
  try {
    let figures = { ...before, machine: describeMachine() };
    for (const part of only) {
      const { features, ...more } = await MEASURES[part](bench);
      figures = { ...figures, ...more, features: { ...figures.features, ...features } };
      save(figures);
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function describeMachine() {
  const [{ model }, ...others] = cpus();
  return {
    cpu: model.trim(),
    cores: others.length + 1,
    memoryGb: Math.round(totalmem() / 2 ** 30),
    node: process.version,
  };
}

/** `landbridge serve` with these settings; pinned to the gateway's core unless it has workers. */
async function startGateway(
  { folder, lab, upstream },
  name,
  {
    settings = {},
    args = [],
    token,
    document = lab.document,
    exposure = 'tools',
    workers = 1,
    upstreamPort = upstream.port,
    env = {},
  } = {},
) {
  const port = await freePort();
  const file = join(folder, `${name}.yaml`);
  const log = join(folder, `${name}.log`);
  writeFileSync(file, JSON.stringify({ publicUrl: PUBLIC_URL, limits: LIMITS, ...settings }));
  const base = [CLI, 'serve', document, '--base-url', `http://127.0.0.1:${upstreamPort}`, '--config', file];
  const more = [
    '--port',
    String(port),
    '--exposure',
    exposure,
    ...(workers > 1 ? ['--workers', String(workers)] : []),
    ...args,
  ];
  const child = startNode([...base, ...more], {
    core: workers > 1 ? undefined : 'gateway',
    errors: openSync(log, 'a'),
    env: { LANDBRIDGE_SECRET: SECRET, ...env },
  });
  await waitFor(child, name, () => check(port, buildRequest(port, 'modern', {}, token), {}));
  const pids = () => [child.pid, ...childrenOf(child.pid)];
  return { name, port, child, log, token, pids, cpuNs: () => pids().reduce((sum, pid) => sum + cpuNs(pid), 0) };
}

function childrenOf(pid) {
  const text = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim();
  return text === '' ? [] : text.split(' ').map(Number);
}

async function toRequest({ port, token }, kind, isChecked = true) {
  const { tool, ...operation } = OPERATIONS[kind];
  names.set(port, names.get(port) ?? (await listTools(port, token)));
  const named = { ...operation, ...(tool && { tool: findTool(names.get(port), tool) }) };
  const request = buildRequest(port, 'modern', named, token);
  if (isChecked) await check(port, request, named);
  return request;
}

/** The tools of the gateway at a port. */
const names = new Map();

async function sample(gateway, request, { seconds, upstream }, connections = CONNECTIONS) {
  const before = {
    gateway: gateway.cpuNs(),
    upstream: cpuNs(upstream.pid),
    own: ownCpuNs(),
    machine: machineCpuNs(),
    at: performance.now(),
  };
  const run = await load(gateway.port, [request].flat(), { seconds, connections });
  const wallNs = (performance.now() - before.at) * 1e6;
  const gatewayNs = gateway.cpuNs() - before.gateway;
  const otherNs = cpuNs(upstream.pid) - before.upstream + ownCpuNs() - before.own;
  if (run.errors > 0) throw new Error(`${run.errors} errors while ${gateway.name} was measured`);
  return {
    requests: run.requests,
    callsPerSecond: run.requests / run.seconds,
    cpuUs: gatewayNs / 1e3 / run.requests,
    otherUs: otherNs / 1e3 / run.requests,
    foreign: Math.max(0, (machineCpuNs() - before.machine - gatewayNs - otherNs) / wallNs),
    p99: run.p99,
  };
}

const WARM_REQUESTS = 25_000;
const MAX_WARM_SECONDS = 15;

/** Until the compiler has settled, or a slow machine has had its time. */
async function warmUp(gateway, request, connections = CONNECTIONS) {
  let sent = 0;
  for (let second = 0; second < MAX_WARM_SECONDS && sent < WARM_REQUESTS; second++)
    sent += (await load(gateway.port, [request].flat(), { seconds: 1, connections })).requests;
}

/** The cheapest of several samples: what others do to a sample only ever makes it dearer. */
async function cheapest(gateway, request, bench) {
  await warmUp(gateway, request);
  let best;
  for (let round = 0; round < bench.rounds; round++) {
    const one = await sample(gateway, request, bench);
    if (best === undefined || one.cpuUs < best.cpuUs) best = one;
  }
  return best;
}

/**
 * What others cost, beside the first: each sample is taken right next to one of the first, in alternating order, and the median of
 * the ratios counts. On a busy machine that is the only kind of difference worth anything (pairs.mjs).
 */
async function compare([base, ...others], kind, bench) {
  const baseRequest = await toRequest(base, kind);
  await warmUp(base, baseRequest);
  const costs = [];
  for (const other of others) {
    const request = await toRequest(other, kind);
    await warmUp(other, request);
    const ratios = [];
    let baseUs = Number.POSITIVE_INFINITY;
    for (let turn = 0; turn < bench.rounds; turn++) {
      const take = [() => sample(base, baseRequest, bench), () => sample(other, request, bench)];
      const first = await take[turn % 2]();
      const second = await take[(turn + 1) % 2]();
      const [one, two] = turn % 2 === 0 ? [first, second] : [second, first];
      ratios.push(two.cpuUs / one.cpuUs);
      baseUs = Math.min(baseUs, one.cpuUs);
    }
    costs.push(baseUs * Math.max(0, median(ratios) - 1));
  }
  return costs;
}

async function measureCalls(bench) {
  const open = await startGateway(bench, 'open');
  const calls = {};
  for (const kind of Object.keys(OPERATIONS)) {
    bench.say(`calls: ${OPERATIONS[kind].label}`);
    const { cpuUs } = await cheapest(open, await toRequest(open, kind), bench);
    calls[kind] = { label: OPERATIONS[kind].label, cpuUs: round(cpuUs, 1), ...(await countBytes(bench, kind)) };
  }
  await stop(open.child);
  return { calls };
}

async function measureFeatures(bench) {
  const key = `lb_${randomBytes(32).toString('base64url')}`;
  const issuer = await startIssuer();
  const keys = [{ name: 'bench', sha256: createHash('sha256').update(key).digest('hex') }];
  const trail = join(bench.folder, 'audit.jsonl');
  const open = await startGateway(bench, 'open');
  const gateways = {
    'API key': await startGateway(bench, 'key', { settings: { auth: { keys } }, token: key }),
    JWT: await startGateway(bench, 'jwt', {
      settings: { auth: { oauth: [{ issuer: issuer.url }] } },
      token: await issuer.mint(`${PUBLIC_URL}/mcp`),
    }),
    audit: await startGateway(bench, 'audit', { settings: { audit: { file: trail } } }),
    metrics: await startGateway(bench, 'metrics', { args: ['--admin-port', String(await freePort())] }),
  };
  const features = Object.fromEntries(Object.keys(gateways).map((name) => [name, {}]));
  for (const [kind, field] of [
    ['get', 'callUs'],
    ['create', 'writeUs'],
  ]) {
    bench.say(`features: ${OPERATIONS[kind].label}`);
    const costs = await compare([open, ...Object.values(gateways)], kind, bench);
    for (const [at, name] of Object.keys(gateways).entries()) features[name][field] = round(costs[at], 1);
  }
  const audit = await countAudit(gateways.audit, trail);
  issuer.close();
  await Promise.all([open, ...Object.values(gateways)].map(({ child }) => stop(child)));
  return { features, audit };
}

/** Bytes that one call leaves in the log and moves over the network: to and from the caller, to and from the API. */
async function countBytes(bench, kind, times = 20) {
  const relay = await startRelay(bench.upstream.port);
  const gateway = await startGateway(bench, `bytes-${kind}`, { upstreamPort: relay.port });
  const request = await toRequest(gateway, kind);
  await settle();
  const [logged, relayed] = [statSync(gateway.log).size, relay.bytes()];
  let own = 0;
  for (let at = 0; at < times; at++) own += await exchangeRaw(gateway.port, request);
  await settle();
  const logBytes = (statSync(gateway.log).size - logged) / times;
  const networkBytes = (own + relay.bytes() - relayed) / times;
  await stop(gateway.child);
  relay.close();
  return { logBytes: Math.round(logBytes), networkBytes: Math.round(networkBytes) };
}

/** Log lines are written in batches. */
const settle = () => new Promise((resolve) => setTimeout(resolve, 600));

function exchangeRaw(port, { head, body }) {
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1', () =>
      socket.write(head.replace('\r\n\r\n', '\r\nconnection: close\r\n\r\n') + body),
    );
    socket.resume();
    socket.once('error', reject);
    socket.once('close', () => resolve(socket.bytesRead + socket.bytesWritten));
  });
}

async function startRelay(target) {
  let bytes = 0;
  const server = createServer((near) => {
    const far = connect(target, '127.0.0.1');
    for (const [from, to] of [
      [near, far],
      [far, near],
    ]) {
      from.on('data', (chunk) => {
        bytes += chunk.length;
        to.write(chunk);
      });
      from.on('error', () => to.destroy());
      from.on('close', () => to.destroy());
    }
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  return { port: server.address().port, bytes: () => bytes, close: () => server.close() };
}

async function countAudit(gateway, trail, times = 20) {
  const bytes = {};
  for (const [kind, field] of [
    ['get', 'readBytes'],
    ['create', 'writeBytes'],
  ]) {
    const request = await toRequest(gateway, kind);
    const before = statSync(trail).size;
    for (let at = 0; at < times; at++) await exchangeRaw(gateway.port, request);
    bytes[field] = Math.round((statSync(trail).size - before) / times);
  }
  return bytes;
}

const CALLERS_OF_REDIS = 64;
/** Of a rate below 2,000 a period every call is counted in Redis; of a larger one a replica takes many at once (docs/state.md). */
const COUNTED_RATE = { rate: '1999/s', concurrent: 10_000 };

/** Limits shared through a real redis-server, where it is installed: many callers, each with a rate that it never reaches. */
async function measureRedis(bench) {
  if (!hasTool('redis-server')) return {};
  bench.say('Redis');
  const port = await freePort();
  const flags = ['--port', String(port), '--bind', '127.0.0.1', '--save', '', '--dir', bench.folder];
  const server = startProgram(['redis-server', ...flags], { core: 'load' });
  await waitFor(server, 'redis-server', () => askRedis(port, 'PING'));
  const tokens = Array.from({ length: CALLERS_OF_REDIS }, () => `lb_${randomBytes(32).toString('base64url')}`);
  const keys = tokens.map((token, at) => ({
    name: `caller${at}`,
    sha256: createHash('sha256').update(token).digest('hex'),
    limits: COUNTED_RATE,
  }));
  const settings = { auth: { keys } };
  const [token] = tokens;
  const gateways = [
    await startGateway(bench, 'alone', { settings, token }),
    await startGateway(bench, 'shared', {
      settings: { ...settings, state: `redis://127.0.0.1:${port}?timeoutMs=5000` },
      token,
    }),
  ];
  const best = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY];
  let figures = { cpuUs: Number.POSITIVE_INFINITY };
  for (let turn = -1; turn < bench.rounds; turn++)
    for (const [at, gateway] of gateways.entries()) {
      const requests = [];
      for (const one of tokens) requests.push(await toRequest({ ...gateway, token: one }, 'get', turn === -1));
      if (turn === -1) {
        await warmUp(gateway, requests);
        continue;
      }
      const before = { ...(await readStats(port)), cpu: cpuNs(server.pid) };
      const { requests: calls, cpuUs } = await sample(gateway, requests, bench);
      best[at] = Math.min(best[at], cpuUs);
      if (at === 0) continue;
      const after = await readStats(port);
      const moved = (field) => after[field] - before[field];
      const redisUs = (cpuNs(server.pid) - before.cpu) / 1e3 / calls;
      if (redisUs < figures.cpuUs)
        figures = {
          opsPerCall: round(moved('evalsha') / calls, 2),
          bytesPerCall: Math.round((moved('total_net_input_bytes') + moved('total_net_output_bytes')) / calls),
          cpuUs: round(redisUs, 1),
        };
    }
  await Promise.all([...gateways.map(({ child }) => child), server].map(stop));
  return { redis: figures, features: { redis: { callUs: round(Math.max(0, best[1] - best[0]), 1) } } };
}

function askRedis(port, command) {
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1', () => socket.write(`${command}\r\n`));
    socket.once('data', (data) => {
      socket.destroy();
      resolve(data.toString());
    });
    socket.once('error', reject);
  });
}

/** Commands inside a script count as well, in Redis' own sum: so its calls are taken instead. */
async function readStats(port) {
  const lines = (await askRedis(port, 'INFO stats')).matchAll(/^(total_\w+):(\d+)/gm);
  const [, evalsha = 0] = /^cmdstat_evalsha:calls=(\d+)/m.exec(await askRedis(port, 'INFO commandstats')) ?? [];
  return {
    ...Object.fromEntries([...lines].map(([, name, value]) => [name, Number(value)])),
    evalsha: Number(evalsha),
  };
}

/** Two workers beside one process: what the way through the primary costs a call whose rate is counted there. */
async function measureWorkers(bench) {
  bench.say('workers');
  const one = await startGateway(bench, 'one');
  const two = await startGateway(bench, 'two', { workers: 2 });
  const request = await toRequest(two, 'get');
  const [cost] = await compare([one, two], 'get', bench);
  const before = cpuNs(two.child.pid);
  const { requests } = await sample(two, request, bench);
  const primaryUs = (cpuNs(two.child.pid) - before) / 1e3 / requests;
  await Promise.all([one.child, two.child].map(stop));
  return {
    ipc: { primaryUs: round(primaryUs, 1) },
    features: { workers: { callUs: round(cost, 1) } },
  };
}

const SIZES = [1_000, 5_000];

async function measureMemory(bench) {
  bench.say('memory');
  const perThousandOperationsMb = {};
  for (const exposure of ['tools', 'grouped', 'search']) {
    const weights = [];
    for (const count of SIZES) {
      const document = join(CACHE, `many-${count}.json`);
      writeFileSync(document, JSON.stringify(buildManyDocument(count)));
      const gateway = await startWeighed(bench, `many-${count}-${exposure}`, { document, exposure });
      weights.push(await gateway.weigh());
      await stop(gateway.child);
    }
    perThousandOperationsMb[exposure] = round(
      (weights[1].rssMb - weights[0].rssMb) / ((SIZES[1] - SIZES[0]) / 1_000),
      1,
    );
  }
  const gateway = await startWeighed(bench, 'weighed', {});
  await warmUp(gateway, await toRequest(gateway, 'get'));
  const base = await gateway.weigh();
  const idle = await openMany(IDLE, (at) => openIdle(gateway.port, at));
  const withIdle = await gateway.weigh();
  for (const socket of idle) socket.destroy();
  await settle();
  const between = await gateway.weigh();
  const streams = await openMany(STREAMS, (at) => openStream(gateway.port, at));
  const withStreams = await gateway.weigh();
  for (const socket of streams) socket.destroy();
  await stop(gateway.child);
  return {
    baseMb: Math.round(base.rssMb),
    perThousandOperationsMb,
    perIdleConnectionKb: round(((withIdle.usedMb - base.usedMb) * 1_024) / IDLE, 1),
    perStreamKb: round(((withStreams.usedMb - between.usedMb) * 1_024) / STREAMS, 1),
  };
}

const IDLE = 2_000;
const STREAMS = 500;

/** Weighed after a collection (test/chaos/weigh.cjs): what is left is what is held. */
async function startWeighed(bench, name, options) {
  const gateway = await startGateway(bench, name, {
    ...options,
    env: { CHAOS_WEIGHTS: bench.folder, NODE_OPTIONS: `--require ${WEIGH}` },
  });
  const file = join(bench.folder, `${gateway.child.pid}.json`);
  return {
    ...gateway,
    async weigh() {
      rmSync(file, { force: true });
      gateway.child.kill('SIGUSR2');
      return waitFor(gateway.child, 'a weight', () => {
        const { rss, heapUsed, external } = JSON.parse(readFileSync(file, 'utf8'));
        return { rssMb: rss / 2 ** 20, usedMb: (heapUsed + external) / 2 ** 20 };
      });
    },
  };
}

async function openMany(count, open) {
  const sockets = [];
  for (let at = 0; at < count; at += 50)
    sockets.push(
      ...(await Promise.all(Array.from({ length: Math.min(50, count - at) }, (_, index) => open(at + index)))),
    );
  return sockets;
}

/** One that has asked once and waits for its next question. */
function openIdle(port) {
  return openSocket(port, `GET /healthz HTTP/1.1\r\nhost: 127.0.0.1:${port}\r\n\r\n`);
}

function openStream(port, at) {
  const params = {
    notifications: { toolsListChanged: true },
    _meta: {
      'io.modelcontextprotocol/protocolVersion': '2026-07-28',
      'io.modelcontextprotocol/clientCapabilities': {},
    },
  };
  const body = JSON.stringify({ jsonrpc: '2.0', id: at + 1, method: 'subscriptions/listen', params });
  return openSocket(
    port,
    `POST /mcp HTTP/1.1\r\nhost: 127.0.0.1:${port}\r\ncontent-type: application/json\r\naccept: application/json, text/event-stream\r\n` +
      `mcp-protocol-version: 2026-07-28\r\nmcp-method: subscriptions/listen\r\ncontent-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
  );
}

function openSocket(port, text) {
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1', () => socket.write(text));
    socket.once('error', reject);
    socket.once('data', (data) => {
      if (/^HTTP\/1.1 200/.test(data.toString())) resolve(socket);
      else reject(new Error(`unexpected answer: ${data.toString().slice(0, 300)}`));
    });
  });
}

/** An API that answers at once, so that cores are all there is to wait for; and one that takes its time, as most do. */
const SERIES = [
  { latencyMs: 0, callers: [1, 4, 16, 64], seconds: 1 },
  { latencyMs: 200, callers: [8, 32, 128, 256], seconds: 3 },
];

/** A closed loop of so many connections on one process with a core of its own, and on two workers that share both cores with it. */
async function measurePoints(bench) {
  const points = [];
  for (const { latencyMs, callers: loads, seconds } of SERIES)
    for (const workers of [1, 2]) {
      bench.say(`points: ${workers} worker(s), ${latencyMs} ms`);
      const upstream = await startUpstream(bench.lab, latencyMs);
      const gateway = await startGateway({ ...bench, upstream }, `points-${workers}-${latencyMs}`, { workers });
      const request = await toRequest(gateway, 'get');
      await warmUp(gateway, request, latencyMs === 0 ? CONNECTIONS : 256);
      for (const callers of loads) {
        let quietest;
        for (let at = 0; at < bench.rounds; at++) {
          const one = await sample(gateway, request, { ...bench, upstream, seconds }, callers);
          if (quietest === undefined || one.foreign < quietest.foreign) quietest = one;
        }
        const { callsPerSecond, cpuUs, otherUs, foreign } = quietest;
        points.push({
          workers,
          latencyMs,
          callers,
          callsPerSecond: Math.round(callsPerSecond),
          cpuUs: round(cpuUs, 1),
          otherUs: round(otherUs, 1),
          foreign: round(foreign, 2),
        });
      }
      await stop(gateway.child);
    }
  return points;
}

const round = (value, digits) => Number(value.toFixed(digits));
