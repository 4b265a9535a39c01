// Where API keys come from, and what is said where one cannot be used: the place, the reason, and never the key.
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { explainWeakness, generateKey, hashKey } from '../../src/config/key-format.ts';
import { readKeys } from '../../src/config/key-sources.ts';
import { readConfig } from '../../src/config/read-config.ts';

const folder = mkdtempSync(join(tmpdir(), 'landbridge-keys-'));
mkdirSync(join(folder, 'domains'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const write = (name: string, text: string) => {
  const file = join(folder, name);
  writeFileSync(file, text);
  return file;
};
/** The keys of a configuration, with the profiles `reader` and `support`. */
const keysOf = (yaml: string, env: Record<string, string> = {}, flags: { apiKeys?: string } = {}) => {
  const config = readConfig({ config: write('landbridge.yaml', yaml), ...flags }, env);
  return readKeys(config, ['reader', 'support']);
};
const KEY = generateKey();
const OTHER = generateKey();

describe('auth.keys', () => {
  test('takes a hash, a variable and a file, each with the key or its SHA-256', () => {
    write('mounted', `${KEY}\n`);
    write('hashed', `${hashKey(OTHER).toUpperCase()}\r\n`);
    const yaml = `auth:
  keys:
    - { name: a, sha256: "${'AB'.repeat(32)}", profiles: [reader], effects: [read], expires: 2099-01-01, limits: { rate: 100/min } }
    - { name: b, env: B_KEY }
    - { name: c, file: mounted }
    - { name: d, file: ./hashed }
`;
    const plain = `plain-${'q8Zr2'.repeat(2)}-Yw7Lk3Vx9TnB4`;
    expect(keysOf(yaml, { B_KEY: plain })).toEqual([
      {
        name: 'a',
        sha256: 'ab'.repeat(32),
        profiles: ['reader'],
        effects: ['read'],
        expires: '2099-01-01',
        limits: { rate: '100/min' },
      },
      { name: 'b', sha256: createHash('sha256').update(plain).digest('hex') },
      { name: 'c', sha256: hashKey(KEY) },
      { name: 'd', sha256: hashKey(OTHER) },
    ]);
  });

  test('accepts file: in a variable, but no pipe, which might block forever', () => {
    const mounted = write('mounted', `${KEY}\n`);
    const keys = 'auth: { keys: [{ name: a, env: A_KEY }] }';
    expect(keysOf(keys, { A_KEY_FILE: mounted })).toEqual([{ name: 'a', sha256: hashKey(KEY) }]);
    execFileSync('mkfifo', [join(folder, 'pipe')]);
    expect(() => keysOf('auth: { keys: [{ name: a, file: ./pipe }] }', {})).toThrow('file: is not a file');
  });

  test('takes files relative to the folder of landbridge.yaml', () => {
    write('mounted', `${KEY}\n`);
    const file = relative(process.cwd(), write('landbridge.yaml', 'auth: { keys: [{ name: c, file: ./mounted }] }'));
    expect(readKeys(readConfig({ config: file }, {}), [])).toEqual([{ name: 'c', sha256: hashKey(KEY) }]);
  });

  test.each([
    ['- { name: a }', /landbridge\.yaml:3:\d+ auth\.keys\[0\]: has no key: give one of sha256 .* env and file/],
    ['- { name: a, env: A, file: b }', /:3:\d+ auth\.keys\[0\]\.file: cannot be combined with env: keep one of them/],
    [
      '- { name: a, env: UNSET_KEY }',
      /:3:\d+ auth\.keys\[0\]\.env: the variable UNSET_KEY is not set: put the key or its SHA-256 into it \("landbridge key new a" makes one\)/,
    ],
    [
      '- { name: a, file: nowhere }',
      /:3:\d+ auth\.keys\[0\]\.file: does not exist \(looked for .*\): put the key or its SHA-256 into it \("landbridge key new a"/,
    ],
    [
      '- { name: a, env: SHORT }',
      /auth\.keys\[0\]\.env: the key is too short to be safe: \d+ bits at most; make one with/,
    ],
    [
      `- { name: a, sha256: "${'a'.repeat(64)}", profiles: [redaer] }`,
      /:3:\d+ auth\.keys\[0\]\.profiles\[0\]: there is no profile "redaer"; did you mean "reader"\?/,
    ],
    [`- { name: a, sha256: "${'a'.repeat(64)}", effects: [raed] }`, /effects\[0\]: must be read, write or destructive/],
    [
      `- { name: a, sha256: "${'a'.repeat(64)}", expires: soon }`,
      /expires: must be a date such as 2099-01-31, or a time/,
    ],
    [
      `- { name: a, sha256: "${'a'.repeat(64)}", profile: [reader] }`,
      /"profile" is not known here; did you mean "profiles"\?/,
    ],
  ])('reports what is wrong with %s, and where', (entry, words) => {
    expect(() => keysOf(`auth:\n  keys:\n    ${entry}\n`, { SHORT: 'hunter2' })).toThrow(words);
  });

  test('refuses two callers with the same key', () => {
    const entry = (name: string) => `    - { name: ${name}, sha256: "${hashKey(KEY)}" }\n`;
    expect(() => keysOf(`auth:\n  keys:\n${entry('ci')}${entry('bot')}`)).toThrow(
      /landbridge\.yaml:4:\d+ auth\.keys\[1\]: ci and bot have the same API key: .* \(see .*:3:\d+ auth\.keys\[0\]\)/,
    );
    expect(() => keysOf(`auth:\n  keys:\n${entry('ci')}`, { LANDBRIDGE_API_KEYS: `ci=${KEY}` })).toThrow(
      /landbridge\.yaml:3:\d+ auth\.keys\[0\]: ci has the same API key twice/,
    );
  });
});

describe('API keys without landbridge.yaml', () => {
  test('LANDBRIDGE_API_KEYS holds keys by name, also several for one name', () => {
    const env = {
      LANDBRIDGE_API_KEYS: `ci=${KEY}, ci=${OTHER},bot = ${'0f'.repeat(32)} , old=sha256:${'1e'.repeat(32)}`,
    };
    expect(keysOf('', env)).toEqual([
      { name: 'ci', sha256: hashKey(KEY) },
      { name: 'ci', sha256: hashKey(OTHER) },
      { name: 'bot', sha256: '0f'.repeat(32) },
      { name: 'old', sha256: '1e'.repeat(32) },
    ]);
  });

  test('the configuration holds only hashes', () => {
    const config = readConfig({ config: write('landbridge.yaml', '') }, { LANDBRIDGE_API_KEYS: `ci=${KEY}` });
    const { env: _, ...rest } = config;
    expect(JSON.stringify(rest)).not.toContain(KEY);
    expect(JSON.stringify(rest)).toContain(hashKey(KEY));
  });

  test('--api-keys and LANDBRIDGE_API_KEYS_FILE name a file with one key per line', () => {
    const file = write('keys', `# of the night\nci=${KEY}\n\nbot=${hashKey(OTHER)}\n`);
    const keys = [
      { name: 'ci', sha256: hashKey(KEY) },
      { name: 'bot', sha256: hashKey(OTHER) },
    ];
    expect(keysOf('', {}, { apiKeys: file })).toEqual(keys);
    expect(keysOf('', { LANDBRIDGE_API_KEYS_FILE: file })).toEqual(keys);
  });

  test('every wrong line of the key file is reported by its number', () => {
    const file = write('slips', `# of the night\n\nci=${KEY}\nbot\nold=hunter2\n`);
    expect(() => keysOf('', {}, { apiKeys: file })).toThrow(
      /slips:4: item 1 must look like "name=key".*\n.*slips:5: the key of old is too short/,
    );
  });

  test.each([
    [{ LANDBRIDGE_API_KEYS: '' }, 'LANDBRIDGE_API_KEYS is set, but has no key'],
    [{ LANDBRIDGE_API_KEYS: ' , ' }, 'LANDBRIDGE_API_KEYS is set, but has no key'],
    [{ LANDBRIDGE_API_KEYS: 'hunter2hunter2hunter2' }, 'LANDBRIDGE_API_KEYS item 1 must look like "name=key"'],
    [{ LANDBRIDGE_API_KEYS: `ci=${KEY},bot=hunter2` }, 'LANDBRIDGE_API_KEYS the key of bot is too short to be safe'],
    [{ LANDBRIDGE_API_KEYS: `ci=${KEY.slice(0, -1)}` }, 'the key of ci has a wrong checksum'],
    [{ LANDBRIDGE_API_KEYS: `${'n'.repeat(65)}=${KEY}` }, 'item 1 must look like'],
    [{ LANDBRIDGE_API_KEYS_FILE: join(folder, 'none') }, 'does not exist'],
    [{ LANDBRIDGE_API_KEYS_FILE: write('empty', '\n# nothing\n') }, 'holds no key'],
  ])('reports what is wrong without showing the key: %#', (env, words) => {
    const failure = (() => {
      try {
        keysOf('', env as unknown as Record<string, string>);
        return '';
      } catch (error) {
        return `${(error as Error).message} ${JSON.stringify(error)}`;
      }
    })();
    expect(failure).toContain(words);
    expect(failure).not.toContain('hunter2');
    expect(failure).not.toContain(KEY.slice(3, 20));
  });
});

describe('a generated key', () => {
  test('has a prefix, 256 random bits, and a checksum that detects every wrong character', () => {
    expect(KEY).toMatch(/^lb_[A-Za-z0-9_-]{49}$/);
    expect(generateKey()).not.toBe(generateKey());
    expect(explainWeakness(KEY)).toBeUndefined();
    for (let at = 3; at < KEY.length; at++) {
      const slip = `${KEY.slice(0, at)}${KEY[at] === 'A' ? 'B' : 'A'}${KEY.slice(at + 1)}`;
      expect(explainWeakness(slip)).toMatch(/wrong checksum/);
    }
  });
});

describe('a key from elsewhere', () => {
  test.each([
    'hunter2',
    'correcthorsebattery',
    '12345678901234567890123456789012345678901234567890',
    'abcdefghijklmnopqrstuvwxyz0123456789',
    '0123456789abcdef0123456789abcdef',
    'a'.repeat(100),
    'passwordpasswordpasswordpassword',
    'changeme-changeme-changeme-changeme',
    '00000000-0000-0000-0000-000000000000',
    'Zk8$Zk8$Zk8$Zk8$Zk8$Zk8$Zk8$',
    'two words that are long enough to be safe otherwise',
    'schlüsselschlüsselschlüsselschlüssel',
    'q8Zr2'.repeat(200),
  ])('is refused if it can be guessed or cannot be sent: %s', (key) => {
    expect(explainWeakness(key)).toBeTypeOf('string');
  });

  test('is accepted if it is random: hexadecimal, base64 and UUID', () => {
    // The same in every run: of random keys one in ten thousand looks as if somebody had chosen it.
    for (let round = 0; round < 500; round++) {
      const bytes = createHash('sha256').update(`key ${round}`).digest().subarray(0, 16);
      const hex = bytes.toString('hex');
      expect(explainWeakness(hex)).toBeUndefined();
      expect(explainWeakness(bytes.toString('base64url'))).toBeUndefined();
      expect(explainWeakness(hex.replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-'))).toBeUndefined();
    }
  });
});
