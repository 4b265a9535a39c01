// Limits of a whole gateway, judged by what reached the APIs.

import { createInterface } from 'node:readline';
import { PassThrough } from 'node:stream';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Principal } from '../../src/call/caller.ts';
import type { Evidence } from '../../src/call/evidence.ts';
import { createGateway, type Gateway, type GatewayOptions } from '../../src/gateway.ts';
import type { Sender } from '../../src/protocol/sender.ts';
import { startStdio } from '../../src/transport/lines/stdio.ts';
import { LINKS, legacy, modern, post, type Rpc } from '../support/mcp.ts';
import { petsDomain } from '../support/pets.ts';
import { gate, until } from '../support/until.ts';
import { type Answer, startUpstream, type Upstream } from '../support/upstream.ts';

let upstream: Upstream;
let gateway: Gateway;
let answer: Answer;
const atOnce: Answer = (_request, response) => void response.end('[]');

beforeEach(async () => {
  answer = atOnce;
  upstream = await startUpstream((request, response) => answer(request, response));
});

afterEach(async () => {
  await gateway.close();
  await upstream.close();
});

function open(limits: GatewayOptions['limits'], more: Partial<GatewayOptions> = {}): Gateway {
  gateway = createGateway({ domains: [petsDomain(upstream.url)], exposure: 'tools', limits, ...more });
  return gateway;
}

interface Result {
  readonly isError?: boolean;
  readonly structuredContent?: Record<string, unknown>;
  readonly content?: readonly { readonly text?: string }[];
}

let id = 0;

async function call(principal: Principal, tool = 'pets_list', sender: Partial<Sender> = {}): Promise<Result> {
  const message = modern(++id, 'tools/call', { name: tool, arguments: tool.endsWith('_list') ? {} : { id: 7 } });
  const reply = await gateway.handle(message, { principal, ...sender });
  return (JSON.parse(reply!.body) as Rpc).result as Result;
}

const many = <Item>(count: number, make: (index: number) => Item) => Array.from({ length: count }, (_, at) => make(at));
const isRefused = ({ structuredContent }: Result) => structuredContent?.failure_mode === 'rate_limited';

describe('the rate of a caller', () => {
  test('lets the configured number of calls reach the API, and tells the others when to call again', async () => {
    open({ perPrincipal: { rate: '20/hour' } });
    const results = await Promise.all(many(50, () => call({ id: 'key:ci' })));
    expect(upstream.seen).toHaveLength(20);
    expect(results.filter(isRefused)).toHaveLength(30);
    const refused = results.find(isRefused)!;
    expect(refused).toMatchObject({
      isError: true,
      structuredContent: {
        failure_mode: 'rate_limited',
        tool: 'pets_list',
        limit: 'rate of key:ci',
        retry_after_seconds: 180,
      },
    });
    expect(refused.content?.[0]?.text).toContain('you have used up your limit of 20/hour calls');
    expect(gateway.limits.refused).toMatchObject({ principalRate: 30 });
  });

  test('counts calls over all profiles, transports, revisions and connections, also hidden and wrong ones', async () => {
    open({ perPrincipal: { rate: '6/hour' } }, { profiles: { reader: { effects: ['read'] } } });
    const principal = { id: 'https://id.example.com|alice' };
    const reader = gateway.serviceOf('reader')!;
    await call(principal);
    await call(principal, 'pets_list', { transport: 'tcp' });
    await call(principal, 'no_such_tool');
    await gateway.handle(legacy(1, 'tools/call', { name: 'pets_list', arguments: {} }), { principal });
    await reader.handle(modern('x', 'tools/call', { name: 'pets_list', arguments: {} }), { principal });
    await gateway.handle(modern(2, 'resources/read', { uri: 'pets://about' }), { principal });
    expect(upstream.seen).toHaveLength(4);
    expect(isRefused(await call(principal))).toBe(true);
    const reply = await reader.handle(modern(3, 'prompts/get', { name: 'introduce', arguments: { kind: 'cat' } }), {
      principal,
    });
    expect(JSON.parse(reply!.body)).toMatchObject({ error: { data: { failure_mode: 'rate_limited' } } });
    expect(reply!.status).toBe(200);
    expect(upstream.seen).toHaveLength(4);
  });

  test('can be set per key and issuer, and two keys of one caller share it', async () => {
    open({ perPrincipal: { rate: '2/hour' } });
    await Promise.all(many(9, () => call({ id: 'key:big', limits: { rate: '5/hour' } })));
    expect(upstream.seen).toHaveLength(5);
    await Promise.all(many(9, () => call({ id: 'key:small' })));
    expect(upstream.seen).toHaveLength(7);
    // As while keys are rotated: other objects with the same id.
    await Promise.all(many(9, (at) => call({ id: 'key:two', limits: { rate: at % 2 ? '4/hour' : '4/hour' } })));
    expect(upstream.seen).toHaveLength(11);
  });

  test('records the first refused call and then only counts, so that refusals do not fill a disk', async () => {
    const records: string[] = [];
    const counted: [string, number][] = [];
    const audit: Evidence = {
      admit: () => {},
      begin: () => {},
      write: ({ principal }) => records.push(principal.id) > 0,
      countRefused: (principal, count) => counted.push([principal, count]),
    };
    open({ perPrincipal: { rate: '2/hour' } }, { audit });
    await Promise.all(many(50, () => call({ id: 'key:ci' })));
    await call({ id: 'key:other' });
    // Two that were made and the first that was not.
    expect(records.toSorted()).toEqual(['key:ci', 'key:ci', 'key:ci', 'key:other']);
    await gateway.close();
    expect(counted).toEqual([['key:ci', 47]]);
  });

  test('does not count lists and pings', async () => {
    open({ perPrincipal: { rate: '1/hour' } });
    for (let i = 0; i < 5; i++) {
      const reply = await gateway.handle(modern(i, 'tools/list'), { principal: { id: 'a' } });
      expect(JSON.parse(reply!.body)).toHaveProperty('result.tools');
    }
  });
});

test.each(Object.keys(LINKS) as (keyof typeof LINKS)[])(
  'a refusal over %s is an answer like any other',
  async (name) => {
    open({ perPrincipal: { rate: '1/hour' } });
    const link = await LINKS[name](gateway);
    const text = JSON.stringify(modern(1, 'tools/call', { name: 'pets_list', arguments: {} }));
    const answers = [await link.send(text), await link.send(text)].map((body) => JSON.parse(body!) as Rpc);
    expect(answers.map(({ result }) => result?.isError ?? false)).toEqual([false, true]);
    expect(answers[1]).toMatchObject({ result: { structuredContent: { failure_mode: 'rate_limited' } } });
    await link.close();
  },
);

describe('the concurrent calls of a caller', () => {
  test('are limited over all its connections, and do not make other callers wait', async () => {
    const held = gate();
    answer = (_request, response) => void held.opened.then(() => response.end('[]'));
    open({ perPrincipal: { concurrent: 3, queue: 2, waitSeconds: 60 } });
    const calls = many(10, () => call({ id: 'noisy' }));
    await until(() => upstream.seen.length === 3);
    const other = call({ id: 'quiet' });
    await until(() => upstream.seen.length === 4);
    held.open();
    const results = await Promise.all(calls);
    expect(results.filter(isRefused)).toHaveLength(5);
    expect(isRefused(await other)).toBe(false);
    expect(results.find(isRefused)).toMatchObject({ structuredContent: { limit: 'concurrent calls of noisy' } });
  });

  /** A client on stdio that can ask its person. */
  function openAsking() {
    const stdin = new PassThrough();
    const stdout = new PassThrough();
    const server = startStdio(
      gateway.protocol,
      { maxLineBytes: 1e6, maxConcurrent: 9 },
      stdin as never,
      stdout as never,
    );
    const lines: Rpc[] = [];
    createInterface(stdout).on('line', (line) => lines.push(JSON.parse(line) as Rpc));
    const send = (message: Rpc) => stdin.write(`${JSON.stringify(message)}\n`);
    send(
      legacy(1, 'initialize', {
        protocolVersion: '2025-11-25',
        capabilities: { elicitation: {} },
        clientInfo: { name: 'c', version: '1' },
      }),
    );
    const questions = () => lines.filter(({ method }) => method === 'elicitation/create');
    const agree = ({ id }: Rpc) =>
      send({ jsonrpc: '2.0', id: id!, result: { action: 'accept', content: { confirm: true } } });
    return { server, lines, send, questions, agree };
  }

  test('do not count while they wait for a person’s answer', async () => {
    open({ perPrincipal: { concurrent: 1, queue: 0 } });
    const { server, lines, send, questions, agree } = openAsking();
    send(legacy(2, 'tools/call', { name: 'pets_delete', arguments: { id: 7 } }));
    await until(() => questions().length === 1);
    // The only place is free while the person thinks.
    expect(isRefused(await call({ id: 'local' }))).toBe(false);
    agree(questions()[0]!);
    await until(() => lines.some((line) => line.id === 2));
    expect(upstream.seen.map(({ method }) => method)).toEqual(['GET', 'DELETE']);
    // And taken, and given back, exactly once.
    const held = gate();
    answer = (_request, response) => void held.opened.then(() => response.end('[]'));
    const one = call({ id: 'local' });
    await until(() => upstream.seen.length === 3);
    expect(isRefused(await call({ id: 'local' }))).toBe(true);
    held.open();
    expect(isRefused(await one)).toBe(false);
    await server.close(0);
  });

  test('stay limited if many answers come at once: each call waits for a permit again', async () => {
    let now = 0;
    let most = 0;
    answer = (_request, response) => {
      most = Math.max(most, ++now);
      setTimeout(() => {
        now--;
        response.end('[]');
      }, 5);
    };
    // No queue for new calls; those that were asked about have begun.
    open({ perPrincipal: { concurrent: 2, queue: 0, waitSeconds: 60 } });
    const { server, lines, send, questions, agree } = openAsking();
    for (let at = 0; at < 8; at++) {
      send(legacy(10 + at, 'tools/call', { name: 'pets_delete', arguments: { id: at + 1 } }));
      await until(() => questions().length === at + 1);
    }
    questions().forEach(agree);
    const answers = () => lines.filter(({ id }) => typeof id === 'number' && id >= 10 && id < 18);
    await until(() => answers().filter(({ method }) => method === undefined).length === 8);
    expect(most).toBe(2);
    expect(upstream.seen).toHaveLength(8);
    // Every place was given back.
    await Promise.all([call({ id: 'local' }), call({ id: 'local' })]);
    expect(upstream.seen).toHaveLength(10);
    await server.close(0);
  });

  test('are refused if they get no permit again in time, and keep none', async () => {
    const held = gate();
    answer = (_request, response) => void held.opened.then(() => response.end('[]'));
    open({ perPrincipal: { concurrent: 1, queue: 0, waitSeconds: 0.05 } });
    const { server, lines, send, questions, agree } = openAsking();
    send(legacy(10, 'tools/call', { name: 'pets_delete', arguments: { id: 7 } }));
    await until(() => questions().length === 1);
    const other = call({ id: 'local' });
    await until(() => upstream.seen.length === 1);
    agree(questions()[0]!);
    await until(() => lines.some(({ id }) => id === 10));
    expect(lines.find(({ id }) => id === 10)?.result).toMatchObject({
      structuredContent: { failure_mode: 'rate_limited' },
    });
    held.open();
    await other;
    expect(isRefused(await call({ id: 'local' }))).toBe(false);
    expect(upstream.seen.map(({ method }) => method)).toEqual(['GET', 'GET']);
    await server.close(0);
  });
});

describe('the concurrent calls of an API', () => {
  test('are limited per domain and origin: an API that never answers does not block others', async () => {
    const dead = await startUpstream(() => {});
    const deadPets = petsDomain(dead.url, {}, { name: 'dead', prompts: {}, resources: {} });
    const sameHost = petsDomain(dead.url, {}, { name: 'same', prompts: {}, resources: {} });
    open(
      { perUpstream: { concurrent: 4, queue: 4, waitSeconds: 60 } },
      { domains: [petsDomain(upstream.url), deadPets, sameHost] },
    );
    const [leave, again] = [new AbortController(), new AbortController()];
    const lost = many(40, () => call({ id: 'anonymous' }, 'dead_list', { signal: leave.signal }));
    await until(() => dead.seen.length === 4);
    for (let i = 0; i < 5; i++) expect((await call({ id: 'anonymous' })).isError ?? false).toBe(false);
    const same = call({ id: 'anonymous' }, 'same_get', { signal: leave.signal });
    await until(() => dead.seen.length === 5);
    leave.abort();
    await Promise.all([...lost, same]);
    // Whoever left has left room.
    const next = many(4, () => call({ id: 'anonymous' }, 'dead_list', { signal: again.signal }));
    await until(() => dead.seen.length === 9);
    again.abort();
    await Promise.all(next);
    await dead.close();
  });

  test('have one permit per call: a redirect neither waits again nor is refused', async () => {
    answer = ({ url }, response) =>
      url === '/pets' ? response.writeHead(302, { location: '/pets/' }).end() : response.end('[]');
    open({ perUpstream: { rate: '2/hour', concurrent: 1, waitSeconds: 0.05 } });
    for (let round = 0; round < 2; round++) expect((await call({ id: 'a' })).isError ?? false).toBe(false);
    expect(upstream.seen.map(({ url }) => url)).toEqual(['/pets', '/pets/', '/pets', '/pets/']);
    const refused = await call({ id: 'a' });
    expect(refused.content?.[0]?.text).toContain('Nothing was sent.');
    expect(upstream.seen).toHaveLength(4);
  });

  test('are admitted in turn by caller: one that sends a hundred times as much does not starve another', async () => {
    answer = (_request, response) => void setTimeout(() => response.end('[]'), 2);
    open({ perPrincipal: { concurrent: 1_000 }, perUpstream: { concurrent: 2, queue: 1_000, waitSeconds: 60 } });
    let served = 0;
    const noisy = many(400, () => call({ id: 'noisy' }).then(() => served++));
    await until(() => upstream.seen.length > 2);
    const quiet = await Promise.all(many(4, () => call({ id: 'quiet' })));
    const before = served;
    expect(quiet.some(isRefused)).toBe(false);
    expect(before).toBeLessThan(200);
    await Promise.all(noisy);
    expect(upstream.seen).toHaveLength(404);
  });

  test('refuse a call of the caller with the longest queue if the queue is full', async () => {
    const held = gate();
    answer = (_request, response) => void held.opened.then(() => response.end('[]'));
    open({ perUpstream: { concurrent: 1, queue: 5, waitSeconds: 60 } });
    const noisy = many(50, () => call({ id: 'noisy' }));
    await until(() => upstream.seen.length === 1);
    const quiet = call({ id: 'quiet' });
    await new Promise((resolve) => setImmediate(resolve));
    held.open();
    expect(isRefused(await quiet)).toBe(false);
    const refused = (await Promise.all(noisy)).filter(isRefused);
    expect(refused).toHaveLength(45);
    expect(JSON.stringify(refused)).not.toContain('quiet');
    expect(refused[0]).toMatchObject({ structuredContent: { limit: 'calls of pets at once', retry_after_seconds: 1 } });
  });

  test('are not sent if they are cancelled or too late while they wait', async () => {
    const held = gate();
    answer = (_request, response) => void held.opened.then(() => response.end('[]'));
    open({ perUpstream: { concurrent: 1, waitSeconds: 0.05 } });
    const first = call({ id: 'a' });
    await until(() => upstream.seen.length === 1);
    const leaving = new AbortController();
    const cancelled = call({ id: 'a' }, 'pets_list', { signal: leaving.signal });
    const late = await call({ id: 'a' });
    leaving.abort();
    await cancelled;
    expect(isRefused(late)).toBe(true);
    held.open();
    await first;
    expect(upstream.seen).toHaveLength(1);
  });

  test('can have a rate limit in the domain file; calls wait for a token', async () => {
    const domain = petsDomain(upstream.url, {}, { limits: { rate: '3/hour', waitSeconds: 0 } });
    open({ perUpstream: { rate: '1000/s' } }, { domains: [domain] });
    const results = await Promise.all(many(10, (at) => call({ id: `caller ${at}` })));
    expect(upstream.seen).toHaveLength(3);
    expect(results.filter(isRefused)).toHaveLength(7);
    expect(results.find(isRefused)).toMatchObject({ structuredContent: { limit: 'calls of pets at once, or 3/hour' } });
  });
});

describe('an overloaded gateway', () => {
  const SLOW = { eventLoopMs: 900, heapPercent: 10 };

  test('refuses calls: with 503 and Retry-After over HTTP, before the body is read, else as a typed failure', async () => {
    open({});
    const { serveHttp: serve } = await import('../../src/transport/serve-http.ts');
    const server = await serve(gateway, { port: 0 });
    const url = `http://127.0.0.1:${server.port}`;
    for (let now = 0; now < 1_000; now += 250) gateway.limits.overload.note(SLOW, now);
    const refused = await post(`${url}/mcp`, JSON.stringify(legacy(1, 'ping')));
    expect(refused).toMatchObject({ status: 503, headers: { 'retry-after': '2' } });
    expect(JSON.parse(refused.body)).toMatchObject({ error: { message: expect.stringContaining('overloaded') } });
    expect((await fetch(`${url}/healthz`)).status).toBe(200);
    expect((await fetch(`${url}/readyz`)).status).toBe(200);
    expect(await call({ id: 'local' })).toMatchObject({
      structuredContent: { failure_mode: 'rate_limited', limit: 'load of the gateway' },
    });
    expect(gateway.limits.refused).toMatchObject({ overload: 2 });
    await until(() => !gateway.limits.overload.isShedding);
    expect((await post(`${url}/mcp`, JSON.stringify(legacy(1, 'ping')))).status).toBe(200);
    expect(upstream.seen).toHaveLength(0);
    await server.close(0);
  });

  test('is not ready if hardly any memory is left', async () => {
    open({ shed: { heapPercent: 99.9 } });
    const { serveHttp: serve } = await import('../../src/transport/serve-http.ts');
    const server = await serve(gateway, { port: 0 });
    gateway.limits.overload.stop();
    gateway.limits.overload.note({ eventLoopMs: 1, heapPercent: 96 }, 0);
    const ready = await fetch(`http://127.0.0.1:${server.port}/readyz`);
    expect([ready.status, await ready.json()]).toEqual([503, { status: 'out of memory' }]);
    await server.close(0);
  });
});
