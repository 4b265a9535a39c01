// Headers that say who calls: passed on from the caller's request by name, and made of what the door has verified.

import { generateKeyPairSync } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { Principal } from '../../src/call/caller.ts';
import { checkCredentials } from '../../src/doctor/checks/check-credentials.ts';
import { checkReads } from '../../src/doctor/online/check-reads.ts';
import type { DomainDefinition } from '../../src/domain/definition/definition-types.ts';
import { loadDomains } from '../../src/domain/load.ts';
import { createGateway, type GatewayOptions } from '../../src/gateway.ts';
import { loadAssertionKeys } from '../../src/identity/assertion-keys.ts';
import { caller, openShop, type Shop, shopDomain } from '../support/callers.ts';
import { type Link, legacy, stdioLink, tcpLink } from '../support/mcp.ts';
import { useRealHttp } from '../support/real-http.ts';
import { CLIENT, startExchangeServer } from '../support/token-exchange-server.ts';
import { startUpstream, type Upstream } from '../support/upstream.ts';

useRealHttp();

const $ = '$';
const SUB = `${$}{principal.sub}`;
const ID = `${$}{principal.id}`;
const claim = (name: string) => `${$}{principal.claims.${name}}`;
const CALLERS: Record<string, Principal> = {
  alice: caller('alice', 'alices-mcp-token', {
    email: 'alice@shop.test',
    'https://shop.test/role': 'clerk',
    realm: { tier: 'gold' },
    roles: ['clerk'],
    age: 7,
    empty: '',
    forged: 'alice\r\nX-Admin: yes',
    accent: 'Zoë',
    padded: 'alice ',
    long: 'x'.repeat(2_049),
    greedy: 'alice;role=admin',
    listed: 'clerk,admin',
  }),
  key: { id: 'key:ci' },
};

let api: Upstream;
let shop: Shop | undefined;
beforeAll(async () => {
  api = await startUpstream();
});
beforeEach(() => {
  api.seen.length = 0;
});
afterEach(async () => {
  await shop?.close();
  shop = undefined;
});
afterAll(() => api.close());

async function open(more: Partial<DomainDefinition>, env = {}): Promise<Shop> {
  shop = await openShop([shopDomain(api.url, more, env)], CALLERS);
  return shop;
}

const header = (name: string, index = 0) => api.seen[index]?.headers[name];

describe('a header that identifies the caller', () => {
  test.each<[string, string, string]>([
    ['the subject', SUB, 'alice'],
    ['the id', ID, 'https://id.test|alice'],
    ['a claim', claim('email'), 'alice@shop.test'],
    ['a claim whose name is a URL', claim('https://shop.test/role'), 'clerk'],
    ['a claim inside another', claim('realm.tier'), 'gold'],
    ['a number', claim('age'), '7'],
    ['text around', `user=${SUB}; org=${$}{ORG}`, 'user=alice; org=acme'],
    ['what would separate, where it stands alone', claim('greedy'), 'alice;role=admin'],
    ['a default that is not needed', `${$}{principal.sub:-none}`, 'alice'],
    ['a default', `${$}{principal.claims.team:-none}`, 'none'],
    ['an empty default', `${$}{principal.claims.team:-}`, ''],
  ])('is %s', async (_, template, value) => {
    const { call } = await open({ headers: { 'X-User': template } }, { ORG: 'acme' });
    expect((await call('alice')).isError).toBe(false);
    expect(header('x-user')).toBe(value);
  });

  test.each<[string, string]>([
    ['a claim that is missing', claim('team')],
    ['a claim that is empty', claim('empty')],
    ['a list', claim('roles')],
    ['an object', claim('realm')],
    ['a line break', claim('forged')],
    ['letters no header carries', claim('accent')],
    ['a blank at its end, which servers cut off', claim('padded')],
    ['more than a header should hold', claim('long')],
    ['a second field of its text', `id=${claim('greedy')};role=${claim('https://shop.test/role')}`],
    ['a second entry of its list', `all,${claim('listed')}`],
    ['what only an object’s prototype has', claim('constructor.name')],
  ])('that would be %s is not sent, and neither is the call', async (_, template) => {
    const { call } = await open({ headers: { 'X-User': template } });
    const refusal = await call('alice');
    expect(refusal).toMatchObject({ isError: true, mode: 'missing_credential' });
    expect(refusal.text).toContain('its header x-user identifies the caller');
    expect(api.seen).toEqual([]);
  });

  test('refuses callers without the claim: a key has an id, and nothing else', async () => {
    const { call } = await open({ headers: { 'X-User': SUB } });
    for (const token of ['key', '']) {
      const refusal = await call(token);
      expect(refusal).toMatchObject({ isError: true, mode: 'missing_credential' });
      expect(refusal.text).toContain(`the caller has no ${SUB}`);
    }
    expect(api.seen).toEqual([]);
  });

  test('has the id of a caller with a key, and of an anonymous one', async () => {
    const { call } = await open({ headers: { 'X-User': ID } });
    await call('key');
    await call('');
    expect([header('x-user'), header('x-user', 1)]).toEqual(['key:ci', 'anonymous']);
  });

  test('of an operation replaces that of the domain', async () => {
    const { call } = await open({
      headers: { 'X-User': SUB, 'X-Plain': 'domain' },
      endpoints: {
        get_order: { path: '/order', summary: 'Gets an order.', headers: { 'x-user': 'system', 'X-Plain': ID } },
      },
    });
    await call('key');
    expect([header('x-user'), header('x-plain')]).toEqual(['system', 'key:ci']);
  });

  test('is sent only to the origin of the domain', async () => {
    const elsewhere = await startUpstream();
    try {
      const { call } = await open({
        headers: { 'X-User': SUB },
        forward: ['X-Tenant'],
        endpoints: {
          get_order: { path: '/order', summary: 'Gets an order.', baseUrl: elsewhere.url },
        },
      });
      await call('alice', 'shop_get_order', {}, { 'x-tenant': 'acme' });
      expect(elsewhere.seen[0]!.headers).not.toHaveProperty('x-user');
      expect(elsewhere.seen[0]!.headers).not.toHaveProperty('x-tenant');
    } finally {
      await elsewhere.close();
    }
  });

  test('does not follow a redirect to another origin', async () => {
    const elsewhere = await startUpstream();
    const moved = await startUpstream((_, response) =>
      response.writeHead(302, { location: `${elsewhere.url}/order` }).end(),
    );
    try {
      shop = await openShop([shopDomain(moved.url, { headers: { 'X-User': SUB } })], CALLERS);
      expect(await shop.call('alice')).toMatchObject({ isError: true, mode: 'redirect_blocked' });
      expect(elsewhere.seen).toEqual([]);
    } finally {
      await moved.close();
      await elsewhere.close();
    }
  });

  test('is shown in a dry run as it is written', async () => {
    const { call } = await open({ headers: { 'X-User': SUB }, forward: ['X-Tenant'] });
    const { text } = await call('alice', 'shop_get_order', { dry_run: true }, { 'x-tenant': 'acme' });
    expect(text).toContain(`"x-user": "${SUB}"`);
    expect(text).toContain(`"x-tenant": "[x-tenant of the caller's request]"`);
    expect(api.seen).toEqual([]);
  });
});

describe('a confirmation of a call that identifies the caller', () => {
  const endpoints = { drop_orders: { method: 'DELETE', path: '/orders', summary: 'Deletes all orders.' } } as const;
  const role = `${$}{principal.claims.role:-none}`;
  const exchange = {
    kind: 'token_exchange',
    clientIdEnv: 'ID',
    clientSecretEnv: 'SECRET',
    audience: 'orders',
  } as const;
  const callers: Record<string, Principal> = {
    user: caller('ada', 'first-mcp-token', { role: 'user', exp: 4e9, jti: 'a' }),
    renewed: caller('ada', 'second-mcp-token', { role: 'user', exp: 4e9 + 60, jti: 'b' }),
    admin: caller('ada', 'third-mcp-token', { role: 'admin', exp: 4e9, jti: 'a' }),
    key: { id: 'key:ci' },
  };

  test.each<[string, (tokenUrl: string) => Partial<DomainDefinition>]>([
    ['a header', () => ({ headers: { 'X-Role': role } })],
    ['an assertion', () => ({ credentials: { c: { kind: 'assertion', claims: { role } } } })],
    ['the subject of an assertion', () => ({ credentials: { c: { kind: 'assertion', subject: role } } })],
    ['an exchanged token', (tokenUrl) => ({ credentials: { c: { ...exchange, tokenUrl } } })],
  ])('is bound to what %s tells the API, and not to the token it was read from', async (_, more) => {
    const folder = mkdtempSync(join(tmpdir(), 'landbridge-agreed-'));
    const key = join(folder, 'key.pem');
    writeFileSync(key, generateKeyPairSync('ed25519').privateKey.export({ type: 'pkcs8', format: 'pem' }));
    const sts = await startExchangeServer();
    for (const { token } of Object.values(callers)) if (token !== undefined) sts.subjects.set(token(), 'ada');
    try {
      const env = { ID: CLIENT.id, SECRET: CLIENT.secret };
      const assertions = await loadAssertionKeys({ issuer: 'https://mcp.test', keys: [key] });
      shop = await openShop([shopDomain(api.url, { endpoints, ...more(sts.url) }, env)], callers, { assertions });
      const { call } = shop;
      const asked = await call('user', 'shop_drop_orders');
      const confirmation_token = /confirmation_token: "([^"]+)"/.exec(asked.text)![1]!;
      const refusal = await call('admin', 'shop_drop_orders', { confirmation_token });
      expect(refusal).toMatchObject({ isError: true, mode: 'not_confirmed' });
      expect(refusal.text).toContain('role, tenant');
      expect(api.seen).toEqual([]);
      expect((await call('renewed', 'shop_drop_orders', { confirmation_token })).isError).toBe(false);
      expect(api.seen).toHaveLength(1);
    } finally {
      await sts.close();
      rmSync(folder, { recursive: true });
    }
  });

  test.each<[string, Partial<DomainDefinition>]>([
    ['a header', { headers: { 'X-User': SUB } }],
    ['an exchange', { credentials: { c: { ...exchange, tokenUrl: 'https://id.test/token' } } }],
  ])('nobody is asked about a call that the caller cannot make for lack of %s; a dry run says so', async (_, more) => {
    const domain = shopDomain(api.url, { endpoints, ...more }, { ID: CLIENT.id, SECRET: CLIENT.secret });
    shop = await openShop([domain], callers);
    expect(await shop.call('key', 'shop_drop_orders')).toMatchObject({ isError: true, mode: 'missing_credential' });
    const dry = await shop.call('key', 'shop_drop_orders', { dry_run: true });
    expect(dry.text).toContain('This caller cannot make this call. shop_drop_orders was not called: ');
    expect((await shop.call('user', 'shop_drop_orders', { dry_run: true })).text).not.toContain('cannot');
    expect(api.seen).toEqual([]);
  });
});

describe('the doctor, for an API that learns who calls,', () => {
  const $id = 'https://id.test/token';
  const domains = () => [
    shopDomain(
      api.url,
      {
        headers: { 'X-User': SUB },
        forward: ['X-Tenant'],
        credentials: {
          user: { kind: 'token_exchange', tokenUrl: $id, clientIdEnv: 'A', clientSecretEnv: 'B', audience: 'x' },
        },
      },
      { A: 'client', B: 'client-secret' },
    ),
    shopDomain(api.url, { name: 'open', headers: { 'X-User': ID } }),
  ];

  test('notes each way in which the API learns it', () => {
    const [told] = domains();
    const findings = [...checkCredentials({ domains: [told!] } as never)];
    expect(findings.map(({ severity, message }) => `${severity}: ${message}`)).toEqual([
      `note: 2 operations identify the caller to the API: Authorization: Bearer, a token from ${$id} in exchange for the caller’s token`,
      `note: 2 operations identify the caller to the API: x-user: ${SUB}`,
      "note: 2 operations identify the caller to the API: x-tenant of the caller's request",
    ]);
  });

  test('says that it has no token for such reads, and calls the others', async () => {
    const gateway = createGateway({ domains: domains(), exposure: 'tools' });
    const called: string[] = [];
    const { findings } = await checkReads(gateway.registry.operations, {
      callAs: () => Promise.reject(new Error('nothing is probed')),
      issue: () => Promise.resolve(undefined),
      maxCalls: 10,
      call: async (name) => {
        called.push(name);
        return { status: 200, ok: true, value: {}, text: '{}' } as never;
      },
    });
    await gateway.close();
    expect(called).toEqual(['open_get_order']);
    expect(findings.map(({ where, message }) => `${where}: ${message}`)).toContain(
      'shop: 1 read was not called: the API needs a caller with a verified token, and the doctor has none',
    );
  });
});

describe('a header of the caller’s request', () => {
  const SENT = { 'x-tenant': 'acme', 'x-other': 'no', cookie: 'sid=1', 'x-request-id': 'r-7' };

  test('is passed on to the API if `forward` names it; no other is', async () => {
    const { call } = await open({ forward: ['X-Tenant', 'X-Request-Id'] });
    await call('alice', 'shop_get_order', {}, SENT);
    expect(api.seen[0]!.headers).toMatchObject({ 'x-tenant': 'acme', 'x-request-id': 'r-7' });
    for (const name of ['x-other', 'cookie', 'authorization', 'mcp-method', 'mcp-name', 'content-type'])
      expect(api.seen[0]!.headers).not.toHaveProperty(name);
  });

  test('is not passed on by default, and only to the domain that names it', async () => {
    const plain = shopDomain(api.url, { name: 'plain' });
    shop = await openShop([plain, shopDomain(api.url, { forward: ['X-Tenant'] })], CALLERS);
    await shop.call('alice', 'plain_get_order', {}, SENT);
    await shop.call('alice', 'shop_get_order', {}, SENT);
    expect(api.seen.map(({ headers }) => headers['x-tenant'])).toEqual([undefined, 'acme']);
  });

  test('is not sent if the request does not have it', async () => {
    const { call } = await open({ forward: ['X-Tenant'] });
    expect((await call('alice')).isError).toBe(false);
    expect(api.seen[0]!.headers).not.toHaveProperty('x-tenant');
  });

  test('is part of a confirmation: consent for one tenant is not valid for another, while the request id may differ', async () => {
    const { call } = await open({
      forward: ['X-Tenant', 'X-Request-Id'],
      endpoints: { drop_orders: { method: 'DELETE', path: '/orders', summary: 'Deletes all orders.' } },
    });
    const asked = await call('alice', 'shop_drop_orders', {}, SENT);
    expect(asked.text).toContain('With header x-tenant: "acme"');
    const token = /confirmation_token: "([^"]+)"/.exec(asked.text)![1]!;
    const repeat = (headers: Record<string, string>) =>
      call('alice', 'shop_drop_orders', { confirmation_token: token }, { ...SENT, ...headers });
    expect(await repeat({ 'x-tenant': 'other' })).toMatchObject({ isError: true, mode: 'not_confirmed' });
    expect(api.seen).toEqual([]);
    expect((await repeat({ 'x-request-id': 'r-8' })).isError).toBe(false);
    expect(api.seen).toHaveLength(1);
  });

  test('ends the call if no header can carry its value, or if it is too long', async () => {
    const { call } = await open({ forward: ['X-Tenant'] });
    for (const value of ['Zo\u00eb', 'x'.repeat(2_049)]) {
      const refusal = await call('alice', 'shop_get_order', {}, { 'x-tenant': value });
      expect(refusal).toMatchObject({ isError: true, mode: 'validation' });
      expect(refusal.text).toContain('the header x-tenant of the request');
    }
    expect(api.seen).toEqual([]);
  });

  test.each<[string, (gateway: ReturnType<typeof createGateway>) => Promise<Link>]>([
    ['stdio', stdioLink],
    ['TCP', tcpLink],
  ])('is a matter of HTTP: over %s there is none', async (_, link) => {
    const gateway = createGateway({ domains: [shopDomain(api.url, { forward: ['X-Tenant'] })], exposure: 'tools' });
    const connection = await link(gateway);
    try {
      const call = legacy(1, 'tools/call', { name: 'shop_get_order', arguments: {} });
      await connection.send(JSON.stringify(call));
      expect(api.seen[0]!.headers).not.toHaveProperty('x-tenant');
    } finally {
      await connection.close();
      await gateway.close();
    }
  });
});

describe('an argument of an imported document', () => {
  let folder: string;
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'landbridge-caller-'));
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  const parameter = (name: string, required: boolean) => ({ name, in: 'header', required, schema: { type: 'string' } });
  const document = (more: object = {}) => ({
    openapi: '3.1.0',
    info: { title: 'Shop', version: '1' },
    servers: [{ url: api.url }],
    paths: {
      '/order': {
        get: {
          operationId: 'getOrder',
          parameters: [parameter('X-User', true), parameter('x_user', false), parameter('X-Tenant', true)],
          responses: { 200: { description: 'ok' } },
        },
      },
    },
    ...more,
  });

  async function load(
    file: string,
    doc: object = document(),
    env: Record<string, string> = {},
    options: Partial<GatewayOptions> = {},
  ): Promise<Shop> {
    writeFileSync(join(folder, 'shop.json'), JSON.stringify(doc));
    writeFileSync(join(folder, 'shop.yaml'), `name: shop\nopenapi: ./shop.json\n${file}`);
    shop = await openShop(await loadDomains({ paths: [join(folder, 'shop.yaml')], env }), CALLERS, options);
    return shop;
  }

  test('is dropped for a header that identifies the caller, even if the document requires it', async () => {
    const { call } = await load(`headers: { X-User: "${SUB}" }\nforward: [X-Tenant]\n`);
    expect((await call('alice', 'shop_get_order', {}, { 'x-tenant': 'acme' })).isError).toBe(false);
    expect(api.seen[0]!.headers).toMatchObject({ 'x-user': 'alice', 'x-tenant': 'acme' });
    for (const name of ['X-User', 'x_user', 'x_user_2', 'X-Tenant', 'x-user', 'x_tenant'])
      expect((await call('alice', 'shop_get_order', { [name]: 'root' })).isError).toBe(true);
    expect(api.seen).toHaveLength(1);
  });

  test('that moves an operation to another origin has it called without identifying the caller; the start warns of it', async () => {
    const get = { operationId: 'getElse', responses: { 200: { description: 'ok' } } };
    const paths = { ...document().paths, '/else': { servers: [{ url: 'https://else.test' }], get } };
    writeFileSync(join(folder, 'shop.json'), JSON.stringify(document({ paths })));
    const warningsFor = async (file: string) => {
      writeFileSync(join(folder, 'shop.yaml'), `name: shop\nopenapi: ./shop.json\n${file}`);
      const [domain] = await loadDomains({ paths: [join(folder, 'shop.yaml')], env: {} });
      return domain!.warnings.join();
    };
    expect(await warningsFor(`headers: { X-User: "${SUB}" }\n`)).toContain('shop_get_else (https://else.test)');
    expect(await warningsFor('')).not.toContain('shop_get_else (https://else.test)');
  });

  test('is dropped also if only `operations:` identifies the caller', async () => {
    const { call } = await load(`operations: { getOrder: { headers: { X-User: "${SUB}" } } }\n`);
    await call('alice', 'shop_get_order', { x_tenant: 'acme' });
    expect(api.seen[0]!.headers).toMatchObject({ 'x-user': 'alice', 'x-tenant': 'acme' });
    expect((await call('alice', 'shop_get_order', { x_user: 'root', x_tenant: 'acme' })).isError).toBe(true);
    expect(api.seen).toHaveLength(1);
  });

  test.each([
    ['assertion', 'kind: assertion, header: X-Caller'],
    ['key', 'env: KEY'],
  ])('gives way to the header of an %s, however it spells it', async (_, credential) => {
    const key = join(folder, 'key.pem');
    writeFileSync(key, generateKeyPairSync('ed25519').privateKey.export({ type: 'pkcs8', format: 'pem' }));
    const assertions = await loadAssertionKeys({ issuer: 'https://mcp.test', keys: [key] });
    const doc = document({
      components: { securitySchemes: { user: { type: 'apiKey', in: 'header', name: 'X-Caller' } } },
      security: [{ user: [] }],
      paths: {
        '/order': {
          get: {
            operationId: 'getOrder',
            parameters: [parameter('X_Caller', true)],
            responses: { 200: { description: 'ok' } },
          },
        },
      },
    });
    const { call } = await load(`credentials: { user: { ${credential} } }\n`, doc, { KEY: 'key-1' }, { assertions });
    expect(await call('key', 'shop_get_order', {})).toMatchObject({ isError: false });
    expect(Object.keys(api.seen[0]!.headers)).toContain('x-caller');
    expect(Object.keys(api.seen[0]!.headers)).not.toContain('x_caller');
    for (const name of ['X_Caller', 'x_caller'])
      expect((await call('key', 'shop_get_order', { [name]: 'root' })).isError).toBe(true);
    expect(api.seen).toHaveLength(1);
  });

  const secured = (scheme: object) =>
    document({
      components: { securitySchemes: { user: scheme } },
      security: [{ user: ['orders:read'] }],
      paths: { '/order': { get: { operationId: 'getOrder', responses: { 200: { description: 'ok' } } } } },
    });
  const SCHEMES = {
    bearer: { type: 'http', scheme: 'bearer' },
    oauth2: {
      type: 'oauth2',
      flows: { clientCredentials: { tokenUrl: 'https://elsewhere.test/token', scopes: { 'orders:read': 'Reads.' } } },
    },
    apiKey: { type: 'apiKey', in: 'header', name: 'X-Api-Key' },
    openIdConnect: {
      type: 'openIdConnect',
      openIdConnectUrl: 'https://elsewhere.test/.well-known/openid-configuration',
    },
  };

  test.each(Object.entries(SCHEMES))('%s security is met by a token exchange of that name', async (_, scheme) => {
    const sts = await startExchangeServer();
    sts.subjects.set('alices-mcp-token', 'alice');
    try {
      const fields = `tokenUrl: "${sts.url}", clientIdEnv: ID, clientSecretEnv: SECRET, audience: orders`;
      const { call } = await load(`credentials: { user: { kind: token_exchange, ${fields} } }\n`, secured(scheme), {
        ID: CLIENT.id,
        SECRET: CLIENT.secret,
      });
      expect((await call('alice')).isError).toBe(false);
      expect(api.seen[0]!.headers.authorization).toBe('Bearer for-alice-number-1');
      expect(await call('key')).toMatchObject({ isError: true, mode: 'missing_credential' });
      expect(api.seen).toHaveLength(1);
    } finally {
      await sts.close();
    }
  });

  test.each(Object.entries(SCHEMES))('%s security is met by an assertion of that name', async (_, scheme) => {
    const key = join(folder, 'key.pem');
    writeFileSync(key, generateKeyPairSync('ed25519').privateKey.export({ type: 'pkcs8', format: 'pem' }));
    const assertions = await loadAssertionKeys({ issuer: 'https://mcp.test', keys: [key] });
    const file = 'credentials: { user: { kind: assertion, header: X-Caller } }\n';
    const { call } = await load(file, secured(scheme), {}, { assertions });
    expect((await call('key')).isError).toBe(false);
    const [, payload = ''] = String(api.seen[0]!.headers['x-caller']).split('.');
    expect(JSON.parse(Buffer.from(payload, 'base64url').toString())).toMatchObject({ sub: 'key:ci', aud: api.url });
    expect(api.seen[0]!.headers).not.toHaveProperty('authorization');
  });
});
