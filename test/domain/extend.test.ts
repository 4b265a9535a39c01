// Arguments a domain file adds to an imported operation, and operations it opens: what is sent, and what is refused.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { stringify } from 'yaml';
import { defineDomain } from '../../src/domain/definition/define-domain.ts';
import { loadDomains } from '../../src/domain/load.ts';
import { buildDocumentDomain } from '../../src/domain/openapi-domain.ts';
import type { Args, Endpoint } from '../../src/endpoint/model.ts';
import { compileRequest } from '../../src/executor/request/build-request.ts';
import { createGateway } from '../../src/gateway.ts';
import { createValidator } from '../../src/schema/check/validator.ts';
import { exampleCalls } from '../../src/schema/example-calls.ts';
import { modern } from '../support/mcp.ts';

const search = {
  type: 'object',
  properties: { query: { type: 'object' }, size: { type: 'integer' }, secret: { type: 'string', 'x-mcp': false } },
};
const DOCUMENT = {
  openapi: '3.0.3',
  info: { title: 'Index', version: '1' },
  servers: [{ url: 'https://index.test' }],
  security: [{ key: [] }],
  components: { securitySchemes: { key: { type: 'apiKey', in: 'query', name: 'api_key' } } },
  paths: {
    '/{index}/_search': {
      post: { operationId: 'search', requestBody: { content: { 'application/json': { schema: search } } } },
    },
    '/_cat': {
      get: { operationId: 'cat', parameters: [{ name: 'h', in: 'query', schema: { type: 'string' } }] },
    },
    '/do?Action=List': {
      get: { operationId: 'do', parameters: [{ name: 'tenant', in: 'query', schema: { type: 'string' } }] },
    },
    '/_bulk': {
      post: {
        operationId: 'bulk',
        requestBody: { content: { 'application/x-ndjson': { schema: { type: 'string' } } } },
      },
    },
    '/_raw': {
      post: {
        operationId: 'raw',
        requestBody: { content: { 'application/json': { schema: { type: 'array', items: {} } } } },
      },
    },
  },
};

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'extend-'));
  writeFileSync(join(folder, 'index-api.yaml'), stringify(DOCUMENT));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

async function load(operations: object, more: object = {}) {
  const file = join(folder, 'index.yaml');
  writeFileSync(file, stringify({ name: 'index', prefix: '', openapi: './index-api.yaml', operations, ...more }));
  const [domain] = await loadDomains({ paths: [file], env: { LANDBRIDGE_CRED_INDEX_KEY: 'k' } });
  return domain!;
}

async function endpointOf(operationId: string, curation: object): Promise<Endpoint> {
  const { endpoints } = await load({ [operationId]: curation });
  return endpoints.find(({ source }) => source.operationId === operationId)!;
}

async function message(operations: object): Promise<string> {
  const error = await load(operations).then(
    () => new Error('it loaded'),
    (caught: Error) => caught,
  );
  expect(error).toMatchObject({ code: 'BAD_DOMAIN' });
  return error.message.replaceAll(`${folder}/`, '');
}

/** What a call puts on the wire. */
function send(endpoint: Endpoint, args: Args): { path: string; headers: Record<string, string>; body: unknown } {
  const checked = createValidator(endpoint)(endpoint.toolName, args);
  const { path, headers, body } = compileRequest(endpoint, 'test', endpoint.toolName).build(
    checked,
    endpoint.toolName,
    undefined,
  );
  return { path, headers, body: body === null ? undefined : JSON.parse(String(body)) };
}

describe('arguments that the document lacks', () => {
  const args = {
    routing: { in: 'query', type: 'string', description: 'Which shard.' },
    aggs: { in: 'body', schema: { type: 'object' }, required: true },
    opaque: { in: 'header', name: 'X-Opaque-Id', type: 'string', maxLength: 8 },
    timeout_s: { name: 'timeout', type: 'integer', default: 5 },
  };

  test('are sent where the file says, or by the default rule', async () => {
    const endpoint = await endpointOf('search', { args });
    const sent = send(endpoint, { index: 'a', size: 0, aggs: { x: {} }, routing: 'r', opaque: 'me' });
    expect(sent.path).toBe('/a/_search?routing=r');
    expect(sent.headers['x-opaque-id']).toBe('me');
    expect(sent.body).toEqual({ size: 0, aggs: { x: {} }, timeout: 5 });
    expect(endpoint.provenance).toMatchObject({
      'argument aggs': expect.stringContaining('operations.search.args.aggs'),
    });
  });

  test('are checked like the others', async () => {
    const endpoint = await endpointOf('search', { args });
    expect(() => send(endpoint, { index: 'a' })).toThrow(/`aggs`/);
    expect(() => send(endpoint, { index: 'a', aggs: 1 })).toThrow(/`aggs` must be object/);
    expect(() => send(endpoint, { index: 'a', aggs: {}, rooting: 'r' })).toThrow(/did you mean `routing`/);
  });

  test('give a body to an operation that has none', async () => {
    const endpoint = await endpointOf('cat', { args: { filter: { in: 'body', type: 'object' } } });
    expect(send(endpoint, { h: 'x', filter: { a: 1 } })).toMatchObject({
      path: '/_cat?h=x',
      body: { filter: { a: 1 } },
    });
    expect(send(endpoint, { h: 'x' }).body).toBeUndefined();
  });

  test('may be written with defineDomain()', async () => {
    const definition = defineDomain({
      name: 'index',
      openapi: './index-api.yaml',
      operations: {
        search: { args: { aggs: { in: 'body', type: 'object' }, size: { default: 3 } }, additional: true },
      },
    });
    const { endpoints } = await buildDocumentDomain(definition, { env: {}, source: join(folder, 'index.ts') });
    const endpoint = endpoints.find(({ source }) => source.operationId === 'search')!;
    expect(send(endpoint, { index: 'a', aggs: {}, from: 1 }).body).toEqual({ aggs: {}, size: 3, from: 1 });
  });

  const mistakes: [string, object, RegExp][] = [
    [
      'a type that is none',
      { aggs: { in: 'body', type: 'objekt' } },
      /^index\.yaml:\d+:\d+ operations\.search\.args\.aggs\.type: .*did you mean "object"/,
    ],
    ['a place that is none', { aggs: { in: 'bdy', type: 'object' } }, /operations\.search\.args\.aggs\.in: /],
    [
      'a keyword that is none',
      { aggs: { in: 'body', typ: 'object' } },
      /aggs\.typ: "typ" is not a JSON Schema keyword; did you mean "type"/,
    ],
    [
      'an argument that is there',
      { size: { in: 'body', type: 'integer' } },
      /args\.size: is already an argument in the document/,
    ],
    [
      'a place that is taken',
      { count: { in: 'body', name: 'size', type: 'integer' } },
      /args\.count: goes to the same place as "size"/,
    ],
    [
      'a place that is hidden',
      { s: { in: 'body', name: 'secret', type: 'string' } },
      /args\.s: goes to the same place as "secret"/,
    ],
    [
      'a header that says who we are',
      { who: { in: 'header', name: 'Authorization', type: 'string' } },
      /args\.who: the header Authorization cannot be an argument/,
    ],
    ['a path variable that is not there', { id: { in: 'path', type: 'string', required: true } }, /has no \{id\}/],
    ['a change to nothing', { agg: { description: 'x' } }, /there is no argument "agg".*To add one, give its place/],
  ];
  for (const [what, entry, want] of mistakes) {
    test(`refuse ${what}`, async () => {
      expect(await message({ search: { args: entry } })).toMatch(want);
    });
  }

  test('are refused in a body without fields, and if they turn a read into another operation', async () => {
    expect(await message({ bulk: { args: { x: { in: 'body', type: 'string' } } } })).toMatch(/body that is plain text/);
    expect(await message({ cat: { args: { m: { in: 'query', name: '_method', type: 'string' } } } })).toMatch(
      /would make this read another operation/,
    );
  });
});

describe('additional: true', () => {
  test('sends fields that the document does not name in the body', async () => {
    const endpoint = await endpointOf('search', { additional: true });
    const sent = send(endpoint, { index: 'a', size: 1, aggs: { x: {} }, additional_fields: { from: 2 } });
    expect(sent.body).toEqual({ size: 1, aggs: { x: {} }, from: 2 });
    expect(() => send(endpoint, { index: 'a', size: 'many' })).toThrow(/`size` must be integer/);
  });

  test('sends them as query parameters if there is no body, never as headers', async () => {
    const endpoint = await endpointOf('cat', { additional: true });
    expect(send(endpoint, { h: 'x', v: true, 'X-Opaque-Id': 'y' })).toMatchObject({
      path: '/_cat?h=x&v=true&X-Opaque-Id=y',
      headers: expect.not.objectContaining({ 'x-opaque-id': 'y' }),
    });
    expect(() => send(endpoint, { v: { deep: 1 } })).toThrow(/`v`/);
  });

  test('never replaces what is declared, hidden, fixed or a credential, nor the method', async () => {
    const curation = { additional: true, args: { size: { fixed: 7 }, query: { rename: 'q' } } };
    const endpoint = await endpointOf('search', curation);
    for (const name of ['size', 'query', 'secret']) {
      expect(() => send(endpoint, { index: 'a', [name]: 1 })).toThrow(`"${name}" is not for`);
      expect(() => send(endpoint, { index: 'a', additional_fields: { [name]: 1 } })).toThrow(`"${name}" is not for`);
    }
    for (const name of ['_method', 'X-HTTP-Method-Override'])
      expect(() => send(endpoint, { index: 'a', [name]: 'DELETE' })).toThrow(/another operation/);
    expect(() => send(endpoint, JSON.parse('{"index":"a","__proto__":{"x":1}}'))).toThrow(/never an argument/);
    const cat = await endpointOf('cat', { additional: true });
    expect(() => send(cat, { dry_run: true })).toThrow(/`dry_run` is not an argument here/);
    expect(() => send(cat, { api_key: 'other' })).toThrow(/"api_key" is not for/);
  });

  test('never replaces the token of a login', async () => {
    const key = { kind: 'login', path: '/login', method: 'GET', send: { query: 'session' } };
    const { endpoints } = await load({ cat: { additional: true } }, { credentials: { key } });
    const cat = endpoints.find(({ source }) => source.operationId === 'cat')!;
    expect(() => send(cat, { session: 'other' })).toThrow(/"session" is not for/);
  });

  test.each(['Action', 'action', 'Action[]', 'Tenant', 'tenant[]', 'tenant[0]', ' tenant ', 'API_KEY', '_method '])(
    'nor by another spelling: %j',
    async (name) => {
      const endpoint = await endpointOf('do', { additional: true, args: { tenant: { fixed: 'acme' } } });
      expect(() => send(endpoint, { additional_fields: { [name]: 'x' } })).toThrow(/is not for|another operation/);
      expect(send(endpoint, { further: 'y' }).path).toBe('/do?Action=List&further=y&tenant=acme');
    },
  );

  test("body fields may have names of the path's query", async () => {
    const endpoint = await endpointOf('search', { additional: true });
    expect(send(endpoint, { index: 'a', api_key: 'field' }).body).toEqual({ api_key: 'field' });
  });

  test('has limits', async () => {
    const endpoint = await endpointOf('search', { additional: true });
    const many = Object.fromEntries(Array.from({ length: 101 }, (_, index) => [`f${index}`, 1]));
    expect(() => send(endpoint, { index: 'a', ...many })).toThrow(/101 further fields are too many/);
    expect(() => send(endpoint, { index: 'a', ['n'.repeat(200)]: 1 })).toThrow(/too long/);
    expect(() => send(endpoint, { index: 'a', x: 1, additional_fields: { x: 2 } })).toThrow(/give it once/);
  });

  test('is advertised, and works in every mode', async () => {
    const domain = await load({
      search: { effect: 'write', additional: true, args: { routing: { in: 'query', type: 'string' } } },
    });
    const args = { index: 'a', aggs: { x: {} }, routing: 'r', dry_run: true };
    const calls = {
      tools: { name: 'search', arguments: args },
      grouped: { name: '', arguments: { action: 'search', ...args } },
      search: { name: 'call_operation', arguments: { operation: 'search', arguments: args } },
    };
    for (const [exposure, call] of Object.entries(calls)) {
      const gateway = createGateway({ domains: [domain], exposure: exposure as 'tools' });
      const tools = [...gateway.registry.tools.values()].map(({ tool }) => tool);
      const open = tools.find(
        ({ inputSchema }) => 'routing' in ((inputSchema as { properties?: object }).properties ?? {}),
      );
      if (exposure !== 'search') {
        expect(open?.inputSchema).toMatchObject({
          additionalProperties: true,
          properties: { additional_fields: { type: 'object' } },
        });
      }
      const name = call.name || open!.name;
      const reply = await gateway.handle(modern(1, 'tools/call', { ...call, name }) as never);
      expect(JSON.stringify(reply), exposure).toContain('/a/_search?routing=r');
      expect(JSON.stringify(reply), exposure).toContain('aggs');
    }
  });

  test('is a mistake if the operation cannot take further fields', async () => {
    expect(await message({ bulk: { additional: true } })).toMatch(
      /operations\.bulk\.additional: has no effect: .*plain text/,
    );
    expect(await message({ raw: { additional: true } })).toMatch(/"body" is the whole body already/);
  });

  test('accepts the examples of the document with any fields', async () => {
    const endpoint = await endpointOf('search', { additional: true });
    const documentExamples = () => [
      { of: 'body', value: { size: 1, aggs: {}, secret: 's' }, place: '', inSchema: false } as const,
    ];
    const [call] = exampleCalls({ ...endpoint, documentExamples });
    expect(() =>
      createValidator({ ...endpoint, inputSchema: call!.schema() })('search', call!.arguments),
    ).not.toThrow();
  });
});
