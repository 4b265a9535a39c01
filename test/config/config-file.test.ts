// biome-ignore-all lint/suspicious/noTemplateCurlyInString: that is what the file has
// landbridge.yaml: what it may say, what is said about its mistakes, and who counts more than it.
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type Config, type FileScope, type Flags, readConfig } from '../../src/config/read-config.ts';
import { MistakesError } from '../../src/domain/files/mistakes.ts';
import type { Environment } from '../../src/endpoint/environment.ts';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'landbridge-config-'));
  await mkdir(join(folder, 'domains'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const at = (...names: string[]) => join(folder, ...names);

async function read(text: string, flags: Flags = {}, env: Environment = {}, reach?: FileScope): Promise<Config> {
  await writeFile(at('landbridge.yaml'), text);
  return readConfig({ config: at('landbridge.yaml'), ...flags }, env, reach);
}

/** What is said of the file, without the folder. */
async function mistakesOf(text: string, env: Environment = {}): Promise<string> {
  const error = await read(text, {}, env).then(
    () => undefined,
    (reason: Error) => reason,
  );
  expect(error).toBeInstanceOf(MistakesError);
  return (error as MistakesError).message.replaceAll(`${folder}/`, '');
}

const EVERYTHING = `
domains: [./domains, https://api.example.com/openapi.json]
host: 0.0.0.0
port: 8080
tcp: 4444
workers: auto
exposure: grouped
tokenBudget: 5000
readOnly: true
guard: deny
confirm: ask
profiles: ./roles.yaml
profile: reader
baseUrl: https://api.example.com/v1
headers: { X-Tenant: acme, Authorization: "Bearer \${TOKEN}" }
refsRoot: ./specs
publicUrl: https://mcp.example.com
allowedHosts: [mcp.internal]
allowedOrigins: [https://app.example]
trustedProxies: [10.0.0.0/8, "::1"]
allowUnauthenticated: true
maxBodyBytes: 2000
maxConnections: 5
idleSeconds: 7
graceSeconds: 0.5
logLevel: warn
state: redis://127.0.0.1:6379
tls: { cert: tls/server.crt, key: /etc/tls/server.key }
auth: { keys: [{ name: ci, file: secrets/ci }] }
limits: { perPrincipal: { rate: 600/min } }
audit: { file: audit.jsonl }
`;

describe('landbridge.yaml', () => {
  test('has every setting that flags have, and more; paths are relative to its folder', async () => {
    const {
      env: _,
      origins: __,
      file,
      unknownVariables,
      fileVariables,
      ...config
    } = await read(EVERYTHING, {}, { TOKEN: 's3cret' });
    expect(config).toEqual({
      paths: [at('domains'), 'https://api.example.com/openapi.json'],
      envFiles: [],
      apiKeys: [],
      apiKeysFile: undefined,
      host: '0.0.0.0',
      port: 8080,
      http: true,
      stdio: false,
      tcp: 4444,
      workers: 'auto',
      exposure: 'grouped',
      tokenBudget: 5000,
      readOnly: true,
      guard: 'deny',
      confirm: 'ask',
      profiles: at('roles.yaml'),
      profile: 'reader',
      baseUrl: 'https://api.example.com/v1',
      headers: ['X-Tenant: acme', 'Authorization: Bearer ${TOKEN}'],
      refsRoot: at('specs'),
      publicUrl: 'https://mcp.example.com',
      allowedHosts: ['mcp.internal'],
      allowedOrigins: ['https://app.example'],
      trustedProxies: ['10.0.0.0/8', '::1'],
      allowUnauthenticated: true,
      maxBodyBytes: 2000,
      maxConnections: 5,
      idleSeconds: 7,
      drainSeconds: 5,
      keepAliveSeconds: 620,
      maxHttpConnections: 10_000,
      graceSeconds: 0.5,
      logLevel: 'warn',
      secret: undefined,
      state: 'redis://127.0.0.1:6379',
      tls: { cert: at('tls/server.crt'), key: '/etc/tls/server.key' },
      auth: { keys: [{ name: 'ci', file: at('secrets/ci') }] },
      limits: { perPrincipal: { rate: '600/min' } },
      audit: { file: at('audit.jsonl') },
    });
    expect({ file, unknownVariables, names: fileVariables.has('TOKEN') }).toEqual({
      file: at('landbridge.yaml'),
      unknownVariables: [],
      names: true,
    });
  });

  test('an empty file changes no default, and the domains are beside it', async () => {
    const { port, host, paths, profiles } = await read('');
    expect({ port, host, paths, profiles }).toEqual({
      port: 3333,
      host: '127.0.0.1',
      paths: [at('domains')],
      profiles: undefined,
    });
  });

  test('finds profiles.yaml beside it', async () => {
    await writeFile(at('profiles.yaml'), 'reader: { effects: [read] }\n');
    expect((await read('port: 1')).profiles).toBe(at('profiles.yaml'));
  });

  test('may name the schema for editors', async () => {
    expect((await read('{"$schema": "./x.json", "port": 5}')).port).toBe(5);
  });
});

describe('mistakes in landbridge.yaml have a place and a fix', () => {
  test.each([
    ['prot: 1', 'landbridge.yaml:1:1 prot: "prot" is not known here; did you mean "port"?'],
    ['maxBody: 1', 'landbridge.yaml:1:1 maxBody: "maxBody" is not known here; did you mean "maxBodyBytes"?'],
    ['port: 70000', 'landbridge.yaml:1:1 port: must be at most 65535'],
    ['host: x\nport: abc', 'landbridge.yaml:2:1 port: must be a number from 0 to 65535'],
    ['readOnly: yes please', 'landbridge.yaml:1:1 readOnly: must be true or false'],
    ['guard: maybe', 'landbridge.yaml:1:1 guard: must be allow, confirm or deny'],
    ['domains: []', 'landbridge.yaml:1:1 domains: must name at least one folder, file or URL'],
    ['domains: ./domains', 'landbridge.yaml:1:1 domains: must be a list; got "./domains"'],
    [
      'profiles: { reader: { efects: [read] } }',
      'landbridge.yaml:1:23 profiles.reader.efects: "efects" is not known here; did you mean "effects"?',
    ],
    ['profiles: 5', 'landbridge.yaml:1:1 profiles: must be a string or an object; got 5'],
    ['state: localhost', 'landbridge.yaml:1:1 state: must be a redis:// or rediss:// URL'],
    [
      'publicUrl: mcp.example.com',
      'landbridge.yaml:1:1 publicUrl: must be an http(s) URL, for example https://mcp.example.com',
    ],
    [
      'keys: []\nprot: 1',
      /^landbridge\.yaml:1:1 keys: "keys" is not known here; did you mean auth\.keys\?\n.*:2:1 prot/,
    ],
    [
      'limits: { perPrincipal: { rate: 100 } }',
      'landbridge.yaml:1:27 limits.perPrincipal.rate: must be a number of calls per s, min or hour, such as 100/min',
    ],
    ['publicUrl: https://x.example/mcp', /^landbridge\.yaml:1:1 publicUrl: must not end in \/mcp/],
    ['publicUrl: https://x.example?x=1', 'landbridge.yaml:1:1 publicUrl: must have no query, fragment or login'],
    ['host: 0.0.0.0:80', /^landbridge\.yaml:1:1 host: must be only an address or a host name/],
    ['allowedOrigins: [app.example]', /^landbridge\.yaml:1:18 allowedOrigins\[0\]: must be an origin such as/],
    ['allowedHosts: [https://x.example]', /^landbridge\.yaml:1:16 allowedHosts\[0\]: must be a host name/],
    ['trustedProxies: [10.0.0.0/99]', /^landbridge\.yaml:1:18 trustedProxies\[0\]: must be an address or a CIDR range/],
    [
      'auth: { keys: [{ name: a, env: A, profiles: [] }] }',
      /^landbridge\.yaml:1:35 auth\.keys\[0\]\.profiles: must name at least one profile/,
    ],
    ['- port', 'landbridge.yaml:1:1: must be an object; got ["port"]'],
    ['port', 'landbridge.yaml:1:1: must be an object; got "port"'],
    ['port: 1\nport: 2', 'landbridge.yaml:2:1 port: is already defined in line 1; remove one of them'],
    [
      'auth:\n  keys:\n    - { name: ci, env: A }\n    - { name: cd, env: B, expirs: 2099-01-01 }',
      'landbridge.yaml:4:27 auth.keys[1].expirs: "expirs" is not known here; did you mean "expires"?',
    ],
    [
      'headers: { "X Tenant": a }',
      'landbridge.yaml:1:12 headers["X Tenant"]: "X Tenant": a header has a name such as X-Tenant',
    ],
    ['headers: { X-Tenant: "a\\nb" }', 'landbridge.yaml:1:12 headers.X-Tenant: must be text on one line'],
    [
      'host: ${GATEWAY_HOST}',
      'landbridge.yaml:1:1 host: needs the environment variable GATEWAY_HOST; set it, or write ${GATEWAY_HOST:-default}',
    ],
    [
      'headers: { Authorization: "${TOKEN}" }',
      'landbridge.yaml:1:12 headers.Authorization: needs the environment variable TOKEN; set it, or write ${TOKEN:-default}',
    ],
    [
      'state: ${STATE}',
      'landbridge.yaml:1:1 state: needs the environment variable STATE; set it, or write ${STATE:-default}',
    ],
    [
      'domains: [./domains, ./apis]',
      /^landbridge\.yaml:1:22 domains\[1\]: there is no such file or folder; looked for \S*apis$/,
    ],
  ])('%s', async (text, message) => {
    const said = await mistakesOf(text);
    if (typeof message === 'string') expect(said).toBe(message);
    else expect(said).toMatch(message);
  });

  test('files of secrets are relative to its folder, and the message says where they were looked for', async () => {
    const names = 'clientIdEnv: file:./id, clientSecretEnv: "file:/run/secrets/x"';
    const { auth } = await read(`auth: { oauth: [{ issuer: https://id.example.com, introspection: { ${names} } }] }`);
    expect(auth?.oauth?.[0]?.introspection).toEqual({
      clientIdEnv: `file:${at('id')}`,
      clientSecretEnv: 'file:/run/secrets/x',
    });
  });

  test('a file that does not exist and a folder are errors', async () => {
    expect(() => readConfig({ config: at('nowhere.yaml') }, {})).toThrow(
      'nowhere.yaml: there is no such file or folder',
    );
    expect(() => readConfig({}, { LANDBRIDGE_CONFIG: folder })).toThrow('is a folder, not a file');
  });

  test('circular anchors are an error', async () => {
    expect(await mistakesOf('auth: &a { keys: [*a] }')).toContain('landbridge.yaml:1');
  });
});

describe('variables in landbridge.yaml', () => {
  test('are replaced in texts, numbers and booleans, with defaults', async () => {
    const env = { BIND: '10.0.0.1', HTTP_PORT: '99', WRITABLE: 'false', PASSWORD: 'pa55' };
    const text = `
host: \${BIND}
port: \${HTTP_PORT}
tcp: \${TCP_PORT:-4444}
readOnly: \${WRITABLE}
state: redis://:\${PASSWORD}@\${REDIS:-redis}:6379
limits: { perPrincipal: { rate: "\${RATE:-600}/min", concurrent: "\${AT_ONCE:-8}" } }
`;
    expect(await read(text, {}, env)).toMatchObject({
      host: '10.0.0.1',
      port: 99,
      tcp: 4444,
      readOnly: false,
      state: 'redis://:pa55@redis:6379',
      limits: { perPrincipal: { rate: '600/min', concurrent: 8 } },
    });
  });

  test('that are no number where one is expected are a mistake', async () => {
    expect(await mistakesOf('port: ${P}', { P: 'eighty' })).toBe(
      'landbridge.yaml:1:1 port: must be a number from 0 to 65535',
    );
  });

  test('have values that messages do not repeat', async () => {
    const env = { TOKEN: 's3cret' };
    expect(await mistakesOf('limits: ["${TOKEN}"]\nprofiles: ["${TOKEN}"]', env)).toBe(
      [
        'landbridge.yaml:1:1 limits: must be an object; got ["${TOKEN}"]',
        'landbridge.yaml:2:1 profiles: must be a string or an object; got ["${TOKEN}"]',
      ].join('\n'),
    );
  });

  test('are converted, but a quoted number in the file stays text', async () => {
    expect(await mistakesOf('port: "80"')).toBe('landbridge.yaml:1:1 port: must be a number from 0 to 65535');
  });

  test('come from envFiles, --dotenv and the environment; the later takes precedence', async () => {
    await writeFile(at('a.env'), 'A=a\nB=a\nC=a\nLANDBRIDGE_GUARD=deny\n');
    await writeFile(at('b.env'), 'B=b\nC=b\n');
    const text = 'envFiles: [a.env]\nallowedHosts: ["${A}", "${B}", "${C}"]\n';
    const config = await read(text, { dotenv: [at('b.env')] }, { C: 'c' });
    expect(config.allowedHosts).toEqual(['a', 'b', 'c']);
    expect(config.guard).toBe('deny');
    expect(config.origins.get('guard')).toEqual({ by: 'variable', where: `LANDBRIDGE_GUARD (${at('a.env')})` });
  });

  test('from a file that does not exist are an error with its line', async () => {
    await expect(read('port: 1\nenvFiles:\n  - missing.env\n')).rejects.toThrow(
      /Cannot read the variables in \S*missing\.env \(\S*landbridge\.yaml:3\): it does not exist/,
    );
  });
});

describe('the secret of landbridge.yaml', () => {
  const SECRET = 'a-secret-of-more-than-32-characters!';

  test('comes from a variable or a file that it names', async () => {
    await writeFile(at('secret'), `${SECRET}\n`);
    expect((await read('secret: { file: secret }')).secret).toBe(SECRET);
    expect((await read('secret: { env: SEAL }', {}, { SEAL: SECRET })).secret).toBe(SECRET);
    const stronger = SECRET.toUpperCase();
    expect((await read('secret: { file: secret }', {}, { LANDBRIDGE_SECRET: stronger })).secret).toBe(stronger);
  });

  test.each([
    [
      `secret: ${SECRET}`,
      'landbridge.yaml:1:1 secret: must not be in this file, because others can read it: write { env: GATEWAY_SECRET }',
    ],
    ['secret: { env: SEAL }', 'landbridge.yaml:1:11 secret.env: needs the environment variable SEAL; set it'],
    ['secret: { file: nowhere }', 'landbridge.yaml:1:11 secret.file: does not exist (looked for '],
    ['secret: { env: SHORT }', 'landbridge.yaml:1:11 secret.env: names a secret that must have at least 32 characters'],
    ['secret: {}', 'landbridge.yaml:1:1 secret: must have either env or file'],
    ['secret: { env: SHORT, file: x }', 'landbridge.yaml:1:1 secret: must have either env or file'],
  ])('%s is refused, and is not repeated', async (text, message) => {
    const said = await mistakesOf(text, { SHORT: 'sh0rt' });
    expect(said).toContain(message);
    expect(said).not.toMatch(/a-secret-of|sh0rt/);
  });
});

describe('flags take precedence over variables, variables over the file, the file over defaults', () => {
  test('for each setting separately', async () => {
    const { port, host, tcp, guard, idleSeconds, origins } = await read(
      'port: 1\nhost: file\nguard: deny\n',
      { port: '3' },
      { PORT: '2', HOST: 'variable', LANDBRIDGE_TCP: '4' },
    );
    expect({ port, host, tcp, guard, idleSeconds }).toEqual({
      port: 3,
      host: 'variable',
      tcp: 4,
      guard: 'deny',
      idleSeconds: 300,
    });
    expect(Object.fromEntries(origins)).toEqual({
      port: { by: 'flag', where: '--port' },
      host: { by: 'variable', where: 'HOST' },
      tcp: { by: 'variable', where: 'LANDBRIDGE_TCP' },
      guard: { by: 'file', where: `${at('landbridge.yaml')}:3` },
    });
  });

  test('--config takes precedence over LANDBRIDGE_CONFIG', async () => {
    await writeFile(at('other.yaml'), 'port: 1');
    await writeFile(at('landbridge.yaml'), 'port: 2');
    const env = { LANDBRIDGE_CONFIG: at('other.yaml') };
    expect(readConfig({}, env).port).toBe(1);
    expect(readConfig({ config: at('landbridge.yaml') }, env).port).toBe(2);
  });

  test('a variable that is no boolean is refused, even if the file has a value', async () => {
    await expect(read('readOnly: true', {}, { LANDBRIDGE_READ_ONLY: 'maybe' })).rejects.toThrow(
      '--read-only (or LANDBRIDGE_READ_ONLY) must be true or false.',
    );
  });

  test('files on the command line do not get headers and base URLs of other domains', async () => {
    const text = 'domains: [./domains]\nheaders: { X-Key: k }\nbaseUrl: https://a.example\nreadOnly: true\n';
    const { headers, baseUrl, readOnly, paths } = await read(text, { paths: ['other.yaml'] });
    expect({ headers, baseUrl, readOnly, paths }).toEqual({
      headers: [],
      baseUrl: undefined,
      readOnly: true,
      paths: ['other.yaml'],
    });
    expect((await read(text)).headers).toEqual(['X-Key: k']);
    expect((await read(text.replace(/^domains.*\n/, ''), { paths: ['other.yaml'] })).headers).toEqual(['X-Key: k']);
  });

  test('import takes only the variables of the file', async () => {
    await writeFile(at('.env'), 'A=a\n');
    const config = await read('envFiles: [.env]\nheaders: { X-Key: k }\n', {}, {}, 'variables');
    expect([config.env.A, config.headers]).toEqual(['a', []]);
  });

  test('commands with --url ignore the file', async () => {
    const config = await read('headers: { X-Key: k }\nprofile: reader\nprot: 1', {}, {}, 'nothing');
    expect([config.headers, config.profile, config.file]).toEqual([[], undefined, undefined]);
  });
});

describe('whether HTTP is on', () => {
  test.each<[string, Flags, boolean]>([
    ['', {}, true],
    ['http: false', {}, false],
    ['stdio: true', {}, false],
    ['stdio: true\nport: 80', {}, true],
    ['stdio: true\nport: 80\nhttp: false', {}, false],
    ['stdio: true', { port: '80' }, true],
    ['port: 80', { stdio: true }, false],
    ['port: 80', { stdio: true, port: '80' }, true],
    ['port: 80', { http: false }, false],
    ['port: 80', { http: true }, true],
  ])('%j with %j: %s', async (text, flags, http) => {
    expect((await read(text, flags)).http).toBe(http);
  });
});
