// A gateway behind a real nginx: under a path that the proxy keeps or takes off, and with what it says of who calls.

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Served, serve } from '../support/cli.ts';
import { legacy, post } from '../support/mcp.ts';
import { HAS_NGINX, type Nginx, startNginx } from '../support/nginx.ts';
import { useRealHttp } from '../support/real-http.ts';
import { startUpstream, type Upstream } from '../support/upstream.ts';

useRealHttp();

const call = JSON.stringify(legacy(1, 'tools/call', { name: 'shop_list' }));

describe.skipIf(!HAS_NGINX)('behind nginx at https://example.com/tools', () => {
  let folder: string;
  let upstream: Upstream;
  let server: Served;
  let nginx: Nginx;

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'landbridge-nginx-test-'));
    upstream = await startUpstream();
    writeFileSync(
      join(folder, 'shop.yaml'),
      `name: shop\nbaseUrl: ${upstream.url}\nendpoints: { list: { path: /things, summary: Lists. } }\n`,
    );
    writeFileSync(join(folder, 'profiles.yaml'), 'reader: { effects: [read] }\n');
    writeFileSync(
      join(folder, 'landbridge.yaml'),
      `domains: [shop.yaml]
publicUrl: https://example.com/tools
trustedProxies: [127.0.0.1, "2001:db8:1::/48"]
audit: { file: audit.jsonl }
`,
    );
    server = await serve([], { cwd: folder });
    const headers = `
      proxy_http_version 1.1;
      proxy_set_header Connection "";
      proxy_set_header Host $http_host;
      proxy_set_header X-Forwarded-For $proxy_add_x_forwarded_for;
      proxy_set_header X-Forwarded-Proto https;`;
    const { origin } = new URL(server.http);
    nginx = await startNginx(`
  server {
    listen 127.0.0.1:$PORT;
    location /tools/ { proxy_pass ${origin}; ${headers} }
    location /.well-known/ { proxy_pass ${origin}; ${headers} }
  }
  server {
    listen 127.0.0.1:$PORT;
    server_name strips.example;
    location /tools/ { proxy_pass ${origin}/; proxy_set_header X-Forwarded-Host example.com; ${headers} }
  }`);
  });
  afterAll(async () => {
    await nginx?.close();
    await server?.stop();
    await upstream?.close();
    rmSync(folder, { recursive: true, force: true });
  });

  const at = (path: string, headers: Record<string, string> = {}) =>
    post(nginx.url + path, call, { host: 'example.com', ...headers });

  test.each(['example.com', 'strips.example'])('a proxy may keep or strip the prefix: %s', async (host) => {
    for (const path of ['/tools/mcp', '/tools/mcp/', '/tools/mcp/reader', '/tools/mcp?x=1'])
      expect((await at(path, { host })).status).toBe(200);
    expect((await at('/tools/mcp/nobody', { host })).status).toBe(404);
  });

  test('requests without the proxy work with and without the prefix, and other paths are 404', async () => {
    const { origin } = new URL(server.http);
    const statusAt = async (path: string) => (await post(origin + path, call)).status;
    expect([await statusAt('/mcp'), await statusAt('/tools/mcp')]).toEqual([200, 200]);
    for (const path of [
      '/toolsmcp',
      '/tool/mcp',
      '/tools//mcp',
      '/tools/%2e%2e%2fmcp',
      '/tools/tools/mcp',
      '//tools/mcp',
    ])
      expect(await statusAt(path), path).toBe(404);
    expect((await post(`${origin}/tools/nothing`, call)).body).toContain(
      'There is nothing at /tools/nothing. MCP is served at POST /tools/mcp.',
    );
    const get = async (path: string) => (await fetch(origin + path)).json();
    expect(await get('/tools/readyz')).toEqual({ status: 'ready' });
    expect(await get('/tools')).toMatchObject({ mcp: '/tools/mcp', health: ['/tools/healthz', '/tools/readyz'] });
  });

  test('the official client works behind the prefix', async () => {
    const client = new Client({ name: 'behind', version: '1' });
    const url = new URL(`${nginx.url.replace('127.0.0.1', 'localhost')}/tools/mcp`);
    await client.connect(new StreamableHTTPClientTransport(url));
    expect((await client.listTools()).tools.map(({ name }) => name)).toEqual(['shop_list']);
    await client.close();
  });

  test.each([
    ['203.0.113.9', '203.0.113.9'],
    ['2001:db8::7', '2001:db8::7'],
    ['198.51.100.1, 203.0.113.9, 2001:db8:1::5', '203.0.113.9'],
  ])('only trusted proxies set the caller’s address: %s', async (forwarded, remote) => {
    const before = server.log().length;
    expect((await at('/tools/mcp', { 'x-forwarded-for': forwarded })).status).toBe(200);
    // Lines come in batches: those of earlier calls, straight from this machine, may still be on their way.
    const line = () =>
      server
        .log()
        .slice(before)
        .split('\n')
        .find((text) => text.includes('"msg":"call"') && !text.includes('"remote":"127.0.0.1"'));
    while (line() === undefined) await new Promise((resolve) => setTimeout(resolve, 10));
    expect(JSON.parse(line()!)).toMatchObject({ remote });
  });

  test('an unknown Host header is refused', async () => {
    expect((await at('/tools/mcp', { host: 'evil.example' })).status).toBe(403);
  });
});
