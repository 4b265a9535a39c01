// Every way out of this process ends at the guard of setup.ts, even where nock is set aside.

import dns from 'node:dns';
import { lookup as lookupLater } from 'node:dns/promises';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, get } from 'node:http';
import { type AddressInfo, connect, createServer as createTcpServer, type Server, Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect as connectTls } from 'node:tls';
import { Pool } from 'undici';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createPublicLookup } from '../../src/network/public-lookup.ts';
import { LEAVES_MACHINE } from './loopback-only.ts';
import { useRealHttp } from './real-http.ts';

useRealHttp();

/** Addresses of documentation (RFC 5737, RFC 3849): if the guard failed, nobody would answer. */
const ELSEWHERE = '192.0.2.7';
const ELSEWHERE_6 = '2001:db8::7';

type Lookup = (name: string, options: dns.LookupOptions, done: (...result: never[]) => void) => void;
/** A look-up that finds these addresses for every name. */
const answering =
  (...addresses: string[]): Lookup =>
  (_, options, done) => {
    const all = addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 }));
    (done as (...result: unknown[]) => void)(null, ...(options.all ? [all] : [all[0]!.address, all[0]!.family]));
  };

const errorOf = (open: (done: () => void) => Socket) =>
  new Promise<NodeJS.ErrnoException | 'connected'>((resolve) => {
    const socket = open(() => {
      resolve('connected');
      socket.destroy();
    });
    socket.on('error', resolve);
  });

const REFUSED = { code: LEAVES_MACHINE, message: expect.stringContaining('nothing outside of this machine') };

describe('what would leave the machine is refused', () => {
  test.each<[string, (done: () => void) => Socket]>([
    ['net.connect with options', (done) => connect({ host: ELSEWHERE, port: 80 }, done)],
    ['net.connect with a port and a host', (done) => connect(80, ELSEWHERE, done)],
    ['IPv6', (done) => connect({ host: ELSEWHERE_6, port: 80 }, done)],
    ['an IPv4 address inside IPv6', (done) => connect({ host: `::ffff:${ELSEWHERE}`, port: 80 }, done)],
    ['a socket of its own', (done) => new Socket().connect(80, ELSEWHERE, done)],
    ['tls.connect', (done) => connectTls({ host: ELSEWHERE, port: 443 }, done)],
    [
      'a name that a test resolves',
      (done) => connect({ host: 'a.test', port: 80, lookup: answering(ELSEWHERE) }, done),
    ],
    [
      'a name with one address here and one elsewhere',
      (done) =>
        connect({ host: 'a.test', port: 80, autoSelectFamily: true, lookup: answering('127.0.0.1', ELSEWHERE) }, done),
    ],
  ])('%s', async (_, open) => {
    expect(await errorOf(open)).toMatchObject(REFUSED);
  });

  test("undici's pool", async () => {
    const pool = new Pool(`http://${ELSEWHERE}`);
    await expect(pool.request({ path: '/', method: 'GET' })).rejects.toMatchObject(REFUSED);
    await pool.destroy();
  });

  test('fetch', async () => {
    await expect(fetch(`http://${ELSEWHERE}/`)).rejects.toMatchObject({ cause: REFUSED });
  });

  test('http.get', async () => {
    const error = await new Promise((resolve) => get(`http://${ELSEWHERE}/`).on('error', resolve));
    expect(error).toMatchObject(REFUSED);
  });

  test('names: no name server is asked', async () => {
    const refusal = { code: 'ENOTFOUND', message: 'tests resolve no name but localhost: api.example.com' };
    expect(await errorOf((done) => connect(80, 'api.example.com', done))).toMatchObject(refusal);
    expect(await new Promise((resolve) => dns.lookup('api.example.com', resolve))).toMatchObject(refusal);
    const lookup = createPublicLookup();
    expect(await new Promise((resolve) => lookup('api.example.com', {}, resolve))).toMatchObject(refusal);
    await expect(fetch('http://api.example.com/')).rejects.toMatchObject({ cause: refusal });
    await expect(dns.promises.lookup('api.example.com')).rejects.toMatchObject(refusal);
    await expect(lookupLater('api.example.com')).rejects.toMatchObject(refusal);
  });

  test.each(['resolve', 'resolve4', 'resolveTxt', 'resolveAny', 'reverse'] as const)(
    'dns.%s, of the module and of a resolver, with a callback and with a promise',
    async (method) => {
      const refusal = { code: 'ENOTFOUND', message: `tests resolve no name but localhost: ${ELSEWHERE}` };
      for (const asker of [dns, new dns.Resolver()]) {
        const ask = (asker[method] as (name: string, done: (error: unknown) => void) => void).bind(asker);
        expect(await new Promise((resolve) => ask(ELSEWHERE, resolve))).toMatchObject(refusal);
      }
      for (const asker of [dns.promises, new dns.promises.Resolver()])
        await expect(asker[method](ELSEWHERE)).rejects.toMatchObject(refusal);
    },
  );
});

describe('what stays on the machine is let through', () => {
  const greet = (socket: Socket) => socket.end();
  let tcp: Server;
  let port: number;
  let folder: string;

  beforeAll(async () => {
    tcp = createTcpServer(greet).listen(0, '127.0.0.1');
    await new Promise((resolve) => tcp.once('listening', resolve));
    port = (tcp.address() as AddressInfo).port;
    folder = await mkdtemp(join(tmpdir(), 'landbridge-loopback-'));
  });
  afterAll(async () => {
    tcp.close();
    await rm(folder, { recursive: true, force: true });
  });

  test.each<[string, (done: () => void) => Socket]>([
    ['its address', (done) => connect(port, '127.0.0.1', done)],
    ['options', (done) => connect({ host: '127.0.0.1', port }, done)],
    ['the address inside IPv6', (done) => connect({ host: '::ffff:127.0.0.1', port }, done)],
    ['its name', (done) => connect({ host: 'localhost', port, family: 4 }, done)],
    ['no host', (done) => connect({ port, family: 4 } as never, done)],
    ['any address', (done) => connect(port, '0.0.0.0', done)],
    ['a name that a test resolves', (done) => connect({ host: 'a.test', port, lookup: answering('127.0.0.1') }, done)],
  ])('%s', async (_, open) => {
    expect(await errorOf(open)).toBe('connected');
  });

  test("undici's pool and fetch", async () => {
    const server = createServer((_, response) => response.end('here')).listen(0, '127.0.0.1');
    await new Promise((resolve) => server.once('listening', resolve));
    const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const pool = new Pool(origin);
    expect(await (await pool.request({ path: '/', method: 'GET' })).body.text()).toBe('here');
    expect(await (await fetch(origin)).text()).toBe('here');
    await pool.destroy();
    server.closeAllConnections();
    server.close();
  });

  test('a look-up of its name, with a promise', async () => {
    expect(await dns.promises.lookup('localhost', { family: 4 })).toEqual({ address: '127.0.0.1', family: 4 });
  });

  test.skipIf(process.platform === 'win32')('a socket file', async () => {
    const path = join(folder, 'socket');
    const server = createTcpServer(greet).listen(path);
    await new Promise((resolve) => server.once('listening', resolve));
    expect(await errorOf((done) => connect(path, done))).toBe('connected');
    expect(await errorOf((done) => connect({ path }, done))).toBe('connected');
    server.close();
  });
});
