// Notices that a caller leaves while its call is in progress. Whoever aborts a signal that serves many calls tells them itself:
// adding and removing a listener took 2 us of every call, and node compares a new listener with all that are there.
import { setMaxListeners } from 'node:events';

export interface Companion {
  /** Index among those that wait for the same signal; only this file uses it. */
  seat: number;
  /** The caller left. */
  handleEvent(): void;
}

/** As call/roster.ts, of which a companion may be an item at the same time. */
class Company {
  readonly #companions: Companion[] = [];

  add(one: Companion): void {
    one.seat = this.#companions.push(one) - 1;
  }

  remove(one: Companion): void {
    // Nobody is here any more where the caller has left.
    if (this.#companions[one.seat] !== one) return;
    const last = this.#companions.pop()!;
    if (last === one) return;
    this.#companions[one.seat] = last;
    last.seat = one.seat;
  }

  leave(): void {
    for (const one of this.#companions.splice(0)) one.handleEvent();
  }
}

/** Of a shared signal: a property, since looking up a signal in a WeakMap takes a microsecond of every call. */
const SHARED = Symbol('the signal of many calls');

/** As node's own, which it would make anew for each signal, with a stack: that takes 20 us, and connections end all the time. */
const ABORTED = new DOMException('This operation was aborted', 'AbortError');

/** A signal for many calls: those of an HTTP connection, or all legacy calls over HTTP. */
export class SharedSignal {
  readonly company = new Company();
  /** A handler has listened to it; ours do not need to. Asking node for listeners takes a microsecond. */
  wasHeard = false;
  readonly #controller = new AbortController();

  constructor() {
    const { signal } = this;
    (signal as SharedByCalls)[SHARED] = this;
    signal.addEventListener = noteListener;
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  abort(): void {
    this.#controller.abort(ABORTED);
    this.company.leave();
  }
}

type SharedByCalls = AbortSignal & { [SHARED]?: SharedSignal };

function noteListener(this: SharedByCalls, ...args: Parameters<AbortSignal['addEventListener']>): void {
  this[SHARED]!.wasHeard = true;
  // Many calls may listen at once; node would warn of a leak.
  setMaxListeners(0, this);
  AbortSignal.prototype.addEventListener.apply(this, args);
}

/** Every `stayWith` needs a `part`, unless the caller leaves first. */
export function stayWith(signal: AbortSignal, one: Companion): void {
  const owner = (signal as SharedByCalls)[SHARED];
  if (owner === undefined) signal.addEventListener('abort', one);
  else owner.company.add(one);
}

export function part(signal: AbortSignal, one: Companion): void {
  const owner = (signal as SharedByCalls)[SHARED];
  if (owner === undefined) signal.removeEventListener('abort', one);
  else owner.company.remove(one);
}
