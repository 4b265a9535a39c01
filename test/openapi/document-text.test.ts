import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { toDocumentText } from '../../src/openapi/source/document-text.ts';

const filler = ' '.repeat(20_000);
const read = (bytes: Buffer) => toDocumentText(bytes);

describe('the text of a document', () => {
  test('is JSON with escapes if few characters are not ASCII', () => {
    const { json, text, isJson, bytes } = read(Buffer.from(`{"a":"é 😀"${filler}}`));
    expect({ json: json?.trim(), text, isJson, bytes }).toEqual({
      json: `{"a":"\\u00e9 \\ud83d\\ude00"${filler}}`,
      text: `{"a":"é 😀"${filler}}`,
      isJson: true,
      bytes: 20_015,
    });
  });

  test('is left alone if an escape would turn invalid JSON into JSON', () => {
    const { json, text } = read(Buffer.from(`{"a":"\\é"${filler}}`));
    expect(json).toBeUndefined();
    expect(() => JSON.parse(text)).toThrow();
  });

  test('is left alone if it is in another script than Latin', () => {
    expect(read(Buffer.from(JSON.stringify({ a: '寿司'.repeat(10_000) }))).json).toBeUndefined();
  });

  test('is decoded according to its byte order mark', () => {
    const little = Buffer.from('\ufeff{"a":"é"}', 'utf16le');
    const big = Buffer.from(little).swap16();
    for (const bytes of [little, big]) {
      expect(read(bytes)).toMatchObject({ text: '{"a":"é"}', isJson: true });
    }
    expect(read(Buffer.from('\ufeff{"a":1}'))).toMatchObject({ text: '\ufeff{"a":1}', isJson: true });
  });

  test('parses to the same value with escapes, for any bytes', () => {
    const piece = fc.oneof(
      fc.uint8Array({ maxLength: 4 }),
      fc.string().map((text) => Buffer.from(JSON.stringify(text))),
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 6 }), (pieces) => {
        const inner = Buffer.concat(pieces.map((bytes) => Buffer.from(bytes)));
        const { json, text } = read(
          Buffer.concat([Buffer.from('{"a":['), inner, Buffer.from('1],"b":"'), inner, Buffer.from(`"${filler}}`)]),
        );
        if (json !== undefined) expect(parse(json)).toEqual(parse(text));
      }),
    );
  });
});

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return 'no JSON';
  }
}
