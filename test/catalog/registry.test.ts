import { describe, expect, test } from 'vitest';
import { GroupedToolBuilder } from '../../src/catalog/grouped/grouped-tool-builder.ts';
import { buildRegistry, type RegistryInput } from '../../src/catalog/registry.ts';
import { listCost } from '../../src/catalog/tokens.ts';
import { toDefinition } from '../../src/catalog/tool-entry.ts';
import type { Domain, Endpoint } from '../../src/endpoint/model.ts';
import type { Operation } from '../../src/orchestration/operation.ts';
import { aCall, aDomain, anEndpoint, anOperation, textOf } from './support.ts';

function registry(domains: readonly Domain[], more: Partial<RegistryInput> = {}) {
  const operations: Operation[] = domains.flatMap(({ endpoints }) =>
    endpoints.map((endpoint) => anOperation(endpoint)),
  );
  return buildRegistry({
    domains,
    operations,
    exposure: 'auto',
    tokenBudget: 10_000,
    ...more,
  });
}

const id = { properties: { id: { type: 'integer' } }, required: ['id'] } as const;
const pets = aDomain('pets', [
  anEndpoint('pets', 'list_pets', { tags: ['pet'], properties: { limit: { type: 'integer' } } }),
  anEndpoint('pets', 'get_pet', { tags: ['pet', 'vet'], ...id }),
  anEndpoint('pets', 'delete_pet', { tags: ['pet'], effect: 'destructive', ...id }),
]);

const numbered = (domain: string, count: number, more: Parameters<typeof anEndpoint>[2] = {}): Endpoint[] =>
  Array.from({ length: count }, (_, i) =>
    anEndpoint(domain, `${domain}_operation_${i}`, { summary: `Operation number ${i} of ${domain}.`, ...more }),
  );

const names = (built: ReturnType<typeof registry>) => [...built.tools.keys()];

describe('buildRegistry()', () => {
  test('makes one tool per operation, with controls, hints and a model', () => {
    const built = registry([pets], { exposure: 'tools' });
    expect(names(built)).toEqual(['list_pets', 'get_pet', 'delete_pet']);
    expect(built.definitionsFor('2026-07-28')[2]).toEqual({
      name: 'delete_pet',
      description: 'delete pet.',
      inputSchema: {
        type: 'object',
        properties: {
          id: { type: 'integer' },
          fields: { type: 'string', description: 'Keep only: id,a.b' },
          dry_run: { type: 'boolean' },
          confirmation_token: { type: 'string', description: expect.any(String) },
        },
        required: ['id'],
        additionalProperties: false,
      },
      annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: true, openWorldHint: true },
    });
    const [, get] = built.operations;
    expect(get?.qualifiedNames).toEqual(['pets.pet.get_pet', 'pets.vet.get_pet']);
    // What is known before the tree is built is what the tree says.
    for (const { tool, qualifiedNames } of built.operations)
      expect(tool.getFullyQualifiedNames()).toEqual(qualifiedNames);
  });

  test('a call is one look-up and one function', async () => {
    const entry = registry([pets], { exposure: 'tools' }).tools.get('get_pet')!;
    expect(JSON.parse(textOf(await entry.run(aCall('get_pet'), { id: 7 })))).toEqual({
      endpoint: 'pets.get_pet',
      tool: 'get_pet',
      args: { id: 7 },
    });
    expect(entry.domain).toBe('pets');
    expect(entry.operations.map(({ endpoint }) => endpoint.id)).toEqual(['pets.get_pet']);
  });

  test('is frozen', () => {
    const built = registry([pets], { exposure: 'tools' });
    const entry = built.tools.get('get_pet')!;
    const attempts: (() => unknown)[] = [
      () => Object.assign(built, { exposure: 'search' }),
      () => (built.tools as Map<string, unknown>).set('x', entry),
      () => (built.tools as Map<string, unknown>).delete('get_pet'),
      () => (built.modes as Map<string, unknown>).set('pets', 'search'),
      () => Object.assign(entry.tool, { name: 'x' }),
      () => Object.assign((entry.tool.inputSchema as { properties: object }).properties, { x: {} }),
      () => (built.operations as unknown[]).push({}),
      () => Object.assign(built.operations[0]!, { name: 'x' }),
      () => (built.operations[0]!.tool.parentGroups as unknown[]).push({}),
      () => (built.definitionsFor('2026-07-28') as unknown[]).push({}),
    ];
    for (const attempt of attempts) expect(attempt).toThrow(TypeError);
  });

  test('names of two domains that clash get the domain as a prefix', () => {
    const shop = aDomain('shop', [anEndpoint('shop', 'list_pets')]);
    expect(names(registry([pets, shop], { exposure: 'tools' }))).toEqual([
      'pets_list_pets',
      'get_pet',
      'delete_pet',
      'shop_list_pets',
    ]);
  });

  test('native tools come first and keep their names; two with the same name are an error', () => {
    const native = [new GroupedToolBuilder('get_pet').action({ name: 'x', handler: () => 'x' }).toEntry()];
    expect(names(registry([pets], { exposure: 'tools', native }))).toEqual([
      'get_pet',
      'list_pets',
      'pets_get_pet',
      'delete_pet',
    ]);
    expect(() => registry([pets], { exposure: 'tools', native: [...native, ...native] })).toThrow(
      'Two tools are called "get_pet"',
    );
  });

  test('endpoints that are only resources are not tools', () => {
    const docs = aDomain('docs', [
      anEndpoint('docs', 'read', { expose: 'resource' }),
      anEndpoint('docs', 'find', { expose: 'both' }),
    ]);
    expect(names(registry([docs]))).toEqual(['find']);
  });

  test('writes the list for each MCP revision', () => {
    const built = registry([pets], { exposure: 'tools' });
    expect(built.definitionsFor('2024-11-05')[0]).not.toHaveProperty('annotations');
    expect(built.definitionsFor('2025-03-26')[0]).toHaveProperty('annotations');
    expect(built.definitionsFor('2026-07-28')).toEqual([...built.tools.values()].map(({ tool }) => toDefinition(tool)));
  });

  test('the schema of an answer is advertised only on request, and has no constraint that a good answer could fail', () => {
    const outputSchema = {
      type: 'object',
      properties: { id: { type: 'integer', description: 'Its id' }, kind: { type: 'string', enum: ['a'] } },
      required: ['id'],
      additionalProperties: false,
    } as const;
    const silent = anEndpoint('o', 'silent', { outputSchema });
    const spoken = anEndpoint('o', 'spoken', { outputSchema, response: { ...silent.response, structured: true } });
    const built = registry([aDomain('o', [silent, spoken])]);
    expect(built.tools.get('silent')?.tool.outputSchema).toBeUndefined();
    expect(built.tools.get('spoken')?.tool.outputSchema).toEqual({
      type: 'object',
      properties: { id: { description: 'Its id' }, kind: {} },
    });
  });

  test('the instructions explain what no tool repeats, within the limit of Claude Code', () => {
    const { instructions } = registry([pets], { exposure: 'tools' });
    for (const word of ['fields', 'dry_run', 'confirmation_token', 'pets: The pets API.'])
      expect(instructions).toContain(word);
    expect(instructions).not.toContain('search_operations');
    const crowd = Array.from({ length: 300 }, (_, i) =>
      aDomain(`domain_${i}`, numbered(`domain_${i}`, 1), { description: 'x'.repeat(300) }),
    );
    const long = registry(crowd, { exposure: 'search' }).instructions;
    expect(long.length).toBeLessThanOrEqual(2_048);
    expect(long).toContain('search_operations');
  });
});

describe('exposure', () => {
  test('auto makes one tool per operation if they are few and fit the budget', () => {
    expect(registry([aDomain('a', numbered('a', 40))])).toMatchObject({ exposure: 'tools' });
    expect(registry([aDomain('a', numbered('a', 41))]).exposure).not.toBe('tools');
    expect(registry([aDomain('a', numbered('a', 30))], { tokenBudget: 500 }).exposure).toBe('search');
  });

  test('auto groups operations that are too many for single tools', () => {
    const built = registry([aDomain('a', numbered('a', 60, { tags: ['t'] }))]);
    expect(built.exposure).toBe('grouped');
    // Five of twelve actions each, and describe_operation.
    expect(built.tools.size).toBe(6);
    expect(listCost([...built.tools.values()].map(({ tool }) => tool))).toBeLessThanOrEqual(10_000);
  });

  test('auto groups operations that fit the budget, also if one has many fields', () => {
    const wide = {
      properties: Object.fromEntries(Array.from({ length: 40 }, (_, i) => [`field_${i}`, { type: 'string' }])),
    };
    expect(registry([aDomain('a', [...numbered('a', 41), anEndpoint('a', 'wide', wide)])]).exposure).toBe('grouped');
    expect(registry([aDomain('a', [...numbered('a', 41)])], { tokenBudget: 400 }).exposure).toBe('search');
  });

  test('auto uses search for larger catalogs, at a constant cost', () => {
    const costs = [600, 5_000].map((count) => {
      const built = registry([aDomain('a', numbered('a', count))]);
      expect(built.exposure).toBe('search');
      expect(names(built)).toEqual(['search_operations', 'describe_operation', 'call_operation']);
      return listCost([...built.tools.values()].map(({ tool }) => tool));
    });
    expect(Math.abs(costs[1]! - costs[0]!)).toBeLessThanOrEqual(2);
    expect(costs[0]).toBeLessThan(281);
  });

  test('a domain may set its own mode, and pinned tools are listed in every mode', () => {
    const small = aDomain('small', numbered('small', 3), { exposure: 'tools' });
    const big = aDomain('big', numbered('big', 100), { exposure: 'search', pinned: ['big_operation_7'] });
    const mid = aDomain('mid', numbered('mid', 20), { exposure: 'grouped', pinned: ['mid.mid_operation_3'] });
    const built = registry([small, big, mid], { exposure: 'tools' });
    expect(built.exposure).toBe('mixed');
    expect(Object.fromEntries(built.modes)).toEqual({ small: 'tools', big: 'search', mid: 'grouped' });
    expect(names(built)).toEqual([
      'search_operations',
      'describe_operation',
      'call_operation',
      'small_operation_0',
      'small_operation_1',
      'small_operation_2',
      'big_operation_7',
      'mid_operation_3',
      'mid_read',
      'mid_read_2',
    ]);
    // Pinned means also here: still to be found by searching, no longer in its group.
    expect(built.tools.get('call_operation')?.operations).toHaveLength(100);
    expect(built.tools.get('mid_read')!.operations.length + built.tools.get('mid_read_2')!.operations.length).toBe(19);
  });

  test('the names of the search tools are reserved', () => {
    const rude = aDomain('rude', [anEndpoint('rude', 'call_operation'), ...numbered('rude', 3)]);
    expect(names(registry([rude], { exposure: 'tools' }))[0]).toBe('rude_call_operation');
  });

  test('the same input gives the same bytes', () => {
    const domains = [pets, aDomain('a', numbered('a', 60, { tags: ['t', 'u'] }))];
    for (const exposure of ['tools', 'grouped', 'search', 'auto'] as const) {
      const bytes = () => JSON.stringify([...registry(domains, { exposure }).tools.values()].map(({ tool }) => tool));
      expect(bytes()).toBe(bytes());
    }
  });

  test('a gateway without domains is possible', () => {
    expect(registry([])).toMatchObject({ exposure: 'tools' });
    expect(registry([aDomain('empty', [])], { exposure: 'search' }).tools.size).toBe(0);
  });
});

describe('grouped mode', () => {
  const domain = aDomain('api', [
    anEndpoint('api', 'issues_list', {
      tags: ['issues'],
      summary: 'List issues.',
      properties: { state: { type: 'string' } },
    }),
    anEndpoint('api', 'issues_get', { tags: ['issues'], summary: 'Read one issue with everything on it.', ...id }),
    anEndpoint('api', 'issues_lock', {
      tags: ['issues'],
      effect: 'write',
      summary: 'Lock.',
      properties: { ...id.properties, action: { type: 'string' } },
      required: ['id'],
    }),
    anEndpoint('api', 'issues_delete', { tags: ['issues'], effect: 'destructive', summary: 'Delete.', ...id }),
  ]);
  const built = registry([domain], { exposure: 'grouped' });

  test('reads and writes are different tools with the right hints', () => {
    expect(names(built)).toEqual(['describe_operation', 'api_read', 'api_write']);
    expect(built.tools.get('api_read')?.tool).toMatchObject({
      description: [
        'Read data of api',
        'Actions: issues_list, issues_get',
        'Workflow:',
        "- 'issues_get': Read one issue with everything on it. Requires: id",
      ].join('\n'),
      inputSchema: {
        properties: {
          action: { enum: ['issues_list', 'issues_get'] },
          state: { description: 'For: issues_list' },
          id: { description: 'Required for: issues_get' },
        },
        required: ['action'],
      },
      annotations: { readOnlyHint: true, destructiveHint: false },
    });
    expect(built.tools.get('api_write')?.tool).toMatchObject({
      description:
        "Change or delete data of api\nActions: issues_lock, issues_delete\nWorkflow:\n- 'issues_delete': ⚠️ DESTRUCTIVE",
      inputSchema: {
        properties: {
          id: { type: 'integer', description: '(always required)' },
          action_: { description: 'For: issues_lock' },
        },
        required: ['action', 'id'],
      },
      annotations: { readOnlyHint: false, destructiveHint: true },
    });
  });

  test('a call runs the operation with its own names and the label tool/action', async () => {
    const outcome = await built.tools
      .get('api_write')!
      .run(aCall('api_write'), { action: 'issues_lock', id: 1, action_: 'x' });
    expect(JSON.parse(textOf(outcome))).toEqual({
      endpoint: 'api.issues_lock',
      tool: 'api_write/issues_lock',
      args: { id: 1, action: 'x' },
    });
  });

  test('the schema of the action is enforced, not the union of all', async () => {
    const outcome = await built.tools
      .get('api_read')!
      .run(aCall('api_read'), { action: 'issues_get', id: 1, state: 'open' });
    expect(outcome).toMatchObject({ isError: true, structured: { failure_mode: 'validation' } });
    expect(textOf(outcome)).toMatch(/^\[api_read\/issues_get\] /);
  });

  test('descriptions stay within 2,048 characters whatever the operations are called', () => {
    const long = aDomain(
      'long',
      Array.from({ length: 50 }, (_, i) =>
        anEndpoint('long', `${'very_'.repeat(8)}long_${i}`, {
          tags: ['t'.repeat(200)],
          summary: `${'Word '.repeat(100)}${i}.`,
        }),
      ),
    );
    for (const { tool } of registry([long], { exposure: 'grouped' }).tools.values()) {
      expect(tool.description?.length).toBeLessThanOrEqual(2_048);
      expect(tool.name).toMatch(/^[a-z][a-z0-9_]{0,47}$/);
    }
  });
});
