// Callers never see operations they are not allowed to call: with every class of permissions, in every exposure and era, the gateway
// answers byte for byte like one that was configured without the other operations, and no other operation reaches the API.

import { createHash } from 'node:crypto';
import { Agent, request as httpRequest } from 'node:http';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { GroupedToolBuilder } from '../../src/catalog/grouped/grouped-tool-builder.ts';
import { defineTool } from '../../src/catalog/native/define-tool.ts';
import type { Exposure, Registry } from '../../src/catalog/registry.ts';
import { buildDomain } from '../../src/domain/definition/build-domain.ts';
import { defineDomain } from '../../src/domain/definition/define-domain.ts';
import type { Domain, Effect } from '../../src/endpoint/model.ts';
import { createGateway, type Gateway, type NativeEntries } from '../../src/gateway.ts';
import { createKeyAuthority } from '../../src/identity/api-keys.ts';
import { createIdentify } from '../../src/identity/identify.ts';
import type { HttpServer } from '../../src/transport/http-listener.ts';
import { serveHttp } from '../../src/transport/serve-http.ts';
import { aDomain, anEndpoint } from '../catalog/support.ts';
import { headersOf, legacy, modern, type Rpc } from '../support/mcp.ts';
import { useRealHttp } from '../support/real-http.ts';
import { startUpstream, type Upstream } from '../support/upstream.ts';

useRealHttp();

const ALL: readonly Effect[] = ['read', 'write', 'destructive'];
const CLASSES: readonly (readonly Effect[])[] = [
  [],
  ['read'],
  ['write'],
  ['destructive'],
  ['read', 'write'],
  ['read', 'destructive'],
  ['write', 'destructive'],
  ALL,
];
const MODES: readonly Exposure[] = ['tools', 'grouped', 'search'];

interface Spec {
  readonly effect: Effect;
  readonly tags: readonly string[];
  readonly method: string;
  readonly path: string;
  readonly summary: string;
  readonly expose?: 'tool' | 'both' | 'resource';
}

const SHOP: Readonly<Record<string, Spec>> = {
  list_orders: {
    effect: 'read',
    tags: ['orders'],
    method: 'GET',
    path: '/orders',
    summary: 'Lists orders.',
    expose: 'both',
  },
  get_order: {
    effect: 'read',
    tags: ['orders'],
    method: 'GET',
    path: '/orders/{id}',
    summary: 'Gets an order.',
    expose: 'both',
  },
  create_order: { effect: 'write', tags: ['orders'], method: 'POST', path: '/orders', summary: 'Adds an order.' },
  delete_order: {
    effect: 'destructive',
    tags: ['orders'],
    method: 'DELETE',
    path: '/orders/{id}',
    summary: 'Removes an order.',
  },
  reset_stock: {
    effect: 'destructive',
    tags: ['stock'],
    method: 'POST',
    path: '/stock/reset',
    summary: 'Resets the stock.',
  },
  log_out: {
    effect: 'write',
    tags: ['stock'],
    method: 'GET',
    path: '/logout',
    summary: 'Ends the session.',
    expose: 'both',
  },
  list_prices: {
    effect: 'read',
    tags: ['stock'],
    method: 'GET',
    path: '/prices',
    summary: 'Lists prices.',
    expose: 'resource',
  },
};
const VAULT: Readonly<Record<string, Spec>> = {
  burn_vault: {
    effect: 'destructive',
    tags: ['vault'],
    method: 'POST',
    path: '/vault/burn',
    summary: 'Burns the vault.',
  },
};

/** A prompt, and the effect a caller needs to see it: the prompt embeds a read, or names an operation. */
const PROMPTS: Readonly<Record<string, { readonly needs: readonly Effect[]; readonly messages: readonly object[] }>> = {
  greet: { needs: [], messages: [{ role: 'user', text: 'Say hello, and delete nothing.' }] },
  read_guide: { needs: [], messages: [{ role: 'user', resource: 'shop://guide' }] },
  review: { needs: ['read'], messages: [{ role: 'user', resource: 'shop://orders' }] },
  inspect: { needs: ['read'], messages: [{ role: 'user', resource: 'shop://orders/{{id}}' }] },
  tidy: { needs: ['destructive'], messages: [{ role: 'user', text: 'Clean up with shop_delete_order.' }] },
  refill: { needs: ['write'], messages: [{ role: 'user', text: 'Call shop.create_order, twice.' }] },
};

let upstream: Upstream;

/** The domains as if only operations with these effects existed. */
function domainsOf(effects: readonly Effect[]): Domain[] {
  const domain = (name: string, specs: Readonly<Record<string, Spec>>, more: object) => {
    const entries = Object.entries(specs).filter(([, { effect }]) => effects.includes(effect));
    const endpoints = entries.map(([action, { method, path, ...rest }]) => [
      action,
      { method, path, ...rest, args: path.includes('{id}') ? z.object({ id: z.string() }) : z.object({}) },
    ]);
    if (endpoints.length === 0) return [];
    const definition = { name, title: name, baseUrl: upstream.url, endpoints: Object.fromEntries(endpoints), ...more };
    return [buildDomain(defineDomain(definition as never), { env: {} })];
  };
  const prompts = Object.entries(PROMPTS).filter(([, { needs }]) => needs.every((one) => effects.includes(one)));
  return [
    ...domain('shop', SHOP, {
      prompts: Object.fromEntries(
        prompts.map(([name, { messages }]) => [
          name,
          {
            description: name,
            messages,
            ...(name === 'inspect' && { arguments: { id: { required: true, values: ['7', '8'] } } }),
          },
        ]),
      ),
      resources: { 'shop://guide': { name: 'guide', text: 'How the shop works.' } },
    }),
    ...domain('vault', VAULT, {}),
  ];
}

let ran: string[] = [];

function nativeOf(effects: readonly Effect[]): NativeEntries {
  const note = (what: string) => {
    ran.push(what);
    return what;
  };
  const tool = (name: string, effect: Effect, annotations?: object) =>
    effects.includes(effect)
      ? [defineTool({ name, description: name, ...(annotations && { annotations }), run: () => note(name) })]
      : [];
  const team = new GroupedToolBuilder('team').description('The team');
  const actions = (
    [
      ['list', 'read', { readOnly: true }],
      ['add', 'write', {}],
      ['ban', 'destructive', { destructive: true }],
    ] as const
  ).filter(([, effect]) => effects.includes(effect));
  for (const [name, , hints] of actions)
    team.action({ name, description: name, ...hints, handler: () => note(`team.${name}`) });
  const mayRead = effects.includes('read');
  return {
    tools: [
      ...tool('ping', 'read', { readOnlyHint: true }),
      ...tool('jot', 'write'),
      ...tool('drop', 'destructive', { destructiveHint: true }),
      ...(actions.length > 0 ? [team.toEntry()] : []),
    ],
    resources: mayRead
      ? [
          {
            definition: { uri: 'app://status', name: 'status' },
            read: async () => ({ contents: [{ uri: 'app://status', text: note('status') }] }),
          },
        ]
      : [],
    prompts: mayRead
      ? [
          {
            definition: { name: 'hello' },
            values: { who: ['ada'] },
            get: async () => ({ description: note('hello'), messages: [] }),
          },
        ]
      : [],
  };
}

function gatewayOf(effects: readonly Effect[], exposure: Exposure): Gateway {
  return createGateway({
    domains: domainsOf(effects),
    native: nativeOf(effects),
    exposure,
    policy: { readOnly: false, destructive: 'allow' },
    isPrivate: true,
  });
}

/** All requests of a caller who knows the whole catalog, with the names of actions in these registries. */
function buildProbes(registries: readonly Registry[]): { method: string; params?: Record<string, unknown> }[] {
  const actions = [...Object.entries(SHOP), ...Object.entries(VAULT)];
  const args = (path: string) => (path.includes('{id}') ? { id: '7' } : {});
  const nameOf = (action: string) => `${action in SHOP ? 'shop' : 'vault'}_${action}`;
  const call = (name: string, input: object) => ({ method: 'tools/call', params: { name, arguments: input } });
  const operations = actions.flatMap(([action, { path, method }]) => {
    const name = nameOf(action);
    return [
      call(name, args(path)),
      call(`${name}s`, {}),
      ...[name, `${action in SHOP ? 'shop' : 'vault'}.${action}`, `${method} ${path}`, `${name}x`].flatMap((key) => [
        call('call_operation', { operation: key, arguments: args(path) }),
        call('describe_operation', { operation: key }),
      ]),
    ];
  });
  const grouped = registries.flatMap(({ tools }) =>
    [...tools.values()].flatMap(({ tool, operations: own, pickOf }) =>
      own.flatMap((operation) => {
        const pick = pickOf?.(operation);
        return pick ? [call(tool.name, { ...pick, ...args(operation.endpoint.path) })] : [];
      }),
    ),
  );
  const uris = [
    'shop://orders',
    'shop://orders/7',
    'shop://logout',
    'shop://prices',
    'shop://guide',
    'app://status',
    ...['shop', 'vault'].flatMap((name) => [`landbridge://domains/${name}`, `landbridge://domains/${name}/openapi`]),
  ];
  const complete = (ref: object, name: string) => ({
    method: 'completion/complete',
    params: { ref, argument: { name, value: '' } },
  });
  return [
    ...['tools/list', 'resources/list', 'resources/templates/list', 'prompts/list'].map((method) => ({ method })),
    ...operations,
    ...grouped,
    ...['orders', 'delete an order', 'reset', 'burn the vault', 'end the session'].map((query) =>
      call('search_operations', { query }),
    ),
    ...ALL.map((effect) => call('search_operations', { query: 'order', effect, limit: 30 })),
    ...['ping', 'jot', 'drop', 'dorp'].map((name) => call(name, {})),
    ...['list', 'add', 'ban', 'bna'].map((action) => call('team', { action })),
    ...uris.map((uri) => ({ method: 'resources/read', params: { uri } })),
    ...[...Object.keys(PROMPTS), 'hello', 'tidyy'].map((name) => ({
      method: 'prompts/get',
      params: { name, arguments: name === 'inspect' ? { id: '7' } : {} },
    })),
    ...[...Object.keys(PROMPTS), 'hello'].map((name) =>
      complete({ type: 'ref/prompt', name }, name === 'hello' ? 'who' : 'id'),
    ),
    complete({ type: 'ref/resource', uri: 'shop://orders/{id}' }, 'id'),
  ];
}

type Send = (message: Rpc | readonly Rpc[], headers: Record<string, string>) => Promise<string>;

/** Sends all requests in one era; the answers as they came. */
async function askAll(send: Send, era: Era, registries: readonly Registry[]): Promise<string[]> {
  const probes = buildProbes(registries);
  if (era === 'modern') {
    const messages = [
      modern(0, 'server/discover'),
      ...probes.map(({ method, params }, id) => modern(id + 1, method, params)),
    ];
    return inOrder(messages, (message) => send(message, headersOf(message)));
  }
  const hello = legacy(0, 'initialize', {
    protocolVersion: '2025-11-25',
    capabilities: {},
    clientInfo: { name: 't', version: '1' },
  });
  const messages = probes.map(({ method, params }, id) => legacy(id + 1, method, params));
  if (era === 'legacy') {
    const headers = { 'mcp-protocol-version': '2025-11-25' };
    return [await send(hello, {}), ...(await inOrder(messages, (message) => send(message, headers)))];
  }
  const batches = Array.from({ length: Math.ceil(messages.length / 100) }, (_, at) =>
    messages.slice(at * 100, at * 100 + 100),
  );
  return inOrder(batches, (batch) => send(batch, { 'mcp-protocol-version': '2025-03-26' }));
}

async function inOrder<Item>(items: readonly Item[], ask: (item: Item) => Promise<string>): Promise<string[]> {
  const answers: string[] = [];
  for (const item of items) answers.push(await ask(item));
  return answers;
}

type Era = 'modern' | 'legacy' | 'batch';
const ERAS: readonly Era[] = ['modern', 'legacy', 'batch'];

/** One of the two is valid; the other is refused before anything is sent. */
const INPUTS = [{}, { id: '7' }];

const keyOf = (effects: readonly Effect[]) => `key-of-${effects.join('-') || 'nobody'}`;
const agent = new Agent({ keepAlive: true, maxSockets: 1 });

function sendOverHttp(server: HttpServer, effects: readonly Effect[]): Send {
  return (message, headers) =>
    new Promise((resolve, reject) => {
      const options = {
        method: 'POST',
        agent,
        headers: {
          'content-type': 'application/json',
          accept: 'application/json',
          authorization: `Bearer ${keyOf(effects)}`,
          ...headers,
        },
      };
      const request = httpRequest(`http://127.0.0.1:${server.port}/mcp`, options, (response) => {
        let text = '';
        response.setEncoding('utf8').on('data', (chunk: string) => {
          text += chunk;
        });
        response.on('end', () => resolve(text));
      });
      request.on('error', reject).end(JSON.stringify(message));
    });
}

/** The requests to the API, and the functions that ran, since the last call. */
function takeEffects(): string[] {
  const all = [...upstream.seen.map(({ method, url }) => `${method} ${url}`), ...ran];
  upstream.seen.length = 0;
  ran = [];
  return [...new Set(all)].sort();
}

/** The operations and functions that a class may run, in any exposure. */
function allowedEffects(effects: readonly Effect[]): string[] {
  const rest = [...Object.values(SHOP), ...Object.values(VAULT)].filter(({ effect }) => effects.includes(effect));
  const native: Readonly<Record<Effect, readonly string[]>> = {
    read: ['ping', 'team.list', 'status', 'hello'],
    write: ['jot', 'team.add'],
    destructive: ['drop', 'team.ban'],
  };
  const requests = rest.map(({ method, path }) => `${method} ${path.replace('{id}', '7')}`);
  return [...new Set([...requests, ...effects.flatMap((effect) => native[effect])])].sort();
}

beforeAll(async () => {
  upstream = await startUpstream();
});
afterAll(async () => {
  agent.destroy();
  await upstream.close();
});

describe.each(MODES)('in %s mode', (mode) => {
  let gateway: Gateway;
  let server: HttpServer;
  beforeAll(async () => {
    gateway = gatewayOf(ALL, mode);
    const keys = CLASSES.map((effects) => ({
      name: keyOf(effects),
      sha256: createHash('sha256').update(keyOf(effects)).digest('hex'),
      effects,
    }));
    const identify = createIdentify({ authorities: [createKeyAuthority(keys)], challenge: () => 'Bearer' });
    server = await serveHttp(gateway, { port: 0, identify });
  });
  afterAll(async () => {
    await server.close(0);
    await gateway.close();
  });

  test.each(CLASSES.map((effects) => [effects]))(
    'a caller with the effects %j sees and can call those operations only',
    async (effects) => {
      const reference = gatewayOf(effects, mode);
      const registries = [gateway.registry, reference.registry];
      const inProcess: Send = async (message, headers) => {
        const reply = await reference.handle(JSON.stringify(message), { transport: 'http', headers });
        return reply?.body ?? '';
      };
      try {
        for (const era of ERAS) {
          const answers = await askAll(sendOverHttp(server, effects), era, registries);
          const reached = takeEffects();
          expect(answers).toEqual(await askAll(inProcess, era, registries));
          takeEffects();
          expect(reached).toEqual(allowedEffects(effects));
        }
      } finally {
        await reference.close();
      }
    },
  );

  test.each(CLASSES.map((effects) => [effects]))(
    'a caller with the effects %j can call exactly the operations in its list',
    async (effects) => {
      const send = sendOverHttp(server, effects);
      const call = async (name: string, input: object) => {
        const text = await send(legacy(1, 'tools/call', { name, arguments: input }), {});
        return (JSON.parse(text) as { result?: { content: { text: string }[] } }).result?.content[0]?.text ?? '';
      };
      const { result } = JSON.parse(await send(legacy(1, 'tools/list'), {})) as {
        result: { tools: { name: string; inputSchema: { properties?: { action?: { enum?: string[] } } } }[] };
      };
      for (const { name, inputSchema } of result.tools) {
        if (name === 'search_operations' || name === 'describe_operation') continue;
        if (name === 'call_operation') {
          const hits = await Promise.all(
            effects.map((effect) =>
              call('search_operations', { query: 'order stock vault session', effect, limit: 30 }),
            ),
          );
          for (const [, operation] of hits.join('\n').matchAll(/^(\w+)\(/gm))
            for (const input of INPUTS) await call(name, { operation, arguments: input });
          continue;
        }
        const picks = inputSchema.properties?.action?.enum?.map((action) => ({ action })) ?? [{}];
        for (const pick of picks) for (const input of INPUTS) await call(name, { ...pick, ...input });
      }
      // Except resources and prompts, which are not in the lists of tools.
      const expected = allowedEffects(effects).filter(
        (one) => one !== 'status' && one !== 'hello' && one !== 'GET /prices',
      );
      expect(takeEffects()).toEqual(expected);
    },
  );
});

test('a caller with fewer effects reads a document with its own operations only, even if the domain keeps the whole document', async () => {
  const document = { text: '{"paths":{"/left-out":{"delete":{}}}}', mimeType: 'application/json' };
  const shop = aDomain('shop', [anEndpoint('shop', 'list_orders', { path: '/orders' })], { document });
  const gateway = createGateway({ domains: [shop], exposure: 'tools' });
  const read = async (effects?: readonly Effect[]) => {
    const message = modern(1, 'resources/read', { uri: 'landbridge://domains/shop/openapi' });
    return (await gateway.serviceOf('', effects)!.handle(message))!.body;
  };
  expect(await read()).toContain('left-out');
  expect(await read(['read'])).not.toContain('left-out');
  expect(await read(['read'])).toContain('/orders');
  await gateway.close();
});

test('a profile leaves out prompts that use operations it does not serve', async () => {
  const gateway = createGateway({
    domains: domainsOf(ALL),
    exposure: 'tools',
    profiles: { orders: { include: ['shop.list_orders', 'shop.get_order'] }, stock: { tags: ['shop.stock'] } },
  });
  expect([...gateway.prompts.keys()]).toEqual(Object.keys(PROMPTS));
  expect([...gateway.serviceOf('orders')!.prompts.keys()]).toEqual(['greet', 'read_guide', 'review', 'inspect']);
  expect([...gateway.serviceOf('stock')!.prompts.keys()]).toEqual(['greet', 'read_guide']);
  await gateway.close();
});

test('a native tool can declare a REST operation stricter than it is, never laxer', async () => {
  const [shop] = domainsOf(ALL);
  const whole = createGateway({ domains: [shop!], exposure: 'tools' });
  const operation = (name: string) => whole.registry.operations.find((one) => one.name === name)!;
  const tool = new GroupedToolBuilder('desk')
    .annotations({ readOnlyHint: true, destructiveHint: false })
    .action({ name: 'look', operation: operation('shop_list_orders') })
    .action({ name: 'feign', readOnly: true, operation: operation('shop_delete_order') })
    .action({ name: 'warn', destructive: true, operation: operation('shop_create_order') });
  const gateway = createGateway({ domains: [], native: { tools: [tool.toEntry()] }, exposure: 'tools' });
  const actionsOf = (effects: readonly Effect[]) => {
    const entry = gateway.serviceOf('', effects)!.registry.tools.get('desk');
    const { properties } = (entry?.tool.inputSchema ?? {}) as { properties?: { action?: { enum?: string[] } } };
    return properties?.action?.enum;
  };
  expect(actionsOf(['read'])).toEqual(['look']);
  expect(actionsOf(['write'])).toBeUndefined();
  expect(actionsOf(['destructive'])).toEqual(['feign', 'warn']);
  await gateway.close();
  await whole.close();
});
