// A document with a password flow, as a person meets it: imported, or called as it is, with two variables set.

import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { run } from '../support/cli.ts';
import { useRealHttp } from '../support/real-http.ts';
import { type Recorded, type Recorder, startRecorder } from '../support/recorder.ts';

useRealHttp();

/** As FastAPI writes it: no servers, a token URL that counts from where the document was. */
const DOCUMENT = {
  openapi: '3.1.0',
  info: { title: 'Shop', version: '0.1.0' },
  paths: {
    '/token': {
      post: {
        operationId: 'login_token_post',
        requestBody: {
          required: true,
          content: {
            'application/x-www-form-urlencoded': {
              schema: {
                type: 'object',
                required: ['username', 'password'],
                properties: { username: { type: 'string' }, password: { type: 'string' } },
              },
            },
          },
        },
        responses: { 200: { description: 'ok' } },
      },
    },
    '/items': {
      get: {
        operationId: 'list_items_items_get',
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

const folder = mkdtempSync(join(tmpdir(), 'login-cli-'));
const requests: Recorded[] = [];
let api: Recorder;
beforeAll(async () => {
  api = await startRecorder((request, response) => {
    requests.push(request);
    const say = (status: number, value: unknown) =>
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(value));
    if (request.url === '/openapi.json') return void say(200, DOCUMENT);
    if (request.url === '/token') {
      const isRight = new URLSearchParams(String(request.body)).get('password') === 'correct horse';
      return void (isRight
        ? say(200, { access_token: 'issued-token', token_type: 'bearer' })
        : say(401, { detail: 'Incorrect username or password' }));
    }
    const isIn = request.headers.authorization === 'Bearer issued-token';
    return void (isIn ? say(200, [{ id: 1 }]) : say(401, { detail: 'Not authenticated' }));
  });
});
beforeEach(() => {
  requests.length = 0;
});
afterAll(async () => {
  await api.close();
  rmSync(folder, { recursive: true, force: true });
});

const VARIABLE = 'SHOP_OAUTH2_PASSWORD_BEARER';
const account = (prefix: string, password = 'correct horse') => ({
  [`${prefix}${VARIABLE}_USERNAME`]: 'ann',
  [`${prefix}${VARIABLE}_PASSWORD`]: password,
});

test('a login is used as the document describes it; variables that are missing are named', async () => {
  const document = `${api.origin}/openapi.json`;
  const call = (env: Record<string, string>, tool = 'list_items', ...args: string[]) =>
    run(['call', '--domains', document, tool, ...args], { cwd: folder, env });
  const without = await call({});
  expect(without.stderr).toContain(
    `Set LANDBRIDGE_CRED_${VARIABLE}_USERNAME and LANDBRIDGE_CRED_${VARIABLE}_PASSWORD, or LANDBRIDGE_CRED_${VARIABLE} in the environment of the gateway (it goes to ${api.origin})`,
  );
  const served = await call(account('LANDBRIDGE_CRED_'));
  expect([served.code, served.stdout.trim()]).toEqual([0, '[{"id":1}]']);
  expect(served.stderr).toContain(`credential LANDBRIDGE_CRED_${VARIABLE}_USERNAME → ${api.origin}`);
  const wrong = await call(account('LANDBRIDGE_CRED_', 'battery staple'));
  expect(wrong.stderr).toContain('(401 Incorrect username or password). The call was not made. Check LANDBRIDGE_CRED_');
  expect(wrong.stdout + wrong.stderr).not.toContain('battery staple');
  // The login as a tool of its own: its arguments are what is wrong.
  const login = await call({}, 'login', 'username=ann', 'password=nope');
  expect(login.stderr).toContain('The API does not accept this login: check username and password');
  expect(login.stderr).not.toContain('Changing the arguments will not help');
});

test('import says so and writes the login into the domain file, which then works', async () => {
  const { stdout } = await run(['import', `${api.origin}/openapi.json`, '--name', 'shop'], { cwd: folder });
  expect(stdout).toContain(`${VARIABLE}_USERNAME and ${VARIABLE}_PASSWORD (`);
  const file = readFileSync(join(folder, 'domains', 'shop.yaml'), 'utf8');
  expect(file).toContain('  "OAuth2PasswordBearer":\n    kind: login\n    path: "/token"\n');
  const { code, stdout: answer } = await run(['call', 'list_items', '--domains', 'domains'], {
    cwd: folder,
    env: account(''),
  });
  expect([code, answer.trim()]).toEqual([0, '[{"id":1}]']);
  expect(requests.at(-2)).toMatchObject({ method: 'POST', url: '/token' });
});
