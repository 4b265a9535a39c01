import { describe, expect, test } from 'vitest';
import { toOpenApi } from '../../src/catalog/resources-and-prompts/openapi-document.ts';
import { toCatalogOperations } from '../../src/catalog/tree.ts';
import { petsDomain } from '../support/pets.ts';
import { anOperation } from './support.ts';

describe('toOpenApi()', () => {
  test('describes hand-written endpoints so that another program can call them', () => {
    const domain = petsDomain('http://127.0.0.1:1');
    const operations = toCatalogOperations(
      domain.endpoints.map((endpoint) => anOperation(endpoint)),
      [],
    );
    const document = JSON.parse(toOpenApi(domain, operations)) as Record<string, never>;
    expect(document).toMatchObject({
      openapi: '3.1.0',
      info: { title: 'Pets' },
      servers: [{ url: 'http://127.0.0.1:1' }],
      paths: {
        '/pets': {
          get: {
            operationId: 'pets_list',
            parameters: [
              { name: 'limit', in: 'query' },
              { name: 'kind', in: 'query' },
            ],
          },
          post: {
            requestBody: {
              content: {
                'application/json': { schema: { required: ['name'], properties: { name: { type: 'string' } } } },
              },
            },
          },
        },
        '/pets/{id}': { get: { parameters: [{ name: 'id', in: 'path', required: true }] }, delete: {} },
      },
    });
  });
});
