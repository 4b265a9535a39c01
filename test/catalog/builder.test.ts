import { describe, expect, expectTypeOf, test } from 'vitest';
import { z } from 'zod';
import type { Middleware } from '../../src/call/handler.ts';
import { aggregateAnnotations } from '../../src/catalog/aggregate-hints.ts';
import { buildGroupedSchema } from '../../src/catalog/grouped/grouped-schema.ts';
import { type GroupBuilder, GroupedToolBuilder } from '../../src/catalog/grouped/grouped-tool-builder.ts';
import { compileChains, type Strategies } from '../../src/catalog/grouped/strategies.ts';
import { textResult } from '../../src/catalog/native/plain-results.ts';
import { GatewayError } from '../../src/errors.ts';
import { createGateway } from '../../src/gateway.ts';
import { aCall, aDomain, anEndpoint, anOperation, textOf } from './support.ts';

const users = () =>
  new GroupedToolBuilder('users')
    .description('Manage users')
    .commonSchema(z.object({ tenant: z.string() }))
    .action({ name: 'list', readOnly: true, idempotent: true, handler: (_call, { tenant }) => [tenant] })
    .action({
      name: 'create',
      description: 'Create a user',
      schema: z.object({ email: z.email(), role: z.enum(['admin', 'reader']).optional() }),
      handler: async (call, args) => ({ tool: call.label, ...args }),
    })
    .action({ name: 'ban', destructive: true, schema: z.object({ id: z.number() }), handler: () => 'banned' });

describe('GroupedToolBuilder: the definition', () => {
  test('has a discriminator, common fields, notes on fields, a description in three layers and cautious hints', () => {
    expect(users().buildToolDefinition()).toEqual({
      name: 'users',
      description: [
        'Manage users',
        'Actions: list, create, ban',
        'Workflow:',
        "- 'create': Create a user. Requires: email",
        "- 'ban': Requires: id ⚠️ DESTRUCTIVE",
      ].join('\n'),
      inputSchema: {
        type: 'object',
        properties: {
          action: { type: 'string', enum: ['list', 'create', 'ban'] },
          tenant: { type: 'string', description: '(always required)' },
          email: expect.objectContaining({
            type: 'string',
            description: expect.stringContaining('Required for: create'),
          }),
          role: { type: 'string', enum: ['admin', 'reader'], description: 'For: create' },
          id: { type: 'number', description: 'Required for: ban' },
        },
        required: ['action', 'tenant'],
        additionalProperties: false,
      },
      annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: false },
    });
  });

  test('keeps explicit annotations', () => {
    const { annotations } = users().annotations({ destructiveHint: false, title: 'Users' }).buildToolDefinition();
    expect(annotations).toEqual({ title: 'Users', readOnlyHint: false, destructiveHint: false, idempotentHint: false });
  });

  test('has a TOON description on request', () => {
    expect(users().toonDescription().buildToolDefinition().description).toContain(
      '[3|]{action|desc|required|destructive}:',
    );
  });

  test('is built once and deeply frozen', () => {
    const builder = users();
    const definition = builder.buildToolDefinition();
    expect(builder.buildToolDefinition()).toBe(definition);
    expect(() => {
      (definition.inputSchema as { properties: Record<string, unknown> }).properties.evil = {};
    }).toThrow(TypeError);
  });
});

describe('GroupedToolBuilder: structure', () => {
  test('flat actions and groups cannot be mixed, in either order', () => {
    const message =
      'Cannot use .action() and .group() on the same builder "platform".\n' +
      'Use .action() for flat tools OR .group() for hierarchical tools.';
    const handler = () => 'ok';
    expect(() => new GroupedToolBuilder('platform').action({ name: 'a', handler }).group('g', () => {})).toThrow(
      message,
    );
    expect(() =>
      new GroupedToolBuilder('platform')
        .group('g', (g) => g.action({ name: 'a', handler }))
        .action({ name: 'b', handler }),
    ).toThrow(message);
  });

  test('dots, duplicates, empty names and odd tool names are refused', () => {
    const handler = () => 'ok';
    expect(() => new GroupedToolBuilder('t').action({ name: 'a.b', handler })).toThrow(
      'Action name "a.b" must not contain dots',
    );
    expect(() => new GroupedToolBuilder('t').group('a.b', () => {})).toThrow('Group name "a.b" must not contain dots');
    expect(() => new GroupedToolBuilder('t').group('a', (g) => g.action({ name: 'b.c', handler }))).toThrow(
      'must not contain dots',
    );
    expect(() => new GroupedToolBuilder('t').action({ name: 'a', handler }).action({ name: 'a', handler })).toThrow(
      'already has an action "a"',
    );
    expect(() => new GroupedToolBuilder('t').action({ name: '', handler })).toThrow('must not be empty');
    expect(() => new GroupedToolBuilder('no spaces')).toThrow('cannot be a tool name');
    expect(() => new GroupedToolBuilder('t').buildToolDefinition()).toThrow('has no actions');
  });

  test('a field cannot take the discriminator’s name', () => {
    const builder = new GroupedToolBuilder('t').action({
      name: 'x',
      schema: z.object({ action: z.string() }),
      handler: () => 'ok',
    });
    expect(() => builder.buildToolDefinition()).toThrow('choose another with .discriminator()');
    expect(builder.discriminator('method').buildToolDefinition().inputSchema).toMatchObject({
      properties: { method: { enum: ['x'] }, action: { type: 'string' } },
    });
  });

  test('every method that would change a built tool throws the same error', () => {
    const built = users();
    built.buildToolDefinition();
    const message = 'Builder "users" is frozen after buildToolDefinition(). Cannot modify a built tool.';
    const handler = () => 'ok';
    const changes: (() => unknown)[] = [
      () => built.action({ name: 'x', handler }),
      () => built.group('g', () => {}),
      () => built.use(async (_c, _a, next) => next()),
      () => built.description('x'),
      () => built.title('x'),
      () => built.commonSchema(z.object({})),
      () => built.tags('x'),
      () => built.annotations({}),
      () => built.discriminator('x'),
      () => built.toonDescription(),
      () => built.leanDescription(),
    ];
    for (const change of changes) expect(change).toThrow(message);
  });

  test('groups give keys with a dot and a list of modules', async () => {
    const platform = new GroupedToolBuilder('platform')
      .group('users', 'People', (g) => g.action({ name: 'list', handler: () => 'users!' }))
      .group('billing', (g) => g.action({ name: 'refund', destructive: true, handler: () => 'paid back' }));
    expect(platform.getActionNames()).toEqual(['users.list', 'billing.refund']);
    expect(platform.buildToolDefinition().description).toContain('Modules: users (list) | billing (refund)');
    expect(textOf(await platform.execute(aCall('platform'), { action: 'users.list' }))).toBe('users!');
  });

  test('introspection returns all facts about the actions', () => {
    const builder = users().tags('admin', 'people', 'admin');
    expect(builder.getName()).toBe('users');
    expect(builder.getTags()).toEqual(['admin', 'people']);
    expect(builder.getActionNames()).toEqual(['list', 'create', 'ban']);
    expect(builder.getActionMetadata()[1]).toEqual({
      key: 'create',
      actionName: 'create',
      groupName: undefined,
      description: 'Create a user',
      destructive: false,
      readOnly: false,
      idempotent: false,
      fields: ['tenant', 'email', 'role'],
      requiredFields: ['tenant', 'email'],
      hasMiddleware: false,
      kind: 'native',
    });
  });
});

describe('GroupedToolBuilder: execution', () => {
  test('the first call builds the tool; arguments are validated and passed to the handler with their types', async () => {
    const builder = users();
    expect(builder.frozen).toBe(false);
    const outcome = await builder.execute(aCall('users'), { action: 'create', tenant: 't', email: 'a@b.test' });
    expect(builder.frozen).toBe(true);
    expect(JSON.parse(textOf(outcome))).toEqual({ tool: 'users/create', tenant: 't', email: 'a@b.test' });
    expect(outcome.isError).toBe(false);
  });

  test('a call may have an empty context', async () => {
    const seen: unknown[] = [];
    const builder = new GroupedToolBuilder('t').action({ name: 'x', handler: (call) => void seen.push(call) });
    expect(await builder.execute({}, { action: 'x' })).toEqual({
      content: [{ type: 'text', text: 'OK' }],
      isError: false,
    });
    expect(seen[0]).toMatchObject({ label: 't/x', principal: { id: 'local' }, request: { transport: 'local' } });
    expect((await builder.execute({}, undefined as never)).isError).toBe(true);
  });

  test('the types of arguments come from both schemas', () => {
    new GroupedToolBuilder('t').commonSchema(z.object({ tenant: z.string() })).action({
      name: 'x',
      schema: z.object({ n: z.number().default(1) }),
      handler: (_call, args) => {
        expectTypeOf(args).toEqualTypeOf<{ n: number } & { tenant: string }>();
      },
    });
  });

  test.each([
    ['no action', {}, '[users] action is required. Available: list, create, ban'],
    ['an empty action', { action: '' }, '[users] action is required. Available: list, create, ban'],
    [
      'an unknown action',
      { action: 'zzz' },
      '[users] Unknown action "zzz"; pick one of them. Available: list, create, ban',
    ],
    [
      'a near miss',
      { action: 'creat' },
      '[users] Unknown action "creat"; did you mean "create"? Available: list, create, ban',
    ],
    [
      'a strange action',
      { action: { a: 1 } },
      '[users] Unknown action {"a":1}; pick one of them. Available: list, create, ban',
    ],
    [
      'a prototype name',
      { action: 'constructor' },
      '[users] Unknown action "constructor"; pick one of them. Available: list, create, ban',
    ],
  ])('the answer to %s lists the actions', async (_, args, want) => {
    const outcome = await users().execute(aCall('users'), args);
    expect(outcome).toMatchObject({ isError: true, structured: { failure_mode: 'validation' } });
    expect(textOf(outcome)).toBe(want);
  });

  test('unknown, missing and wrong arguments are refused with the name of tool and action', async () => {
    const outcome = await users().execute(aCall('users'), {
      action: 'create',
      tenant: 't',
      emial: 'a@b.test',
      role: 'king',
    });
    expect(outcome).toMatchObject({ isError: true, structured: { failure_mode: 'validation' } });
    const text = textOf(outcome);
    expect(text).toMatch(/^\[users\/create\] /);
    expect(text).toContain('emial');
    expect(text).toContain('did you mean `email`');
    expect(text).toContain('role');
  });

  test('fields of another action are unknown to this one', async () => {
    const outcome = await users().execute(aCall('users'), { action: 'list', tenant: 't', id: 7 });
    expect(outcome.isError).toBe(true);
    expect(textOf(outcome)).toContain('id');
  });

  test('refinements of both schemas are checked, and zod defaults and transforms reach the handler', async () => {
    const builder = new GroupedToolBuilder('t')
      .commonSchema(
        z.object({ from: z.number(), to: z.number() }).refine((r) => r.from <= r.to, 'from must not exceed to'),
      )
      .action({
        name: 'x',
        schema: z.object({ page: z.number().default(3), word: z.string().transform((w) => w.length) }),
        handler: (_call, args) => args,
      });
    const bad = await builder.execute(aCall('t'), { action: 'x', from: 2, to: 1, word: 'abc' });
    expect(textOf(bad)).toContain('from must not exceed to');
    const good = await builder.execute(aCall('t'), { action: 'x', from: 1, to: 2, word: 'abc' });
    expect(JSON.parse(textOf(good))).toEqual({ from: 1, to: 2, page: 3, word: 3 });
  });

  test('what a handler throws becomes a failed result with the prefix', async () => {
    const builder = new GroupedToolBuilder('t')
      .action({ name: 'plain', handler: () => Promise.reject(new Error('disk full')) })
      .action({
        name: 'typed',
        handler: () => Promise.reject(new GatewayError('RATE_LIMITED', 'slow down', { tool: 't' })),
      })
      .action({ name: 'odd', handler: () => Promise.reject('just text') })
      .action({ name: 'wire', handler: () => Promise.reject(new GatewayError('INVALID_PARAMS', 'bad state')) });
    const run = (action: string) => builder.execute(aCall('t'), { action });
    expect(await run('plain')).toMatchObject({
      isError: true,
      structured: { failure_mode: 'handler_failed' },
      content: [{ text: '[t/plain] disk full' }],
    });
    expect(await run('typed')).toMatchObject({
      isError: true,
      structured: { failure_mode: 'rate_limited' },
      content: [{ text: '[t/typed] slow down' }],
    });
    expect(await run('odd')).toMatchObject({ content: [{ text: '[t/odd] just text' }] });
    await expect(run('wire')).rejects.toMatchObject({ code: 'INVALID_PARAMS' });
  });

  test('handlers may return text, values, outcomes or MCP results', async () => {
    const image = { type: 'image', data: 'AA==', mimeType: 'image/png' } as const;
    const builder = new GroupedToolBuilder('t')
      .action({ name: 'text', handler: () => 'hello' })
      .action({ name: 'value', handler: () => ({ a: 1 }) })
      .action({ name: 'nothing', handler: () => undefined })
      .action({ name: 'outcome', handler: () => ({ content: [image], isError: false }) })
      .action({
        name: 'result',
        handler: () => ({ content: [{ type: 'text', text: 'no' }], isError: true, structuredContent: { x: 1 } }),
      });
    const run = (action: string) => builder.execute(aCall('t'), { action });
    expect(await run('text')).toEqual({ content: [{ type: 'text', text: 'hello' }], isError: false });
    expect(textOf(await run('value'))).toBe('{"a":1}');
    expect(textOf(await run('nothing'))).toBe('OK');
    expect(await run('outcome')).toEqual({ content: [image], isError: false });
    expect(await run('result')).toEqual({
      content: [{ type: 'text', text: '[t/result] no' }],
      isError: true,
      structured: { x: 1 },
    });
  });

  test('middleware runs after validation: global, then group, then action', async () => {
    const seen: string[] = [];
    const note =
      (name: string): Middleware =>
      (call, args, next) => {
        seen.push(`${name} ${call.label} ${JSON.stringify(args)}`);
        return next();
      };
    const builder = new GroupedToolBuilder('p').use(note('global')).group('g', (g) =>
      g
        .action({
          name: 'a',
          schema: z.object({ n: z.number() }),
          middleware: [note('action')],
          handler: () => 'done',
        })
        .use(note('group')),
    );
    await builder.execute(aCall('p'), { action: 'g.a', n: 'x' });
    expect(seen).toEqual([]);
    await builder.execute(aCall('p'), { action: 'g.a', n: 1 });
    expect(seen).toEqual(['global p/g.a {"n":1}', 'group p/g.a {"n":1}', 'action p/g.a {"n":1}']);
    expect(builder.getActionMetadata()[0]?.hasMiddleware).toBe(true);
  });
});

describe('GroupedToolBuilder: frozen', () => {
  test('a group builder works until the tool is built, and throws afterwards', async () => {
    const groups: GroupBuilder[] = [];
    const builder = new GroupedToolBuilder('platform').group('users', (group) => {
      groups.push(group.action({ name: 'list', handler: () => 'all' }));
    });
    const [users] = groups;
    users!.action({ name: 'get', handler: () => 'one' });
    expect(builder.getActionNames()).toEqual(['users.list', 'users.get']);
    builder.buildToolDefinition();
    const frozen = 'Builder "platform" is frozen after buildToolDefinition(). Cannot modify a built tool.';
    expect(() => users!.action({ name: 'ban', handler: () => 'gone' })).toThrow(frozen);
    expect(() => users!.use((_call, _args, next) => next())).toThrow(frozen);
    expect(builder.getActionNames()).toEqual(['users.list', 'users.get']);
  });

  test('a built tool cannot be changed through what it returned or was given', async () => {
    const action = { name: 'list', description: 'All of them', handler: () => 'all' };
    const builder = new GroupedToolBuilder('users').tags('a').action(action);
    const tags = builder.getTags();
    expect(() => (tags as string[]).push('b')).toThrow(TypeError);
    builder.tags('c');
    expect([tags, builder.getTags()]).toEqual([['a'], ['a', 'c']]);
    builder.getActionNames().push('x');
    action.description = 'changed';
    action.handler = () => 'changed';
    const definition = builder.buildToolDefinition();
    expect(definition.description).toContain('All of them');
    expect(() => Object.assign(definition.inputSchema, { x: 1 })).toThrow(TypeError);
    expect(() => Object.assign((definition.inputSchema as { properties: object }).properties, { x: 1 })).toThrow(
      TypeError,
    );
    const [metadata] = builder.getActionMetadata();
    expect(() => Object.assign(metadata!, { key: 'x' })).toThrow(TypeError);
    expect(() => (metadata!.fields as string[]).push('x')).toThrow(TypeError);
    expect(builder.getActionNames()).toEqual(['list']);
    expect(textOf(await builder.execute({}, { action: 'list' }))).toBe('all');
  });
});

describe('GroupedToolBuilder: strategies', () => {
  const strategies: Partial<Strategies> = {
    name: ({ name, group }) => (group === undefined ? name : `${group}/${name}`),
    description: ({ toolName, actions }) => ({ description: `${toolName} does ${actions.map(({ key }) => key)}` }),
    schema: (input) => ({ ...buildGroupedSchema(input), required: [] }),
    annotations: (actions, explicit) => aggregateAnnotations(actions, { ...explicit, openWorldHint: false }),
    toon: () => ({ description: 'a table' }),
    middleware: (actions, global) => compileChains(actions, [async () => textResult('intercepted'), ...global]),
  };
  const build = (some: Partial<Strategies>) =>
    new GroupedToolBuilder('users', { strategies: some }).group('a', (group) => {
      group.action({ name: 'list', handler: () => 'all' });
    });

  test('each strategy can be replaced alone', async () => {
    const { name, description, schema, annotations, toon, middleware } = strategies;
    expect(build({ name: name! }).getActionNames()).toEqual(['a/list']);
    expect(build({ description: description! }).buildToolDefinition().description).toBe('users does a.list');
    expect(build({ schema: schema! }).buildToolDefinition().inputSchema).toMatchObject({ required: [] });
    expect(build({ annotations: annotations! }).buildToolDefinition().annotations).toMatchObject({
      openWorldHint: false,
      destructiveHint: false,
    });
    expect(build({ toon: toon! }).toonDescription().buildToolDefinition().description).toBe('a table');
    const intercepted = await build({ middleware: middleware! }).execute({}, { action: 'a.list' });
    expect(textOf(intercepted)).toBe('intercepted');
    expect(build({}).buildToolDefinition().description).toBe('users\nModules: a (list)');
  });

  test('a gateway uses them for all its grouped tools', async () => {
    const domain = aDomain('shop', [anEndpoint('shop', 'list'), anEndpoint('shop', 'get')]);
    const gateway = createGateway({
      domains: [domain],
      exposure: 'grouped',
      strategies: { description: ({ actions }) => ({ description: `${actions.length} things` }) },
    });
    expect(gateway.registry.tools.get('shop_read')?.tool.description).toBe('2 things');
    await gateway.close();
  });
});

describe('GroupedToolBuilder: REST operations', () => {
  const get = anOperation(
    anEndpoint('pets', 'get_pet', {
      properties: { id: { type: 'integer' }, action: { type: 'string' } },
      required: ['id'],
    }),
  );
  const remove = anOperation(
    anEndpoint('pets', 'delete_pet', {
      effect: 'destructive',
      properties: { id: { type: 'integer' } },
      required: ['id'],
    }),
  );

  test("functions and operations share a tool; a field with the discriminator's name is renamed", async () => {
    const builder = new GroupedToolBuilder('pets')
      .action({ name: 'get', operation: get })
      .action({ name: 'delete', operation: remove })
      .action({ name: 'count', readOnly: true, handler: () => 3 });
    const { inputSchema, annotations } = builder.buildToolDefinition();
    expect(inputSchema).toMatchObject({
      properties: {
        action: { enum: ['get', 'delete', 'count'] },
        id: { type: 'integer', description: 'Required for: get, delete' },
        action_: { type: 'string', description: 'For: get' },
      },
      required: ['action'],
    });
    expect(annotations).toEqual({ readOnlyHint: false, destructiveHint: true, idempotentHint: false });
    expect(JSON.parse(textOf(await builder.execute(aCall('pets'), { action: 'get', id: 7, action_: 'x' })))).toEqual({
      endpoint: 'pets.get_pet',
      tool: 'pets/get',
      args: { id: 7, action: 'x' },
    });
    expect(textOf(await builder.execute(aCall('pets'), { action: 'count' }))).toBe('3');
    expect(builder.getActionMetadata().map(({ kind, destructive }) => [kind, destructive])).toEqual([
      ['rest', false],
      ['rest', true],
      ['native', false],
    ]);
  });

  test('the operation enforces its own schema, and its refusal has the prefix', async () => {
    const builder = new GroupedToolBuilder('pets').action({ name: 'get', operation: get });
    const outcome = await builder.execute(aCall('pets'), { action: 'get', di: 7 });
    expect(outcome).toMatchObject({ isError: true, structured: { failure_mode: 'validation' } });
    expect(textOf(outcome)).toMatch(/^\[pets\/get\] Invalid arguments; nothing was sent\./);
  });

  test('common fields are checked, and not passed to operations that do not declare them', async () => {
    const seen: unknown[] = [];
    const builder = new GroupedToolBuilder('pets')
      .commonSchema(z.object({ tenant: z.string() }))
      .use(async (_call, args, next) => {
        seen.push(args);
        return next();
      })
      .action({ name: 'get', operation: get });
    expect((await builder.execute(aCall('pets'), { action: 'get', id: 7 })).isError).toBe(true);
    expect((await builder.execute(aCall('pets'), { action: 'get', id: 'x', tenant: 't' })).isError).toBe(true);
    expect(seen).toEqual([]);
    const outcome = await builder.execute(aCall('pets'), { action: 'get', id: 7, tenant: 't', fields: 'id' });
    expect(JSON.parse(textOf(outcome)).args).toEqual({ id: 7 });
    expect(seen).toEqual([{ id: 7, tenant: 't', fields: 'id' }]);
  });

  test('in a tool of operations only, shared fields are listed once, and controls have no note', () => {
    const { inputSchema } = new GroupedToolBuilder('pets')
      .action({ name: 'get', operation: get })
      .action({ name: 'delete', operation: remove })
      .buildToolDefinition();
    expect(inputSchema).toMatchObject({
      properties: { id: { type: 'integer' }, action_: { description: 'For: get' } },
      required: ['action', 'id'],
    });
    const { properties } = inputSchema as { properties: Record<string, { description?: string }> };
    expect(properties.id?.description).toBe('(always required)');
    expect(properties.dry_run).toEqual({ type: 'boolean' });
  });
});
