// biome-ignore-all lint/suspicious/noTemplateCurlyInString: that is what documents try
// Security schemes become credentials, bound to one origin, with secrets from the environment.
import { describe, expect, test } from 'vitest';
import type { KnownCredential } from '../../src/credentials/kind-table.ts';
import { secretsIn } from '../../src/credentials/secrets.ts';
import type { Domain } from '../../src/endpoint/model.ts';
import { Security } from '../../src/openapi/objects/security-requirement.ts';
import { admitAddress } from '../../src/openapi/objects/server.ts';
import { importOne, importValue, type Options, openapi } from './support.ts';

function secured(schemes: object, security: unknown, operation: object = {}): object {
  return openapi({ '/a': { get: operation } }, { components: { securitySchemes: schemes }, security });
}

async function credential(scheme: object, options: Options = {}): Promise<unknown> {
  return (await importOne(secured({ main: scheme }, [{ main: [] }]), options)).security[0]![0];
}

const secret = (variable: string, value?: string) => ({ variable, value });

describe('the two names of a secret', () => {
  const basic = secured({ main: { type: 'http', scheme: 'bearer' } }, [{ main: [] }]);

  test('with a base URL, the start says that the name with the prefix is not read', async () => {
    const { warnings } = await importValue(basic, {
      baseUrl: 'https://a.test',
      env: { LANDBRIDGE_CRED_TEST_MAIN: 's3cret' },
    });
    expect(warnings.join('\n')).toContain(
      'Set TEST_MAIN (LANDBRIDGE_CRED_TEST_MAIN is set, but with a base URL of yours the name has no LANDBRIDGE_CRED_) in the environment',
    );
  });

  test('without one, it says that the name without the prefix is not read', async () => {
    const { warnings } = await importValue(basic, { env: { TEST_MAIN: 's3cret' } });
    expect(warnings.join('\n')).toContain(
      'Set LANDBRIDGE_CRED_TEST_MAIN (TEST_MAIN is set, but without a base URL of yours the name begins with LANDBRIDGE_CRED_) in the environment',
    );
    expect(warnings.join('\n')).not.toContain('s3cret');
  });
});

describe('schemes', () => {
  test.each([
    [
      { type: 'apiKey', in: 'header', name: 'X-Key' },
      { kind: 'apiKey', name: 'main', in: 'header', field: 'X-Key', secret: secret('LANDBRIDGE_CRED_TEST_MAIN') },
    ],
    [
      { type: 'apiKey', in: 'query', name: 'key' },
      { kind: 'apiKey', name: 'main', in: 'query', field: 'key', secret: secret('LANDBRIDGE_CRED_TEST_MAIN') },
    ],
    [
      { type: 'apiKey', in: 'cookie', name: 'sid' },
      { kind: 'apiKey', name: 'main', in: 'cookie', field: 'sid', secret: secret('LANDBRIDGE_CRED_TEST_MAIN') },
    ],
    [
      { type: 'http', scheme: 'Basic' },
      {
        kind: 'basic',
        name: 'main',
        username: secret('LANDBRIDGE_CRED_TEST_MAIN_USERNAME'),
        password: secret('LANDBRIDGE_CRED_TEST_MAIN_PASSWORD'),
      },
    ],
    [
      { type: 'basic' },
      {
        kind: 'basic',
        name: 'main',
        username: secret('LANDBRIDGE_CRED_TEST_MAIN_USERNAME'),
        password: secret('LANDBRIDGE_CRED_TEST_MAIN_PASSWORD'),
      },
    ],
    [
      { type: 'http', scheme: 'bearer' },
      { kind: 'bearer', name: 'main', secret: secret('LANDBRIDGE_CRED_TEST_MAIN') },
    ],
    [
      { type: 'http', scheme: 'Token' },
      {
        kind: 'apiKey',
        name: 'main',
        in: 'header',
        field: 'Authorization',
        secret: secret('LANDBRIDGE_CRED_TEST_MAIN'),
        prefix: 'Token ',
      },
    ],
    [
      { type: 'openIdConnect', openIdConnectUrl: 'https://x.example' },
      { kind: 'bearer', name: 'main', secret: secret('LANDBRIDGE_CRED_TEST_MAIN') },
    ],
    [
      { type: 'oauth2', flows: { implicit: { authorizationUrl: 'https://x.example', scopes: {} } } },
      { kind: 'bearer', name: 'main', secret: secret('LANDBRIDGE_CRED_TEST_MAIN') },
    ],
    [
      { type: 'oauth2', flows: { clientCredentials: { tokenUrl: '/token', scopes: {} } } },
      {
        kind: 'oauth2',
        name: 'main',
        tokenUrl: 'https://api.example.com/token',
        clientId: secret('LANDBRIDGE_CRED_TEST_MAIN_CLIENT_ID'),
        clientSecret: secret('LANDBRIDGE_CRED_TEST_MAIN_CLIENT_SECRET'),
        scopes: [],
      },
    ],
  ])('%j', async (scheme, want) => {
    expect(await credential(scheme)).toEqual(want);
  });

  test('2.0: securityDefinitions and the application flow', async () => {
    const document = {
      swagger: '2.0',
      host: 'api.example.com',
      info: { title: 'Test', version: '1' },
      securityDefinitions: {
        oauth: { type: 'oauth2', flow: 'application', tokenUrl: 'https://auth.example.com/token', scopes: { a: '' } },
      },
      paths: { '/a': { get: { security: [{ oauth: ['a'] }] } } },
    };
    expect((await importOne(document)).security).toEqual([
      [expect.objectContaining({ kind: 'oauth2', tokenUrl: 'https://auth.example.com/token', scopes: ['a'] })],
    ]);
  });

  describe('the password flow of OAuth2', () => {
    const flow = (tokenUrl: string, more: object = {}) => ({
      type: 'oauth2',
      flows: { password: { tokenUrl, scopes: {} }, ...more },
    });
    const env = { LANDBRIDGE_CRED_TEST_MAIN_USERNAME: 'ann', LANDBRIDGE_CRED_TEST_MAIN_PASSWORD: 'p w&d' };
    const ways = async (scheme: object, options: Options = {}) =>
      (await importOne(secured({ main: scheme }, [{ main: ['a', 'b'] }]), options)).security;

    test('is a login at the token URL, or an existing token', async () => {
      const [[login], [token]] = (await ways(flow('token'), { env })) as [[unknown], [unknown]];
      expect(login).toEqual({
        kind: 'login',
        name: 'main',
        request: {
          method: 'POST',
          url: 'https://api.example.com/v1/token',
          shown: 'https://api.example.com/v1/token',
          query: '',
          headers: { accept: 'application/json', 'content-type': 'application/x-www-form-urlencoded' },
          body: 'grant_type=password&username=ann&password=p+w%26d&scope=a+b',
        },
        secrets: [
          { variable: 'LANDBRIDGE_CRED_TEST_MAIN_USERNAME', value: 'ann', isName: true },
          { variable: 'LANDBRIDGE_CRED_TEST_MAIN_PASSWORD', value: 'p w&d' },
        ],
        send: { in: 'header', field: 'Authorization', prefix: 'Bearer ' },
        renewOn: [401],
        isScheme: true,
      });
      expect(token).toEqual({ kind: 'bearer', name: 'main', secret: secret('LANDBRIDGE_CRED_TEST_MAIN') });
      expect(await ways(flow('token'), { env: { ...env, LANDBRIDGE_CRED_TEST_MAIN: 'tok' } })).toEqual([
        [{ kind: 'bearer', name: 'main', secret: secret('LANDBRIDGE_CRED_TEST_MAIN', 'tok') }],
      ]);
    });

    test('does not fill in variables that the document names', async () => {
      const scheme = flow('/token?q=${AWS_SECRET}');
      const document = secured({ main: scheme }, [{ main: ['${AWS_SECRET}', '${HOME:-x}'] }]);
      const { security } = await importOne(document, { env: { ...env, AWS_SECRET: 'secret', HOME: '/home' } });
      expect(security[0]?.[0]).toMatchObject({
        request: {
          query: 'q=${AWS_SECRET}',
          body: `grant_type=password&username=ann&password=p+w%26d&scope=${encodeURIComponent('${AWS_SECRET}')}+${encodeURIComponent('${HOME:-x}')}`,
        },
        secrets: [
          { variable: 'LANDBRIDGE_CRED_TEST_MAIN_USERNAME' },
          { variable: 'LANDBRIDGE_CRED_TEST_MAIN_PASSWORD' },
        ],
      });
    });

    test('is reported at the start, with its variables, its address and the alternative', async () => {
      const { warnings } = await importValue(secured({ main: flow('/token') }, [{ main: [] }]));
      expect(warnings).toEqual([
        'Set one of these in the environment, because 1 operation needs it to call https://api.example.com: LANDBRIDGE_CRED_TEST_MAIN_USERNAME and LANDBRIDGE_CRED_TEST_MAIN_PASSWORD (main, as Authorization: Bearer, a token from POST https://api.example.com/token); or LANDBRIDGE_CRED_TEST_MAIN (main, as Authorization: Bearer …).',
      ]);
    });

    test('uses the variables of the operator, and a client if one is set', async () => {
      const credentials = { main: { usernameEnv: 'ME', passwordEnv: 'PW', clientIdEnv: 'ID', scopes: ['s'] } };
      const login = (await ways(flow('token'), { credentials, env: { ME: 'ann', PW: 'secret', ID: 'web' } }))[0]?.[0];
      expect(login).toMatchObject({
        request: { body: 'grant_type=password&username=ann&password=secret&client_id=web&scope=s' },
      });
    });

    test('stands beside client credentials; 2.0 has it too', async () => {
      const both = flow('/token', { clientCredentials: { tokenUrl: '/client', scopes: {} } });
      expect((await ways(both)).map(([one]) => one!.kind)).toEqual(['oauth2', 'login', 'bearer']);
      const old = { type: 'oauth2', flow: 'password', tokenUrl: 'https://api.example.com/t', scopes: {} };
      expect((await ways(old)).map(([one]) => one!.kind)).toEqual(['login', 'bearer']);
    });

    test('sends only variables for documents to a token URL on another origin', async () => {
      const options = { baseUrl: 'https://api.example.com', env: { TEST_MAIN_USERNAME: 'a', TEST_MAIN_PASSWORD: 'b' } };
      const login = (await ways(flow('https://evil.example/t'), options))[0]?.[0];
      expect(secretsIn(login!)).toEqual([
        { ...secret('LANDBRIDGE_CRED_TEST_MAIN_USERNAME'), isName: true },
        secret('LANDBRIDGE_CRED_TEST_MAIN_PASSWORD'),
      ]);
    });
  });

  test('HTTP Basic has an empty password if its variable is empty, or only a user name is configured', async () => {
    const scheme = { type: 'http', scheme: 'basic' };
    const env = { LANDBRIDGE_CRED_TEST_MAIN_USERNAME: 'key', LANDBRIDGE_CRED_TEST_MAIN_PASSWORD: '' };
    expect(await credential(scheme, { env })).toMatchObject({ username: { value: 'key' }, password: { value: '' } });
    const named = { credentials: { main: { usernameEnv: 'KEY' } }, env: { KEY: 'key' } };
    expect(await credential(scheme, named)).toMatchObject({ username: { value: 'key' }, password: { value: '' } });
    expect((await importValue(secured({ main: scheme }, [{ main: [] }]), named)).warnings).toEqual([]);
    const unset = await credential(scheme, { env: { LANDBRIDGE_CRED_TEST_MAIN_USERNAME: 'key' } });
    expect(unset).toMatchObject({ password: { value: undefined } });
  });

  test('an existing token is used instead of the client credentials flow', async () => {
    const scheme = { type: 'oauth2', flows: { clientCredentials: { tokenUrl: 'https://x.example/t', scopes: {} } } };
    expect(await credential(scheme, { env: { LANDBRIDGE_CRED_TEST_MAIN: 'tok' } })).toEqual({
      kind: 'bearer',
      name: 'main',
      secret: secret('LANDBRIDGE_CRED_TEST_MAIN', 'tok'),
    });
  });

  test('the operator may set the variables, the token URL and the scopes', async () => {
    const scheme = { type: 'oauth2', flows: { clientCredentials: { tokenUrl: 'https://x.example/t', scopes: {} } } };
    const credentials = {
      main: { clientIdEnv: 'ID', clientSecretEnv: 'SECRET', tokenUrl: 'https://y.example/t', scopes: ['s'] },
    };
    expect(await credential(scheme, { credentials, env: { ID: 'i', SECRET: 's' } })).toEqual({
      kind: 'oauth2',
      name: 'main',
      tokenUrl: 'https://y.example/t',
      clientId: secret('ID', 'i'),
      clientSecret: secret('SECRET', 's'),
      scopes: ['s'],
    });
    expect(
      await credential({ type: 'http', scheme: 'bearer' }, { credentials: { main: { env: 'MY' } }, env: { MY: 'x' } }),
    ).toEqual({ kind: 'bearer', name: 'main', secret: secret('MY', 'x') });
  });

  test('names of domain and scheme become one variable name', async () => {
    const document = secured({ 'my api-Key': { type: 'apiKey', in: 'header', name: 'K' } }, [{ 'my api-Key': [] }]);
    const endpoint = await importOne(document, { name: 'Pet Store' });
    expect(endpoint.security[0]![0]).toMatchObject({ secret: { variable: 'LANDBRIDGE_CRED_PET_STORE_MY_API_KEY' } });
  });
});

describe('requirements', () => {
  const schemes = { a: { type: 'http', scheme: 'bearer' }, b: { type: 'apiKey', in: 'header', name: 'B' } };
  const names = (domain: Domain) => domain.endpoints[0]!.security.map((set) => set.map(({ name }) => name));

  test.each([
    ['both together', [{ a: [], b: [] }], [['a', 'b']]],
    ['one or the other', [{ a: [] }, { b: [] }], [['a'], ['b']]],
    ['optional', [{ a: [] }, {}], [['a'], []]],
    ['none', [], []],
  ])('%s', async (_, security, want) => {
    expect(names(await importValue(secured(schemes, security)))).toEqual(want);
  });

  test('those of the operation replace those of the document, even an empty list', async () => {
    expect(names(await importValue(secured(schemes, [{ a: [] }], { security: [{ b: [] }] })))).toEqual([['b']]);
    expect(names(await importValue(secured(schemes, [{ a: [] }], { security: [] })))).toEqual([]);
  });

  test('unset variables are reported at the start with what needs them; set or optional ones are not', async () => {
    const warned = async (security: unknown, env = {}) =>
      (await importValue(secured(schemes, security), { env })).warnings;
    expect(await warned([{ a: [], b: [] }], { LANDBRIDGE_CRED_TEST_B: 'x' })).toEqual([
      'Set LANDBRIDGE_CRED_TEST_A in the environment: 1 operation needs it (a, as Authorization: Bearer …; sent to https://api.example.com).',
    ]);
    expect(await warned([{ a: [] }, {}])).toEqual([]);
    expect(await warned([{ a: [] }, { b: [] }], { LANDBRIDGE_CRED_TEST_B: 'x' })).toEqual([]);
    expect(await warned([{ a: [] }], { LANDBRIDGE_CRED_TEST_A: '' })).toHaveLength(1);
  });

  test('an undefined scheme is still required; one in another case is found', async () => {
    const domain = await importValue(secured({}, [{ mystery: [] }]));
    expect(domain.endpoints[0]!.security).toEqual([
      [{ kind: 'bearer', name: 'mystery', secret: secret('LANDBRIDGE_CRED_TEST_MYSTERY') }],
    ]);
    expect(domain.warnings.join()).toContain('"mystery" is used but not defined');
    const close = await importValue(secured({ BasicAuth: { type: 'http', scheme: 'basic' } }, [{ basicAuth: [] }]));
    expect(close.endpoints[0]!.security[0]![0]).toMatchObject({ kind: 'basic' });
  });

  test('mutual TLS needs a certificate of the operator, an alternative, or a proxy in front', async () => {
    const tls = { ...schemes, tls: { type: 'mutualTLS' } };
    expect((await importValue(secured(tls, [{ tls: [] }]))).quarantined).toMatchObject([
      { reason: expect.stringMatching(/client certificate .* set tls\.cert and tls\.key in the domain file/) },
    ]);
    const connection = { certificate: { cert: 'a certificate', key: 'its key' } };
    expect(names(await importValue(secured(tls, [{ tls: [] }]), { connection }))).toEqual([[]]);
    expect(names(await importValue(secured(tls, [{ tls: [] }, { a: [] }])))).toEqual([['a']]);
    expect(names(await importValue(secured(tls, [{ tls: [] }]), { baseUrl: 'http://127.0.0.1:9' }))).toEqual([[]]);
  });
});

describe('headers of the operator', () => {
  const schemes = { a: { type: 'http', scheme: 'bearer' }, b: { type: 'apiKey', in: 'header', name: 'X-Key' } };

  test('Authorization satisfies schemes that use it, another header its own scheme', async () => {
    const endpoint = await importOne(secured(schemes, [{ a: [], b: [] }]), { headers: ['authorization: Bearer abc'] });
    expect(endpoint.security).toEqual([
      [
        {
          kind: 'apiKey',
          name: 'header authorization',
          in: 'header',
          field: 'authorization',
          prefix: 'Bearer ',
          secret: { variable: 'header authorization', value: 'abc' },
        },
        { kind: 'apiKey', name: 'b', in: 'header', field: 'X-Key', secret: secret('LANDBRIDGE_CRED_TEST_B') },
      ],
    ]);
    const both = await importOne(secured(schemes, [{ b: [] }]), { headers: ['x-key: k'] });
    expect(both.security).toEqual([[expect.objectContaining({ name: 'header x-key' })]]);
  });

  test('get variables from the environment; an unset one is an error', async () => {
    const template = `Authorization: Bearer \${TOKEN}`;
    const set = await importOne(openapi({ '/a': { get: {} } }), { headers: [template], env: { TOKEN: 't' } });
    expect(set.security).toEqual([
      [expect.objectContaining({ prefix: 'Bearer ', secret: { variable: 'TOKEN', value: 't' } })],
    ]);
    const byDefault = { headers: [`Authorization: Bearer \${TOKEN:-demo}`] };
    const filled = await importOne(openapi({ '/a': { get: {} } }), byDefault);
    expect(filled.security[0]![0]).toMatchObject({ prefix: 'Bearer ', secret: { variable: 'TOKEN', value: 'demo' } });
    await expect(importValue(openapi({ '/a': { get: {} } }), { headers: [template] })).rejects.toMatchObject({
      code: 'BAD_CONFIG',
      message: `The header Authorization needs the environment variable TOKEN; set it, or write \${TOKEN:-default}.`,
    });
  });

  test.each(['no colon', ': empty', 'a b: c', 'Host: x', 'Content-Length: 1', 'X: a\u0001b'])(
    '%j is refused without repeating the value',
    async (header) => {
      await expect(importValue(openapi({}), { headers: [header] })).rejects.toMatchObject({ code: 'BAD_CONFIG' });
    },
  );
});

describe('credentials stay at their origin', () => {
  const document = openapi(
    {
      '/a': { get: { operationId: 'home' } },
      '/b': { post: { operationId: 'away', servers: [{ url: 'https://uploads.example.com' }] } },
    },
    {
      components: { securitySchemes: { key: { type: 'apiKey', in: 'header', name: 'X-Key' } } },
      security: [{ key: [] }],
    },
  );

  test('an operation on another origin has a variable of its own, and never gets the main secret', async () => {
    const domain = await importValue(document, {
      env: { LANDBRIDGE_CRED_TEST_KEY: 's3cret' },
      headers: ['X-Extra: e'],
      credentials: { key: { env: 'LANDBRIDGE_CRED_TEST_KEY' } },
    });
    const [home, away] = domain.endpoints;
    expect(JSON.stringify(home!.security)).toContain('s3cret');
    expect(away!.security).toEqual([
      [
        {
          kind: 'apiKey',
          name: 'key',
          in: 'header',
          field: 'X-Key',
          secret: secret('LANDBRIDGE_CRED_TEST_KEY_UPLOADS_EXAMPLE_COM'),
        },
      ],
    ]);
    expect(domain.warnings).toContain(
      'Set LANDBRIDGE_CRED_TEST_KEY_UPLOADS_EXAMPLE_COM in the environment: 1 operation needs it (key, as X-Key: …; sent to https://uploads.example.com).',
    );
  });

  test('the operator consents by setting that variable', async () => {
    const domain = await importValue(document, { env: { LANDBRIDGE_CRED_TEST_KEY_UPLOADS_EXAMPLE_COM: 'other' } });
    expect(domain.endpoints[1]!.security[0]![0]).toMatchObject({ secret: { value: 'other' } });
  });

  test('with a base URL all requests go to one origin', async () => {
    const domain = await importValue(document, { env: { TEST_KEY: 's' }, baseUrl: 'http://127.0.0.1:9' });
    for (const { baseUrl, security } of domain.endpoints) {
      expect(baseUrl.startsWith('http://127.0.0.1:9')).toBe(true);
      expect(security[0]![0]).toMatchObject({ secret: { variable: 'TEST_KEY', value: 's' } });
    }
  });
});

test('a document that names its one server on every path keeps its credentials there', async () => {
  const document = openapi(
    {
      '/a': { servers: [{ url: 'https://api.example.com/v1' }], get: {} },
      '/b': { get: { servers: [{ url: 'https://api.example.com/v2' }] } },
    },
    {
      servers: undefined,
      components: { securitySchemes: { key: { type: 'http', scheme: 'bearer' } } },
      security: [{ key: [] }],
    },
  );
  const { endpoints } = await importValue(document);
  expect(endpoints.map(({ baseUrl, security }) => [baseUrl, security[0]![0]])).toEqual([
    ['https://api.example.com/v1', expect.objectContaining({ secret: secret('LANDBRIDGE_CRED_TEST_KEY') })],
    ['https://api.example.com/v2', expect.objectContaining({ secret: secret('LANDBRIDGE_CRED_TEST_KEY') })],
  ]);
});

describe('a document cannot choose the secret it is sent', () => {
  const scheme = { token: { type: 'http', scheme: 'bearer' } };
  const env = { GITHUB_TOKEN: 'ghp', AWS_SECRET_ACCESS_KEY: 'aws', LANDBRIDGE_CRED_GITHUB_TOKEN: 'mine' };
  const valuesOf = ({ endpoints }: Domain) =>
    endpoints
      .flatMap(({ security }) => security.flat() as KnownCredential[])
      .map((one) => ('secret' in one ? one.secret.value : undefined));

  test('neither by its x-mcp name nor by its title', async () => {
    const named = { ...secured(scheme, [{ token: [] }]), 'x-mcp': { name: 'github' } };
    expect(valuesOf(await importValue(named, { env }))).toEqual(['mine']);
    const key = { secretAccessKey: { type: 'apiKey', in: 'header', name: 'K' } };
    const titled = { ...secured(key, [{ secretAccessKey: [] }]), info: { title: 'AWS', version: '1' } };
    expect(valuesOf(await importValue(titled, { env }))).toEqual([undefined]);
    // `name` alone may be a number put behind a title; only a domain file makes it the operator's.
    expect(valuesOf(await importValue(secured(scheme, [{ token: [] }]), { env, name: 'github' }))).toEqual(['mine']);
  });

  test('the operator can, with a variable or with the origin', async () => {
    const document = secured(scheme, [{ token: [] }]);
    const credentials = { token: { env: 'GITHUB_TOKEN' } };
    expect(valuesOf(await importValue(document, { env, name: 'github', credentials }))).toEqual(['ghp']);
    const toOrigin = await importValue(document, { env, name: 'github', baseUrl: 'https://api.github.example' });
    expect(valuesOf(toOrigin)).toEqual(['ghp']);
  });

  const oauth = (tokenUrl: string) =>
    secured({ oauth: { type: 'oauth2', flows: { clientCredentials: { tokenUrl, scopes: {} } } } }, [{ oauth: [] }]);
  const variablesOf = ({ endpoints }: Domain) =>
    endpoints
      .flatMap(({ security }) => security.flat())
      .flatMap((one) => secretsIn(one).map(({ variable }) => variable));

  test('a base URL is not a consent to the token URL in the document', async () => {
    const baseUrl = 'https://api.example.com/v1';
    expect(variablesOf(await importValue(oauth('https://evil.example/t'), { baseUrl }))).toEqual([
      'LANDBRIDGE_CRED_TEST_OAUTH_CLIENT_ID',
      'LANDBRIDGE_CRED_TEST_OAUTH_CLIENT_SECRET',
    ]);
    expect(variablesOf(await importValue(oauth('/t'), { baseUrl }))).toEqual([
      'TEST_OAUTH_CLIENT_ID',
      'TEST_OAUTH_CLIENT_SECRET',
    ]);
  });
});

describe('token URLs of a document from the network', () => {
  const oauth = (tokenUrl: string) =>
    secured({ oauth: { type: 'oauth2', flows: { clientCredentials: { tokenUrl, scopes: {} } } } }, [{ oauth: [] }]);
  const root = (uri: string) =>
    ({ uri, isRoot: true, label: 'x', value: {}, dialect: { schema: '3.0', major: 3, minor: 0 } }) as const;

  test.each([
    [
      'https://docs.example/openapi.json',
      'https://10.0.0.1/t',
      { problem: expect.stringContaining('private address') },
    ],
    [
      'https://docs.example/openapi.json',
      'http://localhost/t',
      { problem: expect.stringContaining('private address') },
    ],
    ['https://docs.example/openapi.json', 'http://169.254.169.254/t', { problem: expect.stringContaining('private') }],
    ['https://docs.example/openapi.json', 'https://auth.example/t', { publicOnly: true }],
    ['https://docs.example/openapi.json', 'https://docs.example/t', {}],
    ['http://127.0.0.1:9/openapi.json', 'http://10.0.0.1/t', {}],
    ['file:///openapi.json', 'http://10.0.0.1/t', {}],
  ])('%s naming %s', (uri, tokenUrl, want) => {
    expect(admitAddress(new URL(tokenUrl), root(uri))).toEqual(want);
  });

  test('that may not be used quarantine the operation; public ones must resolve to public addresses', async () => {
    const readFrom = (tokenUrl: string) => {
      const home = root('https://docs.example/openapi.json');
      const value = oauth(tokenUrl);
      const follow = () => ({ document: home, pointer: '', value });
      const security = new Security({
        root: { ...home, value },
        domain: 'test',
        mainUrl: 'https://api.example.com',
        callerHeaders: [],
        options: { env: {} },
        resolver: {
          follow,
          followAll: follow,
          dereference: (place) => place,
          oneWay: { readOnly: false, writeOnly: false },
        },
        warnings: [],
        parameters: [],
      });
      const none = { required: [], optional: [] };
      const operation = {
        node: {},
        method: 'GET',
        path: '/a',
        baseUrl: 'https://api.example.com',
        pointer: '/paths/~1a/get/security',
      };
      return security.forOperation(operation, none);
    };
    expect(() => readFrom('https://192.168.1.1/t')).toThrow(
      /token URL of "oauth", https:\/\/192.168.1.1, is a private/,
    );
    expect(readFrom('https://auth.example/t')).toEqual([[expect.objectContaining({ publicOnly: true })]]);
  });
});
