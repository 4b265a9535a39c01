import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  checkMirroredArguments,
  checkRequestHeaders,
  checkVersionHeader,
  findMirroredArguments,
} from '../../src/protocol/wire/header-checks.ts';

const encode = (text: string) => `=?base64?${Buffer.from(text).toString('base64')}?=`;
const call = (name: string, header: string | undefined) => () =>
  checkRequestHeaders({ 'mcp-method': 'tools/call', 'mcp-name': header }, 'tools/call', { name });

describe('Mcp-Name', () => {
  test.each([
    ['pets_list', 'pets_list'],
    ['pets_list', encode('pets_list')],
    ['Grüße', encode('Grüße')],
    ['', '=?base64??='],
    ['=?utf-8?Q?a?=', '=?utf-8?Q?a?='],
    ['=?BASE64?YQ==?=', '=?BASE64?YQ==?='],
    ['=?base64?YQ==', '=?base64?YQ=='],
  ])('of %j may be written %j', (name, header) => {
    expect(call(name, header)).not.toThrow();
  });

  test.each([
    ['pets_list', undefined, 'Mcp-Name is missing'],
    ['pets_list', 'Pets_list', 'Mcp-Name says "Pets_list"'],
    ['pets_list', encode('pets_delete'), 'the body says "pets_list"'],
    // Whoever reads the header decodes it: so must we, even when the texts are equal.
    [encode('pets_delete'), encode('pets_delete'), 'Mcp-Name says'],
    ['a', '=?base64?YQ?=', 'not valid base64'],
    ['a', '=?base64?YR==?=', 'not valid base64'],
    ['a', '=?base64?Y Q=?=', 'not valid base64'],
    ['a', '=?base64?/w==?=', 'not valid UTF-8'],
  ])('of %j must not be written %j', (name, header, why) => {
    expect(call(name, header)).toThrow(why);
  });

  test('of any name is accepted encoded, and refused if it contains another name', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), fc.string({ unit: 'grapheme' }), (name, other) => {
        expect(call(name, encode(name))).not.toThrow();
        if (other !== name) expect(call(name, encode(other))).toThrow('Header mismatch');
      }),
      { numRuns: 200 },
    );
  });

  test('is the URI of a resource, and ignored for methods without a name', () => {
    const headers = { 'mcp-method': 'resources/read', 'mcp-name': 'a://b' };
    expect(() => checkRequestHeaders(headers, 'resources/read', { uri: 'a://b' })).not.toThrow();
    expect(() => checkRequestHeaders(headers, 'resources/read', { uri: 'a://c' })).toThrow('Mcp-Name says "a://b"');
    expect(() => checkRequestHeaders({ 'mcp-method': 'tools/list', 'mcp-name': 'x' }, 'tools/list', {})).not.toThrow();
  });

  test('is not required if the body has no name, which is a different error', () => {
    expect(() => checkRequestHeaders({ 'mcp-method': 'tools/call' }, 'tools/call', {})).not.toThrow();
    expect(() => checkRequestHeaders({ 'mcp-method': 'toString' }, 'toString', {})).not.toThrow();
  });
});

describe('MCP-Protocol-Version and Mcp-Method', () => {
  test('must be present and equal the body', () => {
    expect(() => checkVersionHeader({ 'mcp-protocol-version': '2026-07-28' }, '2026-07-28')).not.toThrow();
    expect(() => checkVersionHeader({}, '2026-07-28')).toThrow('MCP-Protocol-Version is missing');
    expect(() => checkVersionHeader({ 'mcp-protocol-version': '2026-07-28, 2025-11-25' }, '2026-07-28')).toThrow(
      'says "2026-07-28, 2025-11-25"',
    );
    expect(() => checkRequestHeaders({ 'mcp-method': 'TOOLS/LIST' }, 'tools/list', {})).toThrow('says "TOOLS/LIST"');
  });
});

describe('Mcp-Param-*', () => {
  const schema = {
    type: 'object',
    properties: {
      region: { type: 'string', 'x-mcp-header': 'Region' },
      shard: { type: 'integer', 'x-mcp-header': 'Shard' },
      dry: { type: 'boolean', 'x-mcp-header': 'Dry' },
      where: { type: 'object', properties: { city: { type: 'string', 'x-mcp-header': 'City' } } },
      free: { type: 'string' },
    },
  };
  const mirrored = findMirroredArguments(schema);
  const check = (args: Record<string, unknown>, headers: Record<string, string>) => () =>
    checkMirroredArguments(headers, args, mirrored);

  test('are found on string, integer and boolean properties, however deep', () => {
    expect(mirrored).toEqual([
      { header: 'Region', path: ['region'] },
      { header: 'Shard', path: ['shard'] },
      { header: 'Dry', path: ['dry'] },
      { header: 'City', path: ['where', 'city'] },
    ]);
  });

  test.each([
    ['a number', { a: { type: 'number', 'x-mcp-header': 'A' } }],
    ['an object', { a: { type: 'object', 'x-mcp-header': 'A' } }],
    ['no header name', { a: { type: 'string', 'x-mcp-header': 'A B' } }],
    ['no text', { a: { type: 'string', 'x-mcp-header': 7 } }],
    ['a name twice', { a: { type: 'string', 'x-mcp-header': 'A' }, b: { type: 'string', 'x-mcp-header': 'a' } }],
    ['items of a list', { a: { type: 'array', items: { type: 'string', 'x-mcp-header': 'A' } } }],
    ['a branch', { a: { oneOf: [{ type: 'string', 'x-mcp-header': 'A' }] } }],
  ])('do not count on %s', (_, properties) => {
    expect(findMirroredArguments({ type: 'object', properties })).toEqual([]);
  });

  test.each([
    [{ region: 'eu' }, { 'mcp-param-region': 'eu' }],
    [{ region: 'Köln' }, { 'mcp-param-region': encode('Köln') }],
    [{ shard: 42 }, { 'mcp-param-shard': '42' }],
    [{ shard: 42 }, { 'mcp-param-shard': '42.0' }],
    [{ shard: -1 }, { 'mcp-param-shard': '-1' }],
    [{ dry: false }, { 'mcp-param-dry': 'false' }],
    [{ where: { city: 'Bern' } }, { 'mcp-param-city': 'Bern' }],
    [{ free: 'x' }, {}],
    [{ region: null }, {}],
    [{}, { 'mcp-param-region': 'not expected, so not looked at' }],
    // No header can carry these; the validation of arguments refuses them.
    [{ region: { toString: 1 } }, {}],
    [{ where: 'Bern' }, {}],
    [{ where: { __proto__: null, toString: 'x' } }, {}],
  ])('agree: %j with %j', (args, headers) => {
    expect(check(args, headers as Record<string, string>)).not.toThrow();
  });

  test.each([
    [{ region: 'eu' }, {}, 'Mcp-Param-Region is missing, though the argument region is there'],
    [{ region: 'eu' }, { 'mcp-param-region': 'us' }, 'Mcp-Param-Region differs from the argument region'],
    [{ region: 'eu' }, { 'mcp-param-region': 'EU' }, 'differs'],
    [{ region: 'eu' }, { 'mcp-param-region': '=?base64?!!?=' }, 'not valid base64'],
    [{ shard: 42 }, { 'mcp-param-shard': '43' }, 'differs'],
    [{ shard: 0 }, { 'mcp-param-shard': '' }, 'differs'],
    [{ shard: 16 }, { 'mcp-param-shard': '0x10' }, 'differs'],
    [{ shard: 1000 }, { 'mcp-param-shard': '1e3' }, 'differs'],
    [{ dry: false }, { 'mcp-param-dry': '0' }, 'differs'],
    [{ where: { city: 'Bern' } }, {}, 'the argument where.city is there'],
  ])('disagree: %j with %j', (args, headers, why) => {
    expect(check(args, headers as Record<string, string>)).toThrow(why);
  });
});
