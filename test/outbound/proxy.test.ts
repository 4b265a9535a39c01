// Outbound proxies against a real one: which requests go through it, what it is told, and what its failures say.
import { lookup } from 'node:dns/promises';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { openIssuers } from '../../src/cli/serve/issuers.ts';
import { endpointSecrets } from '../../src/credentials/secrets.ts';
import { createGateway } from '../../src/gateway.ts';
import { createSilentLog } from '../../src/log.ts';
import { chooseProxy, parseProxy, readProxyRules } from '../../src/network/proxy-rules.ts';
import { importDocument } from '../../src/openapi/import-document.ts';
import { type ConnectProxy, startConnectProxy } from '../support/connect-proxy.ts';
import { useRealHttp } from '../support/real-http.ts';
import { startTlsUpstream, type TlsUpstream } from '../support/tls-upstream.ts';
import { until } from '../support/until.ts';
import { startUpstream, type Upstream } from '../support/upstream.ts';
import { createCertificates, type Signer } from '../support/upstream-certificates.ts';
import { callTool, createWorkshop } from '../support/workshop.ts';

useRealHttp();

const { open } = createWorkshop();
const certificates = createCertificates();
let authority: Signer;
let secure: TlsUpstream;
let api: Upstream;
let proxy: ConnectProxy;
beforeAll(async () => {
  authority = certificates.createAuthority('Company CA');
  secure = await startTlsUpstream(authority.issue('localhost', ['DNS:localhost', 'DNS:shop.example']));
  api = await startUpstream();
  proxy = await startConnectProxy();
});
afterAll(async () => {
  for (const server of [secure, api, proxy]) await server.close();
  certificates.remove();
});
beforeEach(() => {
  for (const { seen } of [secure, api, proxy]) seen.length = 0;
  proxy.authorizations.length = 0;
});

const domain = (url: string, more = '') => `
name: shop
baseUrl: ${url}
${more}
endpoints:
  get_me: { summary: Tells who calls., method: GET, path: /me }
  add_me: { summary: Adds somebody., method: POST, path: /me, args: { name: { type: string } } }
`;
const tls = () => `tls: { ca: ${authority.files.cert} }\n`;
/** A name that only the proxy can resolve: it leads every tunnel to the API. */
const leading = (port: number) => startConnectProxy({ leadsTo: port });

test('authorization servers are asked through the proxy of the environment', async () => {
  const way = await leading(secure.port);
  const issuers = openIssuers(
    { host: '127.0.0.1', publicUrl: undefined, env: { HTTPS_PROXY: way.url } },
    { oauth: [{ issuer: 'https://id.example', jwksUri: 'https://id.example:8443/jwks' }] },
    [],
  );
  issuers.start(createSilentLog(), 'http://127.0.0.1:1');
  await until(() => way.seen.length > 0);
  expect(way.seen[0]).toBe('CONNECT id.example:8443');
  await issuers.close();
  await way.close();
});

describe('a domain with a proxy', () => {
  test('https goes through a tunnel, and TLS is spoken with the API, not with the proxy', async () => {
    const gateway = await open(domain(secure.url, `${tls()}proxy: ${proxy.url}`));
    for (let call = 0; call < 5; call++)
      expect(await callTool(gateway, 'shop_get_me')).toMatchObject({ isError: false });
    expect(new Set(proxy.seen)).toEqual(new Set([`CONNECT localhost:${secure.port}`]));
    expect(secure.seen).toHaveLength(5);
    // A tunnel serves more than one call.
    expect(proxy.seen.length).toBeLessThan(5);
    const distrustful = await open(domain(secure.url, `proxy: ${proxy.url}`));
    expect((await callTool(distrustful, 'shop_get_me')).text).toContain('an authority that the gateway does not trust');
  });

  test('http is passed on with its whole URL, body and credentials', async () => {
    const gateway = await open(
      domain(api.url, `proxy: ${proxy.url}\ncredentials: { key: { kind: bearer, env: KEY } }`),
      { KEY: 'key-1' },
    );
    expect(await callTool(gateway, 'shop_add_me', { name: 'ann' })).toMatchObject({ isError: false });
    expect(proxy.seen).toEqual([`POST ${api.url}/me`]);
    expect(api.seen).toMatchObject([{ method: 'POST', url: '/me', body: '{"name":"ann"}' }]);
    expect(api.seen[0]!.headers).toMatchObject({ host: new URL(api.url).host, authorization: 'Bearer key-1' });
    expect(api.seen[0]!.headers).not.toHaveProperty('proxy-authorization');
  });

  test('its token requests go the same way', async () => {
    const credentials = `credentials: { idp: { kind: oauth2, tokenUrl: '${secure.url}/token', clientIdEnv: A, clientSecretEnv: B } }`;
    const yaml = domain(secure.url, `${tls()}proxy: ${proxy.url}\n${credentials}`);
    expect(await callTool(await open(yaml, { A: 'a', B: 'bbbb' }), 'shop_get_me')).toMatchObject({ isError: false });
    expect(secure.seen.map(({ url }) => url)).toEqual(['/token', '/me']);
    expect(new Set(proxy.seen)).toEqual(new Set([`CONNECT localhost:${secure.port}`]));
  });

  test('user name and password come from variables, are sent to the proxy alone and shown nowhere', async () => {
    const guarded = await startConnectProxy({ userInfo: 'ann:p@ss/word' });
    const address = guarded.url.replace('://', `://\${WHO}:\${PROXY_PASSWORD}@`);
    for (const [url, more] of [
      [secure.url, tls()],
      [api.url, ''],
    ] as const) {
      const yaml = domain(url, `${more}proxy: '${address}'`);
      const good = await open(yaml, { WHO: 'ann', PROXY_PASSWORD: 'p@ss/word' });
      expect(await callTool(good, 'shop_get_me')).toMatchObject({ isError: false });
      expect(endpointSecrets(good.domains[0]!.endpoints[0]!)).toContain('p@ss/word');
      const wrong = await callTool(await open(yaml, { WHO: 'ann', PROXY_PASSWORD: 'wrong-one' }), 'shop_get_me');
      expect(wrong.text).toContain(
        `the proxy ${guarded.url} (proxy of the domain file) does not accept the credentials (407): check the user name and password`,
      );
      expect(wrong.text).not.toContain('wrong-one');
    }
    await guarded.close();
  });

  test('a refusal, a dead proxy and a dead API say which of them it was', async () => {
    const refusing = await startConnectProxy({ refuses: 403 });
    const refused = await callTool(await open(domain(secure.url, `${tls()}proxy: ${refusing.url}`)), 'shop_get_me');
    expect(refused.text).toContain(`the proxy ${refusing.url} (proxy of the domain file) does not allow connections`);
    await refusing.close();
    for (const url of [secure.url, api.url]) {
      const dead = await callTool(await open(domain(url, `proxy: ${refusing.url}`)), 'shop_get_me');
      expect(dead.text).toContain(`the proxy ${refusing.url} cannot be reached (nothing listens there)`);
    }
    const gone = await callTool(await open(domain('https://127.0.0.1:1', `proxy: ${proxy.url}`)), 'shop_get_me');
    expect(gone.text).toContain('could not make the connection (502)');
    expect([...secure.seen, ...api.seen]).toEqual([]);
  });

  test.each([
    ['socks5://proxy:1080', 'socks5:// is not supported'],
    ['http://ann:secret@proxy:3128', 'contains a password, and a domain file must not contain secrets'],
    ['http://proxy:3128/path', 'nothing after them'],
    [`http://\${NOBODY}@proxy:3128`, 'needs the environment variable NOBODY'],
  ])('proxy: %s stops the start', async (address, words) => {
    await expect(open(domain(api.url, `proxy: '${address}'`))).rejects.toThrow(words);
  });
});

describe('the variables of the environment', () => {
  const chosen = (origin: string, env: Record<string, string>) =>
    chooseProxy(origin, undefined, readProxyRules(env))?.url;

  test.each([
    ['https://a.example', { HTTPS_PROXY: 'http://p:1' }, 'http://p:1'],
    ['https://a.example', { HTTPS_PROXY: 'http://p:1', https_proxy: 'http://q:2' }, 'http://q:2'],
    ['https://a.example', { HTTP_PROXY: 'http://p:1' }, undefined],
    ['http://a.example', { HTTP_PROXY: 'p:1' }, 'http://p:1'],
    ['http://a.example', { HTTP_PROXY: 'http://p:1', REQUEST_METHOD: 'GET' }, undefined],
    ['http://a.example', { http_proxy: 'http://p:1', REQUEST_METHOD: 'GET' }, 'http://p:1'],
    ['https://a.example', { HTTPS_PROXY: '' }, undefined],
    ['https://a.example', { HTTPS_PROXY: 'p:1', NO_PROXY: '*' }, undefined],
    ['https://a.example', { HTTPS_PROXY: 'p:1', NO_PROXY: 'b.example, a.example' }, undefined],
    ['https://x.a.example', { HTTPS_PROXY: 'p:1', NO_PROXY: 'a.example' }, undefined],
    ['https://x.a.example', { HTTPS_PROXY: 'p:1', no_proxy: '.a.example', NO_PROXY: 'b' }, undefined],
    ['https://xa.example', { HTTPS_PROXY: 'p:1', NO_PROXY: 'a.example' }, 'http://p:1'],
    ['https://a.example', { HTTPS_PROXY: 'p:1', NO_PROXY: 'a.example:8443' }, 'http://p:1'],
    ['https://a.example:8443', { HTTPS_PROXY: 'p:1', NO_PROXY: 'A.EXAMPLE:8443' }, undefined],
    ['https://10.1.2.3', { HTTPS_PROXY: 'p:1', NO_PROXY: '10.0.0.0/8' }, undefined],
    ['https://11.1.2.3', { HTTPS_PROXY: 'p:1', NO_PROXY: '10.0.0.0/8' }, 'http://p:1'],
    ['https://[fd00::1]', { HTTPS_PROXY: 'p:1', NO_PROXY: 'fd00::/8' }, undefined],
    ['https://localhost:1', { HTTPS_PROXY: 'p:1' }, undefined],
    ['https://api.localhost', { HTTPS_PROXY: 'p:1' }, undefined],
    ['http://127.9.9.9', { HTTP_PROXY: 'p:1' }, undefined],
    ['http://[::1]:1', { HTTP_PROXY: 'p:1' }, undefined],
  ] as [string, Record<string, string>, string | undefined][])('%s with %o: %s', (origin, env, want) => {
    expect(chosen(origin, env)).toBe(want);
  });

  test('one that cannot be a proxy stops the start, without showing its password', () => {
    const start = () => readProxyRules({ HTTPS_PROXY: 'socks5://ann:secret@p:1' });
    expect(start).toThrow('HTTPS_PROXY must be an http:// or https:// proxy');
    expect(start).not.toThrow('secret');
    expect(parseProxy('http://', 'X')).toHaveProperty('problem');
  });

  test('count for calls, unless the domain says none or another', async () => {
    const way = await leading(secure.port);
    const proxies = readProxyRules({ HTTPS_PROXY: way.url });
    const shop = (more: string) => open(domain('https://shop.example', `${tls()}${more}`), {}, { proxies });
    expect(await callTool(await shop(''), 'shop_get_me')).toMatchObject({ isError: false });
    expect(way.seen).toEqual(['CONNECT shop.example:443']);
    expect(await callTool(await shop('proxy: none'), 'shop_get_me')).toMatchObject({ isError: true });
    expect(way.seen).toHaveLength(1);
    await way.close();
  });

  test('the password of an environment proxy is taken out of answers', async () => {
    const echo = await startUpstream((_, response) => response.end('it is hunter-22'));
    const proxies = readProxyRules({ HTTPS_PROXY: 'http://ann:hunter-22@p:1' });
    const answer = await callTool(await open(domain(echo.url), {}, { proxies }), 'shop_get_me');
    await echo.close();
    expect(answer.text).not.toContain('hunter-22');
  });

  test('count when a document is fetched', async () => {
    const documents = await startUpstream((_, response) =>
      response.end(JSON.stringify({ openapi: '3.1.0', info: { title: 'T', version: '1' }, paths: {} })),
    );
    const way = await leading(Number(new URL(documents.url).port));
    const onward = await startConnectProxy();
    // By plain http the proxy is told the whole URL; the host is one that only it resolves, so it says 502.
    const failing = importDocument('http://shop.example/openapi.json', { env: { HTTP_PROXY: onward.url } });
    await expect(failing).rejects.toThrow('502');
    expect(onward.seen).toEqual(['GET http://shop.example/openapi.json']);
    await expect(
      importDocument('https://shop.example/openapi.json', { env: { HTTPS_PROXY: way.url } }),
    ).rejects.toThrow('cannot be fetched');
    expect(way.seen).toEqual(['CONNECT shop.example:443']);
    const guarded = await startConnectProxy({ userInfo: 'ann:secret' });
    await expect(
      importDocument('https://shop.example/openapi.json', { env: { HTTPS_PROXY: guarded.url } }),
    ).rejects.toThrow(`the proxy ${guarded.url} (HTTPS_PROXY) needs credentials (407)`);
    for (const server of [documents, way, onward, guarded]) await server.close();
  });
});

test('a document of a private authority is fetched with tls.ca of its domain file, through its proxy', async () => {
  const documents = await startTlsUpstream(authority.issue('localhost', ['DNS:localhost']), ({ url }, response) => {
    const paths = { '/me': { get: { operationId: 'getMe', responses: {} } } };
    const document = { openapi: '3.1.0', info: { title: 'T', version: '1' }, paths };
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify(url === '/openapi.json' ? document : { url }));
  });
  const yaml = (more: string) =>
    `name: shop\nopenapi: ${documents.url}/openapi.json\nbaseUrl: ${documents.url}\n${more}`;
  await expect(open(yaml(''))).rejects.toThrow('cannot be fetched');
  const gateway = await open(yaml(`${tls()}proxy: ${proxy.url}`));
  expect(await callTool(gateway, 'shop_get_me')).toMatchObject({ isError: false });
  expect(proxy.seen).toEqual(Array(2).fill(`CONNECT localhost:${documents.port}`));
  await documents.close();
});

describe('origins that a document chose', () => {
  const chosenBy = async (url: string, env: Record<string, string>) => {
    const source = await open(domain(url));
    const [shop] = source.domains;
    const endpoints = shop!.endpoints.map((endpoint) => ({ ...endpoint, publicOnly: true }));
    return createGateway({ domains: [{ ...shop!, endpoints }], proxies: readProxyRules(env) });
  };

  test('a private address is refused before the proxy hears of it', async () => {
    const env = { HTTPS_PROXY: proxy.url, HTTP_PROXY: proxy.url };
    for (const url of ['https://10.0.0.7', 'http://169.254.169.254', 'https://[fd00::1]']) {
      const gateway = await chosenBy(url, env);
      expect((await callTool(gateway, 'shop_get_me')).text).toContain('has a private address');
      await gateway.close();
    }
    expect(proxy.seen).toEqual([]);
  });

  test('a name is never handed to the proxy: it could look up another address', async () => {
    // This machine's own name leads to an address of its own, or to none.
    const { hostname } = await import('node:os');
    const name = hostname();
    await lookup(name).catch(() => undefined);
    const gateway = await chosenBy(`https://${name}`, { HTTPS_PROXY: proxy.url });
    expect(await callTool(gateway, 'shop_get_me')).toMatchObject({ isError: true });
    await gateway.close();
    expect(proxy.seen.filter((line) => line.includes(name))).toEqual([]);
  });

  test('a public address is asked for by address, also over http', async () => {
    const way = await leading(Number(new URL(api.url).port));
    const gateway = await chosenBy('http://192.0.2.7', { HTTP_PROXY: way.url });
    expect(await callTool(gateway, 'shop_get_me')).toMatchObject({ isError: false });
    expect(way.seen).toEqual(['CONNECT 192.0.2.7:80']);
    await gateway.close();
    await way.close();
  });
});
