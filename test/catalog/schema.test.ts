import { describe, expect, test } from 'vitest';
import { buildGroupedSchema } from '../../src/catalog/grouped/grouped-schema.ts';

const text = { type: 'string' } as const;
const actions = [
  { key: 'list', fields: { limit: { type: 'integer' }, q: text }, required: [] },
  { key: 'create', fields: { name: { ...text, description: 'Full name.' }, email: text }, required: ['name', 'email'] },
  { key: 'update', fields: { name: { ...text, description: 'Full name.' }, email: text }, required: ['name'] },
  { key: 'search', fields: { q: text }, required: ['q'] },
] as const;

describe('buildGroupedSchema()', () => {
  test('has a discriminator, common fields, and notes on which actions take the other fields', () => {
    expect(
      buildGroupedSchema({
        actions,
        discriminator: 'action',
        common: {
          fields: { tenant: { ...text, description: 'Tenant' }, verbose: { type: 'boolean' } },
          required: ['tenant'],
        },
      }),
    ).toEqual({
      type: 'object',
      properties: {
        action: { type: 'string', enum: ['list', 'create', 'update', 'search'] },
        tenant: { type: 'string', description: 'Tenant (always required)' },
        verbose: { type: 'boolean', description: 'For: list, create, update, search' },
        limit: { type: 'integer', description: 'For: list' },
        q: { type: 'string', description: 'Required for: search. For: list' },
        name: { type: 'string', description: 'Full name. Required for: create, update' },
        email: { type: 'string', description: 'Required for: create. For: update' },
      },
      required: ['action', 'tenant'],
      additionalProperties: false,
    });
  });

  test('long lists of actions are given as exceptions only in lean schemas', () => {
    const keys = ['a', 'b', 'c', 'd', 'e', 'f'];
    const many = keys.map((key) => ({
      key,
      fields: key === 'f' ? {} : { id: text },
      required: key === 'f' ? [] : ['id'],
    }));
    const noteOf = (lean: boolean) =>
      buildGroupedSchema({ actions: many, discriminator: 'action', lean }).properties.id as { description: string };
    expect(noteOf(false).description).toBe('Required for: a, b, c, d, e');
    expect(noteOf(true).description).toBe('Required for: all but f');
  });

  test('the discriminator describes the actions if they are passed as text', () => {
    const schema = buildGroupedSchema({ actions, discriminator: 'method', actionText: 'list: all of them' });
    expect(schema.properties.method).toEqual({
      type: 'string',
      enum: ['list', 'create', 'update', 'search'],
      description: 'list: all of them',
    });
  });

  test('a field with another type in one action is shown with both types', () => {
    const schema = buildGroupedSchema({
      actions: [
        { key: 'get', fields: { id: { type: 'integer' } }, required: ['id'] },
        { key: 'find', fields: { id: { type: 'array', items: text } }, required: [] },
      ],
      discriminator: 'action',
    });
    expect(schema.properties.id).toEqual({
      anyOf: [
        { type: 'integer', description: 'integer for get; array of string for find. Required for: get. For: find' },
        { type: 'array', items: { type: 'string' } },
      ],
    });
  });

  test('a common field that an action redefines is shown with both schemas', () => {
    const schema = buildGroupedSchema({
      actions: [
        { key: 'a', fields: { id: { type: 'integer' } }, required: ['id'] },
        { key: 'b', fields: {}, required: [] },
      ],
      discriminator: 'action',
      common: { fields: { id: text }, required: ['id'] },
    });
    expect(schema.properties.id).toEqual({
      anyOf: [
        { type: 'string', description: 'string for others; integer for a (always required)' },
        { type: 'integer' },
      ],
    });
  });

  test('fields named __proto__ or constructor are ordinary fields', () => {
    const fields = Object.fromEntries([
      ['__proto__', text],
      ['constructor', text],
    ]);
    const schema = buildGroupedSchema({ actions: [{ key: 'a', fields, required: [] }], discriminator: 'action' });
    expect(Object.keys(schema.properties)).toEqual(['action', '__proto__', 'constructor']);
  });
});
