// landbridge.yaml and the environment, as the built program meets them: what `landbridge config` prints, variables that are
// none, and folders that are missing.
// biome-ignore-all lint/suspicious/noTemplateCurlyInString: that is what the file has
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { run } from '../support/cli.ts';

const SHOP = `name: shop
baseUrl: https://shop.example
credentials: { key: { kind: bearer, env: LANDBRIDGE_SHOP_TOKEN } }
endpoints:
  list_orders: { path: /orders, summary: Lists orders. }
  add_order: { method: POST, path: /orders, summary: Adds an order. }
`;
const SETTINGS = `domains: [./domains]
port: 8080
readOnly: true
headers: { X-Tenant: "\${TENANT}", X-Key: in-the-open }
profiles: { reader: { effects: [read] } }
state: redis://ann:\${REDIS_PASSWORD}@redis:6379
secret: { env: SEAL }
auth:
  keys:
    - { name: ci, sha256: ${'ab'.repeat(32)}, effects: [read] }
`;
const ENV = { TENANT: 'acme', REDIS_PASSWORD: 'pa55word', SEAL: 'sealed-with-more-than-32-characters' };

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'landbridge-config-cli-'));
  await mkdir(join(folder, 'domains'));
  await mkdir(join(folder, 'bare'));
  await mkdir(join(folder, 'empty', 'domains'), { recursive: true });
  await writeFile(join(folder, 'domains/shop.yaml'), SHOP);
  await writeFile(join(folder, 'landbridge.yaml'), SETTINGS);
  await writeFile(join(folder, 'empty/landbridge.yaml'), 'port: 1\n');
});
afterAll(() => rm(folder, { recursive: true, force: true }));

describe('landbridge config', () => {
  test('prints every setting in effect and its source, one per line, with secrets hidden', async () => {
    const ran = await run(['config', '--host', '10.0.0.1'], { cwd: folder, env: { ...ENV, LANDBRIDGE_GUARD: 'deny' } });
    const lines = ran.stdout.trimEnd().split('\n');
    expect(ran.code).toBe(0);
    expect(ran.stderr).toMatch(/^Warning: HTTP accepts requests to the addresses of this machine only.*\n$/);
    expect(lines).toEqual(
      expect.arrayContaining([
        'domains\tdomains\tlandbridge.yaml:1',
        'host\t10.0.0.1\tflag --host',
        'port\t8080\tlandbridge.yaml:2',
        'guard\tdeny\tvariable LANDBRIDGE_GUARD',
        'readOnly\ttrue\tlandbridge.yaml:3',
        'headers\tX-Tenant: ${TENANT}, X-Key: (hidden)\tlandbridge.yaml:4',
        'profiles.reader.effects\tread\tlandbridge.yaml:5',
        'state\tredis://ann:(hidden)@redis:6379\tlandbridge.yaml:6',
        'secret\t(hidden)\tlandbridge.yaml:7',
        'auth.keys[0].name\tci\tlandbridge.yaml:10',
        'idleSeconds\t300\tdefault',
        'tcp\t-\tdefault',
      ]),
    );
    expect(ran.stdout).not.toMatch(/pa55word|sealed-with|in-the-open/);
  });

  test('--json prints the values with their types', async () => {
    const ran = await run(['config', '--json', '--no-http', '--tcp', '0'], { cwd: folder, env: ENV });
    const { file, settings } = JSON.parse(ran.stdout) as { file: string; settings: Record<string, unknown> };
    expect(file).toBe('landbridge.yaml');
    expect(settings).toMatchObject({
      port: { value: 8080, from: 'landbridge.yaml:2' },
      tcp: { value: 0, from: 'flag --tcp' },
      http: { value: false, from: 'flag --no-http' },
      exposure: { value: null, from: 'default' },
      auth: { value: { keys: [{ name: 'ci', effects: ['read'] }] }, from: 'landbridge.yaml:8' },
      secret: { value: '(hidden)', from: 'landbridge.yaml:7' },
    });
    expect(ran.stdout).not.toMatch(/pa55word|sealed-with|in-the-open/);
  });

  test('prints tracing under the names of the settings, without fields that are not set', async () => {
    const args = ['config', '--otlp-endpoint', 'http://127.0.0.1:4318'];
    const tracing = async (env: Record<string, string>) =>
      (await run(args, { cwd: folder, env: { ...ENV, ...env } })).stdout
        .split('\n')
        .filter((line) => line.startsWith('tracing.'))
        .map((line) => line.split('\t').slice(0, 2).join(' '));
    expect(await tracing({})).toEqual([
      'tracing.endpoint http://127.0.0.1:4318/v1/traces',
      'tracing.protocol http/protobuf',
      'tracing.serviceName landbridge',
      'tracing.sampleRatio 1',
      'tracing.callers join',
    ]);
    expect(await tracing({ OTEL_TRACES_SAMPLER: 'parentbased_always_on' })).toContain('tracing.callers trust');
  });

  test('works without landbridge.yaml', async () => {
    const ran = await run(['config'], { cwd: join(folder, 'bare'), env: { PORT: '99' } });
    expect(ran.stdout).toContain('port\t99\tvariable PORT\n');
  });

  test('reports the mistakes of the file; with --json as data', async () => {
    await writeFile(join(folder, 'wrong.yaml'), 'domains: [./domains]\nredOnly: true\n');
    const ran = await run(['config', '--config', 'wrong.yaml', '--json'], { cwd: folder });
    const message = '"redOnly" is not known here; did you mean "readOnly"?';
    expect(ran.code).toBe(1);
    expect(JSON.parse(ran.stdout)).toEqual({
      error: {
        code: 'BAD_CONFIG',
        problems: [{ file: 'wrong.yaml', line: 2, column: 1, field: 'redOnly', message }],
      },
    });
    expect(ran.stderr).toContain(`wrong.yaml:2:1 redOnly: ${message}`);
  });
});

describe('landbridge config reports settings with which serve would not start', () => {
  const key = `sha256: ${'cd'.repeat(32)}`;
  test.each([
    [`auth: { keys: [{ name: ci, ${key}, profiles: [raeder] }] }`, 'auth.keys[0].profiles[0]: there is no profile'],
    ['auth: { keys: [{ name: ci, file: ./nosuch }] }', 'auth.keys[0].file: does not exist'],
    ['auth: { keys: [{ name: ci, env: NOSUCH }] }', 'auth.keys[0].env: the variable NOSUCH is not set'],
    ['auth: { keys: [] }', 'auth: allows no callers'],
    [`auth: { keys: [{ name: a, ${key} }, { name: b, ${key} }] }`, 'auth.keys[1]: a and b have the same API key'],
    ['auth: { certificates: [{ subject: a }] }', 'auth.certificates: needs tls.clientCa'],
    ['tls: { cert: no.crt, key: no.key }', 'tls.cert'],
    ['host: 0.0.0.0', 'Refusing to listen on 0.0.0.0'],
  ])('%s', async (line, words) => {
    await writeFile(join(folder, 'refused.yaml'), `domains: [./domains]\n${line}\n`);
    const ran = await run(['config', '--config', 'refused.yaml'], { cwd: folder });
    expect([ran.code, ran.stdout]).toEqual([1, '']);
    expect(ran.stderr).toContain(words);
  });
});

describe('landbridge.yaml applies to every command', () => {
  test.each([
    ['tools', ['tools', '--json'], 'shop_list_orders'],
    ['doctor', ['doctor', '--json'], '"tools":2'],
    ['explain', ['explain', 'shop_list_orders', '--json'], 'https://shop.example'],
  ])('%s loads the domains of the file, wherever the file is', async (_, args, part) => {
    const ran = await run([...args, '--config', join('..', 'landbridge.yaml')], {
      cwd: join(folder, 'bare'),
      env: { ...ENV, LANDBRIDGE_SHOP_TOKEN: 't' },
    });
    expect(ran.stdout).toContain(part);
  });

  test('call refuses a write if the file says readOnly', async () => {
    const ran = await run(['call', 'shop_add_order'], { cwd: folder, env: { ...ENV, LANDBRIDGE_SHOP_TOKEN: 't' } });
    expect([ran.code, ran.stdout + ran.stderr]).toEqual([1, expect.stringMatching(/read-only/i)]);
  });

  test('install writes the path of the file and the flags besides it', async () => {
    const args = ['install', 'cursor', '--scope', 'project', '--guard', 'deny'];
    const ran = await run(args, { cwd: folder, env: { ...ENV, LANDBRIDGE_SHOP_TOKEN: 't' } });
    const words = ran.stdout.replaceAll(/^\+?\s*/gm, '').replaceAll('\n', ' ');
    expect(words).toMatch(/"--config", "\S*landbridge\.yaml", "--guard", "deny"/);
    expect(words).not.toMatch(/--read-only|X-Tenant|in-the-open|domains/);
    for (const name of ['TENANT', 'REDIS_PASSWORD', 'SEAL', 'LANDBRIDGE_SHOP_TOKEN']) expect(words).toContain(name);
  });
});

describe('an unknown variable with the prefix LANDBRIDGE_', () => {
  const misspelt = { ...ENV, LANDBRIDGE_REDONLY: 'true' };

  test.each([
    ['serve', ['serve', '--port', '0']],
    ['tools', ['tools']],
    ['call', ['call', 'list_orders']],
    ['explain', ['explain', 'list_orders']],
    ['doctor', ['doctor']],
    ['config', ['config']],
    ['install', ['install', 'cursor', '--scope', 'project']],
    ['import', ['import', './none.yaml']],
    ['key', ['key', 'new', 'ci']],
    ['audit', ['audit', 'verify', 'none.jsonl']],
    ['tools --url', ['tools', '--url', 'http://127.0.0.1:9/mcp']],
    ['install --url', ['install', 'cursor', '--scope', 'project', '--url', 'http://127.0.0.1:9/mcp']],
  ])('stops %s and suggests the right name', async (_, args) => {
    const ran = await run(args, { cwd: folder, env: misspelt });
    expect([ran.code, ran.stdout]).toEqual([2, '']);
    expect(ran.stderr).toContain(
      'LANDBRIDGE_REDONLY is set, but there is no setting with that name: did you mean LANDBRIDGE_READ_ONLY?',
    );
  });

  test.each([
    ['LANDBRIDGE_PORT', '80', 'did you mean PORT?'],
    ['LANDBRIDGE_LOG_LEVEL', 'warn', 'did you mean LOG_LEVEL?'],
    ['LANDBRIDGE_ALLOWED_HOST', 'a', 'did you mean LANDBRIDGE_ALLOWED_HOSTS?'],
    ['LANDBRIDGE_ZZZZZZZZZZ', 'a', 'unset it. The variables of Landbridge are LANDBRIDGE_CONFIG'],
  ])('%s=%s: %s', async (name, value, advice) => {
    const ran = await run(['tools'], { cwd: folder, env: { ...ENV, [name]: value } });
    expect([ran.code, ran.stderr]).toEqual([
      2,
      expect.stringContaining(`${name} is set, but there is no setting with that name: `),
    ]);
    expect(ran.stderr).toContain(advice);
  });

  test('in a file of variables is refused too', async () => {
    await writeFile(join(folder, 'wrong.env'), 'LANDBRIDGE_REDONLY=true\n');
    const ran = await run(['tools', '--dotenv', 'wrong.env'], { cwd: folder, env: ENV });
    expect([ran.code, ran.stderr]).toEqual([2, expect.stringContaining('did you mean LANDBRIDGE_READ_ONLY?')]);
  });

  test('is accepted if a domain file, a header or a document uses it, if it is empty, and if Kubernetes sets it', async () => {
    const env = {
      ...ENV,
      LANDBRIDGE_SHOP_TOKEN: 't',
      LANDBRIDGE_MY_TENANT: 'x',
      LANDBRIDGE_CRED_PETSTORE_API_KEY: 'k',
      LANDBRIDGE_READONLY: '',
      LANDBRIDGE_SERVICE_HOST: '10.0.0.1',
      LANDBRIDGE_SERVICE_PORT: '80',
      LANDBRIDGE_SERVICE_PORT_HTTP: '80',
      LANDBRIDGE_PORT: 'tcp://10.0.0.1:80',
      LANDBRIDGE_PORT_80_TCP: 'tcp://10.0.0.1:80',
      LANDBRIDGE_PORT_80_TCP_ADDR: '10.0.0.1',
    };
    for (const command of ['tools', 'config']) {
      const ran = await run([command, '--header', 'X-Tenant: ${LANDBRIDGE_MY_TENANT}'], { cwd: folder, env });
      expect([command, ran.code, ran.stderr]).toEqual([command, 0, '']);
    }
  });
});

describe('serve does not fall back to the samples if the domains are missing', () => {
  const serve = (args: readonly string[], cwd: string, env: Record<string, string> = {}) =>
    run(['serve', '--port', '0', ...args], { cwd: join(folder, cwd), env: { ...ENV, ...env } });

  test('a landbridge.yaml without domains, and no folder domains beside it, is an error', async () => {
    await writeFile(join(folder, 'bare/landbridge.yaml'), 'port: 1\n');
    try {
      for (const ran of [
        await serve([], 'bare'),
        await serve([], '.', { LANDBRIDGE_CONFIG: 'bare/landbridge.yaml' }),
      ]) {
        expect([ran.code, ran.stdout]).toEqual([1, '']);
        expect(ran.stderr).toContain('names no domains, and there is no folder "domains" beside it');
      }
    } finally {
      await rm(join(folder, 'bare/landbridge.yaml'));
    }
  });

  test('a folder that does not exist is an error, named by file, flag or variable', async () => {
    await writeFile(join(folder, 'gone.yaml'), 'port: 1\ndomains: [./apis]\n');
    const byFile = await serve(['--config', 'gone.yaml'], '.');
    expect([byFile.code, byFile.stderr]).toEqual([
      1,
      expect.stringMatching(/gone\.yaml:2:11 domains\[0\]: there is no such file or folder; looked for \S+apis/),
    ]);
    for (const ran of [
      await serve(['--domains', 'apis'], 'bare'),
      await serve([], 'bare', { LANDBRIDGE_DOMAINS: 'apis' }),
    ])
      expect([ran.code, ran.stderr]).toEqual([1, expect.stringContaining('apis: there is no such file or folder')]);
  });

  test('an empty folder domains is an error', async () => {
    const ran = await serve([], 'empty');
    expect([ran.code, ran.stderr]).toEqual([1, expect.stringContaining('domains: holds no domain files')]);
  });

  test('a landbridge.yml is an error, not ignored', async () => {
    await writeFile(join(folder, 'bare/landbridge.yml'), 'readOnly: true\n');
    const ran = await serve([], 'bare');
    await rm(join(folder, 'bare/landbridge.yml'));
    expect([ran.code, ran.stderr]).toEqual([1, expect.stringContaining('landbridge.yml is not read')]);
  });
});
