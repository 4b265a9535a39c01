// The style table as operations and calls: one operation per row, made for any version of OpenAPI 3.
import { nameRow, STYLE_ROWS, type StyleRow } from '../support/style-table.ts';
import type { Line } from './sheet.ts';

/** The rows a document of this version can say. */
function rowsOf(openapi: string): readonly StyleRow[] {
  return STYLE_ROWS.filter(({ since }) => since === undefined || openapi >= since);
}

export function styleDocument(openapi: string): string {
  const paths: Record<string, unknown> = {};
  rowsOf(openapi).forEach((row, index) => {
    paths[row.in === 'path' ? `/row${index}/{color}` : `/row${index}`] = {
      get: {
        operationId: `row${index}`,
        tags: [row.in],
        parameters: [{ name: nameOf(row), in: row.in, required: row.in === 'path', ...describeValue(row) }],
        responses: { 200: { description: 'The request.' } },
      },
    };
  });
  return JSON.stringify({ openapi, info: { title: 'Styles', version: '1' }, servers: [{ url: '/v1' }], paths });
}

const nameOf = (row: StyleRow) => (row.in === 'header' ? 'X-Color' : 'color');

function describeValue({ style, explode, value, allowReserved, mediaType }: StyleRow): object {
  const schema = schemaOf(value);
  if (mediaType) return { content: { [mediaType]: { schema } } };
  return { style, explode, schema, ...(allowReserved && { allowReserved }) };
}

/** The narrowest type that every version can say. */
function schemaOf(value: unknown): object {
  if (Array.isArray(value)) return { type: 'array', items: value.every(isString) ? { type: 'string' } : {} };
  if (typeof value === 'object' && value !== null) return { type: 'object', additionalProperties: true };
  return value === undefined || value === null ? {} : { type: typeof value };
}

const isString = (value: unknown) => typeof value === 'string';

export function styleLines(openapi: string): readonly Line[] {
  return rowsOf(openapi).map(toLine);
}

function toLine(row: StyleRow, index: number): Line {
  const line = {
    name: nameRow(row),
    tool: `row${index}`,
    args: { [row.in === 'header' ? 'x_color' : 'color']: row.value },
  };
  return row.refused ? { ...line, refused: row.refused } : { ...line, sent: sentFor(row, `GET /v1/row${index}`) };
}

function sentFor({ in: place, wire }: StyleRow, path: string): Line['sent'] & object {
  if (wire === undefined) return { line: path };
  return {
    path: { line: `${path}/${wire}` },
    query: { line: wire === '' ? path : `${path}?${wire}` },
    header: { line: path, headers: { 'x-color': wire } },
    cookie: { line: path, headers: { cookie: wire } },
  }[place];
}
