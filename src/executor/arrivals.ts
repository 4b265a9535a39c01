// Answers of APIs that arrive in one turn of the event loop, passed on together when all sockets have been read: turns.ts says why.
// They do not wait for the same promise as requests, which have other work to be done: mixed with them, a create takes 5 to 10 % more
// processor time.

export interface Arrival {
  /** Must not throw. */
  passOn(): void;
}

export class Arrivals {
  #arrivals: Arrival[] = [];

  add(one: Arrival): void {
    if (this.#arrivals.push(one) === 1) setImmediate(passOn, this);
  }

  passOn(): void {
    const arrivals = this.#arrivals;
    this.#arrivals = [];
    for (const one of arrivals) one.passOn();
  }
}

function passOn(arrivals: Arrivals): void {
  arrivals.passOn();
}
