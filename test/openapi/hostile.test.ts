// Hostile documents: each ends in a clear error, in quarantine or in tools, at little cost.
import { describe, expect, test } from 'vitest';
import { importValue, openapi, plain, withBody } from './support.ts';

const posting = (schema: unknown) => ({
  post: { requestBody: { required: true, content: { 'application/json': { schema } } } },
});
const fine = { get: { operationId: 'fine' } };

describe('one bad operation', () => {
  test('with schemas nested too deep is quarantined; the others work', async () => {
    let deep: unknown = { type: 'string' };
    for (let level = 0; level < 210; level++) deep = { items: deep };
    const domain = await importValue(openapi({ '/deep': posting(deep), '/fine': fine }));
    expect(domain.endpoints.map(({ action }) => action)).toEqual(['fine']);
    expect(domain.quarantined[0]?.reason).toContain('nested more than 200 levels');
  });

  test('with too many schemas behind its $refs is quarantined', async () => {
    const properties = Object.fromEntries(Array.from({ length: 300 }, (_, index) => [`p${index}`, { type: 'string' }]));
    const schemas = Object.fromEntries(
      Array.from({ length: 20 }, (_, index) => [
        `S${index}`,
        { type: 'object', properties: { ...properties, next: { $ref: `#/components/schemas/S${index + 1}` } } },
      ]),
    );
    Object.assign(schemas, { S20: { type: 'string' } });
    const document = openapi(
      {
        '/big': posting({ $ref: '#/components/schemas/S0' }),
        '/small': posting({ $ref: '#/components/schemas/S19' }),
        '/fine': fine,
      },
      { components: { schemas } },
    );
    const domain = await importValue(document, { limits: { maxSchemas: 2_000 } });
    expect(domain.quarantined).toMatchObject([
      { path: '/big', reason: expect.stringContaining('more than 2000 schemas') },
    ]);
    expect(domain.endpoints).toHaveLength(2);
  });

  test('with thousands of parameters is quarantined', async () => {
    const parameters = Array.from({ length: 2_000 }, (_, index) => ({ name: `p${index}`, in: 'query', schema: {} }));
    const domain = await importValue(openapi({ '/many': { get: { parameters } }, '/fine': fine }));
    expect(domain.quarantined[0]?.reason).toContain('it takes 2000 arguments');
  });
});

describe('large things', () => {
  test('an enum of 100,000 values is kept in memory once', async () => {
    const values = Array.from({ length: 100_000 }, (_, index) => `value${index}`);
    const domain = await importValue(
      openapi(
        { '/a': { get: { parameters: [{ name: 'p', in: 'query', schema: { $ref: '#/components/schemas/E' } }] } } },
        { components: { schemas: { E: { type: 'string', enum: values } } } },
      ),
    );
    const schema = domain.endpoints[0]!.inputSchema as { $defs: { E: { enum: unknown[] } } };
    expect(schema.$defs.E.enum).toHaveLength(100_000);
  });

  test('defaults and examples too large or too deep to show are left out', async () => {
    let deep: unknown = 1;
    for (let level = 0; level < 100; level++) deep = [deep];
    const schema = {
      type: 'object',
      properties: {
        a: { default: deep },
        b: { example: Array.from({ length: 100_000 }, () => 1) },
        c: { default: 'x'.repeat(10_000) },
        d: { default: 1 },
      },
    };
    const [endpoint] = (await importValue(withBody(schema))).endpoints;
    expect(JSON.parse(JSON.stringify(endpoint!.inputSchema)).properties).toEqual({
      a: {},
      b: {},
      c: {},
      d: { default: 1 },
    });
  });

  test('a fan-out of $refs that would explode if inlined stays small', async () => {
    const schemas: Record<string, unknown> = { L0: { type: 'string' } };
    for (let level = 1; level <= 40; level++) {
      const ref = { $ref: `#/components/schemas/L${level - 1}` };
      schemas[`L${level}`] = { type: 'object', properties: { a: ref, b: ref, c: ref } };
    }
    const [endpoint] = (
      await importValue(withBody({ $ref: '#/components/schemas/L40' }, {}, { components: { schemas } }))
    ).endpoints;
    expect(JSON.stringify(endpoint!.inputSchema).length).toBeLessThan(20_000);
  });

  test('a fan-out of allOf merges every branch once', async () => {
    const schemas: Record<string, unknown> = { L0: { type: 'object', properties: { x: { type: 'string' } } } };
    for (let level = 1; level <= 40; level++) {
      const ref = { $ref: `#/components/schemas/L${level - 1}` };
      schemas[`L${level}`] = { allOf: [ref, ref, { properties: { [`p${level}`]: {} } }] };
    }
    const [endpoint] = (
      await importValue(withBody({ $ref: '#/components/schemas/L40' }, {}, { components: { schemas } }))
    ).endpoints;
    expect(endpoint!.args.length).toBeLessThanOrEqual(41);
  });

  test('unions of unions in a form do not multiply', async () => {
    const schemas: Record<string, unknown> = { L0: { type: 'object', properties: { x: { type: 'string' } } } };
    for (let level = 1; level <= 30; level++) {
      const ref = { $ref: `#/components/schemas/L${level - 1}` };
      schemas[`L${level}`] = {
        oneOf: [ref, { ...ref, description: 'again' }, { type: 'object', properties: { [`p${level}`]: {} } }],
      };
    }
    const requestBody = { content: { 'multipart/form-data': { schema: { $ref: '#/components/schemas/L30' } } } };
    const domain = await importValue(openapi({ '/a': { post: { requestBody } } }, { components: { schemas } }));
    expect(domain.endpoints.length + domain.quarantined.length).toBe(1);
  });

  test('a pattern with catastrophic backtracking is kept for a linear regex engine', async () => {
    const [endpoint] = (
      await importValue(withBody({ type: 'object', properties: { a: { type: 'string', pattern: '^(a+)+$' } } }))
    ).endpoints;
    expect(endpoint!.inputSchema).toMatchObject({ properties: { a: { pattern: '^(a+)+$' } } });
  });
});

describe('names of Object.prototype', () => {
  test('__proto__, constructor and the like are data everywhere', async () => {
    const text = `{
      "openapi": "3.1.0", "info": {"title": "constructor", "version": "1"}, "__proto__": {"polluted": true},
      "servers": [{"url": "https://x.example"}],
      "paths": {
        "__proto__": {"get": {"operationId": "__proto__", "tags": ["__proto__"]}},
        "/constructor/{constructor}": {"post": {"operationId": "constructor",
          "parameters": [{"name": "__proto__", "in": "query", "schema": {"$ref": "#/components/schemas/__proto__"}}],
          "requestBody": {"required": true, "content": {"application/json": {"schema": {"type": "object", "required": ["__proto__"],
            "properties": {"__proto__": {"type": "string"}, "hasOwnProperty": {"$ref": "#/components/schemas/toString"}}}}}}}},
        "/ref": {"post": {"requestBody": {"content": {"application/json": {"schema": {"$ref": "#/components/schemas/valueOf"}}}}}}
      },
      "components": {"schemas": {"__proto__": {"type": "integer"}, "toString": {"type": "boolean"}},
        "securitySchemes": {"__proto__": {"type": "http", "scheme": "basic"}}},
      "security": [{"__proto__": []}]
    }`;
    const domain = await importValue(text);
    expect(domain.endpoints.map(({ action }) => action)).toEqual(['proto', 'constructor']);
    // Not defined by the document, whatever Object.prototype has.
    expect(domain.quarantined).toMatchObject([{ path: '/ref', reason: expect.stringContaining('points to nothing') }]);
    const [, endpoint] = domain.endpoints;
    expect(endpoint!.args.map(({ key, to }) => [key, JSON.stringify(to)])).toEqual([
      ['constructor_', expect.stringContaining('"name":"constructor"')],
      ['proto', expect.stringContaining('"in":"query","name":"__proto__"')],
      ['body_proto', '[{"in":"body","at":["__proto__"]}]'],
      ['hasOwnProperty', '[{"in":"body","at":["hasOwnProperty"]}]'],
    ]);
    expect(JSON.parse(JSON.stringify(endpoint!.inputSchema))).toMatchObject({
      properties: { proto: { $ref: '#/$defs/proto' }, hasOwnProperty: { $ref: '#/$defs/toString' } },
      $defs: { proto: { type: 'integer' }, toString: { type: 'boolean' } },
    });
    expect(endpoint!.security[0]![0]).toMatchObject({
      kind: 'basic',
      username: { variable: 'LANDBRIDGE_CRED_CONSTRUCTOR_PROTO_USERNAME' },
    });
    expect(({} as { polluted?: unknown }).polluted).toBeUndefined();
  });
});

describe('wrong types everywhere', () => {
  const nonsense = [null, true, 7, 'x', [], [[]], {}];
  test.each(nonsense.map((value) => [JSON.stringify(value), value]))(
    '%s in every place never throws anything but a named error',
    async (_, value) => {
      const places: ((document: Record<string, unknown>) => void)[] = [
        (document) => Object.assign(document, { info: value }),
        (document) => Object.assign(document, { paths: value }),
        (document) => Object.assign(document, { servers: value }),
        (document) => Object.assign(document, { servers: [value] }),
        (document) => Object.assign(document, { security: value }),
        (document) => Object.assign(document, { security: [value] }),
        (document) => Object.assign(document, { components: value }),
        (document) => Object.assign(document, { components: { securitySchemes: value, schemas: value } }),
        (document) =>
          Object.assign(document, { security: [{ a: value }], components: { securitySchemes: { a: value } } }),
        (document) => Object.assign(document, { 'x-mcp': value }),
        (document) => Object.assign(document, { paths: { '/a': value } }),
        (document) => Object.assign(document, { paths: { '/a': { get: value } } }),
        ...[
          'parameters',
          'requestBody',
          'responses',
          'tags',
          'security',
          'servers',
          'operationId',
          'summary',
          'description',
          'x-mcp',
          'deprecated',
          'consumes',
        ].map(
          (key) => (document: Record<string, unknown>) =>
            Object.assign(document, { paths: { '/a': { get: { [key]: value } } } }),
        ),
        (document) => Object.assign(document, { paths: { '/a': { get: { parameters: [value] } } } }),
        ...['name', 'in', 'schema', 'content', 'style', 'explode', 'required', 'example', 'examples', 'x-mcp'].map(
          (key) => (document: Record<string, unknown>) =>
            Object.assign(document, {
              paths: { '/a': { get: { parameters: [{ name: 'p', in: 'query', schema: {}, [key]: value }] } } },
            }),
        ),
        ...['content', 'required', 'description'].map(
          (key) => (document: Record<string, unknown>) =>
            Object.assign(document, { paths: { '/a': { post: { requestBody: { [key]: value } } } } }),
        ),
        (document) =>
          Object.assign(document, {
            paths: { '/a': { post: { requestBody: { content: { 'application/json': value } } } } },
          }),
        (document) =>
          Object.assign(document, {
            paths: {
              '/a': {
                post: {
                  requestBody: {
                    content: {
                      'multipart/form-data': {
                        schema: { type: 'object', properties: { a: value } },
                        encoding: { a: value },
                      },
                    },
                  },
                },
              },
            },
          }),
        (document) => Object.assign(document, { paths: { '/a': { get: { responses: { 200: value } } } } }),
        (document) =>
          Object.assign(document, {
            paths: { '/a': { get: { responses: { 200: { content: { 'application/json': value } } } } } },
          }),
        ...[
          'type',
          'properties',
          'required',
          'items',
          'allOf',
          'oneOf',
          'anyOf',
          'not',
          'if',
          'enum',
          'const',
          'default',
          'example',
          'examples',
          'additionalProperties',
          'patternProperties',
          'dependencies',
          'dependentRequired',
          'dependentSchemas',
          'discriminator',
          'pattern',
          'format',
          'minimum',
          'exclusiveMinimum',
          'minLength',
          'multipleOf',
          'uniqueItems',
          'nullable',
          'readOnly',
          '$ref',
          '$id',
          '$anchor',
          '$dynamicRef',
          'prefixItems',
          'title',
          'description',
        ].map(
          (key) => (document: Record<string, unknown>) =>
            Object.assign(document, {
              paths: {
                '/a': posting({ type: 'object', properties: { a: { [key]: value }, b: { type: 'string' } } }),
                '/b': posting({ [key]: value }),
              },
            }),
        ),
      ];
      for (const version of [{ openapi: '3.0.3' }, { openapi: '3.2.0' }, { swagger: '2.0', host: 'x.example' }]) {
        for (const place of places) {
          const document: Record<string, unknown> = {
            ...version,
            info: { title: 'T', version: '1' },
            paths: { '/a': { get: {} } },
          };
          place(document);
          try {
            const domain = await importValue(document);
            for (const endpoint of domain.endpoints) JSON.stringify([endpoint, domain.warnings]);
          } catch (error) {
            expect([place.toString(), error]).toEqual([
              place.toString(),
              expect.objectContaining({ name: 'GatewayError' }),
            ]);
          }
        }
      }
    },
  );
});

describe('cycles and unions that multiply', () => {
  test('a hundred schemas that all extend each other', async () => {
    const names = Array.from({ length: 100 }, (_, index) => `S${index}`);
    const all = names.map((name) => ({ $ref: `#/components/schemas/${name}` }));
    const schemas = Object.fromEntries(names.map((name) => [name, { allOf: all, properties: { [name]: {} } }]));
    const domain = await importValue(
      withBody({ type: 'object', properties: { x: all[0], y: {} } }, {}, { components: { schemas } }),
    );
    expect(JSON.stringify(domain.endpoints[0]!.inputSchema).length).toBeLessThan(5_000_000);
  });

  test('a chain of ten thousand bases', async () => {
    const schemas: Record<string, unknown> = { S0: { type: 'object' } };
    for (let index = 1; index <= 10_000; index++)
      schemas[`S${index}`] = { allOf: [{ $ref: `#/components/schemas/S${index - 1}` }] };
    const domain = await importValue(
      withBody({ $ref: '#/components/schemas/S10000' }, {}, { components: { schemas } }),
    );
    expect(Object.keys((domain.endpoints[0]!.inputSchema as { $defs: object }).$defs)).toHaveLength(10_001);
  });

  test('variants of variants in a form', async () => {
    const schemas: Record<string, unknown> = { L0: { type: 'object', properties: { x: { type: 'string' } } } };
    for (let level = 1; level <= 20; level++) {
      const ref = { $ref: `#/components/schemas/L${level - 1}` };
      schemas[`L${level}`] = { oneOf: [ref, { allOf: [ref] }] };
    }
    const requestBody = { content: { 'multipart/form-data': { schema: { $ref: '#/components/schemas/L20' } } } };
    const domain = await importValue(openapi({ '/a': { post: { requestBody } } }, { components: { schemas } }));
    expect(domain.endpoints.length + domain.quarantined.length).toBe(1);
  });

  test('a oneOf whose branches are allOfs of many references, sixteen deep', async () => {
    const schemas: Record<string, unknown> = { S16: { type: 'object', properties: { a: { type: 'string' } } } };
    for (let level = 0; level < 16; level++) {
      schemas[`S${level}`] = {
        allOf: Array.from({ length: 50 }, () => ({ $ref: `#/components/schemas/S${level + 1}` })),
      };
    }
    const body = { oneOf: [{ $ref: '#/components/schemas/S0' }, { type: 'string' }] };
    const domain = await importValue(withBody(body, {}, { components: { schemas } }));
    expect(plain(domain.endpoints[0]!.inputSchema)).toMatchObject({
      properties: { body: { oneOf: [{ $ref: '#/$defs/S0' }, { type: 'string' }] } },
    });
  });

  test('an allOf of a thousand branches, four deep, behind a cursor', async () => {
    const schemas: Record<string, unknown> = { L0: { type: 'object', properties: { next_cursor: {} } } };
    for (let level = 1; level <= 4; level++) {
      schemas[`L${level}`] = {
        allOf: Array.from({ length: 1_000 }, () => ({ $ref: `#/components/schemas/L${level - 1}` })),
      };
    }
    const get = {
      parameters: [{ name: 'cursor', in: 'query', schema: {} }],
      responses: { 200: { content: { 'application/json': { schema: { $ref: '#/components/schemas/L4' } } } } },
    };
    const domain = await importValue(openapi({ '/a': { get } }, { components: { schemas } }));
    expect(domain.endpoints[0]!.pagination).toEqual({ kind: 'cursor', arg: 'cursor', nextFrom: 'next_cursor' });
  });
});

describe('a document cannot relax effects and guards', () => {
  const destroying = (extension: unknown, more: object = {}) =>
    importValue(openapi({ '/a/{id}': { delete: { operationId: 'gone', 'x-mcp': extension } } }, more));

  test('an effect below that of the method is ignored, with a warning that has the pointer', async () => {
    for (const effect of ['read', 'write']) {
      const domain = await destroying({ effect });
      expect(domain.endpoints[0]).toMatchObject({ effect: 'destructive', provenance: { effect: 'the HTTP method' } });
      expect(domain.warnings).toContainEqual(
        `standard input: /paths/~1a~1{id}/delete/x-mcp: effect: ${effect} is laxer than destructive (the HTTP method) and was ignored; only a domain file may relax an effect.`,
      );
    }
    const inherited = await importValue(openapi({ '/a': { 'x-mcp': { effect: 'read' }, post: {}, get: {} } }));
    expect(inherited.endpoints.map(({ effect }) => effect)).toEqual(['write', 'read']);
    expect(inherited.warnings.join()).toContain('/paths/~1a/post/x-mcp: effect: read');
    const named = await importValue(openapi({ '/a/purge': { post: { 'x-mcp': { effect: 'write' } } } }));
    expect(named.endpoints[0]).toMatchObject({ effect: 'destructive', effectReason: 'POST, but its path is /a/purge' });
    expect(named.warnings.join()).toContain('effect: write is laxer than destructive (POST, but its path is /a/purge)');
  });

  test('guard: allow is ignored', async () => {
    const domain = await destroying(
      { guard: 'allow' },
      { 'x-mcp': { guard: { write: 'allow', destructive: 'allow' } } },
    );
    expect(domain.guard).toEqual({});
    expect(domain.endpoints[0]).not.toHaveProperty('guard');
    expect(domain.warnings).toEqual(
      expect.arrayContaining([
        'standard input: /x-mcp: guard.write: allow is ignored; only a domain file may set it.',
        'standard input: /x-mcp: guard.destructive: allow is ignored; only a domain file may set it.',
        'standard input: /paths/~1a~1{id}/delete/x-mcp: guard: allow is ignored; only a domain file may set it.',
      ]),
    );
  });

  test('stricter effects and guards are used', async () => {
    const domain = await destroying({ guard: 'deny' }, { 'x-mcp': { guard: { write: 'confirm' } } });
    expect(domain.guard).toEqual({ write: 'confirm' });
    expect(domain.endpoints[0]).toMatchObject({ guard: 'deny', effect: 'destructive' });
    const marked = await importValue(openapi({ '/a': { get: { 'x-mcp': { effect: 'destructive' } } } }));
    expect(marked.endpoints[0]).toMatchObject({ effect: 'destructive', provenance: { effect: 'x-mcp' } });
    expect([...domain.warnings, ...marked.warnings].join()).not.toContain('x-mcp');
  });
});

test('the search for duplicate keys is linear, for nested and for long texts', async () => {
  const paths = { '/a': { get: { operationId: 'a' } } };
  const escapes = '\\"'.repeat(1_000_000);
  const flat = Array.from({ length: 100_000 }, (_, index) => `"k${index % 50_000}":0`).join();
  const nested = `${'{"a":'.repeat(400)}{"b":1,"b":2}${'}'.repeat(400)}`;
  const text = `{"openapi":"3.0.0","x-long":"${escapes}","x-flat":{${flat}},"x-deep":${nested},"paths":${JSON.stringify(paths)}}`;
  const domain = await importValue(text);
  expect(domain.endpoints).toHaveLength(1);
  expect(domain.warnings.filter((warning) => warning.includes('twice'))).toHaveLength(10);
});
