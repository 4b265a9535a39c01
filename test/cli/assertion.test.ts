// `landbridge serve` with keys for assertions: published, used, and never a start without the key a domain needs.
import { generateKeyPairSync } from 'node:crypto';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createRemoteJWKSet, jwtVerify } from 'jose';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { run, type Served, serve } from '../support/cli.ts';
import { headersOf, modern, post } from '../support/mcp.ts';
import { useRealHttp } from '../support/real-http.ts';
import { startUpstream, type Upstream } from '../support/upstream.ts';

useRealHttp();

const $ = '$';
let folder: string;
let api: Upstream;
let served: Served | undefined;
beforeAll(async () => {
  api = await startUpstream();
});
beforeEach(() => {
  api.seen.length = 0;
  folder = mkdtempSync(join(tmpdir(), 'landbridge-serve-'));
  mkdirSync(join(folder, 'domains'));
});
afterEach(async () => {
  await served?.stop();
  served = undefined;
  rmSync(folder, { recursive: true, force: true });
});
afterAll(() => api.close());

function write(config: string, credential = 'kind: assertion'): void {
  writeFileSync(join(folder, 'landbridge.yaml'), config);
  const headers = `headers: { X-User: "${$}{principal.id}" }`;
  const endpoints = 'endpoints: { get_it: { path: /it, summary: Gets it. } }';
  const file = `name: shop\nbaseUrl: "${api.url}"\ncredentials: { caller: { ${credential} } }\n${headers}\n${endpoints}\n`;
  writeFileSync(join(folder, 'domains', 'shop.yaml'), file);
}

function writeKey(name: string, modulusLength = 2048): void {
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength });
  writeFileSync(join(folder, name), privateKey.export({ type: 'pkcs8', format: 'pem' }));
}

const CONFIG = 'publicUrl: https://mcp.test\nassertions: { keys: [./key.pem] }\n';

test('an API verifies assertions with the published keys; serve and explain announce them', async () => {
  writeKey('key.pem');
  write(CONFIG);
  served = await serve([], { cwd: folder });
  const message = modern(1, 'tools/call', { name: 'shop_get_it', arguments: {} });
  await post(served.http, JSON.stringify(message), headersOf(message));
  const jwks = createRemoteJWKSet(new URL('/.well-known/jwks.json', served.http));
  const jwt = api.seen[0]!.headers.authorization!.replace('Bearer ', '');
  const { payload } = await jwtVerify(jwt, jwks, { issuer: 'https://mcp.test', audience: api.url });
  expect([payload.sub, api.seen[0]!.headers['x-user']]).toEqual(['anonymous', 'anonymous']);

  const { stdout } = await run(['explain', 'shop_get_it'], { cwd: folder });
  expect(stdout).toContain('caller: sent as Authorization: Bearer …, a JWT about the caller, signed by this gateway');
  expect(stdout).toContain(`x-user: ${$}{principal.id}`);
});

test('a domain that needs assertions is not served without a signing key', async () => {
  write('publicUrl: https://mcp.test\n');
  const { code, stderr } = await run(['serve', '--port', '0'], { cwd: folder });
  expect(code).not.toBe(0);
  expect(stderr).toContain('Domain "shop" signs assertions about the caller, but no signing key is set.');
});

test.each<[string, () => void, string]>([
  ['is not there', () => write(CONFIG), 'key.pem does not exist'],
  [
    'is weak',
    () => {
      writeKey('key.pem', 1024);
      write(CONFIG);
    },
    'RSA key of 1024 bits, which is too weak',
  ],
  [
    'has no issuer',
    () => {
      writeKey('key.pem');
      write('assertions: { keys: [./key.pem] }\n');
    },
    'assertions.issuer is missing',
  ],
])('a signing key that %s stops the start with an explanation', async (_, prepare, words) => {
  prepare();
  const { code, stderr } = await run(['serve', '--port', '0'], { cwd: folder });
  expect(code).not.toBe(0);
  expect(stderr).toContain(words);
});
