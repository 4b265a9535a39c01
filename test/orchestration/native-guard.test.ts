// Native tools under a gateway's policy: the same guard, dry run, read-only switch and audit as REST operations.
import { describe, expect, test, vi } from 'vitest';
import { z } from 'zod';
import {
  createGateway,
  defineTool,
  type GatewayOptions,
  GroupedToolBuilder,
  type Middleware,
  type ToolEntry,
} from '../../src/index.ts';
import { modern, type Rpc } from '../support/mcp.ts';

interface Result {
  readonly isError?: boolean;
  readonly content: readonly { readonly text: string }[];
  readonly structuredContent?: Readonly<Record<string, unknown>>;
  readonly inputRequests?: Readonly<Record<string, { readonly params: { readonly message: string } }>>;
  readonly requestState?: string;
  readonly resultType: string;
}

function setUp(policy: GatewayOptions['policy'] = undefined, more: Partial<GatewayOptions> = {}) {
  const wipe = vi.fn((_context: unknown, { disk }: { disk: string }) => `wiped ${disk}`);
  const ban = vi.fn((_context: unknown, { id }: { id: number }) => `banned ${id}`);
  const tools = [
    defineTool({
      name: 'wipe',
      description: 'Wipes a disk.',
      args: z.object({ disk: z.string() }),
      annotations: { destructiveHint: true },
      run: wipe,
    }),
    defineTool({ name: 'note', description: 'Notes something.', run: () => 'noted' }),
    defineTool({ name: 'look', description: 'Looks.', annotations: { readOnlyHint: true }, run: () => 'seen' }),
    new GroupedToolBuilder('users')
      .description('Manage users')
      .action({ name: 'list', readOnly: true, handler: () => 'ann' })
      .action({ name: 'ban', destructive: true, schema: z.object({ id: z.int() }), handler: ban })
      .toEntry(),
  ];
  const gateway = createGateway({ domains: [], native: { tools }, policy, ...more });
  const request = async (method: string, params: Record<string, unknown>): Promise<Result & Rpc['result']> => {
    const reply = await gateway.handle(modern(1, method, params));
    return (JSON.parse(reply!.body) as { result: Result }).result as never;
  };
  const call = (name: string, args: object, meta: object = {}) =>
    request('tools/call', { name, arguments: args, ...meta });
  return { gateway, call, request, wipe, ban };
}

const ASKABLE = { _meta: { 'io.modelcontextprotocol/clientCapabilities': { elicitation: {} } } };

describe('a destructive native tool in a gateway', () => {
  test.each([
    ['wipe', { disk: 'sda' }, 'wipe'],
    ['users', { action: 'ban', id: 7 }, 'users/ban'],
  ])('%s runs only after a confirmation, once, for these very arguments', async (tool, args, label) => {
    const { call, wipe, ban } = setUp();
    const refusal = await call(tool, args);
    expect(refusal).toMatchObject({ isError: true, structuredContent: { failure_mode: 'not_confirmed', tool: label } });
    expect([wipe, ban].map((run) => run.mock.calls.length)).toEqual([0, 0]);
    const { confirmation_token } = refusal.structuredContent as { confirmation_token: string };
    const other = Object.fromEntries(
      Object.entries(args).map(([key, value]) => [key, key === 'id' ? 8 : key === 'disk' ? 'sdb' : value]),
    );
    expect(await call(tool, { ...other, confirmation_token })).toMatchObject({ isError: true });
    expect(await call(tool, { ...args, confirmation_token })).toMatchObject({
      content: [{ text: expect.stringMatching(/^(wiped sda|banned 7)$/) }],
    });
    expect(await call(tool, { ...args, confirmation_token })).toMatchObject({ isError: true });
    expect(wipe.mock.calls.length + ban.mock.calls.length).toBe(1);
  });

  test('asks if the client can ask a person', async () => {
    const { call, ban } = setUp();
    const question = await call('users', { action: 'ban', id: 7 }, ASKABLE);
    expect(question).toMatchObject({ resultType: 'input_required' });
    expect(question.inputRequests?.confirm?.params.message).toBe(
      'users/ban\nManage users (this gateway)\nWith:\n  id: 7\nWhat this removes or overwrites is lost: it may be impossible to undo. Go on?',
    );
    const answers = { confirm: { action: 'accept', content: { confirm: true } } };
    const second = { ...ASKABLE, requestState: question.requestState, inputResponses: answers };
    expect(await call('users', { action: 'ban', id: 7 }, second)).toMatchObject({ content: [{ text: 'banned 7' }] });
    expect(ban).toHaveBeenCalledTimes(1);
  });

  test('can be called as a dry run', async () => {
    const { call, wipe } = setUp();
    expect((await call('wipe', { disk: 'sda', dry_run: true })).content[0]?.text).toBe(
      'Dry run of wipe: nothing was sent. The request would be:\n{\n "tool": "wipe",\n "arguments": {\n  "disk": "sda"\n }\n}',
    );
    expect(wipe).not.toHaveBeenCalled();
  });

  test.each([
    ['destructive: deny', { readOnly: false, destructive: 'deny' as const }],
    ['read-only', { readOnly: true }],
  ])('never runs under %s', async (_, policy) => {
    const { call, wipe, ban } = setUp(policy);
    for (const [tool, args] of [
      ['wipe', { disk: 'sda' }],
      ['users', { action: 'ban', id: 7 }],
    ] as const)
      expect(await call(tool, args)).toMatchObject({ isError: true, structuredContent: { failure_mode: 'denied' } });
    expect([wipe, ban].map((run) => run.mock.calls.length)).toEqual([0, 0]);
  });

  test('runs at once where the operator allows it', async () => {
    const { call } = setUp({ readOnly: false, destructive: 'allow' });
    expect(await call('wipe', { disk: 'sda' })).toMatchObject({ content: [{ text: 'wiped sda' }] });
  });

  test('advertises its controls; outside a gateway its definition has none', async () => {
    const { request } = setUp();
    const { tools } = (await request('tools/list', {})) as unknown as {
      tools: { name: string; inputSchema: { properties: object } }[];
    };
    const keys = Object.fromEntries(tools.map(({ name, inputSchema }) => [name, Object.keys(inputSchema.properties)]));
    expect(keys).toEqual({
      wipe: ['disk', 'dry_run', 'confirmation_token'],
      note: [],
      look: ['dry_run'],
      users: ['action', 'id', 'confirmation_token', 'dry_run'],
    });
    const alone = new GroupedToolBuilder('u').action({ name: 'ban', destructive: true, handler: () => 'done' });
    expect(Object.keys(alone.buildToolDefinition().inputSchema as { properties: object })).toContain('properties');
    expect(await alone.execute({}, { action: 'ban' })).toMatchObject({ isError: false });
  });
});

describe('other native tools', () => {
  test('without hints count as writes: a read-only gateway refuses them', async () => {
    const { call } = setUp({ readOnly: true });
    expect(await call('note', {})).toMatchObject({ structuredContent: { failure_mode: 'denied' } });
    expect(await call('look', {})).toMatchObject({ content: [{ text: 'seen' }] });
    expect(await call('users', { action: 'list' })).toMatchObject({ content: [{ text: 'ann' }] });
  });

  test('are guarded more strictly by a profile, never less', async () => {
    const { gateway } = setUp(undefined, {
      profiles: { lax: { native: true, guard: 'allow' }, strict: { native: true, guard: 'deny' } },
    });
    const ask = async (profile: string) => {
      const sender = { transport: 'local', principal: { id: 'x' }, signal: new AbortController().signal } as const;
      const message = modern(1, 'tools/call', { name: 'wipe', arguments: { disk: 'sda' } });
      const reply = await gateway.serviceOf(profile)!.protocol.handle(message, sender);
      return (JSON.parse(reply!.body) as { result: Result }).result.structuredContent?.failure_mode;
    };
    expect([await ask('lax'), await ask('strict')]).toEqual(['not_confirmed', 'denied']);
  });
});

describe('a confirmation', () => {
  const confirm = async (tools: ToolEntry[], name: string, args: object) => {
    const gateway = createGateway({ domains: [], native: { tools } });
    const call = async (tool: string, input: object) => {
      const reply = await gateway.handle(modern(1, 'tools/call', { name: tool, arguments: input }));
      return (JSON.parse(reply!.body) as { result: Result }).result;
    };
    const { structuredContent } = await call(name, args);
    return { call, confirmation_token: structuredContent?.confirmation_token };
  };

  test('is not valid for other arguments that a transformation makes equal', async () => {
    const run = vi.fn(() => 'done');
    const schema = z.object({ ids: z.array(z.string()).transform((ids) => new Set(ids)) });
    const tool = defineTool({
      name: 'wipe',
      description: 'Wipes.',
      args: schema,
      annotations: { destructiveHint: true },
      run,
    });
    const { call, confirmation_token } = await confirm([tool], 'wipe', { ids: ['a'] });
    expect(await call('wipe', { ids: ['everything'], confirmation_token })).toMatchObject({ isError: true });
    expect(run).not.toHaveBeenCalled();
    expect(await call('wipe', { ids: ['a'], confirmation_token })).not.toHaveProperty('isError');
  });

  test('is not valid for another tool whose name has the same text', async () => {
    const run = vi.fn(() => 'done');
    const grouped = new GroupedToolBuilder('users').action({ name: 'ban', destructive: true, handler: run }).toEntry();
    const flat = defineTool({ name: 'users.ban', description: 'Bans.', annotations: { destructiveHint: true }, run });
    const { call, confirmation_token } = await confirm([grouped, flat], 'users', { action: 'ban' });
    expect(await call('users.ban', { confirmation_token })).toMatchObject({ isError: true });
    expect(run).not.toHaveBeenCalled();
  });

  test('is not valid for arguments that middleware changes, in place or for next()', async () => {
    const run = vi.fn(() => 'done');
    const build = (middleware: Middleware) =>
      new GroupedToolBuilder('users')
        .use(middleware)
        .action({ name: 'ban', destructive: true, schema: z.object({ id: z.int() }), handler: run })
        .toEntry();
    const changes: Middleware[] = [
      (_context, args, next) => next({ ...args, id: 8 }),
      (_context, args, next) => {
        (args as { id: number }).id = 8;
        return next();
      },
    ];
    for (const change of changes) {
      const { call, confirmation_token } = await confirm([build(change)], 'users', { action: 'ban', id: 7 });
      expect(await call('users', { action: 'ban', id: 7, confirmation_token })).toMatchObject({ isError: true });
    }
    expect(run).not.toHaveBeenCalled();
  });
});
