// The token buckets of all workers, by key. A full bucket is the same as a new one, so it is dropped.
import { Bucket, type Rate, type TakenTokens } from '../limits/rate.ts';

const MIN_SWEEP = 10_000;

export class Buckets {
  readonly #buckets = new Map<string, Bucket>();
  #sweepAt = MIN_SWEEP;

  take(key: string, rate: Rate, most: number, now: number): TakenTokens {
    return (this.#buckets.get(key) ?? this.#meet(key, now)).takeUpTo(most, rate, now);
  }

  #meet(key: string, now: number): Bucket {
    if (this.#buckets.size >= this.#sweepAt) {
      for (const [other, bucket] of this.#buckets) if (bucket.isFull(now)) this.#buckets.delete(other);
      this.#sweepAt = Math.max(MIN_SWEEP, this.#buckets.size * 2);
    }
    const bucket = new Bucket();
    this.#buckets.set(key, bucket);
    return bucket;
  }
}
