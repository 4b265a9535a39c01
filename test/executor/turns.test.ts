import { describe, expect, test } from 'vitest';
import { inTurn, queueTurn } from '../../src/executor/turns.ts';

/** Longer than a turn may take. */
function dawdle(): void {
  const until = performance.now() + 10;
  while (performance.now() < until);
}

describe('queueTurn()', () => {
  test('runs one after the other; others are served between those that take long', async () => {
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

  test('takes work that is queued while other work runs', async () => {
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

describe('inTurn()', () => {
  test('gives what the work returns, or what it throws, and goes on with the next', async () => {
    const failing = inTurn(() => {
      throw new Error('no');
    });
    await expect(failing).rejects.toThrow('no');
    expect(await inTurn(async () => 7)).toBe(7);
  });
});
