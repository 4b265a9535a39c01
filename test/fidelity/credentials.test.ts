// Credentials: where each is sent, that it is sent nowhere else, and that no request is sent without one.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { useRealHttp } from '../support/real-http.ts';
import type { Received } from './echo.ts';
import { reply } from './echo.ts';
import { listAll, type Opened, open, openDuring } from './gateway.ts';
import { written } from './sheet.ts';

useRealHttp();

const ENV = {
  LANDBRIDGE_CRED_CREDENTIALS_BEARER: 'bearer-s3cret',
  LANDBRIDGE_CRED_CREDENTIALS_TOKEN: 'token-s3cret',
  LANDBRIDGE_CRED_CREDENTIALS_BASIC_USERNAME: 'ann',
  LANDBRIDGE_CRED_CREDENTIALS_BASIC_PASSWORD: 'pä:ss-s3cret',
  LANDBRIDGE_CRED_CREDENTIALS_KEY_HEADER: 'header-s3cret',
  LANDBRIDGE_CRED_CREDENTIALS_KEY_QUERY: 'query&s3cret=',
  LANDBRIDGE_CRED_CREDENTIALS_KEY_COOKIE: 'cookie;s3cret',
  LANDBRIDGE_CRED_CREDENTIALS_OIDC: 'oidc-s3cret',
  LANDBRIDGE_CRED_CREDENTIALS_OAUTH_CLIENT_ID: 'client:id',
  LANDBRIDGE_CRED_CREDENTIALS_OAUTH_CLIENT_SECRET: 'client-s3cret%',
  LANDBRIDGE_CRED_CREDENTIALS_NEAR_CLIENT_ID: 'near',
  LANDBRIDGE_CRED_CREDENTIALS_NEAR_CLIENT_SECRET: 'near-s3cret',
};
const SECRETS = Object.entries(ENV).flatMap(([name, value]) =>
  /SECRET|PASSWORD|s3cret/.test(name + value) ? [value] : [],
);

describe('with every variable set', () => {
  const opened = openDuring({ documents: ['credentials.yaml'], env: ENV });

  test.each<[name: string, tool: string, args: object, line: string, headers: Record<string, string> | undefined]>([
    ['a bearer token, by default', 'by_default', {}, 'GET /v1/default', { authorization: 'Bearer bearer-s3cret' }],
    ['nothing where none is needed', 'none', {}, 'GET /v1/none', undefined],
    ['what is there where it is optional', 'optional', {}, 'GET /v1/optional?api%20key=query%26s3cret%3D', undefined],
    ['a key in a header, never an argument', 'key_header', {}, 'GET /v1/header', { 'x-api-key': 'header-s3cret' }],
    ['a key in the query', 'key_query', { q: 'x' }, 'GET /v1/query?q=x&api%20key=query%26s3cret%3D', undefined],
    [
      'a key in a cookie',
      'key_cookie',
      { theme: 'dark' },
      'GET /v1/cookie',
      { cookie: 'theme=dark; sid=cookie%3Bs3cret' },
    ],
    [
      'name and password',
      'basic',
      {},
      'GET /v1/basic',
      { authorization: `Basic ${Buffer.from('ann:pä:ss-s3cret').toString('base64')}` },
    ],
    ['another HTTP scheme', 'token', {}, 'GET /v1/token', { authorization: 'Token token-s3cret' }],
    [
      'two that go together',
      'both',
      {},
      'GET /v1/both',
      { 'x-api-key': 'header-s3cret', authorization: `Basic ${Buffer.from('ann:pä:ss-s3cret').toString('base64')}` },
    ],
    [
      'the first of two',
      'either',
      {},
      'GET /v1/either',
      { authorization: `Basic ${Buffer.from('ann:pä:ss-s3cret').toString('base64')}` },
    ],
    ['a token of OpenID Connect', 'oidc', {}, 'GET /v1/oidc', { authorization: 'Bearer oidc-s3cret' }],
  ])('%s', async (_name, tool, args, line, headers) => {
    const { requests, result, elsewhere } = await opened.call(tool, args as Record<string, unknown>);
    expect(result.isError, result.text).toBe(false);
    expect(requests.map(written)).toEqual([{ line, ...(headers && { headers }) }]);
    expect(elsewhere).toEqual([]);
  });

  test('a key cannot be given as an argument', async () => {
    const { requests, result } = await opened.call('key_header', { x_api_key: 'mine' });
    expect(requests).toEqual([]);
    expect(result.structuredContent).toMatchObject({ failure_mode: 'validation' });
  });

  test('a secret that the API repeats in its answer is redacted', async () => {
    opened.echo.answers.set('/v1/header', (request, response) => {
      response.setHeader('content-type', 'application/json');
      response.end(JSON.stringify({ you_sent: request.headers['x-api-key'], as: 'header-s3cret!' }));
    });
    opened.echo.answers.set('/v1/default', reply(401, 'text/plain', 'unknown token bearer-s3cret'));
    const ok = await opened.call('key_header');
    expect(ok.result.text).not.toContain('s3cret');
    expect(ok.result.text).toMatch(/you_sent/);
    const refused = await opened.call('by_default');
    expect(JSON.stringify(refused.result)).not.toContain('s3cret');
    expect(refused.result.text).toContain('unknown token');
    opened.echo.answers.clear();
  });

  test.each([301, 302, 303, 307, 308])(
    'a redirect (%i) to another origin does not get the key, nor the body',
    async (status) => {
      opened.echo.answers.set('/v1/header', reply(status, undefined, '', { location: `${opened.other.origin}/steal` }));
      for (const tool of ['key_header', 'post_key_header']) {
        const { result, elsewhere, requests } = await opened.call(tool, tool === 'key_header' ? {} : { a: 'x' });
        expect(requests).toHaveLength(1);
        expect(elsewhere).toEqual([]);
        expect(result.structuredContent).toMatchObject({ failure_mode: 'redirect_blocked' });
        expect(JSON.stringify(result)).not.toContain('s3cret');
      }
      opened.echo.answers.clear();
    },
  );

  test('a key in the query that a redirect repeats is redacted', async () => {
    opened.echo.answers.set(
      '/v1/query',
      reply(302, undefined, '', { location: `${opened.other.origin}/query%26s3cret%3D/?k=query%26s3cret%3D` }),
    );
    const { result } = await opened.call('key_query');
    expect(result.structuredContent).toMatchObject({ failure_mode: 'redirect_blocked' });
    expect(JSON.stringify(result)).not.toContain('s3cret');
    opened.echo.answers.clear();
  });

  test('an operation on another origin does not get the key of the main one', async () => {
    const { requests, elsewhere, result } = await opened.call('elsewhere');
    expect([...requests, ...elsewhere]).toEqual([]);
    expect(result.structuredContent).toMatchObject({ failure_mode: 'missing_credential' });
    expect(result.text).toContain(`LANDBRIDGE_CRED_CREDENTIALS_KEY_HEADER_127_0_0_1_${opened.other.port}`);
  });

  test('an operation that needs a client certificate is quarantined with its reason', () => {
    const [domain] = opened.gateway.domains;
    expect(domain!.quarantined).toMatchObject([
      {
        method: 'GET',
        path: '/certificate',
        pointer: expect.stringContaining('certificate'),
        reason: expect.stringMatching(/client certificate/),
      },
    ]);
  });

  test('lists contain no secret', async () => {
    const listed = JSON.stringify([
      await listAll(opened.client),
      opened.client.getInstructions(),
      opened.gateway.domains.map(({ warnings }) => warnings),
      await opened.client.listResources(),
    ]);
    for (const secret of SECRETS) expect(listed).not.toContain(secret);
  });
});

describe('OAuth2 client credentials', () => {
  let opened: Opened;
  let issued = 0;
  let lifetime: number | undefined;
  beforeAll(async () => {
    opened = await open({ documents: ['credentials.yaml'], env: ENV });
    opened.other.answers.set('/token', (_request, response) => {
      issued++;
      response.setHeader('content-type', 'application/json');
      response.end(
        JSON.stringify({ access_token: `issued-${issued}-s3cret`, token_type: 'bearer', expires_in: lifetime }),
      );
    });
  });
  afterAll(() => opened.close());
  const grant = {
    line: 'POST /token',
    headers: {
      'content-type': 'application/x-www-form-urlencoded',
      authorization: `Basic ${Buffer.from('client%3Aid:client-s3cret%25').toString('base64')}`,
    },
    body: 'grant_type=client_credentials&scope=read%20write%3Aall',
  };
  const with_ = (token: number, line = 'GET /v1/oauth') => ({
    line,
    headers: { authorization: `Bearer issued-${token}-s3cret` },
  });

  test('a token is fetched once for all waiting calls, and used until it expires', async () => {
    lifetime = 3600;
    const first = await Promise.all([1, 2, 3].map(() => opened.client.callTool({ name: 'oauth', arguments: {} })));
    expect(first.map(({ isError }) => isError ?? false)).toEqual([false, false, false]);
    expect(opened.other.take().map(written)).toEqual([grant]);
    expect(opened.echo.take().map(written)).toEqual([with_(1), with_(1), with_(1)]);
    const { requests, elsewhere } = await opened.call('oauth');
    expect(elsewhere).toEqual([]);
    expect(requests.map(written)).toEqual([with_(1)]);
  });

  test('a read that the API refuses with 401 is repeated once with a new token', async () => {
    const refuseOld = (request: Received, response: Parameters<ReturnType<typeof reply>>[1]) => {
      const old = request.headers.authorization === 'Bearer issued-1-s3cret';
      reply(old ? 401 : 200, 'application/json', '{"ok":true}')(request, response);
    };
    opened.echo.answers.set('/v1/oauth', refuseOld);
    const { requests, elsewhere, result } = await opened.call('oauth');
    expect(elsewhere.map(written)).toEqual([grant]);
    expect(requests.map(written)).toEqual([with_(1), with_(2)]);
    expect(result).toMatchObject({ isError: false, text: '{"ok":true}' });
    opened.echo.answers.clear();
  });

  test('a write that the API refuses with 401 is not repeated, but the next call has a new token', async () => {
    opened.echo.answers.set('/v1/oauth', reply(401, 'text/plain', 'expired issued-2-s3cret'));
    const refused = await opened.call('post_oauth');
    expect(refused.requests.map(written)).toEqual([with_(2, 'POST /v1/oauth')]);
    expect(refused.result.structuredContent).toMatchObject({ failure_mode: 'upstream_error', status: 401 });
    expect(JSON.stringify(refused.result)).not.toContain('s3cret');
    opened.echo.answers.clear();
    const { requests, elsewhere } = await opened.call('post_oauth');
    expect(elsewhere).toHaveLength(1);
    expect(requests.map(written)).toEqual([with_(3, 'POST /v1/oauth')]);
  });

  test('an expired token is replaced before the call', async () => {
    lifetime = 1;
    opened.echo.answers.set('/v1/oauth', reply(401, undefined));
    await opened.call('post_oauth');
    opened.echo.answers.clear();
    await opened.call('oauth');
    const { requests, elsewhere } = await opened.call('oauth');
    expect(elsewhere.map(written)).toEqual([grant]);
    expect(requests.map(written)).toEqual([with_(issued)]);
  });

  test('the error names refused credentials, and the API is not called', async () => {
    opened.other.answers.set('/token', reply(401, 'application/json', '{"error":"invalid_client"}'));
    const { requests, result } = await opened.call('oauth');
    expect(requests).toEqual([]);
    expect(result.structuredContent).toMatchObject({
      failure_mode: 'missing_credential',
      variables: ['LANDBRIDGE_CRED_CREDENTIALS_OAUTH_CLIENT_ID', 'LANDBRIDGE_CRED_CREDENTIALS_OAUTH_CLIENT_SECRET'],
    });
    expect(JSON.stringify(result)).not.toContain('s3cret');
  });

  test('no token is fetched for arguments that cannot be sent', async () => {
    const { requests, elsewhere } = await opened.call('oauth', { nonsense: 1 });
    expect([...requests, ...elsewhere]).toEqual([]);
  });

  test('a relative token URL is on the API’s origin; the secret is sent in the body if the server needs it there', async () => {
    opened.echo.answers.set('/token', (request, response) => {
      const inBody = request.body.toString().includes('client_secret=');
      reply(inBody ? 200 : 401, 'application/json', inBody ? '{"access_token":"near-token"}' : '{}')(request, response);
    });
    const { requests, result } = await opened.call('oauth_near');
    expect(result.isError, result.text).toBe(false);
    expect(requests.map(written)).toEqual([
      {
        line: 'POST /token',
        headers: {
          'content-type': 'application/x-www-form-urlencoded',
          authorization: `Basic ${Buffer.from('near:near-s3cret').toString('base64')}`,
        },
        body: 'grant_type=client_credentials',
      },
      {
        line: 'POST /token',
        headers: { 'content-type': 'application/x-www-form-urlencoded' },
        body: 'grant_type=client_credentials&client_id=near&client_secret=near-s3cret',
      },
      { line: 'GET /v1/oauth/near', headers: { authorization: 'Bearer near-token' } },
    ]);
  });
});

describe('with nothing set', () => {
  const opened = openDuring({ documents: ['credentials.yaml'] });

  test.each<[tool: string, variables: string[]]>([
    ['by_default', ['LANDBRIDGE_CRED_CREDENTIALS_BEARER']],
    ['key_header', ['LANDBRIDGE_CRED_CREDENTIALS_KEY_HEADER']],
    ['key_query', ['LANDBRIDGE_CRED_CREDENTIALS_KEY_QUERY']],
    ['key_cookie', ['LANDBRIDGE_CRED_CREDENTIALS_KEY_COOKIE']],
    ['basic', ['LANDBRIDGE_CRED_CREDENTIALS_BASIC_USERNAME', 'LANDBRIDGE_CRED_CREDENTIALS_BASIC_PASSWORD']],
    ['oauth', ['LANDBRIDGE_CRED_CREDENTIALS_OAUTH_CLIENT_ID', 'LANDBRIDGE_CRED_CREDENTIALS_OAUTH_CLIENT_SECRET']],
    [
      'both',
      [
        'LANDBRIDGE_CRED_CREDENTIALS_KEY_HEADER',
        'LANDBRIDGE_CRED_CREDENTIALS_BASIC_USERNAME',
        'LANDBRIDGE_CRED_CREDENTIALS_BASIC_PASSWORD',
      ],
    ],
    [
      'either',
      [
        'LANDBRIDGE_CRED_CREDENTIALS_BASIC_USERNAME',
        'LANDBRIDGE_CRED_CREDENTIALS_BASIC_PASSWORD',
        'LANDBRIDGE_CRED_CREDENTIALS_KEY_QUERY',
      ],
    ],
  ])('%s names what is missing and sends nothing', async (tool, variables) => {
    const { requests, elsewhere, result } = await opened.call(tool);
    expect([...requests, ...elsewhere]).toEqual([]);
    expect(result.isError).toBe(true);
    expect(result.structuredContent).toMatchObject({ failure_mode: 'missing_credential', variables });
    for (const variable of variables) expect(result.text).toContain(variable);
  });

  test.each([
    ['none', 'GET /v1/none'],
    ['optional', 'GET /v1/optional'],
  ])('%s goes without', async (tool, line) => {
    const { requests } = await opened.call(tool);
    expect(requests.map(written)).toEqual([{ line }]);
  });

  test('every missing variable is reported at the start', () => {
    const warnings = opened.gateway.domains.flatMap((domain) => domain.warnings).join('\n');
    for (const variable of [
      'LANDBRIDGE_CRED_CREDENTIALS_BEARER',
      'LANDBRIDGE_CRED_CREDENTIALS_KEY_HEADER',
      'LANDBRIDGE_CRED_CREDENTIALS_KEY_COOKIE',
      'LANDBRIDGE_CRED_CREDENTIALS_OAUTH_CLIENT_ID',
    ])
      expect(warnings).toContain(variable);
  });
});

describe('two documents', () => {
  const document = (title: string, server: string) =>
    JSON.stringify({
      openapi: '3.1.1',
      info: { title, version: '1' },
      servers: [{ url: server }],
      paths: {
        [`/${title}`]: {
          get: { operationId: `get_${title}`, security: [{ key: [] }], responses: { 200: { description: 'It.' } } },
        },
      },
      components: { securitySchemes: { key: { type: 'apiKey', in: 'header', name: 'X-Key' } } },
    });
  const documents = [
    ['first.json', document('first', '{{origin}}/v1')],
    ['second.json', document('second', '{{other}}/v1')],
  ] as const;

  test('have credentials of their own, though their schemes have the same name', async () => {
    const opened = await open({
      documents,
      env: { LANDBRIDGE_CRED_FIRST_KEY: 'one', LANDBRIDGE_CRED_SECOND_KEY: 'two' },
    });
    const first = await opened.call('get_first');
    expect(first.requests.map(written)).toEqual([{ line: 'GET /v1/first', headers: { 'x-key': 'one' } }]);
    expect(first.elsewhere).toEqual([]);
    const second = await opened.call('get_second');
    expect(second.requests).toEqual([]);
    expect(second.elsewhere.map(written)).toEqual([{ line: 'GET /v1/second', headers: { 'x-key': 'two' } }]);
    await opened.close();
  });

  test('do not share credentials', async () => {
    const opened = await open({ documents, env: { LANDBRIDGE_CRED_FIRST_KEY: 'one' } });
    const { requests, elsewhere, result } = await opened.call('get_second');
    expect([...requests, ...elsewhere]).toEqual([]);
    expect(result.structuredContent).toMatchObject({
      failure_mode: 'missing_credential',
      variables: ['LANDBRIDGE_CRED_SECOND_KEY'],
    });
    await opened.close();
  });

  test('with one header and two origins: it is sent to one of them only, and the other warns', async () => {
    const opened = await open({ documents, env: { T: 's3cret' }, headers: ['X-Key: ${T}'] });
    const first = await opened.call('get_first');
    expect(first.requests.map(written)).toEqual([{ line: 'GET /v1/first', headers: { 'x-key': 's3cret' } }]);
    const second = await opened.call('get_second');
    expect([...second.requests, ...second.elsewhere]).toEqual([]);
    expect(second.result.structuredContent).toMatchObject({ failure_mode: 'missing_credential' });
    expect(opened.gateway.domains[1]!.warnings.join('\n')).toMatch(/The header X-Key is sent to http:\S+ only/);
    await opened.close();
  });

  test('with one header and one origin: it is sent to both', async () => {
    const opened = await open({
      documents,
      env: { T: 's3cret' },
      headers: ['X-Key: ${T}'],
      baseUrl: (echo) => `${echo.origin}/v2`,
    });
    for (const name of ['first', 'second']) {
      const { requests, elsewhere } = await opened.call(`get_${name}`);
      expect(elsewhere).toEqual([]);
      expect(requests.map(written)).toEqual([{ line: `GET /v2/${name}`, headers: { 'x-key': 's3cret' } }]);
    }
    await opened.close();
  });
});
