// npm run attack [-- --only <pattern>] [--json]: every case against a real gateway, as a table. Exit code 1 when one fails.
import { parseArgs } from 'node:util';
import { CASES } from './cases/all.ts';
import { createRunner, type Verdict } from './runner.ts';

const { values } = parseArgs({
  options: { only: { type: 'string' }, json: { type: 'boolean', default: false } },
});
const pattern = values.only?.toLowerCase() ?? '';
// A single letter is a part of the table, anything else a piece of a name.
const chosen = CASES.filter(({ part, id }) =>
  /^[abcd]$/.test(pattern) ? part.toLowerCase() === pattern : id.toLowerCase().includes(pattern),
);
const runner = await createRunner({ stallMs: 100, growthMb: 300 });
const verdicts: Verdict[] = [];

const cell = (text: unknown, width: number) => String(text).padStart(width);
if (!values.json) {
  console.log(`${'case'.padEnd(72)} verdict  worst stall ms (wall)   RSS MB before peak after`);
}
for (const one of chosen) {
  const verdict = await runner.run(one);
  verdicts.push(verdict);
  if (values.json) continue;
  const { part, id, ok, reason, stallMs, stallWallMs, rssBeforeMb, rssPeakMb, rssAfterMb } = verdict;
  const figures =
    rssBeforeMb === 0
      ? ''
      : `${cell(stallMs, 15)} ${cell(`(${stallWallMs})`, 8)} ${cell(rssBeforeMb, 13)} ${cell(rssPeakMb, 4)} ${cell(rssAfterMb, 5)}`;
  console.log(`${`${part} ${id}`.padEnd(72)} ${ok ? 'held   ' : 'FAILED '} ${figures}${ok ? '' : `\n    ${reason}`}`);
}
await runner.close();
const failed = verdicts.filter(({ ok }) => !ok);
if (values.json) console.log(JSON.stringify({ cases: verdicts.length, failed: failed.length, verdicts }, null, 2));
else console.log(`${verdicts.length} cases, ${failed.length} failed`);
process.exit(failed.length > 0 ? 1 : 0);
