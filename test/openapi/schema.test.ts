// Schemas of every version become self-contained JSON Schema 2020-12.
import { Ajv2020 } from 'ajv/dist/2020.js';
import { describe, expect, test } from 'vitest';
import type { JsonSchema } from '../../src/endpoint/model.ts';
import { importOne, importValue, openapi, plain, properties, withBody } from './support.ts';

const string = { type: 'string' };
const ref = (name: string) => ({ $ref: `#/components/schemas/${name}` });

/** How one schema comes out, as the field `x` of a body. */
async function convert(schema: unknown, version = '3.0.3', components: object = {}): Promise<unknown> {
  const document = {
    ...withBody({ type: 'object', properties: { x: schema, y: string } }, {}, { components }),
    openapi: version,
  };
  return properties(await importOne(document)).x;
}

function accepts(schema: JsonSchema, value: unknown): boolean {
  return new Ajv2020({ strict: false, validateSchema: false, ownProperties: true, logger: false }).compile(
    schema as object,
  )(value);
}

describe('OpenAPI 3.0', () => {
  test.each([
    ['nullable', { type: 'string', nullable: true }, { type: ['string', 'null'] }],
    ['nullable enum', { type: 'string', nullable: true, enum: ['a'] }, { type: ['string', 'null'], enum: ['a', null] }],
    ['nullable without a type', { nullable: true }, {}],
    [
      'nullable allOf',
      { allOf: [string], nullable: true, description: 'd' },
      { description: 'd', anyOf: [{ allOf: [string] }, { type: 'null' }] },
    ],
    [
      'exclusive bounds',
      { type: 'integer', minimum: 1, exclusiveMinimum: true, maximum: 9, exclusiveMaximum: false },
      { type: 'integer', exclusiveMinimum: 1, maximum: 9 },
    ],
    ['example', { type: 'string', example: 'a' }, { type: 'string', examples: ['a'] }],
    [
      'words the schema does not need',
      { type: 'string', xml: {}, externalDocs: {}, 'x-a': 1, discriminator: {} },
      string,
    ],
    ['a type nobody knows', { type: 'any', description: 'd' }, { description: 'd' }],
    [
      'numbers in quotes',
      { type: 'string', minLength: '2', maxLength: -1, maximum: 'x' },
      { type: 'string', minLength: 2 },
    ],
    ['an empty enum', { type: 'string', enum: [] }, string],
    [
      'enum values YAML read as numbers',
      { type: 'string', enum: [1, true, 'a'] },
      { type: 'string', enum: ['1', 'true', 'a'] },
    ],
    ['required: true on a property', { type: 'string', required: true }, string],
    [
      'an array of item schemas',
      { type: 'array', items: [string, { type: 'integer' }] },
      { type: 'array', prefixItems: [string, { type: 'integer' }] },
    ],
    ['a schema that is none', 'string', {}],
    ['a pattern that is none', { type: 'string', pattern: '(' }, string],
    ['a pattern', { type: 'string', pattern: '^(a+)+$' }, { type: 'string', pattern: '^(a+)+$' }],
  ])('%s', async (_, given, want) => {
    expect(await convert(given)).toEqual(want);
  });

  test('beside a $ref only annotations and nullable count', async () => {
    const components = { schemas: { A: string } };
    expect(await convert({ ...ref('A'), description: 'd', minLength: 3 }, '3.0.3', components)).toEqual({
      $ref: '#/$defs/A',
      description: 'd',
    });
    expect(await convert({ ...ref('A'), description: 'd', nullable: true }, '3.0.3', components)).toEqual({
      description: 'd',
      anyOf: [{ $ref: '#/$defs/A' }, { type: 'null' }],
    });
  });
});

describe('OpenAPI 3.1 and 3.2', () => {
  test.each([
    ['type lists', { type: ['string', 'null'] }],
    ['const', { const: 1 }],
    ['boolean schemas', { type: 'object', properties: { a: true }, additionalProperties: false }],
    [
      'conditions',
      { type: 'object', if: { required: ['a'] }, [`the${''}n`]: { required: ['b'] }, else: { required: ['c'] } },
    ],
    ['dependencies', { type: 'object', dependentRequired: { a: ['b'] }, dependentSchemas: { c: { required: ['d'] } } }],
    ['tuples', { type: 'array', prefixItems: [string], items: false, contains: string, minContains: 1 }],
    [
      'the rest of the vocabulary',
      { type: 'object', propertyNames: { pattern: '^a' }, unevaluatedProperties: false, minProperties: 1 },
    ],
    ['content', { type: 'string', contentEncoding: 'base64', contentMediaType: 'image/png' }],
  ])('%s pass as they are', async (_, schema) => {
    expect(await convert(schema, '3.1.0')).toEqual(schema);
  });

  test('keywords beside a $ref count', async () => {
    const components = { schemas: { A: string } };
    expect(await convert({ ...ref('A'), minLength: 3 }, '3.1.0', components)).toEqual({
      $ref: '#/$defs/A',
      minLength: 3,
    });
  });

  test('an intermediate $ref keeps the keywords beside it', async () => {
    const components = { schemas: { A: { ...ref('B'), minLength: 3 }, B: string } };
    const document = {
      ...withBody({ type: 'object', properties: { x: ref('A') } }, {}, { components }),
      openapi: '3.1.0',
    };
    const { inputSchema } = await importOne(document);
    expect(accepts(inputSchema, { x: 'ab' })).toBe(false);
    expect(accepts(inputSchema, { x: 'abc' })).toBe(true);
  });

  test('nullable and boolean bounds of older versions are still understood', async () => {
    expect(await convert({ type: 'string', nullable: true }, '3.1.0')).toEqual({ type: ['string', 'null'] });
    expect(await convert({ type: 'number', minimum: 1, exclusiveMinimum: true }, '3.1.0')).toEqual({
      type: 'number',
      exclusiveMinimum: 1,
    });
  });

  test('$defs, $anchor, $id and $dynamicRef are resolved inside the document; none is left in the result', async () => {
    const components = {
      schemas: {
        Tree: {
          $id: 'https://example.com/tree',
          $dynamicAnchor: 'node',
          type: 'object',
          properties: {
            children: { type: 'array', items: { $dynamicRef: '#node' } },
            label: { $ref: '#/$defs/label' },
          },
          $defs: { label: { $anchor: 'label', type: 'string' } },
        },
        Use: { $ref: 'https://example.com/tree' },
        Label: { $ref: '#label' },
      },
    };
    const schema = { type: 'object', properties: { tree: ref('Use'), label: ref('Label') } };
    const { inputSchema } = await importOne({ ...withBody(schema, {}, { components }), openapi: '3.1.0' });
    expect(JSON.stringify(inputSchema)).not.toMatch(/\$id|[$]anchor|\$dynamic/);
    expect(accepts(inputSchema, { tree: { children: [{ label: 'a' }] }, label: 'x' })).toBe(true);
    expect(accepts(inputSchema, { tree: { children: [{ label: 1 }] } })).toBe(false);
    expect(accepts(inputSchema, { label: 1 })).toBe(false);
  });
});

describe('keywords are recognised by position, not by name', () => {
  const names = [
    '$ref',
    'example',
    'nullable',
    'type',
    'properties',
    'items',
    'allOf',
    'required',
    'readOnly',
    'constructor',
    'toString',
    '__proto__',
    'x-mcp',
    '字段',
  ];

  test.each(['3.0.3', '3.1.0'])('properties may be called anything (%s)', async (openapi) => {
    const fields = Object.create(null) as Record<string, unknown>;
    for (const name of names) fields[name] = { type: 'integer' };
    const document = {
      ...withBody({
        type: 'object',
        properties: { inner: { type: 'object', properties: fields, additionalProperties: false }, other: string },
      }),
      openapi,
    };
    const { inputSchema } = await importOne(document);
    const inner = (inputSchema as { properties: Record<string, { properties: object }> }).properties.inner!;
    expect(Object.keys(inner.properties)).toEqual(names);
    for (const name of names) {
      if (name === '__proto__') continue; // ajv never looks at that key
      expect([name, accepts(inputSchema, { inner: { [name]: 'text' } })]).toEqual([name, false]);
      expect([name, accepts(inputSchema, { inner: { [name]: 1 } })]).toEqual([name, true]);
    }
  });

  test('a value that looks like a $ref is a value', async () => {
    const schema = {
      type: 'object',
      default: { $ref: '#/nowhere' },
      example: { $ref: 'file:///etc/passwd' },
      enum: [{ $ref: '#/x' }],
    };
    expect(await convert(schema)).toEqual({
      type: 'object',
      default: { $ref: '#/nowhere' },
      examples: [{ $ref: 'file:///etc/passwd' }],
      enum: [{ $ref: '#/x' }],
    });
  });
});

describe('definitions', () => {
  test('include only those that are used, with names that are valid in a URI', async () => {
    const components = {
      schemas: { 'A/b c': { type: 'object', properties: { d: ref('D') } }, D: string, Unused: string },
    };
    const schema = { type: 'object', properties: { a: { $ref: '#/components/schemas/A~1b%20c' }, b: string } };
    const { inputSchema } = await importOne(withBody(schema, {}, { components }));
    expect(plain(inputSchema)).toMatchObject({
      properties: { a: { $ref: '#/$defs/A_b_c' } },
      $defs: { A_b_c: { type: 'object', properties: { d: { $ref: '#/$defs/D' } } }, D: string },
    });
  });

  test('keep recursion, which validates at any depth', async () => {
    const components = {
      schemas: { Node: { type: 'object', properties: { next: ref('Node'), value: { type: 'integer' } } } },
    };
    const { inputSchema } = await importOne(withBody(ref('Node'), {}, { components }));
    expect(accepts(inputSchema, { next: { next: { next: { value: 1 } } } })).toBe(true);
    expect(accepts(inputSchema, { next: { next: { next: { value: 'x' } } } })).toBe(false);
  });

  test('break cycles that never descend into the data', async () => {
    const components = {
      schemas: {
        Pet: { type: 'object', properties: { kind: string }, required: ['kind'], oneOf: [ref('Cat'), ref('Dog')] },
        Cat: {
          allOf: [ref('Pet'), { type: 'object', properties: { lives: { type: 'integer' } }, required: ['lives'] }],
        },
        Dog: { allOf: [ref('Pet'), { type: 'object', properties: { tricks: string }, required: ['tricks'] }] },
        Self: { allOf: [ref('Self'), string] },
        Ring: { oneOf: [ref('Ring2'), string] },
        Ring2: { oneOf: [ref('Ring'), { type: 'integer' }] },
        Not: { not: ref('Not') },
      },
    };
    const fields = { pet: ref('Pet'), cat: ref('Cat'), self: ref('Self'), ring: ref('Ring'), not: ref('Not') };
    const { inputSchema } = await importOne(withBody({ type: 'object', properties: fields }, {}, { components }));
    expect(accepts(inputSchema, { pet: { kind: 'cat', lives: 9 } })).toBe(true);
    expect(accepts(inputSchema, { pet: { kind: 'cat' } })).toBe(false);
    expect(accepts(inputSchema, { cat: { lives: 9 } })).toBe(false);
    expect(accepts(inputSchema, { cat: { kind: 'cat', lives: 9 } })).toBe(true);
    expect(accepts(inputSchema, { self: 'x' })).toBe(true);
    expect(accepts(inputSchema, { self: 1 })).toBe(false);
    expect(() => accepts(inputSchema, { ring: 'x', not: 1 })).not.toThrow();
  });

  test('are converted on demand, and shared by endpoints', async () => {
    const components = { schemas: { A: { type: 'object', properties: { a: string } } } };
    const operation = {
      requestBody: { content: { 'application/json': { schema: { type: 'array', items: ref('A') } } } },
    };
    const { endpoints } = await importValue(openapi({ '/a': { post: operation, put: operation } }, { components }));
    const [first, second] = endpoints.map(({ inputSchema }) => inputSchema as { $defs: { A: unknown } });
    expect(first!.$defs.A).toBe(second!.$defs.A);
    expect(endpoints[0]!.inputSchema).toBe(endpoints[0]!.inputSchema);
  });
});

describe('answers', () => {
  test('the schema of the first successful JSON answer, without writeOnly fields', async () => {
    const schema = {
      type: 'object',
      properties: { a: string, secret: { type: 'string', writeOnly: true } },
      required: ['a', 'secret'],
    };
    const responses = {
      404: { description: 'no' },
      201: { description: 'ok', content: { 'application/json': { schema } } },
    };
    const endpoint = await importOne(openapi({ '/x': { get: { responses } } }));
    expect(plain(endpoint.outputSchema)).toEqual({ type: 'object', properties: { a: string }, required: ['a'] });
  });

  test('with a dangling $ref lose their schema, but the operation works', async () => {
    const responses = {
      200: { description: 'ok', content: { 'application/json': { schema: { type: 'array', items: ref('Gone') } } } },
    };
    const endpoint = await importOne(openapi({ '/x': { get: { responses } } }));
    expect(plain(endpoint.outputSchema)).toEqual({ type: 'array', items: {} });
  });

  test('an answer that refers to many objects is prepared in steps, one for each of them', async () => {
    const COUNT = 50;
    const link = (index: number) => [
      `Thing${index}`,
      { type: 'object', properties: { next: { $ref: `#/components/schemas/Thing${(index + 1) % COUNT}` } } },
    ];
    const schemas = Object.fromEntries(Array.from({ length: COUNT }, (_, index) => link(index)));
    const content = { 'application/json': { schema: { $ref: '#/components/schemas/Thing0' } } };
    const document = openapi(
      { '/a': { get: { responses: { 200: { description: 'A thing.', content } } } } },
      { components: { schemas } },
    );
    const [prepared, other] = [await importOne(document), await importOne(document)];
    expect([...prepared.prepareOutput!()].length).toBeGreaterThanOrEqual(COUNT);
    expect(Object.keys((prepared.outputSchema as { $defs: object }).$defs)).toHaveLength(COUNT);
    expect(plain(prepared.outputSchema)).toEqual(plain(other.outputSchema));
    // What is there already is not built again.
    expect([...prepared.prepareOutput!()]).toEqual([]);
  });
});
