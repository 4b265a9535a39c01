// Gateways, their callers and their API as event loops on cores, followed event by event: what throughput, what use of cores and
// what waiting come of the prices of a call. Pure and repeatable: chance comes from a generator with a seed.
//
// A call has no one price. A loop that slept pays for waking (`wakeUs`), each turn of it has a price (`turnUs`), and whatever is in its inbox
// by then is done in that turn: the more callers, the less a call costs (290 µs with one, 134 with 64). Against that, every call under way
// is alive when the collector comes and has to be copied (`heldUs`): before a slow API a process does fewer calls a second than before
// a quick one (4,600 to 7,500), though it waits on nobody's processor. What is left is the call itself (`callUs`). Where more processes run than there
// are cores, all of it costs more (`crowdShare`): they take turns, and each finds the caches full of another's data.

/** A request is taken and passed on, and so is its answer: the two halves of a call. */
const HALVES = 2;

/**
 * Workers have four times the young generation of a single process (src/workers/worker-launch.ts): a collection, and with it the copying of
 * what is under way, is so much rarer.
 */
export const WORKERS_YOUNG_GENERATION = 4;

/**
 * The cores of a virtual machine are not always as quick: on the one that was measured, the same work took 8.5 to 15 ms within seconds. Where a process
 * is nearly full, that counts: in slow moments it is overrun, and what it loses then it does not get back in quick ones.
 */
const SPELL_US = 50_000;

/** A process: an inbox, and turns in which it is emptied. */
class Loop {
  /** What is left of the piece of work at hand, in µs; 0: asleep. */
  leftUs = 0;
  busyUs = 0;
  /** Calls that it has taken and not answered yet. */
  underWay = 0;
  /** How much work costs at the moment, as a factor. */
  slowness = 1;
  #inbox = [];
  #turn = [];
  #price;
  #visits;
  #random;

  /** `visits`: the pieces in which a call comes. */
  constructor(price, visits, random) {
    this.#price = { turnUs: 0, wakeUs: 0, heldUs: 0, ...price };
    this.#visits = visits;
    this.#random = random;
  }

  get isRunning() {
    return this.leftUs > 0;
  }

  post(deliver) {
    this.#inbox.push(deliver);
    if (!this.isRunning) this.#begin(this.#price.wakeUs);
  }

  /** The piece at hand is done. What it sends goes out at once, not at the end of the turn. */
  finish() {
    this.leftUs = 0;
    this.#turn.shift()();
    if (this.#turn.length > 0) this.leftUs = this.#visitUs();
    else if (this.#inbox.length > 0) this.#begin(0);
  }

  #begin(extraUs) {
    this.#turn = this.#inbox.splice(0);
    this.leftUs = extraUs + this.#price.turnUs + this.#visitUs();
  }

  /** No two calls cost the same: without that all callers would march in step. */
  #visitUs() {
    const { callUs, heldUs } = this.#price;
    return (this.slowness * (callUs * (0.5 + this.#random()) + heldUs * this.underWay)) / this.#visits;
  }
}

/** Events in the order of their time: a binary heap. */
class Agenda {
  #heap = [];

  get nextUs() {
    return this.#heap[0]?.atUs ?? Number.POSITIVE_INFINITY;
  }

  add(atUs, act) {
    const heap = this.#heap;
    let at = heap.push({ atUs, act }) - 1;
    while (at > 0) {
      const above = (at - 1) >> 1;
      if (heap[above].atUs <= heap[at].atUs) break;
      [heap[above], heap[at]] = [heap[at], heap[above]];
      at = above;
    }
  }

  take() {
    const heap = this.#heap;
    const [first] = heap;
    const last = heap.pop();
    if (heap.length === 0) return first;
    heap[0] = last;
    for (let at = 0; ; ) {
      let least = at;
      for (const below of [2 * at + 1, 2 * at + 2])
        if (below < heap.length && heap[below].atUs < heap[least].atUs) least = below;
      if (least === at) return first;
      [heap[least], heap[at]] = [heap[at], heap[least]];
      at = least;
    }
  }
}

/** Numbers between 0 and 1 that are the same in every run (mulberry32). */
function createRandom(seed) {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** Of workers that share two cores with each other, their callers and their API. */
function toWorkersPrice({ callUs, turnUs, wakeUs, heldUs, crowdShare = 0 }) {
  const more = 1 + crowdShare;
  return {
    callUs: callUs * more,
    turnUs: turnUs * more,
    wakeUs: wakeUs * more,
    heldUs: (heldUs * more) / WORKERS_YOUNG_GENERATION,
  };
}

/** The processes of the gateway, and the cores that each group of processes shares fairly. */
function createLoops({ price, workers, upstreamUs, loadUs, upstreamVisits, random }, isOpen) {
  const own = workers === 1 ? price : toWorkersPrice(price);
  const gateways = Array.from({ length: workers }, () => new Loop(own, HALVES, random));
  const upstream = new Loop({ callUs: upstreamUs }, upstreamVisits, random);
  const load = new Loop({ callUs: loadUs }, 1, random);
  // Callers and API are elsewhere; on the one core that a process of the gateway leaves them; or on the same two as its workers.
  const beside = [upstream, load];
  const groups = isOpen
    ? gateways.map((loop) => ({ loops: [loop], cores: 1 }))
    : workers === 1
      ? [
          { loops: gateways, cores: 1 },
          { loops: beside, cores: 1 },
        ]
      : [{ loops: [...gateways, ...beside], cores: 2 }];
  return { gateways, upstream, load, groups };
}

/**
 * A closed loop: `callers` connections, each of which sends its next call when it has its answer, with what they (`loadUs`) and the API
 * (`upstreamUs`) cost on a machine of two cores. `latencyMs`: how long the API takes. `unevenness`: by which share cores are slower at times, and
 * quicker at others.
 */
export function simulateClosed(
  { price, workers, callers, latencyMs, upstreamUs, loadUs, unevenness = 0 },
  calls = 6_000,
) {
  const random = createRandom(callers);
  // A timer of Node fires at a whole millisecond, with all others of that millisecond, and is a visit of its own.
  const upstreamVisits = latencyMs > 0 ? 2 : 1;
  const parts = createLoops({ price, workers, upstreamUs, loadUs, upstreamVisits, random }, false);
  const { gateways, upstream, load } = parts;
  const run = new Run(parts, calls, unevenness);
  const askApi = (then) => {
    if (latencyMs === 0) upstream.post(then);
    else upstream.post(() => run.at(Math.ceil(run.nowUs / 1_000 + latencyMs) * 1_000, () => upstream.post(then)));
  };
  for (let caller = 0; caller < callers; caller++) {
    const send = () => {
      const startUs = run.nowUs;
      run.call(gateways[caller % workers], askApi, () =>
        load.post(() => {
          run.end(startUs);
          send();
        }),
      );
    };
    load.post(send);
  }
  return run.finish();
}

/** One worker of a deployment, to which calls come on their own, from machines elsewhere and for an API elsewhere. */
export function simulateOpen({ price, callsPerSecond, latencyMs, unevenness = 0 }, calls = 30_000) {
  const random = createRandom(1);
  const parts = createLoops({ price, workers: 1, upstreamUs: 1, loadUs: 1, upstreamVisits: 1, random }, true);
  const run = new Run(parts, calls, unevenness);
  const askApi = (then) => run.at(run.nowUs + latencyMs * 1_000, then);
  const arrive = () => {
    const startUs = run.nowUs;
    run.call(parts.gateways[0], askApi, () => run.end(startUs));
    run.at(run.nowUs - (Math.log(1 - random()) * 1e6) / callsPerSecond, arrive);
  };
  run.at(0, arrive);
  return run.finish();
}

/** Time, who works in it, and what came of it once the beginning is over. */
class Run {
  nowUs = 0;
  #agenda = new Agenda();
  #parts;
  #calls;
  #warm;
  #count = 0;
  #timeUs = 0;
  #mark = { nowUs: 0, busyUs: 0 };

  constructor(parts, calls, unevenness) {
    this.#parts = parts;
    this.#calls = calls;
    this.#warm = Math.round(calls / 4);
    if (unevenness > 0) this.#beginSpell(1 + unevenness, 1 - unevenness);
  }

  #beginSpell(slowness, next) {
    for (const { loops } of this.#parts.groups) for (const loop of loops) loop.slowness = slowness;
    this.at(this.nowUs + SPELL_US, () => this.#beginSpell(next, slowness));
  }

  at(atUs, act) {
    this.#agenda.add(atUs, act);
  }

  call(gateway, askApi, done) {
    gateway.post(() => {
      gateway.underWay++;
      askApi(() =>
        gateway.post(() => {
          gateway.underWay--;
          done();
        }),
      );
    });
  }

  end(startUs) {
    this.#count++;
    if (this.#count === this.#warm) this.#mark = { nowUs: this.nowUs, busyUs: this.#busyUs() };
    if (this.#count > this.#warm) this.#timeUs += this.nowUs - startUs;
  }

  finish() {
    while (this.#count < this.#calls) this.#step();
    const count = this.#calls - this.#warm;
    const spanUs = this.nowUs - this.#mark.nowUs;
    const busyUs = this.#busyUs() - this.#mark.busyUs;
    return {
      callsPerSecond: (count / spanUs) * 1e6,
      meanMs: this.#timeUs / count / 1_000,
      gatewayUs: busyUs / count,
      gatewayCores: busyUs / spanUs,
    };
  }

  /** To the next thing that happens. */
  #step() {
    let stepUs = this.#agenda.nextUs - this.nowUs;
    const shares = this.#parts.groups.map(({ loops, cores }) => {
      const running = loops.filter((loop) => loop.isRunning);
      const rate = Math.min(1, cores / running.length);
      for (const { leftUs } of running) stepUs = Math.min(stepUs, leftUs / rate);
      return { running, rate };
    });
    if (!Number.isFinite(stepUs)) throw new Error('Nothing is left to happen in the simulation: a price is missing.');
    this.nowUs += stepUs;
    const ready = [];
    for (const { running, rate } of shares)
      for (const loop of running) {
        loop.leftUs = Math.max(Number.MIN_VALUE, loop.leftUs - stepUs * rate);
        loop.busyUs += stepUs * rate;
        if (loop.leftUs < 1e-6) ready.push(loop);
      }
    for (const loop of ready) loop.finish();
    while (this.#agenda.nextUs <= this.nowUs) this.#agenda.take().act();
  }

  #busyUs() {
    return this.#parts.gateways.reduce((sum, { busyUs }) => sum + busyUs, 0);
  }
}

/** How finely prices are searched for: a step is halved when no price gets better by it. */
const ROUNDS = 18;
const CALLS = 2_000;

/**
 * The prices with which a call costs, in the simulation, what it cost in all of these points, as nearly as can be: any one of them may have been measured in a
 * quick or a slow moment. Throughput is not looked at: it is predicted.
 */
export function fitPrice(points) {
  const cheapest = Math.min(...points.map(({ gatewayUs }) => gatewayUs));
  let price = { callUs: cheapest, turnUs: cheapest / 4, wakeUs: cheapest / 3, heldUs: 0.3, crowdShare: 0.1 };
  const steps = { callUs: cheapest / 4, turnUs: cheapest / 8, wakeUs: cheapest / 6, heldUs: 0.2, crowdShare: 0.1 };
  const missOf = (some) =>
    points.reduce((sum, point) => {
      const { gatewayUs } = simulateClosed({ ...point, price: some }, CALLS);
      return sum + Math.log(gatewayUs / point.gatewayUs) ** 2;
    }, 0);
  let miss = missOf(price);
  for (let round = 0; round < ROUNDS; round++) {
    const before = miss;
    for (const [name, step] of Object.entries(steps))
      for (const change of [step, -step]) {
        const other = { ...price, [name]: Math.max(0, price[name] + change) };
        const otherMiss = missOf(other);
        if (otherMiss >= miss) continue;
        [price, miss] = [other, otherMiss];
        break;
      }
    if (miss === before) for (const name of Object.keys(steps)) steps[name] /= 2;
  }
  return price;
}
