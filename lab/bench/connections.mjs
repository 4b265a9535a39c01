// What is held open, and what it takes: idle connections and open streams. Each is opened for real; memory is weighed after a collection, before, while and after, and somebody calls meanwhile.
import { spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { prepareLab } from './cache.mjs';
import { ARGUMENT, ID, load } from './load.mjs';
import { buildRequest, exchange, findTool, listTools, OPERATIONS } from './messages.mjs';
import { median } from './pairs.mjs';
import { peakMb, pinned, residentMb, stop, waitFor } from './processes.mjs';
import { startLandbridge, startUpstream } from './servers.mjs';
import { fixed, renderTable, whole } from './table.mjs';

const CLIENT = fileURLToPath(new URL('connection-client.mjs', import.meta.url));
const WEIGH = fileURLToPath(new URL('../chaos/weigh.cjs', import.meta.url));
const CALLS = 50;
const SETTLE_MS = 1_000;
/** Descriptors a process needs beside those that are counted here. */
const SPARE = 500;
const KINDS = [
  { what: 'idle', label: 'idle connections', count: 10_000 },
  { what: 'streams', label: 'open streams', count: 1_000 },
];

export async function measureConnections(options) {
  const lab = prepareLab(options.own);
  const upstream = await startUpstream(lab);
  const folder = mkdtempSync(join(tmpdir(), 'landbridge-bench-'));
  const most = countDescriptors() - SPARE;
  try {
    const rows = [];
    for (const { what, label, count } of KINDS) {
      options.onRound?.(label);
      const gateway = await startWeighed(options, lab.document, upstream, folder, count);
      rows.push({
        label,
        ...(await measureHolding(
          options,
          gateway,
          what,
          Math.min(Math.ceil(count * Math.min(1, options.seconds)), most),
        )),
      });
      await stop(gateway.child);
    }
    return rows;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** How many files a process may have open. */
function countDescriptors() {
  const { stdout } = spawnSync('sh', ['-c', 'ulimit -Hn'], { encoding: 'utf8' });
  const count = Number(stdout);
  return Number.isFinite(count) ? count : Number.POSITIVE_INFINITY;
}

/** A gateway that says what it holds after a collection (test/chaos/weigh.cjs). */
async function startWeighed(options, document, upstream, folder, count) {
  const gateway = await startLandbridge(options, document, upstream, {
    args: ['--max-http-connections', String(count + SPARE)],
    env: { CHAOS_WEIGHTS: folder, NODE_OPTIONS: `--require ${WEIGH}` },
  });
  const file = join(folder, `${gateway.pid}.json`);
  return {
    ...gateway,
    async weigh() {
      rmSync(file, { force: true });
      gateway.child.kill('SIGUSR2');
      const weight = await waitFor(gateway.child, 'a weight', () => JSON.parse(readFileSync(file, 'utf8')));
      return { usedBytes: weight.heapUsed + weight.external, residentMb: residentMb(gateway.pid) };
    },
  };
}

async function measureHolding(options, gateway, what, count) {
  const { port } = gateway;
  const names = await listTools(port);
  const call = buildRequest(port, 'modern', { ...OPERATIONS.get, tool: findTool(names, OPERATIONS.get.tool) });
  const list = buildRequest(port, 'modern', {});
  // As warm as it gets: what is compiled and pooled by load is not to be counted as held.
  await load(port, [list, call], options);
  await settle(options);
  const before = { ...(await gateway.weigh()), ms: await timeCalls(port, call) };
  const holder = await hold({ what, port, count, request: toText(what === 'streams' ? subscription(port) : list) });
  await settle(options);
  const during = { ...(await gateway.weigh()), ms: await timeCalls(port, call) };
  await holder.close();
  await settle(options);
  const after = await gateway.weigh();
  return {
    open: holder.open,
    failed: holder.failed,
    why: holder.why,
    heldBytes: (during.usedBytes - before.usedBytes) / holder.open,
    residentBytes: ((during.residentMb - before.residentMb) * 2 ** 20) / holder.open,
    beforeMb: before.residentMb,
    duringMb: during.residentMb,
    afterMb: after.residentMb,
    mostMb: peakMb(gateway.pid),
    leftBytes: (after.usedBytes - before.usedBytes) / holder.open,
    beforeMs: before.ms,
    duringMs: during.ms,
  };
}

const settle = (options) => new Promise((resolve) => setTimeout(resolve, SETTLE_MS * Math.min(1, options.seconds)));

const toText = ({ head, body }) => head + body.replace(String(ID), '1000000077').replace(String(ARGUMENT), '4321');

/** subscriptions/listen: the stream a modern client leaves open. */
function subscription(port) {
  const { headers, body } = buildRequest(port, 'modern', {});
  const message = JSON.parse(body);
  message.method = 'subscriptions/listen';
  message.params.notifications = { toolsListChanged: true };
  const text = JSON.stringify(message);
  const all = { ...headers, 'mcp-method': message.method, 'content-length': Buffer.byteLength(text) };
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
  return { head: `POST /mcp HTTP/1.1\r\n${lines.join('')}\r\n`, body: text };
}

/** Milliseconds a call takes, one after the other, each over a connection of its own. */
async function timeCalls(port, request) {
  const times = [];
  for (let index = 0; index < CALLS; index++) {
    const startedAt = performance.now();
    await exchange(port, request);
    times.push(performance.now() - startedAt);
  }
  return median(times);
}

/** A process that holds connections, until it is told to close them. */
async function hold(settings) {
  const [program, ...args] = pinned('load', [process.execPath, CLIENT, JSON.stringify(settings)]);
  const child = spawn(program, args, { stdio: ['pipe', 'pipe', 'inherit'] });
  const ended = new Promise((resolve) => child.once('exit', resolve));
  const line = await new Promise((resolve, reject) => {
    createInterface({ input: child.stdout }).once('line', resolve);
    child.once('exit', (code) => reject(new Error(`connection-client.mjs ended with ${code}`)));
  });
  return {
    ...JSON.parse(line),
    close: () => {
      child.stdin.end();
      return ended;
    },
  };
}

export function renderConnections(rows) {
  const title =
    '\nHeld open, for real: memory per connection after a collection, resident memory before, while and after, and a call meanwhile\n';
  const head = [
    '',
    'open',
    'KB held each',
    'KB resident each',
    'MB before',
    'while',
    'after',
    'most',
    'ms a call',
    'while',
  ];
  const body = rows.map((row) => [
    row.label,
    `${whole(row.open)}${row.failed > 0 ? ` (${row.failed} FAILED)` : ''}`,
    ...[row.heldBytes, row.residentBytes].map((bytes) => fixed(bytes / 1024, 1)),
    ...[row.beforeMb, row.duringMb, row.afterMb, row.mostMb].map(whole),
    ...[row.beforeMs, row.duringMs].map((ms) => fixed(ms, 1)),
  ]);
  return title + renderTable(head, body);
}

export function figuresOfConnections(rows) {
  return rows.flatMap(({ label, heldBytes, residentBytes }) => [
    { label, what: 'KB held each', value: heldBytes / 1024, spread: 0.05, better: 'less' },
    { label, what: 'KB resident each', value: residentBytes / 1024, spread: 0.15, better: 'less' },
  ]);
}
