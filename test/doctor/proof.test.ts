// doctor --online proves each credential: one line for each, by safe reads and by the servers that issue tokens.
import { generateKeyPairSync } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { run } from '../support/cli.ts';
import { startConnectProxy } from '../support/connect-proxy.ts';
import { startTlsUpstream } from '../support/tls-upstream.ts';
import { CLIENT, startExchangeServer } from '../support/token-exchange-server.ts';
import { startUpstream, type Upstream } from '../support/upstream.ts';
import { createCertificates } from '../support/upstream-certificates.ts';
import { createWorkshop } from '../support/workshop.ts';

const { write, folder } = createWorkshop();
let api: Upstream;
beforeAll(async () => {
  api = await startUpstream(({ url, headers, body }, response) => {
    const send = (status: number, value: unknown) =>
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(value));
    const { authorization = '', 'x-key': key } = headers;
    if (url === '/token')
      return authorization.endsWith(Buffer.from('id:good').toString('base64'))
        ? send(200, { access_token: 'issued' })
        : send(401, { error: 'invalid_client' });
    if (url === '/login') return send(200, body.includes('good') ? { token: 'issued' } : { welcome: 'guest' });
    if (url === '/open') return send(200, { hello: 'everybody' });
    // Anybody may look, but a wrong key is refused.
    if (url === '/lax') return key === undefined || key === 'good' ? send(200, {}) : send(401, {});
    if (url === '/broken') return send(500, {});
    if (url === '/forbidden') return send(403, {});
    return authorization === 'Bearer good' || authorization === 'Bearer issued' ? send(200, {}) : send(401, {});
  });
});
afterAll(() => api.close());
beforeEach(() => {
  api.seen.length = 0;
});

const BEARER = '{ kind: bearer, env: SHOP_TOKEN }';
const OAUTH = () => `{ kind: oauth2, tokenUrl: '${api.url}/token', clientIdEnv: ID, clientSecretEnv: SECRET }`;
const LOGIN = `{ kind: login, path: /login, body: { user: ann, password: '\${PASSWORD}' } }`;
const KEY = '{ kind: apiKey, field: X-Key, env: SHOP_KEY }';
const READ = 'get_me: { summary: Tells who calls., method: GET, path: /me }';
const readOf = (path: string) => `get_it: { summary: Gets something., method: GET, path: ${path} }`;
const WRITE = 'add_it: { summary: Adds something., method: POST, path: /things, args: { name: { type: string } } }';

interface Line {
  readonly check: string;
  readonly severity: string;
  readonly where: string;
  readonly message: string;
}

async function prove(credential: string, env: Record<string, string>, endpoint = READ, more = '', base = api.url) {
  const yaml = `name: shop\nbaseUrl: ${base}\n${more}credentials: { key: ${credential} }\nendpoints:\n  ${endpoint}\n  ${WRITE}\n`;
  write('shop.yaml', yaml);
  const { code, stdout } = await run(['doctor', 'shop.yaml', '--online', '--json'], { cwd: folder, env });
  const { findings } = JSON.parse(stdout) as { findings: Line[] };
  for (const secret of Object.values(env)) if (secret.length > 4) expect(stdout).not.toContain(secret);
  return { code, findings, proofs: findings.filter(({ check }) => check === 'proof') };
}

describe('one line for each credential', () => {
  test.each([
    [
      'a good token',
      BEARER,
      { SHOP_TOKEN: 'good' },
      READ,
      'note',
      'bearer SHOP_TOKEN: accepted by GET /me, which refuses calls without it',
    ],
    [
      'a wrong token',
      BEARER,
      { SHOP_TOKEN: 'wrong-token' },
      READ,
      'error',
      'bearer SHOP_TOKEN: 401 from GET /me – it is wrong or expired',
    ],
    [
      'no permission',
      BEARER,
      { SHOP_TOKEN: 'good' },
      readOf('/forbidden'),
      'error',
      'bearer SHOP_TOKEN: 403 from GET /forbidden – it is wrong, or a permission is missing',
    ],
    [
      'an API that does not look',
      BEARER,
      { SHOP_TOKEN: 'wrong-token' },
      readOf('/open'),
      'warning',
      'bearer SHOP_TOKEN: not proved: GET /open – the API answers the same without it',
    ],
    [
      'one that looks at what it gets',
      KEY,
      { SHOP_KEY: 'good' },
      readOf('/lax'),
      'note',
      'apiKey SHOP_KEY: accepted by GET /lax, which refuses a wrong credential',
    ],
    [
      'an API in trouble',
      BEARER,
      { SHOP_TOKEN: 'good' },
      readOf('/broken'),
      'warning',
      'bearer SHOP_TOKEN: not proved: 500 from GET /broken',
    ],
    [
      'no read',
      BEARER,
      { SHOP_TOKEN: 'good' },
      '',
      'warning',
      'bearer SHOP_TOKEN: not proved: no read can be called with it',
    ],
    [
      'a good login',
      LOGIN,
      { PASSWORD: 'good' },
      READ,
      'note',
      'login PASSWORD: accepted by GET /me, which refuses calls without it',
    ],
  ] as const)('%s', async (_, credential, env, endpoint, severity, message) => {
    const { proofs, code } = await prove(credential, env as unknown as Record<string, string>, endpoint);
    expect(proofs).toMatchObject([{ where: 'shop', severity, message }]);
    expect(code).toBe(severity === 'error' ? 1 : 0);
    expect(api.seen.filter(({ url }) => url !== '/login').every(({ method }) => method === 'GET')).toBe(true);
  });

  test('client credentials are proved at the token endpoint, with and without a read', async () => {
    for (const endpoint of [READ, '']) {
      api.seen.length = 0;
      const { proofs, code } = await prove(OAUTH(), { ID: 'id', SECRET: 'wrong-secret' }, endpoint);
      expect(proofs).toHaveLength(1);
      expect(proofs[0]!.message).toContain(
        `oauth2 ID and SECRET: ${api.url} refused the client credentials (401 invalid_client`,
      );
      expect(code).toBe(1);
      // Once by header, once in the body, and not again for other reads.
      expect(api.seen.map(({ url }) => url)).toEqual(['/token', '/token']);
    }
    const { proofs } = await prove(OAUTH(), { ID: 'id', SECRET: 'good' }, '');
    expect(proofs).toMatchObject([
      { severity: 'note', message: 'oauth2 ID and SECRET: a token was issued, but there is no read to try it with' },
    ]);
  });

  test('a login that answers without a token is an error', async () => {
    const { proofs, code } = await prove(LOGIN, { PASSWORD: 'other-word' });
    expect(proofs).toMatchObject([{ severity: 'error' }]);
    expect(proofs[0]!.message).toContain('login PASSWORD: the login key at ');
    expect(proofs[0]!.message).toContain('answered without a token');
    expect(code).toBe(1);
  });

  test('a token endpoint that cannot be reached is an error', async () => {
    const nowhere = OAUTH().replace(api.url, 'http://127.0.0.1:1');
    const { proofs, code } = await prove(nowhere, { ID: 'id', SECRET: 'good' });
    expect(proofs).toMatchObject([{ severity: 'error', fix: 'correct the variables, or the token URL' }]);
    expect(proofs[0]!.message).toMatch(
      /^oauth2 ID and SECRET: no access token could be fetched from http:\/\/127\.0\.0\.1:1: /,
    );
    expect(code).toBe(1);
  });

  test('a missing client certificate is an error', async () => {
    const certificates = createCertificates();
    const authority = certificates.createAuthority('Company CA');
    const client = authority.issue('ann', []);
    const server = authority.issue('localhost', ['DNS:localhost']);
    const strict = { ...server, ca: authority.cert, requestCert: true, rejectUnauthorized: true };
    const mutual = await startTlsUpstream(strict, (_, response) => response.writeHead(200).end('{}'));
    try {
      const ca = `ca: ${authority.files.cert}`;
      const env = { SHOP_TOKEN: 'good' };
      const without = await prove(BEARER, env, READ, `tls: { ${ca} }\n`, mutual.url);
      expect(without.code).toBe(1);
      expect(without.proofs).toMatchObject([{ severity: 'error' }]);
      expect(without.proofs[0]!.message).toContain('perhaps it needs a client certificate');
      const tls = `tls: { ${ca}, cert: ${client.files.cert}, key: ${client.files.key} }\n`;
      const shown = await prove(BEARER, env, READ, tls, mutual.url);
      expect(shown.proofs).toMatchObject([{ severity: 'warning' }]);
      const unknown = await prove(BEARER, env, READ, '', mutual.url);
      expect(unknown.findings.find(({ check }) => check === 'base_url')!.message).toContain(
        'is signed by an authority that the gateway does not trust',
      );
    } finally {
      await mutual.close();
      certificates.remove();
    }
  });

  test('proving uses the proxy of calls', async () => {
    const proxy = await startConnectProxy();
    const { proofs } = await prove(BEARER, { SHOP_TOKEN: 'good' }, READ, `proxy: ${proxy.url}\n`);
    await proxy.close();
    expect(proofs).toMatchObject([{ severity: 'note' }]);
    expect(new Set(proxy.seen)).toEqual(new Set([`GET ${api.url}/me`]));
  });
});

test('the text output has a section for credentials', async () => {
  await prove(BEARER, { SHOP_TOKEN: 'wrong-token' });
  const { stdout } = await run(['doctor', 'shop.yaml', '--online'], {
    cwd: folder,
    env: { SHOP_TOKEN: 'wrong-token' },
  });
  expect(stdout).toContain('✗ Credentials, tested with calls');
  expect(stdout).toContain('shop: bearer SHOP_TOKEN: 401 from GET /me – it is wrong or expired');
});

test('credentials with the same name in two domains of one address are proved separately', async () => {
  const yaml = (name: string, env: string) =>
    `name: ${name}\nbaseUrl: ${api.url}\ncredentials: { key: { kind: bearer, env: ${env} } }\nendpoints:\n  ${READ}\n`;
  write('first.yaml', yaml('first', 'WRONG'));
  write('second.yaml', yaml('second', 'RIGHT'));
  const { stdout } = await run(['doctor', 'first.yaml', 'second.yaml', '--online', '--json'], {
    cwd: folder,
    env: { WRONG: 'wrong-token', RIGHT: 'good' },
  });
  const { findings } = JSON.parse(stdout) as { findings: Line[] };
  const proofs = findings.filter(({ check }) => check === 'proof');
  expect(proofs.map(({ where, severity }) => [where, severity])).toEqual([
    ['first', 'error'],
    ['second', 'note'],
  ]);
});

test('an assertion is signed with the keys of landbridge.yaml', async () => {
  const seen = await startUpstream(({ headers }, response) =>
    response.writeHead(/^Bearer ey/.test(headers.authorization ?? '') ? 200 : 401).end('{}'),
  );
  const { privateKey } = generateKeyPairSync('ed25519');
  write('sign.pem', String(privateKey.export({ type: 'pkcs8', format: 'pem' })));
  write(
    'told.yaml',
    `name: told\nbaseUrl: ${seen.url}\ncredentials: { c: { kind: assertion } }\nendpoints:\n  ${READ}\n`,
  );
  write('signing.yaml', 'domains: [told.yaml]\npublicUrl: https://mcp.example\nassertions: { keys: [sign.pem] }\n');
  const { stdout } = await run(['doctor', '--config', 'signing.yaml', '--online', '--json'], { cwd: folder });
  await seen.close();
  const { findings } = JSON.parse(stdout) as { findings: Line[] };
  expect(findings.filter(({ check }) => check === 'proof')).toMatchObject([
    { where: 'told', severity: 'note', message: 'assertion: accepted by GET /me, which refuses calls without it' },
  ]);
});

test.each([
  [CLIENT.secret, 'note', 'the authorization server accepts the gateway'],
  ['not-the-secret', 'error', "did not exchange the caller's token (401"],
])('the client of a token exchange is proved at the token endpoint: %s', async (secret, severity, words) => {
  const sts = await startExchangeServer();
  const flow = `{ kind: token_exchange, tokenUrl: '${sts.url}', clientIdEnv: ID, clientSecretEnv: SECRET, audience: orders }`;
  const { proofs } = await prove(flow, { ID: CLIENT.id, SECRET: secret });
  await sts.close();
  expect(proofs).toMatchObject([{ severity, message: expect.stringContaining(words) }]);
  expect(sts.requests).toBeGreaterThan(0);
});
