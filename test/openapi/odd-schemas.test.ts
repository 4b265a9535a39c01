// Common mistakes in schemas, parameters and bodies: each is read as what was meant, and none makes a tool uncallable.
import { describe, expect, test } from 'vitest';
import type { Endpoint } from '../../src/endpoint/model.ts';
import { createGateway } from '../../src/gateway.ts';
import { auditSchema } from '../../src/schema/check/repair.ts';
import { createValidator } from '../../src/schema/check/validator.ts';
import { importOne, importValue, openapi, places, properties, withBody } from './support.ts';

const string = { type: 'string' };

function accepts(endpoint: Endpoint, args: Record<string, unknown>): boolean {
  try {
    createValidator(endpoint)('tool', args);
    return true;
  } catch {
    return false;
  }
}

/** The advertised schema of one field beside another. */
async function advertised(field: unknown, version = '3.0.3'): Promise<unknown> {
  const document = { ...withBody({ type: 'object', properties: { field, other: string } }), openapi: version };
  const { registry } = createGateway({ domains: [await importValue(document)], exposure: 'tools' });
  const { inputSchema } = [...registry.tools.values()][0]!.tool;
  return (inputSchema as { properties: Record<string, unknown> }).properties.field;
}

async function field(schema: unknown, version = '3.0.3'): Promise<[unknown, Endpoint]> {
  const document = { ...withBody({ type: 'object', properties: { field: schema, other: string } }), openapi: version };
  const endpoint = await importOne(document);
  return [properties(endpoint).field, endpoint];
}

describe('a type', () => {
  test.each<[string, unknown, unknown]>([
    ['int', { type: 'int' }, { type: 'integer' }],
    ['Integer', { type: 'Integer' }, { type: 'integer' }],
    ['bool', { type: 'bool' }, { type: 'boolean' }],
    ['double', { type: 'double' }, { type: 'number' }],
    ['dict', { type: 'dict' }, { type: 'object' }],
    ['list', { type: 'list', items: string }, { type: 'array', items: string }],
    ['a format', { type: 'date-time' }, { type: 'string', format: 'date-time' }],
    ['several in a word', { type: 'string|null' }, { type: ['string', 'null'] }],
    ['several in a list (3.0)', { type: ['string', 'int'] }, { type: ['string', 'integer'] }],
    ['any', { type: 'any' }, {}],
    ['nothing known', { type: 'Widget' }, {}],
    ['required of itself', { type: 'string', required: true }, string],
    ['a list of one schema for items', { type: 'array', items: [string] }, { type: 'array', items: string }],
    ['bounds that cross', { type: 'integer', minimum: 9, maximum: 1 }, { type: 'integer' }],
  ])('%s', async (_, schema, want) => {
    const [converted] = await field(schema);
    const { $comment: __, ...meaning } = converted as Record<string, unknown>;
    expect(meaning).toEqual(want);
  });

  test('that was guessed is noted for the doctor', async () => {
    const [, endpoint] = await field({ type: 'int' });
    expect(auditSchema(endpoint.inputSchema)).toEqual(['#/properties/field: Guessed: type "int" is read as integer']);
    expect(auditSchema((await field({ type: 'integer' }))[1].inputSchema)).toEqual([]);
    expect(JSON.stringify(await advertised({ type: 'int' }))).not.toContain('Guessed');
  });

  test('file is a file in any version', async () => {
    for (const version of ['3.0.3', '3.1.0']) {
      const [converted] = await field({ type: 'file' }, version);
      expect(converted).toHaveProperty('description');
    }
  });
});

describe('a list of values', () => {
  test.each<[string, unknown, unknown[], unknown[]]>([
    ['on an array', { type: 'array', enum: ['a', 'b'], items: string }, [['a'], ['a', 'b'], []], [['c'], 'a']],
    ['on an array without items', { type: 'array', enum: ['a', 'b'] }, [['a']], [['c']]],
    [
      'on an array and its items',
      { type: 'array', enum: ['a'], items: { ...string, enum: ['a', 'b'] } },
      [['b']],
      [['c']],
    ],
    ['inside another', { type: 'string', enum: [['a', 'b']] }, ['a', 'b'], ['c']],
    ['with null among them', { type: 'string', enum: ['a', null] }, ['a', null], ['b']],
    ['of another type', { type: 'integer', enum: ['low', 'high'] }, ['low'], ['other', 3]],
    ['of booleans as text', { type: 'boolean', enum: ['true', 'false'] }, [true, false], []],
    ['with nothing in it', { type: 'string', enum: [] }, ['a'], [{}]],
  ])('%s', async (_, schema, good, bad) => {
    const [, endpoint] = await field(schema);
    for (const value of good) expect([value, accepts(endpoint, { field: value })]).toEqual([value, true]);
    for (const value of bad) expect([value, accepts(endpoint, { field: value })]).toEqual([value, false]);
  });

  test('on an array is shown on its items', async () => {
    expect(await advertised({ type: 'array', enum: ['a', 'b'], items: string })).toEqual({
      type: 'array',
      items: { type: 'string', enum: ['a', 'b'] },
    });
  });

  test('drops a default that is not one of them', async () => {
    expect(await advertised({ ...string, enum: ['a', 'b'], default: 'c' })).toEqual({ ...string, enum: ['a', 'b'] });
    expect(await advertised({ ...string, enum: ['a', 'b'], default: 'a' })).toHaveProperty('default', 'a');
  });
});

describe('a property', () => {
  test('with `required: true` is required in its object', async () => {
    const schema = { type: 'object', properties: { name: { ...string, required: true }, size: string } };
    expect(places(await importOne(withBody(schema)))).toEqual({ name: 'body name (required)', size: 'body size' });
    const [, endpoint] = await field(schema);
    expect([accepts(endpoint, { field: {} }), accepts(endpoint, { field: { name: 'n' } })]).toEqual([false, true]);
  });

  test('without a type is shown with a few types, and accepts any value', async () => {
    const items = { anyOf: ['string', 'number', 'object'].map((type) => ({ type })) };
    expect(await advertised({ description: 'The new value' })).toEqual({
      anyOf: [
        { type: 'string', description: 'The new value. Any JSON value' },
        { type: 'number' },
        { type: 'boolean' },
        { type: 'object' },
        { type: 'array', items },
      ],
    });
    const [, endpoint] = await field({});
    for (const value of ['a', 1, true, null, { a: 1 }, [1, { b: 2 }]])
      expect([value, accepts(endpoint, { field: value })]).toEqual([value, true]);
  });

  test('with only an example has its type, and with properties is an object', async () => {
    expect(await advertised({ example: '2026-01-31' })).toMatchObject({ type: 'string' });
    expect(await advertised({ example: { a: 1 } })).toMatchObject({ type: 'object' });
    expect(await advertised({ properties: { a: string } })).toEqual({ type: 'object', properties: { a: string } });
  });
});

describe('a parameter', () => {
  const one = (parameter: object, version: object = {}) => ({
    ...openapi({
      '/x/{id}': { get: { parameters: [{ name: 'id', in: 'path', required: true, schema: string }, parameter] } },
    }),
    ...version,
  });

  test.each<[string, object, string]>([
    ['in the path', { name: 'id', in: 'path', required: true }, 'id'],
    ['in the query', { name: 'q', in: 'query', schema: {} }, 'q'],
    ['in a header', { name: 'X-Tag', in: 'header', schema: { description: 'A tag' } }, 'x_tag'],
    ['of type any', { name: 'q', in: 'query', schema: { type: 'any' } }, 'q'],
  ])('without a type %s is a string or a number', async (_, parameter, key) => {
    const domain = await importValue(one(parameter));
    const endpoint = domain.endpoints[0]!;
    expect(properties(endpoint)[key]).toMatchObject({ type: ['string', 'number'] });
    for (const value of ['a', 7]) expect(accepts(endpoint, { id: '1', [key]: value })).toBe(true);
    expect(domain.warnings.join('\n')).toMatch(
      /1 parameter \(".+"\) have no type; Landbridge takes strings and numbers for them/,
    );
  });

  test.each<[string, object, unknown]>([
    ['a boolean by its default', { schema: { default: false } }, true],
    ['a boolean by its example', { schema: { example: true } }, false],
    ['a boolean by the example beside the schema', { schema: {}, example: true }, false],
    ['a boolean by one of its examples', { schema: {}, examples: { on: { value: true } } }, false],
    ['a list by its default', { schema: { default: ['a'] } }, ['b', 'c']],
  ])('without a type may be %s as well', async (_, parameter, value) => {
    const endpoint = await importOne(one({ name: 'q', in: 'query', ...parameter }));
    for (const each of ['a', 7, value]) expect(accepts(endpoint, { id: '1', q: each })).toBe(true);
    expect(accepts(endpoint, { id: '1', q: { a: 1 } })).toBe(false);
    const plain = await importOne(one({ name: 'q', in: 'query', schema: { default: 'a' } }));
    expect(accepts(plain, { id: '1', q: value })).toBe(false);
  });

  test('with properties is an object, and with content has the type of its schema', async () => {
    const deep = await importOne(one({ name: 'f', in: 'query', style: 'deepObject', explode: true, schema: {} }));
    expect(properties(deep).f).toMatchObject({ type: ['object'] });
    const content = await importOne(one({ name: 'f', in: 'query', content: { 'application/json': { schema: {} } } }));
    expect(properties(content).f).toEqual({});
  });

  test('of 3.0 written as in 2.0 keeps type, enum and format, with a note', async () => {
    const parameter = { name: 'ids', in: 'query', type: 'array', items: { type: 'integer' }, collectionFormat: 'csv' };
    const domain = await importValue(one(parameter));
    const endpoint = domain.endpoints[0]!;
    expect(properties(endpoint).ids).toEqual({ type: 'array', items: { type: 'integer' } });
    expect(endpoint.args.find(({ key }) => key === 'ids')?.to).toEqual([
      { in: 'query', name: 'ids', style: 'form', explode: false },
    ]);
    expect(domain.warnings.join('\n')).toContain('written as in Swagger 2.0');
    const sort = await importOne(one({ name: 'sort', in: 'query', type: 'string', enum: ['asc', 'desc'] }));
    expect(properties(sort).sort).toEqual({ type: 'string', enum: ['asc', 'desc'] });
  });

  test('of 2.0 written as in 3.0 keeps its schema', async () => {
    const domain = await importValue({
      swagger: '2.0',
      info: { title: 'T', version: '1' },
      host: 'api.example.com',
      paths: {
        '/x': { get: { parameters: [{ name: 'n', in: 'query', schema: { type: 'integer' } }], responses: {} } },
      },
    });
    expect(properties(domain.endpoints[0]!).n).toEqual({ type: 'integer' });
    expect(domain.warnings.join('\n')).toContain('written as in OpenAPI 3');
  });
});

describe('a body', () => {
  const body = (content: object, method = 'post', required = true) =>
    openapi({ '/x': { [method]: { requestBody: { required, content } } } });

  test('without a schema is not required', async () => {
    const endpoint = await importOne(body({ 'application/json': {} }));
    expect(places(endpoint)).toEqual({ body: 'body-root' });
    expect(accepts(endpoint, {})).toBe(true);
    expect(accepts(endpoint, { body: { a: 1 } })).toBe(true);
    expect((await importOne(body({ 'application/json': {} }, 'get'))).args).toEqual([]);
  });

  test('with an example, or a schema that allows anything, is an argument', async () => {
    const shown = await importOne(body({ 'application/json': { example: { a: 1 } } }));
    expect(places(shown)).toEqual({ body: 'body-root (required)' });
    expect(places(await importOne(body({ 'application/json': { schema: {} } })))).toEqual({
      body: 'body-root (required)',
    });
    expect(places(await importOne(body({ 'text/plain': {} })))).toEqual({ body: 'body-root (required)' });
  });

  test('uses another media type if multipart has no parts', async () => {
    const endpoint = await importOne(
      body({ 'multipart/form-data': { schema: string }, '*/*': { schema: { type: 'string', format: 'binary' } } }),
    );
    expect(endpoint.body).toMatchObject({ kind: 'binary', mediaType: '*/*' });
    const parts = { schema: { type: 'object', properties: { file: { type: 'string', format: 'binary' } } } };
    const multipart = await importOne(body({ '*/*': { schema: {} }, 'multipart/form-data': parts }));
    expect(multipart.body).toMatchObject({ kind: 'multipart' });
  });

  test.each<[string, object, unknown, unknown]>([
    ['a boolean', { type: 'boolean' }, true, 'maybe'],
    ['a number', { type: 'integer' }, 7, 'seven'],
    ['one of a few words', { type: 'string', enum: ['on', 'off'] }, 'on', 'up'],
    ['text', { type: 'object', properties: { a: string } }, 'a: 1', { a: 'b' }],
  ])('of text may be %s', async (_, schema, good, bad) => {
    const endpoint = await importOne(body({ 'text/plain': { schema } }));
    expect([accepts(endpoint, { body: good }), accepts(endpoint, { body: bad })]).toEqual([true, false]);
  });
});
