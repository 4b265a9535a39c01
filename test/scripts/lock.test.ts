// The lock files know every platform: `npm ci` works here, on macOS and on Windows.
import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { describe, expect, test } from 'vitest';
import { completeLock, type Lock, listMissing, type ReadManifest } from '../../scripts/lock.ts';
import { LOCKS } from '../../scripts/locks.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));

describe.each(LOCKS.map((file) => [join(basename(dirname(file)), basename(file)), file]))('%s', (_, file) => {
  test('has an entry for every package that one of its packages depends on', async () => {
    const missing = listMissing(JSON.parse(await readFile(file, 'utf8')) as Lock);
    expect(
      missing.map(({ parent, name }) => `${name} of ${parent}`),
      'npm left packages of other platforms out of the lock file: run `npm run lock` and commit what it adds.',
    ).toEqual([]);
  });

  test('names no registry', async () => {
    expect(await readFile(file, 'utf8')).not.toMatch(/"resolved"/);
  });
});

const silent: ReadManifest = async () => undefined;
const lock = (optionalDependencies: Record<string, string>, more: Lock['packages'] = {}): Lock => ({
  packages: {
    '': { optionalDependencies: {} },
    'node_modules/tool': { version: '2.0.0', dev: true, optionalDependencies },
    ...more,
  },
});

test('what an optional package of another platform depends on is missing too, and is added as optional', async () => {
  const native = { version: '1.0.0', dev: true, optional: true, dependencies: { runtime: '3.1.0' } };
  const half = lock({ 'native-wasm32': '1.0.0' }, { 'node_modules/native-wasm32': native });
  expect(listMissing(half)).toEqual([{ parent: 'node_modules/native-wasm32', name: 'runtime', range: '3.1.0' }]);
  const complete = await completeLock(half, async (_name, version) => ({ version }));
  expect(complete.packages['node_modules/runtime']).toEqual({ version: '3.1.0', dev: true, optional: true });
});

describe('completeLock()', () => {
  test.each([
    ['@tool/cli-darwin-arm64', { cpu: ['arm64'], os: ['darwin'] }],
    ['@tool/cli-linux-x64-musl', { cpu: ['x64'], libc: ['musl'], os: ['linux'] }],
    ['@tool/binding-linux-s390x-gnu', { cpu: ['s390x'], libc: ['glibc'], os: ['linux'] }],
    ['@tool/binding-linux-arm-gnueabihf', { cpu: ['arm'], os: ['linux'] }],
    ['@tool/binding-win32-x64-msvc', { cpu: ['x64'], os: ['win32'] }],
    ['@tool/binding-wasm32-wasi', { cpu: ['wasm32'] }],
  ])('reads the platform of %s from its name where the registry says nothing', async (name, platform) => {
    const complete = await completeLock(lock({ [name]: '2.0.0' }), silent);
    expect(complete.packages[`node_modules/${name}`]).toEqual({
      version: '2.0.0',
      dev: true,
      optional: true,
      ...platform,
    });
    expect(listMissing(complete)).toEqual([]);
  });

  test('leaves what is there as it is, whether at the top or below its parent', async () => {
    const top = lock({ native: '1.0.0' }, { 'node_modules/native': { version: '1.0.0', integrity: 'sha512-a' } });
    const below = lock(
      { native: '1.0.0' },
      { 'node_modules/tool/node_modules/native': { version: '1.0.0', integrity: 'sha512-a' } },
    );
    expect(listMissing(top)).toEqual([]);
    expect(await completeLock(top, silent)).toEqual(top);
    expect(await completeLock(below, silent)).toEqual(below);
  });

  test('fills in a checksum that the registry tells now', async () => {
    const half = lock(
      { 'native-linux-x64': '1.0.0' },
      { 'node_modules/native-linux-x64': { version: '1.0.0', dev: true, optional: true } },
    );
    const told: ReadManifest = async (_name, version) => ({ version, integrity: 'sha512-b', os: ['linux'] });
    expect((await completeLock(half, told)).packages['node_modules/native-linux-x64']).toEqual({
      version: '1.0.0',
      integrity: 'sha512-b',
      dev: true,
      optional: true,
      os: ['linux'],
    });
  });

  test('refuses to invent a version or a platform', async () => {
    await expect(completeLock(lock({ 'native-linux-x64': '^1.0.0' }), silent)).rejects.toThrow(/is a range/);
    await expect(completeLock(lock({ native: '1.0.0' }), silent)).rejects.toThrow(/does not say on which platform/);
  });
});

test('npm run lock asks the registry, dependencies of the added packages included', async () => {
  const versions: Record<string, Record<string, object>> = {
    'native-wasm32': { '1.0.0': { cpu: ['wasm32'], license: 'MIT', dependencies: { runtime: '^3.0.0' } } },
    runtime: { '3.0.0': {}, '3.1.0': { engines: { node: '>=20' } }, '4.0.0': {} },
  };
  const registry = createServer((request, response) => {
    const name = decodeURIComponent(request.url!.slice(1).split('?')[0]!);
    const known = versions[name];
    response.writeHead(known ? 200 : 404, { 'content-type': 'application/json' });
    response.end(
      JSON.stringify({
        name,
        'dist-tags': { latest: Object.keys(known ?? {}).at(-1) },
        versions: Object.fromEntries(
          Object.entries(known ?? {}).map(([version, manifest]) => [
            version,
            {
              name,
              version,
              dist: { integrity: `sha512-${name}-${version}`, tarball: 'http://127.0.0.1/x' },
              ...manifest,
            },
          ]),
        ),
      }),
    );
  });
  await new Promise<void>((resolve) => registry.listen(0, '127.0.0.1', resolve));
  const folder = await mkdtemp(join(tmpdir(), 'landbridge-lock-'));
  const file = join(folder, 'package-lock.json');
  try {
    await writeFile(file, JSON.stringify(lock({ 'native-wasm32': '1.0.0', 'native-darwin-x64': '1.0.0' })));
    const { stdout } = await promisify(execFile)(
      process.execPath,
      [join(root, 'node_modules/jiti/lib/jiti-cli.mjs'), join(root, 'scripts/complete-lock.ts'), file],
      {
        cwd: folder,
        env: {
          ...process.env,
          npm_config_registry: `http://127.0.0.1:${(registry.address() as AddressInfo).port}/`,
          npm_config_cache: join(folder, 'cache'),
          npm_config_fetch_retries: '0',
        },
      },
    );
    expect(stdout).toBe(`${file}: added native-wasm32, native-darwin-x64\n`);
    const text = await readFile(file, 'utf8');
    expect(text).not.toContain('127.0.0.1');
    const { packages } = JSON.parse(text) as Lock;
    expect(Object.entries(packages).slice(1)).toEqual([
      ['node_modules/native-darwin-x64', { version: '1.0.0', cpu: ['x64'], dev: true, optional: true, os: ['darwin'] }],
      [
        'node_modules/native-wasm32',
        {
          version: '1.0.0',
          integrity: 'sha512-native-wasm32-1.0.0',
          cpu: ['wasm32'],
          dev: true,
          license: 'MIT',
          optional: true,
          dependencies: { runtime: '^3.0.0' },
        },
      ],
      [
        'node_modules/native-wasm32/node_modules/runtime',
        {
          version: '3.1.0',
          integrity: 'sha512-runtime-3.1.0',
          dev: true,
          optional: true,
          engines: { node: '>=20' },
        },
      ],
      expect.arrayContaining(['node_modules/tool']),
    ]);
  } finally {
    registry.close();
    await rm(folder, { recursive: true, force: true });
  }
});
