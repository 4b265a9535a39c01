// What the runs came to, for people: a table, then every failure and warning by name, then one line of counts.
import type { Check, RunResult, Scenario } from './suite.ts';

const HEADINGS = ['run', 'required', 'further', 'checks', 'warnings', 'not offered', 'seconds'];

export interface Verdict {
  readonly text: string;
  readonly failed: number;
}

export function buildReport(results: readonly RunResult[], internalErrors: readonly string[]): Verdict {
  const scored = results.flatMap(({ scenarios }) => scenarios.filter(isScored));
  const passed = scored.filter((scenario) => scenario.passed).length;
  const problems = [
    ...results.flatMap(({ run, problems }) => problems.map((problem) => `${run.name}: ${problem}`)),
    ...internalErrors.map((error) => `the gateway had an internal error: ${error}`),
  ];
  const failed = scored.length - passed + problems.length;
  const lines = [
    ...table([HEADINGS, ...results.map(toRow)]),
    '',
    ...results.flatMap((result) => details(result, 'FAILURE')),
    ...results.flatMap((result) => details(result, 'WARNING')),
    ...problems.map((problem) => `FAILURE ${problem}`),
    ...notOffered(results),
    `${passed} passed, ${failed} failed`,
  ];
  return { text: lines.join('\n'), failed };
}

/** Extensions of MCP are optional, and the gateway does not claim any. */
function isScored({ kind }: Scenario): boolean {
  return kind !== 'extension';
}

function toRow({ run, scenarios, seconds }: RunResult): string[] {
  const checks = scenarios.filter(isScored).flatMap((scenario) => scenario.checks);
  const share = (kind: Scenario['kind']) => {
    const some = scenarios.filter((scenario) => scenario.kind === kind);
    return some.length === 0 ? '-' : `${some.filter(({ passed }) => passed).length}/${some.length}`;
  };
  const judged = count(checks, 'SUCCESS') + count(checks, 'FAILURE');
  return [
    run.name,
    share('required'),
    share('further'),
    `${count(checks, 'SUCCESS')}/${judged}`,
    String(count(checks, 'WARNING')),
    String(scenarios.filter((scenario) => !isScored(scenario)).length),
    seconds.toFixed(1),
  ];
}

function count(checks: readonly Check[], status: Check['status']): number {
  return checks.filter((check) => check.status === status).length;
}

function table(rows: readonly (readonly string[])[]): string[] {
  const widths = HEADINGS.map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  const lines = rows.map((row) =>
    row
      .map((cell, column) => (column === 0 ? cell.padEnd(widths[column]!) : cell.padStart(widths[column]!)))
      .join('  ')
      .trimEnd(),
  );
  lines.splice(1, 0, widths.map((width) => '-'.repeat(width)).join('  '));
  return lines;
}

function details({ run, scenarios }: RunResult, status: Check['status']): string[] {
  return scenarios
    .filter(isScored)
    .flatMap(({ name, checks, passed }) => [
      ...checks
        .filter((check) => check.status === status)
        .map(({ id, errorMessage }) => `${status} ${run.name} ${name} ${id}: ${errorMessage ?? 'no message'}`),
      ...(status === 'FAILURE' && !passed && checks.length === 0 ? [`FAILURE ${run.name} ${name}: no checks ran`] : []),
    ]);
}

function notOffered(results: readonly RunResult[]): string[] {
  const names = new Set(
    results.flatMap(({ scenarios }) => scenarios.filter((scenario) => !isScored(scenario)).map(({ name }) => name)),
  );
  return names.size === 0 ? [] : [`Optional extensions the gateway does not offer: ${[...names].join(', ')}`, ''];
}
