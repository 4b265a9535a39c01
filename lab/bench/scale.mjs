// A call costs the same among 5,000 operations and among 10, in every exposure mode, by the mode's own tool names; and what a
// tools/list request allocates does not grow with the list: its bytes are shared.
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { Agent } from 'node:http';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { CACHE, prepareLab } from './cache.mjs';
import { buildManyDocument } from './documents.mjs';
import { ARGUMENT } from './load.mjs';
import { buildRequest, exchange, listWholeTools, toCall } from './messages.mjs';
import { measurePairs } from './pairs.mjs';
import { stop, waitFor } from './processes.mjs';
import { sideOf, startLandbridge, startUpstream } from './servers.mjs';
import { fixed, percent, renderTable } from './table.mjs';

const EXPOSURES = ['tools', 'grouped', 'search'];
/** Called in turn, spread evenly over the catalog. */
const CALLED = 10;
const HOOK = fileURLToPath(new URL('memory-hook.cjs', import.meta.url));
/** Room for everything that is allocated meanwhile. */
const UNCOLLECTED = ['--min-semi-space-size=256', '--max-semi-space-size=256'];
const LISTS = 50;

export async function measureScale(options, [few, many] = [10, 5_000]) {
  const lab = prepareLab(options.own);
  const upstream = await startUpstream(lab);
  const rows = [];
  for (const exposure of EXPOSURES) {
    const large = await start(options, upstream, exposure, many);
    const small = await start(options, upstream, exposure, few);
    const label = `${exposure}: a call among ${many.toLocaleString('en')} operations, to one among ${few}`;
    const onRound = (round) => options.onRound?.(`${exposure}, ${round}`);
    const pair = { label, ours: large.side, base: small.side };
    rows.push(...(await measurePairs([pair], upstream, { ...options, onRound })));
    await Promise.all([large, small].map(({ child }) => stop(child)));
  }
  const lists = [];
  for (const count of [few, many]) lists.push(await measureList(options, upstream, count));
  return { rows, lists };
}

/** What one tools/list request allocates, and how large its answer is: the first page of so many tools. */
async function measureList(options, upstream, count) {
  const file = join(CACHE, `memory-${process.pid}.json`);
  const { port, child } = await startLandbridge(options, writeManyDocument(count), upstream, {
    flags: UNCOLLECTED,
    env: { NODE_OPTIONS: `--require ${HOOK}`, BENCH_MEMORY_FILE: file },
  });
  const used = async () => {
    rmSync(file, { force: true });
    child.kill('SIGUSR2');
    return waitFor(child, 'its memory', () => JSON.parse(readFileSync(file, 'utf8')).usedBytes);
  };
  const request = buildRequest(port, 'modern', {});
  // What a connection takes is not what a request takes.
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const ask = async () => {
    for (let index = 0; index < LISTS; index++) await exchange(port, request, agent);
  };
  const answerBytes = Buffer.byteLength(JSON.stringify(await exchange(port, request)));
  await ask();
  const before = await used();
  await ask();
  const allocatedBytes = ((await used()) - before) / LISTS;
  agent.destroy();
  await stop(child);
  return { label: `tools/list of ${count.toLocaleString('en')} tools, first page`, answerBytes, allocatedBytes };
}

export function writeManyDocument(count) {
  const document = join(CACHE, `many-${count}.json`);
  writeFileSync(document, JSON.stringify(buildManyDocument(count)));
  return document;
}

async function start(options, upstream, exposure, count) {
  const gateway = await startLandbridge(options, writeManyDocument(count), upstream, { exposure });
  const tools = await listWholeTools(gateway.port);
  if (exposure === 'tools' && tools.length !== count) throw new Error(`${tools.length} tools are listed, not ${count}`);
  const calls = Array.from({ length: CALLED }, (_, index) => ({
    ...toCall(tools, exposure, `getPart${(index * count) / CALLED}`, { id: ARGUMENT }),
    expect: /4321/,
  }));
  return { child: gateway.child, side: await sideOf(gateway, 'modern', calls) };
}

export function renderScale({ rows, lists }) {
  const title = '\nA call costs the same however many operations there are, in every exposure mode (1.00 = the same)\n';
  const head = ['', 'throughput', 'CPU/request', '+-', 'us CPU', 'of the small one', 'p99 ms', 'small', 'noise'];
  const body = rows.map((row) => [
    row.label,
    ...[row.throughput, row.cpu].map((ratio) => fixed(ratio)),
    percent(row.spread.cpu),
    ...[row.cpuUs, row.baseCpuUs, row.p99, row.baseP99].map((value) => fixed(value, 1)),
    `${fixed(row.noise)}${row.errors > 0 ? ` ${row.errors} ERRORS` : ''}`,
  ]);
  const kilobytes = lists.map(({ label, answerBytes, allocatedBytes }) => [
    label,
    ...[answerBytes, allocatedBytes].map((bytes) => fixed(bytes / 1024, 1)),
  ]);
  const shared = '\n\nThe bytes of a list are shared, and not copied per request (KB)\n';
  return `${title}${renderTable(head, body)}${shared}${renderTable(['', 'answer', 'allocated'], kilobytes)}`;
}

export function figuresOfScale({ rows, lists }) {
  return [
    ...rows.map(({ label, cpu, spread }) => ({
      label,
      what: 'CPU/request',
      value: cpu,
      spread: spread.cpu,
      better: 'more',
    })),
    ...lists.map(({ label, allocatedBytes }) => ({
      label,
      what: 'KB allocated',
      value: allocatedBytes / 1024,
      spread: LIST_SPREAD,
      better: 'less',
    })),
  ];
}
/** What is done by timers in the meantime. */
const LIST_SPREAD = 0.05;
