// npm run fuzz -- --runs 1000000 --seed N [--from INDEX] [--limit MS] [--jobs N] [--json]. Exit code 1 when an input fails.
// The inputs are split over as many processes as there are cores; which input is which does not depend on how many.
import { spawn } from 'node:child_process';
import { createRequire } from 'node:module';
import { availableParallelism } from 'node:os';
import { dirname, join } from 'node:path';
import { parseArgs } from 'node:util';
import { BLOCK, type FuzzReport, fuzz } from './fuzz.ts';

const { values } = parseArgs({
  options: {
    runs: { type: 'string', default: '100000' },
    seed: { type: 'string', default: String(Date.now() % 1_000_000) },
    from: { type: 'string', default: '0' },
    limit: { type: 'string', default: '100' },
    jobs: { type: 'string', default: String(availableParallelism()) },
    json: { type: 'boolean', default: false },
  },
});
const seed = Number(values.seed);
const from = Number(values.from);
const runs = Number(values.runs);
const PROGRESS = 20_000;
/** What runs this file: Node 20 does not read TypeScript by itself. */
const JITI = join(dirname(createRequire(import.meta.url).resolve('jiti')), 'jiti-cli.mjs');

function runHere(): Promise<FuzzReport> {
  return fuzz({
    runs,
    seed,
    from,
    limitMs: Number(values.limit),
    watchdogMs: 10_000,
    onProgress: (done, perSecond) => {
      if (done % PROGRESS === 0) console.error(`${done} inputs from ${from}, ${Math.round(perSecond)}/s`);
    },
  });
}

/** A part of the inputs, in a process of its own; one that dies says on stderr at which input. */
function runBeside(first: number, count: number): Promise<FuzzReport> {
  const args = ['--from', String(first), '--runs', String(count), '--seed', String(seed), '--limit', values.limit];
  const child = spawn(process.execPath, [JITI, import.meta.filename, ...args, '--jobs', '1', '--json'], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let text = '';
  child.stdout.on('data', (chunk: Buffer) => {
    text += chunk.toString();
  });
  return new Promise((resolve) => {
    child.once('close', (_code, signal) => {
      try {
        resolve(JSON.parse(text) as FuzzReport);
      } catch {
        const reason = `the process of ${count} inputs from ${first} died (${signal ?? 'no report'})`;
        resolve({ runs: 0, perSecond: 0, findings: [{ index: first, reason, input: '' }], slowest: [] });
      }
    });
  });
}

async function runAll(): Promise<FuzzReport> {
  const share = Math.ceil(runs / Number(values.jobs) / BLOCK) * BLOCK;
  if (share >= runs) return runHere();
  const starts = Array.from({ length: Math.ceil(runs / share) }, (_, job) => from + job * share);
  const reports = await Promise.all(starts.map((start) => runBeside(start, Math.min(share, from + runs - start))));
  const sum = (part: (report: FuzzReport) => number) => reports.reduce((total, report) => total + part(report), 0);
  return {
    runs: sum((report) => report.runs),
    perSecond: sum((report) => report.perSecond),
    findings: reports.flatMap(({ findings }) => findings),
    slowest: reports
      .flatMap(({ slowest }) => slowest)
      .sort((left, right) => right.holdMs - left.holdMs)
      .slice(0, 10),
  };
}

const report = await runAll();
if (values.json) console.log(JSON.stringify({ seed, ...report }, null, 2));
else {
  console.log(`seed ${seed}: ${report.runs} inputs, ${report.perSecond}/s, ${report.findings.length} findings`);
  console.log('slowest (repeat one with --seed, --from and --runs 1):');
  for (const { index, holdMs, input } of report.slowest)
    console.log(`  ${holdMs.toFixed(1).padStart(8)} ms  #${index}  ${JSON.stringify(input).slice(0, 140)}`);
  for (const { index, reason, input } of report.findings)
    console.log(`FAILED #${index}: ${reason}\n  ${JSON.stringify(input).slice(0, 240)}`);
}
process.exit(report.findings.length > 0 ? 1 : 0);
