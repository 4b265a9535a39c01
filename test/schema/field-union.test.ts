import { Ajv2020 } from 'ajv/dist/2020.js';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { uniteField } from '../../src/schema/field-union.ts';

describe('uniteField()', () => {
  test('equal schemas stay as they are', () => {
    const schema = { type: 'string', description: 'Pet id' };
    expect(
      uniteField([
        { action: 'get', schema },
        { action: 'delete', schema },
      ]),
    ).toEqual(schema);
  });

  test('different descriptions of the same field are both shown', () => {
    expect(
      uniteField([
        { action: 'get', schema: { type: 'integer', description: 'Issue number.' } },
        { action: 'merge', schema: { type: 'integer', description: 'Pull number' } },
      ]),
    ).toEqual({ type: 'integer', description: 'Issue number / Pull number' });
  });

  test('different types are alternatives, and the text says which action takes which', () => {
    expect(
      uniteField([
        { action: 'get', schema: { type: 'integer' } },
        { action: 'create', schema: { type: 'string', description: 'Key' } },
      ]),
    ).toEqual({
      anyOf: [{ type: 'integer', description: 'Key. integer for get; string for create' }, { type: 'string' }],
    });
  });

  test('different enums are united, and the text says which values belong where', () => {
    expect(
      uniteField([
        { action: 'list', schema: { type: 'string', enum: ['new', 'old'] } },
        { action: 'search', schema: { type: 'string', enum: ['old', 'hot'] } },
      ]),
    ).toEqual({
      type: 'string',
      enum: ['new', 'old', 'hot'],
      description: 'Values by action: list: new|old; search: old|hot',
    });
  });

  test('an enum beside free text does not forbid the free text', () => {
    expect(
      uniteField([
        { action: 'list', schema: { type: 'string', enum: ['new'] } },
        { action: 'tag', schema: { type: 'string' } },
      ]),
    ).toEqual({ type: 'string', description: 'Values by action: list: new' });
  });

  test('limits that differ are left out', () => {
    expect(
      uniteField([
        { action: 'a', schema: { type: 'integer', minimum: 1, maximum: 10, default: 5 } },
        { action: 'b', schema: { type: 'integer', minimum: 1, maximum: 100 } },
      ]),
    ).toEqual({ type: 'integer', minimum: 1 });
  });

  test('objects show every property any of them has, and require what all require', () => {
    expect(
      uniteField([
        {
          action: 'create',
          schema: {
            type: 'object',
            properties: { a: { type: 'string' }, b: { type: 'integer' } },
            required: ['a', 'b'],
          },
        },
        { action: 'update', schema: { type: 'object', properties: { a: { type: 'string' } }, required: ['a'] } },
      ]),
    ).toEqual({
      type: 'object',
      properties: { a: { type: 'string' }, b: { type: 'integer' } },
      required: ['a'],
      description: 'Properties depend on the action',
    });
  });

  test('arrays unite their items', () => {
    expect(
      uniteField([
        { action: 'a', schema: { type: 'array', items: { type: 'string' } } },
        { action: 'b', schema: { type: 'array', items: { type: 'integer' } } },
      ]),
    ).toEqual({ type: 'array', items: { anyOf: [{ type: 'string' }, { type: 'integer' }] } });
  });

  test('too many alternatives are reduced to their types', () => {
    const variants = Array.from({ length: 6 }, (_, i) => ({
      action: `a${i}`,
      schema:
        i % 2
          ? { type: 'string', enum: [`v${i}`], format: `f${i}` }
          : { type: 'array', items: { type: 'string', pattern: `${i}` } },
    }));
    const united = uniteField(variants) as { anyOf: unknown[] };
    expect(united.anyOf).toEqual([
      {
        type: 'array',
        items: { anyOf: expect.any(Array) },
        description: expect.stringContaining('array of string for a0'),
      },
      { type: 'string' },
    ]);
  });

  test('whatever one action accepts, the union accepts', () => {
    const leaf = fc.oneof(
      fc.record({
        type: fc.constant('integer'),
        minimum: fc.integer({ min: -5, max: 5 }),
        maximum: fc.integer({ min: 6, max: 20 }),
      }),
      fc.record({ type: fc.constant('string'), maxLength: fc.integer({ min: 1, max: 5 }) }),
      fc.record({
        type: fc.constant('string'),
        enum: fc.uniqueArray(fc.constantFrom('a', 'b', 'c', 'd'), { minLength: 1 }),
      }),
      fc.constant({ type: 'boolean' }),
    );
    const schema = fc.oneof(
      leaf,
      leaf.map((items) => ({ type: 'array', items })),
      fc.tuple(leaf, leaf, fc.boolean()).map(([a, b, both]) => ({
        type: 'object',
        properties: both ? { a, b } : { a },
        required: ['a'],
        additionalProperties: false,
      })),
      fc.tuple(leaf, leaf).map((anyOf) => ({ anyOf })),
    );
    const scalar = fc.oneof(fc.integer({ min: -6, max: 21 }), fc.constantFrom('a', 'b', 'abcdef', ''), fc.boolean());
    const value = fc.oneof(
      scalar,
      fc.array(scalar, { maxLength: 2 }),
      fc.record({ a: scalar, b: scalar }, { requiredKeys: [] }),
    );
    const ajv = new Ajv2020({ strict: false });
    fc.assert(
      fc.property(
        fc.array(schema, { minLength: 1, maxLength: 4 }),
        fc.array(value, { minLength: 5, maxLength: 10 }),
        (schemas, values) => {
          const united = uniteField(schemas.map((one, index) => ({ action: `a${index}`, schema: one })));
          for (const candidate of values) {
            if (schemas.some((one) => ajv.validate(one, candidate)))
              expect(ajv.validate(united as object, candidate)).toBe(true);
          }
        },
      ),
      { numRuns: 300 },
    );
  });
});
