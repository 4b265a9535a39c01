// The style tables of the OpenAPI Specification as operations and calls: one operation per row, made for any version.
import type { Line } from './sheet.ts';

export interface StyleRow {
  readonly in: 'path' | 'query' | 'header' | 'cookie';
  readonly style: string;
  readonly explode: boolean;
  readonly kind: 'string' | 'array' | 'object';
  readonly value: unknown;
  /** What stands in the path segment, the query, the header or the cookie header. */
  readonly wire: string;
}

const ARRAY = ['blue', 'black', 'brown'];
const OBJECT = { R: 100, G: 200, B: 150 };

type Short = [style: string, explode: boolean, string: string | undefined, array: string, object: string];

/** OAS 3.1.1, "Style Examples"; `undefined` where the table says n/a. */
const TABLE: readonly [StyleRow['in'], Short][] = [
  ['path', ['matrix', false, ';color=blue', ';color=blue,black,brown', ';color=R,100,G,200,B,150']],
  ['path', ['matrix', true, ';color=blue', ';color=blue;color=black;color=brown', ';R=100;G=200;B=150']],
  ['path', ['label', false, '.blue', '.blue,black,brown', '.R,100,G,200,B,150']],
  ['path', ['label', true, '.blue', '.blue.black.brown', '.R=100.G=200.B=150']],
  ['path', ['simple', false, 'blue', 'blue,black,brown', 'R,100,G,200,B,150']],
  ['path', ['simple', true, 'blue', 'blue,black,brown', 'R=100,G=200,B=150']],
  ['query', ['form', false, 'color=blue', 'color=blue,black,brown', 'color=R,100,G,200,B,150']],
  ['query', ['form', true, 'color=blue', 'color=blue&color=black&color=brown', 'R=100&G=200&B=150']],
  ['query', ['spaceDelimited', false, undefined, 'color=blue%20black%20brown', 'color=R%20100%20G%20200%20B%20150']],
  ['query', ['pipeDelimited', false, undefined, 'color=blue%7Cblack%7Cbrown', 'color=R%7C100%7CG%7C200%7CB%7C150']],
  ['header', ['simple', false, 'blue', 'blue,black,brown', 'R,100,G,200,B,150']],
  ['header', ['simple', true, 'blue', 'blue,black,brown', 'R=100,G=200,B=150']],
  ['cookie', ['form', false, 'color=blue', 'color=blue,black,brown', 'color=R,100,G,200,B,150']],
  ['cookie', ['form', true, 'color=blue', 'color=blue&color=black&color=brown', 'R=100&G=200&B=150']],
];

export const STYLE_ROWS: readonly StyleRow[] = [
  ...TABLE.flatMap(([place, [style, explode, string, array, object]]): StyleRow[] => [
    ...(string === undefined ? [] : [row(place, style, explode, 'string', 'blue', string)]),
    row(place, style, explode, 'array', ARRAY, array),
    row(place, style, explode, 'object', OBJECT, object),
  ]),
  row('query', 'deepObject', true, 'object', OBJECT, 'color%5BR%5D=100&color%5BG%5D=200&color%5BB%5D=150'),
  // Delimiters and reserved characters inside a value are data, never structure.
  row('query', 'form', true, 'array', ['a&b', 'c=d', 'e+f g'], 'color=a%26b&color=c%3Dd&color=e%2Bf%20g'),
  row('query', 'form', false, 'array', ['a,b', 'c'], 'color=a%2Cb,c'),
  row('query', 'spaceDelimited', false, 'array', ['a b', 'c'], 'color=a%20b%20c'),
  row('query', 'pipeDelimited', false, 'array', ['a|b', 'c'], 'color=a%7Cb%7Cc'),
  row(
    'query',
    'deepObject',
    true,
    'object',
    { 'x&y': 'a]b', z: ['1', '2'] },
    'color%5Bx%26y%5D=a%5Db&color%5Bz%5D%5B%5D=1&color%5Bz%5D%5B%5D=2',
  ),
  row('path', 'simple', false, 'array', ['a,b', 'c/d'], 'a%2Cb,c%2Fd'),
  row('path', 'matrix', false, 'string', 'a;b=c', ';color=a%3Bb%3Dc'),
  row('path', 'label', true, 'array', ['a.b', 'c'], '.a.b.c'),
  row('cookie', 'form', true, 'string', 'a; b=c', 'color=a%3B%20b%3Dc'),
  // Absent, empty, false and zero.
  row('query', 'form', true, 'array', [], ''),
  row('query', 'form', true, 'object', {}, ''),
  row('query', 'form', true, 'string', '', 'color='),
  row('query', 'form', false, 'string', '0', 'color=0'),
  row('header', 'simple', false, 'string', '', ''),
];

function row(
  place: StyleRow['in'],
  style: string,
  explode: boolean,
  kind: StyleRow['kind'],
  value: unknown,
  wire: string,
): StyleRow {
  return { in: place, style, explode, kind, value, wire };
}

const SCHEMAS = {
  string: { type: 'string' },
  array: { type: 'array', items: { type: 'string' } },
  object: { type: 'object', additionalProperties: true },
} as const;

export function styleDocument(openapi: string): string {
  const paths: Record<string, unknown> = {};
  STYLE_ROWS.forEach((line, index) => {
    const name = line.in === 'header' ? 'X-Color' : 'color';
    paths[line.in === 'path' ? `/row${index}/{color}` : `/row${index}`] = {
      get: {
        operationId: `row${index}`,
        tags: [line.in],
        parameters: [
          {
            name,
            in: line.in,
            required: line.in === 'path',
            style: line.style,
            explode: line.explode,
            schema: SCHEMAS[line.kind],
          },
        ],
        responses: { 200: { description: 'The request.' } },
      },
    };
  });
  return JSON.stringify({
    openapi,
    info: { title: 'Styles', version: '1' },
    servers: [{ url: '/v1' }],
    paths,
  });
}

export const STYLE_LINES: readonly Line[] = STYLE_ROWS.map(toLine);

function toLine({ in: place, style, explode, value, wire }: StyleRow, index: number): Line {
  const path = `GET /v1/row${index}`;
  const sent = {
    path: { line: `${path}/${wire}` },
    query: { line: wire === '' ? path : `${path}?${wire}` },
    header: { line: path, headers: { 'x-color': wire } },
    cookie: { line: path, headers: { cookie: wire } },
  }[place];
  return {
    name: `${place} ${style} explode=${explode} ${JSON.stringify(value)}`,
    tool: `row${index}`,
    args: { [place === 'header' ? 'x_color' : 'color']: value },
    sent,
  };
}
