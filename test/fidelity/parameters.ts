// Calls of documents/parameters.yaml: what may stand in a path, a query, a header and a cookie, and what may not.
import type { Line } from './sheet.ts';

const SEGMENT = /"\." or "\.\." path segment/;
const JSON_TYPE = { 'content-type': 'application/json' };

const value = (name: string, id: unknown, wire: string): Line => ({
  name: `path value ${name}`,
  tool: 'get_item',
  args: { id },
  sent: { line: `GET /v1/items/${wire}` },
});

const refused = (name: string, id: unknown, why: RegExp): Line => ({
  name: `path value ${name} is refused`,
  tool: 'get_item',
  args: { id },
  refused: why,
});

export const PATH_LINES: readonly Line[] = [
  value('plain', '7', '7'),
  value('a/b', 'a/b', 'a%2Fb'),
  value('a?x=1#f', 'a?x=1#f', 'a%3Fx%3D1%23f'),
  value('a;b', 'a;b', 'a%3Bb'),
  value('a\\b', 'a\\b', 'a%5Cb'),
  value('with a space and a plus', 'a b+c', 'a%20b%2Bc'),
  value('already encoded', 'a%20b', 'a%2520b'),
  value('an encoded slash', 'a%2Fb', 'a%252Fb'),
  value('a null byte', 'a\0b', 'a%00b'),
  value('CRLF', 'a\r\nHost: evil', 'a%0D%0AHost%3A%20evil'),
  value('an absolute URL', 'http://evil.test/x', 'http%3A%2F%2Fevil.test%2Fx'),
  value('a host', '//evil.test', '%2F%2Fevil.test'),
  value('userinfo', '@evil.test', '%40evil.test'),
  value('all punctuation', `!'()*,:=&$`, '%21%27%28%29%2A%2C%3A%3D%26%24'),
  value('unicode', 'żółć 日本 🦊', '%C5%BC%C3%B3%C5%82%C4%87%20%E6%97%A5%E6%9C%AC%20%F0%9F%A6%8A'),
  value('three dots', '...', '...'),
  value('dots inside', 'a..b', 'a..b'),
  value('a file name', 'v1.2.tar.gz', 'v1.2.tar.gz'),
  value('a leading dot', '.hidden', '.hidden'),
  value('a template variable', '{id}', '%7Bid%7D'),
  value('__proto__', '__proto__', '__proto__'),
  value('constructor', 'constructor', 'constructor'),
  refused('../../admin', '../../admin', SEGMENT),
  refused('..', '..', SEGMENT),
  refused('.', '.', SEGMENT),
  refused('%2e%2e', '%2e%2e', SEGMENT),
  refused('%2E%2e/', '%2E%2e/', SEGMENT),
  refused('.%2e', '.%2e', SEGMENT),
  refused('%252e%252e', '%252e%252e', SEGMENT),
  refused('..\\..\\admin', '..\\..\\admin', SEGMENT),
  refused('..%5cadmin', '..%5cadmin', SEGMENT),
  refused('..%2fadmin', '..%2fadmin', SEGMENT),
  refused('a/../b', 'a/../b', SEGMENT),
  refused('a/./b', 'a/./b', SEGMENT),
  refused('/..', '/..', SEGMENT),
  refused('empty', '', /empty/),
  refused('null', null, /id/),
  refused('a lone surrogate', 'a\ud83e', /surrogate/),
  refused('missing', undefined, /missing `id`/),
  {
    name: 'two values stand in their own segments',
    tool: 'get_user',
    args: { tenant: 'a/b', user: 7 },
    sent: { line: 'GET /v1/tenants/a%2Fb/users/7' },
  },
  { name: 'a number cannot climb', tool: 'get_user', args: { tenant: 't', user: '..' }, refused: /user/ },
  {
    name: 'two values share a segment',
    tool: 'get_archive',
    args: { name: 'a.b', ext: 'tar.gz' },
    sent: { line: 'GET /v1/archive/a.b.tar.gz' },
  },
  {
    name: 'a dot segment is refused even where the template would make it harmless',
    tool: 'get_archive',
    args: { name: '..', ext: 'x' },
    refused: SEGMENT,
  },
  {
    name: 'the same variable twice is one argument',
    tool: 'get_copy',
    args: { id: 'a b' },
    sent: { line: 'GET /v1/copies/a%20b/of/a%20b' },
  },
  {
    name: 'a variable nobody declared is an argument',
    tool: 'get_undeclared',
    args: { thing: 'x/y' },
    sent: { line: 'GET /v1/undeclared/x%2Fy' },
  },
  {
    name: 'a template that needs encoding itself',
    tool: 'get_odd',
    args: { id: '1' },
    sent: { line: 'GET /v1/odd%20path/%C3%BCn%C3%AFcode/1' },
  },
  {
    name: 'a query string inside a path key',
    tool: 'rpc_list',
    args: { limit: 5 },
    sent: { line: 'GET /v1/rpc?method=list&limit=5' },
  },
  {
    name: 'a list in one segment',
    tool: 'get_lists',
    args: { ids: ['a', 'b/c'] },
    sent: { line: 'GET /v1/lists/a,b%2Fc' },
  },
  { name: 'a list that climbs', tool: 'get_lists', args: { ids: ['a', '..'] }, refused: SEGMENT },
  { name: 'an empty list', tool: 'get_lists', args: { ids: [] }, refused: /ids/ },
  { name: 'a list of one empty string', tool: 'get_lists', args: { ids: [''] }, refused: /empty/ },
  {
    name: 'one name in path, query and body',
    tool: 'replace_item',
    args: { id: '7', name: 'q', body_id: '8', body_name: 'b', note: 'n' },
    sent: {
      line: 'PUT /v1/items/7?name=q',
      headers: JSON_TYPE,
      body: '{"id":"8","name":"b","note":"n"}',
    },
  },
  {
    name: 'the body field of a shared name is still required',
    tool: 'replace_item',
    args: { id: '7', name: 'q', body_id: '8' },
    refused: /body_name/,
  },
];

export const QUERY_LINES: readonly Line[] = [
  {
    name: 'reserved characters are encoded, or stay where allowReserved says so',
    tool: 'reserved',
    args: { plain: "a/b?c:d@e!$'()*,;[]", open: "a/b?c:d@e!$'()*,;[]" },
    sent: {
      line: "GET /v1/reserved?plain=a%2Fb%3Fc%3Ad%40e%21%24%27%28%29%2A%2C%3B%5B%5D&open=a/b?c:d@e!$'()*,;[]",
    },
  },
  {
    name: 'allowReserved never ends a value or begins another',
    tool: 'reserved',
    args: { open: 'a&b=c+d#e f', list: ['x/y', 'z&w'] },
    sent: { line: 'GET /v1/reserved?open=a%26b%3Dc%2Bd%23e%20f&list=x/y,z%26w' },
  },
  {
    name: 'allowReserved leaves what is already encoded',
    tool: 'reserved',
    args: { open: 'a%2Fb%zz' },
    sent: { line: 'GET /v1/reserved?open=a%2Fb%25zz' },
  },
  {
    name: 'a content parameter is JSON, encoded for its place',
    tool: 'content',
    args: { filter: { a: [1, 2], b: 'x&y' }, x_context: { é: 'ü"' }, prefs: { dark: true } },
    sent: {
      line: 'GET /v1/content?filter=%7B%22a%22%3A%5B1%2C2%5D%2C%22b%22%3A%22x%26y%22%7D',
      headers: { 'x-context': '{"\\u00e9":"\\u00fc\\""}', cookie: 'prefs=%7B%22dark%22%3Atrue%7D' },
    },
  },
  {
    name: 'a content parameter in the path is one segment',
    tool: 'content_path',
    args: { spec: { a: 'b/c' } },
    sent: { line: 'GET /v1/content/%7B%22a%22%3A%22b%2Fc%22%7D' },
  },
  {
    name: 'a content parameter checks what is inside',
    tool: 'content',
    args: { filter: { a: ['one'] } },
    refused: /filter\.a/,
  },
  {
    name: 'names with brackets, dots, dashes, dollars and spaces arrive as they are spelt',
    tool: 'names',
    args: {
      filter_name: 'n',
      filter_age_gte: 18,
      top: 5,
      user_id: 'u',
      page_size: 10,
      ids: [1, 2],
      a_b: 'x',
      type: 't',
      x_request_id: 'r-1',
      session_id: 's',
      gro_e: 'ß',
      constructor_: 'c',
      proto: 'p',
      action: 'act',
    },
    sent: {
      line: 'GET /v1/names?filter%5Bname%5D=n&filter%5Bage%5D%5Bgte%5D=18&%24top=5&user.id=u&page-size=10&ids%5B%5D=1&ids%5B%5D=2&a%20b=x&gr%C3%B6%C3%9Fe=%C3%9F&%40type=t&constructor=c&__proto__=p&action=act',
      headers: { 'x-request-id': 'r-1', cookie: 'session.id=s' },
    },
  },
  {
    name: 'one name in path, query, header, cookie and body, and names that clean up alike',
    tool: 'clash',
    args: {
      id: 1,
      id_query: 'q',
      id_header: 'h',
      id_cookie: 'c',
      body_id: 'b',
      user_name: 'dot',
      user_name_2: 'dash',
      body_user_name: 'body',
    },
    sent: {
      line: 'POST /v1/clash/1?id=q&user.name=dot&user-name=dash',
      headers: { id: 'h', cookie: 'id=c', ...JSON_TYPE },
      body: '{"id":"b","user_name":"body"}',
    },
  },
  {
    name: 'false, zero and small numbers are sent; null is not',
    tool: 'numbers',
    args: { flag: false, zero: 0, small: 1e-7, maybe: null },
    sent: { line: 'GET /v1/numbers?small=1e-7&flag=false&zero=0' },
  },
  {
    name: 'a date-time keeps its colons and plus as data',
    tool: 'numbers',
    args: { when: '2026-01-02T03:04:05+02:00' },
    sent: { line: 'GET /v1/numbers?when=2026-01-02T03%3A04%3A05%2B02%3A00' },
  },
  {
    name: 'a large integer keeps its digits',
    tool: 'numbers',
    args: { big: 9007199254740991 },
    sent: { line: 'GET /v1/numbers?big=9007199254740991' },
  },
  { name: 'a default is never sent', tool: 'numbers', args: {}, sent: { line: 'GET /v1/numbers' } },
  {
    name: 'deepObject nests, and objects in its lists are numbered',
    tool: 'numbers',
    args: { nested: { a: { b: { c: 1 } }, b: [{ x: 1 }, { x: 2 }] } },
    sent: {
      line: 'GET /v1/numbers?nested%5Ba%5D%5Bb%5D%5Bc%5D=1&nested%5Bb%5D%5B0%5D%5Bx%5D=1&nested%5Bb%5D%5B1%5D%5Bx%5D=2',
    },
  },
];

export const HEADER_LINES: readonly Line[] = [
  {
    name: 'declared headers are sent',
    tool: 'headers',
    args: { x_trace: 'a b,c;d="e"', if_none_match: '"abc"', x_count: 3, x_flags: ['a', 'b'] },
    sent: {
      line: 'GET /v1/headers',
      headers: { 'x-trace': 'a b,c;d="e"', 'if-none-match': '"abc"', 'x-count': '3', 'x-flags': 'a,b' },
    },
  },
  { name: 'CRLF in a header', tool: 'headers', args: { x_trace: 'a\r\nX-Admin: 1' }, refused: /header/ },
  { name: 'a line feed in a header', tool: 'headers', args: { x_trace: 'a\nX-Admin: 1' }, refused: /header/ },
  { name: 'a null byte in a header', tool: 'headers', args: { x_trace: 'a\0' }, refused: /header/ },
  { name: 'a header that is not ASCII', tool: 'headers', args: { x_trace: 'é' }, refused: /header/ },
  { name: 'CRLF in a list of a header', tool: 'headers', args: { x_flags: ['a', 'b\r\nX: 1'] }, refused: /header/ },
  { name: 'a header too long', tool: 'headers', args: { x_trace: 'x'.repeat(9_000) }, refused: /8192/ },
  ...['accept', 'content_type', 'authorization', 'host', 'cookie', 'transfer_encoding'].map(
    (name): Line => ({
      name: `${name} is never an argument`,
      tool: 'headers',
      args: { [name]: 'x' },
      refused: new RegExp(name),
    }),
  ),
  {
    name: 'cookies share one header',
    tool: 'cookies',
    args: { session: 'a b;c', debug: true, visits: 0 },
    sent: { line: 'GET /v1/cookies', headers: { cookie: 'session=a%20b%3Bc; debug=true; visits=0' } },
  },
  {
    name: 'CRLF in a cookie is encoded',
    tool: 'cookies',
    args: { session: 'a\r\nX: 1' },
    sent: { line: 'GET /v1/cookies', headers: { cookie: 'session=a%0D%0AX%3A%201' } },
  },
  { name: 'no cookie given, no header', tool: 'cookies', sent: { line: 'GET /v1/cookies' } },
];
