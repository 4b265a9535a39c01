// Responses: Accept, pagination, examples.
import { describe, expect, test } from 'vitest';
import { importOne, openapi } from './support.ts';

const param = (name: string, more: object = {}) => ({ name, in: 'query', schema: { type: 'string' }, ...more });

describe('Accept', () => {
  const accept = async (...types: string[]) => {
    const content = Object.fromEntries(types.map((type) => [type, {}]));
    return (await importOne(openapi({ '/x': { get: { responses: { 200: { content } } } } }))).response.accept;
  };
  test('requests JSON by default, a +json type by its name, and otherwise the listed types', async () => {
    expect(await accept()).toBeUndefined();
    expect(await accept('application/xml', 'application/json')).toBeUndefined();
    expect(await accept('*/*')).toBeUndefined();
    expect(await accept('text/html', 'application/vnd.x+json')).toBe('application/vnd.x+json, */*;q=0.5');
    expect(await accept('image/png', 'image/webp')).toBe('image/png, image/webp, */*;q=0.5');
  });

  test('is read from produces of the operation, else of the document (2.0)', async () => {
    const swagger = (operation: object) => ({
      swagger: '2.0',
      host: 'x.example',
      info: { title: 'T', version: '1' },
      produces: ['text/csv'],
      paths: { '/x': { get: { responses: { 200: { schema: { type: 'string' } } }, ...operation } } },
    });
    expect((await importOne(swagger({}))).response.accept).toBe('text/csv, */*;q=0.5');
    expect((await importOne(swagger({ produces: ['image/png'] }))).response.accept).toBe('image/png, */*;q=0.5');
  });
});

describe('pagination', () => {
  const answer = (properties: object) => ({
    200: { content: { 'application/json': { schema: { type: 'object', properties } } } },
  });
  test.each([
    [['page', 'per_page'], {}, { kind: 'page', arg: 'page', sizeArg: 'per_page' }],
    [['pageNumber', 'pageSize'], {}, { kind: 'page', arg: 'pageNumber', sizeArg: 'pageSize' }],
    [['offset', 'limit'], {}, { kind: 'offset', arg: 'offset', sizeArg: 'limit' }],
    [['$skip', '$top'], {}, { kind: 'offset', arg: 'skip', sizeArg: 'top' }],
    [
      ['cursor', 'limit'],
      { response_metadata: { properties: { next_cursor: {} } } },
      { kind: 'cursor', arg: 'cursor', sizeArg: 'limit', nextFrom: 'response_metadata.next_cursor' },
    ],
    [
      ['pageToken', 'maxResults'],
      { nextPageToken: {} },
      { kind: 'cursor', arg: 'pageToken', sizeArg: 'maxResults', nextFrom: 'nextPageToken' },
    ],
    [
      ['starting_after', 'limit'],
      { data: {}, has_more: {} },
      { kind: 'cursor', arg: 'starting_after', sizeArg: 'limit' },
    ],
    [['page', 'after'], {}, { kind: 'page', arg: 'page' }],
    [['name'], {}, undefined],
  ])('%j', async (names, properties, want) => {
    const endpoint = await importOne(
      openapi({ '/x': { get: { parameters: names.map((name) => param(name)), responses: answer(properties) } } }),
    );
    expect(endpoint.pagination).toEqual(want);
  });

  test('of a POST that searches is found in its body', async () => {
    const schema = { type: 'object', properties: { start_cursor: {}, page_size: {} } };
    const endpoint = await importOne(
      openapi({
        '/search': {
          post: {
            requestBody: { content: { 'application/json': { schema } } },
            responses: answer({ next_cursor: {} }),
          },
        },
      }),
    );
    expect(endpoint.pagination).toEqual({
      kind: 'cursor',
      arg: 'start_cursor',
      sizeArg: 'page_size',
      nextFrom: 'next_cursor',
    });
  });
});

describe('examples', () => {
  test('named examples of the body become example calls, together with those of parameters', async () => {
    const schema = {
      type: 'object',
      properties: { data: { type: 'object', properties: { id: {}, name: {} }, required: ['name'] } },
      required: ['data'],
    };
    const examples = {
      one: { value: { data: { id: 1, name: 'a' } } },
      two: { $ref: '#/components/examples/two' },
      broken: { value: { data: { id: 3 } } },
    };
    const endpoint = await importOne(
      openapi(
        {
          '/x/{id}': {
            put: {
              parameters: [{ name: 'id', in: 'path', required: true, example: 7, schema: {} }],
              requestBody: { required: true, content: { 'application/json': { schema, examples } } },
            },
          },
        },
        { components: { examples: { two: { value: { data: { name: 'b' } } } } } },
      ),
    );
    expect(endpoint.examples).toEqual([
      { id: 7, body_id: 1, name: 'a' },
      { id: 7, name: 'b' },
    ]);
  });

  test('an example without all required arguments is not shown', async () => {
    const parameters = [param('a', { required: true }), param('b', { example: 'x' })];
    expect((await importOne(openapi({ '/x': { get: { parameters } } }))).examples).toEqual([]);
    expect((await importOne(openapi({ '/x': { get: {} } }))).examples).toEqual([]);
  });
});
