// How much is under way in this process, and waiting for its end. Requests that only wait for their client are no load, but
// still not over.
import { isAnybody } from '../call/caller.ts';

/** How much a transport carries at the moment. */
export interface TransportLoad {
  readonly connections: number;
  /** Requests under way. */
  readonly underWay: number;
  /** HTTP only: requests that only wait for their client, and answers that are open event streams. */
  readonly parked?: number;
  readonly streams?: number;
}

export interface Load {
  readonly underWay: number;
  readonly parked: number;
  readonly streams: number;
  /**
   * Whether a caller may have one more request if there is room for `max`. It gets another only while a place stays free for
   * every three of its requests, so that other callers always find room.
   */
  hasRoom(caller: string, max: number): boolean;
  /** `caller`: where it is known. */
  enter(caller?: string): void;
  leave(caller?: string): void;
  /** Says that a request is waiting for its client; the returned function undoes that. */
  park(caller?: string): () => void;
  /** An answer has become an event stream; to be called back when that is over. */
  beginStream(): () => void;
  /** Resolves when nothing is left, not even what waits. */
  idle(): Promise<void>;
}

export function createLoad(): Load {
  let underWay = 0;
  let parkedCount = 0;
  let streams = 0;
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
    get parked() {
      return parkedCount;
    },
    get streams() {
      return streams;
    },
    beginStream: () => {
      streams++;
      return () => {
        streams--;
      };
    },
    hasRoom: (caller, max) =>
      underWay < max && (isAnybody(caller) || (callers.get(caller) ?? 0) < 3 * (max - underWay)),
    enter: (caller) => add(caller, 1),
    leave: (caller) => {
      add(caller, -1);
      if (underWay + parkedCount === 0) wake();
    },
    park: (caller) => {
      add(caller, -1);
      parkedCount++;
      return () => {
        add(caller, 1);
        parkedCount--;
      };
    },
    idle: () =>
      new Promise<void>((resolve) => {
        wake = resolve;
        if (underWay + parkedCount === 0) resolve();
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

/** Whether `work` was done within this time. Shutdown must not depend on the other side. */
export async function within(ms: number, work: Promise<unknown>): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<boolean>((resolve) => {
    timer = setTimeout(resolve, ms, false);
  });
  const isDone = await Promise.race([work.then(() => true), late]);
  clearTimeout(timer);
  return isDone;
}
