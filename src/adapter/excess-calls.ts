// Calls that their caller's own limits refused. A caller beyond its rate may send thousands of calls a second. The first one in
// an interval is recorded like any other call, the others are only counted, so that refusals cannot fill the disk.

/** How many calls of one caller were refused after the one that is recorded. */
export interface ExcessCount {
  readonly principal: string;
  readonly count: number;
  readonly sinceMs: number;
}

const INTERVAL_MS = 10_000;
/** This many callers are counted separately; all others share one count. */
const MAX_CALLERS = 1_000;
const OTHERS = 'others';

export class ExcessCalls {
  readonly #report: (excess: ExcessCount) => void;
  /** By caller, without the call that is recorded. */
  readonly #counts = new Map<string, number>();
  #sinceMs = 0;
  #timer: NodeJS.Timeout | undefined;

  constructor(report: (excess: ExcessCount) => void) {
    this.#report = report;
  }

  /** True for the first call of a caller in an interval: it is to be recorded. */
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
