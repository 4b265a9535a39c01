// When new calls are refused, and when no longer.
import { describe, expect, test } from 'vitest';
import { type LoadSample, Overload } from '../../src/limits/overload.ts';

const FINE: LoadSample = { eventLoopMs: 3, heapPercent: 30 };
const SLOW: LoadSample = { eventLoopMs: 400, heapPercent: 30 };

function watch() {
  const changes: boolean[] = [];
  let collected = 0;
  let now = 0;
  const overload = new Overload({
    rules: { eventLoopMs: 200, heapPercent: 92 },
    onChange: (isShedding) => changes.push(isShedding),
    collect: () => {
      collected++;
    },
  });
  const look = (...samples: LoadSample[]) => {
    for (const sample of samples) {
      now += 250;
      overload.note(sample, now);
    }
    return overload.isShedding;
  };
  return { overload, changes, look, collected: () => collected };
}

describe('an event loop', () => {
  test('that is late a few times (a start, a garbage collection) is not overloaded', () => {
    const { look, changes } = watch();
    expect([look(SLOW, SLOW, SLOW), look(FINE), look(SLOW), look(FINE)]).toEqual([false, false, false, false]);
    expect(changes).toEqual([]);
  });

  test('that stays late is overloaded until it is well below the threshold, and each change is reported once', () => {
    const { look, changes } = watch();
    expect(look(SLOW, SLOW, SLOW, SLOW)).toBe(true);
    expect(look(SLOW, SLOW, SLOW)).toBe(true);
    const nearly: LoadSample = { eventLoopMs: 150, heapPercent: 30 };
    expect(look(nearly, nearly, nearly, nearly, nearly, nearly)).toBe(true);
    expect(look(FINE, FINE, FINE)).toBe(true);
    expect(look(FINE)).toBe(false);
    expect(changes).toEqual([true, false]);
  });
});

describe('a heap', () => {
  const full: LoadSample = { eventLoopMs: 3, heapPercent: 94 };

  test('full of garbage is not an overload: it is collected before calls are refused', () => {
    const { look, collected, changes } = watch();
    expect(look(full)).toBe(false);
    expect(collected()).toBe(1);
    expect(look(FINE, FINE)).toBe(false);
    expect(changes).toEqual([]);
  });

  test('that is full after a collection is an overload, and is collected again while that lasts', () => {
    const { look, collected, overload } = watch();
    expect(look(full, full, full, full, full)).toBe(true);
    expect(overload.isExhausted).toBe(false);
    look(...Array<LoadSample>(22).fill({ eventLoopMs: 3, heapPercent: 96 }));
    expect(overload.isExhausted).toBe(true);
    expect(collected()).toBe(2);
    expect(look(FINE, FINE, FINE, FINE)).toBe(false);
    expect(overload.isExhausted).toBe(false);
  });
});

test('an idle process is not overloaded, and sampling does not keep it alive', async () => {
  const changes: LoadSample[] = [];
  const overload = new Overload({
    rules: { eventLoopMs: 10_000, heapPercent: 99 },
    onChange: (_, sample) => changes.push(sample),
  });
  overload.start();
  await new Promise((resolve) => setTimeout(resolve, 600));
  expect([overload.isShedding, changes]).toEqual([false, []]);
  overload.stop();
});

test('an event loop that is blocked again and again is overloaded, and recovers', async () => {
  const changes: boolean[] = [];
  const overload = new Overload({
    rules: { eventLoopMs: 60, heapPercent: 100 },
    onChange: (isShedding) => changes.push(isShedding),
  });
  overload.start();
  while (changes.length === 0) {
    const until = performance.now() + 150;
    while (performance.now() < until);
    await new Promise((resolve) => setTimeout(resolve, 1));
  }
  expect(overload.isShedding).toBe(true);
  while (changes.length === 1) await new Promise((resolve) => setTimeout(resolve, 20));
  expect([overload.isShedding, changes]).toEqual([false, [true, false]]);
  overload.stop();
});
