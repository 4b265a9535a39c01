// A semaphore with a fair queue. Waiting calls get permits in turn by caller, the calls of each caller in order. If the queue is
// full, the last call of the caller with the most waiting calls is refused. So a caller that sends a hundred times as much as
// another waits a hundred times as long, and the other does not.
import { isAnybody } from '../call/caller.ts';
import type { ExecutionContext } from '../call/execution-context.ts';
import { GatewayError } from '../errors.ts';
import { type AbortListener, addAbortListener, removeAbortListener } from '../event-loop/abort-listeners.ts';
import type { PermitShare, PermitUser } from './shared-permits.ts';

export interface SemaphoreRules {
  readonly concurrent: number;
  readonly queue: number;
  readonly waitSeconds: number;
}

/** The parts of a call that waiting needs. */
export type WaitingCall = Pick<ExecutionContext, 'label' | 'signal' | 'deadline'>;

/** `full`: the queue was full. `waited`: the call waited in the queue, and no permit was released in time. */
export type BusyReason = 'full' | 'waited';

/** Takes a token of the rate limiter. 0: the call may begin. More: milliseconds until one may. */
export type TakeToken = () => number | Promise<number>;

/** The calls of one caller. */
interface CallerCalls {
  running: number;
  readonly queue: Waiter[];
  isRecent: boolean;
  /** All callers share this identity (`anonymous`, `local`), so it may use all permits. */
  readonly isAnybody: boolean;
}

/** A caller without a call for this long is forgotten. */
const CALLER_TTL_MS = 60_000;

/** Opens this process's part of permits that several processes have in common. */
export type OpenShare = (user: PermitUser, total: number) => PermitShare;

export class FairSemaphore implements PermitUser {
  #rules: SemaphoreRules;
  readonly #refuse: (why: BusyReason, call: WaitingCall) => GatewayError;
  readonly #takeToken: TakeToken | undefined;
  readonly #openShare: OpenShare | undefined;
  #share: PermitShare | undefined;
  readonly #callers = new Map<string, CallerCalls>();
  /** Callers with waiting calls. The first one gets the next permit, and then goes to the end. */
  readonly #turns: CallerCalls[] = [];
  #running = 0;
  #waiting = 0;
  /** Calls for which a token has been requested. They begin when it is granted. */
  #takingToken = 0;
  /** Calls for which another shared permit was requested: they wait, but do not count as queued yet. */
  #growing = 0;
  #tokenTimer: NodeJS.Timeout | undefined;
  #sweepTimer: NodeJS.Timeout | undefined;

  constructor(
    rules: SemaphoreRules,
    refuse: (why: BusyReason, call: WaitingCall) => GatewayError,
    takeToken?: TakeToken,
    openShare?: OpenShare,
  ) {
    this.#rules = rules;
    this.#refuse = refuse;
    this.#takeToken = takeToken;
    this.#openShare = openShare;
    this.#share = openShare?.(this, rules.concurrent);
  }

  /** Changes the rules. Calls that already run or wait are not affected. */
  setRules(rules: SemaphoreRules): void {
    const before = this.#rules.concurrent;
    this.#rules = rules;
    if (this.#openShare === undefined || before === rules.concurrent) return;
    this.close();
    this.#share = this.#openShare(this, rules.concurrent);
  }

  /** Call it when no more calls will come. Returns this process's part of shared permits to the others. */
  close(): void {
    this.#share?.close();
  }

  /** How many calls may run in this process at once. */
  get #permits(): number {
    return this.#share === undefined ? this.#rules.concurrent : this.#share.permits;
  }

  get #queued(): number {
    return this.#waiting - this.#takingToken - this.#growing;
  }

  get rules(): SemaphoreRules {
    return this.#rules;
  }

  get running(): number {
    return this.#running;
  }

  get waiting(): number {
    return this.#waiting;
  }

  /**
   * Returns undefined if the call has a permit, or a promise to wait for. Throws or rejects if the call is refused.
   * Otherwise release() must follow.
   */
  acquire(callerId: string, call: WaitingCall): Promise<void> | undefined {
    const caller = this.#callers.get(callerId) ?? this.#addCaller(callerId);
    caller.isRecent = true;
    return this.#takeToken === undefined
      ? this.#enterFreely(caller, call)
      : this.#enterWithToken(caller, call, this.#takeToken);
  }

  /**
   * Like acquire(), for a call that released its permit for a while. It waits like any other, so that not all of them continue at
   * once. But since it has begun already, neither the rate nor the length of the queue can refuse it.
   */
  reacquire(callerId: string, call: WaitingCall): Promise<void> | undefined {
    return this.#enterFreely(this.#callers.get(callerId) ?? this.#addCaller(callerId), call, true);
  }

  release(callerId: string): void {
    this.#running--;
    const caller = this.#callers.get(callerId);
    if (caller !== undefined) caller.running--;
    this.#share?.giveBack();
    if (this.#waiting > 0) this.admitWaiters();
  }

  #canRun(caller: CallerCalls): boolean {
    return this.#running < this.#permits && this.#isWithinShare(caller);
  }

  /** Counts calls that wait for a token as running. */
  #mustQueue(caller: CallerCalls): boolean {
    return this.#running + this.#takingToken >= this.#permits || !this.#isWithinShare(caller);
  }

  /**
   * A caller with running calls gets another permit only if one permit stays free for every seven of them: alone it gets seven
   * eighths of the permits, two callers get 7/15 each. So a new caller always gets one, even if all calls take long.
   */
  #isWithinShare({ running, isAnybody }: CallerCalls): boolean {
    const permits = this.#permits;
    if (isAnybody || running === 0 || permits < 4) return true;
    return running < 7 * (permits - this.#running - 1);
  }

  #addCaller(callerId: string): CallerCalls {
    const caller: CallerCalls = {
      running: 0,
      queue: [],
      isRecent: true,
      isAnybody: callerId === '' || isAnybody(callerId),
    };
    this.#callers.set(callerId, caller);
    if (this.#callers.size > 1) this.#sweepTimer ??= setTimeout(sweep, CALLER_TTL_MS, this).unref();
    return caller;
  }

  /** Forgets callers that have not called since the last sweep. */
  sweep(): void {
    this.#sweepTimer = undefined;
    for (const [callerId, caller] of this.#callers) {
      if (!caller.isRecent && caller.running === 0 && caller.queue.length === 0) this.#callers.delete(callerId);
      caller.isRecent = false;
    }
    if (this.#callers.size > 1) this.#sweepTimer = setTimeout(sweep, CALLER_TTL_MS, this).unref();
  }

  #enterFreely(caller: CallerCalls, call: WaitingCall, hasBegun = false): Promise<void> | undefined {
    if (this.#waiting > 0 || !this.#canRun(caller)) return this.#wait(caller, call, undefined, hasBegun);
    this.#running++;
    caller.running++;
    return undefined;
  }

  #enterWithToken(caller: CallerCalls, call: WaitingCall, takeToken: TakeToken): Promise<void> | undefined {
    if (this.#mustQueue(caller) || this.#waiting > this.#takingToken || this.#tokenTimer !== undefined)
      return this.#wait(caller, call);
    const waitMs = takeToken();
    if (waitMs === 0) {
      this.#running++;
      caller.running++;
      return undefined;
    }
    if (typeof waitMs === 'number') {
      this.#pause(waitMs);
      return this.#wait(caller, call);
    }
    this.#awaitToken(waitMs);
    return this.#wait(caller, call, waitMs);
  }

  /** If a token was requested (`token`), the waiting time starts when that is answered. */
  #wait(caller: CallerCalls, call: WaitingCall, token?: Promise<unknown>, hasBegun = false): Promise<void> {
    if (call.signal.aborted) throw cancelled(call);
    const growth = token === undefined && this.#mustQueue(caller) ? this.#share?.grow() : undefined;
    // A call that only waits for a token, or for another shared permit, is not queued yet.
    if (!hasBegun && growth === undefined && this.#queued >= this.#rules.queue) this.#shortenQueue(caller, call);
    const waiting = new Promise<void>((resolve, reject) => {
      const waiter = new Waiter(this, caller, call, resolve, reject);
      const begin = () => waiter.begin(Math.min(this.#rules.waitSeconds * 1_000, call.deadline - performance.now()));
      if (growth !== undefined) this.#growFor(growth, waiter, begin, hasBegun);
      else if (token === undefined) begin();
      else void token.then(begin);
      if (caller.queue.push(waiter) === 1) this.#turns.push(caller);
      this.#waiting++;
    });
    // Earlier calls may only wait because of their caller's share, so this one may get a permit at once.
    if (token === undefined) this.admitWaiters();
    return waiting;
  }

  /** If no shared permit is granted, the waiting time starts, provided that the queue is not full. */
  #growFor(growth: Promise<void>, waiter: Waiter, begin: () => void, hasBegun: boolean): void {
    this.#growing++;
    void growth.then(() => {
      this.#growing--;
      if (waiter.isOver) return;
      if (!hasBegun && this.#queued > this.#rules.queue) {
        const longest = this.#longestQueue(waiter.caller);
        const last = longest.queue.length > waiter.caller.queue.length ? longest.queue.at(-1)! : waiter;
        this.remove(last, this.#refuse('full', last.call));
        if (last === waiter) return;
      }
      begin();
    });
  }

  #longestQueue(caller: CallerCalls): CallerCalls {
    let longest = caller;
    for (const other of this.#turns) if (other.queue.length > longest.queue.length) longest = other;
    return longest;
  }

  /**
   * Refuses the last call of the caller with the longest queue, if that queue is longer than this caller's would be. Otherwise
   * it refuses the new call.
   */
  #shortenQueue(caller: CallerCalls, call: WaitingCall): void {
    const longest = this.#longestQueue(caller);
    if (longest.queue.length <= caller.queue.length + 1) throw this.#refuse('full', call);
    const last = longest.queue.at(-1)!;
    this.remove(last, this.#refuse('full', last.call));
  }

  /** Gives free permits to waiting calls. */
  admitWaiters(): void {
    while (this.#tokenTimer === undefined && this.#running + this.#takingToken < this.#permits) {
      if (this.#takingToken >= this.#waiting) return;
      const caller = this.#nextCaller();
      if (caller === undefined) return;
      const waitMs = this.#takeToken?.() ?? 0;
      if (typeof waitMs !== 'number') this.#awaitToken(waitMs);
      else if (waitMs > 0) this.#pause(waitMs);
      else this.#begin(caller);
    }
  }

  /** The first caller in turn that has not reached its share. */
  #nextCaller(): CallerCalls | undefined {
    return this.#turns.find((caller) => this.#isWithinShare(caller));
  }

  #begin(caller: CallerCalls): void {
    const waiter = caller.queue.shift()!;
    this.#leaveQueue();
    this.#turns.splice(this.#turns.indexOf(caller), 1);
    if (caller.queue.length > 0) this.#turns.push(caller);
    this.#running++;
    caller.running++;
    waiter.end();
    waiter.resolve();
  }

  #awaitToken(token: Promise<number>): void {
    this.#takingToken++;
    void token.then((waitMs) => {
      this.#takingToken--;
      if (waitMs > 0) return this.#pause(waitMs);
      const caller = this.#running < this.#permits ? this.#nextCaller() : undefined;
      if (caller !== undefined) this.#begin(caller);
      this.admitWaiters();
    });
  }

  #pause(waitMs: number): void {
    this.#tokenTimer ??= setTimeout(resumeAdmission, Math.ceil(waitMs), this);
  }

  /** The next token is due. */
  resumeAdmission(): void {
    this.#tokenTimer = undefined;
    this.admitWaiters();
  }

  remove(waiter: Waiter, error: GatewayError): void {
    const { caller } = waiter;
    caller.queue.splice(caller.queue.indexOf(waiter), 1);
    if (caller.queue.length === 0) this.#turns.splice(this.#turns.indexOf(caller), 1);
    this.#leaveQueue();
    waiter.end();
    waiter.reject(error);
  }

  #leaveQueue(): void {
    if (--this.#waiting === 0) this.#share?.withdraw();
  }

  expire(waiter: Waiter): void {
    this.remove(waiter, this.#refuse('waited', waiter.call));
  }
}

/** A call in the queue. It leaves once: with a permit, refused, cancelled or too late. */
class Waiter implements AbortListener {
  readonly caller: CallerCalls;
  readonly call: WaitingCall;
  readonly resolve: () => void;
  readonly reject: (error: GatewayError) => void;
  readonly #semaphore: FairSemaphore;
  #timer: NodeJS.Timeout | undefined;
  isOver = false;
  index = 0;

  constructor(
    semaphore: FairSemaphore,
    caller: CallerCalls,
    call: WaitingCall,
    resolve: () => void,
    reject: (error: GatewayError) => void,
  ) {
    this.#semaphore = semaphore;
    this.caller = caller;
    this.call = call;
    this.resolve = resolve;
    this.reject = reject;
    addAbortListener(call.signal, this);
  }

  begin(waitMs: number): void {
    if (!this.isOver) this.#timer = setTimeout(expire, Math.max(0, waitMs), this.#semaphore, this);
  }

  /** The caller cancelled the call or disconnected. */
  handleEvent(): void {
    if (!this.isOver) this.#semaphore.remove(this, cancelled(this.call));
  }

  end(): void {
    this.isOver = true;
    clearTimeout(this.#timer);
    removeAbortListener(this.call.signal, this);
  }
}

function cancelled({ label }: WaitingCall): GatewayError {
  return new GatewayError('CANCELLED', `${label} was cancelled by the caller.`, { tool: label });
}

function expire(semaphore: FairSemaphore, waiter: Waiter): void {
  semaphore.expire(waiter);
}

function resumeAdmission(semaphore: FairSemaphore): void {
  semaphore.resumeAdmission();
}

function sweep(semaphore: FairSemaphore): void {
  semaphore.sweep();
}
