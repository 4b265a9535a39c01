// A document with one operation for each path below /v1/answers, and the answers of the API there.
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
import { BYTES, type Echo, PNG, reply, type SuccessResponse } from './echo.ts';

const JSON_TYPE = 'application/json';
const ROW = { id: 1, name: 'row', note: 'x'.repeat(60), owner: { id: 7, login: 'ann' } };

/** About 700 KB of rows. */
export const ROWS = Array.from({ length: 6_000 }, (_, index) => ({ ...ROW, id: index }));

export const PROBLEM = {
  type: 'https://example.com/problems/invalid',
  title: 'Invalid order',
  status: 422,
  detail: 'quantity must be positive',
  errors: [{ field: 'quantity', message: 'must be > 0' }],
};

export const ANSWERS: Readonly<Record<string, SuccessResponse>> = {
  json: reply(200, JSON_TYPE, '{"a":1,"b":[true,null,"ü"]}'),
  vendor: reply(200, 'application/hal+json; charset=utf-8', '{"a":1}'),
  untyped: reply(200, undefined, '{"a":1}'),
  broken: reply(200, JSON_TYPE, '{"a":'),
  big: reply(200, JSON_TYPE, '{"id":12345678901234567890,"price":1.10,"list":[{"id":9007199254740993,"x":1}]}'),
  hidden: reply(200, JSON_TYPE, JSON.stringify({ text: 'a\u200bb\u202ec\u{e0041}' })),
  proto: reply(200, JSON_TYPE, '{"__proto__":{"polluted":1},"constructor":2,"a":3}'),
  png: reply(200, 'image/png', PNG),
  octetpng: reply(200, 'application/octet-stream', PNG),
  fakepng: reply(200, 'image/png', 'this is text'),
  svg: reply(200, 'image/svg+xml', '<svg xmlns="http://www.w3.org/2000/svg"/>'),
  pdf: reply(200, 'application/pdf', BYTES, { 'content-disposition': 'attachment; filename="r.pdf"' }),
  text: reply(200, 'text/plain; charset=utf-8', 'żółć\nline 2'),
  latin: reply(200, 'text/plain; charset=iso-8859-1', Buffer.from('gr\xf6\xdfe', 'latin1')),
  html: reply(
    200,
    'text/html',
    '<html><head><script>evil()</script></head><body><h1>Title</h1><p>a &amp; b</p></body></html>',
  ),
  csv: reply(200, 'text/csv', 'a,b\n1,2\n'),
  ndjson: reply(200, 'application/x-ndjson', '{"a":1}\n{"a":2}\n'),
  sse: reply(200, 'text/event-stream', 'data: {"a":1}\n\nevent: end\ndata: bye\n\n'),
  gzip: reply(200, JSON_TYPE, gzipSync('{"packed":"gzip"}'), { 'content-encoding': 'gzip' }),
  brotli: reply(200, JSON_TYPE, brotliCompressSync('{"packed":"br"}'), { 'content-encoding': 'br' }),
  deflate: reply(200, JSON_TYPE, deflateSync('{"packed":"deflate"}'), { 'content-encoding': 'deflate' }),
  bomb: reply(200, JSON_TYPE, gzipSync(Buffer.alloc(40 * 1024 * 1024, 32)), { 'content-encoding': 'gzip' }),
  empty: reply(200, JSON_TYPE, ''),
  nocontent: reply(204, undefined),
  created: reply(201, undefined, '', { location: '/v1/things/9' }),
  drifted: reply(200, JSON_TYPE, '[{"id":"not a number","extra":true}]'),
  rows: reply(200, JSON_TYPE, JSON.stringify(ROWS)),
  page: reply(200, JSON_TYPE, JSON.stringify({ total: 90_000, items: ROWS })),
  cursor: reply(200, JSON_TYPE, JSON.stringify({ data: ROWS.slice(0, 2), meta: { next_cursor: 'c=2' } })),
  linked: reply(200, JSON_TYPE, '[{"id":1}]', { link: '</v1/answers/linked?page=2&per_page=1>; rel="next"' }),
  blob: reply(200, JSON_TYPE, JSON.stringify({ id: 1, text: 'y'.repeat(100_000) })),
  cookie: reply(200, JSON_TYPE, '{"ok":true}', { 'set-cookie': 'session=stolen; Path=/' }),
  problem: reply(422, 'application/problem+json', JSON.stringify(PROBLEM)),
  plainproblem: reply(400, 'text/plain', 'no such colour'),
  fastapi: reply(422, JSON_TYPE, '{"detail":[{"loc":["body","name"],"msg":"field required"}]}'),
  nested: reply(403, JSON_TYPE, '{"error":{"code":"forbidden","message":"not yours"}}'),
  unauthorised: reply(401, JSON_TYPE, '{"message":"bad key"}', { 'www-authenticate': 'Bearer' }),
  missing: reply(404, undefined),
  conflict: reply(409, JSON_TYPE, '{"message":"taken"}'),
  limited: reply(429, JSON_TYPE, '{"message":"slow down"}', { 'retry-after': '17' }),
  failing: reply(500, 'text/html', '<html><body><h1>Oops</h1></body></html>'),
  away: reply(503, undefined, '', { 'retry-after': '3' }),
  unchanged: reply(304, undefined),
};

/** Operations with arguments or schemas of their own; the others take none. */
const SPECIAL: Readonly<Record<string, object>> = {
  drifted: {
    responses: {
      200: {
        description: 'A thing.',
        content: {
          [JSON_TYPE]: { schema: { type: 'object', required: ['id'], properties: { id: { type: 'integer' } } } },
        },
      },
    },
  },
  png: { responses: { 200: { description: 'A picture.', content: { 'image/png': {} } } } },
  page: { parameters: [query('offset', 'integer'), query('limit', 'integer')] },
  cursor: { parameters: [query('cursor', 'string'), query('limit', 'integer')] },
  linked: { parameters: [query('page', 'integer'), query('per_page', 'integer')] },
};

function query(name: string, type: string): object {
  return { name, in: 'query', schema: { type } };
}

export function answersDocument(): string {
  const paths: Record<string, unknown> = {};
  for (const name of [...Object.keys(ANSWERS), 'slow']) {
    paths[`/answers/${name}`] = {
      get: { operationId: `get_${name}`, responses: { 200: { description: 'It.' } }, ...SPECIAL[name] },
    };
  }
  const post = (name: string) => ({
    post: { operationId: `post_${name}`, responses: { 200: { description: 'It.' } } },
  });
  for (const name of ['failing', 'created', 'nocontent'])
    Object.assign(paths[`/answers/${name}`] as object, post(name));
  return JSON.stringify({
    openapi: '3.1.1',
    info: { title: 'Answers', version: '1' },
    servers: [{ url: '/v1' }],
    paths,
  });
}

export function prepareAnswers(echo: Echo): void {
  for (const [name, answer] of Object.entries(ANSWERS)) echo.answers.set(`/v1/answers/${name}`, answer);
}
