// Turns of the event loop, for work that may take milliseconds: large messages, large answers, queues of lines, requests that
// did not wait for each other, an index over a catalog. Fifty of them may become ready at the same moment; they are done one after the other, a few
// milliseconds in a turn, and between two turns everybody else is served.

/** What is smaller is done within a millisecond or two, and does not wait for a turn: messages, and answers of an API. */
export const MAX_UNQUEUED_MESSAGE = 4 * 1024;
export const MAX_UNQUEUED_ANSWER = 16 * 1024;

/** No further work is begun in a turn that has taken so long already. */
const TURN_MS = 4;

const waiting: (() => void)[] = [];

/** What is done as it comes, of all connections together, before the next turn: one socket may be read 32 times in between. */
const UNQUEUED_MS = 10;

let unqueuedUntil: number | undefined;

/** Whether there is time left before the next turn for what is small and done as it comes; what is not must queue. */
export function hasTimeLeft(): boolean {
  const now = performance.now();
  if (unqueuedUntil !== undefined) return now < unqueuedUntil;
  unqueuedUntil = now + UNQUEUED_MS;
  setImmediate(beginAnew);
  return true;
}

function beginAnew(): void {
  unqueuedUntil = undefined;
}

/** Calls `work`, which must not throw, after whoever asked before. */
export function queueTurn(work: () => void): void {
  if (waiting.push(work) === 1) setImmediate(takeTurn);
}

/** What `work` returns, done in a turn. */
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
 * What work that comes in steps ends with, as many of them in a turn as fit: each takes a millisecond or two, all together
 * may take a second. Begins at once where there is time left, so that short work waits for nobody.
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
  let done = 0;
  try {
    do waiting[done]!();
    while (++done < waiting.length && performance.now() < until);
  } finally {
    // Left in place until now: whoever asked meanwhile found that a turn was coming. One that threw is not begun again.
    waiting.splice(0, Math.max(done, 1));
    if (waiting.length > 0) setImmediate(takeTurn);
  }
}
