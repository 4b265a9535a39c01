// The concurrency limits shared by all workers, kept by the primary: how many permits each worker has, and which
// workers want more. By default every worker has an equal share, without any message; a semaphore is kept here only
// while the shares differ.
import { equalShare, type SemaphoreKey, type StateOrders, type Welcome } from './state-messages.ts';

interface Semaphore extends SemaphoreKey {
  readonly equalShare: number;
  /** Permits by worker. */
  readonly permits: Map<string, number>;
  /** Requested permits by worker, the longest waiting worker first. */
  readonly wants: Map<string, number>;
  /** Workers that wait for the answer whether there are any. */
  readonly asking: Set<string>;
  /** Workers that were ordered to return permits and have not answered. */
  readonly answersDue: Set<string>;
  /** Workers with a standing order to return permits as soon as they are idle. */
  readonly recalls: Set<string>;
  isRecent: boolean;
}

type SendOrder = <Kind extends keyof StateOrders>(worker: string, order: Kind, value: StateOrders[Kind]) => void;

/** For semaphores beyond this limit, each worker has only its equal share. */
const MAX_SEMAPHORES = 10_000;
/** A semaphore without requests for more permits returns to equal shares after this time. */
const SETTLE_MS = 30_000;

export class PrimarySemaphores {
  readonly #workers: number;
  readonly #sendOrder: SendOrder;
  readonly #running = new Set<string>();
  readonly #semaphores = new Map<string, Semaphore>();
  #settling: NodeJS.Timeout | undefined;

  constructor(workers: number, sendOrder: SendOrder) {
    this.#workers = workers;
    this.#sendOrder = sendOrder;
  }

  /** Adds a worker. Where others have taken more than their share meanwhile, it gets what is left. */
  join(worker: string): Welcome['permits'] {
    this.#running.add(worker);
    return [...this.#semaphores.values()].map((semaphore) => {
      const count = semaphore.wants.size > 0 ? 0 : Math.min(semaphore.equalShare, freeOf(semaphore));
      semaphore.permits.set(worker, count);
      return { key: semaphore.key, total: semaphore.total, count };
    });
  }

  /** Removes a worker that has ended, and frees its permits. */
  leave(worker: string): void {
    this.#running.delete(worker);
    for (const semaphore of this.#semaphores.values()) {
      const { permits, wants, asking, answersDue, recalls } = semaphore;
      for (const byWorker of [permits, wants, asking, answersDue, recalls]) byWorker.delete(worker);
      this.#update(semaphore);
    }
  }

  want(worker: string, key: SemaphoreKey, count: number): void {
    const semaphore = this.#semaphoreOf(key);
    if (semaphore === undefined) {
      this.#sendOrder(worker, 'permits', { ...keyOf(key), count: 0, isAnswer: true, isAll: false });
      return;
    }
    semaphore.isRecent = true;
    semaphore.wants.set(worker, (semaphore.wants.get(worker) ?? 0) + count);
    semaphore.asking.add(worker);
    this.#update(semaphore);
  }

  cancelWant(worker: string, key: SemaphoreKey): void {
    const semaphore = this.#semaphores.get(idOf(key));
    if (semaphore?.wants.delete(worker)) this.#update(semaphore);
  }

  takeBack(worker: string, key: SemaphoreKey, count: number, isAnswer: boolean): void {
    const semaphore = this.#semaphores.get(idOf(key));
    if (semaphore === undefined) return;
    semaphore.permits.set(worker, (semaphore.permits.get(worker) ?? 0) - count);
    if (isAnswer) semaphore.answersDue.delete(worker);
    this.#update(semaphore);
  }

  #semaphoreOf(key: SemaphoreKey): Semaphore | undefined {
    const unequal = this.#semaphores.get(idOf(key));
    if (unequal !== undefined || this.#semaphores.size >= MAX_SEMAPHORES) return unequal;
    const share = equalShare(key.total, this.#workers);
    const semaphore: Semaphore = {
      ...keyOf(key),
      equalShare: share,
      permits: new Map([...this.#running].map((worker) => [worker, share])),
      wants: new Map(),
      asking: new Set(),
      answersDue: new Set(),
      recalls: new Set(),
      isRecent: true,
    };
    this.#semaphores.set(idOf(key), semaphore);
    this.#settling ??= setInterval(() => this.#settle(), SETTLE_MS).unref();
    return semaphore;
  }

  /** Does everything that is possible now. */
  #update(semaphore: Semaphore): void {
    this.#distribute(semaphore);
    this.#recall(semaphore);
    if (semaphore.answersDue.size === 0) for (const worker of semaphore.asking) this.#answer(semaphore, worker);
    if (semaphore.wants.size > 0 || semaphore.recalls.size === 0) return;
    for (const worker of semaphore.recalls) this.#sendOrder(worker, 'endRecall', keyOf(semaphore));
    semaphore.recalls.clear();
  }

  /** Gives free permits to the workers that want them, in turn. */
  #distribute(semaphore: Semaphore): void {
    const grants = new Map<string, number>();
    let free = freeOf(semaphore);
    while (free > 0 && semaphore.wants.size > 0) {
      const [worker, want] = semaphore.wants.entries().next().value!;
      const count = semaphore.wants.size === 1 ? Math.min(free, want) : 1;
      free -= count;
      grants.set(worker, (grants.get(worker) ?? 0) + count);
      semaphore.wants.delete(worker);
      if (want > count) semaphore.wants.set(worker, want - count);
    }
    for (const [worker, count] of grants) {
      semaphore.permits.set(worker, (semaphore.permits.get(worker) ?? 0) + count);
      this.#sendOrder(worker, 'permits', { ...keyOf(semaphore), count, isAnswer: false, isAll: false });
      if (!semaphore.wants.has(worker)) this.#answer(semaphore, worker);
    }
  }

  #answer(semaphore: Semaphore, worker: string): void {
    if (!semaphore.asking.delete(worker)) return;
    const isAll = !semaphore.wants.has(worker);
    this.#sendOrder(worker, 'permits', { ...keyOf(semaphore), count: 0, isAnswer: true, isAll });
  }

  /**
   * Orders each worker that holds permits others want to return every permit that becomes idle from then on. Each order
   * is sent once.
   */
  #recall(semaphore: Semaphore): void {
    const order = { ...keyOf(semaphore), keep: semaphore.equalShare, floor: 0, stands: true };
    for (const [worker, count] of semaphore.permits) {
      const othersWant = semaphore.wants.size > (semaphore.wants.has(worker) ? 1 : 0);
      if (!othersWant || count <= 0 || semaphore.recalls.has(worker)) continue;
      semaphore.answersDue.add(worker);
      semaphore.recalls.add(worker);
      this.#sendOrder(worker, 'recall', order);
    }
  }

  /** Returns to equal shares where no permits are requested. */
  #settle(): void {
    for (const [id, semaphore] of this.#semaphores) {
      if (!semaphore.isRecent && semaphore.wants.size === 0) this.#level(id, semaphore);
      semaphore.isRecent = false;
    }
    if (this.#semaphores.size > 0) return;
    clearInterval(this.#settling);
    this.#settling = undefined;
  }

  #level(id: string, semaphore: Semaphore): void {
    const { equalShare: share, permits } = semaphore;
    for (const [worker, count] of permits) {
      const more = Math.min(share - count, freeOf(semaphore));
      if (more <= 0) continue;
      permits.set(worker, count + more);
      this.#sendOrder(worker, 'permits', { ...keyOf(semaphore), count: more, isAnswer: false, isAll: false });
    }
    if ([...permits.values()].every((count) => count === share)) return void this.#semaphores.delete(id);
    const order = { ...keyOf(semaphore), keep: share, floor: share, stands: false };
    for (const [worker, count] of permits) if (count > share) this.#sendOrder(worker, 'recall', order);
  }
}

function freeOf({ total, permits }: Semaphore): number {
  let free = total;
  for (const count of permits.values()) free -= count;
  return free;
}

function keyOf({ key, total }: SemaphoreKey): SemaphoreKey {
  return { key, total };
}

function idOf({ key, total }: SemaphoreKey): string {
  return `${total} ${key}`;
}
