// Who a request comes from where proxies stand in between. Judged by the Host that counted, and the address a call is logged with.

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createGateway, type Gateway } from '../../src/gateway.ts';
import { createLog } from '../../src/log.ts';
import { createClientResolver } from '../../src/transport/client-address.ts';
import { headersOf, modern, post, serveHttp } from '../support/mcp.ts';
import { petsDomain } from '../support/pets.ts';
import { useRealHttp } from '../support/real-http.ts';
import { startUpstream, type Upstream } from '../support/upstream.ts';

useRealHttp();

let upstream: Upstream;
let gateway: Gateway;
let lines: Record<string, unknown>[] = [];

beforeAll(async () => {
  upstream = await startUpstream((_request, response) => void response.end('[]'));
  const destination = { write: (line: string) => void lines.push(JSON.parse(line)) };
  const log = createLog({ level: 'info', destination });
  gateway = createGateway({ domains: [petsDomain(upstream.url)], exposure: 'tools', log });
});
afterAll(async () => {
  await gateway.close();
  await upstream.close();
});

const call = modern(1, 'tools/call', { name: 'pets_list', arguments: { limit: 1 } });

async function callThrough(trustedProxies: string[], headers: Record<string, string>) {
  const server = await serveHttp(gateway, { trustedProxies, publicUrl: 'https://mcp.example.com' });
  lines = [];
  const { status } = await post(server.url, JSON.stringify(call), { ...headersOf(call), ...headers });
  await server.close(0);
  return { status, remote: lines.find(({ msg }) => msg === 'call')?.remote };
}

const headers = {
  'x-forwarded-for': '198.51.100.1, 203.0.113.9',
  'x-forwarded-host': 'mcp.example.com',
  'x-forwarded-proto': 'https',
};

describe('forwarding headers', () => {
  test('are ignored if no proxy is trusted', async () => {
    expect(await callThrough([], headers)).toEqual({ status: 200, remote: '127.0.0.1' });
    expect(await callThrough([], { host: 'evil.example', ...headers })).toMatchObject({ status: 403 });
    expect(await callThrough([], { 'x-forwarded-host': 'evil.example' })).toMatchObject({ status: 200 });
  });

  test('are ignored if they come from an address that is not trusted', async () => {
    expect(await callThrough(['10.0.0.0/8', 'fd00::/8'], headers)).toEqual({ status: 200, remote: '127.0.0.1' });
  });

  test('of a trusted proxy decide the client’s address and the Host', async () => {
    const proxied = { host: 'internal.example', ...headers };
    expect(await callThrough(['127.0.0.0/8'], proxied)).toEqual({ status: 200, remote: '203.0.113.9' });
    expect(await callThrough(['127.0.0.1'], { 'x-forwarded-host': 'evil.example' })).toMatchObject({ status: 403 });
    expect(await callThrough(['127.0.0.1'], { host: 'internal.example' })).toMatchObject({ status: 403 });
  });

  test('are refused if Forwarded and X-Forwarded-* disagree: the client wrote one of them', async () => {
    const both = { ...headers, forwarded: 'for=192.0.2.1' };
    expect(await callThrough(['127.0.0.1'], both)).toEqual({ status: 400, remote: undefined });
    const agreed = { ...headers, forwarded: 'for=203.0.113.9;host=mcp.example.com' };
    expect(await callThrough(['127.0.0.1'], agreed)).toEqual({ status: 200, remote: '203.0.113.9' });
  });

  test('are refused if they cannot be read: an open quote of the client must not hide what the proxy added', async () => {
    const swallowed = { forwarded: 'for="198.51.100.1, for=203.0.113.9' };
    expect(await callThrough(['127.0.0.1'], swallowed)).toEqual({ status: 400, remote: undefined });
    expect(await callThrough([], swallowed)).toEqual({ status: 200, remote: '127.0.0.1' });
  });

  test('are read in linear time', async () => {
    const long = `for=${'"\\'.repeat(2_000)}`;
    expect(await callThrough(['127.0.0.1'], { forwarded: long })).toMatchObject({ status: 400 });
    const many = '203.0.113.9,'.repeat(1_000);
    expect(await callThrough(['127.0.0.1'], { 'x-forwarded-for': many })).toEqual({
      status: 200,
      remote: '203.0.113.9',
    });
  });

  test('an invalid range of trusted proxies is an error at start', async () => {
    for (const range of ['10.0.0.0/33', 'proxy.example', '10.0.0.0/8/8', '::/129', '', '10.0.0.0/x'])
      await expect(serveHttp(gateway, { trustedProxies: [range] })).rejects.toMatchObject({ code: 'BAD_CONFIG' });
  });
});

describe('the client is the right-most hop that is not a trusted proxy', () => {
  const visitor = (
    remoteAddress: string,
    sent: Record<string, string>,
    trusted: string[] = ['10.0.0.0/8', 'fd00::/8'],
  ) => createClientResolver(trusted)({ socket: { remoteAddress }, headers: sent } as never).address;

  test.each([
    ['10.0.0.1', '203.0.113.9', '203.0.113.9'],
    ['::ffff:10.0.0.1', '203.0.113.9', '203.0.113.9'],
    ['fd00::1', '2001:DB8::1', '2001:db8::1'],
    ['10.0.0.1', '1.1.1.1, 203.0.113.9, 10.0.0.2', '203.0.113.9'],
    ['10.0.0.1', '10.0.0.3, 10.0.0.2', '10.0.0.3'],
    ['10.0.0.1', '203.0.113.9:51000', '203.0.113.9'],
    ['10.0.0.1', '[2001:db8::1]:443', '2001:db8::1'],
    ['10.0.0.1', '::ffff:203.0.113.9', '203.0.113.9'],
    ['10.0.0.1', '::ffff:cb00:7109', '203.0.113.9'],
    ['10.0.0.1', '203.0.113.9, unknown', '10.0.0.1'],
    ['10.0.0.1', '203.0.113.9, unknown, 10.0.0.2', '10.0.0.2'],
    ['10.0.0.1', '"; drop, \u0007', '10.0.0.1'],
    ['10.0.0.1', '', '10.0.0.1'],
    ['203.0.113.5', '1.1.1.1', '203.0.113.5'],
    ['203.0.113.5', '1.1.1.1, 10.0.0.2', '203.0.113.5'],
  ])('peer %s, X-Forwarded-For "%s": %s', (peer, hops, client) => {
    expect(visitor(peer, { 'x-forwarded-for': hops })).toBe(client);
  });

  test.each([
    ['for=203.0.113.9', '203.0.113.9'],
    ['For="[2001:db8:cafe::17]:4711";proto=https', '2001:db8:cafe::17'],
    ['for=1.1.1.1, for=203.0.113.9;by=10.0.0.2, for=10.0.0.2', '203.0.113.9'],
    ['for=_hidden, for="10.0.0.2"', '10.0.0.2'],
    ['proto=https', '10.0.0.1'],
  ])('Forwarded "%s": %s', (forwarded, client) => {
    expect(visitor('10.0.0.1', { forwarded })).toBe(client);
  });

  test('the Host is the one that the outermost trusted proxy received', () => {
    const hostOf = (sent: Record<string, string>) =>
      createClientResolver(['10.0.0.0/8'])({ socket: { remoteAddress: '10.0.0.1' }, headers: sent } as never).host;
    const hops = { 'x-forwarded-for': '203.0.113.9, 10.0.0.2' };
    expect(hostOf({ ...hops, 'x-forwarded-host': 'a.example, b.internal' })).toBe('a.example');
    expect(hostOf({ ...hops, 'x-forwarded-host': 'spoofed.example, a.example, b.internal' })).toBe('a.example');
    expect(hostOf({ ...hops, 'x-forwarded-host': 'a.example' })).toBe('a.example');
    expect(hostOf({ host: 'own.example', 'x-forwarded-for': '203.0.113.9' })).toBe('own.example');
    expect(hostOf({ forwarded: 'for=1.1.1.1;host=spoofed.example, for=203.0.113.9;host="a.example"' })).toBe(
      'a.example',
    );
  });
});
