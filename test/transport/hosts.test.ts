// Under which names a gateway is served that other machines can reach: real sockets on a wide bind.

import { networkInterfaces } from 'node:os';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createGateway, type Gateway } from '../../src/gateway.ts';
import type { HttpOptions } from '../../src/transport/http-listener.ts';
import { headersOf, modern, serveHttp } from '../support/mcp.ts';
import { petsDomain } from '../support/pets.ts';
import { openRaw, rawPost } from '../support/raw.ts';
import { useRealHttp } from '../support/real-http.ts';
import { startUpstream, type Upstream } from '../support/upstream.ts';

useRealHttp();

let upstream: Upstream;
let gateway: Gateway;
let calls: string[] = [];

beforeAll(async () => {
  upstream = await startUpstream(({ url }, response) => {
    calls.push(url);
    response.end('[]');
  });
  gateway = createGateway({ domains: [petsDomain(upstream.url)], exposure: 'tools' });
});
afterAll(async () => {
  await gateway.close();
  await upstream.close();
});

const call = modern(1, 'tools/call', { name: 'pets_list', arguments: { limit: 1 } });
const body = JSON.stringify(call);

/** Whether a call with these headers reached the API, and the status it was answered with. */
async function knock(options: Partial<HttpOptions>, headers: Record<string, string>, target = '/mcp') {
  const server = await serveHttp(gateway, options);
  calls = [];
  const raw = await openRaw(server.port);
  const text = rawPost(body, { ...headersOf(call), connection: 'close', ...headers });
  raw.socket.write(text.replace('POST /mcp ', `POST ${target} `));
  const answer = await raw.closed;
  await server.close(0);
  return { status: Number(answer.split(' ')[1]), reached: calls.length > 0, answer };
}

const SERVED = { status: 200, reached: true };
const REFUSED = { status: 403, reached: false };
const own = Object.values(networkInterfaces()).flatMap((all = []) => all.filter(({ family }) => family === 'IPv4'));

describe('on a wide bind', () => {
  test.each(['evil.example', 'evil.example:3333', 'localhost.evil.example', '198.51.100.7', '0.0.0.0', '127.1', ''])(
    'the Host "%s" is refused if no host is configured',
    async (host) => {
      expect(await knock({ host: '0.0.0.0' }, { host })).toMatchObject(REFUSED);
    },
  );

  test('the refusal names both settings', async () => {
    const { answer } = await knock({ host: '0.0.0.0' }, { host: 'evil.example' });
    expect(answer).toContain('--allowed-host');
    expect(answer).toContain('--public-url');
  });

  test.each(['localhost', '127.0.0.1:3333', '[::1]:80', '[0:0:0:0:0:0:0:1]', ...own.map(({ address }) => address)])(
    'the Host %s, an address of this machine, is served if no host is configured',
    async (host) => {
      expect(await knock({ host: '0.0.0.0' }, { host })).toMatchObject(SERVED);
    },
  );

  test.each([
    ['mcp.example.com', SERVED],
    ['MCP.Example.Com:8443', SERVED],
    ['second.example', SERVED],
    ['localhost', REFUSED],
    ['127.0.0.1', REFUSED],
    ['mcp.example.com.', REFUSED],
    ['mcp.example.com:1:2', REFUSED],
    ['user@mcp.example.com', REFUSED],
    ['mcp.example.com@evil.example', REFUSED],
    ['[fe80::1%25eth0]', REFUSED],
    ['mcp.example.com, evil.example', REFUSED],
    ['xmcp.example.com', REFUSED],
    ['mcp.example.com.evil.example', REFUSED],
  ])('with a public URL and an allowed host, the Host %s gets the right answer', async (host, outcome) => {
    const options = {
      host: '0.0.0.0',
      publicUrl: 'https://mcp.example.com:9443',
      allowedHosts: ['Second.example:80'],
    };
    expect(await knock(options, { host })).toMatchObject(outcome);
  });

  test('load balancers that probe by address are answered, whatever is configured', async () => {
    const server = await serveHttp(gateway, { host: '0.0.0.0', publicUrl: 'https://mcp.example.com' });
    for (const path of ['/healthz', '/readyz']) {
      const raw = await openRaw(server.port);
      raw.socket.write(`GET ${path} HTTP/1.1\r\nhost: 10.1.2.3:3333\r\nconnection: close\r\n\r\n`);
      expect(await raw.closed).toMatch(/^HTTP\/1\.1 200 /);
    }
    await server.close(0);
  });
});

test('the host of a public URL is served on loopback, in addition to loopback names', async () => {
  const options = { publicUrl: 'https://mcp.example.com' };
  expect(await knock(options, { host: 'mcp.example.com' })).toMatchObject(SERVED);
  expect(await knock(options, { host: 'localhost' })).toMatchObject(SERVED);
  expect(await knock(options, { host: 'evil.example' })).toMatchObject(REFUSED);
});

test('two Host headers are refused, whichever comes first', async () => {
  for (const [first, second] of [
    ['127.0.0.1', 'evil.example'],
    ['evil.example', '127.0.0.1'],
    ['127.0.0.1', '127.0.0.1'],
  ]) {
    const outcome = await knock({}, { host: `${first}\r\nHOST: ${second}` });
    expect(outcome).toMatchObject({ status: 400, reached: false });
  }
});

test.each(['http://evil.example/mcp', 'http://127.0.0.1/mcp', 'HTTP://127.0.0.1/mcp', '*', 'mcp'])(
  'a request for %s is refused: a target is a path',
  async (target) => {
    expect(await knock({}, {}, target)).toMatchObject({ status: 400, reached: false });
  },
);

test.each([['https://mcp.example.com'], ['mcp.example.com/mcp'], ['*'], ['']])(
  'an invalid allowed host, such as "%s", is an error at start',
  async (name) => {
    await expect(serveHttp(gateway, { allowedHosts: [name] })).rejects.toMatchObject({ code: 'BAD_CONFIG' });
  },
);
