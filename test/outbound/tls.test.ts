// TLS per domain against real servers: private authorities, client certificates that stay where they belong, and what failures say.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { startTlsUpstream, type TlsUpstream } from '../support/tls-upstream.ts';
import { createCertificates, type Pair, type Signer } from '../support/upstream-certificates.ts';
import { callTool, createWorkshop } from '../support/workshop.ts';

const { write, open, folder } = createWorkshop();
const certificates = createCertificates();
const LOCAL = ['DNS:localhost', 'IP:127.0.0.1'];
let authority: Signer;
let stranger: Signer;
let ann: Pair;
let bob: Pair;
let plain: TlsUpstream;
let mutual: TlsUpstream;
const others: TlsUpstream[] = [];

beforeAll(async () => {
  authority = certificates.createAuthority('Company CA');
  stranger = certificates.createAuthority('Stranger CA');
  ann = authority.issue('ann', []);
  bob = authority.issue('bob', []);
  const server = authority.issue('localhost', LOCAL);
  plain = await startTlsUpstream(server);
  mutual = await startTlsUpstream({ ...server, ca: authority.cert, requestCert: true, rejectUnauthorized: true });
});
afterAll(async () => {
  for (const server of [plain, mutual, ...others]) await server.close();
  certificates.remove();
});
beforeEach(() => {
  plain.seen.length = 0;
  mutual.seen.length = 0;
});

const domain = (url: string, tls: string, more = '') => `
name: shop
baseUrl: ${url}
${tls === '' ? '' : `tls: ${tls}`}
${more}
endpoints:
  get_me: { summary: Tells who calls., method: GET, path: /me }
`;
const as = ({ files }: Pair, more = '') =>
  `{ ca: ${authority.files.cert}, cert: ${files.cert}, key: ${files.key}${more} }`;

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}

async function start(options: Parameters<typeof startTlsUpstream>[0]): Promise<TlsUpstream> {
  const server = await startTlsUpstream(options);
  others.push(server);
  return server;
}

describe('the certificate of an API', () => {
  test('is taken when an authority in tls.ca signed it, and only then', async () => {
    const good = await open(domain(plain.url, `{ ca: ${authority.files.cert} }`));
    expect(await callTool(good, 'shop_get_me')).toMatchObject({ isError: false });
    const without = await callTool(await open(domain(plain.url, '')), 'shop_get_me');
    expect(without.isError).toBe(true);
    expect(without.text).toContain(
      `the certificate of localhost:${plain.port} is signed by an authority that the gateway does not trust`,
    );
    expect(without.text).toContain('add it to tls.ca of the domain file');
    const other = await callTool(await open(domain(plain.url, `{ ca: ${stranger.files.cert} }`)), 'shop_get_me');
    expect(other.text).toContain('is not signed by an authority in tls.ca');
    expect(plain.seen).toHaveLength(1);
  });

  test('of an address that a document is fetched from, too', async () => {
    const fetching = open(`name: shop\nopenapi: ${plain.url}/openapi.json\n`);
    await expect(fetching).rejects.toThrow(
      'its certificate is signed by an authority that this machine does not trust (UNABLE_TO_VERIFY_LEAF_SIGNATURE); set NODE_EXTRA_CA_CERTS',
    );
  });

  test('several authorities, one file or many, relative to the domain file', async () => {
    write('company.pem', authority.cert);
    write('bundle.pem', `# ours\n${stranger.cert}\n${authority.cert}`);
    for (const ca of ['company.pem', '[bundle.pem]', `[${stranger.files.cert}, ./company.pem]`])
      expect(await callTool(await open(domain(plain.url, `{ ca: ${ca} }`)), 'shop_get_me')).toMatchObject({
        isError: false,
      });
  });

  test('is checked whatever NODE_TLS_REJECT_UNAUTHORIZED says', async () => {
    process.env.NODE_TLS_REJECT_UNAUTHORIZED = '0';
    try {
      expect(await callTool(await open(domain(plain.url, '')), 'shop_get_me')).toMatchObject({ isError: true });
    } finally {
      delete process.env.NODE_TLS_REJECT_UNAUTHORIZED;
    }
    expect(plain.seen).toEqual([]);
  });

  test('for another host is refused, unless tls.serverName names that host', async () => {
    const other = await start(authority.issue('shop', ['DNS:shop.internal']));
    const refused = await callTool(await open(domain(other.url, `{ ca: ${authority.files.cert} }`)), 'shop_get_me');
    expect(refused.text).toContain('is for another host (DNS:shop.internal)');
    expect(other.seen).toEqual([]);
    const named = domain(other.url, `{ ca: ${authority.files.cert}, serverName: shop.internal }`);
    expect(await callTool(await open(named), 'shop_get_me')).toMatchObject({ isError: false });
  });

  test('that has expired is refused in words', async () => {
    const old = await start(authority.issue('localhost', LOCAL, -1));
    const answer = await callTool(await open(domain(old.url, `{ ca: ${authority.files.cert} }`)), 'shop_get_me');
    expect(answer.text).toContain(`the certificate of localhost:${old.port} has expired`);
    expect(old.seen).toEqual([]);
  });

  test('a version below minVersion is refused', async () => {
    const old = await start({ ...authority.issue('localhost', LOCAL), maxVersion: 'TLSv1.2' });
    const strict = `{ ca: ${authority.files.cert}, minVersion: TLSv1.3 }`;
    const answer = await callTool(await open(domain(old.url, strict)), 'shop_get_me');
    expect(answer.text).toContain('supports no TLS version that the gateway allows (at least TLSv1.3)');
    expect(await callTool(await open(domain(old.url, `{ ca: ${authority.files.cert} }`)), 'shop_get_me')).toMatchObject(
      {
        isError: false,
      },
    );
  });

  test('a server without TLS is told from one with a bad certificate', async () => {
    const { startUpstream } = await import('../support/upstream.ts');
    const bare = await startUpstream();
    const answer = await callTool(await open(domain(bare.url.replace('http:', 'https:'), '')), 'shop_get_me');
    await bare.close();
    expect(answer.text).toContain('did not answer with TLS');
  });
});

describe('a client certificate', () => {
  test('proves who calls; without one the message asks for it', async () => {
    expect(await callTool(await open(domain(mutual.url, as(ann))), 'shop_get_me')).toMatchObject({ isError: false });
    expect(mutual.seen).toMatchObject([{ client: 'ann' }]);
    const without = await callTool(await open(domain(mutual.url, `{ ca: ${authority.files.cert} }`)), 'shop_get_me');
    expect(without.text).toContain('needs a client certificate (tls.cert and tls.key of the domain file)');
    const wrong = await callTool(await open(domain(mutual.url, as(stranger.issue('eve', [])))), 'shop_get_me');
    expect(wrong.text).toContain('does not accept the client certificate');
    expect(mutual.seen).toHaveLength(1);
  });

  test('openssl says it with an alert', async () => {
    const server = authority.issue('localhost', LOCAL);
    const port = await freePort();
    const child = spawn(
      'openssl',
      [
        ...['s_server', '-accept', `127.0.0.1:${port}`, '-cert', server.files.cert, '-key', server.files.key],
        ...['-CAfile', authority.files.cert, '-Verify', '1', '-verify_return_error', '-www'],
      ],
      { stdio: ['ignore', 'pipe', 'ignore'] },
    );
    try {
      await once(child.stdout, 'data');
      const url = `https://localhost:${port}`;
      const without = await callTool(await open(domain(url, `{ ca: ${authority.files.cert} }`)), 'shop_get_me');
      expect(without.text).toContain('needs a client certificate');
      const wrong = await callTool(await open(domain(url, as(stranger.issue('eve', [])))), 'shop_get_me');
      expect(wrong.text).toContain('does not accept the client certificate');
    } finally {
      child.kill();
    }
  });

  test('TLS 1.2 servers say it another way, and it reads the same', async () => {
    const server = authority.issue('localhost', LOCAL);
    const old = await start({
      ...server,
      ca: authority.cert,
      requestCert: true,
      rejectUnauthorized: true,
      maxVersion: 'TLSv1.2',
    });
    const without = await callTool(await open(domain(old.url, `{ ca: ${authority.files.cert} }`)), 'shop_get_me');
    expect(without.text).toContain('needs a client certificate');
    expect(await callTool(await open(domain(old.url, as(ann))), 'shop_get_me')).toMatchObject({ isError: false });
  });

  test('two domains with different certificates at one origin never share a socket', async () => {
    const one = write('one.yaml', domain(mutual.url, as(ann)).replace('name: shop', 'name: one'));
    const two = write('two.yaml', domain(mutual.url, as(bob)).replace('name: shop', 'name: two'));
    const gateway = await open(
      domain(plain.url, `{ ca: ${authority.files.cert} }`),
      {},
      {
        load: { paths: [one, two] },
      },
    );
    for (const name of ['one', 'two', 'one', 'two', 'one'])
      expect(await callTool(gateway, `${name}_get_me`)).toMatchObject({ isError: false });
    expect(mutual.seen.map(({ client }) => client)).toEqual(['ann', 'bob', 'ann', 'bob', 'ann']);
  });

  test('goes to token requests at the same origin, and to no other', async () => {
    const tokenAt = (url: string) => `
credentials:
  idp: { kind: oauth2, tokenUrl: ${url}/token, clientIdEnv: A, clientSecretEnv: B }`;
    const env = { A: 'id', B: 'secret-b' };
    await callTool(await open(domain(mutual.url, as(ann), tokenAt(mutual.url)), env), 'shop_get_me');
    expect(mutual.seen.map(({ url, client }) => [url, client])).toEqual([
      ['/token', 'ann'],
      ['/me', 'ann'],
    ]);
    // It would take a certificate, asks for one, and is shown none; the private authority counts there too.
    const curious = await start({
      ...authority.issue('localhost', LOCAL),
      ca: authority.cert,
      requestCert: true,
      rejectUnauthorized: false,
    });
    mutual.seen.length = 0;
    const answer = await callTool(await open(domain(mutual.url, as(ann), tokenAt(curious.url)), env), 'shop_get_me');
    expect(answer).toMatchObject({ isError: false });
    expect(curious.seen).toMatchObject([{ url: '/token', client: undefined }]);
    expect(mutual.seen).toMatchObject([{ url: '/me', client: 'ann' }]);
  });

  test('an endpoint elsewhere does not see it', async () => {
    const curious = await start({
      ...authority.issue('localhost', LOCAL),
      ca: authority.cert,
      requestCert: true,
      rejectUnauthorized: false,
    });
    const yaml = `${domain(mutual.url, as(ann))}  get_file: { summary: Gets a file., method: GET, path: /file, baseUrl: '${curious.url}' }\n`;
    expect(await callTool(await open(yaml), 'shop_get_file')).toMatchObject({ isError: false });
    expect(curious.seen).toMatchObject([{ client: undefined }]);
  });

  test('its key may be locked; the passphrase comes from a variable or a file', async () => {
    const locked = certificates.lock(ann, 'open sesame');
    write('passphrase', 'open sesame\n');
    const tls = (more: string) => `{ ca: ${authority.files.cert}, cert: ${ann.files.cert}, key: ${locked}${more} }`;
    for (const [more, env] of [
      [', passphraseEnv: PASS', { PASS: 'open sesame' }],
      [', passphraseFile: passphrase', {}],
    ] as const)
      expect(await callTool(await open(domain(mutual.url, tls(more)), env), 'shop_get_me')).toMatchObject({
        isError: false,
      });
    await expect(open(domain(mutual.url, tls('')))).rejects.toThrow('tls.key');
    await expect(open(domain(mutual.url, tls(', passphraseEnv: PASS')), { PASS: 'wrong one' })).rejects.toThrow(
      'cannot be decrypted with this passphrase',
    );
  });

  test('works for an imported document, where the operator names the base URL', async () => {
    const document = {
      openapi: '3.1.0',
      info: { title: 'Shop', version: '1' },
      servers: [{ url: mutual.url }],
      paths: { '/me': { get: { operationId: 'getMe', responses: {} } } },
    };
    write('shop.json', JSON.stringify(document));
    const yaml = (base: string) => `name: shop\nopenapi: shop.json\n${base}tls: ${as(ann)}\n`;
    expect(await callTool(await open(yaml(`baseUrl: ${mutual.url}\n`)), 'shop_get_me')).toMatchObject({
      isError: false,
    });
    expect(mutual.seen).toMatchObject([{ client: 'ann' }]);
    await expect(open(yaml(''))).rejects.toThrow('a document may not choose the origin');
  });
});

describe('what is wrong with the files stops the start', () => {
  test.each([
    ['an unreadable authority', () => '{ ca: nowhere.pem }', 'tls.ca: '.concat(folder, '/nowhere.pem does not exist')],
    ['no certificate', () => `{ ca: ${ann.files.key} }`, 'holds no certificate in PEM form'],
    [
      'a key of another',
      () => `{ cert: ${ann.files.cert}, key: ${bob.files.key} }`,
      'is not the key of the certificate',
    ],
    ['no key', () => `{ cert: ${ann.files.cert} }`, 'tls.key: is missing'],
    ['no certificate for a key', () => `{ key: ${ann.files.key} }`, 'tls.cert: is missing'],
    [
      'a key that is none',
      () => `{ cert: ${ann.files.cert}, key: ${ann.files.cert} }`,
      'holds no private key in PEM form',
    ],
    [
      'an expired certificate',
      () => {
        const { files } = authority.issue('old ann', [], -1);
        return `{ cert: ${files.cert}, key: ${files.key} }`;
      },
      'the certificate of old ann expired on ',
    ],
    ['a switch that does not exist', () => '{ rejectUnauthorized: false }', '"rejectUnauthorized" is not known here'],
  ])('%s', async (_, tls, words) => {
    await expect(open(domain(mutual.url, tls()))).rejects.toThrow(words);
  });

  test('tls beside an http:// base URL', async () => {
    await expect(open(domain('http://127.0.0.1:1', '{ minVersion: TLSv1.3 }'))).rejects.toThrow(
      'tls: applies only to https',
    );
  });

  test('one that ends within a month is told of at start', async () => {
    const { files } = authority.issue('short ann', [], 5);
    const gateway = await open(domain(mutual.url, `{ cert: ${files.cert}, key: ${files.key} }`));
    expect(gateway.domains[0]!.warnings.join()).toContain('tls.cert: the certificate of short ann expires on ');
  });
});
