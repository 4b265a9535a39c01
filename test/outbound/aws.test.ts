// AWS SigV4 of a domain file: whose keys sign, what a redirect and a wrong clock come to.
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type Answer, startUpstream, type Upstream } from '../support/upstream.ts';
import { callTool, createWorkshop } from '../support/workshop.ts';

const { open, write } = createWorkshop();
let api: Upstream;
let answer: Answer;
beforeAll(async () => {
  api = await startUpstream((request, response) => answer(request, response));
});
afterAll(() => api.close());
beforeEach(() => {
  api.seen.length = 0;
  answer = (_, response) => response.end('{}');
});

const domain = (more: string) => `
name: shop
baseUrl: ${api.url}
credentials: { aws: { kind: awsSigv4, service: dynamodb${more} } }
endpoints:
  get_me: { summary: Tells who calls., method: GET, path: /me }
`;
const ENV = {
  AWS_ACCESS_KEY_ID: 'AKIDENV',
  AWS_SECRET_ACCESS_KEY: 'secret-of-the-environment',
  AWS_SESSION_TOKEN: 'session-of-the-environment',
  AWS_DEFAULT_REGION: 'us-west-2',
};

describe("the environment's keys", () => {
  test('sign where a domain file asks for awsSigv4 and names none', async () => {
    const gateway = await open(domain(''), ENV);
    expect(await callTool(gateway, 'shop_get_me')).toMatchObject({ isError: false });
    const { authorization, 'x-amz-security-token': session } = api.seen[0]!.headers;
    expect(authorization).toMatch(/Credential=AKIDENV\/\d{8}\/us-west-2\/dynamodb\//);
    expect(session).toBe('session-of-the-environment');
  });

  test('AWS_REGION wins over AWS_DEFAULT_REGION, the file over both, and without any the start says so', async () => {
    for (const [more, region] of [
      ['', 'eu-north-1'],
      [', region: eu-west-3', 'eu-west-3'],
    ] as const) {
      await callTool(await open(domain(more), { ...ENV, AWS_REGION: 'eu-north-1' }), 'shop_get_me');
      expect(api.seen.at(-1)!.headers.authorization).toContain(`/${region}/`);
    }
    await expect(open(domain(''))).rejects.toThrow('credentials.aws.region: is missing: write it, or set AWS_REGION');
  });

  test('are not mixed with keys that the file names', async () => {
    const named = ', accessKeyIdEnv: MY_ID, secretAccessKeyEnv: MY_KEY';
    await callTool(await open(domain(named), { ...ENV, MY_ID: 'AKIDMINE', MY_KEY: 'mine-alone' }), 'shop_get_me');
    expect(api.seen[0]!.headers.authorization).toContain('Credential=AKIDMINE/');
    expect(api.seen[0]!.headers).not.toHaveProperty('x-amz-security-token');
    await expect(open(domain(', accessKeyIdEnv: MY_ID'), ENV)).rejects.toThrow('secretAccessKeyEnv: is missing');
  });

  test('a document alone never gets them', async () => {
    const document = {
      openapi: '3.1.0',
      info: { title: 'Aws', version: '1' },
      components: {
        securitySchemes: {
          hmac: { type: 'apiKey', in: 'header', name: 'Authorization', 'x-amazon-apigateway-authtype': 'awsSigv4' },
        },
      },
      paths: { '/me': { get: { operationId: 'getMe', security: [{ hmac: [] }], responses: {} } } },
    };
    write('aws.json', JSON.stringify(document));
    const gateway = await open(`name: shop\nopenapi: aws.json\nbaseUrl: ${api.url}\n`, ENV);
    expect(await callTool(gateway, 'shop_get_me')).toMatchObject({ isError: true });
    expect(api.seen).toEqual([]);
  });
});

test('a redirect is signed anew, for where it leads', async () => {
  answer = ({ url }, response) =>
    url === '/me' ? response.writeHead(307, { location: '/me/' }).end() : response.end('{}');
  expect(await callTool(await open(domain(''), ENV), 'shop_get_me')).toMatchObject({ isError: false });
  const [first, second] = api.seen.map(({ headers }) => /Signature=(\w+)/.exec(headers.authorization!)![1]);
  expect(api.seen.map(({ url }) => url)).toEqual(['/me', '/me/']);
  expect(second).not.toBe(first);
});

test('a signature is made anew after a redirect also where a header says who calls', async () => {
  answer = ({ url }, response) =>
    url === '/me' ? response.writeHead(307, { location: '/me/' }).end() : response.end('{}');
  const gateway = await open(`${domain('')}headers: { X-User: "\${principal.id}" }\n`, ENV);
  expect(await callTool(gateway, 'shop_get_me')).toMatchObject({ isError: false });
  const [first, second] = api.seen.map(({ headers }) => /Signature=(\w+)/.exec(headers.authorization!)![1]);
  expect(api.seen.map(({ url, headers }) => [url, headers['x-user']])).toEqual([
    ['/me', 'local'],
    ['/me/', 'local'],
  ]);
  expect(second).not.toBe(first);
});

describe('a wrong clock is told from a wrong key', () => {
  test('by the date of the answer', async () => {
    answer = (_, response) =>
      response.writeHead(403, { date: new Date(Date.now() - 3600_000).toUTCString() }).end('{}');
    const { text } = await callTool(await open(domain(''), ENV), 'shop_get_me');
    expect(text).toContain('differs from the API’s by 60 minutes (the gateway is ahead)');
  });

  test('by what AWS says', async () => {
    answer = (_, response) =>
      response
        .writeHead(403, { 'content-type': 'application/json' })
        .end('{"message":"Signature expired: 20260101T000000Z is now earlier than 20260101T010000Z"}');
    const { text } = await callTool(await open(domain(''), ENV), 'shop_get_me');
    expect(text).toContain('set the clock');
  });

  test('and a wrong key is a wrong key', async () => {
    answer = (_, response) => response.writeHead(403).end('{"message":"The security token is invalid"}');
    const { text } = await callTool(await open(domain(''), ENV), 'shop_get_me');
    expect(text).not.toContain('clock');
  });
});
