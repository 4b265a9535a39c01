import { EventEmitter } from 'node:events';
import type { ServerResponse } from 'node:http';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { createEventStream } from '../../src/transport/sse.ts';

afterEach(() => void vi.useRealTimers());

/** As much of a response as a stream needs. */
function fakeResponse() {
  const written: string[] = [];
  const response = Object.assign(new EventEmitter(), {
    head: undefined as unknown,
    destroyed: false,
    writableEnded: false,
    writeHead: (status: number, headers: object) => Object.assign(response, { head: { status, ...headers } }),
    write: (text: string) => void written.push(text),
    end: (text?: string) => {
      if (text !== undefined) written.push(text);
      response.writableEnded = true;
      response.emit('close');
    },
  });
  return { response: response as typeof response & ServerResponse, written };
}

describe('an event stream', () => {
  test('has headers that keep proxies from buffering it', () => {
    const { response } = fakeResponse();
    createEventStream(response, { vary: 'Origin' }).end(undefined);
    expect(response.head).toEqual({
      status: 200,
      vary: 'Origin',
      'content-type': 'text/event-stream',
      'cache-control': 'no-cache, no-transform',
      'x-accel-buffering': 'no',
    });
  });

  test('has one message per event and no ids, because it cannot be resumed', () => {
    const { response, written } = fakeResponse();
    const sse = createEventStream(response, undefined);
    sse.send('{"a":1}');
    sse.end('{"b":2}');
    sse.send('{"too":"late"}');
    expect(written).toEqual(['event: message\ndata: {"a":1}\n\n', 'event: message\ndata: {"b":2}\n\n']);
  });

  test('sends keep-alive comments while it is silent, until its end', () => {
    vi.useFakeTimers();
    const { response, written } = fakeResponse();
    const sse = createEventStream(response, undefined);
    vi.advanceTimersByTime(31_000);
    expect(written).toEqual([': keep-alive\n\n', ': keep-alive\n\n']);
    sse.end(undefined);
    expect(vi.getTimerCount()).toBe(0);
  });

  test('writes nothing more to a client that has disconnected', () => {
    vi.useFakeTimers();
    const { response, written } = fakeResponse();
    const sse = createEventStream(response, undefined);
    response.destroyed = true;
    response.emit('close');
    sse.send('{}');
    sse.end('{}');
    vi.advanceTimersByTime(60_000);
    expect([written, vi.getTimerCount()]).toEqual([[], 0]);
  });
});
