// landbridge key, and a gateway that lets its keys in: the built program, as an operator runs it.
import { cp, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { run, serve } from '../support/cli.ts';
import { legacy, post } from '../support/mcp.ts';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'landbridge-key-'));
  for (const path of ['domains/tasks.yaml', 'openapi/tasks.yaml']) await cp(path, join(folder, path));
  await writeFile(join(folder, 'profiles.yaml'), 'reader: { domains: [tasks], effects: [read] }\n');
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const LIST = JSON.stringify(legacy(1, 'tools/list'));
const list = async (url: string, key?: string) => {
  const { status, body } = await post(url, LIST, key === undefined ? {} : { authorization: `Bearer ${key}` });
  const tools = status === 200 ? (JSON.parse(body) as { result: { tools: object[] } }).result.tools.length : undefined;
  return { status, tools };
};
interface Made {
  readonly key: string;
  readonly sha256: string;
  readonly line: string;
}
const make = async (...args: string[]) =>
  JSON.parse((await run(['key', 'new', ...args, '--json'], { cwd: folder })).stdout) as Made;

describe('landbridge key new', () => {
  test('prints a key and its line for landbridge.yaml; the key gives access to its profiles only', async () => {
    const args = ['ci', '--profiles', 'reader', '--effects', 'read', '--expires', '2999-01-01'];
    const { code, stdout } = await run(['key', 'new', ...args], { cwd: folder });
    expect(code).toBe(0);
    const [key = ''] = /lb_\S+/.exec(stdout) ?? [];
    const [line = ''] = /- \{.*\}/.exec(stdout) ?? [];
    expect(stdout).toContain('shown only once');
    expect(line).not.toContain(key);
    await writeFile(join(folder, 'landbridge.yaml'), `auth:\n  keys:\n    ${line}\n`);
    const server = await serve([], { cwd: folder });
    expect(await list(`${server.http}/reader`, key)).toEqual({ status: 200, tools: expect.any(Number) });
    expect(await list(server.http, key)).toEqual({ status: 404, tools: undefined });
    expect(await list(`${server.http}/reader`)).toEqual({ status: 401, tools: undefined });
    expect(await list(`${server.http}/reader`, `${key}x`)).toEqual({ status: 401, tools: undefined });
    await server.stop();
    expect(server.log()).not.toContain(key);
    await rm(join(folder, 'landbridge.yaml'));
  });

  test('quotes a name that YAML would read as another type', async () => {
    for (const name of ['true', '1e3', 'a@b']) expect((await make(name)).line).toContain(`name: "${name}"`);
    expect((await make('ci-2')).line).toContain('name: ci-2,');
  });

  test.each([
    [['new'], 'needs the name of the caller'],
    [['new', 'a b'], 'The name must have only letters'],
    [['new', 'ci', '--effects', 'raed'], '--effects[0] must be read, write or destructive'],
    [['new', 'ci', '--expires', 'tomorrow'], '--expires must be a date such as 2099-01-31, or a time'],
    [['new', 'ci', '--expires', '2001-01-01'], '--expires 2001-01-01 is in the past'],
    [['nwe', 'ci'], 'did you mean "new"?'],
  ])('refuses %j', async (args, words) => {
    const { code, stdout, stderr } = await run(['key', ...args], { cwd: folder });
    expect(code).toBe(2);
    expect(stderr).toContain(words);
    expect(stdout).not.toContain('lb_');
  });
});

test('landbridge key hash prints the SHA-256 of a key on stdin, and refuses one that can be guessed', async () => {
  const { key, sha256 } = await make('ci');
  expect(await run(['key', 'hash'], { input: `${key}\n` })).toMatchObject({ code: 0, stdout: `${sha256}\n` });
  expect(await run(['key', 'hash'], { input: 'hunter2\n' })).toMatchObject({ code: 1, stdout: '' });
});

describe('landbridge serve', () => {
  test('with keys from the environment listens on all interfaces, and announces the authentication', async () => {
    const [one, two] = [await make('ci'), await make('bot')];
    const file = join(folder, 'keys');
    await writeFile(file, `bot=${two.sha256}\n`);
    const env = { LANDBRIDGE_API_KEYS: `ci=${one.key}` };
    const server = await serve(['--host', '0.0.0.0', '--allowed-host', '127.0.0.1', '--api-keys', file], {
      cwd: folder,
      env,
    });
    expect(server).toMatchObject({ authentication: '2 keys', warnings: [] });
    const url = server.http.replace('0.0.0.0', '127.0.0.1');
    expect(await list(url)).toMatchObject({ status: 401 });
    expect(await list(url, one.key)).toMatchObject({ status: 200 });
    expect(await list(url, two.key)).toMatchObject({ status: 200 });
    expect(await list(url, two.sha256)).toMatchObject({ status: 401 });
    await server.stop();
    expect(server.log()).not.toContain('No authentication');
  });

  test('without keys refuses to listen on all interfaces, unless --allow-unauthenticated is set, which it announces', async () => {
    const refused = await run(['serve', '--host', '0.0.0.0', '--port', '0'], { cwd: folder });
    expect(refused.code).toBe(1);
    expect(refused.stderr).toContain('Refusing to listen on 0.0.0.0');
    expect(refused.stderr).toContain('landbridge key new <name>');
    const server = await serve(['--host', '0.0.0.0', '--allow-unauthenticated'], { cwd: folder });
    const { authentication, warnings } = server as unknown as { authentication: string; warnings: string[] };
    expect(authentication).toBe('none');
    expect(warnings[0]).toMatch(/^No authentication: anyone who can reach this port/);
    expect(warnings[1]).toMatch(/^HTTP accepts requests to the addresses of this machine only.*publicUrl/);
    expect((server as unknown as { url: string }).url).toBe(server.http.replace('0.0.0.0', '127.0.0.1'));
    await server.stop();
    expect(server.log()).toContain('No authentication: anyone who can reach this port');
  });

  test('does not start with an auth section without callers, nor with a key for an unknown profile', async () => {
    const start = async (yaml: string) => {
      await writeFile(join(folder, 'bad.yaml'), yaml);
      return run(['serve', '--config', 'bad.yaml', '--port', '0'], { cwd: folder });
    };
    expect((await start('auth: { keys: [] }\n')).stderr).toContain('bad.yaml:1:1 auth: allows no callers: add a key');
    const { line } = await make('ci', '--profiles', 'raeder');
    const { code, stderr } = await start(`auth:\n  keys:\n    ${line}\n`);
    expect(code).toBe(1);
    expect(stderr).toMatch(
      /bad\.yaml:3:\d+ auth\.keys\[0\]\.profiles\[0\]: there is no profile "raeder"; did you mean "reader"\?/,
    );
  });

  test('warns about an expired key', async () => {
    const yaml = `auth:\n  keys:\n    - { name: old, sha256: "${'a'.repeat(64)}", expires: 2020-01-01 }\n`;
    await writeFile(join(folder, 'old.yaml'), yaml);
    const server = await serve(['--config', 'old.yaml'], { cwd: folder });
    await server.stop();
    expect(server.log()).toContain('The key of old expired on 2020-01-01 and is refused.');
  });
});
