// npm run chaos: two replicas behind a real nginx on a real Redis, under the constant load of the official clients, while things
// break one after the other. Exit code 1 where anything is not as it should be.
//   npm run chaos -- --quick            what CI runs, in about three minutes
//   npm run chaos -- --only kill,redis  scenarios whose names hold one of these
//   npm run chaos -- --seconds 30       how long each of them lasts, about (default 10, quick 4)
//   npm run chaos -- --workers 1        processes of a replica (default 2)
//   npm run chaos -- --json
import { parseArgs } from 'node:util';
import { HAS_REDIS } from '../../test/support/redis.ts';
import { checkAudit, checkLogs, checkWrites } from './accounts.ts';
import { describeCall } from './ledger.ts';
import { HAS_NGINX } from './nginx.ts';
import { killLeft, noteChildren } from './processes.ts';
import type { Check, Findings, Scenario } from './scenario.ts';
import { SCENARIOS } from './scenarios/all.ts';
import { Stage } from './stage.ts';
import { compareWeights } from './weights.ts';

interface Verdict {
  readonly scenario: string;
  readonly calls: number;
  readonly failed: number;
  readonly refused: number;
  readonly inFlight: string;
  readonly checks: readonly Check[];
  readonly skipped?: string;
  readonly ok: boolean;
}

const { values } = parseArgs({
  options: {
    quick: { type: 'boolean', default: false },
    only: { type: 'string', default: '' },
    seconds: { type: 'string' },
    workers: { type: 'string', default: '2' },
    json: { type: 'boolean', default: false },
  },
});
const seconds = Number(values.seconds ?? (values.quick ? 4 : 10));
const chosen = SCENARIOS.filter(({ id }) => values.only.split(',').some((word) => id.includes(word)));
const SHOWN_CALLS = 5;

for (const program of [HAS_NGINX ? '' : 'nginx', HAS_REDIS ? '' : 'redis-server'].filter(Boolean)) {
  console.log(`SKIPPED ${program} is not installed: nothing was shown.`);
  process.exit(0);
}
if (chosen.length === 0) {
  console.error(`No scenario is called "${values.only}": there are ${SCENARIOS.map(({ id }) => id).join(', ')}.`);
  process.exit(2);
}
const verdicts: Verdict[] = [];
process.once('exit', killLeft);
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1));
// Every wait of a scenario has an end; this is for the mistake that nobody thought of.
const tooLong = setTimeout(
  () => {
    console.error('FAILED the run takes too long, and is ended');
    process.exit(1);
  },
  (180 + chosen.length * (120 + 4 * seconds)) * 1_000,
);
tooLong.unref();
const stage = await Stage.open({ workers: Number(values.workers), drainSeconds: values.quick ? 2 : 5 });
process.once('exit', () => stage.abandon());
const looking = setInterval(noteChildren, 250);
try {
  stage.load.start();
  await stage.load.untilAllIsWell();
  for (const scenario of chosen) show(await play(scenario));
  show(await account());
} finally {
  clearInterval(looking);
  await stage.close();
}
const failures = verdicts.filter(({ ok }) => !ok).length;
const skips = verdicts.filter(({ skipped }) => skipped !== undefined).length;
if (values.json) console.log(JSON.stringify({ failures, skips, verdicts }, null, 2));
else console.log(`\n${verdicts.length} rows, ${failures} FAILED${skips > 0 ? `, ${skips} skipped` : ''}.`);
process.exit(failures > 0 ? 1 : 0);

async function play(scenario: Scenario): Promise<Verdict> {
  const { title } = scenario;
  const skipped = scenario.missing?.(stage);
  if (skipped !== undefined)
    return { scenario: title, calls: 0, failed: 0, refused: 0, inFlight: '', checks: [], skipped, ok: true };
  await stage.load.pause();
  const before = await stage.weigh();
  stage.load.start();
  const from = performance.now();
  const quiet = stage.nginx.errors().length;
  const findings = await scenario
    .run(stage, seconds)
    .then(async (found) => {
      await stage.load.untilAllIsWell();
      return found;
    })
    .catch(
      (error: Error): Findings => ({ checks: [{ what: 'it ran to its end', ok: false, detail: error.stack ?? '' }] }),
    );
  await stage.load.pause();
  const { mayFail = () => false, mayBeRefused = () => false, inFlight = '' } = findings;
  const calls = stage.ledger.since(from);
  const failed = calls.filter(({ outcome }) => outcome === 'failed');
  const refused = calls.filter(({ outcome }) => outcome === 'refused');
  const bad = [...failed.filter((call) => !mayFail(call)), ...refused.filter((call) => !mayBeRefused(call))];
  // What nginx thinks of it: a connection that was closed under a request is told apart from one that was refused.
  const complaints = bad.length === 0 ? [] : stage.nginx.errors().slice(quiet).trim().split('\n').slice(-SHOWN_CALLS);
  const checks: Check[] = [
    {
      what: 'every other call was answered',
      ok: bad.length === 0 && calls.length > 0,
      detail:
        bad.length === 0
          ? ''
          : [`${bad.length} were not:`, ...bad.slice(0, SHOWN_CALLS).map(describeCall), ...complaints].join('\n'),
    },
    ...findings.checks,
    ...compareWeights(before, await stage.weigh()),
  ];
  const ok = checks.every((check) => check.ok);
  return { scenario: title, calls: calls.length, failed: failed.length, refused: refused.length, inFlight, checks, ok };
}

/** When all is over. */
async function account(): Promise<Verdict> {
  await stage.load.pause();
  const codes = await stage.stop();
  const left = stage.left();
  const { calls } = stage.ledger;
  const checks: Check[] = [
    { what: 'all ended with 0', ok: codes.every((code) => code === 0), detail: codes.join(', ') },
    ...checkWrites(stage),
    ...(await checkAudit(stage)),
    ...checkLogs(stage),
    { what: 'no process is left', ok: left.length === 0, detail: left.join(', ') },
  ];
  return {
    scenario: 'afterwards',
    calls: calls.length,
    failed: calls.filter(({ outcome }) => outcome === 'failed').length,
    refused: calls.filter(({ outcome }) => outcome === 'refused').length,
    inFlight: '',
    checks,
    ok: checks.every((check) => check.ok),
  };
}

function show(verdict: Verdict): void {
  if (verdicts.length === 0 && !values.json)
    console.log(
      `${'scenario'.padEnd(46)}${'calls'.padStart(8)}${'failed'.padStart(8)}${'refused'.padStart(9)}  in flight at the kill`,
    );
  verdicts.push(verdict);
  if (values.json) return;
  const { scenario, calls, failed, refused, inFlight, checks, skipped, ok } = verdict;
  if (skipped !== undefined) {
    console.log(`${scenario.padEnd(46)} SKIPPED: ${skipped}`);
    return;
  }
  const figures = [calls, failed, refused].map((count, at) => String(count).padStart(at === 2 ? 9 : 8)).join('');
  console.log(`${scenario.padEnd(46)}${figures}  ${inFlight.padEnd(48)} ${ok ? 'ok' : 'FAILED'}`);
  for (const check of checks)
    console.log(
      `    ${check.ok ? 'ok    ' : 'FAILED'} ${check.what}${check.detail ? `: ${check.detail.replaceAll('\n', '\n             ')}` : ''}`,
    );
}
