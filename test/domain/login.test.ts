// biome-ignore-all lint/suspicious/noTemplateCurlyInString: that is what domain files write
// Domain files that log in: a few lines of YAML, against servers that answer as Directus, FastAPI and a session API do.
import '../support/real-http.ts';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { stringify } from 'yaml';
import { loadDomains } from '../../src/domain/load.ts';
import type { Domain } from '../../src/endpoint/model.ts';
import { createGateway } from '../../src/gateway.ts';
import { type Recorded, type Recorder, startRecorder } from '../support/recorder.ts';

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
    credentials: { session: { kind: 'login', ...credential } },
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

const DIRECTUS = { path: '/auth/login', body: { email: '${SHOP_EMAIL}', password: '${SHOP_PASSWORD}' } };
const FASTAPI = { path: '/token', form: { username: '${SHOP_EMAIL}', password: '${SHOP_PASSWORD}' } };
const SESSION = { ...DIRECTUS, path: '/session', send: 'cookies' };

describe('a few lines are enough', () => {
  test.each([
    ['Directus', DIRECTUS],
    ['FastAPI', FASTAPI],
    ['a session', SESSION],
  ])('%s', async (_, credential) => {
    const domain = await load(credential);
    expect(await call(domain)).toEqual({ isError: false, text: '{"data":[]}' });
    expect(await call(domain, 'shop_add_item', { name: 'Chair' })).toEqual({ isError: false, text: '{"data":[]}' });
  });

  test('a path counts from the base URL, a URL may be elsewhere', async () => {
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

  test('headers of the domain go with its login', async () => {
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

test('unset variables are named at start and in the call, and nothing is sent', async () => {
  const domain = await load(DIRECTUS, {}, { SHOP_EMAIL: 'ann@shop.test' });
  expect(domain.warnings).toEqual([
    'The environment variable SHOP_PASSWORD is not set; calls that need it will be refused.',
  ]);
  expect((await call(domain)).text).toContain('Set SHOP_PASSWORD in the environment');
  expect(requests).toHaveLength(0);
});

describe('mistakes stop the start with their field', () => {
  test.each([
    ['no address', { body: {} }, /credentials\.session\.path is missing/],
    ['two addresses', { ...DIRECTUS, url: 'https://x.test' }, /credentials\.session\.url stands beside path/],
    ['an address that is none', { url: 'auth/login', body: {} }, /credentials\.session\.url must be an absolute/],
    [
      'an unset variable in the address',
      { url: '${NOWHERE}/x' },
      /credentials\.session\.url needs the environment variable NOWHERE/,
    ],
    ['body and form', { ...DIRECTUS, form: {} }, /credentials\.session\.form stands beside body/],
    ['a body of a GET', { ...DIRECTUS, method: 'GET' }, /credentials\.session\.method is GET/],
    [
      'another method',
      { ...DIRECTUS, method: 'DELETE' },
      /credentials\.session\.method must be GET, POST, PUT or PATCH/,
    ],
    [
      'a secret in the file',
      { path: '/x', body: { user: { passWord: 'hunter2' } } },
      /credentials\.session\.body\.user\.passWord is a secret by its name/,
    ],
    [
      'a header nobody may set',
      { ...DIRECTUS, headers: { Host: 'x' } },
      /credentials\.session\.headers Host is written by the HTTP client/,
    ],
    [
      'cookies of another origin',
      { ...SESSION, path: undefined, url: 'https://id.test/login' },
      /credentials\.session\.send cookies stay at the origin/,
    ],
    [
      'a way to send that is none',
      { ...DIRECTUS, send: 'cookie' },
      /credentials\.session\.send must be one of "bearer", "cookies"/,
    ],
    ['an unknown field', { ...DIRECTUS, tokn: 'x' }, /credentials\.session\.tokn .*did you mean "token"/],
  ])('%s', async (_, credential, want) => {
    await expect(load(JSON.parse(JSON.stringify(credential)) as object)).rejects.toThrow(want);
  });
});
