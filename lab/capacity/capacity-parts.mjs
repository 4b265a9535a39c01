// What the capacity model is made of, part by part: the loads of each, and what figures come of their samples.
import { createHash, randomBytes } from 'node:crypto';
import { statSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import { join } from 'node:path';
import { startIssuer } from '../bench/identity.mjs';
import { OPERATIONS } from '../bench/messages.mjs';
import { cpuNs, freePort, hasTool, startProgram, stop, waitFor } from '../bench/processes.mjs';
import { startUpstream } from '../bench/servers.mjs';
import { CONNECTIONS, PUBLIC_URL, sample, startGateway, toRequest, warmUp } from './capacity-gateways.mjs';
import { measureMemory } from './capacity-memory.mjs';
import { MIX, PRODUCTION, SERIES } from './capacity-model.mjs';

/** Each starts what it needs and returns its loads, and `finish()`, which makes figures of their samples. */
const PARTS = { calls: prepareCalls, features: prepareFeatures, redis: prepareRedis, memory: prepareMemory };
/** What is compared with each other is sampled in the same rounds; all at once would be more processes than two cores leave alone. */
export const GROUPS = [['one', 'two', 'slow-one', 'slow-two'], ['calls', 'features', 'mix'], ['redis'], ['memory']];
export const MEASURED_PARTS = GROUPS.flat();

export function preparePart(bench, part) {
  return PARTS[part]?.(bench) ?? prepareSeries(bench, part);
}

/** The samples of one load. */
class Load {
  #samples = [];
  #take;

  constructor(take) {
    this.#take = take;
  }

  async add() {
    const one = await this.#take();
    this.#samples.push({ ...one, totalUs: one.gatewayUs + one.upstreamUs + one.loadUs });
  }

  /**
   * The one at the lower quartile: neighbours only ever add to a cost. One sample and no average, so that its cost and its throughput belong
   * together. By what all sides cost: where callers or the API were slowed down, throughput is not the gateway's.
   */
  get typical() {
    const sorted = this.#samples.toSorted((a, b) => a.totalUs - b.totalUs);
    const at = (share) => sorted[Math.floor((sorted.length - 1) * share)];
    return { ...at(0.25), spread: at(0.75).totalUs / at(0.25).totalUs - 1 };
  }
}

async function openLoad(bench, gateway, request, connections = CONNECTIONS) {
  await warmUp(gateway, request, connections);
  return new Load(() => sample(gateway, request, bench, connections));
}

/** A gateway without anything switched on, which several parts compare with: one load for each kind of call. */
async function openPlain(bench, kind) {
  bench.plain ??= { gateway: await startGateway(bench, 'open'), loads: new Map() };
  const { gateway, loads } = bench.plain;
  if (!loads.has(kind)) loads.set(kind, await openLoad(bench, gateway, await toRequest(gateway, kind)));
  return loads.get(kind);
}

async function prepareCalls(bench) {
  const loads = {};
  const bytes = {};
  for (const kind of Object.keys(OPERATIONS)) {
    loads[kind] = await openPlain(bench, kind);
    bytes[kind] = await countBytes(bench, kind);
  }
  const toFigures = ([kind, { typical }]) => {
    return [kind, { label: OPERATIONS[kind].label, cpuUs: round(typical.gatewayUs, 1), ...bytes[kind] }];
  };
  return {
    loads: Object.values(loads),
    finish: () => ({ calls: Object.fromEntries(Object.entries(loads).map(toFigures)) }),
  };
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

/** Fields of a feature by the kind of call they are measured with. */
const FIELDS = { get: 'callUs', create: 'writeUs' };

async function prepareFeatures(bench) {
  const issuer = await startIssuer();
  const { trail, ...settings } = await toSettings(bench);
  const jwt = {
    settings: { auth: { oauth: [{ issuer: issuer.url }] } },
    token: await issuer.mint(`${PUBLIC_URL}/mcp`),
  };
  const rows = [];
  let audit;
  for (const [name, options] of Object.entries({ ...settings, JWT: jwt })) {
    const gateway = await startGateway(bench, name.replace(' ', '-'), options);
    for (const [kind, field] of Object.entries(FIELDS)) {
      const [plain, other] = [
        await openPlain(bench, kind),
        await openLoad(bench, gateway, await toRequest(gateway, kind)),
      ];
      rows.push({ name, field, plain, other });
    }
    if (name === 'audit') audit = await countAudit(gateway, trail);
  }
  return {
    loads: rows.flatMap(({ plain, other }) => [plain, other]),
    finish() {
      issuer.close();
      const features = {};
      for (const { name, field, plain, other } of rows)
        features[name] = { ...features[name], [field]: toExtra(plain, other) };
      return { features, audit };
    },
  };
}

/** What the other load costs more; never less than nothing. */
function toExtra(plain, other) {
  return round(Math.max(0, other.typical.gatewayUs - plain.typical.gatewayUs), 1);
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
async function prepareRedis(bench) {
  if (!hasTool('redis-server')) return { loads: [], finish: () => ({}) };
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
  const state = `redis://127.0.0.1:${port}?timeoutMs=5000`;
  const gateways = [
    await startGateway(bench, 'alone', { settings, token }),
    await startGateway(bench, 'shared', { settings: { ...settings, state }, token }),
  ];
  const loads = [];
  for (const gateway of gateways) {
    const requests = [];
    for (const one of tokens) requests.push(await toRequest({ ...gateway, token: one }, 'get'));
    await warmUp(gateway, requests);
    loads.push(new Load(() => sampleWithRedis(gateway, requests, bench, { port, pid: server.pid })));
  }
  const [alone, shared] = loads;
  return {
    loads,
    finish: () => ({ redis: shared.typical.redis, features: { redis: { callUs: toExtra(alone, shared) } } }),
  };
}

/** With what Redis was asked meanwhile, and what that cost it. */
async function sampleWithRedis(gateway, requests, bench, { port, pid }) {
  const before = { ...(await readStats(port)), cpu: cpuNs(pid) };
  const one = await sample(gateway, requests, bench);
  const after = { ...(await readStats(port)), cpu: cpuNs(pid) };
  const perCall = (...fields) => fields.reduce((sum, field) => sum + after[field] - before[field], 0) / one.requests;
  const redis = {
    opsPerCall: round(perCall('evalsha'), 2),
    bytesPerCall: Math.round(perCall('total_net_input_bytes', 'total_net_output_bytes')),
    cpuUs: round(perCall('cpu') / 1e3, 1),
  };
  return { ...one, redis };
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

/** Weighed by itself: nothing of it depends on how quick the machine is. */
async function prepareMemory(bench) {
  const memory = await measureMemory(bench);
  return { loads: [], finish: () => ({ memory }) };
}

/** A closed loop of so many connections: a row of points each. */
async function prepareSeries(bench, series) {
  const { workers, latencyMs, callers: loads, isProduction = false } = SERIES[series];
  const upstream = latencyMs === 0 ? bench.upstream : await startUpstream(bench.lab, latencyMs);
  const own = { ...bench, upstream };
  const gateway = await startGateway(own, series, { workers, ...(isProduction && (await toProduction(bench))) });
  const request = isProduction ? await toMix(gateway) : await toRequest(gateway, 'get');
  await warmUp(gateway, request, Math.max(CONNECTIONS, ...loads));
  const rows = loads.map((callers) => ({
    callers,
    load: new Load(() => sampleWithPrimary(gateway, request, own, callers)),
  }));
  const toPoint = ({ callers, load }) => {
    const { callsPerSecond, gatewayUs, upstreamUs, loadUs, foreign, spread } = load.typical;
    return {
      series,
      workers,
      latencyMs,
      callers,
      callsPerSecond: Math.round(callsPerSecond),
      gatewayUs: round(gatewayUs, 1),
      upstreamUs: round(upstreamUs, 1),
      loadUs: round(loadUs, 1),
      foreign: round(foreign, 2),
      spread: round(spread, 2),
    };
  };
  return {
    loads: rows.map(({ load }) => load),
    finish: () => ({
      points: rows.map(toPoint),
      ...(series === 'two' && { ipc: { primaryUs: round(rows.at(-1).load.typical.primaryUs, 1) } }),
    }),
  };
}

/** With what the first process of the gateway used: of workers, that is the primary. */
async function sampleWithPrimary(gateway, request, bench, callers) {
  const before = cpuNs(gateway.child.pid);
  const one = await sample(gateway, request, bench, callers);
  return { ...one, primaryUs: (cpuNs(gateway.child.pid) - before) / 1e3 / one.requests };
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
