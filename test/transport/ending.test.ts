// The end of a transport: what its answers say, who is waited for, and what those are told who were waited for too long.

import type { ServerResponse } from 'node:http';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { ExecutionContext } from '../../src/call/execution-context.ts';
import { createGateway, defineTool, type Gateway, serveHttp } from '../../src/index.ts';
import { connectTcp, listenTcp, openStdio } from '../support/lines.ts';
import { headersOf, legacy, modern, post, type Rpc } from '../support/mcp.ts';
import { petsDomain } from '../support/pets.ts';
import { openRaw, rawPost } from '../support/raw.ts';
import { useRealHttp } from '../support/real-http.ts';
import { until } from '../support/until.ts';
import { startUpstream, type Upstream } from '../support/upstream.ts';

useRealHttp();

let upstream: Upstream;
let gateway: Gateway;
let owed: ServerResponse[];
let records: ExecutionContext[];
let hasSaid = () => {};

/** Takes no notice of anything, as code from outside may. */
const deaf = defineTool({ name: 'deaf', description: 'Never ends.', run: () => new Promise<string>(() => {}) });
const chatty = defineTool({
  name: 'chatty',
  description: 'Says how far it is, and never ends.',
  run: (context) => {
    context.progress?.(1, 2, 'on the way');
    hasSaid();
    return new Promise<string>(() => {});
  },
});

beforeEach(async () => {
  owed = [];
  records = [];
  upstream = await startUpstream((_seen, response) => void owed.push(response));
  gateway = createGateway({
    domains: [petsDomain(upstream.url)],
    exposure: 'tools',
    native: { tools: [deaf, chatty] },
    audit: {
      admit: () => {},
      begin: () => {},
      write: (record: ExecutionContext) => records.push(record) > 0,
      countRefused: () => {},
    },
  });
});
afterEach(async () => {
  await gateway.close();
  await upstream.close();
});

const serve = () => serveHttp(gateway, { port: 0, giveUp: gateway.abort });
const urlOf = ({ port }: { port: number }) => `http://127.0.0.1:${port}/mcp`;
const list = modern('m', 'tools/call', { name: 'pets_list' });
const add = legacy('l', 'tools/call', { name: 'pets_create', arguments: { name: 'Rex' } });
const failureOf = ({ result }: Rpc) => (result as { structuredContent: object }).structuredContent;

describe('an HTTP server that is draining', () => {
  test('still serves requests, and every answer closes its connection: calls, routes, refusals and streams', async () => {
    const server = await serve();
    server.drain();
    const base = `http://127.0.0.1:${server.port}`;
    const headersAt = async (message: Rpc, headers = {}) =>
      (await post(`${base}/mcp`, JSON.stringify(message), headers)).headers.connection;
    expect(await headersAt(legacy(1, 'ping'))).toBe('close');
    expect(await headersAt(legacy(1, 'nonsense'))).toBe('close');
    expect(await headersAt(legacy(1, 'ping'), { host: 'elsewhere.example' })).toBe('close');
    expect(await headersAt({ jsonrpc: '2.0', method: 'notifications/initialized' })).toBe('close');
    for (const path of ['/healthz', '/readyz', '/', '/mcp', '/nothing'])
      expect((await fetch(base + path)).headers.get('connection')).toBe('close');
    const listen = modern('s', 'subscriptions/listen', { notifications: {} });
    const streaming = post(`${base}/mcp`, JSON.stringify(listen), headersOf(listen));
    gateway.drain();
    expect(await streaming).toMatchObject({ status: 200, headers: { connection: 'close' } });
    await server.close(1_000);
  });

  test('closes a connection only with the last answer of several pipelined requests', async () => {
    const server = await serve();
    const raw = await openRaw(server.port);
    raw.socket.write(rawPost(JSON.stringify(legacy(1, 'tools/call', { name: 'pets_list' }))));
    await until(() => owed.length === 1);
    raw.socket.write(rawPost(JSON.stringify(legacy(2, 'ping'))) + rawPost(JSON.stringify(legacy(3, 'ping'))));
    server.drain();
    const closing = server.close(60_000);
    owed[0]!.end('[]');
    const text = await raw.wait((all) => all.includes('"id":3'));
    expect([1, 2, 3].filter((id) => text.includes(`"id":${id}`))).toEqual([1, 2, 3]);
    await closing;
  });

  test('loses no request that comes in the same bytes as one that is answered at once', async () => {
    const server = await serve();
    const raw = await openRaw(server.port);
    raw.socket.write(rawPost(JSON.stringify(legacy(1, 'ping'))));
    await raw.wait((text) => text.includes('"id":1'));
    server.drain();
    raw.socket.write([2, 3, 4].map((id) => rawPost(JSON.stringify(legacy(id, 'ping')))).join(''));
    const text = await Promise.race([raw.closed, raw.wait((all) => all.includes('"id":4'))]);
    expect(text.match(/"id":\d/g)).toEqual(['"id":1', '"id":2', '"id":3', '"id":4']);
    await server.close(1_000);
  });

  test('answers a request on a connection that was idle while others finish', async () => {
    const server = await serve();
    const idle = await openRaw(server.port);
    idle.socket.write(rawPost(JSON.stringify(legacy(1, 'ping'))));
    await idle.wait((text) => text.includes('"id":1'));
    const closing = server.close(60_000);
    idle.socket.write(rawPost(JSON.stringify(legacy(2, 'ping'))));
    await idle.wait((text) => text.includes('"id":2'));
    await idle.closed;
    await closing;
  });
});

test('at the connection limit, the connection that has been idle longest is closed', async () => {
  const server = await serveHttp(gateway, { port: 0, maxHttpConnections: 2 });
  const ask = async (raw: Awaited<ReturnType<typeof openRaw>>, id: number) => {
    raw.socket.write(rawPost(JSON.stringify(legacy(id, 'ping'))));
    await raw.wait((text) => text.includes(`"id":${id}`));
  };
  const [first, second] = [await openRaw(server.port), await openRaw(server.port)];
  await ask(first, 1);
  await ask(second, 2);
  await ask(first, 3);
  const third = await openRaw(server.port);
  await second.closed;
  await ask(third, 4);
  await ask(first, 5);
  await server.close(0);
});

describe('when the grace time is over', () => {
  test('a waiting HTTP client gets 503 with the state of its call; the request to the API is aborted and the audit trail has the call', async () => {
    const server = await serve();
    const read = post(urlOf(server), JSON.stringify(list), headersOf(list));
    const write = post(urlOf(server), JSON.stringify(add));
    const code = post(urlOf(server), JSON.stringify(legacy('d', 'tools/call', { name: 'deaf' })));
    await until(() => owed.length === 2);
    const abandoned = owed.map((response) => new Promise((resolve) => response.once('close', resolve)));
    await server.close(50);
    for (const answer of [await read, await write, await code])
      expect(answer).toMatchObject({ status: 503, headers: { 'retry-after': '5', connection: 'close' } });
    expect(JSON.parse((await read).body)).toMatchObject({ id: 'm', result: { isError: true, resultType: 'complete' } });
    expect(failureOf(JSON.parse((await read).body) as Rpc)).toEqual({
      tool: 'pets_list',
      retry_after_seconds: 5,
      failure_mode: 'shutting_down',
      message: 'pets_list: the gateway is shutting down. Nothing was changed, so it is safe to call again in 5 s.',
    });
    expect(failureOf(JSON.parse((await write).body) as Rpc)).toMatchObject({
      failure_mode: 'shutting_down',
      message:
        'pets_create: the gateway is shutting down. The request may have taken effect: check that before repeating it.',
    });
    await Promise.all(abandoned);
    expect(records.map(({ tool, results }) => [tool, results[0]?.failureMode])).toEqual(
      expect.arrayContaining([
        ['pets_list', 'shutting_down'],
        ['pets_create', 'shutting_down'],
        ['deaf', 'shutting_down'],
      ]),
    );
  });

  test('a client of an event stream gets the error as an event', async () => {
    const server = await serve();
    const call = modern('c', 'tools/call', { name: 'chatty', _meta: { progressToken: 't' } });
    const said = new Promise<void>((resolve) => {
      hasSaid = resolve;
    });
    const answer = post(urlOf(server), JSON.stringify(call), headersOf(call));
    await said;
    await server.close(50);
    expect((await answer).status).toBe(200);
    expect((await answer).body).toContain('on the way');
    expect((await answer).body).toContain('"failure_mode":"shutting_down"');
  });

  test('a request whose body is incomplete is refused with 503', async () => {
    const server = await serve();
    const raw = await openRaw(server.port);
    raw.socket.write(rawPost(JSON.stringify(legacy(1, 'ping'))).slice(0, -5));
    await server.close(300);
    const text = await raw.wait((all) => all.includes('shutting down'));
    expect(text).toMatch(/^HTTP\/1\.1 503 [\s\S]*retry-after: 5/i);
  });

  test('a waiting TCP client gets a line, and its connection is closed', async () => {
    const server = await listenTcp(gateway.protocol, { giveUp: gateway.abort });
    const client = await connectTcp(server.port);
    let error: Error | undefined;
    client.socket.on('error', (reset) => {
      error = reset;
    });
    client.send(legacy('t', 'tools/call', { name: 'pets_list' }));
    await until(() => owed.length === 1);
    const closing = server.close(50);
    expect(failureOf(await client.find(({ id }) => id === 't'))).toMatchObject({ failure_mode: 'shutting_down' });
    await client.closed;
    client.socket.end();
    await closing;
    expect(error).toBeUndefined();
  });

  test('a waiting stdio client gets a line', async () => {
    const client = openStdio(gateway.protocol, {
      maxLineBytes: 1_000,
      maxConcurrent: 10,
      giveUp: gateway.abort,
    } as never);
    client.send(modern('s', 'tools/call', { name: 'deaf' }));
    client.send(legacy('q', 'ping'));
    await client.find(({ id }) => id === 'q');
    await client.close(50);
    expect(failureOf(await client.find(({ id }) => id === 's'))).toMatchObject({ failure_mode: 'shutting_down' });
  });
});
