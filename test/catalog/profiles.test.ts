// What a profile serves, seen through a whole gateway: its operations and nothing about the others.
import { afterAll, describe, expect, test } from 'vitest';
import { defineTool } from '../../src/catalog/native/define-tool.ts';
import { createGateway, type Service } from '../../src/gateway.ts';
import { aCall, aDomain, anEndpoint } from './support.ts';

const shop = aDomain(
  'shop',
  [
    anEndpoint('shop', 'orders_list', { tags: ['orders'], path: '/orders' }),
    anEndpoint('shop', 'orders_wipe', { tags: ['orders', 'admin'], path: '/orders', effect: 'destructive' }),
    anEndpoint('shop', 'staff_list', { tags: ['admin'], path: '/staff' }),
  ],
  {
    document: { text: '{"paths":{"/staff":{}}}', mimeType: 'application/json' },
    prompts: [{ name: 'sell', arguments: [], messages: [{ role: 'user', text: 'Sell.' }] }],
  },
);
const office = aDomain('office', [anEndpoint('office', 'desks')], {
  prompts: [{ name: 'tidy', arguments: [], messages: [{ role: 'user', text: 'Tidy.' }] }],
});
const native = {
  tools: ['public_tool', 'private_tool'].map((name) =>
    defineTool({ name, description: name, annotations: { readOnlyHint: true }, run: () => name }),
  ),
  prompts: [{ definition: { name: 'hello' }, get: async () => ({ messages: [] }), values: {} }],
};
const gateway = createGateway({
  domains: [shop, office],
  exposure: 'tools',
  native,
  profiles: {
    orders: { include: ['shop.orders.*'], exclude: ['shop.admin.*'] },
    whole: { domains: ['shop'], native: true },
    some: { domains: ['office'], native: ['public_*', 'hello'] },
    finder: { include: ['shop.orders.*'], exposure: 'search' },
  },
});
afterAll(() => gateway.close());

const face = (name: string): Service => gateway.serviceOf(name)!;
const documentOf = async (name: string) => {
  const { contents } = await face(name)
    .resources.resources.get('landbridge://domains/shop/openapi')!
    .read(aCall('resource'));
  return (contents[0] as { text: string }).text;
};

describe('a profile', () => {
  test('serves the operations its names select', () => {
    expect([...face('orders').registry.tools.keys()]).toEqual(['orders_list']);
    expect([...face('').registry.tools.keys()]).toHaveLength(6);
  });

  test('shows a generated document if it serves only a part of the domain', async () => {
    expect(await documentOf('whole')).toBe(shop.document?.text);
    const { paths } = JSON.parse(await documentOf('orders')) as { paths: object };
    expect(paths).toEqual({ '/orders': { get: expect.anything() } });
    expect(await documentOf('orders')).not.toContain('staff');
  });

  test('describes only its own operations in instructions and resources', async () => {
    const about = face('orders').resources.resources.get('landbridge://domains/shop')!;
    expect(JSON.stringify(await about.read(aCall('resource')))).not.toMatch(/staff|wipe/);
    expect(face('orders').registry.instructions).not.toContain('office');
  });

  test('has the prompts of its domains and no others', () => {
    expect([...face('orders').prompts.keys()]).toEqual(['sell']);
    expect([...face('some').prompts.keys()]).toEqual(['tidy', 'hello']);
    expect([...face('whole').prompts.keys()]).toEqual(['sell', 'hello']);
  });

  test('serves the native entries that it selects', () => {
    expect([...face('some').registry.tools.keys()]).toEqual(['public_tool', 'desks']);
    expect([...face('whole').registry.tools.keys()].slice(0, 2)).toEqual(['public_tool', 'private_tool']);
    expect(face('orders').registry.tools.has('public_tool')).toBe(false);
  });

  test('searches only its own operations', async () => {
    const search = face('finder').registry.tools.get('search_operations')!;
    const outcome = await search.run(aCall('search_operations'), { query: 'list staff' });
    expect(JSON.stringify(outcome)).not.toContain('staff_list');
    const call = face('finder').registry.tools.get('call_operation')!;
    await expect(call.run(aCall('call_operation'), { operation: 'staff_list' })).rejects.toMatchObject({
      code: 'VALIDATION',
    });
  });

  test('with an unknown name, the gateway does not start', () => {
    const start = () => createGateway({ domains: [shop], profiles: { p: { exclude: ['shop.admn.*'] } } });
    expect(start).toThrow('profiles p.exclude[0]: there is no operation "shop.admn.*"; ');
  });
});

describe('an operation with two tags, in grouped mode', () => {
  const fill = (tag: string) =>
    Array.from({ length: 9 }, (_, i) => anEndpoint('big', `${tag}_${i}`, { tags: [tag], path: `/${tag}/x${i}` }));
  const both = anEndpoint('big', 'audit', { tags: ['users', 'teams'], path: '/audit' });
  const big = aDomain('big', [...fill('users'), both, ...fill('teams')]);
  const grouped = createGateway({ domains: [big], exposure: 'grouped' });
  afterAll(() => grouped.close());

  test('is the same operation as an action of both tools', () => {
    const entries = [...grouped.registry.tools.values()].filter(({ operations }) => operations.length > 0);
    expect(entries.map(({ tool }) => tool.name)).toEqual(['big_users_read', 'big_teams_read']);
    const [first, second] = entries.map(({ operations }) => operations.find(({ endpoint }) => endpoint === both));
    expect(first).toBe(second);
    expect(first?.run).toBe(grouped.registry.operations.find(({ name }) => name === 'audit')?.run);
    for (const { tool } of entries) {
      expect((tool.inputSchema as { properties: { action: { enum: string[] } } }).properties.action.enum).toContain(
        'audit',
      );
    }
    const audit = grouped.registry.operations.find(({ name }) => name === 'audit');
    expect(audit?.qualifiedNames).toEqual(['big.users.audit', 'big.teams.audit']);
  });

  test('gives both tools its own hints', () => {
    const wipe = anEndpoint('big', 'wipe', { tags: ['users', 'teams'], path: '/wipe', effect: 'destructive' });
    const writes = (tag: string) =>
      fill(tag).map((endpoint) => ({ ...endpoint, effect: 'write' as const, method: 'POST' }));
    const domain = aDomain('big', [...writes('users'), wipe, ...writes('teams')]);
    const { registry } = createGateway({ domains: [domain], exposure: 'grouped' });
    const tools = [...registry.tools.values()].filter(({ operations }) => operations.length > 0);
    for (const { tool } of tools) expect(tool.annotations?.destructiveHint).toBe(true);
    expect(tools).toHaveLength(2);
  });
});
