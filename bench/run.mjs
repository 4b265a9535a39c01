// npm run bench: every number is a ratio measured in this run, on this machine. bench/README.md says how to read it.
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { measureIdentity } from './identity.mjs';
import { measureImport } from './import.mjs';
import { generator } from './load.mjs';
import { CORES, stopAll } from './processes.mjs';
import { measureScale, measureSpeed } from './speed.mjs';
import { fixed, renderTable, whole } from './table.mjs';

const HELP = `npm run bench -- [options]
  --rounds <n>        interleaved pairs per row (default 5)
  --seconds <n>       length of one sample (default 1)
  --connections <n>   keep-alive connections of the load generator (default 64)
  --only <parts>      of speed, scale, identity, import (default: all)
  --eras <eras>       of modern, legacy (default: both)
  --operations <ops>  of list, get, create, biglist (default: all)
  --own               the raw limit of this folder, even where the shared one is present
  --log <file>        where landbridge's log goes (default /dev/null)
  --json              print JSON`;

const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '5' },
    seconds: { type: 'string', default: '1' },
    connections: { type: 'string', default: '64' },
    only: { type: 'string', default: 'speed,scale,identity,import' },
    eras: { type: 'string', default: 'modern,legacy' },
    operations: { type: 'string', default: 'list,get,create,biglist' },
    own: { type: 'boolean', default: false },
    log: { type: 'string', default: '/dev/null' },
    json: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
    // For work on the gateway itself: another build, and flags for its node.
    cli: { type: 'string', default: fileURLToPath(new URL('../dist/cli/main.js', import.meta.url)) },
    'node-flags': { type: 'string', default: '' },
  },
});
if (values.help) {
  console.log(HELP);
  process.exit(0);
}

const IMPORT_ROUNDS = 3;
const list = (text) => text.split(',').filter((word) => word !== '');
const progress = (text) => {
  if (process.stderr.isTTY) process.stderr.write(`\r\x1b[K${text}`);
};
const parts = list(values.only);
const options = {
  rounds: Number(values.rounds),
  seconds: Number(values.seconds),
  connections: Number(values.connections),
  eras: list(values.eras),
  operations: list(values.operations),
  own: values.own,
  log: values.log,
  cli: values.cli,
  nodeFlags: list(values['node-flags']),
};
const print = (text) => values.json || console.log(text);

async function bench() {
  const results = { node: process.version, generator, pinned: CORES !== undefined };
  if (parts.includes('speed')) {
    const onRound = (round) => progress(`speed: round ${round} of ${options.rounds}`);
    results.speed = await measureSpeed({ ...options, onRound });
    progress('');
    print(renderSpeed(results.speed));
    await stopAll();
  }
  if (parts.includes('scale')) {
    const onRound = (round) => progress(`scale: round ${round} of ${options.rounds}`);
    results.scale = await measureScale({ ...options, onRound });
    progress('');
    print(renderScale(results.scale));
    await stopAll();
  }
  if (parts.includes('identity')) {
    const onRound = (round) => progress(`identity: round ${round} of ${options.rounds}`);
    results.identity = await measureIdentity({ ...options, onRound });
    progress('');
    print(renderIdentity(results.identity));
    await stopAll();
  }
  if (parts.includes('import')) {
    const onRound = (round) => progress(`import: round ${round} of ${IMPORT_ROUNDS}`);
    results.import = await measureImport({ rounds: IMPORT_ROUNDS, onRound });
    progress('');
    print(results.import ? renderImport(results.import) : '\nImport: no ../shared/specs here, nothing to measure.');
  }
  if (values.json) console.log(JSON.stringify(results, null, 1));
}

function renderSpeed({ limit, rows }) {
  const where = CORES === undefined ? 'nothing pinned' : 'one core for the gateway, the other for load and upstream';
  const title = `\nLandbridge beside the raw limit (${limit}: node:http in, undici Pool.dispatch out)
${options.rounds} interleaved pairs of ${options.seconds} s, ${options.connections} connections by ${generator}, ${where}; limit = 1.00, more is better\n`;
  const head = ['', 'throughput', 'CPU/request', 'aim', 'req/s', 'limit', 'us CPU', 'limit', 'p99 ms', 'noise'];
  const body = rows.map((row) => [
    row.label,
    fixed(row.throughput),
    fixed(row.cpu),
    row.aim.toFixed(2),
    whole(row.rps),
    whole(row.baseRps),
    fixed(row.cpuUs, 1),
    fixed(row.baseCpuUs, 1),
    fixed(row.p99, 1),
    `${fixed(row.noise)}${row.errors > 0 ? ` ${row.errors} ERRORS` : ''}`,
  ]);
  return `${title}${renderTable(head, body)}\n  noise: cores other programs used meanwhile; above 0.2 repeat the run`;
}

function renderScale(row) {
  const title = '\nA call costs the same however many tools there are (1.00 = the same)\n';
  const head = ['', 'throughput', 'CPU/request', 'req/s', 'of the small one', 'noise'];
  const body = [row.label, fixed(row.throughput), fixed(row.cpu), whole(row.rps), whole(row.baseRps), fixed(row.noise)];
  return title + renderTable(head, [body]);
}

function renderIdentity(rows) {
  const title =
    '\nWhat it costs to know who calls, beside a gateway that asks nobody (1.00 = nothing; aim: CPU/request 0.90)\n';
  const head = ['', 'throughput', 'CPU/request', 'us CPU', 'without', 'noise'];
  const body = rows.map((row) => [
    row.label,
    ...[row.throughput, row.cpu].map((ratio) => fixed(ratio)),
    ...[row.cpuUs, row.baseCpuUs].map((us) => fixed(us, 1)),
    `${fixed(row.noise)}${row.errors > 0 ? ` ${row.errors} ERRORS` : ''}`,
  ]);
  return title + renderTable(head, body);
}

function renderImport(rows) {
  const title = `
Start-up with a large document, until tools/list is ready, to parsing it alone (memory: aim <= 3) and to JSON.parse of it
median of ${IMPORT_ROUNDS} alternating pairs of processes; less is better\n`;
  const head = [
    '',
    'time',
    'aim',
    'CPU',
    'to JSON',
    'whole process',
    'peak memory',
    'ms',
    'parse',
    'JSON',
    'MB',
    'parse',
    'tools',
  ];
  const body = rows.map((row) => [
    row.label,
    `${fixed(row.time)}x`,
    row.aim === undefined ? '' : `${row.aim}x`,
    ...[row.cpu, row.json, row.process, row.memory].map((ratio) => `${fixed(ratio)}x`),
    ...[row.ms, row.parseMs, row.jsonMs, row.peakMb, row.parsePeakMb, row.tools].map(whole),
  ]);
  return title + renderTable(head, body);
}

try {
  await bench();
} catch (error) {
  console.error(error.message);
  process.exitCode = 1;
} finally {
  await stopAll();
}
