// The gateway tells an API who calls in a JWT of its own, which the API verifies with the keys the gateway publishes.
import { generateKeyPairSync } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import type { ServerResponse } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createRemoteJWKSet, decodeJwt, type JWTPayload, jwtVerify } from 'jose';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { Principal } from '../../src/call/caller.ts';
import { loadAssertionKeys } from '../../src/identity/assertion-keys.ts';
import { caller, openShop, type Shop, shopDomain } from '../support/callers.ts';
import { useRealHttp } from '../support/real-http.ts';
import { type Seen, startUpstream, type Upstream } from '../support/upstream.ts';

useRealHttp();

const ISSUER = 'https://mcp.test';
const $ = '$';
const CALLERS: Record<string, Principal> = {
  alice: caller('alice', 'alices-mcp-token', { email: 'alice@shop.test', roles: ['clerk', 'buyer'], age: 7 }),
  bob: caller('bob', 'bobs-mcp-token', { email: 'bob@shop.test' }),
  key: { id: 'key:ci' },
};

let folder: string;
let api: Upstream;
let shop: Shop | undefined;
/** How the API answers, when it is not about verification. */
let answer: (seen: Seen, response: ServerResponse) => void;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'landbridge-assertion-'));
  api = await startUpstream((seen, response) => answer(seen, response));
});
beforeEach(() => {
  api.seen.length = 0;
  answer = verifyOr401;
});
afterEach(async () => {
  await shop?.close();
  shop = undefined;
});
afterAll(async () => {
  await api.close();
  rmSync(folder, { recursive: true, force: true });
});

/** An API as an in-house team writes it: the official library, the gateway's published keys, its own origin as audience. */
function verifyOr401({ headers }: Seen, response: ServerResponse): void {
  const jwks = createRemoteJWKSet(new URL(`${shop!.origin}/.well-known/jwks.json`));
  const jwt = headers.authorization?.replace(/^Bearer /, '') ?? '';
  response.setHeader('content-type', 'application/json');
  jwtVerify(jwt, jwks, { issuer: ISSUER, audience: api.url, maxTokenAge: '60s', requiredClaims: ['jti', 'sub'] }).then(
    ({ payload }) => response.end(JSON.stringify({ sub: payload.sub })),
    () => response.writeHead(401).end('{}'),
  );
}

function makeKey(name: string): string {
  const file = join(folder, name);
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  writeFileSync(file, privateKey.export({ type: 'pkcs8', format: 'pem' }));
  return file;
}

async function open(
  credential: object = {},
  keys: readonly string[] = [makeKey('key.pem')],
  headers = {},
): Promise<Shop> {
  const domain = shopDomain(api.url, {
    headers,
    credentials: { caller: { kind: 'assertion', ...credential } },
    endpoints: {
      get_order: { path: '/order', summary: 'Gets an order.' },
      list_orders: { path: '/orders', summary: 'Lists orders.' },
    },
  });
  shop = await openShop([domain], CALLERS, { assertions: await loadAssertionKeys({ issuer: ISSUER, keys }) });
  return shop;
}

const claims = (index = 0): JWTPayload => decodeJwt(api.seen[index]!.headers.authorization!.slice('Bearer '.length));

describe('an assertion', () => {
  test('says who calls, and the API verifies it with the published keys', async () => {
    const { call } = await open();
    expect(await call('alice')).toMatchObject({ isError: false, text: '{"sub":"https://id.test|alice"}' });
    expect(await call('key')).toMatchObject({ isError: false, text: '{"sub":"key:ci"}' });
    expect(await call('')).toMatchObject({ isError: false, text: '{"sub":"anonymous"}' });
    expect(Object.keys(claims()).sort()).toEqual(['aud', 'exp', 'iat', 'iss', 'jti', 'sub']);
    expect(claims().exp! - claims().iat!).toBe(60);
  });

  test('is signed for each call, so that an API may refuse a jti it has seen', async () => {
    const { call } = await open();
    await Promise.all([call('alice'), call('alice'), call('bob'), call('bob')]);
    expect(new Set(api.seen.map((_, index) => claims(index).jti)).size).toBe(4);
    expect(api.seen.map((_, index) => claims(index).sub).sort()).toEqual([
      'https://id.test|alice',
      'https://id.test|alice',
      'https://id.test|bob',
      'https://id.test|bob',
    ]);
  });

  test('has the configured claims; claims of the caller keep their type', async () => {
    const { call } = await open({
      audience: 'orders',
      subject: `${$}{principal.sub}`,
      lifetimeSeconds: 20,
      claims: {
        email: `${$}{principal.claims.email}`,
        roles: `${$}{principal.claims.roles}`,
        age: `${$}{principal.claims.age}`,
        who: `${$}{principal.id} with ${$}{tool}`,
        tier: `${$}{principal.claims.tier:-none}`,
        gateway: 'landbridge',
        limits: { day: 5 },
      },
    });
    await call('alice', 'shop_list_orders');
    const { iat, exp, jti, ...rest } = claims();
    expect(exp! - iat!).toBe(20);
    expect(jti).toMatch(/^[0-9a-f-]{36}$/);
    expect(rest).toEqual({
      iss: ISSUER,
      aud: 'orders',
      sub: 'alice',
      email: 'alice@shop.test',
      roles: ['clerk', 'buyer'],
      age: 7,
      who: 'https://id.test|alice with shop_list_orders',
      tier: 'none',
      gateway: 'landbridge',
      limits: { day: 5 },
    });
  });

  test('is not signed for a caller without a required claim: the call is refused, and nothing is sent', async () => {
    const { call } = await open({ claims: { email: `${$}{principal.claims.email}` } });
    const refusal = await call('key');
    expect(refusal).toMatchObject({ isError: true, mode: 'missing_credential' });
    expect(refusal.text).toContain(`the caller has no ${$}{principal.claims.email}`);
    expect(api.seen).toEqual([]);
  });

  test('is the whole value of the header that the domain file names', async () => {
    const { call } = await open({ header: 'X-Caller' });
    await call('alice');
    const [{ headers }] = api.seen as [Seen];
    expect(headers.authorization).toBeUndefined();
    expect(decodeJwt(String(headers['x-caller'])).sub).toBe('https://id.test|alice');
  });

  test('too large for a header is not sent', async () => {
    const { call } = await open({ claims: { text: 'x'.repeat(8_000) } });
    const refusal = await call('alice');
    expect(refusal).toMatchObject({ isError: true, mode: 'missing_credential' });
    expect(refusal.text).toContain('Choose fewer claims');
    expect(api.seen).toEqual([]);
  });

  test('is redacted in answers that repeat it, large ones too, and in dry runs', async () => {
    const { call } = await open();
    const padding = 'x'.repeat(200_000);
    answer = ({ headers, url }, response) => {
      response.setHeader('content-type', 'application/json');
      response.end(JSON.stringify({ sent: headers.authorization, ...(url === '/orders' && { padding }) }));
    };
    expect((await call('alice')).text).toBe('{"sent":"Bearer [redacted]"}');
    const large = await call('alice', 'shop_list_orders', { fields: ['sent'] });
    expect(large.text).toBe('{"sent":"Bearer [redacted]"}');
    const dry = await call('alice', 'shop_get_order', { dry_run: true });
    expect(dry.text).toContain('"authorization": "Bearer [redacted]"');
    answer = ({ headers }, response) => response.writeHead(403).end(`no: ${headers.authorization}`);
    expect((await call('alice')).text).toContain('no: Bearer [redacted]');
  });

  test('follows no redirect to another origin', async () => {
    const elsewhere = await startUpstream();
    try {
      const { call } = await open();
      answer = (_, response) => response.writeHead(307, { location: `${elsewhere.url}/order` }).end();
      expect(await call('alice')).toMatchObject({ isError: true, mode: 'redirect_blocked' });
      expect(elsewhere.seen).toEqual([]);
    } finally {
      await elsewhere.close();
    }
  });
});

describe('keys that sign assertions', () => {
  test('are published without their private parts, to everybody, under any host name', async () => {
    const { origin } = await open();
    const response = await fetch(`${origin}/.well-known/jwks.json`);
    expect(response.headers.get('content-type')).toContain('application/jwk-set+json');
    const { keys } = (await response.json()) as { keys: Record<string, string>[] };
    expect(keys.map((key) => Object.keys(key).sort())).toEqual([['alg', 'crv', 'kid', 'kty', 'use', 'x', 'y']]);
  });

  test('can be rotated without a failing call: publish the new key, sign with it, then remove the old one', async () => {
    const [old, fresh] = [makeKey('old.pem'), makeKey('fresh.pem')];
    for (const keys of [[old], [old, fresh], [fresh, old], [fresh]]) {
      const { call, close } = await open({}, keys);
      expect((await call('alice')).text).toBe('{"sub":"https://id.test|alice"}');
      await close();
      shop = undefined;
    }
    const used = api.seen.map(
      ({ headers }) =>
        JSON.parse(Buffer.from(headers.authorization!.slice(7).split('.')[0]!, 'base64url').toString()).kid as string,
    );
    expect(used[0]).toBe(used[1]);
    expect(used[2]).toBe(used[3]);
    expect(used[0]).not.toBe(used[2]);
  });

  test('are not published if there are none, and calls that need an assertion are refused with the reason', async () => {
    shop = await openShop([shopDomain(api.url, { credentials: { caller: { kind: 'assertion' } } })], CALLERS);
    expect((await fetch(`${shop.origin}/.well-known/jwks.json`)).status).toBe(404);
    const refusal = await shop.call('alice');
    expect(refusal).toMatchObject({ isError: true, mode: 'missing_credential' });
    expect(refusal.text).toContain('assertions: in landbridge.yaml');
    expect(api.seen).toEqual([]);
  });
});
