// The package as a user gets it: packed, installed into an empty folder, started by its bin.
import { execFile, spawn } from 'node:child_process';
import { statSync } from 'node:fs';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, normalize } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { legacy, post } from './support/mcp.ts';

const run = promisify(execFile);
const root = new URL('..', import.meta.url).pathname;
const PLACES = [
  ...['dist', 'domains', 'openapi', 'docs', 'examples', 'deploy', 'package.json', '.env.example', 'LICENSE'],
  ...['README.md', 'ARCHITECTURE.md', 'CONTRIBUTING.md', 'SECURITY.md', 'CHANGELOG.md', 'SCALE.md', 'llms.txt'],
];
const NEEDED = [
  ...['dist/cli/main.js', 'dist/index.js', 'dist/index.d.ts', 'dist/sample/server.js', 'domains/tasks.yaml'],
  ...['dist/executor/answer/decoding/scan-json.wasm', 'examples/bookshop.mjs'],
  ...['docs/guides/deploy.md', 'docs/operate.md', 'docs/settings.md', 'docs/schemas/config.schema.json'],
  ...['deploy/compose/compose.yaml', 'deploy/helm/landbridge/Chart.yaml', 'deploy/systemd/landbridge.service'],
];
const STRANGE =
  /^(?:src|test|bench|node_modules)\/|\.(?:map|tsbuildinfo|log|pem|key|tgz)$|compose\/secrets\/(?!\.gitignore$)|(?:^|\/)(?:\.env|\.npmrc|\.DS_Store)$/;
let folder: string;
let bin: string;
/** Every file of the package, by its path. */
let files: string[];

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'landbridge-'));
  const { stdout } = await run('npm', ['pack', '--json', '--ignore-scripts', '--pack-destination', folder], {
    cwd: root,
  });
  const [packed] = JSON.parse(stdout) as [{ filename: string; files: { path: string }[] }];
  const { filename } = packed;
  files = packed.files.map(({ path }) => path);
  await run('npm', ['init', '-y'], { cwd: folder });
  await run('npm', ['install', '--prefer-offline', '--no-audit', '--no-fund', join(folder, filename)], { cwd: folder });
  bin = join(folder, 'node_modules', '.bin', 'landbridge');
}, 300_000);
afterAll(() => rm(folder, { recursive: true, force: true }));

describe('the packed package', () => {
  test('holds what it should, and nothing else', () => {
    const places = [...new Set(files.map((path) => path.split('/')[0]!))].sort();
    expect(places).toEqual(PLACES.toSorted());
    expect(files).toEqual(expect.arrayContaining(NEEDED));
    // Sources, tests, maps, secrets that compose made, and what systems leave lying about.
    expect(files.filter((path) => STRANGE.test(path))).toEqual([]);
    expect(files.filter((path) => path.startsWith('dist/') && !/\.(?:js|d\.ts|wasm)$/.test(path))).toEqual([]);
  });

  test.skipIf(process.platform === 'win32')(
    'a build leaves its command executable, for it may be installed as a link',
    () => {
      expect(statSync(join(root, 'dist/cli/main.js')).mode & 0o111).toBe(0o111);
    },
  );

  test('has every page that its pages link to', async () => {
    const pages = files.filter((path) => path.endsWith('.md'));
    expect(pages).toContain('docs/README.md');
    for (const page of pages) {
      const text = await readFile(join(root, page), 'utf8');
      const links = [...text.matchAll(/\]\(([^)#\s]+)[^)]*\)/g)].map((match) => match[1]!);
      const local = links.filter((link) => !/^[a-z]+:/.test(link)).map((link) => normalize(join(page, '..', link)));
      const dead = local.filter((link) => !files.some((path) => path === link || path.startsWith(`${link}/`)));
      expect([page, dead]).toEqual([page, []]);
    }
  });

  test('lists its bundled tools from an empty folder', async () => {
    const { stdout } = await run(bin, ['tools', '--json', '--exposure', 'tools'], { cwd: folder });
    const { tools } = JSON.parse(stdout) as { tools: { name: string; domain: string }[] };
    expect([...new Set(tools.map(({ domain }) => domain))].sort()).toEqual([
      'jsonplaceholder',
      'musicbrainz',
      'openmeteo',
      'tasks',
    ]);
    expect(tools.map(({ name }) => name)).toContain('tasks_list_tasks');
  }, 60_000);

  test('serves them over HTTP and stops on SIGTERM with exit code 0', async () => {
    const server = spawn(bin, ['serve', '--port', '0', '--json'], { cwd: folder });
    const { http } = await new Promise<{ http: string }>((resolve, reject) => {
      server.stdout.once('data', (chunk: Buffer) => resolve(JSON.parse(chunk.toString()) as { http: string }));
      server.once('exit', (code) => reject(new Error(`exited with ${code}`)));
    });
    const call = legacy(1, 'tools/call', { name: 'tasks_get_task', arguments: { id: 1 } });
    const { result } = JSON.parse((await post(http, JSON.stringify(call))).body) as {
      result: { content: { text: string }[] };
    };
    expect(JSON.parse(result.content[0]!.text)).toMatchObject({ id: 1 });
    const code = new Promise((resolve) => server.once('exit', resolve));
    server.kill('SIGTERM');
    expect(await code).toBe(0);
  }, 60_000);

  test('can be imported as a library', async () => {
    const script =
      "import { defineDomain, createGateway, GroupedToolBuilder } from 'landbridge'; console.log(typeof defineDomain, typeof createGateway, typeof GroupedToolBuilder)";
    const { stdout } = await run('node', ['--input-type=module', '-e', script], { cwd: folder });
    expect(stdout.trim()).toBe('function function function');
  }, 60_000);
});
