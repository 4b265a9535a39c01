// Calls of documents/bodies.yaml: every kind of body, byte for byte.
import { BYTES, PNG } from './echo.ts';
import type { Line } from './sheet.ts';

function json(
  name: string,
  tool: string,
  args: Record<string, unknown>,
  line: string,
  body: string,
  type?: string,
): Line {
  return { name, tool, args, sent: { line, headers: { 'content-type': type ?? 'application/json' }, body } };
}

function post(name: string, path: string, tool: string, args: Record<string, unknown>, body: string): Line {
  return json(name, tool, args, `POST /v1/json/${path}`, body);
}

function refuse(name: string, tool: string, args: Record<string, unknown>, refused: RegExp): Line {
  return { name, tool, args, refused };
}

export const JSON_LINES: readonly Line[] = [
  post(
    'fields of an object stand beside each other',
    'object',
    'post_object',
    { name: 'n', tags: ['a', 'b'], owner: { name: 'o' }, gone: null },
    '{"name":"n","tags":["a","b"],"owner":{"name":"o"},"gone":null}',
  ),
  post('defaults are never sent', 'object', 'post_object', { name: 'n' }, '{"name":"n"}'),
  post(
    'properties named like keywords are properties',
    'object',
    'post_object',
    { name: 'n', ref: '#/x', example: 'e', nullable: true, properties: { a: 1 }, constructor_: 'c' },
    '{"name":"n","$ref":"#/x","example":"e","nullable":true,"properties":{"a":1},"constructor":"c"}',
  ),
  post('a readOnly field may be given', 'object', 'post_object', { name: 'n', id: '7' }, '{"name":"n","id":"7"}'),
  post(
    'and one further inside says which owner',
    'object',
    'post_object',
    { name: 'n', owner: { id: '7' } },
    '{"name":"n","owner":{"id":"7"}}',
  ),
  post(
    'unicode and control characters survive',
    'object',
    'post_object',
    { name: 'żółć 🦊 "\\\n\u2028\ud83e' },
    '{"name":"żółć 🦊 \\"\\\\\\n\u2028\\ud83e"}',
  ),
  post('an empty string is sent', 'object', 'post_object', { name: '' }, '{"name":""}'),
  {
    name: 'an optional body without arguments is left out',
    tool: 'post_optional',
    sent: { line: 'POST /v1/json/optional' },
  },
  post('an optional body', 'optional', 'post_optional', { a: 'x' }, '{"a":"x"}'),
  refuse('an optional body with half its required fields', 'post_optional', { b: 'x' }, /`a`/),
  refuse('a body whose document forgot to say that it is required', 'post_forgotten', {}, /missing `a`/),
  post('the same with what it requires', 'forgotten', 'post_forgotten', { a: 'x' }, '{"a":"x"}'),
  post('a required body of optional fields', 'empty', 'post_empty', {}, '{}'),
  post('an array goes unwrapped', 'array', 'post_array', { body: [1, 2] }, '[1,2]'),
  post('an empty array is a body', 'array', 'post_array', { body: [] }, '[]'),
  refuse('an array of the wrong things', 'post_array', { body: [1, 'two'] }, /body\[1\]/),
  refuse('an array that is missing', 'post_array', {}, /`body`/),
  post('a string is JSON', 'string', 'post_string', { body: 'a"b' }, '"a\\"b"'),
  post('an empty string is a body', 'string', 'post_string', { body: '' }, '""'),
  refuse('a string too long', 'post_string', { body: 'x'.repeat(11) }, /10/),
  post('a number', 'number', 'post_number', { body: 0 }, '0'),
  post('a boolean', 'boolean', 'post_boolean', { body: false }, 'false'),
  post('a map', 'map', 'post_map', { body: { a: 1, 'b c': 2, constructor: 3 } }, '{"a":1,"b c":2,"constructor":3}'),
  refuse('a map of the wrong things', 'post_map', { body: { a: 'x' } }, /body\.a/),
  post('null where null is allowed', 'nullable', 'post_nullable', { body: null }, 'null'),
  post('not null where null is allowed', 'nullable', 'post_nullable', { body: ['a'] }, '["a"]'),
  post('a body nobody describes', 'anything', 'post_anything', { body: { any: ['thing', 1] } }, '{"any":["thing",1]}'),
  json(
    'a query parameter called body beside a whole body',
    'post_body_field',
    { body: ['x'], body_field: 'q' },
    'POST /v1/json/body-field?body=q',
    '["x"]',
  ),
  json(
    'a vendor type is sent as it is written',
    'post_vendor',
    { a: 1 },
    'POST /v1/json/vendor',
    '{"a":1}',
    'application/vnd.api+json; charset=utf-8',
  ),
  post('JSON is chosen among several types', 'several', 'post_several', { a: 1 }, '{"a":1}'),
  json(
    'merge-patch keeps null and adds nothing',
    'patch_merge',
    { title: null, meta: { a: null } },
    'PATCH /v1/json/merge',
    '{"title":null,"meta":{"a":null}}',
    'application/merge-patch+json',
  ),
  json('merge-patch of nothing', 'patch_merge', {}, 'PATCH /v1/json/merge', '{}', 'application/merge-patch+json'),
  json(
    'json-patch is a list',
    'patch_json',
    { body: [{ op: 'replace', path: '/a~1b', value: null }] },
    'PATCH /v1/json/patch',
    '[{"op":"replace","path":"/a~1b","value":null}]',
    'application/json-patch+json',
  ),
  refuse(
    'json-patch with an unknown operation',
    'patch_json',
    { body: [{ op: 'destroy', path: '/a' }] },
    /add.*remove.*replace/,
  ),
  json('DELETE with a body', 'delete_with_body', { ids: [1, 2] }, 'DELETE /v1/json/delete', '{"ids":[1,2]}'),
];

export const UNION_LINES: readonly Line[] = [
  post(
    'one of several, the first',
    'one-of',
    'post_one_of',
    { body: { kind: 'cat', lives: 9 } },
    '{"kind":"cat","lives":9}',
  ),
  post(
    'one of several, the second',
    'one-of',
    'post_one_of',
    { body: { kind: 'dog', tricks: ['sit'] } },
    '{"kind":"dog","tricks":["sit"]}',
  ),
  refuse('none of several', 'post_one_of', { body: { kind: 'cat', tricks: [] } }, /lives/),
  post(
    'one of several that overlap',
    'loose',
    'post_loose',
    { body: { bark: true, breed: 'Dingo' } },
    '{"bark":true,"breed":"Dingo"}',
  ),
  refuse('none of several that overlap', 'post_loose', { body: { bark: 'loud', hunts: 'mice' } }, /bark|hunts/),
  post(
    'one of several, of which one contains the other',
    'wider',
    'post_wider',
    { body: { name: 'n', age: 3 } },
    '{"name":"n","age":3}',
  ),
  post('one of two that exclude each other', 'either', 'post_either', { body: { iban: 'x' } }, '{"iban":"x"}'),
  refuse('both of two that exclude each other', 'post_either', { body: { iban: 'x', card: 'y' } }, /exactly one/),
  post('one of several types that contain each other', 'number-or-integer', 'post_number_or_integer', { body: 5 }, '5'),
  post('any of several, a string', 'any-of', 'post_any_of', { body: '12' }, '"12"'),
  post('any of several, a list', 'any-of', 'post_any_of', { body: [12] }, '[12]'),
  post(
    'all of several are one object',
    'all-of',
    'post_all_of',
    { name: 'n', age: 3, note: 'x' },
    '{"name":"n","age":3,"note":"x"}',
  ),
  refuse('all of several, one missing', 'post_all_of', { age: 3 }, /`name`/),
  post(
    'a recursive schema takes a deep value',
    'tree',
    'post_tree',
    { value: 1, children: [{ value: 2, children: [{ value: 3 }] }] },
    '{"value":1,"children":[{"value":2,"children":[{"value":3}]}]}',
  ),
  refuse(
    'a recursive schema is enforced at every depth',
    'post_tree',
    { value: 1, children: [{ value: 2, children: [{ value: 'x' }] }] },
    /children\[0\]\.children\[0\]\.value/,
  ),
  post(
    'schemas that point at each other',
    'ring',
    'post_ring',
    { b: { a: { b: { a: { n: 1 } } } } },
    '{"b":{"a":{"b":{"a":{"n":1}}}}}',
  ),
  refuse('schemas that point at each other are enforced', 'post_ring', { b: { a: { b: { a: { n: 'x' } } } } }, /n/),
  post(
    'a wrapper is put back',
    'wrapped',
    'post_wrapped',
    { name: 'n', done: false },
    '{"data":{"name":"n","done":false}}',
  ),
];

const FORM = { 'content-type': 'application/x-www-form-urlencoded' };

export const FORM_LINES: readonly Line[] = [
  {
    name: 'a form with a list and an object',
    tool: 'form_plain',
    args: { name: 'a b&c=ü', amount: 1.5, agree: false, tags: ['x', 'y z'], meta: { k: [1] }, card_number: '42' },
    sent: {
      line: 'POST /v1/form/plain',
      headers: FORM,
      body: 'name=a%20b%26c%3D%C3%BC&amount=1.5&agree=false&tags=x&tags=y%20z&meta=%7B%22k%22%3A%5B1%5D%7D&card%5Bnumber%5D=42',
    },
  },
  {
    name: 'a form whose fields are written as its Encoding Objects say',
    tool: 'form_encoded',
    args: {
      deep: { a: { b: 'c' }, l: ['1', '2'] },
      csv: ['a', 'b,c'],
      pipes: ['a', 'b'],
      spaces: ['a', 'b'],
      json: [1, 2],
      open: 'a/b?c&d',
    },
    sent: {
      line: 'POST /v1/form/encoded',
      headers: FORM,
      body: 'deep%5Ba%5D%5Bb%5D=c&deep%5Bl%5D%5B%5D=1&deep%5Bl%5D%5B%5D=2&csv=a,b%2Cc&pipes=a%7Cb&spaces=a%20b&json=%5B1%2C2%5D&open=a/b?c%26d',
    },
  },
  { name: 'an optional form nobody fills', tool: 'form_optional', sent: { line: 'POST /v1/form/optional' } },
  refuse('a form without what it requires', 'form_plain', { amount: 1 }, /`name`/),
  refuse('a form with half a surrogate pair', 'form_plain', { name: '\ud83e' }, /surrogate/),
];

const base64 = (bytes: Buffer) => bytes.toString('base64');

export const BYTE_LINES: readonly Line[] = [
  {
    name: 'octet-stream from base64',
    tool: 'upload_bytes',
    args: { file: { base64: base64(BYTES) } },
    sent: { line: 'PUT /v1/upload/bytes', headers: { 'content-type': 'application/octet-stream' }, body: BYTES },
  },
  {
    name: 'octet-stream from text',
    tool: 'upload_bytes31',
    args: { file: { text: 'plain ü' } },
    sent: { line: 'PUT /v1/upload/bytes31', headers: { 'content-type': 'application/octet-stream' }, body: 'plain ü' },
  },
  {
    name: 'an image body',
    tool: 'upload_image',
    args: { file: { base64: base64(PNG) } },
    sent: { line: 'PUT /v1/upload/image', headers: { 'content-type': 'image/png' }, body: PNG },
  },
  {
    name: 'an image body of another declared type',
    tool: 'upload_image',
    args: { file: { base64: base64(PNG), mimeType: 'image/jpeg' } },
    sent: { line: 'PUT /v1/upload/image', headers: { 'content-type': 'image/jpeg' }, body: PNG },
  },
  {
    name: 'a file from a data URI has its type',
    tool: 'upload_any_image',
    args: { file: { base64: `data:image/webp;base64,${base64(PNG)}` } },
    sent: { line: 'PUT /v1/upload/any-image', headers: { 'content-type': 'image/webp' }, body: PNG },
  },
  { name: 'an optional file nobody gives', tool: 'upload_optional', sent: { line: 'PUT /v1/upload/optional' } },
  refuse(
    'a bare string, which could be either',
    'upload_bytes',
    { file: 'AAAA' },
    /object \{filename\?, mimeType\?, base64\?, text\?\}/,
  ),
  refuse('base64 that is none', 'upload_bytes', { file: { base64: 'not base64!' } }, /base64/),
  refuse('a file with neither', 'upload_bytes', { file: {} }, /base64|text/),
  refuse('a file with both', 'upload_bytes', { file: { base64: 'AA==', text: 'x' } }, /base64|text/),
  refuse(
    'a media type that forges a header',
    'upload_bytes',
    { file: { text: 'x', mimeType: 'a/b\r\nX: 1' } },
    /mimeType/,
  ),
  {
    name: 'text',
    tool: 'text_plain',
    args: { body: 'line 1\nline 2' },
    sent: { line: 'POST /v1/text/plain', headers: { 'content-type': 'text/plain' }, body: 'line 1\nline 2' },
  },
  {
    name: 'text that is not ASCII has its charset',
    tool: 'text_plain',
    args: { body: 'größe' },
    sent: { line: 'POST /v1/text/plain', headers: { 'content-type': 'text/plain; charset=utf-8' }, body: 'größe' },
  },
  {
    name: 'csv',
    tool: 'text_csv',
    args: { body: 'a,b\r\n1,"x ""y"""\r\n' },
    sent: { line: 'POST /v1/text/csv', headers: { 'content-type': 'text/csv' }, body: 'a,b\r\n1,"x ""y"""\r\n' },
  },
  {
    name: 'xml is text',
    tool: 'text_xml',
    args: { body: '<a>1</a>' },
    sent: { line: 'POST /v1/text/xml', headers: { 'content-type': 'application/xml' }, body: '<a>1</a>' },
  },
  {
    name: 'ndjson is text',
    tool: 'text_ndjson',
    args: { body: '{"a":1}\n{"a":2}\n' },
    sent: {
      line: 'POST /v1/text/ndjson',
      headers: { 'content-type': 'application/x-ndjson' },
      body: '{"a":1}\n{"a":2}\n',
    },
  },
  refuse('text with half a surrogate pair', 'text_plain', { body: 'a\ud83e' }, /surrogate/),
];
