import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { cutText, firstSentence, toPlainText } from '../../src/catalog/text.ts';

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
