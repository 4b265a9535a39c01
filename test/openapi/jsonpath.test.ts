// JSONPath (RFC 9535): the compliance suite, the examples of the RFC, and limits for hostile expressions.
import { readFileSync } from 'node:fs';
import { isDeepStrictEqual } from 'node:util';
import { describe, expect, test } from 'vitest';
import { findAll } from '../../src/openapi/source/jsonpath.ts';

const values = (path: string, root: unknown) => findAll(path, root).map(({ value }) => value);

interface Case {
  readonly name: string;
  readonly selector: string;
  readonly document?: unknown;
  readonly result?: unknown[];
  readonly results?: unknown[][];
  readonly invalid_selector?: boolean;
}

// The official suite (jsonpath-standard/jsonpath-compliance-test-suite), as shipped by a package that is not under test.
const suite = JSON.parse(
  readFileSync(
    new URL(
      '../../node_modules/jsonpath-rfc9535/src/__tests__/jsonpath-compliance-test-suite/cts.json',
      import.meta.url,
    ),
    'utf8',
  ),
) as { readonly tests: readonly Case[] };

test('every row of the compliance suite has its answer', () => {
  expect(suite.tests).toHaveLength(687);
  const failures = suite.tests.flatMap((row) => {
    const problem = problemOf(row);
    return problem === undefined ? [] : [`${row.name}: ${problem}`];
  });
  expect(failures).toEqual([]);
});

/** What is wrong with the answer to a row, if anything. */
function problemOf({ selector, document, result, results, invalid_selector }: Case): string | undefined {
  const wanted = results ?? [result];
  try {
    const found = values(selector, invalid_selector === true ? {} : document);
    if (invalid_selector === true) return 'an invalid selector was accepted';
    return wanted.some((one) => isDeepStrictEqual(one, found)) ? undefined : `found ${JSON.stringify(found)}`;
  } catch (error) {
    const { message } = error as Error;
    return invalid_selector === true && /is not JSONPath/.test(message) ? undefined : message;
  }
}

// RFC 9535, 1.5.
const store = {
  store: {
    book: [
      { category: 'reference', author: 'Nigel Rees', title: 'Sayings of the Century', price: 8.95 },
      { category: 'fiction', author: 'Evelyn Waugh', title: 'Sword of Honour', price: 12.99 },
      { category: 'fiction', author: 'Herman Melville', title: 'Moby Dick', isbn: '0-553-21311-3', price: 8.99 },
      {
        category: 'fiction',
        author: 'J. R. R. Tolkien',
        title: 'The Lord of the Rings',
        isbn: '0-395-19395-8',
        price: 22.99,
      },
    ],
    bicycle: { color: 'red', price: 399 },
  },
};
const titles = (path: string) => values(path, store).map((book) => (book as { title: string }).title.split(' ')[0]);

describe('the bookstore of the RFC', () => {
  test.each([
    ['$..book[2]', ['Moby']],
    ['$..book[-1]', ['The']],
    ['$..book[0,1]', ['Sayings', 'Sword']],
    ['$..book[:2]', ['Sayings', 'Sword']],
    ['$..book[?@.isbn]', ['Moby', 'The']],
    ['$..book[?@.price<10]', ['Sayings', 'Moby']],
    ["$..book[?(@.category == 'fiction' && @.price < 20)]", ['Sword', 'Moby']],
    ['$..book[?!@.isbn || @.price >= 22.99]', ['Sayings', 'Sword', 'The']],
    ["$.store['book'][?match(@.author, '.*Rees')]", ['Sayings']],
    ['$.store.book[?search(@.title, "Lord|Moby")]', ['Moby', 'The']],
    ['$.store.book[?length(@.title) < 10]', ['Moby']],
    ['$.store.book[?@.price == $.store.book[1].price]', ['Sword']],
    ['$.store.book[?count(@.*) > 4]', ['Moby', 'The']],
  ])('%s', (path, want) => {
    expect(titles(path)).toEqual(want);
  });

  test('names, wildcards and descendants', () => {
    expect(values('$.store.book[*].author', store)).toHaveLength(4);
    expect(values('$..author', store)).toHaveLength(4);
    expect(values('$.store.*', store)).toHaveLength(2);
    expect(values('$.store..price', store)).toEqual([8.95, 12.99, 8.99, 22.99, 399]);
    expect(values('$..*', store)).toHaveLength(27);
    expect(values('$', store)).toEqual([store]);
  });
});

test.each([
  ['$[1:3]', ['b', 'c']],
  ['$[5:]', ['f', 'g']],
  ['$[1:5:2]', ['b', 'd']],
  ['$[5:1:-2]', ['f', 'd']],
  ['$[::-1]', ['g', 'f', 'e', 'd', 'c', 'b', 'a']],
  ['$[-2:]', ['f', 'g']],
  ['$[::0]', []],
])('slice %s', (path, want) => {
  expect(values(path, ['a', 'b', 'c', 'd', 'e', 'f', 'g'])).toEqual(want);
});

test('what OpenAPI needs: quoted paths, escapes, keys of prototypes', () => {
  const document = {
    paths: { '/pets/{id}': { get: { tags: ['a'] }, post: {} }, "/it's": 1 },
    'x-y': 2,
    constructor: 3,
  };
  expect(values("$.paths['/pets/{id}'].get", document)).toEqual([{ tags: ['a'] }]);
  expect(values('$.paths["/it\\u0027s"]', document)).toEqual([1]);
  expect(values("$.paths['/it\\'s']", document)).toEqual([1]);
  expect(values('$.x-y', document)).toEqual([2]);
  expect(values('$.constructor', document)).toEqual([3]);
  expect(values('$.paths.constructor', document)).toEqual([]);
  expect(values('$.__proto__', document)).toEqual([]);
  expect(values("$.paths[*][?@.tags[?@ == 'a']]", document)).toEqual([{ tags: ['a'] }]);
});

test.each(['', 'paths', '@.a', '$.', '$[', '$[1', "$['a", '$..', '$[?]', '$[?@.a ==]', '$[?nope(@)]', '$ x', '$[?1]'])(
  '%j is no JSONPath, and the message says where',
  (path) => {
    expect(() => findAll(path, {})).toThrow(/is not JSONPath: .* at character \d+/);
  },
);

test('a path that is too long, or nests filters without end, is refused before it runs', () => {
  expect(() => findAll(`$${'.a'.repeat(3_000)}`, {})).toThrow(/longer than 4000/);
  expect(() => findAll(`$${'[?@'.repeat(50)}${']'.repeat(50)}`, {})).toThrow(/nests more than 8 filters/);
  expect(values(`$[?${'('.repeat(50)}@${')'.repeat(50)}]`, [1])).toEqual([1]);
});

test.each([
  ['$..[?$..[?$..c]]', { a: Array.from({ length: 300 }, () => ({ b: Array.from({ length: 50 }, () => ({ c: 1 })) })) }],
  ['$[?$[?1==2]]', Array.from({ length: 20_000 }, () => 0)],
  ['$[?count($[*])>0]', Array.from({ length: 20_000 }, () => 0)],
  ['$..*..*..*', Array.from({ length: 500 }).reduce<unknown>((inner) => [inner, 0], 0)],
])('%s multiplies, and ends', (path, document) => {
  expect(() => findAll(path, document)).toThrow(/matches too much/);
});

test('what is deep costs what it holds, not depth times that', () => {
  const leaves = Array.from({ length: 200_000 }, () => ({}));
  const deep = Array.from({ length: 500 }).reduce<unknown>((inner) => [inner], leaves);
  expect(findAll('$..*', deep)).toHaveLength(200_500);
});

test('patterns run in linear time; what is no I-Regexp matches nothing', () => {
  const hostile = { text: 'a'.repeat(50_000) };
  expect(values("$[?search(@, '(a+)+b')]", hostile)).toEqual([]);
  expect(values("$[?match(@, '(a|a)*b')]", hostile)).toEqual([]);
  expect(values("$[?search(@, '(?=a)a')]", hostile)).toEqual([]);
  expect(values("$[?search(@, '(a)\\\\1')]", hostile)).toEqual([]);
});

test('$ inside a nested filter is the document', () => {
  const document = { want: 'a', items: [{ tags: ['a', 'b'] }, { tags: ['c'] }] };
  expect(values('$.items[?@.tags[?@ == $.want]]', document)).toEqual([{ tags: ['a', 'b'] }]);
});

test('a place knows its parent and key', () => {
  const document = { a: [{ b: 1 }] };
  expect(findAll('$.a[*].b', document)).toEqual([{ parent: document.a[0], key: 'b', value: 1 }]);
  expect(findAll('$', document)).toEqual([{ parent: undefined, key: '', value: document }]);
});
