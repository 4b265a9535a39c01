// Turns of the event loop, for work that may take milliseconds: large messages, large answers, queues of lines, pipelined requests,
// an index over a catalog. Fifty pieces may become ready at once. They run one after the other, a few milliseconds per turn, and
// other work runs between two turns.

/** Smaller messages, and smaller answers of an API, take a millisecond or two at most and do not wait for a turn. */
export const MAX_UNQUEUED_MESSAGE = 4 * 1024;
export const MAX_UNQUEUED_ANSWER = 16 * 1024;

/** After this time in one turn, no further work is begun. */
const TURN_MS = 4;

let end: Promise<void> | undefined;

/**
 * Resolves when all sockets that have data in this turn of the event loop have been read. Requests, and answers of APIs, are handled
 * then, all together: the kernel and the parsers do their part for every socket first, and our code runs in one go, with its code and
 * data in the caches. With 64 calls in progress, tools/list takes a sixth less processor time, a get a quarter, a paged list of 18 KB
 * a third; a single call is not delayed. It is a promise because work that awaits one stays in its own asynchronous context.
 */
export function turnEnd(): Promise<void> {
  end ??= new Promise((resolve) => {
    setImmediate(() => {
      end = undefined;
      resolve();
    });
  });
  return end;
}

const waiting: (() => void)[] = [];

/** Time for small work of all connections together before the next turn: one socket may be read 32 times in between. */
const UNQUEUED_MS = 10;

let unqueuedUntil: number | undefined;

/** Whether small work may still run before the next turn; if not, it must queue. */
export function hasTimeLeft(): boolean {
  const now = performance.now();
  if (unqueuedUntil !== undefined) return now < unqueuedUntil;
  unqueuedUntil = now + UNQUEUED_MS;
  setImmediate(resetUnqueued);
  return true;
}

function resetUnqueued(): void {
  unqueuedUntil = undefined;
}

/** Calls `work`, which must not throw, after all work that was queued before. */
export function queueTurn(work: () => void): void {
  if (waiting.push(work) === 1) setImmediate(takeTurn);
}

/** Runs `work` in a turn and returns its result. */
export function inTurn<Result>(work: () => Result | Promise<Result>): Promise<Result> {
  return new Promise((resolve, reject) => {
    queueTurn(() => {
      try {
        resolve(work());
      } catch (error) {
        reject(error);
      }
    });
  });
}

/**
 * The result of work that is done in steps, as many per turn as fit: each takes a millisecond or two, all together perhaps a
 * second. Starts at once if there is time left, so that short work does not wait.
 */
export function inSteps<Result>(steps: Generator<void, Result>): Promise<Result> {
  return new Promise((resolve, reject) => {
    const proceed = () => {
      const until = performance.now() + TURN_MS;
      try {
        let step = steps.next();
        while (!step.done && performance.now() < until) step = steps.next();
        if (step.done) resolve(step.value);
        else queueTurn(proceed);
      } catch (error) {
        reject(error);
      }
    };
    if (hasTimeLeft()) proceed();
    else queueTurn(proceed);
  });
}

function takeTurn(): void {
  const until = performance.now() + TURN_MS;
  let count = 0;
  try {
    do waiting[count]!();
    while (++count < waiting.length && performance.now() < until);
  } finally {
    // Removed only now, so that work queued meanwhile does not schedule a second turn. Work that threw is not repeated.
    waiting.splice(0, Math.max(count, 1));
    if (waiting.length > 0) setImmediate(takeTurn);
  }
}
