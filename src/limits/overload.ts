// Decides whether this process is overloaded. It samples event-loop delay and heap a few times a second. Beyond a threshold, new
// calls are shed until the load is well below the threshold again. Short pauses (a start, a garbage collection) do not count: it
// takes a second of bad samples. A loop that is late without being busy does not count either: then other programs use the
// machine, and shedding calls would not help. The heap counts only after a collection, since garbage is not load.
import { type EventLoopUtilization, type IntervalHistogram, monitorEventLoopDelay } from 'node:perf_hooks';
import { getHeapSpaceStatistics, getHeapStatistics, setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

export interface ShedRules {
  readonly eventLoopMs: number;
  readonly heapPercent: number;
}

export const SHED_DEFAULTS: ShedRules = Object.freeze({ eventLoopMs: 200, heapPercent: 92 });
/** From here on the process reports that it is not ready, so that load balancers choose another replica. */
export const UNREADY_HEAP_PERCENT = 95;
/** The value of `Retry-After`. */
export const SHED_RETRY_SECONDS = 2;

/** One sample of the load. */
export interface LoadSample {
  /** How late the loop was while busy; 0 if it was not busy. */
  readonly eventLoopMs: number;
  readonly heapPercent: number;
}

export interface OverloadOptions {
  readonly rules: ShedRules;
  /** Called once per change. */
  readonly onChange: (isShedding: boolean, sample: LoadSample) => void;
  /** Collects garbage, so that the next sample counts only memory in use. */
  readonly collect?: () => void;
}

const SAMPLE_MS = 250;
const RESOLUTION_MS = 20;
const START_MS = 3_000;
const BAD_SAMPLES = 4;
/** A loop that is busy for a smaller part of the time is not the cause of the delay. */
const BUSY = 0.7;
/** Recovery: below half the threshold for a second. */
const GOOD_SAMPLES = 4;
const RECOVERY = 0.5;
/** The heap is good again this many percentage points below the threshold. */
const HEAP_MARGIN = 5;
/** A collection stops the process for a while, so there is a minimum time between two. */
const COLLECT_MS = 5_000;

export class Overload {
  readonly rules: ShedRules;
  readonly #options: OverloadOptions;
  #isShedding = false;
  #heapPercent = 0;
  #bad = 0;
  #good = 0;
  #collectedAt = Number.NEGATIVE_INFINITY;
  #delay: IntervalHistogram | undefined;
  #utilization: EventLoopUtilization | undefined;
  #timer: NodeJS.Timeout | undefined;
  #onDelay: ((lateMs: number) => void) | undefined;

  constructor(options: OverloadOptions) {
    this.rules = options.rules;
    this.#options = options;
  }

  /** True while new calls are refused. */
  get isShedding(): boolean {
    return this.#isShedding;
  }

  get isExhausted(): boolean {
    return this.#heapPercent >= UNREADY_HEAP_PERCENT;
  }

  get heapPercent(): number {
    return this.#heapPercent;
  }

  /** Calls `onDelay` with every sample: how late the loop was, busy or not. */
  reportDelays(onDelay: (lateMs: number) => void): void {
    this.#onDelay = onDelay;
  }

  /** Starts sampling, unless it has started already. Does not keep the process alive. */
  start(): void {
    if (this.#timer !== undefined) return;
    this.#delay = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
    this.#delay.enable();
    this.#arm(START_MS);
  }

  #arm(inMs: number): void {
    this.#timer = setTimeout(() => {
      this.#arm(SAMPLE_MS);
      this.note(this.#sample(), performance.now());
    }, inMs).unref();
  }

  stop(): void {
    clearTimeout(this.#timer);
    this.#delay?.disable();
    this.#timer = undefined;
  }

  #sample(): LoadSample {
    const delay = this.#delay!;
    // Node measures the interval between its own samples: what exceeds the resolution is delay.
    const lateMs = delay.count === 0 ? 0 : Math.max(0, delay.percentile(99) / 1e6 - RESOLUTION_MS);
    delay.reset();
    this.#onDelay?.(lateMs);
    const before = this.#utilization;
    this.#utilization = performance.eventLoopUtilization();
    const isBusy = performance.eventLoopUtilization(this.#utilization, before).utilization >= BUSY;
    const eventLoopMs = isBusy ? lateMs : 0;
    return { eventLoopMs, heapPercent: measureHeap() };
  }

  note(sample: LoadSample, now: number): void {
    const { eventLoopMs, heapPercent } = this.rules;
    const isHeapBad = sample.heapPercent >= heapPercent;
    // Before calls are shed because of the heap, and while they are: otherwise nothing might collect the garbage of finished
    // calls.
    const mustCollect = sample.heapPercent >= (this.#isShedding ? heapPercent - HEAP_MARGIN : heapPercent);
    if (mustCollect && now - this.#collectedAt >= COLLECT_MS) {
      this.#collectedAt = now;
      (this.#options.collect ?? collectGarbage)();
      // The sample was taken before the collection, and the delay it caused is our own: both are dropped.
      this.#delay?.reset();
      return;
    }
    this.#heapPercent = sample.heapPercent;
    const isBad = sample.eventLoopMs >= eventLoopMs || isHeapBad;
    const isGood = sample.eventLoopMs < eventLoopMs * RECOVERY && sample.heapPercent < heapPercent - HEAP_MARGIN;
    this.#bad = isBad ? this.#bad + 1 : 0;
    this.#good = isGood ? this.#good + 1 : 0;
    if (!this.#isShedding && this.#bad >= BAD_SAMPLES) this.#change(true, sample);
    else if (this.#isShedding && this.#good >= GOOD_SAMPLES) this.#change(false, sample);
  }

  #change(isShedding: boolean, sample: LoadSample): void {
    this.#isShedding = isShedding;
    this.#options.onChange(isShedding, sample);
  }
}

/** V8's limit includes the space for young objects, three semi-spaces of 16 MB; long-lived objects must fit into the rest. */
const YOUNG_BYTES = 48 * 1024 * 1024;

/** Percentage of the space for long-lived objects that is in use: the process crashes when it is full. */
function measureHeap(): number {
  const { heap_size_limit } = getHeapStatistics();
  const lasting = getHeapSpaceStatistics().reduce(
    (sum, { space_name, space_used_size }) => (space_name.startsWith('new_') ? sum : sum + space_used_size),
    0,
  );
  return (lasting / Math.max(heap_size_limit - YOUNG_BYTES, heap_size_limit / 2)) * 100;
}

let collector: (() => void) | undefined;

/** `gc` needs a flag, which may be set at any time; contexts created after that have the function. */
function collectGarbage(): void {
  if (collector === undefined) {
    setFlagsFromString('--expose-gc');
    collector = runInNewContext('gc') as () => void;
    setFlagsFromString('--no-expose-gc');
  }
  collector();
}
