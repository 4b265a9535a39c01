// landbridge import, as a person runs it: what it writes down, and what a second time does.
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { run } from '../support/cli.ts';
import { startUpstream, type Upstream } from '../support/upstream.ts';

// biome-ignore-start lint/suspicious/noTemplateCurlyInString: as it is written on a command line and in a domain file

let folder: string;
let api: Upstream;
/** What the API's document says now. */
let document: Record<string, unknown>;

const operation = (operationId: string, more: object = {}) => ({
  operationId,
  summary: `Does ${operationId}.`,
  responses: { 200: { description: 'ok' } },
  ...more,
});
const query = (name: string, type: string, required = false) => ({ name, in: 'query', required, schema: { type } });
const shop = (paths: object, more: object = {}) => ({
  openapi: '3.0.3',
  info: { title: 'Shop', version: '1' },
  servers: [{ url: '/api' }],
  paths,
  ...more,
});
const FIRST = {
  '/items': { get: operation('listItems', { parameters: [query('limit', 'integer'), query('sort', 'string')] }) },
  '/items/{id}': {
    parameters: [{ name: 'id', in: 'path', required: true, schema: { type: 'string' } }],
    get: operation('getItem'),
    delete: operation('deleteItem'),
  },
  '/old': { get: operation('getOld') },
};

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'landbridge-import-'));
  document = shop(FIRST);
  api = await startUpstream(({ url, headers }, response) => {
    if (url.startsWith('/openapi.json')) {
      // Whoever shows no token gets a document with less in it, as some products do.
      const isKnown = headers.authorization === 'Bearer t0ken-123' || headers['x-open'] === 'yes';
      response.end(JSON.stringify(isKnown ? document : shop({ '/ping': { get: operation('ping') } })));
    } else if (url === '/docs') {
      response.end('<!DOCTYPE html><html><body><redoc spec-url="/openapi.json"></redoc></body></html>');
    } else {
      response.setHeader('content-type', 'application/json');
      response.end(JSON.stringify({ authorization: headers.authorization ?? null, url }));
    }
  });
});
afterEach(async () => {
  await api.close();
  await rm(folder, { recursive: true });
});

const env = { TOKEN: 't0ken-123' };
const bearer = ['--header', 'Authorization: Bearer ${TOKEN}'];
const landbridge = (args: readonly string[], variables: Record<string, string> = env) =>
  run(args, { cwd: folder, env: variables });
const text = (path: string) => readFile(join(folder, path), 'utf8');

describe('landbridge import --header', () => {
  test('fetches with it and writes it into the domain file, which then serves with it', async () => {
    const { code, stdout } = await landbridge(['import', `${api.url}/openapi.json`, ...bearer]);
    expect([code, stdout]).toEqual([0, expect.stringContaining('4 operations (3 read, 0 write, 1 destructive)')]);
    expect(await text('domains/shop.yaml')).toContain('headers:\n  "Authorization": "Bearer ${TOKEN}"\n');
    const called = await landbridge(['call', 'get_old', '--domains', 'domains']);
    expect(called.stdout).toContain('{"authorization":"Bearer [redacted]","url":"/api/old"}');
    expect(api.seen.at(-1)!.headers.authorization).toBe('Bearer t0ken-123');
    const without = await landbridge(['call', 'get_old', '--domains', 'domains'], {});
    expect(without.stderr).toContain('Set TOKEN in the environment');
  });

  test('a secret that was typed out is not written: a variable is, and what to set is said', async () => {
    const line = [
      '--header',
      'Authorization: Bearer t0ken-123',
      '--header',
      'X-Tenant: acme',
      '--header',
      'X-Pass: hush1',
    ];
    const { stdout } = await landbridge(['import', `${api.url}/openapi.json?token=s3cret&v=2`, ...line]);
    const file = await text('domains/shop.yaml');
    expect(file).toContain(
      'headers:\n  "Authorization": "Bearer ${SHOP_AUTHORIZATION}"\n  "X-Tenant": "acme"\n  "X-Pass": "${SHOP_X_PASS}"\n',
    );
    expect(file).toContain(`importedFrom: "${api.url}/openapi.json?token=\${SHOP_TOKEN}&v=2"`);
    expect(file + stdout).not.toMatch(/t0ken-123|hush1|s3cret/);
    expect(stdout).toContain('set SHOP_AUTHORIZATION to the text after "Bearer"');
    expect(stdout).toContain('set SHOP_X_PASS to that value.');
    expect(stdout).toContain('set SHOP_TOKEN before an update');
  });

  test('a default is a value too', async () => {
    await landbridge(['import', `${api.url}/openapi.json`, '--header', 'Authorization: Bearer ${T:-t0ken-123}'], {});
    expect(await text('domains/shop.yaml')).toContain('"Authorization": "Bearer ${T}"');
  });

  test('a secret that stands in a file stays there, and the domain file says where', async () => {
    const secret = join(folder, 'token');
    await writeFile(secret, 't0ken-123\n');
    const line = `Authorization: Bearer \${file:${secret}}`;
    const { code, stdout } = await landbridge(['import', `${api.url}/openapi.json`, '--header', line], {});
    expect([code, stdout]).toEqual([0, expect.not.stringContaining('was not written')]);
    expect(await text('domains/shop.yaml')).toContain(`"Authorization": "Bearer \${file:${secret}}"`);
    const called = await landbridge(['call', 'get_old', '--domains', 'domains'], {});
    expect(called.stdout).toContain('{"authorization":"Bearer [redacted]"');
  });

  test('an unset variable stops it before anything is fetched', async () => {
    const { code, stderr } = await landbridge(['import', `${api.url}/openapi.json`, ...bearer], {});
    expect([code, stderr]).toEqual([1, expect.stringContaining('needs the environment variable TOKEN; set it')]);
    expect(api.seen).toEqual([]);
  });
});

describe('the comments of the domain file', () => {
  test('are a file that loads when they are uncommented', async () => {
    const document = {
      openapi: '3.0.3',
      info: { title: 'Shop', version: '1' },
      servers: [{ url: 'http://127.0.0.1:1/api/v1' }],
      paths: {
        '/books': {
          get: {
            operationId: 'listBooks',
            summary: 'Lists books.',
            parameters: [{ name: 'page', in: 'query', schema: { type: 'integer' } }],
            responses: {
              200: {
                description: 'OK',
                content: {
                  'application/json': {
                    schema: {
                      type: 'array',
                      items: { type: 'object', properties: { isbn: { type: 'string' }, title: { type: 'string' } } },
                    },
                  },
                },
              },
            },
          },
        },
      },
    };
    await writeFile(join(folder, 'books.json'), JSON.stringify(document));
    const { stdout } = await landbridge(['import', 'books.json']);
    expect(stdout).toContain('Edit domains/shop.yaml, then: landbridge serve\n');
    const file = await text('domains/shop.yaml');
    expect(file).toContain(
      '# A URL without a path keeps that of the document: /api/v1. For no path, end it with /. as in http://127.0.0.1:8080/.\n',
    );
    const edited = file
      .replace('# include: { operations', 'include: { operations')
      .replace('operations: {}', 'operations:')
      .replace(/^# {3}( +\S)/gm, '  $1')
      .replace(/^# {3}("GET)/m, '  $1');
    expect(edited).toContain('\n  "GET /books":\n');
    expect(edited).toContain('\n    response: { pick: ["isbn", "title"], maxChars: 8000 }\n');
    await writeFile(join(folder, 'domains/shop.yaml'), edited);
    const tools = await landbridge(['tools']);
    expect([tools.code, tools.stderr]).toEqual([0, '']);
    expect(tools.stdout).toContain('list_books');
    expect(tools.stdout).not.toContain('!');
  });
});

describe('the base URL of the domain file', () => {
  const tools = async () => {
    const { stdout } = await landbridge(['explain', 'b', 'domains', '--json']);
    return stdout;
  };
  const spread = (first: string, second: string) =>
    shop({
      '/a': { servers: [{ url: first }], get: operation('a') },
      '/b': { servers: [{ url: second }], get: operation('b') },
    });

  test('is the origin alone where operations have paths of their own', async () => {
    await writeFile(join(folder, 'shop.json'), JSON.stringify(spread(`${api.url}/v1`, `${api.url}/v2`)));
    await landbridge(['import', 'shop.json']);
    expect(await text('domains/shop.yaml')).toContain(`default: "${api.url}" }`);
    expect(await tools()).toContain(`${api.url}/v2`);
  });

  test('is left to the document where operations are on several origins', async () => {
    await writeFile(join(folder, 'shop.json'), JSON.stringify(spread('http://127.0.0.1:9/v1', `${api.url}/v2`)));
    await landbridge(['import', 'shop.json']);
    expect(await text('domains/shop.yaml')).toContain(
      `# baseUrl: replaces every server of the document, which has operations at http://127.0.0.1:9, ${api.url}.`,
    );
    expect(await tools()).toContain(`${api.url}/v2`);
  });

  test('says where a document behind a page was found, and is resolved from there', async () => {
    const { stdout } = await landbridge(['import', `${api.url}/docs`, ...bearer]);
    expect(stdout).toContain(`${api.url}/docs is a page; its document is ${api.url}/openapi.json.`);
    const file = await text('domains/shop.yaml');
    expect(file).toContain(`importedFrom: "${api.url}/openapi.json"`);
    expect(file).toContain(`default: "${api.url}/api" }`);
  });
});

describe('landbridge import, a second time', () => {
  test('refuses and teaches --update', async () => {
    await writeFile(join(folder, 'shop.json'), JSON.stringify(document));
    await landbridge(['import', 'shop.json']);
    const { code, stderr } = await landbridge(['import', 'shop.json']);
    expect(code).toBe(1);
    expect(stderr).toContain('domains/shop.yaml, openapi/shop.yaml already exist.');
    expect(stderr).toContain('landbridge import --update shop.json');
  });

  test('--force keeps what it overwrites, each time under another name', async () => {
    await writeFile(join(folder, 'shop.json'), JSON.stringify(document));
    await landbridge(['import', 'shop.json']);
    await writeFile(join(folder, 'domains/shop.yaml'), 'name: shop\n# mine\nopenapi: ../openapi/shop.yaml\n');
    const { stdout } = await landbridge(['import', 'shop.json', '--force']);
    expect(stdout).toContain('backup: domains/shop.yaml.bak\nbackup: openapi/shop.yaml.bak\n');
    expect(await text('domains/shop.yaml.bak')).toContain('# mine');
    const again = await landbridge(['import', 'shop.json', '--force', '--json']);
    expect(JSON.parse(again.stdout)).toMatchObject({
      backups: ['domains/shop.yaml.bak.2', 'openapi/shop.yaml.bak.2'],
    });
    expect(await text('domains/shop.yaml.bak')).toContain('# mine');
    expect((await landbridge(['tools', 'domains'])).code).toBe(0);
  });
});

describe('landbridge import --update', () => {
  const SECOND = {
    '/items': {
      get: operation('listItems', { parameters: [query('limit', 'string'), query('shop', 'string', true)] }),
      post: operation('createItem'),
    },
    '/items/{itemId}': {
      parameters: [{ name: 'itemId', in: 'path', required: true, schema: { type: 'string' } }],
      get: operation('getItem', { deprecated: true }),
    },
  };

  /** Imports, and curates by hand: comments, odd spacing and all. */
  const curate = async (operations: string) => {
    await landbridge(['import', `${api.url}/openapi.json`, ...bearer]);
    const file = `${(await text('domains/shop.yaml')).replace('operations: {}', operations)}\n#   the end   \n`;
    await writeFile(join(folder, 'domains/shop.yaml'), file);
    return file;
  };

  test('fetches the next version with the headers of the file, and changes the document alone', async () => {
    const file = await curate('operations:\n  listItems:   { description: "Mine." } # keep');
    document = shop(SECOND);
    const { code, stdout } = await landbridge(['import', '--update']);
    expect(stdout).toBe(
      [
        `✓ openapi/shop.yaml, from ${api.url}/openapi.json`,
        'backup: openapi/shop.yaml.bak',
        '1 operation added:',
        '  + create_item POST /items (write)',
        '2 operations removed:',
        '  - delete_item DELETE /items/{id} (destructive)',
        '  - get_old GET /old (read)',
        '2 operations changed:',
        '  ~ list_items GET /items argument shop added (required); argument sort removed; argument limit integer → string',
        '  ~ get_item GET /items/{itemId} moved: GET /items/{id} → GET /items/{itemId}; argument itemId added (required); argument id removed; now deprecated',
        'domains/shop.yaml was not changed.',
        '',
      ].join('\n'),
    );
    expect(code).toBe(0);
    expect(await text('domains/shop.yaml')).toBe(file);
    expect(await text('openapi/shop.yaml')).toContain('createItem');
    expect(await text('openapi/shop.yaml.bak')).toContain('getOld');
    const listed = JSON.parse((await landbridge(['tools', 'domains', '--json'])).stdout) as {
      tools: { name: string }[];
    };
    expect(listed.tools.map(({ name }) => name)).toEqual(['list_items', 'create_item', 'get_item']);
  });

  test('names curated entries whose operation or argument went, with line and fix, and exits 1', async () => {
    const file = await curate(
      [
        'operations:',
        '  "GET /items/{id}": { name: look }',
        '  getOld: { description: "Old." }',
        '  listItems: { args: { sort: { hide: true } } }',
      ].join('\n'),
    );
    const first = file.split('\n').indexOf('operations:') + 1;
    document = shop(SECOND);
    const { code, stdout } = await landbridge(['import', '--update', '--json']);
    expect(code).toBe(1);
    expect(JSON.parse(stdout)).toMatchObject({
      domainFile: 'domains/shop.yaml',
      document: 'openapi/shop.yaml',
      importedFrom: `${api.url}/openapi.json`,
      updated: true,
      backups: ['openapi/shop.yaml.bak'],
      came: [{ tool: 'create_item', operation: 'POST /items', effect: 'write' }],
      went: [{ operation: 'DELETE /items/{id}' }, { operation: 'GET /old' }],
      changed: [{ operation: 'GET /items' }, { operation: 'GET /items/{itemId}' }],
      stale: [
        {
          line: first + 1,
          field: 'operations["GET /items/{id}"]',
          message: 'is now GET /items/{itemId}; rename this entry to "GET /items/{itemId}"',
        },
        {
          line: first + 2,
          field: 'operations.getOld',
          message: 'GET /old is no longer in the document; remove this entry',
        },
        { line: first + 3, field: expect.stringContaining('operations.listItems.args.sort') },
      ],
    });
    expect(await text('domains/shop.yaml')).toBe(file);
    const serving = await landbridge(['tools', 'domains']);
    expect(serving.stderr).toContain(`domains/shop.yaml:${first + 2}:3 operations.getOld`);
    // The lines are still there, so the same command does not call it well.
    const again = await landbridge(['import', '--update', '--json']);
    expect(again.code).toBe(1);
    const lines = (JSON.parse(again.stdout) as { stale: { line: number }[] }).stale.map(({ line }) => line);
    expect(lines).toEqual([first + 1, first + 2, first + 3]);
  });

  test('names tools as the domain file does', async () => {
    await curate('operations:\n  listItems: { name: items }\n  "get /items/{id}": { name: look }');
    document = shop(SECOND);
    const { stdout } = await landbridge(['import', '--update']);
    expect(stdout).toContain('  ~ items GET /items argument');
    expect(stdout).toContain('; renamed: look → get_item;');
    expect(stdout).toContain('  + create_item POST /items');
  });

  test('writes nothing where nothing is new', async () => {
    await curate('operations: {}');
    const { code, stdout } = await landbridge(['import', '--update', 'domains/shop.yaml']);
    expect([code, stdout]).toEqual([
      0,
      `openapi/shop.yaml is the same as ${api.url}/openapi.json: nothing was written.\ndomains/shop.yaml was not changed.\n`,
    ]);
    expect(await readdir(join(folder, 'openapi'))).toEqual(['shop.yaml']);
  });

  test('takes another document for a domain that is named, and says that the file remembers the first', async () => {
    await curate('operations: {}');
    await writeFile(
      join(folder, 'next.yaml'),
      JSON.stringify(shop(SECOND, { info: { title: 'Renamed', version: '2' } })),
    );
    const unnamed = await landbridge(['import', '--update', 'next.yaml']);
    expect([unnamed.code, unnamed.stderr]).toEqual([1, expect.stringContaining('There is no domains/renamed.yaml')]);
    const { code, stdout } = await landbridge(['import', '--update', 'next.yaml', '--name', 'shop']);
    expect(code).toBe(0);
    expect(stdout).toContain(`domains/shop.yaml still says importedFrom: ${api.url}/openapi.json; change it`);
    expect(await text('domains/shop.yaml')).toContain('importedFrom');
    expect(await readdir(join(folder, 'openapi'))).toEqual(['shop.yaml', 'shop.yaml.bak']);
  });

  test('a document of several files keeps its layout; parts that went are gone', async () => {
    const split = async (names: readonly string[]) => {
      const paths = Object.fromEntries(names.map((name) => [`/${name}`, { $ref: `parts/${name}.yaml` }]));
      await mkdir(join(folder, 'src/parts'), { recursive: true });
      await writeFile(join(folder, 'src/openapi.json'), JSON.stringify(shop(paths)));
      for (const name of names)
        await writeFile(join(folder, `src/parts/${name}.yaml`), JSON.stringify({ get: operation(name) }));
    };
    await split(['a', 'b']);
    await landbridge(['import', 'src/openapi.json', '--base-url', 'http://127.0.0.1:9']);
    await split(['b', 'c']);
    const { code, stdout } = await landbridge(['import', '--update']);
    expect([code, stdout]).toEqual([0, expect.stringContaining('backup: openapi/shop.bak\n')]);
    expect((await readdir(join(folder, 'openapi/shop/parts'))).sort()).toEqual(['b.yaml', 'c.yaml']);
    expect((await readdir(join(folder, 'openapi/shop.bak/parts'))).sort()).toEqual(['a.yaml', 'b.yaml']);
  });

  test('a part that other documents may use stays where it is, and is named', async () => {
    const part = JSON.stringify({ get: operation('part') });
    await mkdir(join(folder, 'openapi'));
    await mkdir(join(folder, 'domains'));
    await mkdir(join(folder, 'next'));
    await writeFile(join(folder, 'openapi/common.yaml'), part);
    await writeFile(join(folder, 'openapi/shop.json'), JSON.stringify(shop({ '/a': { $ref: 'common.yaml' } })));
    await writeFile(join(folder, 'next/shop.json'), JSON.stringify(shop({ '/a': { get: operation('a') } })));
    await writeFile(
      join(folder, 'domains/shop.yaml'),
      'name: shop\nopenapi: ../openapi/shop.json\nimportedFrom: ../next/shop.json\nbaseUrl: http://127.0.0.1:9\n',
    );
    const { stdout } = await landbridge(['import', '--update']);
    expect(stdout).toContain(
      'openapi/common.yaml is no longer part of the document; delete it if nothing else uses it',
    );
    expect(await text('openapi/common.yaml')).toBe(part);
  });

  test('says what is missing: where the document came from, which file, a variable', async () => {
    const nothing = await landbridge(['import', '--update']);
    expect([nothing.code, nothing.stderr]).toEqual([2, expect.stringContaining('Name the document')]);
    await mkdir(join(folder, 'domains'));
    const write = (name: string, more: string) => writeFile(join(folder, 'domains', name), `name: ${name[0]}\n${more}`);
    await write('a.yaml', 'openapi: ../a.json\n');
    expect((await landbridge(['import', '--update', '--name', 'a'])).stderr).toContain(
      'domains/a.yaml:2: does not say where its document comes from',
    );
    await write('b.yaml', `openapi: ${api.url}/openapi.json\n`);
    expect((await landbridge(['import', '--update', '--name', 'b'])).stderr).toContain(
      'at every start, so there is nothing to update',
    );
    await write('c.yaml', 'openapi: ../c.json\nimportedFrom: "http://127.0.0.1:9/o.json?key=${NONE}"\n');
    expect((await landbridge(['import', '--update'])).stderr).toContain(
      'domains/c.yaml:3: importedFrom needs the environment variable NONE',
    );
    await write('d.yaml', 'openapi: ../d.json\nimportedFrom: ../d.json\n');
    expect((await landbridge(['import', '--update'])).stderr).toContain('domains/c.yaml, or domains/d.yaml');
    expect((await landbridge(['import'])).stderr).toContain('Name the document');
  });

  test('leaves everything as it was when the new version cannot be had', async () => {
    const file = await curate('operations: {}');
    const before = await text('openapi/shop.yaml');
    const { code, stderr } = await landbridge(['import', '--update'], {});
    expect([code, stderr]).toEqual([1, expect.stringContaining('needs the environment variable TOKEN')]);
    document = { swaggerVersion: '1.2' };
    expect((await landbridge(['import', '--update'])).stderr).toContain('it is Swagger 1.x');
    expect([await text('domains/shop.yaml'), await text('openapi/shop.yaml')]).toEqual([file, before]);
  });
});
// biome-ignore-end lint/suspicious/noTemplateCurlyInString: as above
