// A: messages within the limits that must not hold the event loop, through every door.
import { type Case, call, request, requests } from '../case.ts';
import { PATTERNS, TOOL, WIDE_OBJECT } from '../hostile-api.ts';
import { HOSTILE_SCHEMAS } from '../hostile-schemas.ts';

const run = (text: string, count: number) => text.repeat(count);
const keys = (count: number, value: (index: number) => unknown, stem = 'unknown') =>
  Object.fromEntries(Array.from({ length: count }, (_, index) => [`${stem}_${index}`, value(index)]));
const list = <Item>(count: number, item: (index: number) => Item) =>
  Array.from({ length: count }, (_, index) => item(index));
/** [[[[…]]]] or {"a":{"a":…}}. */
function nest(depth: number, wrap: (inner: unknown) => unknown, core: unknown = 1): unknown {
  let value = core;
  for (let level = 0; level < depth; level++) value = wrap(value);
  return value;
}
const tree = (depth: number) =>
  nest(depth, (inner) => ({ name: 'n', children: [inner] }), { name: 'leaf' }) as Record<string, unknown>;
const read = (id: string, args: () => Record<string, unknown>) => call(id, TOOL('read'), args);

/** The rows of the report that started this. */
const REPORTED: readonly Case[] = [
  read('fields: a, 100,000 dots, b', () => ({ fields: `a${run('.', 100_000)}b` })),
  read('fields: a, 300,000 dots, b', () => ({ fields: `a${run('.', 300_000)}b` })),
  call('30,000 unknown keys against 400 properties', TOOL('wide'), () => keys(30_000, () => 1)),
  call('30,000 near-misses of 400 properties', TOOL('wide'), () => keys(30_000, () => 'x', 'propertz')),
  call('map of integers: 15,000 strings of 18 digits', TOOL('map'), () => ({
    map: keys(15_000, (index) => `1234567890${10_000_000 + index}`, 'k'),
  })),
  call('base64: 60,000 blanks and !', TOOL('upload'), () => ({ file: { base64: `${run(' ', 60_000)}!` } })),
  call('base64: 900,000 blanks and !', TOOL('upload'), () => ({ file: { base64: `${run(' ', 900_000)}!` } })),
  ...PATTERNS.map(({ pattern, attack }, index) =>
    call(`pattern ${pattern}`, TOOL('patterns'), () => ({ [`p${index}`]: attack })),
  ),
];

/** Long runs of one character in every control. */
const RUNS = [
  '.',
  '*',
  '[',
  '$',
  ' ',
  ',',
  '/',
  '%',
  '\\',
  '"',
  '{',
  '\u0000',
  'é',
  '\ud800',
  'a.',
  '*.',
  '[*]',
  '../',
  '%2f',
];
const CONTROLS: readonly Case[] = [
  ...RUNS.map((text) =>
    read(`fields: run of ${JSON.stringify(text)}`, () => ({
      fields: `a${run(text, Math.floor(200_000 / text.length))}b`,
    })),
  ),
  read('fields: 100,000 paths', () => ({ fields: run('a,', 100_000) })),
  read('fields: list of 100 paths of 5,000 steps', () => ({ fields: list(100, () => run('a.', 4_000)) })),
  ...['.', '=', 'a', '-', ' '].map((text) =>
    call(`confirmation_token: run of ${JSON.stringify(text)}`, TOOL('delete_item'), () => ({
      id: '1',
      confirmation_token: run(text, 500_000),
    })),
  ),
  ...['.', '=', 'a', '~'].map((text) =>
    request(`requestState: run of ${JSON.stringify(text)}`, 'tools', 'tools/call', () => ({
      name: TOOL('delete_item'),
      arguments: { id: '1' },
      requestState: run(text, 500_000),
      inputResponses: keys(5_000, () => ({ action: 'accept' })),
    })),
  ),
  ...['tools/list', 'resources/list', 'prompts/list', 'resources/templates/list'].map((method) =>
    requests(`${method}: cursor, long runs of one character`, 'tools', method, () =>
      ['a', '=', '9', '.'].map((text) => ({ cursor: run(text, 500_000) })),
    ),
  ),
  ...['/', '%', '{', '}', 'a', '?', '..%2f', ':', '\ud800'].map((text) =>
    request(`resources/read: URI, run of ${JSON.stringify(text)}`, 'tools', 'resources/read', () => ({
      uri: `hostile://files/${run(text, Math.floor(200_000 / text.length))}`,
    })),
  ),
  ...['{', '}', '{{', ' ', 'a'].map((text) =>
    request(`prompts/get: argument, run of ${JSON.stringify(text)}`, 'tools', 'prompts/get', () => ({
      name: 'ask',
      arguments: { who: run(text, 400_000), what: run(text, 10) },
    })),
  ),
  request('prompts/get: 50,000 unknown arguments', 'tools', 'prompts/get', () => ({
    name: 'ask',
    arguments: keys(50_000, () => 'x'),
  })),
  request('prompts/get: name of 900,000', 'tools', 'prompts/get', () => ({ name: run('a', 900_000), arguments: {} })),
  request('completion: value of 900,000', 'tools', 'completion/complete', () => ({
    ref: { type: 'ref/prompt', name: 'ask' },
    argument: { name: 'who', value: run('p', 900_000) },
  })),
  request('completion: template of 400,000 braces', 'tools', 'completion/complete', () => ({
    ref: { type: 'ref/resource', uri: run('{', 400_000) },
    argument: { name: 'x', value: '' },
  })),
  request('completion: 50,000 context arguments', 'tools', 'completion/complete', () => ({
    ref: { type: 'ref/prompt', name: 'ask' },
    argument: { name: 'who', value: 'p' },
    context: { arguments: keys(50_000, () => 'x') },
  })),
  request('tool name of 4,000', 'tools', 'tools/call', () => ({ name: run('hostile_', 500), arguments: {} })),
  request('tool name: near-miss', 'tools', 'tools/call', () => ({ name: `${TOOL('delete_item')}s`, arguments: {} })),
  request('progressToken of 900,000', 'tools', 'tools/call', () => ({
    name: TOOL('read'),
    arguments: {},
    _meta: { progressToken: run('t', 900_000) },
  })),
  ...['traceparent', 'tracestate', 'baggage'].map((field) =>
    requests(`_meta.${field}: long runs of one character`, 'tools', 'tools/call', () =>
      ['0-', ',', '=', ' ', 'a=b,', ';'].map((text) => ({
        name: TOOL('read'),
        arguments: {},
        _meta: { [field]: run(text, Math.floor(400_000 / text.length)) },
      })),
    ),
  ),
  request('_meta of 50,000 keys', 'tools', 'tools/call', () => ({
    name: TOOL('read'),
    arguments: {},
    _meta: keys(50_000, () => 1),
  })),
  request('logLevel of 900,000', 'tools', 'tools/call', () => ({
    name: TOOL('read'),
    arguments: {},
    _meta: { 'io.modelcontextprotocol/logLevel': run('d', 900_000) },
  })),
  request('unknown method of 900,000', 'tools', run('m/', 450), () => ({})),
];

/** The smaller modes: search, describe, call by name; grouped actions. */
const MODES: readonly Case[] = [
  ...['a', ' ', 'ing ', 'eed', 'aaaing', '*', '"', '\ud83d\ude00', 'delete '].map((text) =>
    call(
      `search: query, run of ${JSON.stringify(text)}`,
      'search_operations',
      () => ({ query: run(text, Math.floor(500_000 / text.length)) }),
      'search',
    ),
  ),
  call(
    'search: 60,000 different words',
    'search_operations',
    () => ({ query: list(60_000, (index) => `word${index}`).join(' ') }),
    'search',
  ),
  call('describe: name of 900,000', 'describe_operation', () => ({ operation: run('hostile_', 110_000) }), 'search'),
  call(
    'describe: near-miss of 4,000',
    'describe_operation',
    () => ({ operation: `hostile_${run('read', 1_000)}` }),
    'search',
  ),
  call(
    'call_operation: name of 900,000',
    'call_operation',
    () => ({ operation: run('d', 900_000), arguments: {} }),
    'search',
  ),
  call(
    'call_operation: 30,000 unknown keys',
    'call_operation',
    () => ({ operation: TOOL('wide'), arguments: keys(30_000, () => 1) }),
    'search',
  ),
  call(
    'call_operation: fields of dots',
    'call_operation',
    () => ({ operation: TOOL('read'), arguments: { fields: `a${run('.', 100_000)}b` } }),
    'search',
  ),
  call(
    'search tool: 50,000 unknown keys',
    'search_operations',
    () => ({ query: 'x', ...keys(50_000, () => 1) }),
    'search',
  ),
  request('grouped: action of 900,000', 'grouped', 'tools/call', () => ({
    name: 'hostile',
    arguments: { action: run('a', 900_000) },
  })),
  request('grouped: 30,000 unknown keys', 'grouped', 'tools/call', () => ({
    name: 'hostile',
    arguments: { action: 'wide', ...keys(30_000, () => 1) },
  })),
  request('grouped: near-misses of every action', 'grouped', 'tools/call', () => ({
    name: 'hostile',
    arguments: { action: 'raed', ...keys(20_000, () => 1, 'propertz') },
  })),
];

/** Hostile values against every kind of schema. */
const VALUES: readonly Case[] = [
  call('union: 20,000 unknown keys against 60 branches (oneOf)', TOOL('union'), () => ({
    one: { kind: 'kind_59', ...keys(20_000, () => 1) },
  })),
  call('union: 20,000 unknown keys against 60 branches (anyOf)', TOOL('union'), () => ({
    any: { kind: 'nothing', ...keys(20_000, () => 1) },
  })),
  call('union: 20,000 near-misses against 60 branches', TOOL('union'), () => ({
    one: { kind: 'kind_x', ...keys(20_000, (index) => `${index}`, 'own1') },
  })),
  call('union: 5,000 items against 30 branches', TOOL('union'), () => ({
    list: list(5_000, (index) => ({ kind: `kind_${index}`, own1_1: 'x' })),
  })),
  call('union: 40,000 wrong items against 30 branches', TOOL('union'), () => ({ list: list(40_000, () => ({})) })),
  call('enum: 40,000 near-misses inside an array', TOOL('enum'), () => ({
    list: list(40_000, (index) => `valve_${index}`),
  })),
  call('enum: one near-miss of 900,000', TOOL('enum'), () => ({ one: run('value_', 150_000) })),
  call('enum: 100 near-misses of 5,000', TOOL('enum'), () => ({ list: list(100, () => run('value_', 900)) })),
  call('enum: 30,000 in a map', TOOL('enum'), () => ({ map: keys(30_000, (index) => `Value_${index}`) })),
  call('list: 60,000 strings for integers', TOOL('numbers'), () => ({ list: list(60_000, (index) => `${index}`) })),
  call('list: 60,000 wrong strings for integers', TOOL('numbers'), () => ({
    list: list(60_000, (index) => `x${index}`),
  })),
  call('list: 100,000 strings for booleans', TOOL('numbers'), () => ({ flags: list(100_000, () => 'true') })),
  call('list: 30,000 rows to repair', TOOL('numbers'), () => ({
    rows: list(20_000, (index) => ({ n: `${index}`, when: 'x' })),
  })),
  call('list: a string of 900,000 for a list', TOOL('numbers'), () => ({ list: `[${run('1,', 440_000)}1]` })),
  call('list: a string of 450,000 brackets for a list', TOOL('numbers'), () => ({ list: run('[', 450_000) })),
  call('integer: string of 900,000 digits', TOOL('numbers'), () => ({ list: [run('9', 900_000)] })),
  call('sizes: string of 900,000 against 300 branches of maxLength', TOOL('sizes'), () => ({
    text: run('x', 900_000),
  })),
  call('sizes: 2,000 items against a const of 4,000 keys', TOOL('sizes'), () => ({ list: list(2_000, () => ({})) })),
  call('sizes: 4,000 keys against 300 branches of object enums', TOOL('sizes'), () => ({ object: WIDE_OBJECT })),
  call('uniqueItems: 100,000 integers', TOOL('unique'), () => ({ list: list(100_000, (index) => index) })),
  call('uniqueItems: 30,000 objects', TOOL('unique'), () => ({ list: list(30_000, (index) => ({ a: index })) })),
  call('uniqueItems: 20,000 nested lists', TOOL('unique'), () => ({ list: list(20_000, (index) => [[index]]) })),
  call('contains: 100,000 that do not', TOOL('unique'), () => ({ contains: list(100_000, () => ({})) })),
  call('propertyNames: 50,000 wrong names', TOOL('unique'), () => ({ names: keys(50_000, () => 1, 'WRONG') })),
  call('patternProperties: 50,000 names', TOOL('unique'), () => ({ kinds: keys(50_000, () => 'x', 'abcd') })),
  call('patternProperties: one name of 500,000', TOOL('unique'), () => ({ kinds: { [`c${run('x', 500_000)}`]: 1 } })),
  call('deep: tree of 50', TOOL('tree'), () => tree(50)),
  call('deep: tree of 500', TOOL('tree'), () => tree(500)),
  call('deep: list of 2,000 brackets', TOOL('unique'), () => ({
    list: nest(2_000, (inner) => [inner]) as unknown[],
  })),
  call('wide tree: 30,000 children with unknown keys', TOOL('tree'), () => ({
    children: list(30_000, () => ({ nane: 'x' })),
  })),
  call('error that repeats 900,000 of input', TOOL('numbers'), () => ({
    list: [{ [run('k', 450_000)]: run('v', 450_000) }],
  })),
  call('error with 900 keys of 1,000 characters', TOOL('wide'), () => keys(900, () => 1, run('k', 990))),
  read('query: 100,000 tags', () => ({ tags: list(100_000, () => 'x') })),
  read('query: string of 900,000 to encode', () => ({ q: run('é', 400_000) })),
  read('query: lone surrogates', () => ({ q: run('\ud800', 100_000) })),
  read('deepObject of 50,000 keys', () => ({ deep: keys(50_000, () => 'x') })),
  read('header of 900,000', () => ({ 'X-Note': run(' x', 450_000), X_Note: run(' x', 10) })),
  read('cookie of 900,000', () => ({ crumb: run(';', 900_000) })),
  call('path of 300,000 slashes', TOOL('file'), () => ({ rest: run('/', 300_000) })),
  call('path of 300,000 dots and slashes', TOOL('file'), () => ({ rest: run('../', 100_000) })),
  call('path of 900,000 percent signs', TOOL('file'), () => ({ rest: run('%', 300_000) })),
  call('multipart: 20,000 files', TOOL('upload'), () => ({ files: list(20_000, () => ({ text: 'x' })) })),
  call('multipart: file name of 900,000 quotes', TOOL('upload'), () => ({
    file: { text: 'x', filename: run('"', 400_000) },
  })),
  call('multipart: media type, run of ;a=', TOOL('upload'), () => ({
    file: { text: 'x', mimeType: `a/b${run('; a=b', 150_000)}!` },
  })),
  call('multipart: media type of 900,000', TOOL('upload'), () => ({
    file: { text: 'x', mimeType: `${run('a', 900_000)}` },
  })),
  call('multipart: data URI with 300,000 parameters', TOOL('upload'), () => ({
    file: { base64: `data:a${run(';a', 300_000)}!` },
  })),
  call('base64: 900,000 = signs', TOOL('upload'), () => ({ file: { base64: run('=', 900_000) } })),
  call('form: 30,000 fields', TOOL('form'), () => keys(30_000, () => 'é')),
  ...[
    'email',
    'uri',
    'uri_reference',
    'uri_template',
    'hostname',
    'ipv6',
    'date_time',
    'duration',
    'regex',
    'json_pointer',
    'idn_email',
    'byte',
  ].map((format) =>
    requests(`format ${format}: long runs of one character`, 'tools', 'tools/call', () =>
      ['a', '.', '/', 'a@', 'a-', '0', ':', '{'].map((text) => ({
        name: TOOL('formats'),
        arguments: { [format]: `${run(text, Math.floor(300_000 / text.length))}!` },
      })),
    ),
  ),
];

/** Schemas that cost much for what they weigh: the first call, which makes what it needs, and later ones. */
const SCHEMAS: readonly Case[] = Object.entries(HOSTILE_SCHEMAS).map(([name, { value }]) =>
  call(`schema ${name.replaceAll('_', ' ')}`, TOOL(`schema_${name}`), () => ({ value: value() })),
);

/** Arguments that are not arguments at all. */
const SHAPES: readonly Case[] = [
  request('arguments: list of 100,000', 'tools', 'tools/call', () => ({
    name: TOOL('read'),
    arguments: list(100_000, () => 1),
  })),
  request('params: __proto__ and constructor', 'tools', 'tools/call', () => ({
    name: TOOL('wide'),
    arguments: JSON.parse('{"__proto__":{"a":1},"constructor":{"prototype":{}}}'),
  })),
  request('arguments: 100,000 empty keys with blanks', 'tools', 'tools/call', () => ({
    name: TOOL('wide'),
    arguments: Object.fromEntries(list(50_000, (index) => [run(' ', (index % 20) + 1) + index, null])),
  })),
];

export const INPUT_CASES: readonly Case[] = [...REPORTED, ...CONTROLS, ...MODES, ...VALUES, ...SCHEMAS, ...SHAPES];
