// When a listening socket may close. Closing resets every connection in the kernel's accept queue, whose request may already
// have been sent; a proxy must not repeat a write, so its client would get an error. Right after the event loop has polled the
// queue and found it empty, nothing can be lost.
import { setTimeout as sleep, setImmediate as untilLooked } from 'node:timers/promises';

/** No connection for this long: the next one is likely some time away. */
const LULL_MS = 50;
/** If connections never stop for that long, an empty poll is enough after this time. */
const MAX_LULL_WAIT_MS = 500;
/** Gives up after this time, even if the queue was never empty. */
const MAX_WAIT_MS = 5_000;
/** Between two polls. A process that never sleeps is preempted by a busy scheduler, possibly right before it closes. */
const PAUSE_MS = 3;
/** From a timer to the end of the next poll, an idle event loop takes some 20 µs. */
const EMPTY_LOOK_MS = 0.1;

export interface Arrivals {
  /** When the last one was let in, as performance.now() has it. */
  cameAt(): number;
  /** Whether others wait behind it in this process. */
  isCrowded?(): boolean;
}

/** Resolves at a moment when listening may end; the caller must close the socket immediately. */
export async function awaitQuietMoment({ cameAt, isCrowded = () => false }: Arrivals): Promise<void> {
  const begunAt = performance.now();
  for (let now = begunAt; now - begunAt < MAX_WAIT_MS; ) {
    await sleep(PAUSE_MS);
    const lookedAt = performance.now();
    await untilLooked();
    now = performance.now();
    const isLull = now - Math.max(begunAt, cameAt()) >= LULL_MS || now - begunAt >= MAX_LULL_WAIT_MS;
    if (isLull && cameAt() < lookedAt && !isCrowded() && now - lookedAt < EMPTY_LOOK_MS) return;
  }
}
