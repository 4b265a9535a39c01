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

/**
 * One number instead of tokens and a time (the generic cell rate algorithm): when the bucket will be full again. It holds no
 * rate, so that a caller whose limits change meanwhile keeps what it has used up.
 */
class Bucket {
  #fullAt = 0;

  /** 0: a token was taken. More: milliseconds until there is one. */
  take({ count, periodMs }: Rate, now: number): number {
    const fullAt = Math.max(this.#fullAt, now) + periodMs / count;
    // Sums of fractions are never exact; a thousandth of a millisecond is nobody's token.
    const waitMs = fullAt - now - periodMs;
    if (waitMs > 0.001) return waitMs;
    this.#fullAt = fullAt;
    return 0;
  }

  putBack({ count, periodMs }: Rate): void {
    this.#fullAt -= periodMs / count;
  }

  isFull(now: number): boolean {
    return this.#fullAt <= now;
  }
}

/** Buckets that replicas have in common. */
export interface SharedRates {
  /** False while nobody answers: the buckets of this process go on alone. */
  readonly isUsable: boolean;
  /** As Bucket.take(); undefined where no answer came in time. Never rejects. */
  take(key: string, rate: Rate): Promise<number | undefined>;
}

/** A bucket of this process and, where there is one, of all replicas together: a call needs a token of both. */
export class Meter {
  readonly #bucket = new Bucket();
  readonly #key: string;
  readonly #shared: SharedRates | undefined;
  #emptyUntil = 0;

  constructor(key: string, shared: SharedRates | undefined) {
    this.#key = key;
    this.#shared = shared;
  }

  /** As Bucket.take(). A bucket of ours that is empty says that the common one is, too: nobody is asked then. */
  take(rate: Rate, now: number): number | Promise<number> {
    const waitMs = this.#bucket.take(rate, now);
    if (waitMs > 0 || this.#shared === undefined || !this.#shared.isUsable) return waitMs;
    if (now < this.#emptyUntil) {
      this.#bucket.putBack(rate);
      return this.#emptyUntil - now;
    }
    return this.#shared.take(this.#key, rate).then((sharedMs = 0) => {
      if (sharedMs > 0) {
        this.#bucket.putBack(rate);
        this.#emptyUntil = performance.now() + sharedMs;
      }
      return sharedMs;
    });
  }

  isFull(now: number): boolean {
    return this.#bucket.isFull(now);
  }
}
