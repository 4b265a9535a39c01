import { describe, expect, test } from 'vitest';
import { buildReport } from './report.ts';
import type { Check, RunResult, Scenario } from './suite.ts';

const RUN = { name: 'some-run', args: [], required: 1 };

function scenario(name: string, kind: Scenario['kind'], ...statuses: Check['status'][]): Scenario {
  const checks = statuses.map((status) => ({ id: `${name}-check`, status, errorMessage: `${status} message` }));
  return { name, kind, checks, passed: statuses.length > 0 && !statuses.includes('FAILURE') };
}

function report(scenarios: Scenario[], problems: string[] = [], internal: string[] = []) {
  const result: RunResult = { run: RUN, scenarios, problems, seconds: 1.25 };
  const { text, failed } = buildReport([result], internal);
  return { lines: text.split('\n'), failed };
}

describe('the conformance report', () => {
  test('ends in a plain line of counts', () => {
    const { lines, failed } = report([
      scenario('ping', 'required', 'SUCCESS', 'INFO'),
      scenario('schema', 'further', 'SUCCESS'),
      scenario('tasks', 'extension', 'FAILURE'),
    ]);
    expect(failed).toBe(0);
    expect(lines).toEqual([
      'run       required  further  checks  warnings  not offered  seconds',
      '--------  --------  -------  ------  --------  -----------  -------',
      'some-run       1/1      1/1     2/2         0            1      1.3',
      '',
      'Optional extensions the gateway does not offer: tasks',
      '',
      '2 passed, 0 failed',
    ]);
  });

  test('names every failure and warning', () => {
    const { lines, failed } = report([
      scenario('ping', 'required', 'SUCCESS', 'FAILURE'),
      scenario('list', 'required', 'WARNING'),
      scenario('empty', 'further'),
    ]);
    expect(failed).toBe(2);
    expect(lines.slice(4)).toEqual([
      'FAILURE some-run ping ping-check: FAILURE message',
      'FAILURE some-run empty: no checks ran',
      'WARNING some-run list list-check: WARNING message',
      '1 passed, 2 failed',
    ]);
  });

  test('fails for a run that tested too little, and for a gateway with internal errors', () => {
    const { lines, failed } = report([scenario('ping', 'required', 'SUCCESS')], ['0 required ran'], ['boom']);
    expect(failed).toBe(2);
    expect(lines.slice(4)).toEqual([
      'FAILURE some-run: 0 required ran',
      'FAILURE the gateway had an internal error: boom',
      '1 passed, 2 failed',
    ]);
  });
});
