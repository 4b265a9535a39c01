// stdio and TCP: limits, ends and crowds.
import type { ServerResponse } from 'node:http';
import { PassThrough, Writable } from 'node:stream';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { createGateway, type Gateway } from '../../src/gateway.ts';
import type { Protocol } from '../../src/protocol/mcp-protocol.ts';
import { Conversation } from '../../src/transport/lines/conversation.ts';
import { startStdio } from '../../src/transport/lines/stdio.ts';
import {
  connectTcp,
  LINE_CLIENTS,
  LINE_LIMITS,
  type LineClient,
  listenTcp,
  openStdio,
  openTcp,
} from '../support/lines.ts';
import { legacy, modern, type Rpc } from '../support/mcp.ts';
import { petsDomain } from '../support/pets.ts';
import { openRaw } from '../support/raw.ts';
import { until } from '../support/until.ts';
import { startUpstream, type Upstream } from '../support/upstream.ts';

let upstream: Upstream;
let gateway: Gateway;
let owed: ServerResponse[] = [];

beforeAll(async () => {
  upstream = await startUpstream(({ url }, response) => {
    if (url.startsWith('/pets?limit=')) response.end(url);
    else owed.push(response);
  });
  gateway = createGateway({ domains: [petsDomain(upstream.url)], exposure: 'tools' });
});
afterAll(async () => {
  await gateway.close();
  await upstream.close();
});
beforeEach(() => {
  owed = [];
});

const slow = (id: string | number) => legacy(id, 'tools/call', { name: 'pets_list' });
const listing = (id: string | number, limit: number) =>
  legacy(id, 'tools/call', { name: 'pets_list', arguments: { limit } });
const listen = (id: string | number) => modern(id, 'subscriptions/listen', { notifications: {} });
const textOf = ({ result }: Rpc) => (result as { content: { text: string }[] }).content[0]?.text;
const SHORT = { maxLineBytes: 200, maxConcurrent: 100 };
const open = {
  stdio: async (limits = LINE_LIMITS): Promise<LineClient> => openStdio(gateway.protocol, limits),
  tcp: (limits = LINE_LIMITS): Promise<LineClient> => openTcp(gateway.protocol, limits),
};

describe.each(Object.keys(LINE_CLIENTS) as (keyof typeof open)[])('a conversation over %s', (kind) => {
  test('answers a line that is too long, and reads on', async () => {
    const client = await open[kind](SHORT);
    await client.ask(legacy(0, 'ping'));
    client.send(`{"jsonrpc":"2.0","id":1,"method":"${'x'.repeat(300)}"}`);
    expect(await client.find(({ error }) => error !== undefined)).toEqual({
      jsonrpc: '2.0',
      error: { code: -32700, message: 'Parse error: a line may have at most 200 bytes (--max-body).' },
    });
    expect((await client.ask(legacy(2, 'ping'))).result).toEqual({});
    expect(client.received).toHaveLength(3);
    await client.close();
  });

  test('accepts a line of exactly the limit', async () => {
    const client = await open[kind](SHORT);
    const text = JSON.stringify(legacy(1, 'ping'));
    client.send(text + ' '.repeat(200 - text.length));
    expect((await client.find(({ id }) => id === 1)).result).toEqual({});
    await client.close();
  });

  test('ignores empty lines', async () => {
    const client = await open[kind]();
    client.write(Buffer.from([0x0a, 0x0d, 0x0a, 0x20, 0x0a]));
    await client.ask(legacy(1, 'ping'));
    expect(client.received).toEqual([{ jsonrpc: '2.0', id: 1, result: {} }]);
    await client.close();
  });

  test('answers a message that does not parse, and reads on', async () => {
    const client = await open[kind]();
    await client.ask(legacy(0, 'ping'));
    client.send('{"jsonrpc":');
    await client.ask(legacy(1, 'ping'));
    expect(client.received).toEqual([
      { jsonrpc: '2.0', id: 0, result: {} },
      { jsonrpc: '2.0', error: { code: -32700, message: 'Parse error: the message is not valid JSON.' } },
      { jsonrpc: '2.0', id: 1, result: {} },
    ]);
    await client.close();
  });

  test('answers every line of a chunk that holds thousands, in order', async () => {
    const client = await open[kind]();
    client.write(Array.from({ length: 5_000 }, (_, id) => `${JSON.stringify(legacy(id, 'ping'))}\n`).join(''));
    await client.find(({ id }) => id === 4_999);
    expect(client.received.map(({ id }) => id)).toEqual(Array.from({ length: 5_000 }, (_, id) => id));
    await client.close();
  });

  test('accepts Windows line ends, and a last line without an end', async () => {
    const client = await open[kind]();
    client.write(`${JSON.stringify(legacy(1, 'ping'))}\r\n${JSON.stringify(legacy(2, 'ping'))}`);
    client.end();
    await client.closed;
    await client.find(({ id }) => id === 2);
    expect(client.received.map(({ id }) => id)).toEqual([1, 2]);
    await client.close();
  });

  test('still answers requests from before the client ended its side, then ends', async () => {
    const client = await open[kind]();
    client.send(slow(1));
    client.send(slow(2));
    await until(() => owed.length === 2);
    client.end();
    for (const response of owed) response.end('[]');
    await client.closed;
    expect(client.received.map(({ id, error }) => [id, error]).sort()).toEqual([
      [1, undefined],
      [2, undefined],
    ]);
    await client.close();
  });

  test('ends despite an open subscription, which ends with its result', async () => {
    const client = await open[kind]();
    client.send(listen('open'));
    await client.find(({ method }) => method === 'notifications/subscriptions/acknowledged');
    client.end();
    await client.closed;
    expect(await client.find(({ id }) => id === 'open')).toMatchObject({ result: { resultType: 'complete' } });
    await client.close();
  });

  test('runs no more requests at once than allowed, and loses none', async () => {
    const client = await open[kind]({ maxLineBytes: 100_000, maxConcurrent: 3 });
    // One write, so that all lines are in one chunk.
    client.write(Array.from({ length: 10 }, (_, id) => `${JSON.stringify(slow(id))}\n`).join(''));
    await until(() => owed.length === 3);
    for (let answered = 0; answered < 10; answered++) {
      await until(() => owed.length > answered);
      await new Promise((resolve) => setImmediate(resolve));
      expect(owed.length - answered).toBeLessThanOrEqual(3);
      owed[answered]?.end('[]');
    }
    for (let id = 0; id < 10; id++) await client.find((message) => message.id === id);
    await client.close();
  });

  test('closing answers every line that was sent, and ends subscriptions with their result', async () => {
    const client = await open[kind]();
    client.send(listen('open'));
    client.send(slow('under way'));
    await until(() => owed.length === 1);
    const closing = client.close(60_000);
    client.send(legacy('sent before the end', 'ping'));
    expect(await client.find(({ id }) => id === 'open')).toMatchObject({ result: { resultType: 'complete' } });
    owed[0]?.end('[]');
    await closing;
    expect(await client.find(({ id }) => id === 'under way')).toMatchObject({ result: {} });
    expect(await client.find(({ id }) => id === 'sent before the end')).toMatchObject({ result: {} });
  });

  test('closing waits no longer than the grace time, and aborts what is left', async () => {
    const client = await open[kind]();
    client.send(slow(1));
    await until(() => owed.length === 1);
    const abandoned = new Promise((resolve) => owed[0]?.once('close', resolve));
    await client.close(0);
    await abandoned;
  });

  test('keeps both eras separate on one connection', async () => {
    const client = await open[kind]();
    await client.ask(legacy('i', 'initialize', { protocolVersion: '2025-03-26', capabilities: {} }));
    expect(await client.ask(modern('m', 'tools/list'))).toHaveProperty('result.resultType', 'complete');
    expect(await client.ask(legacy('l', 'tools/list'))).not.toHaveProperty('result.resultType');
    expect(await client.ask(modern('p', 'ping'))).toHaveProperty('error.code', -32601);
    expect(await client.ask(legacy('q', 'ping'))).toHaveProperty('result', {});
    await client.close();
  });
});

describe('stdio', () => {
  test('writes nothing but messages, one to a line', async () => {
    const [stdin, stdout] = [new PassThrough(), new PassThrough()];
    const server = startStdio(gateway.protocol, LINE_LIMITS, stdin as never, stdout as never);
    let text = '';
    stdout.on('data', (chunk: Buffer) => {
      text += chunk.toString();
    });
    stdin.write('nonsense\n');
    stdin.end(`${JSON.stringify(listing('a\nb', 3))}\n`);
    await server.finished;
    const lines = text.split('\n');
    expect(lines.pop()).toBe('');
    expect(lines.map((line) => (JSON.parse(line) as Rpc).id)).toEqual([undefined, 'a\nb']);
  });

  test('ends when its output is closed, and aborts requests in progress', async () => {
    const [stdin, stdout] = [new PassThrough(), new PassThrough()];
    const server = startStdio(gateway.protocol, LINE_LIMITS, stdin as never, stdout as never);
    stdin.write(`${JSON.stringify(slow(1))}\n`);
    await until(() => owed.length === 1);
    const abandoned = new Promise((resolve) => owed[0]?.once('close', resolve));
    stdout.destroy(new Error('EPIPE'));
    await Promise.all([abandoned, server.finished]);
  });

  test('stops reading while its answers are not read, and buffers no more than one', async () => {
    const [stdin, stdout] = [new PassThrough(), new PassThrough({ highWaterMark: 1_000 })];
    const server = startStdio(gateway.protocol, LINE_LIMITS, stdin as never, stdout as never);
    const many = 500;
    stdin.write(Array.from({ length: many }, (_, id) => `${JSON.stringify(legacy(id, 'tools/list'))}\n`).join(''));
    await new Promise((resolve) => setImmediate(resolve));
    expect(stdout.readableLength + stdout.writableLength).toBeLessThan(20_000);
    // Once somebody reads, everything comes.
    let lines = 0;
    stdout.on('data', (chunk: Buffer) => {
      lines += chunk.toString().split('\n').length - 1;
    });
    await until(() => lines === many);
    stdin.end();
    await server.finished;
  });
});

describe('back pressure', () => {
  test('reaches the client: requests over the limit are not read', async () => {
    const [stdin, stdout] = [new PassThrough({ highWaterMark: 1_000 }), new PassThrough()];
    const server = startStdio(
      gateway.protocol,
      { maxLineBytes: 10_000, maxConcurrent: 1 },
      stdin as never,
      stdout as never,
    );
    stdin.write(`${JSON.stringify(slow(0))}\n`);
    await until(() => owed.length === 1);
    let taken = 0;
    while (stdin.write(`${JSON.stringify(legacy(++taken, 'ping'))}\n`)) {
      if (taken > 1_000) break;
      await new Promise((resolve) => setImmediate(resolve));
    }
    expect(taken).toBeLessThan(200);
    let text = '';
    stdout.on('data', (chunk: Buffer) => {
      text += chunk.toString();
    });
    stdin.end();
    owed[0]?.end('[]');
    await server.finished;
    expect(text.trim().split('\n')).toHaveLength(taken + 1);
  });
});

describe('tcp', () => {
  test('closes an idle connection, but not one with a request in progress or a subscription', async () => {
    const server = await listenTcp(gateway.protocol, { idleMs: 50 });
    const [busy, listening] = [await connectTcp(server.port), await connectTcp(server.port)];
    busy.send(slow(1));
    listening.send(listen('l'));
    await until(() => owed.length === 1);
    await listening.find(({ method }) => method === 'notifications/subscriptions/acknowledged');
    // When these two are closed, one after the other, the others have been silent for longer.
    for (let round = 0; round < 2; round++) await (await connectTcp(server.port)).closed;
    owed[0]?.end('[]');
    expect(await busy.find(({ id }) => id === 1)).toMatchObject({ result: {} });
    expect((await listening.ask(legacy(2, 'ping'))).result).toEqual({});
    listening.socket.destroy();
    await server.close(0);
  });

  test('refuses connections over the limit', async () => {
    const server = await listenTcp(gateway.protocol, { maxConnections: 2 });
    const [one, two] = [await connectTcp(server.port), await connectTcp(server.port)];
    await Promise.all([one.ask(legacy(1, 'ping')), two.ask(legacy(1, 'ping'))]);
    const third = await openRaw(server.port);
    expect(await third.closed).toBe('');
    one.socket.destroy();
    await one.closed;
    for (;;) {
      const again = await connectTcp(server.port);
      const answer = await Promise.race([again.ask(legacy(1, 'ping')), again.closed]);
      again.socket.destroy();
      if (answer) break;
    }
    two.socket.destroy();
    await server.close(0);
  });

  test('gives each of forty clients that use the same id its own answer', async () => {
    const server = await listenTcp(gateway.protocol);
    const clients = await Promise.all(Array.from({ length: 40 }, () => connectTcp(server.port)));
    const answers = await Promise.all(clients.map((client, index) => client.ask(listing('same', index + 1))));
    expect(answers.map(textOf)).toEqual(clients.map((_, index) => `/pets?limit=${index + 1}`));
    for (const client of clients) expect(client.received).toHaveLength(1);
    for (const { socket } of clients) socket.destroy();
    await server.close(0);
  });

  test('survives a client that disconnects at any moment', async () => {
    const server = await listenTcp(gateway.protocol);
    const client = await connectTcp(server.port);
    client.send(slow(1));
    client.write('{"jsonrpc":');
    await until(() => owed.length === 1);
    const abandoned = new Promise((resolve) => owed[0]?.once('close', resolve));
    client.socket.resetAndDestroy();
    await abandoned;
    const next = await connectTcp(server.port);
    expect((await next.ask(legacy(1, 'ping'))).result).toEqual({});
    next.socket.destroy();
    await server.close(0);
  });

  test('can be closed although a client reads nothing', async () => {
    const server = await listenTcp(gateway.protocol);
    const deaf = await connectTcp(server.port);
    await deaf.ask(legacy('first', 'ping'));
    deaf.socket.pause();
    for (let id = 0; id < 2_000; id++) deaf.send(legacy(id, 'tools/list'));
    await new Promise((resolve) => setImmediate(resolve));
    await server.close(0);
    deaf.socket.destroy();
  });

  test('reports a port that is in use', async () => {
    const server = await listenTcp(gateway.protocol);
    await expect(listenTcp(gateway.protocol, { port: server.port })).rejects.toMatchObject({
      code: 'CANNOT_LISTEN',
      message: `TCP port ${server.port} on 127.0.0.1 is already in use. Stop the other program, or choose another port with --tcp (0 picks a free one).`,
    });
    await server.close(0);
  });
});

describe('a peer that does not speak JSON-RPC', () => {
  const call = JSON.stringify(listing(1, 1));
  const NO_TEXT: Rpc = {
    jsonrpc: '2.0',
    error: { code: -32700, message: 'Parse error: the line is not valid UTF-8.' },
  };
  const NO_JSON: Rpc = {
    jsonrpc: '2.0',
    error: { code: -32700, message: 'Parse error: the message is not valid JSON.' },
  };

  test.each<[string, Buffer | string, Rpc]>([
    ['a web page', `POST / HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: text/plain\r\n\r\n${call}\r\n`, NO_JSON],
    [
      'bytes that are no text',
      Buffer.concat([Buffer.from([0x22, 0xff, 0x22, 0x0a]), Buffer.from(`${call}\n`)]),
      NO_TEXT,
    ],
    ['a JSON value that is no message', `"hello"\n${call}\n`, expect.objectContaining({ error: expect.anything() })],
    ['an object that is no message', `{}\n${call}\n`, expect.objectContaining({ error: expect.anything() })],
    ['half a megabyte of nothing', 'x\n'.repeat(256 * 1024), NO_JSON],
  ])('is disconnected on TCP: after %s nothing is read, and nothing runs', async (_, bytes, error) => {
    const server = await listenTcp(gateway.protocol);
    const client = await connectTcp(server.port);
    const before = upstream.seen.length;
    client.write(bytes);
    await client.closed;
    expect(client.received).toEqual([error]);
    expect(upstream.seen.length).toBe(before);
    client.socket.destroy();
    await server.close(0);
  });

  test('is disconnected on TCP after twenty lines in a row that are not messages', async () => {
    const server = await listenTcp(gateway.protocol);
    const client = await connectTcp(server.port);
    await client.ask(legacy(0, 'ping'));
    client.write('{}\n'.repeat(1_000));
    await client.closed;
    expect(client.received).toHaveLength(22);
    client.socket.destroy();
    await server.close(0);
  });

  test('is answered on stdio, where it is a mistake of the only client', async () => {
    const client = await open.stdio();
    client.write(Buffer.from([0x22, 0xff, 0x22, 0x0a]));
    client.send('hello');
    await client.ask(legacy(1, 'ping'));
    expect(client.received).toEqual([NO_TEXT, NO_JSON, { jsonrpc: '2.0', id: 1, result: {} }]);
    await client.close();
  });
});

describe('answers that are ready at the same time', () => {
  const converse = async (joinsWrites: boolean) => {
    const writes: string[] = [];
    const output = new Writable({
      decodeStrings: false,
      write: (chunk: string, _encoding, callback) => {
        writes.push(chunk);
        callback();
      },
      writev: (chunks, callback) => {
        writes.push(chunks.map(({ chunk }) => chunk as string).join(''));
        callback();
      },
    });
    const protocol = { handle: async (text: string) => ({ body: text, status: 200 }) } as unknown as Protocol;
    const input = new PassThrough();
    const principal = { id: 'ann' };
    const parts = { protocol, transport: 'tcp', principal, input, output, limits: LINE_LIMITS, joinsWrites } as const;
    const { finished } = new Conversation(parts);
    input.end('1\n2\n3\n');
    await finished;
    return writes;
  };

  test('are sent with one write over TCP', async () => {
    expect(await converse(true)).toEqual(['1\n2\n3\n']);
  });

  test('are sent one by one otherwise', async () => {
    expect(await converse(false)).toEqual(['1\n', '2\n', '3\n']);
  });
});
