// The end of a test run: every test that passed only when it was repeated, by name, and a line that counts. A test that
// needs a second try has a fault; a few may be a hiccup of a shared machine, more of them fail the run.
import type { Reporter, TestCase, TestModule, Vitest } from 'vitest/node';

export const MOST_REPEATED = 2;

export class ClosingReporter implements Reporter {
  private vitest: Vitest | undefined;

  onInit(vitest: Vitest): void {
    this.vitest = vitest;
  }

  onTestRunEnd(modules: readonly TestModule[], unhandledErrors: readonly unknown[]): void {
    const tests = modules.flatMap((module) => [...module.children.allTests()]);
    const repeated = tests.filter((test) => test.diagnostic()?.flaky);
    const say = (line: string) => this.vitest?.logger.log(line);
    if (repeated.length > 0) {
      say(`\nPassed only when repeated: ${repeated.length}`);
      for (const test of repeated) say(`  ${test.module.relativeModuleId} > ${test.fullName}`);
    }
    if (repeated.length > MOST_REPEATED) {
      say(`More than ${MOST_REPEATED} tests needed a second try: the run fails. Repair them.`);
      process.exitCode = 1;
    }
    say(`\n${countTests(tests, countBroken(modules) + unhandledErrors.length)}`);
  }
}

/** Files and suites that failed outside any test: an import, a hook. */
function countBroken(modules: readonly TestModule[]): number {
  return modules
    .flatMap((module) => [module, ...module.children.allSuites()])
    .filter((suite) => suite.errors().length > 0).length;
}

function countTests(tests: readonly TestCase[], broken: number): string {
  const count = (state: string) => tests.filter((test) => test.result().state === state).length;
  const skipped = count('skipped') + count('pending');
  return `${count('passed')} passed, ${count('failed') + broken} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`;
}
