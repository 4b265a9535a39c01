// How parameters and body fields become flat arguments, case by case and as a property.
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { ARGUMENT_KEY } from '../../src/endpoint/names.ts';
import { createValidator } from '../../src/schema/check/validator.ts';
import { importOne, importValue, openapi, places, plain, properties, withBody } from './support.ts';

const string = { type: 'string' };
const object = (props: object, more: object = {}) => ({ type: 'object', properties: props, ...more });
const parameter = (where: string, name: string, more: object = {}) => ({ name, in: where, schema: string, ...more });

describe('a body becomes arguments', () => {
  test('the fields of an object body become top-level arguments', async () => {
    const endpoint = await importOne(
      withBody(object({ name: string, age: { type: 'integer' } }, { required: ['name'] })),
    );
    expect(places(endpoint)).toEqual({ name: 'body name (required)', age: 'body age' });
    expect(endpoint.body).toEqual({ mediaType: 'application/json', kind: 'json', required: true });
    expect(plain(endpoint.inputSchema)).toEqual({
      type: 'object',
      properties: { name: { type: 'string' }, age: { type: 'integer' } },
      required: ['name'],
      additionalProperties: false,
    });
  });

  test('the branches of an allOf are merged through refs, each field described by all of them', async () => {
    const schemas = {
      Base: object({ id: { type: 'string', readOnly: true }, name: string }, { required: ['id', 'name'] }),
      Thing: {
        allOf: [
          { $ref: '#/components/schemas/Base' },
          object({ name: { minLength: 2 }, size: string }),
          { required: ['size'] },
        ],
      },
    };
    const endpoint = await importOne(withBody({ $ref: '#/components/schemas/Thing' }, {}, { components: { schemas } }));
    expect(places(endpoint)).toEqual({ name: 'body name (required)', size: 'body size (required)', id: 'body id' });
    expect(properties(endpoint).name).toEqual({ allOf: [{ type: 'string' }, { minLength: 2 }] });
  });

  test.each([
    ['oneOf', { oneOf: [object({ a: string }, { required: ['a'] }), object({ b: string }, { required: ['b'] })] }],
    ['anyOf', { anyOf: [object({ a: string }), string] }],
    ['an array', { type: 'array', items: string }],
    ['a scalar', { type: 'integer' }],
    ['a free map', { type: 'object', additionalProperties: string }],
    ['a map by pattern', { type: 'object', patternProperties: { '^x-': string } }],
    ['nothing known', {}],
  ])('%s stays one argument called body, sent unwrapped', async (_, schema) => {
    const endpoint = await importOne(withBody(schema));
    expect(places(endpoint)).toEqual({ body: 'body-root (required)' });
    expect(properties(endpoint).body).toEqual(schema);
  });

  test('a union of one branch, or of one and null, is flattened', async () => {
    const endpoint = await importOne(withBody({ anyOf: [{ oneOf: [object({ a: string })] }, { type: 'null' }] }));
    expect(places(endpoint)).toEqual({ a: 'body a' });
  });

  test('a union that only lists required fields becomes a rule beside the fields', async () => {
    const schema = object({ a: string, b: string }, { anyOf: [{ required: ['a'] }, { required: ['b'] }] });
    const endpoint = await importOne(withBody(schema));
    expect(places(endpoint)).toEqual({ a: 'body a', b: 'body b' });
    expect(plain(endpoint.inputSchema)).toMatchObject({ anyOf: [{ required: ['a'] }, { required: ['b'] }] });
  });

  test('a single required wrapper is removed from the arguments and sent in the body', async () => {
    const endpoint = await importOne(
      withBody(object({ data: object({ name: string }, { required: ['name'] }) }, { required: ['data'] })),
    );
    expect(places(endpoint)).toEqual({ name: 'body name (required)' });
    expect(endpoint.body).toMatchObject({ wrap: ['data'] });
  });

  test.each([
    ['it is optional', object({ data: object({ name: string }) })],
    ['it has company', object({ data: object({ name: string }), dry: string }, { required: ['data'] })],
    ['it is an array', object({ data: { type: 'array', items: string } }, { required: ['data'] })],
  ])('a wrapper stays when %s', async (_, schema) => {
    const endpoint = await importOne(withBody(schema));
    expect(endpoint.body).not.toHaveProperty('wrap');
    expect(places(endpoint)).toHaveProperty('data');
  });

  test('fields that a body allows without naming them are one argument, additional_fields', async () => {
    const schema = object({ name: string }, { additionalProperties: { type: 'integer' } });
    const endpoint = await importOne(withBody(schema));
    expect(places(endpoint)).toEqual({ name: 'body name', additional_fields: 'body-root' });
    expect(properties(endpoint).additional_fields).toMatchObject({
      type: 'object',
      additionalProperties: { type: 'integer' },
    });
  });

  test('a body that can only be empty is sent without an argument', async () => {
    const endpoint = await importOne(withBody(object({}, { additionalProperties: false })));
    expect(endpoint.args).toEqual([]);
    expect(endpoint.fixed).toEqual([{ value: {}, to: { in: 'body-root' } }]);
  });

  test('readOnly fields are never required, and accepted at any depth', async () => {
    const inner = object({ id: { ...string, readOnly: true }, label: string }, { required: ['id', 'label'] });
    const schema = object(
      { id: { ...string, readOnly: true }, part: inner, note: string },
      { required: ['id', 'part'] },
    );
    const endpoint = await importOne(withBody(schema));
    expect(places(endpoint)).toEqual({ part: 'body part (required)', note: 'body note', id: 'body id' });
    expect(endpoint.args.filter(({ readOnly }) => readOnly).map(({ key }) => key)).toEqual(['id']);
    expect(properties(endpoint).part).toEqual({
      type: 'object',
      properties: { id: { ...string, readOnly: true }, label: string },
      required: ['label'],
    });
  });

  test('a branch cannot require what a sibling branch makes readOnly', async () => {
    const schema = object({ part: { allOf: [object({ id: { ...string, readOnly: true } }), { required: ['id'] }] } });
    expect(properties(await importOne(withBody(schema))).part).toEqual({
      allOf: [{ type: 'object', properties: { id: { ...string, readOnly: true } } }, {}],
    });
  });

  test('the fields of an optional body are required only together', async () => {
    const schema = object({ name: string, note: string }, { required: ['name'] });
    const endpoint = await importOne(withBody(schema, {}, {}, false));
    expect(places(endpoint)).toEqual({ name: 'body name', note: 'body note' });
    expect(endpoint.body?.required).toBe(false);
    expect(plain(endpoint.inputSchema)).toMatchObject({ dependentRequired: { note: ['name'] } });
    expect(plain(endpoint.inputSchema)).not.toHaveProperty('required');
  });

  test('a body with very many fields stays one argument', async () => {
    const many = Object.fromEntries(Array.from({ length: 500 }, (_, index) => [`field${index}`, string]));
    expect(places(await importOne(withBody(object(many))))).toEqual({ body: 'body-root (required)' });
  });

  test('a base with variants is offered as any of them', async () => {
    const ref = (name: string) => ({ $ref: `#/components/schemas/${name}` });
    const schemas = {
      Pet: object({ kind: string }, { required: ['kind'], discriminator: { propertyName: 'kind' } }),
      Cat: { allOf: [ref('Pet'), object({ lives: { type: 'integer' } })] },
      Dog: { allOf: [ref('Pet'), object({ tricks: string })] },
    };
    const endpoint = await importOne(withBody(ref('Pet'), {}, { components: { schemas } }));
    expect(places(endpoint)).toEqual({ body: 'body-root (required)' });
    expect(properties(endpoint).body).toEqual({
      anyOf: [{ $ref: '#/$defs/Cat' }, { $ref: '#/$defs/Dog' }, { $ref: '#/$defs/Pet' }],
    });
    // A variant itself is an ordinary object.
    const cat = await importOne(withBody(ref('Cat'), {}, { components: { schemas } }));
    expect(places(cat)).toEqual({ kind: 'body kind (required)', lives: 'body lives' });
  });
});

describe('two parameters or fields with the same name', () => {
  const put = (path: string, parameters: object[], schema?: object) =>
    openapi({
      [path]: {
        put: {
          parameters,
          ...(schema ? { requestBody: { required: true, content: { 'application/json': { schema } } } } : {}),
        },
      },
    });

  test('path and query keep the plain key; the body field becomes body_<name>', async () => {
    const document = put(
      '/x/{id}',
      [parameter('path', 'id'), parameter('query', 'name')],
      object({ id: string, name: string }),
    );
    expect(places(await importOne(document))).toEqual({
      id: 'path id (required)',
      name: 'query name',
      body_id: 'body id',
      body_name: 'body name',
    });
  });

  test('the less specific of two parameters gets its location appended', async () => {
    const document = put('/x/{id}', [
      parameter('cookie', 'id'),
      parameter('header', 'id'),
      parameter('query', 'id'),
      parameter('path', 'id'),
    ]);
    expect(places(await importOne(document))).toEqual({
      id: 'path id (required)',
      id_query: 'query id',
      id_header: 'header id',
      id_cookie: 'cookie id',
    });
  });

  test('a key that is still taken gets a number', async () => {
    const document = put('/x/{id}', [parameter('path', 'id'), parameter('query', 'body_id')], object({ id: string }));
    expect(places(await importOne(document))).toEqual({
      id: 'path id (required)',
      body_id: 'query body_id',
      body_id_2: 'body id',
    });
  });

  test('a whole body keeps the key body; a parameter with that name gets another key', async () => {
    const document = put('/x', [parameter('query', 'body')], { type: 'array', items: string });
    expect(places(await importOne(document))).toEqual({ body_field: 'query body', body: 'body-root (required)' });
  });

  test('a field called body is an argument like any other', async () => {
    expect(places(await importOne(put('/x', [], object({ body: string }))))).toEqual({ body: 'body body' });
  });

  test.each([
    ['query', 'filter[name]', 'filter_name'],
    ['query', '$top', 'top'],
    ['query', 'ids[]', 'ids'],
    ['query', 'a.b-c', 'a_b_c'],
    ['query', '2fa', '_2fa'],
    ['query', 'año', 'ano'],
    ['query', '中文', 'query_value'],
    ['query', '__proto__', 'proto'],
    ['query', 'constructor', 'constructor_'],
    ['query', 'camelCase', 'camelCase'],
    ['header', 'X-Request-Id', 'x_request_id'],
    ['header', 'ETag', 'ETag'],
    ['cookie', 'session-id', 'session_id'],
  ])('%s %s is called %s', async (where, name, key) => {
    expect(places(await importOne(put('/x', [parameter(where, name)])))).toEqual({ [key]: `${where} ${name}` });
  });

  test('names that become the same key get numbers, except one that was a valid key already', async () => {
    const names = ['a-b', 'a.b', 'a_b', 'a[b]'];
    expect(
      places(
        await importOne(
          put(
            '/x',
            names.map((name) => parameter('query', name)),
          ),
        ),
      ),
    ).toEqual({
      a_b_2: 'query a-b',
      a_b_3: 'query a.b',
      a_b: 'query a_b',
      a_b_4: 'query a[b]',
    });
  });

  test('a long name is cut with a hash and stays within 64 characters', async () => {
    const long = 'x'.repeat(70);
    const keys = Object.keys(
      places(await importOne(put('/x', [parameter('query', `${long}a`), parameter('query', `${long}b`)]))),
    );
    expect(keys).toHaveLength(2);
    for (const key of keys) expect(key).toMatch(/^x{57}_[0-9a-f]{6}$/);
  });
});

describe('parameters that are not arguments', () => {
  test('headers that the gateway sets, and credentials', async () => {
    const components = {
      securitySchemes: {
        key: { type: 'apiKey', in: 'header', name: 'X-Api-Key' },
        q: { type: 'apiKey', in: 'query', name: 'token' },
      },
    };
    const parameters = ['Accept', 'content-type', 'Authorization', 'x-api-key', 'Host', 'Content-Length', 'X-Fine'].map(
      (name) => parameter('header', name),
    );
    const document = openapi(
      { '/x': { get: { parameters: [...parameters, parameter('query', 'token', { required: true })] } } },
      { components },
    );
    const endpoint = await importOne(document, { env: { LANDBRIDGE_CRED_TEST_Q: 'secret' } });
    expect(places(endpoint)).toEqual({ x_fine: 'header X-Fine' });
    // It was required, so the scheme is needed although no security says so.
    expect(endpoint.security).toEqual([[expect.objectContaining({ kind: 'apiKey', in: 'query', field: 'token' })]]);
  });

  test('a header that the operator configured', async () => {
    const document = openapi({ '/x': { get: { parameters: [parameter('header', 'X-Tenant', { required: true })] } } });
    expect(places(await importOne(document, { headers: ['x-tenant: acme'] }))).toEqual({});
  });

  test('an invalid header name is left out, or quarantines the operation if it is required', async () => {
    const get = (required: boolean) =>
      openapi({ '/x': { get: { parameters: [parameter('header', 'a b', { required })] } } });
    const domain = await importValue(get(false));
    expect(places(domain.endpoints[0]!)).toEqual({});
    expect(domain.warnings.join()).toContain('"a b" is not a header name');
    expect((await importValue(get(true))).quarantined).toMatchObject([
      { method: 'GET', path: '/x', reason: expect.stringContaining('"a b"') },
    ]);
  });
});

describe('path keys', () => {
  test('the same variable twice is one argument', async () => {
    const endpoint = await importOne(openapi({ '/a/{id}/b/{id}': { get: { parameters: [parameter('path', 'id')] } } }));
    expect(places(endpoint)).toEqual({ id: 'path id (required)' });
    expect(endpoint.path).toBe('/a/{id}/b/{id}');
  });

  test('an undeclared variable becomes a required string, with a warning', async () => {
    const domain = await importValue(openapi({ '/a/{id}': { get: {} } }));
    expect(places(domain.endpoints[0]!)).toEqual({ id: 'path id (required)' });
    expect(domain.warnings.join()).toContain('{id} is not declared');
  });

  test('a path parameter is always required; one that the path does not contain is left out', async () => {
    const document = openapi({
      '/a/{id}': { get: { parameters: [parameter('path', 'id', { required: false }), parameter('path', 'other')] } },
    });
    const domain = await importValue(document);
    expect(places(domain.endpoints[0]!)).toEqual({ id: 'path id (required)' });
    expect(domain.warnings.join()).toContain('"other" is not in the path template');
  });

  test('variables in the query string of a path key are query parameters; literal pairs and fragments are kept', async () => {
    const document = openapi({ '/now?lat={lat}&v=2#x': { get: { parameters: [parameter('path', 'lat')] } } });
    const endpoint = await importOne(document);
    expect(endpoint.path).toBe('/now?v=2#x');
    expect(places(endpoint)).toEqual({ lat: 'query lat (required)' });
  });

  test('operation parameters replace those of the path with the same name and location', async () => {
    const document = openapi({
      '/a': {
        parameters: [parameter('query', 'q', { description: 'outer' }), parameter('query', 'r')],
        get: { parameters: [parameter('query', 'q', { description: 'inner' })] },
      },
    });
    const endpoint = await importOne(document);
    expect(places(endpoint)).toEqual({ q: 'query q', r: 'query r' });
    expect(properties(endpoint).q).toEqual({ type: 'string', description: 'inner' });
  });
});

describe('flattening (property test)', () => {
  const name = fc.oneof(
    fc.constantFrom(
      'id',
      'name',
      'body',
      'body_id',
      'id_query',
      'a-b',
      'a.b',
      'a_b',
      '__proto__',
      'constructor',
      'toString',
      '$ref',
      'x',
      '字',
    ),
    fc.string({ minLength: 1, maxLength: 12 }),
  );
  const shape = fc.record({
    path: fc.uniqueArray(
      name.filter((text) => !/[{}/?#&=\\]/.test(text)),
      { maxLength: 3 },
    ),
    query: fc.uniqueArray(name, { maxLength: 5 }),
    cookie: fc.uniqueArray(name, { maxLength: 3 }),
    body: fc.uniqueArray(name, { maxLength: 8 }),
    required: fc.boolean(),
  });

  test('every parameter and field has exactly one argument, and every argument exactly one place in the request', async () => {
    await fc.assert(
      fc.asyncProperty(shape, async ({ path, query, cookie, body, required }) => {
        const fields = Object.create(null) as Record<string, object>;
        for (const field of body) fields[field] = string;
        const document = openapi({
          [`/x${path.map((variable) => `/{${variable}}`).join('')}`]: {
            post: {
              parameters: [
                ...path.map((variable) => parameter('path', variable, { required: true })),
                ...query.map((variable) => parameter('query', variable)),
                ...cookie.map((variable) => parameter('cookie', variable)),
              ],
              ...(body.length > 0
                ? {
                    requestBody: {
                      required,
                      content: { 'application/json': { schema: { type: 'object', properties: fields } } },
                    },
                  }
                : {}),
            },
          },
        });
        const endpoint = await importOne(document);
        const reached = endpoint.args.flatMap(({ to }) => {
          expect(to).toHaveLength(1);
          const [target] = to;
          return target!.in === 'body'
            ? [`body ${target!.at.join('/')}`]
            : 'name' in target!
              ? [`${target!.in} ${target!.name}`]
              : [];
        });
        const wanted = [
          ...path.map((variable) => `path ${variable}`),
          ...query.map((variable) => `query ${variable}`),
          ...cookie.map((variable) => `cookie ${variable}`),
          ...body.map((field) => `body ${field}`),
        ];
        expect(reached.sort()).toEqual(wanted.sort());
        const keys = endpoint.args.map(({ key }) => key);
        expect(new Set(keys).size).toBe(keys.length);
        for (const key of keys) expect(key).toMatch(ARGUMENT_KEY);
        expect(Object.keys((endpoint.inputSchema as { properties: object }).properties)).toEqual(keys);
      }),
      { numRuns: 150 },
    );
  });
});

describe('x-mcp hides an argument', () => {
  const hidden = { 'x-mcp': { hidden: true } };
  const get = (parameter: object) =>
    importValue(
      openapi({
        '/x': { get: { parameters: [{ name: 'day', in: 'query', schema: string, ...hidden, ...parameter }] } },
      }),
    );

  test('that is optional: it is not offered', async () => {
    expect((await get({})).endpoints[0]!.args).toEqual([]);
  });

  test('that is required and has a default: the default is sent', async () => {
    const { endpoints, warnings } = await get({ required: true, schema: { type: 'string', default: 'today' } });
    expect(endpoints[0]).toMatchObject({ args: [], fixed: [{ value: 'today', to: { name: 'day' } }] });
    expect(warnings).toEqual([]);
  });

  test('that is required and has no value: it is offered, with a warning', async () => {
    const { endpoints, warnings } = await get({ required: true });
    expect(places(endpoints[0]!)).toEqual({ day: 'query day (required)' });
    expect(warnings).toEqual([
      'standard input: GET /x: x-mcp hides "day", but the API requires it, so the model still sees it; give it a value (x-mcp: { fixed: … }) or a default.',
    ]);
  });

  test('of an optional body and fixes another: the body is always sent, so its required fields are required', async () => {
    const schema = {
      type: 'object',
      required: ['kind', 'name'],
      properties: {
        kind: { type: 'string', 'x-mcp': { fixed: 'a' } },
        name: string,
        note: { type: 'string', ...hidden },
      },
      anyOf: [{ required: ['kind'] }, { required: ['note'] }],
    };
    const endpoint = await importOne(withBody(schema, {}, {}, false));
    expect(places(endpoint)).toEqual({ name: 'body name (required)' });
    const validate = createValidator(endpoint);
    expect(validate('make', { name: 'n' })).toEqual({ name: 'n' });
    expect(() => validate('make', {})).toThrow('missing `name`');
  });

  test('in one of two alternative sets of fields: the other set stays', async () => {
    const schema = {
      type: 'object',
      properties: { mail: string, phone: { type: 'string', ...hidden } },
      oneOf: [{ required: ['mail'] }, { required: ['phone'] }],
    };
    const endpoint = await importOne(withBody(schema));
    expect(() => createValidator(endpoint)('make', {})).toThrow('`mail`');
    expect(createValidator(endpoint)('make', { mail: 'm' })).toEqual({ mail: 'm' });
  });
});
