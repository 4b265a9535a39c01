// A counting semaphore that callers share fairly: a caller may hold no more permits than are still free. Alone it gets half of them, two
// get a third each, and a new caller always gets some.
import { isAnybody, type Principal } from '../call/caller.ts';

export class FairShare {
  readonly #max: number;
  #count = 0;
  readonly #own = new Map<string, number>();

  constructor(max: number) {
    this.#max = max;
  }

  /** False if there is no permit for this caller. After true, call release(). */
  acquire({ id }: Pick<Principal, 'id'>): boolean {
    const own = this.#own.get(id) ?? 0;
    // Anonymous callers cannot be told apart, so they have no fair share of their own.
    const limit = isAnybody(id) ? this.#max : this.#max - this.#count;
    if (this.#count >= this.#max || own >= limit) return false;
    this.#count++;
    this.#own.set(id, own + 1);
    return true;
  }

  release({ id }: Pick<Principal, 'id'>): void {
    const own = this.#own.get(id) ?? 0;
    this.#count--;
    if (own > 1) this.#own.set(id, own - 1);
    else this.#own.delete(id);
  }
}
