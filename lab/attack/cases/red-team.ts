// A: more members of the classes that stalled once: controls, envelopes, methods beside tools/call, and answers of every media
// type and header an upstream can think of.
import { brotliCompressSync, constants, deflateRawSync, deflateSync, gzipSync } from 'node:zlib';
import { type Case, call, isInternal, request, requests } from '../case.ts';
import { doorsOf, envelope, httpDoor, modernHeaders, openSocket, post } from '../doors.ts';
import { TOOL } from '../hostile-api.ts';
import type { Respond } from '../upstream.ts';

const list = <Item>(count: number, item: (index: number) => Item) =>
  Array.from({ length: count }, (_, index) => item(index));
const keys = (count: number, value: (index: number) => unknown, stem = 'k') =>
  Object.fromEntries(list(count, (index) => [`${stem}_${index}`, value(index)]));
const LONG = 'x'.repeat(300_000);
/** Of no use as anything. */
const ABSURD: readonly unknown[] = [
  null,
  -1,
  1e308,
  -0,
  2 ** 53,
  '',
  ' ',
  LONG,
  '\u0000',
  '\ud800',
  [],
  {},
  [[]],
  list(5_000, () => 1),
  keys(5_000, () => 1),
  JSON.parse('{"__proto__":{"a":1}}'),
];

const ENVELOPES: readonly Case[] = [
  requests('dry_run: absurd values', 'tools', 'tools/call', () =>
    ABSURD.map((dry_run) => ({ name: TOOL('wide'), arguments: { dry_run } })),
  ),
  requests('confirmation_token: absurd values', 'tools', 'tools/call', () =>
    ABSURD.map((confirmation_token) => ({ name: TOOL('delete_item'), arguments: { id: '1', confirmation_token } })),
  ),
  requests('fields: absurd values', 'tools', 'tools/call', () =>
    ABSURD.map((fields) => ({ name: TOOL('read'), arguments: { fields } })),
  ),
  requests('search: absurd limits and queries', 'search', 'tools/call', () =>
    ABSURD.flatMap((value) => [
      { name: 'search_operations', arguments: { query: 'read', limit: value } },
      { name: 'search_operations', arguments: { query: value } },
      { name: 'describe_operation', arguments: { operation: value } },
      { name: 'call_operation', arguments: { operation: TOOL('read'), arguments: value } },
    ]),
  ),
  requests('grouped: absurd actions', 'grouped', 'tools/call', () =>
    ABSURD.map((action) => ({ name: 'hostile', arguments: { action } })),
  ),
  ...['tools/list', 'resources/templates/list'].map((method) =>
    requests(`${method}: absurd cursors`, 'tools', method, () => ABSURD.map((cursor) => ({ cursor }))),
  ),
  requests('logging/setLevel: absurd levels', 'tools', 'logging/setLevel', () => ABSURD.map((level) => ({ level }))),
  requests('resources/subscribe: absurd URIs', 'tools', 'resources/subscribe', () => ABSURD.map((uri) => ({ uri }))),
  requests('completion: absurd refs and arguments', 'tools', 'completion/complete', () =>
    ABSURD.flatMap((value) => [
      { ref: value, argument: { name: 'who', value: '' } },
      { ref: { type: 'ref/prompt', name: value }, argument: { name: 'who', value: '' } },
      { ref: { type: 'ref/prompt', name: 'ask' }, argument: value },
      { ref: { type: 'ref/prompt', name: 'ask' }, argument: { name: value, value } },
      { ref: { type: 'ref/resource', uri: 'hostile://items/{id}' }, argument: { name: 'id', value } },
    ]),
  ),
  requests('prompts/get: absurd arguments', 'tools', 'prompts/get', () =>
    ABSURD.flatMap((value) => [
      { name: 'ask', arguments: value },
      { name: 'ask', arguments: { who: value } },
      { name: 'ask', arguments: { who: 'person_1', what: value } },
      { name: value },
    ]),
  ),
  requests('progressToken, logLevel, trace: absurd values', 'tools', 'tools/call', () =>
    ABSURD.flatMap((value) =>
      ['progressToken', 'io.modelcontextprotocol/logLevel', 'traceparent', 'tracestate', 'baggage'].map((field) => ({
        name: TOOL('read'),
        arguments: {},
        _meta: { [field]: value },
      })),
    ),
  ),
  requests('clientCapabilities and clientInfo: absurd values', 'tools', 'tools/call', () =>
    ABSURD.flatMap((value) => [
      { name: TOOL('read'), arguments: {}, _meta: { 'io.modelcontextprotocol/clientCapabilities': value } },
      { name: TOOL('read'), arguments: {}, _meta: { 'io.modelcontextprotocol/clientInfo': value } },
      {
        name: TOOL('delete_item'),
        arguments: { id: '1' },
        _meta: { 'io.modelcontextprotocol/clientCapabilities': { elicitation: value } },
      },
    ]),
  ),
  requests('initialize: absurd versions, capabilities and names', 'tools', 'initialize', () =>
    ABSURD.flatMap((value) => [
      { protocolVersion: value, capabilities: {}, clientInfo: { name: 'a', version: '0' } },
      { protocolVersion: '2025-11-25', capabilities: value, clientInfo: { name: 'a', version: '0' } },
      { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: value, version: value } },
    ]),
  ),
  requests('inputResponses and requestState: absurd values', 'tools', 'tools/call', () =>
    ABSURD.flatMap((value) => [
      { name: TOOL('delete_item'), arguments: { id: '1' }, inputResponses: value, requestState: 'x' },
      { name: TOOL('delete_item'), arguments: { id: '1' }, inputResponses: { confirm: value }, requestState: value },
    ]),
  ),
  request('resources/read: 8,000 query parameters', 'tools', 'resources/read', () => ({
    uri: `hostile://items/7?${'a=1&'.repeat(2_000)}`,
  })),
  {
    part: 'A',
    id: 'ids of 900,000 characters, and of every absurd kind',
    fixture: 'tools',
    run: async ({ gateway }) => {
      for (const id of ['i'.repeat(900_000), '"'.repeat(400_000), ...ABSURD]) {
        const text = `${JSON.stringify({ jsonrpc: '2.0', id, method: 'ping' })}\n`;
        for (const { open } of doorsOf(gateway)) {
          const door = await open();
          const answer = await door.raw(text);
          door.close();
          if (isInternal(answer)) return `${door.name}: internal error for ${text.slice(0, 60)}`;
        }
      }
      return undefined;
    },
  },
  {
    part: 'A',
    id: 'Mcp-Session-Id and other headers at their limit, with a call',
    fixture: 'tools',
    run: async ({ gateway }) => {
      const params = envelope({ name: TOOL('read'), arguments: {} });
      const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params });
      const legacy = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: TOOL('read') } });
      for (const text of ['.', 'A', '=', '.a', '%2e', '"', ',', ';q=', '\t']) {
        const value = text.repeat(Math.floor(12_000 / text.length));
        for (const name of ['mcp-session-id', 'accept', 'mcp-protocol-version', 'baggage', 'cookie', 'x-__proto__']) {
          for (const [message, headers] of [
            [body, modernHeaders('tools/call', params)],
            [legacy, {}],
          ] as const) {
            const answer = await post(gateway.http, message, { ...headers, [name]: value });
            if (isInternal(answer)) return `${name}: internal error`;
          }
        }
      }
      return undefined;
    },
  },
  {
    part: 'A',
    id: 'HTTP: 40 messages of 900,000 at the same moment',
    limitMs: 30_000,
    fixture: 'tools',
    run: async ({ gateway }) => {
      const rows = list(3_900, (index) => ({ n: `${index}`, when: 'x'.repeat(150), b: '1', c: 2 }));
      const params = envelope({ name: TOOL('numbers'), arguments: { rows } });
      const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params });
      const headers = modernHeaders('tools/call', params);
      await Promise.all(list(40, () => post(gateway.http, body, headers)));
      return undefined;
    },
  },
  {
    part: 'A',
    id: 'TCP: 40 messages of 900,000 at the same moment',
    limitMs: 30_000,
    fixture: 'tools',
    run: async ({ gateway }) => {
      const rows = list(3_900, (index) => ({ n: `${index}`, when: 'x'.repeat(150), b: '1', c: 2 }));
      const params = envelope({ name: TOOL('numbers'), arguments: { rows } });
      const line = `${JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params })}\n`;
      const sockets = await Promise.all(list(40, () => openSocket(gateway.tcpPort)));
      await Promise.all(
        sockets.map(
          (socket) =>
            new Promise<void>((resolve) => {
              socket.once('data', () => resolve());
              socket.once('close', () => resolve());
              socket.write(line);
            }),
        ),
      );
      for (const socket of sockets) socket.destroy();
      return undefined;
    },
  },
  {
    part: 'A',
    id: 'HTTP: 30 connections with 300 pipelined pings each',
    fixture: 'tools',
    run: async ({ gateway }) => {
      const { port } = new URL(gateway.http);
      const body = '{"jsonrpc":"2.0","id":1,"method":"ping"}';
      const one = `POST /mcp HTTP/1.1\r\nhost: 127.0.0.1\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n${body}`;
      const sockets = await Promise.all(list(30, () => openSocket(Number(port))));
      for (const socket of sockets) {
        socket.resume();
        socket.write(one.repeat(300));
      }
      await new Promise((resolve) => setTimeout(resolve, 2_000));
      for (const socket of sockets) socket.destroy();
      return undefined;
    },
  },
];

/** What comes of one answer, in both eras; the call must end, with anything but an internal error. */
function answer(id: string, tool: string, respond: Respond, args: Record<string, unknown> = {}, times = 1): Case {
  return {
    part: 'A',
    id: `answer: ${id}`,
    fixture: 'tools',
    limitMs: 20_000,
    run: async ({ gateway, upstream }) => {
      upstream.respond(respond);
      for (const era of ['modern', 'legacy'] as const) {
        const ask = () => httpDoor(gateway, era).ask('tools/call', { name: TOOL(tool), arguments: args });
        for (const answered of await Promise.all(list(times, ask)))
          if (isInternal(answered) || (!answered.result && !answered.error))
            return `internal error: ${answered.text.slice(0, 200)}`;
      }
      return undefined;
    },
  };
}

const typed =
  (type: string, body: () => string | Buffer, headers: Record<string, string | string[]> = {}, status = 200): Respond =>
  (_arrival, response) => {
    response.writeHead(status, { 'content-type': type, ...headers });
    response.end(body());
  };
let bomb: Buffer | undefined;
const brotliBomb = () => {
  bomb ??= brotliCompressSync(Buffer.alloc(200 * 1024 * 1024, 32), { params: { [constants.BROTLI_PARAM_QUALITY]: 1 } });
  return bomb;
};
const small = () => '{"a":1}';
const csv = () => list(60_000, (index) => `${index},"na""me ${index}",${'x,'.repeat(20)}`).join('\n');
const xml = () => `<?xml version="1.0"?><a>${'<b c="d">&lt;e&gt;<![CDATA[x]]></b>'.repeat(150_000)}</a>`;
const laughs = () =>
  `<!DOCTYPE l [<!ENTITY a "lol">${list(9, (index) => `<!ENTITY ${'bcdefghij'[index]} "${`&${'abcdefghi'[index]};`.repeat(10)}">`).join('')}]><l>&j;</l>`;
const ndjson = () => list(150_000, (index) => JSON.stringify({ index, text: 'a"b' })).join('\n');
const sse = () => list(150_000, (index) => `event: message\nid: ${index}\ndata: {"index":${index}}\n\n`).join('');
const multipart = () => list(40_000, (index) => `--b\r\ncontent-type: text/plain\r\n\r\n${index}\r\n`).join('');
const manyLines = () => '\r\n'.repeat(3_000_000);

const MEDIA: readonly (readonly [string, string, () => string | Buffer])[] = [
  ['CSV', 'text/csv', csv],
  ['XML', 'application/xml', xml],
  ['XML of a billion laughs', 'application/xml', laughs],
  ['NDJSON', 'application/x-ndjson', ndjson],
  ['SSE', 'text/event-stream', sse],
  ['multipart', 'multipart/mixed; boundary=b', multipart],
  ['line ends', 'text/plain', manyLines],
  ['base64 as text', 'text/plain', () => 'QUJD'.repeat(2_000_000)],
  ['base64 inside JSON', 'application/json', () => JSON.stringify({ file: 'QUJD'.repeat(2_000_000) })],
  ['PNG', 'image/png', () => Buffer.alloc(9_000_000, 0x89)],
  ['bytes', 'application/octet-stream', () => Buffer.alloc(9_000_000, 0xff)],
  ['bytes that claim to be JSON', 'application/json', () => Buffer.alloc(9_000_000, 0xff)],
  ['escapes', 'application/json', () => `"${'\\u0041'.repeat(1_500_000)}"`],
  ['escaped percent signs', 'text/plain', () => '%25'.repeat(3_000_000)],
  ['entities', 'text/html', () => '&amp;#x26;'.repeat(900_000)],
  ['open tags', 'text/html', () => '<a '.repeat(3_000_000)],
  ['invisible characters', 'text/plain', () => '\u200b'.repeat(3_000_000)],
  ['numbers of 1,000 digits', 'application/json', () => `[${list(8_000, () => '1'.repeat(1_000)).join(',')}]`],
  ['one number of 9,000,000 digits', 'application/json', () => '1'.repeat(9_000_000)],
  ['the same key 500,000 times', 'application/json', () => `{${'"a":1,'.repeat(500_000)}"a":1}`],
  ['__proto__ 300,000 times', 'application/json', () => `[${'{"__proto__":{"a":1}},'.repeat(300_000)}1]`],
  ['UTF-16', 'application/json; charset=utf-16le', () => Buffer.from('{"a":"b"}'.repeat(200_000), 'utf16le')],
];

const HEADERS: readonly Case[] = [
  ...[
    'no-such-charset',
    'utf-7',
    'x'.repeat(5_000),
    '"utf-8',
    "utf-8''",
    'utf-32; charset=latin1',
    'utf-16be',
    '__proto__',
  ].map((charset) =>
    answer(`charset ${charset.slice(0, 20)}`, 'read', typed(`application/json; charset=${charset}`, small)),
  ),
  ...['', ' ', ';', '/', 'a', '*/*', 'application', `${'a'.repeat(10_000)}/b`, 'text/html; ; ; ="'].map((type) =>
    answer(`media type ${JSON.stringify(type.slice(0, 20))}`, 'read', typed(type, small)),
  ),
  ...[
    ['gzip', () => gzipSync('{}').subarray(0, 10)],
    ['gzip', () => Buffer.from('not gzip at all')],
    ['br', brotliBomb],
    ['deflate', () => deflateSync(Buffer.alloc(100 * 1024 * 1024, 32))],
    ['deflate', () => deflateRawSync(Buffer.alloc(100 * 1024 * 1024, 32))],
    [list(50, () => 'gzip').join(', '), () => gzipSync('{}')],
    [list(50, () => 'identity').join(','), () => Buffer.from('{}')],
    ['x-unheard-of', () => Buffer.from('{}')],
    [','.repeat(5_000), () => Buffer.from('{}')],
    ['gzip;q=1', () => gzipSync('{}')],
    ['GZIP', () => gzipSync('{}')],
  ].map(([encoding, body], index) =>
    answer(
      `content-encoding ${index}: ${(encoding as string).slice(0, 20)}`,
      'read',
      typed('application/json', body as () => Buffer, { 'content-encoding': encoding as string }),
    ),
  ),
  ...['<', '>', ',', ';', '"', ' ', '<x>; rel="next", ', '<x>;', '=', '\\"'].map((text) =>
    answer(
      `Link header, run of ${JSON.stringify(text)}`,
      'read',
      typed('application/json', () => '[]', { link: text.repeat(Math.floor(14_000 / text.length)) }),
    ),
  ),
  ...['-1', '1e999', 'NaN', '9'.repeat(10_000), 'Thu, 01 Jan 9999999 00:00:00 GMT', ',', '0x10', ''].map((retry) =>
    answer(
      `Retry-After ${retry.slice(0, 20)}`,
      'read',
      typed('application/json', small, { 'retry-after': retry }, 429),
    ),
  ),
  ...[
    '/loop',
    '//evil.example/',
    'javascript:alert(1)',
    'http://[',
    '/'.repeat(10_000),
    `/${'../'.repeat(3_000)}`,
    '?',
    '#',
    '',
    'file:///etc/passwd',
  ].map((location) =>
    answer(`redirect to ${location.slice(0, 20)}`, 'read', typed('text/plain', small, { location }, 302)),
  ),
  answer(
    '300 cookies',
    'read',
    typed('application/json', small, { 'set-cookie': list(300, (index) => `__proto__${index}=${'x'.repeat(30)}`) }),
  ),
  ...[100, 101, 103, 204, 205, 304, 206, 299, 399, 418, 499, 511, 599, 600, 999].flatMap((status) =>
    status < 200 ? [] : [answer(`status ${status} with a body`, 'read', typed('application/json', small, {}, status))],
  ),
  answer('status 200 with a body of another length', 'read', (_arrival, response) => {
    response.socket?.end('HTTP/1.1 200 OK\r\ncontent-length: 100\r\ncontent-type: application/json\r\n\r\n{"a":1}');
  }),
  answer('two lengths that differ', 'read', (_arrival, response) => {
    response.socket?.end('HTTP/1.1 200 OK\r\ncontent-length: 7\r\ncontent-length: 8\r\n\r\n{"a":1}');
  }),
  answer('an answer that is no HTTP', 'read', (_arrival, response) => {
    response.socket?.end('SSH-2.0-x\r\n\r\n');
  }),
];

const CROWDS: readonly Case[] = [
  answer(
    '40 of 120 KB at the same moment, TOON',
    'toon',
    (() => {
      const waiting: (() => void)[] = [];
      const body = JSON.stringify(list(1_500, (id) => ({ id, name: `name ${id}`, tags: ['a', 'b'], owner: { id } })));
      return (_arrival, response) => {
        waiting.push(() => {
          response.setHeader('content-type', 'application/json');
          response.end(body);
        });
        if (waiting.length === 40) for (const go of waiting.splice(0)) go();
      };
    })(),
    {},
    40,
  ),
  answer(
    '40 of 15 KB at the same moment, 99 wildcard fields',
    'read',
    (() => {
      const waiting: (() => void)[] = [];
      const body = JSON.stringify(list(200, (id) => ({ id, name: `name ${id}`, tags: ['a', 'b'], owner: { id } })));
      return (_arrival, response) => {
        waiting.push(() => {
          response.setHeader('content-type', 'application/json');
          response.end(body);
        });
        if (waiting.length === 40) for (const go of waiting.splice(0)) go();
      };
    })(),
    { fields: list(99, () => '*.*').join(',') },
    40,
  ),
];

export const RED_TEAM_CASES: readonly Case[] = [
  ...ENVELOPES,
  ...MEDIA.flatMap(([name, type, body]) => [
    answer(`9 MB of ${name}`, 'read', typed(type, body)),
    answer(`9 MB of ${name}, 1,000,000 characters wanted`, 'plain', typed(type, body)),
  ]),
  ...MEDIA.map(([name, type, body]) =>
    answer(
      `120 KB of ${name}, TOON`,
      'toon',
      typed(type, () => body().slice(0, 120_000)),
    ),
  ),
  ...HEADERS,
  ...CROWDS,
  call('answer: echo of 300,000 quotes', TOOL('form'), () => ({ a: '"'.repeat(300_000) })),
];
