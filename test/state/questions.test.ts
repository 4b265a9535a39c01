// Questions to people whose answers arrive at another process than the one that asked: the official client of the legacy era through a
// proxy without sticky sessions, with Redis and with workers. The tests check what reached the API.

import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { ElicitRequestSchema } from '@modelcontextprotocol/sdk/types.js';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { legacy, post } from '../support/mcp.ts';
import { petsDomain } from '../support/pets.ts';
import { useRealHttp } from '../support/real-http.ts';
import { HAS_REDIS, type Redis, startRedis } from '../support/redis.ts';
import { type Replica, type Replicas, startReplicas } from '../support/replicas.ts';
import { stream } from '../support/stream.ts';
import { until } from '../support/until.ts';
import { startUpstream, type Upstream } from '../support/upstream.ts';

useRealHttp();

const closing: (() => unknown)[] = [];
let upstream: Upstream;
/** Calls that the API does not answer; it only notices when they are aborted. */
let abandoned = 0;
beforeEach(async () => {
  abandoned = 0;
  upstream = await startUpstream(({ url }, response) => {
    if (url === '/pets/99') return void response.once('close', () => abandoned++);
    response.setHeader('content-type', 'application/json');
    response.end('{}');
  });
  closing.push(() => upstream.close());
});
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

async function openRedis(): Promise<Redis> {
  const redis = await startRedis();
  closing.push(() => redis.close());
  return redis;
}

async function open(count: number, redis?: Redis): Promise<Replicas> {
  const replicas = await startReplicas(count, { domains: [petsDomain(upstream.url)] }, redis?.url);
  closing.push(() => replicas.close());
  return replicas;
}

async function connect(url: string, answer: () => 'accept' | 'decline' = () => 'accept'): Promise<Client> {
  const client = new Client({ name: 'test', version: '1' }, { capabilities: { elicitation: {} } });
  client.setRequestHandler(ElicitRequestSchema, () => {
    const action = answer();
    return action === 'accept' ? { action, content: { confirm: true } } : { action };
  });
  await client.connect(new StreamableHTTPClientTransport(new URL(url)));
  closing.push(() => client.close());
  return client;
}

const deleted = () => upstream.seen.map(({ method, url }) => `${method} ${url}`);

const WAYS: [string, () => Promise<Redis | undefined>][] = [
  ['workers through their primary', async () => undefined],
  ...(HAS_REDIS ? [['replicas through Redis', openRedis] as [string, () => Promise<Redis>]] : []),
];

describe.each(WAYS)('%s', (_, openWay) => {
  test('hundreds of questions are answered once each, without sticky sessions', async () => {
    const replicas = await open(3, await openWay());
    const clients = await Promise.all(Array.from({ length: 5 }, () => connect(replicas.url)));
    const results: object[] = [];
    // No client has more open questions than it may have at one process.
    for (let round = 0; round < 6; round++) {
      const calls = Array.from({ length: 50 }, (_, at) =>
        clients[at % 5]!.callTool({ name: 'pets_delete', arguments: { id: 100 + round * 50 + at } }),
      );
      results.push(...(await Promise.all(calls)));
    }
    expect(results.filter((result) => 'isError' in result && result.isError)).toEqual([]);
    expect(deleted().sort()).toEqual(Array.from({ length: 300 }, (_, at) => `DELETE /pets/${at + 100}`).sort());
  });

  test('a person’s no counts at whichever process it arrives', async () => {
    const replicas = await open(2, await openWay());
    const client = await connect(replicas.url, () => 'decline');
    const results = await Promise.all(
      Array.from({ length: 20 }, (_, at) => client.callTool({ name: 'pets_delete', arguments: { id: at + 1 } })),
    );
    expect(
      new Set(results.map(({ structuredContent }) => (structuredContent as { failure_mode: string }).failure_mode)),
    ).toEqual(new Set(['not_confirmed']));
    expect(deleted()).toEqual([]);
  });

  test('a cancellation reaches the process that runs the call', async () => {
    const replicas = await open(2, await openWay());
    const client = await connect(replicas.url);
    for (let at = 1; at <= 6; at++) {
      const leaving = new AbortController();
      const call = client.callTool({ name: 'pets_get', arguments: { id: 99 } }, undefined, { signal: leaving.signal });
      const outcome = expect(call).rejects.toThrow();
      await until(() => upstream.seen.length === at);
      leaving.abort();
      await outcome;
      await until(() => abandoned === at);
    }
  });

  test('an unreadable answer ends the question at once, in whichever process it was asked', async () => {
    const [one, two] = (await open(2, await openWay())).all;
    const asked = await ask(one!);
    await post(two!.url, 'x'.repeat(2 * 1024 * 1024), asked.headers).catch(() => undefined);
    expect(await asked.outcome()).toContain('could not be read');
  });

  test('an answer from another client, or to an unknown question, has no effect', async () => {
    const [one, two] = (await open(2, await openWay())).all;
    const asked = await ask(one!);
    const other = await introduce(two!);
    const yes = { action: 'accept', content: { confirm: true } };
    expect(await answer(two!, asked.id, yes, other)).toBe(202);
    expect(await answer(two!, `${asked.id.slice(0, -4)}0000`, yes, asked.headers)).toBe(202);
    expect(await answer(two!, asked.id, yes, {})).toBe(202);
    expect(deleted()).toEqual([]);
    expect(await answer(two!, asked.id, yes, asked.headers)).toBe(202);
    expect(await asked.outcome()).not.toContain('isError":true');
    // The second time, no question waits for the answer.
    expect(await answer(two!, asked.id, yes, asked.headers)).toBe(202);
    expect(deleted()).toEqual(['DELETE /pets/7']);
  });

  test('an answer for a process that has ended is refused with advice', async () => {
    const [one, two] = (await open(2, await openWay())).all;
    const headers = await introduce(one!);
    const id = `landbridge-${'0'.repeat(16)}-00000000-0000-4000-8000-000000000000`;
    const { status, body } = await postAnswer(two!, id, { action: 'accept' }, headers);
    expect(status).toBe(503);
    expect(JSON.parse(body)).toMatchObject({
      error: { code: -32603, message: expect.stringContaining('Send the same answer again') },
    });
  });
});

describe.skipIf(!HAS_REDIS)('questions while Redis', () => {
  const YES = { action: 'accept', content: { confirm: true } };

  test('is down are answered only at the process that asked; afterwards at every process', async () => {
    const redis = await openRedis();
    const [one, two] = (await open(2, redis)).all;
    const asked = await ask(one!);
    const here = await ask(one!, 8);
    await redis.kill();
    await until(() => !one!.state.isUsable && !two!.state.isUsable);
    const { status, body } = await postAnswer(two!, asked.id, YES, asked.headers);
    expect([status, body]).toEqual([503, expect.stringContaining('shared state is down')]);
    expect(await answer(one!, here.id, YES, here.headers)).toBe(202);
    expect(await here.outcome()).not.toContain('isError":true');
    await redis.restart();
    await until(() => one!.state.isUsable && two!.state.isUsable);
    // The client follows the advice.
    while ((await answer(two!, asked.id, YES, asked.headers)) !== 202);
    expect(await asked.outcome()).not.toContain('isError":true');
    expect(deleted()).toEqual(['DELETE /pets/8', 'DELETE /pets/7']);
  });

  test.each<[string, (redis: Redis) => unknown, (redis: Redis) => unknown]>([
    ['hangs', (redis) => redis.signal('SIGSTOP'), (redis) => redis.signal('SIGCONT')],
    ['only reads', (redis) => redis.ask('REPLICAOF 127.0.0.1 1'), (redis) => redis.ask('REPLICAOF NO ONE')],
  ])('%s are refused elsewhere with advice, and go on when it does', async (_, stop, goOn) => {
    const redis = await openRedis();
    const [one, two] = (await open(2, { ...redis, url: `${redis.url}?timeoutMs=200` })).all;
    const asked = await ask(one!);
    await stop(redis);
    await until(() => !one!.state.isUsable && !two!.state.isUsable);
    expect((await postAnswer(two!, asked.id, YES, asked.headers)).status).toBe(503);
    await goOn(redis);
    await until(() => one!.state.isUsable && two!.state.isUsable);
    while ((await answer(two!, asked.id, YES, asked.headers)) !== 202);
    expect(await asked.outcome()).not.toContain('isError":true');
  });

  test('is flushed are still answered: nothing of them is stored in it', async () => {
    const redis = await openRedis();
    const [one, two] = (await open(2, redis)).all;
    const asked = await ask(one!);
    await redis.ask('FLUSHALL');
    expect(await answer(two!, asked.id, YES, asked.headers)).toBe(202);
    expect(await asked.outcome()).not.toContain('isError":true');
  });
});

interface Asked {
  readonly id: string;
  readonly headers: Record<string, string>;
  /** The answer of the call. */
  outcome(): Promise<string>;
}

const VERSION = { 'mcp-protocol-version': '2025-06-18' };

async function introduce({ url }: Replica): Promise<Record<string, string>> {
  const params = {
    protocolVersion: '2025-06-18',
    capabilities: { elicitation: {} },
    clientInfo: { name: 'test', version: '1' },
  };
  const { headers } = await post(url, JSON.stringify(legacy(1, 'initialize', params)), { accept: 'application/json' });
  return { ...VERSION, 'mcp-session-id': String(headers['mcp-session-id']) };
}

/** A call that asks for confirmation before it deletes. */
async function ask(replica: Replica, pet = 7): Promise<Asked> {
  const headers = await introduce(replica);
  const call = legacy(2, 'tools/call', { name: 'pets_delete', arguments: { id: pet } });
  const { find, leave, ended } = await stream(replica.url, call, headers);
  closing.push(leave);
  const { id } = await find(({ method }) => method === 'elicitation/create');
  return { id: String(id), headers, outcome: async () => JSON.stringify((await ended).at(-1)) };
}

function postAnswer({ url }: Replica, id: string, result: object, headers: Record<string, string>) {
  return post(url, JSON.stringify({ jsonrpc: '2.0', id, result }), { ...VERSION, ...headers });
}

async function answer(replica: Replica, id: string, result: object, headers: Record<string, string>): Promise<number> {
  return (await postAnswer(replica, id, result, headers)).status;
}
