// Who calls over raw TCP: TLS, client certificates, and the key line. Judged by what reached the API.

import { connect, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { createGateway, type Gateway } from '../../src/gateway.ts';
import { type CertificateRule, createCertificateCheck } from '../../src/identity/certificates.ts';
import type { TcpIdentify, TcpOptions, TcpServer } from '../../src/transport/lines/tcp.ts';
import { createRefusals } from '../../src/transport/refusals.ts';
import { type CertificateFactory, createCertificates, type Pair } from '../support/certificates.ts';
import { listenTcp } from '../support/lines.ts';
import { legacy, modern } from '../support/mcp.ts';
import { petsDomain } from '../support/pets.ts';
import { useRealHttp } from '../support/real-http.ts';
import { until } from '../support/until.ts';
import { startUpstream, type Upstream } from '../support/upstream.ts';

useRealHttp();

let upstream: Upstream;
let gateway: Gateway;
let calls: string[] = [];
let records: { principal: string; remote: string | undefined }[] = [];
let refused: Record<string, unknown>[] = [];
const servers: TcpServer[] = [];
let certificates: CertificateFactory;
let server: Pair;
let clientCa: string;

beforeAll(async () => {
  upstream = await startUpstream(({ method, url }, response) => {
    calls.push(`${method} ${url}`);
    response.end('[]');
  });
  gateway = createGateway({
    domains: [petsDomain(upstream.url)],
    exposure: 'tools',
    middleware: [
      (context, _args, next) => {
        records.push({ principal: context.principal.id, remote: context.request.remote });
        return next();
      },
    ],
  });
  certificates = createCertificates();
  const serverCa = certificates.authority('server-ca');
  server = { ...certificates.issue('server-ca', '/CN=gateway', { san: 'IP:127.0.0.1', usage: 'serverAuth' }) };
  trusted = serverCa.cert;
  clientCa = certificates.authority('client-ca').cert;
  certificates.authority('other-ca');
});
let trusted: string;
afterAll(async () => {
  certificates.remove();
  await gateway.close();
  await upstream.close();
});
beforeEach(() => {
  calls = [];
  records = [];
  refused = [];
});
afterEach(async () => {
  vi.useRealTimers();
  for (const open of servers.splice(0)) await open.close(0);
});

const call = JSON.stringify(modern(1, 'tools/call', { name: 'pets_list', arguments: { limit: 1 } }));
const READ = ['read'] as const;

async function start(options: Partial<TcpOptions>): Promise<number> {
  const refusals = createRefusals((facts, message) => void refused.push({ message, ...facts }));
  const own = await listenTcp(({ effects }) => gateway.serviceOf('', effects)?.protocol, { refusals, ...options });
  servers.push(own);
  return own.port;
}

interface Talk {
  readonly socket: Socket;
  readonly lines: () => string[];
  readonly closed: Promise<void>;
}

async function talk(socket: Socket, ready = 'connect'): Promise<Talk> {
  let text = '';
  socket.on('data', (chunk) => {
    text += String(chunk);
  });
  socket.on('error', () => {});
  const closed = new Promise<void>((resolve) => socket.once('close', () => resolve()));
  await Promise.race([new Promise((resolve) => socket.once(ready, resolve)), closed]);
  return { socket, lines: () => text.split('\n').filter((line) => line !== ''), closed };
}

const plain = (port: number) => talk(connect({ port, host: '127.0.0.1' }));
const secure = (port: number, pair?: Pair) =>
  talk(connectTls({ port, host: '127.0.0.1', ca: trusted, ...pair }), 'secureConnect');

const messageOf = (line: string | undefined) => JSON.parse(line!).error?.message as string;

describe('the key line', () => {
  const token: NonNullable<TcpIdentify['token']> = (key) => {
    if (key === 'good-key') return { principal: { id: 'key:ci' } };
    if (key === 'reader') return { principal: { id: 'key:reader', effects: READ } };
    if (key === 'late-token') return Promise.resolve({ principal: { id: 'https://id.example|alice' } });
    return { status: 401, message: 'Unauthorized: this key is not known.' };
  };

  test.each([
    ['a key', 'AUTH good-key\n', 'key:ci'],
    ['a key, as on Windows', 'AUTH good-key\r\n', 'key:ci'],
    ['an access token that is looked up', 'AUTH late-token\n', 'https://id.example|alice'],
  ])('lets %s in, without an answer of its own; what follows in the same packet is served', async (_, line, id) => {
    const { socket, lines } = await plain(await start({ identify: { token } }));
    socket.write(`${line}${call}\n`);
    await until(() => lines().length === 1);
    expect(JSON.parse(lines()[0]!)).toMatchObject({ id: 1, result: { content: [{ text: '[]' }] } });
    expect(records).toEqual([{ principal: id, remote: '127.0.0.1' }]);
    socket.destroy();
  });

  test('may come a byte at a time', async () => {
    const { socket, lines } = await plain(await start({ identify: { token } }));
    for (const byte of `AUTH good-key\n${call}\n`) {
      socket.write(byte);
      await new Promise((resolve) => setImmediate(resolve));
    }
    await until(() => lines().length === 1);
    expect(records).toHaveLength(1);
    socket.destroy();
  });

  test.each([
    ['nothing but a message', `${call}\n`],
    ['a wrong key', `AUTH wrong\n${call}\n`],
    ['an empty key', `AUTH \n${call}\n`],
    ['a key in other letters', `auth good-key\n${call}\n`],
    ['a key with more behind it', `AUTH good-key more\n${call}\n`],
    ['what a web page sends', `POST / HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\nAUTH good-key\n${call}\n`],
    ['what a web page sends with a method of its own', `AUTH / HTTP/1.1\r\n\r\nAUTH good-key\n${call}\n`],
    ['a line without an end', `AUTH ${'x'.repeat(20_000)}`],
    ['an empty first line', `\nAUTH good-key\n${call}\n`],
  ])('%s: one line says what is wrong, nothing is executed, and the connection ends', async (_, bytes) => {
    const { socket, lines, closed } = await plain(await start({ identify: { token } }));
    socket.write(bytes);
    await closed;
    expect(lines()).toHaveLength(1);
    expect(messageOf(lines()[0])).toMatch(/^Unauthorized: /);
    expect(calls).toEqual([]);
    expect(refused).toMatchObject([{ reason: 'unauthorized', transport: 'tcp', remote: '127.0.0.1' }]);
  });

  test('must come within its time limit', async () => {
    const { closed, lines } = await plain(await start({ identify: { token }, keyLineMs: 20 }));
    await closed;
    expect(messageOf(lines()[0])).toContain('AUTH <key or access token>');
    expect(refused).toMatchObject([{ reason: 'too_slow' }]);
  });

  test('reveals no internal failure, and a failure lets nobody in', async () => {
    for (const broken of [
      () => Promise.reject(new Error('secret')),
      () => {
        throw new Error('secret');
      },
    ]) {
      const { socket, closed, lines } = await plain(await start({ identify: { token: broken } }));
      socket.write(`AUTH good-key\n${call}\n`);
      await closed;
      expect(lines().join()).not.toContain('secret');
      expect(lines()).toHaveLength(1);
    }
    expect(calls).toEqual([]);
  });

  test('decides which tools exist: a reader’s connection has no writes', async () => {
    const { socket, lines } = await plain(await start({ identify: { token } }));
    const remove = modern(2, 'tools/call', { name: 'pets_delete', arguments: { id: 7 } });
    socket.write(`AUTH reader\n${JSON.stringify(remove)}\n`);
    await until(() => lines().length === 1);
    expect(messageOf(lines()[0])).toContain('pets_delete');
    expect(calls).toEqual([]);
    socket.destroy();
  });

  test('of a caller that may not use the served profile is refused', async () => {
    const refusals = createRefusals((facts) => void refused.push({ ...facts }));
    const own = await listenTcp(() => undefined, { identify: { token }, refusals });
    servers.push(own);
    const { socket, closed, lines } = await plain(own.port);
    socket.write(`AUTH good-key\n${call}\n`);
    await closed;
    expect(messageOf(lines()[0])).toMatch(/^Forbidden: /);
    expect([calls, refused]).toMatchObject([[], [{ reason: 'forbidden', principal: 'key:ci' }]]);
  });

  test.each([
    ['at once', (verdict: unknown) => verdict],
    ['after asking', (verdict: unknown) => Promise.resolve(verdict)],
  ])('that is no longer valid ends the connection at the next message, checked %s', async (_, wrap) => {
    let isGood = true;
    const check = () =>
      wrap(
        isGood ? { principal: { id: 'key:ci' } } : { status: 401, message: 'Unauthorized: it has expired.' },
      ) as never;
    const { socket, lines, closed } = await plain(await start({ identify: { token: check } }));
    socket.write(`AUTH good-key\n${call}\n${call}\n`);
    await until(() => lines().length === 2);
    isGood = false;
    socket.write(`${call}\n${call}\n`);
    await closed;
    expect(calls).toHaveLength(2);
    expect(lines().slice(2).map(messageOf)).toEqual(['Unauthorized: it has expired.']);
    expect(refused).toMatchObject([{ reason: 'unauthorized', principal: 'key:ci' }]);
  });

  test('whose permissions change ends the connection as well', async () => {
    let effects: readonly ('read' | 'write')[] = ['read', 'write'];
    const check = () => ({ principal: { id: 'key:ci', effects } });
    const { socket, lines, closed } = await plain(await start({ identify: { token: check } }));
    socket.write(`AUTH good-key\n${call}\n`);
    await until(() => lines().length === 1);
    effects = READ;
    socket.write(`${call}\n`);
    await closed;
    expect(calls).toHaveLength(1);
  });

  test('many lines behind one whose caller must be checked are all answered, in order', async () => {
    const { socket, lines } = await plain(await start({ identify: { token } }));
    const pings = Array.from({ length: 300 }, (_, id) => JSON.stringify(legacy(id, 'ping')));
    socket.write(`AUTH late-token\n${pings.join('\n')}\n`);
    await until(() => lines().length === 300);
    expect(lines().map((line) => JSON.parse(line).id)).toEqual(pings.map((_, id) => id));
    socket.end();
  });
});

describe('the slots for TCP connections', () => {
  const token: NonNullable<TcpIdentify['token']> = (key) =>
    key.startsWith('key-') ? { principal: { id: key } } : { status: 401, message: 'Unauthorized: no.' };

  test.each([
    ['over plain TCP', undefined],
    ['in a handshake that does not end', () => server],
  ])(
    'are not kept by silent connections, %s: the oldest is closed, and a caller with a key is served',
    async (_, tls) => {
      const port = await start({ maxConnections: 4, identify: { token }, tls: tls?.() });
      const enter = () => (tls ? secure(port) : plain(port));
      const known = await enter();
      known.socket.write(`AUTH key-a\n${call}\n`);
      await until(() => known.lines().length === 1);
      const silent: Talk[] = [];
      for (let at = 0; at < 9; at++) silent.push(await plain(port));
      const late = await enter();
      late.socket.write(`AUTH key-b\n${call}\n`);
      await until(() => late.lines().length === 1);
      known.socket.write(`${call}\n`);
      await until(() => known.lines().length === 2);
      expect(records.map(({ principal }) => principal)).toEqual(['key-a', 'key-b', 'key-a']);
      await until(() => silent.filter(({ socket }) => socket.destroyed).length === 7);
      expect(refused[0]).toMatchObject({ reason: 'connections', remote: '127.0.0.1' });
      for (const { socket } of [known, late, ...silent]) socket.destroy();
    },
  );

  test('are not all for one caller: it is refused at its limit, and another caller gets one', async () => {
    const port = await start({ maxConnections: 8, identify: { token } });
    const own: Talk[] = [];
    for (let at = 0; at < 7; at++) {
      const one = await plain(port);
      one.socket.write(`AUTH key-a\n${call}\n`);
      await until(() => one.lines().length === 1);
      own.push(one);
    }
    const more = await plain(port);
    more.socket.write(`AUTH key-a\n${call}\n`);
    await more.closed;
    expect(messageOf(more.lines()[0])).toContain('Too many connections');
    expect(refused).toMatchObject([{ reason: 'connections', principal: 'key-a' }]);
    const other = await plain(port);
    other.socket.write(`AUTH key-b\n${call}\n`);
    await until(() => other.lines().length === 1);
    expect(calls).toHaveLength(8);
    // Those that are known keep theirs: now there is none left.
    const last = await plain(port);
    await last.closed;
    own[0]!.socket.end();
    await own[0]!.closed;
    const next = await plain(port);
    next.socket.write(`AUTH key-b\n${call}\n`);
    await until(() => next.lines().length === 1);
    for (const { socket } of [next, other, ...own]) socket.destroy();
  });
});

describe('TCP without authentication', () => {
  test('names callers on loopback local', async () => {
    const { socket, lines } = await plain(await start({}));
    socket.write(`${call}\n`);
    await until(() => lines().length === 1);
    expect(records).toEqual([{ principal: 'local', remote: '127.0.0.1' }]);
    socket.destroy();
  });

  test('names callers on a wide bind anonymous', async () => {
    const { socket, lines } = await plain(await start({ host: '0.0.0.0' }));
    socket.write(`${call}\n`);
    await until(() => lines().length === 1);
    expect(records).toEqual([{ principal: 'anonymous', remote: '127.0.0.1' }]);
    socket.destroy();
  });

  test('counts and logs peers that speak no JSON-RPC or get no slot', async () => {
    const port = await start({ maxConnections: 1 });
    const first = await plain(port);
    const second = await plain(port);
    await second.closed;
    first.socket.write('GET / HTTP/1.1\r\n\r\n');
    await first.closed;
    expect(refused).toMatchObject([
      { reason: 'connections', remote: '127.0.0.1' },
      { reason: 'not_jsonrpc', remote: '127.0.0.1' },
    ]);
  });
});

describe('TLS of the TCP listener', () => {
  const token: NonNullable<TcpIdentify['token']> = (key) =>
    key === 'good-key' ? { principal: { id: 'key:ci' } } : { status: 401, message: 'Unauthorized: no.' };

  /** A server that takes certificates by these rules, and keys where `withKeys`. */
  const startMutual = (rules?: readonly CertificateRule[], withKeys = false) =>
    start({
      tls: { ...server, clientCa },
      identify: { certificate: createCertificateCheck(rules), ...(withKeys && { token }) },
    });

  test('carries the key line and the messages after it', async () => {
    const { socket, lines } = await secure(await start({ tls: server, identify: { token } }));
    socket.write(`AUTH good-key\n${call}\n`);
    await until(() => lines().length === 1);
    expect(records).toEqual([{ principal: 'key:ci', remote: '127.0.0.1' }]);
    socket.end();
  });

  test('is required if configured: plain bytes are a failed handshake, which is counted', async () => {
    const { socket, closed } = await plain(await start({ tls: server }));
    socket.write(`${call}\n`);
    await closed;
    await until(() => refused.length > 0);
    expect([calls, refused]).toMatchObject([[], [{ reason: 'tls', remote: '127.0.0.1' }]]);
  });

  test('older than 1.2 is refused, and older than the minimum', async () => {
    const port = await start({ tls: { ...server, minVersion: 'TLSv1.3' } });
    const socket = connectTls({ port, host: '127.0.0.1', ca: trusted, maxVersion: 'TLSv1.2' });
    const { closed } = await talk(socket, 'secureConnect');
    await closed;
    expect(socket.authorized).toBe(false);
  });

  test('that cannot work is an error at start', async () => {
    const other = certificates.issue('server-ca', '/CN=other', { usage: 'serverAuth' });
    await expect(start({ tls: { cert: server.cert, key: other.key } })).rejects.toMatchObject({ code: 'BAD_CONFIG' });
    await expect(start({ tls: { cert: 'no PEM', key: server.key } })).rejects.toMatchObject({ code: 'BAD_CONFIG' });
  });

  test('closes within the grace time although a handshake hangs', async () => {
    const port = await start({ tls: server });
    const { closed } = await plain(port);
    await servers.pop()!.close(10);
    await closed;
  });

  /** What a client with this certificate is answered, and as whom it called. */
  async function callWith(port: number, pair: Pair | undefined, first = '') {
    const { socket, lines, closed } = await secure(port, pair);
    socket.write(`${first}${call}\n`);
    await Promise.race([closed, until(() => lines().length > 0)]);
    socket.destroy();
    await closed;
    return { principal: records[0]?.principal, reached: calls.length, error: lines()[0] && messageOf(lines()[0]) };
  }

  test('identifies a caller by the common name of its certificate', async () => {
    const pair = certificates.issue('client-ca', '/O=Acme/CN=batch');
    expect(await callWith(await startMutual(), pair)).toEqual({
      principal: 'cert:batch',
      reached: 1,
      error: undefined,
    });
  });

  test('identifies a caller by its alternative name if it has no common name', async () => {
    const pair = certificates.issue('client-ca', '/O=Acme', { san: 'URI:spiffe://acme/batch' });
    expect(await callWith(await startMutual(), pair)).toMatchObject({ principal: 'cert:spiffe://acme/batch' });
  });

  test.each<[string, () => Pair | undefined, string]>([
    ['none', () => undefined, 'Unauthorized: connect with a client certificate.'],
    ['one of another authority', () => certificates.issue('other-ca', '/CN=batch'), 'Unauthorized: this client cert'],
    [
      'an expired one',
      () => certificates.issue('client-ca', '/CN=batch', { days: 0 }),
      'Unauthorized: this client cert',
    ],
    [
      'one that is for servers',
      () => certificates.issue('client-ca', '/CN=batch', { usage: 'serverAuth' }),
      'Unauthorized: this client cert',
    ],
    ['one with two names', () => certificates.issue('client-ca', '/CN=batch/CN=admin'), 'Forbidden: this client cert'],
    ['one without a name', () => certificates.issue('client-ca', '/O=Acme'), 'Forbidden: this client cert'],
  ])('refuses a client with %s, and executes nothing', async (_, pairOf, why) => {
    const pair = pairOf();
    // An expiry counts in whole seconds.
    if (_ === 'an expired one') await new Promise((resolve) => setTimeout(resolve, 1_100));
    const outcome = await callWith(await startMutual(), pair);
    expect(outcome).toMatchObject({ principal: undefined, reached: 0 });
    expect(outcome.error).toContain(why);
    expect(refused).toMatchObject([{ reason: 'certificate', remote: '127.0.0.1' }]);
  });

  test('accepts a key from clients without a certificate, but not from clients with a bad one', async () => {
    const port = await startMutual(undefined, true);
    expect(await callWith(port, undefined, 'AUTH good-key\n')).toMatchObject({ principal: 'key:ci', reached: 1 });
    calls = [];
    records = [];
    const foreign = certificates.issue('other-ca', '/CN=batch');
    expect(await callWith(port, foreign, 'AUTH good-key\n')).toMatchObject({ principal: undefined, reached: 0 });
  });

  test.each<[string, CertificateRule[], string, string | undefined, string | undefined]>([
    ['a pattern of the subject', [{ subject: 'batch-*' }], '/CN=batch-7', undefined, 'cert:batch-7'],
    ['a name of the rule’s own', [{ subject: 'batch-*', name: 'batch' }], '/CN=batch-7', undefined, 'cert:batch'],
    ['a pattern of an alternative name', [{ san: '*.acme' }], '/CN=x', 'DNS:a.acme', 'cert:a.acme'],
    ['the first that fits', [{ subject: 'a' }, { subject: '*', name: 'rest' }], '/CN=b', undefined, 'cert:rest'],
    ['both, where both are asked for', [{ subject: 'a', san: 'b.acme' }], '/CN=a', 'DNS:b.acme', 'cert:a'],
    ['not one of both', [{ subject: 'a', san: 'b.acme' }], '/CN=a', 'DNS:c.acme', undefined],
    ['nobody else', [{ subject: 'batch-*' }], '/CN=admin', undefined, undefined],
    ['nobody, where the list is empty', [], '/CN=admin', undefined, undefined],
    ['no name in a name', [{ san: 'admin' }], '/CN=x', '@alt\n[alt]\nURI.1=x, DNS:admin', undefined],
  ])('admits callers by rules for %s', async (_, rules, subject, san, principal) => {
    const pair = certificates.issue('client-ca', subject, san === undefined ? {} : { san });
    const outcome = await callWith(await startMutual(rules), pair);
    expect(outcome).toMatchObject({ principal, reached: principal === undefined ? 0 : 1 });
  });

  test('offers what the rule for a certificate allows', async () => {
    const pair = certificates.issue('client-ca', '/CN=reader');
    const { socket, lines } = await secure(await startMutual([{ subject: 'reader', effects: READ }]), pair);
    socket.write(`${JSON.stringify(modern(2, 'tools/call', { name: 'pets_delete', arguments: { id: 7 } }))}\n`);
    await until(() => lines().length === 1);
    expect([messageOf(lines()[0]), calls]).toEqual([expect.stringContaining('pets_delete'), []]);
    socket.destroy();
  });

  test('ends a connection at the next message after its certificate has expired', async () => {
    vi.useFakeTimers({ toFake: ['Date'] });
    const pair = certificates.issue('client-ca', '/CN=batch', { days: 1 });
    const { socket, lines, closed } = await secure(await startMutual(), pair);
    socket.write(`${call}\n`);
    await until(() => lines().length === 1);
    vi.setSystemTime(Date.now() + 3 * 86_400_000);
    socket.write(`${call}\n`);
    await closed;
    expect(calls).toHaveLength(1);
    expect(messageOf(lines()[1])).toContain('has expired');
  });
});
