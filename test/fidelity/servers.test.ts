// Where requests go: variables, relative and per-operation servers, and the base URL that overrides them all.
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { useRealHttp } from '../support/real-http.ts';
import { open, openDuring, readDocument } from './gateway.ts';
import { written } from './sheet.ts';

useRealHttp();

const prepare: Parameters<typeof open>[0]['prepare'] = async (echo) => {
  echo.documents.set('servers.yaml', echo.documents.get('servers.yaml')!.replaceAll('{{port}}', String(echo.port)));
};

describe('servers of a document', () => {
  const opened = openDuring({ documents: ['servers.yaml'], prepare });

  test.each<[name: string, tool: string, here: string | undefined, there?: string]>([
    ['variables have their defaults', 'plain', 'GET /api/v3/plain'],
    ['a path that is only a slash', 'root', 'GET /api/v3/'],
    ['a path has its own', 'by_path', 'GET /path-server/by-path'],
    ['an operation has its own', 'by_operation', undefined, 'POST /operation-server/by-path'],
    ['a relative one is found from the document', 'relative', 'GET /relative/relative'],
    ['one without a path', 'no_path', 'GET /no-path'],
    ['one with a query and a fragment loses them', 'with_query', 'GET /q/with-query'],
    ['one that is not HTTP is passed over', 'websocket', 'GET /after-ws/websocket'],
  ])('%s', async (_name, tool, here, there) => {
    const { requests, elsewhere, result } = await opened.call(tool);
    expect(result.isError, result.text).toBe(false);
    expect(requests.map(written)).toEqual(here === undefined ? [] : [{ line: here }]);
    expect(elsewhere.map(written)).toEqual(there === undefined ? [] : [{ line: there }]);
  });

  test('no argument is a server variable', async () => {
    const { requests, elsewhere } = await opened.call('plain', { host: 'evil.test', port: '1' });
    expect(elsewhere).toEqual([]);
    expect(requests.map(written)).toEqual([{ line: 'GET /api/v3/plain?host=evil.test&port=1' }]);
    const refused = await opened.call('plain', { scheme: 'https' });
    expect([...refused.requests, ...refused.elsewhere]).toEqual([]);
    expect(refused.result.structuredContent).toMatchObject({ failure_mode: 'validation' });
  });
});

describe('a base URL', () => {
  test.each(['', '/'])('that ends with its host and %j keeps the paths of the servers', async (end) => {
    const opened = await open({ documents: ['servers.yaml'], prepare, baseUrl: (_echo, other) => other.origin + end });
    for (const [tool, line] of [
      ['plain', 'GET /api/v3/plain'],
      ['by_operation', 'POST /operation-server/by-path'],
      ['by_path', 'GET /path-server/by-path'],
      ['no_path', 'GET /no-path'],
      ['with_query', 'GET /q/with-query'],
      ['websocket', 'GET /after-ws/websocket'],
    ] as const) {
      const { requests, elsewhere } = await opened.call(tool);
      expect(requests).toEqual([]);
      expect(elsewhere.map(written)).toEqual([{ line }]);
    }
    await opened.close();
  });

  test.each(['/other/base', '/other/base/', '/.'])('%j replaces every server', async (path) => {
    const opened = await open({ documents: ['servers.yaml'], prepare, baseUrl: (_echo, other) => other.origin + path });
    const base = path.replace(/\/\.?$/, '');
    for (const [tool, line] of [
      ['plain', `GET ${base}/plain`],
      ['by_operation', `POST ${base}/by-path`],
      ['by_path', `GET ${base}/by-path`],
    ] as const) {
      const { requests, elsewhere } = await opened.call(tool);
      expect(requests).toEqual([]);
      expect(elsewhere.map(written)).toEqual([{ line }]);
    }
    await opened.close();
  });

  test.each(['ftp://127.0.0.1/', 'not a url', 'http://user:pass@127.0.0.1/', 'http://127.0.0.1/?x=1'])(
    '%s is refused at the start',
    async (baseUrl) => {
      const opening = open({ documents: ['servers.yaml'], prepare, baseUrl: () => baseUrl });
      await expect(opening).rejects.toMatchObject({ code: 'BAD_CONFIG' });
      await expect(opening).rejects.not.toThrow(/pass@/);
    },
  );
});

describe('a domain file', () => {
  test('sets server variables', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'landbridge-'));
    const opened = await open({
      documents: ['servers.yaml'],
      prepare,
      env: { STAGE: 'staging' },
      paths: async (echo, other) => {
        const file = join(folder, 'varied.yaml');
        const lines = [
          'name: varied',
          `openapi: ${echo.origin}/documents/servers.yaml`,
          `serverVariables: { port: '${other.port}', base: '\${STAGE}/v4' }`,
        ];
        await writeFile(file, lines.join('\n'));
        return [file];
      },
    });
    const { requests, elsewhere } = await opened.call('varied_plain');
    expect(requests).toEqual([]);
    expect(elsewhere.map(written)).toEqual([{ line: 'GET /staging/v4/plain' }]);
    await opened.close();
    await rm(folder, { recursive: true });
  });
});

describe('a document in a file', () => {
  let folder: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'landbridge-'));
  });
  afterAll(() => rm(folder, { recursive: true }));

  test('with a relative server needs a base URL, and fails before anything is sent', async () => {
    const file = join(folder, 'relative.yaml');
    await writeFile(file, await readDocument('parameters.yaml'));
    const opened = await open({ documents: [], paths: () => [file] });
    expect(opened.gateway.domains[0]!.warnings.join('\n')).toMatch(/--base-url/);
    const { requests, result } = await opened.call('get_item', { id: '7' });
    expect(requests).toEqual([]);
    expect(result.isError).toBe(true);
    expect(result.text).toMatch(/--base-url/);
    await opened.close();
  });

  test('is called at the base URL', async () => {
    const file = join(folder, 'given.yaml');
    await writeFile(file, await readDocument('parameters.yaml'));
    const opened = await open({ documents: [], paths: () => [file], baseUrl: (echo) => `${echo.origin}/given` });
    const { requests } = await opened.call('get_item', { id: '7' });
    expect(requests.map(written)).toEqual([{ line: 'GET /given/items/7' }]);
    await opened.close();
  });

  test('of Swagger 2.0 has host, base path and schemes', async () => {
    const file = join(folder, 'swagger.json');
    const opened = await open({
      documents: [],
      paths: async (echo) => {
        const document = {
          swagger: '2.0',
          info: { title: 'Host', version: '1' },
          host: `127.0.0.1:${echo.port}`,
          basePath: '/base/',
          schemes: ['http'],
          paths: { '/x': { get: { operationId: 'x', responses: { 200: { description: 'It.' } } } } },
        };
        await writeFile(file, JSON.stringify(document));
        return [file];
      },
    });
    const { requests } = await opened.call('x');
    expect(requests.map(written)).toEqual([{ line: 'GET /base/x' }]);
    await opened.close();
  });

  test('in several files is one document', async () => {
    await writeFile(
      join(folder, 'params.yaml'),
      'id: { name: id, in: path, required: true, schema: { $ref: "schemas.yaml#/Id" } }\n',
    );
    await writeFile(join(folder, 'schemas.yaml'), 'Id: { type: string, pattern: "^[a-z]+$" }\n');
    const file = join(folder, 'root.yaml');
    await writeFile(
      file,
      'openapi: 3.1.1\ninfo: { title: Files, version: "1" }\npaths:\n  /x/{id}:\n    get: { operationId: x, parameters: [{ $ref: "params.yaml#/id" }], responses: { 200: { description: It. } } }\n',
    );
    const opened = await open({ documents: [], paths: () => [file], baseUrl: (echo) => echo.origin });
    const { requests } = await opened.call('x', { id: 'abc' });
    expect(requests.map(written)).toEqual([{ line: 'GET /x/abc' }]);
    const refused = await opened.call('x', { id: '123' });
    expect(refused.requests).toEqual([]);
    expect(refused.result.structuredContent).toMatchObject({ failure_mode: 'validation' });
    await opened.close();
  });
});
