// Opaque tokens: the issuer is asked about each. With oidc-provider for correct answers, and with a server of our own for wrong ones.

import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import {
  type AuthorizationServer,
  RESOURCE_CLIENT,
  startAuthorizationServer,
} from '../../support/authorization-server.ts';
import { type ProtectedGateway, startProtected } from '../../support/protected-gateway.ts';
import { useRealHttp } from '../../support/real-http.ts';
import { type Recorded, type Recorder, startRecorder } from '../../support/recorder.ts';
import { until } from '../../support/until.ts';

useRealHttp();

const CLIENT = { clientIdEnv: 'IDP_ID', clientSecretEnv: 'IDP_SECRET' };
const ENV = { IDP_ID: RESOURCE_CLIENT.id, IDP_SECRET: RESOURCE_CLIENT.secret };
const SCOPES = { read: ['pets.read'], write: ['pets.write'] };

const pass = (seconds: number) => vi.setSystemTime(Date.now() + seconds * 1_000);

describe('introspection with oidc-provider', () => {
  let server: AuthorizationServer;
  let gateway: ProtectedGateway;

  beforeAll(async () => {
    server = await startAuthorizationServer('opaque', ['pets.read', 'pets.write']);
    gateway = await startProtected([{ issuer: server.issuer, scopes: SCOPES, introspection: CLIENT }], {
      env: ENV,
      profiles: { staff: {} },
    });
  });
  afterAll(async () => {
    await gateway.close();
    await server.close();
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  const questions = () => server.asked.filter((line) => line === 'POST /token/introspection').length;
  const statuses = async (token: string, profile = '') =>
    (await gateway.call(token, { profile })).map(({ status }) => status);

  test('a token is accepted at its endpoint only, for what its scopes allow', async () => {
    const token = await server.clientToken(gateway.url, 'pets.read');
    expect(token).not.toContain('.');
    gateway.upstream.seen.length = 0;
    expect(await statuses(token)).toEqual([200, 200]);
    await gateway.call(token, { tool: 'pets_create', args: { name: 'Rex' } });
    expect(gateway.upstream.seen.map(({ method }) => method)).toEqual(['GET', 'GET']);
    expect(await statuses(token, 'staff')).toEqual([401, 401]);
    expect(gateway.lines.join('')).toContain(`"principal":"${server.issuer}|client:robot"`);
  });

  test('concurrent calls with one token ask the issuer once', async () => {
    const token = await server.clientToken(gateway.url, 'pets.read');
    const before = questions();
    await Promise.all(Array.from({ length: 20 }, () => statuses(token)));
    expect(questions() - before).toBe(1);
  });

  test('a revoked token is refused after its time in the cache', async () => {
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() });
    const token = await server.clientToken(gateway.url, 'pets.read');
    expect(await statuses(token)).toEqual([200, 200]);
    await server.revoke(token);
    pass(31);
    gateway.upstream.seen.length = 0;
    expect(await statuses(token)).toEqual([401, 401]);
    expect(gateway.upstream.seen).toEqual([]);
  });

  test('a made-up token is refused, and the issuer is asked about it once', async () => {
    const before = questions();
    expect(await statuses('made-up')).toEqual([401, 401]);
    expect(questions() - before).toBe(1);
    expect(await statuses('no token at all, "; ')).toEqual([401, 401]);
    expect(await statuses('lb_a-key-of-ours-that-expired')).toEqual([401, 401]);
    expect(questions() - before).toBe(1);
  });
});

describe('the answer of an introspection endpoint', () => {
  let server: Recorder;
  let asked: Recorded[] = [];
  let answer: { status?: number; body: unknown; metadata?: object } = { body: {} };
  let gateway: ProtectedGateway;

  beforeAll(async () => {
    server = await startRecorder((request, response) => {
      response.setHeader('content-type', 'application/json');
      if (request.url.startsWith('/.well-known/')) {
        const own = { issuer: server.origin, introspection_endpoint: `${server.origin}/ask` };
        response.end(JSON.stringify({ ...own, jwks_uri: `${server.origin}/jwks`, ...answer.metadata }));
        return;
      }
      if (request.url === '/ask') asked.push(request);
      response.statusCode = answer.status ?? 200;
      response.end(typeof answer.body === 'string' ? answer.body : JSON.stringify(answer.body));
    });
    gateway = await startProtected([{ issuer: server.origin, introspection: { ...CLIENT, cacheSeconds: 0 } }], {
      env: ENV,
    });
  });
  afterAll(async () => {
    await gateway.close();
    await server.close();
  });

  let count = 0;
  async function statusFor(claims: object | string, status = 200, metadata = {}): Promise<number> {
    answer = { status, body: typeof claims === 'string' ? claims : { ...good(), ...claims }, metadata };
    asked = [];
    gateway.upstream.seen.length = 0;
    const [reply] = await gateway.call(`token-${++count}`);
    if (reply.status !== 200) expect(gateway.upstream.seen).toEqual([]);
    return reply.status;
  }
  const seconds = (offset: number) => Math.floor(Date.now() / 1_000) + offset;
  const good = () => ({ active: true, sub: 'alice', aud: gateway.url, exp: seconds(60), token_type: 'Bearer' });

  test('that is good lets the caller in; the request has the client id and secret of the gateway', async () => {
    expect(await statusFor({})).toBe(200);
    const [{ headers, body }] = asked as [Recorded];
    const [, basic = ''] = headers.authorization!.split(' ');
    const [id, secret] = Buffer.from(basic, 'base64').toString().split(':');
    expect(new URLSearchParams(`id=${id}&secret=${secret}`).get('secret')).toBe(RESOURCE_CLIENT.secret);
    expect(body.toString()).toBe(`token=token-${count}&token_type_hint=access_token`);
  });

  test.each([
    { active: 'true' },
    { active: 1 },
    { active: undefined },
    { aud: undefined },
    { aud: 'https://other.example/mcp' },
    { iss: 'https://evil.example' },
    { exp: seconds(-3_600) },
    { exp: 'never' },
    { nbf: seconds(3_600) },
    { token_type: 'DPoP' },
    { token_type: 'refresh_token' },
    { typ: 'Refresh' },
    { cnf: { jkt: 'x' } },
    { sub: undefined, client_id: undefined },
    { sub: 'a\r\nb' },
  ])('with %j refuses the token', async (claims) => {
    expect(await statusFor(claims)).toBe(401);
  });

  test.each([
    ['{"active":true', 200],
    ['[true]', 200],
    ['<html>', 200],
    ['{"active":true}', 500],
    ['{"active":true}', 401],
    ['{"active":true}', 302],
    [`{"active":true,"x":"${'x'.repeat(300_000)}"}`, 200],
  ])('%.20s with status %i refuses the token and tells the caller to try again', async (body, status) => {
    expect(await statusFor(body, status)).toBe(503);
  });

  test('that is wrong is explained in the log, without the secret', () => {
    const log = gateway.lines.join('');
    expect(log).toContain('the authorization server cannot be used');
    expect(log).not.toContain(RESOURCE_CLIENT.secret);
  });
});

test('while the issuer does not answer about a token, a hundred callers wait and the rest are refused', async () => {
  const answers: (() => void)[] = [];
  const server = await startRecorder(({ url }, response) => {
    response.setHeader('content-type', 'application/json');
    if (url === '/ask') answers.push(() => response.end('{"active":false}'));
    else response.end('{"keys":[]}');
  });
  const gateway = await startProtected(
    [
      {
        issuer: server.origin,
        jwksUri: `${server.origin}/jwks`,
        introspection: { ...CLIENT, url: `${server.origin}/ask` },
      },
    ],
    { env: ENV },
  );
  const statuses: number[] = [];
  const flood = Array.from({ length: 150 }, async () => {
    const [reply] = await gateway.call('made-up');
    statuses.push(reply.status);
  });
  await until(() => statuses.length === 50);
  expect(answers).toHaveLength(1);
  for (const answer of answers) answer();
  await Promise.all(flood);
  expect(statuses.filter((status) => status === 503)).toHaveLength(50);
  expect(statuses.filter((status) => status === 401)).toHaveLength(100);
  await gateway.close();
  await server.close();
});

/** An issuer that answers about a token when the test tells it to: `yes` or not. */
async function startSlowIssuer() {
  const asked: { readonly token: string; answer(isActive: boolean): void }[] = [];
  const server = await startRecorder(({ url, body }, response) => {
    response.setHeader('content-type', 'application/json');
    if (url !== '/ask') return void response.end('{"keys":[]}');
    const token = new URLSearchParams(body.toString()).get('token')!;
    const claims = { active: true, sub: 'alice', aud: audience, token_type: 'Bearer' };
    asked.push({ token, answer: (isActive) => response.end(JSON.stringify(isActive ? claims : { active: false })) });
  });
  let audience = '';
  const settings = (cacheSeconds: number) => ({
    issuer: server.origin,
    jwksUri: `${server.origin}/jwks`,
    introspection: { ...CLIENT, cacheSeconds, url: `${server.origin}/ask` },
  });
  return {
    asked,
    settings,
    expect: (url: string) => {
      audience = url;
    },
    close: () => server.close(),
  };
}

test('tokens that were good before are checked first, however many made-up ones wait', async () => {
  const issuer = await startSlowIssuer();
  const gateway = await startProtected([issuer.settings(0)], { env: ENV });
  issuer.expect(gateway.url);
  const { asked } = issuer;
  const call = async (token: string) => (await gateway.call(token))[0].status;
  const before = call('real');
  await until(() => asked.length === 1);
  asked[0]!.answer(true);
  // The same in the other era.
  await until(() => asked.length === 2);
  asked[1]!.answer(true);
  expect(await before).toBe(200);
  const flood = Array.from({ length: 90 }, (_, at) => call(`made-up-${at}`));
  await until(() => asked.length === 66);
  const newcomer = call('never-seen');
  await new Promise((resolve) => setTimeout(resolve, 50));
  const real = call('real');
  await new Promise((resolve) => setTimeout(resolve, 50));
  asked[2]!.answer(false);
  await until(() => asked.length === 67);
  expect(asked[66]!.token).toBe('real');
  let answered = 3;
  const timer = setInterval(() => {
    for (const { token, answer } of asked.slice(answered)) answer(!token.startsWith('made-up'));
    answered = asked.length;
  }, 5);
  expect([await real, await newcomer]).toEqual([200, 200]);
  expect(new Set(await Promise.all(flood))).toEqual(new Set([401]));
  clearInterval(timer);
  await gateway.close();
  await issuer.close();
});

test('issuers are asked in order until one knows the token, and never about a JWT', async () => {
  const { startIssuer } = await import('../../../lab/attack/issuer.ts');
  const [one, other, signer] = [await startSlowIssuer(), await startSlowIssuer(), await startIssuer()];
  const oauth = [one.settings(60), other.settings(60), { issuer: signer.url }];
  const gateway = await startProtected(oauth, { env: ENV });
  one.expect(gateway.url);
  other.expect(gateway.url);
  const first = gateway.call('of-one');
  await until(() => one.asked.length === 1);
  one.asked[0]!.answer(true);
  expect((await first)[0].status).toBe(200);
  const second = gateway.call('of-other');
  await until(() => one.asked.length === 2);
  one.asked[1]!.answer(false);
  await until(() => other.asked.length === 1);
  other.asked[0]!.answer(true);
  expect((await second)[0].status).toBe(200);
  const jwt = await signer.mint(gateway.url);
  for (const token of [`${jwt}=`, `${jwt}==`, `${jwt}.x`, `${jwt}~`, jwt.replace(/[.][^.]*$/, '')])
    expect((await gateway.call(token)).map(({ status }) => status)).toEqual([401, 401]);
  expect([one.asked.length, other.asked.map(({ token }) => token)]).toEqual([2, ['of-other']]);
  await Promise.all([gateway.close(), one.close(), other.close(), signer.close()]);
});

test('a JWT is verified by its signature even if introspection is configured', async () => {
  const { startIssuer } = await import('../../../lab/attack/issuer.ts');
  const issuer = await startIssuer();
  const gateway = await startProtected(
    [{ issuer: issuer.url, introspection: { ...CLIENT, url: `${issuer.url}/introspect` } }],
    { env: ENV },
  );
  const [good] = await gateway.call(await issuer.mint(gateway.url));
  const [forged] = await gateway.call(await issuer.mint(gateway.url, { foreign: true }));
  const [foreign] = await gateway.call(await issuer.mint(gateway.url, { claims: { iss: 'https://evil.example' } }));
  expect([good.status, forged.status, foreign.status]).toEqual([200, 401, 401]);
  await gateway.close();
  await issuer.close();
});
