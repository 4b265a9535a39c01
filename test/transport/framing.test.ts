import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createLineSplitter } from '../../src/transport/lines/framing.ts';

function split(maxBytes: number, chunks: readonly Buffer[]): string[] {
  const out: string[] = [];
  const splitter = createLineSplitter(
    maxBytes,
    (line) => out.push(line.toString('latin1')),
    () => out.push('too long'),
  );
  for (const chunk of chunks) splitter.push(chunk);
  splitter.end();
  return out;
}

/** The same bytes, cut at these places. */
function cut(bytes: Buffer, places: readonly number[]): Buffer[] {
  const at = [...new Set([0, ...places.map((place) => place % (bytes.length + 1)), bytes.length])].sort(
    (a, b) => a - b,
  );
  return at.slice(1).map((end, index) => Buffer.from(bytes.subarray(at[index], end)));
}

describe('newline framing', () => {
  test('gives the same lines however the bytes are split into chunks', () => {
    const bytes = fc
      .uint8Array({ maxLength: 300 })
      .map((raw) => Buffer.from(raw.map((byte) => (byte < 40 ? 0x0a : byte))));
    fc.assert(
      fc.property(bytes, fc.array(fc.nat(), { maxLength: 20 }), fc.integer({ min: 1, max: 60 }), (all, places, max) => {
        const want = split(max, [all]);
        expect(split(max, cut(all, places))).toEqual(want);
        expect(
          split(
            max,
            [...all].map((byte) => Buffer.from([byte])),
          ),
        ).toEqual(want);
        // What it means: every line that is not empty, once and in order, or the fact that it was too long.
        const lines = all
          .toString('latin1')
          .split('\n')
          .filter((line) => line !== '');
        expect(want).toEqual(lines.map((line) => (line.length > max ? 'too long' : line)));
      }),
      { numRuns: 300 },
    );
  });

  test('joins a character that was split between chunks', () => {
    const text = '{"name":"Müller 🦊"}';
    const bytes = Buffer.from(`${text}\n`);
    const lines: string[] = [];
    const splitter = createLineSplitter(
      1_000,
      (line) => lines.push(line.toString()),
      () => {},
    );
    for (const byte of bytes) splitter.push(Buffer.from([byte]));
    expect(lines).toEqual([text]);
  });

  test('accepts a line of exactly the limit', () => {
    expect(split(3, [Buffer.from('abc\nabcd\nab')])).toEqual(['abc', 'too long', 'ab']);
  });

  test('reports a line without end at once, and only once', () => {
    const out: string[] = [];
    const splitter = createLineSplitter(
      5,
      (line) => out.push(line.toString()),
      () => out.push('too long'),
    );
    for (let index = 0; index < 100; index++) splitter.push(Buffer.from('xxxx'));
    expect(out).toEqual(['too long']);
    splitter.push(Buffer.from('\nok\n'));
    expect(out).toEqual(['too long', 'ok']);
  });

  test('does not keep a large chunk in memory for a small rest', () => {
    const chunk = Buffer.alloc(1_000_000, 'a');
    chunk[999_990] = 0x0a;
    let line: Buffer | undefined;
    const splitter = createLineSplitter(
      2_000_000,
      (found) => {
        line = found;
      },
      () => {},
    );
    splitter.push(chunk);
    splitter.push(Buffer.from('\n'));
    expect([line?.length, (line?.buffer.byteLength ?? 0) < 100_000]).toEqual([9, true]);
  });
});
