// One parameter → its text: every row of the style table through the serialiser alone, and what a document cannot say.
import { describe, expect, test } from 'vitest';
import type { ParameterStyle } from '../../src/endpoint/model.ts';
import { compileParameter, type ParameterTarget } from '../../src/executor/request/parameter-styles.ts';
import { nameRow, SPECIFICATION_ROWS, STYLE_ROWS } from '../support/style-table.ts';

function serialise(
  place: ParameterTarget['in'],
  style: ParameterStyle,
  explode: boolean,
  value: unknown,
  more: Partial<ParameterTarget> = {},
): string | undefined {
  return compileParameter({ in: place, name: 'color', style, explode, ...more })(value);
}

describe('the style table', () => {
  test('has every row of the specification', () => {
    // 6 path rows, 2 header rows and 2 + 2 cookie rows of four columns; 2 query rows of four, 2 of two, 1 of one.
    expect(SPECIFICATION_ROWS).toHaveLength(24 + 8 + 16 + 8 + 4 + 1);
  });

  test('is what the serialiser writes, row by row', () => {
    const wires = STYLE_ROWS.map((row) => {
      const { allowReserved, mediaType } = row;
      const more = { ...(allowReserved && { allowReserved }), ...(mediaType && { mediaType }) };
      return [nameRow(row), serialise(row.in, row.style, row.explode, row.value, more)];
    });
    expect(wires).toEqual(STYLE_ROWS.map((row) => [nameRow(row), row.wire]));
  });
});

describe('a parameter outside the style table', () => {
  test('has an encoded name', () => {
    const write = compileParameter({ in: 'query', name: 'filter[a b]&', style: 'form', explode: true });
    expect(write('x')).toBe('filter%5Ba%20b%5D%26=x');
  });

  test('deepObject writes arrays as asked', () => {
    const list = { list: ['x', 'y'] };
    expect(serialise('query', 'deepObject', true, list, { arrays: 'indices' })).toBe(
      'color%5Blist%5D%5B0%5D=x&color%5Blist%5D%5B1%5D=y',
    );
    expect(serialise('query', 'deepObject', true, list, { arrays: 'repeat' })).toBe(
      'color%5Blist%5D=x&color%5Blist%5D=y',
    );
  });

  test('deepObject refuses values nested too deep', () => {
    let value: unknown = 1;
    for (let depth = 0; depth < 100; depth++) value = { a: value };
    expect(() => serialise('query', 'deepObject', true, value)).toThrow(/nested deeper/);
  });

  test('half a surrogate pair is refused', () => {
    expect(() => serialise('query', 'form', true, '\ud800')).toThrow(/surrogate/);
    expect(() => serialise('query', 'form', true, 'a\udc00/', { allowReserved: true })).toThrow(/surrogate/);
  });
});
