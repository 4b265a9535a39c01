// Secrets from files: wherever a domain file names a variable, and by the X_FILE convention of containers.
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { startUpstream, type Upstream } from '../support/upstream.ts';
import { callTool, createWorkshop } from '../support/workshop.ts';

const { folder, write, open } = createWorkshop();
let api: Upstream;
beforeAll(async () => {
  api = await startUpstream(({ url, body }, response) => {
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify(/token|login/.test(url) ? { access_token: 'handed-out' } : { url, body }));
  });
  write('key', 'from-file\n');
  write('user', 'ann\r\n');
  write('password', 'pass word\n\n');
  write('empty', '\n');
  write('large', 'x'.repeat(64 * 1024 + 1));
});
afterAll(() => api.close());
beforeEach(() => {
  api.seen.length = 0;
});

const domain = (credentials: string, more = '') => `
name: shop
baseUrl: ${api.url}
${credentials}
${more}
endpoints:
  get_me: { summary: Tells who calls., method: GET, path: /me }
`;
const credential = (flow: string) => domain(`credentials:\n  key: ${flow}`);
const basicOf = (text: string) => `Basic ${Buffer.from(text).toString('base64')}`;

describe('a secret comes from a file', () => {
  test.each([
    ['apiKey', '{ kind: apiKey, field: X-Key, file: key }', 'x-key', 'from-file'],
    ['bearer', '{ kind: bearer, file: ./key }', 'authorization', 'Bearer from-file'],
    ['basic', '{ kind: basic, usernameFile: user, passwordFile: password }', 'authorization', basicOf('ann:pass word')],
    ['basic, mixed', '{ kind: basic, usernameEnv: WHO, passwordFile: key }', 'authorization', basicOf('bob:from-file')],
  ])('%s', async (_, flow, header, value) => {
    const gateway = await open(credential(flow), { WHO: 'bob' });
    expect(await callTool(gateway, 'shop_get_me')).toMatchObject({ isError: false });
    expect(api.seen[0]!.headers[header]).toBe(value);
  });

  test('oauth2', async () => {
    await callTool(
      await open(
        credential(`{ kind: oauth2, tokenUrl: '${api.url}/token', clientIdFile: user, clientSecretFile: key }`),
      ),
      'shop_get_me',
    );
    expect(api.seen[0]!.headers.authorization).toBe(basicOf('ann:from-file'));
    expect(api.seen[1]!.headers.authorization).toBe('Bearer handed-out');
  });

  test('the body of a login and a header, as file: in braces and through X_FILE', async () => {
    const login = `{ kind: login, path: /login, body: { user: '\${WHO}', password: '\${file:${folder}/password}' } }`;
    const yaml = domain(`credentials:\n  key: ${login}`, `headers: { X-Tenant-Key: '\${file:${folder}/key}' }`);
    await callTool(await open(yaml, { WHO_FILE: `${folder}/user` }), 'shop_get_me');
    expect(JSON.parse(api.seen[0]!.body)).toEqual({ user: 'ann', password: 'pass word' });
    expect(api.seen[1]!.headers).toMatchObject({ authorization: 'Bearer handed-out', 'x-tenant-key': 'from-file' });
  });

  test('a variable that is set wins over its file; an empty one does not', async () => {
    const yaml = credential('{ kind: bearer, env: SHOP_KEY }');
    for (const [env, token] of [
      [{ SHOP_KEY: 'set', SHOP_KEY_FILE: `${folder}/key` }, 'set'],
      [{ SHOP_KEY: '', SHOP_KEY_FILE: `${folder}/key` }, 'from-file'],
      [{ SHOP_KEY_FILE: `${folder}/key` }, 'from-file'],
    ] as const) {
      await callTool(await open(yaml, env), 'shop_get_me');
      expect(api.seen.at(-1)!.headers.authorization).toBe(`Bearer ${token}`);
    }
  });

  test('a security scheme of an imported document takes files too', async () => {
    write(
      'shop.json',
      JSON.stringify({
        openapi: '3.1.0',
        info: { title: 'Shop', version: '1' },
        components: { securitySchemes: { key: { type: 'apiKey', in: 'header', name: 'X-Key' } } },
        paths: { '/me': { get: { operationId: 'getMe', security: [{ key: [] }], responses: {} } } },
      }),
    );
    const gateway = await open(`
name: shop
openapi: shop.json
baseUrl: ${api.url}
credentials: { key: { file: key } }
`);
    await callTool(gateway, 'shop_get_me');
    expect(api.seen[0]!.headers['x-key']).toBe('from-file');
  });
});

describe('a file that gives nothing is an unset variable', () => {
  test.each([
    ['{ kind: bearer, file: nowhere }', `Provide file:${folder}/nowhere (it does not exist)`],
    ['{ kind: bearer, file: empty }', `Provide file:${folder}/empty (it is empty)`],
    ['{ kind: bearer, file: large }', `Provide file:${folder}/large (it is larger than 64 KB)`],
    ['{ kind: bearer, file: . }', `Provide file:${folder} (it is not a file)`],
    ['{ kind: bearer, env: SHOP_KEY }', `Provide SHOP_KEY (SHOP_KEY_FILE: ${folder}/gone does not exist)`],
  ])('%s', async (flow, words) => {
    const gateway = await open(credential(flow), { SHOP_KEY_FILE: `${folder}/gone` });
    expect(gateway.domains[0]!.warnings.join()).toContain(words.replace('Provide ', ''));
    const answer = await callTool(gateway, 'shop_get_me');
    expect(answer).toMatchObject({ isError: true });
    expect(answer.text).toContain(words);
    expect(api.seen).toEqual([]);
  });
});

test('what a file holds is taken out of answers', async () => {
  const echo = await startUpstream(({ headers }, response) => response.end(`you are ${headers.authorization}`));
  const yaml = credential('{ kind: bearer, file: key }').replace(api.url, echo.url);
  const answer = await callTool(await open(yaml), 'shop_get_me');
  await echo.close();
  expect(echo.seen[0]!.headers.authorization).toBe('Bearer from-file');
  expect(answer.text).not.toContain('from-file');
});

test.each([
  ['{ kind: bearer, env: A, file: key }', 'credentials.key.file: cannot be combined with env; keep one of them'],
  ['{ kind: bearer }', 'credentials.key.env: is missing: name the variable that holds it, or the file (file)'],
  ['{ kind: oauth2, tokenUrl: https://x.example, clientIdEnv: A }', 'or the file (clientSecretFile)'],
])('%s stops the start', async (flow, words) => {
  await expect(open(credential(flow))).rejects.toThrow(words);
});

test('a header that a file fills in is a secret, whatever it is called: neither a dry run nor an echo shows it', async () => {
  const echo = await startUpstream(({ headers }, response) =>
    response.end(`${headers['x-team']} ${headers['x-unit']}`),
  );
  const headers = `headers: { X-Team: '\${file:${folder}/key}', X-Unit: 'unit \${UNIT}' }`;
  const gateway = await open(domain('', headers).replace(api.url, echo.url), { UNIT_FILE: `${folder}/password` });
  const dry = await callTool(gateway, 'shop_get_me', { dry_run: true });
  const answer = await callTool(gateway, 'shop_get_me');
  await echo.close();
  expect(echo.seen[0]!.headers).toMatchObject({ 'x-team': 'from-file', 'x-unit': 'unit pass word' });
  expect(dry.text + answer.text).not.toMatch(/from-file|pass word/);
});

const login = (fields: string) => credential(`{ kind: login, path: /login, ${fields} }`);
test.each([
  [
    'a header',
    () => domain('', `headers: { X-Team: '\${file:key}' }`),
    'headers.X-Team: has ${file:key}, whose path must',
  ],
  [
    'a secret header',
    () => domain('', `headers: { X-Key: '\${file:./key}' }`),
    'headers.X-Key: has ${file:./key}, whose',
  ],
  [
    'one with a default',
    () => domain('', `headers: { X-Team: '\${file:key:-none}' }`),
    'has ${file:key}, whose path must',
  ],
  [
    'a password',
    () => login(`body: { password: '\${file:key}' }`),
    'credentials.key.body.password: has ${file:key}, whose',
  ],
  ['a base URL', () => domain('').replace(api.url, `'\${file:key}'`), 'has ${file:key}, whose path must be absolute'],
])('a relative path in braces stops the start: %s', async (_, yaml, words) => {
  await expect(open(yaml())).rejects.toThrow(words);
});

test('a path with a blank or a colon is a path', async () => {
  write('my key: one', 'from-file');
  const gateway = await open(domain('', `headers: { X-Team: '\${file:${folder}/my key: one}' }`));
  await callTool(gateway, 'shop_get_me');
  expect(api.seen[0]!.headers['x-team']).toBe('from-file');
});

test.each([
  "body: { user: '${principal.sub}' }",
  "headers: { X-U: '${principal.id}' }",
  "body: { u: ['${principal.sub}'] }",
])('a login cannot say who calls: %s', async (fields) => {
  await expect(open(login(fields))).rejects.toThrow('a login is the same for all callers');
});

test.each([
  ['{ kind: oauth2, tokenUrl: "http://id.example/t", clientIdEnv: A, clientSecretEnv: B }'],
  ['{ kind: token_exchange, tokenUrl: "http://id.example/t", clientIdEnv: A, clientSecretEnv: B, audience: a }'],
])('client id and secret that would go out in the clear stop the start: %s', async (flow) => {
  await expect(open(credential(flow))).rejects.toThrow('credentials.key.tokenUrl: must be an https URL');
});

test.each([
  ['with a line break in it', 'abc\r\nX-Evil: 1'],
  ['that is too long', 'x'.repeat(100_000)],
])('a token of a token URL %s is not blamed on a variable', async (_, access_token) => {
  const issuer = await startUpstream((_seen, response) => response.end(JSON.stringify({ access_token })));
  const flow = `{ kind: oauth2, tokenUrl: '${issuer.url}/token', clientIdFile: user, clientSecretFile: key }`;
  const { text } = await callTool(await open(credential(flow)), 'shop_get_me');
  await issuer.close();
  expect(text).toContain(`${issuer.url} answered with a token that a header cannot carry`);
  expect(api.seen).toEqual([]);
});
