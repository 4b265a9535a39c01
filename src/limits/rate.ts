// `100/min` as a token bucket: the bucket holds the tokens of one period and refills evenly.

export interface Rate {
  readonly count: number;
  readonly periodMs: number;
  /** The original text. */
  readonly text: string;
}

const PERIODS_MS: Readonly<Record<string, number>> = { s: 1_000, m: 60_000, h: 3_600_000 };

/** Parses what the schema of the configuration has accepted: `100/min`, `5/s`, `1000/hour`. */
export function parseRate(text: string): Rate {
  const [count, period = ''] = text.split('/');
  const periodMs = PERIODS_MS[period.charAt(0)];
  if (periodMs === undefined || !(Number(count) >= 1))
    throw new TypeError(`"${text}" is not a rate; write it like 100/min.`);
  return Object.freeze({ count: Number(count), periodMs, text });
}

/** Sums of fractions are not exact: differences below a thousandth of a millisecond are ignored. */
const ROUNDING_MS = 0.001;

/**
 * A token bucket as one number, the time when it will be full again (the generic cell rate algorithm). It does not
 * store the rate, so that a caller whose limits change keeps what it has used up.
 */
export class TokenBucket {
  #fullAt = 0;

  /** Returns 0 if a token was taken, else the milliseconds until there is one. */
  take({ count, periodMs }: Rate, now: number): number {
    const fullAt = Math.max(this.#fullAt, now) + periodMs / count;
    const waitMs = fullAt - now - periodMs;
    if (waitMs > ROUNDING_MS) return waitMs;
    this.#fullAt = fullAt;
    return 0;
  }

  /** Takes as many tokens as there are, at most `most`. */
  takeUpTo(most: number, { count, periodMs }: Rate, now: number): TakenTokens {
    const tokenMs = periodMs / count;
    const usedMs = Math.max(this.#fullAt, now) - now;
    const tokens = Math.min(most, Math.floor((periodMs + ROUNDING_MS - usedMs) / tokenMs));
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

/** `waitMs`: if there was no token, the time until there is one. */
export interface TakenTokens {
  readonly tokens: number;
  readonly waitMs: number;
}

/** Token buckets that replicas or workers have in common. */
export interface SharedRates {
  /** False while the shared state cannot be reached: the buckets of this process then work alone. */
  readonly isUsable: boolean;
  /** Takes at most this many tokens. Undefined if no answer came in time. Never rejects. */
  take(key: string, rate: Rate, most: number): Promise<TakenTokens | undefined>;
}

/** At most this part of a bucket is taken in advance. Of `100/min` that is less than one token, so that limit is exact. */
const MOST_IN_ADVANCE = 1 / 1_000;
/**
 * Tokens taken in advance expire after this time. Otherwise they would be added to those that the bucket has gained
 * since.
 */
const ADVANCE_MS = 1_000;

/**
 * Takes a token of this process's bucket and, if there is one, of the shared bucket. From a large shared bucket it takes as many
 * tokens at once as were used within the last second, so that a busy caller needs one or two requests a second.
 */
export class RateLimiter {
  readonly #bucket = new TokenBucket();
  readonly #key: string;
  readonly #shared: SharedRates | undefined;
  #emptyUntil = 0;
  /** Tokens that were taken in advance. They expire at `#tokensUntil`. */
  #tokens = 0;
  #tokensUntil = 0;
  /** How many tokens were taken the last time. */
  #batch = 0;
  #asking: Promise<unknown> | undefined;

  constructor(key: string, sharedRates: SharedRates | undefined) {
    this.#key = key;
    this.#shared = sharedRates;
  }

  /**
   * Like TokenBucket.take(). If the bucket of this process is empty, the shared one is empty too, so it is not queried.
   */
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
