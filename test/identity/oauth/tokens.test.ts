// Tokens that must be refused: the tests check that nothing reaches the API. Each differs in one respect from a token that is accepted.

import { createHmac, generateKeyPairSync, randomBytes } from 'node:crypto';
import { exportSPKI, generateKeyPair, importJWK, SignJWT } from 'jose';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type Issuer, type Minting, startIssuer } from '../../../lab/attack/issuer.ts';
import { type ProtectedGateway, startProtected } from '../../support/protected-gateway.ts';
import { useRealHttp } from '../../support/real-http.ts';

useRealHttp();

let issuer: Issuer;
let gateway: ProtectedGateway;

beforeAll(async () => {
  issuer = await startIssuer();
  gateway = await startProtected(
    [
      {
        issuer: issuer.url,
        scopes: { read: ['api.read'], write: ['api.write'], destructive: ['api.admin'] },
        implies: { 'api.admin': ['api.write'], 'api.write': ['api.read'] },
        profiles: { staff: ['staff.use', 'staff.all'] },
      },
    ],
    { profiles: { readers: {}, staff: {} }, policy: { readOnly: false, destructive: 'allow' } },
  );
});
afterAll(async () => {
  await gateway.close();
  await issuer.close();
});
beforeEach(() => {
  gateway.upstream.seen.length = 0;
});

const now = () => Math.floor(Date.now() / 1_000);
const part = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');
const arrivals = () => gateway.upstream.seen.map(({ method, url }) => `${method} ${url}`);

/** A good token with another header, signed by `sign`. */
async function resigned(header: object, sign: (input: string) => string): Promise<string> {
  const [, claims] = (await issuer.mint(gateway.url)).split('.');
  const input = `${part(header)}.${claims}`;
  return `${input}.${sign(input)}`;
}
const hmac = (secret: string) => (input: string) => createHmac('sha256', secret).update(input).digest('base64url');

test('a good token is accepted, in both eras', async () => {
  const answers = await gateway.call(await issuer.mint(gateway.url));
  expect(answers.map(({ status }) => status)).toEqual([200, 200]);
  expect(arrivals()).toEqual(['GET /pets', 'GET /pets']);
});

test('a token without a subject is another caller than a person whose subject is the client id', async () => {
  const program = await issuer.mint(gateway.url, { claims: { sub: undefined, client_id: 'alice' } });
  expect((await gateway.call(program)).map(({ status }) => status)).toEqual([200, 200]);
  const log = gateway.lines.join('');
  expect(log).toContain(`"principal":"${issuer.url}|client:alice"`);
  expect(log).not.toContain(`"principal":"${issuer.url}|alice"`);
});

const CLAIMS: Record<string, Minting['claims']> = {
  expired: { exp: now() - 3_600, iat: now() - 7_200 },
  'expired for longer than clocks may differ': { exp: now() - 31 },
  'without an end': { exp: undefined },
  'with an end that is a text': { exp: '9999999999' },
  'with an end that is no number JSON knows': { exp: null },
  'not valid yet': { nbf: now() + 3_600 },
  'made in the future': { iat: now() + 3_600 },
  'with a time that is a list': { nbf: [now()] },
  'of another issuer': { iss: 'https://evil.example' },
  'of an issuer with a slash more': { iss: `${'http://127.0.0.1'}/` },
  'of a list of issuers': { iss: ['x'] },
  'without an issuer': { iss: undefined },
  'without an audience': { aud: undefined },
  'with an audience that is an object': { aud: { 0: 'x' } },
  'without anybody in it': { sub: undefined, client_id: undefined },
  'with a line break in its subject': { sub: 'alice\nroot' },
  'with a subject that is a number': { sub: 7 },
  'with a subject of 1,000 characters': { sub: 's'.repeat(1_000) },
  'without scopes': { scope: undefined },
  'with scopes that only begin like ours': { scope: 'api.reader api.read.all API.READ' },
  'bound to a key of its holder': { cnf: { jkt: 'x' } },
  'bound to a certificate of its holder': { cnf: { 'x5t#S256': 'x' } },
};

describe('a token is refused', () => {
  test.each(Object.entries(CLAIMS))('%s', async (_name, claims) => {
    const answers = await gateway.call(await issuer.mint(gateway.url, { claims: claims! }));
    expect(answers.map(({ status }) => status)).toEqual(claims && 'scope' in claims ? [403, 403] : [401, 401]);
    expect(arrivals()).toEqual([]);
  });

  test.each([
    'https://other.example/mcp',
    'ORIGIN',
    'ORIGIN/',
    'ORIGIN/mcp/',
    'ORIGIN/mcp/readers',
    'ORIGIN/mcp.evil.example',
    'ORIGIN/mcp?x=1',
    '',
    '*',
  ])('that was issued for %s', async (audience) => {
    const { origin } = new URL(gateway.url);
    const answers = await gateway.call(await issuer.mint(audience.replace('ORIGIN', origin)));
    expect(answers.map(({ status }) => status)).toEqual([401, 401]);
    expect(arrivals()).toEqual([]);
  });

  const HEADERS: Record<string, Minting> = {
    'signed by somebody else': { foreign: true },
    'of the type of an ID token': { header: { typ: 'id_token' } },
    'of the type of a proof': { header: { typ: 'dpop+jwt' } },
    'of the type of a logout': { header: { typ: 'logout+jwt' } },
    'that is an ID token by its nonce': { header: { typ: 'JWT' }, claims: { nonce: 'n' } },
    'that is an ID token by its hash, without a type': {
      header: { typ: undefined } as never,
      claims: { at_hash: 'h' },
    },
    'that is an ID token by what Keycloak says': { header: { typ: 'JWT' }, claims: { typ: 'ID' } },
    'that is a refresh token by what Keycloak says': { header: { typ: 'JWT' }, claims: { typ: 'Refresh' } },
    'that is an ID token by what Cognito says': { header: { typ: 'JWT' }, claims: { token_use: 'id' } },
    'that tells of events': { header: { typ: 'JWT' }, claims: { events: {} } },
    'with a critical header nobody knows': { header: { crit: ['evil'], evil: 1 } as never },
    'with its key in the header': { foreign: true, header: { jwk: { kty: 'EC' } } as never },
    'with a key set of its own': { foreign: true, header: { jku: 'http://127.0.0.1:9/', kid: 'evil' } as never },
    'with a certificate of its own': { foreign: true, header: { x5u: 'http://127.0.0.1:9/', x5c: ['AA'] } as never },
  };
  test.each(Object.entries(HEADERS))('%s', async (_name, minting) => {
    const answers = await gateway.call(await issuer.mint(gateway.url, minting));
    expect(answers.map(({ status }) => status)).toEqual([401, 401]);
    expect(arrivals()).toEqual([]);
  });

  test.each([
    '../../../../../dev/null',
    "x' UNION SELECT 'k",
    '__proto__',
    'constructor',
    'toString',
    '',
    'k'.repeat(4_000),
    'key-1\0',
    'http://127.0.0.1:9/jwks#evil',
  ])('with the key id %s', async (kid) => {
    const answers = await gateway.call(await issuer.mint(gateway.url, { foreign: true, header: { kid } }));
    expect(answers.map(({ status }) => status)).toEqual([401, 401]);
    expect(arrivals()).toEqual([]);
  });

  test('with a wrong signature or algorithm', async () => {
    const jwk = issuer.publicKey;
    const pem = await exportSPKI((await importJWK(jwk, 'ES256')) as never);
    const { privateKey } = await generateKeyPair('RS256');
    const good = await issuer.mint(gateway.url);
    const [header = '', claims = '', signature = ''] = good.split('.');
    const { privateKey: curve } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    const tokens = [
      ...['none', 'None', 'NONE', 'nOnE', ''].map((alg) => resigned({ alg, typ: 'at+jwt' }, () => '')),
      resigned({ typ: 'at+jwt' }, () => signature),
      resigned({ alg: ['ES256'], typ: 'at+jwt', kid: 'key-1' }, () => signature),
      ...[JSON.stringify(jwk), pem, pem.trim(), String(jwk.x), ''].flatMap((secret) =>
        ['HS256', 'HS384', 'HS512'].map((alg) => resigned({ alg, typ: 'at+jwt', kid: 'key-1' }, hmac(secret))),
      ),
      new SignJWT({ iss: issuer.url, aud: gateway.url, sub: 'x', exp: now() + 60, scope: 'api.read' })
        .setProtectedHeader({ alg: 'RS256', kid: 'key-1', typ: 'at+jwt' })
        .sign(privateKey),
      new SignJWT({ iss: issuer.url, aud: gateway.url, sub: 'x', exp: now() + 60, scope: 'api.read' })
        .setProtectedHeader({ alg: 'ES256', kid: 'key-1', typ: 'at+jwt' })
        .sign(curve),
      `${header}.${claims}.`,
      `${header}.${claims}.${'A'.repeat(86)}`,
      `${header}.${claims}.${signature.slice(0, -4)}`,
      `${header}.${part({ iss: issuer.url, aud: gateway.url, sub: 'root', exp: now() + 60, scope: 'api.read' })}.${signature}`,
      `${header}.${claims}`,
      `${good}.x`,
      `${good}x`,
    ];
    for (const token of await Promise.all(tokens)) {
      const answers = await gateway.call(token);
      expect([token, ...answers.map(({ status }) => status)]).toEqual([token, 401, 401]);
    }
    expect(arrivals()).toEqual([]);
  });

  test('that is in the URL', async () => {
    const token = await issuer.mint(gateway.url);
    const message = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'pets_list' } });
    const headers = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' };
    for (const more of [{}, { authorization: `Bearer ${token}` }]) {
      const url = `${gateway.url}?access_token=${token}`;
      const response = await fetch(url, { method: 'POST', body: message, headers: { ...headers, ...more } });
      expect(response.status).toBe(400);
    }
    expect(arrivals()).toEqual([]);
  });
});

describe('a token is accepted at one endpoint', () => {
  test('and at no other, even after it was accepted once', async () => {
    const readers = await issuer.mint(gateway.urlOf('readers'));
    const [good] = await gateway.call(readers, { profile: 'readers' });
    expect(good.status).toBe(200);
    gateway.upstream.seen.length = 0;
    for (const profile of ['', 'staff']) {
      const answers = await gateway.call(readers, { profile });
      expect(answers.map(({ status }) => status)).toEqual([401, 401]);
    }
    expect(arrivals()).toEqual([]);
  });

  test('with any one of the scopes that the profile needs', async () => {
    const staff = (scope: string) => issuer.mint(gateway.urlOf('staff'), { claims: { scope } });
    const statuses = async (scope: string) => {
      const answers = await gateway.call(await staff(scope), { profile: 'staff' });
      return answers.map(({ status }) => status);
    };
    expect(await statuses('api.read')).toEqual([403, 403]);
    expect(arrivals()).toEqual([]);
    expect(await statuses('api.read staff.all')).toEqual([200, 200]);
    expect(await statuses('api.read staff.use')).toEqual([200, 200]);
  });
});

describe('scopes of a token', () => {
  test.each([
    ['api.read', ['GET']],
    ['api.write', ['GET', 'POST']],
    ['api.admin', ['GET', 'POST', 'DELETE']],
  ])('%s allow %s, with the scopes they imply', async (scope, methods) => {
    const token = await issuer.mint(gateway.url, { claims: { scope } });
    await gateway.call(token);
    await gateway.call(token, { tool: 'pets_create', args: { name: 'Rex' } });
    await gateway.call(token, { tool: 'pets_delete', args: { id: 1 } });
    expect([...new Set(gateway.upstream.seen.map(({ method }) => method))]).toEqual(methods);
  });

  test.each([
    { scope: undefined, scp: ['api.read'] },
    { scope: undefined, scp: 'other api.read' },
    { scope: ['api.read'] },
  ])('are read as %j', async (claims) => {
    await gateway.call(await issuer.mint(gateway.url, { claims }));
    expect(arrivals()).toEqual(['GET /pets', 'GET /pets']);
  });

  test('hide other operations, which answer as if they did not exist', async () => {
    const token = await issuer.mint(gateway.url);
    const hidden = await gateway.call(token, { tool: 'pets_delete', args: { id: 1 } });
    const missing = await gateway.call(token, { tool: 'pets_remove', args: { id: 1 } });
    const shape = (answers: typeof hidden) =>
      answers.map(({ status, body }) => [
        status,
        body.replaceAll(/pets_(?:delete|remove)/g, 'X').replace(/ Did you mean [^"]*/, ''),
      ]);
    expect(hidden.map(({ status }) => status)).toEqual(missing.map(({ status }) => status));
    expect(JSON.stringify(shape(hidden))).toContain('Unknown tool: X');
    expect(arrivals()).toEqual([]);
  });
});

test('the log explains why a token was refused, whose it is and what was expected, without the token', async () => {
  const one = await startProtected([{ issuer: issuer.url, profiles: { staff: ['staff.use'] } }], {
    profiles: { staff: {} },
  });
  const tokens = [
    await issuer.mint('https://other.example/mcp'),
    await issuer.mint(one.url, { claims: { exp: now() - 3_600 } }),
    await issuer.mint(one.url, { claims: { iss: 'https://evil.example' } }),
  ];
  for (const token of tokens) await one.call(token);
  const lacking = await issuer.mint(one.urlOf('staff'), { claims: { scope: 'api.read' } });
  await one.call(lacking, { profile: 'staff' });
  await one.close();
  const lines = one.lines.map((line) => JSON.parse(line) as Record<string, unknown>);
  expect(lines.filter(({ msg }) => msg === 'refused')).toMatchObject([
    {
      why: 'The token was not issued for this endpoint.',
      issuer: issuer.url,
      audience: 'https://other.example/mcp',
      expected: one.url,
      path: '/mcp',
    },
    { why: 'The token has expired. Get a new one.', issuer: issuer.url },
    { why: 'the issuer of the token is not trusted', issuer: 'https://evil.example' },
    {
      status: 403,
      why: 'The token lacks scopes that this endpoint needs.',
      missing: 'staff.use',
      principal: expect.stringMatching(/^http:.*\|/),
      path: '/mcp/staff',
    },
  ]);
  for (const token of [...tokens, lacking]) expect(one.lines.join('')).not.toContain(token);
});

test('a caller learns the audience that is needed, unless the settings name one of their own', async () => {
  const token = await issuer.mint('https://other.example/mcp');
  const tell = async (settings: object) => {
    const one = await startProtected([{ issuer: issuer.url, ...settings }]);
    const [answer] = await one.call(token);
    await one.close();
    return { ...answer!, url: one.url };
  };
  const { body, headers, url } = await tell({});
  const sentence = `The token was not issued for this endpoint. Its audience must be ${url}.`;
  expect(JSON.parse(body)).toMatchObject({ error: { message: `Unauthorized: ${sentence}` } });
  expect(headers['www-authenticate']).toContain(`error_description="${sentence}"`);
  const own = await tell({ audience: 'client-id-of-the-gateway' });
  expect(JSON.parse(own.body)).toMatchObject({
    error: { message: 'Unauthorized: The token was not issued for this endpoint.' },
  });
});

test('a caller with an opaque token learns how to get one that can be read; a key of the gateway is not meant', async () => {
  const opaque = randomBytes(24).toString('hex');
  const tell = async (token: string) => {
    const [answer] = await gateway.call(token);
    expect(answer!.body).not.toContain(token);
    return (JSON.parse(answer!.body) as { error: { message: string } }).error.message;
  };
  const unknown = 'Unauthorized: this key or token is not known, or is no longer valid. Get a new one.';
  expect(await tell(opaque)).toBe(
    `${unknown} If it is an access token, it is opaque, and this gateway accepts only JWTs: request the token with the parameter resource (RFC 8707), or configure introspection in the gateway.`,
  );
  expect(await tell(`lb_${opaque}`)).toBe(unknown);
  expect(await tell(await issuer.mint(gateway.url, { claims: { iss: 'https://evil.example' } }))).toBe(unknown);
});
