// Flags of V8 that the program sets for itself: functions are optimised late while it starts, and the heap grows slowly while it
// serves. Flags belong to the whole process, so only our own program sets them, never the gateway as a library.
import { setFlagsFromString } from 'node:v8';

/** The process whose flags are set. */
interface V8Host {
  readonly nodeVersion: string;
  readonly execArgv: readonly string[];
  readonly setFlags: (flags: string) => void;
}

const THIS_PROCESS: V8Host = {
  nodeVersion: process.versions.node,
  execArgv: process.execArgv,
  setFlags: setFlagsFromString,
};

/**
 * Flags that the operator set are left alone. Call it after everything is loaded: V8 rejects compiled code from the cache that was
 * made under other flags, both Node's own modules (25 ms of processor time more at the start with a small document) and ours.
 */
function setFlag(name: string, value: number, { execArgv, setFlags }: V8Host): void {
  const option = `--${name}`;
  const isSetByOperator = execArgv.some((argument) => argument.replaceAll('_', '-').split('=')[0] === option);
  if (!isSetByOperator) setFlags(`${option}=${value}`);
}

/** A flag of V8 that decides when a function is optimised, and its two values. */
interface OptimizingThreshold {
  readonly flag: string;
  readonly atStart: number;
  /** V8's own. */
  readonly usual: number;
}

/**
 * A start runs much code, but little of it for long, so most optimised code comes too late to pay off.
 * GitHub's 1,223 operations imported, processor time of all threads: as one tool each 2,370 → 1,630 ms on Node.js 20 and 2,050 → 1,560
 * on 22; by search 1,000 → 720 and 960 → 720 (medians of 5 to 7 interleaved starts). From 24 on V8 has a cheaper compiler in between,
 * and nothing is gained.
 */
const THRESHOLDS: Readonly<Record<string, OptimizingThreshold>> = {
  // Bytes of bytecode that a function runs through.
  20: { flag: 'interrupt-budget', atStart: 300_000, usual: 67_584 },
  // Calls of a function.
  22: { flag: 'invocation-count-for-turbofan', atStart: 15_000, usual: 3000 },
};

/** V8 reads the flag when a function has used up its budget, so it may be set at any time. */
export const optimizeLate = (host = THIS_PROCESS): void => setThreshold('atStart', host);

/** From here on functions are optimised as V8 does by default. */
export const optimizeAsUsual = (host = THIS_PROCESS): void => setThreshold('usual', host);

function setThreshold(phase: 'atStart' | 'usual', host: V8Host): void {
  const threshold = THRESHOLDS[host.nodeVersion.split('.')[0]!];
  if (threshold !== undefined) setFlag(threshold.flag, threshold[phase], host);
}

/**
 * How far the heap grows between two full collections, in percent of what the last one left. Collections of young objects move what
 * calls in progress hold into the old generation, where it soon is garbage, and by default V8 lets that pile up. A gateway of ten
 * operations under load had at most 178 MB resident, and 123 with this flag (28 interleaved samples of each on a busy machine, some
 * 1,000 calls a second, Node.js 20). Processor time per call differed by -5 to +12 % in both directions, which is the noise of that
 * machine: a cost of a few percent is not excluded. 20 percent gave the same memory as 50.
 */
const HEAP_GROWTH_PERCENT = 50;

/** V8 reads the flag after each collection, so it may be set at any time. */
export const limitHeapGrowth = (host = THIS_PROCESS): void =>
  setFlag('heap-growing-percent', HEAP_GROWTH_PERCENT, host);
