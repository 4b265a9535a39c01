// A rate as it is written, and the bucket it makes.
import { describe, expect, test } from 'vitest';
import { toRules, UPSTREAM_DEFAULTS } from '../../src/limits/call-rules.ts';
import { Meter, parseRate, type SharedRates } from '../../src/limits/rate.ts';

describe('parseRate()', () => {
  test.each([
    ['100/min', 100, 60_000],
    ['5/s', 5, 1_000],
    ['5/second', 5, 1_000],
    ['1000/hour', 1_000, 3_600_000],
    ['7/m', 7, 60_000],
  ])('reads %s', (text, count, periodMs) => {
    expect(parseRate(text)).toEqual({ count, periodMs, text });
  });

  test.each(['', '100', '0/min', 'x/min', '5/day'])('refuses %j', (text) => {
    expect(() => parseRate(text)).toThrow('is no rate such as 100/min');
  });
});

describe('a bucket', () => {
  const rate = parseRate('3/min');

  test('holds one period’s worth, and says how long until the next token', () => {
    const bucket = new Meter('key', undefined);
    expect([0, 0, 0, 0].map((now) => bucket.take(rate, now))).toEqual([0, 0, 0, 20_000]);
    expect(bucket.take(rate, 15_000)).toBe(5_000);
    expect(bucket.take(rate, 20_000)).toBe(0);
    expect(bucket.take(rate, 20_000)).toBe(20_000);
  });

  test('never holds more than that, however long nobody calls', () => {
    const bucket = new Meter('key', undefined);
    const later = 1e9;
    expect([0, 0, 0, 0].map(() => Number(bucket.take(rate, later)) > 0)).toEqual([false, false, false, true]);
  });

  test('lets exactly as many pass as are written, whatever fractions a token has', () => {
    for (const text of ['7/s', '600/min', '1000000/min', '11/hour']) {
      const bucket = new Meter('key', undefined);
      const { count } = parseRate(text);
      let taken = 0;
      while (bucket.take(parseRate(text), 123_456.789) === 0) taken++;
      expect([text, taken]).toEqual([text, count]);
    }
  });

  test('keeps what was used up when the rate changes', () => {
    const bucket = new Meter('key', undefined);
    for (let i = 0; i < 3; i++) bucket.take(rate, 0);
    expect(bucket.take(parseRate('2/min'), 0)).toBeGreaterThan(0);
  });
});

describe('a bucket that replicas share', () => {
  function sharing(answers: (number | undefined)[]): { meter: Meter; asked: () => number } {
    let asked = 0;
    const shared: SharedRates = { isUsable: true, take: async () => answers[asked++] };
    return { meter: new Meter('key', shared), asked: () => asked };
  }

  test('decides where it answers; where it does not, the process’s own does', async () => {
    const { meter } = sharing([0, 5_000, undefined]);
    const rate = parseRate('100/min');
    expect(await meter.take(rate, performance.now())).toBe(0);
    expect(await meter.take(rate, performance.now())).toBe(5_000);
  });

  test('is not asked where it is certainly empty: our own bucket is, or it said so just now', async () => {
    const own = sharing([0]);
    expect(await own.meter.take(parseRate('1/hour'), 0)).toBe(0);
    expect(own.meter.take(parseRate('1/hour'), 0)).toBeGreaterThan(0);
    expect(own.asked()).toBe(1);
    const common = sharing([60_000]);
    await common.meter.take(parseRate('9/hour'), performance.now());
    expect(common.meter.take(parseRate('9/hour'), performance.now())).toBeGreaterThan(0);
    expect(common.asked()).toBe(1);
  });

  test('a refusal of it costs nothing of our own', async () => {
    const { meter } = sharing([1, 1, 1, 0, 0]);
    const rate = parseRate('2/hour');
    let now = performance.now();
    const next = () => {
      now += 100;
      return now;
    };
    for (let i = 0; i < 3; i++) expect(await meter.take(rate, next())).toBe(1);
    expect(await meter.take(rate, next())).toBe(0);
    expect(await meter.take(rate, next())).toBe(0);
  });
});

test('what is said nearest decides each limit by itself', () => {
  const rules = toRules(UPSTREAM_DEFAULTS, { rate: '5/s' }, { rate: '9/s', concurrent: 3 });
  expect(rules).toEqual({ rate: parseRate('5/s'), concurrent: 3, queue: 256, waitSeconds: 5 });
});
