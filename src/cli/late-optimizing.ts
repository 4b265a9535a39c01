// When V8 optimises a function: late while the program starts, as usual once it serves.
import { type Host, setFlag, THIS_PROCESS } from './v8-flags.ts';

/** A flag of V8 and its two values. */
interface Threshold {
  readonly flag: string;
  readonly atStart: number;
  /** V8's own. */
  readonly usual: number;
}

/**
 * A start runs through much code and through little of it for long, so that most optimised code comes too late to be worth its price.
 * GitHub's 1,223 operations imported, processor time of all threads: as one tool each 2,370 → 1,630 ms on Node.js 20 and 2,050 → 1,560
 * on 22; by search 1,000 → 720 and 960 → 720 (medians of 5 to 7 interleaved starts). From 24 on a cheaper compiler goes first, and
 * nothing is gained.
 */
const THRESHOLDS: Readonly<Record<string, Threshold>> = {
  // Bytes of bytecode that a function runs through.
  20: { flag: 'interrupt-budget', atStart: 300_000, usual: 67_584 },
  // Calls of a function.
  22: { flag: 'invocation-count-for-turbofan', atStart: 15_000, usual: 3000 },
};

/** V8 looks at the flag when a function has used up what it had, so it may be set at any time. */
export const optimizeLate = (host = THIS_PROCESS): void => setThreshold('atStart', host);

/** Code that first runs after this is optimised as ever. */
export const optimizeAsUsual = (host = THIS_PROCESS): void => setThreshold('usual', host);

function setThreshold(phase: 'atStart' | 'usual', host: Host): void {
  const threshold = THRESHOLDS[host.nodeVersion.split('.')[0]!];
  if (threshold !== undefined) setFlag(threshold.flag, threshold[phase], host);
}
