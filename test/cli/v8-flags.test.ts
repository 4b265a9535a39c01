import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { describe, expect, test, vi } from 'vitest';
import { limitHeapGrowth, optimizeAsUsual, optimizeLate } from '../../src/cli/v8-flags.ts';

const run = promisify(execFile);

function flagsSetBy(act: typeof optimizeLate, nodeVersion: string, execArgv: readonly string[] = []): string[] {
  const setFlags = vi.fn();
  act({ nodeVersion, execArgv, setFlags });
  return setFlags.mock.calls.flat();
}

describe('functions are optimised late during the start', () => {
  test.each([
    ['20.18.0', '--interrupt-budget=300000', '--interrupt-budget=67584'],
    ['22.23.3', '--invocation-count-for-turbofan=15000', '--invocation-count-for-turbofan=3000'],
  ])('by the flag that Node.js %s has', (version, late, usual) => {
    expect(flagsSetBy(optimizeLate, version)).toEqual([late]);
    expect(flagsSetBy(optimizeAsUsual, version)).toEqual([usual]);
  });

  test.each(['21.7.3', '24.0.0', '26.1.0'])('but not on Node.js %s, where nothing is gained or known', (version) => {
    expect(flagsSetBy(optimizeLate, version)).toEqual([]);
    expect(flagsSetBy(optimizeAsUsual, version)).toEqual([]);
  });

  test.each([['--interrupt-budget=1000'], ['--interrupt_budget']])(
    'but not if the operator has set the flag: %s',
    (flag) => {
      expect(flagsSetBy(optimizeLate, '20.18.0', ['--enable-source-maps', flag])).toEqual([]);
      expect(flagsSetBy(optimizeAsUsual, '20.18.0', [flag])).toEqual([]);
    },
  );

  test('a flag with a longer name is a different flag', () => {
    expect(flagsSetBy(optimizeLate, '20.18.0', ['--interrupt-budget-for-feedback-allocation=1'])).toHaveLength(1);
  });

  test('the flag and its usual value are those of this Node.js', async () => {
    const { stdout } = await run(process.execPath, ['--v8-options']);
    const flags = [
      ...flagsSetBy(optimizeLate, process.versions.node),
      ...flagsSetBy(optimizeAsUsual, process.versions.node),
    ];
    for (const flag of flags) expect(stdout).toContain(`  ${flag.split('=')[0]} (`);
    if (flags.length > 0) expect(stdout).toContain(`default: ${flags[1]}\n`);
  });
});

describe('the heap of a gateway', () => {
  const grow = (execArgv: readonly string[]) => {
    const setFlags = vi.fn();
    limitHeapGrowth({ nodeVersion: process.versions.node, execArgv, setFlags });
    return setFlags.mock.calls;
  };

  test('is collected before it has doubled', () => {
    expect(grow(['--enable-source-maps'])).toEqual([['--heap-growing-percent=50']]);
  });

  test.each([[['--heap-growing-percent=100']], [['--heap_growing_percent', '100']]])(
    'grows as the operator said: %j',
    (flags) => {
      expect(grow(flags)).toEqual([]);
    },
  );
});
