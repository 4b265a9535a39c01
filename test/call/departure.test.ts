import { getEventListeners } from 'node:events';
import { describe, expect, test } from 'vitest';
import { part, SharedSignal, stayWith } from '../../src/call/departure.ts';

const companion = (name: string, left: string[]) => ({ seat: 0, handleEvent: () => void left.push(name) });

describe.each([
  ['a signal of one call', () => new AbortController()],
  ['a signal that calls share', () => new SharedSignal()],
])('%s', (_, create) => {
  test('tells everybody who stayed that the caller left, once, and nobody who parted', () => {
    const controller = create();
    const { signal } = controller;
    const left: string[] = [];
    const [first, second, third] = ['first', 'second', 'third'].map((name) => companion(name, left));
    for (const one of [first!, second!, third!]) stayWith(signal, one);
    part(signal, second!);
    controller.abort();
    controller.abort();
    part(signal, first!);
    expect(left).toEqual(['first', 'third']);
    expect(signal.aborted).toBe(true);
  });
});

test('a shared signal has no listeners, however many calls it serves', () => {
  const shared = new SharedSignal();
  const calls = Array.from({ length: 20 }, () => companion('', []));
  for (const call of calls) stayWith(shared.signal, call);
  expect(getEventListeners(shared.signal, 'abort')).toHaveLength(0);
  expect(shared.wasHeard).toBe(false);
});

test('a shared signal serves as many listeners of handlers as there are, and says that there were some', () => {
  const warnings: Error[] = [];
  const note = (warning: Error) => warnings.push(warning);
  process.on('warning', note);
  const shared = new SharedSignal();
  let told = 0;
  for (let index = 0; index < 30; index++) shared.signal.addEventListener('abort', () => told++, { once: true });
  expect(shared.wasHeard).toBe(true);
  shared.abort();
  process.off('warning', note);
  expect(told).toBe(30);
  expect(warnings).toEqual([]);
});
