// When a listening socket may close. Closing resets every connection in the kernel's accept queue, whose request may already have
// been sent; a proxy must not repeat a write, so its client would get an error. Right after the event loop has polled the queue and
// found it empty, nothing can be lost.
import { setTimeout as sleep, setImmediate as untilPolled } from 'node:timers/promises';

/** If no connection arrived for this long, the next one is probably some time away. */
const QUIET_MS = 50;
/** If connections never pause for that long, an empty poll is enough after this time. */
const MAX_QUIET_WAIT_MS = 500;
/** Gives up after this time, even if the queue was never empty. */
const MAX_WAIT_MS = 5_000;
/** Between two polls. A process that never sleeps is preempted by a busy scheduler, possibly right before it closes. */
const POLL_INTERVAL_MS = 3;
/** From a timer to the end of the next poll, an idle event loop takes some 20 µs. */
const EMPTY_POLL_MS = 0.1;

export interface AcceptQueue {
  /** When the last connection was accepted, on the clock of performance.now(). */
  lastAcceptedAt(): number;
  /** Whether further connections wait behind it in this process. */
  hasWaiting?(): boolean;
}

/** Resolves at a moment when the socket may be closed; the caller must close it immediately. */
export async function untilAcceptQueueIsEmpty({
  lastAcceptedAt,
  hasWaiting = () => false,
}: AcceptQueue): Promise<void> {
  const begunAt = performance.now();
  for (let now = begunAt; now - begunAt < MAX_WAIT_MS; ) {
    await sleep(POLL_INTERVAL_MS);
    const pollStart = performance.now();
    await untilPolled();
    now = performance.now();
    const isQuiet = now - Math.max(begunAt, lastAcceptedAt()) >= QUIET_MS || now - begunAt >= MAX_QUIET_WAIT_MS;
    if (isQuiet && lastAcceptedAt() < pollStart && !hasWaiting() && now - pollStart < EMPTY_POLL_MS) return;
  }
}
