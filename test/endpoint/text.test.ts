// Words from documents: plain, short, cut with care.
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { cutText, firstSentence, toPlainLines, toPlainText, toSummary } from '../../src/endpoint/plain-text.ts';

describe('toPlainText()', () => {
  test.each([
    ['Lists **all** pets. See [the docs](https://x.test/a_(b)).', 'Lists all pets. See the docs.'],
    ['<p>One<br/>two &amp; three</p><!-- hidden --><script>bad()</script>', 'One two & three'],
    ['# Title\n\n> [!NOTE]\n> Mind this.', 'Title Mind this.'],
    ['a\u200bb\u{E0041}c\u202Ed', 'abcd'],
    ['![logo](http://x/i.png) text', 'logo text'],
    ['1 < 2 and 3 > 2', '1 < 2 and 3 > 2'],
    ['', ''],
  ])('%s', (given, want) => {
    expect(toPlainText(given)).toBe(want);
  });
});

describe('firstSentence()', () => {
  test.each([
    ['One. Two.', 'One.'],
    ['Use e.g. Paris. Then go.', 'Use e.g. Paris.'],
    ['Version 1.2 is out. Yes.', 'Version 1.2 is out.'],
    ['No end', 'No end'],
  ])('%s', (given, want) => {
    expect(firstSentence(given)).toBe(want);
  });
});

describe('cutText()', () => {
  test('prefers whole sentences, then whole words', () => {
    expect(cutText('One two three. Four five six.', 20)).toBe('One two three.');
    expect(cutText('One two three four', 12)).toBe('One two…');
    expect(cutText('short', 12)).toBe('short');
  });

  test('never longer than asked, never half a character', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), fc.integer({ min: 1, max: 50 }), (text, limit) => {
        const cut = cutText(text, limit);
        expect(cut.length).toBeLessThanOrEqual(limit);
        expect(() => encodeURIComponent(cut)).not.toThrow();
      }),
    );
  });
});

test.each([
  ['[a link](https://evil.example/x?y=1) here', 'a link here'],
  ['![alt](https://x.example/p.png) and [ref][1]', 'alt and ref'],
  ['<p>One<br/>two</p><script>alert(1)</script>', 'One\ntwo'],
  ['a <!-- hidden words --> b', 'a b'],
  ['# Title\n\n> quoted\n\n\n\n**bold** `code`', 'Title\n\nquoted\n\nbold `code`'],
  ['Tom &amp; Jerry &lt;3', 'Tom & Jerry <3'],
  ['if a < b and b > c', 'if a < b and b > c'],
  ['array[0] and x[1](note)', 'array[0] and x1'],
  ['filter[name][eq] filters', 'filter[name][eq] filters'],
  ['a &#8212; b &mdash; c&#x200b;&#8238;d &constructor;', 'a — b — cd &constructor;'],
])('%j reads %j', (given, want) => {
  expect(toPlainLines(given)).toBe(want);
});

test.each([
  ['Get a pet. Then pat it.', 'Get a pet.'],
  ['Use e.g. this one. Not that.', 'Use e.g. this one.'],
  ['List `v1.2` things', 'List `v1.2` things'],
  ['one\ntwo', 'one two'],
])('the first sentence of %j is %j', (given, want) => {
  expect(toSummary(given)).toBe(want);
});

test('a sentence without end is cut at a word', () => {
  const cut = toSummary('word '.repeat(200));
  expect(cut.length).toBeLessThanOrEqual(240);
  expect(cut).toMatch(/word…$/);
});

test('hostile text costs little', () => {
  for (const part of ['[a](', '<a', '<!--', '![', '&amp;', '**a', '\u001b]', '[a][']) {
    expect(toPlainLines(part.repeat(200_000)).length).toBeLessThan(30_000);
  }
});
