import { Ajv2020 } from 'ajv/dist/2020.js';
import { describe, expect, test } from 'vitest';
import { toLegacyOutputSchema, toLegacyStructured } from '../../src/schema/output-schema.ts';

describe('toLegacyOutputSchema()', () => {
  test('keeps object schemas as they are', () => {
    const schema = { type: 'object', properties: { a: { $ref: '#/$defs/A' } }, $defs: { A: {} } };
    expect(toLegacyOutputSchema(schema)).toBe(schema);
    expect(toLegacyStructured(schema, { a: 1 })).toEqual({ a: 1 });
  });

  test('a recursive array still validates what it validated, one level deeper', () => {
    const schema = {
      type: 'array',
      items: { $ref: '#/$defs/Node' },
      $defs: {
        Node: {
          type: 'object',
          properties: { name: { type: 'string' }, children: { $ref: '#' } },
          required: ['name'],
        },
      },
    };
    const wrapped = toLegacyOutputSchema(schema);
    const natural = new Ajv2020({ strict: false }).compile(schema);
    const legacy = new Ajv2020({ strict: false }).compile(wrapped as object);
    for (const value of [
      [],
      [{ name: 'a' }],
      [{ name: 'a', children: [{ name: 'b' }] }],
      [{}],
      [{ name: 'a', children: [{}] }],
      'x',
    ]) {
      expect(legacy(toLegacyStructured(schema, value))).toBe(natural(value));
    }
  });

  test('only references are rewritten, not properties called $ref nor anchors nor examples', () => {
    const schema = {
      type: 'array',
      items: {
        properties: { $ref: { type: 'string', const: '#/$defs/A' }, b: { $ref: '#anchor' } },
        patternProperties: { '^x': { $ref: '#/$defs/A' } },
        anyOf: [{ $ref: '#' }, true],
        default: { $ref: '#/$defs/A' },
      },
      $defs: { A: {}, B: { $id: 'https://x.test/b', properties: { c: { $ref: '#/c' } } } },
    };
    expect(toLegacyOutputSchema(schema)).toEqual({
      type: 'object',
      properties: {
        result: {
          type: 'array',
          items: {
            properties: { $ref: { type: 'string', const: '#/$defs/A' }, b: { $ref: '#anchor' } },
            patternProperties: { '^x': { $ref: '#/properties/result/$defs/A' } },
            anyOf: [{ $ref: '#/properties/result' }, true],
            default: { $ref: '#/$defs/A' },
          },
          $defs: { A: {}, B: { $id: 'https://x.test/b', properties: { c: { $ref: '#/c' } } } },
        },
      },
      required: ['result'],
    });
  });

  test('the dialect stays at the root', () => {
    expect(toLegacyOutputSchema({ $schema: 'https://json-schema.org/draft/2020-12/schema', type: 'string' })).toEqual({
      $schema: 'https://json-schema.org/draft/2020-12/schema',
      type: 'object',
      properties: { result: { type: 'string' } },
      required: ['result'],
    });
    expect(toLegacyOutputSchema(true)).toEqual({ type: 'object', properties: { result: true }, required: ['result'] });
  });

  test('a value without a schema is wrapped unless it is an object', () => {
    expect(toLegacyStructured(undefined, [1])).toEqual({ result: [1] });
    expect(toLegacyStructured(undefined, { a: 1 })).toEqual({ a: 1 });
    expect(toLegacyStructured(undefined, null)).toEqual({ result: null });
  });
});
