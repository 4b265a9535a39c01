// Tokens under a path behind a real nginx that keeps its prefix or takes it off: clients find everything where they are told.

import { generateKeyPairSync } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  discoverOAuthProtectedResourceMetadata,
  extractWWWAuthenticateParams,
} from '@modelcontextprotocol/sdk/client/auth.js';
import { createRemoteJWKSet, jwtVerify } from 'jose';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Issuer, startIssuer } from '../../lab/attack/issuer.ts';
import { readRecords } from '../support/audit.ts';
import { type Served, serve } from '../support/cli.ts';
import { legacy, post } from '../support/mcp.ts';
import { HAS_NGINX, type Nginx, startNginx } from '../support/nginx.ts';
import { useRealHttp } from '../support/real-http.ts';
import { freePort } from '../support/redis.ts';
import { startUpstream, type Upstream } from '../support/upstream.ts';

useRealHttp();

const CALL = JSON.stringify(legacy(1, 'tools/call', { name: 'shop_list' }));
const HEADERS = `
      proxy_set_header Host $http_host;
      proxy_set_header X-Forwarded-For $proxy_add_x_forwarded_for;
      proxy_set_header X-Forwarded-Proto $scheme;`;

describe.skipIf(!HAS_NGINX).each([
  ['keeps', ''],
  ['takes off', '/'],
])('OAuth behind an nginx that %s its prefix', (_, tail) => {
  let folder: string;
  let issuer: Issuer;
  let upstream: Upstream;
  let server: Served;
  let nginx: Nginx;
  let mcp: string;

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'landbridge-oauth-nginx-'));
    issuer = await startIssuer();
    upstream = await startUpstream();
    const port = await freePort();
    nginx = await startNginx(`
  server {
    listen 127.0.0.1:$PORT;
    location /tools/ { proxy_pass http://127.0.0.1:${port}${tail}; ${HEADERS} }
    location /.well-known/oauth-protected-resource/tools/ { proxy_pass http://127.0.0.1:${port}; ${HEADERS} }
  }`);
    mcp = `${nginx.url}/tools/mcp`;
    const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    writeFileSync(join(folder, 'key.pem'), privateKey.export({ type: 'pkcs8', format: 'pem' }));
    writeFileSync(
      join(folder, 'shop.yaml'),
      `name: shop\nbaseUrl: ${upstream.url}\ncredentials: { caller: { kind: assertion } }\nendpoints: { list: { path: /things, summary: Lists. } }\n`,
    );
    writeFileSync(join(folder, 'profiles.yaml'), 'reader: { effects: [read] }\n');
    writeFileSync(
      join(folder, 'landbridge.yaml'),
      `domains: [shop.yaml]
publicUrl: ${nginx.url}/tools
trustedProxies: [127.0.0.1]
audit: { file: audit.jsonl }
assertions: { keys: [key.pem] }
auth: { oauth: [{ issuer: "${issuer.url}", scopes: { read: [api.read] } }] }
`,
    );
    server = await serve(['--port', String(port)], { cwd: folder });
  });
  afterAll(async () => {
    await server?.stop();
    await nginx?.close();
    await upstream?.close();
    await issuer?.close();
    rmSync(folder, { recursive: true, force: true });
  });

  test.each(['', '/reader'])(
    'the challenge of /mcp%s names metadata that exists, for the URL that was called',
    async (profile) => {
      const refused = await post(mcp + profile, CALL);
      expect(refused.status).toBe(401);
      const challenge = new Response(null, {
        headers: { 'www-authenticate': String(refused.headers['www-authenticate']) },
      });
      const { resourceMetadataUrl } = extractWWWAuthenticateParams(challenge);
      expect(resourceMetadataUrl?.origin).toBe(nginx.url);
      const told = await discoverOAuthProtectedResourceMetadata(mcp + profile, {
        resourceMetadataUrl: resourceMetadataUrl!,
      });
      expect(told).toMatchObject({ resource: mcp + profile, authorization_servers: [issuer.url] });
      // Without a challenge clients look at the root of the name (RFC 9728, 3.1).
      expect(await discoverOAuthProtectedResourceMetadata(mcp + profile)).toEqual(told);
    },
  );

  test('a token for the public URL is accepted, the audit record has the caller’s address, and the API finds the keys', async () => {
    const token = await issuer.mint(mcp);
    const headers = { authorization: `Bearer ${token}`, 'x-forwarded-for': '203.0.113.9' };
    expect((await post(mcp, CALL, headers)).status).toBe(200);
    const record = readRecords(join(folder, 'audit.jsonl')).find(({ kind }) => kind === 'call');
    expect(record).toMatchObject({ remote: '203.0.113.9' });
    const assertion = upstream.seen[0]!.headers.authorization!.replace('Bearer ', '');
    const keys = createRemoteJWKSet(new URL(`${nginx.url}/tools/.well-known/jwks.json`));
    await jwtVerify(assertion, keys, { issuer: `${nginx.url}/tools`, audience: upstream.url });
  });

  test('a token for the address behind the proxy is refused', async () => {
    const token = await issuer.mint(server.http);
    expect((await post(mcp, CALL, { authorization: `Bearer ${token}` })).status).toBe(401);
  });
});
