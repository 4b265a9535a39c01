// Words from documents: readable, short, nothing hidden in them.
import { describe, expect, test } from 'vitest';
import { cleanText, firstSentence, withoutHidden } from '../../src/openapi/text.ts';
import { importOne, openapi, properties } from './support.ts';

test.each([
  ['[a link](https://evil.example/x?y=1) here', 'a link here'],
  ['![alt](https://x.example/p.png) and [ref][1]', 'alt and ref'],
  ['<p>One<br/>two</p><script>alert(1)</script>', 'One\ntwo'],
  ['a <!-- hidden words --> b', 'a b'],
  ['# Title\n\n> quoted\n\n\n\n**bold** `code`', 'Title\n\nquoted\n\nbold `code`'],
  ['Tom &amp; Jerry &lt;3', 'Tom & Jerry <3'],
  ['if a < b and b > c', 'if a < b and b > c'],
  ['array[0] and x[1](note)', 'array[0] and x1'],
])('%j reads %j', (given, want) => {
  expect(cleanText(given)).toBe(want);
});

test.each([
  ['tags', 'a\u{E0041}\u{E0042}b'],
  ['bidi controls', 'a\u202Eb\u2066\u2069'],
  ['zero width', 'a\u200B\u200D\u2060\uFEFFb'],
  ['ANSI colours and links', '\u001b[31ma\u001b[0m\u001b]8;;https://evil.example\u0007b'],
  ['C0 and C1 controls', 'a\u0000\u0007\u0085\u009bb'],
  ['fillers and selectors', 'a\u3164\u115F\u00AD\u{E0100}b'],
])('%s are removed', (_, given) => {
  expect(withoutHidden(given)).toBe('ab');
});

test('text of every script stays', () => {
  for (const text of ['日本語', 'עברית', 'العربية', 'emoji 👍🏽', 'naïve — “quoted”'])
    expect(withoutHidden(text)).toBe(text);
});

test.each([
  ['Get a pet. Then pat it.', 'Get a pet.'],
  ['Use e.g. this one. Not that.', 'Use e.g. this one.'],
  ['List `v1.2` things', 'List `v1.2` things'],
  ['one\ntwo', 'one two'],
])('the first sentence of %j is %j', (given, want) => {
  expect(firstSentence(given)).toBe(want);
});

test('a sentence without end is cut at a word', () => {
  const cut = firstSentence('word '.repeat(200));
  expect(cut.length).toBeLessThanOrEqual(240);
  expect(cut).toMatch(/word…$/);
});

test('hostile text costs little', () => {
  for (const part of ['[a](', '<a', '<!--', '![', '&amp;', '**a', '\u001b]', '[a][']) {
    expect(cleanText(part.repeat(200_000)).length).toBeLessThan(30_000);
  }
});

describe('in an endpoint', () => {
  test('summary, description, title and the words of schemas are cleaned', async () => {
    const endpoint = await importOne(
      openapi({
        '/x': {
          get: {
            summary: 'Get\u202E [x](https://evil.example).',
            description: '<b>All</b>\u{E0041} of it.',
            parameters: [
              {
                name: 'q',
                in: 'query',
                schema: {
                  type: 'object',
                  properties: { a: { description: 'in\u200Bner [z](https://y.example)', title: 'T\u001b[1m' } },
                },
              },
            ],
          },
        },
      }),
    );
    expect(endpoint).toMatchObject({ summary: 'Get x.', title: 'Get x', description: 'All of it.' });
    expect(properties(endpoint).q).toEqual({
      type: 'object',
      properties: { a: { description: 'inner z', title: 'T' } },
    });
  });

  test('a summary is never empty', async () => {
    expect((await importOne(openapi({ '/a/{b}': { delete: {} } }))).summary).toBe('DELETE /a/{b}');
    expect(
      (await importOne(openapi({ '/a': { get: { operationId: 'listAll', summary: '  ', description: '<br>' } } })))
        .summary,
    ).toBe('List all (GET /a).');
    expect((await importOne(openapi({ '/a': { get: { description: 'Does it. And more.' } } }))).summary).toBe(
      'Does it.',
    );
    expect((await importOne(openapi({ '/a': { summary: 'From the path.', get: {} } }))).summary).toBe('From the path.');
  });
});
