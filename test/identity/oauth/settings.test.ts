// The settings of issuers: mistakes are reported before the gateway listens, and correct settings work in the real program.

import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Issuer, startIssuer } from '../../../lab/attack/issuer.ts';
import { checkIssuers, type IssuerSettings, listDoubtfulScopes } from '../../../src/identity/oauth/issuer-settings.ts';
import { resolveScopes } from '../../../src/identity/oauth/scope-rules.ts';
import { run, serve } from '../../support/cli.ts';
import { post } from '../../support/mcp.ts';
import { useRealHttp } from '../../support/real-http.ts';
import { until } from '../../support/until.ts';
import { startUpstream, type Upstream } from '../../support/upstream.ts';

useRealHttp();

const ISSUER = 'https://id.example.com';
const asking = { clientIdEnv: 'ID', clientSecretEnv: 'SECRET' };

describe('wrong OAuth settings are reported with their path', () => {
  const problemsOf = (issuers: readonly IssuerSettings[]) =>
    checkIssuers(issuers, new Set(['staff']), { ID: 'x' })
      .map(({ path, message }) => `${path.join('.')}: ${message}`)
      .join('\n');
  test.each<[IssuerSettings[], string]>([
    [[{ issuer: 'http://id.example.com' }], '0.issuer: must be an https URL'],
    [[{ issuer: ISSUER, jwksUri: 'http://id.example.com/jwks' }], '0.jwksUri: must be an https URL'],
    [
      [{ issuer: ISSUER, introspection: { ...asking, url: 'http://x.example/' } }],
      '0.introspection.url: must be an https URL',
    ],
    [[{ issuer: ISSUER, introspection: asking }], '0.introspection.clientSecretEnv: the variable SECRET is not set'],
    [
      [{ issuer: ISSUER, introspection: { clientIdEnv: 'ID', clientSecretEnv: 'file:/nowhere/secret' } }],
      '0.introspection.clientSecretEnv: it does not exist (looked for /',
    ],
    [[{ issuer: ISSUER }, { issuer: ISSUER }], '1.issuer: is named twice'],
    [[{ issuer: `${ISSUER}?tenant=1` }], 'must have no query'],
    [[{ issuer: ISSUER, audience: [] }], 'audience: an empty list accepts no token'],
    [[{ issuer: ISSUER, algorithms: [] }], 'algorithms: an empty list accepts no token'],
    [[{ issuer: ISSUER, scopes: {} }], 'scopes: the lists are empty, so no call is allowed'],
    [[{ issuer: ISSUER, scopes: { read: ['a b'] } }], 'scopes.read: "a b" is not a scope'],
    [
      [{ issuer: ISSUER, scopes: { read: ['offline_access'] } }],
      'scopes.read: offline_access is only for refresh tokens',
    ],
    [[{ issuer: ISSUER, implies: { 'a"b': [] } }], 'is not a scope'],
    [[{ issuer: ISSUER, profiles: { staf: ['x'] } }], 'profiles.staf: there is no such profile; there are staff'],
    [[{ issuer: ISSUER, profiles: { staff: [] } }], 'profiles.staff: an empty list allows no callers'],
  ])('%j', (issuers, words) => {
    expect(problemsOf(issuers)).toContain(words);
  });

  test.each<[IssuerSettings, string[]]>([
    [
      { issuer: ISSUER, scopes: { read: ['a.read'], destructive: ['a.admin'] }, implies: { 'a.admni': ['a.read'] } },
      ['implies: no effect and no profile names the scope "a.admni"; did you mean "a.admin"?'],
    ],
    [
      { issuer: ISSUER, scopes: { read: ['a.read'] }, implies: { all: ['a.raed'] } },
      ['implies: no effect and no profile names the scope "a.raed"; did you mean "a.read"?'],
    ],
    [
      { issuer: ISSUER, scopes: { read: ['a.read'] }, implies: { all: ['a.read', 'audit'] } },
      ['implies: no effect and no profile names the scope "audit"; remove it, or add it to scopes or profiles'],
    ],
    // A scope that includes others need not be named elsewhere, and may include another such scope.
    [{ issuer: ISSUER, scopes: { read: ['a.read'] }, implies: { everything: ['reader'], reader: ['a.read'] } }, []],
    [{ issuer: ISSUER, profiles: { staff: ['staff.use'] }, implies: { admin: ['staff.use'] } }, []],
    [{ issuer: ISSUER, scopes: { read: ['a'] }, implies: { ['x'.repeat(200)]: ['a'] } }, []],
    [{ issuer: ISSUER, implies: { a: ['b'] } }, []],
  ])('scopes that look mistyped: %j', (issuer, doubts) => {
    expect(listDoubtfulScopes(issuer)).toEqual(doubts);
  });

  test('correct OAuth settings have no problems', () => {
    expect(problemsOf([{ issuer: ISSUER, scopes: { read: ['a'] }, profiles: { staff: ['b'] } }])).toBe('');
    expect(problemsOf([{ issuer: 'http://127.0.0.1:9000' }, { issuer: 'https://id.example.com/tenant/' }])).toBe('');
  });
});

test('every possible set of effects is known at the start', () => {
  const scopes = { read: ['r'], write: ['w'], destructive: ['a'] };
  expect(resolveScopes({ scopes, implies: { a: ['w'], w: ['r'] } }).effectSets()).toEqual([
    ['read', 'write', 'destructive'],
    ['read', 'write'],
    ['read'],
  ]);
  expect(resolveScopes({ scopes }).effectSets()).toHaveLength(7);
  expect(resolveScopes({}).effectSets()).toEqual([undefined]);
});

test('scopes that imply each other in a cycle are equivalent', () => {
  const rules = resolveScopes({ scopes: { read: ['c'] }, implies: { a: ['b'], b: ['c'], c: ['a'] } });
  expect(rules.effectsOf(rules.expand(['a']))).toEqual(['read']);
});

describe('landbridge serve', () => {
  let folder: string;
  let issuer: Issuer;
  let upstream: Upstream;
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'landbridge-oauth-'));
    issuer = await startIssuer();
    upstream = await startUpstream();
    const operation = (operationId: string) => ({ operationId, responses: { 200: { description: 'ok' } } });
    const document = {
      openapi: '3.1.0',
      info: { title: 'things', version: '1' },
      servers: [{ url: upstream.url }],
      paths: { '/things': { get: operation('list_things'), post: operation('create_thing') } },
    };
    writeFileSync(join(folder, 'things.json'), JSON.stringify(document));
  });
  afterAll(async () => {
    await issuer.close();
    await upstream.close();
    rmSync(folder, { recursive: true });
  });

  const settings = (more: object) => {
    const file = join(folder, 'landbridge.yaml');
    writeFileSync(file, JSON.stringify({ domains: ['./things.json'], ...more }));
    return ['--config', file];
  };
  const call = (url: string, name: string, headers: Record<string, string>) =>
    post(
      url,
      JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: {} } }),
      headers,
    );

  test('accepts tokens and keys, and says so at the start', async () => {
    const scopes = { read: ['api.read'] };
    const key = randomBytes(32).toString('base64url');
    const auth = { keys: [{ name: 'ci', env: 'CI_KEY' }], oauth: [{ issuer: issuer.url, scopes }] };
    const served = await serve([...settings({ auth }), '--exposure', 'tools'], { env: { CI_KEY: key } });
    const bearer = (token: string) => ({ authorization: `Bearer ${token}` });
    const token = await issuer.mint(served.http);
    expect((await call(served.http, 'list_things', bearer(token))).status).toBe(200);
    await call(served.http, 'create_thing', bearer(token));
    expect(upstream.seen.map(({ method }) => method)).toEqual(['GET']);
    await call(served.http, 'create_thing', bearer(key));
    expect(upstream.seen.map(({ method }) => method)).toEqual(['GET', 'POST']);
    const { status, headers } = await call(served.http, 'list_things', {});
    expect([status, headers['www-authenticate']]).toEqual([401, expect.stringContaining('resource_metadata="http://')]);
    const [, metadata = ''] = /resource_metadata="([^"]+)"/.exec(String(headers['www-authenticate'])) ?? [];
    expect(await (await fetch(metadata)).json()).toMatchObject({ resource: served.http });
    await until(() => served.log().includes('fetched the keys of the authorization server'));
    expect(await served.stop()).toBe(0);
    expect(served.log()).not.toContain(token);
  });

  test('starts while an issuer does not answer, and the log says so', async () => {
    const served = await serve(settings({ auth: { oauth: [{ issuer: 'http://127.0.0.1:9' }] } }));
    await until(() => served.log().includes('the authorization server cannot be used; the gateway tries again'));
    expect(served.log()).toContain('nothing listens at http://127.0.0.1:9');
    expect(await served.stop()).toBe(0);
  });

  test('does not start without a publicUrl that clients could be told', async () => {
    const { code, stderr } = await run([
      'serve',
      ...settings({ host: '0.0.0.0', auth: { oauth: [{ issuer: ISSUER }] } }),
    ]);
    expect(code).not.toBe(0);
    expect(stderr).toContain('auth.oauth: needs publicUrl');
  });

  test('does not start with wrong settings', async () => {
    const auth = { oauth: [{ issuer: ISSUER, profiles: { staff: ['x'] } }] };
    const { code, stderr } = await run(['serve', ...settings({ auth })]);
    expect(code).not.toBe(0);
    expect(stderr).toMatch(/landbridge\.yaml:1:\d+ auth\.oauth\[?\.?0\]?\.profiles\.staff: there is no such profile/);
  });
});
