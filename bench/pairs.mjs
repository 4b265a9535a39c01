// Interleaved pairs: every sample of one server is taken right next to a sample of the server it is compared with, in
// alternating order. The quieter half of the pairs is kept, and the median of their ratios is the result. On a busy
// machine that is the only kind of number worth anything.
import { load } from './load.mjs';
import { cpuNs, fetchText, machineCpuNs, ownCpuNs } from './processes.mjs';

const WARM_REQUESTS = 30_000;
const MAX_WARM_SECONDS = 8;

/**
 * `pairs`: [{ label, ours, base }], each side { port, pid, requests }. `upstream`: { port, pid }.
 * Resolves with one row per pair; ratios are ours to base, and above 1 is better than the base.
 */
export async function measurePairs(pairs, upstream, { rounds, seconds, connections, onRound }) {
  const count = async () => Number(await fetchText(`http://127.0.0.1:${upstream.port}/__count`));

  const sample = async ({ port, pid, requests }) => {
    const asked = await count();
    const before = { us: cpuNs(pid), upstream: cpuNs(upstream.pid), own: ownCpuNs(), machine: machineCpuNs() };
    const startedAt = performance.now();
    const run = await load(port, requests, { seconds, connections });
    const wallNs = (performance.now() - startedAt) * 1e6;
    const used = cpuNs(pid) - before.us;
    const ours = used + cpuNs(upstream.pid) - before.upstream + ownCpuNs() - before.own;
    return {
      rps: run.requests / run.seconds,
      cpuUs: used / 1e3 / run.requests,
      // What the rest of the machine did meanwhile, in cores.
      foreign: Math.max(0, machineCpuNs() - before.machine - ours) / wallNs,
      p99: run.p99,
      errors: run.errors + (requests[0].reachesUpstream && (await count()) - asked < run.requests * 0.98 ? 1 : 0),
    };
  };

  for (const { ours, base } of pairs) {
    for (const { port, requests } of [base, ours]) {
      // Until the compiler has settled, or a slow machine has had its time.
      let warm = 0;
      for (let second = 0; second < MAX_WARM_SECONDS && warm < WARM_REQUESTS; second++) {
        warm += (await load(port, requests, { seconds: 1, connections })).requests;
      }
    }
  }
  const taken = pairs.map(() => []);
  for (let round = 0; round < rounds; round++) {
    for (const [index, { ours, base }] of pairs.entries()) {
      const first = await sample(round % 2 === 0 ? base : ours);
      const second = await sample(round % 2 === 0 ? ours : base);
      taken[index].push(round % 2 === 0 ? { base: first, ours: second } : { ours: first, base: second });
    }
    onRound?.(round + 1);
  }
  return pairs.map(({ label }, index) => summarise(label, taken[index]));
}

function summarise(label, taken) {
  const noise = ({ ours, base }) => ours.foreign + base.foreign || 0;
  const quiet = [...taken].sort((a, b) => noise(a) - noise(b)).slice(0, Math.max(3, Math.ceil(taken.length / 2)));
  const middle = (of) => median(quiet.map(of));
  const least = (of) => Math.min(...taken.map(of));
  return {
    label,
    throughput: middle(({ ours, base }) => ours.rps / base.rps),
    cpu: middle(({ ours, base }) => base.cpuUs / ours.cpuUs),
    // The cheapest sample of each: what other programs do to a sample only ever makes it dearer.
    best: least(({ base }) => base.cpuUs) / least(({ ours }) => ours.cpuUs),
    rps: middle(({ ours }) => ours.rps),
    baseRps: middle(({ base }) => base.rps),
    cpuUs: middle(({ ours }) => ours.cpuUs),
    baseCpuUs: middle(({ base }) => base.cpuUs),
    p99: middle(({ ours }) => ours.p99),
    noise: middle(noise) / 2,
    errors: taken.reduce((sum, { ours, base }) => sum + ours.errors + base.errors, 0),
  };
}

export function median(values) {
  const sorted = values.filter((value) => !Number.isNaN(value)).sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  if (sorted.length === 0) return Number.NaN;
  return sorted.length % 2 === 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
}

/** How far values lie from their middle, as a share of it: half of the way from the least to the greatest. */
export function spreadOf(values) {
  const known = values.filter((value) => !Number.isNaN(value));
  return known.length < 2 ? Number.NaN : (Math.max(...known) - Math.min(...known)) / 2 / Math.abs(median(known));
}
