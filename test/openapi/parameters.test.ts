// Parameter Objects of all versions: location, style, explode, content.
import { describe, expect, test } from 'vitest';
import { importOne, importValue, openapi, plain, properties } from './support.ts';

const array = { type: 'array', items: { type: 'string' } };

async function target(parameter: object, version: object = {}): Promise<unknown> {
  const name = (parameter as { in: string }).in === 'path' ? '/x/{p}' : '/x';
  const endpoint = await importOne({
    ...openapi({ [name]: { get: { parameters: [{ name: 'p', schema: array, ...parameter }] } } }),
    ...version,
  });
  return endpoint.args[0]!.to[0];
}

describe('styles of OpenAPI 3', () => {
  test.each([
    [{ in: 'path' }, { style: 'simple', explode: false }],
    [
      { in: 'path', style: 'label' },
      { style: 'label', explode: false },
    ],
    [
      { in: 'path', style: 'matrix', explode: true },
      { style: 'matrix', explode: true },
    ],
    [{ in: 'query' }, { style: 'form', explode: true }],
    [
      { in: 'query', explode: false },
      { style: 'form', explode: false },
    ],
    [
      { in: 'query', style: 'spaceDelimited' },
      { style: 'spaceDelimited', explode: false },
    ],
    [
      { in: 'query', style: 'pipeDelimited', explode: true },
      { style: 'pipeDelimited', explode: true },
    ],
    [
      { in: 'query', style: 'deepObject' },
      { style: 'deepObject', explode: true },
    ],
    [
      { in: 'query', allowReserved: true },
      { style: 'form', explode: true, allowReserved: true },
    ],
    [
      { in: 'query', style: 'matrix' },
      { style: 'form', explode: true },
    ],
    [{ in: 'header' }, { style: 'simple', explode: false }],
    [
      { in: 'header', explode: true },
      { style: 'simple', explode: true },
    ],
    [{ in: 'cookie' }, { style: 'form', explode: true }],
    [
      { in: 'cookie', style: 'cookie' },
      { style: 'cookie', explode: true },
    ],
  ])('%j', async (parameter, want) => {
    expect(await target(parameter)).toEqual({ in: parameter.in, name: 'p', ...want });
  });

  test('content parameters are serialised as their media type', async () => {
    const parameters = [
      {
        name: 'p',
        in: 'query',
        content: { 'application/json; charset=utf-8': { schema: { type: 'object', properties: { a: {} } } } },
      },
    ];
    const endpoint = await importOne(openapi({ '/x': { get: { parameters } } }));
    expect(endpoint.args[0]!.to).toEqual([
      { in: 'query', name: 'p', style: 'form', explode: true, mediaType: 'application/json' },
    ]);
    expect(properties(endpoint).p).toEqual({ type: 'object', properties: { a: {} } });
  });

  test('in: querystring is the whole query', async () => {
    const parameters = [
      { name: 'json', in: 'querystring', content: { 'application/json': { schema: { type: 'object' } } } },
    ];
    const endpoint = await importOne({ ...openapi({ '/x': { get: { parameters } } }), openapi: '3.2.0' });
    expect(endpoint.args).toEqual([
      { key: 'json', required: false, to: [{ in: 'querystring', mediaType: 'application/json' }] },
    ]);
  });
});

describe('collectionFormat of 2.0', () => {
  const swagger = { swagger: '2.0', openapi: undefined, host: 'api.example.com' };
  test.each([
    ['query', undefined, { style: 'form', explode: false }],
    ['query', 'csv', { style: 'form', explode: false }],
    ['query', 'multi', { style: 'form', explode: true }],
    ['query', 'ssv', { style: 'spaceDelimited', explode: false }],
    ['query', 'pipes', { style: 'pipeDelimited', explode: false }],
    ['query', 'tsv', { style: 'form', explode: false, delimiter: '\t' }],
    ['path', 'csv', { style: 'simple', explode: false }],
    ['path', 'pipes', { style: 'simple', explode: false, delimiter: '|' }],
    ['header', 'ssv', { style: 'simple', explode: false, delimiter: ' ' }],
    ['header', 'multi', { style: 'simple', explode: false }],
  ])('in %s, %s', async (place, collectionFormat, want) => {
    expect(await target({ in: place, schema: undefined, ...array, collectionFormat }, swagger)).toEqual({
      in: place,
      name: 'p',
      ...want,
    });
  });

  test('the keywords of the parameter are its schema', async () => {
    const parameters = [
      {
        name: 'p',
        in: 'query',
        description: 'Which.',
        type: 'integer',
        format: 'int32',
        minimum: 1,
        exclusiveMinimum: true,
        default: 5,
        enum: [5, 6],
        'x-nullable': true,
        allowEmptyValue: true,
      },
    ];
    const endpoint = await importOne({ ...openapi({ '/x': { get: { parameters } } }), ...swagger });
    expect(properties(endpoint).p).toEqual({
      type: ['integer', 'null'],
      format: 'int32',
      exclusiveMinimum: 1,
      default: 5,
      enum: [5, 6, null],
      description: 'Which.',
    });
  });
});

describe('the description of a parameter', () => {
  test('and its example and deprecated are added to the schema', async () => {
    const components = { schemas: { Sort: { type: 'string', enum: ['asc'] } } };
    const parameters = [
      {
        name: 'a',
        in: 'query',
        description: '**How** to [sort](https://x.example).',
        deprecated: true,
        example: 'asc',
        schema: { $ref: '#/components/schemas/Sort' },
      },
    ];
    const endpoint = await importOne(openapi({ '/x': { get: { parameters } } }, { components }));
    expect(properties(endpoint).a).toEqual({
      $ref: '#/$defs/Sort',
      description: 'How to sort.',
      deprecated: true,
      examples: ['asc'],
    });
    expect(plain(endpoint.inputSchema)).toHaveProperty('$defs.Sort');
  });

  test('beside a $ref replaces that of the parameter (3.1)', async () => {
    const components = { parameters: { P: { name: 'p', in: 'query', description: 'old', schema: {} } } };
    const parameters = [{ $ref: '#/components/parameters/P', description: 'new' }];
    const document = { ...openapi({ '/x': { get: { parameters } } }, { components }), openapi: '3.1.0' };
    expect(properties(await importOne(document)).p).toMatchObject({ description: 'new' });
  });
});

describe('invalid parameters', () => {
  test.each([
    ['no name', { in: 'query' }, 'has no name'],
    ['an unknown place', { name: 'p', in: 'matrix' }, 'it must be path, query, header or cookie'],
  ])('%s quarantines the operation', async (_, parameter, reason) => {
    const domain = await importValue(openapi({ '/x': { get: { parameters: [parameter] }, put: {} } }));
    expect(domain.quarantined).toMatchObject([
      { method: 'GET', path: '/x', pointer: '/paths/~1x/get/parameters/0', reason: expect.stringContaining(reason) },
    ]);
    expect(domain.endpoints).toHaveLength(1);
  });

  test('a 3.x parameter written as in 2.0 is accepted', async () => {
    const parameters = [{ name: 'b', in: 'body', required: true, schema: { type: 'object', properties: { a: {} } } }];
    const endpoint = await importOne(openapi({ '/x': { post: { parameters } } }));
    expect(endpoint.args).toMatchObject([{ key: 'a', to: [{ in: 'body', at: ['a'] }] }]);
  });
});
