import fc from 'fast-check';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { createRedactor } from '../../src/endpoint/redaction/redact.ts';
import type { AnswerInput, AnswerPlan } from '../../src/executor/answer/build-answer.ts';
import { scanJson, writeOutline } from '../../src/executor/answer/decoding/scan-json.ts';

const scan = (text: string) => scanJson(Buffer.from(text));
const outline = (value: unknown) => {
  const text = Buffer.from(JSON.stringify(value));
  return JSON.parse(writeOutline(text, scanJson(text)!.lists));
};

function parses(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

describe('scanJson()', () => {
  test('accepts all valid JSON', () => {
    fc.assert(
      fc.property(fc.json({ maxDepth: 6 }), fc.constantFrom(undefined, 1, '\t'), (text, space) => {
        expect(scan(JSON.stringify(JSON.parse(text), null, space))).toBeDefined();
      }),
      { numRuns: 500 },
    );
  });

  test('accepts nothing that JSON.parse refuses', () => {
    const pieces = '{}[]:," \n\\/bfnrtu0123456789eE+-.truefalsenullaé\u0000\u001f\u007f'.split('');
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom(...pieces), maxLength: 12 }), (text) => {
        if (!parses(text)) expect(scan(text)).toBeUndefined();
        else expect(scan(text)).toBeDefined();
      }),
      { numRuns: 5_000 },
    );
  });

  test('accepts no JSON with one changed byte that JSON.parse refuses', () => {
    fc.assert(
      fc.property(fc.json({ maxDepth: 4 }), fc.nat(), fc.integer({ min: 0x20, max: 0x7e }), (text, place, code) => {
        const at = place % text.length;
        const changed = text.slice(0, at) + String.fromCharCode(code) + text.slice(at + 1);
        expect(scan(changed) !== undefined).toBe(parses(changed));
      }),
      { numRuns: 3_000 },
    );
  });

  test.each([
    ['half an object', '{"a":1'],
    ['two values', '1 2'],
    ['nothing', ''],
    ['blanks', ' '],
    ['a comma before the end', '[1,]'],
    ['an object in single quotes', "{'a':1}"],
    ['a line break in a string', '"a\nb"'],
    ['an escape that is none', '"\\x41"'],
    ['half an escape', '"\\u12"'],
    ['a backslash at the end', '"\\'],
    ['a number with a leading zero', '01'],
    ['nesting by the ten thousand', '['.repeat(10_000) + ']'.repeat(10_000)],
  ])('refuses %s', (_, text) => {
    expect(scan(text)).toBeUndefined();
  });

  test('quotes a text as JSON.stringify does', () => {
    const blanks = fc.constantFrom(undefined, 1, '\t', '\r\n');
    const values = fc.jsonValue({ maxDepth: 4, stringUnit: 'binary' });
    fc.assert(
      fc.property(values, blanks, fc.boolean(), (value, space, isEscaped) => {
        const plain = JSON.stringify(value, null, space);
        const text = isEscaped ? plain.replace(/[^\x20-\x7e\r\n\t]/gu, toEscapes) : plain;
        expect(scan(text)?.quoted).toBe(JSON.stringify(Buffer.from(text).toString()));
      }),
      { numRuns: 2_000 },
    );
  });

  const toEscapes = (character: string) =>
    character
      .split('')
      .map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
      .join('');

  test.each([
    ['bytes that are no UTF-8', Buffer.from('["caf\xe9","\xe2\x82"]', 'latin1')],
    ['characters that are easy to forget', Buffer.from('["\u2028\u007f\ufeff/","\\b\\/\\u0041\\\\\\""]')],
    ['more than was ever scanned before', Buffer.from(JSON.stringify(Array.from({ length: 90_000 }, () => '"')))],
  ])('quotes %s', (_, bytes) => {
    expect(scanJson(bytes)?.quoted).toBe(JSON.stringify(bytes.toString()));
    // What was used for a long text serves a short one.
    expect(scan('["a\\n"]')?.quoted).toBe(JSON.stringify('["a\\n"]'));
  });

  test('is plain without line breaks, blanks around it and escapes that need not be', () => {
    const plain = (text: string) => scan(text)?.isPlain;
    expect(plain('{"a":"x \\" \\n é","b":[1,2]}')).toBe(true);
    expect(plain('{"a":"\\u0041"}')).toBe(false);
    expect(plain('{"a":"http:\\/\\/x"}')).toBe(false);
    expect(plain('{"a":"\\\\u"}')).toBe(false);
    expect(plain('{\n"a":1}')).toBe(false);
    expect(plain('{"a"\n:1}')).toBe(false);
    expect(plain(' {"a":1}')).toBe(false);
    expect(plain('{"a":1}\n')).toBe(false);
  });

  test('is simple when all of it is ASCII and nothing in it is hidden', () => {
    const simple = (text: string) => scan(text)?.isSimple;
    expect(simple('{"a":"x \\u00e9 ~",\n\t"b":[1,2]}')).toBe(true);
    expect(simple('"é"')).toBe(false);
    expect(simple('"\u007f"')).toBe(false);
    // Whatever the last text left behind this one.
    for (let length = 0; length < 40; length++) {
      const letters = 'a'.repeat(length);
      expect([length, simple(`"${letters}é"`), simple(`"${letters}"`)]).toEqual([length, false, true]);
    }
  });

  test('refuses a text that is too long for its memory, and still works afterwards', () => {
    expect(scan(JSON.stringify('a'.repeat(1_100_000)))).toBeUndefined();
    expect(scan('[1]')).toBeDefined();
  });

  test('outlines lists: as many items as there are, and the last of them', () => {
    expect(outline([{ id: 1 }, { id: 2, tags: ['a', 'b'] }, { id: 3, tags: ['é', 'c'] }])).toEqual([
      0,
      0,
      { id: 3, tags: ['é', 'c'] },
    ]);
    expect(outline({ data: { items: ['ü', [1, 2], 3] }, total: 9, next: 'x', empty: [], one: [[1, 2]] })).toEqual({
      data: { items: [0, 0, 3] },
      total: 9,
      next: 'x',
      empty: [],
      one: [[1, 2]],
    });
  });

  test('outlines keep what stands outside of lists, and how long each list is', () => {
    fc.assert(
      fc.property(fc.array(fc.jsonValue({ maxDepth: 2 })), fc.dictionary(fc.string(), fc.string()), (items, other) => {
        const { list, rest } = outline({ list: items, rest: other });
        expect(list).toHaveLength(items.length);
        expect(list.at(-1)).toEqual(JSON.parse(JSON.stringify(items)).at(-1));
        expect(rest).toEqual(JSON.parse(JSON.stringify(other)));
      }),
      { numRuns: 300 },
    );
  });
});

describe('without WebAssembly', () => {
  afterEach(() => {
    vi.unstubAllGlobals();
    vi.resetModules();
  });

  const items = Array.from({ length: 50 }, (_, id) => ({ id, name: `né ${id}`, text: 'a "quoted" \\ line\n' }));
  const paging: AnswerPlan['paging'] = {
    byWireName: new Map([['page', 'page']]),
    pagination: { kind: 'page', arg: 'page', sizeArg: 'limit' },
  };
  const whole: AnswerPlan['paging'] = { byWireName: new Map(), pagination: undefined };

  async function readAll(): Promise<unknown[]> {
    vi.resetModules();
    const { compileAnswer } = await import('../../src/executor/answer/build-answer.ts');
    const bodies = [
      '{"a":1.50}',
      JSON.stringify(items),
      JSON.stringify({ items, total: 99 }),
      '{"half":',
      `"${'x'.repeat(2_000)}`,
      `"x"${' '.repeat(2_000)}`,
    ];
    return [whole, paging].flatMap((plan) =>
      bodies.map((body) => {
        const input: AnswerInput = {
          method: 'GET',
          isRead: true,
          raw: { status: 200, headers: { 'content-type': 'application/json' }, body: Buffer.from(body) },
          args: { limit: 50 },
          tool: 'shop_list',
          fields: undefined,
        };
        try {
          const { content } = compileAnswer(
            { response: { maxChars: 40_000, format: 'auto', structured: false }, paging: plan },
            createRedactor([]),
          )(input);
          return content.map((block) => ({ ...block }));
        } catch (error) {
          return String(error);
        }
      }),
    );
  }

  test('answers are read the same', async () => {
    const before = await readAll();
    vi.stubGlobal('WebAssembly', undefined);
    expect(await readAll()).toEqual(before);
    const { scanJson: scanWithout } = await import('../../src/executor/answer/decoding/scan-json.ts');
    expect(scanWithout(Buffer.from('[1]'))).toBeUndefined();
  });
});
