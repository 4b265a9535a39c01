import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  parseMessages,
  writeError,
  writeNotification,
  writeRequest,
  writeResult,
} from '../../src/protocol/wire/jsonrpc.ts';

/** Control characters, quotes, lone surrogates: whatever a JavaScript string can hold. */
const anyText = fc.string({ unit: fc.integer({ min: 0, max: 0xffff }).map((code) => String.fromCharCode(code)) });

describe('parseMessages()', () => {
  test.each([
    ['{"jsonrpc":"2.0","id":0,"method":"a"}', { kind: 'request', id: 0, method: 'a', params: undefined }],
    ['{"jsonrpc":"2.0","id":"","method":"a","params":{}}', { kind: 'request', id: '', method: 'a', params: {} }],
    ['{"jsonrpc":"2.0","id":-3,"method":"a"}', { kind: 'request', id: -3, method: 'a', params: undefined }],
    ['{"jsonrpc":"2.0","method":"a"}', { kind: 'notification', method: 'a', params: undefined }],
    ['{"jsonrpc":"2.0","id":1,"result":null}', { kind: 'response', id: 1, result: null, error: undefined }],
    ['{"jsonrpc":"2.0","id":1,"error":{}}', { kind: 'response', id: 1, result: undefined, error: {} }],
    ['{"jsonrpc":"2.0","error":{}}', { kind: 'response', id: undefined, result: undefined, error: {} }],
    ['{"jsonrpc":"2.0","id":null,"error":{}}', { kind: 'response', id: undefined, result: undefined, error: {} }],
    ['{"jsonrpc":"2.0","result":{}}', { kind: 'invalid', id: undefined, reason: '"method" must be a string.' }],
    ['{"jsonrpc":"2.0","id":1}', { kind: 'invalid', id: 1, reason: '"method" must be a string.' }],
    ['null', { kind: 'invalid', id: undefined, reason: 'A message must be a JSON object.' }],
    ['[[]]', [{ kind: 'invalid', id: undefined, reason: 'A message must be a JSON object.' }]],
  ])('reads %s', (text, want) => {
    expect(parseMessages(text)).toEqual(want);
  });

  test.each([
    '{"a":1,"a":2}',
    '{"a":1,"\\u0061":2}',
    '{"a":{"b":[{"c":1,"c":1}]}}',
    '{"__proto__":1,"__proto__":2}',
    '[{"a":1},{"a":1,"a":1}]',
  ])('refuses the duplicate key in %s', (text) => {
    expect(() => parseMessages(text)).toThrow('the same key twice');
  });

  test.each([
    '{"a":"b:\\"c\\":"}',
    '{"a":"\\\\","b":":"}',
    '{ "a" :1, "b" : {"a":"a"} }',
    '[{"a":1},{"a":1}]',
    '{"":1}',
  ])('finds no duplicate key in %s', (text) => {
    expect(() => parseMessages(text)).not.toThrow();
  });

  const fieldsOf = (count: number) =>
    Array.from({ length: count }, (_, index) => `"k${String(index).padStart(9, '0')}":1`).join(',');
  test.each([
    [`{"jsonrpc":"2.0","id":"a\\"b","params":[${'1,'.repeat(25_000)}1]}`, 'a"b', 'more than 25000 values'],
    [`{"params":{${fieldsOf(6_251)}},"x":{"id":8}, "id" : 7}`, 7, 'more than 6250 fields'],
    [`{"params":{${fieldsOf(6_251)}},"id":7,"id":8}`, undefined, 'more than 6250 fields'],
    [`{"params":{${fieldsOf(6_251)}},"id":{"id":8}}`, undefined, 'more than 6250 fields'],
    [`[${'{"id":1},'.repeat(20_000)}1]`, undefined, 'more than 25000 values'],
    [`[${'[],'.repeat(30_000)}`, undefined, 'more than 25000 values'],
  ])('does not build a message that holds too much (%#)', (text, id, reason) => {
    expect(parseMessages(text)).toEqual({ kind: 'excess', id, reason: expect.stringContaining(reason) });
  });

  test('accepts a message as large as arguments may be', () => {
    const text = `{"jsonrpc":"2.0","id":1,"method":"a","params":{"x":[${'{},'.repeat(20_000)}1],"y":{${fieldsOf(4_900)}},"z":"${',['.repeat(100_000)}"}}`;
    expect(parseMessages(text)).toMatchObject({ kind: 'request', id: 1, method: 'a' });
  });

  test.each([60_000, 20])('refuses messages that are nested too deeply, with %i more characters', (beside) => {
    const text = `{"x":"${'x'.repeat(beside)}","y":${'['.repeat(65)}${']'.repeat(65)}}`;
    expect(() => parseMessages(text)).toThrow('nested deeper than 64 levels');
    expect(() => parseMessages(text.replace('[', '').replace(']', ''))).not.toThrow();
  });

  test('finds no duplicate key in any serialised value', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 5 }), fc.nat(2), (value, indent) => {
        expect(() => parseMessages(JSON.stringify(value, null, indent))).not.toThrow();
      }),
      { numRuns: 300 },
    );
  });

  test('finds a duplicate key anywhere in a value', () => {
    const nested = fc.jsonValue({ maxDepth: 2 });
    fc.assert(
      fc.property(fc.string(), nested, nested, fc.nat(5), (key, first, second, depth) => {
        const name = JSON.stringify(key);
        const inner = `{${name}:${JSON.stringify(first)},${name}:${JSON.stringify(second)}}`;
        const text = `${'{"x":['.repeat(depth)}${inner}${']}'.repeat(depth)}`;
        expect(() => parseMessages(text)).toThrow('the same key twice');
      }),
      { numRuns: 200 },
    );
  });

  test('does not set the prototype that a message names', () => {
    const message = parseMessages('{"jsonrpc":"2.0","id":1,"method":"a","params":{"__proto__":{"polluted":1}}}');
    expect(({} as { polluted?: number }).polluted).toBeUndefined();
    expect(message).toMatchObject({ kind: 'request' });
  });
});

describe('JSON-RPC answers', () => {
  test('have the id of their request, whatever it is', () => {
    fc.assert(
      fc.property(fc.oneof(anyText, fc.integer()), (id) => {
        const { id: back, result } = JSON.parse(writeResult(id, '{"a":1}'));
        expect([back, result]).toEqual([JSON.parse(JSON.stringify(id)), { a: 1 }]);
      }),
      { numRuns: 200 },
    );
  });

  test('never contain a line break, so that no text can forge a frame', () => {
    fc.assert(
      fc.property(anyText, (text) => {
        const written = [
          writeError(text, -32600, text, { text }),
          writeNotification(text, { text }),
          writeRequest(text, text, { text }),
          writeResult(text, JSON.stringify(text)),
        ].join('');
        expect(/[\n\r]/.test(written)).toBe(false);
      }),
      { numRuns: 200 },
    );
  });

  test('have no id if it is unknown', () => {
    expect(writeError(undefined, -32700, 'no')).toBe('{"jsonrpc":"2.0","error":{"code":-32700,"message":"no"}}');
  });
});
