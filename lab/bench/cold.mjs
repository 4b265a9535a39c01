// From starting a process to its first good answer, with ten operations: `landbridge serve` over HTTP and over stdio beside
// the raw limit, in alternating order; processor time and memory it took until then.
import { spawn } from 'node:child_process';
import { LIMIT_SETTINGS, prepareLab } from './cache.mjs';
import { buildRequest, check } from './messages.mjs';
import { median, spreadOf } from './pairs.mjs';
import { findPeer, PEER, startPeer } from './peers.mjs';
import { cpuNs, freePort, pinned, residentMb, startNode, stop, waitFor } from './processes.mjs';
import { startUpstream } from './servers.mjs';
import { fixed, percent, renderTable, whole } from './table.mjs';

const AIM_SECONDS = 0.4;
/** Often enough not to round what is measured. */
const LOOK_MS = 3;
/** Memory is looked at when what a start leaves behind is done. */
const REST_MS = 300;

export async function measureCold(options) {
  const lab = prepareLab(options.own);
  const upstream = await startUpstream(lab);
  const address = `http://127.0.0.1:${upstream.port}`;
  const serve = [
    ...options.nodeFlags,
    options.cli,
    'serve',
    lab.document,
    '--base-url',
    address,
    '--exposure',
    'tools',
  ];
  const peer = findPeer(options.peers);
  const starts = {
    'the raw limit': (port) =>
      overHttp([lab.limit], port, { ...LIMIT_SETTINGS, HDR: '1', PORT: String(port), UPSTREAM: address }),
    'landbridge serve': (port) => overHttp([...serve, '--port', String(port)], port),
    'landbridge serve --stdio': () => overStdio([...serve, '--stdio']),
    ...(peer && { [PEER]: () => startPeer(peer, lab.document, upstream, { sessions: 1, lookMs: LOOK_MS }) }),
  };
  const taken = Object.fromEntries(Object.keys(starts).map((name) => [name, []]));
  for (let round = 0; round < options.rounds; round++) {
    const names = round % 2 === 0 ? Object.keys(starts) : Object.keys(starts).reverse();
    for (const name of names) taken[name].push(await measureStart(starts[name]));
    options.onRound?.(round + 1);
  }
  return Object.entries(taken).map(([label, samples]) => {
    const middle = (key) => median(samples.map((sample) => sample[key]));
    const keys = ['seconds', 'cpuMs', 'residentMb'];
    return {
      label,
      ...Object.fromEntries(keys.map((key) => [key, middle(key)])),
      spread: Object.fromEntries(keys.map((key) => [key, spreadOf(samples.map((sample) => sample[key]))])),
    };
  });
}

async function measureStart(start) {
  const port = await freePort();
  const startedAt = performance.now();
  const { child } = await start(port);
  const seconds = (performance.now() - startedAt) / 1_000;
  const cpuMs = cpuNs(child.pid) / 1e6;
  await new Promise((resolve) => setTimeout(resolve, REST_MS));
  const sample = { seconds, cpuMs, residentMb: residentMb(child.pid) };
  // At once: nobody is served who would be waited for.
  child.kill('SIGKILL');
  await stop(child);
  return sample;
}

async function overHttp(args, port, env) {
  const child = startNode(args, { core: 'gateway', env });
  const request = buildRequest(port, 'modern', {});
  await waitFor(child, args.join(' '), () => check(port, request, {}), { lookMs: LOOK_MS });
  return { child };
}

/** As a client does that starts its server itself: the first message waits in the pipe. */
async function overStdio(args) {
  const [program, ...rest] = pinned('gateway', [process.execPath, ...args]);
  const { PATH, HOME } = process.env;
  const env = { PATH, HOME, NODE_ENV: 'production' };
  const child = spawn(program, rest, { env, stdio: ['pipe', 'pipe', 'ignore'] });
  child.once('exit', (code, signal) => {
    child.ended = signal ?? code;
  });
  child.stdin.write(`${buildRequest(0, 'modern', {}).body}\n`);
  let text = '';
  await new Promise((resolve, reject) => {
    child.once('exit', () => reject(new Error('landbridge serve --stdio ended before it answered')));
    child.stdout.setEncoding('utf8').on('data', (chunk) => {
      text += chunk;
      if (text.includes('\n')) resolve();
    });
  });
  if (!JSON.parse(text.split('\n', 1)[0]).result?.tools?.length) throw new Error(`no tools: ${text.slice(0, 300)}`);
  return { child };
}

export function renderCold(rows, options) {
  const title = `\nFrom the start of a process to its first answer, ten operations (median of ${options.rounds} alternating starts; aim: <= ${AIM_SECONDS.toFixed(2)} s)\n`;
  const head = ['', 'seconds', '+-', 'to the limit', 'ms CPU', 'MB'];
  const body = rows.map(({ label, seconds, cpuMs, residentMb: megabytes, spread }) => [
    label,
    fixed(seconds),
    percent(spread.seconds),
    `${fixed(seconds / rows[0].seconds)}x`,
    whole(cpuMs),
    whole(megabytes),
  ]);
  return title + renderTable(head, body);
}

export function figuresOfCold(rows) {
  return rows.slice(1).flatMap(({ label, seconds, cpuMs, residentMb: megabytes, spread }) => [
    { label, what: 'seconds', value: seconds, spread: spread.seconds, better: 'less' },
    { label, what: 'ms CPU', value: cpuMs, spread: spread.cpuMs, better: 'less' },
    { label, what: 'MB', value: megabytes, spread: spread.residentMb, better: 'less' },
  ]);
}
