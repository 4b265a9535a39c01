// A: messages just within the limits of a message: what is refused unread costs nothing, what is just not refused costs most.
import { type Case, call, request, requests } from '../case.ts';
import { TOOL } from '../hostile-api.ts';

const list = <Item>(count: number, item: (index: number) => Item) =>
  Array.from({ length: count }, (_, index) => item(index));
const keys = (count: number, value: (index: number) => unknown, stem = 'unknown') =>
  Object.fromEntries(list(count, (index) => [`${stem}_${index}`, value(index)]));
/** As many fields as an object of arguments, and of any message, may have. */
const ARGUMENTS = 4_990;
const MESSAGE = 6_200;

const FIELDS: readonly Case[] = [
  request(`prompts/get: ${MESSAGE} unknown arguments`, 'tools', 'prompts/get', () => ({
    name: 'ask',
    arguments: keys(MESSAGE, () => 'x'.repeat(100)),
  })),
  request('prompts/get: 900 unknown arguments of 1,000 characters', 'tools', 'prompts/get', () => ({
    name: 'ask',
    arguments: keys(900, () => 'x', 'k'.repeat(1_000)),
  })),
  request(`completion: ${MESSAGE} context arguments`, 'tools', 'completion/complete', () => ({
    ref: { type: 'ref/prompt', name: 'ask' },
    argument: { name: 'who', value: 'p' },
    context: { arguments: keys(MESSAGE, () => 'x') },
  })),
  request(`_meta of ${MESSAGE} keys`, 'tools', 'tools/call', () => ({
    name: TOOL('read'),
    arguments: {},
    _meta: keys(MESSAGE, () => 'v'.repeat(100)),
  })),
  request('_meta of lists 60 deep', 'tools', 'tools/call', () => {
    let deep: unknown = 1;
    for (let level = 0; level < 58; level++) deep = [deep];
    return { name: TOOL('read'), arguments: {}, _meta: { 'x.example/deep': deep, progressToken: deep } };
  }),
  ...[ARGUMENTS, MESSAGE].flatMap((count) => [
    call(`${count} unknown keys against 400 properties`, TOOL('wide'), () => keys(count, () => 1)),
    call(`${count} near-misses of 400 properties`, TOOL('wide'), () => keys(count, () => 'x', 'propertz')),
    call(`map of integers: ${count} strings of 18 digits`, TOOL('map'), () => ({
      map: keys(count, (index) => `1234567890${10_000_000 + index}`, 'k'),
    })),
    call(`propertyNames: ${count} wrong names`, TOOL('unique'), () => ({ names: keys(count, () => 1, 'WRONG') })),
    call(`patternProperties: ${count} names`, TOOL('unique'), () => ({ kinds: keys(count, () => 'x', 'abcd') })),
    call(`patternProperties: ${count} names of 150`, TOOL('unique'), () => ({
      kinds: keys(count, () => 'x', 'abcd'.repeat(36)),
    })),
    call(`deepObject of ${count} keys`, TOOL('read'), () => ({ deep: keys(count, () => 'é'.repeat(20)) })),
    call(`enum: ${count} in a map`, TOOL('enum'), () => ({ map: keys(count, (index) => `Value_${index}`) })),
    call(`form: ${count} fields`, TOOL('form'), () => keys(count, () => 'é'.repeat(50))),
    call(`union: ${count} unknown keys against 60 branches`, TOOL('union'), () => ({
      one: { kind: 'kind_59', ...keys(count, () => 1) },
    })),
    call(`union: ${count} near-misses against 60 branches`, TOOL('union'), () => ({
      any: { kind: 'kind_x', ...keys(count, (index) => `${index}`, 'own1') },
    })),
    call(
      `search tool: ${count} unknown keys`,
      'search_operations',
      () => ({ query: 'x', ...keys(count, () => 1) }),
      'search',
    ),
    request(`grouped: ${count} unknown keys`, 'grouped', 'tools/call', () => ({
      name: 'hostile',
      arguments: { action: 'wide', ...keys(count, () => 1) },
    })),
  ]),
  call('three maps of 6,000 keys', TOOL('enum'), () => ({
    map: keys(6_000, () => 'value_1'),
    list: [keys(6_000, () => 'value_1', 'b')],
    one: keys(6_000, () => 'value_1', 'c'),
  })),
  call('20,000 keys in objects of 5', TOOL('numbers'), () => ({
    rows: list(3_900, (index) => ({ n: `${index}`, when: 'x', [`k${index}`]: 1, b: '1' })),
  })),
];

const VALUES: readonly Case[] = [
  call('list: 19,900 strings for integers', TOOL('numbers'), () => ({ list: list(19_900, (index) => `${index}`) })),
  call('list: 19,900 wrong strings of 40', TOOL('numbers'), () => ({
    list: list(19_900, (index) => `${'x'.repeat(40)}${index}`),
  })),
  call('enum: 19,900 near-misses inside an array', TOOL('enum'), () => ({
    list: list(19_900, (index) => `valve_${index}`),
  })),
  call('union: 9,900 items against 30 branches', TOOL('union'), () => ({
    list: list(9_900, (index) => ({ kind: `kind_${index}` })),
  })),
  call('uniqueItems: 9,900 objects that differ at their end', TOOL('unique'), () => ({
    list: list(9_900, (index) => ({ a: 'x'.repeat(60) + index })),
  })),
  call('uniqueItems: 4,900 lists of three', TOOL('unique'), () => ({ list: list(4_900, (index) => [1, [2], index]) })),
  call('tree: 9,900 children with an unknown key', TOOL('tree'), () => ({
    children: list(9_900, () => ({ nane: 'x' })),
  })),
  call('multipart: 9,900 files', TOOL('upload'), () => ({ files: list(9_900, () => ({ text: 'é' })) })),
  call('query: 19,900 tags of 40', TOOL('read'), () => ({ tags: list(19_900, () => 'é'.repeat(20)) })),
  call('path of 60,000 slashes', TOOL('file'), () => ({ rest: '/'.repeat(60_000) })),
  call('path of 21,000 percent signs', TOOL('file'), () => ({ rest: '%'.repeat(21_000) })),
  call('path of 20,000 encoded percent signs', TOOL('file'), () => ({ rest: '%25'.repeat(20_000) })),
  requests('resources/read: URI of 8,000', 'tools', 'resources/read', () =>
    ['/', '%', '%25', '..%2f', '{', '?', '&', '=', 'é'].map((text) => ({
      uri: `hostile://files/${text.repeat(Math.floor(8_000 / text.length))}`,
    })),
  ),
  request('24,900 values where none belong', 'tools', 'tools/list', () => ({ cursor: list(24_900, () => 1) })),
];

export const LIMIT_CASES: readonly Case[] = [...FIELDS, ...VALUES];
