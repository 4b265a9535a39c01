// API keys that documents describe in texts, as parameters, in bodies and by signatures.
import { describe, expect, test } from 'vitest';
import type { KnownCredential } from '../../src/credentials/kind-table.ts';
import { buildProof, chooseCredentials } from '../../src/credentials/proof.ts';
import { collectSecrets } from '../../src/credentials/secrets.ts';
import { createExecutor } from '../../src/executor/executor.ts';
import { compileRequest } from '../../src/executor/request/build-request.ts';
import { previewProof } from '../../src/executor/request/preview.ts';
import { exampleCalls } from '../../src/schema/example-calls.ts';
import { importOne, importValue, type Options, openapi, places, SERVER } from './support.ts';

const secured = (scheme: object, name = 'key') =>
  openapi({ '/a': { get: {} } }, { components: { securitySchemes: { [name]: scheme } }, security: [{ [name]: [] }] });
const header = (description: string, more: object = {}) => ({
  type: 'apiKey',
  in: 'header',
  name: 'Authorization',
  description,
  ...more,
});

/** What would be sent; the secret is shown as it is. */
async function sent(document: object, env: Record<string, string>): Promise<Record<string, string>> {
  const endpoint = await importOne(document, { env });
  const values = (endpoint.security.flat() as KnownCredential[]).map((one) =>
    one.kind === 'apiKey' ? (one.prefix ?? '') + one.secret.value : one,
  );
  return { authorization: String(values[0]) };
}

describe('the format a description asks for is put before the key', () => {
  test.each([
    ['The API Key with format `Token token=<API_KEY>`', 'Token token=K'],
    ['Pass the API token as the Authorization header value prefixed with SSWS: `SSWS {API Token}`', 'SSWS K'],
    ['API key with the GenieKey scheme, e.g. "GenieKey eb243592-faa2-4ba2-a551-1afdf565c889"', 'GenieKey K'],
    ['Token-based authentication with required prefix "Token"', 'Token K'],
    ['API tokens must be prepended with "token" followed by a space.', 'token K'],
    [
      'JWT Authorization header using the Bearer scheme. Enter \'Bearer\' [space] and then your token. Example: "Bearer 12345abcdef"',
      'Bearer K',
    ],
    ['Bearer Token authentication', 'Bearer K'],
    ['Authentication with `Authorization: DeepL-Auth-Key [yourAuthKey]`', 'DeepL-Auth-Key K'],
    ['<p>Use <code>Authorization: Api-Token YOUR_TOKEN</code></p>', 'Api-Token K'],
    ['Value: Bearer {jwt}', 'Bearer K'],
    ['Bot tokens look like `Bot <token>`.', 'Bot K'],
    [
      `Create a key and send it: curl -X GET "\${ES_URL}/_cat/indices?v=true" -H "Authorization: ApiKey \${API_KEY}"`,
      'ApiKey K',
    ],
    ["```\ncurl -H 'Authorization: Klaviyo-API-Key %KEY%' https://a.example\n```", 'Klaviyo-API-Key K'],
    ['curl --header "Authorization: Token $(TOKEN)" https://a.example', 'Token K'],
    ['`{"Authorization": "Splunk MY_TOKEN"}`', 'Splunk K'],
    ['Authorization: GenieKey &lt;key&gt;', 'GenieKey K'],
    ['Authorization: ApiKey SERVICE-ACCESS-TOKEN', 'ApiKey K'],
    ['Authorization: sso-key {{api_key}}', 'sso-key K'],
    ['Authorization: Zoho-oauthtoken access_token', 'Zoho-oauthtoken K'],
    [`curl "\${URL}/a" -H "Authorization: \${API_KEY}"`, 'K'],
    ['curl -H "Authorization: $KEY" -H "Accept: application/json" "$HOST/v1"', 'K'],
    ['Export it first: `export API_KEY=...`, then send it as it is.', 'K'],
    ['Your API key', 'K'],
    ['Set the header to your <token>', 'K'],
    ['Discord bot token', 'K'],
    ['The key for this header is in your account. Ask "support <support@example.com>" for one.', 'K'],
    ['Get an API key at "example.com"', 'K'],
  ])('%s', async (description, want) => {
    expect(await sent(secured(header(description)), { LANDBRIDGE_CRED_TEST_KEY: 'K' })).toEqual({
      authorization: want,
    });
  });

  test('the name of a bearer scheme and an example give the format as well', async () => {
    const env = { LANDBRIDGE_CRED_TEST_BEARER_AUTH: 'K', LANDBRIDGE_CRED_TEST_KEY: 'K' };
    expect(await sent(secured(header(''), 'bearerAuth'), env)).toEqual({ authorization: 'Bearer K' });
    expect(await sent(secured(header('', { 'x-example': 'ApiKey abc' })), env)).toEqual({ authorization: 'ApiKey K' });
  });

  test.each([
    ['Token token=K', 'Token token=K'],
    ['token token=K', 'Token token=K'],
    ['token=K', 'Token token=K'],
    ['Bearer K', 'Bearer K'],
    ['K', 'Token token=K'],
  ])('never twice: %s', async (value, want) => {
    const document = secured(header('Format: `Token token=<key>`'));
    expect(await sent(document, { LANDBRIDGE_CRED_TEST_KEY: value })).toEqual({ authorization: want });
  });

  test('a bearer token may be given with Bearer in front', async () => {
    const document = secured({ type: 'http', scheme: 'bearer' });
    const endpoint = await importOne(document, { env: { LANDBRIDGE_CRED_TEST_KEY: 'Bearer abc' } });
    expect(endpoint.security[0]![0]).toMatchObject({ kind: 'bearer', secret: { value: 'abc' } });
  });

  test('other headers get no prefix unless the description shows one in quotes', async () => {
    const at = (description: string) =>
      sent(secured(header(description, { name: 'X-Auth' })), { LANDBRIDGE_CRED_TEST_KEY: 'K' });
    expect(await at('A bearer token')).toEqual({ authorization: 'K' });
    expect(await at('Not for `Authorization: Bearer <token>`, which is for users')).toEqual({ authorization: 'K' });
    expect(await at('As `Token <key>`')).toEqual({ authorization: 'Token K' });
  });
});

test('the start names every alternative set of credentials, and how it is sent', async () => {
  const schemes = {
    key: header('`SSWS <token>`'),
    login: { type: 'http', scheme: 'basic' },
    app: { type: 'apiKey', in: 'query', name: 'app' },
  };
  const security = [{ key: [] }, { login: [], app: [] }];
  const { warnings } = await importValue(
    openapi({ '/a': { get: {} } }, { components: { securitySchemes: schemes }, security }),
  );
  expect(warnings).toEqual([
    'Set one of these in the environment, because 1 operation needs it to call https://api.example.com: LANDBRIDGE_CRED_TEST_KEY (key, as Authorization: SSWS …); or LANDBRIDGE_CRED_TEST_LOGIN_USERNAME and LANDBRIDGE_CRED_TEST_LOGIN_PASSWORD and LANDBRIDGE_CRED_TEST_APP (login, as Authorization: Basic, user name and password and app, as query app=…).',
  ]);
});

describe('parameters that are keys', () => {
  const parameter = (name: string, where = 'query', required = true, more: object = {}) => ({
    name,
    in: where,
    required,
    schema: { type: 'string' },
    ...more,
  });
  /** Four operations with these parameters, three without where `only` says so. */
  const withParameters = (parameters: object[], only = 4, rest: object = {}) =>
    openapi(
      Object.fromEntries(
        ['a', 'b', 'c', 'd'].map((path, index) => [
          `/${path}`,
          { get: { parameters: index < only ? parameters : [] } },
        ]),
      ),
      rest,
    );
  const first = async (document: object, options: Options = {}) => (await importValue(document, options)).endpoints[0]!;

  test.each([
    ['api_key', 'query', 4],
    ['api_key', 'query', 1],
    ['apikey', 'query', 1],
    ['X-ListenAPI-Key', 'header', 4],
    ['X-API-Token', 'header', 2],
    ['Ocp-Apim-Subscription-Key', 'header', 1],
    ['access_token', 'query', 4],
    ['access_token', 'query', 1],
    ['auth_token', 'query', 1],
    ['X-Auth-Token', 'header', 1],
    ['X-Vault-Token', 'header', 1],
    ['access_key', 'query', 1],
    ['Authorization', 'header', 4],
    ['token', 'query', 4],
    ['key', 'query', 4],
    ['appid', 'query', 4],
    ['X-Acme-Key', 'header', 1],
  ])('%s in the %s of %i of 4 operations is taken from a variable', async (name, where, only) => {
    const endpoint = await first(withParameters([parameter(name, where), parameter('q')], only));
    expect(places(endpoint)).toEqual({ q: 'query q (required)' });
    expect(endpoint.security).toEqual([
      [expect.objectContaining({ kind: 'apiKey', in: where, field: name, isParameter: true })],
    ]);
  });

  test.each([
    ['page_token', 'query', 4],
    ['next_token', 'query', 4],
    ['device_token', 'query', 4],
    ['X-CSRF-Token', 'header', 4],
    ['Idempotency-Key', 'header', 4],
    ['session_token', 'query', 1],
    ['token', 'query', 1],
    ['key', 'query', 1],
    // The token of a chain, the key of a value.
    ['token', 'query', 2],
    ['token', 'query', 3],
    ['key', 'query', 4],
    ['sort_key', 'query', 4],
    ['author', 'query', 4],
    ['api_key_id', 'query', 4],
  ])('%s in the %s of %i of 4 operations stays an argument', async (name, where, only) => {
    const endpoint = await first(withParameters([parameter(name, where)], only));
    expect([endpoint.args.length, endpoint.security]).toEqual([1, []]);
  });

  test('the key argument of a key-value store is not a credential, though every operation takes it', async () => {
    const key = { parameters: [parameter('key', 'query', true, { description: 'The key to look up' })] };
    const put = { ...key, requestBody: { content: { 'text/plain': { schema: { type: 'string' } } } } };
    const { endpoints } = await importValue(openapi({ '/kv': { get: key, put, delete: key } }));
    expect(endpoints.map(({ args, security }) => [args[0]?.key, security])).toEqual([
      ['key', []],
      ['key', []],
      ['key', []],
    ]);
  });

  test.each([
    ['key', 'Your registered API key.', true, 1],
    ['key', 'API key. It identifies your project.', false, 4],
    ['token', 'The access token of your account', true, 2],
    ['appid', 'Your app key', true, 1],
    ['appid', 'Your unique API key (you can always find it on your account page)', true, 2],
    ['key', 'Steamworks Web API publisher authentication key.', true, 2],
    ['user_key', 'Your API key', true, 1],
    ['consumer_key', 'The access key of your application', false, 4],
  ])('%s is taken from a variable where its description says so: %s', async (name, description, required, only) => {
    const endpoint = await first(withParameters([parameter(name, 'query', required, { description })], only));
    expect([endpoint.args, endpoint.security[0]]).toEqual([[], [expect.objectContaining({ field: name })]]);
  });

  test('a parameter with an enum or a number type stays an argument', async () => {
    const schemas = [{ type: 'string', enum: ['ETH', 'BTC'] }, { type: 'integer' }];
    for (const [index, name] of ['token', 'appid'].entries()) {
      const endpoint = await first(withParameters([parameter(name, 'query', true, { schema: schemas[index] })]));
      expect([Object.keys(places(endpoint)), endpoint.security]).toEqual([[name], []]);
    }
  });

  test('an operation about keys keeps its key as an argument', async () => {
    const check = { post: { parameters: [parameter('api_key')] } };
    const { endpoints } = await importValue(openapi({ '/keys/validate': check, '/a': { get: {} }, '/b': { get: {} } }));
    expect(endpoints.map(({ args }) => args.length)).toEqual([1, 0, 0]);
  });

  test('path parameters and optional body fields are never taken for keys', async () => {
    const body = {
      content: {
        'application/json': {
          schema: { type: 'object', properties: { password: { type: 'string' }, api_key: { type: 'string' } } },
        },
      },
    };
    const path = await importOne(
      openapi({ '/keys/{api_key}': { get: { parameters: [parameter('api_key', 'path')] } } }),
    );
    const login = await importOne(openapi({ '/login': { post: { requestBody: body } } }));
    expect([Object.keys(places(path)), Object.keys(places(login))]).toEqual([['api_key'], ['password', 'api_key']]);
  });

  test('an operation about tokens keeps its token as an argument', async () => {
    const token = { get: { parameters: [parameter('access_token')] } };
    const domain = await importValue(
      openapi({ '/oauth/introspect': token, '/oauth/revoke': token, '/a': { get: {} } }),
    );
    expect(domain.endpoints.map(({ args }) => args.length)).toEqual([1, 1, 0]);
  });

  test('the variable has the prefix for documents, the plain name with a base URL, or the name in a domain file', async () => {
    const document = withParameters([parameter('api_key')]);
    const variable = async (options: Options) => (await first(document, options)).security[0]![0];
    expect(await variable({})).toMatchObject({ secret: { variable: 'LANDBRIDGE_CRED_TEST_API_KEY' } });
    expect(await variable({ baseUrl: SERVER })).toMatchObject({ secret: { variable: 'TEST_API_KEY' } });
    expect(await variable({ credentials: { api_key: { env: 'MINE' } } })).toMatchObject({
      secret: { variable: 'MINE' },
    });
  });

  test('the start reports them, and a domain file can make one an argument again', async () => {
    const document = withParameters([parameter('api_key')]);
    expect((await importValue(document)).warnings).toEqual([
      'Set LANDBRIDGE_CRED_TEST_API_KEY in the environment: 4 operations need it (the parameter api_key, as query api_key=…; sent to https://api.example.com).',
    ]);
    const endpoint = await first(document, { credentials: { api_key: { argument: true } } });
    expect([Object.keys(places(endpoint)), endpoint.security]).toEqual([['api_key'], []]);
  });

  test('an optional key is sent if it is set, and not required', async () => {
    const document = withParameters([parameter('xi-api-key', 'header', false)]);
    const { endpoints, warnings } = await importValue(document);
    expect(endpoints[0]!.security).toEqual([[expect.objectContaining({ field: 'xi-api-key' })], []]);
    expect(warnings).toEqual([]);
  });

  test('beside a scheme that uses Authorization, a key is also sent and a token is not', async () => {
    const rest = {
      components: { securitySchemes: { login: { type: 'http', scheme: 'bearer' } } },
      security: [{ login: [] }],
    };
    const names = async (name: string) =>
      (await first(withParameters([parameter(name)], 4, rest))).security.map((set) => set.map((one) => one.name));
    expect([await names('api_key'), await names('token')]).toEqual([[['login', 'api_key']], [['login']]]);
  });

  test('a format shown in its description or example is used', async () => {
    const parameters = [parameter('Authorization', 'header', true, { example: 'Bearer {{token}}' })];
    const endpoint = await first(withParameters(parameters), { env: { LANDBRIDGE_CRED_TEST_AUTHORIZATION: 'K' } });
    expect(endpoint.security[0]![0]).toMatchObject({ prefix: 'Bearer ', secret: { value: 'K' } });
  });
});

describe('keys in bodies', () => {
  const field = (description?: string) => ({ type: 'string', ...(description && { description }) });
  const post = (properties: Record<string, object>, required = Object.keys(properties), type = 'application/json') => ({
    post: {
      requestBody: { required: true, content: { [type]: { schema: { type: 'object', properties, required } } } },
    },
  });
  const mandrill = {
    '/messages/send': post({ key: field('a valid API key'), message: { type: 'object' } }),
    '/users/info': post({ key: field('a valid API key') }),
    '/users/ping': post({ api_key: field() }, ['api_key'], 'application/x-www-form-urlencoded'),
  };
  const env = { LANDBRIDGE_CRED_TEST_KEY: 'K-1', LANDBRIDGE_CRED_TEST_API_KEY: 'K-2' };

  test('that nearly every operation requires come from variables and are not arguments', async () => {
    const { endpoints, warnings } = await importValue(openapi(mandrill));
    expect(endpoints.map((endpoint) => Object.keys(places(endpoint)))).toEqual([['message'], [], []]);
    expect(endpoints.map(({ security }) => security)).toEqual(
      ['key', 'key', 'api_key'].map((name) => [
        [expect.objectContaining({ kind: 'apiKey', in: 'body', field: name, isParameter: true })],
      ]),
    );
    expect(JSON.stringify(endpoints.map(({ inputSchema }) => inputSchema))).not.toContain('key');
    expect(endpoints[1]!.leftOut?.()).toEqual([
      { what: 'body field key', why: 'it is the credential key, from LANDBRIDGE_CRED_TEST_KEY' },
    ]);
    expect(warnings[0]).toContain('Set LANDBRIDGE_CRED_TEST_KEY in the environment: 2 operations need it');
  });

  test('are sent in the body, and shown nowhere', async () => {
    const { endpoints } = await importValue(openapi(mandrill), { env });
    const bodies = endpoints.map((endpoint, index) => {
      const choice = chooseCredentials(endpoint);
      if (choice.kind !== 'chosen') throw new Error('no credentials');
      const proof = buildProof('tool', choice.credentials, () => '');
      const args = index === 0 ? { message: { text: 'hi' } } : {};
      return compileRequest(endpoint, 'test', 'tool').build(args, 'tool', proof).body;
    });
    expect(bodies).toEqual(['{"message":{"text":"hi"},"key":"K-1"}', '{"key":"K-1"}', 'api_key=K-2']);
    expect(collectSecrets([{ endpoints }])).toEqual(['K-1', 'K-2']);
    const { proof } = previewProof(endpoints[1]!);
    expect(proof?.body).toEqual({ key: '[redacted]' });
  });

  test('are found in Swagger 2.0, in a body behind a $ref and in a form', async () => {
    const parameters = [{ name: 'api_key', in: 'formData', type: 'string', required: true }];
    const Ask = { type: 'object', required: ['api_key', 'q'], properties: { api_key: field(), q: field() } };
    const whole = [{ name: 'body', in: 'body', required: true, schema: { allOf: [{ $ref: '#/definitions/Ask' }] } }];
    const { endpoints } = await importValue({
      swagger: '2.0',
      info: { title: 'test', version: '1' },
      host: 'api.example.com',
      paths: { '/a': { post: { parameters } }, '/b': { post: { parameters: whole } } },
      definitions: { Ask },
    });
    expect(endpoints.map((endpoint) => Object.keys(places(endpoint)))).toEqual([[], ['q']]);
  });

  test('are found beside the same key as a parameter', async () => {
    const query = { get: { parameters: [{ name: 'api_key', in: 'query', required: true, schema: field() }] } };
    const paths = { '/a': query, '/b': query, '/c': query, '/d': post({ api_key: field(), q: field() }) };
    const { endpoints } = await importValue(openapi(paths));
    expect(Object.keys(places(endpoints[3]!))).toEqual(['q']);
    expect(endpoints[3]!.security.flat()[0]).toMatchObject({ secret: { variable: 'LANDBRIDGE_CRED_TEST_API_KEY' } });
  });

  test.each([
    [
      'of one operation among others',
      { '/a': post({ api_key: field() }), '/b': post({ q: field() }), '/c': post({ q: field() }) },
    ],
    [
      'that one other operation takes as a parameter',
      {
        '/a': post({ api_key: field() }),
        '/b': { get: { parameters: [{ name: 'api_key', in: 'query', required: true, schema: field() }] } },
        ...Object.fromEntries(['/c', '/d', '/e'].map((path) => [path, { get: {} }])),
      },
    ],
    ['that a store keeps', { '/a': post({ key: field('The key of the value') }), '/b': post({ key: field() }) }],
    ['of a login', { '/a': post({ password: field() }), '/b': post({ password: field() }) }],
    ['that may be left out', { '/a': post({ api_key: field() }, []), '/b': post({ api_key: field() }, []) }],
  ])('stay arguments: a key %s', async (_, paths) => {
    const { endpoints } = await importValue(openapi(paths));
    expect(
      endpoints.flatMap(({ security }) => security.flat()).filter((one) => 'in' in one && one.in === 'body'),
    ).toEqual([]);
    expect(endpoints[0]!.args).toHaveLength(1);
  });

  test('stay arguments of operations that create or change keys, and if the operator says so', async () => {
    const paths = { ...mandrill, '/keys/rotate': post({ api_key: field('The API key to rotate') }) };
    const { endpoints } = await importValue(openapi(paths), { credentials: { api_key: { argument: true } } });
    expect(endpoints.map(({ args }) => args.length)).toEqual([1, 0, 1, 1]);
  });

  test('examples of the document that contain one are still valid calls', async () => {
    const operation = post({ key: field('a valid API key'), q: field() });
    const example = { key: 'abc', q: 'x' };
    Object.assign(operation.post.requestBody.content['application/json']!, { example });
    const { endpoints } = await importValue(openapi({ '/a': operation, '/b': operation }));
    expect([...exampleCalls(endpoints[0]!)].map(({ arguments: args }) => args)).toEqual([{ q: 'x' }]);
  });
});

test('a scheme cannot pretend to be a parameter, and so get the variable of another scheme', async () => {
  const evil = { type: 'http', scheme: 'bearer', name: 'good', 'x-landbridge-parameter': 'key' };
  const document = openapi(
    { '/x': { get: {} } },
    {
      components: { securitySchemes: { evil, good: { type: 'apiKey', in: 'header', name: 'X-Key' } } },
      security: [{ evil: [] }],
    },
  );
  const endpoint = await importOne(document, { env: { MINE: 'secret' }, credentials: { good: { env: 'MINE' } } });
  expect(endpoint.security).toEqual([
    [
      expect.objectContaining({
        name: 'evil',
        secret: { variable: 'LANDBRIDGE_CRED_TEST_EVIL', value: undefined },
      }),
    ],
  ]);
});

describe('a document of AWS', () => {
  const names = ['Content-Sha256', 'Date', 'Algorithm', 'Credential', 'Security-Token', 'Signature', 'SignedHeaders'];
  const document = {
    openapi: '3.0.0',
    info: { title: 'Amazon DynamoDB', version: '1', 'x-serviceName': 'dynamodb' },
    servers: ['http', 'https'].map((scheme) => ({
      url: `${scheme}://dynamodb.{region}.amazonaws.com`,
      variables: { region: { default: 'us-east-1', enum: ['us-east-1', 'eu-west-1'] } },
    })),
    paths: {
      '/#X-Amz-Target=DynamoDB_20120810.ListTables': {
        parameters: names.map((name) => ({ $ref: `#/components/parameters/X-Amz-${name}` })),
        post: {
          operationId: 'ListTables',
          parameters: [
            { name: 'Limit', in: 'query', schema: { type: 'string' } },
            { name: 'X-Amz-Signature', in: 'query', schema: { type: 'string' } },
          ],
        },
      },
    },
    components: {
      parameters: Object.fromEntries(
        names.map((name) => [
          `X-Amz-${name}`,
          { name: `X-Amz-${name}`, in: 'header', required: true, schema: { type: 'string' } },
        ]),
      ),
      securitySchemes: {
        hmac: {
          type: 'apiKey',
          name: 'Authorization',
          in: 'header',
          description: 'Amazon Signature authorization v4',
          'x-amazon-apigateway-authtype': 'awsSigv4',
        },
      },
    },
    security: [{ hmac: [] }],
  };

  test('has no signature arguments, is called with TLS, and is signed for its region and service', async () => {
    const endpoint = await importOne(document);
    expect(Object.keys(places(endpoint))).toEqual(['Limit']);
    expect(endpoint.leftOut?.()).toContainEqual({
      what: 'query parameter X-Amz-Signature',
      why: 'the request signature adds it to every request',
    });
    expect(endpoint.baseUrl).toBe('https://dynamodb.us-east-1.amazonaws.com');
    const variable = (suffix: string) => ({
      variable: `LANDBRIDGE_CRED_AMAZON_DYNAMODB_HMAC_${suffix}`,
      value: undefined,
    });
    expect(endpoint.security).toEqual([
      [
        {
          kind: 'awsSigv4',
          name: 'hmac',
          accessKeyId: variable('ACCESS_KEY_ID'),
          secretAccessKey: variable('SECRET_ACCESS_KEY'),
          sessionToken: variable('SESSION_TOKEN'),
          region: 'us-east-1',
          service: 'dynamodb',
        },
      ],
    ]);
  });

  test('uses the region of its server, and only the variables that the operator names', async () => {
    const env = { AWS_ACCESS_KEY_ID: 'id', AWS_SECRET_ACCESS_KEY: 'secret' };
    const plain = await importOne(document, { env, serverVariables: { region: 'eu-west-1' } });
    expect(plain.security[0]![0]).toMatchObject({ region: 'eu-west-1', accessKeyId: { value: undefined } });
    const hmac = {
      accessKeyIdEnv: 'AWS_ACCESS_KEY_ID',
      secretAccessKeyEnv: 'AWS_SECRET_ACCESS_KEY',
      region: 'eu-west-3',
    };
    const agreed = await importOne(document, { env, credentials: { hmac } });
    expect(agreed.security[0]![0]).toMatchObject({
      region: 'eu-west-3',
      accessKeyId: { value: 'id' },
      secretAccessKey: { value: 'secret' },
    });
  });

  test.each([
    ['https://api.example.com', 'execute-api', 'us-east-1'],
    ['https://abc.execute-api.eu-west-1.amazonaws.com/prod', 'execute-api', 'eu-west-1'],
    ['https://s3.dualstack.eu-west-1.amazonaws.com', 's3', 'eu-west-1'],
    ['https://dynamodb-fips.us-west-2.amazonaws.com', 'dynamodb', 'us-west-2'],
    ['https://s3.fips.dualstack.us-west-2.amazonaws.com', 's3', 'us-west-2'],
    ['https://iam.amazonaws.com', 'iam', 'us-east-1'],
  ])('at %s is signed for %s in %s', async (url, service, region) => {
    const plain = { ...document, info: { title: 'T', version: '1' }, servers: [{ url }] };
    expect((await importOne(plain)).security[0]![0]).toMatchObject({ service, region });
  });

  test('sends parameters with only one possible value by itself', async () => {
    const path = '/#X-Amz-Target=DynamoDB_20120810.ListTables';
    const parameter = (name: string, where: string, schema: object, required = true) => ({
      name,
      in: where,
      required,
      schema: { type: 'string', ...schema },
    });
    const parameters = [
      parameter('X-Amz-Target', 'header', { enum: ['DynamoDB_20120810.ListTables'] }),
      parameter('X-Amz-Api-Version', 'header', { default: '2012' }),
      parameter('Version', 'query', { enum: ['2012-08-10'] }),
      parameter('Order', 'query', { default: 'up' }),
      parameter('Mode', 'query', { enum: ['only'] }, false),
      parameter('Kind', 'header', { enum: ['a', 'b'], default: 'a' }),
    ];
    const get = { operationId: 'ListTables', parameters };
    const endpoint = await importOne({ ...document, paths: { [path]: { post: get } } });
    expect(Object.keys(places(endpoint))).toEqual(['Order', 'Mode', 'Kind']);
    expect(endpoint.fixed.map(({ value, to }) => [to.in, 'name' in to && to.name, value])).toEqual([
      ['header', 'X-Amz-Target', 'DynamoDB_20120810.ListTables'],
      ['header', 'X-Amz-Api-Version', '2012'],
      ['query', 'Version', '2012-08-10'],
    ]);
    const executor = createExecutor();
    const preview = executor.compile(endpoint).preview({ Order: 'up', Kind: 'a' }, 'tool');
    expect([preview.headers['x-amz-target'], preview.url]).toEqual([
      'DynamoDB_20120810.ListTables',
      expect.stringContaining('Version=2012-08-10'),
    ]);
    await executor.close();
    // Elsewhere an API may take more values than its document says.
    const unsigned = await importOne({ ...document, security: [], paths: { [path]: { post: get } } });
    expect(unsigned.fixed).toEqual([]);
  });

  test('shows a signature in a dry run, never the keys', async () => {
    const env = {
      LANDBRIDGE_CRED_AMAZON_DYNAMODB_HMAC_ACCESS_KEY_ID: 'AKID1',
      LANDBRIDGE_CRED_AMAZON_DYNAMODB_HMAC_SECRET_ACCESS_KEY: 'shh',
    };
    const executor = createExecutor();
    const preview = executor.compile(await importOne(document, { env })).preview({}, 'tool');
    expect(preview.headers.authorization).toBe('AWS4-HMAC-SHA256 [redacted]');
    expect(JSON.stringify(preview)).not.toMatch(/shh|AKID1/);
    await executor.close();
  });
});
