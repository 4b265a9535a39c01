// Calls of documents/neighbours.yaml: unusual cases.
import type { Line } from './sheet.ts';

const send = (name: string, tool: string, args: Record<string, unknown>, line: string, more: object = {}): Line => ({
  name,
  tool,
  args,
  sent: { line, ...more },
});
const refuse = (name: string, tool: string, args: Record<string, unknown>, refused: RegExp): Line => ({
  name,
  tool,
  args,
  refused,
});
const body = (type: string, text: string) => ({ headers: { 'content-type': type }, body: text });
const JSON_TYPE = 'application/json';
const FORM_TYPE = 'application/x-www-form-urlencoded';

export const NEIGHBOUR_LINES: readonly Line[] = [
  send(
    'any media type with an object is JSON',
    'any_object',
    { a: 1 },
    'POST /v1/anything-object',
    body(JSON_TYPE, '{"a":1}'),
  ),
  send(
    'any media type with a string is text',
    'any_text',
    { body: 'x' },
    'POST /v1/anything-text',
    body('text/plain', 'x'),
  ),
  send('JSON without a schema', 'no_schema', { body: [1] }, 'POST /v1/no-schema', body(JSON_TYPE, '[1]')),
  send('a body by reference', 'shared_body', { a: 1 }, 'POST /v1/shared-body', body(JSON_TYPE, '{"a":1}')),
  send('GET with a body', 'get_body', { q: 'x' }, 'GET /v1/get-body', body(JSON_TYPE, '{"q":"x"}')),
  send('GET without its body', 'get_body', {}, 'GET /v1/get-body'),
  send('YAML as text', 'yaml', { body: 'a: 1' }, 'POST /v1/yaml', body('application/yaml', 'a: 1')),
  send(
    'a writeOnly field',
    'write_only',
    { password: 'p' },
    'POST /v1/write-only',
    body(JSON_TYPE, '{"password":"p"}'),
  ),
  send(
    'a readOnly field beside it',
    'write_only',
    { password: 'p', created: 'x' },
    'POST /v1/write-only',
    body(JSON_TYPE, '{"password":"p","created":"x"}'),
  ),
  send('one variant of a form', 'form_union', { card: 'c' }, 'POST /v1/form-union', body(FORM_TYPE, 'card=c')),
  send('another variant of a form', 'form_union', { iban: 'i' }, 'POST /v1/form-union', body(FORM_TYPE, 'iban=i')),
  refuse('no variant of a form', 'form_union', {}, /give `card`, or `iban`/),
  send(
    'a form of any fields',
    'form_map',
    { body: { a: 'b', c: 'd&' } },
    'POST /v1/form-map',
    body(FORM_TYPE, 'a=b&c=d%26'),
  ),
  send('HEAD', 'head_it', {}, 'HEAD /v1/methods'),
  send('OPTIONS', 'options_it', {}, 'OPTIONS /v1/methods'),
  send('TRACE', 'trace_it', {}, 'TRACE /v1/methods'),
  send('PUT without a body', 'put_it', {}, 'PUT /v1/methods'),
  send('PATCH without a body', 'patch_it', {}, 'PATCH /v1/methods'),
  send(
    'parameters called like our own',
    'controls_read',
    { fields: 'a', dry_run: 'x' },
    'GET /v1/controls?fields=a&dry_run=x',
  ),
  send('a parameter called dry_run is sent', 'controls_write', { dry_run: true }, 'POST /v1/controls?dry_run=true'),
  send('a parameter of two types, as text', 'union_parameter', { id: 'a' }, 'GET /v1/union-parameter?id=a'),
  send(
    'a parameter of two types, as a list',
    'union_parameter',
    { id: ['a', 'b'] },
    'GET /v1/union-parameter?id=a&id=b',
  ),
  send(
    'objects in lists and lists in objects are JSON',
    'union_parameter',
    { rows: [{ a: 1 }, { a: 2 }], flat: { a: 1, b: [2, 3] } },
    'GET /v1/union-parameter?rows=%7B%22a%22%3A1%7D&rows=%7B%22a%22%3A2%7D&a=1&b=%5B2%2C3%5D',
  ),
  send(
    'a text content parameter, a header object, an empty value, a shared parameter',
    'union_parameter',
    { text: 'a b', x_object: { a: 'b', c: 'd' }, empty: '', shared: 's' },
    'GET /v1/union-parameter?shared=s&text=a%20b&empty=',
    { headers: { 'x-object': 'a=b,c=d' } },
  ),
  refuse('more than 32 bits', 'small', { n: 3_000_000_000 }, /32-bit/),
  send('a trailing slash stays', 'trailing', {}, 'GET /v1/trailing/'),
  send('a verb after a colon', 'colon', { id: 'a:b' }, 'POST /v1/colon/a%3Ab:activate'),
  send('matrix in the middle of a path', 'matrix', { color: ['a', 'b/c'] }, 'GET /v1/matrix;color=a;color=b%2Fc/end'),
  refuse('matrix that climbs', 'matrix', { color: ['..'] }, /path segment/),
  send('label in the middle of a path', 'label', { color: { a: 'b', c: 'd' } }, 'GET /v1/label.a=b.c=d/end'),
  refuse('label that climbs', 'label', { color: { a: 'b', '.': 'x' } }, /path segment/),
];
