// Limits concurrent calls, with a queue. Waiting calls are served in turn by caller, the calls of each caller in order; if the
// queue is full, the last call of the caller with the most waiting calls is dropped. So a caller that sends a hundred times as
// much as another waits a hundred times as long, and the other does not.
import { isAnybody } from '../call/caller.ts';
import { type Companion, part, stayWith } from '../call/departure.ts';
import type { ExecutionContext } from '../call/execution-context.ts';
import { GatewayError } from '../errors.ts';
import type { RoomShare, RoomUser } from './room.ts';

export interface SlotRules {
  readonly concurrent: number;
  readonly queue: number;
  readonly waitSeconds: number;
}

/** What waiting needs to know of a call. */
export type WaitingCall = Pick<ExecutionContext, 'label' | 'signal' | 'deadline'>;

/** `full`: there was no place in the queue. `waited`: there was, but no room in time. */
export type BusyReason = 'full' | 'waited';

/** How often calls may begin. 0: now. More: milliseconds until one may. */
export type Pace = () => number | Promise<number>;

interface Guest {
  running: number;
  readonly queue: Waiter[];
  isRecent: boolean;
  /** All callers share this identity (`anonymous`, `local`), so there is nobody to share with. */
  readonly isAnybody: boolean;
}

/** After a minute without a call a caller is forgotten. */
const GUEST_MS = 60_000;

/** Of room that several processes have in common: this one's part. */
export type OpenShare = (user: RoomUser, total: number) => RoomShare;

export class Slots implements RoomUser {
  #rules: SlotRules;
  readonly #refuse: (why: BusyReason, call: WaitingCall) => GatewayError;
  readonly #pace: Pace | undefined;
  readonly #openShare: OpenShare | undefined;
  #share: RoomShare | undefined;
  readonly #guests = new Map<string, Guest>();
  /** Guests whose calls wait, the next one to be served first. */
  readonly #ring: Guest[] = [];
  #running = 0;
  #waiting = 0;
  /** Calls for which the pace has been asked, and that begin when it answers. */
  #asking = 0;
  /** Calls for which another shared place was requested: they wait, but do not count as queued yet. */
  #growing = 0;
  #pacing: NodeJS.Timeout | undefined;
  #sweeping: NodeJS.Timeout | undefined;

  constructor(
    rules: SlotRules,
    refuse: (why: BusyReason, call: WaitingCall) => GatewayError,
    pace?: Pace,
    openShare?: OpenShare,
  ) {
    this.#rules = rules;
    this.#refuse = refuse;
    this.#pace = pace;
    this.#openShare = openShare;
    this.#share = openShare?.(this, rules.concurrent);
  }

  /** Other rules from now on. What runs and waits already stays. */
  adopt(rules: SlotRules): void {
    const before = this.#rules.concurrent;
    this.#rules = rules;
    if (this.#openShare === undefined || before === rules.concurrent) return;
    this.close();
    this.#share = this.#openShare(this, rules.concurrent);
  }

  /** Nobody comes any more. */
  close(): void {
    this.#share?.close();
  }

  /** How many calls may run here at once. */
  get #places(): number {
    return this.#share === undefined ? this.#rules.concurrent : this.#share.places;
  }

  get #queued(): number {
    return this.#waiting - this.#asking - this.#growing;
  }

  get rules(): SlotRules {
    return this.#rules;
  }

  get running(): number {
    return this.#running;
  }

  get waiting(): number {
    return this.#waiting;
  }

  /** Undefined: there is room, go on. A promise: wait for it. Throws or rejects where there is none. leave() must follow. */
  enter(who: string, call: WaitingCall): Promise<void> | undefined {
    const guest = this.#guests.get(who) ?? this.#meet(who);
    guest.isRecent = true;
    return this.#pace === undefined ? this.#enterFree(guest, call) : this.#enterPaced(guest, call, this.#pace);
  }

  /**
   * Like enter(), for a call that released its place for a while. It waits like any other, so that not all of them continue at
   * once; but since it has begun already, neither the pace nor the length of the queue can refuse it.
   */
  resume(who: string, call: WaitingCall): Promise<void> | undefined {
    return this.#enterFree(this.#guests.get(who) ?? this.#meet(who), call, true);
  }

  leave(who: string): void {
    this.#running--;
    const guest = this.#guests.get(who);
    if (guest !== undefined) guest.running--;
    this.#share?.giveBack();
    if (this.#waiting > 0) this.serve();
  }

  #hasRoom(guest: Guest): boolean {
    return this.#running < this.#places && this.#mayHaveMore(guest);
  }

  /** Like hasRoom(), counting the calls that begin as soon as the pace answers. */
  #isCrowded(guest: Guest): boolean {
    return this.#running + this.#asking >= this.#places || !this.#mayHaveMore(guest);
  }

  /**
   * A caller with running calls gets another place only if one place stays free for every seven of them: alone it gets seven
   * eighths of the room, two get 7/15 each. So a new caller always finds room, even if all calls take long.
   */
  #mayHaveMore({ running, isAnybody }: Guest): boolean {
    const places = this.#places;
    if (isAnybody || running === 0 || places < 4) return true;
    return running < 7 * (places - this.#running - 1);
  }

  #meet(who: string): Guest {
    const guest: Guest = { running: 0, queue: [], isRecent: true, isAnybody: who === '' || isAnybody(who) };
    this.#guests.set(who, guest);
    if (this.#guests.size > 1) this.#sweeping ??= setTimeout(sweep, GUEST_MS, this).unref();
    return guest;
  }

  /** Forgets who has not called since the last time. */
  sweep(): void {
    this.#sweeping = undefined;
    for (const [who, guest] of this.#guests) {
      if (!guest.isRecent && guest.running === 0 && guest.queue.length === 0) this.#guests.delete(who);
      guest.isRecent = false;
    }
    if (this.#guests.size > 1) this.#sweeping = setTimeout(sweep, GUEST_MS, this).unref();
  }

  #enterFree(guest: Guest, call: WaitingCall, hasBegun = false): Promise<void> | undefined {
    if (this.#waiting > 0 || !this.#hasRoom(guest)) return this.#wait(guest, call, undefined, hasBegun);
    this.#running++;
    guest.running++;
    return undefined;
  }

  #enterPaced(guest: Guest, call: WaitingCall, pace: Pace): Promise<void> | undefined {
    if (this.#isCrowded(guest) || this.#waiting > this.#asking || this.#pacing !== undefined)
      return this.#wait(guest, call);
    const waitMs = pace();
    if (waitMs === 0) {
      this.#running++;
      guest.running++;
      return undefined;
    }
    if (typeof waitMs === 'number') {
      this.#pause(waitMs);
      return this.#wait(guest, call);
    }
    this.#ask(waitMs);
    return this.#wait(guest, call, waitMs);
  }

  /** With `pace`, the waiting time starts when the pace has answered. */
  #wait(guest: Guest, call: WaitingCall, pace?: Promise<unknown>, hasBegun = false): Promise<void> {
    if (call.signal.aborted) throw cancelled(call);
    const growth = pace === undefined && this.#isCrowded(guest) ? this.#share?.grow() : undefined;
    // A call that only waits for the answer of the pace, or for another shared place, is not queued yet.
    if (!hasBegun && growth === undefined && this.#queued >= this.#rules.queue) this.#makeRoom(guest, call);
    const waiting = new Promise<void>((resolve, reject) => {
      const waiter = new Waiter(this, guest, call, resolve, reject);
      const begin = () => waiter.begin(Math.min(this.#rules.waitSeconds * 1_000, call.deadline - performance.now()));
      if (growth !== undefined) this.#growFor(growth, waiter, begin, hasBegun);
      else if (pace === undefined) begin();
      else void pace.then(begin);
      if (guest.queue.push(waiter) === 1) this.#ring.push(guest);
      this.#waiting++;
    });
    // Earlier calls may be held back by their caller's share and leave room for this one.
    if (pace === undefined) this.serve();
    return waiting;
  }

  /** If no place was granted, the waiting starts: in the queue, if that has room. */
  #growFor(growth: Promise<void>, waiter: Waiter, begin: () => void, hasBegun: boolean): void {
    this.#growing++;
    void growth.then(() => {
      this.#growing--;
      if (waiter.isOver) return;
      if (!hasBegun && this.#queued > this.#rules.queue) {
        const longest = this.#longestQueue(waiter.guest);
        const last = longest.queue.length > waiter.guest.queue.length ? longest.queue.at(-1)! : waiter;
        this.remove(last, this.#refuse('full', last.call));
        if (last === waiter) return;
      }
      begin();
    });
  }

  #longestQueue(guest: Guest): Guest {
    let longest = guest;
    for (const other of this.#ring) if (other.queue.length > longest.queue.length) longest = other;
    return longest;
  }

  /**
   * Drops the last call of the caller with the longest queue, if that is longer than this caller's would be; otherwise refuses
   * the new one.
   */
  #makeRoom(guest: Guest, call: WaitingCall): void {
    const longest = this.#longestQueue(guest);
    if (longest.queue.length <= guest.queue.length + 1) throw this.#refuse('full', call);
    const last = longest.queue.at(-1)!;
    this.remove(last, this.#refuse('full', last.call));
  }

  /** Lets those begin who may. */
  serve(): void {
    while (this.#pacing === undefined && this.#running + this.#asking < this.#places) {
      if (this.#asking >= this.#waiting) return;
      const guest = this.#nextGuest();
      if (guest === undefined) return;
      const waitMs = this.#pace?.() ?? 0;
      if (typeof waitMs !== 'number') this.#ask(waitMs);
      else if (waitMs > 0) this.#pause(waitMs);
      else this.#begin(guest);
    }
  }

  /** The first caller in the ring that has not reached its share. */
  #nextGuest(): Guest | undefined {
    return this.#ring.find((guest) => this.#mayHaveMore(guest));
  }

  #begin(guest: Guest): void {
    const waiter = guest.queue.shift()!;
    this.#leaveQueue();
    this.#ring.splice(this.#ring.indexOf(guest), 1);
    if (guest.queue.length > 0) this.#ring.push(guest);
    this.#running++;
    guest.running++;
    waiter.end();
    waiter.resolve();
  }

  #ask(pace: Promise<number>): void {
    this.#asking++;
    void pace.then((waitMs) => {
      this.#asking--;
      if (waitMs > 0) return this.#pause(waitMs);
      const guest = this.#running < this.#places ? this.#nextGuest() : undefined;
      if (guest !== undefined) this.#begin(guest);
      this.serve();
    });
  }

  #pause(waitMs: number): void {
    this.#pacing ??= setTimeout(resume, Math.ceil(waitMs), this);
  }

  goOn(): void {
    this.#pacing = undefined;
    this.serve();
  }

  remove(waiter: Waiter, error: GatewayError): void {
    const { guest } = waiter;
    guest.queue.splice(guest.queue.indexOf(waiter), 1);
    if (guest.queue.length === 0) this.#ring.splice(this.#ring.indexOf(guest), 1);
    this.#leaveQueue();
    waiter.end();
    waiter.reject(error);
  }

  #leaveQueue(): void {
    if (--this.#waiting === 0) this.#share?.enough();
  }

  expire(waiter: Waiter): void {
    this.remove(waiter, this.#refuse('waited', waiter.call));
  }
}

/** One call in a queue. It leaves once: served, refused, cancelled or too late. */
class Waiter implements Companion {
  readonly guest: Guest;
  readonly call: WaitingCall;
  readonly resolve: () => void;
  readonly reject: (error: GatewayError) => void;
  readonly #slots: Slots;
  #timer: NodeJS.Timeout | undefined;
  isOver = false;
  place = 0;

  constructor(
    slots: Slots,
    guest: Guest,
    call: WaitingCall,
    resolve: () => void,
    reject: (error: GatewayError) => void,
  ) {
    this.#slots = slots;
    this.guest = guest;
    this.call = call;
    this.resolve = resolve;
    this.reject = reject;
    stayWith(call.signal, this);
  }

  begin(waitMs: number): void {
    if (!this.isOver) this.#timer = setTimeout(expire, Math.max(0, waitMs), this.#slots, this);
  }

  /** The caller left. */
  handleEvent(): void {
    if (!this.isOver) this.#slots.remove(this, cancelled(this.call));
  }

  end(): void {
    this.isOver = true;
    clearTimeout(this.#timer);
    part(this.call.signal, this);
  }
}

function cancelled({ label }: WaitingCall): GatewayError {
  return new GatewayError('CANCELLED', `${label} was cancelled by the caller.`, { tool: label });
}

function expire(slots: Slots, waiter: Waiter): void {
  slots.expire(waiter);
}

function resume(slots: Slots): void {
  slots.goOn();
}

function sweep(slots: Slots): void {
  slots.sweep();
}
