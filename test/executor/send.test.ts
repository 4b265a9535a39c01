import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import type { Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { ToolTimeoutError } from '../../src/errors.ts';
import { createExecutor } from '../../src/executor/executor.ts';
import { contextOf } from '../support/context.ts';
import { arg, endpoint, inBody, inQuery, run, startRaw, startUpstream, textOf, type Upstream } from './support.ts';

let upstream: Upstream;
beforeAll(async () => {
  upstream = await startUpstream();
});
beforeEach(() => {
  upstream.seen.length = 0;
  upstream.answer = (_, response) => response.setHeader('content-type', 'application/json').end('{}');
});

const limits = { timeoutMs: 30_000, maxResponseBytes: 1024 * 1024 };
const short = { ...limits, timeoutMs: 150 };

describe('the deadline covers the whole call', () => {
  const expectTimeout = async (origin: string) => {
    const failure = await run(endpoint(origin, { limits: short })).catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(ToolTimeoutError);
    expect(failure).toMatchObject({
      code: 'TIMEOUT',
      toolName: 'get_thing',
      timeoutSeconds: 0.15,
      details: { tool: 'get_thing', timeout_seconds: 0.15 },
    });
  };

  test('of a server that accepts and stays silent', async () => {
    const raw = await startRaw(() => {});
    await expectTimeout(raw.origin);
  });

  test('of headers, then silence', async () => {
    const raw = await startRaw((socket) => {
      socket.once('data', () => socket.write('HTTP/1.1 200 OK\r\ncontent-length: 10\r\n\r\n12'));
    });
    await expectTimeout(raw.origin);
  });

  test('of half a status line, then silence', async () => {
    const raw = await startRaw((socket) => socket.once('data', () => socket.write('HTTP/1.1 20')));
    await expectTimeout(raw.origin);
  });

  test('of an answer that comes one byte at a time', async () => {
    const raw = await startRaw((socket) => {
      socket.once('data', () => {
        socket.write('HTTP/1.1 200 OK\r\ncontent-length: 1000\r\n\r\n');
        const timer = setInterval(() => socket.write('x'), 10);
        socket.on('close', () => clearInterval(timer));
      });
    });
    await expectTimeout(raw.origin);
  });

  test('of compressed bytes that come slowly', async () => {
    const raw = await startRaw((socket) => {
      socket.once('data', () => {
        socket.write('HTTP/1.1 200 OK\r\ncontent-encoding: gzip\r\ncontent-length: 1000\r\n\r\n');
        socket.write(gzipSync('hello').subarray(0, 12));
      });
    });
    await expectTimeout(raw.origin);
  });

  test('including the time in which it waits for a socket', async () => {
    const raw = await startRaw(() => {});
    const executor = createExecutor({ connections: 1 });
    const target = executor.compile(endpoint(raw.origin, { limits: short }));
    const { signal } = new AbortController();
    const calls = await Promise.allSettled([1, 2, 3].map(() => target.run(contextOf({ tool: 't', signal }), {})));
    for (const call of calls) expect(call).toMatchObject({ reason: { code: 'TIMEOUT' } });
    await executor.close();
  });

  test('calls with different deadlines each end at their own, and never before it', async () => {
    const raw = await startRaw(() => {});
    const order: number[] = [];
    const call = async (timeoutMs: number) => {
      const begin = performance.now();
      await run(endpoint(raw.origin, { limits: { ...limits, timeoutMs } })).catch(() => {});
      expect(performance.now() - begin).toBeGreaterThanOrEqual(timeoutMs);
      order.push(timeoutMs);
    };
    await Promise.all([300, 100, 200].map(call));
    expect(order).toEqual([100, 200, 300]);
  });

  test('a call that has ended leaves no timer behind, so it keeps no process alive', async () => {
    const countTimers = () => process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length;
    const executor = createExecutor();
    const target = executor.compile(endpoint(upstream.origin, { limits: { ...limits, timeoutMs: 600_000 } }));
    await target.run(contextOf({ tool: 't' }), {});
    const before = countTimers();
    for (let call = 0; call < 10; call++) await target.run(contextOf({ tool: 't' }), {});
    expect(countTimers()).toBeLessThanOrEqual(before);
    await executor.close();
  });

  test('it survives garbage collection (Node 20 loses composed abort signals)', async () => {
    const raw = await startRaw(() => {});
    const pending = run(endpoint(raw.origin, { limits: short })).catch((error: unknown) => error);
    const junk: unknown[] = [];
    for (let round = 0; round < 50; round++) junk.push(new Array(10_000).fill(round));
    globalThis.gc?.();
    expect(await pending).toMatchObject({ code: 'TIMEOUT' });
  });
});

describe('a caller that cancels its call', () => {
  test('closes the upstream socket at once', async () => {
    const raw = await startRaw(() => {});
    const leave = new AbortController();
    const pending = run(endpoint(raw.origin), {}, { signal: leave.signal }).catch((error: unknown) => error);
    while (raw.sockets.length === 0) await sleep(5);
    const socket = raw.sockets[0] as Socket;
    await once(socket, 'data');
    const closed = once(socket, 'close');
    socket.resume();
    leave.abort();
    expect(await pending).toMatchObject({ code: 'CANCELLED' });
    await closed;
  });

  test('closes it in the middle of the body too', async () => {
    const raw = await startRaw((socket) => {
      socket.once('data', () => socket.write('HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\nabc'));
    });
    const leave = new AbortController();
    const pending = run(endpoint(raw.origin), {}, { signal: leave.signal }).catch((error: unknown) => error);
    while (raw.sockets.length === 0) await sleep(5);
    await sleep(50);
    const closed = once(raw.sockets[0] as Socket, 'close');
    leave.abort();
    expect(await pending).toMatchObject({ code: 'CANCELLED' });
    await closed;
  });

  test('before anything was sent sends nothing', async () => {
    await expect(run(endpoint(upstream.origin), {}, { signal: AbortSignal.abort() })).rejects.toMatchObject({
      code: 'CANCELLED',
    });
    expect(upstream.seen).toHaveLength(0);
  });

  test('while waiting for a socket never sends', async () => {
    const executor = createExecutor({ connections: 1 });
    const slow: (() => void)[] = [];
    upstream.answer = (_, response) => slow.push(() => response.end('{}'));
    const target = executor.compile(endpoint(upstream.origin));
    const leave = new AbortController();
    const first = target.run(contextOf({ tool: 't' }), {});
    while (upstream.seen.length === 0) await sleep(5);
    const second = target.run(contextOf({ tool: 't', signal: leave.signal }), {}).catch((error: unknown) => error);
    await sleep(20);
    leave.abort();
    expect(await second).toMatchObject({ code: 'CANCELLED' });
    slow[0]?.();
    await first;
    await sleep(50);
    expect(upstream.seen).toHaveLength(1);
    await executor.close();
  });

  test('leaves no listener behind, and neither does a finished call', async () => {
    const { signal } = new AbortController();
    let listeners = 0;
    const add = signal.addEventListener.bind(signal);
    const remove = signal.removeEventListener.bind(signal);
    signal.addEventListener = ((...args: Parameters<typeof add>) => {
      listeners++;
      add(...args);
    }) as typeof signal.addEventListener;
    signal.removeEventListener = ((...args: Parameters<typeof remove>) => {
      listeners--;
      remove(...args);
    }) as typeof signal.removeEventListener;
    for (let call = 0; call < 20; call++) await run(endpoint(upstream.origin), {}, { signal });
    await run(endpoint('http://127.0.0.1:1'), {}, { signal }).catch(() => {});
    expect(listeners).toBe(0);
  });
});

describe('a request without an answer', () => {
  test('because the connection is refused: the message names the origin and what to check', async () => {
    const gone = await startRaw(() => {});
    const refused = endpoint('http://127.0.0.1:1', {});
    await expect(run(refused)).rejects.toMatchObject({
      code: 'UNREACHABLE',
      message:
        'get_thing: nothing listens at http://127.0.0.1:1.\nCheck, in this order:\n1. that the API is running\n2. the host and port of the base URL\n3. from a container: that it names the host, and not the container itself',
      details: { tool: 'get_thing', origin: 'http://127.0.0.1:1', cause: 'ECONNREFUSED' },
    });
    expect(gone.sockets).toHaveLength(0);
  });

  test('because the host name does not resolve', async () => {
    await expect(run(endpoint('http://no-such-host.invalid'))).rejects.toMatchObject({
      code: 'UNREACHABLE',
      message: expect.stringContaining('does not resolve'),
    });
  });

  test('because the connection is reset', async () => {
    const raw = await startRaw((socket) => socket.once('data', () => socket.resetAndDestroy()));
    await expect(run(endpoint(raw.origin))).rejects.toMatchObject({
      code: 'UNREACHABLE',
      message: expect.stringMatching(/closed the connection before it answered\. Repeating the call is safe\.$/),
    });
  });

  test('of a write, because the connection is closed: the message warns, and it was sent once', async () => {
    let requests = 0;
    const raw = await startRaw((socket) =>
      socket.on('data', () => {
        requests++;
        socket.destroy();
      }),
    );
    await expect(run(endpoint(raw.origin, { method: 'POST', effect: 'write' }))).rejects.toMatchObject({
      code: 'UNREACHABLE',
      message: expect.stringContaining('check before repeating'),
    });
    expect(requests).toBe(1);
  });

  test('because the dispatcher throws', async () => {
    const executor = createExecutor({
      dispatcher: () => {
        throw new TypeError('no dispatcher');
      },
    });
    await expect(executor.compile(endpoint(upstream.origin)).run(contextOf({ tool: 't' }), {})).rejects.toMatchObject({
      code: 'UNREACHABLE',
    });
  });

  test('because the server does not speak TLS', async () => {
    const raw = await startRaw((socket) => socket.once('data', () => socket.end('HTTP/1.1 400 Bad\r\n\r\n')));
    await expect(run(endpoint(raw.origin.replace('http:', 'https:')))).rejects.toMatchObject({
      code: 'UNREACHABLE',
      message: expect.stringContaining('TLS'),
    });
  });
});

describe('bad answers', () => {
  const answering = async (bytes: string, end = true) => {
    const raw = await startRaw((socket) => {
      socket.once('data', () => {
        socket.write(bytes, 'latin1', () => end && setTimeout(() => socket.end(), 20));
      });
    });
    return run(endpoint(raw.origin, { limits: { ...limits, timeoutMs: 5_000 } }));
  };

  test.each([
    ['half a body', 'HTTP/1.1 200 OK\r\ncontent-length: 10\r\n\r\n12345'],
    ['half a chunked body', 'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n5\r\nhello\r\n'],
    ['a broken chunk size', 'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\nzz\r\nhello\r\n'],
    ['no HTTP at all', 'SSH-2.0-OpenSSH_9.6\r\n'],
    ['a bad status line', 'HTTP/1.1 abc OK\r\n\r\n'],
    ['two lengths', 'HTTP/1.1 200 OK\r\ncontent-length: 1\r\ncontent-length: 2\r\n\r\nab'],
    ['headers without end', `HTTP/1.1 200 OK\r\n${'x-a: b\r\n'.repeat(5_000)}\r\n`],
    ['an upgrade nobody asked for', 'HTTP/1.1 101 Switching Protocols\r\nconnection: upgrade\r\nupgrade: x\r\n\r\n'],
    ['an unknown encoding', 'HTTP/1.1 200 OK\r\ncontent-encoding: zstd\r\ncontent-length: 1\r\n\r\nx'],
    ['two encodings', 'HTTP/1.1 200 OK\r\ncontent-encoding: gzip, gzip\r\ncontent-length: 1\r\n\r\nx'],
    ['broken gzip', 'HTTP/1.1 200 OK\r\ncontent-encoding: gzip\r\ncontent-length: 5\r\n\r\nhello'],
    ['a flood of interim responses', 'HTTP/1.1 102 Processing\r\n\r\n'.repeat(25)],
  ])('%s is BAD_RESPONSE', async (_, bytes) => {
    await expect(answering(bytes)).rejects.toMatchObject({ code: 'BAD_RESPONSE', details: { tool: 'get_thing' } });
  });

  test('truncated gzip is BAD_RESPONSE', async () => {
    upstream.answer = (_, response) =>
      response.setHeader('content-encoding', 'gzip').end(gzipSync('hello world').subarray(0, -6));
    await expect(run(endpoint(upstream.origin))).rejects.toMatchObject({ code: 'BAD_RESPONSE' });
    const long = gzipSync(randomBytes(100_000));
    upstream.answer = (_, response) => response.setHeader('content-encoding', 'gzip').end(long.subarray(0, -6));
    await expect(run(endpoint(upstream.origin))).rejects.toMatchObject({ code: 'BAD_RESPONSE' });
  });

  test('an answer that is compressed twice is refused even if it is valid', async () => {
    upstream.answer = (_, response) =>
      response.setHeader('content-encoding', 'gzip, gzip').end(gzipSync(gzipSync('{}')));
    await expect(run(endpoint(upstream.origin))).rejects.toMatchObject({ code: 'BAD_RESPONSE' });
  });

  test('a few interim responses are accepted', async () => {
    const bytes = `${'HTTP/1.1 103 Early Hints\r\nlink: </x>\r\n\r\n'.repeat(5)}HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok`;
    expect(textOf(await answering(bytes))).toBe('ok');
  });

  test('a body that ends with the connection is complete', async () => {
    expect(textOf(await answering('HTTP/1.1 200 OK\r\ncontent-type: text/plain\r\n\r\nall of it'))).toBe('all of it');
  });

  test('the connection is not reused after unexpected bytes', async () => {
    let connections = 0;
    const raw = await startRaw((socket) => {
      connections++;
      socket.on('data', () =>
        socket.write(
          'HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nokHTTP/1.1 200 OK\r\ncontent-length: 6\r\n\r\nforged',
        ),
      );
    });
    const first = await run(endpoint(raw.origin)).catch((error: unknown) => error);
    const second = await run(endpoint(raw.origin)).catch((error: unknown) => error);
    expect(JSON.stringify([first, second])).not.toContain('forged');
    expect(connections).toBe(2);
  });
});

describe('the byte limit of answers', () => {
  const capped = (maxResponseBytes: number) => endpoint(upstream.origin, { limits: { ...limits, maxResponseBytes } });
  const tooLarge = {
    code: 'TOO_LARGE',
    message: expect.stringContaining('Ask for less'),
    details: { max_bytes: 1000 },
  };

  test('refuses an announced length at once', async () => {
    upstream.answer = (_, response) => {
      response.writeHead(200, { 'content-length': 5_000_000 });
      response.flushHeaders();
    };
    await expect(run(capped(1000))).rejects.toMatchObject(tooLarge);
  });

  test('stops an endless body', async () => {
    let sent = 0;
    upstream.answer = (_, response) => {
      response.on('error', () => {});
      const more = () => {
        while (!response.destroyed && response.write(Buffer.alloc(64 * 1024))) sent += 64 * 1024;
      };
      response.on('drain', more);
      more();
    };
    await expect(run(capped(1000))).rejects.toMatchObject(tooLarge);
    await sleep(50);
    expect(sent).toBeLessThan(50_000_000);
  });

  test.each([
    ['gzip', gzipSync],
    ['deflate', deflateSync],
    ['br', brotliCompressSync],
  ] as const)('counts what %s expands to', async (coding, compress) => {
    const bomb = compress(Buffer.alloc(20_000_000));
    upstream.answer = (_, response) => response.setHeader('content-encoding', coding).end(bomb);
    await expect(run(capped(1_000_000))).rejects.toMatchObject({ code: 'TOO_LARGE' });
  });

  test('a small compression bomb is stopped in the synchronous path as well', async () => {
    upstream.answer = (_, response) =>
      response.setHeader('content-encoding', 'gzip').end(gzipSync(Buffer.alloc(600_000)));
    await expect(run(capped(1000))).rejects.toMatchObject(tooLarge);
    await expect(run(capped(500_000))).rejects.toMatchObject({ code: 'TOO_LARGE' });
  });

  test('a huge error answer keeps its status', async () => {
    upstream.answer = (_, response) =>
      response.writeHead(500, { 'content-type': 'text/plain' }).end('e'.repeat(2_000_000));
    expect(await run(capped(500_000))).toMatchObject({
      status: 500,
      ok: false,
      problem: { body: expect.stringMatching(/^e+…$/) },
    });
    upstream.answer = (_, response) => {
      response.writeHead(502, { 'content-length': 2_000_000 });
      response.end('e'.repeat(2_000_000));
    };
    expect(await run(capped(500_000))).toMatchObject({ status: 502, ok: false });
  });

  test('an answer of exactly the limit passes', async () => {
    upstream.answer = (_, response) => response.setHeader('content-type', 'text/plain').end('x'.repeat(1000));
    expect(textOf(await run(capped(1000)))).toBe('x'.repeat(1000));
  });
});

describe('compressed answers', () => {
  const text = JSON.stringify({ words: 'lorem ipsum '.repeat(100) });
  const noise = JSON.stringify({ noise: Array.from({ length: 40_000 }, (_, i) => Math.sin(i)) });

  test.each([
    ['gzip', gzipSync],
    ['x-gzip', gzipSync],
    ['GZIP', gzipSync],
    ['deflate', deflateSync],
    ['br', brotliCompressSync],
  ] as const)('%s arrives as it was, small or large', async (coding, compress) => {
    for (const body of [text, noise]) {
      upstream.answer = (_, response) =>
        response
          .setHeader('content-type', 'application/json')
          .setHeader('content-encoding', coding)
          .end(compress(body));
      const context = contextOf();
      const target = createExecutor().compile(endpoint(upstream.origin, { response: { maxChars: 2_000_000 } }));
      const answer = await target.run(context, {});
      expect(textOf(answer)).toBe(body);
      expect(context.journal.upstream?.bytes).toBe(body.length);
    }
    expect(upstream.last().headers['accept-encoding']).toBe('gzip, br');
  });

  test('identity and an empty compressed body are accepted', async () => {
    upstream.answer = (_, response) => response.setHeader('content-encoding', 'identity').end('"x"');
    expect(textOf(await run(endpoint(upstream.origin)))).toBe('"x"');
    upstream.answer = (_, response) => response.setHeader('content-encoding', 'gzip').end();
    expect(textOf(await run(endpoint(upstream.origin)))).toBe('OK (200)');
  });
});

describe('redirects', () => {
  test.each([301, 302, 303, 307, 308])('%i to another origin is blocked and nothing reaches it', async (status) => {
    const other = await startUpstream();
    upstream.answer = (_, response) => response.writeHead(status, { location: `${other.origin}/steal?x=1` }).end();
    const target = endpoint(upstream.origin, {
      method: 'POST',
      args: [arg('text', inBody('text'))],
      body: { mediaType: 'application/json', required: true, kind: 'json' },
      security: [
        [
          {
            kind: 'apiKey',
            name: 'key',
            in: 'header',
            field: 'X-Api-Key',
            secret: { variable: 'API_KEY', value: 'very-secret-key' },
          },
        ],
      ],
    });
    for (const each of [target, { ...target, method: 'GET', body: undefined as never, args: [] }]) {
      const { body: _, ...rest } = each;
      const failure = await run(each.method === 'GET' ? rest : each, { text: 'private' }).catch(
        (error: unknown) => error,
      );
      expect(failure).toMatchObject({
        code: 'REDIRECT_BLOCKED',
        details: { status, location: `${other.origin}/steal` },
        message: expect.stringContaining('never gets the credentials'),
      });
    }
    expect(other.seen).toHaveLength(0);
    expect(upstream.last().headers['x-api-key']).toBe('very-secret-key');
  });

  test('a read follows one inside the base URL, with its credentials', async () => {
    upstream.answer = (request, response) =>
      request.url === '/v1/things/'
        ? response.setHeader('content-type', 'text/plain').end('found')
        : response.writeHead(307, { location: '/v1/things/' }).end();
    const context = contextOf();
    const target = createExecutor().compile(endpoint(`${upstream.origin}/v1`, { headers: { 'X-Version': '2' } }));
    const answer = await target.run(context, {});
    expect(textOf(answer)).toBe('found');
    expect(context.journal.upstream?.url).toBe(`${upstream.origin}/v1/things/`);
    expect(upstream.last().headers['x-version']).toBe('2');
  });

  test('none is followed outside the base URL, after three others, for a write, or to an invalid address', async () => {
    upstream.answer = (_, response) => response.writeHead(302, { location: '/admin' }).end();
    await expect(run(endpoint(`${upstream.origin}/v1`))).rejects.toMatchObject({
      code: 'REDIRECT_BLOCKED',
      message: expect.stringContaining('leaves the base URL'),
    });
    upstream.answer = (_, response) => response.writeHead(302, { location: '/v1/../admin' }).end();
    await expect(run(endpoint(`${upstream.origin}/v1`))).rejects.toMatchObject({ code: 'REDIRECT_BLOCKED' });

    upstream.seen.length = 0;
    upstream.answer = (_, response) => response.writeHead(302, { location: '/things' }).end();
    await expect(run(endpoint(upstream.origin))).rejects.toMatchObject({ code: 'REDIRECT_BLOCKED' });
    expect(upstream.seen).toHaveLength(4);

    upstream.seen.length = 0;
    await expect(run(endpoint(upstream.origin, { method: 'DELETE' }))).rejects.toMatchObject({
      code: 'REDIRECT_BLOCKED',
      message: expect.stringContaining('nothing was repeated'),
    });
    expect(upstream.seen).toHaveLength(1);

    upstream.answer = (_, response) => response.writeHead(302, { location: 'http://[' }).end();
    await expect(run(endpoint(upstream.origin))).rejects.toMatchObject({ code: 'REDIRECT_BLOCKED' });
    upstream.answer = (_, response) => response.writeHead(302, { location: '//evil.test/x' }).end();
    await expect(run(endpoint(upstream.origin))).rejects.toMatchObject({ code: 'REDIRECT_BLOCKED' });
  });

  test('a redirect status without a location is an answer', async () => {
    upstream.answer = (_, response) => response.writeHead(302).end('where?');
    expect(await run(endpoint(upstream.origin))).toMatchObject({ status: 302, ok: false, problem: { body: 'where?' } });
  });

  test('all hops share one deadline', async () => {
    upstream.answer = (_, response) => setTimeout(() => response.writeHead(302, { location: '/things' }).end(), 80);
    await expect(run(endpoint(upstream.origin, { limits: short }))).rejects.toMatchObject({ code: 'TIMEOUT' });
  });
});

describe('connections to an API', () => {
  test('are kept and reused, and capped per origin', async () => {
    let open = 0;
    let most = 0;
    let total = 0;
    const server = await startUpstream();
    server.server.on('connection', (socket) => {
      total++;
      most = Math.max(most, ++open);
      socket.on('close', () => open--);
    });
    server.answer = (_, response) => setTimeout(() => response.end('{}'), 5);
    const executor = createExecutor({ connections: 4 });
    const target = executor.compile(endpoint(server.origin, { args: [arg('n', inQuery('n'))] }));
    const { signal } = new AbortController();
    await Promise.all(Array.from({ length: 40 }, (_, n) => target.run(contextOf({ tool: 't' }), { n })));
    expect(most).toBeLessThanOrEqual(4);
    expect(total).toBeLessThanOrEqual(4);
    await executor.close();
    await expect(target.run(contextOf({ tool: 't', signal }), {})).rejects.toMatchObject({ code: 'UNREACHABLE' });
  });

  test('are closed after the requests in progress', async () => {
    const executor = createExecutor();
    upstream.answer = (_, response) => setTimeout(() => response.end('{}'), 80);
    const call = executor.compile(endpoint(upstream.origin)).run(contextOf({ tool: 't' }), {});
    while (upstream.seen.length === 0) await sleep(5);
    await executor.close();
    await expect(call).resolves.toMatchObject({ status: 200 });
  });
});
