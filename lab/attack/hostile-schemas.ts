// Schemas that cost much for what they weigh, each with a value that asks for all of it: unions of unions, conditions, lists
// of names, references that fan out. A document of a megabyte may hold any of them.
type Json = Record<string, unknown>;

const list = <Item>(count: number, item: (index: number) => Item): Item[] =>
  Array.from({ length: count }, (_, index) => item(index));
const map = <Item>(count: number, stem: string, item: (index: number) => Item): Record<string, Item> =>
  Object.fromEntries(list(count, (index) => [`${stem}${index}`, item(index)]));
const array = (items: unknown, more: Json = {}): Json => ({ type: 'array', items, ...more });
const form = (properties: Json, more: Json = {}): Json => ({ type: 'object', properties, ...more });
const needs = (name: string): Json => ({ required: [name] });

/** Schemas one inside the other, `depth` times, each `width` times beside itself. */
function tower(depth: number, width: number, core: Json, wrap: (inner: Json, index: number) => Json): Json {
  let schema = core;
  for (let level = 0; level < depth; level++) {
    const inner = schema;
    schema = { anyOf: list(width, (index) => wrap(inner, index)) };
  }
  return schema;
}

interface HostileSchema {
  readonly schema: Json;
  readonly value: () => unknown;
}

export const HOSTILE_SCHEMAS: Readonly<Record<string, HostileSchema>> = {
  not_any_of_300: {
    schema: array({ not: { anyOf: list(300, (index) => needs(`n${index}`)) } }),
    value: () => list(4_500, () => ({ n299: 1 })),
  },
  union_of_5000_unions: {
    schema: { anyOf: list(5_000, (index) => ({ anyOf: [needs(`x${index}`), needs(`y${index}`)] })) },
    value: () => map(4_000, 'a', (index) => index),
  },
  union_of_20000_types: { schema: { anyOf: list(20_000, () => ({ type: 'string' })) }, value: () => 1 },
  one_of_20000_anything: { schema: { oneOf: list(20_000, () => ({})) }, value: () => 1 },
  conditions_3000: {
    schema: {
      allOf: list(3_000, (index) => ({
        if: form({ a: { const: index } }, needs('a')),
        // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
        then: needs(`z${index}`),
      })),
    },
    value: () => ({ a: 2_999, ...map(4_000, 'k', () => 1) }),
  },
  all_of_5000: {
    schema: { allOf: list(5_000, (index) => form({ [`p${index}`]: { type: 'string' } })) },
    value: () => map(4_000, 'p', (index) => index),
  },
  required_9_times_2000: {
    schema: array({
      anyOf: list(9, (branch) => ({ type: 'object', required: list(2_000, (i) => `r${branch}_${i}`) })),
    }),
    value: () => list(4_500, () => ({ a: 1 })),
  },
  required_but_the_last: {
    schema: { anyOf: list(30, (branch) => ({ required: [...list(1_500, (index) => `b${index}`), `zz${branch}`] })) },
    value: () => map(1_500, 'b', () => 1),
  },
  forms_in_forms: {
    schema: tower(5, 4, { type: 'integer' }, (inner) => form({ n: inner }, needs('n'))),
    value: () => list(5, () => 0).reduce<unknown>((inner) => ({ n: inner }), 'x'),
  },
  lists_in_lists: {
    schema: tower(6, 3, { type: 'integer' }, (inner, index) => array(inner, { maxItems: 5 + index })),
    value: () => list(6, () => 0).reduce<unknown>((inner) => [inner, inner], ['x']),
  },
  contains_any_of_300: {
    schema: { type: 'array', contains: { anyOf: list(300, (index) => ({ type: 'object', required: [`r${index}`] })) } },
    value: () => list(4_500, () => ({ a: 1 })),
  },
  any_of_300_contains: {
    schema: { anyOf: list(300, (index) => ({ type: 'array', contains: { const: `c${index}` } })) },
    value: () => list(9_500, (index) => `x${index}`),
  },
  any_of_300_unique: {
    schema: { anyOf: list(300, (maxItems) => ({ type: 'array', uniqueItems: true, maxItems })) },
    value: () => list(9_500, (index) => `s${index}`),
  },
  enums_in_a_union: {
    schema: array({ anyOf: list(20, (branch) => ({ enum: list(800, (index) => `e${branch}_${index}`) })) }),
    value: () => list(9_500, (index) => `z${index}`),
  },
  enum_of_objects: {
    schema: array({ enum: list(3_000, (index) => ({ a: index, b: [index] })) }),
    value: () => list(4_000, (index) => ({ a: index, b: [index + 1] })),
  },
  companions_2000: {
    schema: { type: 'object', dependentRequired: map(2_000, 'k', () => list(20, (index) => `q${index}`)) },
    value: () => map(2_000, 'k', () => 1),
  },
  schemas_by_name_2000: {
    schema: {
      type: 'object',
      dependentSchemas: map(2_000, 'k', () => ({ required: list(10, (index) => `q${index}`) })),
    },
    value: () => map(2_000, 'k', () => 1),
  },
  names_any_of_200: {
    schema: {
      type: 'object',
      propertyNames: { anyOf: list(200, (index) => ({ pattern: `^x${index}`, maxLength: 5 })) },
    },
    value: () => map(4_900, 'key', () => 1),
  },
  patterns_500: {
    schema: {
      type: 'object',
      additionalProperties: false,
      patternProperties: Object.fromEntries(list(500, (index) => [`(a|b)*c${index}$`, { type: 'string' }])),
    },
    value: () => map(4_900, 'ababababab', () => 'x'),
  },
  unevaluated_names: {
    schema: {
      unevaluatedProperties: false,
      anyOf: list(100, (branch) => form(map(100, `b${branch}_`, () => ({ type: 'integer' })))),
    },
    value: () => map(4_900, 'zz', () => 1),
  },
  unevaluated_items: {
    schema: { unevaluatedItems: false, anyOf: list(300, (index) => ({ contains: { const: index } })) },
    value: () => list(9_500, (index) => index),
  },
  kinds_3000: {
    schema: array({
      oneOf: list(3_000, (index) =>
        form({ kind: { const: `k${index}` }, v: { type: 'integer' } }, { type: 'object', ...needs('kind') }),
      ),
    }),
    value: () => list(5_000, () => ({ kind: 'zz', v: 'x' })),
  },
  types_and_limits_2000: {
    schema: array({
      anyOf: list(2_000, (index) => ({ type: ['integer', 'string', 'null'], minimum: index, maxLength: index })),
    }),
    value: () => list(2_000, () => ({ a: 1 })),
  },
  meant_as_integers: {
    schema: array({
      anyOf: [...list(500, (index) => form({ [`a${index}`]: { type: 'integer' } })), { type: 'integer' }],
    }),
    value: () => list(4_500, () => ({ a499: '12' })),
  },
};
