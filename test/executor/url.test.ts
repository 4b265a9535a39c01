import fc from 'fast-check';
import { beforeAll, describe, expect, test } from 'vitest';
import type { Target } from '../../src/endpoint/model.ts';
import { arg, endpoint, inPath, inQuery, run, startUpstream, type Upstream } from './support.ts';

let upstream: Upstream;
beforeAll(async () => {
  upstream = await startUpstream();
});

const items = (path = '/items/{id}/notes', to: Target = inPath('id')) =>
  endpoint(upstream.origin, { path, args: [arg('id', to, true)] });

async function sentFor(value: unknown, path?: string, to?: Target): Promise<string | undefined> {
  const before = upstream.seen.length;
  try {
    await run(items(path, to), { id: value });
  } catch (error) {
    expect(error).toMatchObject({ code: 'VALIDATION', message: expect.stringMatching(/`id` .*Nothing was sent\.$/) });
    expect(upstream.seen).toHaveLength(before);
    return undefined;
  }
  expect(upstream.seen).toHaveLength(before + 1);
  return upstream.last().url;
}

describe('a path value', () => {
  test.each([
    '',
    '.',
    '..',
    '../admin',
    '../../admin',
    'a/../b',
    'a/..',
    './a',
    '..\\admin',
    'a\\..\\b',
    '%2e',
    '%2e%2e',
    '.%2E',
    '..%2fadmin',
    '%2e%2e%2fadmin',
    '%252e%252e%252fadmin',
    '%25252e%25252e',
    '..%5cadmin',
    'a%2f..%2fb',
    `${'%25'.repeat(1)}${'25'.repeat(50)}2e`,
  ])('%j is refused and nothing is sent', async (value) => {
    expect(await sentFor(value)).toBeUndefined();
  });

  test.each([
    ['7', '/items/7/notes'],
    ['a b', '/items/a%20b/notes'],
    ['a/b', '/items/a%2Fb/notes'],
    ['a?x=1#f', '/items/a%3Fx%3D1%23f/notes'],
    ['a;b=c', '/items/a%3Bb%3Dc/notes'],
    ['@host', '/items/%40host/notes'],
    ['//evil.test', '/items/%2F%2Fevil.test/notes'],
    ['http://evil.test/', '/items/http%3A%2F%2Fevil.test%2F/notes'],
    ['...', '/items/.../notes'],
    ['.a', '/items/.a/notes'],
    ['v1.2', '/items/v1.2/notes'],
    ['a..b', '/items/a..b/notes'],
    ['50%', '/items/50%25/notes'],
    ['%41', '/items/%2541/notes'],
    ['\r\nX: y', '/items/%0D%0AX%3A%20y/notes'],
    ['ü😀', '/items/%C3%BC%F0%9F%98%80/notes'],
    ['{id}', '/items/%7Bid%7D/notes'],
  ])('%j becomes exactly one segment', async (value, want) => {
    expect(await sentFor(value)).toBe(want);
  });

  test.each([
    [0, '/items/0/notes'],
    [false, '/items/false/notes'],
    [12345678901234, '/items/12345678901234/notes'],
  ])('%j is written as text', async (value, want) => {
    expect(await sentFor(value)).toBe(want);
  });

  test.each([null, undefined, [], {}, ['..'], ['a', '../b'], { '..': 1 }, { a: '..' }])(
    '%j is refused',
    async (value) => {
      expect(await sentFor(value)).toBeUndefined();
    },
  );

  test('half a surrogate pair is refused', async () => {
    expect(await sentFor('a\ud800b')).toBeUndefined();
  });

  test('label and matrix styles cannot make a dot segment either', async () => {
    const label: Target = { in: 'path', name: 'id', style: 'label', explode: true };
    expect(await sentFor('', '/items/{id}', label)).toBeUndefined();
    expect(await sentFor([''], '/items/{id}', label)).toBeUndefined();
    expect(await sentFor(['', ''], '/items/{id}', label)).toBeUndefined();
    expect(await sentFor(['a'], '/items/{id}', label)).toBe('/items/.a');
    // Servers that decode %2F before they route would climb.
    expect(await sentFor(['', '/admin'], '/items/{id}', label)).toBeUndefined();
    expect(await sentFor('/x', '/items/{id}', label)).toBeUndefined();
    expect(await sentFor('a/b', '/items/{id}', label)).toBe('/items/.a%2Fb');
    const matrix: Target = { in: 'path', name: 'id', style: 'matrix', explode: false };
    expect(await sentFor(['a', 'b'], '/items/{id}', matrix)).toBe('/items/;id=a,b');
    expect(await sentFor('', '/items/{id}', matrix)).toBeUndefined();
  });

  test('a literal beside the variable cannot make a dot segment', async () => {
    expect(await sentFor('.', '/items/.{id}')).toBeUndefined();
    expect(await sentFor('a', '/items/.{id}')).toBe('/items/.a');
  });
});

describe('the path', () => {
  test('keeps the base path and encodes the template once', async () => {
    await run(endpoint(`${upstream.origin}/v1/`, { path: '/a b/ü/%41/x:y' }));
    expect(upstream.last().url).toBe('/v1/a%20b/%C3%BC/%41/x:y');
    await run(endpoint(`${upstream.origin}/v1`, { path: '/' }));
    expect(upstream.last().url).toBe('/v1/');
    await run(endpoint(`${upstream.origin}/v1`, { path: '' }));
    expect(upstream.last().url).toBe('/v1');
    await run(endpoint(upstream.origin, { path: '' }));
    expect(upstream.last().url).toBe('/');
    await run(endpoint(upstream.origin, { path: 'x' }));
    expect(upstream.last().url).toBe('/x');
  });

  test('takes a query string from the template and adds to it', async () => {
    await run(
      endpoint(upstream.origin, {
        path: '/rpc?method={id}&v=1#frag',
        args: [arg('id', inPath('id')), arg('q', inQuery('q'))],
      }),
      { id: 'a&b', q: 1 },
    );
    expect(upstream.last().url).toBe('/rpc?method=a%26b&v=1&q=1');
  });

  test('fills the same variable twice', async () => {
    expect(await sentFor('x', '/a/{id}/b/{id}')).toBe('/a/x/b/x');
  });

  test('never sends a variable without a value', async () => {
    const before = upstream.seen.length;
    await expect(run(endpoint(upstream.origin, { path: '/items/{other}' }))).rejects.toMatchObject({
      code: 'VALIDATION',
      message: 'get_thing: `other` is required: it is part of the path. Nothing was sent.',
    });
    expect(upstream.seen).toHaveLength(before);
  });

  test('takes fixed values, checked like any other', async () => {
    await run(endpoint(upstream.origin, { path: '/t/{tenant}', fixed: [{ value: 'a/b', to: inPath('tenant') }] }));
    expect(upstream.last().url).toBe('/t/a%2Fb');
    await expect(
      run(endpoint(upstream.origin, { path: '/t/{tenant}', fixed: [{ value: '..', to: inPath('tenant') }] })),
    ).rejects.toMatchObject({ code: 'VALIDATION' });
  });

  test('an argument called like an object method is absent unless given', async () => {
    for (const name of ['__proto__', 'constructor', 'toString']) {
      await expect(
        run(endpoint(upstream.origin, { path: '/x/{v}', args: [arg(name, inPath('v'))] })),
      ).rejects.toMatchObject({ code: 'VALIDATION' });
      await run(endpoint(upstream.origin, { path: '/x', args: [arg(name, inQuery('v'))] }));
      expect(upstream.last().url).toBe('/x');
    }
  });

  test('without a base URL the message says how to set one', async () => {
    await expect(run(endpoint(''))).rejects.toMatchObject({
      code: 'UNREACHABLE',
      message: expect.stringContaining('--base-url'),
    });
    await expect(run(endpoint('ftp://x'))).rejects.toMatchObject({ code: 'UNREACHABLE' });
    await expect(run(endpoint('/relative'))).rejects.toMatchObject({ code: 'UNREACHABLE' });
  });
});

describe('for any string', () => {
  const nasty = fc.oneof(
    fc.string({ unit: 'binary' }),
    fc.string({ unit: fc.constantFrom('.', '/', '\\', '%', '2', 'e', 'f', '5', 'c', '?', '#', ';', 'a', '\ud800') }),
  );

  test('either nothing is sent, or the target has the segments of the template and decodes to the value', async () => {
    await fc.assert(
      fc.asyncProperty(nasty, async (value) => {
        const url = await sentFor(value);
        if (url === undefined) return;
        const segments = url.split('/');
        expect(segments).toHaveLength(4);
        expect([segments[1], segments[3]]).toEqual(['items', 'notes']);
        expect(decodeURIComponent(segments[2] as string)).toBe(value);
        expect(new URL(upstream.origin + url).pathname).toBe(url);
      }),
      { numRuns: 1500 },
    );
  });

  test('a query value arrives as it was', async () => {
    const target = endpoint(upstream.origin, { args: [arg('q', inQuery('q[]'))] });
    await fc.assert(
      fc.asyncProperty(fc.string({ unit: 'grapheme' }), async (value) => {
        await run(target, { q: value });
        expect([...new URL(upstream.origin + upstream.last().url).searchParams]).toEqual([['q[]', value]]);
      }),
      { numRuns: 300 },
    );
  });

  test('an array in each query style arrives as it was', async () => {
    const decode = (url: string) => [...new URL(upstream.origin + url).searchParams].map(([, value]) => value);
    const words = fc.array(fc.string({ unit: 'grapheme', minLength: 1 }), { minLength: 1, maxLength: 5 });
    await fc.assert(
      fc.asyncProperty(words, async (value) => {
        const query = (style: 'form' | 'pipeDelimited' | 'spaceDelimited', explode: boolean) =>
          endpoint(upstream.origin, { args: [arg('q', { in: 'query', name: 'q', style, explode })] });
        await run(query('form', true), { q: value });
        expect(decode(upstream.last().url)).toEqual(value);
        for (const [style, delimiter] of [
          ['form', ','],
          ['pipeDelimited', '%7C'],
          ['spaceDelimited', '%20'],
        ] as const) {
          await run(query(style, false), { q: value });
          const raw = upstream.last().url.split('?q=')[1] as string;
          expect(raw).toBe(value.map((item) => compare(item)).join(delimiter));
        }
      }),
      { numRuns: 100 },
    );
  });
});

function compare(item: string): string {
  return encodeURIComponent(item).replace(/[!'()*]/g, (c) => `%${c.charCodeAt(0).toString(16).toUpperCase()}`);
}
