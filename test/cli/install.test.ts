// landbridge install, in a home of its own.
import { mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { editJson } from '../../src/cli/install/edit-json.ts';
import { editToml } from '../../src/cli/install/edit-toml.ts';
import { BIN, run } from '../support/cli.ts';

let home: string;
beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), 'landbridge-install-'));
  const text =
    'name: vault\nbaseUrl: http://127.0.0.1:9\ncredentials: { key: { kind: bearer, env: VAULT_KEY } }\nendpoints: { look: { path: /look, summary: Looks. } }\n';
  await writeFile(join(home, 'vault.yaml'), text);
});
afterAll(() => rm(home, { recursive: true, force: true }));

interface Servers {
  readonly mcpServers: Readonly<Record<string, object>>;
}

const install = (args: string[], env: Record<string, string> = {}, cwd = home) =>
  run(['install', ...args], {
    cwd,
    env: { HOME: home, XDG_CONFIG_HOME: join(home, '.config'), CODEX_HOME: '', ...env },
  });

const started = () => ({ command: process.execPath, args: [BIN, 'serve', '--stdio', join(home, 'vault.yaml')] });
const settings = process.platform === 'darwin' ? 'Library/Application Support' : '.config';

describe('landbridge install', () => {
  test.each([
    ['claude-code', '.claude.json', 'mcpServers', { type: 'stdio' }, `\${VAULT_KEY:-}`],
    ['claude-desktop', `${settings}/Claude/claude_desktop_config.json`, 'mcpServers', {}, ''],
    ['cursor', '.cursor/mcp.json', 'mcpServers', {}, `\${env:VAULT_KEY}`],
    ['vscode', `${settings}/Code/User/mcp.json`, 'servers', { type: 'stdio' }, `\${env:VAULT_KEY}`],
    ['gemini', '.gemini/settings.json', 'mcpServers', {}, '$VAULT_KEY'],
  ])(
    '%s: without a terminal only shows the change; --yes writes the entry and keeps the rest; a second time changes nothing',
    async (client, path, section, more, reference) => {
      const file = join(home, path);
      const before = `{\n    // mine\n    "theme": "dark",\n    "${section}": { "other": { "command": "x", "args": ["// no comment"] } },\n}\n`;
      await mkdir(dirname(file), { recursive: true });
      await writeFile(file, before);
      const looked = await install([client, 'vault.yaml']);
      expect(looked).toMatchObject({ code: 1, stderr: expect.stringContaining('Nothing was written. Add --yes') });
      expect(looked.stdout).toContain('"landbridge"');
      expect(await readFile(file, 'utf8')).toBe(before);

      const written = await install([client, 'vault.yaml', '--yes'], { VAULT_KEY: 'open-sesame-42' });
      expect(written.code).toBe(0);
      const after = await readFile(file, 'utf8');
      expect(after).toContain('    // mine\n    "theme": "dark",\n');
      expect(after).not.toContain('open-sesame-42');
      const value = JSON.parse(after.replace('// mine', '').replace(/,\s*\}\s*$/, '}')) as Record<string, object>;
      expect(value[section]).toEqual({
        other: { command: 'x', args: ['// no comment'] },
        landbridge: { ...more, ...started(), env: { VAULT_KEY: reference } },
      });
      expect(await readFile(`${file}.bak`, 'utf8')).toBe(before);
      const again = await install([client, 'vault.yaml', '--yes']);
      expect(again).toMatchObject({ code: 0, stdout: expect.stringContaining('There is nothing to change') });
      const gone = await install([client, '--uninstall', '--yes']);
      expect(gone.code).toBe(0);
      expect(await readFile(file, 'utf8')).toBe(before);
      // Every change leaves its own copy: the first is what the person had.
      expect(await readFile(`${file}.bak`, 'utf8')).toBe(before);
      expect(await readFile(`${file}.bak.2`, 'utf8')).toBe(after);
    },
  );

  test('a header with a variable reaches the command line, and the variable the environment', async () => {
    const words = ['--header', `X-Api-Key: \${OTHER_KEY}`, '--header', 'Accept-Language: de', '--token-budget', '500'];
    const { code } = await install(['cursor', 'vault.yaml', '--yes', '--name', 'headers', ...words], {
      OTHER_KEY: 'other-secret-7',
    });
    expect(code).toBe(0);
    const text = await readFile(join(home, '.cursor/mcp.json'), 'utf8');
    expect(text).not.toContain('other-secret-7');
    const { headers } = (JSON.parse(text.replace('// mine', '').replace(/,\s*\}\s*$/, '}')) as Servers).mcpServers;
    expect(headers).toEqual({
      ...started(),
      args: [...started().args, ...words],
      env: { OTHER_KEY: `\${env:OTHER_KEY}`, VAULT_KEY: `\${env:VAULT_KEY}` },
    });
  });

  test.each([[['vault.yaml']], [['--url', 'http://127.0.0.1:3333']]])(
    'a secret in a --header is not written for %j',
    async (source) => {
      const folder = await mkdtemp(join(home, 'typed-'));
      const words = [...source.map((word) => word.replace('vault', '../vault')), '--scope', 'project', '--yes'];
      for (const header of ['X-Api-Key: typed-secret-1', 'Authorization: Bearer typed-secret-1']) {
        const { code, stderr } = await install(['claude-code', ...words, '--header', header], {}, folder);
        expect(code).toBe(2);
        expect(stderr).toMatch(
          /write --header '(X-Api-Key: \$\{X_API_KEY\}|Authorization: Bearer \$\{AUTHORIZATION\})'/,
        );
        expect(stderr).not.toContain('typed-secret-1');
      }
      expect(await readdir(folder)).toEqual([]);
    },
  );

  test('with --with-values a typed secret is written as a variable of the entry, in a file that only its owner reads', async () => {
    const folder = await mkdtemp(join(home, 'values-'));
    const words = ['--scope', 'project', '--yes', '--with-values', '--header', 'Authorization: Bearer typed-secret-1'];
    expect((await install(['claude-code', '../vault.yaml', ...words], {}, folder)).code).toBe(0);
    expect(
      (await install(['claude-code', '--name', 'far', '--url', 'http://127.0.0.1:3333', ...words], {}, folder)).code,
    ).toBe(0);
    const file = join(folder, '.mcp.json');
    const { landbridge, far } = (JSON.parse(await readFile(file, 'utf8')) as Servers).mcpServers;
    expect(landbridge).toMatchObject({
      args: [...started().args, '--header', `Authorization: Bearer \${LANDBRIDGE_AUTHORIZATION}`],
      env: { LANDBRIDGE_AUTHORIZATION: 'typed-secret-1' },
    });
    expect(far).toMatchObject({ headers: { Authorization: 'Bearer typed-secret-1' } });
    expect((await stat(file)).mode & 0o777).toBe(0o600);
  });

  test('env has every variable that the files need and that is set, and no other', async () => {
    const text = `name: plain\nbaseUrl: { env: PLAIN_URL }\nheaders: { X-Tenant: "\${PLAIN_TENANT}" }\nendpoints: { look: { path: /look, summary: Looks. } }\n`;
    const folder = await mkdtemp(join(home, 'plain-'));
    await writeFile(join(folder, 'plain.yaml'), text);
    const env = { PLAIN_URL: 'http://127.0.0.1:9', PLAIN_TENANT: 'acme', PLAIN_OTHER: 'x' };
    const { code } = await install(
      ['cursor', 'plain.yaml', '--yes', '--with-values', '--scope', 'project'],
      env,
      folder,
    );
    expect(code).toBe(0);
    const { landbridge } = (JSON.parse(await readFile(join(folder, '.cursor/mcp.json'), 'utf8')) as Servers).mcpServers;
    expect(landbridge).toMatchObject({
      env: expect.toSatisfy(
        (value) =>
          Object.keys(value as object)
            .sort()
            .join() === 'PLAIN_TENANT,PLAIN_URL',
      ),
    });
  });

  test('codex: a table of its own in TOML, with the names of the variables', async () => {
    const file = join(home, '.codex/config.toml');
    const before = 'model = "x" # mine\n\n[mcp_servers.other]\ncommand = "y"\n';
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, before);
    expect((await install(['codex', 'vault.yaml', '--yes'])).code).toBe(0);
    const { command, args } = started();
    const list = args.map((arg) => JSON.stringify(arg)).join(', ');
    expect(await readFile(file, 'utf8')).toBe(
      `${before}\n[mcp_servers.landbridge]\ncommand = ${JSON.stringify(command)}\nargs = [${list}]\nenv_vars = ["VAULT_KEY"]\n`,
    );
  });

  test('--with-values writes what is set now, --scope project into the folder, --name under another name', async () => {
    const { code } = await install(
      ['claude-code', 'vault.yaml', '--yes', '--with-values', '--scope', 'project', '--name', 'vault'],
      { VAULT_KEY: 'open-sesame-42' },
    );
    expect(code).toBe(0);
    expect(JSON.parse(await readFile(join(home, '.mcp.json'), 'utf8'))).toMatchObject({
      mcpServers: { vault: { ...started(), env: { VAULT_KEY: 'open-sesame-42' } } },
    });
  });

  test('--url connects to a running gateway, with headers whose variables the client fills in', async () => {
    const words = [
      '--url',
      'http://127.0.0.1:3333',
      '--header',
      `Authorization: Bearer \${TOKEN}`,
      '--scope',
      'project',
    ];
    const url = 'http://127.0.0.1:3333/mcp';
    for (const client of ['vscode', 'gemini', 'codex'])
      expect((await install([client, ...words, '--yes'])).code).toBe(0);
    const read = (path: string) => readFile(join(home, path), 'utf8');
    expect(JSON.parse(await read('.vscode/mcp.json'))).toEqual({
      servers: { landbridge: { type: 'http', url, headers: { Authorization: `Bearer \${env:TOKEN}` } } },
    });
    expect(await read('.gemini/settings.json')).toContain('"Authorization": "Bearer $TOKEN"');
    expect(await read('.codex/config.toml')).toContain(`url = "${url}"\nbearer_token_env_var = "TOKEN"\n`);
  });

  test('--url of a gateway that is not there is written, with a note', async () => {
    const words = ['cursor', '--name', 'absent', '--url', 'http://127.0.0.1:1/mcp', '--scope', 'project', '--yes'];
    const { code, stderr } = await install(words);
    expect([code, stderr]).toEqual([
      0,
      'Nothing answers at 127.0.0.1:1 yet. Start the gateway, or check the address.\n',
    ]);
  });

  test('--url of a gateway that needs a key: the entry refers to a variable and contains no key', async () => {
    const words = ['cursor', '--name', 'keyed', '--url', 'http://127.0.0.1:3333', '--scope', 'project', '--yes'];
    const { code, stderr } = await install(words, { LANDBRIDGE_API_KEYS: `ci=${'0f'.repeat(32)}` });
    expect(code).toBe(0);
    expect(stderr).toContain('set MCP_GATEWAY_KEY in the environment of the client');
    const text = await readFile(join(home, '.cursor/mcp.json'), 'utf8');
    expect(text).toContain(`"Authorization": "Bearer \${env:MCP_GATEWAY_KEY}"`);
    expect(text).not.toContain('0f0f');
  });

  test.each([
    [['emacs'], 'There is no client "emacs"; allowed: claude-code, claude-desktop'],
    [['claude-desktop', '--url', 'http://127.0.0.1:3333'], 'Without --url, it starts the gateway itself'],
    [['claude-desktop', '--scope', 'project'], '--scope for Claude Desktop must be user.'],
    [['cursor', 'vault.yaml', '--url', 'http://127.0.0.1:3333'], 'vault.yaml cannot be used with --url: the running'],
    [['cursor', '--read-only', '--url', 'http://127.0.0.1:3333'], '--read-only cannot be used with --url'],
    [['cursor', '--confirm', 'ask', '--url', 'http://127.0.0.1:3333'], '--confirm cannot be used with --url'],
    [['codex', 'vault.yaml', '--name', 'my shop'], 'write --name my-shop.'],
    [['claude-code', 'vault.yaml', '--name', 'my.shop!'], 'write --name my-shop.'],
    [
      ['codex', '--url', 'http://127.0.0.1:3333', '--header', `X-Api-Key: token=\${KEY}`],
      `--header 'X-Api-Key: \${X_API_KEY}', or use --with-values`,
    ],
  ])('%j is explained and exits with 2', async (args, sentence) => {
    const { code, stderr } = await install(args);
    expect(code).toBe(2);
    expect(stderr).toContain(sentence);
  });
});

describe('editing the text of a client’s file', () => {
  test.each([
    ['', '{\n  "s": {\n    "n": {\n      "a": 1\n    }\n  }\n}\n'],
    ['{}', '{\n  "s": {\n    "n": {\n      "a": 1\n    }\n  }\n}'],
    ['{ "s": { "n": { "b": [1, "}"] }, } } // end', '{ "s": { "n": {\n      "a": 1\n    }, } } // end'],
  ])('in %j only the entry changes', (before, after) => {
    expect(editJson(before, 'f', 's', 'n', { a: 1 })).toBe(after);
  });

  test.each(['[]', '{ "s": 1 }', '{ "a" }', '{ "a": 1', 'nonsense'])('%j is refused', (text) => {
    expect(() => editJson(text, 'f.json', 's', 'n', { a: 1 })).toThrow('f.json is not a valid JSON object');
  });

  test.each(['[m]\nn = { a = "1" }\n', '[m]\nn.a = "1"\n', '[ m . "n" ]\na = "1"\n', '[m\nx=\n'])(
    '%j is refused, because the edit would break the TOML',
    (text) => {
      expect(() => editToml(text, 'f.toml', 'm', 'n', { a: '2' })).toThrow('f.toml has [m.n] in a form');
    },
  );

  test('a TOML table is replaced with its tables below, and nothing around it', () => {
    const text = '# top\n[m.n]\na = "1"\n[m.n.env]\nX = "y"\n\n# other\n[m.o]\nb = "2"\n';
    expect(editToml(text, 'f', 'm', 'n', { a: '2' })).toBe('# top\n[m.n]\na = "2"\n\n# other\n[m.o]\nb = "2"\n');
    expect(editToml(text, 'f', 'm', 'n', undefined)).toBe('# top\n\n# other\n[m.o]\nb = "2"\n');
    expect(() => editToml('m = {}\n', 'f.toml', 'm', 'n', { a: '2' })).toThrow('Add [m.n] by hand');
  });
});
