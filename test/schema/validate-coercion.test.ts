import { describe, expect, test } from 'vitest';
import type { Args, JsonSchema } from '../../src/endpoint/model.ts';
import { createSchemaValidator } from '../../src/schema/check/validator.ts';

const field = (schema: JsonSchema, rest: Record<string, unknown> = {}): JsonSchema => ({
  type: 'object',
  properties: { x: schema },
  additionalProperties: false,
  ...rest,
});
const read = (schema: JsonSchema, value: unknown): unknown =>
  createSchemaValidator(schema)('t', { x: value } as Args).x;

const filter = {
  $ref: '#/$defs/Filter',
};
const filters = {
  $defs: {
    Filter: {
      type: 'object',
      required: ['limit'],
      properties: { limit: { $ref: '#/$defs/Count' }, next: { $ref: '#/$defs/Filter' }, tag: { type: 'string' } },
    },
    Count: { type: 'integer', minimum: 0 },
  },
};

describe('a value of the wrong type is read as what was meant', () => {
  test.each<[string, JsonSchema, unknown, unknown]>([
    ['a numeric string for an integer', { type: 'integer' }, '12', 12],
    ['a negative one', { type: 'integer' }, '-3', -3],
    ['a whole decimal', { type: 'integer' }, '5.0', 5],
    ['a fraction for a number', { type: 'number' }, '1.5e2', 150],
    ['a boolean string', { type: 'boolean' }, 'false', false],
    ['an integer for a string', { type: 'string' }, 42, '42'],
    ['an integer for a nullable string', { type: ['string', 'null'] }, 42, '42'],
    ['an integer for an enum of strings', { enum: ['1', '2'] }, 2, '2'],
    ['a string for an enum of integers', { enum: [1, 2] }, '2', 2],
    ['a string for a nullable integer', { anyOf: [{ type: 'integer' }, { type: 'null' }] }, '7', 7],
    [
      'a string where two types are told apart by their spelling',
      { anyOf: [{ type: 'integer' }, { type: 'boolean' }] },
      'true',
      true,
    ],
    ['a JSON object', { type: 'object', properties: { a: { type: 'integer' } } }, '{"a": 1}', { a: 1 }],
    ['a JSON array', { type: 'array', items: { type: 'string' } }, ' ["a","b"]', ['a', 'b']],
    [
      'strings inside a JSON object',
      { type: 'object', properties: { a: { type: 'integer' } } },
      '{"a": "1"}',
      { a: 1 },
    ],
    ['items of an array', { type: 'array', items: { type: 'integer' } }, ['1', 2, '3'], [1, 2, 3]],
    [
      'positions of a tuple',
      { type: 'array', prefixItems: [{ type: 'string' }, { type: 'integer' }] },
      ['1', '2'],
      ['1', 2],
    ],
    ['values of a map', { type: 'object', additionalProperties: { type: 'number' } }, { a: '1' }, { a: 1 }],
    [
      'parts of allOf',
      { allOf: [{ type: 'object', properties: { a: { type: 'integer' } } }, { required: ['a'] }] },
      { a: '1' },
      { a: 1 },
    ],
  ])('%s', (_, schema, given, want) => {
    expect(read(field(schema), given)).toEqual(want);
  });

  test('through references, at any depth', () => {
    const given = { limit: '1', next: { limit: 2, next: { limit: '3', tag: '4' } } };
    expect(read(field(filter, filters), given)).toEqual({ limit: 1, next: { limit: 2, next: { limit: 3, tag: '4' } } });
    expect(given.limit).toBe('1');
  });

  test('inside the branch its tag names', () => {
    const schema = field({
      oneOf: [
        { type: 'object', required: ['kind', 'size'], properties: { kind: { const: 'a' }, size: { type: 'integer' } } },
        { type: 'object', required: ['kind', 'size'], properties: { kind: { const: 'b' }, size: { type: 'string' } } },
      ],
    });
    expect(read(schema, { kind: 'a', size: '5' })).toEqual({ kind: 'a', size: 5 });
    expect(read(schema, { kind: 'b', size: 5 })).toEqual({ kind: 'b', size: '5' });
  });
});

describe('a value is not read differently', () => {
  test.each<[string, JsonSchema, unknown]>([
    ['where a string is accepted', { type: ['string', 'integer'] }, '12'],
    ['where one branch takes strings', { oneOf: [{ type: 'string' }, { type: 'integer' }] }, '12'],
    ['where nothing is said', {}, '{"a":1}'],
  ])('%s', (_, schema, value) => {
    expect(read(field(schema), value)).toBe(value);
    // Even when something else has to be read again.
    const both = { type: 'object', properties: { x: schema, n: { type: 'integer' } }, additionalProperties: false };
    expect(createSchemaValidator(both)('t', { x: value, n: '1' } as Args)).toEqual({ x: value, n: 1 });
  });

  test.each<[string, JsonSchema, unknown]>([
    ['a word for a number', { type: 'integer' }, 'twelve'],
    ['an empty string for a number', { type: 'number' }, ''],
    ['an empty string for null', { type: 'null' }, ''],
    ['a fraction for an integer', { type: 'integer' }, '1.5'],
    ['a hexadecimal number', { type: 'integer' }, '0x10'],
    ['digits beyond what a number holds', { type: 'integer' }, '12345678901234567890'],
    ['a leading zero', { type: 'integer' }, '007'],
    ['yes for true', { type: 'boolean' }, 'yes'],
    ['1 for true', { type: 'boolean' }, 1],
    ['a fraction for a string', { type: 'string' }, 1.5],
    ['a boolean for a string', { type: 'string' }, true],
    ['an integer that already lost digits for a string', { type: 'string' }, 2 ** 60],
    ['an integer for a string or an array of strings', { type: ['string', 'array'], items: { type: 'string' } }, 5],
    ['null in a list of strings', { type: 'array', items: { type: 'string' } }, [null]],
    ['null in a map of strings', { type: 'object', additionalProperties: { type: 'string' } }, { a: null }],
    [
      'null inside for what is required there',
      { type: 'object', required: ['a'], properties: { a: { type: 'string' } } },
      { a: null },
    ],
    ['one item for an array', { type: 'array', items: { type: 'string' } }, 'bug'],
    ['an array for an object', { type: 'object' }, '[1]'],
    ['broken JSON', { type: 'object' }, '{"a":'],
    ['JSON nested without end', { type: 'array' }, `${'['.repeat(5_000)}${']'.repeat(5_000)}`],
    [
      'a field of an ambiguous branch',
      {
        anyOf: [
          { type: 'object', required: ['a'], properties: { a: { type: 'integer' } }, additionalProperties: false },
          { type: 'object', required: ['a'], properties: { a: { type: 'boolean' } }, additionalProperties: false },
        ],
      },
      { a: '1' },
    ],
  ])('and is refused: %s', (_, schema, value) => {
    expect(() => read(field(schema), value)).toThrow('Invalid arguments for t; nothing was sent.');
  });

  test('if another reading would not fit either', () => {
    expect(() => read(field({ type: 'integer', maximum: 10 }), '500')).toThrow(
      '`x` must be at most 10; got integer 500',
    );
  });
});

describe('null for a missing value', () => {
  const text = { type: 'string' };
  const textOrNull = { type: ['string', 'null'] };
  const schema = {
    type: 'object',
    properties: {
      id: text,
      note: text,
      size: { enum: ['s', 'm'] },
      any: { anyOf: [text, { type: 'integer' }] },
      owner: textOrNull,
      team: { anyOf: [{ $ref: '#/$defs/Team' }, { type: 'null' }] },
      address: { allOf: [{ $ref: '#/$defs/Address' }] },
    },
    required: ['id'],
    additionalProperties: false,
    $defs: {
      Team: { type: 'object', required: ['lead'], properties: { lead: textOrNull, name: text } },
      Address: { type: 'object', required: ['city'], properties: { city: text, street: text } },
    },
  };
  const validate = createSchemaValidator(schema);
  const need = (...required: string[]) => createSchemaValidator({ ...schema, required });

  test.each<[string, Args, Args]>([
    ['for an optional argument is leaving it out', { id: '1', note: null }, { id: '1' }],
    ['for one of a few words', { id: '1', size: null }, { id: '1' }],
    ['for one of several types', { id: '1', any: null }, { id: '1' }],
    ['for every optional argument', { id: '1', note: null, size: null, address: null }, { id: '1' }],
    ['inside an argument', { id: '1', address: { city: 'c', street: null } }, { id: '1', address: { city: 'c' } }],
    ['beside another reading', { id: 1, note: null } as Args, { id: '1' }],
    ['is sent where it is taken', { id: '1', owner: null, team: null }, { id: '1', owner: null, team: null }],
  ])('%s', (_, args, meant) => {
    expect(validate('t', args)).toEqual(meant);
  });

  test('is filled in where null must be given and the client left it out', () => {
    expect(need('id', 'owner', 'team')('t', { id: '1' })).toEqual({ id: '1', owner: null, team: null });
    expect(validate('t', { id: '1', team: { name: 'n' } })).toEqual({ id: '1', team: { name: 'n', lead: null } });
  });

  test('is not filled in for a call without arguments, nor where any value is allowed', () => {
    expect(() => need('owner')('t', {})).toThrow('missing `owner`');
    const anything = createSchemaValidator({ type: 'object', properties: { a: text, b: {} }, required: ['b'] });
    expect(() => anything('t', { a: 'x' })).toThrow('missing `b`');
  });

  test('is refused as null for a required argument', () => {
    expect(() => validate('t', { id: null })).toThrow('1. `id` must be string; got null');
  });
});
