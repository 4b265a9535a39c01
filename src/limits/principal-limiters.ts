// How much each caller may call, over all its connections, transports and profiles. Limits belong to the caller's identity, so a
// caller cannot evade them with new connections or other request ids.
import type { Principal } from '../call/caller.ts';
import type { CallLimits } from '../endpoint/model.ts';
import type { GatewayError } from '../errors.ts';
import { type CallRules, toRules } from './call-rules.ts';
import { type BusyReason, FairSemaphore, type WaitingCall } from './fair-semaphore.ts';
import type { LimitRefusals } from './limit-refusals.ts';
import { RateLimiter, type SharedRates } from './rate.ts';
import type { SharedPermits } from './shared-permits.ts';

export interface PrincipalLimiterOptions {
  /** The rules for callers without limits of their own. */
  readonly rules: CallRules;
  readonly refusals: LimitRefusals;
  readonly shared: SharedRates | undefined;
  readonly sharedPermits: SharedPermits | undefined;
}

/** From this many callers on, idle ones with a full bucket are removed, which loses nothing. */
const MIN_SWEEP = 1_000;

export class PrincipalLimiters {
  readonly #options: PrincipalLimiterOptions;
  readonly #limiters = new Map<string, PrincipalLimiter>();
  #sweepAt = MIN_SWEEP;

  constructor(options: PrincipalLimiterOptions) {
    this.#options = options;
  }

  /** Calls that wait for another call of their caller to end. */
  get waiting(): number {
    let waiting = 0;
    for (const limiter of this.#limiters.values()) waiting += limiter.waiting;
    return waiting;
  }

  limiterOf({ id, limits }: Principal): PrincipalLimiter {
    const limiter = this.#limiters.get(id) ?? this.#addCaller(id);
    if (limiter.limits !== limits) limiter.setLimits(limits);
    return limiter;
  }

  #addCaller(id: string): PrincipalLimiter {
    if (this.#limiters.size >= this.#sweepAt) {
      const now = performance.now();
      for (const [other, limiter] of this.#limiters)
        if (limiter.isIdle(now)) {
          limiter.close();
          this.#limiters.delete(other);
        }
      this.#sweepAt = Math.max(MIN_SWEEP, this.#limiters.size * 2);
    }
    const limiter = new PrincipalLimiter(id, this.#options);
    this.#limiters.set(id, limiter);
    return limiter;
  }
}

export class PrincipalLimiter {
  limits: CallLimits | undefined;
  readonly #id: string;
  readonly #options: PrincipalLimiterOptions;
  readonly #rateLimiter: RateLimiter;
  readonly #semaphore: FairSemaphore;
  #rules: CallRules;

  constructor(id: string, options: PrincipalLimiterOptions) {
    this.#id = id;
    this.#options = options;
    this.#rules = options.rules;
    this.#rateLimiter = new RateLimiter(`principal ${id}`, options.shared);
    const { sharedPermits } = options;
    this.#semaphore = new FairSemaphore(
      options.rules,
      (why, call) => this.#refuseBusy(why, call),
      undefined,
      sharedPermits && ((user, total) => sharedPermits.shareOf(`principal ${id}`, total, user)),
    );
  }

  get waiting(): number {
    return this.#semaphore.waiting;
  }

  /** Changes the limits of the caller. What it has used up, and its calls in progress, are kept. */
  setLimits(limits: CallLimits | undefined): void {
    this.limits = limits;
    this.#rules = toRules(this.#options.rules, limits);
    this.#semaphore.setRules(this.#rules);
  }

  /** Call it when the caller is removed: returns its part of shared permits. */
  close(): void {
    this.#semaphore.close();
  }

  /**
   * Returns undefined if the call has a permit, or a promise to wait for. Throws or rejects if the call is refused.
   * Otherwise release() must follow.
   */
  acquire(call: WaitingCall, now: number): Promise<void> | undefined {
    const { rate } = this.#rules;
    const waitMs = rate === undefined ? 0 : this.#rateLimiter.take(rate, now);
    if (waitMs === 0) return this.#semaphore.acquire('', call);
    if (typeof waitMs === 'number') throw this.#refuseRate(call, waitMs);
    return waitMs.then((sharedMs) => {
      if (sharedMs > 0) throw this.#refuseRate(call, sharedMs);
      return this.#semaphore.acquire('', call);
    });
  }

  release(): void {
    this.#semaphore.release('');
  }

  /** Like acquire(), for a call that released its permit while it waited for a person. */
  reacquire(call: WaitingCall): Promise<void> | undefined {
    return this.#semaphore.reacquire('', call);
  }

  isIdle(now: number): boolean {
    return this.#semaphore.running === 0 && this.#semaphore.waiting === 0 && this.#rateLimiter.isFull(now);
  }

  #refuseRate({ label }: WaitingCall, retryAfterMs: number): GatewayError {
    return this.#options.refusals.refuse('principalRate', {
      tool: label,
      limit: `rate of ${this.#id}`,
      because: `you have used up your limit of ${this.#rules.rate?.text} calls`,
      retryAfterMs,
    });
  }

  #refuseBusy(why: BusyReason, { label }: WaitingCall): GatewayError {
    const { concurrent, queue, waitSeconds } = this.#rules;
    return this.#options.refusals.refuse('principalBusy', {
      tool: label,
      limit: `concurrent calls of ${this.#id}`,
      because:
        why === 'full'
          ? `you have ${concurrent} calls in progress, which is your limit, and ${queue} more are waiting`
          : `you have ${concurrent} calls in progress, which is your limit, and none ended within ${waitSeconds} s`,
      retryAfterMs: why === 'full' ? 1_000 : waitSeconds * 1_000,
    });
  }
}
