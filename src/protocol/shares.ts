// A limited number of places, of which a caller may hold no more than are still free: alone it gets half, two get a third each,
// and a new caller always finds some.
import { isAnybody, type Principal } from '../call/caller.ts';

export class Shares {
  readonly #max: number;
  #count = 0;
  readonly #own = new Map<string, number>();

  constructor(max: number) {
    this.#max = max;
  }

  /** False: there is no room for this caller. leave() must follow. */
  enter({ id }: Pick<Principal, 'id'>): boolean {
    const own = this.#own.get(id) ?? 0;
    // Where callers are not told apart there is nobody to share with.
    const most = isAnybody(id) ? this.#max : this.#max - this.#count;
    if (this.#count >= this.#max || own >= most) return false;
    this.#count++;
    this.#own.set(id, own + 1);
    return true;
  }

  leave({ id }: Pick<Principal, 'id'>): void {
    const own = this.#own.get(id) ?? 0;
    this.#count--;
    if (own > 1) this.#own.set(id, own - 1);
    else this.#own.delete(id);
  }
}
