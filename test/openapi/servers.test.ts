// Where requests are sent.
import { describe, expect, test } from 'vitest';
import { importDocument } from '../../src/openapi/import-document.ts';
import { startUpstream } from '../support/upstream.ts';
import { importOne, importValue, openapi } from './support.ts';

async function baseUrl(document: object, options = {}): Promise<string> {
  return (await importOne(document, options)).baseUrl;
}

const at = (servers: unknown, operation: object = {}, path: object = {}) =>
  openapi({ '/a': { ...path, get: operation } }, { servers });

describe('servers of OpenAPI 3', () => {
  test('those of the operation replace those of the path, and those those of the document', async () => {
    const url = (name: string) => [{ url: `https://${name}.example.com/` }];
    expect(await baseUrl(at(url('root')))).toBe('https://root.example.com');
    expect(await baseUrl(at(url('root'), {}, { servers: url('path') }))).toBe('https://path.example.com');
    expect(await baseUrl(at(url('root'), { servers: url('op') }, { servers: url('path') }))).toBe(
      'https://op.example.com',
    );
  });

  test('variables have the value of the operator, else their default', async () => {
    const servers = [
      {
        url: 'https://{name}.example.com:{port}/{v}',
        variables: { name: { default: 'demo' }, port: { default: '8443' }, v: { enum: ['v1', 'v2'] } },
      },
    ];
    expect(await baseUrl(at(servers))).toBe('https://demo.example.com:8443/v1');
    expect(await baseUrl(at(servers), { serverVariables: { name: 'me', v: 'v2' } })).toBe(
      'https://me.example.com:8443/v2',
    );
  });

  test('a variable without a value leaves the base URL empty, with a warning that names it', async () => {
    const domain = await importValue(
      at([{ url: 'https://{tenant}.example.com' }, { url: 'https://other.example.com' }]),
    );
    expect(domain.endpoints[0]!.baseUrl).toBe('');
    expect(domain.warnings.join()).toMatch(
      /base URL is needed for every operation: .*needs a value for \{tenant\}.*--base-url/,
    );
  });

  test.each([
    ['no servers at all', undefined],
    ['a relative server in a file', [{ url: '/api' }]],
    ['a server that is not http', [{ url: 'wss://example.com' }]],
    ['a server that is nonsense', [{ url: 'http://[bad' }]],
  ])('%s: the domain imports and says that a base URL is needed', async (_, servers) => {
    const domain = await importValue(at(servers));
    expect(domain.endpoints[0]!.baseUrl).toBe('');
    expect(domain.warnings.join()).toContain('base URL is needed');
    expect((await importValue(at(servers), { baseUrl: 'http://127.0.0.1:9/x/' })).endpoints[0]!.baseUrl).toBe(
      'http://127.0.0.1:9/x',
    );
  });

  test.each(['/\\[bad', '/\\other.example.com/v1'])(
    'a path that is none, %s, is said; the operator writes one',
    async (url) => {
      const swagger = { swagger: '2.0', info: { title: 'T', version: '1' }, host: 'a.b', basePath: url };
      for (const document of [at([{ url }]), { ...swagger, paths: { '/a': { get: { responses: {} } } } }]) {
        const { endpoints, warnings } = await importValue(document, { baseUrl: 'https://h.example.com' });
        expect([endpoints[0]!.baseUrl, warnings.join()]).toEqual([
          '',
          expect.stringContaining(`${url}, is not a valid path`),
        ]);
        expect(await baseUrl(document, { baseUrl: 'https://h.example.com/.' })).toBe('https://h.example.com');
      }
      const both = at([{ url }, { url: '/v2' }]);
      expect(await baseUrl(both, { baseUrl: 'https://h.example.com' })).toBe('https://h.example.com/v2');
    },
  );

  test('the first http server is used, without user info, query and fragment', async () => {
    expect(await baseUrl(at([{ url: 'ws://example.com' }, { url: 'https://user:pw@example.com/v1/?x=1#y' }]))).toBe(
      'https://example.com/v1',
    );
  });
});

describe('a base URL that ends with its host keeps the path of the document', () => {
  test.each([
    ['/api', 'http://127.0.0.1:9/api'],
    ['api/v1/', 'http://127.0.0.1:9/api/v1'],
    ['https://api.example.com/v1', 'http://127.0.0.1:9/v1'],
    ['//api.example.com/v1', 'http://127.0.0.1:9/v1'],
    ['https://{tenant}.example.com/v1', 'http://127.0.0.1:9/v1'],
    ['{scheme}://{host}/v1', 'http://127.0.0.1:9/v1'],
    ['{root}/v1', 'http://127.0.0.1:9/v1'],
    ['https://api.example.com/{version}', 'http://127.0.0.1:9/2024'],
    ['https://api.example.com', 'http://127.0.0.1:9'],
  ])('%s', async (url, want) => {
    const servers = [{ url, variables: { version: { default: '2024' } } }];
    expect(await baseUrl(at(servers), { baseUrl: 'http://127.0.0.1:9' })).toBe(want);
  });

  test('a path without a leading slash is relative to the address of the document', async () => {
    const host = await startUpstream((_, response) => response.end(JSON.stringify(at([{ url: 'v3' }]))));
    const urls = ['http://127.0.0.1:9', undefined].map(async (base) => {
      const options = { env: {}, ...(base !== undefined && { baseUrl: base }) };
      return (await importDocument(`${host.url}/docs/spec.json`, options)).endpoints[0]!.baseUrl;
    });
    expect(await Promise.all(urls)).toEqual(['http://127.0.0.1:9/docs/v3', `${host.url}/docs/v3`]);
    await host.close();
  });

  test('or that of the operation or the path item, if they have servers', async () => {
    const servers = (path: string) => [{ url: `https://files.example.com/${path}` }];
    const here = { baseUrl: 'http://127.0.0.1:9' };
    expect(await baseUrl(at(servers('v1'), { servers: servers('v2') }), here)).toBe('http://127.0.0.1:9/v2');
    expect(await baseUrl(at(servers('v1'), {}, { servers: servers('v3') }), here)).toBe('http://127.0.0.1:9/v3');
  });

  test('a trailing slash is not a path, /. means the root, any other path replaces all', async () => {
    const document = at([{ url: '/api' }]);
    expect(await baseUrl(document, { baseUrl: 'http://127.0.0.1:9/' })).toBe('http://127.0.0.1:9/api');
    expect(await baseUrl(document, { baseUrl: 'http://127.0.0.1:9/.' })).toBe('http://127.0.0.1:9');
    expect(await baseUrl(document, { baseUrl: 'http://127.0.0.1:9/x' })).toBe('http://127.0.0.1:9/x');
  });

  test('a variable in that path without a value is reported', async () => {
    const domain = await importValue(at([{ url: 'https://api.example.com/{account}' }]), {
      baseUrl: 'http://127.0.0.1:9',
    });
    expect(domain.endpoints[0]!.baseUrl).toBe('');
    expect(domain.warnings.join()).toContain('needs a value for {account}. Set it under serverVariables');
  });
});

describe('a server that the operator did not choose is reported', () => {
  const two = [
    { url: 'https://api.example.com', description: 'Production' },
    { url: 'https://sandbox.example.com', description: 'Sandbox' },
  ];

  test('the first of several, the others, and how to choose', async () => {
    expect((await importValue(at(two))).warnings).toEqual([
      'Requests go to https://api.example.com (Production), the first of 2 servers of the document; the others: https://sandbox.example.com (Sandbox). Choose with --base-url, or server: in the domain file.',
    ]);
  });

  test.each(['sandbox', 'https://sandbox.example.com'])('the one called %s is taken', async (server) => {
    const domain = await importValue(at(two), { server });
    expect([domain.endpoints[0]!.baseUrl, domain.warnings]).toEqual(['https://sandbox.example.com', []]);
  });

  test('an unknown server name is an error', async () => {
    await expect(importValue(at(two), { server: 'staging' })).rejects.toThrow(
      'there is no server "staging"; the document has Production, Sandbox',
    );
  });

  test('with the default values of its variables, and their alternatives', async () => {
    const servers = [
      {
        url: 'https://{region}.example.com/{v}',
        variables: { region: { default: 'eu', enum: ['eu', 'us'] }, v: { enum: ['1'] } },
      },
    ];
    expect((await importValue(at(servers))).warnings).toEqual([
      'Requests go to https://eu.example.com/1: the document has variables in https://{region}.example.com/{v}, and their defaults are {region} = "eu" (or us), {v} = "1". To change them, set serverVariables: in the domain file, or use --base-url.',
    ]);
    const serverVariables = { region: 'us', v: '1' };
    expect((await importValue(at(servers), { serverVariables })).warnings).toEqual([]);
    expect((await importValue(at(servers), { baseUrl: 'http://127.0.0.1:9' })).warnings).toEqual([]);
  });

  test('also for servers of an operation', async () => {
    const { warnings } = await importValue(at([{ url: 'https://api.example.com' }], { servers: [...two].reverse() }));
    expect(warnings.join()).toContain('(Sandbox), the first of 2 servers of the operation');
  });
});

describe('host and basePath of 2.0', () => {
  const swagger = (more: object, operation: object = {}) => ({
    swagger: '2.0',
    info: { title: 'T', version: '1' },
    paths: { '/a': { get: operation } },
    ...more,
  });

  test.each([
    [{ host: 'example.com' }, 'https://example.com'],
    [{ host: 'example.com:8080', basePath: '/v1/', schemes: ['http'] }, 'http://example.com:8080/v1'],
    [{ host: 'example.com', basePath: 'v1', schemes: ['http', 'https'] }, 'https://example.com/v1'],
    [{ host: 'https://example.com' }, 'https://example.com'],
    [{ basePath: '/v1' }, ''],
    [{ host: 'example.com', schemes: ['ws'] }, ''],
  ])('%j', async (more, want) => {
    expect(await baseUrl(swagger(more))).toBe(want);
  });

  test('an operation may have schemes of its own; a base URL with a path replaces basePath too', async () => {
    expect(await baseUrl(swagger({ host: 'example.com', schemes: ['https'] }, { schemes: ['http'] }))).toBe(
      'http://example.com',
    );
    const at9 = (url: string) => baseUrl(swagger({ host: 'example.com', basePath: '/v1' }), { baseUrl: url });
    expect(await at9('http://127.0.0.1:9')).toBe('http://127.0.0.1:9/v1');
    expect(await at9('http://127.0.0.1:9/')).toBe('http://127.0.0.1:9/v1');
    expect(await at9('http://127.0.0.1:9/.')).toBe('http://127.0.0.1:9');
    expect(await at9('http://127.0.0.1:9/v2')).toBe('http://127.0.0.1:9/v2');
  });
});

test.each([
  'api.example.com',
  'ftp://example.com',
  'https://u:p@example.com',
  'https://example.com/?a=1',
  'https://example.com/#x',
])('the base URL %s is refused', async (url) => {
  await expect(importValue(at([]), { baseUrl: url })).rejects.toMatchObject({
    code: 'BAD_CONFIG',
    message: expect.stringContaining('https://api.example.com/v1'),
  });
});
