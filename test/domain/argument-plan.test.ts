// Arguments as YAML and JSON files write them.
import { describe, expect, test } from 'vitest';
import { checkSchema, toCurrentSchema } from '../../src/domain/definition/argument-schema.ts';
import { buildDomain, DefinitionError } from '../../src/domain/definition/build-domain.ts';
import { defineDomain } from '../../src/domain/definition/define-domain.ts';
import type { EndpointDefinition } from '../../src/domain/definition/definition-types.ts';
import type { Endpoint } from '../../src/endpoint/model.ts';
import { formatFieldPath } from '../../src/endpoint/problems.ts';
import { createValidator } from '../../src/schema/check/validator.ts';

function endpoint(given: Partial<EndpointDefinition>): Endpoint {
  const definition = defineDomain({
    name: 'pets',
    baseUrl: 'https://api.test',
    endpoints: { call: { path: '/pets', summary: 'Calls.', ...given } },
  });
  return buildDomain(definition, { env: {} }).endpoints[0]!;
}

describe('arguments written as JSON Schemas', () => {
  test('carry their placement beside the schema', () => {
    const { args, inputSchema } = endpoint({
      args: {
        ids: { type: 'array', items: { type: 'integer' }, explode: false, required: true, description: 'Numbers.' },
        trace: { type: 'string', in: 'header', name: 'X-Trace' },
      },
    });
    expect(args).toEqual([
      { key: 'ids', required: true, to: [{ in: 'query', name: 'ids', style: 'form', explode: false }] },
      { key: 'trace', required: false, to: [{ in: 'header', name: 'X-Trace', style: 'simple', explode: false }] },
    ]);
    expect(inputSchema).toEqual({
      type: 'object',
      properties: {
        ids: { type: 'array', items: { type: 'integer' }, description: 'Numbers.' },
        trace: { type: 'string' },
      },
      required: ['ids'],
      additionalProperties: false,
    });
  });

  test('send their defaults, because a person wrote them here', () => {
    const { parse } = endpoint({ args: { limit: { type: 'integer', default: 20 }, page: { type: 'integer' } } });
    expect(parse!({})).toEqual({ ok: true, args: { limit: 20 } });
    expect(parse!({ limit: 5, page: 2 })).toEqual({ ok: true, args: { limit: 5, page: 2 } });
  });

  test('keep `required` of an object argument apart from `required: true` of the argument', () => {
    const { inputSchema } = endpoint({
      method: 'POST',
      args: { owner: { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] } },
    });
    expect(inputSchema).not.toHaveProperty('required');
    expect(inputSchema).toHaveProperty('properties.owner.required', ['name']);
  });

  test('files become a file schema and a multipart body', () => {
    const { body, inputSchema } = endpoint({
      method: 'POST',
      args: { photo: { file: true, required: true, description: 'A picture.' }, note: { type: 'string' } },
    });
    expect(body).toEqual({
      kind: 'multipart',
      mediaType: 'multipart/form-data',
      required: true,
      encoding: { photo: { file: true } },
    });
    expect(inputSchema).toHaveProperty('properties.photo.properties.base64');
    expect(inputSchema).toHaveProperty('properties.photo.description', 'A picture.');
  });
});

describe('inputSchema: constraints between arguments', () => {
  const validate = createValidator(
    endpoint({
      method: 'POST',
      inputSchema: {
        type: 'object',
        properties: {
          email: { type: 'string' },
          phone: { type: 'string' },
          street: { type: 'string' },
          city: { type: 'string' },
          text: { type: 'string' },
        },
        required: ['text'],
        oneOf: [{ required: ['email'] }, { required: ['phone'] }],
        dependencies: { street: ['city'], city: { properties: { text: { minLength: 2 } } } },
      },
    }),
  );
  const rows: [string, Record<string, unknown>, boolean][] = [
    ['one of the sets', { text: 'hi', email: 'a' }, true],
    ['the other set', { text: 'hi', phone: '1' }, true],
    ['no set', { text: 'hi' }, false],
    ['required missing', { email: 'a' }, false],
    ['a field without the one it needs', { text: 'hi', email: 'a', street: 's' }, false],
    ['a field with the one it needs', { text: 'hi', email: 'a', street: 's', city: 'c' }, true],
    ['a dependent schema', { text: 'h', email: 'a', city: 'c' }, false],
    ['an unknown argument', { text: 'hi', email: 'a', fax: '1' }, false],
  ];
  for (const [what, args, ok] of rows) {
    test(`${ok ? 'accepts' : 'refuses'} ${what}`, () => {
      const run = () => validate('pets_call', args);
      if (ok) expect(run()).toEqual(args);
      else expect(run).toThrow();
    });
  }
});

describe('toCurrentSchema()', () => {
  test('splits dependencies at every depth and leaves properties of that name alone', () => {
    expect(
      toCurrentSchema({
        $schema: 'http://json-schema.org/draft-07/schema#',
        dependencies: { a: ['b'], c: { required: ['d'] }, e: 'f' },
        dependentRequired: { x: ['y'] },
        properties: { dependencies: { type: 'object', dependencies: { g: ['h'] } } },
      }),
    ).toEqual({
      dependentRequired: { a: ['b'], e: ['f'], x: ['y'] },
      dependentSchemas: { c: { required: ['d'] } },
      properties: { dependencies: { type: 'object', dependentRequired: { g: ['h'] } } },
    });
  });

  test('keeps a property called __proto__ a property', () => {
    const out = toCurrentSchema(JSON.parse('{"properties":{"__proto__":{"type":"string"}}}')) as { properties: object };
    expect(Object.keys(out.properties)).toEqual(['__proto__']);
    expect(Object.getPrototypeOf(out.properties)).toBe(Object.prototype);
  });
});

describe('checkSchema()', () => {
  const rows: [unknown, string][] = [
    [{ type: 'int' }, 'type "int" is not a JSON Schema type; did you mean "integer"?'],
    [{ type: ['string', 'nul'] }, 'type "nul" is not a JSON Schema type; did you mean "null"?'],
    [{ typ: 'string' }, 'typ "typ" is not a JSON Schema keyword; did you mean "type"?'],
    [{ minimun: 1 }, 'minimun "minimun" is not a JSON Schema keyword; did you mean "minimum"?'],
    [{ minimum: '1' }, 'minimum must be a number'],
    [{ enum: 'a' }, 'enum must be a list of values'],
    [{ pattern: '(' }, 'pattern is not a regular expression'],
    [{ oneOf: {} }, 'oneOf must be a list of schemas'],
    [{ items: 'string' }, 'items must be a JSON Schema (an object), such as { type: string }'],
    [
      { properties: { a: { type: 'strng' } } },
      'properties.a.type "strng" is not a JSON Schema type; did you mean "string"?',
    ],
    [{ $ref: 'https://example.com/schema' }, '$ref must point inside this schema (#/$defs/…)'],
    [{ 'from the list': null }, '["from the list"] looks like text after a comma; put the whole text in quotes'],
    ['string', ' must be a JSON Schema (an object), such as { type: string }'],
  ];
  for (const [given, want] of rows) {
    test(`says of ${JSON.stringify(given)}: ${want}`, () => {
      expect(checkSchema(given, []).map((problem) => `${formatFieldPath(problem.path)} ${problem.message}`)).toEqual([
        want,
      ]);
    });
  }

  test('accepts what is right, extensions included', () => {
    expect(
      checkSchema(
        { type: 'object', properties: { type: { type: 'string' } }, 'x-order': 1, additionalProperties: false },
        [],
      ),
    ).toEqual([]);
  });

  test('ends on a schema that never does', () => {
    let schema: Record<string, unknown> = { type: 'string' };
    for (let depth = 0; depth < 5_000; depth++) schema = { items: schema };
    expect(checkSchema(schema, [])).toMatchObject([{ message: expect.stringContaining('nested deeper') }]);
    expect(() => endpoint({ args: { a: schema } })).toThrow(DefinitionError);
  });
});
