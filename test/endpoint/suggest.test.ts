import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { closest, hint } from '../../src/endpoint/suggest.ts';

describe('closest()', () => {
  const words = ['summary', 'description', 'per_page', 'page', 'endpoints', 'in'];
  const rows: [string, string | undefined][] = [
    ['sumary', 'summary'],
    ['summray', 'summary'],
    ['perPage', 'per_page'],
    ['Per-Page', 'per_page'],
    ['endpoint', 'endpoints'],
    ['zzz', undefined],
    ['', undefined],
    ['x'.repeat(1000), undefined],
  ];
  for (const [given, want] of rows) {
    test(`${given.slice(0, 20)} → ${want}`, () => {
      expect(closest(given, words)).toBe(want);
    });
  }

  test('a word is nearest to itself, and no suggestion is far away', () => {
    fc.assert(
      fc.property(fc.array(fc.stringMatching(/^[a-z_]{3,12}$/), { minLength: 1 }), fc.nat(), (list, pick) => {
        const word = list[pick % list.length]!;
        const near = closest(word, list);
        return near !== undefined && near.replaceAll('_', '') === word.replaceAll('_', '');
      }),
    );
  });

  test('lists what is allowed if nothing is near', () => {
    expect(hint('zzz', ['a', 'b'])).toBe('allowed: a, b.');
    expect(hint('zzz', [])).toBe('nothing is allowed here.');
  });
});
