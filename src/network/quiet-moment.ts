// When a listening socket may close. It resets everybody who stands in the kernel's queue and has perhaps sent its request; a
// proxy may not repeat what is no read, and its client gets an error. Right after a look at the queue that found nobody,
// and before anything else is done, there is none.
import { setTimeout as sleep, setImmediate as untilLooked } from 'node:timers/promises';

/** Nobody came for this long: the next one is some time away. */
const LULL_MS = 50;
/** Where somebody comes all the time, a look that found nobody has to do. */
const MAX_LULL_WAIT_MS = 500;
/** Where even that does not happen, something is wrong that waiting does not cure. */
const MAX_WAIT_MS = 5_000;
/** Between two looks. Who never sleeps is put to sleep by the system, at the worst of moments where it has much to do. */
const PAUSE_MS = 3;
/** From one timer to the end of the look that follows, where nothing is to be done, takes some 20 µs. */
const EMPTY_LOOK_MS = 0.1;

export interface Arrivals {
  /** When the last one was let in, as performance.now() has it. */
  cameAt(): number;
  /** Whether others wait behind it in this process. */
  isCrowded?(): boolean;
}

/** Resolves in the moment in which listening may end: whoever awaits it ends it right then. */
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
