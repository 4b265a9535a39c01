import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createStateCodec } from '../../src/orchestration/states.ts';
import { type ContextChanges, contextOf } from '../support/context.ts';

const call = (changes: ContextChanges = {}) => contextOf({ tool: 'book', principal: { id: 'ann' }, ...changes });

const KEY = Buffer.alloc(32, 7);
const REFUSED = expect.objectContaining({ code: 'INVALID_PARAMS' });

describe('createStateCodec()', () => {
  test('returns any JSON value in the next round', () => {
    const states = createStateCodec({ key: KEY });
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const requestState = states.seal(call(), { seat: 7 }, value);
        expect(states.open(call({ requestState }), { seat: 7 })).toEqual(JSON.parse(JSON.stringify(value)));
      }),
    );
  });

  test('returns undefined in the first round', () => {
    expect(createStateCodec({ key: KEY }).open(call(), {})).toBeUndefined();
  });

  test('accepts arguments in any order', () => {
    const states = createStateCodec({ key: KEY });
    const requestState = states.seal(call(), { row: 1, seat: 7 }, 'kept');
    expect(states.open(call({ requestState }), { seat: 7, row: 1 })).toBe('kept');
  });

  test.each([
    ['other arguments', { seat: 8 }, {}],
    ['another tool', { seat: 7 }, { tool: 'cancel' }],
    ['another principal', { seat: 7 }, { principal: { id: 'bob' } }],
  ])('refuses a state that was sealed for %s', (_what, args, change) => {
    const states = createStateCodec({ key: KEY });
    const requestState = states.seal(call(), { seat: 7 }, 'kept');
    expect(() => states.open(call({ ...change, requestState }), args)).toThrow(REFUSED);
  });

  test('refuses a state with any one character changed, added or missing', () => {
    const states = createStateCodec({ key: KEY });
    const good = states.seal(call(), {}, { price: 10 });
    const open = (requestState: string) => states.open(call({ requestState }), {});
    for (let at = 0; at < good.length; at++) {
      const other = good[at] === 'A' ? 'B' : 'A';
      expect(() => open(good.slice(0, at) + other + good.slice(at + 1))).toThrow(REFUSED);
      expect(() => open(good.slice(0, at) + good.slice(at + 1))).toThrow(REFUSED);
      expect(() => open(`${good.slice(0, at)}A${good.slice(at)}`)).toThrow(REFUSED);
    }
    expect(() => open(`${good}-TAMPERED`)).toThrow(REFUSED);
  });

  test('refuses arbitrary text', () => {
    const states = createStateCodec({ key: KEY });
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (requestState) => {
        expect(() => states.open(call({ requestState }), {})).toThrow(REFUSED);
      }),
    );
  });

  test('refuses a state of another key, and one that has expired', () => {
    let time = 1_000_000;
    const states = createStateCodec({ key: KEY, ttlSeconds: 60, now: () => time });
    const requestState = states.seal(call(), {}, 1);
    expect(() => createStateCodec({ now: () => time }).open(call({ requestState }), {})).toThrow(REFUSED);
    time += 59_000;
    expect(states.open(call({ requestState }), {})).toBe(1);
    time += 1_000;
    expect(() => states.open(call({ requestState }), {})).toThrow('has expired');
  });

  test('requires a key of at least 32 bytes', () => {
    expect(() => createStateCodec({ key: Buffer.alloc(16) })).toThrow('at least 32 bytes');
  });
});
