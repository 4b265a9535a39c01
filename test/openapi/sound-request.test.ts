// Which requests wait until their operations are used: only those that cannot be a problem, and have nothing to report.
import { existsSync } from 'node:fs';
import { Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { loadDomains } from '../../src/domain/load.ts';
import { createSoundness } from '../../src/openapi/late/sound-request.ts';
import { listOperations } from '../../src/openapi/objects/paths.ts';
import { createScan } from '../../src/openapi/schema/scan.ts';
import { collectDocuments } from '../../src/openapi/source/documents.ts';
import { DEFAULT_LIMITS, type Limits } from '../../src/openapi/source/limits.ts';
import { parseText } from '../../src/openapi/source/parse.ts';
import { createResolver } from '../../src/openapi/source/resolve.ts';
import { importValue, openapi } from './support.ts';

/** Whether the request of the first operation of a document may wait. */
async function isSound(document: object | string, limits: Partial<Limits> = {}): Promise<boolean> {
  const text = typeof document === 'string' ? document : JSON.stringify(document);
  const all = { ...DEFAULT_LIMITS, ...limits };
  const source = { kind: 'stdin', location: '-', label: 'test', text } as const;
  const options = { env: {}, stdin: Readable.from([]) };
  const documents = await collectDocuments(source, await parseText(text, 'test', all), options, all);
  const resolver = createResolver(documents);
  const [operation] = listOperations(documents.root, resolver, []);
  const scan = createScan(resolver, all);
  const apiKeys = [{ scheme: 'key', in: 'query', field: 'key', isParameter: false } as const];
  return createSoundness({ documents, resolver, scan, apiKeys, bodyKeys: new Map(), limits: all })(operation!);
}

const STRING = { type: 'string' };
const query = (name: string, more: object = { schema: STRING }) => ({ name, in: 'query', ...more });
const taking = (...parameters: object[]) => openapi({ '/pets': { get: { parameters } } });
const posting = (content: object, rest: object = {}) =>
  openapi({ '/pets': { post: { requestBody: { content } } } }, rest);
const json = (schema: object, rest: object = {}) => posting({ 'application/json': { schema } }, rest);
const pathOf = (path: string, ...names: string[]) =>
  openapi({
    [path]: { get: { parameters: names.map((name) => ({ name, in: 'path', required: true, schema: STRING })) } },
  });
const PET = { components: { schemas: { Pet: { type: 'object', properties: { name: STRING } } } } };
const TO_PET = { $ref: '#/components/schemas/Pet' };

describe('a request waits until its operation is used', () => {
  test.each<[string, object]>([
    ['without parameters', openapi({ '/pets': { get: {} } })],
    ['with plain parameters', taking(query('sort'), { name: 'X-Trace', in: 'header', schema: STRING })],
    [
      'with a variable that is declared',
      openapi({ '/pets/{id}': { parameters: [{ name: 'id', in: 'path', required: true, schema: STRING }], get: {} } }),
    ],
    [
      'with a shared parameter',
      openapi(
        { '/pets': { get: { parameters: [{ $ref: '#/components/parameters/sort' }] } } },
        { components: { parameters: { sort: query('sort') } } },
      ),
    ],
    ['with a body behind references', json(TO_PET, PET)],
    ['with a body of another type', posting({ 'text/csv': { schema: STRING } })],
    [
      'of Swagger 2.0',
      {
        swagger: '2.0',
        info: { title: 'Test', version: '1' },
        paths: {
          '/pets': {
            post: { parameters: [query('q', STRING), { name: 'b', in: 'body', schema: { type: 'object' } }] },
          },
        },
      },
    ],
  ])('%s', async (_, document) => {
    expect(await isSound(document)).toBe(true);
    // Its schemas are counted one by one where the document has more of them than one request may have.
    expect(await isSound(document, { maxSchemas: 8 })).toBe(true);
  });
});

describe('a request is read at the start', () => {
  test.each<[string, object | string]>([
    ['with a parameter of no type', taking(query('q', { schema: {} }))],
    ['with a parameter of no place', taking({ name: 'q', schema: STRING })],
    ['with a parameter written as in Swagger 2.0', taking(query('q', STRING))],
    ['with a parameter of a media type', taking(query('q', { content: { 'application/json': { schema: STRING } } }))],
    ['with a parameter that is an API key', taking(query('Key'))],
    ['with a parameter that overrides the method', taking(query('_method'))],
    ['with a header that is not an argument', taking({ name: 'Host', in: 'header', schema: STRING })],
    ['with a header that is none', taking({ name: 'a b', in: 'header', schema: STRING })],
    ['with a parameter that x-mcp speaks of', taking(query('q', { schema: STRING, 'x-mcp': { hidden: true } }))],
    ['with a field that x-mcp speaks of', json({ type: 'object', properties: { a: { ...STRING, 'x-mcp': false } } })],
    ['with a variable that is not declared', openapi({ '/pets/{id}': { get: {} } })],
    ['with a query in its path', openapi({ '/pets?q={q}': { get: { parameters: [query('q')] } } })],
    ['with a path parameter that has no place', taking({ name: 'id', in: 'path', required: true, schema: STRING })],
    ['with a multipart body', posting({ 'multipart/form-data': { schema: { type: 'object' } } })],
    ['with a reference to nothing', json({ $ref: '#/components/schemas/Cat' }, PET)],
    [
      'with a reference whose escapes mean another name',
      json({ $ref: '#/components/schemas/a~1b' }, { components: { schemas: { 'a~1b': STRING } } }),
    ],
    ['with a brace that never closes', pathOf('/pets/{ab', 'a')],
    ['with a brace inside of braces', pathOf('/pets/{a{b}}', 'a{b', 'b')],
    ['with a reference to itself', json(TO_PET, { components: { schemas: { Pet: TO_PET } } })],
    ['with a reference into a schema', json({ $ref: '#/components/schemas/Pet/properties/name' }, PET)],
    ['with a reference to another file', json({ $ref: 'pet.yaml' }, PET)],
    ['with a body of both kinds', taking({ name: 'b', in: 'body', schema: STRING }, { name: 'f', in: 'formData' })],
    ['with more parameters than are offered', taking(...Array.from({ length: 400 }, (_, n) => query(`q${n}`)))],
    ['with schemas that aliases share', 'openapi: 3.0.3\npaths:\n  /a: &a\n    get: {}\n  /b: *a\n'],
  ])('%s', async (_, document) => {
    expect(await isSound(document)).toBe(false);
  });

  test('where it is made of too many schemas, or they are nested too deep', async () => {
    expect(await isSound(json(TO_PET, PET), { maxSchemas: 2 })).toBe(false);
    expect(await isSound(json(TO_PET, PET), { maxSchemaDepth: 3 })).toBe(false);
  });
});

const SPECS = new URL('../../../shared/specs/', import.meta.url);
const LARGE = ['github-3.0.json', 'stripe-3.0.yaml', 'kubernetes-2.0.json', 'box-3.0.json', 'discord-3.1.json'];

test.skipIf(!existsSync(SPECS)).each(LARGE)('whatever of %s was read late had nothing to report', async (file) => {
  const [domain] = await loadDomains({ paths: [fileURLToPath(new URL(file, SPECS))], env: {} });
  const atStart = domain!.warnings.length;
  for (const { args, body, response, pagination } of domain!.endpoints)
    expect([args, body, response, pagination]).toHaveLength(4);
  expect(domain!.warnings.slice(atStart)).toEqual([]);
});

test('a problem keeps an operation out at the start, however sound the others are', async () => {
  const { endpoints, quarantined, warnings } = await importValue(
    openapi({
      '/pets': { get: { operationId: 'list', parameters: [query('sort')] } },
      '/cats': {
        post: { operationId: 'add', requestBody: { content: { 'multipart/form-data': { schema: STRING } } } },
      },
      '/dogs/{id}': { get: { operationId: 'get' } },
    }),
  );
  expect(endpoints.map(({ action }) => action)).toEqual(['list_pets', 'get_dog']);
  expect(quarantined.map(({ path, reason }) => [path, reason])).toEqual([
    ['/cats', 'its multipart/form-data body is not an object with properties, so it has no fields to fill in'],
  ]);
  expect(warnings).toEqual(['standard input: GET /dogs/{id}: {id} is not declared; it is taken as a string']);
});
