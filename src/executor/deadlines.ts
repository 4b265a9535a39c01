// Deadlines of requests in progress, watched by one timer. A timer per call would be created and cleared with every call, and
// almost never fire: that took 1 us of each call.
import { type Listed, Roster } from '../call/roster.ts';

export interface Expiring extends Listed {
  /** On the clock of performance.now(). */
  readonly deadline: number;
  expire(): void;
}

export class Deadlines {
  readonly #open = new Roster<Expiring>();
  #timer: NodeJS.Timeout | undefined;
  /** When the timer goes off: at the first deadline or before. */
  #dueAt = Number.POSITIVE_INFINITY;

  /** remove() must follow, also from within expire(). */
  add(one: Expiring): void {
    this.#open.add(one);
    if (one.deadline < this.#dueAt) this.#arm(one.deadline);
    else if (this.#open.size === 1) this.#timer?.ref();
  }

  remove(one: Expiring): void {
    this.#open.remove(one);
    // The timer may stay for a while, but must not keep an idle process alive.
    if (this.#open.size === 0) this.#timer?.unref();
  }

  look(): void {
    const now = performance.now();
    const late = this.#open.list().filter(({ deadline }) => deadline <= now);
    for (const one of late) one.expire();
    this.#dueAt = Number.POSITIVE_INFINITY;
    this.#timer = undefined;
    let next = Number.POSITIVE_INFINITY;
    for (const { deadline } of this.#open.list()) if (deadline < next) next = deadline;
    if (next !== Number.POSITIVE_INFINITY) this.#arm(next);
  }

  #arm(dueAt: number): void {
    clearTimeout(this.#timer);
    this.#dueAt = dueAt;
    this.#timer = setTimeout(look, Math.max(0, dueAt - performance.now()), this);
  }
}

function look(deadlines: Deadlines): void {
  deadlines.look();
}
