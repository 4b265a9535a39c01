import { expect, test, vi } from 'vitest';
import { limitHeapGrowth } from '../../src/cli/serve/heap-growth.ts';
import { THIS_PROCESS } from '../../src/cli/v8-flags.ts';

test('a gateway collects what lasts before it has doubled', () => {
  const setFlags = vi.fn();
  limitHeapGrowth({ ...THIS_PROCESS, execArgv: ['--enable-source-maps'], setFlags });
  expect(setFlags.mock.calls).toEqual([['--heap-growing-percent=50']]);
});

test.each([[['--heap-growing-percent=100']], [['--heap_growing_percent', '100']]])(
  'what the operator says of it is left alone: %j',
  (flags) => {
    const setFlags = vi.fn();
    limitHeapGrowth({ ...THIS_PROCESS, execArgv: flags, setFlags });
    expect(setFlags).not.toHaveBeenCalled();
  },
);
