// Rates such as 100/min, and their token buckets.
import { describe, expect, test } from 'vitest';
import { toRules, UPSTREAM_DEFAULTS } from '../../src/limits/call-rules.ts';
import { parseRate, RateLimiter, type SharedRates } from '../../src/limits/rate.ts';

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
    expect(() => parseRate(text)).toThrow('is not a rate; write it like 100/min');
  });
});

describe('a token bucket', () => {
  const rate = parseRate('3/min');

  test('holds one period’s worth, and says how long until the next token', () => {
    const bucket = new RateLimiter('key', undefined);
    expect([0, 0, 0, 0].map((now) => bucket.take(rate, now))).toEqual([0, 0, 0, 20_000]);
    expect(bucket.take(rate, 15_000)).toBe(5_000);
    expect(bucket.take(rate, 20_000)).toBe(0);
    expect(bucket.take(rate, 20_000)).toBe(20_000);
  });

  test('never holds more than one period’s tokens, however long nobody calls', () => {
    const bucket = new RateLimiter('key', undefined);
    const later = 1e9;
    expect([0, 0, 0, 0].map(() => Number(bucket.take(rate, later)) > 0)).toEqual([false, false, false, true]);
  });

  test('lets exactly the configured number of calls pass, whatever fractions a token has', () => {
    for (const text of ['7/s', '600/min', '1000000/min', '11/hour']) {
      const bucket = new RateLimiter('key', undefined);
      const { count } = parseRate(text);
      let taken = 0;
      while (bucket.take(parseRate(text), 123_456.789) === 0) taken++;
      expect([text, taken]).toEqual([text, count]);
    }
  });

  test('keeps what was used up when the rate changes', () => {
    const bucket = new RateLimiter('key', undefined);
    for (let i = 0; i < 3; i++) bucket.take(rate, 0);
    expect(bucket.take(parseRate('2/min'), 0)).toBeGreaterThan(0);
  });
});

describe('a token bucket that replicas share', () => {
  function sharing(answers: (number | undefined)[]): { limiter: RateLimiter; asked: () => number } {
    let asked = 0;
    const shared: SharedRates = {
      isUsable: true,
      take: async () => {
        const waitMs = answers[asked++];
        return waitMs === undefined ? undefined : { tokens: waitMs === 0 ? 1 : 0, waitMs };
      },
    };
    return { limiter: new RateLimiter('key', shared), asked: () => asked };
  }

  test('decides if it answers, else the bucket of the process decides', async () => {
    const { limiter } = sharing([0, 5_000, undefined]);
    const rate = parseRate('100/min');
    expect(await limiter.take(rate, performance.now())).toBe(0);
    expect(await limiter.take(rate, performance.now())).toBe(5_000);
  });

  test('is not asked while it is known to be empty', async () => {
    const own = sharing([0]);
    expect(await own.limiter.take(parseRate('1/hour'), 0)).toBe(0);
    expect(own.limiter.take(parseRate('1/hour'), 0)).toBeGreaterThan(0);
    expect(own.asked()).toBe(1);
    const common = sharing([60_000]);
    await common.limiter.take(parseRate('9/hour'), performance.now());
    expect(common.limiter.take(parseRate('9/hour'), performance.now())).toBeGreaterThan(0);
    expect(common.asked()).toBe(1);
  });

  test('is asked for as many tokens as were used before, but for one at a time if it is small', async () => {
    const asked: number[] = [];
    const shared: SharedRates = {
      isUsable: true,
      take: async (_key, _rate, most) => {
        asked.push(most);
        return { tokens: most, waitMs: 0 };
      },
    };
    const busy = new RateLimiter('busy', shared);
    const now = performance.now();
    for (let i = 0; i < 1 + 2 + 4 + 8 + 16; i++) await busy.take(parseRate('600000/min'), now);
    // A thousandth of the bucket is the most.
    for (let i = 0; i < 10; i++) await busy.take(parseRate('20000/min'), now);
    expect(asked).toEqual([1, 2, 4, 8, 16, 20]);
    const small = new RateLimiter('small', shared);
    for (let i = 0; i < 5; i++) await small.take(parseRate('100/min'), now);
    expect(asked.slice(6)).toEqual([1, 1, 1, 1, 1]);
    // Tokens that were not used in time are lost. The next request asks for as many as were used.
    await busy.take(parseRate('600000/min'), now + 3_600_000);
    expect(asked.at(-1)).toBe(10);
  });

  test('is asked once for all calls that wait for a token', async () => {
    const asked: number[] = [];
    const shared: SharedRates = {
      isUsable: true,
      take: async (_key, _rate, most) => {
        asked.push(most);
        return { tokens: most, waitMs: 0 };
      },
    };
    const limiter = new RateLimiter('busy', shared);
    await Promise.all(Array.from({ length: 15 }, () => limiter.take(parseRate('600000/min'), performance.now())));
    expect(asked).toEqual([1, 2, 4, 8]);
  });

  test('that refuses leaves the bucket of the process as it was', async () => {
    const { limiter } = sharing([1, 1, 1, 0, 0]);
    const rate = parseRate('2/hour');
    let now = performance.now();
    const next = () => {
      now += 100;
      return now;
    };
    for (let i = 0; i < 3; i++) expect(await limiter.take(rate, next())).toBe(1);
    expect(await limiter.take(rate, next())).toBe(0);
    expect(await limiter.take(rate, next())).toBe(0);
  });
});

test('toRules() takes each limit from the nearest setting that has it', () => {
  const rules = toRules(UPSTREAM_DEFAULTS, { rate: '5/s' }, { rate: '9/s', concurrent: 3 });
  expect(rules).toEqual({ rate: parseRate('5/s'), concurrent: 3, queue: 256, waitSeconds: 5 });
});
