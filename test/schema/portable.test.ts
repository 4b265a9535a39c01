import { describe, expect, test } from 'vitest';
import { CLIENTS, type ClientId, checkTool, checkToolCount } from '../../src/doctor/client-rules.ts';
import type { JsonSchema } from '../../src/endpoint/model.ts';
import { createSchemaValidator } from '../../src/schema/check/validator.ts';
import { toPortableNode, toPortableSchema } from '../../src/schema/portable/portable-schema.ts';

const CLIENT_IDS = Object.keys(CLIENTS) as ClientId[];

function problems(inputSchema: unknown): string[] {
  return CLIENT_IDS.flatMap((client) =>
    checkTool({ name: 'pets_list', description: 'Lists pets.', inputSchema }, client),
  );
}

/** What one argument becomes. */
function portable(schema: JsonSchema, rest: Record<string, unknown> = {}): unknown {
  const out = toPortableSchema({ type: 'object', properties: { x: schema }, ...rest });
  expect(problems(out)).toEqual([]);
  return out.properties.x;
}

describe('the root of an advertised schema', () => {
  test('is an object with properties, whatever it was', () => {
    for (const schema of [
      true,
      {},
      { type: 'object' },
      { $ref: '#/$defs/X', $defs: { X: { type: 'object' } } },
      { type: 'object', additionalProperties: false },
    ]) {
      expect(toPortableSchema(schema)).toEqual({ type: 'object', properties: {}, additionalProperties: false });
    }
  });

  test('keeps names, order and what is required', () => {
    expect(
      toPortableSchema({
        $schema: 'https://json-schema.org/draft/2020-12/schema',
        $id: 'x',
        title: 'T',
        type: 'object',
        required: ['b', 'gone'],
        properties: { b: { type: 'string' }, a: { type: 'integer' }, 'not portable': { type: 'string' }, never: false },
      }),
    ).toEqual({
      type: 'object',
      properties: { b: { type: 'string' }, a: { type: 'integer' } },
      required: ['b'],
      additionalProperties: false,
    });
  });

  test('says in words which arguments go together', () => {
    const out = toPortableSchema({
      type: 'object',
      properties: {
        id: { type: 'string', description: 'An id' },
        first: { type: 'string' },
        last: { type: 'string' },
        zip: { type: 'string' },
      },
      oneOf: [{ required: ['id'] }, { required: ['first', 'last'] }],
      dependentRequired: { zip: ['last'] },
    });
    expect(out.properties).toEqual({
      id: { type: 'string', description: 'An id. Give one of: {id} or {first, last}.' },
      first: { type: 'string', description: 'Give one of: {id} or {first, last}.' },
      last: { type: 'string', description: 'Required with zip. Give one of: {id} or {first, last}.' },
      zip: { type: 'string' },
    });
    expect(out.required).toBeUndefined();
  });

  test('becomes one object when it is a union of objects', () => {
    const out = toPortableSchema({
      anyOf: [
        {
          type: 'object',
          required: ['kind', 'lives'],
          properties: { kind: { const: 'cat' }, lives: { type: 'integer' } },
        },
        {
          type: 'object',
          required: ['kind', 'tricks'],
          properties: { kind: { const: 'dog' }, tricks: { type: 'array', items: { type: 'string' } } },
        },
      ],
    });
    expect(problems(out)).toEqual([]);
    expect(out).toEqual({
      type: 'object',
      properties: {
        kind: { type: 'string', enum: ['cat', 'dog'] },
        lives: { type: 'integer', description: 'Give one of: {lives} or {tricks}.' },
        tricks: { type: 'array', items: { type: 'string' }, description: 'Give one of: {lives} or {tricks}.' },
      },
      required: ['kind'],
      additionalProperties: false,
    });
  });

  test('merges allOf', () => {
    expect(
      toPortableSchema({
        allOf: [
          { type: 'object', required: ['a'], properties: { a: { type: 'string' } } },
          { type: 'object', properties: { b: { type: 'number' } } },
        ],
      }),
    ).toEqual({
      type: 'object',
      properties: { a: { type: 'string' }, b: { type: 'number' } },
      required: ['a'],
      additionalProperties: false,
    });
  });
});

describe('an advertised argument', () => {
  test.each<[string, JsonSchema, unknown]>([
    [
      'keeps keywords that every client knows',
      { type: 'string', minLength: 1, maxLength: 9, pattern: '^[a-z]+$', default: 'a' },
      { type: 'string', minLength: 1, maxLength: 9, pattern: '^[a-z]+$', default: 'a' },
    ],
    ['turns const into enum', { const: 'a' }, { type: 'string', enum: ['a'] }],
    ['lists numbers in words', { type: 'integer', enum: [1, 2] }, { type: 'integer', description: 'One of 1, 2.' }],
    ['says what is always true', { const: true }, { type: 'boolean', description: 'Always true.' }],
    [
      'splits mixed choices by type',
      { enum: ['a', 1] },
      {
        anyOf: [
          { type: 'string', enum: ['a'] },
          { type: 'integer', description: 'Always 1.' },
        ],
      },
    ],
    [
      'splits lists of types',
      { type: ['string', 'integer'], maxLength: 3, maximum: 7, description: 'D' },
      {
        anyOf: [
          { type: 'string', maxLength: 3, description: 'D' },
          { type: 'integer', maximum: 7 },
        ],
      },
    ],
    [
      'shifts exclusive bounds of integers',
      { type: 'integer', exclusiveMinimum: 0, exclusiveMaximum: 10 },
      { type: 'integer', minimum: 1, maximum: 9 },
    ],
    [
      'describes exclusive bounds of numbers in words',
      { type: 'number', exclusiveMinimum: 0 },
      { type: 'number', description: 'Above 0.', minimum: 0 },
    ],
    ['says multipleOf', { type: 'number', multipleOf: 5 }, { type: 'number', description: 'Multiple of 5.' }],
    [
      'leaves out the bounds of the number format itself',
      { type: 'integer', minimum: -9007199254740991, maximum: 9007199254740991 },
      { type: 'integer' },
    ],
    [
      'describes uniqueItems in words',
      { type: 'array', uniqueItems: true, items: { type: 'string' } },
      { type: 'array', description: 'No duplicates.', items: { type: 'string' } },
    ],
    ['keeps null', { type: ['string', 'null'] }, { anyOf: [{ type: 'string' }, { type: 'null' }] }],
    [
      'keeps null of a union',
      { anyOf: [{ type: 'integer' }, { type: 'null' }] },
      { anyOf: [{ type: 'integer' }, { type: 'null' }] },
    ],
    [
      'describes formats in words',
      { type: 'string', format: 'uuid', description: 'The id' },
      { type: 'string', description: 'The id. UUID.' },
    ],
    ['keeps date-time', { type: 'string', format: 'date-time' }, { type: 'string', format: 'date-time' }],
    ['drops formats of numbers', { type: 'integer', format: 'int64' }, { type: 'integer' }],
    [
      'describes patterns that not every client compiles',
      { type: 'string', pattern: '^(?=.*\\d)\\w+$' },
      { type: 'string', description: 'Matches /^(?=.*\\d)\\w+$/.' },
    ],
    [
      'gives one example',
      { type: 'string', examples: ['one', 'two'] },
      { type: 'string', description: 'Example: "one".' },
    ],
    [
      'describes deprecated in words',
      { type: 'string', deprecated: true, description: 'Old!' },
      { type: 'string', description: 'Old! Deprecated.' },
    ],
    [
      'drops extensions',
      { type: 'string', 'x-mcp-header': 'Region', 'x-y': 1, xml: {}, externalDocs: {} },
      { type: 'string' },
    ],
    [
      'shows maps',
      { type: 'object', additionalProperties: { type: 'integer' } },
      { type: 'object', additionalProperties: { type: 'integer' } },
    ],
    [
      'shows maps by pattern',
      { type: 'object', patternProperties: { '^x-': { type: 'string' } }, additionalProperties: false },
      { type: 'object', description: 'Other keys match /^x-/.', additionalProperties: { type: 'string' } },
    ],
    [
      'understands a missing type',
      { properties: { a: { maxLength: 2 } } },
      { type: 'object', properties: { a: { type: 'string', maxLength: 2 } } },
    ],
    [
      'describes excluded values in words',
      { type: 'string', not: { enum: ['root'] } },
      { type: 'string', description: 'Not "root".' },
    ],
    ['uses a title for want of words', { type: 'string', title: 'City' }, { type: 'string', description: 'City' }],
    [
      'joins a list of names with any name',
      { anyOf: [{ type: 'string' }, { enum: ['gpt', 'o1'] }] },
      { type: 'string', description: 'Known values: gpt, o1.' },
    ],
    [
      'joins lists of names',
      { oneOf: [{ const: 'a' }, { enum: ['b', 'c'] }] },
      { type: 'string', enum: ['a', 'b', 'c'] },
    ],
    [
      'cleans text',
      { type: 'string', description: 'A <b>bold</b>\u200b\u202e [link](https://example.com/x?y=1) \u{e0041}here.' },
      { type: 'string', description: 'A bold link here.' },
    ],
    [
      'keeps unions of objects apart',
      { oneOf: [{ type: 'object', properties: { a: { type: 'string' } } }, { type: 'string' }], description: 'Either' },
      { anyOf: [{ type: 'object', properties: { a: { type: 'string' } }, description: 'Either' }, { type: 'string' }] },
    ],
    [
      'merges allOf around a reference',
      { allOf: [{ $ref: '#/$defs/Base' }, { properties: { b: { type: 'string' } }, required: ['b'] }] },
      { type: 'object', properties: { b: { type: 'string' }, a: { type: 'integer' } }, required: ['b', 'a'] },
    ],
    [
      'describes conditions in words',
      {
        type: 'object',
        properties: { kind: { type: 'string' }, url: { type: 'string' } },
        if: { properties: { kind: { const: 'web' } } },
        // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
        then: { required: ['url'] },
      },
      {
        type: 'object',
        description: 'When kind is "web", url required.',
        properties: { kind: { type: 'string' }, url: { type: 'string' } },
      },
    ],
    [
      'shows tuples as lists',
      { type: 'array', prefixItems: [{ type: 'number' }, { type: 'string' }], items: false },
      {
        type: 'array',
        description: 'The order of the items matters.',
        items: { anyOf: [{ type: 'number' }, { type: 'string' }] },
      },
    ],
  ])('%s', (_, schema, want) => {
    expect(
      portable(schema, {
        $defs: { Base: { type: 'object', required: ['a'], properties: { a: { type: 'integer' } } } },
      }),
    ).toEqual(want);
  });

  test('without a type is of the type of its example or default', () => {
    expect(portable({ examples: ['2026-01-31'] })).toMatchObject({ type: 'string' });
    expect(portable({ examples: [5] })).toMatchObject({ type: 'number' });
    expect(portable({ default: false })).toMatchObject({ type: 'boolean', default: false });
    expect(portable({ examples: [{ a: 1 }] })).toMatchObject({ type: 'object' });
    expect(portable({ examples: [['a']] })).toMatchObject({ type: 'array' });
    expect(portable({ examples: [null] })).toMatchObject({ anyOf: [{ type: 'string' }, {}, {}, {}, {}] });
  });

  test('of an array always has items, and any value is spelt out', () => {
    const list = { type: 'array', items: { anyOf: [{ type: 'string' }, { type: 'number' }, { type: 'object' }] } };
    const others = [{ type: 'number' }, { type: 'boolean' }, { type: 'object' }, list];
    expect(portable({ type: 'array' })).toEqual({ type: 'array', items: { anyOf: [{ type: 'string' }, ...others] } });
    expect(portable({})).toEqual({ anyOf: [{ type: 'string', description: 'Any JSON value.' }, ...others] });
    expect(portable({ description: 'The input' })).toEqual({
      anyOf: [{ type: 'string', description: 'The input. Any JSON value.' }, ...others],
    });
  });

  test('of any value allows every list that a caller may need, as deep as clients read', () => {
    const anything = createSchemaValidator({ type: 'object', properties: { x: portable({}) } });
    const values = ['a', 1, true, { a: [1] }, [], ['a', 'b'], [1, 2.5], [{ a: 1 }, 'b']];
    for (const x of values) expect(anything('t', { x })).toEqual({ x });
    let deep: JsonSchema = { type: 'array' };
    for (let depth = 0; depth < 7; depth++) deep = { type: 'object', properties: { d: deep } };
    const out = toPortableSchema({ type: 'object', properties: { x: deep } }, { maxDepth: 12 });
    expect(problems(out)).toEqual([]);
    expect(JSON.stringify(out)).toContain('"anyOf"');
  });

  test('keeps null wherever it is accepted', () => {
    const nullable = { type: ['string', 'null'] };
    const want = { anyOf: [{ type: 'string' }, { type: 'null' }] };
    expect(portable(nullable, { required: ['x'] })).toEqual(want);
    expect(portable({ type: 'array', items: nullable })).toEqual({ type: 'array', items: want });
    expect(portable(nullable)).toEqual(want);
    expect(portable({ type: 'object', properties: { inner: nullable } })).toEqual({
      type: 'object',
      properties: { inner: want },
    });
  });

  test('with more than a hundred choices names some of them', () => {
    const node = portable({ enum: Array.from({ length: 101 }, (_, index) => `v${index}`) }) as Record<string, unknown>;
    expect(node.enum).toBeUndefined();
    expect(node.description).toMatch(/^One of "v0", "v1", .*… \(101 values\)\.$/);
    expect(
      (portable({ enum: Array.from({ length: 100 }, (_, index) => `v${index}`) }) as { enum: unknown[] }).enum,
    ).toHaveLength(100);
  });

  test('has a description of bounded length', () => {
    const node = portable({ type: 'string', description: 'A sentence of words. '.repeat(500) }) as {
      description: string;
    };
    expect(node.description.length).toBeLessThanOrEqual(300);
  });
});

describe('a schema that several tools share', () => {
  test('follows the definitions of each tool', () => {
    const shared: JsonSchema = { type: 'array', items: { $ref: '#/$defs/first' } };
    const shown = ['string', 'integer', 'string'].map((type) =>
      portable(shared, { $defs: { first: { anyOf: [{ $ref: '#/$defs/second' }] }, second: { type } } }),
    );
    expect(shown).toEqual(['string', 'integer', 'string'].map((type) => ({ type: 'array', items: { type } })));
  });

  test('is reduced for each tool separately', () => {
    const shared: JsonSchema = { type: 'object', properties: { inner: { type: 'object', properties: { a: {} } } } };
    const many = Object.fromEntries(Array.from({ length: 40 }, (_, at) => [`x${at}`, shared]));
    const whole = toPortableSchema({ type: 'object', properties: { x: shared } });
    toPortableSchema({ type: 'object', properties: many }, { maxChars: 4_000 });
    expect(toPortableSchema({ type: 'object', properties: { x: shared } })).toEqual(whole);
  });
});

describe('the depth of an advertised schema', () => {
  const tree = { $ref: '#/$defs/Tree' };
  const $defs = {
    Tree: {
      type: 'object',
      title: 'A tree',
      required: ['name'],
      properties: { name: { type: 'string' }, left: tree, rest: { type: 'array', items: tree } },
    },
  };

  test('ends where a schema contains itself', () => {
    expect(portable(tree, { $defs })).toEqual({
      type: 'object',
      description: 'A tree',
      properties: {
        name: { type: 'string' },
        left: {
          type: 'object',
          description:
            'A tree. Fields: name (required), left, rest. Shortened here; a refused call names what is wrong.',
        },
        rest: {
          type: 'array',
          items: {
            type: 'object',
            description:
              'A tree. Fields: name (required), left, rest. Shortened here; a refused call names what is wrong.',
          },
        },
      },
      required: ['name'],
    });
  });

  test('ends at the given depth', () => {
    const nested = {
      type: 'object',
      properties: {
        a: { type: 'object', properties: { b: { type: 'object', properties: { c: { type: 'string' } } } } },
      },
    };
    const at = (maxDepth: number) =>
      toPortableSchema({ type: 'object', properties: { x: nested } }, { maxDepth }).properties.x;
    expect(at(1)).toEqual({
      type: 'object',
      description: 'Fields: a. Shortened here; a refused call names what is wrong.',
    });
    expect(at(2)).toEqual({
      type: 'object',
      properties: {
        a: { type: 'object', description: 'Fields: b. Shortened here; a refused call names what is wrong.' },
      },
    });
    expect(JSON.stringify(at(4))).toContain('"c":{"type":"string"}');
  });

  test('also ends for unions that contain themselves', () => {
    const loop = {
      $defs: {
        A: { anyOf: [{ $ref: '#/$defs/A' }, { type: 'string' }, { type: 'array', items: { $ref: '#/$defs/A' } }] },
      },
    };
    expect(problems(toPortableSchema({ type: 'object', properties: { x: { $ref: '#/$defs/A' } }, ...loop }))).toEqual(
      [],
    );
    const only = { $defs: { B: { $ref: '#/$defs/B' } } };
    expect(problems(toPortableSchema({ type: 'object', properties: { x: { $ref: '#/$defs/B' } }, ...only }))).toEqual(
      [],
    );
  });
});

describe('the size of an advertised schema', () => {
  const wide = (fields: number, levels: number): JsonSchema => ({
    type: 'object',
    description: 'A level of a very wide thing with a long description.',
    properties: Object.fromEntries(
      Array.from({ length: fields }, (_, index) => [
        `field_${index}`,
        levels === 0 ? { type: 'string', description: 'A leaf.' } : wide(fields, levels - 1),
      ]),
    ),
  });

  test('stays within the budget, cutting the largest argument first', () => {
    const out = toPortableSchema({
      type: 'object',
      required: ['small'],
      properties: { large: wide(20, 3), small: wide(2, 1) },
    });
    expect(JSON.stringify(out).length).toBeLessThanOrEqual(16_200);
    expect(JSON.stringify(out.properties.small)).toContain('A leaf.');
    expect(JSON.stringify(out.properties.large)).toContain('Shortened here');
    expect(problems(out)).toEqual([]);
  });

  test('of hundreds of arguments is cut, with a note on the rest', () => {
    const names = Array.from({ length: 900 }, (_, index) => `argument_${index}`);
    const out = toPortableSchema({
      type: 'object',
      required: ['argument_899'],
      properties: Object.fromEntries(
        names.map((name) => [
          name,
          { type: 'string', description: 'Words on this argument, which are many. '.repeat(5) },
        ]),
      ),
    });
    expect(JSON.stringify(out).length).toBeLessThanOrEqual(16_400);
    expect(out.required).toEqual(['argument_899']);
    expect(Object.keys(out.properties)).toContain('argument_0');
    expect(out.properties.argument_899!.description).toMatch(/^\d+ more optional arguments are not listed\. /);
  });

  test('takes bounded work to reach', () => {
    // Each definition refers to the next twice: 2^40 places if followed blindly.
    const $defs: Record<string, unknown> = { D40: { type: 'string' } };
    for (let level = 0; level < 40; level++) {
      $defs[`D${level}`] = {
        anyOf: [
          { allOf: [{ $ref: `#/$defs/D${level + 1}` }, { minLength: level }] },
          { $ref: `#/$defs/D${level + 1}` },
        ],
      };
    }
    const out = toPortableSchema({ type: 'object', properties: { x: { $ref: '#/$defs/D0' } }, $defs });
    expect(JSON.stringify(out).length).toBeLessThanOrEqual(16_200);
    expect(problems(out)).toEqual([]);
  });
});

describe('toPortableNode()', () => {
  test('converts schemas other than an object of arguments', () => {
    expect(toPortableNode({ type: 'array', items: { const: 'a' } })).toEqual({
      type: 'array',
      items: { type: 'string', enum: ['a'] },
    });
  });
});

describe('checkTool()', () => {
  const ok = { type: 'object', properties: {}, additionalProperties: false };
  const node = (schema: unknown) => ({ type: 'object', properties: { x: schema } });

  test.each<[ClientId, Parameters<typeof checkTool>[0], string]>([
    ['claude', { name: 'pets.list', inputSchema: ok }, 'the name "pets.list" must match ^[a-zA-Z0-9_-]+$'],
    [
      'claude_desktop',
      { name: 'a'.repeat(65), inputSchema: ok },
      `the name is sent as ${'a'.repeat(65)}: 65 characters, at most 64 are accepted`,
    ],
    [
      'claude_code',
      { name: 'a', description: 'x'.repeat(2_049), inputSchema: ok },
      'the description has 2049 characters and is cut at 2048',
    ],
    [
      'cursor',
      { name: 'a'.repeat(50), inputSchema: ok },
      `the name is sent as landbridge_${'a'.repeat(50)}: 61 characters, at most 60 are accepted`,
    ],
    ['mcp', { name: 'a', inputSchema: { type: 'array' } }, 'the root of the input schema must have type "object"'],
    [
      'openai',
      { name: 'a', inputSchema: { type: 'object', additionalProperties: false } },
      'the root of the input schema must have properties, even if empty',
    ],
    ['claude', { name: 'a', inputSchema: { ...ok, anyOf: [{}] } }, 'anyOf is refused at the root'],
    [
      'claude',
      { name: 'a', inputSchema: { type: 'object', properties: { 'filter[name]': {} } } },
      'the argument name "filter[name]" must match ^[a-zA-Z0-9_.-]{1,64}$',
    ],
    ['vscode', { name: 'a', inputSchema: node({ type: 'array' }) }, 'arguments.x: an array needs items'],
    [
      'gemini',
      { name: 'a', inputSchema: node({ type: 'integer', exclusiveMinimum: 0 }) },
      'arguments.x: exclusiveMinimum is refused',
    ],
    [
      'gemini',
      { name: 'a', inputSchema: node({ type: 'string', format: 'uuid' }) },
      'arguments.x: format uuid is refused',
    ],
    [
      'gemini',
      { name: 'a', inputSchema: node({ type: ['string', 'null'] }) },
      'arguments.x: a list of types is refused',
    ],
    [
      'gemini',
      { name: 'a', inputSchema: node({ type: 'integer', enum: [1] }) },
      'arguments.x: enum must hold non-empty strings on a string',
    ],
    [
      'gemini',
      { name: 'a', inputSchema: node({ description: 'd', anyOf: [{ type: 'string' }] }) },
      'arguments.x: a schema with anyOf must have no other keyword',
    ],
    ['gemini', { name: 'a', inputSchema: node({}) }, 'arguments.x: a type is missing'],
    [
      'gemini',
      { name: 'a', inputSchema: node({ type: 'object', required: ['y'] }) },
      'arguments.x: required y is not declared',
    ],
    ['openai', { name: 'a', inputSchema: node({ type: 'object', allOf: [] }) }, 'arguments.x: allOf is refused'],
  ])('%s refuses %j', (client, definition, want) => {
    expect(checkTool(definition, client)).toContain(want);
  });

  test('accepts the simplest tool', () => {
    for (const client of CLIENT_IDS) expect(checkTool({ name: 'ping', inputSchema: ok }, client)).toEqual([]);
  });

  test('knows how many tools a client uses', () => {
    expect(checkToolCount(41, 'cursor')).toEqual(['41 tools are offered, at most 40 are usable']);
    expect(checkToolCount(1_000, 'claude')).toEqual([]);
  });
});
