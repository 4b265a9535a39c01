import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Args, JsonSchema } from '../../src/endpoint/model.ts';
import { closest, editDistance } from '../../src/endpoint/suggest.ts';
import { Budget } from '../../src/schema/check/budget.ts';
import { safePattern } from '../../src/schema/check/pattern.ts';
import { auditSchema } from '../../src/schema/check/repair.ts';
import { createSchemaValidator } from '../../src/schema/check/validator.ts';
import { ValidatorCache } from '../../src/schema/check/validator-cache.ts';

const field = (schema: JsonSchema, rest: Record<string, unknown> = {}): JsonSchema => ({
  type: 'object',
  properties: { x: schema },
  additionalProperties: false,
  ...rest,
});
const accepts = (schema: JsonSchema, value: unknown): boolean => {
  try {
    createSchemaValidator(schema)('t', { x: value } as Args);
    return true;
  } catch {
    return false;
  }
};
const message = (schema: JsonSchema, value: unknown): string => {
  try {
    createSchemaValidator(schema)('t', { x: value } as Args);
  } catch (error) {
    return (error as Error).message;
  }
  return 'accepted';
};

describe('patterns', () => {
  test('run in linear time however they are written', () => {
    const evil = `${'a'.repeat(50_000)}!`;
    for (const pattern of [
      '^(a+)+$',
      '^(a|a)*$',
      '(x+x+)+y',
      '^([a-zA-Z0-9])(([\\-.]|[_]+)?([a-zA-Z0-9]+))*(@){1}[a-z]+$',
    ]) {
      expect(safePattern(pattern).engine).toBe('re2');
      expect(accepts(field({ type: 'string', pattern }), evil)).toBe(false);
    }
  });

  test('are not mixed up within one schema', () => {
    const validate = createSchemaValidator({
      type: 'object',
      properties: {
        a: { type: 'string', pattern: '^a+$' },
        b: { type: 'string', pattern: '^b+$' },
        c: { type: 'string', pattern: '^(?=c)c+$' },
      },
    });
    expect(validate('t', { a: 'aa', b: 'bb', c: 'cc' })).toEqual({ a: 'aa', b: 'bb', c: 'cc' });
    expect(() => validate('t', { a: 'bb' })).toThrow('`a` must match /^a+$/');
    expect(() => validate('t', { b: 'aa' })).toThrow('`b` must match /^b+$/');
    expect(() => validate('t', { c: 'aa' })).toThrow('`c` must match /^(?=c)c+$/');
  });

  test('that are proven linear run natively, on values of any length', () => {
    for (const pattern of ['^[A-Za-z0-9+/=]*$', '\\S', '^.{0,5000}$', '^(?!x)', '^((?!--)[a-z-])+$'])
      expect([pattern, safePattern(pattern).engine]).toEqual([pattern, 'native']);
    expect(accepts(field({ type: 'string', pattern: '^.{0,5000}$' }), 'a'.repeat(4_999))).toBe(true);
    expect(accepts(field({ type: 'string', pattern: '^(?!x)' }), 'y'.repeat(20_000))).toBe(true);
    expect(accepts(field({ type: 'string', pattern: '^((?!--)[a-z-])+$' }), 'a-b'.repeat(20_000))).toBe(true);
    expect(accepts(field({ type: 'string', pattern: '^((?!--)[a-z-])+$' }), 'a--b')).toBe(false);
  });

  test('with lookaheads at the start are a conjunction of others', () => {
    const password = { type: 'string', pattern: '^(?=.*[A-Z])(?=.*\\d)(?!.*\\s).{8,}$' };
    expect(safePattern(password.pattern).engine).toBe('bounded');
    expect(accepts(field(password), 'Passw0rds')).toBe(true);
    for (const value of ['password', 'Pass w0rd', 'Passw0r', 'passw0rds', 'Passwords'])
      expect([value, accepts(field(password), value)]).toEqual([value, false]);
    expect(accepts(field({ type: 'string', pattern: '^(?=(a+)+$)a' }), `${'a'.repeat(40)}!`)).toBe(false);
    expect(accepts(field({ type: 'string', pattern: '^(?=(a+)+$)a' }), 'aaa')).toBe(true);
  });

  test.each([
    ['(?!x)a*a*b', 3_100, 'ab'],
    ['(a*)\\1b', 16_000, 'aab'],
    ['(?<=x)a+a+$', 100_000, 'xaa'],
    ['^(?:a|aa)?a*(?=b)a*a*$', 5_000, undefined],
  ])('%s never takes more steps than one call may', (pattern, length, good) => {
    expect(safePattern(pattern).engine).toBe('bounded');
    expect(message(field({ type: 'string', pattern }), 'a'.repeat(length))).toContain(
      `is too long (${length} characters) to be checked against`,
    );
    if (good !== undefined) expect(accepts(field({ type: 'string', pattern }), good)).toBe(true);
  });

  test('with long fixed repeats pay for them', () => {
    const budget = new Budget();
    expect(safePattern('^[ab]*a[ab]{200}$').verdict('ab'.repeat(100_000), budget)).toBe('too_long');
    expect(safePattern('^[ab]*a[ab]{200}$').verdict('a'.repeat(201), budget)).toBe('match');
  });

  test('without any bound are not enforced, and the doctor says so', () => {
    const schema = field({ type: 'string', pattern: '(a+)+\\1b' });
    expect(safePattern('(a+)+\\1b').engine).toBe('unchecked');
    expect(accepts(schema, 'a'.repeat(50_000))).toBe(true);
    expect(auditSchema(schema)).toEqual([
      '#/properties/x/pattern: may take too long on some values, so it is not enforced here; the API decides',
    ]);
  });

  test('with lookaheads match thousands of values within one call', () => {
    const many = Array.from({ length: 19_000 }, (_, index) => `Passw0rd${index}`);
    const password = { type: 'string', pattern: '^(?=.*[A-Z])(?=.*\\d).{8,2000}$' };
    expect(accepts(field({ type: 'array', items: password }), many)).toBe(true);
    expect(accepts(field({ type: 'array', items: password }), [...many, 'short'])).toBe(false);
  });

  test('that no engine understands refuse the value and say why', () => {
    expect(message(field({ type: 'string', pattern: '([a-z' }), 'a')).toContain('is not a usable regular expression');
    expect(accepts({ type: 'object', properties: { x: {}, y: { type: 'string', pattern: '(' } } }, 'a')).toBe(true);
  });

  test.each([
    ['^\\p{L}+$', 'Ünïcode', true],
    ['^\\p{Script=Greek}+$', 'αβγ', true],
    ['^\\p{Script=Greek}+$', 'abc', false],
    ['^\\u00e9$', 'é', true],
    ['^[\\w.-]+$', 'a.b-c', true],
    ['^\\d+\\Z', '123', true],
    ['\\A\\d+\\z', '123x', false],
    ['^(?<y>a)\\k<y>$', 'aa', true],
    ['^(?<y>a)\\k<y>$', 'ab', false],
    ['^(a)\\1$', 'aa', true],
    ['b', 'abc', true],
    ['^\\/x\\_y$', '/x_y', true],
  ])('%s matches %s: %s', (pattern, value, want) => {
    expect(safePattern(pattern).test(value, new Budget())).toBe(want);
  });
});

const wideNames = Array.from({ length: 5_000 }, (_, index) => `argument_${index}`);

describe('schemas that would be expensive', () => {
  test('do not compare every pair of items for uniqueness', () => {
    const items = Array.from({ length: 9_000 }, (_, index) => ({ id: index }));
    const schema = field({ type: 'array', uniqueItems: true });
    expect(accepts(schema, items)).toBe(true);
    expect(accepts(schema, [...items, { id: 7 }])).toBe(false);
    expect(accepts(schema, ['1', 1, true, 'true', null, 'null', {}, '{}'])).toBe(true);
  });

  test('do not try every path of a recursive union', () => {
    const schema = field(
      { $ref: '#/$defs/Node' },
      {
        $defs: {
          Node: { oneOf: [{ $ref: '#/$defs/A' }, { $ref: '#/$defs/B' }] },
          A: {
            type: 'object',
            properties: { child: { $ref: '#/$defs/Node' }, kind: { const: 'a' } },
            required: ['kind'],
          },
          B: {
            type: 'object',
            properties: { child: { $ref: '#/$defs/Node' }, kind: { const: 'b' } },
            required: ['kind'],
          },
        },
      },
    );
    let deep: Record<string, unknown> = { kind: 'a' };
    for (let level = 0; level < 55; level++) deep = { kind: 'a', child: deep };
    expect(accepts(schema, deep)).toBe(true);
    const alike = { type: 'object', properties: { child: { $ref: '#/$defs/Node' } } };
    const untagged = field({ $ref: '#/$defs/Node' }, { $defs: { Node: { oneOf: [alike, { ...alike }] } } });
    expect(message(untagged, deep)).toContain('checking these arguments takes too long');
    expect(accepts(schema, { kind: 'a', child: { kind: 'b', child: { kind: 'a' } } })).toBe(true);
    expect(accepts(schema, { kind: 'a', child: { kind: 'b', child: { kind: 'c' } } })).toBe(false);
  });

  test('do not try every path of a union of unions', () => {
    const $defs: Record<string, unknown> = { D40: { type: 'integer' } };
    for (let level = 0; level < 40; level++) {
      const next = { $ref: `#/$defs/D${level + 1}` };
      $defs[`D${level}`] = { anyOf: [{ allOf: [next, { minimum: 5 }] }, next] };
    }
    const schema = field({ $ref: '#/$defs/D0' }, { $defs });
    expect(message(schema, 1)).toContain('checking these arguments takes too long');
    expect(message(schema, 'a')).toContain('`x` must be integer; got string "a"');
  });

  test('never turn a check into a promise', () => {
    expect(message({ $async: true, type: 'object', properties: { x: { type: 'string' } } }, 5.5)).toContain(
      '`x` must be string',
    );
    expect(
      message(
        { type: 'object', properties: { x: { $ref: '#/$defs/S' } }, $defs: { S: { $async: true, type: 'string' } } },
        5.5,
      ),
    ).toContain('`x` must be string');
  });

  test('that nest deeper than the stack are enforced as far as they can be, with a note', () => {
    let deep: Record<string, unknown> = { type: 'string' };
    for (let level = 0; level < 20_000; level++) deep = { allOf: [deep] };
    expect(auditSchema(field(deep))).toEqual([expect.stringContaining('nested too deep, not enforced from here')]);
    expect(accepts(field(deep), 'a')).toBe(true);
  });

  test('that are wider than the stack are enforced', () => {
    const wide = Array.from({ length: 20_000 }, (_, index) => ({ required: [`a${index}`] }));
    const schema = field({ type: 'object', oneOf: wide, properties: { n: { type: 'integer' } } });
    expect(auditSchema(schema)).toEqual([]);
    expect(accepts(schema, { n: 1, a19999: 1 })).toBe(true);
    expect(accepts(schema, { n: true, a19999: 1 })).toBe(false);
    expect(accepts(schema, { n: 1 })).toBe(false);
  });

  test('with thousands of names in dependentRequired are walked, not compiled name by name', () => {
    const names = Array.from({ length: 300 }, (_, index) => `q${index}`);
    const dependentRequired = Object.fromEntries(wideNames.slice(0, 2_000).map((name) => [name, names]));
    const schema = field({ type: 'object', dependentRequired });
    expect(accepts(schema, { other: 1 })).toBe(true);
    expect(accepts(schema, { argument_7: 1 })).toBe(false);
    expect(accepts(schema, { argument_7: 1, ...Object.fromEntries(names.map((name) => [name, 1])) })).toBe(true);
  });

  test('whose forms fix thousands of fields tell them apart all the same', () => {
    const form = (kind: string) => ({
      type: 'object',
      properties: { kind: { const: kind }, ...Object.fromEntries(wideNames.map((name) => [name, { const: kind }])) },
      required: ['kind'],
    });
    const schema = field({ oneOf: Array.from({ length: 12 }, (_, index) => form(`kind_${index}`)) });
    expect(accepts(schema, { kind: 'kind_11', argument_4999: 'kind_11' })).toBe(true);
    expect(accepts(schema, { kind: 'kind_11', argument_4999: 'kind_10' })).toBe(false);
    expect(accepts(schema, { kind: 'kind_12' })).toBe(false);
  });

  test('that require thousands of names are explained in one line', () => {
    const schema = field({ anyOf: [{ required: wideNames }, { required: ['a', 'b'] }] });
    expect(() => createSchemaValidator(schema)('t', { x: {} })).toThrow(
      /`argument_19` and 4980 more, or both `a` and `b`/,
    );
  });

  test('may have any number of arguments', () => {
    const properties = Object.fromEntries(wideNames.map((name) => [name, { type: 'integer' }]));
    const schema = { type: 'object', properties, additionalProperties: false };
    const validate = createSchemaValidator(schema);
    expect(validate('t', { argument_4999: '7' })).toEqual({ argument_4999: 7 });
    expect(() => validate('t', { argument_49999: 1 })).toThrow(
      'unknown `argument_49999` — did you mean `argument_4999`?',
    );
  });

  test('are dropped from the cache when there are too many, least recently used first', () => {
    const cache = new ValidatorCache({ maxCharacters: 8_000, maxValidators: 100 });
    let compiled = 0;
    const finders = Array.from({ length: 40 }, (_, index) =>
      cache.add(() => {
        compiled++;
        return field({ type: 'string', maxLength: index + 1 });
      }),
    );
    const check = (index: number, value: unknown) => finders[index]!()(value, new Budget());
    for (const index of finders.keys()) {
      expect(check(0, { x: 'a' })).toBe(true);
      expect(check(index, { x: 'a' })).toBe(true);
      expect(cache.stats.characters).toBeLessThanOrEqual(8_000);
    }
    expect(compiled).toBe(40);
    expect(cache.stats.validators).toBeGreaterThan(2);
    expect(cache.stats.validators).toBeLessThan(40);
    expect(check(1, { x: 'abc' })).toBe(false);
    expect(compiled).toBe(41);
    finders[0]!();
    finders[39]!();
    expect(compiled).toBe(41);
  });

  test('are limited in number, however small', () => {
    const cache = new ValidatorCache({ maxValidators: 3 });
    for (let index = 0; index < 10; index++) cache.add(() => field({ type: 'string' }))()({ x: 'a' }, new Budget());
    expect(cache.stats.validators).toBe(3);
  });
});

describe('invalid schemas', () => {
  test.each<[string, Record<string, unknown>, unknown, unknown]>([
    ['nullable without type', { nullable: true, enum: ['a'] }, 'a', 'b'],
    ['a boolean required', { type: 'string', required: true }, 'a', true],
    ['an exclusive minimum of old', { type: 'integer', minimum: 1, exclusiveMinimum: true }, 2, 0],
    ['an unknown type', { type: 'file', minLength: 2 }, 'ab', 'a'],
    ['a list of items', { type: 'array', items: [{ type: 'integer' }] }, [1], [true]],
    ['an id', { id: 'x', type: 'integer' }, 1, true],
    ['an $id that clashes', { $id: '#/properties', type: 'integer' }, 1, true],
    ['a foreign dialect', { $schema: 'http://json-schema.org/draft-04/schema#', type: 'integer' }, 1, true],
    ['a dangling reference', { $ref: '#/$defs/Gone', type: 'integer' }, 1, true],
    ['a remote reference', { $ref: 'https://example.com/x.json', type: 'integer' }, 1, true],
    ['a bound that is text', { type: 'integer', minimum: '5', maximum: 9 }, 1, 10],
    ['an empty enum', { type: 'integer', enum: [] }, 1, true],
    [
      'null for a schema',
      { type: 'object', properties: { a: null, b: { type: 'integer' } } },
      { a: 1, b: 1 },
      { b: true },
    ],
  ])('with %s keep their other rules', (_, schema, good, bad) => {
    expect(accepts(field(schema), good)).toBe(true);
    expect(accepts(field(schema), bad)).toBe(false);
  });

  test('with a list of items are explained as a choice', () => {
    const schema = field({ type: 'array', items: [{ type: 'integer' }, { type: 'boolean' }] });
    expect(message(schema, [1, 'a'])).toContain('`x[1]` must be integer or boolean; got string "a"');
  });

  test('are reported keyword by keyword', () => {
    expect(auditSchema(field({ type: 'file', minimum: '5' }))).toEqual([
      '#/properties/x/type: unusable value, not enforced',
      '#/properties/x/minimum: unusable value, not enforced',
    ]);
    expect(auditSchema(field({ $ref: '#/$defs/Gone' }))).toEqual([
      '#/properties/x/$ref: #/$defs/Gone points to nothing, not enforced',
    ]);
    expect(auditSchema(field({ type: 'string' }))).toEqual([]);
  });
});

describe('formats', () => {
  test.each([
    ['uri', 'http://localhost:8080/x', true],
    ['url', 'http://127.0.0.1/x', true],
    ['uri', `data:image/png;base64,${'A'.repeat(100_000)}`, true],
    ['date-time', '2026-01-31T09:30:00Z', true],
    ['date-time', '2026-01-31T09:30:00', false],
    ['binary', '\u0000', true],
    ['password', 'x', true],
    ['byte', 'aGVsbG8=', true],
    ['byte', 'aGVsbG8', false],
    ['byte', 'aGVs\r\nbG8=', true],
    ['email', `${'a'.repeat(100_000)}`, false],
    ['something-else', 'x', true],
    ['hostname', `${'a-'.repeat(50_000)}`, false],
  ])('%s: %j is accepted: %s', (format, value, want) => {
    expect(accepts(field({ type: 'string', format }), value)).toBe(want);
  });

  test.each([
    ['int32', 2 ** 31 - 1, true],
    ['int32', 2 ** 31, false],
    ['int64', 2 ** 60, true],
    ['uint8', 256, false],
    ['float', 1.5, true],
    ['double', 1e300, true],
  ])('%s: %d is accepted: %s', (format, value, want) => {
    expect(accepts(field({ type: 'number', format }), value)).toBe(want);
  });

  test('a price in cents is a multiple of a cent', () => {
    for (const price of [19.99, 0.07, 1.1, 4.35])
      expect(accepts(field({ type: 'number', multipleOf: 0.01 }), price)).toBe(true);
    expect(accepts(field({ type: 'number', multipleOf: 0.01 }), 1.005)).toBe(false);
  });
});

test('a misspelt word is compared with at most a few thousand others, without allocating for each pair', () => {
  const words = Array.from({ length: 20_000 }, (_, index) => `value-number-${index}`);
  expect(closest('valu-number-4999', words)).toBe('value-number-4999');
  expect(closest('something else', words)).toBeUndefined();
  let compared = 0;
  const counted = function* () {
    for (const word of words) {
      compared++;
      yield word;
    }
  };
  expect(closest('something else', counted())).toBeUndefined();
  expect(compared).toBeLessThan(5_010);
  const letters = fc.string({ unit: fc.constantFrom('a', 'b', 'c'), maxLength: 12 });
  fc.assert(
    fc.property(letters, letters, fc.integer({ min: 1, max: 14 }), (a, b, limit) => {
      expect(editDistance(a, b, limit)).toBe(Math.min(limit, plainDistance(a, b)));
    }),
    { numRuns: 2_000 },
  );
});

/** The definition, written down plainly. */
function plainDistance(a: string, b: string): number {
  const known = new Map<number, number>();
  const at = (i: number, j: number): number => {
    if (i === 0 || j === 0) return i + j;
    const key = i * 100 + j;
    const seen = known.get(key);
    if (seen !== undefined) return seen;
    const swapped = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
    const cost = Math.min(
      at(i - 1, j) + 1,
      at(i, j - 1) + 1,
      at(i - 1, j - 1) + (a[i - 1] === b[j - 1] ? 0 : 1),
      swapped ? at(i - 2, j - 2) + 1 : Number.POSITIVE_INFINITY,
    );
    known.set(key, cost);
    return cost;
  };
  return at(a.length, b.length);
}
