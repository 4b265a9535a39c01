import { spawn } from 'node:child_process';
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { programFile, run, runProgram } from '../support/cli.ts';
import { startUpstream } from '../support/upstream.ts';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'landbridge-cli-'));
  await writeFile(join(folder, 'bad-profiles.yaml'), 'reader: { domains: [task] }\n');
  await writeFile(
    join(folder, 'lonely.yaml'),
    'name: lonely\nbaseUrl: http://127.0.0.1:9\nendpoints: { look: { path: /look, summary: Looks whether anybody is there. } }\n',
  );
});
afterAll(() => rm(folder, { recursive: true, force: true }));

describe('landbridge', () => {
  test('--help names every command and exits 0', async () => {
    const { code, stdout } = await run(['--help']);
    expect(code).toBe(0);
    for (const command of ['serve', 'tools', 'call', 'import', 'explain', 'doctor']) expect(stdout).toContain(command);
  });

  test('--help groups the flags of serve by purpose, those of the first minutes first, in 80 columns', async () => {
    const { code, stdout } = await run(['serve', '--help']);
    expect(code).toBe(0);
    const lines = stdout.split('\n');
    const groups = lines.filter((line) => /^[A-Z][\w ]+:$/.test(line)).map((line) => line.slice(0, -1));
    expect(groups).toEqual([
      'Arguments',
      'Listening',
      'APIs and settings',
      'Tools',
      'Callers and TLS',
      'Public address and proxies',
      'Operation',
      'Limits and shutdown',
      'Output',
      'Examples',
    ]);
    expect(lines.slice(0, 24).join('\n')).toMatch(/--port[^#]*--stdio[^#]*--header/);
    expect(lines.filter((line) => line.length > 80 && !line.startsWith('  landbridge '))).toEqual([]);
  });

  test('--version prints the version and exits 0', async () => {
    expect(await run(['--version'])).toMatchObject({ code: 0, stdout: expect.stringMatching(/^\d+\.\d+\.\d+\n$/) });
  });

  test.each([
    [['serv'], 'Did you mean serve?'],
    [['serve', '--prot', '1'], 'Did you mean --port?'],
    [['tools', '--jsn'], 'Did you mean --json?'],
  ])('%j is a mistake in the command line, with a suggestion and exit code 2', async (args, hint) => {
    const { code, stderr } = await run(args);
    expect(code).toBe(2);
    expect(stderr).toContain(hint);
  });

  test.each([
    [['serve', '--port', 'abc'], '--port (or PORT) must be a number'],
    [['serve', '--port', '70000'], 'must be at most 65535'],
    [['serve', '--exposure', 'all'], 'must be tools, grouped, search or auto'],
    [['serve', '--base-url', 'ftp://x'], '--base-url must be an http(s) URL'],
  ])('%j is a wrong value: one clear sentence and exit code 2', async (args, sentence) => {
    const { code, stderr } = await run(args, { cwd: folder });
    expect(code).toBe(2);
    expect(stderr).toContain(sentence);
    expect(stderr).not.toMatch(/^\s+at /m);
  });

  test.each([
    ['1', 1, 'not allowed here'],
    ['yes', 1, 'not allowed here'],
    ['maybe', 2, '--read-only (or LANDBRIDGE_READ_ONLY) must be true or false'],
  ])('LANDBRIDGE_READ_ONLY=%s never means no', async (value, exit, sentence) => {
    const { code, stderr } = await run(['call', 'tasks_delete_task', 'id=1', '--yes'], {
      cwd: folder,
      env: { LANDBRIDGE_READ_ONLY: value },
    });
    expect(code).toBe(exit);
    expect(stderr).toContain(sentence);
  });

  test.each([
    [['serve', 'no-such.yaml'], 'no-such.yaml'],
    [['serve', '--host', '0.0.0.0'], '--allow-unauthenticated'],
    [['serve', '--profile', 'nobody'], 'There is no profile "nobody"'],
    [['serve', '--profiles', 'bad-profiles.yaml'], 'domains[0]: there is no domain "task"; did you mean "tasks"? ('],
  ])('%j ends in one clear sentence, exit code 1 and no stack trace', async (args, sentence) => {
    const { code, stderr } = await run(args, { cwd: folder });
    expect(code).toBe(1);
    expect(stderr).toContain(sentence);
    expect(stderr).not.toMatch(/^\s+at /m);
  });

  test.each([
    [['serve', '--port', '0']],
    [['tools']],
    [['doctor']],
    [['install', 'cursor']],
    [['call', 'tasks_list_tasks', '--profile', 'reader']],
    [['explain', 'tasks_list_tasks', '--profile', 'reader']],
  ])('%j names file, line and field of a profile that does not fit the catalog', async (args) => {
    const { code, stderr } = await run([...args, '--profiles', 'bad-profiles.yaml'], { cwd: folder });
    expect(code).toBe(1);
    expect(stderr).toContain('bad-profiles.yaml:1:21 reader.domains[0]: there is no domain "task"');
  });

  test.each([[['serve', '--dotenv', 'no-such.env']], [['serve', '--dotenv=no-such.env']]])(
    '%j names the file that does not exist, and where it was looked for',
    async (args) => {
      const { code, stderr } = await run(args, { cwd: folder });
      expect(code).toBe(1);
      expect(stderr).toBe(
        `landbridge: Cannot read the variables in no-such.env (--dotenv): it does not exist. Looked for ${join(folder, 'no-such.env')}.\n`,
      );
    },
  );

  test('says in one sentence that Node.js is too old, before it loads anything', async () => {
    const old = `data:text/javascript,Object.defineProperty(process,'versions',{value:{...process.versions,node:'18.20.8'}})`;
    const { code, stdout, stderr } = await runProgram(['serve'], {
      cwd: folder,
      env: { NODE_OPTIONS: `--import "${old}"` },
    });
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toBe(
      'landbridge: Node.js 20.18 or later is needed, but this is 18.20.8. Install a newer version from https://nodejs.org.\n',
    );
    expect(await readFile(programFile(), 'utf8')).not.toMatch(/^import /m);
    const { engines } = JSON.parse(await readFile(new URL('../../package.json', import.meta.url), 'utf8')) as {
      engines: { node: string };
    };
    expect(engines.node).toBe('>=20.18');
  });

  test('a port in use is named', async () => {
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    const { code, stderr } = await run(['serve', '--port', String(port)]);
    server.close();
    expect(code).toBe(1);
    expect(stderr).toContain(`port ${port} on 127.0.0.1 is already in use`);
  });
});

describe('the built program', () => {
  test.each([
    [['--version']],
    [['tools', '--json']],
    [['doctor', '--token-budget', '50', '--exposure', 'tools', '--json']],
    [['serv']],
    [['tools', './nowhere.yaml', '--json']],
    [['schema', 'profile']],
  ])('%j prints what the command prints in this process, and exits with its code', async (args) => {
    expect(await runProgram(args, { cwd: folder })).toEqual(await run(args, { cwd: folder }));
  });

  test('a reader that closes the pipe early is no error', async () => {
    const child = spawn(process.execPath, [programFile(), 'schema'], { stdio: ['ignore', 'pipe', 'pipe'] });
    child.stdout.destroy();
    const code = await new Promise((resolve) => child.once('exit', resolve));
    expect(code).toBe(0);
  });
});

describe('landbridge call', () => {
  test('calls a tool of the bundled sample with key=value pairs', async () => {
    const { code, stdout } = await run(['call', 'tasks_get_task', 'id=1'], { cwd: folder });
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({ id: 1 });
  });

  test('takes arguments as JSON and prints the result as JSON', async () => {
    const { code, stdout } = await run(['call', 'tasks_create_task', '--args', '{"title":"Try it"}', '--json'], {
      cwd: folder,
    });
    expect(code).toBe(0);
    const { content } = JSON.parse(stdout) as { content: { text: string }[] };
    expect(JSON.parse(content[0]!.text)).toMatchObject({ title: 'Try it' });
  });

  test('says what is wrong with the arguments and exits 1', async () => {
    const { code, stderr } = await run(['call', 'tasks_list_tasks', 'statu=todo'], { cwd: folder });
    expect(code).toBe(1);
    expect(stderr).toContain('did you mean `status`');
  });

  test('suggests the tool that was meant', async () => {
    const { code, stderr } = await run(['call', 'tasks_get_taks'], { cwd: folder });
    expect(code).toBe(1);
    expect(stderr).toContain('Did you mean tasks_get_task?');
  });

  test('does not delete without consent, and does with --yes', async () => {
    const refused = await run(['call', 'tasks_delete_task', 'id=1'], { cwd: folder });
    expect(refused.code).toBe(1);
    expect(refused.stderr).toContain('confirmation_token');
    expect(refused.stderr).toContain('repeat the command with --yes instead of the token');
    const done = await run(['call', 'tasks_delete_task', 'id=1', '--yes'], { cwd: folder });
    expect(done).toMatchObject({ code: 0, stdout: 'OK (204)\n' });
  });

  test('with --confirm ask and no terminal says that --yes works, and it does', async () => {
    const words = ['call', 'tasks_delete_task', 'id=1', '--confirm', 'ask'];
    const refused = await run(words, { cwd: folder });
    expect(refused.code).toBe(1);
    expect(refused.stderr).toContain('From the shell, repeat the command with --yes if you agree.');
    expect(await run([...words, '--yes'], { cwd: folder })).toMatchObject({ code: 0, stdout: 'OK (204)\n' });
  });

  test('reads variables from an env file', async () => {
    await writeFile(join(folder, 'my.env'), 'TASKS_BASE_URL=http://127.0.0.1:9\n');
    // Node reads --env-file as well: the file exists, so that makes no difference.
    for (const flag of ['--dotenv', '--env-file']) {
      const { code, stderr } = await runProgram(['call', 'tasks_get_board', flag, 'my.env'], { cwd: folder });
      expect(code).toBe(1);
      expect(stderr).toContain('127.0.0.1:9');
    }
  });
});

describe('landbridge tools', () => {
  test('--json lists the tools with their cost', async () => {
    const { stdout } = await run(['tools', '--json', '--exposure', 'tools'], { cwd: folder });
    const { tools, quarantined, tokens } = JSON.parse(stdout) as {
      tools: Record<string, unknown>[];
      quarantined: unknown[];
      tokens: number;
    };
    expect(tools.find(({ name }) => name === 'tasks_delete_task')).toEqual({
      name: 'tasks_delete_task',
      domain: 'tasks',
      method: 'DELETE',
      path: '/tasks/{id}',
      effect: 'destructive',
      tokens: expect.any(Number),
    });
    expect(quarantined).toEqual([]);
    expect(tokens).toBeGreaterThan(0);
  });

  test('prints a table for people, without colour when piped', async () => {
    const { stdout } = await run(['tools'], { cwd: folder });
    expect(stdout).toContain('tasks_list_tasks');
    expect(stdout).toMatch(/Each mode would cost: tools [\d,]+, grouped [\d,]+, search [\d,]+\./);
    expect(stdout).not.toContain('\u001b[');
  });
});

describe('landbridge explain', () => {
  test('shows the request and the targets of arguments', async () => {
    const { code, stdout } = await run(['explain', 'tasks_get_task'], { cwd: folder });
    expect(code).toBe(0);
    expect(stdout).toContain('GET /tasks/{id}');
    expect(stdout).toContain('path id');
  });

  test('accepts any name of a tool, and shows its qualified names', async () => {
    const named = await run(['explain', 'tasks_get_task', '--json'], { cwd: folder });
    const [qualified] = (JSON.parse(named.stdout) as { qualifiedNames: string[] }).qualifiedNames;
    expect(qualified).toMatch(/^tasks\.(?:\w+\.)?\w+$/);
    const { code, stdout } = await run(['explain', qualified!], { cwd: folder });
    expect(code).toBe(0);
    expect(stdout).toContain(qualified);
    const typo = await run(['explain', `${qualified}x`], { cwd: folder });
    expect(typo.stderr).toContain(`Did you mean ${qualified}?`);
  });
});

describe('landbridge doctor', () => {
  test('calls the bundled catalog fit and exits 0', async () => {
    const { code, stdout } = await run(['doctor', '--json'], { cwd: folder });
    expect(JSON.parse(stdout)).toMatchObject({ healthy: true, errors: 0, findings: [] });
    expect(code).toBe(0);
  });

  test('names problems and exits with 1', async () => {
    const { code, stdout } = await run(
      ['doctor', '--token-budget', '50', '--exposure', 'tools', '--client', 'claude'],
      { cwd: folder },
    );
    expect(code).toBe(1);
    expect(stdout).toContain('the budget is 50');
  });

  test('--online finds an API that does not answer', async () => {
    const { code, stdout } = await run(['doctor', '--online', '--json', '--domains', 'lonely.yaml'], { cwd: folder });
    expect(code).toBe(1);
    expect(JSON.parse(stdout)).toMatchObject({ findings: [{ check: 'base_url', where: 'lonely' }] });
  });
});

describe('a document with features that the tool does not show', () => {
  const spec = {
    openapi: '3.0.3',
    info: { title: 'Store', version: '1' },
    servers: [{ url: 'http://127.0.0.1:9' }],
    components: {
      securitySchemes: {
        key: { type: 'apiKey', in: 'header', name: 'X-Key' },
        token: { type: 'http', scheme: 'Token' },
      },
    },
    security: [{ key: [] }, { token: [] }],
    paths: {
      '/items/{id}/purge': {
        post: {
          operationId: 'purgeItem',
          summary: 'Purge an item of the store',
          parameters: [
            { name: 'id', in: 'path', required: true, schema: { type: 'integer' } },
            { name: 'Accept', in: 'header', schema: { type: 'string' } },
            { name: 'X-Key', in: 'header', schema: { type: 'string' } },
            { name: 'mode', in: 'query', schema: { type: 'string', enum: ['a', 'b'], default: 'a' } },
          ],
          callbacks: { done: {} },
          requestBody: {
            content: {
              'application/json': {
                schema: {
                  type: 'object',
                  properties: {
                    notes: { type: 'array', items: { type: 'string' } },
                    created: { type: 'string', readOnly: true },
                  },
                  additionalProperties: false,
                },
                example: { notes: ['x'], reason: 'old' },
              },
              'application/xml': { schema: { type: 'object' } },
            },
          },
          responses: {
            200: { description: 'ok', content: { 'application/json': { schema: {} }, 'text/csv': { schema: {} } } },
          },
        },
      },
      '/lost': { get: { operationId: 'lost', parameters: [{ $ref: 'gone.yml' }] } },
    },
  };
  beforeAll(() => writeFile(join(folder, 'store.json'), JSON.stringify(spec)));

  test('explain shows types, the reason of the effect, what was left out and the form of credentials', async () => {
    const { stdout } = await run(['explain', 'purgeItem', 'store.json'], { cwd: folder });
    for (const line of [
      /effect +destructive: POST, but named purgeItem/,
      /LANDBRIDGE_CRED_STORE_KEY \(not set\), sent as X-Key: …; or token: .* sent as Authorization: Token …/,
      /^ {2}id +integer +required +path id/m,
      /^ {2}mode +one of "a", "b" +query mode +default "a"/m,
      /^ {2}notes +array of string +body property notes/m,
      /header parameter Accept +only the gateway writes this header/,
      /header parameter X-Key +it is the credential key, from LANDBRIDGE_CRED_STORE_KEY/,
      /body as application\/xml +the body is sent as application\/json/,
      /answer as text\/csv +the gateway requests application\/json/,
      /callback done/,
      /body field created +readOnly: .* it is not listed as an argument; a call may still contain it/,
      /1 other operation +left out as a whole/,
    ])
      expect(stdout).toMatch(line);
    const lost = await run(['explain', 'GET /lost', 'store.json'], { cwd: folder });
    expect(lost.code).toBe(1);
    expect(lost.stderr).toContain('GET /lost was left out of the document: $ref "gone.yml" names a file');
  });

  test('doctor reports effects, examples and credentials, each with the lines that repair it', async () => {
    const { code, stdout } = await run(['doctor', 'store.json', '--json'], { cwd: folder });
    expect(code).toBe(0);
    const { findings, notes } = JSON.parse(stdout) as { findings: object[]; notes: number };
    expect(notes).toBe(1);
    expect(findings).toContainEqual({
      check: 'effect',
      severity: 'note',
      where: 'purge_item',
      message: 'counts as destructive: POST, but named purgeItem',
      fix: expect.stringContaining('operations.<name>.effect'),
      repair: ['operations: { "POST /items/{id}/purge": { effect: destructive } }'],
      fixable: true,
    });
    expect(findings).toContainEqual(
      expect.objectContaining({
        check: 'examples',
        where: 'purge_item',
        message: expect.stringContaining('/application~1json/example: unknown `reason`'),
        repair: ['operations: { "POST /items/{id}/purge": { additional: true } }'],
      }),
    );
    expect(findings).toContainEqual(
      expect.objectContaining({
        check: 'credentials',
        message:
          '1 operation needs a credential that is not set: LANDBRIDGE_CRED_STORE_KEY (X-Key: …), or LANDBRIDGE_CRED_STORE_TOKEN (Authorization: Token …)',
        repair: [
          'credentials: { key: { env: LANDBRIDGE_CRED_STORE_KEY }, token: { env: LANDBRIDGE_CRED_STORE_TOKEN } }',
        ],
        fixable: false,
      }),
    );
  });

  test('doctor --fix writes a domain file beside a document once, and reports only what is left', async () => {
    const first = await run(['doctor', 'store.json', '--fix'], { cwd: folder });
    expect(first.code).toBe(0);
    expect(first.stdout).toContain('store.domain.yaml (new)\n+ # Repairs of ./store.json');
    expect(first.stdout).toContain('✓ Effects of operations');
    expect(first.stdout).toContain('✓ Examples in the document');
    const file = join(folder, 'store.domain.yaml');
    const text = await readFile(file, 'utf8');
    expect(text).toContain('operations:\n  POST /items/{id}/purge:\n    effect: destructive\n    additional: true\n');
    const again = await run(['doctor', 'store.json', '--fix'], { cwd: folder });
    expect(again.stdout).toContain('already contains these lines');
    expect(await readFile(file, 'utf8')).toBe(text);
    const names = async (source: string) => {
      const { stdout } = await run(['tools', source, '--json'], { cwd: folder });
      return (JSON.parse(stdout) as { tools: { name: string }[] }).tools.map(({ name }) => name);
    };
    expect(await names('store.domain.yaml')).toEqual(await names('store.json'));
  });

  test('doctor --fix keeps the text of a domain file, and only prints the lines if it is code', async () => {
    const before = `# mine\nname: store   # ours\nopenapi: ./store.json\nprefix: ''\noperations:\n  purgeItem:\n    description: 'Empties it.' # for good\n`;
    await writeFile(join(folder, 'kept.yaml'), before);
    const { stdout } = await run(['doctor', 'kept.yaml', '--fix', '--json'], { cwd: folder });
    expect(JSON.parse(stdout)).toMatchObject({ written: [{ domain: 'store', file: 'kept.yaml', byHand: [] }] });
    expect(await readFile(join(folder, 'kept.yaml'), 'utf8')).toBe(
      `${before}    effect: destructive\n    additional: true\n`,
    );

    const code = `import { defineDomain } from 'landbridge';\nexport default defineDomain({ name: 'store', openapi: './store.json', prefix: '' });\n`;
    await writeFile(join(folder, 'store.ts'), code);
    const module = await run(['doctor', 'store.ts', '--fix'], { cwd: folder });
    expect(module.stdout).toContain('store.ts is code, which --fix does not edit; make these changes there by hand:');
    expect(module.stdout).toContain(
      'operations: { "POST /items/{id}/purge": { effect: destructive, additional: true } }',
    );
    expect(await readFile(join(folder, 'store.ts'), 'utf8')).toBe(code);
  });

  test('doctor --fix does not overwrite values in the domain file, and says so', async () => {
    const before =
      'name: store\nopenapi: ./store.json\noperations: { purgeItem: { guard: allow, effect: destructive } }\n';
    await writeFile(join(folder, 'decided.yaml'), before);
    const { code, stdout } = await run(['doctor', 'decided.yaml', '--fix'], { cwd: folder });
    expect(code).toBe(1);
    expect(stdout).toContain(
      'decided.yaml has other values, and --fix does not overwrite what you wrote:\n  operations:',
    );
    expect(await readFile(join(folder, 'decided.yaml'), 'utf8')).toBe(
      before.replace('effect: destructive }', 'effect: destructive, additional: true }'),
    );
  });

  test('doctor --fix writes repairs to the right operation, and never `effect: read`', async () => {
    const body = (schema: object, more: object = {}) => ({ content: { 'application/json': { schema, ...more } } });
    const text = { type: 'object', properties: { text: { type: 'string' } } };
    const item = { type: 'object', required: ['name'], properties: { name: { type: 'string' }, size: {} } };
    const paths = {
      '/items/purge': { post: { operationId: 'purgeAll', summary: 'Purge everything', responses: {} } },
      '/items/search': {
        post: { operationId: 'searchItems', summary: 'Search items', requestBody: body(text), responses: {} },
      },
      '/items': {
        post: {
          operationId: 'createItem',
          summary: 'Create an item',
          requestBody: body(item, { example: { size: 3 } }),
          responses: {},
        },
      },
    };
    await writeFile(join(folder, 'items.json'), JSON.stringify({ ...spec, paths }));
    const before = 'name: items\nopenapi: ./items.json\noperations:\n  purgeAll:\n    summary: Purges all of it\n';
    await writeFile(join(folder, 'items.yaml'), before);
    const { stdout } = await run(['doctor', 'items.yaml', '--fix'], { cwd: folder });
    expect(stdout).toContain('? operations: { POST /items/search: { effect: read } }');
    expect(await readFile(join(folder, 'items.yaml'), 'utf8')).toBe(
      `${before}    effect: destructive\n  POST /items:\n    args:\n      name:\n        required: false\n`,
    );
  });
});

describe('landbridge schema', () => {
  test('prints the JSON Schemas of domain files and profiles', async () => {
    expect(JSON.parse((await run(['schema'])).stdout)).toMatchObject({ title: 'Landbridge domain file' });
    expect(JSON.parse((await run(['schema', 'profiles'])).stdout)).toMatchObject({ title: 'Landbridge profiles' });
    expect(await run(['schema', 'profile'])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('did you mean "profiles"?') as string,
    });
  });
});

describe('a domain file with mistakes', () => {
  test('ends a command with one line each, and with --json as data', async () => {
    await writeFile(join(folder, 'wrong.yaml'), 'name: wrong\nbaseUrl: https://a.example\nendpoints: []\ntitel: x\n');
    const { code, stdout, stderr } = await run(['tools', 'wrong.yaml', '--json'], { cwd: folder });
    expect(code).toBe(1);
    expect(stderr.replace('landbridge: ', '').trim().split('\n')).toEqual([
      'wrong.yaml:3:1 endpoints: must be an object; got []',
      'wrong.yaml:4:1 titel: "titel" is not known here; did you mean "title"?',
    ]);
    expect(JSON.parse(stdout)).toMatchObject({
      error: {
        code: 'BAD_DOMAIN',
        problems: [
          { line: 3, column: 1, field: 'endpoints' },
          { line: 4, field: 'titel' },
        ],
      },
    });
    expect((await run(['tools', 'wrong.yaml'], { cwd: folder })).stdout).toBe('');
  });
});

describe('landbridge import', () => {
  const spec = {
    openapi: '3.1.0',
    info: { title: 'Shop', version: '1' },
    servers: [{ url: 'http://127.0.0.1:9' }],
    paths: { '/items/{id}': { get: { operationId: 'getItem', summary: 'Gets an item.', responses: {} } } },
  };
  beforeAll(() => writeFile(join(folder, 'shop.json'), JSON.stringify(spec)));

  test('writes the document and a domain file that serves the same tools', async () => {
    const { code, stdout } = await run(['import', 'shop.json', '--out', 'shop'], { cwd: folder });
    expect(code).toBe(0);
    expect(stdout).toContain(join('shop', 'domains', 'shop.yaml'));
    const direct = await run(['tools', 'shop.json', '--json'], { cwd: folder });
    const curated = await run(['tools', 'shop/domains', '--json'], { cwd: folder });
    const { tools } = JSON.parse(direct.stdout) as { tools: unknown };
    expect(JSON.parse(curated.stdout)).toMatchObject({ tools });
    // An editor finds the schema beside the file, wherever landbridge itself is.
    const domains = join(folder, 'shop', 'domains');
    const [first = ''] = (await readFile(join(domains, 'shop.yaml'), 'utf8')).split('\n');
    const schema = await readFile(
      join(domains, /^# yaml-language-server: \$schema=(\S+)$/.exec(first)?.[1] ?? ''),
      'utf8',
    );
    expect(schema).toBe((await run(['schema'], { cwd: folder })).stdout);
  });

  test('a $ref into another folder needs --refs-root, and the domain file remembers it', async () => {
    const document = {
      openapi: '3.1.0',
      info: { title: 'Split', version: '1' },
      servers: [{ url: 'http://127.0.0.1:9' }],
      components: { securitySchemes: { key: { type: 'http', scheme: 'bearer' } } },
      security: [{ key: [] }],
      paths: { '/a': { get: { operationId: 'look', parameters: [{ $ref: '../common/limit.yaml' }] } } },
    };
    await mkdir(join(folder, 'split', 'api'), { recursive: true });
    await mkdir(join(folder, 'split', 'common'));
    await writeFile(join(folder, 'split/api/openapi.json'), JSON.stringify(document));
    await writeFile(join(folder, 'split/common/limit.yaml'), 'name: limit\nin: query\nschema: { type: integer }\n');
    const source = 'split/api/openapi.json';
    const refused = await run(['tools', source], { cwd: folder });
    expect(refused.stdout + refused.stderr).toContain('--refs-root split/common');
    const allowed = await run(['tools', source, '--refs-root', 'split/common', '--json'], { cwd: folder });
    expect(JSON.parse(allowed.stdout)).toMatchObject({ tools: [{ name: 'look' }] });

    const imported = await run(['import', source, '--refs-root', 'split', '--out', 'whole'], { cwd: folder });
    expect(imported.code).toBe(0);
    const file = await readFile(join(folder, 'whole/domains/split.yaml'), 'utf8');
    expect(file).toContain('refsRoot: "../openapi/split"');
    expect(file).toContain('key (bearer): SPLIT_KEY');
    const curated = await run(['tools', 'whole/domains', '--json'], { cwd: folder });
    expect(JSON.parse(curated.stdout)).toMatchObject({ tools: [{ name: 'look' }] });

    const called = await run(['call', 'look', '--domains', source, '--refs-root', 'split/common'], { cwd: folder });
    expect(called.stdout + called.stderr).toContain(
      'Set LANDBRIDGE_CRED_SPLIT_KEY in the environment of the gateway (it goes to http://127.0.0.1:9)',
    );
  });

  test('sums up a document of many files and many problems; --verbose and --json list all', async () => {
    const names = Array.from({ length: 40 }, (_, index) => `op${index}`);
    const lost = names.map((name) => [`/lost/${name}`, { get: { parameters: [{ $ref: `gone/${name}.yml` }] } }]);
    const document = {
      openapi: '3.0.0',
      info: { title: 'Cloud', version: '1' },
      servers: [{ url: 'http://127.0.0.1:9' }],
      paths: Object.fromEntries([...names.map((name) => [`/${name}`, { $ref: `paths/${name}.yml` }]), ...lost]),
    };
    await mkdir(join(folder, 'cloud', 'paths'), { recursive: true });
    await writeFile(join(folder, 'cloud/openapi.json'), JSON.stringify(document));
    for (const name of names) {
      const text = `${name === 'op0' ? 'delete' : 'get'}: { operationId: ${name}, summary: Looks at ${name} }\n`;
      await writeFile(join(folder, 'cloud/paths', `${name}.yml`), text);
    }
    const short = await run(['import', 'cloud/openapi.json', '--out', 'cloud-out'], { cwd: folder });
    expect(short.stdout.split('\n').length).toBeLessThan(20);
    expect(short.stdout).toContain('… and 38 more files (--verbose lists all)');
    expect(short.stdout).toContain('40 operations (39 read, 0 write, 1 destructive), 40 in quarantine:');
    expect(short.stdout).toContain('GET /lost/op0: $ref "gone/op0.yml" names a file that does not exist');
    expect(short.stdout).toContain('… and 37 more like these (--verbose lists all)');
    const again = await run(['import', 'cloud/openapi.json', '--out', 'cloud-out'], { cwd: folder });
    expect(again.stderr).toContain('and 39 more files already exist');
    const long = await run(['import', 'cloud/openapi.json', '--out', 'cloud-long', '--verbose'], { cwd: folder });
    expect(long.stdout).toContain('paths/op39.yml');
    expect(long.stdout).toContain('GET /lost/op39');
    const json = await run(['import', 'cloud/openapi.json', '--out', 'cloud-json', '--json'], { cwd: folder });
    const report = JSON.parse(json.stdout) as { documents: string[]; quarantined: object[] };
    expect([report.documents.length, report.quarantined.length]).toEqual([41, 40]);
  });

  test('a curated value that does not fit its argument stops the start, with its place', async () => {
    const text =
      'name: curated\nopenapi: ./shop.json\noperations: { getItem: { args: { id: { fixed: { not: text } } } } }\n';
    await writeFile(join(folder, 'curated.yaml'), text);
    const { code, stderr } = await run(['tools', 'curated.yaml'], { cwd: folder });
    expect(code).toBe(1);
    expect(stderr).toContain('curated.yaml:3');
    expect(stderr).toContain('must be string; got ');
  });

  test('does not overwrite a domain file that is there', async () => {
    const args = ['import', 'shop.json', '--out', 'twice'];
    expect(await run(args, { cwd: folder })).toMatchObject({ code: 0 });
    const { code, stderr } = await run(args, { cwd: folder });
    expect(code).toBe(1);
    expect(stderr).toContain('already exist.');
  });
});

describe('a hostile document', () => {
  const ESC = String.fromCharCode(27);
  const trap = `x${ESC}[2J\nguard: { destructive: allow }\n#`;
  const spec = {
    openapi: '3.1.0',
    info: { title: 'Trap', version: '1' },
    servers: [{ url: 'http://127.0.0.1:9' }],
    components: { securitySchemes: { [trap]: { type: 'apiKey', in: 'header', name: 'X-Key' } } },
    paths: {
      [`/${trap}`]: {
        get: { operationId: `get${ESC}[2J`, security: [{ [trap]: [] }], parameters: [{ name: trap, in: 'query' }] },
      },
      '/lost': { get: { operationId: 'lost', parameters: [{ $ref: `other${ESC}[2J.yaml` }] } },
    },
  };

  beforeAll(() => writeFile(join(folder, 'trap.json'), JSON.stringify(spec)));

  test('cannot act on the terminal through titles, paths, names or reasons', async () => {
    const outputs = await Promise.all([
      run(['tools', 'trap.json'], { cwd: folder }),
      run(['doctor', 'trap.json'], { cwd: folder }),
      run(['explain', 'get_2_j', '--domains', 'trap.json'], { cwd: folder }),
      run(['import', 'trap.json', '--out', 'trap'], { cwd: folder }),
    ]);
    for (const { stdout, stderr } of outputs) {
      expect(stdout + stderr).not.toContain(ESC);
      expect(stdout).toContain('trap');
      expect(stdout).not.toMatch(/^guard: /m);
    }
  });

  test('cannot write settings into its domain file', async () => {
    await run(['import', 'trap.json', '--out', 'settings'], { cwd: folder });
    const text = await readFile(join(folder, 'settings', 'domains', 'trap.yaml'), 'utf8');
    expect(text).toContain('# Credentials come from the environment');
    expect(text).not.toContain(ESC);
    expect(text).not.toMatch(/^guard: /m);
  });

  test('cannot have its parts written outside of the folder it is imported to', async () => {
    const root = {
      openapi: '3.1.0',
      info: { title: 'Parts', version: '1' },
      paths: {
        '/a': { get: { operationId: 'a', parameters: [{ $ref: 'x%2f..%2f..%2f..%2f..%2f..%2fescaped.yaml#/p' }] } },
        '/b': { get: { operationId: 'b', parameters: [{ $ref: '%ff.yaml#/p' }] } },
      },
    };
    const upstream = await startUpstream(({ url }, response) => {
      response.end(url === '/v1/api/openapi.json' ? JSON.stringify(root) : 'p: { name: z, in: query }');
    });
    const out = join(folder, 'far', 'down', 'below');
    const { code } = await run(['import', `${upstream.url}/v1/api/openapi.json`, '--out', out], { cwd: folder });
    await upstream.close();
    expect(code).toBe(0);
    const written = ((await readdir(join(folder, 'far'), { recursive: true })) as string[]).filter((name) =>
      /escaped|%ff/.test(name),
    );
    expect(written).toHaveLength(2);
    for (const name of written) expect(name).toMatch(/^down.below.openapi.parts./);
  });
});
