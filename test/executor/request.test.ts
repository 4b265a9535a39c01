import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { checkPairs } from '../../src/executor/request/method-override.ts';
import {
  arg,
  endpoint,
  inBody,
  inCookie,
  inHeader,
  inQuery,
  preview,
  run,
  startUpstream,
  type Upstream,
} from './support.ts';

let upstream: Upstream;
beforeAll(async () => {
  upstream = await startUpstream();
});
beforeEach(() => {
  upstream.seen.length = 0;
});

describe('headers', () => {
  test('are the configured ones, Accept, User-Agent and nothing surprising', async () => {
    await run(
      endpoint(upstream.origin, {
        headers: { 'User-Agent': 'me/1', 'X-Api-Version': '2' },
        response: { accept: 'text/csv' },
      }),
    );
    expect(upstream.last().headers).toEqual({
      host: new URL(upstream.origin).host,
      connection: 'keep-alive',
      accept: 'text/csv',
      'accept-encoding': 'gzip, br',
      'user-agent': 'me/1',
      'x-api-version': '2',
    });
    await run(endpoint(upstream.origin));
    expect(upstream.last().headers).toMatchObject({
      accept: 'application/json, */*;q=0.5',
      'user-agent': 'landbridge',
    });
  });

  test('configuration cannot break the framing', async () => {
    await run(
      endpoint(upstream.origin, {
        headers: { Host: 'evil.test', 'Content-Length': '99', 'Transfer-Encoding': 'chunked' },
      }),
    );
    expect(upstream.last().headers.host).toBe(new URL(upstream.origin).host);
    expect(upstream.last().headers).not.toHaveProperty('content-length');
  });

  const tagged = () => endpoint(upstream.origin, { args: [arg('tag', inHeader('X-Tag'))] });

  test.each(['a\r\nX-Evil: 1', 'a\nb', 'a\0b', 'ü', '\u2028', 'x'.repeat(8193)])(
    '%j is refused as a header value',
    async (tag) => {
      await expect(run(tagged(), { tag })).rejects.toMatchObject({
        code: 'VALIDATION',
        message: expect.stringMatching(/^get_thing: `tag` goes into a header .*Nothing was sent\.$/),
      });
      expect(upstream.seen).toHaveLength(0);
    },
  );

  test('arrays, objects, numbers and tabs pass; absent ones are absent', async () => {
    await run(tagged(), { tag: ['a', 1, true] });
    expect(upstream.last().headers['x-tag']).toBe('a,1,true');
    await run(tagged(), { tag: 'a\tb' });
    expect(upstream.last().headers['x-tag']).toBe('a\tb');
    await run(tagged(), {});
    expect(upstream.last().headers).not.toHaveProperty('x-tag');
    await run(tagged(), { tag: 'x'.repeat(8192) });
    expect(upstream.last().headers['x-tag']).toHaveLength(8192);
  });

  test.each([
    'Authorization',
    'Host',
    'Cookie',
    'Content-Length',
    'Transfer-Encoding',
    'Connection',
    'Proxy-Authorization',
  ])('%s can never be an argument', async (name) => {
    await expect(
      run(endpoint(upstream.origin, { args: [arg('h', inHeader(name))] }), { h: 'x' }),
    ).rejects.toMatchObject({
      code: 'VALIDATION',
      message: expect.stringContaining('which no argument may'),
    });
    expect(upstream.seen).toHaveLength(0);
  });

  test('trace context is forwarded, and only that', async () => {
    await run(
      endpoint(upstream.origin),
      {},
      {
        trace: { traceparent: '00-1-2-01', tracestate: 'a=b', baggage: 'c=d', authorization: 'Bearer stolen' },
      },
    );
    expect(upstream.last().headers).toMatchObject({ traceparent: '00-1-2-01', tracestate: 'a=b', baggage: 'c=d' });
    expect(upstream.last().headers).not.toHaveProperty('authorization');
    await run(endpoint(upstream.origin));
    expect(upstream.last().headers).not.toHaveProperty('traceparent');
  });
});

describe('query and cookies', () => {
  test('keep their order: arguments, fixed values', async () => {
    await run(
      endpoint(upstream.origin, {
        args: [arg('b', inQuery('b')), arg('a', inQuery('a'))],
        fixed: [
          { value: 'v1', to: inQuery('version') },
          { value: 'eu', to: inHeader('X-Region') },
          { value: 'dark', to: inCookie('theme') },
        ],
      }),
      { a: 1, b: '' },
    );
    expect(upstream.last().url).toBe('/things?b=&a=1&version=v1');
    expect(upstream.last().headers).toMatchObject({ 'x-region': 'eu', cookie: 'theme=dark' });
  });

  test('cookies share one header and are encoded', async () => {
    await run(endpoint(upstream.origin, { args: [arg('a', inCookie('a')), arg('b', inCookie('b'))] }), {
      a: 'x; y',
      b: 2,
    });
    expect(upstream.last().headers.cookie).toBe('a=x%3B%20y; b=2');
  });

  test('the unencoded cookie style cannot add a cookie', async () => {
    const raw = endpoint(upstream.origin, {
      args: [arg('a', { in: 'cookie', name: 'a', style: 'cookie', explode: true })],
    });
    await run(raw, { a: 'x=y/z' });
    expect(upstream.last().headers.cookie).toBe('a=x=y/z');
    await expect(run(raw, { a: 'x; admin=1' })).rejects.toMatchObject({ code: 'VALIDATION' });
    await run(raw, { a: ['x', 'y'] });
    expect(upstream.last().headers.cookie).toBe('a=x; a=y');
  });

  test.each([
    ['application/x-www-form-urlencoded', { a: 1, b: ['x y', 'z'] }, '/things?a=1&b=x%20y&b=z'],
    ['application/json', { a: 1 }, '/things?%7B%22a%22%3A1%7D'],
    ['application/jsonpath', '$.a[?(@.b>1)]', '/things?%24.a%5B%3F%28%40.b%3E1%29%5D'],
  ])('in: querystring as %s', async (mediaType, value, want) => {
    await run(endpoint(upstream.origin, { args: [arg('q', { in: 'querystring', mediaType })] }), { q: value });
    expect(upstream.last().url).toBe(want);
  });

  test('one argument may feed several places', async () => {
    await run(
      endpoint(upstream.origin, {
        method: 'PUT',
        path: '/t/{id}',
        args: [
          {
            key: 'id',
            required: true,
            to: [{ in: 'path', name: 'id', style: 'simple', explode: false }, inBody('id'), inQuery('i')],
          },
        ],
        body: { kind: 'json', mediaType: 'application/json', required: true },
      }),
      { id: 7 },
    );
    expect(upstream.last()).toMatchObject({ url: '/t/7?i=7', body: Buffer.from('{"id":7}') });
  });
});

// A read stays a read, whatever names a call brings along.
describe('checkPairs()', () => {
  test.each([
    '_method=DELETE',
    '_method',
    'a=1&_method=DELETE',
    'a=1;_method=DELETE',
    '%5Fmethod=DELETE',
    '+_method+=DELETE',
    '_METHOD[]=DELETE',
    `_method${'[x]'.repeat(100)}=DELETE`,
  ])('refuses %s, every time', (text) => {
    for (let time = 0; time < 2; time++) expect(() => checkPairs(text)).toThrow(/makes this read another operation/);
  });

  test.each(['', 'limit=88', 'a=_method', 'a=1&b=2;c', `${'a'.repeat(200)}=1`, '%zz=1'])('lets %s pass', (text) => {
    for (let time = 0; time < 2; time++) expect(() => checkPairs(text)).not.toThrow();
  });
});

describe('preview', () => {
  const secret = { variable: 'API_KEY', value: 'very-secret-key' };

  test('is what would be sent, with the credentials redacted, and sends nothing', async () => {
    const target = endpoint(`${upstream.origin}/v1`, {
      method: 'POST',
      path: '/pets',
      args: [arg('q', inQuery('q')), arg('name', inBody('name'))],
      body: { kind: 'json', mediaType: 'application/json', required: true },
      security: [
        [
          { kind: 'apiKey', name: 'k', in: 'query', field: 'key', secret },
          { kind: 'bearer', name: 'b', secret: { variable: 'TOKEN', value: 'tok-123456' } },
          { kind: 'apiKey', name: 'c', in: 'cookie', field: 'sid', secret },
        ],
      ],
    });
    const args = { q: 'a b', name: 'Rex very-secret-key' };
    expect(preview(target, args)).toEqual({
      method: 'POST',
      url: `${upstream.origin}/v1/pets?q=a%20b&key=[redacted]`,
      headers: {
        host: new URL(upstream.origin).host,
        accept: 'application/json, */*;q=0.5',
        'accept-encoding': 'gzip, br',
        'user-agent': 'landbridge',
        'content-type': 'application/json',
        'content-length': '30',
        authorization: 'Bearer [redacted]',
        cookie: 'sid=[redacted]',
      },
      body: '{"name":"Rex [redacted]"}',
    });
    expect(upstream.seen).toHaveLength(0);
    await run(target, args);
    const { url, headers } = upstream.last();
    expect(url).toBe('/v1/pets?q=a%20b&key=very-secret-key');
    expect(headers).toMatchObject({
      authorization: 'Bearer tok-123456',
      cookie: 'sid=very-secret-key',
      'content-length': '30',
    });
    expect(Object.keys(headers).sort()).toEqual([...Object.keys(preview(target, args).headers), 'connection'].sort());
  });

  test('shows binary bodies as base64, large ones cut, and which variables are missing', () => {
    const target = endpoint(upstream.origin, {
      method: 'PUT',
      args: [arg('file', { in: 'body-root' })],
      body: { kind: 'binary', mediaType: 'image/png', required: true },
      security: [
        [
          {
            kind: 'basic',
            name: 'b',
            username: { variable: 'USER_X', value: undefined },
            password: { variable: 'PASS_X', value: undefined },
          },
        ],
      ],
    });
    expect(preview(target, { file: { base64: '/wA=' } })).toMatchObject({
      headers: { authorization: 'Basic [redacted]' },
      body: '/wA=',
      bodyEncoding: 'base64',
      missing: ['USER_X', 'PASS_X'],
    });
    const large = preview(target, { file: { text: 'x'.repeat(100_000) } });
    expect(large.body).toHaveLength(65_536);
    expect(large.bodyBytes).toBe(100_000);
  });

  test('refuses what the call would refuse', () => {
    expect(() =>
      preview(
        endpoint(upstream.origin, {
          path: '/x/{id}',
          args: [arg('id', { in: 'path', name: 'id', style: 'simple', explode: false })],
        }),
        { id: '..' },
      ),
    ).toThrow(/Nothing was sent/);
  });
});
