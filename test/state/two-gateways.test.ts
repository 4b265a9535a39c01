// Two gateways, like two replicas, with one real Redis. The tests check what reached the API.
import { execFileSync } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { run, type Served, serve } from '../support/cli.ts';
import { legacy, post, type Rpc } from '../support/mcp.ts';
import { freePort, HAS_REDIS, type Redis, startRedis } from '../support/redis.ts';
import { until } from '../support/until.ts';
import { startUpstream, type Upstream } from '../support/upstream.ts';

const KEY = `lb_${randomBytes(32).toString('base64url')}`;
const ENV = { LANDBRIDGE_SECRET: 'a secret that replicas share, long enough' };

let folder: string;
let upstream: Upstream;
let redis: Redis;
let gateways: Served[] = [];

interface Result {
  readonly isError?: boolean;
  readonly structuredContent?: Record<string, unknown>;
}

async function start(limits: object): Promise<void> {
  const settings = {
    domains: ['./pets.yaml'],
    exposure: 'tools',
    auth: { keys: [{ name: 'ci', sha256: createHash('sha256').update(KEY).digest('hex') }] },
    limits,
    // With a long timeout, so that Redis does not seem to be down on a busy machine.
    state: `${redis.url}?timeoutMs=2000`,
  };
  await writeFile(join(folder, 'landbridge.yaml'), JSON.stringify(settings));
  gateways = await Promise.all([serve([], { cwd: folder, env: ENV }), serve([], { cwd: folder, env: ENV })]);
}

let id = 0;

async function call(gateway: Served, name: string, args: object): Promise<Result> {
  const message = legacy(++id, 'tools/call', { name, arguments: args });
  const { body } = await post(gateway.http, JSON.stringify(message), {
    authorization: `Bearer ${KEY}`,
    'mcp-protocol-version': '2025-06-18',
  });
  const { result, error } = JSON.parse(body) as Rpc;
  if (error) throw new Error(error.message);
  return result as Result;
}

const modeOf = ({ structuredContent }: Result) => structuredContent?.failure_mode;

async function stateOf(gateway: Served): Promise<unknown> {
  const { body } = await getJson(gateway.http.replace('/mcp', '/readyz'));
  return body.state;
}

async function getJson(url: string): Promise<{ status: number; body: Record<string, unknown> }> {
  const { get } = await import('node:http');
  return new Promise((resolve, reject) => {
    get(url, (response) => {
      let text = '';
      response.on('data', (chunk) => {
        text += chunk;
      });
      response.on('end', () => resolve({ status: response.statusCode ?? 0, body: JSON.parse(text) }));
    }).on('error', reject);
  });
}

async function untilState(expected: string): Promise<void> {
  for (const gateway of gateways)
    while ((await stateOf(gateway)) !== expected) await new Promise((resolve) => setTimeout(resolve, 20));
}

describe.skipIf(!HAS_REDIS)('two gateways on one Redis', () => {
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'landbridge-two-'));
    upstream = await startUpstream();
    await writeFile(
      join(folder, 'pets.yaml'),
      JSON.stringify({
        name: 'pets',
        baseUrl: upstream.url,
        endpoints: {
          list: { path: '/pets', summary: 'Lists pets.' },
          delete: {
            method: 'DELETE',
            path: '/pets/{id}',
            summary: 'Removes a pet.',
            args: { id: { type: 'integer', required: true } },
          },
        },
      }),
    );
  });

  afterAll(async () => {
    await upstream.close();
    await rm(folder, { recursive: true, force: true });
  });

  beforeEach(async () => {
    redis = await startRedis();
    upstream.seen.length = 0;
  });

  afterEach(async () => {
    await Promise.all(gateways.splice(0).map((gateway) => gateway.stop()));
    await redis.close();
  });

  test('share the rate of a caller', async () => {
    await start({ perPrincipal: { rate: '20/hour' } });
    const results = await Promise.all(Array.from({ length: 60 }, (_, at) => call(gateways[at % 2]!, 'pets_list', {})));
    expect(upstream.seen).toHaveLength(20);
    expect(results.filter((result) => modeOf(result) === 'rate_limited')).toHaveLength(40);
  });

  test('share the rate limit of an API', async () => {
    await start({ perUpstream: { rate: '10/hour', waitSeconds: 0 } });
    await Promise.all(Array.from({ length: 40 }, (_, at) => call(gateways[at % 2]!, 'pets_list', {})));
    expect(upstream.seen).toHaveLength(10);
  });

  test('accept each other’s confirmations, once in total', async () => {
    await start({});
    const offer = await call(gateways[0]!, 'pets_delete', { id: 1 });
    const token = offer.structuredContent?.confirmation_token;
    const results = await Promise.all(
      [1, 0, 1, 0].map((at) => call(gateways[at]!, 'pets_delete', { id: 1, confirmation_token: token })),
    );
    expect(upstream.seen.map(({ method }) => method)).toEqual(['DELETE']);
    expect(results.filter(({ isError }) => !isError)).toHaveLength(1);
  });

  test('fail no call while Redis restarts under load, accept no confirmation twice, and report it', async () => {
    await start({});
    const offered = await Promise.all(
      Array.from({ length: 12 }, (_, at) => call(gateways[at % 2]!, 'pets_delete', { id: at + 1 })),
    );
    const tokens = offered.map(({ structuredContent }) => structuredContent?.confirmation_token);
    /** Sends every token to both gateways: one that is accepted twice would reach the API twice. */
    const spendAll = () =>
      Promise.all(
        tokens.flatMap((token, at) =>
          gateways.map((gateway) => call(gateway, 'pets_delete', { id: at + 1, confirmation_token: token })),
        ),
      );
    let isLoaded = true;
    const failures: unknown[] = [];
    let reads = 0;
    const load = [0, 1, 0, 1].map(async (at) => {
      while (isLoaded) {
        const result = await call(gateways[at]!, 'pets_list', {});
        reads++;
        if (result.isError) failures.push(result.structuredContent);
      }
    });
    const half = tokens.splice(6);
    await spendAll();
    expect(upstream.seen.filter(({ method }) => method === 'DELETE')).toHaveLength(6);
    await redis.kill();
    await untilState('degraded');
    const refused = await spendAll();
    tokens.push(...half);
    refused.push(...(await spendAll()));
    expect(new Set(refused.map(modeOf))).toEqual(new Set(['not_confirmed']));
    expect(JSON.stringify(refused)).toContain('could not be checked');
    await redis.restart();
    await untilState('ok');
    // Used and unused confirmations: Redis has lost both.
    const late = await spendAll();
    expect(late.every(({ isError }) => isError)).toBe(true);
    expect(upstream.seen.filter(({ method }) => method === 'DELETE')).toHaveLength(6);
    const before = reads;
    while (reads < before + 50) await new Promise((resolve) => setTimeout(resolve, 5));
    isLoaded = false;
    await Promise.all(load);
    expect(failures).toEqual([]);
    // A new confirmation is accepted, once.
    const again = await call(gateways[1]!, 'pets_delete', { id: 99 });
    tokens.splice(0, tokens.length);
    const confirmation_token = again.structuredContent?.confirmation_token;
    await Promise.all(gateways.map((gateway) => call(gateway, 'pets_delete', { id: 99, confirmation_token })));
    expect(upstream.seen.filter(({ method }) => method === 'DELETE')).toHaveLength(7);
    for (const gateway of gateways) {
      const linesWith = (text: string) =>
        gateway
          .log()
          .split('\n')
          .filter((line) => line.includes(text));
      // Lines are written in batches.
      await until(() => linesWith('shared state is up').length >= 2);
      expect(linesWith('shared state is down')).toHaveLength(1);
      expect(linesWith('shared state is up')).toHaveLength(2);
    }
  });

  test('use TLS with a rediss:// address and a trusted certificate', async () => {
    const [key, cert] = [join(folder, 'redis.key'), join(folder, 'redis.crt')];
    const subject = ['-subj', '/CN=127.0.0.1', '-addext', 'subjectAltName=IP:127.0.0.1'];
    const curve = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', '2'];
    execFileSync('openssl', ['req', '-x509', ...curve, '-keyout', key, '-out', cert, ...subject], { stdio: 'ignore' });
    const port = await freePort();
    const files = ['--tls-cert-file', cert, '--tls-key-file', key, '--tls-ca-cert-file', cert];
    const secure = await startRedis('--tls-port', String(port), ...files, '--tls-auth-clients', 'no');
    const state = ['./pets.yaml', '--state', `rediss://127.0.0.1:${port}?timeoutMs=2000`];
    gateways = await Promise.all([
      serve(state, { cwd: folder, env: { ...ENV, NODE_EXTRA_CA_CERTS: cert } }),
      serve(state, { cwd: folder, env: ENV }),
    ]);
    expect(await Promise.all(gateways.map(stateOf))).toEqual(['ok', 'degraded']);
    await secure.close();
  });

  test('apply their limits alone while Redis is down', async () => {
    await start({ perPrincipal: { rate: '5/hour' } });
    await redis.kill();
    await untilState('degraded');
    for (let i = 0; i < 20; i++) await call(gateways[i % 2]!, 'pets_list', {});
    expect(upstream.seen).toHaveLength(10);
  });
});

describe('landbridge tools --limits', () => {
  const settings = {
    auth: {
      keys: [{ name: 'ci', sha256: '9'.repeat(64), limits: { rate: '100/min', concurrent: 8 } }],
      oauth: [{ issuer: 'https://id.example.com', limits: { rate: '30/min' } }],
      certificates: [{ subject: 'batch-*', limits: { rate: '5/s' } }],
    },
    limits: { perPrincipal: { rate: '600/min' }, perUpstream: { concurrent: 9 }, shed: { eventLoopMs: 150 } },
    domains: ['./shop.yaml'],
  };
  let place: string;

  beforeAll(async () => {
    place = await mkdtemp(join(tmpdir(), 'landbridge-limits-'));
    await writeFile(join(place, 'landbridge.yaml'), JSON.stringify(settings));
    await writeFile(
      join(place, 'shop.yaml'),
      JSON.stringify({
        name: 'shop',
        baseUrl: 'https://shop.example/v1',
        timeoutMs: 2_000,
        limits: { rate: '10/s', queue: 7 },
        endpoints: { list: { path: '/orders', summary: 'Lists orders.' } },
      }),
    );
  });

  afterAll(() => rm(place, { recursive: true, force: true }));

  test('shows every limit as JSON', async () => {
    const { stdout, stderr } = await run(['tools', '--limits', '--json'], { cwd: place });
    expect(stderr).toBe('');
    expect(JSON.parse(stdout)).toEqual({
      principals: [
        { who: 'every caller', rate: '600/min', concurrent: 400, queue: 200, waitSeconds: 5 },
        { who: 'key:ci', rate: '100/min', concurrent: 8, queue: 200, waitSeconds: 5 },
        { who: 'cert:batch-*', rate: '5/s', concurrent: 400, queue: 200, waitSeconds: 5 },
        { who: 'https://id.example.com|…', rate: '30/min', concurrent: 400, queue: 200, waitSeconds: 5 },
      ],
      upstreams: [
        {
          domain: 'shop',
          origins: ['https://shop.example'],
          rate: '10/s',
          concurrent: 9,
          queue: 7,
          waitSeconds: 5,
          timeoutMs: 2_000,
          maxResponseBytes: 10_485_760,
        },
      ],
      shed: { eventLoopMs: 150, heapPercent: 92, unreadyHeapPercent: 95 },
      process: {
        httpRequests: 1_000,
        httpRequestSeconds: 30,
        heldBytes: 67_108_864,
        messageBytes: 1_048_576,
        tcpConnections: 100,
        callsPerConnection: 100,
        idleSeconds: 300,
      },
      sharedBy: 'this process',
    });
  });

  test('shows every limit as text', async () => {
    const { stdout } = await run(['tools', '--limits'], { cwd: place });
    expect(stdout).toMatch(/key:ci +100\/min +8 +200 +5 s/);
    expect(stdout).toMatch(/shop +https:\/\/shop.example +10\/s +9 +7 +5 s +2 s/);
    expect(stdout).toContain('while the event loop is 150 ms late or the heap is 92 % full');
  });
});
