// Instructions per request, by the counters of the processor: they do not depend on what else the machine does. Virtual
// machines mostly have none; then there is one line that says so.
import { spawn, spawnSync } from 'node:child_process';
import { load } from './load.mjs';

const EVENT = 'instructions:u';
const ATTACH_MS = 300;

/** Why instructions cannot be counted here, or undefined where they can. */
export function whyNoCounters() {
  const { error, stderr } = spawnSync('perf', ['stat', '-x,', '-e', EVENT, 'true'], { encoding: 'utf8' });
  if (error !== undefined) return 'perf is not installed';
  const count = parseCount(stderr);
  if (count !== undefined) return undefined;
  return /<not supported>/.test(stderr) ? 'this machine has no such counter' : 'perf may not count here';
}

/** Instructions a request of this side takes. */
export async function countPerRequest({ pid, port, requests }, { seconds, connections }) {
  const perf = spawn('perf', ['stat', '-x,', '-e', EVENT, '-p', String(pid)], { stdio: ['ignore', 'ignore', 'pipe'] });
  let text = '';
  perf.stderr.setEncoding('utf8').on('data', (chunk) => {
    text += chunk;
  });
  const ended = new Promise((resolve) => perf.once('close', resolve));
  await new Promise((resolve) => setTimeout(resolve, ATTACH_MS));
  const run = await load(port, requests, { seconds, connections });
  perf.kill('SIGINT');
  await ended;
  return (parseCount(text) ?? Number.NaN) / run.requests;
}

/** From a line such as `123456,,instructions:u,…`. */
export function parseCount(text, event = EVENT) {
  const line = text.split('\n').find((one) => one.includes(`,${event}`));
  const count = Number(line?.split(',', 1)[0]);
  return Number.isFinite(count) && line !== undefined ? count : undefined;
}
