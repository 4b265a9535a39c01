// A client that only waits: a process of its own that asks /healthz every ten milliseconds on a connection of its own
// and notes the longest wait. Where Linux tells it (/proc/<pid>/schedstat), time in which the machine gave the gateway or
// this process no processor is taken off, but never what the gateway's own thread worked in the meantime: a busy machine
// is not taken for a stalled gateway, nor the other way round.
import { readFileSync } from 'node:fs';
import { Agent, request } from 'node:http';

const [, , healthz, pid] = process.argv;
const agent = new Agent({ keepAlive: true, maxSockets: 1 });
const INTERVAL_MS = 10;

/** Milliseconds a process' main thread worked, and stood ready without a processor. */
function readSchedule(id) {
  try {
    const [workNs, queueNs] = readFileSync(`/proc/${id}/task/${id}/schedstat`, 'utf8').split(' ');
    return { workMs: Number(workNs) / 1e6, queueMs: Number(queueNs) / 1e6 };
  } catch {
    return { workMs: Number.NaN, queueMs: 0 };
  }
}

function readRssMb() {
  try {
    const kilobytes = /^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
    return Number(kilobytes ?? 0) / 1024;
  } catch {
    return 0;
  }
}

function readClocks() {
  const gateway = readSchedule(pid);
  return {
    now: performance.now(),
    workMs: gateway.workMs,
    queueMs: gateway.queueMs + readSchedule(process.pid).queueMs,
  };
}

let figures = { worstMs: 0, worstWallMs: 0, peakRssMb: 0, polls: 0, refused: 0 };
let pending;

function note() {
  if (!pending) return;
  const clocks = readClocks();
  const wallMs = clocks.now - pending.now;
  const workMs = clocks.workMs - pending.workMs;
  const unqueuedMs = wallMs - (clocks.queueMs - pending.queueMs);
  const heldMs = Number.isNaN(workMs) ? wallMs : Math.min(wallMs, Math.max(unqueuedMs, workMs));
  figures.worstMs = Math.max(figures.worstMs, heldMs);
  figures.worstWallMs = Math.max(figures.worstWallMs, wallMs);
}

function poll() {
  pending = readClocks();
  const done = (refused) => {
    if (!pending) return;
    note();
    pending = undefined;
    figures.polls++;
    if (refused) figures.refused++;
    setTimeout(poll, INTERVAL_MS);
  };
  const asking = request(healthz, { agent }, (response) => {
    response.resume();
    response.once('end', () => done(response.statusCode !== 200));
    response.once('error', () => done(true));
  });
  asking.once('error', () => done(true));
  asking.end();
}

setInterval(() => {
  figures.peakRssMb = Math.max(figures.peakRssMb, readRssMb());
}, 20);

process.on('message', (word) => {
  if (word === 'start') {
    figures = { worstMs: 0, worstWallMs: 0, peakRssMb: readRssMb(), polls: 0, refused: 0 };
    // A wait that began before belongs to what came before.
    if (pending) pending = readClocks();
    process.send({ started: true, rssMb: readRssMb() });
  } else {
    note();
    process.send({ ...figures, rssMb: readRssMb(), waiting: pending !== undefined });
  }
});
process.once('disconnect', () => process.exit(0));
poll();
