// What goes past node's streams behaves as if it did not: an answer in one write, and a body straight from the parser.

import { createServer, type IncomingMessage, type RequestListener, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import fc from 'fast-check';
import { afterEach, describe, expect, test } from 'vitest';
import { DirectRequest, endAtOnce, stopBody } from '../../src/transport/node-internals.ts';
import { openRaw, type Raw, rawPost } from '../support/raw.ts';
import { useRealHttp } from '../support/real-http.ts';
import { until } from '../support/until.ts';

useRealHttp();

const servers: Server[] = [];
const clients: Raw[] = [];
afterEach(() => {
  for (const { socket } of clients.splice(0)) socket.destroy();
  for (const server of servers.splice(0)) server.close();
});

async function start(listener: RequestListener<typeof DirectRequest>): Promise<number> {
  const server = createServer({ IncomingMessage: DirectRequest, keepAliveTimeout: 65_000 }, listener);
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return (server.address() as AddressInfo).port;
}
async function connect(port: number): Promise<Raw> {
  const raw = await openRaw(port);
  clients.push(raw);
  return raw;
}

const withoutDate = (text: string) => text.replace(/Date: [^\r]+/g, 'Date: …');
const head = (response: ServerResponse, text: string) =>
  response.writeHead(200, ['content-type', 'text/plain', 'content-length', String(Buffer.byteLength(text))]);

describe('endAtOnce()', () => {
  /** The first path is answered by node, the second by us; everything else is the same. */
  const both = async (text: string, request: (path: string) => string, prepare = (_response: ServerResponse) => {}) => {
    const port = await start((incoming, response) => {
      incoming.resume();
      prepare(response);
      head(response, text);
      if (incoming.url === '/node') response.end(text);
      else endAtOnce(response, text, Buffer.byteLength(text) === text.length ? 'latin1' : 'utf8');
    });
    const answers: string[] = [];
    for (const path of ['/node', '/ours']) {
      const raw = await connect(port);
      raw.socket.write(request(path));
      answers.push(withoutDate(await raw.closed));
    }
    return answers as [node: string, ours: string];
  };
  const closing = (path: string) => `GET ${path} HTTP/1.1\r\nhost: a\r\nconnection: close\r\n\r\n`;

  test.each([
    ['a short text', 'hello'],
    ['text of several bytes a character', 'Grüße, 世界 🎉'],
    ['more than a socket takes at once', 'x'.repeat(5_000_000)],
  ])('writes the bytes that node writes: %s', async (_what, text) => {
    const [node, ours] = await both(text, closing);
    expect(ours).toBe(node);
    expect(ours).toContain('Connection: close');
  });

  test.each([
    ['HEAD, which has no body', (path: string) => closing(path).replace('GET', 'HEAD')],
    ['HTTP/1.0', (path: string) => `GET ${path} HTTP/1.0\r\n\r\n`],
    ['two at once', (path: string) => `${closing(path).replace('close', 'keep-alive')}${closing(path)}`],
  ])('leaves special cases to node: %s', async (_what, request) => {
    const [node, ours] = await both('hello', request);
    expect(ours).toBe(node);
  });

  test('answers a request that closes its connection', async () => {
    const [node, ours] = await both(
      'hello',
      (path) => `GET ${path} HTTP/1.1\r\nhost: a\r\n\r\n`,
      (response) => {
        response.shouldKeepAlive = false;
      },
    );
    expect(ours).toBe(node);
  });

  test('writes once, emits finish, and leaves the connection usable', async () => {
    const events: string[] = [];
    let writes = 0;
    const port = await start((request, response) => {
      request.resume();
      const { socket } = request;
      const write = socket.write.bind(socket) as typeof socket.write;
      socket.write = ((...args: Parameters<typeof write>) => {
        writes++;
        return write(...args);
      }) as typeof socket.write;
      response.once('finish', () => events.push('finish')).once('close', () => events.push('close'));
      head(response, 'hello');
      endAtOnce(response, 'hello', 'latin1');
      expect(response.headersSent && response.writableEnded).toBe(true);
      expect(events).toEqual([]);
      socket.write = write;
    });
    const raw = await connect(port);
    for (const count of [1, 2]) {
      events.length = writes = 0;
      raw.socket.write('GET / HTTP/1.1\r\nhost: a\r\n\r\n');
      await raw.wait((text) => text.split('hello').length === count + 1);
      await until(() => events.length === 2);
      expect([events, writes]).toEqual([['finish', 'close'], 1]);
    }
  });

  test('keeps the order of pipelined answers, however late the first is', async () => {
    const waiting: (() => void)[] = [];
    const port = await start(({ url }, response) => {
      const answer = () => {
        head(response, url!);
        endAtOnce(response, url!, 'latin1');
      };
      if (url === '/first') waiting.push(answer);
      else answer();
    });
    const raw = await connect(port);
    raw.socket.write(['/first', '/second'].map((path) => `GET ${path} HTTP/1.1\r\nhost: a\r\n\r\n`).join(''));
    await until(() => waiting.length === 1);
    expect(raw.text()).toBe('');
    waiting[0]!();
    const text = await raw.wait((all) => all.includes('/second'));
    expect(text.match(/\/(first|second)/g)).toEqual(['/first', '/second']);
  });

  test('does not throw if the client has disconnected', async () => {
    let answer: (() => void) | undefined;
    let isClosed = false;
    const port = await start((_request, response) => {
      response.once('close', () => {
        isClosed = true;
      });
      answer = () => {
        head(response, 'late');
        endAtOnce(response, 'late', 'latin1');
      };
    });
    const raw = await connect(port);
    raw.socket.write('GET / HTTP/1.1\r\nhost: a\r\n\r\n');
    await until(() => answer !== undefined);
    raw.socket.destroy();
    await until(() => isClosed);
    expect(answer).not.toThrow();
  });
});

describe('DirectRequest', () => {
  /** Answers with the body it got; `late` reads it the usual way, a turn after it came. */
  const echo = async () => {
    const seen: { direct: boolean; request: IncomingMessage }[] = [];
    const port = await start((request, response) => {
      const chunks: Buffer[] = [];
      const consumer = {
        add: (chunk: Buffer) => void chunks.push(chunk),
        end: () => {
          const body = Buffer.concat(chunks).toString();
          head(response, body);
          endAtOnce(response, body, 'utf8');
        },
      };
      const read = () => {
        const direct = request.feed(consumer);
        seen.push({ direct, request });
        if (!direct) request.on('data', consumer.add).on('end', consumer.end);
      };
      if (request.headers['x-late']) setImmediate(read);
      else read();
    });
    return { port, seen };
  };
  const bodies = (text: string) => [...text.matchAll(/\r\n\r\n(.*?)(?=HTTP|$)/gs)].map(([, body]) => body);

  test('passes on arbitrary bodies in arbitrary chunks, in order', async () => {
    const { port } = await echo();
    const message = fc.record({
      body: fc.string({ unit: fc.constantFrom('a', 'é', '🎉', '"', ' '), minLength: 1, maxLength: 30 }),
      isLate: fc.boolean(),
      isChunked: fc.boolean(),
    });
    const cuts = fc.array(fc.nat(), { maxLength: 6 });
    await fc.assert(
      fc.asyncProperty(fc.array(message, { minLength: 1, maxLength: 3 }), cuts, async (messages, places) => {
        const bytes = Buffer.from(messages.map(toRequest).join(''));
        const raw = await connect(port);
        const ends = [...new Set(places.map((place) => place % bytes.length))].sort((a, b) => a - b);
        for (const [index, end] of [...ends, bytes.length].entries()) {
          raw.socket.write(bytes.subarray(index === 0 ? 0 : ends[index - 1], end));
          await new Promise((resolve) => setImmediate(resolve));
        }
        const expected = messages.map(({ body }) => Buffer.from(body).toString('latin1'));
        const text = await raw.wait((all) => bodies(all).join('').length === expected.join('').length);
        expect(bodies(text)).toEqual(expected);
        raw.socket.destroy();
      }),
      { numRuns: 60 },
    );
  });

  function toRequest({ body, isLate, isChunked }: { body: string; isLate: boolean; isChunked: boolean }): string {
    const late = isLate ? { 'x-late': '1' } : {};
    if (!isChunked) return rawPost(body, late);
    const lines = rawPost('', { ...late, 'transfer-encoding': 'chunked' }).replace(/content-length: 0\r\n/, '');
    return `${lines}${Buffer.byteLength(body).toString(16)}\r\n${body}\r\n0\r\n\r\n`;
  }

  test('takes the direct way only before any of the body has arrived', async () => {
    const { port, seen } = await echo();
    const raw = await connect(port);
    raw.socket.write(rawPost('soon'));
    await raw.wait((text) => text.includes('soon'));
    raw.socket.write(rawPost('late', { 'x-late': '1' }));
    await raw.wait((text) => text.includes('late'));
    expect(seen.map(({ direct }) => direct)).toEqual([true, false]);
  });

  test('does not take the direct way if other code listens to the request', async () => {
    const answers: boolean[] = [];
    const events: string[] = [];
    const followers: ((request: DirectRequest) => void)[] = [
      (request) => void request.on('end', () => events.push('end')),
      (request) => void request.on('close', () => events.push('close')),
      // As instrumentation does that binds listeners to its span.
      (request) => {
        request.on = request.on.bind(request);
      },
    ];
    const port = await start((request, response) => {
      followers[answers.length]?.(request);
      const isDirect = request.feed({ add: () => {}, end: () => response.end() });
      answers.push(isDirect);
      if (!isDirect) request.resume().once('end', () => response.end());
    });
    const raw = await connect(port);
    for (const count of [1, 2, 3, 4]) {
      raw.socket.write(rawPost('body'));
      await raw.wait((text) => text.split('HTTP/1.1 200').length === count + 1);
    }
    expect(answers).toEqual([false, false, false, true]);
    expect(events).toEqual(['end', 'close']);
  });

  test('releases an answered request while its connection stays open', async () => {
    const { port, seen } = await echo();
    const raw = await connect(port);
    raw.socket.write(rawPost('body'));
    await raw.wait((text) => text.includes('body'));
    const { request } = seen[0]!;
    await until(() => (request.socket as unknown as { parser: { incoming: unknown } }).parser.incoming === null);
    expect(request.complete).toBe(true);
  });

  test('reports a client that disconnects in the middle of its body, once', async () => {
    let lost = 0;
    let ended = 0;
    let begun = 0;
    const port = await start((request) => {
      request.on('error', () => lost++);
      request.feed({ add: () => begun++, end: () => ended++ });
    });
    const raw = await connect(port);
    raw.socket.write(rawPost('whole body').slice(0, -4));
    await until(() => begun === 1);
    raw.socket.destroy();
    await until(() => lost > 0);
    expect([lost, ended]).toEqual([1, 0]);
  });
});

test('a parser that was stopped twice reads the bodies of the next connection', async () => {
  let isFirst = true;
  const port = await start((request, response) => {
    if (isFirst) {
      isFirst = false;
      stopBody(request.socket);
      stopBody(request.socket);
      request.socket.destroy();
      return;
    }
    let body = '';
    request.on('data', (chunk: Buffer) => {
      body += chunk.toString();
    });
    request.on('end', () => response.end(`read: ${body}`));
  });
  const stopped = await connect(port);
  stopped.socket.write(rawPost('dropped'));
  await stopped.closed;
  // Node keeps parsers, and gives the next connection the one that was used last.
  const next = await connect(port);
  next.socket.write(rawPost('hello'));
  expect(await next.wait((text) => text.includes('read: '))).toContain('read: hello');
});
