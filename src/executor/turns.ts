// Turns of the event loop, for work that takes milliseconds: large messages, large answers, queues of lines. Fifty of them may
// become ready at the same moment; one runs per turn, and between two of them everybody else is served.

/** What is smaller is done within a millisecond or two, and does not wait for a turn: messages, and answers of an API. */
export const MAX_UNQUEUED_MESSAGE = 4 * 1024;
export const MAX_UNQUEUED_ANSWER = 16 * 1024;

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
