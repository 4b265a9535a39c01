// biome-ignore-all lint/suspicious/noTemplateCurlyInString: that is what domain files write
import { describe, expect, test } from 'vitest';
import { collectSecrets } from '../../src/credentials/secrets.ts';
import { buildDomain, DefinitionError } from '../../src/domain/definition/build-domain.ts';
import { defineDomain } from '../../src/domain/definition/define-domain.ts';
import type { DomainDefinition } from '../../src/domain/definition/definition-types.ts';
import { expand, resolveBaseUrl } from '../../src/endpoint/environment.ts';

describe('expand()', () => {
  const env = { A: 'one', EMPTY: '' };
  const rows: [string, string, string[]][] = [
    ['${A}', 'one', []],
    ['x-${A}-${A}', 'x-one-one', []],
    ['${B:-two}', 'two', []],
    ['${A:-two}', 'one', []],
    ['${EMPTY:-two}', 'two', []],
    ['${B:-}', '', []],
    ['${B} ${EMPTY}', ' ', ['B', 'EMPTY']],
    ['${constructor}', '', ['constructor']],
    ['$A ${} ${1}', '$A ${} ${1}', []],
  ];
  for (const [given, text, missing] of rows) {
    test(`fills ${given}`, () => {
      expect(expand(given, env)).toMatchObject({ text, missing });
    });
  }
});

describe('resolveBaseUrl()', () => {
  const env = { URL_: 'https://a.test/v1/', BAD: 'a.test', WORSE: 'no URL', HOST: 'b.test' };
  const rows: [Parameters<typeof resolveBaseUrl>[0], string | RegExp][] = [
    ['https://a.test', 'https://a.test'],
    ['https://a.test/', 'https://a.test'],
    ['https://A.test:443/v1//', 'https://a.test/v1'],
    ['https://${HOST}/x', 'https://b.test/x'],
    [{ env: 'URL_', default: 'https://d.test' }, 'https://a.test/v1'],
    [{ env: 'UNSET', default: 'https://d.test' }, 'https://d.test'],
    [{ env: 'UNSET', default: 'embedded:tasks' }, 'embedded:tasks'],
    [{ env: 'UNSET' }, /set the environment variable UNSET/],
    [{ env: 'BAD' }, /^must be an absolute URL; got "a.test" \(from BAD\); write https:\/\/a.test$/],
    [{ env: 'WORSE' }, /^must be an absolute URL such as .*; got "no URL" \(from WORSE\)$/],
    ['localhost:4711', /^must start with http:\/\/ or https:\/\/; write http:\/\/localhost:4711$/],
    ['127.0.0.1:4711/v1', /; write http:\/\/127.0.0.1:4711\/v1$/],
    ['user:secret@a.test', /^must start with http:\/\/ or https:\/\/; got user:\/\/$/],
    ['https://${NONE}/', /needs the environment variable NONE; set it, or write \$\{NONE:-default\}/],
    ['ftp://a.test', /must start with http/],
    ['https://user:secret@a.test', /must hold no user name or password/],
    ['https://a.test/?key=1', /must hold no \? or #/],
  ];
  for (const [given, want] of rows) {
    test(`${JSON.stringify(given)} is ${want}`, () => {
      const got = resolveBaseUrl(given, env);
      if (typeof want === 'string') expect(got).toMatchObject({ url: want });
      else {
        expect(got).toEqual({ problem: expect.stringMatching(want) });
        expect(JSON.stringify(got)).not.toContain('secret');
      }
    });
  }
});

test('/. behind the host means its root, a slash alone means nothing', () => {
  expect(resolveBaseUrl('https://a.test/.', {})).toEqual({ url: 'https://a.test', isRoot: true });
  expect(resolveBaseUrl('https://a.test/', {})).toEqual({ url: 'https://a.test' });
  expect(resolveBaseUrl('https://a.test', {})).toEqual({ url: 'https://a.test' });
});

describe('credentials', () => {
  const build = (given: Partial<DomainDefinition>, env: Record<string, string> = {}, headers: string[] = []) =>
    buildDomain(
      defineDomain({
        name: 'pets',
        baseUrl: 'https://api.test',
        endpoints: { a: { path: '/', summary: 'x' } },
        ...given,
      }),
      { env, headers },
    );
  const security = (...args: Parameters<typeof build>) => build(...args).endpoints[0]!.security;

  test('come from the environment, and a single one needs no `security`', () => {
    expect(
      security({ credentials: { key: { kind: 'apiKey', field: 'X-Key', env: 'KEY' } } }, { KEY: 's3cret' }),
    ).toEqual([
      [{ kind: 'apiKey', name: 'key', in: 'header', field: 'X-Key', secret: { variable: 'KEY', value: 's3cret' } }],
    ]);
    expect(
      security({ credentials: { b: { kind: 'basic', usernameEnv: 'U', passwordEnv: 'P' } } }, { U: 'me' }),
    ).toEqual([
      [
        {
          kind: 'basic',
          name: 'b',
          username: { variable: 'U', value: 'me' },
          password: { variable: 'P', value: undefined },
        },
      ],
    ]);
  });

  test('need `security` if there are several', () => {
    const credentials = { a: { kind: 'bearer', env: 'A' }, b: { kind: 'bearer', env: 'B' } } as const;
    expect(() => security({ credentials })).toThrow(/list which of a, b a request needs/);
    expect(security({ credentials, security: [['a', 'b'], []] }).map((set) => set.map((one) => one.name))).toEqual([
      ['a', 'b'],
      [],
    ]);
  });

  test('that are unset are reported at the start', () => {
    const credentials = { key: { kind: 'bearer', env: 'PETS_TOKEN' } } as const;
    expect(build({ credentials }).warnings).toEqual([expect.stringContaining('PETS_TOKEN is not set')]);
    expect(build({ credentials }, { PETS_TOKEN: 'abcd' }).warnings).toEqual([]);
    expect(build({ credentials, security: [['key'], []] }).warnings).toEqual([]);
  });

  test('may be written as headers', () => {
    const domain = build(
      { headers: { Authorization: 'Bearer ${TOKEN}', 'X-Plain': '${NAME:-n}' } },
      { TOKEN: 'abcdefgh' },
    );
    expect(domain.endpoints[0]).toMatchObject({
      headers: { 'X-Plain': 'n' },
      security: [
        [
          {
            kind: 'apiKey',
            in: 'header',
            field: 'Authorization',
            prefix: 'Bearer ',
            secret: { variable: 'TOKEN', value: 'abcdefgh' },
          },
        ],
      ],
    });
    expect(collectSecrets([domain])).toEqual(['abcdefgh']);
    expect(security({ headers: { 'X-Api-Key': '${KEY}' } })).toMatchObject([
      [{ secret: { variable: 'KEY', value: undefined } }],
    ]);
  });

  test('of the command line are added to every alternative', () => {
    const given = { credentials: { a: { kind: 'bearer', env: 'A' } }, security: [['a'], []] } as const;
    expect(security(given, { A: 'x', T: 'tttt' }, ['X-Tenant: ${T}']).map((set) => set.map((one) => one.name))).toEqual(
      [['a', 'header X-Tenant'], ['header X-Tenant']],
    );
  });

  test('are not sent to the other origin of an endpoint', () => {
    const credentials = { key: { kind: 'bearer', env: 'K' } } as const;
    const abroad = { path: '/', summary: 'x', baseUrl: 'https://other.test' };
    expect(() => build({ credentials, endpoints: { abroad } })).toThrow(
      /the credentials of the domain are not sent there/,
    );
    const explicit = build({ credentials, endpoints: { abroad: { ...abroad, security: [] } } });
    expect(explicit.endpoints[0]!.security).toEqual([]);
    const header = build({ headers: { Authorization: 'Bearer ${K}' }, endpoints: { abroad } }, { K: 'abcd' });
    expect(header.endpoints[0]!.security).toEqual([]);
  });

  test('a header whose variable has the name of a secret is a secret', () => {
    const { endpoints } = build(
      { headers: { 'X-Shop': '${SHOP_PASSWORD}', 'X-Tenant': '${TENANT}' } },
      {
        SHOP_PASSWORD: 'hunter22',
        TENANT: 'acme',
      },
    );
    expect(endpoints[0]!.security.flat()).toMatchObject([{ field: 'X-Shop', secret: { variable: 'SHOP_PASSWORD' } }]);
    expect(endpoints[0]!.headers).toMatchObject({ 'X-Tenant': 'acme' });
  });

  const wrong: [Partial<DomainDefinition>, RegExp][] = [
    [{ headers: { 'X-A': '${UNSET}' } }, /headers\.X-A: needs the environment variable UNSET/],
    [{ headers: { Host: 'x' } }, /headers\.Host: is written by the HTTP client/],
    [{ headers: { 'X-A': 'a\r\nX-B: c' } }, /headers\.X-A: may hold only printable ASCII/],
    [{ headers: { 'X A': 'a' } }, /"X A": is not a header name/],
    [
      { credentials: { key: { env: 'A' } } },
      /credentials\.key\.kind: is missing: give apiKey, bearer, basic, login, oauth2, token_exchange, assertion or awsSigv4/,
    ],
  ];
  for (const [given, want] of wrong) {
    test(`refuses ${JSON.stringify(given)}`, () => {
      expect(() => build(given)).toThrow(DefinitionError);
      expect(() => build(given)).toThrow(want);
    });
  }
});
