// Where requests go, and that nothing but configuration decides it.
import { describe, expect, test } from 'vitest';
import { importOne, importValue, openapi } from './support.ts';

async function baseUrl(document: object, options = {}): Promise<string> {
  return (await importOne(document, options)).baseUrl;
}

const at = (servers: unknown, operation: object = {}, path: object = {}) =>
  openapi({ '/a': { ...path, get: operation } }, { servers });

describe('servers of OpenAPI 3', () => {
  test('the operation wins over the path, the path over the document', async () => {
    const url = (name: string) => [{ url: `https://${name}.example.com/` }];
    expect(await baseUrl(at(url('root')))).toBe('https://root.example.com');
    expect(await baseUrl(at(url('root'), {}, { servers: url('path') }))).toBe('https://path.example.com');
    expect(await baseUrl(at(url('root'), { servers: url('op') }, { servers: url('path') }))).toBe(
      'https://op.example.com',
    );
  });

  test('variables take what the caller gives, else their default', async () => {
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

  test('a variable without a value leaves the base URL open, and says which', async () => {
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

  test('the first http server is taken; user info, query and fragment never are', async () => {
    expect(await baseUrl(at([{ url: 'ws://example.com' }, { url: 'https://user:pw@example.com/v1/?x=1#y' }]))).toBe(
      'https://example.com/v1',
    );
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

  test('an operation may have schemes of its own; a base URL replaces basePath too', async () => {
    expect(await baseUrl(swagger({ host: 'example.com', schemes: ['https'] }, { schemes: ['http'] }))).toBe(
      'http://example.com',
    );
    expect(await baseUrl(swagger({ host: 'example.com', basePath: '/v1' }), { baseUrl: 'http://127.0.0.1:9' })).toBe(
      'http://127.0.0.1:9',
    );
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
