// What a start says about credentials: which are sent where, and which other ways there are.
import { expect, test } from 'vitest';
import { PROCESS_IO } from '../../src/cli/io.ts';
import { load } from '../../src/cli/open-gateway.ts';
import { listCredentials } from '../../src/cli/serve/credential-lines.ts';
import { readConfig } from '../../src/config/read-config.ts';
import { importValue, openapi } from '../openapi/support.ts';
import { shopDomain } from '../support/callers.ts';
import { createWorkshop } from '../support/workshop.ts';

const { write } = createWorkshop();

const document = (security: unknown) =>
  openapi(
    { '/a': { get: {} }, '/b': { get: {} } },
    {
      components: {
        securitySchemes: {
          key: { type: 'apiKey', in: 'header', name: 'X-Key' },
          login: { type: 'oauth2', flows: { password: { tokenUrl: 'https://id.example.com/token', scopes: {} } } },
        },
      },
      security,
    },
  );
const lines = async (security: unknown, env: Record<string, string> = {}) =>
  listCredentials([await importValue(document(security), { env })]);

test('what is set, to which origin, and every other way with its state', async () => {
  const security = [{ key: [] }, { login: [] }];
  const login = 'LANDBRIDGE_CRED_TEST_LOGIN';
  expect(await lines(security, { LANDBRIDGE_CRED_TEST_KEY: 'x' })).toEqual([
    'LANDBRIDGE_CRED_TEST_KEY → https://api.example.com',
    `or ${login}_USERNAME and ${login}_PASSWORD → https://id.example.com (not set, and not needed)`,
    `or ${login} → https://api.example.com (not set, and not needed)`,
  ]);
  expect(await lines(security, { [`${login}_USERNAME`]: 'u', [`${login}_PASSWORD`]: 'p' })).toEqual([
    `${login}_USERNAME → https://id.example.com`,
    `${login}_PASSWORD → https://id.example.com`,
    'or LANDBRIDGE_CRED_TEST_KEY → https://api.example.com (not set, and not needed)',
    `or ${login} → https://api.example.com (not set, and not needed)`,
  ]);
});

test('what is neither set nor needed is not listed; where none is set, the warning of the import names them all', async () => {
  expect(await lines([{ key: [] }, {}])).toEqual([]);
  expect(await lines([{ key: [] }, { login: [] }, {}], { LANDBRIDGE_CRED_TEST_KEY: 'x' })).toEqual([
    'LANDBRIDGE_CRED_TEST_KEY → https://api.example.com',
  ]);
  expect(await lines([{ key: [] }])).toEqual([]);
});

test('what APIs are told of callers, and never a token', () => {
  const $ = '$';
  const domain = shopDomain(
    'https://shop.test/v1',
    {
      headers: { 'X-User': `${$}{principal.sub}` },
      forward: ['X-Tenant'],
      credentials: {
        user: {
          kind: 'token_exchange',
          tokenUrl: 'https://id.test/token',
          clientIdEnv: 'A',
          clientSecretEnv: 'B',
          audience: 'x',
        },
        caller: { kind: 'assertion', header: 'X-Caller' },
      },
      security: [['user', 'caller']],
    },
    { A: 'client', B: 'client-secret' },
  );
  expect(listCredentials([domain])).toEqual([
    `x-user: ${$}{principal.sub} → https://shop.test`,
    "x-tenant of the caller's request → https://shop.test",
    "the caller's token → https://id.test, exchanged for one of the caller's for https://shop.test",
    'A → https://id.test',
    'B → https://id.test',
    'X-Caller: assertion about the caller → https://shop.test',
  ]);
});

test('where tokens of two issuers are accepted, what both may say of two people is warned of', async () => {
  const $ = '$';
  const warningsFor = async (header: string, issuers: number) => {
    const endpoints = 'endpoints: { get_it: { summary: Gets it., path: /it } }';
    write('shop.yaml', `name: shop\nbaseUrl: https://shop.test\nheaders: { X-User: "${header}" }\n${endpoints}\n`);
    const entries = Array.from({ length: issuers }, (_, index) => `{ issuer: "https://id${index}.test" }`);
    const config = write('landbridge.yaml', `domains: [shop.yaml]\nauth: { oauth: [${entries.join()}] }\n`);
    const { domains, close } = await load(PROCESS_IO, readConfig({ config }, {}));
    await close();
    return domains.flatMap(({ warnings }) => warnings).join();
  };
  const sub = `${$}{principal.sub}`;
  expect(await warningsFor(sub, 2)).toContain(`shop: ${sub} may be the same for callers of two issuers`);
  expect(await warningsFor(sub, 1)).toBe('');
  expect(await warningsFor(`${$}{principal.id}`, 2)).toBe('');
  expect(await warningsFor(`${$}{principal.claims.iss} ${sub}`, 2)).toBe('');
});
