// Is this process about to get slow? Event-loop delay and heap are looked at a few times a second; beyond a line new calls
// are sent away until it is well below it again. A few long pauses (a start, a collection of garbage) are no overload: it takes
// a second of bad looks. Nor is a loop that is late without being busy: then other programs have the machine, and sending
// calls away would not help. A heap counts after a collection only, since garbage is nobody's load.
import { type EventLoopUtilization, type IntervalHistogram, monitorEventLoopDelay } from 'node:perf_hooks';
import { getHeapSpaceStatistics, getHeapStatistics, setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

export interface ShedRules {
  readonly eventLoopMs: number;
  readonly heapPercent: number;
}

export const SHED_DEFAULTS: ShedRules = Object.freeze({ eventLoopMs: 200, heapPercent: 92 });
/** From here on load balancers should look for another replica. */
export const UNREADY_HEAP_PERCENT = 95;
/** What `Retry-After` says. */
export const SHED_RETRY_SECONDS = 2;

/** What one look finds. */
export interface LoadSample {
  /** How late a busy loop was; 0 where it had time. */
  readonly eventLoopMs: number;
  readonly heapPercent: number;
}

export interface OverloadParts {
  readonly rules: ShedRules;
  /** Told once per change. */
  readonly onChange: (isShedding: boolean, sample: LoadSample) => void;
  /** Collects garbage, so that the next look at the heap finds what is really in use. */
  readonly collect?: () => void;
}

const LOOK_MS = 250;
const RESOLUTION_MS = 20;
const START_MS = 3_000;
const BAD_LOOKS = 4;
/** A loop that has work for less of the time is not what is slow. */
const BUSY = 0.7;
/** Half the line, for a second. */
const GOOD_LOOKS = 4;
const RECOVERY = 0.5;
/** Points below the line at which the heap is good again. */
const HEAP_MARGIN = 5;
/** A collection stops everything for a while: no more often than this. */
const COLLECT_MS = 5_000;

export class Overload {
  readonly rules: ShedRules;
  readonly #parts: OverloadParts;
  #isShedding = false;
  #heapPercent = 0;
  #bad = 0;
  #good = 0;
  #collectedAt = Number.NEGATIVE_INFINITY;
  #delay: IntervalHistogram | undefined;
  #utilization: EventLoopUtilization | undefined;
  #timer: NodeJS.Timeout | undefined;
  #tell: ((lateMs: number) => void) | undefined;

  constructor(parts: OverloadParts) {
    this.rules = parts.rules;
    this.#parts = parts;
  }

  /** New calls are to be sent away. */
  get isShedding(): boolean {
    return this.#isShedding;
  }

  get isExhausted(): boolean {
    return this.#heapPercent >= UNREADY_HEAP_PERCENT;
  }

  get heapPercent(): number {
    return this.#heapPercent;
  }

  /** From now on somebody is told how late the loop was, busy or not, at every look. */
  tellDelay(tell: (lateMs: number) => void): void {
    this.#tell = tell;
  }

  /** Begins to look, if nobody has before. It does not keep the process alive. */
  start(): void {
    if (this.#timer !== undefined) return;
    this.#delay = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
    this.#delay.enable();
    this.#arm(START_MS);
  }

  #arm(inMs: number): void {
    this.#timer = setTimeout(() => {
      this.#arm(LOOK_MS);
      this.note(this.#look(), performance.now());
    }, inMs).unref();
  }

  stop(): void {
    clearTimeout(this.#timer);
    this.#delay?.disable();
    this.#timer = undefined;
  }

  #look(): LoadSample {
    const delay = this.#delay!;
    // Node counts from one look of its own to the next: what is beyond that is delay.
    const lateMs = delay.count === 0 ? 0 : Math.max(0, delay.percentile(99) / 1e6 - RESOLUTION_MS);
    delay.reset();
    this.#tell?.(lateMs);
    const before = this.#utilization;
    this.#utilization = performance.eventLoopUtilization();
    const isBusy = performance.eventLoopUtilization(this.#utilization, before).utilization >= BUSY;
    const eventLoopMs = isBusy ? lateMs : 0;
    return { eventLoopMs, heapPercent: measureHeap() };
  }

  note(sample: LoadSample, now: number): void {
    const { eventLoopMs, heapPercent } = this.rules;
    const isHeapBad = sample.heapPercent >= heapPercent;
    // Before anybody is sent away for it, and as long as they are: nothing else would collect what ended meanwhile.
    const mustCollect = sample.heapPercent >= (this.#isShedding ? heapPercent - HEAP_MARGIN : heapPercent);
    if (mustCollect && now - this.#collectedAt >= COLLECT_MS) {
      this.#collectedAt = now;
      (this.#parts.collect ?? collectGarbage)();
      // What was found before it says nothing; the pause it makes is our own.
      this.#delay?.reset();
      return;
    }
    this.#heapPercent = sample.heapPercent;
    const isBad = sample.eventLoopMs >= eventLoopMs || isHeapBad;
    const isGood = sample.eventLoopMs < eventLoopMs * RECOVERY && sample.heapPercent < heapPercent - HEAP_MARGIN;
    this.#bad = isBad ? this.#bad + 1 : 0;
    this.#good = isGood ? this.#good + 1 : 0;
    if (!this.#isShedding && this.#bad >= BAD_LOOKS) this.#change(true, sample);
    else if (this.#isShedding && this.#good >= GOOD_LOOKS) this.#change(false, sample);
  }

  #change(isShedding: boolean, sample: LoadSample): void {
    this.#isShedding = isShedding;
    this.#parts.onChange(isShedding, sample);
  }
}

/** What V8 keeps for young objects, three halves of 16 MB, is part of its limit; what lasts must fit in the rest. */
const YOUNG_BYTES = 48 * 1024 * 1024;

/** How much of the room for objects that last is in use, in per cent: a process ends when that is full. */
function measureHeap(): number {
  const { heap_size_limit } = getHeapStatistics();
  const lasting = getHeapSpaceStatistics().reduce(
    (sum, { space_name, space_used_size }) => (space_name.startsWith('new_') ? sum : sum + space_used_size),
    0,
  );
  return (lasting / Math.max(heap_size_limit - YOUNG_BYTES, heap_size_limit / 2)) * 100;
}

let collector: (() => void) | undefined;

/** Node has it behind a flag, which may be set at any time; contexts made from then on have the function. */
function collectGarbage(): void {
  if (collector === undefined) {
    setFlagsFromString('--expose-gc');
    collector = runInNewContext('gc') as () => void;
    setFlagsFromString('--no-expose-gc');
  }
  collector();
}
