// The promises of seeds/001 ("Architecture" of MCP Fusion, the later text: Two-Layer Design … Server Resolution).
//
// Decided otherwise: a failed validation is told in did-you-mean words (issue 9, decisions), with the field names the
// seed asks for. `ToolDefinitionCompiler`, `ServerResolver.ts` and `parseDiscriminator()` are the seed's file and function
// names, not ours; what they do is tested. `_frozen`, `_actions` and `_cachedTool` are private here as well.
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import {
  aggregateAnnotations,
  buildDescription,
  buildGroupedSchema,
  buildToonDescription,
  compileChains,
  Group,
  GroupedToolBuilder,
  type Handler,
  type Middleware,
  Prompt,
  Resource,
  type Strategies,
  Tool,
  ToolAnnotations,
  ToolConverter,
  ToolRegistry,
  textResult,
} from '../../src/index.ts';

const schema = { type: 'object', properties: {} } as const;
const platform = () =>
  new GroupedToolBuilder('platform').commonSchema(z.object({ tenant: z.string() })).group('users', (group) =>
    group.action({
      name: 'create',
      schema: z.object({ email: z.string() }),
      handler: (_context, args) => args,
    }),
  );

describe('Two-Layer Design: Domain Model', () => {
  test('Multi-parent leaves: many-to-many, not a tree, for tools, prompts and resources', () => {
    const groups = ['a', 'b'].map((name) => new Group({ name }));
    const tools = ['x', 'y'].map((name) => new Tool({ name, inputSchema: schema }));
    const prompt = new Prompt({ name: 'p' });
    const resource = new Resource({ name: 'r', uri: 'a://b' });
    for (const group of groups) {
      for (const tool of tools) group.addTool(tool);
      group.addPrompt(prompt).addResource(resource);
    }
    expect(groups.map(({ childTools }) => childTools)).toEqual([tools, tools]);
    expect([...tools, prompt, resource].map(({ parentGroups }) => parentGroups)).toEqual(Array(4).fill(groups));
  });

  test('convertFrom/To (single) and convertFromBatch/ToBatch (array with null filtering)', () => {
    const converter = new ToolConverter('2025-03-26');
    const wire = { name: 't', description: 'D', inputSchema: schema };
    const tool = converter.convertTo(wire);
    expect(converter.convertFrom(tool)).toEqual(wire);
    expect(converter.convertFromBatch([null, tool, undefined])).toEqual([wire]);
    expect(converter.convertToBatch([wire, null]).map(({ name }) => name)).toEqual(['t']);
  });
});

describe('Two-Layer Design: Build-Time Strategy Engine', () => {
  const actions = [{ key: 'a', name: 'a', required: ['x'], destructive: false }];
  const fields = [{ key: 'a', fields: { x: { type: 'string' } }, required: ['x'] }];
  const run: Handler = async () => textResult('ran');

  test.each<[string, () => unknown, unknown]>([
    [
      'SchemaGenerator: JSON Schema inputSchema with discriminator',
      () => buildGroupedSchema({ actions: fields, discriminator: 'action' }),
      {
        type: 'object',
        properties: { action: { type: 'string', enum: ['a'] }, x: { type: 'string', description: 'Required for: a' } },
        required: ['action'],
        additionalProperties: false,
      },
    ],
    [
      'DescriptionGenerator: structured description',
      () => buildDescription({ toolName: 't', actions }),
      { description: "t\nActions: a\nWorkflow:\n- 'a': Requires: x" },
    ],
    [
      'ToonDescriptionGenerator: TOON pipe-delimited description',
      () => buildToonDescription({ toolName: 't', actions }),
      { description: 't\n[1|]{action|desc|required|destructive}:\n  a|""|x|false' },
    ],
    [
      'AnnotationAggregator: merged MCP ToolAnnotations',
      () => aggregateAnnotations([{ readOnly: true }], { openWorldHint: true }),
      new ToolAnnotations({ readOnlyHint: true, destructiveHint: false, idempotentHint: false, openWorldHint: true }),
    ],
    [
      'MiddlewareCompiler: Map<string, ChainFn>',
      () => [
        ...compileChains([{ key: 'a', middleware: [], handler: run, recheck: (_context, args) => args }], []).keys(),
      ],
      ['a'],
    ],
  ])('%s', (_, compute, want) => {
    expect(compute()).toEqual(want);
  });

  test.each<[keyof Strategies, Partial<Strategies>, (tool: GroupedToolBuilder) => unknown, unknown]>([
    ['name', { name: ({ name }) => name.toUpperCase() }, (tool) => tool.getActionNames(), ['A']],
    [
      'schema',
      { schema: () => ({ type: 'object', properties: {}, required: [], additionalProperties: false }) },
      (tool) => (tool.buildToolDefinition().inputSchema as { properties: object }).properties,
      {},
    ],
    [
      'description',
      { description: () => ({ description: 'D' }) },
      (tool) => tool.buildToolDefinition().description,
      'D',
    ],
    [
      'toon',
      { toon: () => ({ description: 'T' }) },
      (tool) => tool.toonDescription().buildToolDefinition().description,
      'T',
    ],
    [
      'annotations',
      { annotations: () => new ToolAnnotations({ title: 'A' }) },
      (tool) => tool.buildToolDefinition().annotations,
      { title: 'A' },
    ],
    [
      'middleware',
      { middleware: (list) => new Map(list.map(({ key }) => [key, run])) },
      (tool) => tool.execute({}, { action: 'a' }),
      textResult('ran'),
    ],
  ])('each module is replaceable independently: %s', async (_, strategies, look, want) => {
    const tool = new GroupedToolBuilder('t', { strategies }).action({ name: 'a', handler: () => 'original' });
    expect(await look(tool)).toEqual(want);
  });
});

describe('Schema Generation', () => {
  test('a single JSON Schema from all registered actions, with the four tiers inline', () => {
    const { inputSchema } = new GroupedToolBuilder('notes')
      .commonSchema(z.object({ tenant: z.string() }))
      .action({ name: 'create', schema: z.object({ body: z.string(), tag: z.string() }), handler: () => '' })
      .action({ name: 'update', schema: z.object({ body: z.string(), tag: z.string().optional() }), handler: () => '' })
      .action({ name: 'list', schema: z.object({ page: z.number().optional() }), handler: () => '' })
      .buildToolDefinition();
    expect(inputSchema).toEqual({
      type: 'object',
      properties: {
        action: { type: 'string', enum: ['create', 'update', 'list'] },
        tenant: { type: 'string', description: '(always required)' },
        body: { type: 'string', description: 'Required for: create, update' },
        tag: { type: 'string', description: 'Required for: create. For: update' },
        page: { type: 'number', description: 'For: list' },
      },
      required: ['action', 'tenant'],
      additionalProperties: false,
    });
  });
});

describe('Middleware Compilation', () => {
  test('wraps right-to-left at build time: with 10 stacked layers still one function, zero assembly per request', async () => {
    const order: number[] = [];
    const layers = Array.from(
      { length: 10 },
      (_, index): Middleware =>
        async (_context, _args, next) => {
          order.push(index);
          return next();
        },
    );
    let compiled = 0;
    const tool = new GroupedToolBuilder('t', {
      strategies: {
        middleware: (...input) => {
          compiled++;
          return compileChains(...input);
        },
      },
    })
      .use(...layers)
      .action({ name: 'a', handler: () => 'done' });
    expect(await tool.execute({}, { action: 'a' })).toEqual(textResult('done'));
    expect(await tool.execute({}, { action: 'a' })).toEqual(textResult('done'));
    expect([compiled, order]).toEqual([1, [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9]]);
  });
});

describe('Execution Pipeline', () => {
  const args = { action: 'users.create', tenant: 'acme', email: 'a@b.com' };

  test('routeCall → execute (lazy init) → parse → resolve → validate → run chain', async () => {
    const builder = platform();
    const registry = new ToolRegistry().register(builder);
    expect(builder.frozen).toBe(false);
    expect(await registry.routeCall({}, 'platform', args)).toEqual(textResult('{"tenant":"acme","email":"a@b.com"}'));
    expect(builder.frozen).toBe(true);
  });

  test('validates commonSchema merged with action.schema: a structured error with field names', async () => {
    const { structured, isError } = await platform().execute({}, { action: 'users.create' });
    expect([isError, structured]).toMatchObject([
      true,
      {
        tool: 'platform/users.create',
        failure_mode: 'validation',
        errors: [
          { path: 'tenant', message: 'missing `tenant` (string)' },
          { path: 'email', message: 'missing `email` (string)' },
        ],
      },
    ]);
  });

  test('.strict() rejects unknown fields with actionable messages', async () => {
    const { structured, isError } = await platform().execute({}, { ...args, zzz: 1 });
    const expected = '`tenant`, `email`';
    expect([isError, (structured as { errors: unknown }).errors]).toEqual([
      true,
      [{ path: 'zzz', problem: 'unknown', message: `unknown \`zzz\`; known: ${expected}`, expected }],
    ]);
    const typo = await platform().execute({}, { action: 'users.create', tenant: 'acme', emial: 'a@b.com' });
    expect((typo.content[0] as { text: string }).text.split('\n')).toEqual([
      '[platform/users.create] Invalid arguments; nothing was sent. Fix and call again:',
      '1. unknown `emial` — did you mean `email`?',
      'Required: {tenant: string, email: string}',
    ]);
  });
});

describe('Immutability', () => {
  test('the LLM always sees definitions that match runtime behavior', async () => {
    const builder = platform();
    const before = structuredClone(builder.buildToolDefinition());
    const mutations = [
      () => builder.use(async () => textResult('hijacked')),
      () => builder.group('more', (group) => group.action({ name: 'x', handler: () => '' })),
    ];
    for (const mutate of mutations) expect(mutate).toThrow('is frozen after buildToolDefinition()');
    expect(builder.buildToolDefinition()).toEqual(before);
    expect(await builder.execute({}, { action: 'users.create', tenant: 'a', email: 'b' })).toEqual(
      textResult('{"tenant":"a","email":"b"}'),
    );
  });
});

describe('Server Resolution', () => {
  const server = () => {
    const methods: unknown[] = [];
    return { methods, setRequestHandler: (method: unknown) => void methods.push(method) };
  };

  test('High-level McpServer → unwrap .server; low-level Server → use directly; neither → throw', () => {
    const registry = new ToolRegistry().register(platform());
    const [high, low] = [{ server: server(), setRequestHandler: undefined }, server()];
    registry.attachToServer(high);
    registry.attachToServer(low);
    expect([high.server.methods, low.methods]).toEqual(Array(2).fill(['tools/list', 'tools/call']));
    for (const neither of [undefined, 7, {}, { server: {} }]) {
      expect(() => registry.attachToServer(neither)).toThrow('attachToServer() needs an MCP Server or McpServer');
    }
  });
});
