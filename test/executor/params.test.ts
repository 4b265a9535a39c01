import { describe, expect, test } from 'vitest';
import type { ParameterStyle } from '../../src/endpoint/model.ts';
import { compileParameter, type ParameterTarget } from '../../src/executor/request/parameter-styles.ts';

const values = {
  empty: '',
  string: 'blue',
  array: ['blue', 'black', 'brown'],
  object: { R: 100, G: 200, B: 150 },
};
type Column = keyof typeof values;
type Row = readonly [style: ParameterStyle, explode: boolean, want: Partial<Record<Column, string>>];

function serialise(
  place: ParameterTarget['in'],
  style: ParameterStyle,
  explode: boolean,
  value: unknown,
  more: Partial<ParameterTarget> = {},
): string | undefined {
  return compileParameter({ in: place, name: 'color', style, explode, ...more })(value);
}

// OAS 3.0.4 and 3.1.1, "Style Examples". (3.0.0 to 3.0.3 printed `.blue.black.brown` for label without explode, which
// contradicts the RFC 6570 they refer to; the later editions of both corrected it.)
const table: Record<ParameterTarget['in'], readonly Row[]> = {
  path: [
    [
      'matrix',
      false,
      { empty: ';color', string: ';color=blue', array: ';color=blue,black,brown', object: ';color=R,100,G,200,B,150' },
    ],
    [
      'matrix',
      true,
      {
        empty: ';color',
        string: ';color=blue',
        array: ';color=blue;color=black;color=brown',
        object: ';R=100;G=200;B=150',
      },
    ],
    ['label', false, { empty: '.', string: '.blue', array: '.blue,black,brown', object: '.R,100,G,200,B,150' }],
    ['label', true, { empty: '.', string: '.blue', array: '.blue.black.brown', object: '.R=100.G=200.B=150' }],
    ['simple', false, { empty: '', string: 'blue', array: 'blue,black,brown', object: 'R,100,G,200,B,150' }],
    ['simple', true, { empty: '', string: 'blue', array: 'blue,black,brown', object: 'R=100,G=200,B=150' }],
  ],
  query: [
    [
      'form',
      false,
      { empty: 'color=', string: 'color=blue', array: 'color=blue,black,brown', object: 'color=R,100,G,200,B,150' },
    ],
    [
      'form',
      true,
      {
        empty: 'color=',
        string: 'color=blue',
        array: 'color=blue&color=black&color=brown',
        object: 'R=100&G=200&B=150',
      },
    ],
    ['spaceDelimited', false, { array: 'color=blue%20black%20brown', object: 'color=R%20100%20G%20200%20B%20150' }],
    ['pipeDelimited', false, { array: 'color=blue%7Cblack%7Cbrown', object: 'color=R%7C100%7CG%7C200%7CB%7C150' }],
    ['deepObject', true, { object: 'color%5BR%5D=100&color%5BG%5D=200&color%5BB%5D=150' }],
  ],
  header: [
    ['simple', false, { empty: '', string: 'blue', array: 'blue,black,brown', object: 'R,100,G,200,B,150' }],
    ['simple', true, { empty: '', string: 'blue', array: 'blue,black,brown', object: 'R=100,G=200,B=150' }],
  ],
  cookie: [
    [
      'form',
      false,
      { empty: 'color=', string: 'color=blue', array: 'color=blue,black,brown', object: 'color=R,100,G,200,B,150' },
    ],
    [
      'form',
      true,
      {
        empty: 'color=',
        string: 'color=blue',
        array: 'color=blue&color=black&color=brown',
        object: 'R=100&G=200&B=150',
      },
    ],
    // OAS 3.2
    [
      'cookie',
      true,
      {
        empty: 'color=',
        string: 'color=blue',
        array: 'color=blue; color=black; color=brown',
        object: 'R=100; G=200; B=150',
      },
    ],
    [
      'cookie',
      false,
      { empty: 'color=', string: 'color=blue', array: 'color=blue,black,brown', object: 'color=R,100,G,200,B,150' },
    ],
  ],
};

const cases = Object.entries(table).flatMap(([place, rows]) =>
  rows.flatMap(([style, explode, want]) =>
    Object.entries(want).map(([column, text]) => ({
      place: place as ParameterTarget['in'],
      style,
      explode,
      column: column as Column,
      text,
    })),
  ),
);

describe('the OAS style table', () => {
  test('has every row of it here', () => {
    // 6 path rows, 2 header rows and 2 + 2 cookie rows of four columns; 2 query rows of four, 2 of two, 1 of one.
    expect(cases).toHaveLength(24 + 8 + 16 + 8 + 4 + 1);
  });

  test.each(cases)('$place $style explode=$explode $column → $text', ({ place, style, explode, column, text }) => {
    expect(serialise(place, style, explode, values[column])).toBe(text);
  });
});

describe('around the table', () => {
  test.each([
    ['undefined', undefined],
    ['null', null],
    ['an empty array', []],
    ['an empty object', {}],
    ['an array of nulls', [null, undefined]],
    ['an object of nulls', { a: null }],
  ])('%s is left out', (_, value) => {
    for (const style of ['form', 'spaceDelimited', 'pipeDelimited', 'deepObject'] as const) {
      expect(serialise('query', style, true, value)).toBeUndefined();
      expect(serialise('query', style, false, value)).toBeUndefined();
    }
    expect(serialise('header', 'simple', false, value)).toBeUndefined();
  });

  test.each([
    [false, 'color=false'],
    [0, 'color=0'],
    [-1.5, 'color=-1.5'],
    [1e21, 'color=1e%2B21'],
    ['', 'color='],
    [' ', 'color=%20'],
    ["!*'()", 'color=%21%2A%27%28%29'],
    ['a&b=c+d#e', 'color=a%26b%3Dc%2Bd%23e'],
    ['ü€😀', 'color=%C3%BC%E2%82%AC%F0%9F%98%80'],
    ['100%', 'color=100%25'],
  ])('%j in a query is %s', (value, want) => {
    expect(serialise('query', 'form', true, value)).toBe(want);
  });

  test('delimiters inside items are encoded before the items are joined', () => {
    expect(serialise('query', 'form', false, ['a,b', 'c'])).toBe('color=a%2Cb,c');
    expect(serialise('query', 'pipeDelimited', false, ['a|b', 'c'])).toBe('color=a%7Cb%7Cc');
    expect(serialise('query', 'spaceDelimited', false, ['a b', 'c'])).toBe('color=a%20b%20c');
    expect(serialise('path', 'simple', false, ['a,b', 'c/d'])).toBe('a%2Cb,c%2Fd');
  });

  test('exploded space and pipe styles repeat the name', () => {
    expect(serialise('query', 'spaceDelimited', true, ['a', 'b'])).toBe('color=a&color=b');
    expect(serialise('query', 'pipeDelimited', true, ['a', 'b'])).toBe('color=a&color=b');
  });

  test('nulls inside arrays and objects are skipped', () => {
    expect(serialise('query', 'form', true, ['a', null, 'b'])).toBe('color=a&color=b');
    expect(serialise('query', 'form', false, { a: 1, b: null, c: '' })).toBe('color=a,1,c,');
  });

  test('names are encoded', () => {
    const write = compileParameter({ in: 'query', name: 'filter[a b]&', style: 'form', explode: true });
    expect(write('x')).toBe('filter%5Ba%20b%5D%26=x');
    expect(serialise('query', 'form', true, { 'k&=': 'v' })).toBe('k%26%3D=v');
    expect(serialise('query', 'deepObject', true, { 'x]&y': 'v' })).toBe('color%5Bx%5D%26y%5D=v');
  });

  test('allowReserved keeps reserved characters and triplets, but nothing that ends the value', () => {
    const write = (value: unknown) => serialise('query', 'form', true, value, { allowReserved: true });
    expect(write("a:/?[]@!$'()*,;b")).toBe("color=a:/?[]@!$'()*,;b");
    expect(write('a&b=c+d#e')).toBe('color=a%26b%3Dc%2Bd%23e');
    expect(write('%41 %zz')).toBe('color=%41%20%25zz');
    expect(serialise('path', 'simple', false, 'a:b@c/d?e#f', { allowReserved: true })).toBe('a:b@c%2Fd%3Fe%23f');
  });

  test('deepObject nests, and writes arrays as asked', () => {
    const value = { a: { b: 1 }, list: ['x', 'y'], rows: [{ id: 1 }, { id: 2 }] };
    expect(serialise('query', 'deepObject', true, value)).toBe(
      'color%5Ba%5D%5Bb%5D=1&color%5Blist%5D%5B%5D=x&color%5Blist%5D%5B%5D=y' +
        '&color%5Brows%5D%5B0%5D%5Bid%5D=1&color%5Brows%5D%5B1%5D%5Bid%5D=2',
    );
    const list = { list: ['x', 'y'] };
    expect(serialise('query', 'deepObject', true, list, { arrays: 'indices' })).toBe(
      'color%5Blist%5D%5B0%5D=x&color%5Blist%5D%5B1%5D=y',
    );
    expect(serialise('query', 'deepObject', true, list, { arrays: 'repeat' })).toBe(
      'color%5Blist%5D=x&color%5Blist%5D=y',
    );
    expect(serialise('query', 'deepObject', true, 'blue')).toBe('color=blue');
  });

  test('deepObject refuses what is nested without end', () => {
    let value: unknown = 1;
    for (let depth = 0; depth < 100; depth++) value = { a: value };
    expect(() => serialise('query', 'deepObject', true, value)).toThrow(/nested deeper/);
  });

  test('nested values in flat styles are JSON', () => {
    expect(serialise('query', 'form', false, { a: { b: 1 } })).toBe('color=a,%7B%22b%22%3A1%7D');
  });

  test('`__proto__` is a key like any other', () => {
    const value = JSON.parse('{"__proto__":"x","constructor":"y"}') as unknown;
    expect(serialise('query', 'form', true, value)).toBe('__proto__=x&constructor=y');
    expect(serialise('query', 'deepObject', true, value)).toBe('color%5B__proto__%5D=x&color%5Bconstructor%5D=y');
  });

  test.each([
    ['query', 'application/json', { a: [1, 'ü'] }, 'color=%7B%22a%22%3A%5B1%2C%22%C3%BC%22%5D%7D'],
    ['query', 'application/vnd.x+json', 'b', 'color=%22b%22'],
    ['query', 'text/plain', 'a b', 'color=a%20b'],
    ['query', 'application/x-www-form-urlencoded', { a: 1, b: ['x', 'y'] }, 'color=a%3D1%26b%3Dx%26b%3Dy'],
    ['path', 'application/json', { a: 1 }, '%7B%22a%22%3A1%7D'],
    ['header', 'application/json', { a: 'ü' }, '{"a":"\\u00fc"}'],
    ['cookie', 'application/json', [1], 'color=%5B1%5D'],
  ] as const)('a %s parameter with content %s', (place, mediaType, value, want) => {
    expect(serialise(place, place === 'query' ? 'form' : 'simple', false, value, { mediaType })).toBe(want);
  });

  test('half a surrogate pair is refused', () => {
    expect(() => serialise('query', 'form', true, '\ud800')).toThrow(/surrogate/);
    expect(() => serialise('query', 'form', true, 'a\udc00/', { allowReserved: true })).toThrow(/surrogate/);
  });
});
