// The configurations of proxies in deploy/ carry MCP: the official clients list, call and are asked through a real nginx and a
// real Caddy, over TLS, at a name of their own and below a prefix. Traefik is not in Debian: its file is read as what it is, YAML.

import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Client as ClientV2, StreamableHTTPClientTransport as HttpV2 } from '@modelcontextprotocol/client';
import { Client as ClientV1 } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport as HttpV1 } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { ElicitRequestSchema } from '@modelcontextprotocol/sdk/types.js';
import { Agent, fetch as fetchWith } from 'undici';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { createCertificates } from '../support/certificates.ts';
import { type Served, serve } from '../support/cli.ts';
import { useRealHttp } from '../support/real-http.ts';
import { HAS_REDIS, startRedis } from '../support/redis.ts';
import { startUpstream, type Upstream } from '../support/upstream.ts';
import {
  DEPLOY,
  type FrontDoor,
  HAS_CADDY,
  HAS_NGINX,
  replaceAll,
  startCaddy,
  startNginxOfCompose,
  startNginxOfHost,
} from './proxy-programs.ts';

useRealHttp();

const PETS = fileURLToPath(new URL('../support/pets.yaml', import.meta.url));
const INFO = { name: 'test', version: '1' };
const certificates = createCertificates();
const { cert: ca } = certificates.authority('ca');
const pair = certificates.issue('ca', '/CN=mcp.example.com', {
  san: 'DNS:mcp.example.com,DNS:www.example.com',
  usage: 'serverAuth',
});
/** A name of the configuration is this machine here. */
const dispatcher = new Agent({
  connect: {
    ca,
    lookup: (_name, options, done) =>
      options.all ? done(null, [{ address: '127.0.0.1', family: 4 }]) : done(null, '127.0.0.1', 4),
  },
});
const fetch = ((url: string, init: object) =>
  fetchWith(url, { ...init, dispatcher })) as unknown as typeof globalThis.fetch;

let folder: string;
let upstream: Upstream;
let asked: string[] = [];
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'landbridge-proxied-'));
  upstream = await startUpstream();
});
afterAll(async () => {
  await dispatcher.destroy();
  await upstream.close();
  certificates.remove();
  rmSync(folder, { recursive: true, force: true });
});
beforeEach(() => {
  upstream.seen.length = 0;
  asked = [];
});

function startGateway(settings: object): Promise<Served> {
  const file = join(folder, `${Math.random().toString(36).slice(2)}.yaml`);
  writeFileSync(
    file,
    JSON.stringify({ domains: [PETS], exposure: 'tools', trustedProxies: ['127.0.0.1'], ...settings }),
  );
  return serve(['--config', file], { env: { PETS_URL: upstream.url } });
}
const addressOf = ({ http }: Served) => new URL(http).host;

const reply = (message: string) => {
  asked.push(message);
  return { action: 'accept' as const, content: { confirm: true } };
};

async function openV2(url: string, mode: 'auto' | 'legacy') {
  const client = new ClientV2(INFO, { capabilities: { elicitation: { form: {} } }, versionNegotiation: { mode } });
  client.setRequestHandler('elicitation/create', ({ params }) => reply(params.message));
  await client.connect(new HttpV2(new URL(url), { fetch }));
  return client;
}

async function openV1(url: string) {
  const client = new ClientV1(INFO, { capabilities: { elicitation: {} } });
  client.setRequestHandler(ElicitRequestSchema, ({ params }) => reply(params.message));
  await client.connect(new HttpV1(new URL(url), { fetch }) as never);
  return client as unknown as ClientV2;
}

const CLIENTS = {
  'version 2, modern': (url: string) => openV2(url, 'auto'),
  'version 2, legacy': (url: string) => openV2(url, 'legacy'),
  'version 1': openV1,
};

const KINDS = [
  {
    name: 'nginx',
    isThere: HAS_NGINX,
    start: (gateway: string) => startNginxOfHost(gateway, pair),
    startKeeping: (gateway: string) =>
      startNginxOfHost(gateway, pair, (conf) =>
        replaceAll(conf, { 'proxy_pass http://landbridge/;': 'proxy_pass http://landbridge;' }),
      ),
  },
  {
    name: 'Caddy',
    isThere: HAS_CADDY,
    start: (gateway: string) => startCaddy(gateway, pair),
    startKeeping: (gateway: string) =>
      startCaddy(gateway, pair, (conf) => replaceAll(conf, { 'handle_path /tools/*': 'handle /tools/*' })),
  },
];

describe.each(KINDS)('behind $name', ({ isThere, start, startKeeping }) => {
  let gateway: Served;
  let below: Served;
  let proxy: FrontDoor;
  let belowProxy: FrontDoor;
  let keeping: FrontDoor;
  beforeAll(async () => {
    if (!isThere) return;
    gateway = await startGateway({ publicUrl: 'https://mcp.example.com' });
    below = await startGateway({ publicUrl: 'https://www.example.com/tools' });
    proxy = await start(addressOf(gateway));
    belowProxy = await start(addressOf(below));
    keeping = await startKeeping(addressOf(below));
  });
  afterAll(async () => {
    for (const each of [proxy, belowProxy, keeping]) await each?.close();
    for (const each of [gateway, below]) expect((await each?.stop()) ?? 0).toBe(0);
  });

  test.skipIf(!isThere).each(Object.entries(CLIENTS))(
    'the official client of %s lists, calls and is asked',
    async (_, open) => {
      const client = await open(`https://mcp.example.com:${proxy.port}/mcp`);
      expect((await client.listTools()).tools.map(({ name }) => name)).toContain('pets_get');
      expect(await client.callTool({ name: 'pets_get', arguments: { id: 7 } })).not.toHaveProperty('isError', true);
      // Over a stream that stays open while the user thinks: a proxy that kept events back would never ask.
      expect(await client.callTool({ name: 'pets_delete', arguments: { id: 7 } })).not.toHaveProperty('isError', true);
      await client.close();
      expect(asked).toHaveLength(1);
      expect(upstream.seen.map(({ method, url }) => `${method} ${url}`)).toEqual(['GET /pets/7', 'DELETE /pets/7']);
    },
  );

  test
    .skipIf(!isThere)
    .each([['takes its prefix away', () => belowProxy] as const, ['keeps its prefix', () => keeping] as const])(
    'a gateway below a prefix is reached when the proxy %s',
    async (_, which) => {
      const client = await openV1(`https://www.example.com:${which().port}/tools/mcp`);
      expect(await client.callTool({ name: 'pets_delete', arguments: { id: 8 } })).not.toHaveProperty('isError', true);
      await client.close();
      expect(asked).toHaveLength(1);
      const health = await fetch(`https://www.example.com:${which().port}/tools/readyz`);
      expect([health.status, await health.json()]).toMatchObject([200, { status: 'ready' }]);
    },
  );

  test.skipIf(!isThere)('what a client makes up about its way is not believed, and does no harm', async () => {
    const answer = await fetch(`https://mcp.example.com:${proxy.port}/mcp`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', forwarded: 'for=192.0.2.1;host=elsewhere.example' },
      body: '{"jsonrpc":"2.0","id":1,"method":"tools/list"}',
    });
    expect([answer.status, await answer.json()]).toMatchObject([200, { result: { tools: expect.any(Array) } }]);
  });

  test.skipIf(!isThere)('a name that is not served is refused', async () => {
    const answer = await fetch(`https://www.example.com:${proxy.port}/tools/mcp`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: '{"jsonrpc":"2.0","id":1,"method":"tools/list"}',
    });
    expect(answer.status).toBe(403);
  });
});

test.skipIf(!HAS_NGINX || !HAS_REDIS)(
  'the nginx of the compose file spreads confirmations over both gateways',
  async () => {
    const redis = await startRedis();
    const shared = { publicUrl: 'http://mcp.example.com', secret: { env: 'GATEWAY_SECRET' }, state: redis.url };
    const file = join(folder, 'compose.yaml');
    writeFileSync(
      file,
      JSON.stringify({ domains: [PETS], exposure: 'tools', trustedProxies: ['127.0.0.1'], ...shared }),
    );
    const env = { PETS_URL: upstream.url, GATEWAY_SECRET: 'shared by both, and by nobody else at all' };
    const gateways = [await serve(['--config', file], { env }), await serve(['--config', file], { env })] as const;
    const proxy = await startNginxOfCompose(addressOf(gateways[0]), addressOf(gateways[1]));
    for (let id = 1; id <= 10; id++) {
      const client = await openV2(`http://mcp.example.com:${proxy.port}/mcp`, 'auto');
      expect(await client.callTool({ name: 'pets_delete', arguments: { id } })).not.toHaveProperty('isError', true);
      await client.close();
    }
    expect(asked).toHaveLength(10);
    expect(upstream.seen.map(({ url }) => url)).toEqual(Array.from({ length: 10 }, (_, at) => `/pets/${at + 1}`));
    await proxy.close();
    for (const gateway of gateways) expect(await gateway.stop()).toBe(0);
    // Both had calls: neither was left out.
    for (const gateway of gateways) expect(gateway.log()).toContain('"tool":"pets_delete"');
    await redis.close();
  },
);

test('the file for Traefik names only what it has', () => {
  const { http } = parse(readFileSync(`${DEPLOY}traefik/landbridge.yaml`, 'utf8')) as {
    http: Record<string, Record<string, unknown>>;
  };
  expect(Object.keys(http)).toEqual(['routers', 'middlewares', 'services', 'serversTransports']);
  for (const { service, middlewares = [] } of Object.values(http.routers!) as {
    service: string;
    middlewares?: string[];
  }[]) {
    expect(Object.keys(http.services!)).toContain(service);
    for (const middleware of middlewares) expect(Object.keys(http.middlewares!)).toContain(middleware);
  }
  expect(http.services).toMatchObject({
    landbridge: {
      loadBalancer: { passHostHeader: true, serversTransport: 'landbridge', healthCheck: { path: '/readyz' } },
    },
  });
});
