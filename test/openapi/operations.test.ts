// Which operations are imported, their effects, and x-mcp.
import { describe, expect, test } from 'vitest';
import { importOne, importValue, openapi, places, properties } from './support.ts';

describe('operations', () => {
  test('every method, 3.2 query and additionalOperations', async () => {
    const methods = ['get', 'put', 'post', 'delete', 'options', 'head', 'patch', 'trace', 'query'];
    const item = {
      ...Object.fromEntries(methods.map((method) => [method, {}])),
      additionalOperations: { COPY: {}, Lock: {} },
      parameters: [],
      summary: 's',
    };
    const domain = await importValue({ ...openapi({ '/x': item, 'x-ignored': { get: {} } }), openapi: '3.2.0' });
    expect(
      domain.endpoints.map(({ method, effect, idempotent }) => `${method} ${effect}${idempotent ? ' idempotent' : ''}`),
    ).toEqual([
      'GET read idempotent',
      'PUT write idempotent',
      'POST write',
      'DELETE destructive idempotent',
      'OPTIONS read idempotent',
      'HEAD read idempotent',
      'PATCH write',
      'TRACE read idempotent',
      'QUERY read idempotent',
      'COPY write',
      'Lock write',
    ]);
    expect(domain.endpoints.at(-1)!.source.pointer).toBe('/paths/~1x/additionalOperations/Lock');
  });

  test('query is not a method before 3.2', async () => {
    expect(
      (await importValue(openapi({ '/x': { get: {}, query: {}, additionalOperations: { COPY: {} } } }))).endpoints,
    ).toHaveLength(1);
  });

  test('an invalid method is quarantined', async () => {
    const domain = await importValue({
      ...openapi({ '/x': { additionalOperations: { 'A B': {}, CONNECT: {} } } }),
      openapi: '3.2.0',
    });
    expect(domain.quarantined.map(({ method, reason }) => [method, reason])).toEqual([
      ['A B', expect.stringContaining('not a method')],
      ['CONNECT', expect.stringContaining('not a method')],
    ]);
  });

  test('an operation with a problem is left out at the start, and the others are not', async () => {
    const pets = {
      get: { operationId: 'list', parameters: [{ name: 'sort', in: 'query', schema: { type: 'string' } }] },
    };
    const multipart = { 'multipart/form-data': { schema: { type: 'string' } } };
    const cats = { post: { operationId: 'add', requestBody: { content: multipart } } };
    const { endpoints, quarantined, warnings } = await importValue(
      openapi({ '/pets': pets, '/cats': cats, '/dogs/{id}': { get: { operationId: 'get' } } }),
    );
    expect(endpoints.map(({ action }) => action)).toEqual(['list_pets', 'get_dog']);
    expect(quarantined.map(({ path, reason }) => [path, reason])).toEqual([
      ['/cats', 'its multipart/form-data body is not an object with properties, so it has no fields to fill in'],
    ]);
    expect(warnings).toEqual(['standard input: GET /dogs/{id}: {id} is not declared; it is taken as a string']);
  });

  test('a document without paths is a domain without endpoints', async () => {
    const domain = await importValue({
      openapi: '3.1.0',
      info: { title: 'T', version: '1' },
      webhooks: { w: { post: {} } },
    });
    expect(domain).toMatchObject({ endpoints: [], quarantined: [] });
    expect(domain.warnings.join()).toContain('no operations');
  });

  test('operations that select refuses are neither endpoints nor quarantined', async () => {
    const document = openapi({
      '/a': { get: { operationId: 'a', tags: ['x'], deprecated: true }, post: { parameters: [{ $ref: '#/gone' }] } },
    });
    const seen: unknown[] = [];
    const domain = await importValue(document, {
      select: (operation) => {
        seen.push(operation);
        return operation.method === 'GET';
      },
    });
    expect(domain).toMatchObject({ endpoints: [{ action: 'a', deprecated: true, tags: ['x'] }], quarantined: [] });
    expect(seen).toEqual([
      {
        method: 'GET',
        path: '/a',
        operationId: 'a',
        tags: ['x'],
        deprecated: true,
        qualifiedNames: [`${domain.name}.x.a`],
        names: ['a', 'a'],
      },
      {
        method: 'POST',
        path: '/a',
        tags: [],
        deprecated: false,
        qualifiedNames: [`${domain.name}.post_a`],
        names: ['post_a', 'post_a'],
      },
    ]);
  });

  test('provenance says where names, texts and effects come from', async () => {
    const endpoint = await importOne(openapi({ '/a': { get: { operationId: 'a', summary: 'S.' } } }), {
      baseUrl: 'http://127.0.0.1:9',
    });
    expect(endpoint.source).toEqual({
      kind: 'openapi',
      file: 'standard input',
      pointer: '/paths/~1a/get',
      operationId: 'a',
    });
    expect(endpoint.provenance).toMatchObject({
      name: 'operationId',
      effect: 'the HTTP method',
      'base URL': "base URL given by the caller, with the path of the document's server",
    });
  });

  test.each([
    [{ summary: 'Run a search.' }, {}, 'summary of the operation', 'summary of the operation'],
    [{ summary: 'Run it. Slow.' }, {}, 'summary of the operation', 'summary of the operation'],
    [
      { description: 'Runs a search. Slowly.' },
      {},
      'first sentence of the description of the operation',
      'description of the operation',
    ],
    [
      { summary: 'Run it.', description: 'Runs a search.' },
      {},
      'summary of the operation',
      'description of the operation',
    ],
    [
      { description: '<!-- unseen -->', summary: 'Run it.' },
      {},
      'summary of the operation',
      'summary of the operation',
    ],
    [{}, { summary: 'Searches.' }, 'summary of the path', 'summary of the path'],
    [{}, {}, 'made from method and path', 'made from method and path'],
    [{ operationId: 'runIt' }, {}, 'made from operationId, method and path', 'made from operationId, method and path'],
    [
      { description: 'Runs.', 'x-mcp': { description: 'Runs a search.' } },
      {},
      'first sentence of the description of x-mcp',
      'description of x-mcp',
    ],
  ])('texts say what they are: %j beside %j', async (operation, pathItem, summary, description) => {
    const endpoint = await importOne(openapi({ '/a': { ...pathItem, get: operation } }));
    expect(endpoint.provenance).toMatchObject({ summary, description });
  });

  test('an endpoint cannot be changed', async () => {
    const endpoint = await importOne(openapi({ '/a': { get: {} } }));
    expect(Object.isFrozen(endpoint)).toBe(true);
  });
});

describe('x-mcp', () => {
  test('of an operation', async () => {
    const extension = {
      name: 'wipe',
      title: 'Wipe it',
      summary: 'Wipes.',
      description: 'Wipes all of it.',
      effect: 'destructive',
      idempotent: true,
      guard: 'deny',
      pinned: true,
      tags: ['danger'],
      timeoutMs: 5000,
      expose: 'both',
      response: { pick: ['a'], drop: ['*_url'], maxChars: 1000, format: 'json', structured: true },
      examples: [{ a: 1 }],
    };
    const domain = await importValue(
      openapi({ '/a': { post: { operationId: 'x', summary: 'S', tags: ['t'], 'x-mcp': extension } } }),
    );
    expect(domain.endpoints[0]).toMatchObject({
      toolName: 'wipe',
      title: 'Wipe it',
      summary: 'Wipes.',
      description: 'Wipes all of it.',
      effect: 'destructive',
      idempotent: true,
      guard: 'deny',
      tags: ['danger'],
      expose: 'both',
      examples: [{ a: 1 }],
      limits: { timeoutMs: 5000 },
      response: { pick: ['a'], drop: ['*_url'], maxChars: 1000, format: 'json', structured: true },
      provenance: { name: 'x-mcp', effect: 'x-mcp' },
    });
    expect(domain.pinned).toEqual(['wipe']);
  });

  test.each([false, { hidden: true }, { enabled: false }])(
    '%j means not offered, for an operation or a whole path',
    async (extension) => {
      const domain = await importValue(
        openapi({
          '/a': { get: { 'x-mcp': extension }, put: {} },
          '/b': { 'x-mcp': extension, get: {}, put: { 'x-mcp': { enabled: true, hidden: false } } },
        }),
      );
      expect(domain.endpoints.map(({ method, path }) => `${method} ${path}`)).toEqual(['PUT /a', 'PUT /b']);
      expect(domain.quarantined).toEqual([]);
    },
  );

  test('of a path is inherited and can be overridden', async () => {
    const domain = await importValue(
      openapi({ '/a': { 'x-mcp': { effect: 'write' }, get: {}, put: { 'x-mcp': { effect: 'destructive' } } } }),
    );
    expect(domain.endpoints.map(({ effect }) => effect)).toEqual(['write', 'destructive']);
  });

  test('of parameters and body fields: renamed, described, hidden, fixed', async () => {
    const parameters = [
      { name: 'q', in: 'query', schema: {}, 'x-mcp': { name: 'search words', description: 'What to look for.' } },
      { name: 'debug', in: 'query', schema: {}, 'x-mcp': false },
      { name: 'version', in: 'query', schema: {}, required: true, 'x-mcp': { fixed: '2' } },
    ];
    const schema = {
      type: 'object',
      properties: {
        tenant: { type: 'string', 'x-mcp': { fixed: 'acme' } },
        n: { type: 'string', 'x-mcp': { name: 'title' } },
      },
      required: ['tenant'],
    };
    const endpoint = await importOne(
      openapi({
        '/a': { post: { parameters, requestBody: { required: true, content: { 'application/json': { schema } } } } },
      }),
    );
    expect(places(endpoint)).toEqual({ search_words: 'query q', title: 'body n' });
    expect(properties(endpoint).search_words).toEqual({
      type: ['string', 'number'],
      description: 'What to look for.',
    });
    expect(endpoint.fixed).toEqual([
      { value: '2', to: expect.objectContaining({ in: 'query', name: 'version' }) },
      { value: 'acme', to: { in: 'body', at: ['tenant'] } },
    ]);
  });

  test('of the document', async () => {
    const extension = {
      name: 'shop',
      prefix: 'shop_',
      exposure: 'grouped',
      pinned: ['b', 'second'],
      guard: { destructive: 'deny', write: 'confirm' },
    };
    const domain = await importValue(
      openapi(
        { '/a': { get: { operationId: 'a' }, put: { operationId: 'b' }, post: { operationId: 'Second' } } },
        { 'x-mcp': extension },
      ),
    );
    expect(domain).toMatchObject({
      name: 'shop',
      exposure: 'grouped',
      guard: { destructive: 'deny', write: 'confirm' },
      pinned: ['shop_b', 'shop_second'],
    });
  });

  test('invalid values are ignored', async () => {
    const endpoint = await importOne(
      openapi({
        '/a': {
          get: {
            'x-mcp': { effect: 'maybe', guard: 1, tags: 'x', timeoutMs: -1, name: '', response: { maxChars: 1 } },
          },
        },
      }),
    );
    expect(endpoint).toMatchObject({
      effect: 'read',
      tags: [],
      limits: { timeoutMs: 30_000 },
      response: { maxChars: 20_000 },
    });
  });
});
