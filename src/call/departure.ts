// Notices that a caller leaves while its call is in progress. A signal that serves many calls (that of an HTTP connection, or of all
// legacy calls over HTTP) gets one listener for all of them: adding and removing one per call took 2 µs of every call, and node
// compares a new listener with all that are there.

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

  handleEvent(): void {
    for (const one of this.#companions.splice(0)) one.handleEvent();
  }
}

const companies = new WeakMap<AbortSignal, Company>();

/** Call it once for a signal that many calls will wait for; from then on it has a single listener. */
export function shareSignal(signal: AbortSignal): void {
  const company = new Company();
  companies.set(signal, company);
  signal.addEventListener('abort', company);
}

/** Every `stayWith` needs a `part`, unless the caller leaves first. */
export function stayWith(signal: AbortSignal, one: Companion): void {
  const company = companies.get(signal);
  if (company === undefined) signal.addEventListener('abort', one);
  else company.add(one);
}

export function part(signal: AbortSignal, one: Companion): void {
  const company = companies.get(signal);
  if (company === undefined) signal.removeEventListener('abort', one);
  else company.remove(one);
}
