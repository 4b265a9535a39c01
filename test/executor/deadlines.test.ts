import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { Deadlines, type Expiring } from '../../src/executor/deadlines.ts';

describe('deadlines', () => {
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
    expired.length = 0;
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  const expired: string[] = [];
  const due = (deadlines: Deadlines, name: string, inMs: number): Expiring => {
    const one: Expiring = {
      place: 0,
      deadline: performance.now() + inMs,
      expire: () => {
        deadlines.remove(one);
        expired.push(name);
      },
    };
    deadlines.add(one);
    return one;
  };
  test('are met in their order, whatever order they were set in', () => {
    const deadlines = new Deadlines();
    due(deadlines, 'late', 300);
    due(deadlines, 'soon', 100);
    due(deadlines, 'later', 200);
    vi.advanceTimersByTime(99);
    expect(expired).toEqual([]);
    vi.advanceTimersByTime(1);
    expect(expired).toEqual(['soon']);
    vi.advanceTimersByTime(250);
    expect(expired).toEqual(['soon', 'later', 'late']);
    expect(vi.getTimerCount()).toBe(0);
  });

  test('of what has ended do nothing, and one timer watches all of them', () => {
    const deadlines = new Deadlines();
    const ended = due(deadlines, 'ended', 100);
    for (let number = 0; number < 50; number++) due(deadlines, 'open', 200);
    deadlines.remove(ended);
    expect(vi.getTimerCount()).toBe(1);
    vi.advanceTimersByTime(150);
    expect(expired).toEqual([]);
    vi.advanceTimersByTime(50);
    expect(expired).toHaveLength(50);
  });

  test('that are set while others are met are met as well', () => {
    const deadlines = new Deadlines();
    const first: Expiring = {
      place: 0,
      deadline: performance.now() + 10,
      expire: () => {
        deadlines.remove(first);
        due(deadlines, 'second', 5);
      },
    };
    deadlines.add(first);
    vi.advanceTimersByTime(20);
    expect(expired).toEqual(['second']);
  });
});

test('a deadline that nobody waits for any more keeps no process alive', async () => {
  const file = fileURLToPath(new URL('../../src/executor/deadlines.ts', import.meta.url));
  const script = `
    const { Deadlines } = await import('jiti').then(({ createJiti }) => createJiti('${import.meta.url}').import(${JSON.stringify(file)}));
    const deadlines = new Deadlines();
    const one = { place: 0, deadline: performance.now() + 600_000, expire() {} };
    deadlines.add(one);
    deadlines.remove(one);
    process.stdout.write('over');`;
  const cwd = fileURLToPath(new URL('../..', import.meta.url));
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', script], {
    cwd,
    timeout: 60_000,
  });
  expect(stdout).toBe('over');
});
