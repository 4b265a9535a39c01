// npm run conformance: a gateway with the suite's fixtures, the official suite against it, and a summary.
//   npm run conformance -- --verbose     shows what the suite prints
//   npm run conformance -- 2026-07-28    only runs with this in their name
import { startGateway } from './fixtures/gateway.ts';
import { installSuite } from './install.ts';
import { buildReport } from './report.ts';
import { type Run, type RunResult, runSuite } from './suite.ts';

const RUNS: readonly Run[] = [
  requirementsOf('2026-07-28', 37),
  requirementsOf('2025-11-25', 30),
  // These two have no frozen list: everything the suite has for them is required. 2025-03-26 is a single scenario.
  suiteOf('2025-06-18', 27),
  suiteOf('2025-03-26', 1),
];

function requirementsOf(revision: string, required: number): Run {
  return { name: `${revision}-requirements`, args: ['--requirements', revision], revision, required };
}

function suiteOf(version: string, required: number): Run {
  return { name: `${version}-suite`, args: ['--suite', 'all', '--spec-version', version], required };
}

const words = process.argv.slice(2);
const verbose = words.includes('--verbose');
const wanted = words.filter((word) => !word.startsWith('-'));
const runs = RUNS.filter(({ name }) => wanted.length === 0 || wanted.some((word) => name.includes(word)));
if (runs.length === 0) {
  console.error(`No run has ${wanted.join(' or ')} in its name. Runs: ${RUNS.map(({ name }) => name).join(', ')}.`);
  process.exit(2);
}

const say = (line: string) => console.error(line);
const suite = await installSuite(say);
const internalErrors: string[] = [];
const underTest = await startGateway((error) => internalErrors.push(error));
const results: RunResult[] = [];
try {
  say(`Gateway on Node ${process.versions.node} at ${underTest.url}`);
  for (const run of runs) {
    say(`Running ${run.name}…`);
    results.push(await runSuite(suite, underTest.url, run, verbose));
  }
} finally {
  await underTest.close();
}
const { text, failed } = buildReport(results, internalErrors);
console.log(text);
process.exitCode = failed === 0 ? 0 : 1;
