// Gateways that the capacity model is measured on, what they are asked, and one sample of a load: what each side used of the
// processor meanwhile. Processor time, not wall time: other programs on the machine take the latter, and only little of the former.
import { openSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { load } from '../bench/load.mjs';
import { buildRequest, check, findTool, listTools, OPERATIONS } from '../bench/messages.mjs';
import { cpuNs, freePort, machineCpuNs, ownCpuNs, startNode, waitFor } from '../bench/processes.mjs';

const CLI = fileURLToPath(new URL('../../dist/cli/main.js', import.meta.url));
const SECRET = 'what all processes of a measurement seal with';
export const CONNECTIONS = 32;
export const PUBLIC_URL = 'http://127.0.0.1:3998';
/** One caller makes all the load, and nothing is turned away: neither by a limit nor because others hold the processor. */
const LIMITS = {
  perPrincipal: { rate: '1000000/s', concurrent: 10_000 },
  perUpstream: { concurrent: 1_000 },
  shed: { eventLoopMs: 10_000 },
};

/** `landbridge serve` with these settings; pinned to the gateway's core unless it has workers. */
export async function startGateway(
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

export async function toRequest({ port, token }, kind) {
  const { tool, ...operation } = OPERATIONS[kind];
  names.set(port, names.get(port) ?? (await listTools(port, token)));
  const named = { ...operation, ...(tool && { tool: findTool(names.get(port), tool) }) };
  const request = buildRequest(port, 'modern', named, token);
  await check(port, request, named);
  return request;
}

/** The tools of the gateway at a port. */
const names = new Map();

export async function sample(gateway, request, { seconds, upstream }, connections = CONNECTIONS) {
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

const WARM_REQUESTS = 25_000;
const MAX_WARM_SECONDS = 15;

/** Until the compiler has settled, or a slow machine has had its time. */
export async function warmUp(gateway, request, connections = CONNECTIONS) {
  let sent = 0;
  for (let second = 0; second < MAX_WARM_SECONDS && sent < WARM_REQUESTS; second++)
    sent += (await load(gateway.port, [request].flat(), { seconds: 1, connections })).requests;
}
