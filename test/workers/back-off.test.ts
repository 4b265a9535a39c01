import { expect, test } from 'vitest';
import { BackOff } from '../../src/workers/back-off.ts';
import { listWorkerFlags } from '../../src/workers/worker-launch.ts';

const rules = { firstMs: 100, maxMs: 1_000, goodLifeMs: 60_000 };

test('a worker that ends at once is restarted after twice the delay each time, up to a limit', () => {
  const backOff = new BackOff(rules);
  expect([5, 5, 5, 5, 5, 5].map((lifeMs) => backOff.delayAfter(lifeMs))).toEqual([100, 200, 400, 800, 1_000, 1_000]);
});

test('the delay starts again at its minimum after a worker that has lived for a while', () => {
  const backOff = new BackOff(rules);
  expect([5, 5, 60_000, 5].map((lifeMs) => backOff.delayAfter(lifeMs))).toEqual([100, 200, 100, 200]);
});

test('the delay stays at its limit after thousands of ends in a row', () => {
  const backOff = new BackOff(rules);
  for (let ends = 0; ends < 5_000; ends++) backOff.delayAfter(0);
  expect(backOff.delayAfter(0)).toBe(1_000);
});

test('a worker runs with the flags of its primary, and a larger young generation', () => {
  expect(listWorkerFlags(['--enable-source-maps'], '--no-warnings')).toEqual([
    '--enable-source-maps',
    expect.stringMatching(/^--max-semi-space-size=\d+$/),
  ]);
});

test.each([
  [['--max-semi-space-size=4'], ''],
  [['--max_semi_space_size', '4'], ''],
  [[], '--no-warnings --max-semi-space-size=4'],
])('a size of the young generation that the operator set is kept: %j %s', (flags, nodeOptions) => {
  expect(listWorkerFlags(flags, nodeOptions)).toEqual(flags);
});
