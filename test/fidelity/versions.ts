// The essential cases as Swagger 2.0, OpenAPI 3.0 and 3.2 write them.
import { BYTES } from './echo.ts';
import type { Line } from './sheet.ts';

const JSON_TYPE = { 'content-type': 'application/json' };
const FORM_TYPE = { 'content-type': 'application/x-www-form-urlencoded' };
const SEGMENT = /"\." or "\.\." path segment/;

export const SWAGGER_LINES: readonly Line[] = [
  {
    name: 'a path item parameter',
    tool: 'get_item',
    args: { id: 'a/b', full: false },
    sent: { line: 'GET /v1/items/a%2Fb?full=false' },
  },
  { name: 'a path that climbs', tool: 'get_item', args: { id: '..' }, refused: SEGMENT },
  {
    name: 'a body of fields',
    tool: 'put_item',
    args: { id: '7', name: 'n', children: [{ name: 'c' }], note: null },
    sent: { line: 'PUT /v1/items/7', headers: JSON_TYPE, body: '{"name":"n","children":[{"name":"c"}],"note":null}' },
  },
  {
    name: 'a readOnly field',
    tool: 'put_item',
    args: { id: '7', body_id: '7', name: 'n' },
    sent: { line: 'PUT /v1/items/7', headers: JSON_TYPE, body: '{"name":"n","id":"7"}' },
  },
  {
    name: 'every collection format',
    tool: 'get_lists',
    args: {
      ids: ['a', 'b|c'],
      default: ['d', 'e,f'],
      csv: ['1', '2'],
      ssv: ['3', '4'],
      tsv: ['5', '6'],
      pipes: ['7', '8'],
      multi: ['9', '10'],
      x_list: ['x', 'y'],
    },
    sent: {
      line: 'GET /v1/lists/a%7Cb%7Cc?default=d,e%2Cf&csv=1,2&ssv=3%204&tsv=5%096&pipes=7%7C8&multi=9&multi=10',
      headers: { 'x-list': 'x|y' },
    },
  },
  {
    name: 'an array body',
    tool: 'post_array',
    args: { body: [1, 2] },
    sent: { line: 'POST /v1/array', headers: JSON_TYPE, body: '[1,2]' },
  },
  { name: 'an optional body', tool: 'post_optional', sent: { line: 'POST /v1/optional' } },
  { name: 'a body with required fields', tool: 'post_forgotten', args: {}, refused: /missing `name`/ },
  {
    name: 'a form',
    tool: 'post_form',
    args: { name: 'a b', tags: ['x', 'y,z'], tabs: ['1', '2'], multi: ['m', 'n'] },
    sent: { line: 'POST /v1/form', headers: FORM_TYPE, body: 'name=a%20b&tags=x,y%2Cz&tabs=1%092&multi=m&multi=n' },
  },
  { name: 'an enum', tool: 'get_checked', args: { size: 'xl' }, refused: /size/ },
  { name: 'a boolean exclusiveMinimum', tool: 'get_checked', args: { count: 1 }, refused: /count/ },
  {
    name: 'a number above an exclusive minimum, without the default of another parameter',
    tool: 'get_checked',
    args: { count: 2 },
    sent: { line: 'GET /v1/checked?count=2' },
  },
  { name: 'no default is sent', tool: 'get_checked', sent: { line: 'GET /v1/checked' } },
  {
    name: 'an API key that is also a parameter is not an argument',
    tool: 'get_secret',
    args: { api_key: 'mine' },
    refused: /api_key/,
  },
  { name: 'a key in the query', tool: 'get_secret', sent: { line: 'GET /v1/secret?api_key=k%26y' } },
];

export const OPENAPI_30_LINES: readonly Line[] = [
  { name: 'a path item parameter', tool: 'get_item', args: { id: 'a;b' }, sent: { line: 'GET /v1/items/a%3Bb' } },
  { name: 'a path that climbs', tool: 'get_item', args: { id: '%2e%2e' }, refused: SEGMENT },
  {
    name: 'nullable fields take null, and nothing is added',
    tool: 'patch_item',
    args: { id: '7', name: null, size: null, parent: null },
    sent: {
      line: 'PATCH /v1/items/7',
      headers: { 'content-type': 'application/merge-patch+json' },
      body: '{"name":null,"size":null,"parent":null}',
    },
  },
  { name: 'an enum beside nullable', tool: 'patch_item', args: { id: '7', size: 'xl' }, refused: /size/ },
  {
    name: 'a cycle through nullable allOf',
    tool: 'patch_item',
    args: { id: '7', parent: { name: 3.5 } },
    refused: /parent/,
  },
  {
    name: 'arrays, deepObject and a cookie',
    tool: 'get_lists',
    args: { exploded: ['a', 'b'], joined: ['c', 'd'], piped: ['e', 'f'], deep: { g: 'h' }, session: 's', count: 2 },
    sent: {
      line: 'GET /v1/lists?exploded=a&exploded=b&joined=c,d&piped=e%7Cf&deep%5Bg%5D=h&count=2',
      headers: { cookie: 'session=s' },
    },
  },
  { name: 'null in a query is left out', tool: 'get_lists', args: { count: null }, sent: { line: 'GET /v1/lists' } },
  { name: 'a boolean exclusiveMinimum', tool: 'get_lists', args: { count: 1 }, refused: /count/ },
  {
    name: 'one of several',
    tool: 'post_one_of',
    args: { body: { kind: 'dog', tricks: 2 } },
    sent: { line: 'POST /v1/one-of', headers: JSON_TYPE, body: '{"kind":"dog","tricks":2}' },
  },
  { name: 'none of several', tool: 'post_one_of', args: { body: { kind: 'fish' } }, refused: /kind/ },
  {
    name: 'a nullable array body',
    tool: 'post_array',
    args: { body: null },
    sent: { line: 'POST /v1/array', headers: JSON_TYPE, body: 'null' },
  },
  {
    name: 'bytes',
    tool: 'put_bytes',
    args: { file: { base64: BYTES.toString('base64') } },
    sent: { line: 'PUT /v1/bytes', headers: { 'content-type': 'application/octet-stream' }, body: BYTES },
  },
];

export const OPENAPI_32_LINES: readonly Line[] = [
  {
    name: 'the query method has a body',
    tool: 'query_search',
    args: { limit: 3, q: 'x', tags: ['a'] },
    sent: { line: 'QUERY /v1/search?limit=3', headers: JSON_TYPE, body: '{"q":"x","tags":["a"]}' },
  },
  {
    name: 'an additional operation',
    tool: 'copy_search',
    args: { Destination: '/there' },
    sent: { line: 'COPY /v1/search', headers: { destination: '/there' } },
  },
  { name: 'an additional operation without a name', tool: 'purge_search', sent: { line: 'PURGE /v1/search' } },
  {
    name: 'the whole query string as a form',
    tool: 'form_query',
    args: { all: { q: 'a&b', tags: ['x', 'y'], page: 2 } },
    sent: { line: 'GET /v1/form-query?q=a%26b&tags=x&tags=y&page=2' },
  },
  { name: 'no query string at all', tool: 'form_query', sent: { line: 'GET /v1/form-query' } },
  { name: 'a query string without what it requires', tool: 'form_query', args: { all: { page: 2 } }, refused: /q/ },
  {
    name: 'the whole query string as JSON',
    tool: 'json_query',
    args: { selector: { a: 'b c' } },
    sent: { line: 'GET /v1/json-query?%7B%22a%22%3A%22b%20c%22%7D' },
  },
  {
    name: 'the whole query string as text',
    tool: 'path_query',
    args: { jsonpath: '$.a[?(@.b==1)]' },
    sent: { line: 'GET /v1/path-query?%24.a%5B%3F%28%40.b%3D%3D1%29%5D' },
  },
  {
    name: 'cookies in the cookie style are not encoded',
    tool: 'cookies',
    args: { raw: 'a%20b', list: ['c', 'd'] },
    sent: { line: 'GET /v1/cookies', headers: { cookie: 'raw=a%20b; list=c; list=d' } },
  },
  { name: 'a cookie that would end itself', tool: 'cookies', args: { raw: 'a; admin=1' }, refused: /raw/ },
  {
    name: 'reserved characters in a path never end its segment',
    tool: 'reserved_path',
    args: { id: 'a:b@c,d/e?f#g' },
    sent: { line: 'GET /v1/a:b@c,d%2Fe%3Ff%23g/reserved' },
  },
  { name: 'reserved characters do not climb', tool: 'reserved_path', args: { id: '../x' }, refused: SEGMENT },
  {
    name: 'a media type by reference',
    tool: 'media',
    args: { a: 1 },
    sent: { line: 'POST /v1/media', headers: JSON_TYPE, body: '{"a":1}' },
  },
];
