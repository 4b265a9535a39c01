// The torture table, row by row, in every exposure: each test is something at which another gateway failed.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { useRealHttp } from '../support/real-http.ts';
import { PROBLEM, ROWS } from './answers.ts';
import { BYTES, PNG, reply } from './echo.ts';
import { listAll, type Opened, open } from './gateway.ts';
import { readParts } from './multipart.ts';
import { written } from './sheet.ts';

useRealHttp();

describe.each(['tools', 'grouped', 'search'] as const)('exposed as %s', (exposure) => {
  let opened: Opened;
  beforeAll(async () => {
    opened = await open({
      documents: ['torture.yaml'],
      exposure,
      prepare: ({ answers }) => {
        answers.set('/v1/picture', reply(200, 'image/png', PNG));
        answers.set('/v1/fails', reply(422, 'application/problem+json', JSON.stringify(PROBLEM)));
        answers.set('/v1/drifts', reply(200, 'application/json', '{"id":"seven"}'));
        answers.set('/v1/huge', reply(200, 'application/json', JSON.stringify(ROWS)));
        answers.set('/v1/items/7', (request, response) =>
          request.method === 'DELETE'
            ? reply(204, undefined)(request, response)
            : reply(200, 'text/plain', 'seven')(request, response),
        );
      },
    });
  });
  afterAll(() => opened.close());

  /** The one request a call must become. */
  const sends = async (tool: string, args: Record<string, unknown>, line: string, more: object = {}) => {
    const { requests, result } = await opened.call(tool, args);
    expect(requests.map(written), result.text).toEqual([{ line, ...more }]);
    expect(result.isError).toBe(false);
  };
  const refuses = async (tool: string, args: Record<string, unknown>) => {
    const { requests, elsewhere, result } = await opened.call(tool, args);
    expect([...requests, ...elsewhere]).toEqual([]);
    expect(result.isError).toBe(true);
    expect(result.structuredContent).toMatchObject({ failure_mode: 'validation' });
  };
  const json = (body: string) => ({ headers: { 'content-type': 'application/json' }, body });

  test('accepts a deep value of a circular schema', () =>
    sends(
      'create_node',
      { name: 'a', children: [{ name: 'b' }] },
      'POST /v1/nodes',
      json('{"name":"a","children":[{"name":"b"}]}'),
    ));

  test('oneOf request body: both branches, and no other', async () => {
    await sends('create_pet', { body: { meow: 'm' } }, 'POST /v1/pets', json('{"meow":"m"}'));
    await sends('create_pet', { body: { bark: 'b' } }, 'POST /v1/pets', json('{"bark":"b"}'));
    await refuses('create_pet', { body: { moo: 'm' } });
  });

  test.each(['../../admin', '..', '.', '%2e%2e', ''])('path %j goes nowhere', (id) => refuses('get_item', { id }));

  test('path a?x=1#f is one segment', () => sends('get_item', { id: 'a?x=1#f' }, 'GET /v1/items/a%3Fx%3D1%23f'));

  test('body and path of the same name', () =>
    sends('rename_item', { id: 'old', body_id: 'new' }, 'PUT /v1/items/old', json('{"id":"new"}')));

  test('array by default', () => sends('search', { tags: ['a', 'b'] }, 'GET /v1/search?tags=a&tags=b'));
  test('explode: false', () => sends('search', { ids: [1, 2] }, 'GET /v1/search?ids=1,2'));
  test('pipeDelimited', () => sends('search', { pipes: ['a', 'b'] }, 'GET /v1/search?pipes=a%7Cb'));
  test('deepObject', () => sends('search', { filter: { a: 1 } }, 'GET /v1/search?filter%5Ba%5D=1'));
  test('cookie parameter', () => sends('session', { sid: 's' }, 'GET /v1/session', { headers: { cookie: 'sid=s' } }));

  test('form body', () =>
    sends('form', { a: 'x y', b: 2 }, 'POST /v1/form', {
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: 'a=x%20y&b=2',
    }));

  test('multipart file', async () => {
    const { requests } = await opened.call('upload', {
      file: { base64: BYTES.toString('base64'), filename: 'a.bin', mimeType: 'application/x-a' },
      note: 'n',
    });
    expect(requests).toHaveLength(1);
    expect(readParts(requests[0]!)).toEqual([
      {
        headers: {
          'content-disposition': 'form-data; name="file"; filename="a.bin"',
          'content-type': 'application/x-a',
        },
        body: BYTES,
      },
      { headers: { 'content-disposition': 'form-data; name="note"' }, body: Buffer.from('n') },
    ]);
  });

  test('array JSON body', () => sends('post_array', { body: [1, 2] }, 'POST /v1/array', json('[1,2]')));

  test('image/png response', async () => {
    const { result } = await opened.call('picture');
    expect(result.content).toEqual([
      { type: 'text', text: `image/png, ${PNG.length} bytes` },
      { type: 'image', data: PNG.toString('base64'), mimeType: 'image/png' },
    ]);
    expect(result.isError).toBe(false);
  });

  test('422 from the API', async () => {
    const { result } = await opened.call('fails');
    expect(result.isError).toBe(true);
    expect(result.structuredContent).toMatchObject({ status: 422, title: PROBLEM.title, detail: PROBLEM.detail });
    expect(result.text).toContain(PROBLEM.detail);
  });

  test('a response that drifts from its schema', async () => {
    const { result } = await opened.call('drifts');
    expect(result).toEqual({
      content: [{ type: 'text', text: '{"id":"seven"}' }],
      isError: false,
      text: '{"id":"seven"}',
    });
  });

  test('700 KB response: whole items, and how to get the rest', async () => {
    const { result } = await opened.call('huge');
    expect(result.text.length).toBeLessThanOrEqual(20_000);
    const [rows, note] = result.text.split('\n') as [string, string];
    const shown = (JSON.parse(rows) as unknown[]).length;
    expect(note).toBe(`showing ${shown} of 6000 items; next: per_page=${shown}, page=2, or pass fields=id,name,note,…`);
    expect(result.structuredContent).toBeUndefined();
  });

  test('204', async () => {
    const { requests, result } = await opened.call('delete_item', { id: '7' });
    expect(requests.map(written)).toEqual([{ line: 'DELETE /v1/items/7' }]);
    expect(result).toMatchObject({ isError: false, text: 'OK (204)' });
  });

  test('annotations on every tool', async () => {
    const tools = await listAll(opened.client);
    expect(tools.filter(({ annotations }) => annotations?.readOnlyHint === undefined)).toEqual([]);
  });

  test('no argument changes the host', async () => {
    expect(JSON.stringify(await listAll(opened.client))).not.toMatch(/base_?url|"server"|"host"/i);
    await refuses('search', { _baseUrl: opened.other.origin });
  });

  test('a wrong type is never sent', () => refuses('search', { limit: 'many' }));
});
