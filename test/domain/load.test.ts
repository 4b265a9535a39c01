// biome-ignore-all lint/suspicious/noTemplateCurlyInString: that is what domain files and headers write
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { findFiles } from '../../src/domain/files/domain-files.ts';
import { loadDomains } from '../../src/domain/load.ts';
import { createValidator } from '../../src/schema/check/validator.ts';

// A folder far from this repository: no node_modules above it.
let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'domains-'));
});
afterEach(() => {
  rmSync(folder, { recursive: true, force: true });
});

function write(name: string, text: string): string {
  const path = join(folder, name);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
  return path;
}

const load = (env: Record<string, string> = {}, paths = [folder]) => loadDomains({ paths, env });
const names = async () => (await load()).map((domain) => domain.name);

/** The message a broken file stops the start with, its folder taken out. */
async function message(paths = [folder]): Promise<string> {
  const error = await load({}, paths).then(
    () => new Error('it loaded'),
    (caught: Error & { code?: string }) => caught,
  );
  expect(error).toMatchObject({ code: 'BAD_DOMAIN' });
  expect(error.message).not.toMatch(/\n\s+at /);
  return error.message.replaceAll(`${folder}/`, '');
}

const YAML = (name: string) =>
  `name: ${name}\nbaseUrl: https://api.test\nendpoints:\n  list:\n    path: /x\n    summary: Lists.\n`;
const MODULE = (name: string) => `
  import { defineDomain } from 'landbridge';
  import { z } from 'zod';
  const limit: number = 25;
  export default defineDomain({
    name: '${name}',
    baseUrl: 'https://api.test',
    endpoints: { list: { path: '/x', summary: 'Lists.', args: { limit: z.int().max(100).default(limit).describe('How many.') } } },
  });`;

describe('a folder of domain files', () => {
  test('gives one domain per file, in order of name, and nothing else', async () => {
    write('b.yaml', YAML('beta'));
    write('a.ts', MODULE('alpha'));
    write(
      'c.json',
      JSON.stringify({
        name: 'gamma',
        baseUrl: 'https://api.test',
        endpoints: { list: { path: '/x', summary: 'Lists.' } },
      }),
    );
    write('d.yml', YAML('delta'));
    write('e.mjs', MODULE('epsilon').replace(': number', ''));
    write('f.js', MODULE('phi').replace(': number', ''));
    write('.hidden.yaml', 'not: [read');
    write('types.d.ts', 'not read either');
    write('README.md', '# Domains');
    write('below/z.yaml', 'not: [read');
    expect(await names()).toEqual(['alpha', 'beta', 'gamma', 'delta', 'epsilon', 'phi']);
  });

  test('gets a domain when a file is added, and loses it when the file is deleted', async () => {
    write('a.yaml', YAML('alpha'));
    expect(await names()).toEqual(['alpha']);
    const added = write('b.yaml', YAML('beta'));
    expect(await names()).toEqual(['alpha', 'beta']);
    rmSync(added);
    expect(await names()).toEqual(['alpha']);
  });

  test('reads a module again when it has changed', async () => {
    write('a.ts', MODULE('alpha'));
    expect(await names()).toEqual(['alpha']);
    write('a.ts', MODULE('changed'));
    expect(await names()).toEqual(['changed']);
  });

  test('may be mixed with single files', async () => {
    write('a.yaml', YAML('alpha'));
    const single = write('elsewhere/b.ts', MODULE('beta'));
    expect((await load({}, [folder, single])).map((domain) => domain.name)).toEqual(['alpha', 'beta']);
  });
});

describe('a TypeScript domain file', () => {
  test('can import landbridge and zod from any folder without node_modules', async () => {
    write('a.ts', MODULE('alpha'));
    const [domain] = await load();
    const endpoint = domain!.endpoints[0]!;
    expect(endpoint.inputSchema).toEqual({
      type: 'object',
      properties: { limit: { type: 'integer', maximum: 100, default: 25, description: 'How many.' } },
      additionalProperties: false,
    });
    expect(createValidator(endpoint)('alpha_list', {})).toEqual({ limit: 25 });
    expect(endpoint.source).toMatchObject({ kind: 'module', file: join(folder, 'a.ts') });
  });

  test('may import its own helpers, and export a plain object', async () => {
    write('lib/shared.ts', `export const base: string = 'https://api.test';`);
    const file = write(
      'a.ts',
      `import { base } from './lib/shared.ts'; export default { name: 'plain', baseUrl: base, endpoints: { list: { path: '/', summary: 'x' } } };`,
    );
    expect((await load({}, [file]))[0]!.endpoints[0]!.baseUrl).toBe('https://api.test');
  });

  test('may use z from landbridge', async () => {
    write(
      'a.ts',
      MODULE('alpha')
        .replace("import { defineDomain } from 'landbridge';", '')
        .replace("import { z } from 'zod'", "import { defineDomain, z } from 'landbridge'"),
    );
    expect(await names()).toEqual(['alpha']);
  });

  const broken: [string, string, RegExp][] = [
    [
      'no default export',
      `export const a = 1;`,
      /^a\.ts: has no default export \(it exports a\); write `export default defineDomain/,
    ],
    [
      'a syntax error',
      'const a = 1;\nexport default {{',
      /^a\.ts:2:\d+: does not parse: Unexpected token; near: export default \{\{$/,
    ],
    [
      'an unknown import',
      `import x from 'left-pad-two'; export default x;`,
      /^a\.ts:\d+: imports "left-pad-two", which cannot be found; install it beside the file/,
    ],
    [
      'a missing helper',
      `import x from './nowhere.ts'; export default x;`,
      /^a\.ts:\d+: imports "\.\/nowhere\.ts", which cannot be found; check the path/,
    ],
    ['a throw of its own', `throw new Error('no luck'); export default {};`, /^a\.ts:1: failed to load: no luck$/],
    [
      'a mistake in the definition',
      `import { defineDomain } from 'landbridge'; export default defineDomain({ name: 'a', titel: 'x' } as any);`,
      /^a\.ts:1:85 titel: "titel" is not known here; did you mean "title"\?/,
    ],
    [
      'a mistake of meaning',
      `import { defineDomain } from 'landbridge'; export default defineDomain({ name: 'a', baseUrl: 'https://a.test', endpoints: { get: { path: '/{id}', summary: 'x' } } });`,
      /^a\.ts:1:132 endpoints\.get\.path: needs an argument/,
    ],
    ['a default export that is no domain', `export default 7;`, /^a\.ts: is not a domain/],
  ];
  for (const [what, text, want] of broken) {
    test(`with ${what} stops the start with one sentence`, async () => {
      write('a.ts', text);
      expect(await message()).toMatch(want);
    });
  }
});

describe('a YAML domain file', () => {
  test('expands anchors and merge keys', async () => {
    write(
      'a.yaml',
      `name: a
baseUrl: https://api.test
endpoints:
  create:
    method: POST
    path: /x
    summary: Creates.
    args: &fields
      title: { type: string, required: true }
      text: { type: string }
  change:
    method: PATCH
    path: /x/{id}
    summary: Changes.
    args:
      id: { type: integer, required: true }
      <<: *fields
      title: { type: string }
`,
    );
    const [domain] = await load();
    const keys = domain!.endpoints.map((endpoint) =>
      endpoint.args.map((arg) => `${arg.key}${arg.required ? '!' : ''}`),
    );
    expect(keys[0]).toEqual(['title!', 'text']);
    expect(keys[1]!.sort()).toEqual(['id!', 'text', 'title']);
  });

  test('reads its base URL, headers and credentials from the environment it is handed, never from process.env', async () => {
    write(
      'a.yaml',
      `name: a\nbaseUrl: { env: PATH, default: 'https://default.test' }\nheaders: { X-Who: '\${WHO:-nobody}' }\ncredentials: { key: { kind: bearer, env: HOME } }\nendpoints: { list: { path: /, summary: x } }\n`,
    );
    const [endpoint] = (await load())[0]!.endpoints;
    expect(endpoint).toMatchObject({
      baseUrl: 'https://default.test',
      headers: { 'X-Who': 'nobody' },
      security: [[{ secret: { value: undefined } }]],
    });
    const [set] = (await load({ PATH: 'http://h.test', WHO: 'me', HOME: 'tok3n' }))[0]!.endpoints;
    expect(set).toMatchObject({
      baseUrl: 'http://h.test',
      headers: { 'X-Who': 'me' },
      security: [[{ secret: { value: 'tok3n' } }]],
    });
  });

  test('may keep the text of a resource in a file beside it', async () => {
    write('guide.md', '# Guide');
    write('a.yaml', `name: a\nresources: { 'guide://a': { name: guide, file: ./guide.md } }\n`);
    const [domain] = await load({}, [join(folder, 'a.yaml')]);
    expect(domain!.resources).toEqual([
      { uri: 'guide://a', name: 'guide', mimeType: 'text/markdown', text: '# Guide' },
    ]);
  });

  test('declares prompts, with one text or several messages', async () => {
    write(
      'a.yaml',
      `name: a
prompts:
  short: { text: 'Say {{word}}.', arguments: { word: { required: true, values: [hi, ho] } } }
  long:
    title: Long
    messages: [{ resource: 'guide://a' }, { role: assistant, text: Yes. }]
resources: { 'guide://a': { name: guide, text: x } }
`,
    );
    expect((await load())[0]!.prompts).toEqual([
      {
        name: 'short',
        arguments: [{ name: 'word', required: true, values: ['hi', 'ho'] }],
        messages: [{ role: 'user', text: 'Say {{word}}.' }],
      },
      {
        name: 'long',
        title: 'Long',
        arguments: [],
        messages: [
          { role: 'user', resource: 'guide://a', place: expect.stringMatching(/a\.yaml:6:18 prompts\.long/) },
          { role: 'assistant', text: 'Yes.' },
        ],
      },
    ]);
  });

  const head = 'name: a\nbaseUrl: https://api.test\n';
  const list = `${head}endpoints:\n  list:\n    path: /x\n    summary: x\n`;
  const broken: [string, string, RegExp][] = [
    [
      'broken indentation',
      'name: a\n  title: b\n',
      /^a\.yaml:1:\d+: .*; check the indentation here and in the next line$/,
    ],
    ['a key given twice', 'name: a\nname: b\n', /^a\.yaml:2:1 name: is already defined in line 1; remove one of them$/],
    [
      'an unknown key',
      `${list}    methode: GET\n`,
      /^a\.yaml:7:\d+ endpoints\.list\.methode: "methode" is not known here; did you mean "method"\?$/,
    ],
    ['a wrong type', `${list}    tags: pets\n`, /^a\.yaml:7:\d+ endpoints\.list\.tags: must be a list; got "pets"$/],
    [
      'a slip in a schema',
      `${list}    args:\n      limit: { type: int }\n`,
      /^a\.yaml:8:\d+ endpoints\.list\.args\.limit\.type: "int" is not a JSON Schema type; did you mean "integer"\?$/,
    ],
    [
      'a wrong placement',
      `${list}    args:\n      limit: { type: integer, in: querry }\n`,
      /^a\.yaml:8:\d+ endpoints\.list\.args\.limit\.in: must be one of .*did you mean "query"\?$/,
    ],
    [
      'an argument that is no schema',
      `${list}    args:\n      limit: integer\n`,
      /^a\.yaml:8:\d+ endpoints\.list\.args\.limit: must be an object, such as \{ type: string \}; got "integer"$/,
    ],
    [
      'a comma in plain text',
      `${list}    args:\n      a: { type: string, description: Numbers, from list }\n`,
      /^a\.yaml:8:\d+ .*put the whole text in quotes$/,
    ],
    [
      'a path variable nobody fills',
      `${head}endpoints:\n  get:\n    path: /x/{id}\n    summary: x\n`,
      /^a\.yaml:5:\d+ endpoints\.get\.path: needs an argument or fixed value for \{id\}/,
    ],
    [
      'a whole schema under args',
      `${list}    args: { type: object, properties: {} }\n`,
      /^a\.yaml:7:\d+ endpoints\.list\.args: is a whole JSON Schema; call the key inputSchema/,
    ],
    [
      'no base URL',
      'name: a\nendpoints: { list: { path: /x, summary: x } }\n',
      /^a\.yaml:1:\d+ baseUrl: is missing: give the URL/,
    ],
    [
      'an unset base URL',
      'name: a\nbaseUrl: { env: A_URL }\nendpoints: { list: { path: /x, summary: x } }\n',
      /^a\.yaml:2:\d+ baseUrl: is not known: set the environment variable A_URL/,
    ],
    ['nothing to offer', 'name: a\n', /^a\.yaml:1:\d+: has nothing to serve: it needs endpoints, or openapi/],
    [
      'curation without a document',
      `${list}operations: { a: { effect: read } }\n`,
      /^a\.yaml:7:\d+ operations: applies only to an imported document/,
    ],
    [
      'an undeclared prompt argument',
      'name: a\nprompts:\n  p:\n    text: Hi {{nam}}\n    arguments: { name: {} }\n',
      /^a\.yaml:4:\d+ prompts\.p\.text: uses \{\{nam\}\}.*did you mean "name"\?$/,
    ],
    [
      'a resource file outside',
      'name: a\nresources:\n  guide://a: { name: g, file: ../../etc/hosts }\n',
      /^a\.yaml:3:\d+ .*must be in the folder of the domain file$/,
    ],
    [
      'a resource file that is missing',
      'name: a\nresources:\n  guide://a: { name: g, file: none.md }\n',
      /^a\.yaml:3:\d+ .*none\.md: there is no such file/,
    ],
    ['nothing in it', '', /^a\.yaml: is empty; a domain is an object with name/],
    ['a list', '- a\n- b\n', /^a\.yaml:1:\d+: is not a domain/],
    [
      'an OpenAPI document without its version',
      'info: { title: x }\npaths: {}\n',
      /^a\.yaml:1:\d+: looks like an OpenAPI document without a version/,
    ],
    [
      'something else',
      'hello: 1\n',
      /^a\.yaml:1:\d+: is neither an OpenAPI document nor a domain: a document has a version under openapi or swagger, a domain is an object/,
    ],
    [
      'an Overlay in it',
      'overlay: 1.0.0\ninfo: {}\nactions: []\n',
      /^a\.yaml:1:\d+: is an Overlay; name it under overlays/,
    ],
    [
      'a resource that is written',
      `${list}    method: POST\n    expose: resource\n`,
      /^a\.yaml:8:\d+ endpoints\.list\.expose: must be tool: only GET/,
    ],
    [
      'an alias bomb',
      `name: a\ntitle: x\n${'a: &a [x,x,x,x,x,x,x,x,x]\nb: &b [*a,*a,*a,*a,*a,*a,*a,*a,*a]\nc: &c [*b,*b,*b,*b,*b,*b,*b,*b,*b]\nd: [*c,*c,*c,*c,*c,*c,*c,*c,*c]\n'}`,
      /^a\.yaml: .*alias/i,
    ],
    ['an object that holds itself', `${head}endpoints: &e\n  list: *e\n`, /^a\.yaml:4:\d+ endpoints\.list/],
  ];
  for (const [what, text, want] of broken) {
    test(`with ${what} stops the start, naming file, line and fix`, async () => {
      write('a.yaml', text);
      expect(await message([join(folder, 'a.yaml')])).toMatch(want);
    });
  }

  test('may contain __proto__ without effect', async () => {
    write(
      'a.json',
      '{"name":"a","baseUrl":"https://api.test","__proto__":{"polluted":true},"endpoints":{"__proto__":{"path":"/","summary":"x"},"list":{"path":"/","summary":"x","args":{"__proto__":{"type":"string"}}}}}',
    );
    await load().catch(() => undefined);
    expect(({} as Record<string, unknown>).polluted).toBeUndefined();
    expect(({} as Record<string, unknown>).path).toBeUndefined();
  });
});

describe('a JSON domain file', () => {
  test('may have constraints between arguments: required, oneOf and dependencies', async () => {
    write(
      'a.json',
      JSON.stringify({
        name: 'a',
        baseUrl: 'https://api.test',
        endpoints: {
          notify: {
            method: 'POST',
            path: '/notify',
            summary: 'Notifies.',
            inputSchema: {
              type: 'object',
              properties: {
                text: { type: 'string' },
                email: { type: 'string' },
                phone: { type: 'string' },
                country: { type: 'string' },
              },
              required: ['text'],
              oneOf: [{ required: ['email'] }, { required: ['phone'] }],
              dependencies: { phone: ['country'] },
            },
          },
        },
      }),
    );
    const endpoint = (await load())[0]!.endpoints[0]!;
    const accepts = (args: Record<string, string>) => {
      try {
        createValidator(endpoint)('a_notify', args);
        return true;
      } catch {
        return false;
      }
    };
    expect(accepts({ text: 'x', email: 'e' })).toBe(true);
    expect(accepts({ text: 'x', phone: '1', country: 'PT' })).toBe(true);
    expect(accepts({ text: 'x' })).toBe(false);
    expect(accepts({ email: 'e' })).toBe(false);
    expect(accepts({ text: 'x', phone: '1' })).toBe(false);
    expect(endpoint.args.map((arg) => arg.to[0]!.in)).toEqual(['body', 'body', 'body', 'body']);
  });
});

describe('what is a document and what is a domain file', () => {
  const rows: [string, string, 'document' | 'data'][] = [
    ['yaml 3.1', 'openapi: 3.1.0\ninfo: {}\n', 'document'],
    ['quoted', 'info: {}\n\'openapi\': "3.0.3" # comment\n', 'document'],
    ['two numbers', 'openapi: 3.1\n', 'document'],
    ['swagger', 'swagger: "2.0"\n', 'document'],
    ['json', '{"info":{},"openapi":"3.0.0"}', 'document'],
    ['json, spread out', '{\n  "swagger" : "2.0",\n "info": {}}', 'document'],
    ['with a byte order mark and CRLF', '\uFEFFopenapi: 3.0.0\r\ninfo: {}\r\n', 'document'],
    ['a release candidate', 'openapi: 3.0.0-rc1\n', 'document'],
    ['a domain file', 'name: a\nopenapi: ./x.yaml\n', 'data'],
    ['a document whose name begins with a number', 'name: a\nopenapi: 3.0-pets.yaml\n', 'data'],
    ['a URL', 'name: a\nopenapi: https://a.test/3.0.0\n', 'data'],
    ['a word in a text', 'name: a\ndescription: about openapi: 3.0.0 and more\n', 'data'],
  ];
  for (const [what, text, kind] of rows) {
    test(`${what}: ${kind}`, async () => {
      expect(await findFiles([write('x.yaml', text)])).toMatchObject([{ kind }]);
    });
  }
});

describe('paths', () => {
  test('without domain files are refused', async () => {
    expect(await message()).toMatch(/holds no domain files \(\*\.ts, .*\); add one$/);
    expect(await message([join(folder, 'nowhere')])).toBe('nowhere: there is no such file or folder; check the path');
    expect(await message([])).toMatch(/Nothing to serve/);
  });

  test('with two documents of the same title number the second', async () => {
    const document = (path: string) =>
      JSON.stringify({
        openapi: '3.0.0',
        info: { title: 'Shop', version: '1' },
        servers: [{ url: 'http://127.0.0.1:9' }],
        paths: { [path]: { get: { operationId: 'getIt', summary: 'Gets it.', responses: {} } } },
      });
    write('v1.json', document('/v1'));
    write('v2.json', document('/v2'));
    const domains = await loadDomains({ paths: [join(folder, 'v1.json'), join(folder, 'v2.json')], env: {} });
    expect(domains.map(({ name }) => name)).toEqual(['shop', 'shop_2']);
  });

  test('with two domains of the same name are refused, naming both files', async () => {
    write('a.yaml', YAML('same'));
    write('b.yaml', YAML('same'));
    expect(await message()).toBe(
      'b.yaml name: "same" is also the name of the domain in a.yaml; choose another name for one of them',
    );
  });
});

describe('options', () => {
  test('a base URL replaces all others, and headers are sent as secrets', async () => {
    write('a.yaml', `${YAML('a')}  abroad: { path: /, summary: x, baseUrl: https://other.test }\n`);
    const [domain] = await loadDomains({
      paths: [folder],
      env: { T: 'tok3n' },
      baseUrl: 'http://127.0.0.1:9/v2/',
      headers: ['Authorization: Bearer ${T}'],
    });
    expect(domain!.endpoints.map((endpoint) => endpoint.baseUrl)).toEqual([
      'http://127.0.0.1:9/v2',
      'http://127.0.0.1:9/v2',
    ]);
    expect(domain!.endpoints[1]!.security).toMatchObject([
      [{ field: 'Authorization', prefix: 'Bearer ', secret: { value: 'tok3n' } }],
    ]);
  });

  test('embedded APIs are started once, and only if no other base URL is set', async () => {
    const asked: string[] = [];
    const embedded = async (name: string) => {
      asked.push(name);
      return 'http://127.0.0.1:1234/';
    };
    write(
      'a.yaml',
      `name: a\nbaseUrl: { env: A_URL, default: 'embedded:tasks' }\nendpoints: { list: { path: /, summary: x } }\n`,
    );
    write('b.yaml', `name: b\nbaseUrl: embedded:tasks\nendpoints: { list: { path: /, summary: x } }\n`);
    const domains = await loadDomains({ paths: [folder], env: {}, embedded });
    expect(domains.map((domain) => domain.endpoints[0]!.baseUrl)).toEqual([
      'http://127.0.0.1:1234',
      'http://127.0.0.1:1234',
    ]);
    expect(asked).toEqual(['tasks']);
    asked.length = 0;
    await loadDomains({ paths: [join(folder, 'a.yaml')], env: { A_URL: 'http://elsewhere.test' }, embedded });
    expect(asked).toEqual([]);
    expect(await message([join(folder, 'a.yaml')])).toBe(
      'a.yaml:2:1 baseUrl: names the embedded API "tasks", which is not running here; set A_URL',
    );
  });

  test('what modules import from `landbridge` can be passed in', async () => {
    write(
      'a.ts',
      `import { answer } from 'landbridge'; export default { name: 'n' + answer, prompts: { p: { text: 'x' } } };`,
    );
    const [domain] = await loadDomains({ paths: [folder], env: {}, library: async () => ({ answer: 42 }) });
    expect(domain!.name).toBe('n42');
  });
});

test('a symbolic link cannot lead a resource out of the folder of its domain file', async () => {
  const path = write('inner/a.yaml', "name: a\nresources: { 'guide://a': { name: guide, file: link.md } }\n");
  write('inner/own.md', 'inside');
  write('secret.md', 'outside');
  symlinkSync(join(folder, 'inner', 'own.md'), join(folder, 'inner', 'link.md'));
  await expect(loadDomains({ paths: [path], env: {} })).resolves.toHaveLength(1);
  rmSync(join(folder, 'inner', 'link.md'));
  symlinkSync(join(folder, 'secret.md'), join(folder, 'inner', 'link.md'));
  await expect(loadDomains({ paths: [path], env: {} })).rejects.toThrow('must be in the folder of the domain file');
});
