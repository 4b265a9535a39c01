// API keys over real HTTP: which callers are accepted, for which profile, and what callers without a key can find out.

import { createHash } from 'node:crypto';
import { request as httpRequest } from 'node:http';
import { Client as ClientV2, StreamableHTTPClientTransport as HttpV2 } from '@modelcontextprotocol/client';
import { Client as ClientV1 } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport as HttpV1 } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { createGateway, type Gateway } from '../../src/gateway.ts';
import { type ApiKey, createKeyAuthority } from '../../src/identity/api-keys.ts';
import { createIdentify } from '../../src/identity/identify.ts';
import { ToolConverter } from '../../src/model/converters.ts';
import type { HttpServer } from '../../src/transport/http-listener.ts';
import { createRefusals, type Refusals } from '../../src/transport/refusals.ts';
import { serveHttp } from '../../src/transport/serve-http.ts';
import { type HttpAnswer, headersOf, legacy, modern, post } from '../support/mcp.ts';
import { petsDomain } from '../support/pets.ts';
import { useRealHttp } from '../support/real-http.ts';
import { startUpstream, type Upstream } from '../support/upstream.ts';

useRealHttp();

const key = (secret: string, more: Partial<ApiKey> = {}): ApiKey => ({
  name: 'ci',
  sha256: createHash('sha256').update(secret).digest('hex'),
  ...more,
});
const KEYS = [
  key('all-of-it', { name: 'boss' }),
  key('only-reader', { profiles: ['reader'], effects: ['read'] }),
  key('second-of-ci', { profiles: ['reader'], effects: ['read'] }),
  key('long-gone', { name: 'old', expires: '2020-01-01' }),
  key('not-yet-gone', { name: 'new', expires: '2999-01-01T00:00:00Z' }),
];
const LIST = JSON.stringify(legacy(1, 'tools/list'));

let upstream: Upstream;
let gateway: Gateway;
let server: HttpServer;
let origin: string;
let refusals: Refusals;
const lines: object[] = [];
beforeAll(async () => {
  upstream = await startUpstream();
  gateway = createGateway({
    domains: [petsDomain(upstream.url)],
    exposure: 'tools',
    isPrivate: true,
    profiles: { reader: { effects: ['read', 'write'] }, admin: { include: ['pets.delete', 'pets.list'] } },
  });
  const identify = createIdentify({
    authorities: [createKeyAuthority(KEYS)],
    challenge: (_profile, error) => `Bearer realm="test"${error ? `, error="${error}"` : ''}`,
  });
  refusals = createRefusals((facts) => void lines.push(facts));
  server = await serveHttp(gateway, { port: 0, identify, refusals, allowedOrigins: ['https://app.example'] });
  origin = `http://127.0.0.1:${server.port}`;
});
afterAll(async () => {
  await server.close(0);
  await gateway.close();
  await upstream.close();
});

const list = (path: string, headers: Record<string, string> = {}) => post(`${origin}${path}`, LIST, headers);
const bearer = (secret: string) => ({ authorization: `Bearer ${secret}` });
const namesIn = ({ body }: HttpAnswer) =>
  (JSON.parse(body) as { result: { tools: { name: string }[] } }).result.tools.map(({ name }) => name);
/** The answer without the path in it and the time. */
const anonymise = (
  { status, headers: { date: _, 'content-length': __, ...headers }, body }: HttpAnswer,
  path: string,
) => ({
  status,
  headers,
  body: body.replaceAll(path, '…'),
});

function ask(method: string, path: string, headers: Record<string, string | string[]> = {}): Promise<HttpAnswer> {
  return new Promise((resolve, reject) => {
    const request = httpRequest(`${origin}${path}`, { method, agent: false, headers }, (response) => {
      let body = '';
      response.setEncoding('utf8').on('data', (chunk: string) => {
        body += chunk;
      });
      response.on('end', () => resolve({ status: response.statusCode ?? 0, headers: response.headers, body }));
    });
    request.on('error', reject).end();
  });
}

describe('a key', () => {
  test('is read from Authorization and from X-API-Key', async () => {
    const all = ['pets_list', 'pets_get', 'pets_create', 'pets_delete'];
    expect(namesIn(await list('/mcp', bearer('all-of-it')))).toEqual(all);
    expect(namesIn(await list('/mcp', { authorization: 'bEARER  all-of-it' }))).toEqual(all);
    expect(namesIn(await list('/mcp', { 'x-api-key': 'all-of-it' }))).toEqual(all);
  });

  test('makes its owner the principal of the call, whichever of its keys is sent', async () => {
    const principals: string[] = [];
    const own = createGateway({
      domains: [petsDomain(upstream.url)],
      exposure: 'tools',
      middleware: [
        (context, args, next) => {
          principals.push(context.principal.id);
          return next(args);
        },
      ],
    });
    const identify = createIdentify({ authorities: [createKeyAuthority(KEYS)], challenge: () => 'Bearer' });
    const reader = await serveHttp({ ...own, serviceOf: () => own.serviceOf('') }, { port: 0, identify });
    const call = JSON.stringify(legacy(1, 'tools/call', { name: 'pets_list', arguments: {} }));
    for (const secret of ['only-reader', 'second-of-ci', 'all-of-it'])
      await post(`http://127.0.0.1:${reader.port}/mcp${secret === 'all-of-it' ? '' : '/reader'}`, call, bearer(secret));
    expect(principals).toEqual(['key:ci', 'key:ci', 'key:boss']);
    await reader.close(0);
    await own.close();
  });

  test('that is unknown or expired, or the hash of a key, is refused with the same words', async () => {
    const answers = [
      await list('/mcp', bearer('nobody-has-this')),
      await list('/mcp', bearer('long-gone')),
      await list('/mcp', bearer(KEYS[0]!.sha256)),
      await list('/mcp', bearer('x'.repeat(9_000))),
      await list('/mcp', { 'x-api-key': 'all-of-it\u00e9' }),
    ].map((answer) => anonymise(answer, '/mcp'));
    expect(new Set(answers.map((answer) => JSON.stringify(answer))).size).toBe(1);
    expect(answers[0]).toMatchObject({
      status: 401,
      headers: { 'www-authenticate': 'Bearer realm="test", error="invalid_token"' },
    });
    expect(namesIn(await list('/mcp', bearer('not-yet-gone')))).toHaveLength(4);
  });

  test('is refused if there are several, because a proxy may have checked another one', async () => {
    const several = [
      await ask('POST', '/mcp', { ...JSON_TYPE, authorization: 'Bearer all-of-it', 'x-api-key': 'all-of-it' }),
      await ask('POST', '/mcp', { ...JSON_TYPE, authorization: ['Bearer all-of-it', 'Bearer other'] }),
      await ask('POST', '/mcp', { ...JSON_TYPE, 'x-api-key': ['all-of-it', 'all-of-it'] }),
    ];
    expect(several.map(({ status }) => status)).toEqual([400, 400, 400]);
  });

  test('is not read from the URL or from another scheme', async () => {
    expect((await list('/mcp?api_key=all-of-it')).status).toBe(400);
    expect((await list('/mcp?access_token=all-of-it')).status).toBe(400);
    expect((await list('/mcp', { authorization: 'Basic all-of-it' })).status).toBe(401);
    expect((await list('/mcp', { authorization: 'all-of-it' })).status).toBe(401);
  });
});

const JSON_TYPE = { 'content-type': 'application/json' };

describe('a profile that a key may not use', () => {
  test.each(['POST', 'GET', 'DELETE', 'PUT'])('looks the same as one that does not exist: %s', async (method) => {
    const headers = { ...JSON_TYPE, ...bearer('only-reader') };
    const hidden = await ask(method, '/mcp/admin', headers);
    const missing = await ask(method, '/mcp/admon', headers);
    expect(hidden.status).toBe(404);
    expect(anonymise(hidden, '/mcp/admin')).toEqual(anonymise(missing, '/mcp/admon'));
  });

  test('includes /mcp itself, if the key names its profiles', async () => {
    expect((await list('/mcp', bearer('only-reader'))).status).toBe(404);
    expect(namesIn(await list('/mcp/reader', bearer('only-reader')))).toEqual(['pets_list', 'pets_get']);
    expect(namesIn(await list('/mcp/reader', bearer('all-of-it')))).toEqual(['pets_list', 'pets_get', 'pets_create']);
    expect(namesIn(await list('/mcp/admin', bearer('all-of-it')))).toEqual(['pets_list', 'pets_delete']);
  });

  test('a legacy session is worthless to another principal and in another profile', async () => {
    const hello = legacy(1, 'initialize', { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: {} });
    const { headers } = await post(`${origin}/mcp/reader`, JSON.stringify(hello), bearer('all-of-it'));
    const session = String(headers['mcp-session-id']);
    const answer = await list('/mcp/admin', { ...bearer('only-reader'), 'mcp-session-id': session });
    expect(answer.status).toBe(404);
  });
});

describe('callers without a key', () => {
  test.each(['POST', 'GET', 'DELETE', 'HEAD'])('cannot find out which profiles exist: %s', async (method) => {
    const paths = ['/mcp', '/mcp/', '/mcp/reader', '/mcp/admin', '/mcp/nobody', '/mcp/a/b', '/mcp/READER'];
    const answers = await Promise.all(paths.map((path) => ask(method, path, JSON_TYPE)));
    expect(new Set(answers.map((answer) => JSON.stringify(anonymise(answer, '/'))))).toHaveLength(1);
    expect(answers[0]).toMatchObject({ status: 401, headers: { 'www-authenticate': 'Bearer realm="test"' } });
  });

  test('get the same preflight answer for every profile, whether or not it exists', async () => {
    const headers = { origin: 'https://app.example', 'access-control-request-method': 'POST' };
    const [there, missing] = [
      await ask('OPTIONS', '/mcp/reader', headers),
      await ask('OPTIONS', '/mcp/nobody', headers),
    ];
    expect(there.status).toBe(204);
    expect(anonymise(there, '')).toEqual(anonymise(missing, ''));
    expect(there.headers['access-control-allow-headers']).toContain('X-API-Key');
  });

  test('can check that the gateway is alive, but not what it serves', async () => {
    expect(JSON.parse((await ask('GET', '/healthz')).body)).toEqual({ status: 'ok' });
    expect(JSON.parse((await ask('GET', '/readyz')).body)).toEqual({ status: 'ready' });
    expect(JSON.parse((await ask('GET', '/')).body)).toEqual({
      name: 'landbridge',
      version: expect.any(String),
      mcp: '/mcp',
      health: ['/healthz', '/readyz'],
    });
  });

  test('never reach an API', async () => {
    upstream.seen.length = 0;
    const call = JSON.stringify(legacy(1, 'tools/call', { name: 'pets_list', arguments: {} }));
    await post(`${origin}/mcp`, call);
    await post(`${origin}/mcp`, call, bearer('long-gone'));
    await post(`${origin}/mcp`, `[${call}]`, bearer('guess'));
    expect(upstream.seen).toEqual([]);
  });
});

test('the log says why a caller was refused and whose key has expired; the caller does not learn it', async () => {
  refusals.flush();
  lines.length = 0;
  const answers = [
    await list('/mcp'),
    await list('/mcp', bearer('guess')),
    await list('/mcp', bearer('long-gone')),
    await list('/mcp', bearer('only-reader')),
  ];
  expect(lines).toMatchObject([
    { reason: 'unauthorized', why: 'no credential', path: '/mcp' },
    { reason: 'unauthorized', why: 'unknown key or token' },
    { reason: 'unauthorized', why: 'the key of old expired 2020-01-01', principal: 'key:old' },
    { reason: 'not_found', principal: 'key:ci', path: '/mcp' },
  ]);
  expect(answers[1]!.body).toBe(answers[2]!.body);
  expect(answers[3]!.body).toContain('There is nothing at /mcp. MCP is served at POST /mcp/reader.');
});

describe('the official clients', () => {
  const requestInit = { headers: bearer('only-reader') };
  test('of both versions send a key, and see the tools that it may use', async () => {
    const url = new URL(`${origin}/mcp/reader`);
    const modernClient = new ClientV2({ name: 't', version: '1' }, { versionNegotiation: { mode: 'auto' } });
    await modernClient.connect(new HttpV2(url, { requestInit }));
    const legacyClient = new ClientV1({ name: 't', version: '1' });
    await legacyClient.connect(new HttpV1(url, { requestInit }) as never);
    for (const client of [modernClient, legacyClient]) {
      const { tools } = await client.listTools();
      expect(tools.map(({ name }) => name)).toEqual(['pets_list', 'pets_get']);
      expect(await client.callTool({ name: 'pets_list', arguments: {} })).toMatchObject({
        content: [{ type: 'text', text: expect.stringContaining('/pets') }],
      });
      upstream.seen.length = 0;
      await expect(client.callTool({ name: 'pets_delete', arguments: { id: 1 } })).rejects.toThrow(
        /Unknown tool: pets_delete/,
      );
      expect(upstream.seen).toEqual([]);
      await client.close();
    }
  });

  test('are refused without one', async () => {
    const client = new ClientV2({ name: 't', version: '1' });
    await expect(client.connect(new HttpV2(new URL(`${origin}/mcp/reader`)))).rejects.toThrow();
  });
});

describe('the list of tools of a class of callers', () => {
  test('is built once, before the first request, and marked as private', async () => {
    gateway.serviceOf('reader', ['read']);
    const convert = vi.spyOn(ToolConverter.prototype, 'convertFromTools');
    const message = modern(1, 'tools/list');
    for (const secret of ['only-reader', 'second-of-ci', 'only-reader']) {
      const { body } = await post(`${origin}/mcp/reader`, JSON.stringify(message), {
        ...headersOf(message),
        ...bearer(secret),
      });
      expect(JSON.parse(body)).toMatchObject({ result: { cacheScope: 'private', tools: [{}, {}] } });
    }
    expect(convert).not.toHaveBeenCalled();
    convert.mockRestore();
  });

  test('is shared by all callers with the same effects, in whatever order they are configured', () => {
    expect(gateway.serviceOf('', ['write', 'read'])).toBe(gateway.serviceOf('', ['read', 'write']));
    expect(gateway.serviceOf('', ['destructive', 'write', 'read'])).toBe(gateway.serviceOf(''));
    expect(gateway.serviceOf('nobody', ['read'])).toBeUndefined();
  });
});
