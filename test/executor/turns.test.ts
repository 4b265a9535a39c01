import { describe, expect, test } from 'vitest';
import { nextTurn, queueTurn } from '../../src/executor/turns.ts';

describe('queueTurn()', () => {
  test('runs one at a time, in order; others are served in between', async () => {
    const log: string[] = [];
    const count = () => {
      log.push('other');
      if (log.length < 20) setImmediate(count);
    };
    queueTurn(() => log.push('first'));
    queueTurn(() => log.push('second'));
    setImmediate(count);
    await nextTurn();
    log.push('third');
    expect(log.filter((entry) => entry !== 'other')).toEqual(['first', 'second', 'third']);
    expect(log.indexOf('second') - log.indexOf('first')).toBeGreaterThan(1);
    expect(log.indexOf('third') - log.indexOf('second')).toBeGreaterThan(1);
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
