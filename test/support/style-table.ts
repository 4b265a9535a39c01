// The style tables of the OpenAPI Specification, and what lies around them: one parameter called `color`, one value, its
// text on the wire. test/executor/params.test.ts takes every row through the serialiser alone, test/fidelity/styles.test.ts
// from the official client to the bytes that arrive.
import type { ParameterStyle } from '../../src/endpoint/model.ts';

export type Place = 'path' | 'query' | 'header' | 'cookie';

export interface StyleRow {
  readonly in: Place;
  readonly style: ParameterStyle;
  readonly explode: boolean;
  readonly value: unknown;
  /** What stands in the path segment, the query, the header or the cookie header; undefined: it is left out. */
  readonly wire: string | undefined;
  readonly allowReserved?: true;
  /** A parameter with `content` instead of a style. */
  readonly mediaType?: string;
  /** What the gateway says to a value that the serialiser could write and that must not stand in a path. */
  readonly refused?: RegExp;
  /** Only documents from this version on can say it. */
  readonly since?: '3.2';
}

const EMPTY = '';
const STRING = 'blue';
const ARRAY = ['blue', 'black', 'brown'];
const OBJECT = { R: 100, G: 200, B: 150 };

type More = Pick<StyleRow, 'allowReserved' | 'mediaType' | 'refused' | 'since'>;

function row(
  place: Place,
  style: ParameterStyle,
  explode: boolean,
  value: unknown,
  wire: string | undefined,
  more: More = {},
): StyleRow {
  return { in: place, style, explode, value, wire, ...more };
}

type Examples = readonly [
  empty: string | undefined,
  string: string | undefined,
  array: string | undefined,
  object: string,
];

/** One line of the specification's table: empty, string, array, object; undefined where the table says n/a. */
function examples(place: Place, style: ParameterStyle, explode: boolean, wires: Examples, more: More = {}): StyleRow[] {
  return [EMPTY, STRING, ARRAY, OBJECT].flatMap((value, column) => {
    const wire = wires[column];
    if (wire === undefined) return [];
    // An empty value would leave a path segment that some server reads as another path.
    return [
      row(place, style, explode, value, wire, { ...more, ...(place === 'path' && value === EMPTY && NO_SEGMENT) }),
    ];
  });
}

const NO_SEGMENT = { refused: /empty|path segment/ };
const na = undefined;

/**
 * OAS 3.0.4 and 3.1.1, "Style Examples". (3.0.0 to 3.0.3 printed `.blue.black.brown` for label without explode, which
 * contradicts the RFC 6570 they refer to; the later editions of both corrected it.)
 */
export const SPECIFICATION_ROWS: readonly StyleRow[] = [
  ...examples('path', 'matrix', false, [
    ';color',
    ';color=blue',
    ';color=blue,black,brown',
    ';color=R,100,G,200,B,150',
  ]),
  ...examples('path', 'matrix', true, [
    ';color',
    ';color=blue',
    ';color=blue;color=black;color=brown',
    ';R=100;G=200;B=150',
  ]),
  ...examples('path', 'label', false, ['.', '.blue', '.blue,black,brown', '.R,100,G,200,B,150']),
  ...examples('path', 'label', true, ['.', '.blue', '.blue.black.brown', '.R=100.G=200.B=150']),
  ...examples('path', 'simple', false, ['', 'blue', 'blue,black,brown', 'R,100,G,200,B,150']),
  ...examples('path', 'simple', true, ['', 'blue', 'blue,black,brown', 'R=100,G=200,B=150']),
  ...(['query', 'cookie'] as const).flatMap((place) => [
    ...examples(place, 'form', false, ['color=', 'color=blue', 'color=blue,black,brown', 'color=R,100,G,200,B,150']),
    ...examples(place, 'form', true, [
      'color=',
      'color=blue',
      'color=blue&color=black&color=brown',
      'R=100&G=200&B=150',
    ]),
  ]),
  ...examples('query', 'spaceDelimited', false, [
    na,
    na,
    'color=blue%20black%20brown',
    'color=R%20100%20G%20200%20B%20150',
  ]),
  ...examples('query', 'pipeDelimited', false, [
    na,
    na,
    'color=blue%7Cblack%7Cbrown',
    'color=R%7C100%7CG%7C200%7CB%7C150',
  ]),
  ...examples('query', 'deepObject', true, [na, na, na, 'color%5BR%5D=100&color%5BG%5D=200&color%5BB%5D=150']),
  ...examples('header', 'simple', false, ['', 'blue', 'blue,black,brown', 'R,100,G,200,B,150']),
  ...examples('header', 'simple', true, ['', 'blue', 'blue,black,brown', 'R=100,G=200,B=150']),
  ...examples(
    'cookie',
    'cookie',
    true,
    ['color=', 'color=blue', 'color=blue; color=black; color=brown', 'R=100; G=200; B=150'],
    { since: '3.2' },
  ),
  ...examples(
    'cookie',
    'cookie',
    false,
    ['color=', 'color=blue', 'color=blue,black,brown', 'color=R,100,G,200,B,150'],
    { since: '3.2' },
  ),
];

const NOTHING = [undefined, null, [], {}, [null], [null, undefined], { a: null }];
const NESTED = { a: { b: 1 }, list: ['x', 'y'], rows: [{ id: 1 }, { id: 2 }] };

/** Values the specification leaves open, and values that could be taken for structure. */
export const OTHER_ROWS: readonly StyleRow[] = [
  // Absent, empty, false and zero.
  ...(['form', 'spaceDelimited', 'pipeDelimited', 'deepObject'] as const).flatMap((style) =>
    [true, false].flatMap((explode) => NOTHING.map((value) => row('query', style, explode, value, undefined))),
  ),
  ...NOTHING.map((value) => row('header', 'simple', false, value, undefined)),
  row('query', 'form', false, '0', 'color=0'),
  row('query', 'form', true, false, 'color=false'),
  row('query', 'form', true, 0, 'color=0'),
  row('query', 'form', true, -1.5, 'color=-1.5'),
  row('query', 'form', true, 1e21, 'color=1e%2B21'),
  row('query', 'form', true, ['a', null, 'b'], 'color=a&color=b'),
  row('query', 'form', false, { a: 1, b: null, c: '' }, 'color=a,1,c,'),
  // Delimiters and reserved characters inside a value are data, never structure.
  row('query', 'form', true, ' ', 'color=%20'),
  row('query', 'form', true, "!*'()", 'color=%21%2A%27%28%29'),
  row('query', 'form', true, 'a&b=c+d#e', 'color=a%26b%3Dc%2Bd%23e'),
  row('query', 'form', true, 'ü€😀', 'color=%C3%BC%E2%82%AC%F0%9F%98%80'),
  row('query', 'form', true, '100%', 'color=100%25'),
  row('query', 'form', true, "a/b?c:d@e!$'()*,;[]", 'color=a%2Fb%3Fc%3Ad%40e%21%24%27%28%29%2A%2C%3B%5B%5D'),
  row('query', 'form', true, '2026-01-02T03:04:05+02:00', 'color=2026-01-02T03%3A04%3A05%2B02%3A00'),
  row('query', 'form', true, ['a&b', 'c=d', 'e+f g'], 'color=a%26b&color=c%3Dd&color=e%2Bf%20g'),
  row('query', 'form', false, ['a,b', 'c'], 'color=a%2Cb,c'),
  row('query', 'form', true, { 'k&=': 'v' }, 'k%26%3D=v'),
  row('query', 'spaceDelimited', false, ['a b', 'c'], 'color=a%20b%20c'),
  row('query', 'pipeDelimited', false, ['a|b', 'c'], 'color=a%7Cb%7Cc'),
  row('query', 'spaceDelimited', true, ['a', 'b'], 'color=a&color=b'),
  row('query', 'pipeDelimited', true, ['a', 'b'], 'color=a&color=b'),
  row('path', 'simple', false, ['a,b', 'c/d'], 'a%2Cb,c%2Fd'),
  row('path', 'matrix', false, 'a;b=c', ';color=a%3Bb%3Dc'),
  row('path', 'matrix', true, ['a', 'b/c'], ';color=a;color=b%2Fc'),
  row('path', 'label', true, ['a.b', 'c'], '.a.b.c'),
  row('path', 'label', true, { a: 'b', c: 'd' }, '.a=b.c=d'),
  row('path', 'label', true, ['a'], '.a'),
  row('path', 'label', true, 'a/b', '.a%2Fb'),
  row('cookie', 'form', true, 'a; b=c', 'color=a%3B%20b%3Dc'),
  row('cookie', 'cookie', true, 'a%20b', 'color=a%20b', { since: '3.2' }),
  row('header', 'simple', false, ['a', 'b'], 'a,b'),
  // No style may make a dot segment; servers that decode %2F before they route would climb.
  row('path', 'simple', false, '..', '..', NO_SEGMENT),
  row('path', 'simple', false, ['..'], '..', NO_SEGMENT),
  row('path', 'label', true, [''], '.', NO_SEGMENT),
  row('path', 'label', true, ['', ''], '..', NO_SEGMENT),
  row('path', 'label', true, ['', '/admin'], '..%2Fadmin', NO_SEGMENT),
  row('path', 'label', true, '/x', '.%2Fx', NO_SEGMENT),
  row('path', 'label', true, { a: 'b', '.': 'x' }, '.a=b..=x', NO_SEGMENT),
  row('path', 'matrix', true, ['..'], ';color=..', NO_SEGMENT),
  row('header', 'simple', true, { a: 'b', c: 'd' }, 'a=b,c=d'),
  // Values in values.
  row(
    'query',
    'deepObject',
    true,
    { 'x&y': 'a]b', z: ['1', '2'] },
    'color%5Bx%26y%5D=a%5Db&color%5Bz%5D%5B%5D=1&color%5Bz%5D%5B%5D=2',
  ),
  row('query', 'deepObject', true, { 'x]&y': 'v' }, 'color%5Bx%5D%26y%5D=v'),
  row('query', 'deepObject', true, { a: { b: { c: 1 } } }, 'color%5Ba%5D%5Bb%5D%5Bc%5D=1'),
  row(
    'query',
    'deepObject',
    true,
    NESTED,
    'color%5Ba%5D%5Bb%5D=1&color%5Blist%5D%5B%5D=x&color%5Blist%5D%5B%5D=y' +
      '&color%5Brows%5D%5B0%5D%5Bid%5D=1&color%5Brows%5D%5B1%5D%5Bid%5D=2',
  ),
  row('query', 'deepObject', true, 'blue', 'color=blue'),
  row('query', 'form', false, { a: { b: 1 } }, 'color=a,%7B%22b%22%3A1%7D'),
  row('query', 'form', true, [{ a: 1 }, { a: 2 }], 'color=%7B%22a%22%3A1%7D&color=%7B%22a%22%3A2%7D'),
  row('query', 'form', true, { a: 1, b: [2, 3] }, 'a=1&b=%5B2%2C3%5D'),
  // Keys that objects inherit are keys like any other.
  row('query', 'form', true, JSON.parse('{"__proto__":"x","constructor":"y"}'), '__proto__=x&constructor=y'),
  row(
    'query',
    'deepObject',
    true,
    JSON.parse('{"__proto__":"x","constructor":"y"}'),
    'color%5B__proto__%5D=x&color%5Bconstructor%5D=y',
  ),
  // allowReserved keeps reserved characters and triplets, but nothing that ends the value.
  row('query', 'form', true, "a:/?[]@!$'()*,;b", "color=a:/?[]@!$'()*,;b", { allowReserved: true }),
  row('query', 'form', true, 'a&b=c+d#e', 'color=a%26b%3Dc%2Bd%23e', { allowReserved: true }),
  row('query', 'form', true, "a/b?c:d@e!$'()*,;[]", "color=a/b?c:d@e!$'()*,;[]", { allowReserved: true }),
  row('query', 'form', true, 'a%2Fb%zz', 'color=a%2Fb%25zz', { allowReserved: true }),
  row('query', 'form', true, '%41 %zz', 'color=%41%20%25zz', { allowReserved: true }),
  row('query', 'form', false, ['x/y', 'z&w'], 'color=x/y,z%26w', { allowReserved: true }),
  row('path', 'simple', false, 'a:b@c,d/e?f#g', 'a:b@c,d%2Fe%3Ff%23g', { allowReserved: true, since: '3.2' }),
  row('path', 'simple', false, 'a:b@c/d?e#f', 'a:b@c%2Fd%3Fe%23f', { allowReserved: true, since: '3.2' }),
  // Content instead of a style.
  row('query', 'form', false, { a: [1, 'ü'] }, 'color=%7B%22a%22%3A%5B1%2C%22%C3%BC%22%5D%7D', {
    mediaType: 'application/json',
  }),
  row('query', 'form', false, { a: [1, 2], b: 'x&y' }, 'color=%7B%22a%22%3A%5B1%2C2%5D%2C%22b%22%3A%22x%26y%22%7D', {
    mediaType: 'application/json',
  }),
  row('query', 'form', false, 'b', 'color=%22b%22', { mediaType: 'application/vnd.x+json' }),
  row('query', 'form', false, 'a b', 'color=a%20b', { mediaType: 'text/plain' }),
  row('query', 'form', false, { a: 1, b: ['x', 'y'] }, 'color=a%3D1%26b%3Dx%26b%3Dy', {
    mediaType: 'application/x-www-form-urlencoded',
  }),
  row('path', 'simple', false, { a: 1 }, '%7B%22a%22%3A1%7D', { mediaType: 'application/json' }),
  row('path', 'simple', false, { a: 'b/c' }, '%7B%22a%22%3A%22b%2Fc%22%7D', { mediaType: 'application/json' }),
  row('header', 'simple', false, { a: 'ü' }, '{"a":"\\u00fc"}', { mediaType: 'application/json' }),
  row('header', 'simple', false, { é: 'ü"' }, '{"\\u00e9":"\\u00fc\\""}', { mediaType: 'application/json' }),
  row('cookie', 'simple', false, { dark: true }, 'color=%7B%22dark%22%3Atrue%7D', { mediaType: 'application/json' }),
  row('cookie', 'simple', false, [1], 'color=%5B1%5D', { mediaType: 'application/json' }),
];

export const STYLE_ROWS: readonly StyleRow[] = [...SPECIFICATION_ROWS, ...OTHER_ROWS];

/** `query form explode=true ["a"]`, as a test is called. */
export function nameRow({ in: place, style, explode, value, allowReserved, mediaType }: StyleRow): string {
  const words = mediaType ? [mediaType] : [style, `explode=${explode}`, ...(allowReserved ? ['allowReserved'] : [])];
  return [place, ...words, JSON.stringify(value) ?? 'undefined'].join(' ');
}
