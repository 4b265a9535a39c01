// A mistake in a file that a person wrote is one line: file, line, column, field, what is wrong, what to write instead.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeEach, describe, expect, test } from 'vitest';
import type { CredentialKind } from '../../src/credentials/credential-kind.ts';
import { CREDENTIAL_KINDS } from '../../src/credentials/kind-table.ts';
import { createGateway, loadDomains } from '../../src/index.ts';
import { readProfiles } from '../../src/profiles.ts';

const folder = mkdtempSync(join(tmpdir(), 'landbridge-mistakes-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
beforeEach(() => {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'document.txt'), DOCUMENT);
});

/** All kinds of credentials, in the order of the reference. */
const isLast = ([, kind]: [string, CredentialKind]) => Number(kind.isLastInReference ?? false);
const KINDS = Object.entries<CredentialKind>(CREDENTIAL_KINDS)
  .sort((a, b) => isLast(a) - isLast(b))
  .map(([name]) => name);

const DOCUMENT = `openapi: 3.1.0
info: { title: Shop, version: "1" }
servers: [{ url: https://shop.example }]
paths:
  /orders:
    get: { operationId: listOrders, tags: [orders], parameters: [{ name: page, in: query, schema: { type: integer } }], responses: { "200": { description: OK } } }
  /orders/{id}:
    get: { operationId: getOrder, tags: [orders], parameters: [{ name: id, in: path, required: true, schema: { type: integer } }], responses: { "200": { description: OK } } }
`;

/** The lines a person reads, and the same as data. */
async function load(files: Readonly<Record<string, string>>): Promise<{ lines: string[]; problems: unknown }> {
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
  const paths = Object.keys(files).map((name) => join(folder, name));
  const error = await loadDomains({ paths, env: {} }).then(
    () => new Error('it loaded'),
    (caught: Error) => caught,
  );
  const { details } = error as { details?: { problems?: unknown } };
  return { lines: error.message.replaceAll(`${folder}/`, '').split('\n'), problems: details?.problems };
}

const HEAD = 'name: shop\nbaseUrl: https://shop.example\n';
const IMPORT = 'name: shop\nopenapi: document.txt\nbaseUrl: https://shop.example\n';

describe('a YAML domain file', () => {
  test.each<[string, string, string[]]>([
    [
      'a kind of credential that is misspelt',
      `${HEAD}credentials:\n  key:\n    kind: api_key\n    field: X-Key\n    env: SHOP_KEY\nendpoints: { a: { path: /a, summary: A. } }\n`,
      [`shop.yaml:5:5 credentials.key.kind: "api_key" is not a kind; did you mean "apiKey"? (${KINDS.join(', ')})`],
    ],
    [
      'a credential without a kind',
      `${HEAD}credentials:\n  key: { field: X-Key, env: SHOP_KEY }\nendpoints: { a: { path: /a, summary: A. } }\n`,
      [`shop.yaml:4:3 credentials.key.kind: is missing: give one of ${KINDS.map((kind) => `"${kind}"`).join(', ')}`],
    ],
    [
      'a field of a credential without a kind that is misspelt',
      `${IMPORT}credentials: { basic: { userEnv: A, passwordEnv: B } }\n`,
      ['shop.yaml:4:25 credentials.basic.userEnv: "userEnv" is not known here; did you mean "usernameEnv"?'],
    ],
    [
      'a text that contains ": "',
      `${IMPORT}description: Finds orders: all of them\n`,
      ['shop.yaml:4:14: the text contains ": ", which begins a new field; put the text in quotes'],
    ],
    [
      'a text that contains ": ", inside { }',
      `${IMPORT}operations: { listOrders: { description: Finds: all } }\n`,
      ['shop.yaml:4:42: the text contains ": ", which begins a new field; put the text in quotes'],
    ],
    [
      'a quote that is not closed, at the place where it begins',
      `${IMPORT}description: "Orders\noperations: {}\npinned: []\n`,
      ['shop.yaml:4:14: the text that begins here with " has no closing "; add it at the end of the text'],
    ],
    [
      'an empty prefix',
      `${HEAD}prefix:\nendpoints: { a: { path: /a, summary: A. } }\n`,
      [
        'shop.yaml:3:1 prefix: a prefix is lower case letters, digits and _, at most 32; for no prefix, write prefix: ""',
      ],
    ],
    [
      'a name of two words',
      `${IMPORT}operations:\n  GET /orders: { name: find orders }\n`,
      [
        'shop.yaml:5:18 operations["GET /orders"].name: a name is lower case letters, digits and _, at most 48, such as list_pets',
      ],
    ],
    [
      'a path that is misspelt',
      `${IMPORT}operations:\n  GET /order: {}\n`,
      [
        'shop.yaml:5:3 operations["GET /order"]: there is no such operation (or include and exclude leave it out); did you mean "GET /orders"?',
      ],
    ],
    [
      'a text with a comma inside { }',
      `${HEAD}endpoints: { a: { path: /a, summary: Finds books by title, author or genre. } }\n`,
      [
        'shop.yaml:3:60 endpoints.a["author or genre."]: "author or genre." is not known here; if it belongs to the text before it, put that text in quotes: inside { } a comma begins the next field',
      ],
    ],
    [
      'a truth value in words',
      `${HEAD}endpoints:\n  a:\n    path: /a/{id}\n    summary: A.\n    args:\n      id:\n        type: integer\n        required: yes please\n`,
      ['shop.yaml:10:9 endpoints.a.args.id.required: must be true or false, without quotes; got "yes please"'],
    ],
    [
      'a truth value in words, in curation',
      `${IMPORT}operations:\n  listOrders:\n    args: { page: { required: yes please } }\n`,
      ['shop.yaml:6:21 operations.listOrders.args.page.required: must be true or false; got "yes please"'],
    ],
    [
      'unknown keys at every depth',
      `${HEAD}titel: Shop\nendpoints:\n  a: { path: /a, summary: A., response: { pik: [id] } }\n`,
      [
        'shop.yaml:3:1 titel: "titel" is not known here; did you mean "title"?',
        'shop.yaml:5:43 endpoints.a.response.pik: "pik" is not known here; did you mean "pick"?',
      ],
    ],
    [
      'a key that stands twice, twice',
      `${HEAD}endpoints:\n  a: { path: /a, path: /b, summary: A. }\n  a: { path: /c, summary: C. }\n`,
      [
        'shop.yaml:4:18 endpoints.a.path: is already defined in line 4; remove one of them',
        'shop.yaml:5:3 endpoints.a: is already defined in line 4; remove one of them',
      ],
    ],
    [
      'the secret in place of its variable, which is not repeated',
      `${HEAD}credentials: { key: { kind: bearer, env: sk-live-123 } }\nendpoints: { a: { path: /a, summary: A. } }\n`,
      [
        'shop.yaml:3:37 credentials.key.env: must be the name of an environment variable, such as MY_API_KEY; the value itself belongs in the environment',
      ],
    ],
    [
      'a variable in braces where a name is meant',
      `${HEAD}credentials: { key: { kind: bearer, env: "$\{TOKEN}" } }\nendpoints: { a: { path: /a, summary: A. } }\n`,
      ['shop.yaml:3:37 credentials.key.env: must be the name of an environment variable, so write TOKEN'],
    ],
    [
      'a variable of the environment in a path',
      `${HEAD}endpoints: { a: { path: "/$\{TENANT}/a", summary: A. } }\n`,
      [
        'shop.yaml:3:19 endpoints.a.path: holds a variable of the environment: those are filled in in baseUrl; write {name} for an argument or fixed value',
      ],
    ],
    ['nothing in it', '', ['shop.yaml: is empty; a domain is an object with name, baseUrl and endpoints (or openapi)']],
    [
      'an operation and an argument that the document does not have',
      `${IMPORT}operations:\n  listOrder: { title: A }\n  getOrder: { args: { idd: { description: A. } } }\n`,
      [
        'shop.yaml:5:3 operations.listOrder: there is no such operation (or include and exclude leave it out); did you mean "listOrders"?',
        'shop.yaml:6:23 operations.getOrder.args.idd: there is no argument "idd"; did you mean "id"? To add one, give its place (such as in: query) and its type.',
      ],
    ],
    [
      'two operations under one name',
      `${IMPORT}operations:\n  listOrders: { name: pick }\n  getOrder: { name: pick }\n`,
      [
        'shop.yaml:6:15 operations.getOrder.name: gives GET /orders/{id} (getOrder) the name "pick", which GET /orders (listOrders) also has; choose another name for one of them (see shop.yaml:5:17 operations.listOrders.name)',
      ],
    ],
    [
      'a name that the document gives another operation',
      `${IMPORT}operations:\n  "get /orders": { name: get_order }\n`,
      [
        'shop.yaml:5:20 operations["get /orders"].name: gives GET /orders (listOrders) the name "get_order", which GET /orders/{id} (getOrder) also has; choose another name, or name the other operation too: operations: { "getOrder": { name: … } }',
      ],
    ],
    [
      'a filter that no operation passes',
      `${IMPORT}include: { tags: [orderz] }\noperations: { listOrders: { title: A } }\n`,
      ['shop.yaml:4:19 include.tags[0]: no operation of the document has the tag "orderz"; did you mean "orders"?'],
    ],
    [
      'an exclusion of everything',
      `${IMPORT}exclude: { tags: [orders] }\n`,
      ['shop.yaml:4:1 exclude: leaves no operation; change the filter'],
    ],
    [
      'mistakes of shape and of meaning together',
      `${HEAD}credentials: { key: { kind: api_key, env: A } }\nendpoints:\n  a: { path: /a, summary: A., guard: maybe, pagination: { kind: page, arg: pge }, args: { page: { type: integer } } }\n  b: { path: /b, summary: B., args: { n: { type: strng } } }\n`,
      [
        `shop.yaml:3:23 credentials.key.kind: "api_key" is not a kind; did you mean "apiKey"? (${KINDS.join(', ')})`,
        'shop.yaml:5:31 endpoints.a.guard: must be one of "allow", "confirm", "deny"; got "maybe"',
        'shop.yaml:5:71 endpoints.a.pagination.arg: there is no argument "pge"; did you mean "page"?',
        'shop.yaml:6:44 endpoints.b.args.n.type: "strng" is not a JSON Schema type; did you mean "string"?',
      ],
    ],
  ])('with %s', async (_, text, lines) => {
    expect((await load({ 'shop.yaml': text })).lines).toEqual(lines);
  });

  test.each<[string, string, string]>([
    [
      'an overlay that is not there',
      `${IMPORT}title: Shop\noverlays:\n  - ./none.yaml\n`,
      'shop.yaml:6:5 overlays[0]: none.yaml does not exist',
    ],
    [
      'a message that says nothing beside one of another shape',
      `${HEAD}prompts:\n  p:\n    messages:\n      - { role: user }\n      - { rol: user, text: Hi }\n`,
      'shop.yaml:7:11 prompts.p.messages[1].rol: "rol" is not known here; did you mean "role"?',
    ],
    [
      'a message that says nothing',
      `${HEAD}prompts:\n  p:\n    messages:\n      - { role: user }\n`,
      'shop.yaml:6:9 prompts.p.messages[0]: needs either text or resource',
    ],
    [
      'a key in a header of no name',
      `${HEAD}credentials:\n  key: { kind: apiKey, field: X Y, env: SHOP_KEY }\nendpoints: { a: { path: /a, summary: A. } }\n`,
      'shop.yaml:4:24 credentials.key.field: "X Y" is not the name of a header; write it without spaces, such as X-API-Key',
    ],
    [
      'a key in a header that only the client writes',
      `${HEAD}credentials:\n  key: { kind: apiKey, field: Host, env: SHOP_KEY }\nendpoints: { a: { path: /a, summary: A. } }\n`,
      'shop.yaml:4:24 credentials.key.field: Host is written by the HTTP client and cannot be set; name the header that carries the key',
    ],
  ])('with %s is reported with only that cause, at its place', async (_, text, line) => {
    const { lines } = await load({ 'shop.yaml': text });
    expect(lines).toEqual([expect.stringContaining(line)]);
  });

  test('whose prompt embeds an unknown resource stops the start; resources of other files are found', async () => {
    const prompts = (uri: string) => `${HEAD}prompts:\n  p:\n    messages:\n      - resource: ${uri}\n`;
    const start = async (uri: string) => {
      writeFileSync(join(folder, 'shop.yaml'), prompts(uri));
      writeFileSync(
        join(folder, 'other.yaml'),
        'name: other\nbaseUrl: https://other.example\nresources: { "other://guide": { name: guide, text: Hi. } }\n',
      );
      const domains = await loadDomains({ paths: [join(folder, 'shop.yaml'), join(folder, 'other.yaml')], env: {} });
      return createGateway({ domains });
    };
    await expect(start('other://guid')).rejects.toThrow(
      /shop\.yaml:6:9 prompts\.p\.messages\[0\]\.resource: there is no resource "other:\/\/guid"; did you mean "other:\/\/guide"\?$/,
    );
    await (await start('other://guide')).close();
  });

  test('in JSON, and profiles, may name their schema for editors', async () => {
    const value = { $schema: './domain.schema.json', name: 'shop', baseUrl: 'https://shop.example' };
    const endpoints = { a: { path: '/a', summary: 'A.' } };
    expect((await load({ 'shop.json': JSON.stringify({ ...value, endpoints }) })).lines).toEqual(['it loaded']);
    writeFileSync(
      join(folder, 'profiles.json'),
      '{ "$schema": "./profiles.schema.json", "reader": { "effects": ["read"] } }',
    );
    expect(readProfiles(join(folder, 'profiles.json'))).toEqual({ reader: { effects: ['read'] } });
  });

  test('also returns its mistakes as data', async () => {
    const { problems } = await load({ 'shop.yaml': `${HEAD}titel: Shop\n` });
    expect(problems).toEqual([
      {
        file: join(folder, 'shop.yaml'),
        line: 3,
        column: 1,
        field: 'titel',
        message: '"titel" is not known here; did you mean "title"?',
      },
    ]);
  });

  test('with very many mistakes shows the first and counts the others', async () => {
    const endpoints = Array.from({ length: 80 }, (_, i) => `  a${i}: { path: "/{x}", summary: A. }\n`).join('');
    const { lines } = await load({ 'shop.yaml': `${HEAD}endpoints:\n${endpoints}` });
    expect([lines.length, lines.at(-1)]).toEqual([51, '… and 30 more.']);
  });

  test('is reported together with the mistakes of all other files', async () => {
    const { lines } = await load({
      'a.yaml': 'name: A\n',
      'b.yaml': `${HEAD}x: 1\n`,
      'c.ts': 'throw new Error("no");',
    });
    expect(lines.map((line) => /^[^: ]+/.exec(line)?.[0])).toEqual(['a.yaml', 'b.yaml', 'c.ts']);
  });
});

describe('a TypeScript domain file', () => {
  const DEFINE = `import { defineDomain } from 'landbridge';\n`;
  test.each<[string, string, string]>([
    [
      'throws',
      `${DEFINE}\nfunction read(): string {\n  throw new Error('no such\\nthing');\n}\nexport default defineDomain({ name: read() });\n`,
      'shop.ts:4:9: failed to load: no such thing (in read, called at shop.ts:6)',
    ],
    [
      'throws something that is no error',
      `\nthrow 'away';\n`,
      'shop.ts: throws "away" while it is loaded; throw an Error instead',
    ],
    [
      'uses a name that is not there',
      `${DEFINE}\nexport default defineDomain(shopp);\n`,
      'shop.ts:3:29: shopp is not defined; declare or import it, or correct the name',
    ],
    [
      'uses a name that it does not import',
      `\nexport default defineDomain({ name: 'shop' });\n`,
      "shop.ts:2:16: defineDomain is not defined; add: import { defineDomain } from 'landbridge';",
    ],
    [
      'uses z without importing it',
      `${DEFINE}\nexport default defineDomain({ name: 'shop', endpoints: { a: { path: '/a', summary: 'A.', args: { q: z.string() } } } });\n`,
      "shop.ts:3:101: z is not defined; add: import { z } from 'zod';",
    ],
    [
      'misspells what it imports',
      `import { defineDomian } from 'landbridge';\n\nexport default defineDomian({ name: 'shop' });\n`,
      'shop.ts:3:16: defineDomian is imported, but there is no function of that name; did you mean "defineDomain"?',
    ],
    [
      'does not parse',
      `${DEFINE}export default defineDomain({ name: 'shop', });\nconst a = ;\n`,
      'shop.ts:3:11: does not parse: Unexpected token; near: const a = ;',
    ],
    [
      'exports nothing by default',
      'export const shop = 1;\n',
      'shop.ts: has no default export (it exports shop); write `export default defineDomain({ … })`',
    ],
    ['is empty', '', 'shop.ts: has no default export; write `export default defineDomain({ … })`'],
    [
      'exports a function',
      'export default () => ({});\n',
      'shop.ts: is a function, not a domain; call it, so that the export is an object with name, baseUrl and endpoints (or openapi)',
    ],
    [
      'exports a promise that fails',
      `\nexport default (async () => {\n  throw new Error('later');\n})();\n`,
      'shop.ts:3:9: failed to load: later (called at shop.ts:4:3)',
    ],
    [
      'waits for a promise that fails',
      `\n\nawait Promise.reject(new Error('later'));\nexport default {};\n`,
      'shop.ts:3:22: failed to load: later',
    ],
    [
      'imports a package that is not there',
      `\nimport { pad } from 'left-pad-two';\nexport default pad;\n`,
      'shop.ts:2: imports "left-pad-two", which cannot be found; install it beside the file, or remove the import',
    ],
    [
      'has a mistake in its definition',
      `${DEFINE}export default defineDomain({ name: 'shop', baseUrl: 'https://shop.example', endpoints: { a: { path: 'a', summary: 'A.' } } });\n`,
      'shop.ts:2:96 endpoints.a.path: must start with / and hold no ?, # or blank; query parameters are args or fixed values',
    ],
  ])('that %s is reported with place and reason, without stack frames of the gateway', async (_, text, line) => {
    expect((await load({ 'shop.ts': text })).lines).toEqual([line]);
  });

  test('is reported with the lines of its mistakes, also if it is built from constants', async () => {
    const text = `${DEFINE}// name: 'no', { endpoints: {
const pattern = /[{"]/;
const look = {
  path: '/look', summary: \`a { b: \`,
  sumary: 'Looks.',
};
const shop = {
  name: 'shop',
  baseUrl: 'https://shop.example' as const,
  'titel': pattern.source ? 'a' : 'b',
  endpoints: {
    look,
    get: { path: '/x', summary: 'X.', effect: 'delete', response: wrap({ pik: ['id'] }) },
  },
  pinned: ['get', 5],
};
function wrap<T>(value: T): T {
  return value;
}
export default defineDomain(shop as never);
`;
    const { lines } = await load({ 'shop.ts': text });
    expect(lines.map((line) => line.split(': ', 1)[0])).toEqual([
      'shop.ts:6:3 endpoints.look.sumary',
      'shop.ts:11:3 titel',
      'shop.ts:14:39 endpoints.get.effect',
      'shop.ts:14:74 endpoints.get.response.pik',
      'shop.ts:16:3 pinned[1]',
    ]);
  });

  test('is reported without a line if the field occurs at two places', async () => {
    const text = `const a = { endpoints: { get: { sumary: 'x' } } };\nconst b = { endpoints: { get: { sumary: 'y' } } };\nexport default Object.assign({ name: 'shop', baseUrl: 'https://shop.example' }, a, b);\n`;
    expect((await load({ 'shop.ts': text })).lines.join('\n')).toContain('shop.ts endpoints.get.sumary: ');
  });

  test('that exports a promise of a definition is loaded', async () => {
    const text = `export default Promise.resolve({ name: 'shop', baseUrl: 'https://shop.example', endpoints: { a: { path: '/a', summary: 'A.' } } });\n`;
    expect((await load({ 'shop.ts': text })).lines).toEqual(['it loaded']);
  });

  test('that throws in an imported file is reported there', async () => {
    writeFileSync(join(folder, 'helper.ts'), `\nexport function help(): never {\n  throw new Error('no help');\n}\n`);
    const { lines } = await load({ 'shop.ts': `import { help } from './helper.ts';\n\nexport default help();\n` });
    expect(lines).toEqual([
      expect.stringMatching(/^helper\.ts:3:9: failed to load: no help \(.*called at shop\.ts:3\)$/),
    ]);
  });
});

describe('profiles.yaml', () => {
  async function start(text: string): Promise<string[]> {
    const domain = join(folder, 'shop.yaml');
    writeFileSync(domain, `${IMPORT}operations: { getOrder: { tags: [customers] } }\n`);
    const file = join(folder, 'profiles.yaml');
    writeFileSync(file, text);
    const domains = await loadDomains({ paths: [domain], env: {} });
    try {
      await createGateway({ domains, profiles: readProfiles(file) }).close();
      return ['it started'];
    } catch (error) {
      return (error as Error).message.replaceAll(`${folder}/`, '').split('\n');
    }
  }

  test.each<[string, string, string[]]>([
    [
      'a tag that is misspelt, and one that is nothing like any',
      'support:\n  tags: [orderz, zebra]\n',
      [
        'profiles.yaml:2:10 support.tags[0]: there is no tag "orderz"; did you mean "orders"? (orders, customers)',
        'profiles.yaml:2:18 support.tags[1]: there is no tag "zebra"; (orders, customers)',
      ],
    ],
    [
      'a domain that is not loaded',
      'a: { domains: [shp] }\n',
      ['profiles.yaml:1:16 a.domains[0]: there is no domain "shp"; did you mean "shop"? (shop)'],
    ],
    [
      'an operation that is not there',
      'a: { exclude: [shop.orders.list_order] }\n',
      [
        expect.stringContaining(
          'profiles.yaml:1:16 a.exclude[0]: there is no operation "shop.orders.list_order"; did you mean "shop.orders.list_orders"?',
        ) as string,
      ],
    ],
    [
      'a native tool that is not there',
      'a: { native: [clock] }\n',
      [
        'profiles.yaml:1:15 a.native[0]: there is no tool, resource or prompt registered in code "clock"; no tool, resource or prompt registered in code is loaded',
      ],
    ],
    [
      'a choice that leaves nothing',
      'a: { effects: [destructive] }\n',
      ['profiles.yaml:1:1 a: serves nothing: no operation matches effects together; relax one of them'],
    ],
    [
      'a wrong word and an unknown key',
      'a: { effects: [reed] }\nb: { exposre: tools }\n',
      [
        'profiles.yaml:1:16 a.effects[0]: must be one of "read", "write", "destructive"; got "reed"; did you mean "read"?',
        'profiles.yaml:2:6 b.exposre: "exposre" is not known here; did you mean "exposure"?',
      ],
    ],
    [
      'a key that stands twice',
      'a: {}\na: {}\n',
      ['profiles.yaml:2:1 a: is already defined in line 1; remove one of them'],
    ],
    ['a list', '- a\n', ['profiles.yaml:1:1: must hold profiles by name, for example: reader: { effects: [read] }']],
    ['nothing', '', ['profiles.yaml: must hold profiles by name, for example: reader: { effects: [read] }']],
  ])('with %s stops the start', async (_, text, lines) => {
    expect(await start(text)).toEqual(lines);
  });

  test('that does not exist is reported', () => {
    expect(() => readProfiles(join(folder, 'none.yaml'))).toThrow('none.yaml: there is no such file or folder');
  });
});
