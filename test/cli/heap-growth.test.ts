import { expect, test, vi } from 'vitest';
import { limitHeapGrowth } from '../../src/cli/serve/heap-growth.ts';

test('a gateway collects what lasts before it has doubled', () => {
  const setFlags = vi.fn();
  limitHeapGrowth(['--enable-source-maps'], setFlags);
  expect(setFlags.mock.calls).toEqual([['--heap-growing-percent=50']]);
});

test.each([[['--heap-growing-percent=100']], [['--heap_growing_percent', '100']]])(
  'what the operator says of it is left alone: %j',
  (flags) => {
    const setFlags = vi.fn();
    limitHeapGrowth(flags, setFlags);
    expect(setFlags).not.toHaveBeenCalled();
  },
);
