import { Client as ClientV2, InMemoryTransport as InMemoryV2 } from '@modelcontextprotocol/client';
import { Client as ClientV1 } from '@modelcontextprotocol/sdk/client/index.js';
import { InMemoryTransport as InMemoryV1 } from '@modelcontextprotocol/sdk/inMemory.js';
import { Server as ServerV1 } from '@modelcontextprotocol/sdk/server/index.js';
import { McpServer as McpServerV1 } from '@modelcontextprotocol/sdk/server/mcp.js';
import { createMcpHandler, McpServer as McpServerV2, Server as ServerV2 } from '@modelcontextprotocol/server';
import { afterEach, describe, expect, test } from 'vitest';
import { z } from 'zod';
import type { ExecutionContext } from '../../src/call/execution-context.ts';
import { GroupedToolBuilder } from '../../src/catalog/grouped/grouped-tool-builder.ts';
import type { Endpoint } from '../../src/endpoint/model.ts';
import { GatewayError } from '../../src/errors.ts';
import { ToolRegistry } from '../../src/sdk/tool-registry.ts';
import { aCall, anEndpoint, anOperation } from '../catalog/support.ts';

const info = { name: 'test', version: '1.0.0' };

interface AnyClient {
  listTools(): Promise<{ tools: { name: string; description?: string }[] }>;
  callTool(params: { name: string; arguments?: Record<string, unknown> }): Promise<unknown>;
  close(): Promise<void>;
}

const open: AnyClient[] = [];
afterEach(async () => {
  for (const client of open.splice(0)) await client.close();
});

async function connectV1(server: { connect(transport: never): Promise<void> }): Promise<AnyClient> {
  const [near, far] = InMemoryV1.createLinkedPair();
  const client = new ClientV1(info);
  await Promise.all([server.connect(far as never), client.connect(near)]);
  open.push(client as unknown as AnyClient);
  return client as unknown as AnyClient;
}

async function connectV2(server: { connect(transport: never): Promise<void> }): Promise<AnyClient> {
  const [near, far] = InMemoryV2.createLinkedPair();
  const client = new ClientV2(info);
  await Promise.all([server.connect(far as never), client.connect(near)]);
  open.push(client as unknown as AnyClient);
  return client as unknown as AnyClient;
}

function registry(seen: ExecutionContext[] = []) {
  const users = new GroupedToolBuilder('users')
    .description('Manage users')
    .tags('admin')
    .action({
      name: 'get',
      readOnly: true,
      schema: z.object({ id: z.number() }),
      handler: (call, { id }) => {
        seen.push(call);
        return { id, name: 'Ada' };
      },
    });
  const echo = new GroupedToolBuilder('echo').tags('public').action({ name: 'say', handler: () => 'hi' });
  return new ToolRegistry().registerAll(users, echo);
}

const servers = [
  ['SDK v1 Server', () => new ServerV1(info, { capabilities: { tools: {} } }), connectV1],
  ['SDK v1 Server that declared nothing', () => new ServerV1(info), connectV1],
  ['SDK v1 McpServer', () => new McpServerV1(info), connectV1],
  ['SDK v2 Server', () => new ServerV2(info, { capabilities: { tools: {} } }), connectV2],
  ['SDK v2 Server that declared nothing', () => new ServerV2(info), connectV2],
  ['SDK v2 McpServer', () => new McpServerV2(info), connectV2],
] as const;

describe.each(servers)('attachToServer() on %s', (_name, create, connect) => {
  test('the official client lists and calls the tools; detaching takes them away', async () => {
    const seen: ExecutionContext[] = [];
    const tools = registry(seen);
    const server = create();
    const detach = tools.attachToServer(server, { call: () => ({ principal: { id: 'ada' } }) });
    const client = await connect(server as never);

    const listed = await client.listTools();
    expect(listed.tools.map((tool) => tool.name)).toEqual(['users', 'echo']);
    expect(listed.tools[0]).toMatchObject({
      description: "Manage users\nActions: get\nWorkflow:\n- 'get': Requires: id",
      inputSchema: { properties: { action: { enum: ['get'] } } },
      annotations: { readOnlyHint: true },
    });
    expect(await client.callTool({ name: 'users', arguments: { action: 'get', id: 7 } })).toMatchObject({
      content: [{ type: 'text', text: '{"id":7,"name":"Ada"}' }],
    });
    expect(seen[0]).toMatchObject({ label: 'users/get', principal: { id: 'ada' }, request: { transport: 'local' } });
    expect(seen[0]?.requestId).not.toBe('');
    expect(seen[0]?.signal).toBeInstanceOf(AbortSignal);

    const refused = (await client.callTool({ name: 'users', arguments: { action: 'get', di: 7 } })) as {
      isError: boolean;
      content: { text: string }[];
    };
    expect(refused.isError).toBe(true);
    expect(refused.content[0]?.text).toMatch(/^\[users\/get\] /);

    await expect(client.callTool({ name: 'usrs', arguments: {} })).rejects.toMatchObject({
      code: -32602,
      message: expect.stringContaining('did you mean "users"?'),
    });

    detach();
    detach();
    await expect(client.listTools()).rejects.toMatchObject({ code: -32601 });
  });
});

describe('attachToServer()', () => {
  test.each([
    ['v1', () => new McpServerV1(info), connectV1],
    ['v2', () => new McpServerV2(info), connectV2],
  ] as const)(
    'keeps tools an McpServer of SDK %s had before, and gives them back on detach',
    async (_, create, connect) => {
      const mcp = create() as McpServerV1;
      mcp.registerTool('own', { description: 'Its own' }, () => ({ content: [{ type: 'text', text: 'own!' }] }));
      const detach = registry().attachToServer(mcp);
      const client = await connect(mcp as never);
      const names = async () => (await client.listTools()).tools.map((tool) => tool.name);
      expect(await names()).toEqual(['own', 'users', 'echo']);
      expect(await client.callTool({ name: 'own' })).toMatchObject({ content: [{ text: 'own!' }] });
      expect(await client.callTool({ name: 'echo', arguments: { action: 'say' } })).toMatchObject({
        content: [{ text: 'hi' }],
      });
      detach();
      expect(await names()).toEqual(['own']);
    },
  );

  test('offers only what the filter lets pass, in lists and in calls', async () => {
    const server = new ServerV1(info);
    registry().attachToServer(server, { filter: { exclude: ['admin'] } });
    const client = await connectV1(server as never);
    expect((await client.listTools()).tools.map((tool) => tool.name)).toEqual(['echo']);
    await expect(client.callTool({ name: 'users', arguments: { action: 'get', id: 1 } })).rejects.toMatchObject({
      code: -32602,
    });
  });

  test('needs only setRequestHandler() of a server, and leaves nothing behind', async () => {
    const handlers = new Map<unknown, (request: unknown, extra: unknown) => Promise<unknown>>();
    const bare = { setRequestHandler: (method: unknown, handler: never) => void handlers.set(method, handler) };
    const detach = registry().attachToServer(bare);
    const list = () => handlers.get('tools/list')!({ params: {} }, undefined);
    const call = (name: string) => handlers.get('tools/call')!({ params: { name, arguments: { action: 'say' } } }, {});
    expect(await list()).toMatchObject({ tools: [{ name: 'users' }, { name: 'echo' }] });
    expect(await call('echo')).toEqual({ content: [{ type: 'text', text: 'hi' }] });
    detach();
    expect(await list()).toEqual({ tools: [] });
    await expect(call('echo')).rejects.toMatchObject({ code: -32602, message: 'Unknown tool: echo.' });
  });

  test.each([
    ['legacy', {}, -32002],
    ['modern', { mcpReq: { envelope: { 'io.modelcontextprotocol/protocolVersion': '2026-07-28' } } }, -32602],
  ])('an error has the code of its era: %s', async (_, extra, code) => {
    const handlers = new Map<unknown, (request: unknown, extra: unknown) => Promise<unknown>>();
    const bare = { setRequestHandler: (method: unknown, handler: never) => void handlers.set(method, handler) };
    const look = new GroupedToolBuilder('look').action({
      name: 'up',
      handler: () => {
        throw new GatewayError('RESOURCE_NOT_FOUND', 'It is gone.');
      },
    });
    new ToolRegistry().register(look).attachToServer(bare);
    const call = handlers.get('tools/call')!({ params: { name: 'look', arguments: { action: 'up' } } }, extra);
    await expect(call).rejects.toMatchObject({ code, message: 'It is gone.' });
  });

  test('the same on a server that names methods by schema', async () => {
    const handlers = new Map<string, (request: unknown, extra: unknown) => Promise<unknown>>();
    const bare = {
      setRequestHandler: (schema: { shape: { method: { value: string } } }, handler: never) =>
        void handlers.set(schema.shape.method.value, handler),
    };
    const detach = registry().attachToServer({ server: bare });
    expect(await handlers.get('tools/list')!({ params: {} }, {})).toMatchObject({ tools: [{}, {}] });
    detach();
    expect(await handlers.get('tools/list')!({ params: {} }, {})).toEqual({ tools: [] });
  });

  test('refuses an object that is not a server, with an explanation', () => {
    for (const wrong of [undefined, null, 7, {}, { server: {} }, () => {}]) {
      expect(() => registry().attachToServer(wrong)).toThrow('attachToServer() needs an MCP Server or McpServer');
    }
  });

  test('serves the 2026-07-28 era through the SDK v2 handler, the client’s capabilities included', async () => {
    const seen: ExecutionContext[] = [];
    const tools = registry(seen);
    const handler = createMcpHandler(() => {
      const server = new McpServerV2(info);
      tools.attachToServer(server);
      return server;
    });
    const body = {
      jsonrpc: '2.0',
      id: 1,
      method: 'tools/call',
      params: {
        name: 'users',
        arguments: { action: 'get', id: 7 },
        _meta: {
          'io.modelcontextprotocol/protocolVersion': '2026-07-28',
          'io.modelcontextprotocol/clientCapabilities': { elicitation: {} },
        },
      },
    };
    const response = await handler.fetch(
      new Request('http://127.0.0.1/mcp', {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          accept: 'application/json, text/event-stream',
          'mcp-protocol-version': '2026-07-28',
          'mcp-method': 'tools/call',
          'mcp-name': 'users',
        },
        body: JSON.stringify(body),
      }),
    );
    expect(response.status).toBe(200);
    expect(await response.text()).toContain('Ada');
    expect(seen[0]?.client).toMatchObject({ era: 'modern', version: '2026-07-28', capabilities: { elicitation: {} } });
  });

  test('a legacy client with elicitation can be asked through the SDK', async () => {
    const tools = new ToolRegistry().register(
      new GroupedToolBuilder('ask').action({
        name: 'now',
        handler: async (call) => {
          const answer = await call.client.request?.(
            'elicitation/create',
            { mode: 'form', message: 'Really?', requestedSchema: { type: 'object', properties: {} } },
            call.signal,
          );
          return JSON.stringify([call.client.era, Object.keys(call.client.capabilities), answer]);
        },
      }),
    );
    const server = new ServerV1(info);
    tools.attachToServer(server);
    const { ElicitRequestSchema } = await import('@modelcontextprotocol/sdk/types.js');
    const [near, far] = InMemoryV1.createLinkedPair();
    const client = new ClientV1(info, { capabilities: { elicitation: {} } });
    client.setRequestHandler(ElicitRequestSchema, () => ({ action: 'accept', content: {} }));
    await Promise.all([server.connect(far), client.connect(near)]);
    open.push(client as unknown as AnyClient);
    const result = (await client.callTool({ name: 'ask', arguments: { action: 'now' } })) as {
      content: { text: string }[];
    };
    expect(JSON.parse(result.content[0]!.text)).toEqual(['legacy', ['elicitation'], { action: 'accept', content: {} }]);
  });
});

describe('answers of an SDK server are redacted', () => {
  const TOKEN = 'tok-3f9a72c1d8';
  const OWN = 'own-5b1e66aa90';
  const endpoint = anEndpoint('pets', 'list', {
    security: [
      [{ kind: 'bearer', secret: { variable: 'PETS_TOKEN', value: TOKEN } }],
    ] as unknown as Endpoint['security'],
  });
  const leaks = () =>
    new ToolRegistry().register(
      new GroupedToolBuilder('leaks')
        .action({ name: 'rest', operation: { ...anOperation(endpoint), run: async () => text(`token ${TOKEN}`) } })
        .action({ name: 'native', handler: () => ({ [OWN]: `and ${TOKEN}`, twice: [OWN] }) })
        .action({
          name: 'throws',
          handler: () => {
            throw new Error(`cannot use ${OWN}`);
          },
        })
        .action({
          name: 'refuses',
          handler: () => {
            throw new GatewayError('INVALID_PARAMS', `no ${OWN}`, { token: TOKEN });
          },
        })
        .action({
          name: 'reports',
          handler: async (context) => {
            context.progress?.(1, 2, `with ${OWN}`);
            await context.client.request?.('elicitation/create', { message: OWN }, context.signal);
            return 'done';
          },
        }),
    );
  const text = (value: string) => ({ content: [{ type: 'text' as const, text: value }], isError: false });

  function serve() {
    const handlers = new Map<unknown, (request: unknown, extra: unknown) => Promise<unknown>>();
    const sent: unknown[] = [];
    const bare = { setRequestHandler: (method: unknown, handler: never) => void handlers.set(method, handler) };
    const tools = leaks();
    tools.attachToServer(bare, { secrets: [OWN] });
    const extra = {
      _meta: { progressToken: 7 },
      sendNotification: async (notification: unknown) => void sent.push(notification),
      sendRequest: async (request: unknown) => void sent.push(request),
    };
    const call = (action: string, name = 'leaks') =>
      handlers.get('tools/call')!({ params: { name, arguments: { action } } }, extra);
    return { tools, call, sent };
  }

  test.each(['rest', 'native', 'throws'])('in the answer: %s', async (action) => {
    const answer = JSON.stringify(await serve().call(action));
    expect(answer).toContain('[redacted]');
    expect(answer).not.toMatch(/tok-3f|own-5b/);
  });

  test('in errors, including their data', async () => {
    await expect(serve().call('refuses')).rejects.toMatchObject({
      code: -32602,
      message: 'no [redacted]',
      data: { token: '[redacted]' },
    });
  });

  test('in progress and in questions to the client', async () => {
    const { call, sent } = serve();
    expect(await call('reports')).toEqual({ content: [{ type: 'text', text: 'done' }] });
    expect(sent).toEqual([
      {
        method: 'notifications/progress',
        params: { progressToken: 7, progress: 1, total: 2, message: 'with [redacted]' },
      },
      { method: 'elicitation/create', params: { message: '[redacted]' } },
    ]);
  });

  test('for secrets of tools that are registered later', async () => {
    const { tools, call } = serve();
    await call('native');
    const late = 'late-88c0d2e4';
    const other = anEndpoint('late', 'get', {
      security: [[{ kind: 'bearer', secret: { variable: 'LATE', value: late } }]] as unknown as Endpoint['security'],
    });
    tools.register(
      new GroupedToolBuilder('late')
        .action({ name: 'rest', operation: anOperation(other) })
        .action({ name: 'native', handler: () => late }),
    );
    expect(JSON.stringify(await call('native', 'late'))).not.toContain(late);
  });
});

describe('ToolRegistry', () => {
  test('include and exclude by tags', () => {
    const tools = registry();
    const names = (filter: object) => tools.getTools(filter).map((tool) => tool.name);
    expect(names({})).toEqual(['users', 'echo']);
    expect(names({ include: ['admin'] })).toEqual(['users']);
    expect(names({ include: ['admin', 'public'], exclude: ['public'] })).toEqual(['users']);
    expect(names({ exclude: ['admin', 'public'] })).toEqual([]);
    expect(tools.getAllTools()).toHaveLength(2);
    expect(tools.size).toBe(2);
    expect(tools.has('users')).toBe(true);
    expect(tools.getNames()).toEqual(['users', 'echo']);
  });

  test('a name is registered once', () => {
    expect(() => registry().register(new GroupedToolBuilder('echo').action({ name: 'x', handler: () => 'x' }))).toThrow(
      'A tool called "echo" is already registered',
    );
  });

  test('routes calls, and unknown names are protocol errors', async () => {
    expect(await registry().routeCall(aCall('echo'), 'echo', { action: 'say' })).toMatchObject({
      content: [{ text: 'hi' }],
    });
    await expect(registry().routeCall(aCall('x'), '__proto__', {})).rejects.toMatchObject({ code: 'UNKNOWN_TOOL' });
  });

  test('becomes entries of a gateway', async () => {
    const [users] = registry().toEntries({ include: ['admin'] });
    expect(users?.tool.name).toBe('users');
    expect(await users?.run(aCall('users'), { action: 'get', id: 1 })).toMatchObject({ isError: false });
  });
});
