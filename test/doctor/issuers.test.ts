// doctor --online asks each authorization server of landbridge.yaml for what tokens are checked with: one line for each.
import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  type AuthorizationServer,
  RESOURCE_CLIENT,
  startAuthorizationServer,
} from '../support/authorization-server.ts';
import { run } from '../support/cli.ts';
import { startConnectProxy } from '../support/connect-proxy.ts';
import { type Recorder, startRecorder } from '../support/recorder.ts';
import { createWorkshop } from '../support/workshop.ts';

const { write, folder } = createWorkshop();
const ENV = { IDP_ID: RESOURCE_CLIENT.id, IDP_SECRET: RESOURCE_CLIENT.secret, WRONG: 'not-the-secret' };
const asking = (secret: string) => `introspection: { clientIdEnv: IDP_ID, clientSecretEnv: ${secret} }`;
let server: AuthorizationServer;
let other: Recorder;
beforeAll(async () => {
  server = await startAuthorizationServer('opaque', ['pets.read']);
  other = await startRecorder(({ url }, response) => {
    const metadata = { issuer: `${other.origin}/other`, jwks_uri: `${other.origin}/jwks` };
    const answer = url === '/jwks' ? { keys: [] } : url === '/yes' ? { active: true } : metadata;
    response.end(JSON.stringify(answer));
  });
});
afterAll(async () => {
  await server.close();
  await other.close();
});

async function ask(entry: string, env: Record<string, string> = {}) {
  write('shop.yaml', 'name: shop\nbaseUrl: http://127.0.0.1:9\nendpoints: {}\n');
  write('landbridge.yaml', `domains: [shop.yaml]\nauth:\n  oauth:\n    - { ${entry} }\n`);
  const { code, stdout, stderr } = await run(['doctor', '--online', '--json'], {
    cwd: folder,
    env: { ...ENV, ...env },
  });
  for (const secret of [ENV.IDP_SECRET, ENV.WRONG]) expect(stdout + stderr).not.toContain(secret);
  const { findings } = JSON.parse(stdout) as { findings: { check: string; severity: string; message: string }[] };
  const lines = findings.filter(({ check }) => check === 'issuers');
  expect(lines).toHaveLength(1);
  return { code, ...lines[0]! };
}

test('available metadata, keys and introspection are reported, and nothing fails', async () => {
  expect(await ask(`issuer: "${server.issuer}", ${asking('IDP_SECRET')}`)).toMatchObject({
    code: 0,
    severity: 'note',
    message: 'metadata and 1 key; introspection answers our client',
  });
});

test.each([
  ['a wrong client secret', () => `issuer: "${server.issuer}", ${asking('WRONG')}`, 'refused our client id and secret'],
  ['a secret that is not set', () => `issuer: "${server.issuer}", ${asking('UNSET')}`, 'variable UNSET is not set'],
  ['a server that is away', () => 'issuer: "http://127.0.0.1:9"', 'it could not be reached: '],
  ['metadata of another issuer', () => `issuer: "${other.origin}"`, 'its metadata names another issuer'],
  ['no keys', () => `issuer: "${other.origin}/other"`, 'it publishes no keys'],
  [
    'an endpoint that says yes to everything',
    () => `issuer: "${server.issuer}", ${asking('IDP_SECRET').replace('{', `{ url: "${other.origin}/yes",`)}`,
    'its introspection endpoint accepts a made-up token',
  ],
])('%s makes the doctor fail with a sentence', async (_, entry, words) => {
  const { code, severity, message } = await ask(entry());
  expect({ code, severity }).toEqual({ code: 1, severity: 'error' });
  expect(message).toContain(words);
});

test('the doctor warns of a scope that looks mistyped, and of a proxy without a public URL', async () => {
  write('shop.yaml', 'name: shop\nbaseUrl: http://127.0.0.1:9\nendpoints: {}\n');
  const issuer = `issuer: "${server.issuer}", scopes: { read: [board.read], destructive: [board.admin] }, implies: { bord.admin: [board.read] }`;
  write('landbridge.yaml', `domains: [shop.yaml]\ntrustedProxies: [127.0.0.1]\nauth:\n  oauth:\n    - { ${issuer} }\n`);
  const scope = 'implies: no effect and no profile names the scope "bord.admin"; did you mean "board.admin"?';
  const address = 'OAuth clients behind the proxy (trustedProxies) are sent to the address of this machine';
  const { stdout } = await run(['doctor', '--online'], { cwd: folder, env: ENV });
  expect(stdout).toContain(`${server.issuer}: ${scope}`);
  expect(stdout).toContain(address);
  const { code, stderr } = await run(['config'], { cwd: folder, env: ENV });
  expect(code).toBe(0);
  expect(stderr).toContain(`Warning: auth.oauth[0].${scope}\n`);
  expect(stderr).toContain(`Warning: ${address}`);
  const named = await run(['config', '--public-url', 'https://mcp.example.com'], { cwd: folder, env: ENV });
  expect(named.stderr).not.toContain(address);
});

test("the doctor uses the gateway's proxy for issuers", async () => {
  const proxy = await startConnectProxy();
  try {
    expect((await ask('issuer: "https://id.example"', { HTTPS_PROXY: proxy.url })).code).toBe(1);
    expect(proxy.seen).toContain('CONNECT id.example:443');
  } finally {
    await proxy.close();
  }
});
