// Turns of the event loop, for work that takes milliseconds: large messages, large answers, queues of lines. Fifty of them may
// become ready at the same moment; one runs per turn, and between two of them everybody else is served.

/** What is smaller is done within a fraction of a millisecond, and does not wait for a turn. */
export const MAX_UNQUEUED_BYTES = 16 * 1024;

const waiting: (() => void)[] = [];

/** Calls `work` in a turn of its own, after whoever asked before. */
export function queueTurn(work: () => void): void {
  if (waiting.push(work) === 1) setImmediate(takeTurn);
}

/** Resolves in a turn of its own: what follows the await runs alone in it. */
export function nextTurn(): Promise<void> {
  return new Promise(queueTurn);
}

function takeTurn(): void {
  // Left in place while it runs: whoever asks meanwhile finds that somebody is waiting.
  const work = waiting[0] as () => void;
  try {
    work();
  } finally {
    waiting.shift();
    if (waiting.length > 0) setImmediate(takeTurn);
  }
}
