// `lenient: true` of a domain file: what a wrong document would refuse is sent, and said; what is not the document's to decide is not.
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { diagnose } from '../../src/doctor/diagnose.ts';
import { loadDomains } from '../../src/domain/load.ts';
import { createGateway, type Gateway } from '../../src/gateway.ts';
import { startUpstream, type Upstream } from '../support/upstream.ts';

const DOCUMENT = {
  openapi: '3.1.0',
  info: { title: 'Shop', version: '1' },
  paths: {
    '/orders/{id}': {
      put: {
        operationId: 'putOrder',
        summary: 'Changes an order.',
        parameters: [
          { name: 'id', in: 'path', required: true, schema: { type: 'integer' } },
          { name: 'notify', in: 'query', required: true, schema: { enum: ['yes', 'no'] } },
        ],
        requestBody: {
          required: true,
          content: {
            'application/json': {
              schema: {
                type: 'object',
                required: ['state', 'total'],
                properties: {
                  state: { enum: ['open', 'closed'] },
                  total: { type: 'integer', maximum: 100 },
                  count: { type: 'integer' },
                  mail: { type: 'string', format: 'email' },
                  customer: { type: 'object', properties: { name: { type: 'string' } }, additionalProperties: false },
                },
              },
            },
          },
        },
      },
      delete: {
        operationId: 'deleteOrder',
        summary: 'Deletes an order.',
        parameters: [{ name: 'id', in: 'path', required: true, schema: { type: 'integer' } }],
      },
    },
    '/orders': {
      get: {
        operationId: 'listOrders',
        summary: 'Lists orders.',
        parameters: [{ name: 'state', in: 'query', schema: { enum: ['open'] } }],
      },
    },
  },
};

let folder: string;
let api: Upstream;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'landbridge-lenient-'));
  await writeFile(join(folder, 'shop.json'), JSON.stringify(DOCUMENT));
  api = await startUpstream();
});
afterAll(async () => {
  await api.close();
  await rm(folder, { recursive: true, force: true });
});

async function open(lines: string): Promise<Gateway> {
  const file = join(folder, 'shop.yaml');
  await writeFile(file, `name: shop\nprefix: ''\nopenapi: ./shop.json\nbaseUrl: ${api.url}\n${lines}`);
  return createGateway({ domains: await loadDomains({ paths: [file], env: {} }), exposure: 'tools' });
}

async function call(gateway: Gateway, name: string, args: Record<string, unknown>) {
  const before = api.seen.length;
  const message = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: args } };
  const reply = await gateway.handle(message);
  const { result } = JSON.parse(reply!.body!) as { result: { content: { text: string }[]; isError?: boolean } };
  return { text: result.content[0]!.text, isError: result.isError ?? false, requests: api.seen.slice(before) };
}

const PUT = 'operations: { putOrder: { lenient: true } }\n';
const GOOD = { id: 7, notify: 'yes', state: 'open', total: 1 };

describe('a lenient operation', () => {
  test('sends arguments that its document does not allow, and says so', async () => {
    const gateway = await open(PUT);
    const { text, isError, requests } = await call(gateway, 'put_order', {
      id: '7',
      notify: 'maybe',
      state: 'archived',
      count: '5',
      mail: 'nobody',
      customer: { name: 'Ada', vip: true },
    });
    expect(isError).toBe(false);
    expect(requests.map(({ method, url, body }) => [method, url, JSON.parse(body)])).toEqual([
      [
        'PUT',
        '/orders/7?notify=maybe',
        { state: 'archived', count: 5, mail: 'nobody', customer: { name: 'Ada', vip: true } },
      ],
    ]);
    const [, note] = text.split('\n');
    expect(note).toMatch(/^sent as given, though the API's description says otherwise: /);
    expect(note).toContain('`notify` must be one of "yes", "no"');
    await gateway.close();
  });

  test('says nothing about arguments that fit', async () => {
    const gateway = await open(PUT);
    expect((await call(gateway, 'put_order', GOOD)).text).not.toContain('sent as given');
    await gateway.close();
  });

  test('shows in a dry run what would be sent and what is odd about it', async () => {
    const gateway = await open(PUT);
    const { text, requests } = await call(gateway, 'put_order', { ...GOOD, state: 'archived', dry_run: true });
    expect(requests).toEqual([]);
    expect(text).toContain('archived');
    expect(text).toContain('sent as given, though');
    await gateway.close();
  });

  test.each<[string, Record<string, unknown>, RegExp]>([
    ['a name without a place', { ...GOOD, colour: 'red' }, /colour/],
    ['a missing path parameter', { notify: 'yes', state: 'odd' }, /`id`/],
    ['a way out of the path', { ...GOOD, id: '..' }, /id/],
    ['a number that lost its digits', { ...GOOD, state: 'odd', total: 2 ** 60 }, /digits/],
    [
      'a number that lost its digits beside an object given as text',
      { ...GOOD, state: 'odd', total: 2 ** 60, customer: '{"name":"Ann"}' },
      /digits/,
    ],
    ['a name that means something to JavaScript', JSON.parse('{"__proto__":1,"id":7}'), /__proto__/],
  ])('refuses %s as ever', async (_what, args, words) => {
    const gateway = await open(PUT);
    const { text, isError, requests } = await call(gateway, 'put_order', args);
    expect({ isError, requests }).toEqual({ isError: true, requests: [] });
    expect(text).toMatch(words);
    await gateway.close();
  });
});

describe('lenient in a domain file', () => {
  test('is for one operation: the others stay strict', async () => {
    const gateway = await open(PUT);
    expect(await call(gateway, 'list_orders', { state: 'odd' })).toMatchObject({ isError: true, requests: [] });
    await gateway.close();
  });

  test('at the top of the file is for all operations without a setting of their own, and does not switch the guard off', async () => {
    const gateway = await open('lenient: true\noperations: { putOrder: { lenient: false } }\n');
    expect((await call(gateway, 'list_orders', { state: 'odd' })).requests[0]!.url).toBe('/orders?state=odd');
    expect(await call(gateway, 'put_order', { ...GOOD, state: 'odd' })).toMatchObject({ isError: true, requests: [] });
    const refused = await call(gateway, 'delete_order', { id: 'seven' });
    expect(refused).toMatchObject({ isError: true, requests: [] });
    expect(refused.text).toContain('confirmation_token');
    await gateway.close();
  });

  test('is shown by explain and doctor', async () => {
    const gateway = await open(PUT);
    const endpoint = gateway.registry.operations.find(({ name }) => name === 'put_order')!.endpoint;
    expect(endpoint.provenance).toMatchObject({
      lenient: expect.stringMatching(/shop\.yaml: operations\.putOrder\.lenient$/),
    });
    const findings = diagnose({
      domains: gateway.domains,
      registry: gateway.registry,
      policy: { readOnly: false },
      tokenBudget: 10_000,
      clients: ['mcp'],
    });
    expect(findings).toContainEqual(
      expect.objectContaining({
        check: 'arguments',
        severity: 'note',
        where: 'shop',
        message: 'lenient is set, so arguments that the document does not allow are sent anyway: put_order',
      }),
    );
    await gateway.close();
  });

  test('has no effect without a document', async () => {
    const file = join(folder, 'own.yaml');
    await writeFile(
      file,
      `name: own\nbaseUrl: ${api.url}\nlenient: true\nendpoints: { look: { path: /look, summary: Looks. } }\n`,
    );
    await expect(loadDomains({ paths: [file], env: {} })).rejects.toThrow(
      /lenient.* applies only to an imported document/,
    );
  });
});
