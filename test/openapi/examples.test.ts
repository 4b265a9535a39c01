// The examples of a document as calls: where they are, what they become, and whether the gateway accepts them.
import { describe, expect, test } from 'vitest';
import type { Endpoint } from '../../src/endpoint/model.ts';
import { withExampleFields } from '../../src/openapi/objects/example.ts';
import type { ObjectShape } from '../../src/openapi/schema/schema-shape.ts';
import type { SourceDocument } from '../../src/openapi/source/documents.ts';
import { createSchemaValidator } from '../../src/schema/check/validator.ts';
import { type ExampleCall, exampleCalls } from '../../src/schema/example-calls.ts';
import { loosenFormats } from '../../src/schema/loosen-formats.ts';
import { toPortableSchema } from '../../src/schema/portable/portable-schema.ts';
import { importOne, openapi, places, properties, withBody } from './support.ts';

/** Kind, arguments and place of every example. */
function callsOf(endpoint: Endpoint): unknown[] {
  return [...exampleCalls(endpoint)].map((call) => [call.kind, { ...call.arguments }, call.place]);
}

function refusalsOf(endpoint: Endpoint): string[] {
  return [...exampleCalls(endpoint)].flatMap((call) => {
    try {
      createSchemaValidator(call.schema())(endpoint.toolName, call.arguments);
      return [];
    } catch (error) {
      return [`${call.place}: ${(error as Error).message}`];
    }
  });
}

describe('every example of a request is a call', () => {
  test('of parameters: beside the schema, named, in the schema and behind a $ref', async () => {
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

  test('of a body: whole, without its wrapper, and field by field; parameters are not required in it', async () => {
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

  test('behind a $ref in place of the value', async () => {
    const schema = { type: 'object', properties: { n: { type: 'integer' } } };
    const media = { schema, example: { $ref: '#/components/examples/one' } };
    const requestBody = { required: true, content: { 'application/json': media } };
    const components = { examples: { one: { value: { n: 1 } } } };
    const endpoint = await importOne(openapi({ '/x': { post: { requestBody } } }, { components }));
    expect(callsOf(endpoint)).toEqual([['body', { n: 1 }, '/components/examples/one/value']]);
    expect(Object.keys(places(endpoint))).toEqual(['n']);
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

/** One POST whose body has this schema and these examples. */
function withExamples(schema: object, values: readonly unknown[], mediaType = 'application/json'): object {
  const examples = Object.fromEntries(values.map((value, index) => [`example${index}`, { value }]));
  const requestBody = { required: true, content: { [mediaType]: { schema, examples } } };
  return openapi({ '/{index}/_search': { post: { operationId: 'search', requestBody } } });
}

const SEARCH = { type: 'object', properties: { query: { type: 'object' }, size: { type: 'integer' } } };

describe('a body field that only an example uses', () => {
  const aggs = { by_day: { date_histogram: { field: 'day' } } };

  test('is an argument of the type it has in the example', async () => {
    const endpoint = await importOne(
      withExamples(SEARCH, [
        { size: 0, aggs },
        { fields: ['a', 'b'], lenient: true },
      ]),
    );
    expect(places(endpoint)).toEqual({
      index: 'path index (required)',
      query: 'body query',
      size: 'body size',
      aggs: 'body aggs',
      fields: 'body fields',
      lenient: 'body lenient',
    });
    const description = 'Not declared by the API description; taken from its example.';
    expect(properties(endpoint)).toMatchObject({
      aggs: { type: 'object', description, examples: [aggs] },
      fields: { type: 'array', items: { type: 'string' }, description },
      lenient: { type: 'boolean', description },
    });
    expect(refusalsOf(endpoint)).toEqual([]);
    expect(() => createSchemaValidator(endpoint.inputSchema)('search', { index: 'a', agg: {} })).toThrow(
      /unknown `agg` — did you mean `aggs`/,
    );
  });

  test('is read from an example that is the text of a JSON body', async () => {
    const endpoint = await importOne(withExamples(SEARCH, [JSON.stringify({ aggs }), '{"query": """not JSON"""}']));
    expect(Object.keys(places(endpoint))).toEqual(['index', 'query', 'size', 'aggs']);
    expect(refusalsOf(endpoint)).toEqual([]);
  });

  test('accepts all types it has in examples; null is ignored', async () => {
    const endpoint = await importOne(withExamples(SEARCH, [{ sort: 'a', after: null }, { sort: ['a'] }]));
    const { sort, after } = properties(endpoint);
    expect([sort!.type, after!.type]).toEqual([['string', 'array'], undefined]);
    expect(refusalsOf(endpoint)).toEqual([]);
  });

  test('is refused if the document forbids further fields, and reported', async () => {
    for (const keyword of ['additionalProperties', 'unevaluatedProperties']) {
      const endpoint = await importOne(withExamples({ ...SEARCH, [keyword]: false }, [{ aggs }]));
      expect(Object.keys(places(endpoint))).toEqual(['index', 'query', 'size']);
      expect(refusalsOf(endpoint)).toEqual([expect.stringContaining('unknown `aggs`')]);
    }
  });

  test('is not taken from an example of something else, nor if it would override the method', async () => {
    const schema = { ...SEARCH, required: ['query'] };
    const endpoint = await importOne(withExamples(schema, [{ name: 'x' }, { query: {}, _method: 'DELETE' }]));
    expect(Object.keys(places(endpoint))).toEqual(['index', 'query', 'size']);
  });

  test('beside a wrapper keeps the wrapper, and inside one is an argument', async () => {
    const schema = { type: 'object', required: ['data'], properties: { data: SEARCH } };
    const beside = await importOne(withExamples(schema, [{ data: { size: 1 }, meta: { trace: true } }]));
    expect(Object.keys(places(beside))).toEqual(['index', 'data', 'meta']);
    const inside = await importOne(withExamples(schema, [{ data: { size: 1, aggs } }]));
    expect([Object.keys(places(inside)), inside.body?.wrap]).toEqual([['index', 'query', 'size', 'aggs'], ['data']]);
    expect([...refusalsOf(beside), ...refusalsOf(inside)]).toEqual([]);
  });

  test('is part of additional_fields if the document has a schema for further fields, or the example has too many', async () => {
    const labels = { ...SEARCH, additionalProperties: { type: 'string' } };
    const typed = await importOne(withExamples(labels, [{ size: 1, colour: 'red' }]));
    const many = Object.fromEntries(Array.from({ length: 40 }, (_, index) => [`key${index}`, index]));
    const crowd = await importOne(withExamples(SEARCH, [many]));
    for (const endpoint of [typed, crowd]) {
      expect(Object.keys(places(endpoint))).toEqual(['index', 'query', 'size', 'additional_fields']);
      expect(refusalsOf(endpoint)).toEqual([]);
    }
  });

  test('is accepted as an argument and in additional_fields if the document allows anything', async () => {
    const endpoint = await importOne(withExamples({ ...SEARCH, additionalProperties: true }, [{ aggs }]));
    const validate = createSchemaValidator(endpoint.inputSchema);
    expect(validate('search', { index: 'a', aggs })).toEqual({ index: 'a', aggs });
    expect(validate('search', { index: 'a', additional_fields: { aggs } })).toBeDefined();
  });
});

describe('a field that the document does not forbid', () => {
  test('is accepted inside nested objects, and refused if it is forbidden', async () => {
    const open = { type: 'object', properties: { name: { type: 'string' } } };
    const schema = { type: 'object', properties: { open, closed: { ...open, additionalProperties: false } } };
    const validate = createSchemaValidator((await importOne(withBody(schema))).inputSchema);
    expect(validate('make', { open: { nam: 'x' } })).toEqual({ open: { nam: 'x' } });
    expect(() => validate('make', { closed: { nam: 'x' } })).toThrow(/did you mean `closed\.name`/);
    expect(() => validate('make', { opn: {} })).toThrow(/did you mean `open`/);
  });

  test('is accepted in a form whose variants describe a field differently', async () => {
    const kind = (value: string) => ({
      type: 'object',
      required: ['kind'],
      properties: { kind: { type: 'string', enum: [value] }, [value]: { type: 'string' } },
    });
    const schema = { oneOf: [kind('cake'), kind('tea')] };
    const values = [
      { kind: 'cake', cake: 'x' },
      { kind: 'tea', tea: 'y' },
    ];
    const endpoint = await importOne(withExamples(schema, values, 'application/x-www-form-urlencoded'));
    expect(refusalsOf(endpoint)).toEqual([]);
    expect(() => createSchemaValidator(endpoint.inputSchema)('search', { index: 'a', kind: 'beer' })).toThrow();
  });
});

describe('a format', () => {
  const time = { type: 'string', format: 'date-time' };

  test('is only a hint if an example of the document violates it, otherwise a rule', async () => {
    const parameters = [
      { name: 'from', in: 'query', schema: time, example: '2008-01-02' },
      { name: 'to', in: 'query', schema: time },
    ];
    const endpoint = await importOne(openapi({ '/x': { get: { parameters } } }));
    expect(refusalsOf(endpoint)).toEqual([]);
    const validate = createSchemaValidator(endpoint.inputSchema);
    expect(validate('x', { from: '06/11/2019 22:05:25 MST' })).toBeDefined();
    expect(() => validate('x', { to: '2008-01-02' })).toThrow(/date and time/);
  });

  test('is loosened deep in a body, behind $refs, in unions and lists', async () => {
    const schemas = {
      Time: { ...time, nullable: true },
      Slot: {
        type: 'object',
        properties: { at: { $ref: '#/components/schemas/Time' }, url: { type: 'string', format: 'uri' } },
      },
    };
    const slots = {
      type: 'array',
      items: { oneOf: [{ type: 'string', enum: ['none'] }, { $ref: '#/components/schemas/Slot' }] },
    };
    const document = withExamples({ type: 'object', properties: { slots } }, [
      { slots: ['none', { at: 'noon', url: '' }] },
    ]);
    const endpoint = await importOne({ ...document, components: { schemas } });
    expect(refusalsOf(endpoint)).toEqual([]);
  });

  test('stays a rule if the example is wrong in other ways as well', async () => {
    const schema = { type: 'object', properties: { at: time, size: { type: 'integer' } } };
    const endpoint = await importOne(withExamples(schema, [{ at: 'noon', size: 'large' }]));
    expect(refusalsOf(endpoint)).toEqual([
      expect.stringMatching(/`at` must be a date and time.*`size` must be integer/s),
    ]);
  });
});

test('a pattern that no regex engine accepts is ignored', async () => {
  const schema = { type: 'object', properties: { name: { type: 'string', pattern: '^[\\p{Graph}\\x20]*$' } } };
  const endpoint = await importOne(withExamples(schema, [{ name: 'a b' }]));
  expect(refusalsOf(endpoint)).toEqual([]);
});

test('of a pattern written as a literal with slashes, the part between them is used', async () => {
  const field = (pattern: string) => ({ type: 'string', pattern });
  const schema = {
    type: 'object',
    properties: { low: field('/^[a-z]+$/'), any: field('/^[a-z]+$/i'), path: field('/x/') },
  };
  const endpoint = await importOne(withExamples(schema, [{ low: 'abc', any: 'ABC', path: 'a/x/b' }]));
  expect(refusalsOf(endpoint)).toEqual([]);
  expect(properties(endpoint).low).toMatchObject({ pattern: '^[a-z]+$' });
  expect(() => createSchemaValidator(endpoint.inputSchema)('x', { index: 'a', low: 'ABC' })).toThrow(
    /`low` must match/,
  );
});

describe('the number of examples that are validated', () => {
  test('is limited to 200 for the formats of one endpoint, and to one for each place', () => {
    const schema = { type: 'object', properties: { at: { type: 'string', format: 'date' } } };
    const tried: string[] = [];
    const call = (place: string): ExampleCall => ({
      kind: 'body',
      arguments: { at: 'soon' },
      place,
      inSchema: true,
      schema: () => {
        tried.push(place);
        return schema;
      },
    });
    const places = Array.from({ length: 300 }, (_, index) => `/${index}`);
    expect(loosenFormats(schema, places.map(call))).toEqual({
      type: 'object',
      properties: { at: { type: 'string' } },
    });
    expect(tried).toEqual(places.slice(0, 200));
    tried.length = 0;
    loosenFormats(schema, Array(50).fill(call('/same')));
    expect(tried).toEqual(['/same']);
  });

  test('is one for an example that a hundred $refs lead to', () => {
    let looks = 0;
    const value = new Proxy(
      { a: 1, extra: 2 },
      {
        ownKeys: (target) => {
          looks++;
          return Reflect.ownKeys(target);
        },
      },
    );
    const dialect = { schema: '3.0', major: 3, minor: 0 } as const;
    const document = { uri: 'file:///a', label: 'a', isRoot: true, value: {}, dialect } as SourceDocument;
    const shape: ObjectShape = { fields: [], alternatives: [], minProperties: 0, closed: false, names: ['a'] };
    const examples = Array.from({ length: 100 }, (_, index) => ({ document, pointer: `/${index}`, value }));
    const { fields } = withExampleFields(shape, () => examples);
    expect(fields.map(({ name }) => name)).toEqual(['extra']);
    // Keys are listed twice where the value is copied.
    expect(looks).toBeLessThan(5);
    const never = () => expect.unreachable();
    expect(withExampleFields({ ...shape, closed: true }, never).fields).toEqual([]);
  });
});

describe('the example of a parameter is shown with its schema', () => {
  const rest = { components: { examples: { Paris: { value: 'Paris' } } } };
  const text = { type: 'string' };
  test.each<[string, object]>([
    ['example', { schema: text, example: 'Paris' }],
    ['examples by name', { schema: text, examples: { one: { summary: 'A city', value: 'Paris' } } }],
    ['examples by reference', { schema: text, examples: { one: { $ref: '#/components/examples/Paris' } } }],
    ['the example of its schema', { schema: { ...text, example: 'Paris' } }],
    ['the examples of its schema', { schema: { ...text, examples: ['Paris'] } }],
    ['the example of its media type', { content: { 'application/json': { schema: text, example: 'Paris' } } }],
  ])('%s', async (_, parameter) => {
    const document = {
      ...openapi({ '/x': { get: { parameters: [{ name: 'city', in: 'query', ...parameter }] } } }, rest),
      openapi: '3.1.0',
    };
    const { properties } = toPortableSchema((await importOne(document)).inputSchema);
    expect(properties.city).toMatchObject({ description: 'Example: "Paris".' });
  });
});
