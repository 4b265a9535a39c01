import { describe, expect, test } from 'vitest';
import type { Content } from '../../src/call/outcome.ts';
import { QuotedText } from '../../src/call/quoted-text.ts';

const quote = (block: Content) => QuotedText.quote(block as Extract<Content, { type: 'text' }>);

describe('a text whose JSON form is known', () => {
  const known = new QuotedText('say "hi"', '"say \\"hi\\""');

  test('is written in that form, and is a text block like any other', () => {
    expect(quote(new QuotedText('text', '"as it is known"'))).toBe('"as it is known"');
    expect(JSON.parse(JSON.stringify(known))).toEqual({ type: 'text', text: 'say "hi"' });
    expect({ ...known }).toEqual({ type: 'text', text: 'say "hi"' });
  });

  test('can get one more line', () => {
    const longer = known.withLine('next: "2"');
    expect(longer.text).toBe('say "hi"\nnext: "2"');
    expect(quote(longer)).toBe(JSON.stringify(longer.text));
  });

  test('is converted to JSON again if it was copied with another text, and cannot be changed itself', () => {
    expect(quote({ ...known, text: 'changed' })).toBe('"changed"');
    expect(quote({ type: 'text', text: 'a "b"' })).toBe('"a \\"b\\""');
    expect(() => Object.assign(known, { text: 'changed' })).toThrow(TypeError);
  });
});
