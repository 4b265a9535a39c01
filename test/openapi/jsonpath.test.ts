// JSONPath as RFC 9535 has it: its own examples, and what a hostile expression may cost.
import { describe, expect, test } from 'vitest';
import { findAll } from '../../src/openapi/source/jsonpath.ts';
import { parseJsonPath } from '../../src/openapi/source/jsonpath-parse.ts';

const values = (path: string, root: unknown) => findAll(parseJsonPath(path), root).map(({ value }) => value);

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

test.each([
  '',
  'paths',
  '@.a',
  '$.',
  '$[',
  '$[1',
  "$['a",
  '$..',
  '$[?]',
  '$[?@.a ==]',
  '$[?nope(@)]',
  '$ x',
  '$[?1]',
  `$[?${'('.repeat(50)}@${')'.repeat(50)}]`,
])('%j is no JSONPath, and the message says where', (path) => {
  expect(() => parseJsonPath(path)).toThrow(/at character \d+|must begin/);
});

test('an expression that multiplies ends', () => {
  const wide = { a: Array.from({ length: 300 }, () => ({ b: Array.from({ length: 50 }, () => ({ c: 1 })) })) };
  expect(() => findAll(parseJsonPath('$..[?$..[?$..c]]'), wide)).toThrow(/matches too much/);
});
