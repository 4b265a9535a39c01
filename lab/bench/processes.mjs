// Starting, pinning, weighing and stopping the processes of a measurement. CPU and memory come from /proc, so on other
// systems than Linux only throughput is known.
import { spawn, spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { createServer, get } from 'node:http';
import { availableParallelism } from 'node:os';

export const hasTool = (name) => spawnSync(name, ['--version'], { stdio: 'ignore' }).error === undefined;
const canPin = availableParallelism() >= 2 && hasTool('taskset');

/** The gateway has a core of its own; load and upstream share the other. Undefined: not pinned. */
export const CORES = canPin ? { gateway: '0', load: '1' } : undefined;

export const pinned = (core, command) =>
  CORES === undefined || core === undefined ? command : ['taskset', '-c', CORES[core], ...command];

/** Starts a Node script. `errors` is a file descriptor or 'ignore'. */
export function startNode(args, options) {
  return startProgram([process.execPath, ...args], options);
}

export function startProgram(command, { core, env = {}, errors = 'ignore' } = {}) {
  const [program, ...rest] = pinned(core, command);
  const { PATH, HOME } = process.env;
  const child = spawn(program, rest, {
    env: { PATH, HOME, NODE_ENV: 'production', ...env },
    stdio: ['ignore', 'ignore', errors],
  });
  child.once('exit', (code, signal) => {
    child.ended = signal ?? code;
  });
  live.add(child);
  return child;
}

const live = new Set();

export async function stop(child) {
  live.delete(child);
  if (child.ended !== undefined) return;
  const gone = new Promise((resolve) => child.once('exit', resolve));
  child.kill('SIGTERM');
  const force = setTimeout(() => child.kill('SIGKILL'), 2_000);
  await gone;
  clearTimeout(force);
}

export const stopAll = () => Promise.all([...live].map(stop));

/** Repeats `attempt` until it succeeds, as long as the process lives. */
export async function waitFor(child, what, attempt, { limitMs = 120_000, lookMs = 20 } = {}) {
  const end = performance.now() + limitMs;
  for (;;) {
    try {
      return await attempt();
    } catch (error) {
      if (child.ended !== undefined) throw new Error(`${what} ended (${child.ended}) before it was ready`);
      if (performance.now() > end) throw new Error(`${what} is not ready: ${error.message}`);
    }
    await new Promise((resolve) => setTimeout(resolve, lookMs));
  }
}

export function freePort() {
  return new Promise((resolve, reject) => {
    const server = createServer().once('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const { port } = server.address();
      server.close(() => resolve(port));
    });
  });
}

export function fetchText(url) {
  return new Promise((resolve, reject) => {
    get(url, { agent: false }, (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (chunk) => {
        text += chunk;
      });
      response.on('end', () => resolve(text)).on('error', reject);
    }).on('error', reject);
  });
}

/** CPU time a process has used so far, all its threads together. */
export function cpuNs(pid) {
  try {
    let sum = 0;
    for (const thread of readdirSync(`/proc/${pid}/task`)) {
      sum += Number(readFileSync(`/proc/${pid}/task/${thread}/schedstat`, 'utf8').split(' ', 1)[0]);
    }
    return sum;
  } catch {
    return Number.NaN;
  }
}

/** Megabytes of memory a process has now, and the most it ever had. */
export const residentMb = (pid) => statusMb(pid, 'VmRSS');
export const peakMb = (pid) => statusMb(pid, 'VmHWM');

function statusMb(pid, field) {
  try {
    const status = readFileSync(`/proc/${pid}/status`, 'utf8');
    return Number(new RegExp(`${field}:\\s+(\\d+)`).exec(status)[1]) / 1024;
  } catch {
    return Number.NaN;
  }
}

/** CPU time of this process and of its children that have ended (the load generator). */
export function ownCpuNs() {
  try {
    const fields = readFileSync('/proc/self/stat', 'utf8').split(') ')[1].split(' ');
    return [11, 12, 13, 14].reduce((sum, at) => sum + Number(fields[at]), 0) * 1e7;
  } catch {
    return Number.NaN;
  }
}

/** CPU time everything on this machine has used so far. */
export function machineCpuNs() {
  try {
    const fields = readFileSync('/proc/stat', 'utf8').split('\n', 1)[0].split(/\s+/).slice(1).map(Number);
    const [user, nice, system, , , irq, softirq, steal] = fields;
    return (user + nice + system + irq + softirq + steal) * 1e7;
  } catch {
    return Number.NaN;
  }
}
