// The HTTP front door: who may come in, how much they may bring, and what happens to those who misbehave.

import { request as httpRequest, type ServerResponse } from 'node:http';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { GatewayError } from '../../src/errors.ts';
import { createGateway, type Gateway } from '../../src/gateway.ts';
import { Tool } from '../../src/model/tool.ts';
import type { HttpOptions } from '../../src/transport/http-listener.ts';
import { createRequestChecks } from '../../src/transport/request-checks.ts';
import { headersOf, legacy, modern, post, serveHttp } from '../support/mcp.ts';
import { petsDomain } from '../support/pets.ts';
import { openRaw, rawPost } from '../support/raw.ts';
import { useRealHttp } from '../support/real-http.ts';
import { until } from '../support/until.ts';
import { startUpstream, type Upstream } from '../support/upstream.ts';

useRealHttp();

type Server = Awaited<ReturnType<typeof serveHttp>>;

let upstream: Upstream;
let gateway: Gateway;
let server: Server;
/** Answers the upstream still owes. */
let owed: ServerResponse[] = [];

beforeAll(async () => {
  upstream = await startUpstream(({ url }, response) => {
    if (url.startsWith('/pets?limit=')) response.end(url);
    else owed.push(response);
  });
  gateway = createGateway({ domains: [petsDomain(upstream.url)], exposure: 'tools' });
  server = await serveHttp(gateway);
});
afterAll(async () => {
  await server.close(0);
  await gateway.close();
  await upstream.close();
});
beforeEach(() => {
  owed = [];
});

const ping = JSON.stringify(legacy(1, 'ping'));
const PONG = '{"jsonrpc":"2.0","id":1,"result":{}}';
const slow = legacy('slow', 'tools/call', { name: 'pets_list' });
const withServer = async (options: Partial<HttpOptions>, run: (server: Server) => Promise<void>) => {
  const own = await serveHttp(gateway, options);
  try {
    await run(own);
  } finally {
    await own.close(0);
  }
};
/** Any method, with exactly these headers. */
const send = (method: string, path: string, headers: Record<string, string> = {}, port = server.port) =>
  new Promise<{ status: number; headers: Record<string, unknown>; body: string }>((resolve, reject) => {
    const request = httpRequest({ port, host: '127.0.0.1', method, path, headers, agent: false }, (response) => {
      let body = '';
      response.on('data', (chunk: Buffer) => {
        body += chunk.toString();
      });
      response.on('end', () => resolve({ status: response.statusCode ?? 0, headers: response.headers, body }));
    });
    request.on('error', reject);
    request.end();
  });
const refusal = (message: string, code = -32600) => ({ jsonrpc: '2.0', error: { code, message } });

describe('an HTTP answer', () => {
  /** More than the system keeps for a connection. */
  const large = createGateway({
    domains: [],
    native: {
      tools: [
        {
          tool: new Tool({ name: 'much', description: 'x'.repeat(32 * 1024 * 1024), inputSchema: { type: 'object' } }),
          domain: '',
          operations: [],
          run: async () => ({ content: [], isError: false }),
        },
      ],
    },
  });
  afterAll(() => large.close());

  test('that its client does not read is dropped after a while; one that is read slowly is sent to its end', async () => {
    const own = await serveHttp(large, { stallMs: 300 });
    const question = rawPost(JSON.stringify(legacy(1, 'tools/list')), { connection: 'close' });
    const [never, slowly] = [await openRaw(own.port), await openRaw(own.port)];
    never.socket.pause();
    for (const { socket } of [never, slowly]) socket.write(question);
    // In pieces, with a rest after each that is no stall.
    slowly.socket.on('data', () => {
      slowly.socket.pause();
      setTimeout(() => slowly.socket.resume(), 1);
    });
    expect((await slowly.closed).length).toBeGreaterThan(32 * 1024 * 1024);
    await until(() => own.load.connections === 0);
    expect(never.text()).toBe('');
    never.socket.destroy();
    await own.close(0);
  });
});

describe('the body of a POST', () => {
  test('of exactly the limit is read, one byte more is not, whether its length is declared or not', async () => {
    await withServer({ maxBodyBytes: 200 }, async (own) => {
      const sized = (bytes: number) => ping + ' '.repeat(bytes - ping.length);
      const chunked = { 'transfer-encoding': 'chunked' };
      expect(await post(own.url, sized(200))).toMatchObject({ status: 200, body: PONG });
      expect(await post(own.url, sized(200), chunked)).toMatchObject({ status: 200, body: PONG });
      for (const headers of [{}, chunked] as Record<string, string>[]) {
        const answer = await post(own.url, sized(201), headers);
        expect(answer.status).toBe(413);
        expect(JSON.parse(answer.body)).toEqual(
          refusal(
            'The body is larger than 200 bytes, or comes in too many pieces. Start with --max-body <bytes> to take larger ones.',
          ),
        );
      }
    });
  });

  test('that never ends is refused as soon as it is too large', async () => {
    await withServer({ maxBodyBytes: 1_000 }, async (own) => {
      const raw = await openRaw(own.port);
      raw.socket.write(
        'POST /mcp HTTP/1.1\r\nhost: 127.0.0.1\r\ncontent-type: application/json\r\ntransfer-encoding: chunked\r\n\r\n',
      );
      const more = setInterval(() => raw.socket.write(`190\r\n${'x'.repeat(400)}\r\n`), 1);
      expect(await raw.closed).toMatch(/^HTTP\/1\.1 413 /);
      clearInterval(more);
    });
  });

  test('that comes byte by byte is read', async () => {
    const raw = await openRaw(server.port);
    raw.socket.setNoDelay(true);
    for (const char of rawPost(ping)) {
      raw.socket.write(char);
      await new Promise((resolve) => setImmediate(resolve));
    }
    expect(await raw.wait((text) => text.endsWith('}'))).toContain(PONG);
    raw.socket.destroy();
  });

  test('that does not come is a timeout', async () => {
    await withServer({ requestTimeoutMs: 200 }, async (own) => {
      const body = await openRaw(own.port);
      body.socket.write(rawPost(ping).slice(0, -5));
      const headers = await openRaw(own.port);
      headers.socket.write('POST /mcp HTTP/1.1\r\nhost: 127.0.0.1\r\n');
      expect(await body.closed).toMatch(/^HTTP\/1\.1 408 /);
      expect(await headers.closed).toMatch(/^HTTP\/1\.1 408 /);
    });
  });

  test('that is compressed is refused', async () => {
    for (const encoding of ['gzip', 'br', 'deflate', 'identity, gzip', 'x']) {
      const raw = await openRaw(server.port);
      raw.socket.write(rawPost(ping, { 'content-encoding': encoding }));
      const text = await raw.closed;
      expect(text).toMatch(/^HTTP\/1\.1 415 /);
      expect(text).toContain('Unsupported content encoding: send the body uncompressed.');
    }
    expect((await post(server.url, ping, { 'content-encoding': 'identity' })).status).toBe(200);
  });

  test.each(['application/json', 'application/json; charset=utf-8', 'Application/JSON', 'application/json ;a=b'])(
    'of type %s is read',
    async (type) => {
      expect((await post(server.url, ping, { 'content-type': type })).status).toBe(200);
    },
  );

  test.each([
    'text/plain',
    // A browser sends this without asking first: it must not pass for JSON.
    'text/plain; a=application/json',
    'application/x-www-form-urlencoded',
    'multipart/form-data; boundary=application/json',
    'application/jsonp',
    'application/json-seq',
    'text/json',
    'application/json, text/plain',
    '',
  ])('of type %s is refused', async (type) => {
    const answer = await post(server.url, ping, { 'content-type': type });
    expect([answer.status, JSON.parse(answer.body)]).toEqual([
      415,
      refusal('Unsupported media type: send "Content-Type: application/json".'),
    ]);
  });

  test('without a type is refused', async () => {
    const raw = await openRaw(server.port);
    raw.socket.write(`POST /mcp HTTP/1.1\r\nhost: 127.0.0.1\r\ncontent-length: ${ping.length}\r\n\r\n${ping}`);
    expect(await raw.closed).toMatch(/^HTTP\/1\.1 415 /);
  });

  test('that is not UTF-8, or empty, is a parse error', async () => {
    for (const [bytes, message] of [
      [Buffer.from([0x22, 0xff, 0x22]), 'Parse error: the body is not valid UTF-8.'],
      [Buffer.alloc(0), 'Parse error: the message is not valid JSON.'],
      [Buffer.from(`\ufeff${ping}`), 'Parse error: the message is not valid JSON.'],
    ] as const) {
      const answer = await post(server.url, bytes as never);
      expect([answer.status, JSON.parse(answer.body)]).toEqual([400, refusal(message, -32700)]);
    }
  });
});

describe('Host and Origin', () => {
  test.each(['127.0.0.1', '127.0.0.1:80', 'localhost', 'LOCALHOST:1234', '[::1]:3333', '127.9.9.9'])(
    'Host %s may call a server on loopback',
    async (host) => {
      expect((await post(server.url, ping, { host })).status).toBe(200);
    },
  );

  test.each([
    'evil.example',
    'localhost.evil.example',
    '127.0.0.1.evil.example',
    '0.0.0.0',
    '169.254.169.254',
    'localhost:80:80',
    'evil@localhost',
    '[::2]',
    'localhost.',
    '1.1',
  ])('Host %s may not, and nothing happens', async (host) => {
    const answer = await post(server.url, JSON.stringify(slow), { host });
    expect(answer.status).toBe(403);
    expect(JSON.parse(answer.body)).toEqual(
      refusal(
        'Forbidden: this Host is not served here; the log names it. Add it to allowedHosts in landbridge.yaml (--allowed-host), or set publicUrl (--public-url) to the URL that clients use.',
      ),
    );
    expect(owed).toEqual([]);
  });

  test('no Host, or an empty one, may not call either', async () => {
    for (const head of ['POST /mcp HTTP/1.0', 'POST /mcp HTTP/1.1\r\nhost:']) {
      const own = await serveHttp(gateway);
      const raw = await openRaw(own.port);
      raw.socket.write(`${head}\r\ncontent-type: application/json\r\ncontent-length: ${ping.length}\r\n\r\n${ping}`);
      expect(await raw.closed).toMatch(/^HTTP\/1\.1 403 /);
      await own.close(0);
    }
  });

  test('after an allowed Host, others are still refused', async () => {
    for (const [host, status] of [
      ['localhost', 200],
      ['evil.example', 403],
      ['localhost', 200],
      ['evil.example', 403],
    ] as const) {
      expect((await post(server.url, ping, { host })).status).toBe(status);
    }
  });

  test.each(['http://localhost', 'http://localhost:5173', 'https://127.0.0.1:8443', 'http://[::1]:1'])(
    'a page of %s may call',
    async (origin) => {
      expect((await post(server.url, ping, { origin })).status).toBe(200);
    },
  );

  test.each([
    'https://evil.example',
    'null',
    'http://localhost.evil.example',
    'http://localhost:80@evil.example',
    'file://',
    'http://localhost/',
    '',
    'chrome-extension://abc',
  ])('a page of %s may not, and nothing happens', async (origin) => {
    const answer = await post(server.url, JSON.stringify(slow), { origin });
    expect(answer.status).toBe(403);
    expect(JSON.parse(answer.body)).toEqual(
      refusal(
        'Forbidden: this Origin may not call; the log names it. Add it to allowedOrigins in landbridge.yaml (--allowed-origin).',
      ),
    );
    expect(answer.headers['access-control-allow-origin']).toBeUndefined();
    expect(owed).toEqual([]);
  });

  test('are checked in the same way for every other route', async () => {
    for (const headers of [{ host: 'evil.example' }, { origin: 'null' }] as Record<string, string>[]) {
      expect((await send('GET', '/', headers)).status).toBe(403);
      expect((await send('GET', '/mcp', headers)).status).toBe(403);
      expect((await send('OPTIONS', '/mcp', headers)).status).toBe(403);
    }
    // Load balancers ask by whatever name they know.
    expect((await send('GET', '/healthz', { host: 'evil.example' })).status).toBe(200);
  });

  test('on a wide bind, a Host is served if it is configured or is an address of this machine', () => {
    const check = (options: { host: string; allowedHosts: string[] }, host: string | undefined, origin?: string) => {
      const request = { headers: { host, origin }, rawHeaders: [], socket: {} };
      return createRequestChecks({ allowedOrigins: [], ...options }).checkSource(request as never)?.status;
    };
    expect(check({ host: '0.0.0.0', allowedHosts: [] }, 'api.example')).toBe(403);
    expect(check({ host: '0.0.0.0', allowedHosts: [] }, '127.0.0.1:3333')).toBeUndefined();
    expect(check({ host: '0.0.0.0', allowedHosts: ['api.example'] }, 'API.example:443')).toBeUndefined();
    expect(check({ host: '0.0.0.0', allowedHosts: ['api.example'] }, 'evil.example')).toBe(403);
    expect(check({ host: '0.0.0.0', allowedHosts: ['api.example'] }, 'localhost')).toBe(403);
    expect(check({ host: '127.0.0.1', allowedHosts: ['api.example'] }, 'api.example')).toBeUndefined();
    expect(check({ host: '127.0.0.1', allowedHosts: [] }, undefined)).toBe(403);
    // A page on the visitor's own machine is no friend of a public server.
    expect(check({ host: '0.0.0.0', allowedHosts: [] }, 'api.example', 'http://localhost:3000')).toBe(403);
  });
});

describe('CORS', () => {
  const origin = 'https://app.example';

  test('has no headers unless an origin is configured', async () => {
    const answer = await post(server.url, ping, { origin: 'http://localhost:5173' });
    expect(Object.keys(answer.headers).filter((name) => name.startsWith('access-control'))).toEqual([]);
    const preflight = await send('OPTIONS', '/mcp', {
      origin: 'http://localhost:5173',
      'access-control-request-method': 'POST',
    });
    expect([preflight.status, preflight.headers.allow]).toEqual([405, 'POST']);
  });

  test('lets a configured page call, read answers and refusals, and be asked questions', async () => {
    await withServer({ allowedOrigins: [origin], maxBodyBytes: 300 }, async (own) => {
      const granted = {
        'access-control-allow-origin': origin,
        'access-control-expose-headers': 'Mcp-Session-Id, WWW-Authenticate',
        vary: 'Origin',
      };
      expect(await post(own.url, ping, { origin })).toMatchObject({ status: 200, headers: granted });
      expect(await post(own.url, ping, { origin, 'content-type': 'text/plain' })).toMatchObject({
        status: 415,
        headers: granted,
      });
      expect(await post(own.url, ' '.repeat(301), { origin })).toMatchObject({ status: 413, headers: granted });
      expect(await post(own.url, '{"jsonrpc":"2.0","method":"x"}', { origin })).toMatchObject({
        status: 202,
        headers: granted,
      });
      expect((await post(own.url, ping, { origin: 'https://other.example' })).status).toBe(403);
    });
  });

  test('allows in a preflight what a client sends, including mirrored arguments, and nothing else', async () => {
    await withServer({ allowedOrigins: [origin] }, async (own) => {
      const asked = 'content-type, mcp-param-region, x-evil, mcp-param-bad name';
      const answer = await send(
        'OPTIONS',
        '/mcp',
        { origin, 'access-control-request-method': 'POST', 'access-control-request-headers': asked },
        own.port,
      );
      expect(answer).toMatchObject({
        status: 204,
        headers: {
          'access-control-allow-origin': origin,
          'access-control-allow-methods': 'POST',
          'access-control-allow-headers':
            'Content-Type, Accept, Authorization, X-API-Key, MCP-Protocol-Version, Mcp-Method, Mcp-Name, Mcp-Session-Id, mcp-param-region',
        },
      });
      expect((await send('OPTIONS', '/mcp', { origin: 'https://other.example' }, own.port)).status).toBe(403);
    });
  });
});

describe('routes', () => {
  test.each(['GET', 'DELETE', 'PUT', 'PATCH', 'OPTIONS', 'HEAD'])('%s /mcp is not allowed', async (method) => {
    const answer = await send(method, '/mcp');
    expect([answer.status, answer.headers.allow]).toEqual([405, 'POST']);
    // The SDK answers with code -32000, which new implementations should not use.
    if (method !== 'HEAD') {
      expect(JSON.parse(answer.body)).toEqual(
        refusal('Method not allowed: send MCP messages with POST. There is no session to open or delete.'),
      );
    }
  });

  test('health, readiness and the overview are served', async () => {
    expect(await send('GET', '/healthz')).toMatchObject({ status: 200, body: '{"status":"ok"}' });
    await withServer({}, async (own) => {
      expect(await send('GET', '/readyz', {}, own.port)).toMatchObject({ status: 200, body: '{"status":"ready"}' });
      own.drain();
      expect(await send('GET', '/readyz', {}, own.port)).toMatchObject({ status: 503, body: '{"status":"draining"}' });
    });
    expect((await send('GET', '/')).body).toContain('"mcp":"/mcp"');
  });

  test.each([
    '/nope',
    '/mcp/nope',
    '/mcp/../etc',
    '/MCP',
    '/mcp/a/b',
    '/%2e%2e/mcp',
    '/%E0%A4%A',
    '/%00',
    '//evil.example/mcp',
    '/mcp%2f',
    '/?/mcp',
  ])('POST %s is not MCP: a clean answer without a stack trace', async (path) => {
    const answer = await send('POST', path, { 'content-type': 'application/json' });
    expect([400, 404, 405]).toContain(answer.status);
    expect(answer.body).not.toMatch(/<html|node_modules|\n\s+at /i);
  });

  test('POST /mcp takes a trailing slash and ignores a query', async () => {
    expect((await post(`${server.url}/`, ping)).status).toBe(200);
    expect((await post(`${server.url}?token=x`, ping)).status).toBe(200);
  });

  test('neither server nor framework identifies itself', async () => {
    for (const answer of [await send('GET', '/'), await post(server.url, ping)]) {
      expect(answer.headers).not.toHaveProperty('x-powered-by');
      expect(answer.headers).not.toHaveProperty('server');
    }
  });
});

describe('an HTTP connection', () => {
  test('serves one request after another, refusals in between or not', async () => {
    const raw = await openRaw(server.port);
    raw.socket.write(rawPost(ping) + rawPost('{') + rawPost(ping.replace('1,', '2,')));
    const text = await raw.wait((so_far) => so_far.includes('"id":2'));
    expect(text.match(/HTTP\/1\.1 \d+/g)).toEqual(['HTTP/1.1 200', 'HTTP/1.1 400', 'HTTP/1.1 200']);
    raw.socket.destroy();
  });

  test('is closed after bytes that are not a request', async () => {
    for (const garbage of [
      '\x16\x03\x01\x02\x00',
      'GET / HTTP/9.9\r\n\r\n',
      'POST /mcp HTTP/1.1\r\n\r\n',
      `GET / HTTP/1.1\r\nhost: a\r\nx: ${'y'.repeat(20_000)}\r\n\r\n`,
    ]) {
      const raw = await openRaw(server.port);
      raw.socket.write(garbage, 'latin1');
      expect(await raw.closed).toMatch(/^HTTP\/1\.1 4\d\d /);
    }
  });

  test('is closed, not answered twice, when garbage follows a request in progress', async () => {
    const raw = await openRaw(server.port);
    raw.socket.write(rawPost(JSON.stringify(slow)));
    await until(() => owed.length === 1);
    raw.socket.write('garbage\r\n\r\n');
    const text = await raw.closed;
    expect(text.match(/HTTP\/1\.1/g)?.length ?? 0).toBeLessThanOrEqual(1);
    owed[0]?.end('[]');
  });

  test('refuses two lengths, or a length and chunks (request smuggling)', async () => {
    for (const headers of [
      'content-length: 5\r\ncontent-length: 6',
      'content-length: 5\r\ntransfer-encoding: chunked',
      'transfer-encoding: chunked, identity',
    ]) {
      const raw = await openRaw(server.port);
      raw.socket.write(
        `POST /mcp HTTP/1.1\r\nhost: 127.0.0.1\r\ncontent-type: application/json\r\n${headers}\r\n\r\n0\r\n\r\n`,
      );
      expect(await raw.closed).toMatch(/^HTTP\/1\.1 400 /);
    }
  });

  test('strips the white space around header values before they are compared', async () => {
    const message = modern(1, 'tools/call', { name: 'pets_list', arguments: { limit: 3 } });
    const padded = Object.fromEntries(
      Object.entries(headersOf(message)).map(([name, value]) => [name, ` \t ${value} \t`]),
    );
    const raw = await openRaw(server.port);
    raw.socket.write(rawPost(JSON.stringify(message), padded));
    expect(await raw.wait((text) => text.endsWith('}'))).toMatch(/^HTTP\/1\.1 200 /);
    raw.socket.destroy();
  });

  test('accepts a name in base64', async () => {
    const message = modern(1, 'tools/call', { name: 'pets_list', arguments: { limit: 3 } });
    const encoded = `=?base64?${Buffer.from('pets_list').toString('base64')}?=`;
    expect(
      (await post(server.url, JSON.stringify(message), { ...headersOf(message), 'mcp-name': encoded })).status,
    ).toBe(200);
    expect(
      (await post(server.url, JSON.stringify(message), { ...headersOf(message), 'mcp-name': `${encoded}=` })).status,
    ).toBe(400);
  });

  test('checks mirrored arguments against the tool’s schema', async () => {
    const properties = { region: { type: 'string', 'x-mcp-header': 'Region' } };
    const own = createGateway({
      domains: [],
      native: {
        tools: [
          {
            tool: new Tool({ name: 'where', description: 'Says where.', inputSchema: { type: 'object', properties } }),
            domain: '',
            operations: [],
            run: async (_call, args) => ({ content: [{ type: 'text', text: String(args.region) }], isError: false }),
          },
        ],
      },
    });
    const http = await serveHttp(own);
    const message = modern(1, 'tools/call', { name: 'where', arguments: { region: 'eu' } });
    const call = (more: Record<string, string>) =>
      post(http.url, JSON.stringify(message), { ...headersOf(message), ...more });
    expect((await call({ 'Mcp-Param-Region': 'eu' })).status).toBe(200);
    for (const more of [{}, { 'Mcp-Param-Region': 'us' }, { 'Mcp-Param-Region': '=?base64?%%%?=' }] as Record<
      string,
      string
    >[]) {
      const answer = await call(more);
      expect([answer.status, JSON.parse(answer.body).error.code]).toEqual([400, -32020]);
    }
    // Legacy requests know no such headers.
    const before = legacy(1, 'tools/call', { name: 'where', arguments: { region: 'eu' } });
    expect((await post(http.url, JSON.stringify(before))).status).toBe(200);
    await http.close(0);
    await own.close();
  });
});

describe('requests over the limits of load', () => {
  test('are refused at once, and accepted again later', async () => {
    await withServer({ maxInFlight: 2 }, async (own) => {
      const underWay = [1, 2].map(() => post(own.url, JSON.stringify(slow)));
      await until(() => owed.length === 2);
      const answer = await post(own.url, ping);
      expect(answer).toMatchObject({ status: 503, headers: { 'retry-after': '1' } });
      expect(JSON.parse(answer.body)).toEqual(
        refusal('Too many requests are under way; try again in a moment.', -32603),
      );
      for (const response of owed) response.end('[]');
      expect((await Promise.all(underWay)).map(({ status }) => status)).toEqual([200, 200]);
      expect((await post(own.url, ping)).status).toBe(200);
    });
  });

  test('because of bodies that never end are bounded over all connections, and not counted after a disconnect', async () => {
    await withServer({ maxHeldBytes: 1_000 }, async (own) => {
      const half = `${rawPost(' '.repeat(900)).slice(0, -500)}`;
      const [one, two, three] = [await openRaw(own.port), await openRaw(own.port), await openRaw(own.port)];
      one.socket.write(half);
      two.socket.write(half);
      // Both have arrived when a small request has been answered after them.
      expect((await post(own.url, ping)).status).toBe(200);
      three.socket.write(half);
      expect(await three.closed).toMatch(/^HTTP\/1\.1 503 /);
      one.socket.destroy();
      two.socket.end(' '.repeat(500));
      await two.closed;
      const again = await openRaw(own.port);
      again.socket.write(half);
      expect((await post(own.url, ping + ' '.repeat(500))).status).toBe(200);
      again.socket.destroy();
    });
  });

  test('of busy callers leave room for another caller, however many they are', async () => {
    const identify = ({ headers }: { readonly headers: NodeJS.Dict<string | string[]> }) => ({
      principal: { id: String(headers['x-caller']) },
    });
    await withServer({ maxInFlight: 20, identify }, async (own) => {
      const callAs = (caller: string) => post(own.url, JSON.stringify(slow), { 'x-caller': caller });
      const noisy: ReturnType<typeof post>[] = [];
      const refused: number[] = [];
      for (const caller of ['a', 'b']) {
        for (let at = 0; at < 30; at++) {
          const call = callAs(caller);
          void call.then(({ status }) => status === 503 && refused.push(status));
          noisy.push(call);
        }
        const sent = noisy.length;
        await until(() => owed.length + refused.length === sent);
      }
      expect(owed.length).toBeLessThan(20);
      const quiet = callAs('c');
      await until(() => owed.length + refused.length === 61);
      for (const response of owed) response.end('[]');
      expect((await quiet).status).toBe(200);
      expect(refused.length).toBeGreaterThan(0);
      await Promise.all(noisy);
    });
  });

  test('of one caller with incomplete bodies keep no other out: the caller with the most bytes loses one', async () => {
    const identify = ({ headers }: { readonly headers: NodeJS.Dict<string | string[]> }) => ({
      principal: { id: String(headers['x-caller']) },
    });
    await withServer({ maxHeldBytes: 1_000, identify }, async (own) => {
      const half = (caller: string) => rawPost(' '.repeat(450), { 'x-caller': caller }).slice(0, -1);
      const noisy = [await openRaw(own.port), await openRaw(own.port)];
      for (const { socket } of noisy) socket.write(half('noisy'));
      // What comes whole needs no room of others', whatever it is that they hold.
      expect((await post(own.url, ping + ' '.repeat(900), { 'x-caller': 'quiet' })).status).toBe(200);
      const quiet = await openRaw(own.port);
      quiet.socket.write(half('quiet'));
      expect(await noisy[0]!.closed).toMatch(/^HTTP\/1\.1 503 /);
      quiet.socket.end(' ');
      expect(await quiet.closed).toMatch(/^HTTP\/1\.1 400 /);
      // Its own next one is refused as before.
      const more = [await openRaw(own.port), await openRaw(own.port)];
      for (const { socket } of more) socket.write(half('noisy'));
      expect(await Promise.race(more.map(({ closed }) => closed))).toMatch(/^HTTP\/1\.1 503 /);
      for (const { socket } of [...noisy, ...more]) socket.destroy();
    });
  });

  test('of clients with the same id get their own answers', async () => {
    const call = (limit: number) => modern('same', 'tools/call', { name: 'pets_list', arguments: { limit } });
    const answers = await Promise.all(
      Array.from({ length: 40 }, async (_, index) => {
        const message =
          index % 2
            ? call(index + 1)
            : legacy('same', 'tools/call', { name: 'pets_list', arguments: { limit: index + 1 } });
        const { body } = await post(server.url, JSON.stringify(message), index % 2 ? headersOf(message) : {});
        return JSON.parse(body) as { id: string; result: { content: { text: string }[] } };
      }),
    );
    expect(answers.map(({ id, result }) => [id, result.content[0]?.text])).toEqual(
      Array.from({ length: 40 }, (_, index) => ['same', `/pets?limit=${index + 1}`]),
    );
  });

  test('many legacy calls at once leave no listener behind', async () => {
    const warnings: Error[] = [];
    const onWarning = (warning: Error) => warnings.push(warning);
    process.on('warning', onWarning);
    const underWay = Array.from({ length: 30 }, () => post(server.url, JSON.stringify(slow)));
    await until(() => owed.length === 30);
    for (const response of owed) response.end('[]');
    await Promise.all(underWay);
    process.off('warning', onWarning);
    expect(warnings).toEqual([]);
  });
});

describe('closing an HTTP server', () => {
  test('finishes requests in progress, and accepts no new ones', async () => {
    const own = await serveHttp(gateway);
    const idle = await openRaw(own.port);
    idle.socket.write(rawPost(ping));
    await idle.wait((text) => text.endsWith('}'));
    const underWay = post(own.url, JSON.stringify(slow));
    await until(() => owed.length === 1);
    const closing = own.close(60_000);
    const isRefused = () =>
      post(own.url, ping).then(
        () => false,
        (error: NodeJS.ErrnoException) => error.code === 'ECONNREFUSED',
      );
    while (!(await isRefused()));
    owed[0]?.end('[]');
    expect(await underWay).toMatchObject({ status: 200, headers: { connection: 'close' } });
    await Promise.all([closing, idle.closed]);
  });

  test('waits no longer than the grace time', async () => {
    const own = await serveHttp(gateway);
    const underWay = post(own.url, JSON.stringify(slow)).catch((error: Error) => error.message);
    await until(() => owed.length === 1);
    await own.close(0);
    expect(await underWay).toMatchObject({ status: 503, headers: { 'retry-after': '5', connection: 'close' } });
  });

  test('reports a port that is in use', async () => {
    await expect(serveHttp(gateway, { port: server.port })).rejects.toEqual(
      new GatewayError(
        'CANNOT_LISTEN',
        `HTTP port ${server.port} on 127.0.0.1 is already in use. Stop the other program, or choose another port with --port (0 picks a free one).`,
      ),
    );
  });
});

describe('a list that is too long to be copied for every request', () => {
  const tools = Array.from({ length: 400 }, (_, number) => ({
    tool: new Tool({
      name: `tool_${number}`,
      description: `Number ${number}: ${'é'.repeat(number % 3)}${'x'.repeat(100)}`,
      inputSchema: { type: 'object' },
    }),
    domain: '',
    operations: [],
    run: async () => ({ content: [], isError: false }),
  }));

  test.each([
    ['an id that is a number', 7],
    ['an id beyond ASCII', 'ü→"'],
  ])('is the same over HTTP as in process, for %s', async (_, id) => {
    const own = createGateway({ domains: [], native: { tools }, exposure: 'tools' });
    const open = await serveHttp(own);
    try {
      const now = modern(id, 'tools/list');
      for (const [message, headers] of [[now, headersOf(now)] as const, [legacy(id, 'tools/list'), {}] as const]) {
        const { body } = (await own.handle(message))!;
        const reply = await post(open.url, JSON.stringify(message), headers);
        expect(reply.body).toBe(body);
        expect(JSON.parse(reply.body)).toMatchObject({ id, result: { tools: { length: 400 } } });
      }
    } finally {
      await open.close(0);
      await own.close();
    }
  });
});
