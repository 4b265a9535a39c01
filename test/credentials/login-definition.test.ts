// biome-ignore-all lint/suspicious/noTemplateCurlyInString: that is what domain files write
// Domain files that log in: a few lines of YAML, against servers that answer as Directus, FastAPI and a session API do.

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { stringify } from 'yaml';
import { collectSecrets, formatOf } from '../../src/credentials/secrets.ts';
import { loadDomains } from '../../src/domain/load.ts';
import type { Domain } from '../../src/endpoint/model.ts';
import { createGateway } from '../../src/gateway.ts';
import { useRealHttp } from '../support/real-http.ts';
import { type Recorded, type Recorder, startRecorder } from '../support/recorder.ts';

useRealHttp();

const folder = mkdtempSync(join(tmpdir(), 'login-'));
const ENV = { SHOP_EMAIL: 'ann@shop.test', SHOP_PASSWORD: 'correct horse' };
const requests: Recorded[] = [];
let api: Recorder;

beforeAll(async () => {
  api = await startRecorder((request, response) => {
    requests.push(request);
    response.setHeader('content-type', 'application/json');
    const { url, body, headers } = request;
    const say = (status: number, value: unknown) => response.writeHead(status).end(JSON.stringify(value));
    const text = String(body);
    if (url === '/auth/login') {
      const { email, password } = JSON.parse(text) as Record<string, string>;
      if (email !== ENV.SHOP_EMAIL || password !== ENV.SHOP_PASSWORD)
        return void say(401, { errors: [{ message: 'Invalid user credentials.' }] });
      return void say(200, { data: { access_token: 'directus-token', expires: 900_000, refresh_token: 'r' } });
    }
    if (url === '/token') {
      const form = new URLSearchParams(text);
      const isRight = form.get('username') === ENV.SHOP_EMAIL && form.get('password') === ENV.SHOP_PASSWORD;
      if (!isRight) return void say(400, { detail: 'Incorrect username or password' });
      return void say(200, { access_token: 'fastapi-token', token_type: 'bearer' });
    }
    if (url?.startsWith('/hooks/')) {
      response.setHeader('x-token', 'token-of-another-time');
      return void say(200, {});
    }
    if (url === '/session') {
      response.setHeader('set-cookie', ['sid=session-cookie; Path=/; HttpOnly']);
      return void say(200, {});
    }
    const proofs = ['Bearer directus-token', 'Bearer fastapi-token'];
    const isIn = proofs.includes(String(headers.authorization)) || headers.cookie === 'sid=session-cookie';
    return void (isIn ? say(200, { data: [] }) : say(401, { detail: 'Not authenticated' }));
  });
});
beforeEach(() => {
  requests.length = 0;
});
afterAll(async () => {
  await api.close();
  rmSync(folder, { recursive: true, force: true });
});

/** A domain file with this credential over two endpoints. */
async function load(credential: object, more: object = {}, env: Record<string, string> = ENV): Promise<Domain> {
  const definition = {
    name: 'shop',
    baseUrl: api.origin,
    credentials: { session: credential },
    endpoints: {
      list_items: { path: '/items', summary: 'Lists items.' },
      add_item: { method: 'POST', path: '/items', summary: 'Adds an item.', args: { name: { type: 'string' } } },
    },
    ...more,
  };
  writeFileSync(join(folder, 'shop.yaml'), stringify(definition));
  const [domain] = await loadDomains({ paths: [join(folder, 'shop.yaml')], env });
  return domain!;
}

async function call(domain: Domain, name = 'shop_list_items', args: object = {}) {
  const gateway = createGateway({ domains: [domain], exposure: 'tools' });
  const message = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: args } };
  const reply = await gateway.handle(JSON.stringify(message));
  await gateway.close();
  const { result } = JSON.parse(reply!.body) as { result: { isError?: boolean; content: { text: string }[] } };
  return { isError: result.isError ?? false, text: result.content[0]!.text };
}

const DIRECTUS = { kind: 'login', path: '/auth/login', body: { email: '${SHOP_EMAIL}', password: '${SHOP_PASSWORD}' } };
const FASTAPI = { kind: 'login', path: '/token', form: { username: '${SHOP_EMAIL}', password: '${SHOP_PASSWORD}' } };
const SESSION = { ...DIRECTUS, path: '/session', send: 'cookies' };

describe('a login in a domain file needs only a few lines', () => {
  test.each([
    ['Directus', DIRECTUS],
    ['FastAPI', FASTAPI],
    ['a session', SESSION],
  ])('%s', async (_, credential) => {
    const domain = await load(credential);
    expect(await call(domain)).toEqual({ isError: false, text: '{"data":[]}' });
    expect(await call(domain, 'shop_add_item', { name: 'Chair' })).toEqual({ isError: false, text: '{"data":[]}' });
  });

  test('a path is relative to the base URL, a URL may have another origin', async () => {
    const below = await load(DIRECTUS, { baseUrl: `${api.origin}/auth` }).then(
      ({ endpoints }) => endpoints[0]!.security[0]![0],
    );
    expect(below).toMatchObject({ request: { url: `${api.origin}/auth/auth/login` } });
    const { path: _, ...rest } = DIRECTUS;
    const elsewhere = await load({ ...rest, url: '${ID_URL:-https://id.test}/login?x=1' });
    expect(elsewhere.endpoints[0]!.security[0]![0]).toMatchObject({
      request: { url: 'https://id.test/login', query: 'x=1' },
    });
  });

  test('headers of the domain are sent with its login', async () => {
    await call(await load(DIRECTUS, { headers: { 'X-Tenant': 'acme' } }));
    expect(requests.map(({ headers }) => headers['x-tenant'])).toEqual(['acme', 'acme']);
  });
});

test('a refused login names its variables; nothing secret is shown', async () => {
  const { isError, text } = await call(await load(DIRECTUS, {}, { ...ENV, SHOP_PASSWORD: 'wrong horse' }));
  expect(isError).toBe(true);
  expect(text).toBe(
    `shop_list_items: ${api.origin} refused the login session (401 Invalid user credentials.). The call was not made. Check SHOP_EMAIL and SHOP_PASSWORD. Changing the arguments does not help.`,
  );
});

test('a secret in the address of a login is redacted like the others', async () => {
  const env = { ...ENV, SHOP_KEY: 'key-in-the-address' };
  const login = { kind: 'login', url: `${api.origin}/auth/login?key=\${SHOP_KEY}`, body: DIRECTUS.body };
  const domain = await load(login, {}, env);
  expect(collectSecrets([domain])).toEqual(expect.arrayContaining(['correct horse', 'key-in-the-address']));
});

test('a default that is written in the file is no secret', async () => {
  const body = { ...DIRECTUS.body, device: '${DEVICE:-mobile}' };
  expect(collectSecrets([await load({ ...DIRECTUS, body })])).toEqual(['correct horse']);
  const env = { ...ENV, DEVICE: 'device-number-7' };
  expect(collectSecrets([await load({ ...DIRECTUS, body }, {}, env)])).toEqual(['correct horse', 'device-number-7']);
});

test('the address of a login is shown as it was written, never with its secrets', async () => {
  const env = { HOOK: 'value-of-the-hook', SHOP_TENANT: 'acme', AUTH: api.origin };
  for (const address of [{ path: '/hooks/${HOOK}/${SHOP_TENANT}' }, { url: '${AUTH}/hooks/${HOOK}/${SHOP_TENANT}' }]) {
    const domain = await load({ kind: 'login', ...address, method: 'GET' }, {}, env);
    expect(collectSecrets([domain])).toEqual(['value-of-the-hook']);
    const shown = 'path' in address ? `${api.origin}${address.path}` : address.url;
    expect(formatOf(domain.endpoints[0]!.security[0]![0]!)).toBe(`Authorization: Bearer, a token from GET ${shown}`);
    for (const wordy of [{ token: 'nowhere' }, { token: { header: 'x-token' } }]) {
      requests.length = 0;
      const { text } = await call(await load({ kind: 'login', ...address, method: 'GET', ...wordy }, {}, env));
      expect(requests[0]!.url).toBe('/hooks/value-of-the-hook/acme');
      expect(text).toContain(shown);
      expect(text).not.toContain('value-of-the-hook');
    }
  }
});

test('unset variables are named at start and in the call, and nothing is sent', async () => {
  const domain = await load(DIRECTUS, {}, { SHOP_EMAIL: 'ann@shop.test' });
  expect(domain.warnings).toEqual([
    'The environment variable SHOP_PASSWORD is not set; calls that need it will be refused.',
  ]);
  expect((await call(domain)).text).toContain('Set SHOP_PASSWORD in the environment');
  expect(requests).toHaveLength(0);
});

describe('mistakes in a login stop the start and name their field', () => {
  test.each([
    ['no address', { kind: 'login', body: {} }, /credentials\.session\.path: is missing/],
    [
      'two addresses',
      { ...DIRECTUS, url: 'https://x.test' },
      /credentials\.session\.url: cannot be combined with path/,
    ],
    [
      'an address that is none',
      { kind: 'login', url: 'auth/login', body: {} },
      /credentials\.session\.url: must be an absolute/,
    ],
    [
      'an unset variable in the address',
      { kind: 'login', url: '${NOWHERE}/x' },
      /credentials\.session\.url: needs the environment variable NOWHERE/,
    ],
    ['body and form', { ...DIRECTUS, form: {} }, /credentials\.session\.form: cannot be combined with body/],
    ['a body of a GET', { ...DIRECTUS, method: 'GET' }, /credentials\.session\.method: is GET/],
    [
      'another method',
      { ...DIRECTUS, method: 'DELETE' },
      /credentials\.session\.method: must be GET, POST, PUT or PATCH/,
    ],
    [
      'a secret header in the file',
      { ...DIRECTUS, headers: { Authorization: 'Basic YW5uOnB3' } },
      /credentials\.session\.headers\.Authorization: looks like a secret by its name/,
    ],
    [
      'a secret in the file',
      { kind: 'login', path: '/x', body: { user: { passWord: 'hunter2' } } },
      /credentials\.session\.body\.user\.passWord: looks like a secret by its name/,
    ],
    [
      'a header nobody may set',
      { ...DIRECTUS, headers: { Host: 'x' } },
      /credentials\.session\.headers: Host is written by the HTTP client/,
    ],
    [
      'cookies of another origin',
      { ...SESSION, path: undefined, url: 'https://id.test/login' },
      /credentials\.session\.send: cookies are only sent to the origin/,
    ],
    [
      'a way to send that is none',
      { ...DIRECTUS, send: 'cookie' },
      /credentials\.session\.send: must be one of "bearer", "cookies"/,
    ],
    ['an unknown field', { ...DIRECTUS, tokn: 'x' }, /credentials\.session\.tokn: .*did you mean "token"/],
  ])('%s', async (_, credential, want) => {
    await expect(load(JSON.parse(JSON.stringify(credential)) as object)).rejects.toThrow(want);
  });
});

describe('a credential of a domain file with an imported document', () => {
  const operation = (security?: unknown) => ({
    responses: { 200: { description: 'ok' } },
    ...(security !== undefined && { security }),
  });
  const document = (more: object = {}) => ({
    openapi: '3.0.3',
    info: { title: 'Shop', version: '1' },
    servers: [{ url: api.origin }],
    paths: {
      '/items': { get: { operationId: 'silent', ...operation() } },
      '/guarded': { get: { operationId: 'guarded', ...operation([{ bearerAuth: [] }]) } },
      '/public': { get: { operationId: 'open', ...operation([]) } },
      '/auth/login': { post: { operationId: 'login', ...operation() } },
      '/abroad': { get: { operationId: 'abroad', servers: [{ url: 'https://other.test' }], ...operation() } },
    },
    components: { securitySchemes: { bearerAuth: { type: 'http', scheme: 'bearer' } } },
    ...more,
  });
  /** What each operation carries, as names of credentials. */
  async function carried(credentials: object, more: object = {}, env: Record<string, string> = ENV) {
    writeFileSync(join(folder, 'openapi.json'), JSON.stringify(document()));
    const definition = { name: 'shop', openapi: 'openapi.json', credentials, ...more };
    writeFileSync(join(folder, 'shop.yaml'), stringify(definition));
    const [domain] = await loadDomains({ paths: [join(folder, 'shop.yaml')], env });
    const names = domain!.endpoints.map(({ action, security }) => [
      action,
      security.map((set) => set.map((one) => `${one.name} ${one.kind}`)),
    ]);
    return { domain: domain!, names: Object.fromEntries(names) as Record<string, string[][]> };
  }

  test('is sent with operations that declare none, and is the first choice of those that do, if it is the only one', async () => {
    const { names, domain } = await carried({ session: DIRECTUS });
    expect(names).toEqual({
      silent: [['session login']],
      guarded: [['session login'], ['bearerAuth bearer']],
      // said on purpose
      open: [],
      // who logs in has no token yet
      login: [],
      abroad: [],
    });
    expect(domain.warnings).toEqual([]);
    expect(await call(domain, 'shop_guarded')).toEqual({ isError: false, text: '{"data":[]}' });
  });

  test('replaces the scheme of the same name', async () => {
    const { names } = await carried({ bearerAuth: FASTAPI });
    expect(names).toMatchObject({ silent: [['bearerAuth login']], guarded: [['bearerAuth login']], open: [] });
  });

  test('may just name the variables of the only scheme', async () => {
    const { names } = await carried({ bearerAuth: { env: 'TOKEN' } }, {}, { TOKEN: 'abcd' });
    expect(names).toMatchObject({
      silent: [['bearerAuth bearer']],
      guarded: [['bearerAuth bearer']],
      open: [],
      abroad: [],
    });
  });

  test('is not sent by default if there are several; security: says which, schemes of the document included', async () => {
    const key = { kind: 'apiKey', field: 'X-Tenant', env: 'TENANT' };
    const session = DIRECTUS;
    expect((await carried({ session, key })).names).toMatchObject({ silent: [], guarded: [['bearerAuth bearer']] });
    const { names } = await carried({ key }, { security: [['bearerAuth', 'key']] });
    expect(names.silent).toEqual([['bearerAuth bearer', 'key apiKey']]);
  });

  test('is replaced by a header of the command line', async () => {
    writeFileSync(join(folder, 'openapi.json'), JSON.stringify(document()));
    const credentials = { session: DIRECTUS };
    writeFileSync(
      join(folder, 'shop.yaml'),
      stringify({ name: 'shop', openapi: 'openapi.json', baseUrl: api.origin, credentials }),
    );
    const [domain] = await loadDomains({
      paths: [join(folder, 'shop.yaml')],
      env: ENV,
      headers: ['Authorization: Bearer x1234'],
    });
    expect(domain!.endpoints[0]!.security).toEqual([[expect.objectContaining({ name: 'header Authorization' })]]);
  });
});

test('a document with a password flow needs only its variables to be set', async () => {
  const document = {
    openapi: '3.1.0',
    info: { title: 'FastAPI', version: '0.1.0' },
    servers: [{ url: api.origin }],
    paths: {
      '/items': {
        get: {
          operationId: 'read_items_items_get',
          security: [{ OAuth2PasswordBearer: [] }],
          responses: { 200: { description: 'ok' } },
        },
      },
    },
    components: {
      securitySchemes: {
        OAuth2PasswordBearer: { type: 'oauth2', flows: { password: { scopes: {}, tokenUrl: 'token' } } },
      },
    },
  };
  writeFileSync(join(folder, 'fastapi.json'), JSON.stringify(document));
  const variable = 'LANDBRIDGE_CRED_FASTAPI_OAUTH2_PASSWORD_BEARER';
  const load = (env: Record<string, string>) => loadDomains({ paths: [join(folder, 'fastapi.json')], env });
  const [waiting] = await load({});
  const warning = waiting!.warnings.join();
  expect(warning).toContain(`${variable}_USERNAME and ${variable}_PASSWORD (OAuth2PasswordBearer, `);
  expect(warning).toContain(`; or ${variable} (OAuth2PasswordBearer, `);
  const [domain] = await load({
    [`${variable}_USERNAME`]: ENV.SHOP_EMAIL,
    [`${variable}_PASSWORD`]: ENV.SHOP_PASSWORD,
  });
  expect(await call(domain!, domain!.endpoints[0]!.toolName)).toEqual({ isError: false, text: '{"data":[]}' });
  expect(requests.map(({ url, headers }) => [url, headers.authorization])).toEqual([
    ['/token', undefined],
    ['/items', 'Bearer fastapi-token'],
  ]);
});

describe('a token URL of the document at another origin than the API, with variables of the domain file', () => {
  const flows = { password: { tokenUrl: 'https://id.test/token', scopes: {} } };
  const clients = { clientCredentials: { tokenUrl: 'https://id.test/token', scopes: {} } };
  const documentOf = (schemeFlows: object) => ({
    openapi: '3.0.3',
    info: { title: 'Shop', version: '1' },
    paths: {
      '/items': { get: { operationId: 'items', security: [{ main: [] }], responses: { 200: { description: 'ok' } } } },
      '/open': { get: { operationId: 'open', security: [], responses: { 200: { description: 'ok' } } } },
    },
    components: { securitySchemes: { main: { type: 'oauth2', flows: schemeFlows } } },
  });
  const names = {
    password: { usernameEnv: 'SHOP_EMAIL', passwordEnv: 'SHOP_PASSWORD' },
    client: { clientIdEnv: 'SHOP_EMAIL', clientSecretEnv: 'SHOP_PASSWORD' },
  };
  const read = async (openapi: string, main: object) => {
    const file = join(folder, 'moved.yaml');
    const definition = { name: 'moved', openapi, baseUrl: api.origin, credentials: { main } };
    writeFileSync(file, stringify(definition));
    const [domain] = await loadDomains({ paths: [file], env: ENV });
    return domain!;
  };

  test.each([
    ['password', flows, names.password],
    ['client credentials', clients, names.client],
  ])('a document on this machine: a warning says where they go and what settles it (%s)', async (_, offered, main) => {
    writeFileSync(join(folder, 'moved.json'), JSON.stringify(documentOf(offered)));
    const { warnings } = await read('./moved.json', main);
    expect(warnings).toEqual([
      expect.stringMatching(
        /moved\.yaml:\d+:\d+ credentials\.main: SHOP_EMAIL and SHOP_PASSWORD go to https:\/\/id\.test, another origin than the API's, .*add tokenUrl: https:\/\/id\.test\/token here\.$/,
      ),
    ]);
    expect((await read('./moved.json', { ...main, tokenUrl: 'https://id.test/token' })).warnings).toEqual([]);
  });

  test.each([
    ['password', flows, names.password],
    ['client credentials', clients, names.client],
  ])(
    'a document from the network: they do not go there unless the file says tokenUrl (%s)',
    async (_, offered, main) => {
      const docs = await startRecorder((__, response) => {
        response.setHeader('content-type', 'application/json').end(JSON.stringify(documentOf(offered)));
      });
      const moved = await read(`${docs.origin}/openapi.json`, main);
      expect(moved.endpoints.map(({ path }) => path)).toEqual(['/open']);
      expect(moved.quarantined).toEqual([
        expect.objectContaining({ reason: expect.stringContaining('tokenUrl: https://id.test/token') }),
      ]);
      const settled = await read(`${docs.origin}/openapi.json`, { ...main, tokenUrl: 'https://id.test/token' });
      expect(settled.endpoints.map(({ path }) => path)).toEqual(['/items', '/open']);
      await docs.close();
    },
  );
});

test('HTTP Basic works without a password: the file names none, or an empty variable', async () => {
  const basic = { kind: 'basic', usernameEnv: 'KEY' };
  const none = await load(basic, {}, { KEY: 'sk_live' });
  const empty = await load({ ...basic, passwordEnv: 'PW' }, {}, { KEY: 'sk_live', PW: '' });
  for (const domain of [none, empty]) {
    expect(domain.warnings).toEqual([]);
    await call(domain);
    expect(requests.at(-1)!.headers.authorization).toBe(`Basic ${Buffer.from('sk_live:').toString('base64')}`);
  }
  const unset = await load({ ...basic, passwordEnv: 'PW' }, {}, { KEY: 'sk_live' });
  expect(unset.warnings.join()).toContain('PW is not set');
});
