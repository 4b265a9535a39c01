import { getEventListeners } from 'node:events';
import { describe, expect, test } from 'vitest';
import {
  type AbortListener,
  addAbortListener,
  removeAbortListener,
  SharedSignal,
} from '../../src/event-loop/abort-listeners.ts';

const createListener = (name: string, notified: string[]): AbortListener => ({
  index: 0,
  handleEvent: () => void notified.push(name),
});

describe.each([
  ['the signal of one call', () => new AbortController()],
  ['a signal that calls share', () => new SharedSignal()],
])('abort listeners of %s', (_, create) => {
  test('are called once when it is aborted, unless they were removed', () => {
    const controller = create();
    const { signal } = controller;
    const notified: string[] = [];
    const [first, second, third] = ['first', 'second', 'third'].map((name) => createListener(name, notified));
    for (const listener of [first!, second!, third!]) addAbortListener(signal, listener);
    removeAbortListener(signal, second!);
    controller.abort();
    controller.abort();
    removeAbortListener(signal, first!);
    expect(notified).toEqual(['first', 'third']);
    expect(signal.aborted).toBe(true);
  });
});

test('a shared signal has no listeners of node, however many calls it serves', () => {
  const shared = new SharedSignal();
  for (let call = 0; call < 20; call++) addAbortListener(shared.signal, createListener('', []));
  expect(getEventListeners(shared.signal, 'abort')).toHaveLength(0);
  expect(shared.hasOtherListeners).toBe(false);
});

test('a shared signal takes any number of listeners of handlers without a warning, and remembers that there were some', () => {
  const warnings: Error[] = [];
  const note = (warning: Error) => warnings.push(warning);
  process.on('warning', note);
  const shared = new SharedSignal();
  let count = 0;
  for (let index = 0; index < 30; index++) shared.signal.addEventListener('abort', () => count++, { once: true });
  expect(shared.hasOtherListeners).toBe(true);
  shared.abort();
  process.off('warning', note);
  expect(count).toBe(30);
  expect(warnings).toEqual([]);
});
