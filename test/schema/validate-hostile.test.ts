// Arguments made to be expensive against schemas made to be. Work is counted, not timed: how often the arguments are
// looked into, through proxies around every object and list in them.
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Args, JsonSchema } from '../../src/endpoint/model.ts';
import { GatewayError } from '../../src/errors.ts';
import { Budget } from '../../src/schema/check/budget.ts';
import { createCheck } from '../../src/schema/check/compile-schema.ts';
import { createSchemaValidator } from '../../src/schema/check/validator.ts';
import { toolSchemas } from '../support/schemas.ts';

interface Looks {
  count: number;
}

/** The value, counting every property read and every list of keys. */
function watched<T>(value: T, looks: Looks): T {
  if (typeof value !== 'object' || value === null) return value;
  const inner = new Map<unknown, unknown>();
  const wrap = (part: unknown): unknown => {
    if (typeof part !== 'object' || part === null) return part;
    if (!inner.has(part)) inner.set(part, watched(part, looks));
    return inner.get(part);
  };
  return new Proxy(value as object, {
    get(target, key, receiver) {
      looks.count++;
      return wrap(Reflect.get(target, key, receiver));
    },
    ownKeys(target) {
      const keys = Reflect.ownKeys(target);
      looks.count += keys.length;
      return keys;
    },
  }) as T;
}

function sizeOf(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 1;
  return Object.values(value).reduce<number>((sum, part) => sum + sizeOf(part), 1);
}

/** What became of a call, and how much work it was. */
function run(schema: JsonSchema, args: unknown): { message: string; looks: number; errors: number } {
  const looks = { count: 0 };
  try {
    createSchemaValidator(schema)('t', watched(args, looks) as Args);
    return { message: 'accepted', looks: looks.count, errors: 0 };
  } catch (error) {
    if (!(error instanceof GatewayError)) throw error;
    expect(JSON.stringify(error.details).length).toBeLessThan(60_000);
    return { message: error.message, looks: looks.count, errors: (error.details.errors as unknown[]).length };
  }
}

const field = (schema: JsonSchema, rest: Record<string, unknown> = {}): JsonSchema => ({
  type: 'object',
  properties: { x: schema },
  additionalProperties: false,
  ...rest,
});
const range = (length: number): number[] => Array.from({ length }, (_, index) => index);
const record = <T>(length: number, name: string, value: (index: number) => T): Record<string, T> =>
  Object.fromEntries(range(length).map((index) => [`${name}${index}`, value(index)]));

/** Work that no call may exceed, whatever it is made of. */
const MOST = 6_000_000;

describe('expensive arguments cost a bounded number of looks', () => {
  const string = { type: 'string' };
  const cases: [string, JsonSchema, () => unknown, RegExp][] = [
    [
      'five thousand unknown keys against four hundred properties',
      { type: 'object', properties: record(400, 'property_', () => string) },
      () => record(5_000, 'propertx_', () => 1),
      /unknown `propertx_0` — did you mean `property_0`\?/,
    ],
    [
      'the same, one level down',
      field({ type: 'object', properties: record(400, 'property_', () => string), additionalProperties: false }),
      () => ({ x: record(5_000, 'propertx_', () => 1) }),
      /unknown `x.propertx_0` — did you mean `x.property_0`\?/,
    ],
    [
      'the same, in every form of a union',
      field({
        anyOf: range(50).map((form) => ({
          type: 'object',
          properties: record(50, `p${form}_`, () => string),
          additionalProperties: false,
        })),
      }),
      () => ({ x: record(5_000, 'q', () => 1) }),
      /unknown `x.q0`|takes too long|too many to say/,
    ],
    [
      'a map of long integers as text, where fractions are refused',
      field({ type: 'object', additionalProperties: { type: 'integer' } }),
      () => ({ x: record(5_000, 'k', () => '123456789012345678') }),
      /`x\.k0` must be integer; got string "123456789012345678"/,
    ],
    [
      'a large enum inside a large array',
      field({ type: 'array', items: { enum: range(20_000).map((index) => `value${index}`) } }),
      () => ({ x: range(19_000).map((index) => `valux${index}`) }),
      /`x\[0\]` must be one of "value0", .*did you mean/,
    ],
    [
      'a union of many forms for every item',
      field({
        type: 'array',
        items: { anyOf: range(500).map((index) => ({ type: 'object', required: [`a${index}`] })) },
      }),
      () => ({ x: range(9_000).map(() => ({ a499: 1 })) }),
      /takes too long/,
    ],
    [
      'many patterns for every key',
      field({ type: 'object', patternProperties: record(500, '^k(?:a|b)*', () => ({ type: 'integer' })) }),
      () => ({ x: record(5_000, 'kab', () => 1) }),
      /takes too long/,
    ],
    [
      'values of a megabyte, each in an error of its own',
      { type: 'object', properties: record(20, 'p', () => ({ type: 'integer' })) },
      () => record(20, 'p', () => 'é'.repeat(100_000)),
      /`p0` must be integer; got string "é+…" \(100000 characters\)/,
    ],
    [
      'twenty thousand wrong items',
      field({ type: 'array', items: { type: 'integer' } }),
      () => ({ x: range(19_990).map(() => 'a') }),
      /1\. `x\[0\]` must be integer; got string "a"/,
    ],
    [
      'a recursive union',
      field(
        { $ref: '#/$defs/N' },
        {
          $defs: {
            N: {
              anyOf: [1, 2, 3].map(() => ({
                type: 'object',
                properties: { c: { $ref: '#/$defs/N' } },
                required: ['z'],
              })),
            },
          },
        },
      ),
      () => ({ x: range(50).reduce<object>((inner) => ({ c: inner }), {}) }),
      /takes too long|missing|too many to say/,
    ],
    [
      'three hundred longest lengths, each near that of the string',
      field({ anyOf: range(300).map((index) => ({ type: 'string', maxLength: 600_000 + index })) }),
      () => ({ x: 'x'.repeat(1_000_000) }),
      /takes too long/,
    ],
    [
      'the same, few enough to be compiled',
      field({
        anyOf: range(7).map(() => ({ anyOf: range(7).map(() => ({ type: 'string', maxLength: 600_000 })) })),
      }),
      () => ({ x: 'x'.repeat(1_000_000) }),
      /takes too long/,
    ],
    [
      'three hundred longest lengths, all far below that of the string',
      field({ anyOf: range(300).map((maxLength) => ({ type: 'string', maxLength })) }),
      () => ({ x: 'x'.repeat(1_000_000) }),
      /must have at most 0 characters; it has 1000000/,
    ],
    [
      'three hundred fixed objects',
      field({ anyOf: range(300).map((index) => ({ enum: [{ index }] })) }),
      () => ({ x: record(4_000, 'k', () => 'v') }),
      /takes too long/,
    ],
    [
      'a union inside each of two thousand forms, for a wide object',
      field({ anyOf: range(2_000).map((index) => ({ not: { anyOf: [{ title: `form ${index}` }] } })) }),
      () => ({ x: record(4_000, 'k', () => 'v') }),
      /must not be given in this form|takes too long|too many to say/,
    ],
    [
      'three hundred forms of base64',
      field({ anyOf: range(300).map((index) => ({ type: 'string', format: 'byte', title: `form ${index}` })) }),
      () => ({ x: `${'x'.repeat(1_000_000)}*` }),
      /takes too long/,
    ],
    [
      'names of a megabyte',
      { type: 'object', properties: { a: string } },
      () => ({ ['a'.repeat(1_000_000)]: 1, [' '.repeat(500_000)]: 1 }),
      /unknown "\[.*a+…"; known: `a`/,
    ],
  ];

  test.each(cases)('%s', (_, schema, args, want) => {
    const { message, looks, errors } = run(schema, args());
    expect(message).toMatch(want);
    expect(message.length).toBeLessThanOrEqual(4_000);
    expect(errors).toBeLessThanOrEqual(12);
    expect(looks).toBeLessThan(MOST);
  });

  test.each<[string, (fixed: JsonSchema) => JsonSchema]>([
    ['in a list', (fixed) => fixed],
    ['in a union of many forms', (fixed) => ({ anyOf: [fixed, ...range(9).map(() => string)] })],
  ])('a wide const %s is not listed for every item', (_, items) => {
    const looks = { count: 0 };
    const fixed = { const: watched(record(4_000, 'k', String), looks) };
    const { message } = run(field({ type: 'array', items: items(fixed) }), { x: range(2_000).map(() => ({})) });
    expect(message).toContain('`x[0]` must be {"k0":"0"');
    // Listed once for comparing; what is more is the text of each of the problems that are told.
    expect(looks.count).toBeLessThan(300_000);
  });

  test('a map of long integers as text, where an API takes them', () => {
    const looks = { count: 0 };
    const args = { x: record(5_000, 'k', () => '123456789012345678') };
    const validate = createSchemaValidator(field({ type: 'object', additionalProperties: { type: 'integer' } }), {
      longIntegers: true,
    });
    const accepted = validate('t', watched(args, looks) as Args) as { x: Record<string, bigint> };
    expect(accepted.x.k4999).toBe(123456789012345678n);
    expect(args.x.k0).toBe('123456789012345678');
    expect(looks.count).toBeLessThan(300_000);
  });
});

describe('a first call compiles little', () => {
  const record20 = record(20, 'q', () => ({ type: 'string', minLength: 1 }));
  /** How many pieces of code a call makes, and what it says. */
  const compile = (schema: JsonSchema, ...calls: unknown[]) => {
    let pieces = 0;
    const check = createCheck(schema, () => pieces++);
    return calls.map((args) => ({ fits: check(args, new Budget()), pieces }));
  };

  test('nothing of a schema that is too large', () => {
    const wide = field({ type: 'object', properties: record(1_000, 'p', () => ({ type: 'integer' })) });
    const anyOf = range(100).map((form) => ({
      type: 'object',
      properties: record(9, `p${form}_`, () => ({ type: 'string' })),
    }));
    const forms = field({ anyOf });
    const names = { type: 'object', anyOf, unevaluatedProperties: false };
    expect(compile(wide, { x: { p1: 1 } })).toEqual([{ fits: true, pieces: 0 }]);
    expect(compile(forms, { x: { p9_1: 'a' } })).toEqual([{ fits: true, pieces: 0 }]);
    expect(compile(names, { p9_1: 'a' }, { p9_1: 'a', q: 1 }, { p9_1: 1, p8_1: 'a' })).toEqual([
      { fits: true, pieces: 0 },
      { fits: false, pieces: 0 },
      { fits: false, pieces: 0 },
    ]);
  });

  test('as many arguments as one call may; the others are walked, and compiled by later calls', () => {
    const schema = {
      type: 'object',
      properties: record(12, 'p', () => ({ type: 'object', properties: record20 })),
      additionalProperties: false,
    };
    const good = record(12, 'p', () => ({ q1: 'a' }));
    const bad = { ...good, p11: { q1: '' } };
    const [first, second, ...rest] = compile(schema, good, bad, good, good, good, good, bad, good);
    expect(first!.fits && !second!.fits).toBe(true);
    // Two arguments of 21 schemas fit into 60; one more piece is the root.
    expect(first!.pieces).toBeLessThanOrEqual(3);
    expect(second!.pieces - first!.pieces).toBeLessThanOrEqual(2);
    expect(rest.map(({ fits }) => fits)).toEqual([true, true, true, true, false, true]);
    expect(rest.at(-1)!.pieces).toBeGreaterThanOrEqual(12);
  });

  test('and looks up few words of long lists', () => {
    const schema = field({ type: 'array', items: { enum: range(20_000).map((index) => `value${index}`) } });
    const { message } = run(schema, { x: range(100).map((index) => `valux${index}`) });
    expect(message.split('did you mean').length - 1).toBe(1);
  });

  test('and gives up on a union whose branches cannot be told apart', () => {
    const forms = range(300).map((form) => ({
      type: 'object',
      properties: { n: { type: 'integer', minimum: 300 - form }, ...record(5, 'p', () => ({ type: 'string' })) },
    }));
    const { message, looks } = run(field({ type: 'array', items: { anyOf: forms } }), {
      x: range(1_500).map(() => ({ n: 1 })),
    });
    expect(message).toContain('checking these arguments takes too long');
    expect(looks).toBeLessThan(500_000);
  });
});

const hostile = fc.oneof(
  fc.integer({ min: 500, max: 3_000 }).map((length) => 'a'.repeat(length)),
  fc.constantFrom('\ud800'.repeat(300), '1'.repeat(400), '{"a":'.repeat(50), ' '.repeat(900)),
  fc.integer({ min: 100, max: 1_500 }).map((length) => range(length).map((index) => (index % 2 ? 'x' : { a: index }))),
  fc.integer({ min: 100, max: 1_500 }).map((length) => record(length, 'a', () => '123456789012345678')),
  fc
    .integer({ min: 20, max: 60 })
    .map((depth) => range(depth).reduce<unknown>((inner) => ({ a: inner, kind: 'x' }), 1)),
  fc.integer({ min: 20, max: 60 }).map((depth) => range(depth).reduce<unknown>((inner) => [inner], 1)),
);

test('for any schema, hostile arguments cost a bounded number of looks each, or are refused', () => {
  fc.assert(
    fc.property(
      toolSchemas,
      fc.dictionary(fc.constantFrom('a', 'b', 'c', 'kind', 'size', 'asize', 'kinds', 'zzz'), hostile, { maxKeys: 5 }),
      (schema, args) => {
        const { looks } = run(schema as JsonSchema, args);
        expect(looks).toBeLessThan(500 * sizeOf(args) + 50_000);
      },
    ),
    { numRuns: 150 },
  );
}, 120_000);

describe('a union of many branches', () => {
  const branch = (index: number) => ({
    type: 'object',
    properties: { kind: { const: `k${index}` }, size: { type: 'integer', minimum: index } },
    required: ['kind'],
    additionalProperties: false,
  });
  const open = (index: number) => ({ type: 'object', properties: { [`p${index}`]: { type: 'integer' } } });

  test('accepts what one of them accepts', () => {
    for (const keyword of ['anyOf', 'oneOf'])
      expect(run(field({ [keyword]: range(40).map(branch) }), { x: { kind: 'k39', size: 39 } }).message).toBe(
        'accepted',
      );
  });

  test('explains the branch that was meant', () => {
    const { message } = run(field({ oneOf: range(40).map(branch) }), { x: { kind: 'k7', size: 6 } });
    expect(message).toContain('1. `x.size` must be at least 7; got integer 6 (as the form with kind)');
  });

  test('names the two branches that fit if only one may', () => {
    const { message } = run(field({ oneOf: range(40).map(open) }), { x: { p0: 'a', p1: 'a' } });
    expect(message).toContain('must match exactly one of its forms, but matches');
  });

  test('names the types if no branch accepts that type', () => {
    expect(run(field({ anyOf: range(40).map(branch) }), { x: 5 }).message).toContain('must be object; got integer 5');
  });
});
