import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { arg, endpoint, inBody, inHeader, inPath, inQuery, run, startUpstream, type Upstream } from './support.ts';

let upstream: Upstream;
beforeAll(async () => {
  upstream = await startUpstream();
});
beforeEach(() => {
  upstream.seen.length = 0;
});

describe('a call', () => {
  test('puts every argument where it belongs and brings the answer back as text', async () => {
    upstream.answer = (_, response) => response.setHeader('content-type', 'application/json').end('{"id":7}');
    const answer = await run(
      endpoint(`${upstream.origin}/api`, {
        method: 'POST',
        path: '/pets/{petId}/notes',
        args: [
          arg('pet_id', inPath('petId'), true),
          arg('page', inQuery('page')),
          arg('x_tag', inHeader('X-Tag')),
          arg('text', inBody('text')),
          arg('author', inBody('author', 'name')),
        ],
        body: { mediaType: 'application/json', required: true, kind: 'json' },
      }),
      { pet_id: 'a b/c', page: 2, x_tag: 'blue', text: 'hi', author: 'Ann' },
    );
    expect(upstream.last()).toMatchObject({
      method: 'POST',
      url: '/api/pets/a%20b%2Fc/notes?page=2',
      headers: { 'x-tag': 'blue', 'content-type': 'application/json', accept: 'application/json, */*;q=0.5' },
    });
    expect(JSON.parse(upstream.last().body.toString())).toEqual({ text: 'hi', author: { name: 'Ann' } });
    expect(answer).toEqual({
      status: 200,
      ok: true,
      content: [{ type: 'text', text: '{"id":7}' }],
    });
  });
});
