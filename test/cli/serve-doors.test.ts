// The doors of `landbridge serve`, by configuration: TLS, certificates and keys over HTTP and TCP, and what is said of them.

import { createHash, randomBytes } from 'node:crypto';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { Agent, request as httpsRequest } from 'node:https';
import { connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect as connectTls } from 'node:tls';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { type CertificateFactory, createCertificates, type Pair } from '../support/certificates.ts';
import { run, type Served, serve } from '../support/cli.ts';
import { legacy } from '../support/mcp.ts';
import { useRealHttp } from '../support/real-http.ts';
import { until } from '../support/until.ts';

useRealHttp();

let folder: string;
let certificates: CertificateFactory;
let ca: string;
let batch: Pair;
let stranger: Pair;
let running: Served | undefined;
const key = randomBytes(32).toString('base64url');
const reader = randomBytes(32).toString('base64url');
const hashOf = (text: string) => createHash('sha256').update(text).digest('hex');
const AUTH = `auth:
  keys:
    - { name: ci, sha256: ${hashOf(key)} }
    - { name: reader, sha256: ${hashOf(reader)}, effects: [read] }
    - { name: elsewhere, sha256: ${hashOf('elsewhere-'.repeat(4))}, profiles: [other] }
`;
const TLS = 'tls: { cert: server.crt, key: server.key, clientCa: clients.crt }\n';

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'landbridge-doors-'));
  certificates = createCertificates();
  ca = certificates.authority('server-ca').cert;
  const pair = certificates.issue('server-ca', '/CN=gateway', { san: 'IP:127.0.0.1', usage: 'serverAuth' });
  writeFileSync(join(folder, 'server.crt'), pair.cert);
  writeFileSync(join(folder, 'server.key'), pair.key);
  writeFileSync(join(folder, 'clients.crt'), certificates.authority('client-ca').cert);
  batch = certificates.issue('client-ca', '/CN=batch-1');
  stranger = certificates.issue('client-ca', '/CN=stranger');
  writeFileSync(join(folder, 'profiles.yaml'), 'other: {}\n');
  mkdirSync(join(folder, 'domains'));
  writeFileSync(
    join(folder, 'domains', 'pets.yaml'),
    'name: pets\nbaseUrl: http://127.0.0.1:9\nendpoints:\n  list: { path: /pets, summary: Lists. }\n  remove: { method: DELETE, path: /pets, summary: Removes. }\n',
  );
});
afterEach(async () => {
  await running?.stop();
  running = undefined;
});
afterAll(() => {
  certificates.remove();
  rmSync(folder, { recursive: true, force: true });
});

async function start(yaml: string, ...flags: string[]): Promise<Served> {
  writeFileSync(join(folder, 'landbridge.yaml'), yaml);
  running = await serve(flags, { cwd: folder });
  return running;
}

const list = JSON.stringify(legacy(1, 'tools/list'));

/** Everything that comes back for these lines, until one line is there or the connection ends. */
async function talk(socket: Socket, text: string): Promise<string> {
  let answer = '';
  socket.on('error', () => {});
  socket.on('data', (chunk) => {
    answer += String(chunk);
  });
  const closed = new Promise<void>((resolve) => socket.once('close', () => resolve()));
  socket.write(text);
  await until(() => answer.includes('\n') || socket.destroyed);
  socket.destroy();
  await closed;
  return answer;
}

const portOf = (address: string) => Number(address.split(':').at(-1));
const plain = (address: string) => connect(portOf(address), '127.0.0.1');
const secure = (address: string, pair?: Pair) => connectTls({ port: portOf(address), host: '127.0.0.1', ca, ...pair });

function postTls(
  url: string,
  pair: Pair | undefined,
  headers: Record<string, string> = {},
  agent = new Agent({ ca, ...pair }),
) {
  return new Promise<{ status: number; body: string }>((resolve, reject) => {
    const options = { method: 'POST', agent, headers: { 'content-type': 'application/json', ...headers } };
    const request = httpsRequest(url, options, (response) => {
      let body = '';
      response.on('data', (chunk) => {
        body += String(chunk);
      });
      response.on('end', () => resolve({ status: response.statusCode ?? 0, body }));
    });
    request.on('error', reject);
    request.end(list);
  });
}

test('the counts of calls that limits refused are logged at the end', async () => {
  const { tcp, log } = await start(`${AUTH}limits: { perPrincipal: { rate: 1/hour } }\n`, '--tcp', '0');
  const calling = JSON.stringify(legacy(1, 'tools/call', { name: 'pets_list', arguments: {} }));
  for (let round = 0; round < 3; round++) await talk(plain(tcp), `AUTH ${key}\n${calling}\n`);
  await running!.stop();
  const last = log()
    .split('\n')
    .find((line) => line.includes('"msg":"stopping"'));
  expect(JSON.parse(last ?? '{}')).toMatchObject({ limited: { principalRate: 2 } });
});

describe('raw TCP with authentication', () => {
  test('needs the key line, on loopback too, and serves each caller what it may use', async () => {
    const { tcp, log } = await start(AUTH, '--tcp', '0');
    expect(await talk(plain(tcp), `${list}\n`)).toContain('AUTH <key or access token>');
    for (let round = 0; round < 2; round++)
      expect(await talk(plain(tcp), `AUTH wrong\n${list}\n`)).toContain('Unauthorized: this key or token is not known');
    expect(await talk(plain(tcp), `AUTH ${'elsewhere-'.repeat(4)}\n${list}\n`)).toContain('Forbidden');
    const all = await talk(plain(tcp), `AUTH ${key}\n${list}\n`);
    const reads = await talk(plain(tcp), `AUTH ${reader}\n${list}\n`);
    expect([all, reads].map((text) => text.includes('"destructiveHint":true'))).toEqual([true, false]);
    await running!.stop();
    const lines = log()
      .split('\n')
      .flatMap((line) => (line.startsWith('{') ? [JSON.parse(line) as Record<string, unknown>] : []));
    expect(lines.filter(({ msg }) => msg === 'refused')).toMatchObject([
      { reason: 'unauthorized', remote: '127.0.0.1', transport: 'tcp', why: 'no AUTH line' },
      { reason: 'unauthorized', remote: '127.0.0.1', transport: 'tcp', why: 'unknown key or token' },
      { reason: 'forbidden', remote: '127.0.0.1', principal: 'key:elsewhere', why: 'profile not allowed' },
    ]);
    expect(lines.find(({ msg }) => msg === 'refused more')).toMatchObject({ reason: 'unauthorized', count: 1 });
    expect(lines.find(({ msg }) => msg === 'stopping')).toMatchObject({ refused: { unauthorized: 3, forbidden: 1 } });
    expect(log()).not.toContain(key);
    expect(log()).not.toContain('wrong');
  });

  test('serves the profile of --profile to callers who may use it', async () => {
    const { tcp } = await start(AUTH, '--tcp', '0', '--profile', 'other');
    expect(await talk(plain(tcp), `AUTH ${'elsewhere-'.repeat(4)}\n${list}\n`)).toContain('"tools"');
  });

  test('may listen on all interfaces, and warns that keys are readable without TLS', async () => {
    const { log } = await start(AUTH, '--tcp', '0', '--host', '0.0.0.0');
    await until(() => log().includes('The TCP port has no TLS'));
  });
});

describe('TLS', () => {
  test('covers both ports, and callers are identified by certificate or key', async () => {
    const yaml = `${AUTH}  certificates: [{ subject: 'batch-*', effects: [read] }]\n${TLS}`;
    const { http, tcp } = await start(yaml, '--tcp', '0');
    expect(http).toMatch(/^https:/);
    for (const [pair, bearer, status] of [
      [batch, undefined, 200],
      [undefined, key, 200],
      [undefined, undefined, 401],
      [stranger, undefined, 403],
      [stranger, key, 403],
      [batch, 'wrong', 401],
    ] as const) {
      const headers: Record<string, string> = bearer === undefined ? {} : { authorization: `Bearer ${bearer}` };
      expect((await postTls(http, pair, headers)).status).toBe(status);
    }
    expect((await postTls(http, batch)).body).not.toContain('"destructiveHint":true');
    expect(await talk(secure(tcp, batch), `${list}\n`)).toContain('"tools"');
    expect(await talk(secure(tcp), `AUTH ${key}\n${list}\n`)).toContain('"destructiveHint":true');
    expect(await talk(secure(tcp, stranger), `AUTH ${key}\n${list}\n`)).toContain('no entry of auth.certificates');
  });

  test('by flags with client certificates counts as authentication on all interfaces', async () => {
    const files = ['--tls-cert', 'server.crt', '--tls-key', 'server.key', '--tls-client-ca', 'clients.crt'];
    const { http, tcp } = await start('', '--tcp', '0', '--host', '0.0.0.0', ...files);
    const local = http.replace('0.0.0.0', '127.0.0.1');
    expect((await postTls(local, batch)).status).toBe(200);
    expect((await postTls(local, undefined)).status).toBe(401);
    expect(await talk(secure(tcp), `AUTH ${key}\n`)).toContain('connect with a client certificate');
  });

  test('reuses a connection for several requests', async () => {
    const { http } = await start(`${AUTH}${TLS}`);
    const agent = new Agent({ ca, keepAlive: true, maxSockets: 1 });
    for (let i = 0; i < 100; i++) {
      const { status } = await postTls(http, undefined, { authorization: `Bearer ${key}` }, agent);
      expect(status).toBe(200);
    }
    agent.destroy();
  });
});

describe('serve refuses to start', () => {
  test.each([
    [
      'on all interfaces without authentication',
      '',
      ['--tcp', '0', '--no-http', '--host', '0.0.0.0'],
      'Refusing to listen',
    ],
    [
      'on all interfaces with TLS but without authentication',
      'tls: { cert: server.crt, key: server.key }\n',
      ['--host', '0.0.0.0'],
      'Refusing',
    ],
    ['where a file of TLS is missing', 'tls: { cert: none.crt, key: server.key }\n', [], 'tls.cert'],
    [
      'where the key is not the certificate’s',
      'tls: { cert: clients.crt, key: server.key }\n',
      [],
      'is not the key of the certificate',
    ],
    ['with half of TLS', '', ['--tls-cert', 'server.crt'], '--tls-key'],
    ['with rules for certificates nobody signs', "auth: { certificates: [{ subject: '*' }] }\n", [], 'tls.clientCa'],
    ['with a rule that names no certificate', `auth: { certificates: [{ name: x }] }\n${TLS}`, [], 'subject or san'],
    ['with a rule for no profile', `auth: { certificates: [{ san: x, profiles: [ohter] }] }\n${TLS}`, [], 'other'],
    ['with a proxy range that is none', '', ['--trusted-proxy', '10.0.0.0/99'], 'trusted'],
  ])('%s', async (_, yaml, flags, words) => {
    writeFileSync(join(folder, 'landbridge.yaml'), yaml);
    const { code, stderr } = await run(['serve', '--port', '0', ...flags], { cwd: folder });
    expect([code !== 0, stderr]).toEqual([true, expect.stringContaining(words)]);
  });
});

test('listening on all interfaces without authentication is announced and logged', async () => {
  writeFileSync(join(folder, 'landbridge.yaml'), '');
  const { log } = await start('', '--tcp', '0', '--no-http', '--host', '0.0.0.0', '--allow-unauthenticated');
  await until(() => log().includes('No authentication'));
});
