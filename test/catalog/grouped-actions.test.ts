// Finding one's way among grouped tools: a wrong action, one action in full, and how much is said within a budget.
import { describe, expect, test } from 'vitest';
import { buildRegistry, type Registry } from '../../src/catalog/registry.ts';
import { listCost } from '../../src/catalog/tokens.ts';
import { createGateway } from '../../src/gateway.ts';
import { aCall, aDomain, anEndpoint, anOperation } from './support.ts';

const LONG = 'Open, paid or sent. Only orders that far are listed. Say "any" for all of them.';
const id = { type: 'integer', description: 'Its number.' };
const order = {
  type: 'object',
  properties: { lines: { type: 'array', items: { type: 'object', properties: { sku: { type: 'string' } } } } },
};
const shop = aDomain(
  'shop',
  [
    anEndpoint('shop', 'list_orders', {
      tags: ['orders'],
      properties: { state: { type: 'string', description: LONG } },
    }),
    anEndpoint('shop', 'get_order', { tags: ['orders'], properties: { id }, required: ['id'] }),
    anEndpoint('shop', 'create_order', {
      tags: ['orders'],
      effect: 'write',
      properties: { order },
      required: ['order'],
    }),
    anEndpoint('shop', 'delete_order', {
      tags: ['orders'],
      effect: 'destructive',
      properties: { id },
      required: ['id'],
    }),
    anEndpoint('shop', 'list_pets', { tags: ['pets'] }),
    anEndpoint('shop', 'delete_pet', { tags: ['pets'], effect: 'destructive', properties: { id }, required: ['id'] }),
  ],
  { title: 'Shop' },
);

const build = (tokenBudget = 10_000) =>
  buildRegistry({
    domains: [shop],
    operations: shop.endpoints.map((endpoint) => anOperation(endpoint)),
    exposure: 'grouped',
    tokenBudget,
  });
const call = async (registry: Registry, tool: string, args: Record<string, unknown>) => {
  const { content } = await registry.tools.get(tool)!.run(aCall(tool), args);
  return content[0]?.type === 'text' ? content[0].text : '';
};

describe('a grouped tool', () => {
  test('has a description of what it does, not of its name', () => {
    const firstLines = (budget: number) =>
      [...build(budget).tools.values()].map(({ tool }) => [tool.name, tool.description?.split('\n', 1)[0]]);
    expect(firstLines(10_000)).toEqual([
      ['describe_operation', 'Arguments, examples, effect and answer of one operation.'],
      ['shop_orders_read', 'Read orders of Shop'],
      ['shop_pets_read', 'Read pets of Shop'],
      ['shop_orders_write', 'Change or delete orders of Shop'],
      ['shop_pets_write', 'Change or delete pets of Shop'],
    ]);
    for (const [name, line] of firstLines(1)) expect(line).not.toBe(name);
  });

  test.each([
    ['delete_order', 'call shop_orders_write with {"action":"delete"}.'],
    ['DELETE-ORDER', 'call shop_orders_write with {"action":"delete"}.'],
    ['shop.delete_order', 'call shop_orders_write with {"action":"delete"}.'],
    ['delete_ordr', 'call shop_orders_write with {"action":"delete"}.'],
    ['delete_pets', 'call shop_pets_write with {"action":"delete_pet"}.'],
    ['remove order', 'call shop_orders_write with {"action":"delete"}.'],
    ['lst_orders', 'did you mean "list_orders"?'],
    ['list_pets', 'call shop_pets_read with {"action":"list_pets"}.'],
  ])('asked for %s, it names the action that was meant, also in another tool', async (choice, advice) => {
    expect(await call(build(), 'shop_orders_read', { action: choice })).toBe(
      `[shop_orders_read] Unknown action ${JSON.stringify(choice)}; ${advice} Available: list_orders, get_order`,
    );
  });

  test('describes its fields in full if they fit the budget, otherwise briefly', () => {
    const fieldsOf = (registry: Registry) =>
      (
        registry.tools.get('shop_orders_read')!.tool.inputSchema as {
          properties: Record<string, { description: string }>;
        }
      ).properties;
    const full = build();
    expect(fieldsOf(full).state?.description).toContain(LONG);
    const cost = listCost([...full.tools.values()].map(({ tool }) => tool));
    expect(fieldsOf(build(cost)).state?.description).toContain(LONG);
    const brief = fieldsOf(build(cost - 1)).state?.description;
    expect(brief).toContain('Open, paid or sent');
    expect(brief).not.toContain('Say "any"');
  });
});

describe('describe_operation in grouped mode', () => {
  test.each(['create_order', 'shop_orders_write.create', 'shop_orders_write/create', 'shop.create_order'])(
    'tells everything about %s, and how to call it',
    async (operation) => {
      const lines = (await call(build(1), 'describe_operation', { operation })).split('\n');
      expect(lines[0]).toBe('create_order (write): POST /create_order of shop');
      expect(lines).toContain('Call shop_orders_write with {"action":"create"} and these arguments beside it.');
      const schema = JSON.parse(lines.find((line) => line.startsWith('Arguments: '))!.slice(11)) as {
        properties: Record<string, unknown>;
      };
      expect(schema.properties.order).toEqual(order);
      expect(Object.keys(schema.properties)).toEqual(['order', 'fields', 'dry_run']);
    },
  );

  test('names all tools of an action that is in several', async () => {
    const listed = ['users', 'teams'].map((tag) =>
      anEndpoint(tag, 'list', { tags: [tag], toolName: `${tag}_list`, path: `/${tag}` }),
    );
    const domains = listed.map((endpoint) => aDomain(endpoint.domain, [endpoint]));
    const registry = createGateway({ domains, exposure: 'grouped' }).registry;
    await expect(call(registry, 'describe_operation', { operation: 'list' })).rejects.toThrow(
      'Several tools have an action "list"; name one of: users_read.list, teams_read.list',
    );
    expect(await call(registry, 'describe_operation', { operation: 'teams_read.list' })).toContain('GET /teams');
  });

  test('suggests what was meant', async () => {
    await expect(call(build(), 'describe_operation', { operation: 'creat_order' })).rejects.toThrow(
      'There is no operation "creat_order"; did you mean "create_order"?',
    );
  });

  test('is mentioned in the instructions, and search is not', () => {
    const { instructions } = build();
    expect(instructions).toContain('describe_operation tells everything about one action of a tool ("tool.action").');
    expect(instructions).not.toContain('search_operations');
  });
});
