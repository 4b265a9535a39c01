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
  if (periodMs === undefined || !(Number(count) >= 1)) throw new TypeError(`"${text}" is no rate such as 100/min.`);
  return Object.freeze({ count: Number(count), periodMs, text });
}

/** Sums of fractions are never exact; a thousandth of a millisecond is nobody's token. */
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

  /** As many as there are, at most so many. */
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
  /** False while nobody answers: the buckets of this process go on alone. */
  readonly isUsable: boolean;
  /** At most so many tokens; undefined where no answer came in time. Never rejects. */
  take(key: string, rate: Rate, most: number): Promise<TakenTokens | undefined>;
}

/** Tokens in advance are at most this part of a bucket: of `100/min` none, so that it is exact. */
const MOST_IN_ADVANCE = 1 / 1_000;
/** For so long they are good: a bucket fills up again, and then they would come on top of it. */
const ADVANCE_MS = 1_000;

/**
 * A bucket of this process and, where there is one, of all together: a call needs a token of both. Of a large bucket as many
 * are taken at a time as were last used within a second, so that a busy caller costs a question or two per second.
 */
export class Meter {
  readonly #bucket = new Bucket();
  readonly #key: string;
  readonly #shared: SharedRates | undefined;
  #emptyUntil = 0;
  #held = 0;
  #heldUntil = 0;
  /** How many were taken the last time. */
  #batch = 0;
  #asking: Promise<unknown> | undefined;

  constructor(key: string, shared: SharedRates | undefined) {
    this.#key = key;
    this.#shared = shared;
  }

  /** As Bucket.take(). A bucket of ours that is empty says that the common one is, too: nobody is asked then. */
  take(rate: Rate, now: number): number | Promise<number> {
    const waitMs = this.#bucket.take(rate, now);
    return waitMs > 0 || this.#shared === undefined ? waitMs : this.#takeShared(rate, this.#shared, now);
  }

  #takeShared(rate: Rate, shared: SharedRates, now: number): number | Promise<number> {
    if (!shared.isUsable) return 0;
    if (this.#held > 0 && now < this.#heldUntil) {
      this.#held--;
      return 0;
    }
    if (now < this.#emptyUntil) {
      this.#bucket.putBack(rate);
      return this.#emptyUntil - now;
    }
    const most = Math.floor(rate.count * MOST_IN_ADVANCE);
    if (most <= 1) return this.#ask(rate, shared, 1);
    // Whoever comes meanwhile waits for what is brought for all.
    if (this.#asking) return this.#asking.then(() => this.#takeShared(rate, shared, performance.now()));
    const used = this.#batch - this.#held;
    const asking = this.#ask(rate, shared, Math.max(1, Math.min(most, this.#held === 0 ? used * 2 : used)));
    this.#asking = asking;
    return asking;
  }

  async #ask(rate: Rate, shared: SharedRates, most: number): Promise<number> {
    const batch = await shared.take(this.#key, rate, most);
    this.#asking = undefined;
    const now = performance.now();
    if (batch === undefined) return 0;
    if (batch.tokens === 0) {
      this.#bucket.putBack(rate);
      this.#emptyUntil = now + batch.waitMs;
      return batch.waitMs;
    }
    this.#batch = batch.tokens;
    this.#held = batch.tokens - 1;
    this.#heldUntil = now + ADVANCE_MS;
    return 0;
  }

  isFull(now: number): boolean {
    return this.#bucket.isFull(now);
  }
}
