// Hidden characters: gone from prose, spelled where a person decides, found where they were put on purpose.
import { describe, expect, test } from 'vitest';
import { escapeHidden, findCovert, hasHiddenText, showHidden, stripHidden } from '../../src/endpoint/hidden.ts';

test.each([
  ['tags', 'a\u{E0041}\u{E0042}b'],
  ['bidi controls', 'a\u202Eb\u2066\u2069'],
  ['zero width', 'a\u200B\u200D\u2060\uFEFFb'],
  ['ANSI colours and links', '\u001b[31ma\u001b[0m\u001b]8;;https://evil.example\u0007b'],
  ['C0 and C1 controls', 'a\u0000\u0007\u0085\u009bb'],
  ['fillers and selectors', 'a\u3164\u115F\u00AD\u{E0100}b'],
])('%s are removed', (_, given) => {
  expect(stripHidden(given)).toBe('ab');
});

test('text in every script stays unchanged', () => {
  for (const text of ['日本語', 'עברית', 'العربية', 'emoji 👍🏽', 'naïve — “quoted”'])
    expect(stripHidden(text)).toBe(text);
});

test('every line break becomes a line feed', () => {
  expect(stripHidden('a\r\nb\rc\u2028d\u2029e\nf\tg')).toBe('a\nb\nc\nd\ne\nf\tg');
});

test('half a surrogate pair is removed, a whole one stays', () => {
  expect(stripHidden('a\ud83db👍')).toBe('ab👍');
});

test('hidden characters and line breaks are written as escapes', () => {
  expect(showHidden('yes\n\tDELETE\u202e 👍')).toBe('yes\\u{a}\\u{9}DELETE\\u{202e} 👍');
});

describe('characters that only hide something', () => {
  test.each([
    ['a tag', 'a\u{E0041}b'],
    ['a variation selector of the supplement', 'a\u{E0100}b'],
    ['an override', 'a\u202Eb'],
    ['a zero-width space', 'a\u200Bb'],
  ])('%s is found, raw and escaped', (_, text) => {
    const escaped = [...text].map((char) => (char < '~' ? char : JSON.stringify(toUnits(char)).slice(1, -1))).join('');
    expect(findCovert(text)?.index).toBe(1);
    expect(findCovert(escaped.replaceAll('\\\\', '\\'))?.index).toBe(1);
    expect(hasHiddenText(text)).toBe(true);
  });

  test.each(['👩‍💻 ❤️', 'می‌خواهم', 'plain\ttext\n', 'שלום\u200f'])('%j has no such character', (text) => {
    expect(findCovert(text)).toBeNull();
  });

  test('a value with a control character or a direction mark is suspicious', () => {
    expect(hasHiddenText('a\u0007')).toBe(true);
    expect(hasHiddenText('a\u200f')).toBe(true);
    expect(hasHiddenText('naïve 日本語 👍')).toBe(false);
  });
});

test('a line of JSON with escaped hidden characters is one line and has the same value', () => {
  const value = { name: 'a\u2028b\u2029c\u0085d\u202ee\u200bf\ufeff\u{e0041}', text: 'naïve 日本語 👍\n' };
  const line = escapeHidden(JSON.stringify(value));
  expect(JSON.parse(line)).toEqual(value);
  expect(line).not.toMatch(/[\u0085\u2028\u2029\u202e\u200b\ufeff\u{e0041}]/u);
  expect(line).toContain('naïve 日本語 👍');
  expect(escapeHidden('{"plain":1}')).toBe('{"plain":1}');
});

function toUnits(char: string): string {
  return Array.from({ length: char.length }, (_, at) => `\\u${char.charCodeAt(at).toString(16).padStart(4, '0')}`).join(
    '',
  );
}
