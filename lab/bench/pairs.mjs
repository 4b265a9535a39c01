// Interleaved samples: every sample of one server is taken right next to a sample of the server it is compared with, in
// alternating order. The quieter half of the rounds is kept, and the median of their ratios is the result. On a busy
// machine that is the only kind of number worth anything.
import { load } from './load.mjs';
import { cpuNs, fetchText, machineCpuNs, ownCpuNs, residentMb } from './processes.mjs';

/** V8 goes on optimising for tens of thousands of requests: a call of the gateway costs 3 times as much among its first 3,000 as among its 30,000th. */
const WARM_REQUESTS = 20_000;
const MAX_WARM_SECONDS = 5;

/**
 * `pairs`: [{ label, ours, base, others }], each side { port, pid, requests }, or with a `load` of its own; `others` are more
 * sides by name. Pairs with the same base are measured together, and it only once a round. `upstream`: { port, pid }.
 * Resolves with one row per pair; ratios are ours to base, and above 1 is better than the base (of `p99Ratio`, below).
 */
export async function measurePairs(pairs, upstream, { rounds, seconds, connections, onRound }) {
  const sample = createSampler(upstream, { seconds, connections });
  const rows = pairs.map(({ label, ours, base, others = {} }) => ({
    label,
    sides: { base, ours, ...others },
    taken: [],
  }));
  const groups = [...new Set(pairs.map(({ base }) => base))].map((base) =>
    rows.filter(({ sides }) => sides.base === base),
  );
  for (const group of groups) for (const side of sidesOf(group)) await warmUp(side, { seconds, connections });
  for (let round = 0; round < rounds; round++) {
    for (const group of groups) {
      const samples = new Map();
      // Who comes first in one round comes last in the next.
      const inTurn = round % 2 === 0 ? sidesOf(group) : sidesOf(group).reverse();
      for (const side of inTurn) samples.set(side, await sample(side));
      for (const { sides, taken } of group) {
        taken.push(Object.fromEntries(Object.entries(sides).map(([name, side]) => [name, samples.get(side)])));
      }
    }
    onRound?.(round + 1);
  }
  return rows.map(({ label, taken }) => summarise(label, taken));
}

const sidesOf = (group) => [...new Set(group.flatMap(({ sides }) => Object.values(sides)))];

const loadOn = (side, settings) => (side.load ?? ((how) => load(side.port, side.requests, how)))(settings);

/** Until the compiler has settled, or a slow machine has had its time. */
async function warmUp(side, { seconds, connections }) {
  const piece = Math.min(1, seconds);
  let warm = 0;
  for (let past = 0; past < MAX_WARM_SECONDS * piece && warm < WARM_REQUESTS * piece; past += piece) {
    warm += (await loadOn(side, { seconds: piece, connections })).requests;
  }
}

function createSampler(upstream, settings) {
  const count = async () => Number(await fetchText(`http://127.0.0.1:${upstream.port}/__count`));
  return async (side) => {
    const { pid, reachesUpstream } = side;
    const asked = await count();
    const before = { us: cpuNs(pid), upstream: cpuNs(upstream.pid), own: ownCpuNs(), machine: machineCpuNs() };
    const startedAt = performance.now();
    const run = await loadOn(side, settings);
    const wallNs = (performance.now() - startedAt) * 1e6;
    const used = cpuNs(pid) - before.us;
    const ours = used + cpuNs(upstream.pid) - before.upstream + ownCpuNs() - before.own + (run.clientCpuNs ?? 0);
    const isSkipping = reachesUpstream && (await count()) - asked < run.requests * 0.98;
    return {
      rps: run.requests / run.seconds,
      cpuUs: used / 1e3 / run.requests,
      // What the rest of the machine did meanwhile, in cores.
      foreign: Math.max(0, machineCpuNs() - before.machine - ours) / wallNs,
      p50: run.p50,
      p99: run.p99,
      residentMb: residentMb(pid),
      errors: run.errors + (isSkipping ? 1 : 0),
    };
  };
}

function summarise(label, taken) {
  const noise = ({ ours, base }) => ours.foreign + base.foreign || 0;
  const quiet = [...taken].sort((a, b) => noise(a) - noise(b)).slice(0, Math.max(3, Math.ceil(taken.length / 2)));
  const compare = (name) => compareSides(taken, quiet, name);
  const { ours: _, base: __, ...others } = taken[0];
  return {
    label,
    ...compare('ours'),
    others: Object.fromEntries(Object.keys(others).map((name) => [name, compare(name)])),
    noise: median(quiet.map(noise)) / 2,
    errors: taken.flatMap((samples) => Object.values(samples)).reduce((sum, { errors }) => sum + errors, 0),
  };
}

function compareSides(taken, quiet, name) {
  const middle = (of) => median(quiet.map(of));
  const least = (of) => Math.min(...taken.map(of));
  const ratios = {
    throughput: (samples) => samples[name].rps / samples.base.rps,
    cpu: (samples) => samples.base.cpuUs / samples[name].cpuUs,
    p99Ratio: (samples) => samples[name].p99 / samples.base.p99,
  };
  const each = (of) => Object.fromEntries(Object.entries(ratios).map(([key, ratio]) => [key, of(quiet.map(ratio))]));
  return {
    ...each(median),
    spread: each(spreadOf),
    // The cheapest sample of each: what other programs do to a sample only ever makes it dearer.
    best: least(({ base }) => base.cpuUs) / least((samples) => samples[name].cpuUs),
    rps: middle((samples) => samples[name].rps),
    baseRps: middle(({ base }) => base.rps),
    cpuUs: middle((samples) => samples[name].cpuUs),
    baseCpuUs: middle(({ base }) => base.cpuUs),
    p50: middle((samples) => samples[name].p50),
    p99: middle((samples) => samples[name].p99),
    baseP99: middle(({ base }) => base.p99),
    residentMb: middle((samples) => samples[name].residentMb),
    baseResidentMb: middle(({ base }) => base.residentMb),
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
