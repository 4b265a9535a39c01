// What ajv compiles decides as walking does: where its code would not, a schema is walked.
import { describe, expect, test } from 'vitest';
import type { JsonSchema } from '../../src/endpoint/model.ts';
import { createCheck } from '../../src/schema/check/compile-schema.ts';
import { allowEffort } from '../../src/schema/check/effort.ts';

/** What a check says about each value. */
function verdicts(schema: JsonSchema, ...values: unknown[]): boolean[] {
  const check = createCheck(schema);
  return values.map((value) => {
    allowEffort();
    return check(value);
  });
}

describe('code that fails while it runs', () => {
  const extensions = { type: 'object', patternProperties: { '^x-': { type: 'integer' } } };
  // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
  const openIfK = { if: { required: ['k'] }, then: { additionalProperties: true } };

  test.each<[string, JsonSchema]>([
    ['a condition', openIfK],
    ['a condition inside allOf', { allOf: [openIfK] }],
    ['a dependent schema', { dependentSchemas: { k: { additionalProperties: true } } }],
    ['a union', { oneOf: [{ required: ['a'], additionalProperties: true }, { required: ['b'] }] }],
  ])('beside patternProperties (%s) is replaced by walking', (_, composition) => {
    const schema = { ...extensions, ...(composition as object) };
    expect(verdicts(schema, { 'x-a': 1, b: 1 }, { 'x-a': 'no', b: 1 }, { b: 1 })).toEqual([true, false, true]);
  });

  test('refuses what nothing evaluates', () => {
    const schema = {
      ...extensions,
      anyOf: [{ required: ['a'], additionalProperties: true }, { required: ['b'] }],
      unevaluatedProperties: false,
    };
    expect(verdicts(schema, { 'x-a': 1, b: 1 }, { 'x-a': 1, a: 1 })).toEqual([false, true]);
  });
});
