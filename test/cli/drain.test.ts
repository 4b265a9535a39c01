// The end of a gateway as a deployment sees it: real processes, a real nginx, clients that do not stop calling.
import { randomUUID } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client as ModernClient, StreamableHTTPClientTransport as ModernTransport } from '@modelcontextprotocol/client';
import { Client as LegacyClient } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport as LegacyTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
// The one of the platform is watched by nock, which takes refused connections for mistakes of ours.
import { fetch, Pool } from 'undici';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { serve } from '../support/cli.ts';
import { headersOf, modern } from '../support/mcp.ts';
import { HAS_NGINX, startNginx } from '../support/nginx.ts';
import { freePort } from '../support/redis.ts';
import { startUpstream, type Upstream } from '../support/upstream.ts';

let folder: string;
let upstream: Upstream;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'landbridge-drain-'));
  // Some calls take a while: there is always something under way.
  let count = 0;
  upstream = await startUpstream((_seen, response) => {
    response.setHeader('content-type', 'application/json');
    setTimeout(() => response.end('{"ok":true}'), ++count % 10 === 0 ? 200 : 3);
  });
  await writeFile(
    join(folder, 'shop.yaml'),
    `name: shop
baseUrl: ${upstream.url}
endpoints:
  list: { path: /things, summary: Lists things. }
  add: { method: POST, path: /things, summary: Adds a thing., args: { name: { type: string } } }
`,
  );
});
afterAll(async () => {
  await upstream.close();
  await rm(folder, { recursive: true, force: true });
});

const CALL = modern(1, 'tools/call', { name: 'shop_list', arguments: {} });
const BODY = JSON.stringify(CALL);
const HEADERS = {
  'content-type': 'application/json',
  accept: 'application/json, text/event-stream',
  ...headersOf(CALL),
};

interface Load {
  readonly done: number;
  readonly failed: readonly string[];
  stop(): Promise<void>;
}

/** Calls without a pause, this many at once. A call that fails is noted and not repeated. */
function keepCalling(width: number, call: () => Promise<void>): Load {
  const failed: string[] = [];
  let done = 0;
  let isOver = false;
  const loops = Array.from({ length: width }, async () => {
    while (!isOver) {
      await call().then(
        () => {
          done++;
        },
        (error: Error & { cause?: { code?: string } }) =>
          failed.push(`${error} ${error.cause?.code ?? ''} ${'code' in error ? error.code : ''}`),
      );
    }
  });
  return {
    get done() {
      return done;
    },
    failed,
    async stop() {
      isOver = true;
      await Promise.all(loops);
    },
  };
}

async function callBy(pool: Pool): Promise<void> {
  const { statusCode, body } = await pool.request({ path: '/mcp', method: 'POST', headers: HEADERS, body: BODY });
  const text = await body.text();
  if (statusCode !== 200 || !text.includes('"ok')) throw new Error(`${statusCode} ${text}`);
}

const atLeast = async (load: Load, more: number) => {
  const goal = load.done + more;
  while (load.done < goal && load.failed.length === 0) await new Promise((resolve) => setTimeout(resolve, 10));
};

describe.skipIf(!HAS_NGINX)('behind nginx with its default settings', () => {
  // One connection that fails, and nginx asks nobody there for ten seconds; what may have been sent is not sent again.
  const upstreams = (ports: readonly number[]) => `
  upstream pooled { ${ports.map((port) => `server 127.0.0.1:${port};`).join(' ')} keepalive 16; }
  upstream fresh { ${ports.map((port) => `server 127.0.0.1:${port};`).join(' ')} }
  server {
    listen 127.0.0.1:$PORT;
    proxy_set_header Host $host;
    add_header X-Served-By $upstream_addr always;
    location /pooled/ { proxy_pass http://pooled/; proxy_http_version 1.1; proxy_set_header Connection ""; proxy_set_header Host $host; }
    location /fresh/ { proxy_pass http://fresh/; }
  }`;

  test.each([1, 2])(
    'replicas (--workers %i) are restarted one after the other, and no read or write fails or happens twice',
    async (workers) => {
      const ports = [await freePort(), await freePort()];
      const start = (port: number) =>
        serve(
          [
            join(folder, 'shop.yaml'),
            '--workers',
            `${workers}`,
            '--port',
            `${port}`,
            '--drain',
            '1',
            '--log-level',
            'warn',
          ],
          { cwd: folder },
        );
      const replicas = await Promise.all(ports.map(start));
      const nginx = await startNginx(upstreams(ports));
      const pool = new Pool(nginx.url, { connections: 32 });
      /** Calls that each replica has answered, by way. */
      const answered = new Map<string, number>();
      const written: string[] = [];
      let count = 0;
      // The API has seen the writes of an earlier attempt too.
      const attempt = randomUUID().slice(0, 8);
      const callOn = (way: string) => async () => {
        const name = `${attempt}-${++count}`;
        const isWrite = count % 2 === 0;
        const message = modern(
          1,
          'tools/call',
          isWrite ? { name: 'shop_add', arguments: { name } } : { name: 'shop_list', arguments: {} },
        );
        const headers = { ...HEADERS, ...headersOf(message) };
        const answer = await pool.request({
          path: `/${way}/mcp`,
          method: 'POST',
          headers,
          body: JSON.stringify(message),
        });
        const text = await answer.body.text();
        if (answer.statusCode !== 200 || !text.includes('"ok')) throw new Error(`${way} ${answer.statusCode} ${text}`);
        if (isWrite) written.push(name);
        const by = `${way} ${answer.headers['x-served-by']}`;
        answered.set(by, (answered.get(by) ?? 0) + 1);
      };
      const loads = ['pooled', 'fresh'].map((way) => keepCalling(8, callOn(way)));
      const hasFailed = () => loads.some(({ failed }) => failed.length > 0);
      /** Both ways lead to this replica again: nginx has forgotten that it was away. */
      const isUsed = async (port: number) => {
        const ways = ['pooled', 'fresh'].map((way) => `${way} 127.0.0.1:${port}`);
        const before = ways.map((way) => answered.get(way) ?? 0);
        while (!hasFailed() && !ways.every((way, index) => (answered.get(way) ?? 0) > before[index]! + 20))
          await new Promise((resolve) => setTimeout(resolve, 20));
      };
      for (const port of ports) await isUsed(port);
      for (const [index, port] of ports.entries()) {
        expect(await replicas[index]!.stop()).toBe(0);
        replicas[index] = await start(port);
        await isUsed(port);
        if (hasFailed()) break;
      }
      await Promise.all(loads.map(({ stop }) => stop()));
      await pool.close();
      const complaints = (await nginx.errors())
        .split('\n')
        // Refused connections are what a restart looks like; the other line is startNginx(), which looks whether it is up.
        .filter((line) => /\[(error|crit|alert)\]/.test(line) && !/Connection refused|is forbidden/.test(line))
        // The first ones say why: with one replica away and the other distrusted, all that follow fail.
        .slice(0, 5);
      await nginx.close();
      expect(await Promise.all(replicas.map(({ stop }) => stop()))).toEqual([0, 0]);
      const failures = loads.flatMap(({ failed }) => failed).slice(0, 5);
      expect({ complaints, failures }).toEqual({ complaints: [], failures: [] });
      const made = upstream.seen.flatMap(({ method, body }) =>
        method === 'POST' ? [(JSON.parse(String(body)) as { name: string }).name] : [],
      );
      expect(made.filter((name) => name.startsWith(attempt)).sort()).toEqual(written.sort());
    },
    300_000,
  );
});

describe('clients that call without a proxy', () => {
  test('every request is answered or was never sent to the API', async () => {
    const server = await serve([join(folder, 'shop.yaml'), '--drain', '1'], { cwd: folder });
    const { origin } = new URL(server.http);
    const pool = new Pool(origin, { connections: 16 });
    const load = keepCalling(16, () => callBy(pool));
    const modernClient = new ModernClient({ name: 'drain', version: '1' });
    await modernClient.connect(new ModernTransport(new URL(server.http), { fetch: fetch as never }));
    const legacyClient = new LegacyClient({ name: 'drain', version: '1' });
    await legacyClient.connect(new LegacyTransport(new URL(server.http), { fetch: fetch as never }) as never);
    const call = { name: 'shop_list', arguments: {} };
    const byModern = keepCalling(4, async () => void (await modernClient.callTool(call)));
    const byLegacy = keepCalling(4, async () => void (await legacyClient.callTool(call)));
    await Promise.all([atLeast(load, 100), atLeast(byModern, 20), atLeast(byLegacy, 20)]);
    expect(await server.stop()).toBe(0);
    await Promise.all([load.stop(), byModern.stop(), byLegacy.stop()]);
    await pool.destroy();
    const others = [...load.failed, ...byModern.failed, ...byLegacy.failed].filter(
      (text) => !/ECONNREFUSED/.test(text),
    );
    expect(others).toEqual([]);
  }, 60_000);
});
