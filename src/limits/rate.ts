// `100/min` as a token bucket: the bucket holds one period's worth, and fills up again evenly.

export interface Rate {
  readonly count: number;
  readonly periodMs: number;
  /** As it was written. */
  readonly text: string;
}

const PERIODS_MS: Readonly<Record<string, number>> = { s: 1_000, m: 60_000, h: 3_600_000 };

/** Of what the schema of the configuration has let pass: `100/min`, `5/s`, `1000/hour`. */
export function parseRate(text: string): Rate {
  const [count, period = ''] = text.split('/');
  const periodMs = PERIODS_MS[period.charAt(0)];
  if (periodMs === undefined || !(Number(count) >= 1))
    throw new TypeError(`"${text}" is not a rate; write it like 100/min.`);
  return Object.freeze({ count: Number(count), periodMs, text });
}

/** Sums of fractions are not exact: differences below a thousandth of a millisecond are ignored. */
const NOBODYS_MS = 0.001;

/**
 * One number instead of tokens and a time (the generic cell rate algorithm): when the bucket will be full again. It holds no
 * rate, so that a caller whose limits change meanwhile keeps what it has used up.
 */
export class Bucket {
  #fullAt = 0;

  /** 0: a token was taken. More: milliseconds until there is one. */
  take({ count, periodMs }: Rate, now: number): number {
    const fullAt = Math.max(this.#fullAt, now) + periodMs / count;
    const waitMs = fullAt - now - periodMs;
    if (waitMs > NOBODYS_MS) return waitMs;
    this.#fullAt = fullAt;
    return 0;
  }

  /** Takes as many as there are, at most `most`. */
  takeUpTo(most: number, { count, periodMs }: Rate, now: number): TakenTokens {
    const tokenMs = periodMs / count;
    const usedMs = Math.max(this.#fullAt, now) - now;
    const tokens = Math.min(most, Math.floor((periodMs + NOBODYS_MS - usedMs) / tokenMs));
    if (tokens < 1) return { tokens: 0, waitMs: usedMs + tokenMs - periodMs };
    this.#fullAt = now + usedMs + tokens * tokenMs;
    return { tokens, waitMs: 0 };
  }

  putBack({ count, periodMs }: Rate): void {
    this.#fullAt -= periodMs / count;
  }

  isFull(now: number): boolean {
    return this.#fullAt <= now;
  }
}

/** `waitMs`: until there is one, where there is none. */
export interface TakenTokens {
  readonly tokens: number;
  readonly waitMs: number;
}

/** Buckets that replicas or workers have in common. */
export interface SharedRates {
  /** False while the shared state cannot be reached: the buckets of this process then work alone. */
  readonly isUsable: boolean;
  /** At most so many tokens; undefined where no answer came in time. Never rejects. */
  take(key: string, rate: Rate, most: number): Promise<TakenTokens | undefined>;
}

/** At most this part of a bucket is taken in advance: nothing of `100/min`, which therefore is exact. */
const MOST_IN_ADVANCE = 1 / 1_000;
/** Tokens taken in advance expire after this time: the bucket fills up again, and they would be additional. */
const ADVANCE_MS = 1_000;

/**
 * A bucket of this process and, if there is one, the shared bucket of all: a call needs a token of both. From a large shared
 * bucket, as many tokens are taken at once as were used within the last second, so that a busy caller needs one or two requests a
 * second.
 */
export class Meter {
  readonly #bucket = new Bucket();
  readonly #key: string;
  readonly #shared: SharedRates | undefined;
  #emptyUntil = 0;
  /** Tokens that were taken in advance, good until then. */
  #tokens = 0;
  #tokensUntil = 0;
  /** How many were taken the last time. */
  #batch = 0;
  #asking: Promise<unknown> | undefined;

  constructor(key: string, sharedRates: SharedRates | undefined) {
    this.#key = key;
    this.#shared = sharedRates;
  }

  /** Like Bucket.take(). If our own bucket is empty, the shared one is as well, and is not asked. */
  take(rate: Rate, now: number): number | Promise<number> {
    const waitMs = this.#bucket.take(rate, now);
    return waitMs > 0 || this.#shared === undefined ? waitMs : this.#takeShared(rate, this.#shared, now);
  }

  #takeShared(rate: Rate, sharedRates: SharedRates, now: number): number | Promise<number> {
    if (!sharedRates.isUsable) return 0;
    if (this.#tokens > 0 && now < this.#tokensUntil) {
      this.#tokens--;
      return 0;
    }
    if (now < this.#emptyUntil) {
      this.#bucket.putBack(rate);
      return this.#emptyUntil - now;
    }
    const most = Math.floor(rate.count * MOST_IN_ADVANCE);
    if (most <= 1) return this.#ask(rate, sharedRates, 1);
    // Calls that come meanwhile wait for the same batch.
    if (this.#asking) return this.#asking.then(() => this.#takeShared(rate, sharedRates, performance.now()));
    const usage = this.#batch - this.#tokens;
    const asking = this.#ask(rate, sharedRates, Math.max(1, Math.min(most, this.#tokens === 0 ? usage * 2 : usage)));
    this.#asking = asking;
    return asking;
  }

  async #ask(rate: Rate, sharedRates: SharedRates, most: number): Promise<number> {
    const batch = await sharedRates.take(this.#key, rate, most);
    this.#asking = undefined;
    const now = performance.now();
    if (batch === undefined) return 0;
    if (batch.tokens === 0) {
      this.#bucket.putBack(rate);
      this.#emptyUntil = now + batch.waitMs;
      return batch.waitMs;
    }
    this.#batch = batch.tokens;
    this.#tokens = batch.tokens - 1;
    this.#tokensUntil = now + ADVANCE_MS;
    return 0;
  }

  isFull(now: number): boolean {
    return this.#bucket.isFull(now);
  }
}
