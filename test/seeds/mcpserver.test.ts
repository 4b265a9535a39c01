// The promises of seeds/002 ("Architecture" of mcpserver: Core principle … Dependencies rationale).
//
// Decided otherwise, so without a test of the seed's own words:
// - validation errors are -32602 in the seed; here, as MCP says since, an `isError` result the model can act on (DESIGN.md,
//   "Failures are typed"). The handler never runs either way.
// - an unknown tool is -32601 in the seed and -32602 in MCP; MCP counts.
// - "No handler registered" is -32603 at the call in the seed; here it stops the start (issue 9, item 11).
// - resources are read by URI only (issue 9, decisions).
// - the seed implements 2025-03-26 only; here PROTOCOL_VERSION is 2026-07-28, and 2025-03-26 is spoken to whoever asks.
// - "full JSON Schema validation is intentionally not implemented": here it is, strictly (DESIGN.md, orchestration).
// - JSON-RPC values are strings of JSON here (`Reply.body`), so `into_json_rpc()` is `JSON.parse`.

import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, expectTypeOf, test, vi } from 'vitest';
import { z } from 'zod';
import {
  createGateway,
  defineTool,
  defineTools,
  type ExecutionContext,
  errorResult,
  type Gateway,
  GatewayError,
  GroupedToolBuilder,
  type HttpServer,
  loadDomains,
  type Middleware,
  PROTOCOL_VERSION,
  type ResourceEntry,
  serveHttp,
  Tool,
  type ToolDeclaration,
  textResult,
} from '../../src/index.ts';
import { createLog } from '../../src/log.ts';
import { legacy, post } from '../support/mcp.ts';
import { useRealHttp } from '../support/real-http.ts';
import { ask, call, callResult } from './support.ts';

useRealHttp();

/** What the application's HTTP layer knows about a request. */
interface Claims {
  readonly sub: string;
  readonly tenant: string;
}

const echo: ToolDeclaration = {
  name: 'echo',
  description: 'Says it again.',
  inputSchema: { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] },
};
const send: ToolDeclaration = {
  name: 'send',
  description: 'Sends a message.',
  inputSchema: {
    type: 'object',
    properties: Object.fromEntries(
      ['body', 'email', 'phone', 'country', 'subject'].map((key) => [key, { type: 'string' }]),
    ),
    required: ['body'],
    oneOf: [{ required: ['email'] }, { required: ['phone', 'country'] }],
    dependencies: { subject: ['email'] },
  },
};
const RESOURCE = { uri: 'notes://about', name: 'about', mimeType: 'text/plain' };

const contexts: ExecutionContext[] = [];
const logged: Record<string, unknown>[] = [];
let gateway: Gateway<Claims>;

beforeAll(() => {
  const resource: ResourceEntry = {
    definition: RESOURCE,
    read: async (context) => {
      contexts.push(context);
      return { contents: [{ uri: RESOURCE.uri, mimeType: RESOURCE.mimeType, text: 'About notes.' }] };
    },
  };
  gateway = createGateway<Claims>({
    domains: [],
    native: {
      tools: defineTools([echo, send, { name: 'fail', description: 'Fails.' }], {
        echo: (context, { text }) => {
          contexts.push(context);
          return textResult(String(text));
        },
        send: () => textResult('sent'),
        fail: () => {
          throw new Error('the disk is full');
        },
      }),
      resources: [resource],
    },
    profiles: { public: { native: ['echo'] }, private: { native: true } },
    log: createLog({ level: 'info', destination: { write: (line: string) => void logged.push(JSON.parse(line)) } }),
  });
});
afterAll(() => gateway.close());
beforeEach(() => {
  contexts.length = 0;
  logged.length = 0;
});

const hello = (protocolVersion: string) => ({
  protocolVersion,
  capabilities: {},
  clientInfo: { name: 'a-client', version: '9' },
});

describe('Core principle: the library is a pure MCP protocol handler', () => {
  test('the single entry point is handle(), of text or a parsed message', async () => {
    const message = legacy(1, 'ping');
    const replies = [await gateway.handle(message), await gateway.handle(JSON.stringify(message))];
    expect(replies).toEqual(Array(2).fill({ status: 200, body: '{"jsonrpc":"2.0","id":1,"result":{}}' }));
  });

  test('zero HTTP, transport, or runtime opinion', () => {
    const files = readdirSync('src/protocol', { recursive: true, encoding: 'utf8' }).filter((name) =>
      name.endsWith('.ts'),
    );
    const imports = files.flatMap((name) =>
      [...readFileSync(join('src/protocol', name), 'utf8').matchAll(/from '([^']+)'/g)].map(([, path]) => path!),
    );
    expect(imports.filter((path) => /^(?:express|undici|node:(?:https?|net|fs))$|transport\//.test(path))).toEqual([]);
  });

  test('the library owns JSON-RPC 2.0 parsing', async () => {
    for (const [text, code] of [
      ['{', -32700],
      ['{"jsonrpc":"1.0","id":1,"method":"ping"}', -32600],
    ] as const) {
      expect(JSON.parse((await gateway.handle(text))!.body).error.code).toBe(code);
    }
  });
});

describe('Types', () => {
  test('validation metadata is internal, never serialized; input_schema is `inputSchema`', async () => {
    const { tools } = (await ask(gateway, 'tools/list')).result as { tools: ToolDeclaration[] };
    expect(tools).toEqual([
      echo,
      send,
      { name: 'fail', description: 'Fails.', inputSchema: { type: 'object', properties: {} } },
    ]);
  });

  test('text_result and error_result', () => {
    expect([textResult('a'), errorResult('b')]).toEqual([
      { content: [{ type: 'text', text: 'a' }], isError: false },
      { content: [{ type: 'text', text: 'b' }], isError: true },
    ]);
  });
});

describe('Method routing', () => {
  test.each<[string, Record<string, unknown> | undefined, unknown]>([
    ['initialize', hello('2025-03-26'), { protocolVersion: '2025-03-26', capabilities: { tools: {}, resources: {} } }],
    ['ping', undefined, {}],
    ['tools/list', undefined, { tools: [{ name: 'echo' }, { name: 'send' }, { name: 'fail' }] }],
    ['tools/call', { name: 'echo', arguments: { text: 'hi' } }, { content: [{ type: 'text', text: 'hi' }] }],
    ['resources/list', undefined, { resources: [RESOURCE] }],
    ['resources/read', { uri: RESOURCE.uri }, { contents: [{ uri: RESOURCE.uri, text: 'About notes.' }] }],
  ])('%s', async (method, params, result) => {
    expect((await ask(gateway, method, params)).result).toMatchObject(result as object);
  });

  test.each(['notifications/initialized', 'notifications/cancelled'])('%s: no response body', async (method) => {
    expect(await gateway.handle({ jsonrpc: '2.0', method, params: { requestId: 1 } })).toBeUndefined();
  });

  test.each([
    ['initialize', hello('2025-06-18'), 0],
    ['tools/list', undefined, 0],
    ['resources/list', undefined, 0],
    ['tools/call', { name: 'echo', arguments: { text: 'x' } }, 1],
    ['resources/read', { uri: RESOURCE.uri }, 1],
  ])('context of %s: dropped, or moved to the one handler that runs', async (method, params, handlers) => {
    const data: Claims = { sub: 'user-123', tenant: 'acme' };
    await gateway.handle(legacy(1, method, params), { data });
    expect(contexts).toHaveLength(handlers);
    // Zero clones: the very object.
    for (const context of contexts) expect(context.data).toBe(data);
  });
});

describe('Loader', () => {
  const folder = mkdtempSync(join(tmpdir(), 'landbridge-seed-'));
  afterAll(() => rmSync(folder, { recursive: true }));
  const file = join(folder, 'tools.json');
  writeFileSync(file, JSON.stringify([echo, send]));
  const handlers = { echo: () => '', send: () => '' };

  test.each<[string, string | Uint8Array | ToolDeclaration[]]>([
    ['tools_file: load from disk', file],
    ['tools_json: parse from raw bytes', new TextEncoder().encode(JSON.stringify([echo, send]))],
    ['tools: a pre-built list', [echo, send]],
  ])('%s', (_, source) => {
    expect(defineTools(source, handlers).map(({ tool }) => [tool.name, tool.description, tool.inputSchema])).toEqual([
      ['echo', echo.description, echo.inputSchema],
      ['send', send.description, send.inputSchema],
    ]);
  });

  test('Same for resources: a JSON domain file declares them', async () => {
    const about = { name: 'about', description: 'What notes are.', mimeType: 'text/plain', text: 'About notes.' };
    const endpoints = { list: { path: '/notes', summary: 'Lists notes.' } };
    const path = join(folder, 'notes.json');
    const resources = { 'notes://declared': about };
    writeFileSync(path, JSON.stringify({ name: 'notes', baseUrl: 'http://127.0.0.1:9', endpoints, resources }));
    const app = createGateway({ domains: await loadDomains({ paths: [path], env: {} }) });
    const { text, ...definition } = { uri: 'notes://declared', ...about };
    const listed = (await ask(app, 'resources/list')).result as { resources: { uri: string }[] };
    expect(listed.resources.find(({ uri }) => uri === 'notes://declared')).toEqual(definition);
    expect((await ask(app, 'resources/read', { uri: 'notes://declared' })).result?.contents).toEqual([
      { uri: 'notes://declared', mimeType: 'text/plain', text },
    ]);
    await app.close();
  });

  test('required, oneOf and dependencies are extracted from the schema, or from beside it', () => {
    const { required, oneOf, dependencies, ...inputSchema } = send.inputSchema as Required<
      Pick<ToolDeclaration, 'required' | 'oneOf' | 'dependencies'>
    >;
    const beside = defineTools([{ ...send, inputSchema, required, oneOf, dependencies }], { send: () => '' });
    expect(beside[0]?.tool.inputSchema).toEqual(send.inputSchema);
  });
});

describe('Schema validation: Tool::validate_arguments()', () => {
  const tool = new Tool({ name: 'send', inputSchema: send.inputSchema as never });
  const refusal = (args: Record<string, unknown>) => {
    try {
      return tool.validateArguments(args);
    } catch (error) {
      expect(error).toBeInstanceOf(GatewayError);
      return (error as GatewayError).message.split('\n').filter((line) => /^\d/.test(line));
    }
  };

  test.each<[string, Record<string, string>, string[]]>([
    ['required: every listed field must be present', { email: 'e' }, ['1. missing `body` (string)']],
    [
      'oneOf: at least one requirement set must be fully satisfied; the failure names the sets',
      { body: 'b', phone: 'p' },
      ['1. give `email`, or both `phone` and `country`'],
    ],
    [
      'dependencies: if field A is present, its dependents must be; the failure names the field',
      { body: 'b', phone: 'p', country: 'c', subject: 's' },
      ['1. missing `email` (string), needed together with `subject`'],
    ],
  ])('%s', (_, args, problems) => {
    expect(refusal(args)).toEqual(problems);
  });

  test('oneOf: "at least one": both sets together are fine', () => {
    const args = { body: 'b', email: 'e', phone: 'p', country: 'c' };
    expect(tool.validateArguments(args)).toEqual(args);
  });

  test('Validation happens at the protocol layer: the handler never executes', async () => {
    const { isError, structuredContent } = await callResult(gateway as Gateway, 'echo', {});
    expect([isError, structuredContent?.failure_mode, contexts]).toEqual([true, 'validation', []]);
  });

  test('the same words reach the client of a tool declared as JSON', async () => {
    const { structuredContent } = await callResult(gateway as Gateway, 'send', { body: 'b', phone: 'p' });
    expect(structuredContent).toMatchObject({
      failure_mode: 'validation',
      errors: [{ message: 'give `email`, or both `phone` and `country`' }],
    });
  });
});

describe('Zero-copy response design', () => {
  test.each([
    ['initialize', hello('2025-06-18')],
    ['tools/list', undefined],
    ['resources/list', undefined],
  ])('Cached: %s is never serialized per request; only the id differs', async (method, params) => {
    const first = await gateway.handle(legacy('first', method, params));
    const stringify = vi.spyOn(JSON, 'stringify');
    const second = await gateway.handle(legacy('second', method, params));
    const written = stringify.mock.calls.filter(
      ([value]) => typeof value === 'object' && value !== null && !('clientInfo' in value),
    );
    stringify.mockRestore();
    expect(second?.body).toBe(first?.body.replace('"first"', '"second"'));
    expect(written.filter(([value]) => 'tools' in value || 'resources' in value || 'capabilities' in value)).toEqual(
      [],
    );
  });

  test('Error: a JSON-RPC error response', async () => {
    expect(await ask(gateway, 'no/such')).toEqual({
      jsonrpc: '2.0',
      id: 1,
      error: { code: -32601, message: expect.stringContaining('no/such') },
    });
  });
});

describe('Request context', () => {
  const seen: Claims[] = [];
  const whoami = new GroupedToolBuilder<Claims>('whoami')
    .use(async (context, _args, next) => {
      if (context.data) seen.push(context.data);
      return next();
    })
    .action({ name: 'now', handler: ({ data }) => `${data?.sub}@${data?.tenant}` });
  const typed = defineTool({
    name: 'tenant',
    description: 'Says which.',
    run: (context: ExecutionContext<Claims>) => context.data?.tenant,
  });
  const plain = defineTool({ name: 'plain', description: 'Does not care.', run: () => textResult('done') });
  let server: HttpServer;
  let app: Gateway<Claims>;

  beforeAll(async () => {
    app = createGateway<Claims>({ domains: [], native: { tools: [whoami.toEntry(), typed, plain] } });
    server = await serveHttp<Claims>(app, {
      port: 0,
      identify: ({ headers }) => {
        const tenant = headers['x-tenant'];
        if (typeof tenant !== 'string') return undefined;
        return { principal: { id: 'user-123' }, data: { sub: 'user-123', tenant } };
      },
    });
  });
  afterAll(async () => {
    await server.close(0);
    await app.close();
  });
  const over = (name: string, args: object, headers: Record<string, string>) =>
    post(
      `http://127.0.0.1:${server.port}/mcp`,
      JSON.stringify(legacy(1, 'tools/call', { name, arguments: args })),
      headers,
    );

  test('the flow: HTTP middleware decodes, handle() moves it on, the handler reads whatever fields it needs', async () => {
    const { status, body } = await over('whoami', { action: 'now' }, { 'x-tenant': 'acme' });
    expect([status, JSON.parse(body).result.content]).toEqual([200, [{ type: 'text', text: 'user-123@acme' }]]);
    expect(seen).toEqual([{ sub: 'user-123', tenant: 'acme' }]);
    expect(JSON.parse((await over('tenant', {}, { 'x-tenant': 'other' })).body).result.content[0].text).toBe('other');
  });

  test('the application decides who is let in: no identity, 401, and nothing runs', async () => {
    seen.length = 0;
    expect([(await over('whoami', { action: 'now' }, {})).status, seen]).toEqual([401, []]);
  });

  test('Handlers that don’t need context simply ignore it', async () => {
    expect(JSON.parse((await over('plain', {}, { 'x-tenant': 'acme' })).body).result.content[0].text).toBe('done');
  });

  test('the context is typed, in handlers and in middleware', () => {
    const builder = new GroupedToolBuilder<Claims>('typed').commonSchema(z.object({ page: z.number() }));
    builder.use((context, _args, next) => {
      expectTypeOf(context.data).toEqualTypeOf<Claims | undefined>();
      return next();
    });
    builder.group('g', (group) => {
      group.use((context, _args, next) => {
        expectTypeOf(context.data).toEqualTypeOf<Claims | undefined>();
        return next();
      });
      group.action({
        name: 'a',
        schema: z.object({ id: z.string() }),
        handler: (context, args) => {
          expectTypeOf(context.data).toEqualTypeOf<Claims | undefined>();
          expectTypeOf(args).toEqualTypeOf<{ id: string } & { page: number }>();
        },
      });
    });
    defineTools<Claims>([{ name: 'a', description: 'A.' }], {
      a: (context) => {
        expectTypeOf(context.data).toEqualTypeOf<Claims | undefined>();
        return '';
      },
    });
    // Middleware that does not care fits everywhere; one that wants other data does not.
    const indifferent: Middleware = (_context, _args, next) => next();
    builder.use(indifferent);
    const demanding: Middleware<{ readonly other: number }> = (_context, _args, next) => next();
    // @ts-expect-error its data is another's
    builder.use(demanding);
    // Without a type, nothing is known: as before.
    new GroupedToolBuilder('untyped').action({
      name: 'a',
      handler: (context) => expectTypeOf(context.data).toEqualTypeOf<unknown>(),
    });
    expectTypeOf(builder).toEqualTypeOf<GroupedToolBuilder<Claims, { page: number }>>();
  });
});

describe('Handler registration', () => {
  test('closures and methods of objects alike', async () => {
    class Greeter {
      readonly #word = 'Hi';
      run = (_context: ExecutionContext, { name }: { name: string }) => `${this.#word} ${name}`;
    }
    const args = z.object({ name: z.string() });
    const tool = defineTool({ name: 'greet', description: 'Greets.', args, run: new Greeter().run });
    const app = createGateway({ domains: [], native: { tools: [tool] } });
    expect((await callResult(app, 'greet', { name: 'Ann' })).content).toEqual([{ type: 'text', text: 'Hi Ann' }]);
    await app.close();
  });

  test('(decided) a definition without a handler, or a handler without one, stops the start', () => {
    expect(() => defineTools([echo], {})).toThrow('Definitions and handlers do not fit: "echo" has no handler.');
    expect(() => defineTools([], { echo: () => '' })).toThrow(
      'Definitions and handlers do not fit: "echo" has no definition.',
    );
  });
});

describe('Error handling', () => {
  test('Handler returns Err → error_result() (is_error: true), not a JSON-RPC error', async () => {
    const { result, error } = await call(gateway as Gateway, 'fail');
    expect([error, result]).toMatchObject([
      undefined,
      { isError: true, content: [{ type: 'text', text: 'the disk is full' }] },
    ]);
  });

  test('(decided) Unknown tool → JSON-RPC error -32602', async () => {
    expect((await call(gateway as Gateway, 'ecko')).error).toEqual({
      code: -32602,
      message: 'Unknown tool: ecko. Did you mean echo? tools/list shows what there is.',
      data: { failure_mode: 'unknown_tool', tool: 'ecko' },
    });
  });
});

describe('The HTTP layer', () => {
  let server: HttpServer;
  beforeAll(async () => {
    server = await serveHttp(gateway, { port: 0 });
  });
  afterAll(() => server.close(0));
  const to = (path: string, message: object, headers = {}) =>
    post(`http://127.0.0.1:${server.port}${path}`, JSON.stringify(message), headers);

  test('Session management: an id on `initialize`, passed via the mcp-session-id header', async () => {
    const { headers } = await to('/mcp', legacy(1, 'initialize', hello('2025-06-18')));
    const session = String(headers['mcp-session-id']);
    expect(session.length).toBeGreaterThan(20);
    const { status } = await to('/mcp', legacy(2, 'tools/list'), { 'mcp-session-id': session });
    expect(status).toBe(200);
  });

  test('Notification → 202 with empty body', async () => {
    const { status, body } = await to('/mcp', { jsonrpc: '2.0', method: 'notifications/initialized' });
    expect([status, body]).toEqual([202, '']);
  });

  test('Normal response → JSON', async () => {
    const { status, headers, body } = await to('/mcp', legacy(7, 'ping'));
    expect([status, headers['content-type'], body]).toEqual([
      200,
      'application/json',
      '{"jsonrpc":"2.0","id":7,"result":{}}',
    ]);
  });

  test('Multiple endpoints: the same handlers on different routes for public and private access', async () => {
    const names = async (path: string) =>
      JSON.parse((await to(path, legacy(1, 'tools/list'))).body).result.tools.map(({ name }: { name: string }) => name);
    expect([await names('/mcp/public'), await names('/mcp/private')]).toEqual([['echo'], ['echo', 'send', 'fail']]);
    const say = { name: 'echo', arguments: { text: 'x' } };
    const answers = ['/mcp/public', '/mcp/private'].map((path) => to(path, legacy(1, 'tools/call', say)));
    const [open, closed] = (await Promise.all(answers)).map(({ body }) => body);
    expect(open).toBe(closed);
  });
});

describe('Protocol version and logging', () => {
  test('PROTOCOL_VERSION is public; 2025-03-26 is answered with 2025-03-26', async () => {
    expect(PROTOCOL_VERSION).toBe('2026-07-28');
    expect((await ask(gateway, 'initialize', hello('2025-03-26'))).result).toEqual({
      protocolVersion: '2025-03-26',
      capabilities: { tools: {}, resources: {} },
      serverInfo: { name: 'landbridge', version: gateway.version },
      instructions: 'Arguments are checked strictly: unknown ones are refused before anything is done.',
    });
  });

  test('structured logging in handle_initialize: client and revision', async () => {
    await ask(gateway, 'initialize', hello('2025-03-26'));
    expect(logged).toEqual([
      {
        level: 30,
        time: expect.any(String),
        method: 'initialize',
        version: '2025-03-26',
        client: { name: 'a-client', version: '9' },
        transport: 'local',
        principal: 'local',
        msg: 'client',
      },
    ]);
  });
});
