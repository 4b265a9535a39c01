// What replicas share in Redis: two states represent two replicas, with a real redis-server.
import { afterEach, describe, expect, test } from 'vitest';
import { parseRate } from '../../src/limits/rate.ts';
import { type ConfirmationBinding, createConfirmations } from '../../src/orchestration/confirmations.ts';
import { createSigner } from '../../src/orchestration/signer.ts';
import { openRedisState } from '../../src/state/redis-state.ts';
import type { SharedState } from '../../src/state/shared-state.ts';
import { freePort, HAS_REDIS, type Redis, startRedis } from '../support/redis.ts';
import { until } from '../support/until.ts';

const closing: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

interface Replica extends SharedState {
  readonly changes: readonly string[];
  readonly warnings: readonly string[];
}

/** With a long timeout, so that Redis does not seem to be down on a busy machine; `url` may override it. */
async function replica(url: string): Promise<Replica> {
  const changes: string[] = [];
  const warnings: string[] = [];
  const state = await openRedisState({
    url: url.includes('?') ? url : `${url}?timeoutMs=2000`,
    onChange: (isUsable, where, why) => changes.push(`${isUsable ? 'there' : 'away'} ${where}${why ? ` ${why}` : ''}`),
    onWarning: (message) => warnings.push(message),
  });
  closing.push(() => state.close());
  return Object.defineProperties({ changes, warnings } as never, Object.getOwnPropertyDescriptors(state)) as Replica;
}

async function redis(...flags: string[]): Promise<Redis> {
  const server = await startRedis(...flags);
  closing.push(() => server.close());
  return server;
}

const SECRET = Buffer.alloc(32, 7);
const BINDING: ConfirmationBinding = { purpose: 'token', principal: 'a', operation: 'pets.delete', digest: 'd' };

function confirmationsOf({ spent }: SharedState) {
  return createConfirmations({ signer: createSigner(SECRET), spent });
}

describe.skipIf(!HAS_REDIS)('replicas on one Redis', () => {
  test('share a token bucket: together they get its rate, and learn when there are more tokens', async () => {
    const { url } = await redis();
    const [one, two] = [await replica(url), await replica(url)];
    const rate = parseRate('10/hour');
    const takes = Array.from({ length: 40 }, (_, at) => (at % 2 ? one : two).rates.take('key:ci', rate, 1));
    const taken = await Promise.all(takes);
    expect(taken.filter((each) => each?.tokens === 1)).toHaveLength(10);
    for (const ms of taken.filter((each) => each?.tokens !== 1).map((each) => each?.waitMs)) {
      expect(ms).toBeGreaterThan(300_000);
      expect(ms).toBeLessThanOrEqual(360_000);
    }
    expect(await one.rates.take('key:other', rate, 1)).toEqual({ tokens: 1, waitMs: 0 });
  });

  test('report nothing about Redis when they close the connection themselves', async () => {
    const { url } = await redis();
    const changes: boolean[] = [];
    const state = await openRedisState({
      url,
      onChange: (isUsable) => void changes.push(isUsable),
      onWarning: () => {},
    });
    const asked = state.rates.take('x', parseRate('5/s'), 1);
    state.close();
    await asked;
    expect(changes).toEqual([true]);
  });

  test('accept a confirmation once, however many of them get it at the same time', async () => {
    const { url } = await redis();
    const [one, two] = [confirmationsOf(await replica(url)), confirmationsOf(await replica(url))];
    const seal = one.issue(BINDING);
    const verdicts = await Promise.all([one, two, one, two].map((each) => each.redeem(seal, BINDING)));
    expect(verdicts.sort()).toEqual(['good', 'used', 'used', 'used']);
    expect(await two.redeem(seal, BINDING)).toBe('used');
  });

  test('store no names and no tokens in it, and nothing without expiry except one mark', async () => {
    const server = await redis();
    const state = await replica(server.url);
    await state.rates.take('principal https://id.example.com|alice', parseRate('5/s'), 1);
    await confirmationsOf(state).redeem(confirmationsOf(state).issue(BINDING), BINDING);
    const keys = (await server.ask('KEYS *')).split('\r\n').filter((line) => line.startsWith('landbridge:'));
    expect(keys).toHaveLength(4);
    expect(keys.join()).not.toMatch(/alice|example/);
    for (const key of keys) {
      const isForEver = (await server.ask(`PTTL ${key}`)).trim() === ':-1';
      expect([key, isForEver]).toEqual([key, key === 'landbridge:mark']);
    }
  });
});

describe.skipIf(!HAS_REDIS)('a Redis that lost its data', () => {
  const lose: [string, string[], (server: Redis) => Promise<unknown>][] = [
    ['that was flushed', [], (server) => server.ask('FLUSHALL')],
    [
      'that was killed and started empty',
      [],
      async (server) => {
        await server.kill();
        await server.restart();
      },
    ],
  ];
  test.each(lose)('%s does not accept a confirmation that was used before', async (_, flags, forget) => {
    const server = await redis(...flags);
    const state = await replica(server.url);
    const confirmations = [confirmationsOf(state), confirmationsOf(await replica(server.url))];
    const [used, unused] = [confirmations[0]!.issue(BINDING), confirmations[0]!.issue(BINDING)];
    expect(await confirmations[0]!.redeem(used, BINDING)).toBe('good');
    await forget(server);
    for (const each of confirmations) {
      let verdict = await each.redeem(used, BINDING).catch(() => 'refused');
      expect(verdict).not.toBe('good');
      // Until Redis is back, the confirmation is refused for now; after that, for good.
      while (verdict === 'refused') {
        await new Promise((resolve) => setTimeout(resolve, 20));
        verdict = await each.redeem(used, BINDING).catch(() => 'refused');
      }
      expect(verdict).toBe('expired');
      expect(await each.redeem(unused, BINDING)).toBe('expired');
      // A new confirmation is accepted.
      await until(() => state.isUsable);
    }
    let fresh = 'expired';
    while (fresh === 'expired') {
      await new Promise((resolve) => setTimeout(resolve, 20));
      fresh = await confirmations[0]!.redeem(confirmations[1]!.issue(BINDING), BINDING).catch(() => 'expired');
    }
    expect(fresh).toBe('good');
  });

  test('restarted from a copy older than the use of a confirmation refuses it as well', async () => {
    const server = await redis('--dbfilename', 'old.rdb');
    const state = await replica(server.url);
    const confirmations = confirmationsOf(state);
    const seal = confirmations.issue(BINDING);
    expect(await server.ask('SAVE')).toContain('OK');
    expect(await confirmations.redeem(seal, BINDING)).toBe('good');
    await server.kill();
    await until(() => !state.isUsable);
    await server.restart();
    await until(() => state.isUsable);
    expect(await server.ask('GET landbridge:mark')).toMatch(/^\$16/);
    expect(await confirmationsOf(await replica(server.url)).redeem(seal, BINDING)).toBe('expired');
    expect(await confirmations.redeem(seal, BINDING)).not.toBe('good');
  });
});

describe.skipIf(!HAS_REDIS)('a Redis that cannot be used', () => {
  /** Takes tokens until Redis does not answer; then that must be reported, and confirmations refused. */
  async function isDegraded(state: Replica): Promise<void> {
    await until(() => !state.isUsable);
    expect(await state.rates.take('key:ci', parseRate('1/hour'), 1)).toBe(undefined);
    const confirmations = confirmationsOf(state);
    await expect(confirmations.redeem(confirmations.issue(BINDING), BINDING)).rejects.toThrow();
  }

  test('is reported once when it is killed, and once when it is back and used again', async () => {
    const server = await redis();
    const state = await replica(server.url);
    expect(state.changes).toEqual([`there redis://127.0.0.1:${server.port}`]);
    await server.kill();
    await isDegraded(state);
    await isDegraded(state);
    expect(state.changes).toHaveLength(2);
    await server.restart();
    await until(() => state.isUsable);
    expect(await state.rates.take('key:ci', parseRate('1/hour'), 1)).toEqual({ tokens: 1, waitMs: 0 });
    expect(state.changes.map((line) => line.split(' ')[0])).toEqual(['there', 'away', 'there']);
  });

  test('and hangs delays one call by 50 ms, and no other until it answers again', async () => {
    const server = await redis();
    const state = await replica(`${server.url}?timeoutMs=50`);
    server.signal('SIGSTOP');
    const begun = performance.now();
    expect(await state.rates.take('key:ci', parseRate('9/hour'), 1)).toBe(undefined);
    const first = performance.now() - begun;
    await isDegraded(state);
    // With some time for a busy machine; the default timeouts of a client would be seconds.
    expect(first).toBeLessThan(1_000);
    expect(state.changes.at(-1)).toContain('no answer within 50 ms');
    server.signal('SIGCONT');
    await until(() => state.isUsable);
    expect(await state.rates.take('key:ci', parseRate('9/hour'), 1)).toEqual({ tokens: 1, waitMs: 0 });
  });

  test('in time once is skipped for a moment, and not reported as down', async () => {
    const server = await redis();
    const state = await replica(`${server.url}?timeoutMs=400`);
    await server.ask('CLIENT PAUSE 800 ALL');
    expect(await state.rates.take('key:ci', parseRate('9/hour'), 1)).toBe(undefined);
    expect([state.isUsable, state.rates.isUsable]).toEqual([true, false]);
    await until(() => state.rates.isUsable);
    expect(await state.rates.take('key:ci', parseRate('9/hour'), 1)).toEqual({ tokens: 1, waitMs: 0 });
    expect(state.changes.map((line) => line.split(' ')[0])).toEqual(['there']);
  });

  test('because this process was delayed itself is not reported as down', async () => {
    const server = await redis();
    const state = await replica(`${server.url}?timeoutMs=400`);
    for (let at = 0; at < 3; at++) {
      const asked = state.rates.take('key:ci', parseRate('99/hour'), 1);
      // Before the request was sent.
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 600);
      expect(await asked).toEqual({ tokens: 1, waitMs: 0 });
    }
    expect(state.changes.map((line) => line.split(' ')[0])).toEqual(['there']);
  });

  test('because it is read-only or out of memory is reported, although it answers', async () => {
    const server = await redis();
    const state = await replica(server.url);
    await server.ask(`REPLICAOF 127.0.0.1 ${await freePort()}`);
    await isDegraded(state);
    expect(state.changes.at(-1)).toMatch(/READONLY|MASTERDOWN/);
    await server.ask('REPLICAOF NO ONE');
    await until(() => state.isUsable);
    await server.ask('CONFIG SET maxmemory 1');
    await isDegraded(state);
    await server.ask('CONFIG SET maxmemory 0');
    await until(() => state.isUsable);
  });

  test('because it refuses the password is reported without the password', async () => {
    const server = await redis('--requirepass', 'right-password');
    const wrong = await replica(`redis://:wrong%20password@127.0.0.1:${server.port}/1`);
    await isDegraded(wrong);
    expect(wrong.changes[0]).toMatch(new RegExp(`^away redis://127.0.0.1:${server.port}/1 WRONGPASS`));
    expect(wrong.changes.join()).not.toContain('password@');
    expect(wrong.secrets).toEqual(['wrong%20password', 'wrong password']);
    const right = await replica(`redis://:right-password@127.0.0.1:${server.port}/1`);
    expect(right.isUsable).toBe(true);
  });

  test('for everything, because it evicts keys when it is full, causes a warning', async () => {
    const server = await redis('--maxmemory', '100mb', '--maxmemory-policy', 'allkeys-lru');
    expect((await replica(server.url)).warnings).toEqual([expect.stringContaining('maxmemory-policy allkeys-lru')]);
  });
});

test('a Redis that was never reachable does not prevent the start', async () => {
  const port = await freePort();
  const state = await replica(`redis://127.0.0.1:${port}`);
  expect([state.isUsable, state.changes]).toEqual([false, [`away redis://127.0.0.1:${port} ECONNREFUSED`]]);
});

test.each([
  'http://127.0.0.1',
  'redis:',
  'nonsense',
  'redis://a?timeout=5',
  'redis://a?timeoutMs=0',
  'redis://u:100%@a',
  'redis://%zz:p@a',
])('%s is no address of a Redis', async (url) => {
  await expect(replica(url)).rejects.toMatchObject({ code: 'BAD_CONFIG' });
});
