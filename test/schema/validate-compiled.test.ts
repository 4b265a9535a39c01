// What ajv compiles decides as walking does: where its code would not, a schema is walked.
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { JsonSchema } from '../../src/endpoint/model.ts';
import { Budget } from '../../src/schema/check/budget.ts';
import { createCheck } from '../../src/schema/check/compile-schema.ts';
import { fitsSchema } from '../../src/schema/walk/walk-schema.ts';

/** What a check says about each value. */
function verdicts(schema: JsonSchema, ...values: unknown[]): boolean[] {
  const check = createCheck(schema);
  return values.map((value) => check(value, new Budget()));
}

const fits = (schema: JsonSchema, value: unknown) => fitsSchema({ root: schema, budget: new Budget() }, schema, value);

describe('compiled code that throws', () => {
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

  test('is replaced by a walk that refuses unevaluated properties', () => {
    const schema = {
      ...extensions,
      anyOf: [{ required: ['a'], additionalProperties: true }, { required: ['b'] }],
      unevaluatedProperties: false,
    };
    expect(verdicts(schema, { 'x-a': 1, b: 1 }, { 'x-a': 1, a: 1 })).toEqual([false, true]);
  });
});

describe('schemas that ajv would misread are walked', () => {
  test.each<[string, JsonSchema, readonly unknown[], readonly unknown[]]>([
    ['contains beside prefixItems', { prefixItems: [{ type: 'integer' }], contains: { const: 'a' } }, [[1, 'a']], [[]]],
    ['items in a branch', { anyOf: [{ items: true }], unevaluatedItems: false }, [[1], []], []],
    ['contains as what evaluates', { contains: { type: 'integer' }, unevaluatedItems: false }, [[1]], [[1, 'a']]],
    ['prefixItems in a branch', { anyOf: [{ prefixItems: [true] }], unevaluatedItems: false }, [[1]], [[1, 2]]],
    [
      'an `if` that fails',
      { if: { properties: { a: true }, required: ['k'] }, else: { required: ['a'] }, unevaluatedProperties: false },
      [],
      [{ a: 1 }],
    ],
    [
      'an `if` that holds and has no sides',
      { if: { properties: { a: true } }, unevaluatedProperties: false },
      [{ a: 1 }],
      [{ b: 1 }],
    ],
    [
      'a dependent schema that does not apply',
      {
        properties: { b: true },
        dependentSchemas: { a: { properties: { a: true } } },
        unevaluatedProperties: false,
      },
      [{ b: 1 }, { a: 1, b: 1 }],
      [{ c: 1 }],
    ],
    [
      'names by pattern in a branch that fails',
      { anyOf: [{ patternProperties: { '^x': { type: 'string' } } }, true], unevaluatedProperties: false },
      [{ xa: 'a' }],
      [{ xa: 1 }],
    ],
    [
      'a union in a branch that fails',
      {
        anyOf: [{ oneOf: [{ properties: { a: true } }, true] }, true],
        unevaluatedProperties: false,
      },
      [{}],
      [{ a: 1 }],
    ],
  ])('%s', (_, schema, fitting, others) => {
    expect(verdicts(schema, ...fitting, ...others)).toEqual([...fitting.map(() => true), ...others.map(() => false)]);
  });
});

describe('an entry that is not a schema, in a list of schemas', () => {
  test.each(['anyOf', 'oneOf'])('is no branch of %s', (union) => {
    const schema = { [union]: [{ type: 'string' }, null, 'oops'] };
    expect(verdicts(schema, 'a', 5)).toEqual([true, false]);
    expect(fits(schema, 'a')).toBe(true);
    expect(fits(schema, 5)).toBe(false);
  });

  test.each(['anyOf', 'oneOf', 'allOf', 'prefixItems'])('restricts nothing where %s has nothing else', (keyword) => {
    const schema = { [keyword]: [null] };
    expect(verdicts(schema, 'a', [5])).toEqual([true, true]);
    expect(fits(schema, [5])).toBe(true);
  });

  test('keeps its place in prefixItems, where a schema stands beside it', () => {
    expect(verdicts({ prefixItems: [null], items: { type: 'string' } }, ['a'], [1])).toEqual([true, false]);
    expect(verdicts({ prefixItems: [null, { type: 'string' }] }, [1, 'a'], ['a', 1])).toEqual([true, false]);
  });
});

/** Compositions and what they evaluate, small enough to be compiled. */
const compositions = fc.letrec<{ schema: JsonSchema; some: JsonSchema }>((tie) => {
  const names = fc.constantFrom('a', 'b', 'k');
  const named = fc.dictionary(names, tie('schema'), { minKeys: 1, maxKeys: 2, noNullPrototype: true });
  const keyword = fc.oneof(
    ...['anyOf', 'oneOf', 'allOf'].map((name) => fc.record({ [name]: fc.array(tie('some'), { maxLength: 3 }) })),
    ...['properties', 'dependentSchemas'].map((name) => fc.record({ [name]: named })),
    ...['additionalProperties', 'items', 'contains', 'not'].map((name) => fc.record({ [name]: tie('schema') })),
    ...['unevaluatedProperties', 'unevaluatedItems'].map((name) => fc.record({ [name]: tie('schema') })),
    fc.record({ prefixItems: fc.array(tie('some'), { minLength: 1, maxLength: 2 }) }),
    fc.record({ patternProperties: fc.record({ '^x': tie('schema') }) }),
    fc.record({ required: fc.array(names, { minLength: 1, maxLength: 1 }) }),
    fc.tuple(tie('schema'), tie('schema')).map(([condition, side]) => ({ if: condition, ['then' as string]: side })),
    fc.tuple(tie('schema'), tie('schema')).map(([condition, side]) => ({ if: condition, else: side })),
  );
  const plain = fc.constantFrom<JsonSchema>(true, false, {}, { type: 'integer' }, { const: 'x' }, { type: 'object' });
  return {
    // Documents also write what is no schema.
    some: fc.oneof({ weight: 9, arbitrary: tie('schema') }, fc.constantFrom(null, 'oops') as fc.Arbitrary<never>),
    schema: fc.oneof(
      { maxDepth: 3, withCrossShrink: true },
      plain,
      fc.array(keyword, { minLength: 1, maxLength: 3 }).map((parts): JsonSchema => Object.assign({}, ...parts)),
    ),
  };
}).schema;

const VALUES = [
  ...[[], [1], ['x'], [1, 'x'], [1, 2, 3], 'x', 1],
  ...[{}, { a: 1 }, { b: 'x' }, { a: 'x', b: 1 }, { k: 1 }, { xa: 1 }, { xa: 'x', a: 1 }, { a: 1, k: 1, c: 1 }],
];

test('ajv and the walk agree on any composition', () => {
  fc.assert(
    fc.property(compositions, (schema) => {
      expect(verdicts(schema, ...VALUES)).toEqual(VALUES.map((value) => fits(schema, value)));
    }),
    { numRuns: 500, seed: 20_261_117 },
  );
}, 120_000);
