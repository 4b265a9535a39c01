// The package as a user gets it: packed, installed into an empty folder, started by its bin.
import { execFile, spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { legacy, post } from './support/mcp.ts';

const run = promisify(execFile);
const root = new URL('..', import.meta.url).pathname;
let folder: string;
let bin: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'landbridge-'));
  const { stdout } = await run('npm', ['pack', '--json', '--ignore-scripts', '--pack-destination', folder], {
    cwd: root,
  });
  const [{ filename }] = JSON.parse(stdout) as [{ filename: string }];
  await run('npm', ['init', '-y'], { cwd: folder });
  await run('npm', ['install', '--prefer-offline', '--no-audit', '--no-fund', join(folder, filename)], { cwd: folder });
  bin = join(folder, 'node_modules', '.bin', 'landbridge');
}, 300_000);
afterAll(() => rm(folder, { recursive: true, force: true }));

describe('the packed package', () => {
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
