// Resources, prompts and completion in both eras, and the pages of every list.
import fc from 'fast-check';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { z } from 'zod';
import type { Domain } from '../../src/endpoint/model.ts';
import { createGateway, type Gateway } from '../../src/gateway.ts';
import { legacy, modern, type Rpc } from '../support/mcp.ts';
import { petsDomain } from '../support/pets.ts';
import { startUpstream, type Upstream } from '../support/upstream.ts';

const PNG = Buffer.from('89504e470d0a1a0a', 'hex');

let upstream: Upstream;
let gateway: Gateway;
let domain: Domain;

beforeAll(async () => {
  upstream = await startUpstream(({ url }, response) => {
    if (url === '/pets/404')
      return void response.writeHead(404, { 'content-type': 'application/json' }).end('{"title":"No such pet"}');
    if (url === '/pets/500') return void response.writeHead(500).end('oops');
    if (url === '/pets/1/photo') return void response.writeHead(200, { 'content-type': 'image/png' }).end(PNG);
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify({ url }));
  });
  domain = {
    ...petsDomain(
      upstream.url,
      {},
      {
        endpoints: {
          get: { path: '/pets/{id}', summary: 'Gets one pet.', args: z.object({ id: z.int().min(1) }), expose: 'both' },
          mine: { path: '/pets/mine', summary: 'Gets my pet.', expose: 'resource' },
          of: {
            path: '/pets/of-{owner}',
            summary: 'Pets of a person.',
            args: z.object({ owner: z.string() }),
            expose: 'resource',
          },
          photo: { path: '/pets/{id}/photo', summary: 'A photo.', args: z.object({ id: z.int() }), expose: 'resource' },
          search: {
            path: '/search',
            summary: 'Searches pets.',
            args: z.object({
              kind: z.enum(['cat', 'dog', 'cow']).optional(),
              tags: z.array(z.string()).optional(),
              limit: z.int().optional(),
            }),
            expose: 'resource',
          },
          create: { method: 'POST', path: '/pets', summary: 'Adds a pet.', args: z.object({ name: z.string() }) },
        },
        prompts: {
          introduce: {
            title: 'Introduce',
            description: 'Introduces a pet.',
            arguments: { kind: { required: true, values: ['cat', 'dog'], description: 'Which kind' }, tone: {} },
            messages: [
              { role: 'user', text: 'Tell me about a {{kind}}, {{ tone }}.' },
              { role: 'assistant', resource: 'pets://about' },
              { role: 'user', resource: 'pets://pets/7' },
            ],
          },
          broken: { messages: [{ role: 'user', resource: 'pets://pets/404' }] },
          short: { text: 'Name a pet.' },
        },
      },
    ),
    document: { text: '{"openapi":"3.1.0"}', mimeType: 'application/json' },
  };
  gateway = createGateway({ domains: [domain], exposure: 'tools' });
});
afterAll(async () => {
  await gateway.close();
  await upstream.close();
});
beforeEach(() => {
  upstream.seen.length = 0;
});

const ask = async (message: Rpc, from: Gateway = gateway, headers?: Record<string, string>): Promise<Rpc> => {
  const reply = await from.handle(JSON.stringify(message), headers ? { transport: 'http', headers } : {});
  return JSON.parse(reply?.body ?? 'null') as Rpc;
};
const both = (method: string, params: Record<string, unknown>) => [
  modern(1, method, params),
  legacy(1, method, params),
];
const read = (uri: string) => ask(modern(1, 'resources/read', { uri }));
const SERVER_INFO = { 'io.modelcontextprotocol/serverInfo': expect.objectContaining({ name: 'landbridge' }) };

describe('resources', () => {
  test('are the domain’s description, its OpenAPI document, what it declares, and endpoints without arguments', async () => {
    const resources = [
      {
        uri: 'landbridge://domains/pets',
        name: 'pets',
        title: 'Pets',
        description: 'About the API Pets',
        mimeType: 'text/markdown',
      },
      {
        uri: 'landbridge://domains/pets/openapi',
        name: 'pets_openapi',
        title: 'Pets: OpenAPI document',
        mimeType: 'application/json',
      },
      { uri: 'pets://about', name: 'about', mimeType: 'text/plain' },
      { uri: 'pets://pets/mine', name: 'pets_mine', description: 'Gets my pet.' },
    ];
    const [now, before] = both('resources/list', {});
    expect((await ask(now!)).result).toEqual({
      resources,
      resultType: 'complete',
      ttlMs: 300000,
      cacheScope: 'public',
      _meta: SERVER_INFO,
    });
    expect((await ask(before!)).result).toEqual({ resources });
    // Titles came with 2025-06-18.
    const old = await ask(before!, gateway, { 'mcp-protocol-version': '2025-03-26' });
    expect(((old.result?.resources ?? []) as object[])[0]).toEqual({
      uri: 'landbridge://domains/pets',
      name: 'pets',
      description: 'About the API Pets',
      mimeType: 'text/markdown',
    });
  });

  test('that are texts are read as they are, and may be kept', async () => {
    expect((await read('pets://about')).result).toEqual({
      contents: [{ uri: 'pets://about', mimeType: 'text/plain', text: 'All about pets.' }],
      resultType: 'complete',
      ttlMs: 300000,
      cacheScope: 'public',
      _meta: SERVER_INFO,
    });
    expect((await ask(legacy(1, 'resources/read', { uri: 'landbridge://domains/pets/openapi' }))).result).toEqual({
      contents: [
        { uri: 'landbridge://domains/pets/openapi', mimeType: 'application/json', text: '{"openapi":"3.1.0"}' },
      ],
    });
    const about = (await read('landbridge://domains/pets')).result as { contents: [{ text: string }] };
    expect(about.contents[0].text).toContain('- `pets_get` GET /pets/{id} (read): Gets one pet.');
    expect(upstream.seen).toEqual([]);
  });

  test('of an API are read through the golden path, live, and kept by nobody', async () => {
    expect((await read('pets://pets/7')).result).toMatchObject({
      contents: [{ uri: 'pets://pets/7', text: '{"url":"/pets/7"}' }],
      ttlMs: 0,
      cacheScope: 'private',
    });
    expect((await ask(legacy(1, 'resources/read', { uri: 'pets://pets/mine' }))).result).toEqual({
      contents: [expect.objectContaining({ uri: 'pets://pets/mine', text: '{"url":"/pets/mine"}' })],
    });
  });

  test.each([
    ['pets://pets/mine', '/pets/mine'],
    ['pets://pets/of-ann', '/pets/of-ann'],
    ['pets://pets/of-a%20b', '/pets/of-a%20b'],
    ['pets://search', '/search'],
    ['pets://search?kind=cat&limit=3', '/search?kind=cat&limit=3'],
    ['pets://search?tags=a,b', '/search?tags=a&tags=b'],
  ])('%s reads %s, whichever template was declared first', async (uri, url) => {
    expect((await read(uri)).error).toBeUndefined();
    expect(upstream.seen.map((seen) => seen.url)).toEqual([url]);
  });

  test('that are images come as blobs', async () => {
    expect((await read('pets://pets/1/photo')).result?.contents).toEqual([
      { uri: 'pets://pets/1/photo', mimeType: 'image/png', blob: PNG.toString('base64') },
    ]);
  });

  test.each([
    ['pets://nowhere'],
    ['pets://pets/'],
    ['pets://pets/7/8'],
    ['pets://pets/%'],
    ['pets://search?kind=cat&kind=dog'],
    ['pets://search?other=1'],
    ['pets://pets/404'],
    ['PETS://about'],
    ['__proto__'],
  ])('%s does not exist: -32602 now, -32002 before, both with the uri', async (uri) => {
    const [now, before] = both('resources/read', { uri });
    expect((await ask(now!)).error).toMatchObject({ code: -32602, data: { uri } });
    expect((await ask(before!)).error).toMatchObject({ code: -32002, data: { uri } });
  });

  test('with an endless name does not exist either', async () => {
    expect((await read(`pets://pets/${'9'.repeat(9000)}`)).error?.code).toBe(-32602);
  });

  test('are checked before anything is sent', async () => {
    expect((await read('pets://pets/0')).error).toMatchObject({ code: -32602, data: { uri: 'pets://pets/0' } });
    expect((await read('pets://search?kind=fish')).error).toMatchObject({ code: -32602 });
    // Dot segments stay data, or are refused: they never become another path.
    await read('pets://pets/of-%2e%2e%2fadmin');
    await read('pets://pets/of-..');
    for (const { url } of upstream.seen) expect(url).toMatch(/^\/pets\/of-[^/]*$/);
  });

  test('that fail upstream are an error of the request, with the reason', async () => {
    expect((await read('pets://pets/500')).error).toMatchObject({
      code: -32603,
      message: expect.stringContaining('the API answered 500'),
      data: { uri: 'pets://pets/500', failure_mode: 'upstream_error' },
    });
  });

  test('need a uri', async () => {
    expect((await ask(modern(1, 'resources/read', { uri: 7 }))).error).toEqual({
      code: -32602,
      message: 'Invalid params: "uri" must be a string that is not blank.',
    });
  });

  test('offered only as such are no tools', () => {
    expect([...gateway.registry.tools.keys()]).toEqual(['pets_get', 'pets_create']);
  });

  test('have templates, with the other arguments as a query', async () => {
    const [now, before] = both('resources/templates/list', {});
    const templates = [
      { uriTemplate: 'pets://pets/{id}', name: 'pets_get', description: 'Gets one pet.' },
      { uriTemplate: 'pets://pets/of-{owner}', name: 'pets_of', description: 'Pets of a person.' },
      { uriTemplate: 'pets://pets/{id}/photo', name: 'pets_photo', description: 'A photo.' },
      { uriTemplate: 'pets://search{?kind,tags,limit}', name: 'pets_search', description: 'Searches pets.' },
    ];
    expect((await ask(now!)).result).toMatchObject({
      resourceTemplates: templates,
      ttlMs: 300000,
      cacheScope: 'public',
    });
    expect((await ask(before!)).result).toEqual({ resourceTemplates: templates });
  });
});

describe('prompts', () => {
  test('are listed with their arguments', async () => {
    const prompts = [
      {
        name: 'introduce',
        title: 'Introduce',
        description: 'Introduces a pet.',
        arguments: [{ name: 'kind', description: 'Which kind', required: true }, { name: 'tone' }],
      },
      { name: 'broken' },
      { name: 'short' },
    ];
    const [now, before] = both('prompts/list', {});
    expect((await ask(now!)).result).toMatchObject({ prompts, resultType: 'complete', ttlMs: 300000 });
    expect((await ask(before!)).result).toEqual({ prompts });
  });

  test('are filled in, and embed resources, fixed and live', async () => {
    for (const message of both('prompts/get', { name: 'introduce', arguments: { kind: 'cat', tone: '$& {{kind}}' } })) {
      expect((await ask(message)).result).toMatchObject({
        description: 'Introduces a pet.',
        messages: [
          // What is filled in is data: neither replacement patterns nor placeholders in it mean anything.
          { role: 'user', content: { type: 'text', text: 'Tell me about a cat, $& {{kind}}.' } },
          {
            role: 'assistant',
            content: {
              type: 'resource',
              resource: { uri: 'pets://about', mimeType: 'text/plain', text: 'All about pets.' },
            },
          },
          {
            role: 'user',
            content: { type: 'resource', resource: { uri: 'pets://pets/7', text: '{"url":"/pets/7"}' } },
          },
        ],
      });
    }
  });

  test('need no arguments where they have none', async () => {
    expect((await ask(legacy(1, 'prompts/get', { name: 'short' }))).result).toEqual({
      messages: [{ role: 'user', content: { type: 'text', text: 'Name a pet.' } }],
    });
  });

  test.each<[Record<string, unknown>, string]>([
    [{}, 'missing `kind`'],
    [{ kind: '' }, 'missing `kind`'],
    [{ kind: 'fish' }, '`kind` must be one of cat, dog'],
    [{ kind: 7 }, '`kind` must be a string'],
    [{ kind: 'cat', size: 'x' }, 'unknown `size`'],
    [JSON.parse('{"kind":"cat","__proto__":"x"}'), 'unknown `__proto__`'],
  ])('refuse arguments %j', async (given, why) => {
    const { error } = await ask(modern(1, 'prompts/get', { name: 'introduce', arguments: given }));
    expect(error?.code).toBe(-32602);
    expect(error?.message).toContain(`Invalid arguments for the prompt introduce: ${why}`);
    expect(error?.message).toContain('Its arguments: kind, tone.');
  });

  test('that embed what does not exist say so', async () => {
    expect((await ask(modern(1, 'prompts/get', { name: 'broken' }))).error).toMatchObject({
      code: -32602,
      data: { uri: 'pets://pets/404' },
    });
  });
});

describe('completion', () => {
  const complete = (ref: unknown, argument: unknown) => both('completion/complete', { ref, argument });

  test.each([
    [{ type: 'ref/prompt', name: 'introduce' }, { name: 'kind', value: '' }, ['cat', 'dog']],
    [{ type: 'ref/prompt', name: 'introduce' }, { name: 'kind', value: 'C' }, ['cat']],
    [{ type: 'ref/prompt', name: 'introduce' }, { name: 'tone', value: '' }, []],
    [{ type: 'ref/prompt', name: 'introduce' }, { name: 'toString', value: '' }, []],
    [{ type: 'ref/resource', uri: 'pets://search{?kind,tags,limit}' }, { name: 'kind', value: 'c' }, ['cat', 'cow']],
    [{ type: 'ref/resource', uri: 'pets://pets/{id}' }, { name: 'id', value: '' }, []],
    [{ type: 'ref/resource', uri: 'pets://about' }, { name: 'x', value: '' }, []],
  ])('of %j %j', async (ref, argument, values) => {
    const completion = { values, total: values.length, hasMore: false };
    const [now, before] = complete(ref, argument);
    expect((await ask(now!)).result).toEqual({ completion, resultType: 'complete', _meta: SERVER_INFO });
    expect((await ask(before!)).result).toEqual({ completion });
  });

  test.each([
    [undefined, undefined],
    [{ type: 'ref/prompt', name: 'introduce' }, { name: 'kind' }],
    [{ type: 'ref/prompt', name: 'introduce' }, 'kind'],
    [
      { type: 'ref/prompt', name: 'nope' },
      { name: 'kind', value: '' },
    ],
    [
      { type: 'ref/prompt', name: { toString: 1 } },
      { name: 'kind', value: '' },
    ],
    [
      { type: 'ref/resource', uri: 'pets://nope' },
      { name: 'kind', value: '' },
    ],
    [
      { type: 'ref/resource', uri: ['a'] },
      { name: 'kind', value: '' },
    ],
    [{ type: 'ref/other' }, { name: 'kind', value: '' }],
    ['introduce', { name: 'kind', value: '' }],
    [null, { name: 'kind', value: '' }],
  ])('refuses ref %j argument %j', async (ref, argument) => {
    for (const message of complete(ref, argument)) expect((await ask(message)).error?.code).toBe(-32602);
  });

  test('offers at most a hundred values and says that there are more', async () => {
    const values = Array.from({ length: 150 }, (_, index) => `v${index}`);
    const prompts = { many: { arguments: { which: { values } }, text: '{{which}}' } };
    const own = createGateway({ domains: [petsDomain(upstream.url, {}, { prompts })] });
    const [now] = complete({ type: 'ref/prompt', name: 'many' }, { name: 'which', value: '' });
    expect((await ask(now!, own)).result?.completion).toEqual({
      values: values.slice(0, 100),
      total: 150,
      hasMore: true,
    });
    await own.close();
  });
});

describe('a gateway without prompts and resources', () => {
  test('declares neither, and has no such methods', async () => {
    const own = createGateway({ domains: [] });
    expect((await ask(modern(1, 'server/discover'), own)).result?.capabilities).toEqual({ tools: {} });
    for (const method of [
      'resources/list',
      'resources/read',
      'resources/templates/list',
      'prompts/list',
      'prompts/get',
      'completion/complete',
    ]) {
      for (const message of both(method, { uri: 'a://b', name: 'x' }))
        expect((await ask(message, own)).error?.code).toBe(-32601);
    }
    expect((await ask(modern(1, 'tools/list'), own)).result?.tools).toEqual([]);
    await own.close();
  });
});

describe('pages', () => {
  const LISTS = {
    'tools/list': 'tools',
    'resources/list': 'resources',
    'resources/templates/list': 'resourceTemplates',
    'prompts/list': 'prompts',
  } as const;

  test('of any size, in both eras, hold the whole list in order, each thing once', async () => {
    const whole = new Map<string, unknown>();
    for (const [method, key] of Object.entries(LISTS)) whole.set(method, (await ask(modern(1, method))).result?.[key]);
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 1, max: 6 }), async (pageSize) => {
        const own = createGateway({ domains: [domain], exposure: 'tools', pageSize });
        for (const [method, key] of Object.entries(LISTS)) {
          for (const make of [modern, legacy]) {
            const all: unknown[] = [];
            let cursor: unknown;
            do {
              const { result } = await ask(make(1, method, cursor === undefined ? {} : { cursor }), own);
              const items = result?.[key] as unknown[];
              expect(items.length).toBeLessThanOrEqual(pageSize);
              // Caching must be the same on all pages of a list.
              if (make === modern) expect([result?.ttlMs, result?.cacheScope]).toEqual([300000, 'public']);
              all.push(...items);
              cursor = result?.nextCursor;
            } while (cursor !== undefined);
            expect(all).toEqual(whole.get(method));
          }
        }
        await own.close();
      }),
      { numRuns: 4 },
    );
  });

  test('are found by any replica, but not by another list, another length, or a changed cursor', async () => {
    const [one, two] = [1, 2].map(() => createGateway({ domains: [domain], exposure: 'tools', pageSize: 1 }));
    const cursor = String((await ask(modern(1, 'tools/list'), one)).result?.nextCursor);
    expect((await ask(modern(1, 'tools/list', { cursor }), two)).result?.tools).toHaveLength(1);
    for (const [method, given] of [
      ['prompts/list', cursor],
      ['tools/list', `${cursor}x`],
      ['tools/list', cursor.slice(1)],
      ['tools/list', 7],
      ['tools/list', null],
      ['tools/list', { toString: 1 }],
    ] as const) {
      expect((await ask(modern(1, method, { cursor: given }), two)).error?.code).toBe(-32602);
    }
    const fewer = createGateway({
      domains: [{ ...domain, endpoints: domain.endpoints.slice(0, 1) }],
      exposure: 'tools',
      pageSize: 1,
    });
    expect((await ask(modern(1, 'tools/list', { cursor }), fewer)).error?.code).toBe(-32602);
    await Promise.all([one, two, fewer].map((each) => each?.close()));
  });
});
