// Every row of the error table, of the HTTP rules and of the reference behaviour (MCP 2026-07-28: basic/index,
// basic/transports, basic/versioning), with its literal answer, over every transport it applies to.
// Where the official TypeScript SDK answers differently, and we mean to, the row says so.

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createGateway, type Gateway } from '../../src/gateway.ts';
import { GatewayError } from '../../src/index.ts';
import { Tool } from '../../src/model/tool.ts';
import { LINE_CLIENTS, type LineClient } from '../support/lines.ts';
import { headersOf, legacy, modern, post, type Rpc, serveHttp } from '../support/mcp.ts';
import { petsDomain } from '../support/pets.ts';
import { useRealHttp } from '../support/real-http.ts';
import { startUpstream, type Upstream } from '../support/upstream.ts';

useRealHttp();

const VERSION = 'io.modelcontextprotocol/protocolVersion';
const CAPABILITIES = 'io.modelcontextprotocol/clientCapabilities';

let upstream: Upstream;
let gateway: Gateway;
let http: Awaited<ReturnType<typeof serveHttp>>;
const lines: LineClient[] = [];

beforeAll(async () => {
  upstream = await startUpstream();
  gateway = createGateway({
    domains: [petsDomain(upstream.url)],
    exposure: 'tools',
    native: {
      tools: [
        {
          tool: new Tool({ name: 'needs_sampling', description: 'Asks a model.', inputSchema: { type: 'object' } }),
          domain: '',
          operations: [],
          run: async () => {
            const requiredCapabilities = { sampling: {} };
            throw new GatewayError('MISSING_CLIENT_CAPABILITY', 'This tool needs sampling.', { requiredCapabilities });
          },
        },
        {
          tool: new Tool({ name: 'broken', description: 'Has a bug.', inputSchema: { type: 'object' } }),
          domain: '',
          operations: [],
          run: async (_call, args) => {
            throw args.late ? new GatewayError('BAD_DOMAIN', 'secret file of ours') : new TypeError('secret detail');
          },
        },
      ],
    },
  });
  http = await serveHttp(gateway);
  for (const open of Object.values(LINE_CLIENTS)) lines.push(await open(gateway.protocol));
  // On TCP a conversation must begin with a message; what is no message comes later here.
  for (const client of lines) await client.ask(legacy('hello', 'ping'));
});
afterAll(async () => {
  await Promise.all(lines.map((client) => client.close()));
  await http.close(0);
  await gateway.close();
  await upstream.close();
});

interface Row {
  /** What is sent. */
  readonly given: Rpc | string;
  /** HTTP headers beside the media types; by default what a client of the message's era sends. */
  readonly headers?: Record<string, string>;
  readonly status: number;
  /** The whole body; undefined: there is none. */
  readonly want: object | undefined;
  /** Over stdio and TCP: the same unless said otherwise; `none` where only HTTP has such a thing. */
  readonly overLines?: object | 'none';
}

const error = (code: number, message: string, data?: unknown, id: string | number | undefined = 1) => ({
  jsonrpc: '2.0',
  ...(id !== undefined && { id }),
  error: { code, message, ...(data !== undefined && { data }) },
});
/** No id is known: it is left out. The SDK sends `"id": null`, which the schema of 2026-07-28 does not allow. */
const anonymous = (code: number, message: string) => ({ jsonrpc: '2.0', error: { code, message } });
const meta = (changes: Record<string, unknown>) => {
  const message = modern(1, 'tools/list');
  return { ...message, params: { _meta: { ...(message.params?._meta as object), ...changes } } } as Rpc;
};
const without = (message: Rpc, ...names: string[]) =>
  Object.fromEntries(Object.entries(headersOf(message)).filter(([name]) => !names.includes(name)));
const listing = modern(1, 'tools/list');
const calling = (name: unknown, args?: unknown) =>
  modern(1, 'tools/call', { name, ...(args !== undefined && { arguments: args }) });

const rows: Record<string, Row> = {
  // the error table
  'text that is not JSON': {
    given: '{"jsonrpc":"2.0","id":1,"method":',
    status: 400,
    want: anonymous(-32700, 'Parse error: the message is not valid JSON.'),
  },
  'an object with the same key twice': {
    given: '{"jsonrpc":"2.0","id":1,"method":"ping","method":"tools/list"}',
    status: 400,
    want: anonymous(-32700, 'Parse error: an object has the same key twice.'),
  },
  'a message nested too deeply': {
    given: `{"jsonrpc":"2.0","id":1,"method":"ping","params":{"a":${'['.repeat(65)}${']'.repeat(65)}}}`,
    status: 400,
    want: anonymous(-32700, 'Parse error: nested deeper than 64 levels.'),
  },
  'JSON that is no message': {
    given: '{}',
    status: 400,
    want: anonymous(-32600, 'Invalid request: "jsonrpc" must be "2.0".'),
  },
  'a string': {
    given: '"ping"',
    status: 400,
    want: anonymous(-32600, 'Invalid request: A message must be a JSON object.'),
  },
  'an id of null': {
    given: '{"jsonrpc":"2.0","id":null,"method":"ping"}',
    status: 400,
    want: anonymous(-32600, 'Invalid request: "id" must be a string or an integer.'),
  },
  'an id with a fraction': {
    given: '{"jsonrpc":"2.0","id":1.5,"method":"ping"}',
    status: 400,
    want: anonymous(-32600, 'Invalid request: "id" must be a string or an integer.'),
  },
  'an id beyond what JSON numbers hold exactly': {
    given: '{"jsonrpc":"2.0","id":9007199254740993,"method":"ping"}',
    status: 400,
    want: anonymous(-32600, 'Invalid request: "id" must be a string or an integer.'),
  },
  'params that are a list': {
    given: '{"jsonrpc":"2.0","id":1,"method":"ping","params":[]}',
    status: 400,
    want: error(-32600, 'Invalid request: "params" must be an object.'),
  },
  'a method that is a number': {
    given: '{"jsonrpc":"2.0","id":"a","method":7}',
    status: 400,
    want: error(-32600, 'Invalid request: "method" must be a string.', undefined, 'a'),
  },
  'an unknown method, modern': {
    given: modern(1, 'no/such'),
    status: 404,
    want: error(-32601, 'Method not found: no/such'),
  },
  // To a legacy client 404 would mean that its session is gone.
  'an unknown method, legacy': {
    given: legacy(1, 'no/such'),
    status: 200,
    want: error(-32601, 'Method not found: no/such'),
  },
  'server/discover without an envelope': {
    given: legacy(1, 'server/discover'),
    status: 200,
    want: error(-32601, 'Method not found: server/discover'),
  },
  'a method named like a property of every object': {
    given: modern(1, 'constructor'),
    status: 404,
    want: error(-32601, 'Method not found: constructor'),
  },
  ...Object.fromEntries(
    ['ping', 'initialize', 'logging/setLevel', 'resources/subscribe', 'resources/unsubscribe'].map((method) => [
      `${method}, which 2026-07-28 removed`,
      {
        given: modern(1, method, { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: {} }),
        status: 404,
        want: error(-32601, `Method not found: ${method}`),
      },
    ]),
  ),
  'logging/setLevel of a server that declares no logging': {
    given: legacy(1, 'logging/setLevel', { level: 'info' }),
    status: 200,
    want: error(-32601, 'Method not found: logging/setLevel'),
  },
  'an envelope without capabilities': {
    given: meta({ [CAPABILITIES]: undefined }),
    status: 400,
    want: error(-32602, `Invalid _meta: "${CAPABILITIES}" must be an object (it may be empty).`),
  },
  'an envelope whose version is a number': {
    given: meta({ [VERSION]: 20260728 }),
    status: 400,
    want: error(-32602, `Invalid _meta: "${VERSION}" must be a string.`),
  },
  'an envelope with an unknown log level': {
    given: meta({ 'io.modelcontextprotocol/logLevel': 'loud' }),
    status: 400,
    want: error(
      -32602,
      'Invalid _meta: "io.modelcontextprotocol/logLevel" must be one of debug, info, notice, warning, error, critical, alert, emergency.',
    ),
  },
  'an envelope with a progress token that is a list': {
    given: meta({ progressToken: [] }),
    status: 400,
    want: error(-32602, 'Invalid _meta: "progressToken" must be a string or an integer.'),
  },
  'an unknown tool, modern': {
    given: calling('pets_lst'),
    status: 200,
    want: error(-32602, 'Unknown tool: pets_lst. Did you mean pets_list? tools/list shows what there is.', {
      failure_mode: 'unknown_tool',
      tool: 'pets_lst',
    }),
  },
  'an unknown tool, legacy': {
    given: legacy(1, 'tools/call', { name: '__proto__' }),
    status: 200,
    want: error(-32602, 'Unknown tool: __proto__. tools/list shows what there is.', {
      failure_mode: 'unknown_tool',
      tool: '__proto__',
    }),
  },
  'a call without a name': {
    given: modern(1, 'tools/call'),
    status: 200,
    want: error(-32602, 'Invalid params: "name" must be a string that is not blank.'),
  },
  'a call whose arguments are a list': {
    given: calling('pets_list', []),
    status: 200,
    want: error(-32602, 'Invalid params: "arguments" must be an object.'),
  },
  'a call whose answers are a list': {
    given: modern(1, 'tools/call', { name: 'pets_list', inputResponses: [] }),
    status: 200,
    want: error(-32602, '"inputResponses" must be an object.'),
  },
  'a call whose state is a number': {
    given: modern(1, 'tools/call', { name: 'pets_list', requestState: 7 }),
    status: 200,
    want: error(-32602, '"requestState" must be a string.'),
  },
  // The SDK ignores a cursor it did not issue and returns the first page.
  'a cursor nobody issued': {
    given: modern(1, 'tools/list', { cursor: 'made-up' }),
    status: 200,
    want: error(-32602, 'Invalid cursor. Start again without one and follow nextCursor.'),
  },
  // An empty string is a cursor like any other (server/utilities/pagination), and we never issued it.
  'an empty cursor': {
    given: legacy(1, 'resources/list', { cursor: '' }),
    status: 200,
    want: error(-32602, 'Invalid cursor. Start again without one and follow nextCursor.'),
  },
  'a resource that does not exist, modern': {
    given: modern(1, 'resources/read', { uri: 'pets://nowhere' }),
    status: 200,
    want: error(
      -32602,
      'There is no resource pets://nowhere; resources/list and resources/templates/list show what there is.',
      { uri: 'pets://nowhere' },
    ),
  },
  // -32002 belongs to the legacy revisions; the SDK answers -32602 there as well.
  'a resource that does not exist, legacy': {
    given: legacy(1, 'resources/read', { uri: 'pets://nowhere' }),
    status: 200,
    want: error(
      -32002,
      'There is no resource pets://nowhere; resources/list and resources/templates/list show what there is.',
      { uri: 'pets://nowhere' },
    ),
  },
  'a prompt that does not exist': {
    given: modern(1, 'prompts/get', { name: 'toString' }),
    status: 200,
    want: error(-32602, 'There is no prompt "toString"; prompts/list shows what there is.', { prompt: 'toString' }),
  },
  'a bug of ours': {
    given: calling('broken'),
    status: 500,
    want: error(-32603, 'Internal error; the gateway’s log says more.'),
  },
  'a fault of start-up that shows only now': {
    given: calling('broken', { late: true }),
    status: 500,
    want: error(-32603, 'Internal error; the gateway’s log says more.'),
  },
  'a capability that was not declared': {
    given: calling('needs_sampling'),
    status: 400,
    want: error(-32021, 'This tool needs sampling.', { requiredCapabilities: { sampling: {} } }),
  },
  'an envelope of a revision nobody knows': {
    given: meta({ [VERSION]: '2027-01-01' }),
    headers: { 'mcp-protocol-version': '2027-01-01', 'mcp-method': 'tools/list' },
    status: 400,
    want: error(-32022, 'Unsupported protocol version "2027-01-01".', {
      supported: ['2026-07-28'],
      requested: '2027-01-01',
    }),
  },
  'an envelope that claims a legacy revision': {
    given: meta({ [VERSION]: '2025-11-25' }),
    headers: { 'mcp-protocol-version': '2025-11-25', 'mcp-method': 'tools/list' },
    status: 400,
    want: error(-32022, 'Unsupported protocol version "2025-11-25".', {
      supported: ['2026-07-28'],
      requested: '2025-11-25',
    }),
  },

  // the header layer, which only HTTP has
  'no headers at all': {
    given: listing,
    headers: {},
    status: 400,
    want: error(-32020, 'Header mismatch: MCP-Protocol-Version is missing.'),
    overLines: 'none',
  },
  'no version header': {
    given: listing,
    headers: without(listing, 'mcp-protocol-version'),
    status: 400,
    want: error(-32020, 'Header mismatch: MCP-Protocol-Version is missing.'),
    overLines: 'none',
  },
  'another version in the header': {
    given: listing,
    headers: { ...headersOf(listing), 'mcp-protocol-version': '2025-11-25' },
    status: 400,
    want: error(-32020, 'Header mismatch: MCP-Protocol-Version says "2025-11-25", _meta says "2026-07-28".'),
    overLines: 'none',
  },
  'no method header': {
    given: listing,
    headers: without(listing, 'mcp-method'),
    status: 400,
    want: error(-32020, 'Header mismatch: Mcp-Method is missing.'),
    overLines: 'none',
  },
  'a method header in another case': {
    given: listing,
    headers: { ...headersOf(listing), 'mcp-method': 'Tools/List' },
    status: 400,
    want: error(-32020, 'Header mismatch: Mcp-Method says "Tools/List", the body says "tools/list".'),
    overLines: 'none',
  },
  'no name header on a call': {
    given: calling('pets_list'),
    headers: without(calling('pets_list'), 'mcp-name'),
    status: 400,
    want: error(-32020, 'Header mismatch: Mcp-Name is missing.'),
    overLines: 'none',
  },
  'another name in the header': {
    given: calling('pets_delete', { id: 7 }),
    headers: { ...headersOf(calling('pets_delete')), 'mcp-name': 'pets_list' },
    status: 400,
    want: error(-32020, 'Header mismatch: Mcp-Name says "pets_list", the body says "pets_delete".'),
    overLines: 'none',
  },
  'a modern header without an envelope': {
    given: legacy(1, 'tools/list'),
    headers: { 'mcp-protocol-version': '2026-07-28', 'mcp-method': 'tools/list' },
    status: 400,
    want: error(-32602, `Requests of 2026-07-28 must carry _meta with "${VERSION}".`),
    overLines: 'none',
  },
  'initialize with a modern header': {
    given: legacy(1, 'initialize', { protocolVersion: '2025-11-25', capabilities: {} }),
    headers: { 'mcp-protocol-version': '2026-07-28' },
    status: 400,
    want: error(-32020, 'Header mismatch: MCP-Protocol-Version says 2026-07-28, which has no initialize.'),
    overLines: 'none',
  },
  'a version header nobody knows': {
    given: legacy(1, 'tools/list'),
    headers: { 'mcp-protocol-version': '2019-01-01' },
    status: 400,
    want: error(
      -32600,
      'Unsupported MCP-Protocol-Version header; this server supports 2026-07-28, 2025-11-25, 2025-06-18, 2025-03-26, 2024-11-05.',
    ),
    overLines: 'none',
  },
  'a batch with a modern header': {
    given: JSON.stringify([legacy(1, 'ping')]),
    headers: { 'mcp-protocol-version': '2026-07-28' },
    status: 400,
    want: anonymous(-32600, 'Invalid request: 2026-07-28 has no batches; send one message at a time.'),
    overLines: 'none',
  },

  // batches
  'an empty batch': {
    given: '[]',
    status: 400,
    want: anonymous(-32600, 'Invalid request: a batch must hold at least one message.'),
  },
  'a batch of more than a hundred': {
    given: JSON.stringify(Array.from({ length: 101 }, (_, id) => legacy(id, 'ping'))),
    status: 400,
    want: anonymous(-32600, 'Invalid request: a batch may hold at most 100 messages.'),
  },
  'a batch with a modern message in it': {
    given: JSON.stringify([legacy(1, 'ping'), listing]),
    headers: {},
    status: 400,
    want: anonymous(-32600, 'Invalid request: 2026-07-28 has no batches; send one message at a time.'),
  },
  'a batch with initialize in it': {
    given: JSON.stringify([legacy(1, 'initialize', { protocolVersion: '2025-03-26' })]),
    status: 400,
    want: anonymous(-32600, 'Invalid request: "initialize" cannot be part of a batch.'),
  },

  // what gets no answer
  'a notification': { given: { jsonrpc: '2.0', method: 'notifications/initialized' }, status: 202, want: undefined },
  'a notification nobody knows': {
    given: { jsonrpc: '2.0', method: 'notifications/new' },
    status: 202,
    want: undefined,
  },
  // Header requirements for notifications are not defined (basic/transports): none are made.
  'a notification with a modern header': {
    given: { jsonrpc: '2.0', method: 'notifications/initialized' },
    headers: { 'mcp-protocol-version': '2026-07-28', 'mcp-method': 'something/else' },
    status: 202,
    want: undefined,
  },
  'a cancellation of nothing': {
    given: { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 'no such' } },
    status: 202,
    want: undefined,
  },
  'a response to nothing': { given: '{"jsonrpc":"2.0","id":1,"result":{}}', status: 202, want: undefined },
  'an error about nothing': {
    given: '{"jsonrpc":"2.0","id":1,"error":{"code":-32600,"message":"?"}}',
    status: 202,
    want: undefined,
  },
  // Answering it could set two peers complaining about each other for ever.
  'an error that names no request': {
    given: '{"jsonrpc":"2.0","error":{"code":-32600,"message":"?"}}',
    status: 202,
    want: undefined,
  },
  'a batch of notifications': {
    given: JSON.stringify([{ jsonrpc: '2.0', method: 'notifications/initialized' }]),
    status: 202,
    want: undefined,
  },
};

describe('the answer to', () => {
  test.each(Object.entries(rows))('%s, over HTTP', async (_, { given, headers, status, want }) => {
    const text = typeof given === 'string' ? given : JSON.stringify(given);
    const isModern = typeof given !== 'string' && given.params?._meta !== undefined;
    const answer = await post(http.url, text, headers ?? (isModern ? headersOf(given) : {}));
    expect([answer.status, answer.body === '' ? undefined : JSON.parse(answer.body)]).toEqual([status, want]);
    expect(answer.headers['mcp-session-id']).toBeUndefined();
  });

  test.each(Object.entries(rows).filter(([, row]) => row.overLines !== 'none'))(
    '%s, over stdio and TCP',
    async (name, { given, want, overLines }) => {
      for (const client of lines) {
        const mark = `after ${name} ${client.name}`;
        const before = client.received.length;
        client.send(given);
        // Everything here is answered in order, or not at all.
        if (want !== undefined) await client.find((message) => client.received.indexOf(message) >= before);
        await client.ask(legacy(mark, 'ping'));
        const came = client.received.slice(before).filter(({ id }) => id !== mark);
        expect(came).toEqual(want === undefined ? [] : [overLines ?? want]);
      }
    },
  );
});

describe('a request is served', () => {
  const complete = {
    resultType: 'complete',
    _meta: {
      'io.modelcontextprotocol/serverInfo': { name: 'landbridge', version: gatewayVersion(), title: 'Landbridge' },
    },
  };
  function gatewayVersion(): unknown {
    return expect.stringMatching(/^\d+\.\d+\.\d+/);
  }

  test('without client information, which a server must not require', async () => {
    const { status, body } = await post(http.url, JSON.stringify(listing), headersOf(listing));
    expect([status, JSON.parse(body).result.tools.length]).toEqual([200, 6]);
  });

  test('with Accept: application/json alone, in both eras (the SDK answers legacy requests with 406)', async () => {
    for (const [message, headers] of [
      [listing, headersOf(listing)],
      [legacy(1, 'tools/list'), {}],
    ] as const) {
      const answer = await post(http.url, JSON.stringify(message), { ...headers, accept: 'application/json' });
      expect([answer.status, answer.headers['content-type']]).toEqual([200, 'application/json']);
    }
  });

  test('with invalid arguments as a tool result that says so, not as a protocol error', async () => {
    const call = calling('pets_get', { id: 'seven' });
    const text =
      'Invalid arguments for pets_get; nothing was sent. Fix and call again:\n' +
      '1. `id` must be integer; got string "seven"\nRequired: {id: integer}';
    const { status, body } = await post(http.url, JSON.stringify(call), headersOf(call));
    expect(status).toBe(200);
    expect(JSON.parse(body)).toEqual({
      jsonrpc: '2.0',
      id: 1,
      result: {
        content: [{ type: 'text', text }],
        structuredContent: {
          tool: 'pets_get',
          errors: [expect.objectContaining({ path: 'id', message: '`id` must be integer; got string "seven"' })],
          required: ['id'],
          failure_mode: 'validation',
          message: text,
        },
        isError: true,
        ...complete,
      },
    });
  });

  test('without a session: Mcp-Session-Id and Last-Event-ID of a modern request are ignored and never echoed', async () => {
    const headers = { ...headersOf(listing), 'mcp-session-id': 'anything', 'last-event-id': '7' };
    const answer = await post(http.url, JSON.stringify(listing), headers);
    expect([answer.status, answer.headers['mcp-session-id']]).toEqual([200, undefined]);
  });

  test('with server/discover: versions, capabilities, caching, and no server information at the top', async () => {
    const message = modern('d', 'server/discover');
    const { status, body } = await post(http.url, JSON.stringify(message), headersOf(message));
    expect(status).toBe(200);
    expect(JSON.parse(body)).toEqual({
      jsonrpc: '2.0',
      id: 'd',
      result: {
        supportedVersions: ['2026-07-28'],
        capabilities: { tools: {}, resources: {}, prompts: {}, completions: {} },
        instructions: expect.stringContaining('pets: Pets and what is known about them.'),
        ttlMs: 300000,
        cacheScope: 'public',
        ...complete,
      },
    });
  });

  test.each([
    ['2025-11-25', '2025-11-25', true],
    ['2025-06-18', '2025-06-18', true],
    ['2025-03-26', '2025-03-26', false],
    ['2024-11-05', '2024-11-05', false],
    ['2026-07-28', '2025-11-25', true],
    ['2019-01-01', '2025-11-25', true],
  ])('with initialize for %s by %s', async (asked, got, titled) => {
    const message = legacy(0, 'initialize', { protocolVersion: asked, capabilities: {}, clientInfo: {} });
    const answer = await post(http.url, JSON.stringify(message));
    expect(answer.status).toBe(200);
    expect(JSON.parse(answer.body)).toEqual({
      jsonrpc: '2.0',
      id: 0,
      result: {
        protocolVersion: got,
        capabilities: { tools: {}, resources: {}, prompts: {}, completions: {} },
        serverInfo: { name: 'landbridge', version: gatewayVersion(), ...(titled && { title: 'Landbridge' }) },
        instructions: expect.any(String),
      },
    });
    expect(answer.headers['mcp-session-id']).toMatch(/^[\w-]+\.[\w-]{43}$/);
  });

  test('without a version header as 2025-03-26, which has no structured output', async () => {
    const list = async (headers: Record<string, string>) =>
      JSON.parse((await post(http.url, JSON.stringify(legacy(1, 'tools/list')), headers)).body).result;
    expect(await list({})).toEqual(await list({ 'mcp-protocol-version': '2025-03-26' }));
    expect(Object.keys(await list({}))).toEqual(['tools']);
  });
});

test('other requests are served between the messages of a batch', async () => {
  let turns = 0;
  let next = setImmediate(function turn() {
    turns++;
    next = setImmediate(turn);
  });
  const batch = Array.from({ length: 100 }, (_, id) => ({ jsonrpc: '2.0', id, method: 'ping' }));
  const reply = await gateway.handle(JSON.stringify(batch));
  clearImmediate(next);
  expect(JSON.parse(reply?.body ?? '')).toEqual(batch.map(({ id }) => ({ jsonrpc: '2.0', id, result: {} })));
  expect(turns).toBeGreaterThanOrEqual(99);
});
