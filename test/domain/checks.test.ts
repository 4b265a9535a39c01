import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { buildDomain } from '../../src/domain/definition/build-domain.ts';
import { defineDomain } from '../../src/domain/definition/define-domain.ts';
import type { EndpointDefinition } from '../../src/domain/definition/definition-types.ts';
import { loadDomains } from '../../src/domain/load.ts';

const build = (endpoint: Partial<EndpointDefinition>) => {
  const endpoints = { list: { path: '/a', summary: 'Lists.', ...endpoint } };
  return buildDomain(defineDomain({ name: 'x', baseUrl: 'http://127.0.0.1:9', endpoints }), { env: {} }).endpoints[0]!;
};

describe('a mistake in a domain file stops the start', () => {
  const outputSchema = {
    type: 'object',
    properties: {
      items: { type: 'array', items: { $ref: '#/$defs/Item' } },
      labels: { type: 'object', additionalProperties: { type: 'string' } },
      'odata.next': { type: 'string' },
    },
    $defs: { Item: { type: 'object', properties: { id: { type: 'integer' }, owner: { type: 'object' } } } },
  };
  test.each<[string, Partial<EndpointDefinition>, RegExp]>([
    ['a method nobody has', { method: 'PSOT' }, /method: "PSOT" is not an HTTP method; did you mean "POST"\?/],
    [
      'a default out of bounds',
      { args: { n: { type: 'integer', maximum: 5, default: 6 } } },
      /args\.n\.default: is refused: .*at most 5/,
    ],
    ['a default in text', { args: { n: { type: 'integer', default: '6' } } }, /args\.n\.default: must be written as 6/],
    ['a default of zod', { args: { n: z.int().max(5).default(6) } }, /args\.n\.default: is refused: .*at most 5/],
    [
      'a pick that is not in the answer',
      { outputSchema, response: { pick: ['items.id', 'items.idd'] } },
      /response\.pick\[1\]: there is no "idd" in the answer; did you mean "id"\?/,
    ],
    ['a clamp without bounds', { args: { n: { type: 'integer', clamp: true } } }, /nothing to clamp it to/],
  ])('%s', (_, endpoint, message) => {
    expect(() => build(endpoint)).toThrow(message);
  });

  test('valid variants do not stop the start', () => {
    const pick = ['items.id', 'items.owner.login', 'labels.any', 'odata.next', 'items.*', '*.id'];
    expect(build({ outputSchema, response: { pick } }).response.pick).toEqual(pick);
    expect(build({ method: { custom: 'purge' } }).method).toBe('PURGE');
    expect(build({ method: 'query' }).effect).toBe('read');
    expect(build({ args: { n: { type: 'integer', minimum: 1, maximum: 5, default: 5, clamp: true } } }).clamp).toEqual([
      { key: 'n', minimum: 1, maximum: 5 },
    ]);
  });
});

describe('files', () => {
  let folder: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'checks-'));
  });
  afterAll(() => rm(folder, { recursive: true }));
  const load = async (name: string, text: string) => {
    await writeFile(join(folder, name), text);
    return loadDomains({ paths: [join(folder, name)], env: {} });
  };

  test.each([
    ['twice.yaml', 'name: pets\nbaseUrl: http://127.0.0.1:9\nname: cats\n'],
    ['twice.json', '{\n"name": "pets",\n"name": "cats"\n}'],
  ])('a duplicate key in %s is an error with its line', async (name, text) => {
    await expect(load(name, text)).rejects.toThrow(
      new RegExp(`${name}:3:\\d+ .*: is already defined in line \\d; remove one of them`),
    );
  });

  test('operations of a document: clamp, and a pick that is not in the answer', async () => {
    const answer = { type: 'object', properties: { id: { type: 'integer' } }, additionalProperties: false };
    const document = {
      openapi: '3.1.0',
      info: { title: 'T', version: '1' },
      servers: [{ url: 'http://127.0.0.1:9' }],
      paths: {
        '/a': {
          get: {
            operationId: 'list',
            parameters: [{ name: 'limit', in: 'query', schema: { type: 'integer', maximum: 50 } }],
            responses: { 200: { description: 'ok', content: { 'application/json': { schema: answer } } } },
          },
        },
      },
    };
    await writeFile(join(folder, 'api.json'), JSON.stringify(document));
    const file = (operation: string) => `name: t\nopenapi: api.json\noperations:\n  list: ${operation}\n`;
    const [domain] = await load('t.yaml', file('{ args: { limit: { clamp: true, rename: max } } }'));
    expect(domain!.endpoints[0]!.clamp).toEqual([{ key: 'max', maximum: 50 }]);
    await expect(load('u.yaml', file('{ response: { pick: [ident] } }'))).rejects.toThrow(
      /u\.yaml:4:\d+ .*there is no "ident" in the answer/,
    );
  });
});
