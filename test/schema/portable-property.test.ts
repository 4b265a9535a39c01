// What holds for every advertised schema: any client takes it, and it never refuses what is enforced to be right.
import { Ajv2020 } from 'ajv/dist/2020.js';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { CLIENTS, type ClientId, checkTool } from '../../src/doctor/client-rules.ts';
import type { JsonSchema } from '../../src/endpoint/model.ts';
import { Budget } from '../../src/schema/check/budget.ts';
import { createCheck } from '../../src/schema/check/compile-schema.ts';
import { toPortableSchema } from '../../src/schema/portable/portable-schema.ts';
import { type Json, schemas, toolSchemas, valuesFor } from '../support/schemas.ts';

const clients = Object.keys(CLIENTS) as ClientId[];

function problems(inputSchema: unknown): string[] {
  return clients.flatMap((client) => checkTool({ name: 'x', inputSchema }, client).map((text) => `${client}: ${text}`));
}

/** Schemas as documents should not write them. */
const oddSchemas = fc.letrec<{ any: Json }>((tie) => ({
  any: fc.oneof(
    { maxDepth: 4 },
    schemas as fc.Arbitrary<Json>,
    fc.constantFrom<Json>(
      true,
      false,
      {},
      { nullable: true },
      { type: 'file' },
      { type: [] },
      { enum: [] },
      { enum: [null, '', 1, {}] },
      { type: 'array' },
      { type: 'null' },
      { $ref: '#/$defs/Gone' },
      { $ref: 7 },
      { const: { a: 1 } },
      { properties: 7, required: 'x' },
    ),
    fc.record({
      type: fc.constantFrom('object', 'array', 'string'),
      properties: fc.dictionary(
        fc.constantFrom('a', '$ref', '__proto__', 'type', 'x y', 'properties', 'constructor'),
        tie('any'),
        { maxKeys: 3 },
      ),
    }) as fc.Arbitrary<Json>,
    fc.record({
      items: tie('any'),
      contains: tie('any'),
      prefixItems: fc.array(tie('any'), { maxLength: 2 }),
    }) as fc.Arbitrary<Json>,
    fc.record({
      anyOf: fc.array(tie('any'), { maxLength: 14 }),
      description: fc.constant('Words.'),
    }) as fc.Arbitrary<Json>,
    fc.record({
      allOf: fc.array(tie('any'), { maxLength: 3 }),
      not: tie('any'),
      if: tie('any'),
      else: tie('any'),
    }) as fc.Arbitrary<Json>,
    fc.record({
      type: fc.constant('object'),
      patternProperties: fc.dictionary(fc.constantFrom('^a', '('), tie('any'), { maxKeys: 2 }),
      additionalProperties: tie('any'),
      'x-mcp-header': fc.constant('H'),
    }) as fc.Arbitrary<Json>,
  ),
})).any;

/** Strict mode refuses what it does not know, and so proves that nothing unknown is left. */
const strict = new Ajv2020({ strict: true, formats: { 'date-time': true } });

function compileStrictly(schema: object): (value: unknown) => boolean {
  const check = strict.compile(schema);
  strict.removeSchema(schema);
  return check;
}

describe('every portable schema', () => {
  test('is accepted by every client', () => {
    fc.assert(
      fc.property(toolSchemas, fc.integer({ min: 1, max: 5 }), (schema, maxDepth) => {
        expect(problems(toPortableSchema(schema as JsonSchema, { maxDepth }))).toEqual([]);
      }),
      { numRuns: 300 },
    );
  }, 120_000);

  test('is accepted by every client, however odd its origin', () => {
    fc.assert(
      fc.property(oddSchemas, fc.boolean(), (odd, atRoot) => {
        const schema = (atRoot ? odd : { type: 'object', properties: { x: odd }, required: ['x'] }) as JsonSchema;
        const portable = toPortableSchema(schema);
        expect(problems(portable)).toEqual([]);
        expect(JSON.stringify(portable)).not.toMatch(/"(?:\$ref|\$defs|allOf|oneOf|const|x-mcp-header)":/);
      }),
      { numRuns: 500 },
    );
  }, 120_000);

  test('accepts whatever the enforced schema accepts', () => {
    let accepted = 0;
    const cases = toolSchemas.chain((schema) =>
      fc.tuple(fc.constant(schema), fc.array(valuesFor(schema, schema), { minLength: 3, maxLength: 6 })),
    );
    fc.assert(
      fc.property(cases, ([schema, values]) => {
        const portable = toPortableSchema(schema as JsonSchema);
        const enforced = createCheck(schema as JsonSchema);
        const advertised = compileStrictly(portable);
        for (const value of values) {
          if (!enforced(value, new Budget())) continue;
          accepted++;
          const readings = withoutNulls(value);
          expect([value, portable, readings.some((reading) => advertised(reading))]).toEqual([value, portable, true]);
        }
      }),
      { numRuns: 250 },
    );
    expect(accepted).toBeGreaterThan(100);
  }, 120_000);
});

/** An optional field that is null may as well be left out, which is what the advertised schema asks for. */
function withoutNulls(value: Json): Json[] {
  if (Array.isArray(value)) {
    return value.reduce<Json[]>(
      (lists, item) =>
        lists.flatMap((list) => withoutNulls(item).map((reading) => [...(list as Json[]), reading])).slice(0, 64),
      [[]],
    );
  }
  if (typeof value !== 'object' || value === null) return [value];
  let readings: Record<string, Json>[] = [{}];
  for (const [key, part] of Object.entries(value)) {
    const kept = readings.flatMap((reading) => withoutNulls(part).map((inner) => ({ ...reading, [key]: inner })));
    readings = (part === null ? [...kept, ...readings] : kept).slice(0, 64);
  }
  return readings;
}
