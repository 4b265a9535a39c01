import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createRedactor, redactBeginning } from '../../src/endpoint/redaction/redact.ts';

const hexOf = (character: string, digits: number) => character.charCodeAt(0).toString(16).padStart(digits, '0');

/** One character, written in each of the ways a secret may be hidden. */
const SPELLINGS: ((character: string) => string)[] = [
  (character) => character,
  (character) => `\\u${hexOf(character, 4)}`,
  (character) => `\\u${hexOf(character, 4).toUpperCase()}`,
  (character) => `\\\\u${hexOf(character, 4)}`,
  (character) => `\\u{${hexOf(character, 1)}}`,
  (character) => `\\x${hexOf(character, 2)}`,
  (character) => `%${hexOf(character, 2)}`,
  (character) => `%${hexOf(character, 2).toUpperCase()}`,
  (character) => `&#x${hexOf(character, 2)};`,
  (character) => `&#X${hexOf(character, 6)};`,
  (character) => `&#${character.charCodeAt(0)};`,
  (character) => `&#0${character.charCodeAt(0)};`,
  (character) => `&amp;#${character.charCodeAt(0)};`,
  (character) => `%25${hexOf(character, 2)}`,
  (character) => `<b class="x">${character}</b>`,
  (character) => `${character}<!-- x -->`,
  (character) => `${character}\u200b`,
];

const secrets = fc.string({
  unit: fc.constantFrom(...'abcXYZ019-_.~+/=:!@#$^*()[]{}|,?'),
  minLength: 8,
  maxLength: 24,
});

describe('a secret never comes out', () => {
  test('however its characters are written', () => {
    fc.assert(
      fc.property(
        secrets,
        fc.array(fc.nat(SPELLINGS.length - 1), { minLength: 24, maxLength: 24 }),
        fc.string({ maxLength: 20 }),
        (secret, choices, around) => {
          const spelled = [...secret].map((character, index) => SPELLINGS[choices[index]!]!(character)).join('');
          const out = createRedactor([secret])(`${around} ${spelled} ${around}`);
          expect(out).not.toContain(spelled);
          expect(out).toContain('[redacted]');
        },
      ),
      { numRuns: 500 },
    );
  });

  test.each(['<a href="?key=s3cret%2Dvalue">', '></ s3cret\\u002dvalue ></'])('inside a tag: %s', (text) => {
    expect(createRedactor(['s3cret-value'])(text)).toBe(text.replace(/s3cret.*value/, '[redacted]'));
  });

  test.each([
    '></ s3cret-v\\u0061lue ></',
    '<a href="/x?key=s3cret-v&#97;lue">x</a>',
    '<img alt="s3cret-v%61lue"> s3cret<b>-value</b>',
    '><A s3cret-v&amp;#97;l<b class="x">u</b>e ><A',
  ])('inside a tag as well as between tags: %s', (text) => {
    const out = createRedactor(['s3cret-value'])(text);
    expect(out).toContain('[redacted]');
    expect(out).not.toMatch(/s3cret|lue/);
  });

  test('in JSON text, which stays JSON', () => {
    fc.assert(
      fc.property(secrets, fc.nat(SPELLINGS.length - 1), (secret, choice) => {
        const spelled = [...secret].map(SPELLINGS[choice]!).join('');
        const text = JSON.stringify({ a: `x${spelled}y`, b: [spelled] });
        const out = createRedactor([secret])(text);
        expect(JSON.stringify(JSON.parse(out))).not.toContain(JSON.stringify(spelled).slice(1, -1));
      }),
    );
  });

  test('with a quotation mark in it, as JSON writes it', () => {
    const redact = createRedactor(['s3"cret-value']);
    expect(redact(JSON.stringify({ a: 'x s3"cret-value y' }))).toBe('{"a":"x [redacted] y"}');
    expect(redact(JSON.stringify(JSON.stringify({ a: 's3"cret-value' })))).toBe('"{\\"a\\":\\"[redacted]\\"}"');
  });
});

describe('text without a secret', () => {
  test.each([
    'plain text',
    'a < b && c > d; 100%',
    '<p>x</p> &amp; &eacute; %20 %zz \\u00e9 \\n \\\\',
    '{"path":"C:\\\\temp\\\\new","url":"https://x/%7Euser?q=a%26b"}',
    '\\'.repeat(1_000),
    '<'.repeat(1_000),
  ])('%j stays as it is', (text) => {
    expect(createRedactor(['s3cret-value'])(text)).toBe(text);
  });

  test('around an escaped secret stays', () => {
    const redact = createRedactor(['abc/def+1']);
    expect(redact('{"a":"abc\\/def+1","b":"\\u00e9"}')).toBe('{"a":"[redacted]","b":"\\u00e9"}');
    expect(redact('x=1&key=abc%2Fdef%2b1&y=%20')).toBe('x=1&key=[redacted]&y=%20');
    expect(redact('<i>abc&#47;def&#x2B;1</i> z')).toMatch(/^<i>\[redacted\].* z$/);
  });
});

describe('a text that was cut in the middle of a secret', () => {
  const beginning = (text: string, ...known: string[]) => redactBeginning(createRedactor(known), text);

  test('shows fewer than four characters of it', () => {
    const secret = 'k-BLOBSECRET';
    for (let length = 4; length < secret.length; length++)
      expect(beginning(`key: ${secret.slice(0, length)}`, secret)).toBe('key: [redacted]');
    expect(beginning('key: k-B', secret)).toBe('key: k-B');
  });

  test('shows nothing of it, however its characters are written and wherever the cut is', () => {
    fc.assert(
      fc.property(
        secrets,
        fc.array(fc.nat(SPELLINGS.length - 1), { minLength: 24, maxLength: 24 }),
        fc.nat(),
        (secret, choices, place) => {
          const letters = [...secret].map((character, index) => SPELLINGS[choices[index]!]!(character));
          const four = letters.slice(0, 4).join('');
          const rest = letters.slice(4).join('');
          const out = beginning(`so: ${four}${rest.slice(0, place % rest.length)}`, secret);
          expect(out).not.toContain(four);
          expect(out).toMatch(/^so: .*\[redacted\](?:<.*)?$/);
        },
      ),
      { numRuns: 1_000 },
    );
  });

  test('shows nothing of it in base64', () => {
    const secret = 'a-secret-of-some-length';
    for (const before of ['', 'x', 'xy']) {
      const encoded = Buffer.from(`${before}${secret}`).toString('base64');
      expect(beginning(`Basic ${encoded.slice(0, 16)}`, secret)).toMatch(/^Basic .{0,4}\[redacted\]$/);
    }
  });

  test('shows nothing of it if the secret repeats itself, or another begins in it', () => {
    expect(beginning('x abababab', 'ababababXYZ')).toBe('x [redacted]');
    expect(beginning('x abcdabcdabc', 'abcdabcdX', 'cdabcQRS')).toBe('x abcd[redacted]');
    expect(beginning('x secret-one', 'secret-one-two', 'one-more')).toBe('x [redacted]');
  });

  test('loses an earlier secret as a whole, and keeps text that begins no secret', () => {
    expect(beginning('key k-BLOBSECRET and BLOB', 'k-BLOBSECRET')).toBe('key [redacted] and BLOB');
  });

  test('a secret and a text of a hundred thousand characters that nearly match are compared once', () => {
    expect(beginning('%'.repeat(100_000), 'k-BLOBSECRET'.repeat(1_000))).toBe('%'.repeat(100_000));
    const secret = `${'a'.repeat(100_000)}b`;
    expect(beginning(`${'a'.repeat(99_999)}c`, secret)).toBe(`${'a'.repeat(99_999)}c`);
  });
});
