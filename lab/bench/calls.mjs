// Other kinds of calls: by the action of a grouped tool, by call_operation, searching and describing operations, and a call
// that has to be confirmed, in both of its steps.
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { prepareLab, SPECS } from './cache.mjs';
import { ARGUMENT } from './load.mjs';
import { buildRequest, exchange, listWholeTools, OPERATIONS, toCall } from './messages.mjs';
import { measurePairs } from './pairs.mjs';
import { pinned, stop } from './processes.mjs';
import { writeManyDocument } from './scale.mjs';
import { sideOf, startLandbridge, startUpstream } from './servers.mjs';
import { fixed, percent, renderTable, whole } from './table.mjs';

const CLIENT = fileURLToPath(new URL('confirm-client.mjs', import.meta.url));
const SEARCH = {
  tool: 'search_operations',
  arguments: { query: 'get one user' },
  expect: /user/,
  reachesUpstream: false,
};
const DESCRIBE = {
  tool: 'describe_operation',
  arguments: { operation: 'get_user' },
  expect: /get_user/,
  reachesUpstream: false,
};

export async function measureCalls(options) {
  const lab = prepareLab(options.own);
  const upstream = await startUpstream(lab);
  const start = (exposure, args = []) => startLandbridge(options, lab.document, upstream, { exposure, args });
  const plain = await start('tools');
  const grouped = await start('grouped');
  const search = await start('search');
  const open = await start('tools', ['--guard', 'allow']);
  const getUser = async ({ port }, exposure) => ({
    ...toCall(await listWholeTools(port), exposure, OPERATIONS.get.tool, { id: ARGUMENT }),
    expect: OPERATIONS.get.expect,
  });
  const base = await sideOf(plain, 'modern', [await getUser(plain, 'tools')]);
  const pairs = [
    ['grouped: an action', await sideOf(grouped, 'modern', [await getUser(grouped, 'grouped')])],
    ['search: call_operation', await sideOf(search, 'modern', [await getUser(search, 'search')])],
    ['search: describe_operation', await sideOf(search, 'modern', [DESCRIBE])],
    ['search: search_operations, 10 operations', await sideOf(search, 'modern', [SEARCH])],
  ].map(([label, ours]) => ({ label, ours, base }));
  const large = await startLarge(options, upstream);
  pairs.push({
    label: `search: search_operations, ${large.name}`,
    ours: await sideOf(large, 'modern', [SEARCH]),
    base,
  });
  pairs.push({
    label: 'a deletion and its confirmation, to one that needs none',
    ours: await deletionOf(plain, true),
    base: await deletionOf(open, false),
  });
  const rows = await measurePairs(pairs, upstream, options);
  await Promise.all([plain, grouped, search, open, large].map(({ child }) => stop(child)));
  return { rows, firstSearch: large.firstSearch };
}

/** A large catalog that is searched, and how long whoever searches first has to wait. */
async function startLarge(options, upstream) {
  const github = join(SPECS, 'github-3.0.json');
  const isReal = existsSync(github);
  const document = isReal ? github : writeManyDocument(1_000);
  const gateway = await startLandbridge(options, document, upstream, { exposure: 'search' });
  const request = buildRequest(gateway.port, 'modern', SEARCH);
  const times = [];
  for (let index = 0; index < 2; index++) {
    const startedAt = performance.now();
    await exchange(gateway.port, request);
    times.push(performance.now() - startedAt);
  }
  const name = isReal ? "GitHub's" : '1,000 operations';
  return { ...gateway, name, firstSearch: { label: name, firstMs: times[0], secondMs: times[1] } };
}

/** Deleting as one side of a comparison: confirmed where the gateway asks for it. */
async function deletionOf({ port, pid }, isGuarded) {
  const call = toCall(await listWholeTools(port), 'tools', 'deleteUser', { id: 1 });
  const { body, headers } = buildRequest(port, 'modern', call);
  const { 'content-length': _, ...own } = headers;
  const load = ({ seconds, connections }) => run({ port, headers: own, body, isGuarded, seconds, connections });
  const { errors } = await load({ seconds: 0, connections: 1 });
  if (errors > 0) throw new Error(`${call.tool} was not ${isGuarded ? 'confirmed' : 'done'}`);
  return { port, pid, load, reachesUpstream: true };
}

function run(settings) {
  const [program, ...args] = pinned('load', [process.execPath, CLIENT, JSON.stringify(settings)]);
  return new Promise((resolve, reject) => {
    execFile(program, args, (error, stdout) => (error ? reject(error) : resolve(JSON.parse(stdout))));
  });
}

export function renderCalls({ rows, firstSearch }) {
  const title = '\nOther kinds of calls, beside tools/call of a tool of its own (get one = 1.00, more is better)\n';
  const head = ['', 'throughput', 'CPU/request', '+-', 'req/s', 'us CPU', 'beside', 'p99 ms', 'noise'];
  const body = rows.map((row) => [
    row.label,
    ...[row.throughput, row.cpu].map((ratio) => fixed(ratio)),
    percent(row.spread.cpu),
    whole(row.rps),
    ...[row.cpuUs, row.baseCpuUs, row.p99].map((value) => fixed(value, 1)),
    `${fixed(row.noise)}${row.errors > 0 ? ` ${row.errors} ERRORS` : ''}`,
  ]);
  const { label, firstMs, secondMs } = firstSearch;
  return `${title}${renderTable(head, body)}\n  the first search of ${label} took ${whole(firstMs)} ms, the second ${fixed(secondMs, 1)}`;
}

export function figuresOfCalls({ rows, firstSearch }) {
  return [
    ...rows.flatMap(({ label, cpu, cpuUs, spread }) => [
      { label, what: 'CPU/request', value: cpu, spread: spread.cpu, better: 'more' },
      { label, what: 'us CPU', value: cpuUs, spread: spread.cpu, better: 'less' },
    ]),
    {
      label: firstSearch.label,
      what: 'ms of the first search',
      value: firstSearch.firstMs,
      spread: 0.2,
      better: 'less',
    },
  ];
}
