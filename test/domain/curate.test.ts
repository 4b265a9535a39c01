// A domain file over an OpenAPI document: what is chosen, renamed, hidden, fixed, defaulted and shaped.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { stringify } from 'yaml';
import { curateOperations } from '../../src/domain/curation/curate.ts';
import { loadDomains } from '../../src/domain/load.ts';
import { compileGlob } from '../../src/endpoint/glob.ts';
import type { Endpoint } from '../../src/endpoint/model.ts';
import type { Problem } from '../../src/endpoint/problems.ts';
import { createValidator } from '../../src/schema/check/validator.ts';

const DOCUMENT = {
  openapi: '3.1.0',
  info: { title: 'Pet shop', version: '1', description: 'From the document.' },
  servers: [{ url: 'https://shop.test/v1' }],
  security: [{ token: [] }],
  components: { securitySchemes: { token: { type: 'http', scheme: 'bearer' } } },
  paths: {
    '/pets': {
      get: {
        operationId: 'listPets',
        tags: ['pets'],
        summary: 'Lists pets.',
        description: 'Long text of the document.',
        parameters: [
          { name: 'kind', in: 'query', schema: { type: 'string', enum: ['cat', 'dog', 'fish'] } },
          { name: 'tenant', in: 'query', required: true, schema: { type: 'string' } },
          { name: 'page', in: 'query', schema: { type: 'integer' } },
          { name: 'per_page', in: 'query', schema: { type: 'integer', default: 100 } },
          { name: 'debug', in: 'query', schema: { type: 'boolean' } },
        ],
        responses: { 200: { description: 'ok' } },
      },
      post: {
        operationId: 'createPet',
        tags: ['pets'],
        requestBody: {
          required: true,
          content: {
            'application/json': {
              schema: {
                type: 'object',
                required: ['name'],
                properties: { name: { type: 'string' }, shop: { type: 'string' } },
              },
            },
          },
        },
        responses: { 201: { description: 'ok' } },
      },
    },
    '/pets/{id}': {
      get: {
        operationId: 'getPet',
        tags: ['pets'],
        parameters: [{ name: 'id', in: 'path', required: true, schema: { type: 'integer' } }],
        responses: { 200: { description: 'ok' } },
      },
      delete: {
        operationId: 'deletePet',
        tags: ['pets'],
        deprecated: true,
        parameters: [{ name: 'id', in: 'path', required: true, schema: { type: 'integer' } }],
        responses: { 204: { description: 'ok' } },
      },
    },
    '/admin/reset': {
      post: { tags: ['admin'], summary: 'Resets everything.', responses: { 204: { description: 'ok' } } },
    },
  },
};

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'curate-'));
  writeFileSync(join(folder, 'shop-api.yaml'), stringify(DOCUMENT));
});
afterAll(() => {
  rmSync(folder, { recursive: true, force: true });
});

async function load(definition: object, env: Record<string, string> = {}, options: object = {}) {
  const file = join(folder, 'shop.yaml');
  writeFileSync(file, stringify({ name: 'shop', openapi: './shop-api.yaml', ...definition }));
  const [domain] = await loadDomains({ paths: [file], env, ...options });
  return domain!;
}

const actions = async (definition: object) => (await load(definition)).endpoints.map((endpoint) => endpoint.action);

async function message(definition: object): Promise<string> {
  const error = await load(definition).then(
    () => new Error('it loaded'),
    (caught: Error) => caught,
  );
  expect(error).toMatchObject({ code: 'BAD_DOMAIN' });
  return error.message.replaceAll(`${folder}/`, '');
}

describe('include and exclude', () => {
  const all = ['list_pets', 'create_pet', 'get_pet', 'delete_pet', 'admin_reset'];
  const rows: [string, object, string[]][] = [
    ['nothing said', {}, all],
    ['a tag', { include: { tags: ['admin'] } }, ['admin_reset']],
    [
      'a tag in other letters',
      { include: { tags: ['Pets'] }, exclude: { methods: ['delete', 'post'] } },
      ['list_pets', 'get_pet'],
    ],
    ['a path', { include: { paths: ['/pets'] } }, ['list_pets', 'create_pet']],
    [
      'everything below a path',
      { include: { paths: ['/pets/**'] } },
      ['list_pets', 'create_pet', 'get_pet', 'delete_pet'],
    ],
    ['one segment', { include: { paths: ['/pets/*'] } }, ['get_pet', 'delete_pet']],
    ['several paths', { include: { paths: ['/pets', '/admin/**'] } }, ['list_pets', 'create_pet', 'admin_reset']],
    ['methods', { include: { methods: ['GET'] } }, ['list_pets', 'get_pet']],
    ['operationIds', { include: { operations: ['listPets', 'get*'] } }, ['list_pets', 'get_pet']],
    [
      'the names of tools, as the imported file lists them',
      { include: { operations: ['get_pet', 'admin_reset'] } },
      ['get_pet', 'admin_reset'],
    ],
    ['the name of a tool with its prefix', { prefix: 'my', include: { operations: ['my_get_pet'] } }, ['get_pet']],
    ['a fully-qualified name', { include: { operations: ['shop.pets.get_pet'] } }, ['get_pet']],
    ['fully-qualified names by glob', { exclude: { operations: ['shop.pets.*'] } }, ['admin_reset']],
    ['a group by its full name', { include: { tags: ['shop.admin'] } }, ['admin_reset']],
    ['METHOD /path', { include: { operations: ['POST /admin/*'] } }, ['admin_reset']],
    ['no deprecated ones', { exclude: { deprecated: true } }, all.filter((action) => action !== 'delete_pet')],
    ['two conditions at once', { include: { tags: ['pets'], methods: ['POST'] } }, ['create_pet']],
    [
      'an exclusion of two conditions',
      { exclude: { tags: ['pets'], methods: ['GET'] } },
      ['create_pet', 'delete_pet', 'admin_reset'],
    ],
  ];
  for (const [what, definition, want] of rows) {
    test(`select operations: ${what}`, async () => {
      expect(await actions(definition)).toEqual(want);
    });
  }

  test('that leave nothing are a mistake, and values that never matched are reported', async () => {
    expect(await message({ include: { tags: ['pest'] } })).toMatch(
      /^shop\.yaml:5:\d+ include\.tags\[0\]: no operation of the document has the tag "pest"; did you mean "pets"\?$/,
    );
    expect(await message({ include: { operations: ['GET /pet'] } })).toMatch(/did you mean "GET \/pets"\?$/);
    expect((await load({ include: { tags: ['pets', 'pest'] } })).warnings).toContainEqual(
      expect.stringMatching(
        /shop\.yaml:\d+:\d+ include\.tags\[1\]: no operation of the document has the tag "pest"; did you mean "pets"\?$/,
      ),
    );
  });

  test('whose keys together match nothing are reported', async () => {
    const both = { exclude: { deprecated: true, methods: ['GET'] } };
    expect(await actions(both)).toEqual(all);
    expect((await load(both)).warnings).toContainEqual(
      expect.stringMatching(
        /shop\.yaml:\d+:\d+ exclude: no operation of the document matches methods and deprecated together, and all keys of a filter must match; write one of them, such as operations$/,
      ),
    );
    const matched = await load({ exclude: { deprecated: true, methods: ['DELETE'] } });
    expect(matched.warnings).not.toContainEqual(expect.stringContaining('together'));
  });
});

describe('compileGlob()', () => {
  const rows: [string, string, boolean][] = [
    ['/a/*', '/a/b', true],
    ['/a/*', '/a/b/c', false],
    ['/a/*', '/a/', true],
    ['/a/**', '/a', true],
    ['/a/**', '/ab', false],
    ['/**/c', '/a/b/c', true],
    ['/a/*/c', '/a/b/c', true],
    ['/a.b', '/axb', false],
    ['*', '/a', false],
    ['**', '/a/b', true],
  ];
  for (const [glob, path, want] of rows) {
    test(`${glob} ${want ? 'matches' : 'leaves'} ${path}`, () => {
      expect(compileGlob(glob, '/')(path)).toBe(want);
    });
  }

  test('is fast for a hostile pattern', () => {
    expect(compileGlob(`${'*a'.repeat(50)}b`)('a'.repeat(5_000))).toBe(false);
  });
});

describe('operations', () => {
  test('are found by operationId, METHOD /path, action and tool name', async () => {
    const domain = await load({
      operations: {
        listPets: { title: '1' },
        'post /pets': { title: '2' },
        get_pet: { title: '3' },
        shop_delete_pet: { title: '4' },
        'POST /admin/reset': { title: '5' },
      },
    });
    expect(domain.endpoints.map((endpoint) => endpoint.title)).toEqual(['1', '2', '3', '4', '5']);
  });

  test('take new names, texts, effects, limits and shapes, and record where they come from', async () => {
    const { endpoints, pinned } = await load({
      timeoutMs: 7_000,
      response: { maxChars: 900 },
      headers: { 'X-Client': 'test' },
      operations: {
        listPets: {
          name: 'browse',
          summary: 'Shows the shop.',
          effect: 'write',
          guard: 'deny',
          timeoutMs: 50,
          response: { pick: ['id', 'name'], format: 'toon' },
          expose: 'both',
          pinned: true,
        },
      },
    });
    const [list, create] = endpoints as [Endpoint, Endpoint];
    expect(list).toMatchObject({
      id: 'shop.browse',
      action: 'browse',
      toolName: 'shop_browse',
      summary: 'Shows the shop.',
      description: undefined,
      effect: 'write',
      guard: 'deny',
      limits: { timeoutMs: 50 },
      response: { pick: ['id', 'name'], format: 'toon', maxChars: 900 },
      expose: 'both',
      headers: { 'X-Client': 'test' },
    });
    expect(create).toMatchObject({
      limits: { timeoutMs: 7_000 },
      response: { maxChars: 900 },
      headers: { 'X-Client': 'test' },
    });
    expect(pinned).toEqual(['shop_browse']);
    expect(list.provenance).toMatchObject({
      name: expect.stringMatching(/shop\.yaml: operations\.listPets\.name$/),
      effect: expect.stringMatching(/operations\.listPets\.effect$/),
      operationId: 'listPets',
    });
  });

  test("have the author's texts without those of the document", async () => {
    const { endpoints } = await load({ operations: { listPets: { description: 'Shows pets. Ten at a time.' } } });
    expect(endpoints[0]).toMatchObject({ summary: 'Shows pets.', description: 'Shows pets. Ten at a time.' });
  });

  test('hide, fix, default, rename, describe and narrow arguments', async () => {
    const { endpoints } = await load({
      operations: {
        listPets: {
          args: {
            kind: { rename: 'species', description: 'What it is.', enum: ['cat', 'dog'] },
            tenant: { fixed: 'acme' },
            per_page: { default: 20 },
            debug: { hide: true },
          },
        },
      },
    });
    const list = endpoints[0]!;
    expect(
      list.args.map(({ key, required, to }) => [key, required, to.map((target) => 'name' in target && target.name)]),
    ).toEqual([
      ['species', false, ['kind']],
      ['page', false, ['page']],
      ['per_page', false, ['per_page']],
    ]);
    expect(list.fixed).toEqual([{ value: 'acme', to: expect.objectContaining({ in: 'query', name: 'tenant' }) }]);
    expect(list.inputSchema).toEqual({
      type: 'object',
      properties: {
        species: { type: 'string', enum: ['cat', 'dog'], description: 'What it is.' },
        page: { type: 'integer' },
        per_page: { type: 'integer', default: 20 },
      },
      additionalProperties: false,
    });
    const validate = createValidator(list);
    expect(validate('t', {})).toEqual({ per_page: 20 });
    expect(validate('t', { species: 'cat', per_page: 5 })).toEqual({ species: 'cat', per_page: 5 });
    for (const wrong of [{ kind: 'cat' }, { species: 'fish' }, { tenant: 'x' }, { debug: true }])
      expect(() => validate('t', wrong)).toThrow();
  });

  test('never send a default that only the document has', async () => {
    const list = (await load({})).endpoints[0]!;
    expect(createValidator(list)('t', { tenant: 'x' })).toEqual({ tenant: 'x' });
  });

  const mistakes: [string, object, RegExp][] = [
    [
      'an unknown operation',
      { operations: { listPet: {} } },
      /^shop\.yaml:4:\d+ operations\.listPet: there is no such operation .*did you mean "listPets"\?$/,
    ],
    [
      'an operation that was left out',
      { exclude: { tags: ['admin'] }, operations: { 'POST /admin/reset': {} } },
      /include and exclude leave it out/,
    ],
    [
      'an unknown argument',
      { operations: { listPets: { args: { knd: { hide: true } } } } },
      /args\.knd: there is no argument "knd"; did you mean "kind"\?/,
    ],
    [
      'hiding what the API requires',
      { operations: { listPets: { args: { tenant: { hide: true } } } } },
      /^shop\.yaml:\d+:\d+ operations\.listPets\.args\.tenant: is required, so every call without it would be refused; give it a value \(fixed: …\), or required: false if the API accepts calls without it$/,
    ],
    [
      'hiding a part of the path',
      { operations: { getPet: { args: { id: { hide: true } } } } },
      /args\.id: is required, so every call without it would be refused; give it a value \(fixed: …\)$/,
    ],
    [
      'hiding a part of the path as optional',
      { operations: { getPet: { args: { id: { hide: true, required: false } } } } },
      /args\.id\.required: is part of the path and must stay required/,
    ],
    [
      'hiding what an optional body needs',
      { operations: { createPet: { body: { required: false }, args: { name: { hide: true } } } } },
      /createPet\.args\.name: is required, so every call without it would be refused/,
    ],
    [
      'a choice of nothing',
      { operations: { listPets: { args: { kind: { enum: [] } } } } },
      /args\.kind\.enum: lists no value, so no call could be valid; add values or remove it/,
    ],
    [
      'a choice the API does not take',
      { operations: { listPets: { args: { kind: { enum: ['cat', 'cow'] } } } } },
      /args\.kind\.enum: must be one of "cat", "dog", "fish"; got string "cow"/,
    ],
    [
      'a body that is not there',
      { operations: { listPets: { body: { required: false } } } },
      /listPets\.body: has no effect: the operation sends no body/,
    ],
    [
      'a body that is to be required',
      { operations: { createPet: { body: { required: true } } } },
      /createPet\.body\.required: true has no effect here; set it on the arguments in the body, such as args: \{ name: \{ required: true \} \}/,
    ],
    [
      'a new name that is taken',
      { operations: { listPets: { args: { page: { rename: 'kind' } } } } },
      /args\.page\.rename: "kind" is another argument already/,
    ],
    [
      'an optional path variable',
      { operations: { getPet: { args: { id: { required: false } } } } },
      /is part of the path and must stay required/,
    ],
    [
      'an action that is taken',
      { operations: { listPets: { name: 'get_pet' } } },
      /^shop\.yaml:5:5 operations\.listPets\.name: gives GET \/pets \(listPets\) the name "get_pet", which GET \/pets\/\{id\} \(getPet\) also has; choose another name, or name the other operation too/,
    ],
    [
      'one operation said twice',
      { operations: { listPets: {}, list_pets: {} } },
      /is the same operation as "listPets"; merge the two entries/,
    ],
    [
      'paging by no argument',
      { operations: { getPet: { pagination: { kind: 'page', arg: 'page' } } } },
      /pagination\.arg: there is no argument "page"/,
    ],
    ['a pin of nothing', { pinned: ['list_cats'] }, /pinned\[0\]: there is no operation "list_cats"/],
    [
      'an unknown key',
      { operations: { listPets: { sumary: 'x' } } },
      /operations\.listPets\.sumary: .*did you mean "summary"\?/,
    ],
    ['a document that is not there', { openapi: './none.yaml' }, /^shop\.yaml:2:1 openapi: .*none\.yaml/],
    ['a prefix that is too long', { prefix: 'a'.repeat(30) }, /prefix: must be shorter than 24/],
    [
      'an unset base URL',
      { baseUrl: { env: 'SHOP_URL' } },
      /baseUrl: is not known: set the environment variable SHOP_URL/,
    ],
  ];
  for (const [what, definition, want] of mistakes) {
    test(`refuse ${what}`, async () => {
      expect(await message(definition)).toMatch(want);
    });
  }
});

describe('the domain around the document', () => {
  test('keeps the texts of the document unless it has its own', async () => {
    expect(await load({})).toMatchObject({
      name: 'shop',
      title: 'Pet shop',
      description: 'From the document.',
      document: { mimeType: 'application/yaml' },
    });
    expect(
      await load({ title: 'Mine', description: 'My own.', guard: { destructive: 'deny' }, exposure: 'grouped' }),
    ).toMatchObject({
      title: 'Mine',
      description: 'My own.',
      guard: { destructive: 'deny' },
      exposure: 'grouped',
    });
  });

  test('chooses the prefix of the tool names', async () => {
    expect((await load({})).endpoints[0]!.toolName).toBe('shop_list_pets');
    expect((await load({ prefix: 's' })).endpoints[0]!.toolName).toBe('s_list_pets');
    expect((await load({ prefix: '' })).endpoints[0]!.toolName).toBe('list_pets');
  });

  test('moves it to another base URL', async () => {
    expect((await load({ baseUrl: { env: 'SHOP_URL', default: 'https://d.test/.' } })).endpoints[0]!.baseUrl).toBe(
      'https://d.test',
    );
    expect((await load({ baseUrl: 'https://d.test/' })).endpoints[0]!.baseUrl).toBe('https://d.test/v1');
    expect((await load({ baseUrl: 'https://d.test' })).endpoints[0]!.baseUrl).toBe('https://d.test/v1');
    const moved = await load({ baseUrl: { env: 'SHOP_URL' } }, { SHOP_URL: 'http://127.0.0.1:5/x/' });
    expect(moved.endpoints[0]).toMatchObject({
      baseUrl: 'http://127.0.0.1:5/x',
      provenance: { 'base URL': expect.stringContaining('baseUrl (SHOP_URL)') },
    });
    expect(
      (await load({ baseUrl: 'embedded:tasks' }, {}, { embedded: () => 'http://127.0.0.1:6' })).endpoints[0]!.baseUrl,
    ).toBe('http://127.0.0.1:6');
  });

  test('chooses one of its servers; an unknown name is reported with file and field', async () => {
    await expect(load({ server: 'Staging' })).rejects.toThrow(
      /server: there is no server "Staging"; the document has /,
    );
    expect((await load({ server: 'https://shop.test/v1' })).endpoints[0]!.baseUrl).toBe('https://shop.test/v1');
  });

  test('sends a plain variable only to a confirmed origin; the start says what to write', async () => {
    const env = { SHOP_TOKEN: 'abcd-1' };
    const plain = [[{ kind: 'bearer', name: 'token', secret: { variable: 'SHOP_TOKEN', value: 'abcd-1' } }]];
    expect((await load({ baseUrl: 'https://a.test' }, env)).endpoints[0]!.security).toEqual(plain);
    const named = await load({ credentials: { token: { env: 'SHOP_TOKEN' } } }, env);
    expect(named.endpoints[0]!.security).toEqual(plain);
    expect(named.warnings).toEqual([]);
    const open = await load({}, env);
    expect(open.endpoints[0]!.security).toMatchObject([
      [{ secret: { variable: 'LANDBRIDGE_CRED_SHOP_TOKEN', value: undefined } }],
    ]);
    expect(open.warnings.at(-1)).toMatch(
      /shop\.yaml: only the document says that token is sent to (http\S+), so SHOP_TOKEN is not used; to confirm the address, add baseUrl: \1\S* or credentials: \{ "token": \{ env: SHOP_TOKEN \} \}\.$/,
    );
    expect((await load({}, { LANDBRIDGE_CRED_SHOP_TOKEN: 'x' })).warnings).toEqual([]);
  });

  test('may lower effects and guards and set a root for $refs', async () => {
    const lowered = await load({ operations: { deletePet: { effect: 'read', guard: 'allow' } } });
    expect(lowered.endpoints.find(({ action }) => action === 'delete_pet')).toMatchObject({
      effect: 'read',
      guard: 'allow',
    });
    mkdirSync(join(folder, 'common'), { recursive: true });
    mkdirSync(join(folder, 'api'), { recursive: true });
    writeFileSync(join(folder, 'common/limit.yaml'), 'name: limit\nin: query\nschema: { type: integer }\n');
    const paths = { '/a': { get: { parameters: [{ $ref: '../common/limit.yaml' }] } } };
    writeFileSync(join(folder, 'api/split.yaml'), stringify({ ...DOCUMENT, paths }));
    const split = { openapi: './api/split.yaml' };
    expect((await load(split)).quarantined).toMatchObject([{ reason: expect.stringContaining('refsRoot') }]);
    expect((await load({ ...split, refsRoot: './common' })).endpoints[0]!.args).toMatchObject([{ key: 'limit' }]);
    expect((await load(split, {}, { refsRoot: folder })).endpoints[0]!.args).toMatchObject([{ key: 'limit' }]);
    expect(await message({ openapi: undefined, refsRoot: './common', endpoints: {} })).toContain('refsRoot');
  });

  test('denies calls even if the document only asks to confirm them', async () => {
    const extended = structuredClone(DOCUMENT) as typeof DOCUMENT & Record<string, unknown>;
    Object.assign(extended.paths['/pets/{id}'].delete, { 'x-mcp': { guard: 'confirm' } });
    writeFileSync(join(folder, 'asking.yaml'), stringify(extended));
    const guardOf = async (definition: object) =>
      (await load({ openapi: './asking.yaml', ...definition })).endpoints.find(({ action }) => action === 'delete_pet')!
        .guard;
    expect(await guardOf({})).toBe('confirm');
    expect(await guardOf({ guard: { destructive: 'deny' } })).toBe('deny');
    expect(await guardOf({ operations: { deletePet: { guard: 'allow' } } })).toBe('allow');
  });

  test('names the variables of security schemes', async () => {
    const domain = await load({ credentials: { token: { env: 'MY_TOKEN' } } }, { MY_TOKEN: 'abcd' });
    expect(domain.endpoints[0]!.security).toEqual([
      [{ kind: 'bearer', name: 'token', secret: { variable: 'MY_TOKEN', value: 'abcd' } }],
    ]);
    expect((await load({ credentials: { tokn: { env: 'MY_TOKEN' } } })).warnings).toContainEqual(
      expect.stringMatching(/credentials\.tokn: no operation uses it; .*: token\.$/),
    );
  });

  test('may choose other credentials than the document', async () => {
    const key = { kind: 'apiKey', field: 'X-Key', env: 'KEY' };
    const domain = await load({ credentials: { key }, security: [['key']] }, { KEY: 'abcd' });
    expect(domain.endpoints[0]!.security).toMatchObject([
      [{ kind: 'apiKey', field: 'X-Key', secret: { value: 'abcd' } }],
    ]);
  });

  test('treats secret headers as credentials, and sends plain ones as they are', async () => {
    const [endpoint] = (
      await load({ headers: { 'X-Api-Key': '$' + '{KEY}', 'X-Plain': '1' }, security: [] }, { KEY: 'abcd' })
    ).endpoints;
    expect(endpoint).toMatchObject({
      headers: { 'X-Plain': '1' },
      security: [[{ field: 'X-Api-Key', secret: { value: 'abcd' } }]],
    });
    expect(JSON.stringify(endpoint!.headers)).not.toContain('abcd');
  });

  test('may add endpoints, prompts and resources of its own', async () => {
    const domain = await load({
      endpoints: { ping: { path: '/ping', summary: 'Pings.', security: [] } },
      prompts: { p: { text: 'x' } },
      resources: { 'guide://shop': { name: 'g', text: 'y' } },
      pinned: ['ping', 'getPet'],
    });
    expect(domain.endpoints.at(-1)).toMatchObject({
      toolName: 'shop_ping',
      baseUrl: 'https://shop.test/v1',
      source: { kind: 'yaml' },
    });
    expect(domain).toMatchObject({
      prompts: [{ name: 'p' }],
      resources: [{ uri: 'guide://shop' }],
      pinned: ['shop_ping', 'shop_get_pet'],
    });
    expect(await message({ endpoints: { get_pet: { path: '/x', summary: 'x', security: [] } } })).toMatch(
      /endpoints\.get_pet: gives GET .* the name "get_pet", which GET \/pets\/\{id\} \(getPet\) also has/,
    );
  });

  test('applies overlays before anything else', async () => {
    writeFileSync(
      join(folder, 'overlay.yaml'),
      stringify({
        overlay: '1.0.0',
        info: { title: 'o', version: '1' },
        actions: [{ target: '$.paths["/pets"].get', update: { summary: 'Overlaid.' } }],
      }),
    );
    expect((await load({ overlays: ['./overlay.yaml'] })).endpoints[0]!.summary).toBe('Overlaid.');
  });

  test('is imported directly when the document itself is named', async () => {
    const [domain] = await loadDomains({
      paths: [join(folder, 'shop-api.yaml')],
      env: {},
      baseUrl: 'http://127.0.0.1:7',
      headers: ['X-A: b'],
    });
    expect(domain).toMatchObject({ name: 'pet_shop' });
    expect(domain!.endpoints).toHaveLength(5);
    expect(domain!.endpoints[0]!.baseUrl).toBe('http://127.0.0.1:7/v1');
  });
});

describe('curateOperations()', () => {
  test('does not build lazy fields', () => {
    const asked: string[] = [];
    const lazy = (name: string, value: unknown) => {
      asked.push(name);
      return value;
    };
    const endpoint = Object.freeze({
      domain: 'd',
      action: 'a',
      toolName: 'd_a',
      method: 'GET',
      path: '/',
      args: [{ key: 'x', required: false, to: [] }],
      fixed: [],
      headers: {},
      security: [],
      response: {},
      limits: {},
      source: { kind: 'openapi', file: 'f' },
      get summary() {
        return lazy('summary', 'S.');
      },
      get inputSchema() {
        return lazy('inputSchema', { type: 'object', properties: { x: { type: 'string' } } });
      },
      get outputSchema() {
        return lazy('outputSchema', {});
      },
      get examples() {
        return lazy('examples', [{ x: '1' }]);
      },
      get provenance() {
        return lazy('provenance', {});
      },
    }) as unknown as Endpoint;
    const problems: Problem[] = [];
    const definition = { name: 'd', operations: { a: { name: 'b', args: { x: { rename: 'y', default: 'z' } } } } };
    const [curated] = curateOperations([endpoint], definition, { prefix: 'd', file: 'f', env: {}, problems });
    // A value given in the file is checked against its argument; nothing else is looked at.
    expect([asked.splice(0), problems]).toEqual([['inputSchema'], []]);
    expect(curated!.inputSchema).toEqual({ type: 'object', properties: { y: { type: 'string', default: 'z' } } });
    expect(curated!.inputSchema).toBe(curated!.inputSchema);
    expect(curated!.examples).toEqual([{ y: '1' }]);
    expect(asked).toEqual(['inputSchema', 'examples']);
    expect(endpoint.action).toBe('a');
    expect(Object.isFrozen(curated)).toBe(true);
  });
});
