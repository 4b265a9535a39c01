// Words from documents: plain, short, cut with care.
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  closeColon,
  cutText,
  firstSentence,
  splitSentences,
  toPlainLines,
  toPlainText,
  toSummary,
} from '../../src/endpoint/plain-text.ts';

describe('toPlainText()', () => {
  test.each([
    ['Lists **all** pets. See [the docs](https://x.test/a_(b)).', 'Lists all pets. See the docs.'],
    ['<p>One<br/>two &amp; three</p><!-- hidden --><script>bad()</script>', 'One two & three'],
    ['# Title\n\n> [!NOTE]\n> Mind this.', 'Title. Mind this.'],
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
    ['Takes plan A or B. then more', 'Takes plan A or B. then more'],
    ['Takes plan A or B.\n\nThe default is A.', 'Takes plan A or B.'],
    ['The default is A.', 'The default is A.'],
  ])('%s', (given, want) => {
    expect(firstSentence(given)).toBe(want);
  });
});

describe('cutText()', () => {
  test('cuts at sentences, otherwise at words', () => {
    expect(cutText('One two three. Four five six.', 20)).toBe('One two three.');
    expect(cutText('One two three four', 12)).toBe('One two…');
    expect(cutText('short', 12)).toBe('short');
  });

  test('is never longer than the limit and never cuts a character', () => {
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
])('%j becomes %j', (given, want) => {
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

test.each([
  ['# Movie details\nGet the top level details.', 'Movie details. Get the top level details.'],
  ['Gets a movie.\n## Scopes\nNeeds `movies.read`.', 'Gets a movie. Scopes. Needs `movies.read`.'],
  ['Movie details\n=============\nGet the details.', 'Movie details. Get the details.'],
  ['<h2>Movie details</h2>Get the details.', 'Movie details. Get the details.'],
  ['One.\n\n---\n\nTwo.', 'One. Two.'],
])('the heading in %j ends like a sentence', (text, want) => {
  expect(toPlainText(text)).toBe(want);
});

test('a summary is the sentence below a heading, not the heading', () => {
  expect(toSummary('# Overview\n\nGets a movie. Slowly.')).toBe('Gets a movie.');
  expect(toSummary('## Gets a movie')).toBe('Gets a movie');
});

test('a very long sentence is cut at a word', () => {
  const cut = toSummary('word '.repeat(200));
  expect(cut.length).toBeLessThanOrEqual(240);
  expect(cut).toMatch(/word…$/);
});

test('hostile text takes little time', () => {
  for (const part of ['[a](', '<a', '<!--', '![', '&amp;', '**a', '\u001b]', '[a][']) {
    expect(toPlainLines(part.repeat(200_000)).length).toBeLessThan(30_000);
  }
});

describe('code, tables and samples', () => {
  test.each([
    ['a fence', 'Makes a pet.\n\n```json\n{"name": "Rex"}\n```\n\nThen pat it.', 'Makes a pet. Then pat it.'],
    ['its announcement', 'Makes a pet.\n\nExample request:\n```\nPOST /pets\n```', 'Makes a pet.'],
    [
      'a sentence that led to it',
      'Send what you know of it:\n```\n{}\n```\nThen wait.',
      'Send what you know of it. Then wait.',
    ],
    [
      'JSON between the lines',
      'Makes a pet:\n\n{\n  "name": "Rex",\n  "tags": [1]\n}\n\nThen pat it.',
      'Makes a pet. Then pat it.',
    ],
    [
      'a command',
      'Makes a pet.\n\ncurl -X POST \\\n  -d x \\\n  http://x.test\n\nThen pat it.',
      'Makes a pet. Then pat it.',
    ],
    [
      'a table',
      'Kinds of pets.\n\n| kind | legs |\n|---|---|\n| cat | 4 |\n\nThat is all.',
      'Kinds of pets. That is all.',
    ],
    ['a table of HTML', 'Kinds.<table><tr><td>cat</td></tr></table>That is all.', 'Kinds. That is all.'],
    ['preformatted text', '<p>Kinds.</p><pre>GET /x</pre><p>That is all.</p>', 'Kinds. That is all.'],
    ['a table behind words', 'Kinds. | kind | legs |\n|---|---|\n| cat | 4 |\nThat is all.', 'Kinds. That is all.'],
    [
      'a table without outer bars',
      'Kinds.\n\nkind | legs\n:--- | ---:\ncat | 4\n\nThat is all.',
      'Kinds. That is all.',
    ],
    ['a table folded into a line', 'Kinds. | kind | legs | |---|---| | cat | 4 | That is all.', 'Kinds. That is all.'],
    [
      'an announcement at the end of a paragraph',
      'Defaults are ignored. Example request:\n```\n{"a": 1}\n```',
      'Defaults are ignored.',
    ],
    [
      'an announcement without a colon',
      'Makes a pet. Sample response\n\n```\n{}\n```\nThen pat it.',
      'Makes a pet. Then pat it.',
    ],
    ['where links lead', 'See [the manual][m] first.\n\n[m]: https://x.test/manual', 'See the manual first.'],
  ])('%s is removed, the prose stays', (_what, text, want) => {
    expect(toPlainText(text)).toBe(want);
  });

  test.each([
    ['{id} is the pet, [a list] is more.', '{id} is the pet, [a list] is more.'],
    ['One of\n{ cat or dog }\nat a time', 'One of { cat or dog } at a time'],
    ['A fence ``` that nobody closes', 'A fence ``` that nobody closes'],
    ['```\nnever closed', 'never closed'],
    ['Give `{"a":1}` as text', 'Give `{"a":1}` as text'],
    ['Either a | b or c |', 'Either a | b or c |'],
    ['Flags: -a | -b | --c', 'Flags: -a | -b | --c'],
  ])('%j is prose', (text, want) => {
    expect(toPlainText(text)).toBe(want);
  });
});

describe('a sentence', () => {
  test.each([
    'Give a city, e.g. Paris, i.e. the capital, vs. London.',
    'The host (e.g. Foo Inc. in the U.S. or elsewhere).',
    'Needs v1.2.3 of https://x.test/A.B?c=D. or later.',
    'Scopes: `incidents.write` and more.',
    'The J. R. R. Tolkien id of a book by J.K. Rowling.',
    'J. Doe is who asks.',
  ])('%s', (sentence) => {
    expect(firstSentence(`${sentence} Next one.`)).toBe(sentence);
    expect(splitSentences(`${sentence} Next one.`)).toEqual([sentence, 'Next one.']);
  });

  test('is not cut at a full stop inside it', () => {
    const text = 'Gets the order with its items: each with price, no. of units and the name of whoever sold it to us';
    expect(cutText(text, 70)).toBe('Gets the order with its items: each with price, no. of units and the…');
    expect(cutText(text, 50)).not.toMatch(/, no\.?$/);
    expect(cutText('Lists what there is of them, max. 5 items of each kind', 40)).not.toMatch(/max\.$/);
  });

  test('is not cut behind an abbreviation', () => {
    const text = 'The language of the audio in a code of two letters (e.g. "en") or in words';
    expect(cutText(text, 60)).toBe('The language of the audio in a code of two letters…');
    expect(cutText(`${text}. And more`, 66)).not.toMatch(/e\.g\.?…?$/);
  });

  test('does not end in the colon of a list that was removed', () => {
    expect(closeColon('One of these:')).toBe('One of these');
    expect(closeColon('One of these.')).toBe('One of these.');
  });
});

test('hostile samples take little time', () => {
  for (const part of ['```\n', '{\n', '| a\n', 'curl \\\n', '[m]: x\n', '{"a":\n', '<pre>', 'e.g. A']) {
    expect(toPlainText(part.repeat(100_000)).length).toBeLessThan(30_000);
  }
});

describe('a first sentence', () => {
  test.each([
    ['Name of it, e.g. Alice or Bob. More.', 'Name of it, e.g. Alice or Bob.'],
    ['Use i.e. The first one. More.', 'Use i.e. The first one.'],
    ['Colours, sizes etc. Are fine. More.', 'Colours, sizes etc. Are fine.'],
    ['Only in the U.S. Market. More.', 'Only in the U.S. Market.'],
    ['Since v1.2 At least 1.5 Units. More.', 'Since v1.2 At least 1.5 Units.'],
    ['See https://a.example.com/x.y Now. More.', 'See https://a.example.com/x.y Now.'],
    ['Waits... Then it goes on. More.', 'Waits... Then it goes on.'],
    ['Near St. Louis. More.', 'Near St. Louis.'],
  ])('of %j', (text, sentence) => {
    expect(toSummary(text)).toBe(sentence);
  });
});
