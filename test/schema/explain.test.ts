// What a caller reads after wrong arguments: one line for each cause, and the next step in it.
import { describe, expect, test } from 'vitest';
import type { Args, JsonSchema } from '../../src/endpoint/model.ts';
import { createSchemaValidator } from '../../src/schema/check/validator.ts';

const text = { type: 'string' };
const status = { type: 'array', items: { enum: ['open', 'closed'] } };
const object = (properties: object, more: object = {}): JsonSchema => ({ type: 'object', properties, ...more });

/** The numbered lines of the refusal. */
function lines(schema: JsonSchema, args: Args): string[] {
  try {
    createSchemaValidator(schema)('t', args);
  } catch (error) {
    return (error as Error).message.split('\n').filter((line) => /^\d/.test(line));
  }
  throw new Error('the arguments were accepted');
}

describe('one value where a list is expected', () => {
  test.each<[string, JsonSchema, unknown, string]>([
    ['a word', status, 'open', '["open"]'],
    ['words with commas', status, 'open, closed', '["open","closed"]'],
    ['a number', { type: 'array', items: { type: 'integer' } }, 5, '[5]'],
    ['numbers with commas', { type: 'array', items: { type: 'integer' } }, '1,2', '[1,2]'],
    ['an object', { type: 'array', items: object({ a: text }) }, { a: 'x' }, '[{"a":"x"}]'],
    ['a list of one for a word', text, ['open'], '"open"'],
  ])('%s', (_, schema, value, meant) => {
    const [line, ...others] = lines(object({ x: schema }), { x: value } as Args);
    expect(others).toEqual([]);
    expect(line).toContain(` — did you mean ${meant}?`);
  });

  test('is not suggested as a list if the items do not accept it', () => {
    expect(lines(object({ x: status }), { x: 'lost' })[0]).not.toContain('did you mean');
  });

  test('is not repeated if it is a secret', () => {
    const keys = { type: 'array', items: text };
    expect(lines(object({ api_keys: keys }), { api_keys: 'hunter2' })[0]).not.toContain('hunter2');
  });
});

describe('the explanation of a field at the wrong level', () => {
  const body = object(
    { title: text, tag: object({ name: text }, { additionalProperties: false }) },
    { additionalProperties: false },
  );
  const whole = object({ id: text, body }, { required: ['body'] });

  test('says that it belongs inside a sibling', () => {
    expect(lines(whole, { id: '1', title: 'x' })).toEqual(['1. unknown `title`; put it inside `body`']);
    expect(lines(whole, { body: { name: 'n' } })).toEqual(['1. unknown `body.name`; put it inside `body.tag`']);
  });

  test('says that it belongs two levels deeper', () => {
    expect(lines(whole, { id: '1', name: 'n', body: {} })).toEqual(['1. unknown `name`; put it inside `body.tag`']);
  });

  test('says that it belongs outside', () => {
    expect(lines(whole, { body: { id: '1' } })).toEqual([
      '1. unknown `body.id`; put it beside `body`, not inside: `id`',
    ]);
    expect(lines(whole, { body: { tag: { title: 'x' } } })).toEqual([
      '1. unknown `body.tag.title`; put it beside `body.tag`, not inside: `body.title`',
    ]);
  });

  test('says to pass fields directly if their wrapper is not an argument', () => {
    const flat = object({ title: text, note: text }, { required: ['title'] });
    expect(lines(flat, { data: { title: 'x', note: 'y' } })).toEqual([
      '1. unknown `data`; pass its fields directly instead: `title`, `note`',
    ]);
  });
});

describe('one cause is explained in one line', () => {
  test('a misspelt name is not missing as well', () => {
    expect(lines(object({ title: text }, { required: ['title'] }), { titel: 'x' })).toEqual([
      '1. unknown `titel` — did you mean `title`?',
    ]);
  });

  test('a field that one part of its object requires and another describes is not taken for an argument of the same name', () => {
    const inner = { allOf: [{ required: ['c'] }, { properties: { c: { type: 'integer', description: 'How many' } } }] };
    const schema: JsonSchema = { properties: { c: { type: 'string' }, a: inner, list: { items: inner } } };
    expect(lines(schema, { a: {}, list: [{ c: 1 }, {}] })).toEqual([
      '1. missing `a.c` (integer): How many',
      '2. missing `list[1].c` (integer): How many',
    ]);
  });

  test('a missing field has the type that the alternative which requires it describes', () => {
    const age = { type: 'integer', description: 'In years' };
    const refs = { $defs: { Person: { properties: { age } } } };
    const missing = ['1. missing `age` (integer): In years'];
    expect(lines({ anyOf: [{ required: ['age'], allOf: [{ properties: { age } }] }] }, {})).toEqual(missing);
    expect(lines({ ...refs, anyOf: [{ required: ['age'], $ref: '#/$defs/Person' }] }, {})).toEqual(missing);
  });

  test('a field that several others need is reported as missing once', () => {
    const schema = object({ a: text, b: text, c: text }, { dependentRequired: { a: ['c'], b: ['c'] } });
    expect(lines(schema, { a: 'x', b: 'x' })).toEqual(['1. missing `c` (string), needed together with `a`']);
  });
});
