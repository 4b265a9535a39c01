// The examples of a document as calls: where they stand, what they become, and whether the gateway takes them.
import { describe, expect, test } from 'vitest';
import type { Endpoint } from '../../src/endpoint/model.ts';
import { createSchemaValidator } from '../../src/schema/check/validator.ts';
import { exampleCalls } from '../../src/schema/example-calls.ts';
import { importOne, openapi } from './support.ts';

/** Kind, arguments and place of every example. */
function callsOf(endpoint: Endpoint): unknown[] {
  return exampleCalls(endpoint).map((call) => [call.kind, { ...call.arguments }, call.place]);
}

function refusalsOf(endpoint: Endpoint): string[] {
  return exampleCalls(endpoint).flatMap((call) => {
    try {
      createSchemaValidator(call.schema())(endpoint.toolName, call.arguments);
      return [];
    } catch (error) {
      return [`${call.place}: ${(error as Error).message}`];
    }
  });
}

describe('every example of a request is a call', () => {
  test('of parameters: beside the schema, named, in the schema and behind a reference', async () => {
    const parameters = [
      { name: 'a', in: 'query', schema: { type: 'string', example: 'in the schema' }, example: 'beside it' },
      {
        name: 'b',
        in: 'query',
        schema: { $ref: '#/components/schemas/B' },
        examples: { x: { $ref: '#/components/examples/x' } },
      },
      { name: 'c', in: 'query', content: { 'application/json': { schema: { type: 'object' }, example: { d: 1 } } } },
      {
        name: 'e',
        in: 'query',
        schema: { type: 'string' },
        examples: { far: { externalValue: 'https://elsewhere.example/e' } },
      },
    ];
    const components = { schemas: { B: { type: 'integer', example: 2 } }, examples: { x: { value: 1 } } };
    const endpoint = await importOne(openapi({ '/x': { get: { parameters } } }, { components }));
    const at = (index: number) => `/paths/~1x/get/parameters/${index}`;
    expect(callsOf(endpoint)).toEqual([
      ['parameter', { a: 'beside it' }, `${at(0)}/example`],
      ['parameter', { a: 'in the schema' }, `${at(0)}/schema/example`],
      ['parameter', { b: 1 }, '/components/examples/x/value'],
      ['parameter', { b: 2 }, '/components/schemas/B/example'],
      ['parameter', { c: { d: 1 } }, `${at(2)}/content/application~1json/example`],
    ]);
    expect(refusalsOf(endpoint)).toEqual([]);
  });

  test('of a body: whole, its wrapper taken off, and field by field; nobody asks it for the parameters', async () => {
    const schema = {
      type: 'object',
      required: ['data'],
      properties: {
        data: { type: 'object', required: ['name'], properties: { id: {}, name: { type: 'string', example: 'Ann' } } },
      },
    };
    const media = {
      schema,
      example: { data: { id: 1, name: 'a' } },
      examples: { two: { value: { data: { id: 2 } } } },
    };
    const endpoint = await importOne(
      openapi({ '/x/{id}': { put: { requestBody: { required: true, content: { 'application/json': media } } } } }),
    );
    const at = '/paths/~1x~1{id}/put/requestBody/content/application~1json';
    expect(callsOf(endpoint)).toEqual([
      ['field', { name: 'Ann' }, `${at}/schema/properties/data/properties/name/example`],
      ['body', { body_id: 1, name: 'a' }, `${at}/example`],
      ['body', { body_id: 2 }, `${at}/examples/two/value`],
    ]);
    expect(refusalsOf(endpoint)).toEqual([expect.stringContaining(`${at}/examples/two/value: `)]);
  });

  test('of Swagger 2.0, where they are extensions', async () => {
    const parameters = [
      { name: 'q', in: 'query', type: 'string', 'x-example': 'x' },
      {
        name: 'thing',
        in: 'body',
        schema: { type: 'object', properties: { n: { type: 'integer' } }, example: { n: 1 } },
        'x-examples': { 'application/json': { n: 2 } },
      },
    ];
    const info = { title: 'Test', version: '1' };
    const endpoint = await importOne({
      swagger: '2.0',
      info,
      host: 'h.example',
      paths: { '/x': { post: { parameters } } },
    });
    const at = '/paths/~1x/post/parameters';
    expect(callsOf(endpoint)).toEqual([
      ['parameter', { q: 'x' }, `${at}/0/x-example`],
      ['body', { n: 2 }, `${at}/1/x-examples/application~1json`],
      ['body', { n: 1 }, `${at}/1/schema/example`],
    ]);
  });
});
