// What a process reads to do its work: time and memory of a start are that, before anything else.
import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { runProgram, serve } from '../support/cli.ts';
import { legacy, post } from '../support/mcp.ts';

const LIST_SCRIPTS = new URL('../support/list-scripts.mjs', import.meta.url);
const DIST = fileURLToPath(new URL('../../dist/', import.meta.url));
/** A few files of ours, where the sources are hundreds. */
const FEW = 20;
const document = {
  openapi: '3.1.0',
  info: { title: 'Pets', version: '1' },
  servers: [{ url: 'http://127.0.0.1:9' }],
  paths: { '/pets': { get: { operationId: 'listPets', responses: { 200: { description: 'Pets.' } } } } },
};

let folder: string;
let env: Record<string, string>;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'landbridge-loaded-'));
  await writeFile(join(folder, 'pets.json'), JSON.stringify(document));
  env = { NODE_OPTIONS: `--import=${LIST_SCRIPTS}`, SCRIPTS_FILE: join(folder, 'scripts.txt') };
});
afterAll(() => rm(folder, { recursive: true, force: true }));

async function readLoaded() {
  const urls = (await readFile(env.SCRIPTS_FILE!, 'utf8')).split('\n');
  const paths = urls.map((url) => (url.startsWith('file:') ? fileURLToPath(url) : url));
  const packages = paths.flatMap((path) => /.*node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(path)?.[1] ?? []);
  return { own: paths.filter((path) => path.startsWith(DIST)).length, packages: [...new Set(packages)].sort() };
}

describe('loaded files', () => {
  test('a gateway that has listed its tools has read no package that only APIs, YAML or other routes need', async () => {
    const server = await serve([join(folder, 'pets.json')], { cwd: folder, env });
    const { body } = await post(server.http, JSON.stringify(legacy(1, 'tools/list')));
    expect(body).toContain('list_pets');
    expect((await fetch(server.http.replace('/mcp', '/readyz'))).status).toBe(200);
    expect(await server.stop()).toBe(0);
    const { own, packages } = await readLoaded();
    const direct = Object.keys(
      (JSON.parse(await readFile(new URL('../../package.json', import.meta.url), 'utf8')) as { dependencies: object })
        .dependencies,
    );
    // What is used of zod is among our own files. The validator is read in the background as soon as the gateway listens, whether or not somebody calls.
    expect(packages.filter((name) => direct.includes(name) && name !== 'ajv')).toEqual([
      '@toon-format/toon',
      'commander',
      'picocolors',
      'pino',
    ]);
    expect(own).toBeLessThanOrEqual(FEW);
  });

  test('help reads the command line and nothing else', async () => {
    expect(await runProgram(['serve', '--help'], { env })).toMatchObject({ code: 0 });
    const { own, packages } = await readLoaded();
    expect(packages).toEqual(['commander', 'picocolors']);
    // The entry, the commands, the errors and the colours.
    expect(own).toBe(4);
  });

  test('the bundle has a third of zod: it is not used as a whole', async () => {
    expect((await stat(join(DIST, 'chunks/zod.js'))).size).toBeLessThan(300_000);
  });
});
