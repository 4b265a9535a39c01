// How long to wait before a worker that ended is started again: hardly at all the first time, then twice as long every time, until
// one has lived for a while. So a worker that ends at once never keeps a core busy.

export interface BackOffRules {
  readonly firstMs: number;
  readonly maxMs: number;
  /** A worker that has lived for this long is healthy: earlier failures no longer count. */
  readonly goodLifeMs: number;
}

const BACK_OFF: BackOffRules = Object.freeze({ firstMs: 100, maxMs: 30_000, goodLifeMs: 60_000 });

export class BackOff {
  readonly #rules: BackOffRules;
  #inARow = 0;

  constructor(rules: BackOffRules = BACK_OFF) {
    this.#rules = rules;
  }

  /** Call it once for every end, with the time between start and end. */
  delayAfter(lifeMs: number): number {
    const { firstMs, maxMs, goodLifeMs } = this.#rules;
    this.#inARow = lifeMs >= goodLifeMs ? 1 : this.#inARow + 1;
    return Math.min(maxMs, firstMs * 2 ** Math.min(this.#inARow - 1, 30));
  }
}
