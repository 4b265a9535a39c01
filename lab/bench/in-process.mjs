// One call in process, without sockets: CPU and allocations of the gateway itself, with its log line and without, beside
// what the raw limit does between its two sockets. What is left of a call over HTTP is node:http, undici and the kernel.
import { spawn } from 'node:child_process';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { prepareLab } from './cache.mjs';
import { OPERATIONS } from './messages.mjs';
import { median, spreadOf } from './pairs.mjs';
import { pinned } from './processes.mjs';
import { fixed, percent, renderTable } from './table.mjs';

const CHILD = fileURLToPath(new URL('in-process-child.mjs', import.meta.url));
/** Samples are short: what a call costs here does not depend on load, and many of them find the quiet moments. */
const SAMPLE_SECONDS = 0.1;
const WEIGHINGS = 5;
/** As many megabytes as all calls of a sample make together, and more. */
const UNCOLLECTED = ['--expose-gc', '--min-semi-space-size=256', '--max-semi-space-size=256'];

/** One row per kind of call. */
export async function measureProcess(options) {
  const { document } = prepareLab(true);
  const dist = join(dirname(resolve(options.cli)), '..');
  const settings = { dist, document, underWay: options.connections };
  const seconds = SAMPLE_SECONDS * options.seconds;
  const times = await run(options.nodeFlags, { ...settings, what: 'time', rounds: options.rounds, seconds });
  options.onRound?.('time');
  const weights = await run(UNCOLLECTED, { ...settings, what: 'memory', rounds: WEIGHINGS });
  options.onRound?.('memory');
  const samplesOf = (cases, name, key) => cases.find((one) => one.name === name && one.key === key).samples;
  return Object.entries(OPERATIONS).map(([key, { label }]) => {
    const row = { label };
    for (const name of ['log', 'quiet', 'limit']) {
      const quieter = cheaperHalf(samplesOf(times, name, key));
      const taken = samplesOf(weights, name, key);
      row[name] = {
        us: median(quieter.map(({ us }) => us)),
        spread: spreadOf(quieter.map(({ us }) => us)),
        gcUs: median(quieter.map(({ gcUs }) => gcUs)),
        heapBytes: median(taken.map(({ heapBytes }) => heapBytes)),
        bufferBytes: median(taken.map(({ bufferBytes }) => bufferBytes)),
      };
    }
    return row;
  });
}

/** What other programs do to a sample only ever makes it dearer. */
function cheaperHalf(samples) {
  return [...samples].sort((a, b) => a.us - b.us).slice(0, Math.ceil(samples.length / 2));
}

function run(flags, settings) {
  const [program, ...args] = pinned('gateway', [process.execPath, ...flags, CHILD, JSON.stringify(settings)]);
  return new Promise((resolve, reject) => {
    // The log goes where it goes in a measurement over HTTP: to a real descriptor, and nowhere from there.
    const child = spawn(program, args, { stdio: ['ignore', 'pipe', 'ignore'] });
    let text = '';
    child.stdout.setEncoding('utf8').on('data', (chunk) => {
      text += chunk;
    });
    child.once('error', reject).once('close', (code) => {
      if (code === 0) resolve(JSON.parse(text));
      else reject(new Error(`in-process-child.mjs ended with ${code}; run it by hand to see why: ${args.join(' ')}`));
    });
  });
}

export function renderProcess(rows, { rounds }) {
  const title = `
One call in process, without sockets, on an API that answers from memory (median of the cheaper half of ${rounds} samples)
limit: what the raw limit does between its two sockets; KB: what a call allocates, heap and buffers; GC: of it, time of the collector\n`;
  const head = ['', 'us CPU', 'no log', 'limit', '+-', 'GC us', 'KB', 'no log', 'limit'];
  const kilobytes = ({ heapBytes, bufferBytes }) => fixed((heapBytes + bufferBytes) / 1024, 1);
  const body = rows.map(({ label, log, quiet, limit }) => [
    label,
    ...[log, quiet, limit].map(({ us }) => fixed(us, 1)),
    percent(log.spread),
    fixed(log.gcUs, 1),
    ...[log, quiet, limit].map(kilobytes),
  ]);
  return title + renderTable(head, body);
}

export function figuresOfProcess(rows) {
  return rows.flatMap(({ label, log, quiet }) => [
    { label, what: 'us CPU', value: log.us, spread: log.spread, better: 'less' },
    { label, what: 'us CPU, no log', value: quiet.us, spread: quiet.spread, better: 'less' },
    { label, what: 'KB', value: (log.heapBytes + log.bufferBytes) / 1024, spread: BYTES_SPREAD, better: 'less' },
  ]);
}
/** What is allocated hardly depends on anything but the program. */
const BYTES_SPREAD = 0.02;
