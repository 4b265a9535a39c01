// Access tokens that processes share, with an API that allows one session per user: each login ends the sessions of all others.

import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Domain } from '../../src/endpoint/model.ts';
import { petsDomain } from '../support/pets.ts';
import { useRealHttp } from '../support/real-http.ts';
import { HAS_REDIS, type Redis, startRedis } from '../support/redis.ts';
import { type Replica, startReplicas } from '../support/replicas.ts';
import { until } from '../support/until.ts';
import { startUpstream, type Upstream } from '../support/upstream.ts';

useRealHttp();

const closing: (() => unknown)[] = [];
let api: Upstream;
/** The current session. */
let session = '';
let logins = 0;
let password = 'right';
let lifetimeS = 3_600;
/** Calls that were answered 401. */
let refused = 0;

beforeEach(async () => {
  [session, logins, password, lifetimeS, refused] = ['', 0, 'right', 3_600, 0];
  api = await startUpstream(({ url, headers, body }, response) => {
    response.setHeader('content-type', 'application/json');
    if (url === '/login') {
      // As slow as a real login, so that the other calls come meanwhile.
      return void setTimeout(() => {
        logins++;
        if (!body.includes(`"${password}"`)) return response.writeHead(401).end('{}');
        session = `session-number-${logins}-of-this-user`;
        return response.end(JSON.stringify({ token: session, expires_in: lifetimeS }));
      }, 50);
    }
    if (headers.authorization === `Bearer ${session}`) return void response.end('{}');
    refused++;
    response.writeHead(401).end('{}');
  });
  closing.push(() => api.close());
});
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

function domain(): Domain {
  return petsDomain(
    api.url,
    { PASSWORD: 'right' },
    {
      credentials: {
        session: { kind: 'login', path: '/login', body: { user: 'ann', password: '$'.concat('{PASSWORD}') } },
      },
      security: [['session']],
    },
  );
}

async function openRedis(): Promise<Redis> {
  const redis = await startRedis();
  closing.push(() => redis.close());
  return redis;
}

async function open(count: number, redis?: Redis): Promise<readonly Replica[]> {
  const replicas = await startReplicas(count, { domains: [domain()] }, redis?.url);
  closing.push(() => replicas.close());
  return replicas.all;
}

let id = 0;

/** '' if the call succeeded, else the reason why not. */
async function call({ gateway }: Replica, name = 'pets_list', args: object = {}): Promise<string> {
  const message = { jsonrpc: '2.0', id: ++id, method: 'tools/call', params: { name, arguments: args } };
  const reply = await gateway.handle(JSON.stringify(message));
  const { result } = JSON.parse(reply!.body) as { result: { isError?: boolean; content: { text: string }[] } };
  return result.isError ? result.content[0]!.text : '';
}

const burst = (replicas: readonly Replica[], count: number) =>
  Promise.all(Array.from({ length: count }, (_, at) => call(replicas[at % replicas.length]!)));

const WAYS: [string, () => Promise<Redis | undefined>][] = [
  ['workers through their primary', async () => undefined],
  ...(HAS_REDIS ? [['replicas through Redis', openRedis] as [string, () => Promise<Redis>]] : []),
];

describe.each(WAYS)('%s', (_, openWay) => {
  test('log in once in total, however many calls wait for it', async () => {
    const replicas = await open(4, await openWay());
    expect(new Set(await burst(replicas, 80))).toEqual(new Set(['']));
    expect([logins, refused]).toEqual([1, 0]);
  });

  test('renew a session that was ended elsewhere once in total, and lose no call, not even a write', async () => {
    const replicas = await open(4, await openWay());
    await burst(replicas, 8);
    session = 'ended by somebody else';
    const writes = replicas.map((replica) => call(replica, 'pets_create', { name: 'Rex' }));
    expect(new Set([...(await burst(replicas, 40)), ...(await Promise.all(writes))])).toEqual(new Set(['']));
    expect(logins).toBe(2);
  });

  test('renew an expired session once in total', async () => {
    lifetimeS = 2;
    const replicas = await open(3, await openWay());
    await burst(replicas, 9);
    lifetimeS = 3_600;
    const first = session;
    while (session === first) await burst(replicas, 9);
    expect(new Set(await burst(replicas, 30))).toEqual(new Set(['']));
    expect(logins).toBe(2);
  });

  test('try wrong secrets as often as a single process would, and all report it', async () => {
    password = 'another by now';
    const replicas = await open(4, await openWay());
    for (let round = 0; round < 5; round++) {
      const said = await burst(replicas, 8);
      expect(said.filter((text) => !text.includes('refused the login'))).toEqual([]);
    }
    expect(logins).toBe(3);
    expect(await call(replicas[3]!)).toContain('It is not tried again for');
  });
});

describe('a worker that dies', () => {
  test('while it logs in is replaced by another worker', async () => {
    const { createPrimaryState } = await import('../../src/state/primary-state.ts');
    const { openWorkerState } = await import('../../src/state/worker-state.ts');
    const { connectState } = await import('../support/state-channels.ts');
    const primary = createPrimaryState({ workers: 2 });
    const [one, two] = [connectState(), connectState()];
    const die = primary.attach(one.primary);
    primary.attach(two.primary);
    const [dying, living] = [
      await openWorkerState({ channel: one.worker }),
      await openWorkerState({ channel: two.worker }),
    ];
    expect(await dying.tokens!.claim('x', undefined)).toMatchObject({ kind: 'ours' });
    expect(await living.tokens!.claim('x', undefined)).toEqual({ kind: 'busy' });
    die();
    expect(await living.tokens!.claim('x', undefined)).toMatchObject({ kind: 'ours' });
  });
});

describe.skipIf(!HAS_REDIS)('tokens in Redis', () => {
  test('are encrypted, under names that reveal nothing, and expire', async () => {
    const redis = await openRedis();
    await burst(await open(2, redis), 2);
    const keys = (await redis.ask('KEYS landbridge:token:*'))
      .split('\r\n')
      .filter((line) => line.startsWith('landbridge'));
    expect(keys).toHaveLength(1);
    const kept = await redis.ask(`GET ${keys[0]}`);
    expect(kept).not.toMatch(/session-number|right|ann/);
    expect(Number((await redis.ask(`PTTL ${keys[0]}`)).slice(1))).toBeGreaterThan(3_000_000);
    expect((await redis.ask('KEYS landbridge:turn:*')).trim()).toBe('*0');
  });

  test.each<[string, (redis: Redis) => unknown]>([
    ['killed', (redis) => redis.kill()],
    ['hanging', (redis) => redis.signal('SIGSTOP')],
    ['read-only', (redis) => redis.ask('REPLICAOF 127.0.0.1 1')],
  ])('%s: each logs in for itself', async (_, stop) => {
    const redis = await openRedis();
    const [one, two] = await open(2, { ...redis, url: `${redis.url}?timeoutMs=200` });
    await stop(redis);
    await until(() => !one!.state.isUsable && !two!.state.isUsable);
    expect(await call(one!)).toBe('');
    expect(await call(two!)).toBe('');
    expect(logins).toBe(2);
    redis.signal('SIGCONT');
  });

  test('are agreed upon again after a flush or an empty restart', async () => {
    const redis = await openRedis();
    const [one, two] = await open(2, redis);
    await burst([one!, two!], 4);
    await redis.ask('FLUSHALL');
    expect(new Set(await burst([one!, two!], 8))).toEqual(new Set(['']));
    expect(logins).toBe(1);
    session = 'ended by somebody else';
    expect(new Set(await burst([one!, two!], 8))).toEqual(new Set(['']));
    expect(logins).toBe(2);
    await redis.kill();
    await redis.restart();
    await until(() => one!.state.isUsable && two!.state.isUsable);
    expect(new Set(await burst([one!, two!], 8))).toEqual(new Set(['']));
    expect(logins).toBe(2);
  });

  test('are fetched by another replica if the one that logs in dies', async () => {
    const redis = await openRedis();
    const [one, two] = await open(2, redis);
    // Its turn started, and then it died.
    expect(await one!.state.tokens!.claim('x', undefined)).toMatchObject({ kind: 'ours' });
    one!.state.close();
    expect(await two!.state.tokens!.claim('x', undefined)).toEqual({ kind: 'busy' });
    let claim = await two!.state.tokens!.claim('x', undefined);
    while (claim.kind === 'busy') claim = await two!.state.tokens!.claim('x', undefined);
    expect(claim.kind).toBe('ours');
  });
});
