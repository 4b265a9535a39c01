// The keys of an issuer: rotated, withdrawn, unreachable, requested by thousands of made-up tokens. The tests set the time; the issuer is
// a real server.

import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { type Issuer, startIssuer } from '../../../lab/attack/issuer.ts';
import { createOAuthAuthority } from '../../../src/identity/oauth/oauth-authority.ts';
import { createProtectedResource } from '../../../src/identity/oauth/protected-resource.ts';
import { type ProtectedGateway, startProtected } from '../../support/protected-gateway.ts';
import { useRealHttp } from '../../support/real-http.ts';
import { startRecorder } from '../../support/recorder.ts';
import { until } from '../../support/until.ts';

useRealHttp();

let issuer: Issuer;
let gateway: ProtectedGateway;

beforeEach(async () => {
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() });
  issuer = await startIssuer();
  gateway = await startProtected([{ issuer: issuer.url, jwksMaxAgeSeconds: 3_600 }]);
});
afterEach(async () => {
  vi.useRealTimers();
  await gateway.close();
  await issuer.close();
});

const pass = (seconds: number) => vi.setSystemTime(Date.now() + seconds * 1_000);
const long = (sub = 'alice') => ({ claims: { sub, exp: Math.floor(Date.now() / 1_000) + 100_000 } });
const statusOf = async (token: string) => (await gateway.call(token))[0].status;

describe('rotation of the keys of an issuer', () => {
  test('a token signed with a new key is accepted as soon as the keys may be fetched again', async () => {
    expect(await statusOf(await issuer.mint(gateway.url))).toBe(200);
    await issuer.rotate();
    pass(11);
    expect(await statusOf(await issuer.mint(gateway.url))).toBe(200);
    expect(issuer.fetches()).toBe(2);
  });

  test('a token signed with a withdrawn key is refused, even if it was accepted before', async () => {
    const old = await issuer.mint(gateway.url, long());
    expect(await statusOf(old)).toBe(200);
    await issuer.rotate();
    pass(301);
    await statusOf(old);
    await until(() => issuer.fetches() === 2);
    // The answer is on its way.
    for (let tries = 0; tries < 100 && (await statusOf(old)) === 200; tries++);
    gateway.upstream.seen.length = 0;
    expect(await statusOf(old)).toBe(401);
    expect(gateway.upstream.seen).toEqual([]);
  });
});

test('a token whose key was withdrawn during its check is checked again', async () => {
  const settings = [{ issuer: issuer.url, jwksUri: `${issuer.url}/jwks` }];
  const publicUrl = () => gateway.url.replace(/\/mcp$/, '');
  let published = issuer.publicKey;
  const answered: object[] = [];
  const authority = createOAuthAuthority({
    issuers: settings,
    resource: createProtectedResource({ issuers: settings, publicUrl, hasProfile: () => true, title: 'Pets' }),
    ask: async () => {
      answered.push(published);
      return { status: 200, body: Buffer.from(JSON.stringify({ keys: [published] })) };
    },
    variables: {},
    log: { info: () => {}, warn: () => {} },
  });
  const [old, other] = [await issuer.mint(gateway.url, long()), await issuer.mint(gateway.url, long('bob'))];
  expect(await authority.check(other, '')).toHaveProperty('principal');
  await issuer.rotate();
  published = issuer.publicKey;
  pass(301);
  const checking = authority.check(old, '');
  // This call fetches the keys again, which takes less time here than checking a signature.
  expect(authority.check(other, '')).toHaveProperty('principal');
  expect(await checking).toHaveProperty('principal');
  expect(answered).toHaveLength(2);
  expect(await authority.check(old, '')).toMatchObject({ status: 401 });
  authority.close();
});

describe('an issuer that does not answer', () => {
  test('keeps nobody out while its keys are fresh enough, then everybody', async () => {
    const first = await issuer.mint(gateway.url, long());
    const second = await issuer.mint(gateway.url, long('bob'));
    expect(await statusOf(first)).toBe(200);
    issuer.fail();
    pass(3_500);
    expect([await statusOf(first), await statusOf(second)]).toEqual([200, 200]);
    pass(200);
    gateway.upstream.seen.length = 0;
    const [answer] = await gateway.call(first);
    expect(answer.status).toBe(503);
    expect(answer.headers['retry-after']).toBe('5');
    expect(answer.body).toContain('The authorization server of this token cannot be reached');
    expect(answer.body).toContain('It is asked again within 10 s. Try again.');
    expect(await statusOf(await issuer.mint(gateway.url, long('carol')))).toBe(503);
    expect(gateway.upstream.seen).toEqual([]);
    expect(gateway.lines.some((line) => line.includes('cannot be used; the gateway tries again'))).toBe(true);
  });

  test('does not keep the gateway from starting', async () => {
    await gateway.close();
    issuer.fail();
    gateway = await startProtected([{ issuer: issuer.url }]);
    expect(await statusOf(await issuer.mint(gateway.url))).toBe(503);
    expect(gateway.lines.join('')).toContain('its metadata was answered with status 503');
  });
});

describe('tokens with unknown keys', () => {
  test('cause one fetch, however many they are, and delay nobody else', async () => {
    const good = await issuer.mint(gateway.url);
    expect(await statusOf(good)).toBe(200);
    pass(11);
    const before = issuer.fetches();
    const tokens = await Promise.all(
      Array.from({ length: 300 }, (_, at) => issuer.mint(gateway.url, { foreign: true, header: { kid: `k${at}` } })),
    );
    gateway.upstream.seen.length = 0;
    const statuses = await Promise.all(tokens.map(statusOf));
    expect(statuses.filter((status) => status !== 401 && status !== 503)).toEqual([]);
    expect(gateway.upstream.seen).toEqual([]);
    expect(issuer.fetches() - before).toBe(1);
    expect(await statusOf(good)).toBe(200);
  });

  test('do not delay good tokens while the issuer does not answer', async () => {
    const hanging = await startRecorder(({ url }, response) => {
      response.setHeader('content-type', 'application/json');
      if (url === '/jwks' && isHanging) return;
      response.end(JSON.stringify({ keys: [{ ...issuer.publicKey }] }));
    });
    let isHanging = false;
    await gateway.close();
    gateway = await startProtected([{ issuer: issuer.url, jwksUri: `${hanging.origin}/jwks` }]);
    const good = await issuer.mint(gateway.url);
    expect(await statusOf(good)).toBe(200);
    pass(11);
    isHanging = true;
    const url = gateway.url;
    const foreign = await issuer.mint(url, { foreign: true, header: { kid: 'new' } });
    const waiting = gateway.call(foreign);
    expect(await statusOf(good)).toBe(200);
    expect(await statusOf(await issuer.mint(url, long('bob')))).toBe(200);
    await hanging.close();
    expect((await waiting).map(({ status }) => status)).toEqual([503, 503]);
  });
});

describe('the gateway rejects from an issuer', () => {
  const answers: Record<string, (url: string) => { status?: number; headers?: Record<string, string>; body: unknown }> =
    {
      'keys that are no key set': () => ({ body: { keys: 'none' } }),
      'keys that are no JSON': () => ({ body: '<html>' }),
      'more bytes than keys have': () => ({ body: { keys: [], padding: 'x'.repeat(300_000) } }),
      'more keys than anybody has': () => ({ body: { keys: Array.from({ length: 200 }, () => ({ kty: 'EC' })) } }),
      'a redirect': (url) => ({ status: 302, headers: { location: `${url}/elsewhere` }, body: {} }),
    };
  test.each(Object.entries(answers))('%s', async (_name, answer) => {
    const asked: string[] = [];
    const server = await startRecorder(({ url }, response) => {
      asked.push(url);
      const { status = 200, headers = {}, body } = answer(server.origin);
      response.writeHead(status, { 'content-type': 'application/json', ...headers });
      response.end(typeof body === 'string' ? body : JSON.stringify(body));
    });
    await gateway.close();
    gateway = await startProtected([{ issuer: issuer.url, jwksUri: `${server.origin}/keys` }]);
    expect(await statusOf(await issuer.mint(gateway.url))).toBe(503);
    expect(asked).toEqual(['/keys']);
    expect(gateway.upstream.seen).toEqual([]);
    await server.close();
  });

  test('metadata that names another issuer', async () => {
    const server = await startRecorder((_request, response) => {
      response.setHeader('content-type', 'application/json');
      response.end(JSON.stringify({ issuer: issuer.url, jwks_uri: `${issuer.url}/jwks` }));
    });
    await gateway.close();
    gateway = await startProtected([{ issuer: server.origin }]);
    const token = await issuer.mint(gateway.url, { claims: { iss: server.origin } });
    expect(await statusOf(token)).toBe(503);
    expect(gateway.lines.join('')).toContain('names another issuer');
    expect(gateway.upstream.seen).toEqual([]);
    await server.close();
  });

  test('tokens that are signed with a symmetric or private key among its keys', async () => {
    const server = await startRecorder((_request, response) => {
      response.setHeader('content-type', 'application/json');
      response.end(
        JSON.stringify({ keys: [{ kty: 'oct', kid: 'key-1', k: Buffer.from('secret').toString('base64url') }] }),
      );
    });
    await gateway.close();
    gateway = await startProtected([{ issuer: issuer.url, jwksUri: server.origin }]);
    expect(await statusOf(await issuer.mint(gateway.url))).toBe(401);
    await server.close();
  });
});

test('an accepted token is refused after its expiry plus the allowed clock skew', async () => {
  const token = await issuer.mint(gateway.url, { claims: { exp: Math.floor(Date.now() / 1_000) + 60 } });
  expect(await statusOf(token)).toBe(200);
  pass(80);
  expect(await statusOf(token)).toBe(200);
  pass(11);
  expect(await statusOf(token)).toBe(401);
});

test('each of several issuers is trusted for its own tokens only', async () => {
  const other = await startIssuer();
  await gateway.close();
  gateway = await startProtected([
    { issuer: issuer.url, scopes: { read: ['a'] } },
    { issuer: other.url, scopes: { read: ['b'] } },
  ]);
  const mint = (from: Issuer, claims: object) => from.mint(gateway.url, { claims: claims as never });
  expect(await statusOf(await mint(issuer, { scope: 'a' }))).toBe(200);
  expect(await statusOf(await mint(other, { scope: 'b' }))).toBe(200);
  expect(await statusOf(await mint(other, { scope: 'a' }))).toBe(403);
  expect(await statusOf(await mint(other, { scope: 'a', iss: issuer.url }))).toBe(401);
  await other.close();
});
