// How much is under way in this process, and waiting for its end. Requests that only wait for their client are no load, but
// still not over.
import { isAnybody } from '../call/caller.ts';

export interface Load {
  readonly underWay: number;
  /**
   * Whether there is room for one more of a caller, where there is room for `max`. It gets more only while three of its
   * requests leave one free, so that however many take all they can, another finds room.
   */
  hasRoom(caller: string, max: number): boolean;
  /** `caller`: where it is known. */
  enter(caller?: string): void;
  leave(caller?: string): void;
  /** Says that a request waits for its client; the function returned takes that back. */
  park(caller?: string): () => void;
  /** Resolves when nothing is left, not even what waits. */
  idle(): Promise<void>;
}

export function createLoad(): Load {
  let underWay = 0;
  let parked = 0;
  const callers = new Map<string, number>();
  let wake = () => {};
  const add = (caller: string | undefined, more: 1 | -1) => {
    underWay += more;
    if (caller === undefined) return;
    const own = (callers.get(caller) ?? 0) + more;
    if (own > 0) callers.set(caller, own);
    else callers.delete(caller);
  };
  return {
    get underWay() {
      return underWay;
    },
    hasRoom: (caller, max) =>
      underWay < max && (isAnybody(caller) || (callers.get(caller) ?? 0) < 3 * (max - underWay)),
    enter: (caller) => add(caller, 1),
    leave: (caller) => {
      add(caller, -1);
      if (underWay + parked === 0) wake();
    },
    park: (caller) => {
      add(caller, -1);
      parked++;
      return () => {
        add(caller, 1);
        parked--;
      };
    },
    idle: () =>
      new Promise<void>((resolve) => {
        wake = resolve;
        if (underWay + parked === 0) resolve();
      }),
  };
}

/** One request may ask its client several things at once; it waits from the first question to the last answer. */
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

/** Resolves when `done` does, or after `ms`, whichever is first: shutdown must not depend on anybody's good will. */
export async function within(ms: number, done: Promise<unknown>): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, ms);
  });
  await Promise.race([done, late]);
  clearTimeout(timer);
}
