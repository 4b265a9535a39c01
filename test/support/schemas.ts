// Random JSON Schemas and JSON values that stand a chance of fitting them.
import fc from 'fast-check';

export type Json = null | boolean | number | string | Json[] | { [key: string]: Json };
export type Schema = { [keyword: string]: Json } | boolean;

export const NAMES = ['a', 'b', 'c', 'kind', 'size'] as const;

const optional = <T>(arbitrary: fc.Arbitrary<T>): fc.Arbitrary<T | undefined> =>
  fc.option(arbitrary, { nil: undefined, freq: 2 });

function compact(parts: Record<string, unknown>): Record<string, Json> {
  return Object.fromEntries(Object.entries(parts).filter(([, value]) => value !== undefined)) as Record<string, Json>;
}

const text = fc.constantFrom('', 'a', 'b', 'ab', 'abc', '1', '12', 'true', '{"a":1}', '2026-01-31', 'x'.repeat(12));
const number = fc.oneof(fc.integer({ min: -5, max: 12 }), fc.constantFrom(0.5, 1.5, -2.25, 2 ** 40));

const stringSchema = fc
  .record({
    minLength: optional(fc.integer({ min: 0, max: 3 })),
    maxLength: optional(fc.integer({ min: 1, max: 6 })),
    pattern: optional(fc.constantFrom('^a', 'b$', '^[a-z]*$', '^\\d+$', '^(?=a)a')),
    format: optional(fc.constantFrom('date', 'uuid', 'date-time', 'made-up')),
  })
  .map((parts) => compact({ type: 'string', ...parts }));

const numberSchema = fc
  .record({
    type: fc.constantFrom('number', 'integer'),
    minimum: optional(fc.integer({ min: -3, max: 3 })),
    maximum: optional(fc.integer({ min: 2, max: 9 })),
    exclusiveMinimum: optional(fc.integer({ min: -3, max: 3 })),
    exclusiveMaximum: optional(fc.integer({ min: 2, max: 9 })),
    multipleOf: optional(fc.constantFrom(1, 2, 0.5)),
  })
  .map(compact);

const choiceSchema = fc.oneof(
  fc.uniqueArray(text, { minLength: 1, maxLength: 4 }).map((values) => ({ type: 'string', enum: values })),
  fc
    .uniqueArray(fc.oneof(text, number, fc.boolean(), fc.constant(null)), { minLength: 1, maxLength: 4 })
    .map((values) => ({ enum: values as Json[] })),
  fc.oneof(text, number).map((value) => ({ const: value })),
);

/** Typed schemas only: one without a type says nothing about most values, and documents do not mean that. */
export const schemas: fc.Arbitrary<Record<string, Json>> = fc.letrec<{ schema: Record<string, Json> }>((tie) => {
  const children = fc.dictionary(fc.constantFrom(...NAMES), tie('schema'), { maxKeys: 4, noNullPrototype: true });
  const objectSchema = fc
    .record({
      properties: children,
      required: optional(fc.uniqueArray(fc.constantFrom(...NAMES), { maxLength: 2 })),
      additionalProperties: optional(fc.oneof(fc.boolean(), tie('schema'))),
      minProperties: optional(fc.integer({ min: 0, max: 2 })),
      dependentRequired: optional(fc.constant({ a: ['b'] })),
    })
    .map((parts) => compact({ type: 'object', ...parts }));
  const arraySchema = fc
    .record({
      items: tie('schema'),
      minItems: optional(fc.integer({ min: 0, max: 2 })),
      maxItems: optional(fc.integer({ min: 1, max: 4 })),
      uniqueItems: optional(fc.boolean()),
    })
    .map((parts) => compact({ type: 'array', ...parts }));
  const union = fc
    .tuple(fc.constantFrom('anyOf', 'oneOf'), fc.array(tie('schema'), { minLength: 1, maxLength: 3 }))
    .map(([keyword, branches]) => ({ [keyword]: branches }) as Record<string, Json>);
  const both = fc
    .tuple(objectSchema, objectSchema)
    .map(([left, right]) => ({ allOf: [left, right] }) as Record<string, Json>);
  const nullable = tie('schema').map((schema) => ({ anyOf: [schema, { type: 'null' }] }) as Record<string, Json>);
  const scalar = fc.oneof(stringSchema, numberSchema, choiceSchema, fc.constant({ type: 'boolean' }));
  return {
    schema: fc.oneof(
      { maxDepth: 3, depthSize: 'small' },
      scalar,
      scalar,
      objectSchema,
      arraySchema,
      union,
      both,
      nullable,
      fc.constant({ $ref: '#/$defs/Shared' }),
      fc.constant({ $ref: '#/$defs/Tree' }),
    ) as fc.Arbitrary<Record<string, Json>>,
  };
}).schema;

const SHARED = fc.oneof(stringSchema, numberSchema, choiceSchema);

/** The schema of a tool's arguments. */
export const toolSchemas: fc.Arbitrary<Record<string, Json>> = fc
  .record({
    properties: fc.dictionary(fc.constantFrom(...NAMES), schemas, { maxKeys: 5, noNullPrototype: true }),
    required: fc.uniqueArray(fc.constantFrom(...NAMES), { maxLength: 2 }),
    shared: SHARED,
    companions: optional(fc.constantFrom<Json>({ a: ['b'] }, { kind: ['a', 'c'], b: [] })),
  })
  .map(({ properties, required, shared, companions }) => ({
    type: 'object',
    properties,
    required: required.filter((name) => Object.hasOwn(properties, name)),
    additionalProperties: false,
    ...(companions !== undefined && { dependentRequired: companions }),
    $defs: {
      Shared: shared as Json,
      Tree: {
        type: 'object',
        properties: { size: { $ref: '#/$defs/Shared' }, a: { type: 'array', items: { $ref: '#/$defs/Tree' } } },
      },
    },
  }));

const junk: fc.Arbitrary<Json> = fc.letrec<{ value: Json }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 2 },
    text as fc.Arbitrary<Json>,
    number as fc.Arbitrary<Json>,
    fc.boolean() as fc.Arbitrary<Json>,
    fc.constant(null) as fc.Arbitrary<Json>,
    fc.array(tie('value'), { maxLength: 3 }) as fc.Arbitrary<Json>,
    fc.dictionary(fc.constantFrom(...NAMES), tie('value'), { maxKeys: 3, noNullPrototype: true }) as fc.Arbitrary<Json>,
  ),
})).value;

/** A value made by following the schema loosely: it often fits, and often nearly does. */
export function valuesFor(schema: Schema, root: Schema, depth = 0): fc.Arbitrary<Json> {
  if (typeof schema === 'boolean' || depth > 6) return junk;
  const near = nearlyFor(schema, root, depth);
  return fc.oneof({ weight: 12, arbitrary: near }, { weight: 1, arbitrary: junk });
}

function nearlyFor(schema: Record<string, Json>, root: Schema, depth: number): fc.Arbitrary<Json> {
  if (typeof schema.$ref === 'string') {
    const name = schema.$ref.split('/').pop()!;
    const target = (root as { $defs: Record<string, Schema> }).$defs[name]!;
    return depth > 5 ? fc.constant({}) : valuesFor(target, root, depth + 1);
  }
  if (Array.isArray(schema.enum)) return fc.constantFrom(...schema.enum);
  if (Object.hasOwn(schema, 'const')) return fc.constant(schema.const as Json);
  for (const keyword of ['anyOf', 'oneOf']) {
    const branches = schema[keyword] as Schema[] | undefined;
    if (branches) return fc.oneof(...branches.map((branch) => valuesFor(branch, root, depth + 1)));
  }
  if (Array.isArray(schema.allOf)) {
    const parts = (schema.allOf as Schema[]).map((part) => valuesFor(part, root, depth + 1));
    return fc.tuple(...parts).map((values) => {
      const objects = values.filter((value) => typeof value === 'object' && value !== null && !Array.isArray(value));
      return objects.length === values.length ? Object.assign({}, ...objects) : (values[0] as Json);
    });
  }
  switch (schema.type) {
    case 'string':
      return text;
    case 'integer':
    case 'number':
      return number;
    case 'boolean':
      return fc.boolean();
    case 'null':
      return fc.constant(null);
    case 'array':
      return fc.array(valuesFor(schema.items as Schema, root, depth + 1), { maxLength: 3 });
    default: {
      const properties = (schema.properties ?? {}) as Record<string, Schema>;
      const required = new Set((schema.required ?? []) as string[]);
      const model = Object.fromEntries(
        Object.entries(properties).map(([key, part]) => [key, valuesFor(part, root, depth + 1)]),
      );
      const extra = fc.option(fc.tuple(fc.constantFrom(...NAMES), junk), { nil: undefined, freq: 1 });
      return fc
        .tuple(
          fc.record(model, {
            noNullPrototype: true,
            requiredKeys: Object.keys(model).filter((key) => required.has(key)),
          }),
          extra,
        )
        .map(([object, more]) =>
          more && !Object.hasOwn(object, more[0]) && Math.abs(depth) > 0 ? { ...object, [more[0]]: more[1] } : object,
        );
    }
  }
}
