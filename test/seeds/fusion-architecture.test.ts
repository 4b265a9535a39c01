// The promises of seeds/000 ("Architecture": Two-Layer Design … Duck-Typed Server Resolution), section by section.
//
// Decided otherwise, so without a test of the seed's own words:
// - `.strip()` of unknown fields: the later seed (001) says `.strict()`, and DESIGN.md takes it. Its file tests that.
// - "first-declaration-wins for field definitions": several declarations of one field are united (issue 9, decisions);
//   tested here as decided.
// - `Validation failed: path: message; …`: every problem is named, in did-you-mean words (issue 9, decisions).
// - an Internal-Action helper `SchemaUtils` is no public name; what it finds stands in `getActionMetadata()`.
// The guard of destructive native actions is tested with the guard.
import { Client as ClientV2, InMemoryTransport as InMemoryV2 } from '@modelcontextprotocol/client';
import { Client as ClientV1 } from '@modelcontextprotocol/sdk/client/index.js';
import { InMemoryTransport as InMemoryV1 } from '@modelcontextprotocol/sdk/inMemory.js';
import { Server as ServerV1 } from '@modelcontextprotocol/sdk/server/index.js';
import { McpServer as McpServerV1 } from '@modelcontextprotocol/sdk/server/mcp.js';
import { McpServer as McpServerV2, Server as ServerV2 } from '@modelcontextprotocol/server';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import {
  aggregateAnnotations,
  BaseModel,
  buildDescription,
  buildGroupedSchema,
  buildToonDescription,
  ConverterBase,
  compileChains,
  Group,
  GroupConverter,
  GroupConverterBase,
  GroupedToolBuilder,
  GroupItem,
  type Middleware,
  Prompt,
  PromptArgument,
  PromptConverter,
  PromptConverterBase,
  Resource,
  ResourceConverter,
  ResourceConverterBase,
  Tool,
  ToolAnnotations,
  ToolAnnotationsConverter,
  ToolAnnotationsConverterBase,
  ToolConverter,
  ToolConverterBase,
  ToolRegistry,
  textResult,
} from '../../src/index.ts';

const text = (content: string, isError = false) => ({ content: [{ type: 'text', text: content }], isError });
const schema = { type: 'object', properties: {} } as const;

describe('Layer 1: Domain Model', () => {
  test('BaseModel: name, title, description, meta, icons, FQN', () => {
    const common = {
      name: 'search',
      title: 'Search',
      description: 'Finds things.',
      meta: { owner: 'core' },
      icons: [{ src: 'https://icons.test/s.png' }],
    };
    const models = [
      new Group(common),
      new Tool({ ...common, inputSchema: schema }),
      new Prompt(common),
      new Resource({ ...common, uri: 'a://b' }),
      new PromptArgument(common),
    ];
    for (const model of models) {
      expect(model).toBeInstanceOf(BaseModel);
      const { name, title, description, meta, icons } = model;
      expect({ name, title, description, meta, icons }).toEqual(common);
      expect(model.getFullyQualifiedName()).toBe('search');
    }
  });

  test('Group: parent, childGroups[], childTools[], childPrompts[], childResources[]', () => {
    const [root, child] = [new Group({ name: 'root' }), new Group({ name: 'child' })];
    const tool = new Tool({ name: 't', inputSchema: schema });
    const prompt = new Prompt({ name: 'p' });
    const resource = new Resource({ name: 'r', uri: 'a://b' });
    root.addGroup(child).addTool(tool).addPrompt(prompt).addResource(resource);
    expect([child.parent, root.parent]).toEqual([root, undefined]);
    expect([root.childGroups, root.childTools, root.childPrompts, root.childResources]).toEqual([
      [child],
      [tool],
      [prompt],
      [resource],
    ]);
  });

  test('GroupItem: multi-parent, parentGroups[], root traversal', () => {
    const [platform, users, tools] = ['platform', 'users', 'tools'].map((name) => new Group({ name }));
    platform!.addGroup(users!);
    const item = new Prompt({ name: 'greet' });
    users!.addPrompt(item);
    tools!.addPrompt(item);
    expect(item).toBeInstanceOf(GroupItem);
    expect(item.parentGroups).toEqual([users, tools]);
    expect(item.roots).toEqual([platform, tools]);
  });

  test('Tool: inputSchema, outputSchema, ToolAnnotations', () => {
    const annotations = new ToolAnnotations({ readOnlyHint: true });
    const tool = new Tool({ name: 't', inputSchema: schema, outputSchema: { type: 'array' }, annotations });
    expect([tool.inputSchema, tool.outputSchema, tool.annotations]).toEqual([schema, { type: 'array' }, annotations]);
  });

  test('Prompt: PromptArgument[], and their required flag', () => {
    const list = [new PromptArgument({ name: 'who', required: true }), new PromptArgument({ name: 'how' })];
    expect(new Prompt({ name: 'p', arguments: list }).arguments.map(({ name, required }) => [name, required])).toEqual([
      ['who', true],
      ['how', false],
    ]);
  });

  test('Resource: uri, size, mimeType, Annotations (audience, priority, lastModified)', () => {
    const facts = {
      uri: 'file:///a',
      size: 12,
      mimeType: 'text/plain',
      annotations: { audience: ['user'], priority: 0.5, lastModified: '2026-01-01T00:00:00Z' },
    } as const;
    const { uri, size, mimeType, annotations } = new Resource({ name: 'a', ...facts });
    expect({ uri, size, mimeType, annotations }).toEqual(facts);
  });

  test('Multi-parent leaves: a `search` tool belongs to both the `user-facing` and the `admin` group', () => {
    const [facing, admin] = [new Group({ name: 'user-facing' }), new Group({ name: 'admin' })];
    const search = new Tool({ name: 'search', inputSchema: schema });
    facing.addTool(search);
    admin.addTool(search);
    expect([facing.childTools, admin.childTools]).toEqual([[search], [search]]);
    expect(search.getFullyQualifiedNames()).toEqual(['user-facing.search', 'admin.search']);
  });

  test('Recursive fully-qualified names with a configurable separator: platform.users.management', () => {
    const [platform, users, management] = ['platform', 'users', 'management'].map((name) => new Group({ name }));
    platform!.addGroup(users!.addGroup(management!));
    expect(management!.getFullyQualifiedName()).toBe('platform.users.management');
    expect(management!.getFullyQualifiedName('/')).toBe('platform/users/management');
  });

  test('a converter of one’s own may replace a typed conversion by its name', () => {
    class Loud extends ToolConverter {
      override convertFromTool(tool: Tool) {
        return { ...super.convertFromTool(tool)!, title: 'LOUD' };
      }
    }
    expect(new Loud().convertFromTool(new Tool({ name: 'ping', inputSchema: schema }))).toMatchObject({
      name: 'ping',
      title: 'LOUD',
    });
  });

  test('ConverterBase: batch conversion with null filtering in both directions', () => {
    class Evens extends ConverterBase<number, string> {
      convertFrom(value: number) {
        return value % 2 === 0 ? String(value) : null;
      }
      convertTo(value: string) {
        return value === '' ? null : Number(value);
      }
    }
    const evens = new Evens();
    expect(evens.convertFromBatch([1, 2, null, 3, 4, undefined])).toEqual(['2', '4']);
    expect(evens.convertToBatch(['2', '', null, '4'])).toEqual([2, 4]);
  });

  test('Each MCP primitive has a converter that extends its base', () => {
    const pairs = [
      [new ToolConverter(), ToolConverterBase],
      [new GroupConverter(), GroupConverterBase],
      [new PromptConverter(), PromptConverterBase],
      [new ResourceConverter(), ResourceConverterBase],
      [new ToolAnnotationsConverter(), ToolAnnotationsConverterBase],
    ] as const;
    for (const [converter, base] of pairs) {
      expect(converter).toBeInstanceOf(base);
      expect(converter).toBeInstanceOf(ConverterBase);
    }
  });

  test('Bidirectional: what goes to the wire and back is the same, typed method aliases included', () => {
    const icons = [{ src: 'https://icons.test/s.png' }];
    const base = { title: 'T', description: 'D', icons, _meta: { a: 1 } };
    const tool = { name: 't', ...base, inputSchema: schema, annotations: { readOnlyHint: true, returnDirect: true } };
    const prompt = { name: 'p', ...base, arguments: [{ name: 'who', required: true }] };
    const resource = { name: 'r', ...base, uri: 'a://b', mimeType: 'text/plain', size: 3 };
    const group = { name: 'g', ...base, tools: [tool], prompts: [prompt], resources: [resource] };
    const [tools, prompts, resources] = [new ToolConverter(), new PromptConverter(), new ResourceConverter()];
    const [groups, hints] = [new GroupConverter(), new ToolAnnotationsConverter()];
    expect(tools.convertFromTools(tools.convertToTools([tool]))).toEqual([tool]);
    expect(prompts.convertFromPrompts(prompts.convertToPrompts([prompt]))).toEqual([prompt]);
    expect(resources.convertFromResources(resources.convertToResources([resource]))).toEqual([resource]);
    expect(groups.convertFromGroups(groups.convertToGroups([group]))).toEqual([group]);
    expect(hints.convertFromToolAnnotations(hints.convertToToolAnnotations(tool.annotations)!)).toEqual(
      tool.annotations,
    );
  });

  test('ToolAnnotations holds readOnlyHint, destructiveHint, idempotentHint, openWorldHint, returnDirect and title', () => {
    const hints = {
      title: 'T',
      readOnlyHint: false,
      destructiveHint: true,
      idempotentHint: false,
      openWorldHint: true,
      returnDirect: true,
    };
    expect({ ...new ToolAnnotations(hints) }).toEqual(hints);
  });
});

/** The tool the seed calls: `platform`, with users and billing. */
function platform() {
  return new GroupedToolBuilder('platform')
    .group('users', (group) =>
      group
        .action({ name: 'list', readOnly: true, handler: () => [] })
        .action({
          name: 'create',
          schema: z.object({ email: z.email(), role: z.enum(['admin', 'reader']) }),
          handler: (context, args) => ({ label: context.label, args }),
        })
        .action({
          name: 'ban',
          destructive: true,
          schema: z.object({ id: z.string() }),
          handler: () => {
            throw new Error('no such user');
          },
        }),
    )
    .group('billing', (group) =>
      group.action({ name: 'invoices', handler: () => 'none' }).action({ name: 'refund', handler: () => 'paid' }),
    );
}

describe('Layer 2: Build-Time Strategy Engine', () => {
  test('GroupedToolBuilder consolidates multiple operations into a single MCP tool definition', () => {
    const { name, inputSchema } = platform().buildToolDefinition();
    expect([name, (inputSchema as { properties: { action: unknown } }).properties.action]).toEqual([
      'platform',
      { type: 'string', enum: ['users.list', 'users.create', 'users.ban', 'billing.invoices', 'billing.refund'] },
    ]);
  });

  test('all expensive computation happens once at build time', async () => {
    const computed: string[] = [];
    const counting =
      <Input extends unknown[], Output>(name: string, strategy: (...input: Input) => Output) =>
      (...input: Input) => {
        computed.push(name);
        return strategy(...input);
      };
    const builder = new GroupedToolBuilder('t', {
      strategies: {
        schema: counting('schema', buildGroupedSchema),
        description: counting('description', buildDescription),
        annotations: counting('annotations', aggregateAnnotations),
        middleware: counting('middleware', compileChains),
      },
    }).action({ name: 'a', handler: () => 'x' });
    for (let round = 0; round < 3; round++) {
      builder.buildToolDefinition();
      await builder.execute({}, { action: 'a' });
    }
    expect(computed.sort()).toEqual(['annotations', 'description', 'middleware', 'schema']);
  });

  test('provides an introspection API', () => {
    const builder = platform().tags('core');
    expect([builder.getName(), builder.getTags(), builder.getActionNames()]).toEqual([
      'platform',
      ['core'],
      ['users.list', 'users.create', 'users.ban', 'billing.invoices', 'billing.refund'],
    ]);
    expect(builder.getActionMetadata()[2]).toEqual({
      key: 'users.ban',
      actionName: 'ban',
      groupName: 'users',
      description: undefined,
      destructive: true,
      readOnly: false,
      idempotent: false,
      fields: ['id'],
      requiredFields: ['id'],
      hasMiddleware: false,
      kind: 'native',
    });
  });

  test('ToolRegistry registers multiple builders and routes calls to the correct one', async () => {
    const other = new GroupedToolBuilder('other').action({ name: 'go', handler: () => 'gone' });
    const registry = new ToolRegistry().registerAll(platform(), other);
    expect(registry.getNames()).toEqual(['platform', 'other']);
    expect(await registry.routeCall({}, 'other', { action: 'go' })).toEqual(text('gone'));
    expect(await registry.routeCall({}, 'platform', { action: 'billing.refund' })).toEqual(text('paid'));
  });

  test('ToolRegistry filters tools by tags (include/exclude)', () => {
    const make = (name: string, ...tags: string[]) =>
      new GroupedToolBuilder(name).tags(...tags).action({ name: 'a', handler: () => '' });
    const registry = new ToolRegistry().registerAll(make('a', 'public'), make('b', 'public', 'admin'), make('c'));
    const names = (filter: object) => registry.getTools(filter).map(({ name }) => name);
    expect([names({}), names({ include: ['public'] }), names({ exclude: ['admin'] })]).toEqual([
      ['a', 'b', 'c'],
      ['a', 'b'],
      ['a', 'c'],
    ]);
    expect(names({ include: ['public'], exclude: ['admin'] })).toEqual(['a']);
  });
});

describe('Strategy Pattern: Why Pure Functions', () => {
  const actions = [
    { key: 'list', name: 'list', required: [], destructive: false },
    { key: 'ban', name: 'ban', required: ['id'], destructive: true },
  ];

  test('Independent testability: each takes mock action arrays', () => {
    expect(buildDescription({ toolName: 't', actions }).description).toBe(
      "t\nActions: list, ban\nWorkflow:\n- 'ban': Requires: id ⚠️ DESTRUCTIVE",
    );
    expect(aggregateAnnotations([]).readOnlyHint).toBe(false);
  });

  test('Replaceability: you replace one function, the others stay', () => {
    const make = (strategies = {}) =>
      new GroupedToolBuilder('t', { strategies })
        .action({ name: 'ban', destructive: true, handler: () => '' })
        .buildToolDefinition();
    expect(make({ description: () => ({ description: 'mine' }) })).toEqual({ ...make(), description: 'mine' });
  });

  test('Predictable: the same frozen inputs always produce the same output', () => {
    const input = Object.freeze({
      toolName: 't',
      actions: Object.freeze(actions.map((action) => Object.freeze(action))),
    });
    const fields = Object.freeze({
      actions: [{ key: 'a', fields: { x: { type: 'string' } }, required: [] }],
      discriminator: 'action',
    });
    expect(buildDescription(input)).toEqual(buildDescription(input));
    expect(buildToonDescription(input)).toEqual(buildToonDescription(input));
    expect(buildGroupedSchema(fields)).toEqual(buildGroupedSchema(fields));
    expect(aggregateAnnotations(actions)).toEqual(aggregateAnnotations(actions));
  });
});

describe('SchemaGenerator', () => {
  const builder = () =>
    new GroupedToolBuilder('notes')
      .discriminator('op')
      .commonSchema(z.object({ tenant: z.string(), trace: z.string().optional() }))
      .action({ name: 'create', schema: z.object({ body: z.string(), name: z.string() }), handler: () => '' })
      .action({
        name: 'update',
        schema: z.object({ body: z.string(), name: z.string().optional() }),
        handler: () => '',
      })
      .action({ name: 'list', schema: z.object({ page: z.number().optional() }), handler: () => '' })
      .action({ name: 'search', schema: z.object({ page: z.number().optional() }), handler: () => '' });

  test.each([
    [
      'a discriminator enum field with all action keys',
      'op',
      { type: 'string', enum: ['create', 'update', 'list', 'search'] },
    ],
    [
      '`(always required)`: in commonSchema and required',
      'tenant',
      { type: 'string', description: '(always required)' },
    ],
    [
      'an optional commonSchema field is tracked with all action keys',
      'trace',
      { type: 'string', description: 'For: create, update, list, search' },
    ],
    [
      '`Required for: create, update`: required in every action that uses it',
      'body',
      { type: 'string', description: 'Required for: create, update' },
    ],
    [
      '`Required for: create. For: update`: required in some, optional in others',
      'name',
      { type: 'string', description: 'Required for: create. For: update' },
    ],
    [
      '`For: list, search`: optional in all actions that use it',
      'page',
      { type: 'number', description: 'For: list, search' },
    ],
  ])('%s', (_, field, want) => {
    const { inputSchema } = builder().buildToolDefinition();
    expect((inputSchema as { properties: Record<string, unknown> }).properties[field]).toEqual(want);
  });

  test('Annotations are appended to the field’s description string', () => {
    const { inputSchema } = new GroupedToolBuilder('t')
      .action({ name: 'a', schema: z.object({ x: z.string().describe('What it is.') }), handler: () => '' })
      .buildToolDefinition();
    expect((inputSchema as { properties: object }).properties).toMatchObject({
      x: { type: 'string', description: 'What it is. Required for: a' },
    });
  });

  test('(decided) several declarations of one field are united', () => {
    const { inputSchema } = new GroupedToolBuilder('t')
      .action({ name: 'a', schema: z.object({ id: z.string() }), handler: () => '' })
      .action({ name: 'b', schema: z.object({ id: z.number() }), handler: () => '' })
      .buildToolDefinition();
    expect((inputSchema as { properties: { id: unknown } }).properties.id).toEqual({
      anyOf: [{ type: 'string', description: 'string for a; number for b. Required for: a, b' }, { type: 'number' }],
    });
  });
});

describe('DescriptionGenerator', () => {
  test('Layer 1, grouped: "Modules: users (list,create,ban) | billing (invoices,refund)"', () => {
    expect(platform().description('Runs it').buildToolDefinition().description?.split('\n').slice(0, 2)).toEqual([
      'Runs it',
      'Modules: users (list,create,ban) | billing (invoices,refund)',
    ]);
  });

  test('Layer 1, flat: "Actions: list, create, delete"', () => {
    const flat = ['list', 'create', 'delete'].reduce(
      (builder, name) => builder.action({ name, handler: () => '' }),
      new GroupedToolBuilder('notes').description('Notes'),
    );
    expect(flat.buildToolDefinition().description).toBe('Notes\nActions: list, create, delete');
  });

  test('Layer 2: only actions with descriptions, required fields of their own, or destructive flags are included', () => {
    const { description } = new GroupedToolBuilder('notes')
      .commonSchema(z.object({ tenant: z.string() }))
      .action({ name: 'plain', handler: () => '' })
      .action({ name: 'told', description: 'Tells', handler: () => '' })
      .action({ name: 'needs', schema: z.object({ id: z.string(), tag: z.string().optional() }), handler: () => '' })
      .action({ name: 'wipe', destructive: true, handler: () => '' })
      .buildToolDefinition();
    expect(description).toBe(
      [
        'notes',
        'Actions: plain, told, needs, wipe',
        'Workflow:',
        "- 'told': Tells",
        "- 'needs': Requires: id",
        "- 'wipe': ⚠️ DESTRUCTIVE",
      ].join('\n'),
    );
  });
});

describe('ToonDescriptionGenerator', () => {
  const create = { name: 'create', description: 'Adds', schema: z.object({ id: z.string() }), handler: () => '' };
  const wipe = { name: 'wipe', destructive: true, handler: () => '' };

  test('flat tools: a summary line and ActionRow objects (action, desc, required, destructive)', () => {
    const { description } = new GroupedToolBuilder('notes')
      .description('Notes')
      .toonDescription()
      .action(create)
      .action(wipe)
      .buildToolDefinition();
    expect(description).toBe(
      'Notes\n[2|]{action|desc|required|destructive}:\n  create|Adds|id|false\n  wipe|""|""|true',
    );
  });

  test('grouped tools: a Record<string, ActionRow[]> by namespace', () => {
    const { description } = new GroupedToolBuilder('notes')
      .toonDescription()
      .group('a', (group) => group.action(create))
      .group('b', (group) => group.action(wipe))
      .buildToolDefinition();
    expect(description).toBe(
      [
        'notes',
        'a[1|]{action|desc|required|destructive}:',
        '  create|Adds|id|false',
        'b[1|]{action|desc|required|destructive}:',
        '  wipe|""|""|true',
      ].join('\n'),
    );
  });
});

describe('AnnotationAggregator', () => {
  const all = { readOnly: true, destructive: false, idempotent: true };
  test.each([
    [
      'destructiveHint: true if ANY action is destructive',
      [all, { destructive: true }],
      { readOnlyHint: false, destructiveHint: true, idempotentHint: false },
    ],
    [
      'readOnlyHint: true only if ALL actions are read-only',
      [all, { ...all, readOnly: false }],
      { readOnlyHint: false, destructiveHint: false, idempotentHint: true },
    ],
    [
      'idempotentHint: true only if ALL actions are idempotent',
      [all, { ...all, idempotent: false }],
      { readOnlyHint: true, destructiveHint: false, idempotentHint: false },
    ],
    ['all of them', [all, all], { readOnlyHint: true, destructiveHint: false, idempotentHint: true }],
  ])('%s', (_, actions, want) => {
    expect(aggregateAnnotations(actions)).toEqual(new ToolAnnotations(want));
  });

  test('Explicit annotations first; aggregation only fills in what was not set', () => {
    expect(aggregateAnnotations([{ destructive: true }], { destructiveHint: false, title: 'T' })).toEqual(
      new ToolAnnotations({ title: 'T', readOnlyHint: false, destructiveHint: false, idempotentHint: false }),
    );
  });
});

describe('MiddlewareCompiler', () => {
  test('Global MW 1 → Global MW 2 → Group MW → (action MW) → handler', async () => {
    const trail: string[] = [];
    const mark =
      (name: string): Middleware =>
      async (_context, _args, next) => {
        trail.push(`${name} in`);
        const outcome = await next();
        trail.push(`${name} out`);
        return outcome;
      };
    const builder = new GroupedToolBuilder('t').use(mark('global 1'), mark('global 2')).group('g', (group) =>
      group.use(mark('group')).action({
        name: 'a',
        middleware: [mark('action')],
        handler: () => {
          trail.push('handler');
          return 'done';
        },
      }),
    );
    expect(await builder.execute({}, { action: 'g.a' })).toEqual(text('done'));
    const order = ['global 1', 'global 2', 'group', 'action'];
    expect(trail).toEqual([
      ...order.map((name) => `${name} in`),
      'handler',
      ...order.toReversed().map((name) => `${name} out`),
    ]);
  });

  test('a Map from action keys to pre-compiled chains, the same function at every call', async () => {
    const chains = compileChains(
      ['a', 'b'].map((key) => ({
        key,
        middleware: [],
        handler: async () => textResult(key),
        recheck: (_context, args) => args,
      })),
      [],
    );
    expect([...chains.keys()]).toEqual(['a', 'b']);
    expect(await chains.get('b')!({} as never, {})).toEqual(text('b'));
  });
});

describe('SchemaUtils', () => {
  test('required field names by optionality: in workflow lines, the TOON column and getActionMetadata()', () => {
    const fields = z.object({ a: z.string(), b: z.string().optional(), c: z.string().default('x'), d: z.number() });
    const make = () => new GroupedToolBuilder('t').action({ name: 'go', schema: fields, handler: () => '' });
    expect(make().getActionMetadata()[0]?.requiredFields).toEqual(['a', 'd']);
    expect(make().buildToolDefinition().description).toBe("t\nActions: go\nWorkflow:\n- 'go': Requires: a, d");
    expect(make().toonDescription().buildToolDefinition().description).toContain('go|""|a,d|false');
  });
});

describe('Execution Flow', () => {
  test('ToolRegistry.routeCall() looks up the builder; the handler gets the arguments without the discriminator', async () => {
    const registry = new ToolRegistry().register(platform());
    const args = { action: 'users.create', email: 'a@b.com', role: 'admin' };
    const { content } = await registry.routeCall({}, 'platform', args);
    expect(JSON.parse((content[0] as { text: string }).text)).toEqual({
      label: 'platform/users.create',
      args: { email: 'a@b.com', role: 'admin' },
    });
  });

  test('Auto-build: the first execute() triggers it', async () => {
    const builder = platform();
    expect(builder.frozen).toBe(false);
    await builder.execute({}, { action: 'users.list' });
    expect(builder.frozen).toBe(true);
  });

  const available = 'Available: users.list, users.create, users.ban, billing.invoices, billing.refund';
  test.each([
    ['Missing discriminator → "action is required. Available: …"', {}, `[platform] action is required. ${available}`],
    [
      'Unknown action → "Unknown action … Available: …"',
      { action: 'zzz' },
      `[platform] Unknown action "zzz"; pick one of them. ${available}`,
    ],
    [
      'Validation failed → every path with its message',
      { action: 'users.create', role: 'boss' },
      [
        '[platform/users.create] Invalid arguments; nothing was sent. Fix and call again:',
        '1. missing `email` (string (email))',
        '2. `role` must be one of "admin", "reader"; got string "boss"',
        'Required: {email: string (email), role: one of "admin", "reader"}',
      ].join('\n'),
    ],
    [
      'Error in the chain → error("[platform/users.ban] message")',
      { action: 'users.ban', id: '7' },
      '[platform/users.ban] no such user',
    ],
  ])('%s', async (_, args, message) => {
    const { content, isError } = await platform().execute({}, args);
    expect({ content, isError }).toEqual(text(message, true));
  });
});

describe('Immutability Model', () => {
  const FROZEN = 'Builder "platform" is frozen after buildToolDefinition(). Cannot modify a built tool.';
  const builder = platform();
  const definition = builder.buildToolDefinition();

  test.each<[string, () => unknown]>([
    ['.action()', () => builder.action({ name: 'x', handler: () => '' })],
    ['.group()', () => builder.group('x', () => {})],
    ['.use()', () => builder.use(async (_context, _args, next) => next())],
    ['.description()', () => builder.description('x')],
    ['.commonSchema()', () => builder.commonSchema(z.object({}))],
    ['.tags()', () => builder.tags('x')],
    ['.annotations()', () => builder.annotations({})],
    ['.discriminator()', () => builder.discriminator('x')],
    ['.toonDescription()', () => builder.toonDescription()],
  ])('%s throws after buildToolDefinition()', (_, mutate) => {
    expect(mutate).toThrow(FROZEN);
  });

  test('a group builder kept from before the build throws too', () => {
    let kept: { use: (...middleware: Middleware[]) => unknown; action: (action: never) => unknown } | undefined;
    const other = new GroupedToolBuilder('platform').group('g', (group) => {
      kept = group.action({ name: 'a', handler: () => '' }) as never;
    });
    other.buildToolDefinition();
    expect(() => kept?.use(async (_context, _args, next) => next())).toThrow(FROZEN);
    expect(() => kept?.action({ name: 'b', handler: () => '' } as never)).toThrow(FROZEN);
  });

  test('The built tool definition is cached, and frozen through and through', () => {
    expect(builder.buildToolDefinition()).toBe(definition);
    const { properties } = definition.inputSchema as { properties: Record<string, unknown> };
    expect([definition, definition.inputSchema, properties, properties.action].map(Object.isFrozen)).toEqual(
      Array(4).fill(true),
    );
  });

  test('not even direct array manipulation bypasses the guard', () => {
    expect(() => (builder.getTags() as string[]).push('x')).toThrow(TypeError);
    builder.getActionNames().push('x');
    expect(() => ((builder.getActionMetadata()[0] as { key: string }).key = 'x')).toThrow(TypeError);
    expect(builder.getActionNames()).toHaveLength(5);
  });
});

describe('Flat vs Hierarchical: Mutual Exclusion', () => {
  const action = { name: 'list', handler: () => 'listed' };

  test('Flat mode: action keys are simple strings; hierarchical: compound', () => {
    expect(new GroupedToolBuilder('t').action(action).getActionNames()).toEqual(['list']);
    expect(new GroupedToolBuilder('t').group('users', (group) => group.action(action)).getActionNames()).toEqual([
      'users.list',
    ]);
  });

  test('Mixing the two throws immediately, either way round', () => {
    const message =
      'Cannot use .action() and .group() on the same builder "platform".\nUse .action() for flat tools OR .group() for hierarchical tools.';
    const make = () => new GroupedToolBuilder('platform');
    expect(() =>
      make()
        .action(action)
        .group('g', () => {}),
    ).toThrow(message);
    expect(() =>
      make()
        .group('g', () => {})
        .action(action),
    ).toThrow(message);
  });

  test('Dot validation: action names and group names cannot contain dots', () => {
    expect(() => new GroupedToolBuilder('t').action({ ...action, name: 'a.b' })).toThrow(
      'Action name "a.b" must not contain dots: they join group and action.',
    );
    expect(() => new GroupedToolBuilder('t').group('a.b', () => {})).toThrow(
      'Group name "a.b" must not contain dots: they join group and action.',
    );
  });
});

describe('Duck-Typed Server Resolution', () => {
  const info = { name: 'test', version: '1.0.0' };
  const registry = () =>
    new ToolRegistry().register(
      new GroupedToolBuilder('notes').action({
        name: 'count',
        schema: z.object({ by: z.number() }),
        handler: (_, { by }) => ({ by }),
      }),
    );

  test.each([
    ['Server (low-level), SDK v1', () => new ServerV1(info), 1],
    ['McpServer (high-level) → unwrap .server, SDK v1', () => new McpServerV1(info), 1],
    ['Server (low-level), SDK v2', () => new ServerV2(info), 2],
    ['McpServer (high-level) → unwrap .server, SDK v2', () => new McpServerV2(info), 2],
  ])('%s: the official client lists and calls; DetachFn ends it', async (_, create, version) => {
    const server = create() as { connect(transport: unknown): Promise<void> };
    const detach = registry().attachToServer(server);
    const [near, far] = version === 1 ? InMemoryV1.createLinkedPair() : InMemoryV2.createLinkedPair();
    const client = (version === 1 ? new ClientV1(info) : new ClientV2(info)) as ClientV1;
    await Promise.all([server.connect(far), client.connect(near as never)]);
    expect((await client.listTools()).tools.map(({ name }) => name)).toEqual(['notes']);
    expect(await client.callTool({ name: 'notes', arguments: { action: 'count', by: 2 } })).toMatchObject({
      content: [{ type: 'text', text: '{"by":2}' }],
    });
    detach();
    await expect(client.listTools()).rejects.toMatchObject({ code: -32601 });
    await client.close();
  });

  test('McpServerLike only requires setRequestHandler(); DetachFn resets both handlers', async () => {
    const handlers = new Map<unknown, (request: unknown, extra?: unknown) => Promise<unknown>>();
    const bare = { setRequestHandler: (method: unknown, handler: never) => void handlers.set(method, handler) };
    const detach = registry().attachToServer(bare);
    const call = () =>
      handlers.get('tools/call')!({ params: { name: 'notes', arguments: { action: 'count', by: 1 } } });
    expect(await call()).toMatchObject({ content: [{ type: 'text', text: '{"by":1}' }] });
    detach();
    expect(await handlers.get('tools/list')!({ params: {} })).toEqual({ tools: [] });
    await expect(call()).rejects.toMatchObject({ code: -32602, message: 'Unknown tool: notes.' });
  });

  test('Neither → throw clear error', () => {
    expect(() => registry().attachToServer({})).toThrow(
      'attachToServer() needs an MCP Server or McpServer: an object with setRequestHandler(), or one that holds it in .server.',
    );
  });
});
