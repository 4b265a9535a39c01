// openapi/tasks.yaml and the server it describes, held together: every route is described, every described route
// exists, and every answer has the status, media type and schema the document promises.
import { readFileSync } from 'node:fs';
import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { createBoard } from '../../sample/board.ts';
import { createRoutes } from '../../sample/routes.ts';
import { matchPath, type SampleApi, startSampleApi } from '../../sample/server.ts';
import { useRealHttp } from '../support/real-http.ts';

useRealHttp();

// biome-ignore lint/suspicious/noExplicitAny: a document is read as it comes
type Json = Record<string, any>;
const document: Json = parse(readFileSync('openapi/tasks.yaml', 'utf8'));
const METHODS = ['get', 'post', 'patch', 'put', 'delete'];

const ajv = new Ajv2020({ strict: false });
(addFormats as unknown as (ajv: unknown) => void)(ajv);
ajv.addSchema({ $id: 'doc', ...document });

let api: SampleApi;
beforeAll(async () => {
  api = await startSampleApi({ now: () => new Date('2026-11-16T12:00:00Z') });
});
afterAll(() => api.close());

function resolve(node: Json): Json {
  if (typeof node.$ref !== 'string') return node;
  return node.$ref
    .slice(2)
    .split('/')
    .reduce((at: Json, part: string) => at[part], document);
}

/** JSON pointer of the schema for an answer, or a sentence about what the document does not promise. */
function promised(
  method: string,
  path: string,
  status: number,
  type: string,
): { schema?: string } | { missing: string } {
  const template = Object.keys(document.paths).find((candidate) => matchPath(candidate, path) !== undefined);
  const operation = template === undefined ? undefined : document.paths[template][method.toLowerCase()];
  if (template === undefined || operation === undefined) return { missing: `${method} ${path}` };
  const key = [String(status), `${String(status)[0]}XX`].find((candidate) => candidate in operation.responses);
  if (key === undefined) return { missing: `${method} ${path}: status ${status}` };
  const given = operation.responses[key];
  const response = resolve(given);
  if (response.content === undefined) return type === '' ? {} : { missing: `${method} ${path} ${status}: a body` };
  if (!(type in response.content)) return { missing: `${method} ${path} ${status}: ${type}` };
  if (response.content[type].schema === undefined) return {};
  const at = given.$ref?.slice(2).split('/') ?? ['paths', template, method.toLowerCase(), 'responses', key];
  const pointer = [...at, 'content', type, 'schema'].map((part: string) =>
    encodeURIComponent(part.replaceAll('~', '~0').replaceAll('/', '~1')),
  );
  return { schema: `doc#/${pointer.join('/')}` };
}

const CALLS: [string, string, number, unknown?][] = [
  ['GET', '/tasks', 200],
  ['GET', '/tasks?page=2&per_page=5&status=todo&sort=priority', 200],
  ['GET', '/tasks?assignee=ada&label=docs&due_before=2027-01-01', 200],
  ['GET', '/tasks?per_page=51', 400],
  ['GET', '/tasks?colour=red', 400],
  ['POST', '/tasks', 201, { title: 'New', labels: ['x'], due_on: '2027-01-01', assignee: null }],
  ['POST', '/tasks', 422, { title: '', colour: 'red' }],
  ['POST', '/tasks', 422, ['not', 'an', 'object']],
  ['GET', '/tasks/1', 200],
  ['GET', '/tasks/999', 404],
  ['PATCH', '/tasks/1', 200, { status: 'done' }],
  ['PATCH', '/tasks/1', 422, { status: 'finished' }],
  ['PATCH', '/tasks/999', 404, { status: 'done' }],
  ['GET', '/tasks/1/comments', 200],
  ['POST', '/tasks/1/comments', 201, { author: 'ada', text: 'Fine.' }],
  ['POST', '/tasks/1/comments', 422, { author: 'ada' }],
  ['DELETE', '/tasks/3', 204],
  ['DELETE', '/tasks/3', 404],
  ['GET', '/search?q=docs', 200],
  ['GET', '/search', 400],
  ['GET', '/board', 200],
  ['GET', '/board.png', 200],
  ['GET', '/diagnostics/slow?delay_ms=1', 200],
  ['GET', '/diagnostics/slow?delay_ms=-1', 400],
  ['GET', '/diagnostics/error', 500],
  ['GET', '/diagnostics/error?status=404', 404],
  ['GET', '/diagnostics/error?status=429', 429],
  ['GET', '/diagnostics/flaky', 503],
  ['GET', '/diagnostics/flaky', 200],
];

describe('openapi/tasks.yaml', () => {
  test('describes exactly the routes the server has', () => {
    const described = Object.entries<Json>(document.paths).flatMap(([path, item]) =>
      METHODS.filter((method) => method in item).map((method) => `${method.toUpperCase()} ${path}`),
    );
    const served = createRoutes(createBoard()).map((route) => `${route.method} ${route.path}`);
    expect(described.sort()).toEqual(served.sort());
  });

  test('gives every operation an id, a tag and a summary', () => {
    for (const item of Object.values<Json>(document.paths)) {
      for (const method of METHODS.filter((candidate) => candidate in item)) {
        expect(item[method]).toMatchObject({ operationId: expect.any(String), summary: expect.stringMatching(/\.$/) });
        expect(document.tags.map((tag: Json) => tag.name)).toContain(item[method].tags[0]);
      }
    }
  });

  for (const [method, target, status, body] of CALLS) {
    test(`promises what ${method} ${target} answers (${status})`, async () => {
      const response = await fetch(api.url + target, {
        method,
        ...(body === undefined ? {} : { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } }),
      });
      expect(response.status).toBe(status);
      const type = (response.headers.get('content-type') ?? '').split(';')[0]!;
      const promise = promised(method, target.split('?')[0]!, status, type);
      expect(promise).not.toHaveProperty('missing');
      if ('schema' in promise && promise.schema !== undefined) {
        const validate = ajv.getSchema(promise.schema)!;
        expect(validate, promise.schema).toBeTypeOf('function');
        validate(await response.json());
        expect(validate.errors).toBeNull();
      } else await response.arrayBuffer();
    });
  }

  test('describes every query parameter the server takes, and no other', async () => {
    for (const [path, item] of Object.entries<Json>(document.paths)) {
      const names = (item.get?.parameters ?? [])
        .filter((given: Json) => given.in === 'query')
        .map((given: Json) => given.name);
      if (names.length === 0) continue;
      // a name that is not known is refused by name; one that is known is at most a bad value
      for (const name of names) {
        const response = await fetch(`${api.url}${path}?${name}=`);
        const { errors = [] } = (await response.json()) as Json;
        expect(errors.filter((error: Json) => error.field === name && error.message === 'is not known')).toEqual([]);
      }
      const { errors } = (await (await fetch(`${api.url}${path}?not_described=1`)).json()) as Json;
      expect(errors).toContainEqual({ field: 'not_described', message: 'is not known' });
    }
  });
});
