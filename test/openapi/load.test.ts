// Reading documents: formats, limits, mistakes and their error messages.
import { mkdtempSync, writeFileSync } from 'node:fs';
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import { importDocument } from '../../src/openapi/import-document.ts';
import { importValue, openapi } from './support.ts';

const env = {};
const minimal = openapi({ '/a': { get: { operationId: 'a' } } });
const folder = mkdtempSync(join(tmpdir(), 'landbridge-load-'));

function file(name: string, content: string | Buffer): string {
  const path = join(folder, name);
  writeFileSync(path, content);
  return path;
}

async function problem(work: Promise<unknown>): Promise<string> {
  const error = await work.then(
    () => undefined,
    (failure) => failure,
  );
  expect(error).toMatchObject({ code: 'BAD_DOCUMENT' });
  return (error as Error).message;
}

describe('formats', () => {
  test('JSON, YAML, YAML written as JSON with comments, and a byte order mark', async () => {
    const yaml = 'openapi: 3.0.0\ninfo: {title: T, version: "1"}\npaths: {/a: {get: {operationId: a}}}\n';
    const loose =
      '{"openapi": "3.0.0", # said\n "info": {"title": "T", "version": "1",}, "paths": {"/a": {"get": {"operationId": "a"}}}}';
    for (const text of [JSON.stringify(minimal), yaml, loose, `\uFEFF${yaml}`]) {
      const domain = await importValue(text);
      expect(domain.endpoints.map(({ action }) => action)).toEqual(['a']);
    }
    const utf16 = Buffer.concat([Buffer.from([0xff, 0xfe]), Buffer.from(JSON.stringify(minimal), 'utf16le')]);
    expect((await importDocument(file('utf16.json', utf16), { env })).endpoints).toHaveLength(1);
  });

  test('YAML 1.2: dates and `no` are words, merge keys are followed, keys are text', async () => {
    const domain = await importValue(`
openapi: 3.1.0
info: {title: T, version: 2024-01-01}
x-base: &base {operationId: base, summary: Said once.}
paths:
  /a:
    get:
      <<: *base
      parameters:
        - {name: country, in: query, schema: {type: string, enum: [no, se], default: no}}
        - {name: day, in: query, schema: {type: string, example: 2024-01-01}}
        - {name: "yes", in: query, schema: {type: object, properties: {null: {type: string}, true: {type: string}, 12: {type: string}}}}
`);
    const { inputSchema, summary } = domain.endpoints[0]!;
    expect(summary).toBe('Said once.');
    expect(JSON.parse(JSON.stringify(inputSchema)).properties).toMatchObject({
      country: { enum: ['no', 'se'], default: 'no' },
      day: { examples: ['2024-01-01'] },
      yes: { properties: { null: {}, true: {}, 12: {} } },
    });
  });

  test('the text of the document is kept as it was received', async () => {
    const text = JSON.stringify(minimal);
    expect((await importValue(text)).document).toEqual({ text, mimeType: 'application/json' });
    const yaml = 'openapi: 3.0.0\ninfo: {title: T, version: "1"}\npaths: {}\n';
    expect((await importValue(yaml)).document).toEqual({ text: yaml, mimeType: 'application/yaml' });
  });

  test('a duplicate key in YAML is a warning with its position, and the last value is used', async () => {
    const domain = await importValue(
      'openapi: 3.0.0\ninfo: {title: T, version: "1"}\npaths:\n  /a:\n    get: {summary: One.}\n    get: {summary: Two.}\n',
    );
    expect(domain.warnings[0]).toMatch(/the key "get" at line 6, column \d+ appears twice in its object/);
    expect(domain.endpoints.map(({ summary }) => summary)).toEqual(['Two.']);
  });

  test('every duplicate key is reported, in JSON and in YAML, up to ten', async () => {
    const json = `{"openapi": "3.0.0", "info": {"title": "T", "version": "1", "title": "U"},
"paths": {"/a": {"get": {"summary": "One.", "parameters": [{"name": "q", "in": "query", "in": "query"}]},
"get": {"\\u0073ummary": "Two.", "summary": "Three."}}}}`;
    const fromJson = await importValue(json, { baseUrl: 'http://127.0.0.1:9' });
    expect(fromJson.warnings).toEqual([
      'standard input: the key /info/title at line 1 appears twice in its object; the last value is used.',
      'standard input: the key /paths/~1a/get/parameters/0/in at line 2 appears twice in its object; the last value is used.',
      'standard input: the key /paths/~1a/get at line 3 appears twice in its object; the last value is used.',
      'standard input: the key /paths/~1a/get/summary at line 3 appears twice in its object; the last value is used.',
    ]);
    expect(fromJson.endpoints.map(({ summary }) => summary)).toEqual(['Three.']);
    const head = 'openapi: 3.0.0\ninfo: {title: T, version: "1"}\n';
    const yaml = `${head}paths:\n  /a:\n    "get": {summary: One., summary: Two.}\n    'get': {}\npaths: {}\n`;
    expect((await importValue(yaml)).warnings.slice(0, 3)).toEqual([
      'standard input: the key "summary" at line 5, column 28 appears twice in its object; the last value is used.',
      'standard input: the key "get" at line 6, column 5 appears twice in its object; the last value is used.',
      'standard input: the key "paths" at line 7, column 1 appears twice in its object; the last value is used.',
    ]);
    const many = `${head}x-a: {${Array.from({ length: 40 }, () => 'k: 1').join(', ')}}\npaths: {/a: {get: {}}}\n`;
    const manyJson = JSON.stringify(minimal).replace('{', `{"x-a": {${Array.from({ length: 40 }, () => '"k": 1')}},`);
    for (const text of [many, manyJson]) {
      expect((await importValue(text)).warnings.filter((warning) => warning.includes('twice'))).toHaveLength(10);
    }
  });

  test('strings that look like keys are not counted as keys', async () => {
    const description = '"title": "a", "title": "b" \\" : \\\\';
    const { warnings } = await importValue({ ...minimal, info: { title: 'T', version: '1', description } });
    expect(warnings).toEqual([]);
  });

  test('an undefined tag is ignored, with a warning', async () => {
    const domain = await importValue(
      'openapi: 3.0.0\ninfo: {title: T, version: "1"}\npaths: {/a: {get: {summary: !text Hello there, x-day: !!timestamp 2001-01-01}}}\n',
      { baseUrl: 'http://127.0.0.1:9' },
    );
    expect(domain.endpoints[0]!.summary).toBe('Hello there');
    expect(domain.warnings).toEqual([
      'standard input: the YAML tag !text is not supported and was ignored.',
      'standard input: the YAML tag tag:yaml.org,2002:timestamp is not supported and was ignored.',
    ]);
  });

  test.each([
    ['2.0', { swagger: '2.0' }],
    ['2.0 as a number', { swagger: 2 }],
    ['3.0', { openapi: '3.0.4' }],
    ['3.0 as a number', { openapi: 3 }],
    ['3.1', { openapi: '3.1.1' }],
    ['3.2', { openapi: '3.2.0' }],
  ])('version %s', async (_, version) => {
    const domain = await importValue({ ...version, info: { title: 'T', version: '1' }, paths: { '/a': { get: {} } } });
    expect(domain.endpoints).toHaveLength(1);
  });
});

describe('errors say where the mistake is, and what to do', () => {
  test.each([
    ['nothing', '  \n', /is empty/],
    ['a web page', '<!doctype html><html>', /HTML.*raw JSON or YAML/],
    ['cut JSON', '{"openapi": "3.0.0", "info": {', /not valid JSON.*(?:line 1|cut off)/],
    ['wrong JSON', '{\n "openapi": "3.0.0"\n "info": }', /not valid JSON.*at line 3, column 2/],
    ['wrong YAML', 'openapi: 3.0.0\ninfo:\n  title: "x\npaths: {}\n', /not valid YAML.*line \d+/],
    ['a list', '[]', /top level must be an object/],
    ['a word', 'hello', /top level must be an object/],
    ['something else', '{"a": 1}', /neither an `openapi` nor a `swagger`/],
    ['Swagger 1.2', '{"swaggerVersion": "1.2"}', /Swagger 1.x; convert/],
    ['a future version', '{"openapi": "4.0.0"}', /says version 4.0.0/],
    ['AsyncAPI', 'asyncapi: 2.0.0', /AsyncAPI/],
    ['an overlay', 'overlay: 1.0.0', /is an Overlay; give the OpenAPI document/],
    ['a Postman collection', '{"info": {}, "item": []}', /Postman/],
  ])('%s', async (_, text, message) => {
    expect(await problem(importValue(text))).toMatch(message);
  });

  test('for a missing file, a folder and an unknown URL scheme', async () => {
    expect(await problem(importDocument(join(folder, 'gone.yaml'), { env }))).toMatch(/gone.yaml does not exist/);
    expect(await problem(importDocument(folder, { env }))).toMatch(/is a folder/);
    expect(await problem(importDocument('ftp://example.com/x.yaml', { env }))).toMatch(
      /file path, an http\(s\) URL, or -/,
    );
  });
});

describe('limits', () => {
  test('bytes, from a file and from a stream', async () => {
    const big = JSON.stringify({ ...minimal, 'x-pad': 'x'.repeat(5_000) });
    expect(await problem(importValue(big, { limits: { maxBytes: 4_000 } }))).toMatch(/is larger than/);
    expect(await problem(importDocument(file('big.json', big), { env, limits: { maxBytes: 4_000 } }))).toMatch(
      /is larger than/,
    );
  });

  test('nesting, in JSON and in YAML', async () => {
    const deep = (open: string, close: string) => `${open.repeat(100_000)}1${close.repeat(100_000)}`;
    expect(await problem(importValue(`{"openapi": "3.0.0", "x": ${deep('[', ']')}}`))).toMatch(
      /nested more than 512 levels/,
    );
    expect(await problem(importValue(`{"openapi": "3.0.0", "x": ${deep('{"a":', '}')}}`))).toMatch(
      /nested more than 512 levels/,
    );
    expect(await problem(importValue(`openapi: 3.0.0\nx: ${deep('[', ']')}\n`))).toMatch(/nest/);
    const block = Array.from({ length: 3_000 }, (_, depth) => `${' '.repeat(depth)}a:`).join('\n');
    expect(await problem(importValue(`openapi: 3.0.0\nx:\n${block.replace(/^/gm, ' ')}\n`))).toMatch(/nest/);
  });

  test('aliases that multiply, that nest by chaining, and that contain themselves', async () => {
    const levels = Array.from(
      { length: 12 },
      (_, n) => `  l${n + 1}: &l${n + 1} [${Array(9).fill(`*l${n}`).join(', ')}]`,
    );
    expect(await problem(importValue(`openapi: 3.0.0\nx:\n  l0: &l0 [a]\n${levels.join('\n')}\n`))).toMatch(
      /alias bomb/,
    );
    const chain = Array.from({ length: 5_000 }, (_, n) => `  c${n + 1}: &c${n + 1} [*c${n}]`);
    expect(await problem(importValue(`openapi: 3.0.0\nx:\n  c0: &c0 [a]\n${chain.join('\n')}\n`))).toMatch(
      /nested more than 512/,
    );
    expect(await problem(importValue('openapi: 3.0.0\nx: &x\n  self: *x\n'))).toMatch(/contains itself/);
  });

  test('a merge key with a list so long that only a second parser would accept it', async () => {
    const keys = Array.from({ length: 1_000 }, (_, index) => `k${index}: 1`).join(', ');
    const list = Array(3_000).fill('*big').join(', ');
    const text = `openapi: 3.0.0\nbig: &big {${keys}}\nx: { <<: [${list}] }\npaths: { /a: { get: {} } }\n`;
    expect(await problem(importValue(text))).toMatch(/abnormal merge sequence size/);
  });

  test('a merge key that copies endlessly', async () => {
    const keys = Array.from({ length: 1_000 }, (_, n) => `k${n}: 1`).join(', ');
    const uses = Array.from({ length: 1_000 }, (_, n) => `  m${n}: {<<: *big}`).join('\n');
    expect(await problem(importValue(`openapi: 3.0.0\nbig: &big {${keys}}\nx:\n${uses}\n`))).toMatch(/merge keys/);
  });

  test('many aliases that stay small are fine', async () => {
    const anchors = Array.from({ length: 500 }, (_, n) => `  a${n}: &a${n} {type: string}\n  b${n}: *a${n}`).join('\n');
    const domain = await importValue(
      `openapi: 3.0.0\ninfo: {title: T, version: "1"}\nx:\n${anchors}\npaths: {/a: {get: {}}}\n`,
    );
    expect(domain.endpoints).toHaveLength(1);
  });

  test('operations', async () => {
    const paths = Object.fromEntries(Array.from({ length: 20 }, (_, n) => [`/p${n}`, { get: {} }]));
    expect(await problem(importValue(openapi(paths), { limits: { maxOperations: 10 } }))).toMatch(/has 20 operations/);
  });
});

describe('over http', () => {
  const servers: Server[] = [];
  const serve = async (listener: RequestListener): Promise<string> => {
    const server = createServer(listener).listen(0, '127.0.0.1');
    servers.push(server);
    await new Promise((resolve) => server.once('listening', resolve));
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  };
  afterEach(() => {
    for (const server of servers.splice(0)) server.close().closeAllConnections();
  });

  test('relative servers and $refs of a fetched document are relative to its address', async () => {
    const seen: string[] = [];
    const origin = await serve((request, response) => {
      seen.push(request.url!);
      if (request.url === '/docs/parts/x.yaml') response.end('type: object\nproperties: {a: {type: string}}\n');
      else
        response.end(
          JSON.stringify({
            ...minimal,
            servers: [{ url: '../v2/' }],
            paths: {
              '/a': {
                post: { requestBody: { content: { 'application/json': { schema: { $ref: 'parts/x.yaml' } } } } },
              },
            },
          }),
        );
    });
    const domain = await importDocument(`${origin}/docs/openapi.json?token=s3cret`, { env });
    expect(domain.endpoints[0]).toMatchObject({ baseUrl: `${origin}/v2`, args: [{ key: 'a' }] });
    expect(seen).toEqual(['/docs/openapi.json?token=s3cret', '/docs/parts/x.yaml']);
    expect(domain.source).toBe(`${origin}/docs/openapi.json`);
  });

  test('redirects are followed on the same origin only, up to a limit', async () => {
    const other = await serve((_, response) => response.end(JSON.stringify(minimal)));
    const origin = await serve((request, response) => {
      if (request.url === '/moved') response.writeHead(302, { location: '/there' }).end();
      else if (request.url === '/there') response.end(JSON.stringify(minimal));
      else if (request.url === '/away') response.writeHead(302, { location: `${other}/x` }).end();
      else response.writeHead(302, { location: '/loop' }).end();
    });
    expect((await importDocument(`${origin}/moved`, { env })).endpoints).toHaveLength(1);
    expect(await problem(importDocument(`${origin}/away`, { env }))).toMatch(/redirects to another origin/);
    expect(await problem(importDocument(`${origin}/loop`, { env }))).toMatch(/redirects more than 3 times/);
  });

  test('an endless or silent answer is aborted', async () => {
    const origin = await serve((request, response) => {
      if (request.url === '/silent') return;
      const write = () => {
        while (!response.destroyed && response.write('x'.repeat(65_536)));
        if (!response.destroyed) response.once('drain', write);
      };
      write();
    });
    expect(await problem(importDocument(`${origin}/endless`, { env, limits: { maxBytes: 1_000_000 } }))).toMatch(
      /is larger than 1 MB/,
    );
    expect(await problem(importDocument(`${origin}/silent`, { env, limits: { fetchTimeoutMs: 100 } }))).toMatch(
      /did not arrive within 0.1 s/,
    );
  });

  test('the error for a status says what to do; that for a closed port names it', async () => {
    const origin = await serve((request, response) => response.writeHead(request.url === '/secret' ? 401 : 404).end());
    expect(await problem(importDocument(`${origin}/secret`, { env }))).toMatch(/answered 401; it needs credentials/);
    expect(await problem(importDocument(`${origin}/gone.json`, { env }))).toMatch(/answered 404; check the address/);
    const closed = await serve(() => undefined);
    await new Promise((resolve) => servers.pop()!.close(resolve));
    expect(await problem(importDocument(`${closed}/x`, { env }))).toMatch(
      /cannot be fetched: nothing listens there \(ECONNREFUSED\); start that server, or check the port\.$/,
    );
  });

  test('user info in the address is sent with HTTP Basic and never shown', async () => {
    let seen: string | undefined;
    const origin = await serve((request, response) => {
      seen = request.headers.authorization;
      response.end(JSON.stringify(minimal));
    });
    const domain = await importDocument(origin.replace('http://', 'http://me:pa%20ss@'), { env });
    expect(seen).toBe(`Basic ${Buffer.from('me:pa ss').toString('base64')}`);
    expect(
      JSON.stringify([
        domain.source,
        domain.warnings,
        domain.endpoints.map(({ source, baseUrl }) => [source, baseUrl]),
      ]),
    ).not.toMatch(/pa(?:%20| )ss/);
  });
});
