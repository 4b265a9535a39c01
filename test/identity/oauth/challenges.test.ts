// How clients learn where to get a token: challenges, the metadata of each endpoint, and which of it web pages may read.

import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type Issuer, startIssuer } from '../../../lab/attack/issuer.ts';
import { headersOf, legacy, modern, post } from '../../support/mcp.ts';
import { type ProtectedGateway, startProtected } from '../../support/protected-gateway.ts';
import { useRealHttp } from '../../support/real-http.ts';

useRealHttp();

const SCOPES = { read: ['api.read', 'api.all'], write: ['api.write'], destructive: ['api.admin'] };
let issuer: Issuer;
let gateway: ProtectedGateway;
let origin: string;

beforeAll(async () => {
  issuer = await startIssuer();
  gateway = await startProtected([{ issuer: issuer.url, scopes: SCOPES, profiles: { staff: ['staff.use'] } }], {
    profiles: { staff: {}, readers: {} },
    allowedOrigins: ['https://app.example'],
  });
  ({ origin } = new URL(gateway.url));
});
afterAll(async () => {
  await gateway.close();
  await issuer.close();
});

describe('401', () => {
  test('without a token names the metadata and the scopes to request, and no error', async () => {
    for (const { status, headers } of await gateway.call(undefined)) {
      expect(status).toBe(401);
      expect(headers['www-authenticate']).toBe(
        `Bearer scope="api.read api.write api.admin", resource_metadata="${origin}/.well-known/oauth-protected-resource/mcp"`,
      );
    }
  });

  test('for a profile names the metadata and the scope of that profile', async () => {
    const [{ headers }] = await gateway.call(undefined, { profile: 'staff' });
    expect(headers['www-authenticate']).toBe(
      `Bearer scope="api.read api.write api.admin staff.use", resource_metadata="${origin}/.well-known/oauth-protected-resource/mcp/staff"`,
    );
  });

  test('with an invalid token says invalid_token and why, but nothing of the token', async () => {
    const token = await issuer.mint(gateway.url, { claims: { exp: 1, sub: 'very-private' } });
    const [{ headers, body }] = await gateway.call(token);
    expect(headers['www-authenticate']).toContain(
      'error="invalid_token", error_description="The token has expired. Get a new one."',
    );
    expect(body + JSON.stringify(headers)).not.toMatch(/very-private|eyJ/);
  });
});

describe('403', () => {
  const challengeFor = async (scope: string, profile: string) => {
    const token = await issuer.mint(gateway.urlOf(profile), { claims: { scope } });
    const [{ status, headers }] = await gateway.call(token, { profile });
    const [, scopes] = / scope="([^"]*)"/.exec(String(headers['www-authenticate'])) ?? [];
    return { status, scopes, challenge: String(headers['www-authenticate']) };
  };

  test('names all scopes the endpoint needs in one challenge, with those the token has', async () => {
    const { status, scopes, challenge } = await challengeFor('profile.mail offline_access', 'staff');
    expect(status).toBe(403);
    expect(challenge).toContain('error="insufficient_scope"');
    expect(challenge).toContain(`resource_metadata="${origin}/.well-known/oauth-protected-resource/mcp/staff"`);
    expect(scopes).toBe('profile.mail staff.use api.read');
  });

  test('names the missing scopes beside those the token has', async () => {
    expect((await challengeFor('api.write', 'staff')).scopes).toBe('api.write staff.use');
    expect((await challengeFor('staff.use', 'staff')).scopes).toBe('staff.use api.read');
    expect((await challengeFor('other', '')).scopes).toBe('other api.read');
  });

  test('leaves out a scope with characters that would break the challenge', async () => {
    expect((await challengeFor('a",error="x b\\ ok', '')).scopes).toBe('ok api.read');
  });
});

describe('the metadata of a protected resource', () => {
  const document = (resource: string, scopes: string[], name: string) => ({
    resource: origin + resource,
    authorization_servers: [issuer.url],
    scopes_supported: scopes,
    bearer_methods_supported: ['header'],
    resource_name: name,
  });
  const ALL = ['api.read', 'api.all', 'api.write', 'api.admin'];

  test('are served for /mcp and for each profile, without a token', async () => {
    const read = async (path: string) => (await fetch(`${origin}/.well-known/oauth-protected-resource${path}`)).json();
    expect(await read('')).toEqual(document('/mcp', ALL, 'Landbridge'));
    expect(await read('/mcp')).toEqual(document('/mcp', ALL, 'Landbridge'));
    expect(await read('/mcp/readers')).toEqual(document('/mcp/readers', ALL, 'Landbridge: readers'));
    expect(await read('/mcp/staff')).toEqual(document('/mcp/staff', [...ALL, 'staff.use'], 'Landbridge: staff'));
  });

  test.each(['/nope', '/mcp/nope', '/mcp/../staff', '/mcp/staff/', 'x', '/mcp/__proto__'])(
    'there is none at %s',
    async (path) => {
      expect((await fetch(`${origin}/.well-known/oauth-protected-resource${path}`)).status).toBe(404);
    },
  );

  test('can be read by any web page, and nothing else can', async () => {
    const url = `${origin}/.well-known/oauth-protected-resource/mcp`;
    const page = { origin: 'https://anywhere.example' };
    const read = await fetch(url, { headers: page });
    expect([read.status, read.headers.get('access-control-allow-origin')]).toEqual([200, '*']);
    const asked = await fetch(url, {
      method: 'OPTIONS',
      headers: { ...page, 'access-control-request-headers': 'mcp-protocol-version' },
    });
    expect(asked.status).toBe(204);
    expect(asked.headers.get('access-control-allow-headers')!.toLowerCase()).toContain('mcp-protocol-version');
    expect((await fetch(url, { method: 'POST', headers: page })).status).toBe(405);
    const mcp = await post(gateway.url, '{}', page);
    expect([mcp.status, mcp.headers['access-control-allow-origin']]).toEqual([403, undefined]);
  });

  test('come with CORS headers that let an allowed page read the challenge', async () => {
    const { status, headers } = await post(gateway.url, '{}', { origin: 'https://app.example' });
    expect(status).toBe(401);
    expect(headers['access-control-expose-headers']).toContain('WWW-Authenticate');
  });

  test('are not served to a request with another Host', async () => {
    const { status } = await post(`${origin}/.well-known/oauth-protected-resource`, '', { host: 'evil.example' });
    expect(status).toBe(403);
  });

  test('are not those of an authorization server', async () => {
    for (const path of [
      '/authorize',
      '/token',
      '/register',
      '/.well-known/oauth-authorization-server',
      '/.well-known/openid-configuration',
    ])
      expect((await fetch(origin + path)).status).toBe(404);
  });

  test('contain the addresses that clients use: publicUrl, even if it has a path', async () => {
    const behind = await startProtected([{ issuer: issuer.url }], { publicUrl: 'http://127.0.0.1:1/tools/' });
    const { origin: bound } = new URL(behind.url);
    for (const path of ['/mcp', '/tools/mcp']) {
      const answer = await fetch(`${bound}/.well-known/oauth-protected-resource${path}`);
      expect(await answer.json()).toMatchObject({ resource: 'http://127.0.0.1:1/tools/mcp' });
    }
    const [{ headers }] = await behind.call(undefined);
    expect(headers['www-authenticate']).toBe(
      'Bearer resource_metadata="http://127.0.0.1:1/tools/.well-known/oauth-protected-resource/mcp"',
    );
    expect((await behind.call(await issuer.mint('http://127.0.0.1:1/tools/mcp')))[0].status).toBe(200);
    expect((await behind.call(await issuer.mint(behind.url)))[0].status).toBe(401);
    await behind.close();
  });
});

test('a token for the configured audience is accepted at every endpoint, and one for the URL of an endpoint at none', async () => {
  const shared = await startProtected([{ issuer: issuer.url, audience: ['api://landbridge', 'api://old'] }], {
    profiles: { staff: {} },
  });
  const status = async (audience: string, profile: string) =>
    (await shared.call(await issuer.mint(audience), { profile }))[0].status;
  expect([await status('api://landbridge', ''), await status('api://old', 'staff')]).toEqual([200, 200]);
  expect([await status(shared.url, ''), await status('api://other', '')]).toEqual([401, 401]);
  await shared.close();
});

describe.each(['tools', 'grouped', 'search'] as const)('stepUp, exposure %s', (exposure) => {
  let eager: ProtectedGateway;
  beforeAll(async () => {
    eager = await startProtected(
      [{ issuer: issuer.url, scopes: { read: ['api.read'], write: ['api.write'] }, stepUp: true }],
      {
        exposure,
        profiles: { calm: { readOnly: true } },
      },
    );
  });
  afterAll(() => eager.close());
  beforeEach(() => {
    eager.upstream.seen.length = 0;
  });

  const CALLS = {
    tools: (name: string, args: object) => ({ tool: `pets_${name}`, args: args as Record<string, unknown> }),
    grouped: (name: string, args: object) => ({ tool: 'pets_write', args: { action: name, ...args } }),
    search: (name: string, args: object) => ({
      tool: 'call_operation',
      args: { operation: `pets_${name}`, arguments: args },
    }),
  }[exposure];

  test('refuses a call that the token does not cover with the scopes it needs, in both eras', async () => {
    const token = await issuer.mint(eager.url, { claims: { scope: 'api.read mail' } });
    for (const { status, headers, body } of await eager.call(token, CALLS('create', { name: 'Rex' }))) {
      expect(status).toBe(403);
      expect(headers['www-authenticate']).toContain('error="insufficient_scope"');
      expect(headers['www-authenticate']).toContain(' scope="api.read mail api.write"');
      expect(headers['www-authenticate']).toContain('resource_metadata="');
      expect(JSON.parse(body)).toMatchObject({
        id: 1,
        error: { data: { failure_mode: 'insufficient_scope', scopes: ['api.read', 'mail', 'api.write'] } },
      });
    }
    expect(eager.upstream.seen).toEqual([]);
  });

  test('allows the call when the token has the scope', async () => {
    const token = await issuer.mint(eager.url, { claims: { scope: 'api.read api.write' } });
    const answers = await eager.call(token, CALLS('create', { name: 'Rex' }));
    expect(answers.map(({ status }) => status)).toEqual([200, 200]);
    expect(eager.upstream.seen.map(({ method }) => method)).toEqual(['POST', 'POST']);
  });

  test('hides operations that no scope allows, like those that do not exist', async () => {
    const token = await issuer.mint(eager.url);
    for (const name of ['delete', 'nothing'])
      for (const { status, headers } of await eager.call(token, CALLS(name, { id: 1 })))
        expect([status, headers['www-authenticate']]).toEqual([200, undefined]);
    expect(eager.upstream.seen).toEqual([]);
  });

  test('requests no scope in a read-only gateway, because none would help', async () => {
    const token = await issuer.mint(eager.urlOf('calm'));
    for (const { status } of await eager.call(token, { profile: 'calm', ...CALLS('create', { name: 'Rex' }) }))
      expect(status).toBe(200);
    expect(eager.upstream.seen).toEqual([]);
  });

  test('lists only the tools that the token covers', async () => {
    const token = await issuer.mint(eager.url);
    const authorization = { authorization: `Bearer ${token}` };
    const message = modern(1, 'tools/list');
    const lists = [
      await post(eager.url, JSON.stringify(message), { ...headersOf(message), ...authorization }),
      await post(eager.url, JSON.stringify(legacy(1, 'tools/list')), authorization),
    ];
    for (const { body } of lists) expect(body).not.toMatch(/pets_create|pets_delete|Adds a pet|Removes a pet/);
  });
});
