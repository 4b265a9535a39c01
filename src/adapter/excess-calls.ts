// Calls that were refused by their caller's own limits. A caller beyond its rate may send thousands of calls a second: the first
// one in an interval is recorded like any other call, the others are only counted, so that refusals cannot fill the disk.

/** Calls of one caller that were turned away after the one that is on record. */
export interface Excess {
  readonly principal: string;
  readonly count: number;
  readonly sinceMs: number;
}

const INTERVAL_MS = 10_000;
/** Callers that are counted separately; all others share one count. */
const MAX_CALLERS = 1_000;
const OTHERS = 'others';

export class ExcessCalls {
  readonly #report: (excess: Excess) => void;
  /** How many there were behind the first one, by caller. */
  readonly #counts = new Map<string, number>();
  #sinceMs = 0;
  #timer: NodeJS.Timeout | undefined;

  constructor(report: (excess: Excess) => void) {
    this.#report = report;
  }

  /** True for the first of a caller in an interval: it is to be recorded. */
  note(principal: string): boolean {
    const key = this.#counts.has(principal) || this.#counts.size < MAX_CALLERS ? principal : OTHERS;
    const count = this.#counts.get(key);
    this.#counts.set(key, count === undefined ? 0 : count + 1);
    if (this.#timer === undefined) {
      this.#sinceMs = Date.now();
      this.#timer = setTimeout(() => this.flush(), INTERVAL_MS).unref();
    }
    return count === undefined;
  }

  /** Reports the counts, and starts again from zero. */
  flush(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const counts = [...this.#counts];
    this.#counts.clear();
    for (const [principal, count] of counts) if (count > 0) this.#report({ principal, count, sinceMs: this.#sinceMs });
  }
}
