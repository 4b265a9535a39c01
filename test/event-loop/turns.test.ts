import { afterEach, describe, expect, test, vi } from 'vitest';
import { inSteps, inTurn, queueTurn, turnEnd } from '../../src/event-loop/turns.ts';

/** Longer than a turn may take. */
function dawdle(): void {
  const until = performance.now() + 10;
  while (performance.now() < until);
}

describe('queueTurn()', () => {
  test('runs work in order, and other events between pieces that take long', async () => {
    const log: string[] = [];
    const work = (name: string) => () => {
      dawdle();
      log.push(name);
    };
    queueTurn(work('first'));
    queueTurn(work('second'));
    setImmediate(() => log.push('other'));
    await inTurn(work('third'));
    expect(log).toEqual(['first', 'other', 'second', 'third']);
  });

  test('runs work that is queued while other work runs', async () => {
    const log: string[] = [];
    await new Promise<void>((resolve) => {
      queueTurn(() => {
        log.push('outer');
        queueTurn(() => {
          log.push('inner');
          resolve();
        });
      });
    });
    expect(log).toEqual(['outer', 'inner']);
  });
});

describe('turnEnd()', () => {
  test('is one promise for all callers in a turn, and another one in the next', async () => {
    const end = turnEnd();
    expect(turnEnd()).toBe(end);
    await end;
    expect(turnEnd()).not.toBe(end);
  });

  test('resolves in the order of its calls', async () => {
    const log: string[] = [];
    await Promise.all(['first', 'second', 'third'].map((name) => turnEnd().then(() => log.push(name))));
    expect(log).toEqual(['first', 'second', 'third']);
  });
});

describe('inTurn()', () => {
  test('returns what the work returns, or throws what it throws, and continues with the next', async () => {
    const failing = inTurn(() => {
      throw new Error('no');
    });
    await expect(failing).rejects.toThrow('no');
    expect(await inTurn(async () => 7)).toBe(7);
  });
});

describe('inSteps()', () => {
  afterEach(() => vi.restoreAllMocks());

  /** Counts to `end`, a step at a time; each takes as long as half a turn may. */
  function* count(end: number, log: string[], name = ''): Generator<void, number> {
    for (let step = 1; step <= end; step++) {
      log.push(`${name}${step}`);
      yield;
    }
    return end;
  }
  const slowDown = () => {
    let now = performance.now();
    vi.spyOn(performance, 'now').mockImplementation(() => {
      now += 2;
      return now;
    });
  };

  test('returns what the last step returns, and lets other events run between turns', async () => {
    slowDown();
    const log: string[] = [];
    setImmediate(() => log.push('other'));
    expect(await inSteps(count(6, log))).toBe(6);
    expect(log).toEqual(['1', '2', 'other', '3', '4', '5', '6']);
  });

  test('alternates between two that run at the same time', async () => {
    slowDown();
    const log: string[] = [];
    await Promise.all([inSteps(count(4, log, 'a')), inSteps(count(4, log, 'b'))]);
    expect(log).toEqual(['a1', 'a2', 'b1', 'b2', 'a3', 'a4', 'b3', 'b4']);
  });

  test('starts at once only while there is time left before the next turn', async () => {
    slowDown();
    const log: string[] = [];
    const all = Array.from({ length: 20 }, (_, index) => inSteps(count(1, log, `${index} `)));
    const begun = log.length;
    expect(begun).toBeGreaterThan(0);
    expect(begun).toBeLessThan(20);
    await Promise.all(all);
    expect(log).toHaveLength(20);
  });

  test('throws what a step throws, and runs no other step', async () => {
    const log: string[] = [];
    const failing = (function* () {
      yield* count(2, log);
      throw new Error('no');
    })();
    await expect(inSteps(failing)).rejects.toThrow('no');
    expect(log).toEqual(['1', '2']);
  });
});
