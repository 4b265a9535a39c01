// The requests in progress in this process. Requests that only wait for their client are parked: they do not count as
// load, but are not finished.
import { isAnybody } from '../call/caller.ts';

/** The current load of a transport. */
export interface TransportLoad {
  readonly connections: number;
  /** Requests in progress, without parked ones. */
  readonly underWay: number;
  /** HTTP only: requests that wait for their client, and answers that are open event streams. */
  readonly parked?: number;
  readonly streams?: number;
}

export class RequestLoad {
  #underWay = 0;
  #parked = 0;
  #streams = 0;
  readonly #callers = new Map<string, number>();
  #onIdle = () => {};

  get underWay(): number {
    return this.#underWay;
  }

  get parked(): number {
    return this.#parked;
  }

  get streams(): number {
    return this.#streams;
  }

  /**
   * Whether a caller may have one more request if there are `max` places. A caller may have at most three requests for
   * every free place, so that other callers always find one.
   */
  hasRoom(caller: string, max: number): boolean {
    if (this.#underWay >= max) return false;
    return isAnybody(caller) || (this.#callers.get(caller) ?? 0) < 3 * (max - this.#underWay);
  }

  /** `caller`: undefined while it is not known. leave() must follow, with the same caller. */
  enter(caller?: string): void {
    this.#add(caller, 1);
  }

  leave(caller?: string): void {
    this.#add(caller, -1);
    if (this.#underWay + this.#parked === 0) this.#onIdle();
  }

  /** The request waits for its client from now on; the returned function ends that. */
  park(caller?: string): () => void {
    this.#add(caller, -1);
    this.#parked++;
    return () => {
      this.#add(caller, 1);
      this.#parked--;
    };
  }

  /** An answer has become an event stream; the returned function is to be called at its end. */
  beginStream(): () => void {
    this.#streams++;
    return () => {
      this.#streams--;
    };
  }

  /** Resolves when no request is left, not even a parked one. */
  idle(): Promise<void> {
    return new Promise<void>((resolve) => {
      this.#onIdle = resolve;
      if (this.#underWay + this.#parked === 0) resolve();
    });
  }

  #add(caller: string | undefined, more: 1 | -1): void {
    this.#underWay += more;
    if (caller === undefined) return;
    const own = (this.#callers.get(caller) ?? 0) + more;
    if (own > 0) this.#callers.set(caller, own);
    else this.#callers.delete(caller);
  }
}

/** Parks a request once, however many questions it asks its client at the same time: from the first question to the last answer. */
export function createParking(park: () => () => void): () => () => void {
  let open = 0;
  let unpark = () => {};
  return () => {
    if (open++ === 0) unpark = park();
    return () => {
      if (--open === 0) unpark();
    };
  };
}
