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
import { MAX_FOREIGN, MAX_SLOWNESS, MIX, PRODUCTION, SERIES } from './capacity-model.mjs';
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
  startProbe,
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

/** What is measured by itself, each in less than a minute and a half: each part gives some of the figures. */
const MEASURES = {
  calls: measureCalls,
  reads: (bench) => measureFeatures(bench, 'get', 'callUs'),
  writes: (bench) => measureFeatures(bench, 'create', 'writeUs'),
  redis: measureRedis,
  workers: measureWorkers,
  memory: async (bench) => ({ memory: await measureMemory(bench) }),
};
export const MEASURED_PARTS = [...Object.keys(MEASURES), ...Object.keys(SERIES)];

/** `only`: the parts that are measured; of the others `before` has the figures. */
export async function measureCapacity({ seconds, rounds, say, only = MEASURED_PARTS, before = {}, save }) {
  const strange = only.find((part) => !MEASURED_PARTS.includes(part));
  if (strange !== undefined) throw new Error(`There is no "${strange}": there are ${MEASURED_PARTS.join(', ')}.`);
  const folder = mkdtempSync(join(tmpdir(), 'landbridge-capacity-'));
  const lab = prepareLab(true);
  const upstream = await startUpstream(lab);
  /** Of all samples: how quick a core was at its best, and for how long they may be repeated. */
  const noise = { fastestUs: fastestOf(before), spareSeconds: 0 };
  const bench = { folder, lab, upstream, seconds, rounds, say, probe: startProbe(), noise };
  try {
    let figures = before;
    for (const part of only) {
      say(part);
      noise.spareSeconds = REPEATED_SECONDS;
      figures = merge(figures, part, await (MEASURES[part]?.(bench) ?? measureSeries(bench, part)));
      save(figures);
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Points of a series take the place of those it had; all of them stand in the order of SERIES. */
function merge(figures, part, { features = {}, points = [], ...more }) {
  const names = [...new Set([...Object.keys(figures.features ?? {}), ...Object.keys(features)])];
  const others = (figures.points ?? []).filter(({ series }) => series !== part);
  const order = Object.keys(SERIES);
  return {
    ...figures,
    ...more,
    machine: describeMachine(),
    features: Object.fromEntries(names.map((name) => [name, { ...figures.features?.[name], ...features[name] }])),
    points: [...others, ...points].sort((a, b) => order.indexOf(a.series) - order.indexOf(b.series)),
  };
}

/** What the quickest of all samples so far had: parts that were measured at different times were measured at one speed. */
function fastestOf({ machine, points = [] }) {
  const isSame = machine?.cpu === describeMachine().cpu && machine?.node === process.version;
  return Math.min(Number.POSITIVE_INFINITY, ...(isSame ? points.flatMap(({ probeUs }) => probeUs ?? []) : []));
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
  const upstreamNs = cpuNs(upstream.pid) - before.upstream;
  const loadNs = ownCpuNs() - before.own;
  if (run.errors > 0) throw new Error(`${run.errors} errors while ${gateway.name} was measured`);
  return {
    requests: run.requests,
    callsPerSecond: run.requests / run.seconds,
    gatewayUs: gatewayNs / 1e3 / run.requests,
    upstreamUs: upstreamNs / 1e3 / run.requests,
    loadUs: loadNs / 1e3 / run.requests,
    foreign: Math.max(0, (machineCpuNs() - before.machine - gatewayNs - upstreamNs - loadNs) / wallNs),
  };
}

/** Of a sample, and of a part in all: a machine that does not come to rest is told, not waited for. */
const MOST_REPEATS = 5;
const REPEATED_SECONDS = 20;

/**
 * Again, where other programs were in the way, on this machine or, where it is a virtual one, on the same silicon: their time is not the
 * gateway's, but their caches and their core are.
 */
async function sampleQuietly(gateway, request, bench, connections) {
  const { noise, probe, seconds } = bench;
  let best;
  for (let attempt = 0; attempt <= MOST_REPEATS; attempt++) {
    if (attempt > 0) noise.spareSeconds -= seconds;
    const before = await probe();
    const one = await sample(gateway, request, bench, connections);
    const probeUs = (before + (await probe())) / 2;
    noise.fastestUs = Math.min(noise.fastestUs, probeUs);
    const slowness = probeUs / noise.fastestUs - 1;
    const loudness = one.foreign / MAX_FOREIGN + slowness / MAX_SLOWNESS;
    if (best === undefined || loudness < best.loudness) best = { ...one, probeUs, loudness };
    const isQuiet = one.foreign <= MAX_FOREIGN && slowness <= MAX_SLOWNESS;
    if (isQuiet || noise.spareSeconds <= 0) break;
  }
  return best;
}

/** The one in the middle of several: its cost and its throughput belong together, which those of a cheapest one and of an average do not. */
async function sampleMiddle(gateway, request, bench, connections) {
  const taken = [];
  for (let round = 0; round < bench.rounds; round++)
    taken.push(await sampleQuietly(gateway, request, bench, connections));
  return taken.sort((a, b) => a.gatewayUs - b.gatewayUs)[(taken.length - 1) >> 1];
}

const WARM_REQUESTS = 25_000;
const MAX_WARM_SECONDS = 15;

/** Until the compiler has settled, or a slow machine has had its time. */
async function warmUp(gateway, request, connections = CONNECTIONS) {
  let sent = 0;
  for (let second = 0; second < MAX_WARM_SECONDS && sent < WARM_REQUESTS; second++)
    sent += (await load(gateway.port, [request].flat(), { seconds: 1, connections })).requests;
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
    const baseUs = [];
    for (let turn = 0; turn < bench.rounds; turn++) {
      const take = [() => sampleQuietly(base, baseRequest, bench), () => sampleQuietly(other, request, bench)];
      const first = await take[turn % 2]();
      const second = await take[(turn + 1) % 2]();
      const [one, two] = turn % 2 === 0 ? [first, second] : [second, first];
      ratios.push(two.gatewayUs / one.gatewayUs);
      baseUs.push(one.gatewayUs);
    }
    costs.push(median(baseUs) * Math.max(0, median(ratios) - 1));
  }
  return costs;
}

async function measureCalls(bench) {
  const open = await startGateway(bench, 'open');
  const calls = {};
  for (const kind of Object.keys(OPERATIONS)) {
    const request = await toRequest(open, kind);
    await warmUp(open, request);
    const { gatewayUs } = await sampleMiddle(open, request, bench);
    calls[kind] = { label: OPERATIONS[kind].label, cpuUs: round(gatewayUs, 1), ...(await countBytes(bench, kind)) };
  }
  await stop(open.child);
  return { calls };
}

/** What is switched on one by one, and in production together. */
async function toSettings(bench) {
  const key = `lb_${randomBytes(32).toString('base64url')}`;
  const keys = [{ name: 'bench', sha256: createHash('sha256').update(key).digest('hex') }];
  const trail = join(bench.folder, `audit-${randomBytes(4).toString('hex')}.jsonl`);
  return {
    trail,
    'API key': { settings: { auth: { keys } }, token: key },
    audit: { settings: { audit: { file: trail } } },
    metrics: { args: ['--admin-port', String(await freePort())] },
  };
}

/** Of one kind of call: `field` says which. */
async function measureFeatures(bench, kind, field) {
  const issuer = await startIssuer();
  const { trail, ...settings } = await toSettings(bench);
  const jwt = {
    settings: { auth: { oauth: [{ issuer: issuer.url }] } },
    token: await issuer.mint(`${PUBLIC_URL}/mcp`),
  };
  const open = await startGateway(bench, 'open');
  const gateways = {};
  for (const [name, options] of Object.entries({ ...settings, JWT: jwt }))
    gateways[name] = await startGateway(bench, name.replace(' ', '-'), options);
  const costs = await compare([open, ...Object.values(gateways)], kind, bench);
  const names = Object.keys(gateways);
  const features = Object.fromEntries(names.map((name, at) => [name, { [field]: round(costs[at], 1) }]));
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
  const costs = [[], []];
  const counts = [];
  for (let turn = -1; turn < bench.rounds; turn++)
    for (const [at, gateway] of gateways.entries()) {
      const requests = [];
      for (const one of tokens) requests.push(await toRequest({ ...gateway, token: one }, 'get', turn === -1));
      if (turn === -1) {
        await warmUp(gateway, requests);
        continue;
      }
      const before = { ...(await readStats(port)), cpu: cpuNs(server.pid) };
      const { requests: calls, gatewayUs } = await sample(gateway, requests, bench);
      costs[at].push(gatewayUs);
      if (at === 0) continue;
      const after = await readStats(port);
      const moved = (field) => after[field] - before[field];
      counts.push({
        opsPerCall: round(moved('evalsha') / calls, 2),
        bytesPerCall: Math.round((moved('total_net_input_bytes') + moved('total_net_output_bytes')) / calls),
        cpuUs: round((cpuNs(server.pid) - before.cpu) / 1e3 / calls, 1),
      });
    }
  await Promise.all([...gateways.map(({ child }) => child), server].map(stop));
  const [alone, shared] = costs.map(median);
  const redis = counts.sort((a, b) => a.cpuUs - b.cpuUs)[counts.length >> 1];
  return { redis, features: { redis: { callUs: round(Math.max(0, shared - alone), 1) } } };
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

/** A closed loop of so many connections: a row of points each. */
async function measureSeries(bench, series) {
  const { workers, latencyMs, callers: loads, isProduction = false } = SERIES[series];
  const upstream = latencyMs === 0 ? bench.upstream : await startUpstream(bench.lab, latencyMs);
  const gateway = await startGateway({ ...bench, upstream }, series, {
    workers,
    ...(isProduction && (await toProduction(bench))),
  });
  const request = isProduction ? await toMix(gateway) : await toRequest(gateway, 'get');
  await warmUp(gateway, request, Math.max(CONNECTIONS, ...loads));
  const points = [];
  for (const callers of loads) {
    const one = await sampleMiddle(gateway, request, { ...bench, upstream }, callers);
    const { callsPerSecond, gatewayUs, upstreamUs, loadUs, foreign, probeUs } = one;
    points.push({
      series,
      workers,
      latencyMs,
      callers,
      callsPerSecond: Math.round(callsPerSecond),
      gatewayUs: round(gatewayUs, 1),
      upstreamUs: round(upstreamUs, 1),
      loadUs: round(loadUs, 1),
      foreign: round(foreign, 2),
      probeUs: Math.round(probeUs),
    });
  }
  await stop(gateway.child);
  return { points };
}

async function toProduction(bench) {
  const { trail: _, ...each } = await toSettings(bench);
  const all = PRODUCTION.map((name) => each[name]);
  return {
    settings: Object.assign({}, ...all.map(({ settings }) => settings)),
    args: all.flatMap(({ args = [] }) => args),
    token: all.find(({ token }) => token !== undefined).token,
  };
}

/** Twenty requests that are sent in turn: the shares of MIX, spread evenly. */
async function toMix(gateway) {
  const requests = [];
  for (const [kind, share] of Object.entries(MIX)) {
    const request = await toRequest(gateway, kind);
    const count = Math.round(share * 20);
    for (let at = 0; at < count; at++) requests.push({ request, place: (at + 0.5) / count });
  }
  return requests.sort((a, b) => a.place - b.place).map(({ request }) => request);
}

const round = (value, digits) => Number(value.toFixed(digits));
