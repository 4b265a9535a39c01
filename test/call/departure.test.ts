import { getEventListeners } from 'node:events';
import { describe, expect, test } from 'vitest';
import { part, shareSignal, stayWith } from '../../src/call/departure.ts';

const companion = (name: string, left: string[]) => ({ seat: 0, handleEvent: () => void left.push(name) });

describe.each([
  ['a signal of one call', (_: AbortSignal) => {}],
  ['a signal that calls share', shareSignal],
])('%s', (_, prepare) => {
  test('tells everybody who stayed that the caller left, once, and nobody who parted', () => {
    const controller = new AbortController();
    const { signal } = controller;
    const left: string[] = [];
    prepare(signal);
    const [first, second, third] = ['first', 'second', 'third'].map((name) => companion(name, left));
    for (const one of [first!, second!, third!]) stayWith(signal, one);
    part(signal, second!);
    controller.abort();
    part(signal, first!);
    expect(left).toEqual(['first', 'third']);
  });
});

test('a shared signal has one listener, however many calls it serves', () => {
  const { signal } = new AbortController();
  shareSignal(signal);
  const calls = Array.from({ length: 20 }, () => companion('', []));
  for (const call of calls) stayWith(signal, call);
  expect(getEventListeners(signal, 'abort')).toHaveLength(1);
  for (const call of calls) part(signal, call);
  expect(getEventListeners(signal, 'abort')).toHaveLength(1);
});
