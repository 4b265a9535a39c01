// Which headers are sent when a document is fetched, and to which origins. Two real servers on loopback are two origins.
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { readConfig } from '../../src/config/read-config.ts';
import { loadDomains } from '../../src/domain/load.ts';
import { importDocument } from '../../src/openapi/import-document.ts';
import { startUpstream, type Upstream } from '../support/upstream.ts';

// biome-ignore-start lint/suspicious/noTemplateCurlyInString: as it is written on a command line and in a domain file
const headers = ['Authorization: Bearer ${TOKEN}'];
const env = { TOKEN: 't0ken-123' };

const document = (more: Record<string, unknown> = {}) => ({
  openapi: '3.0.3',
  info: { title: 'Shop', version: '1' },
  paths: { '/pets': { get: { operationId: 'listPets', responses: { 200: { description: 'ok' } } } } },
  ...more,
});

/** As Directus does: whoever shows no token gets the few operations that are public, with a 200. */
const whole = (servers?: unknown) =>
  document({
    ...(servers === undefined ? {} : { servers }),
    paths: {
      '/pets': { get: { operationId: 'listPets', responses: {} }, post: { operationId: 'addPet', responses: {} } },
    },
  });

let api: Upstream;
let other: Upstream;
let answers: Record<string, unknown>;

beforeEach(async () => {
  answers = {};
  api = await startUpstream(({ url, headers: { authorization } }, response) => {
    const answer = answers[url] ?? (authorization === 'Bearer t0ken-123' ? whole() : document());
    if (typeof answer === 'function') answer(response);
    else response.end(JSON.stringify(answer));
  });
  other = await startUpstream((_, response) => response.end(JSON.stringify(document())));
});
afterEach(async () => {
  await api.close();
  await other.close();
});

const sentTo = ({ seen }: Upstream) => seen.map((request) => [request.url, request.headers.authorization]);

describe('--header', () => {
  test('is sent when the document is fetched', async () => {
    const [domain] = await loadDomains({ paths: [`${api.url}/server/specs/oas`], env, headers });
    expect(domain!.endpoints.map(({ action }) => action)).toEqual(['list_pets', 'add_pet']);
    expect(sentTo(api)).toEqual([['/server/specs/oas', 'Bearer t0ken-123']]);
  });

  test('is sent to the document and to a --base-url on another origin: the operator gave both addresses', async () => {
    const domain = await importDocument(`${api.url}/openapi.json`, { env, headers, baseUrl: other.url });
    expect(domain.endpoints).toHaveLength(2);
    expect(domain.warnings).toEqual([
      `The header authorization was sent to ${api.url} to fetch the document, and is also sent with every call to ${other.url}.`,
    ]);
  });

  test('is sent for referenced files on the same origin, never to other origins', async () => {
    const schema = ($ref: string) => ({ content: { 'application/json': { schema: { $ref } } } });
    answers['/openapi.json'] = document({
      paths: {
        '/a': { post: { requestBody: schema('parts/a.json') } },
        '/b': { post: { requestBody: schema(`${other.url}/b.json`) } },
      },
    });
    answers['/parts/a.json'] = { type: 'object', properties: { name: { type: 'string' } } };
    await importDocument(`${api.url}/openapi.json`, { env, headers });
    expect(sentTo(api)).toEqual([
      ['/openapi.json', 'Bearer t0ken-123'],
      ['/parts/a.json', 'Bearer t0ken-123'],
    ]);
    expect(other.seen).toEqual([]);
  });

  test('never follows a redirect to another origin', async () => {
    answers['/openapi.json'] = (response: { writeHead: (status: number, fields: object) => { end(): void } }) =>
      response.writeHead(302, { location: `${other.url}/openapi.json` }).end();
    await expect(importDocument(`${api.url}/openapi.json`, { env, headers })).rejects.toThrow(
      `redirects to another origin (${other.url})`,
    );
    expect(other.seen).toEqual([]);
  });

  test('is never sent to an overlay on another origin', async () => {
    const overlay = { overlay: '1.0.0', info: { title: 'o', version: '1' }, actions: [] };
    answers['/o.json'] = overlay;
    const elsewhere = await startUpstream((_, response) => response.end(JSON.stringify(overlay)));
    const overlays = [`${api.url}/o.json`, `${elsewhere.url}/o.json`];
    await importDocument(`${api.url}/openapi.json`, { env, headers, overlays });
    await elsewhere.close();
    expect(sentTo(api).at(-1)).toEqual(['/o.json', 'Bearer t0ken-123']);
    expect(sentTo(elsewhere)).toEqual([['/o.json', undefined]]);
  });

  test('is reported with both origins if the API is on another origin than the document', async () => {
    answers['/openapi.json'] = whole([{ url: other.url }]);
    const domain = await importDocument(`${api.url}/openapi.json`, { env, headers });
    expect(domain.warnings).toEqual([
      `The header authorization was sent to ${api.url} to fetch the document, and is also sent with every call to ${other.url}, the address of the API in the document; --base-url changes that.`,
    ]);
  });

  test('of a second document goes to the first one’s origin only', async () => {
    const paths = [`${api.url}/openapi.json`, `${other.url}/openapi.json`, `${api.url}/v2.json`];
    await loadDomains({ paths, env, headers });
    expect(sentTo(other).map(([, sent]) => sent)).toEqual([undefined, undefined]);
    expect(new Set(sentTo(api).map(([, sent]) => sent))).toEqual(new Set(['Bearer t0ken-123']));
  });

  test('is suggested by the error for a 401, or reported as refused', async () => {
    answers['/openapi.json'] = (response: { writeHead: (status: number) => { end(): void } }) =>
      response.writeHead(401).end();
    const url = `${api.url}/openapi.json`;
    await expect(importDocument(url, { env })).rejects.toThrow("pass --header 'Authorization: Bearer ${TOKEN}'");
    await expect(importDocument(url, { env, headers })).rejects.toThrow('does not accept the header authorization');
  });
});

describe('an unset variable', () => {
  test.each([
    ['Authorization: Bearer ${NONE}', 'The header Authorization needs the environment variable NONE; set it'],
    ['Authorization: Bearer ${EMPTY}', 'The header Authorization needs the environment variable EMPTY; set it'],
    ['Authorization: Bearer ${EMPTY:-}', 'The header Authorization has nothing after "Bearer"'],
    ['Authorization: Bearer ', 'The header Authorization has nothing after "Bearer"'],
    ['Authorization: Bearer $TOKEN', 'The header Authorization would send the text $TOKEN; write ${TOKEN}'],
    ['X-Tenant:', 'The header X-Tenant has no value'],
  ])('in --header %s stops the start before anything is sent', async (line, message) => {
    const options = { env: { EMPTY: '' }, headers: [line] };
    await expect(importDocument(`${api.url}/openapi.json`, options)).rejects.toThrow(message);
    expect(api.seen).toEqual([]);
  });

  test('in --base-url is named with the flag; a set one is filled in', () => {
    expect(() => readConfig({ baseUrl: 'https://${HOST_NAME}/v1' }, {})).toThrow(
      '--base-url needs the environment variable HOST_NAME; set it, or write ${HOST_NAME:-default}.',
    );
    const { baseUrl } = readConfig({ baseUrl: 'https://${HOST_NAME}/${VERSION:-v1}' }, { HOST_NAME: 'a.test' });
    expect(baseUrl).toBe('https://a.test/v1');
  });

  test('with a default sends the default', async () => {
    await importDocument(`${api.url}/openapi.json`, { env: {}, headers: ['X-Tenant: ${TENANT:-acme}'] });
    expect(api.seen[0]!.headers['x-tenant']).toBe('acme');
  });
});

describe('headers of a domain file', () => {
  let folder: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'landbridge-headers-'));
  });
  afterEach(() => rm(folder, { recursive: true }));
  const load = async (lines: string, variables: Record<string, string> = {}) => {
    const file = join(folder, 'shop.yaml');
    await writeFile(file, `name: shop\nopenapi: ${api.url}/openapi.json\nheaders:\n${lines}`);
    return loadDomains({ paths: [file], env: variables });
  };

  test('are sent when its document is fetched', async () => {
    const [domain] = await load('  Authorization: Bearer ${TOKEN}\n  X-Tenant: acme\n', env);
    expect(domain!.endpoints).toHaveLength(2);
    expect(api.seen[0]!.headers).toMatchObject({ authorization: 'Bearer t0ken-123', 'x-tenant': 'acme' });
  });

  test.each(['${NONE}', 'Bearer ${NONE}'])('%s, unset, stops the start with file, line and fix', async (value) => {
    await expect(load(`  Authorization: ${value}\n`)).rejects.toThrow(
      /shop\.yaml:4:3 headers\.Authorization: needs the environment variable NONE; set it, or write \$\{NONE:-default\}/,
    );
    expect(api.seen).toEqual([]);
  });

  test('are not sent to the document if baseUrl is on another origin', async () => {
    await load(`  Authorization: Bearer \${TOKEN}\nbaseUrl: ${other.url}\n`, env).catch(() => undefined);
    expect(new Set(sentTo(api).map(([, sent]) => sent))).toEqual(new Set([undefined]));
  });

  test('with nothing after Bearer are a mistake with file and line', async () => {
    await expect(load('  Authorization: "Bearer "\n')).rejects.toThrow(
      /shop\.yaml:4:3 headers\.Authorization: has nothing after "Bearer"/,
    );
  });
});
// biome-ignore-end lint/suspicious/noTemplateCurlyInString: as above
