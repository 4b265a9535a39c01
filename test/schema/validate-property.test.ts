// Properties of validation over random schemas, with ajv as it comes (no coercion, no repair) as the oracle.
import { isDeepStrictEqual } from 'node:util';
import { Ajv2020 } from 'ajv/dist/2020.js';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Args, JsonSchema } from '../../src/endpoint/model.ts';
import { GatewayError } from '../../src/errors.ts';
import { Budget } from '../../src/schema/check/budget.ts';
import { createCheck } from '../../src/schema/check/compile-schema.ts';
import { auditSchema, toCompilable } from '../../src/schema/check/repair.ts';
import { createSchemaValidator } from '../../src/schema/check/validator.ts';
import { explain } from '../../src/schema/explain/explain-errors.ts';
import { fitsSchema } from '../../src/schema/walk/walk-schema.ts';
import { type Json, toolSchemas, valuesFor } from '../support/schemas.ts';

const cases = toolSchemas.chain((schema) =>
  fc.tuple(fc.constant(schema as JsonSchema), fc.array(valuesFor(schema, schema, 0), { minLength: 1, maxLength: 4 })),
);

function oracle(schema: JsonSchema): (value: unknown) => boolean {
  const ajv = new Ajv2020({
    strict: false,
    ownProperties: true,
    validateSchema: false,
    logger: false,
    meta: false,
    multipleOfPrecision: 8,
  });
  // Formats are compared elsewhere; here the plain reading of every other keyword counts.
  for (const format of ['date', 'uuid', 'date-time']) ajv.addFormat(format, true);
  return ajv.compile(schema as object) as (value: unknown) => boolean;
}

const fits = (schema: JsonSchema, value: unknown) => fitsSchema({ root: schema, budget: new Budget() }, schema, value);

const withoutFormats = (schema: JsonSchema): JsonSchema =>
  JSON.parse(JSON.stringify(schema), (key, value: Json) =>
    key === 'format' && typeof value === 'string' ? undefined : value,
  ) as JsonSchema;

describe('for any schema and any arguments', () => {
  test('argument by argument is decided as a whole', () => {
    fc.assert(
      fc.property(cases, ([declared, values]) => {
        const schema = withoutFormats(declared);
        const whole = oracle(schema);
        const check = createCheck(schema);
        for (const value of values) expect([value, check(value, new Budget())]).toEqual([value, whole(value)]);
      }),
      { numRuns: 200 },
    );
  }, 120_000);

  test('walking decides as compiled code does', () => {
    fc.assert(
      fc.property(cases, ([declared, values]) => {
        const schema = withoutFormats(declared);
        const whole = oracle(schema);
        for (const value of values) expect([value, fits(schema, value)]).toEqual([value, whole(value)]);
      }),
      { numRuns: 300 },
    );
  }, 120_000);

  test('an explanation is found exactly when there is something to explain', () => {
    fc.assert(
      fc.property(cases, ([schema, values]) => {
        const check = createCheck(schema);
        for (const value of values) {
          const problems = explain(schema, value, { budget: new Budget(), max: 20 });
          expect([value, problems.length === 0, problems]).toEqual([value, check(value, new Budget()), problems]);
        }
      }),
      { numRuns: 300 },
    );
  }, 120_000);

  test('what is accepted fits, and is untouched when it already did', () => {
    fc.assert(
      fc.property(cases, ([schema, values]) => {
        const validate = createSchemaValidator(schema);
        const check = createCheck(schema);
        for (const value of values) {
          const before = JSON.stringify(value);
          let accepted: Args | undefined;
          try {
            accepted = validate('t', value as Args);
          } catch (error) {
            expect(error).toBeInstanceOf(GatewayError);
            const { message, details } = error as GatewayError;
            expect(message.startsWith('Invalid arguments for t; nothing was sent. Fix and call again:\n1. ')).toBe(
              true,
            );
            expect(message.length).toBeLessThanOrEqual(4_000);
            expect((details.errors as unknown[]).length).toBeGreaterThan(0);
            expect(check(value, new Budget())).toBe(false);
          }
          if (accepted !== undefined) {
            expect(check(accepted, new Budget())).toBe(true);
            expect(accepted === value).toBe(check(value, new Budget()));
          }
          expect(JSON.stringify(value)).toBe(before);
        }
      }),
      { numRuns: 200 },
    );
  }, 120_000);

  test('what is handed to ajv decides as the schema does', () => {
    fc.assert(
      fc.property(cases, ([declared, values]) => {
        const schema = withoutFormats(declared);
        expect(auditSchema(schema)).toEqual([]);
        const compilable = toCompilable(schema, schema);
        if (compilable === undefined) return;
        const whole = oracle(schema);
        const again = oracle(compilable.schema);
        for (const value of values) expect([value, again(value)]).toEqual([value, whole(value)]);
      }),
      { numRuns: 150 },
    );
  }, 120_000);

  test('a fixed value is equal in any order of its names, and to nothing else', () => {
    const reversed = (value: unknown): unknown => {
      if (typeof value !== 'object' || value === null) return value;
      if (Array.isArray(value)) return value.map(reversed);
      const entries = Object.entries(value).reverse();
      return Object.fromEntries(entries.map(([key, inner]) => [key, reversed(inner)]));
    };
    const value = fc.jsonValue({ maxDepth: 2 }).map((json): unknown => JSON.parse(JSON.stringify(json)));
    fc.assert(
      fc.property(value, value, (fixed, other) => {
        for (const schema of [{ const: fixed }, { enum: [fixed] }]) {
          expect(createCheck(schema)(reversed(fixed), new Budget())).toBe(true);
          expect(createCheck(schema)(other, new Budget())).toBe(isDeepStrictEqual(fixed, other));
          expect(createCheck(schema)([fixed], new Budget())).toBe(false);
        }
      }),
      { numRuns: 200 },
    );
  });

  test('lengths are counted in characters, compiled or walked', () => {
    const text = fc
      .array(fc.constantFrom('a', 'é', '😀', '\ud83d', '\ude00'), { maxLength: 8 })
      .map((all) => all.join(''));
    fc.assert(
      fc.property(text, fc.nat(9), (value, limit) => {
        const length = [...value].length;
        for (const [keyword, holds] of [
          ['maxLength', length <= limit],
          ['minLength', length >= limit],
        ] as const) {
          const schema = { [keyword]: limit };
          expect([keyword, createCheck(schema)(value, new Budget())]).toEqual([keyword, holds]);
          expect([keyword, fits(schema, value)]).toEqual([keyword, holds]);
        }
      }),
      { numRuns: 200 },
    );
  });
});
