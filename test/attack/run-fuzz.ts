// npm run fuzz -- --runs 1000000 --seed N [--from INDEX] [--limit MS] [--json]. Exit code 1 when an input fails.
import { parseArgs } from 'node:util';
import { fuzz } from './fuzz.ts';

const { values } = parseArgs({
  options: {
    runs: { type: 'string', default: '100000' },
    seed: { type: 'string', default: String(Date.now() % 1_000_000) },
    from: { type: 'string', default: '0' },
    limit: { type: 'string', default: '100' },
    json: { type: 'boolean', default: false },
  },
});
const seed = Number(values.seed);
const report = await fuzz({
  runs: Number(values.runs),
  seed,
  from: Number(values.from),
  limitMs: Number(values.limit),
  watchdogMs: 10_000,
  onProgress: (done, perSecond) => {
    if (!values.json && done % 20_000 === 0) console.error(`${done} inputs, ${Math.round(perSecond)}/s`);
  },
});
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
