// Calls of documents/arguments.yaml: what the schemas say is enforced, and a value is read another way only where one
// reading is possible.
import type { Line } from './sheet.ts';

const accept = (name: string, args: Record<string, unknown>, query: string): Line => ({
  name,
  tool: 'checked',
  args,
  sent: { line: `GET /v1/checked?${query}` },
});

const refuse = (name: string, args: Record<string, unknown>, refused: RegExp, tool = 'checked'): Line => ({
  name,
  tool,
  args,
  refused,
});

const typed = (name: string, args: Record<string, unknown>, body: string): Line => ({
  name,
  tool: 'typed',
  args,
  sent: { line: 'POST /v1/typed', headers: { 'content-type': 'application/json' }, body },
});

const SLOW = `${'a'.repeat(40)}!`;

export const CHECK_LINES: readonly Line[] = [
  accept('an enum value', { size: 'm' }, 'size=m'),
  refuse('not an enum value', { size: 'xl' }, /size.*"s".*"m".*"l"/s),
  refuse('an enum value in another case', { size: 'M' }, /size/),
  accept('a const', { only: 'this' }, 'only=this'),
  refuse('not a const', { only: 'that' }, /only.*this/s),
  accept('an enum of numbers', { level: 2 }, 'level=2'),
  refuse('not in an enum of numbers', { level: 3 }, /level/),
  accept(
    'formats',
    { mail: 'a@b.example', day: '2024-02-29', ip: '10.0.0.1' },
    'mail=a%40b.example&day=2024-02-29&ip=10.0.0.1',
  ),
  accept('a UUID', { id: '123e4567-e89b-12d3-a456-426614174000' }, 'id=123e4567-e89b-12d3-a456-426614174000'),
  refuse('not an e-mail address', { mail: 'nobody' }, /mail/),
  refuse('not a date-time', { when: 'yesterday' }, /when/),
  refuse('not a day of any month', { day: '2023-02-29' }, /day/),
  refuse('not a UUID', { id: '123' }, /id/),
  refuse('not a URI', { link: 'not a uri' }, /link/),
  refuse('not an IPv4 address', { ip: '300.1.1.1' }, /ip/),
  accept('a format nobody knows', { own: 'anything' }, 'own=anything'),
  accept('a pattern', { code: 'ABC' }, 'code=ABC'),
  refuse('not the pattern', { code: 'ABCD' }, /code/),
  accept('a catastrophic pattern that matches', { evil: 'a'.repeat(30) }, `evil=${'a'.repeat(30)}`),
  refuse('a catastrophic pattern that does not', { evil: SLOW }, /evil/),
  accept('a pattern that looks ahead', { ahead: 'ab1' }, 'ahead=ab1'),
  refuse('a pattern that looks ahead and refuses', { ahead: 'ab1x' }, /ahead/),
  accept('the edges of a range', { count: 10, ratio: 0.999 }, 'count=10&ratio=0.999'),
  refuse('below a minimum', { count: 0 }, /count/),
  refuse('above a maximum', { count: 11 }, /count/),
  refuse('on an exclusive edge', { ratio: 1 }, /ratio/),
  accept('a multiple that floating point gets wrong', { step: 0.3 }, 'step=0.3'),
  refuse('not a multiple', { step: 0.35 }, /step/),
  accept('a list within its size', { flags: ['a', 'b'] }, 'flags=a&flags=b'),
  refuse('a list twice the same', { flags: ['a', 'a'] }, /flags/),
  refuse('a list too long', { flags: ['a', 'b', 'c', 'd'] }, /flags/),
  refuse('a list too short', { flags: [] }, /flags/),
  accept('lengths count characters, not code units', { word: '🦊🦊🦊🦊' }, `word=${'%F0%9F%A6%8A'.repeat(4)}`),
  refuse('a word too short', { word: 'a' }, /word/),
  refuse('an unknown argument', { sise: 'm' }, /sise.*did you mean `size`/s),
  refuse('arguments where none are taken', { x: 1 }, /x/, 'nothing'),
];

export const TYPE_LINES: readonly Line[] = [
  typed(
    'every type as it is',
    { count: 1, ratio: 0.5, active: true, name: 'n', list: [1], maybe: null },
    '{"count":1,"ratio":0.5,"active":true,"name":"n","list":[1],"maybe":null}',
  ),
  typed('an integer written as a fraction', { count: 1.0 }, '{"count":1}'),
  typed('numbers in strings', { count: '12', ratio: '-0.5' }, '{"count":12,"ratio":-0.5}'),
  typed('booleans in strings', { active: 'false' }, '{"active":false}'),
  typed('a number where only text is taken', { name: 42 }, '{"name":"42"}'),
  typed('a list in a string', { list: '[1, 2]' }, '{"list":[1,2]}'),
  typed('an object in a string', { point: '{"x": 1}' }, '{"point":{"x":1}}'),
  typed('numbers in strings inside', { list: ['1', 2], point: { x: '3' } }, '{"list":[1,2],"point":{"x":3}}'),
  typed('a string where a string is one of the readings', { either: '12' }, '{"either":"12"}'),
  typed('anything where anything goes', { any: '{"a":"1"}' }, '{"any":"{\\"a\\":\\"1\\"}"}'),
  typed('a default inside is not added', { point: { x: 1 } }, '{"point":{"x":1}}'),
  typed(
    'keys of a free object',
    { free: { constructor: 1, toString: 2, 'a.b': 3 } },
    '{"free":{"constructor":1,"toString":2,"a.b":3}}',
  ),
  refuse('text where a number belongs', { count: 'many' }, /count/, 'typed'),
  refuse('a fraction where an integer belongs', { count: 1.5 }, /count/, 'typed'),
  refuse('a fraction in a string where an integer belongs', { count: '1.5' }, /count/, 'typed'),
  refuse('an empty string where a number belongs', { count: '' }, /count/, 'typed'),
  refuse('a hexadecimal string', { count: '0x10' }, /count/, 'typed'),
  typed(
    'integers of more digits than a number holds, as text',
    { count: '12345678901234567890', list: [1, '-9223372036854775808'], point: { x: '9007199254740993' } },
    '{"count":12345678901234567890,"list":[1,-9223372036854775808],"point":{"x":9007199254740993}}',
  ),
  typed(
    'text that looks like what stands for them',
    { name: '\u0000#12345678901234567890' },
    '{"name":"\\u0000#12345678901234567890"}',
  ),
  refuse('an integer that lost its last digits', { count: 2 ** 63 }, /count.*string of digits/, 'typed'),
  refuse(
    'an integer inside that lost its last digits',
    { list: [1, -(2 ** 60)] },
    /list\[1\].*string of digits/,
    'typed',
  ),
  typed('a large amount', { ratio: 1e21 }, '{"ratio":1e+21}'),
  refuse('more digits than 64 bits hold', { count: '123456789012345678901' }, /count/, 'typed'),
  refuse('a boolean where a number belongs', { count: true }, /count/, 'typed'),
  refuse('a number where a boolean belongs', { active: 1 }, /active/, 'typed'),
  refuse('yes where a boolean belongs', { active: 'yes' }, /active/, 'typed'),
  refuse('a list where a number belongs', { count: [1] }, /count/, 'typed'),
  refuse('a number where a list belongs', { list: 1 }, /list/, 'typed'),
  refuse('an object where a list belongs', { list: { 0: 1 } }, /list/, 'typed'),
  refuse('a list where an object belongs', { point: [1] }, /point/, 'typed'),
  typed('null where nothing allows it, of what may be left out', { name: null, count: 1 }, '{"count":1}'),
  refuse('null in a list where nothing allows it', { list: [null] }, /list/, 'typed'),
  refuse('a boolean where text belongs', { name: true }, /name/, 'typed'),
  refuse('an object where text belongs', { name: {} }, /name/, 'typed'),
  refuse('an unknown field inside a closed object', { point: { x: 1, z: 2 } }, /z/, 'typed'),
  refuse('a missing field inside', { point: { y: 1 } }, /x/, 'typed'),
  refuse('an unknown field beside', { colour: 'red' }, /colour/, 'typed'),
  refuse('a constructor that is no argument', { constructor: 1 }, /constructor/, 'typed'),
  refuse('a prototype that is no argument', { prototype: {} }, /prototype/, 'typed'),
];

const rest = (name: string, args: Record<string, unknown>, body: string): Line => ({
  name,
  tool: 'open_body',
  args,
  sent: { line: 'POST /v1/open', headers: { 'content-type': 'application/json' }, body },
});

export const REST_LINES: readonly Line[] = [
  rest('none given', { name: 'n' }, '{"name":"n"}'),
  rest('some given', { name: 'n', additional_fields: { a: 1, 'b.c': 2 } }, '{"a":1,"b.c":2,"name":"n"}'),
  refuse('of the wrong type', { name: 'n', additional_fields: { a: 'x' } }, /additional_fields\.a/, 'open_body'),
  refuse('not under their own names', { name: 'n', a: 1 }, /`a`/, 'open_body'),
  refuse('a declared field is no further one', { name: 'n', additional_fields: { size: 1 } }, /size/, 'open_body'),
  refuse('a readOnly field is no further one', { name: 'n', additional_fields: { id: 1 } }, /id/, 'open_body'),
];
