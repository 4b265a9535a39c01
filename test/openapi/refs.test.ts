// `$ref`s: what they may refer to, and what happens if they cannot be resolved.
import { mkdirSync, mkdtempSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { Domain } from '../../src/endpoint/model.ts';
import { importDocument } from '../../src/openapi/import-document.ts';
import { importValue, openapi, places } from './support.ts';

const env = {};

/** Writes files below a fresh folder; the folder's path. */
function tree(files: Record<string, unknown>): string {
  const root = mkdtempSync(join(tmpdir(), 'landbridge-refs-'));
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(dirname(join(root, name)), { recursive: true });
    writeFileSync(join(root, name), typeof content === 'string' ? content : JSON.stringify(content));
  }
  return root;
}

const posting = (schema: unknown) => ({
  post: { requestBody: { required: true, content: { 'application/json': { schema } } } },
});
const fine = { get: { operationId: 'fine' } };

/** A document with one operation that needs `ref` and one that does not. */
const needing = (ref: string) => openapi({ '/needs': posting({ $ref: ref }), '/fine': fine });

function reasonOf(domain: Domain): string {
  expect(domain.endpoints.map(({ action }) => action)).toEqual(['fine']);
  expect(domain.quarantined).toHaveLength(1);
  const [{ method, path, pointer, reason }] = domain.quarantined as [Domain['quarantined'][number]];
  expect([method, path]).toEqual(['POST', '/needs']);
  expect(pointer).toMatch(/^\/paths\/~1needs\/post\/requestBody/);
  return reason;
}

describe('files of one document', () => {
  test('$refs are followed through files and subfolders, in both directions', async () => {
    const root = tree({
      'api/openapi.yaml':
        'openapi: 3.1.0\ninfo: {title: T, version: "1"}\npaths:\n  /a: {$ref: "paths/a.yaml"}\n  /b: {$ref: "paths/all.yaml#/b"}\ncomponents: {schemas: {Id: {type: string, minLength: 4}}}\n',
      'api/paths/a.yaml':
        'post:\n  parameters: [{$ref: "../parts/params.yaml#/Limit"}]\n  requestBody: {$ref: "../parts/bodies.json"}\n',
      'api/paths/all.yaml': 'b:\n  get: {operationId: b}\n',
      'api/parts/params.yaml': 'Limit: {name: limit, in: query, schema: {type: integer}}\n',
      'api/parts/bodies.json': {
        required: true,
        content: { 'application/json': { schema: { $ref: 'thing {1}.json#/Thing' } } },
      },
      'api/parts/thing {1}.json': {
        Thing: {
          type: 'object',
          properties: { id: { $ref: '../openapi.yaml#/components/schemas/Id' }, next: { $ref: '#/Thing' } },
        },
      },
    });
    const domain = await importDocument(join(root, 'api/openapi.yaml'), { env });
    expect(domain.quarantined).toEqual([]);
    expect(places(domain.endpoints[0]!)).toEqual({ limit: 'query limit', id: 'body id', next: 'body next' });
    expect(JSON.parse(JSON.stringify(domain.endpoints[0]!.inputSchema)).$defs).toEqual({
      Id: { type: 'string', minLength: 4 },
      Thing: { type: 'object', properties: { id: { $ref: '#/$defs/Id' }, next: { $ref: '#/$defs/Thing' } } },
    });
    expect(domain.endpoints[1]!.action).toBe('b');
  });

  /** In the shape of DigitalOcean's: an operation per file, responses and models beside it, code samples in extensions. */
  const split = (samples: string) => ({
    'specification/api.yaml': `openapi: 3.0.0
info: {title: Cloud, version: "2", description: {$ref: "description.yml#/introduction"}}
servers: [{url: "https://api.example.com"}]
paths:
  /v2/droplets:
    get: {$ref: resources/droplets/droplets_list.yml}
    post: {$ref: resources/droplets/droplets_create.yml}
  /v2/tags:
    get: {$ref: resources/tags/tags_list.yml}
`,
    'specification/resources/droplets/droplets_list.yml': `operationId: droplets_list
parameters: [{$ref: ../../shared/parameters.yml#/per_page}]
responses:
  "200": {$ref: responses/all_droplets.yml}
  default: {$ref: ../../shared/responses/unexpected_error.yml}
${samples}`,
    'specification/resources/droplets/droplets_create.yml': `operationId: droplets_create
requestBody:
  required: true
  content:
    application/json:
      schema: {$ref: models/droplet_create.yml}
      examples:
        shared: {$ref: examples.yml#/one}
        own: {value: {$ref: examples/missing.yml}}
responses:
  "202": {$ref: responses/all_droplets.yml}
${samples}`,
    'specification/resources/droplets/models/droplet_create.yml': `type: object
required: [name]
properties:
  name: {type: string, example: {$ref: missing/name.yml}}
  size: {type: string, default: {$ref: missing/size.yml}, enum: [{$ref: missing/a.yml}, small]}
  example: {$ref: region.yml}
  x-owner: {$ref: region.yml}
`,
    'specification/resources/droplets/models/region.yml': 'type: string\nminLength: 3\n',
    'specification/resources/droplets/examples.yml': 'one: {value: {name: web-1}}\n',
    'specification/resources/droplets/responses/all_droplets.yml': `description: All of them
headers:
  x-ratelimit: {$ref: ../../../shared/headers.yml#/limit}
content: {application/json: {schema: {type: object}}}
`,
    'specification/resources/tags/tags_list.yml': `operationId: tags_list\nresponses: {}\n${samples}`,
    'specification/shared/parameters.yml': 'per_page: {name: per_page, in: query, schema: {type: integer}}\n',
    'specification/shared/headers.yml': 'limit: {schema: {type: integer}}\n',
    'specification/shared/responses/unexpected_error.yml': 'description: Oops\n',
    'specification/resources/droplets/examples/python/odd.yml': ': : [not yaml',
  });

  test('$refs in x- extensions (code samples) and in data are not followed', async () => {
    const samples = `x-codeSamples:
  - {$ref: examples/curl/missing.yml}
  - {$ref: examples/python/odd.yml}
  - {lang: Go, source: {$ref: "https://elsewhere.example/sample.go"}}
`;
    const names: string[] = [];
    const root = tree(split(samples));
    const onFile = (uri: string) => names.push(uri.split('/specification/')[1] ?? uri);
    const domain = await importDocument(join(root, 'specification/api.yaml'), {
      env,
      onFile,
      limits: { maxFiles: 11 },
    });
    expect(domain.quarantined).toEqual([]);
    expect(domain.endpoints.map(({ action }) => action)).toEqual(['droplets_list', 'droplets_create', 'tags_list']);
    expect(places(domain.endpoints[1]!)).toEqual({
      name: 'body name (required)',
      size: 'body size',
      example: 'body example',
      x_owner: 'body x-owner',
    });
    const { properties } = domain.endpoints[1]!.inputSchema as { properties: Record<string, unknown> };
    expect(properties.x_owner).toEqual(properties.example);
    expect(names.sort()).toEqual([
      'api.yaml',
      'resources/droplets/droplets_create.yml',
      'resources/droplets/droplets_list.yml',
      'resources/droplets/examples.yml',
      'resources/droplets/models/droplet_create.yml',
      'resources/droplets/models/region.yml',
      'resources/droplets/responses/all_droplets.yml',
      'resources/tags/tags_list.yml',
      'shared/headers.yml',
      'shared/parameters.yml',
      'shared/responses/unexpected_error.yml',
    ]);
  });

  test('files that an extension refers to are read if a $ref leads into the extension', async () => {
    const root = tree({
      'api.json': openapi(
        { '/a': posting({ $ref: '#/x-models/Thing' }) },
        { 'x-models': { Thing: { type: 'object', properties: { id: { $ref: 'id.json' } } } } },
      ),
      'id.json': { type: 'string', minLength: 4 },
    });
    const domain = await importDocument(join(root, 'api.json'), { env });
    expect(domain.quarantined).toEqual([]);
    expect(JSON.stringify(domain.endpoints[0]!.inputSchema)).toContain('"minLength":4');
  });

  test('folders beside the document cannot be reached, whatever their names', async () => {
    const schema = { type: 'object', properties: { a: { type: 'string' } } };
    for (const ref of [
      '../secret.json',
      '../private/Thing.json',
      '../.aws/Thing.json',
      '../common/Thing.json',
      '../common/.hidden/x.json',
      '../common/passwords.txt',
      '../../common/Thing.json',
    ]) {
      const bad = tree({
        'project/spec/openapi.json': needing(ref),
        'project/secret.json': schema,
        'project/private/Thing.json': schema,
        'project/.aws/Thing.json': schema,
        'project/common/Thing.json': schema,
        'project/common/.hidden/x.json': schema,
        'project/common/passwords.txt': 'a: b',
        'common/Thing.json': schema,
      });
      expect([ref, reasonOf(await importDocument(join(bad, 'project/spec/openapi.json'), { env }))]).toEqual([
        ref,
        expect.stringContaining("leaves the document's folder"),
      ]);
    }
  });

  test('the option that the refusal suggests works', async () => {
    const root = tree({
      'spec/openapi.json': needing('../common/Thing.json'),
      'common/Thing.json': { type: 'object', properties: { a: {} } },
    });
    const source = join(root, 'spec/openapi.json');
    const refsRoot = /--refs-root (\S+)/.exec(reasonOf(await importDocument(source, { env })))?.[1];
    expect(refsRoot).toMatch(/common$/);
    expect((await importDocument(source, { env, refsRoot: refsRoot! })).quarantined).toEqual([]);
    symlinkSync(join(root, 'common'), join(root, 'link'));
    expect((await importDocument(source, { env, refsRoot: join(root, 'link') })).quarantined).toEqual([]);
  });

  test('refsRoot opens one more folder', async () => {
    const root = tree({
      'a/b/openapi.json': needing('../../lib/Thing.json'),
      'lib/Thing.json': { type: 'object', properties: { a: {} } },
    });
    const source = join(root, 'a/b/openapi.json');
    expect(reasonOf(await importDocument(source, { env }))).toContain("leaves the document's folder");
    expect((await importDocument(source, { env, refsRoot: root })).quarantined).toEqual([]);
  });

  test('symbolic links out of the folder are refused, those inside are followed', async () => {
    const root = tree({
      'in/openapi.json': needing('link.json'),
      'in/real.json': { type: 'object', properties: { a: {} } },
      'outside.json': {},
    });
    symlinkSync(join(root, 'in/real.json'), join(root, 'in/link.json'));
    expect((await importDocument(join(root, 'in/openapi.json'), { env })).quarantined).toEqual([]);
    const bad = tree({ 'in/openapi.json': needing('link.json'), 'outside.json': {} });
    symlinkSync(join(bad, 'outside.json'), join(bad, 'in/link.json'));
    expect(reasonOf(await importDocument(join(bad, 'in/openapi.json'), { env }))).toContain(
      "leaves the document's folder",
    );
    const folder = tree({ 'in/openapi.json': needing('dir/outside.json'), 'out/outside.json': {} });
    symlinkSync(join(folder, 'out'), join(folder, 'in/dir'));
    expect(reasonOf(await importDocument(join(folder, 'in/openapi.json'), { env }))).toContain(
      "leaves the document's folder",
    );
  });

  test.each([
    ['/etc/passwd', "leaves the document's folder"],
    ['file:///etc/passwd', "leaves the document's folder"],
    ['../../../../../../etc/passwd', "leaves the document's folder"],
    ['..%2f..%2f..%2f..%2fetc%2fpasswd', "leaves the document's folder"],
    ['file://evil.example/share/x.json', 'evil.example'],
    ['http://169.254.169.254/latest/meta-data', '169.254.169.254'],
    ['http://127.0.0.1:9/x.json', '127.0.0.1:9'],
    ['https://example.com/x.json', 'example.com'],
    ['//evil.example/x.json', 'evil.example'],
    ['data:application/json,{}', 'data:'],
    ['gone.json', 'does not exist'],
    ['#/components/schemas/Gone', 'points to nothing'],
    ['#gone', '$anchor that does not exist'],
  ])('%s is refused, and only the operation that needs it suffers', async (ref, reason) => {
    const root = tree({ 'openapi.json': needing(ref) });
    expect(reasonOf(await importDocument(join(root, 'openapi.json'), { env }))).toContain(reason);
  });

  test('a file that cannot be parsed or is too large is the reason of the quarantine', async () => {
    const root = tree({ 'openapi.json': needing('part.yaml'), 'part.yaml': 'a: [', 'big.json': 'x' });
    expect(reasonOf(await importDocument(join(root, 'openapi.json'), { env }))).toContain('not valid YAML');
    const big = tree({ 'openapi.json': needing('part.json'), 'part.json': { x: 'x'.repeat(5_000) } });
    expect(reasonOf(await importDocument(join(big, 'openapi.json'), { env, limits: { maxBytes: 2_000 } }))).toContain(
      'is larger than',
    );
  });

  test('a document read from standard input has no other files', async () => {
    expect(reasonOf(await importValue(needing('part.json')))).toContain('standard input');
  });
});

describe('documents from a URL', () => {
  test('$refs to another origin, scheme or port are never fetched', async () => {
    let asked = 0;
    const other = createServer((_, response) => {
      asked++;
      response.end('{}');
    }).listen(0, '127.0.0.1');
    const refs = () => [
      `http://127.0.0.1:${(other.address() as AddressInfo).port}/x.json`,
      'file:///etc/passwd',
      'http://169.254.169.254/',
    ];
    const server = createServer((request, response) => {
      response.end(JSON.stringify(needing(refs()[Number(request.url!.slice(1))]!)));
    }).listen(0, '127.0.0.1');
    await new Promise((resolve) => setTimeout(resolve, 50));
    const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    for (const index of [0, 1, 2]) {
      expect(reasonOf(await importDocument(`${origin}/${index}`, { env }))).toContain('another origin');
    }
    expect(asked).toBe(0);
    server.close().closeAllConnections();
    other.close().closeAllConnections();
  });
});

describe('chains and cycles', () => {
  test('$refs of parameters, bodies, path items and operations are followed through several hops', async () => {
    const document = openapi(
      { '/a': { $ref: '#/x-items/first' }, '/b': { get: { $ref: '#/x-ops/get' } } },
      {
        'x-items': {
          first: { $ref: '#/x-items/second' },
          second: {
            parameters: [{ $ref: '#/components/parameters/A' }],
            post: { requestBody: { $ref: '#/components/requestBodies/B' } },
          },
        },
        'x-ops': { get: { operationId: 'shared' } },
        components: {
          parameters: {
            A: { $ref: '#/components/parameters/Real' },
            Real: { name: 'q', in: 'query', schema: { type: 'string' } },
          },
          requestBodies: {
            B: { $ref: '#/components/requestBodies/Real' },
            Real: { content: { 'application/json': { schema: { type: 'object', properties: { x: {} } } } } },
          },
        },
      },
    );
    const { endpoints, quarantined } = await importValue(document);
    expect(quarantined).toEqual([]);
    expect(endpoints.map((endpoint) => [endpoint.action, places(endpoint)])).toEqual([
      ['post_a', { q: 'query q', x: 'body x' }],
      ['shared', {}],
    ]);
  });

  test('$refs that only lead to each other quarantine the operation', async () => {
    const schemas = { A: { $ref: '#/components/schemas/B' }, B: { $ref: '#/components/schemas/A' } };
    const document = openapi(
      { '/needs': posting({ type: 'object', properties: { a: { $ref: '#/components/schemas/A' } } }), '/fine': fine },
      { components: { schemas } },
    );
    expect(reasonOf(await importValue(document))).toContain('leads back to itself');
    const parameters = { A: { $ref: '#/components/parameters/A' } };
    const { quarantined } = await importValue(
      openapi(
        { '/a': { get: { parameters: [{ $ref: '#/components/parameters/A' }] } } },
        { components: { parameters } },
      ),
    );
    expect(quarantined[0]?.reason).toContain('leads back to itself');
  });

  test('a dangling $ref deep inside quarantines every operation that leads there', async () => {
    const schemas = {
      A: { type: 'object', properties: { b: { $ref: '#/components/schemas/B' } } },
      B: {
        type: 'object',
        properties: {
          a: { $ref: '#/components/schemas/A' },
          gone: { type: 'array', items: { $ref: '#/components/schemas/Gone' } },
        },
      },
      C: {
        type: 'object',
        properties: { c: { type: 'string' }, id: { readOnly: true, $ref: '#/components/schemas/Gone' } },
      },
    };
    const ref = (name: string) => posting({ type: 'array', items: { $ref: `#/components/schemas/${name}` } });
    const { endpoints, quarantined } = await importValue(
      openapi({ '/a': ref('A'), '/b': ref('B'), '/a2': ref('A'), '/c': ref('C') }, { components: { schemas } }),
    );
    expect(endpoints.map(({ path }) => path)).toEqual(['/c']);
    expect(quarantined.map(({ path, pointer }) => [path, pointer])).toEqual(
      ['/a', '/b', '/a2'].map((path) => [path, '/components/schemas/B/properties/gone/items/$ref']),
    );
  });

  test('a path item with a dangling $ref is a warning, because its operations are unknown', async () => {
    const domain = await importValue(openapi({ '/gone': { $ref: '#/nothing' }, '/fine': fine }));
    expect(domain.endpoints).toHaveLength(1);
    expect(domain.warnings.join()).toContain('the path /gone was left out');
  });

  test('pointers with escapes, percent signs and array indices', async () => {
    const document = openapi(
      {
        '/a/{id}': {
          post: {
            requestBody: {
              content: {
                'application/json': { schema: { type: 'object', properties: { a: { type: 'string', maxLength: 3 } } } },
              },
            },
          },
        },
      },
      {},
    ) as { paths: Record<string, unknown> };
    const base = '#/paths/~1a~1%7Bid%7D/post/requestBody/content/application~1json/schema';
    document.paths['/b'] = posting({
      type: 'object',
      properties: { x: { $ref: `${base}/properties/a` }, y: { $ref: '#/x-list/1' } },
    });
    Object.assign(document, { 'x-list': [0, { type: 'integer' }] });
    const { endpoints, quarantined } = await importValue(document);
    expect(quarantined).toEqual([]);
    expect(JSON.parse(JSON.stringify(endpoints[1]!.inputSchema)).$defs).toEqual({
      a: { type: 'string', maxLength: 3 },
      'x-list': { type: 'integer' },
    });
  });

  test('$self (3.2) is a name of the document, not an address to fetch', async () => {
    const components = { schemas: { A: { type: 'object', properties: { a: {} } } } };
    const document = {
      ...openapi({ '/a': posting({ $ref: 'https://example.com/api.yaml#/components/schemas/A' }) }, { components }),
      openapi: '3.2.0',
      $self: 'https://example.com/api.yaml',
    };
    expect((await importValue(document)).quarantined).toEqual([]);
  });
});
