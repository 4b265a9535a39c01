// The messages for callers whose call a limit refuses, and how often that happened.
import { GatewayError } from '../errors.ts';

export type RefusalKind = 'principalRate' | 'principalBusy' | 'upstreamBusy' | 'overload';

/** How many calls were refused by each kind of limit since the start. */
export type RefusalCounts = Readonly<Record<RefusalKind, number>>;

interface RefusalFacts {
  readonly tool: string;
  /** The limit in words: `rate of key:ci`. It says nothing about other callers. */
  readonly limit: string;
  /** The reason, as a sentence without its full stop. */
  readonly because: string;
  readonly retryAfterMs: number;
}

export class LimitRefusals {
  readonly #counts: Record<RefusalKind, number> = { principalRate: 0, principalBusy: 0, upstreamBusy: 0, overload: 0 };

  get counts(): RefusalCounts {
    return this.#counts;
  }

  count(kind: RefusalKind): void {
    this.#counts[kind]++;
  }

  refuse(kind: RefusalKind, { tool, limit, because, retryAfterMs }: RefusalFacts): GatewayError {
    this.count(kind);
    const seconds = Math.max(1, Math.ceil(retryAfterMs / 1_000));
    return new GatewayError(
      'RATE_LIMITED',
      `${tool} was not called: ${because}. Nothing was sent. Changing the arguments will not help; wait ${seconds} s, then repeat the same call, and make fewer at a time.`,
      { tool, limit, retry_after_seconds: seconds },
    );
  }
}
