// A worker's permits of the semaphores that all workers share. It starts with an equal share of each and asks the primary only for
// more: as long as its calls fit, no message is sent.
import type { PermitShare, PermitUser, SharedPermits } from '../limits/shared-permits.ts';
import type { PrimaryClient } from './primary-client.ts';
import { equalShare, type SemaphoreKey, type StateOrders, type Welcome } from './state-messages.ts';

/** How long calls wait for the primary before they count as queued; a later answer still counts. */
const ANSWER_MS = 1_000;

export class WorkerSemaphores implements SharedPermits {
  readonly #primary: PrimaryClient;
  readonly #workers: number;
  readonly #shares = new Map<string, WorkerShare>();

  constructor(primary: PrimaryClient, workers: number, permits: Welcome['permits']) {
    this.#primary = primary;
    this.#workers = workers;
    for (const part of permits) this.#shareBy(part).permits = part.count;
    primary.onOrder('permits', (order) => this.#shareBy(order).receive(order));
    primary.onOrder('recall', (order) => this.#shareBy(order).recall(order));
    primary.onOrder('endRecall', (order) => this.#shareBy(order).endRecall());
  }

  shareOf(key: string, total: number, user: PermitUser): PermitShare {
    const share = this.#shareBy({ key, total });
    share.user = user;
    return share;
  }

  #shareBy({ key, total }: SemaphoreKey): WorkerShare {
    const name = `${total} ${key}`;
    let share = this.#shares.get(name);
    if (share === undefined) {
      const forget = () => this.#shares.delete(name);
      share = new WorkerShare(this.#primary, { key, total }, equalShare(total, this.#workers), forget);
      this.#shares.set(name, share);
    }
    return share;
  }
}

/** The permits of this worker for one semaphore. */
class WorkerShare implements PermitShare {
  permits: number;
  user: PermitUser | undefined;
  readonly #primary: PrimaryClient;
  readonly #semaphore: SemaphoreKey;
  readonly #equalShare: number;
  readonly #forget: () => void;
  /** Permits that were requested and have not arrived. */
  #requests = 0;
  /** The primary has none left now; it remembers that this worker wants some. */
  #isEmpty = false;
  /** The standing order to return permits while other workers want them. */
  #recall: StateOrders['recall'] | undefined;
  /** The request that waits for an answer, and the calls that came after it was sent. */
  #asking: Promise<void> | undefined;
  #answered: () => void = () => {};
  #next: Promise<void> | undefined;
  #nextCount = 0;

  constructor(primary: PrimaryClient, semaphore: SemaphoreKey, ownShare: number, forget: () => void) {
    this.#primary = primary;
    this.#semaphore = semaphore;
    this.#equalShare = ownShare;
    this.permits = ownShare;
    this.#forget = forget;
  }

  grow(): Promise<void> | undefined {
    if (this.#isEmpty) return undefined;
    if (this.#asking === undefined) return this.#ask(1);
    this.#nextCount++;
    this.#next ??= this.#asking.then(() => {
      // Some calls may have stopped waiting meanwhile.
      const count = Math.min(this.#nextCount, this.user?.waiting ?? 0);
      this.#next = undefined;
      this.#nextCount = 0;
      return this.#isEmpty || count === 0 ? undefined : this.#ask(count);
    });
    return this.#next;
  }

  giveBack(): void {
    if (this.#recall === undefined) return;
    this.#release(this.#recall, false);
    this.#requestForWaiting();
  }

  withdraw(): void {
    if (this.#requests === 0) return;
    this.#requests = 0;
    this.#isEmpty = false;
    this.#primary.report('cancelWant', this.#semaphore);
  }

  close(): void {
    this.withdraw();
    this.user = undefined;
    this.#forgetIfUnused();
  }

  receive({ count, isAnswer, isAll }: StateOrders['permits']): void {
    this.permits += count;
    this.#requests = isAnswer && isAll ? 0 : Math.max(0, this.#requests - count);
    // If no request is left, the primary answered before it received `cancelWant`.
    if (isAnswer) this.#isEmpty = !isAll && this.#requests > 0;
    else if (this.#asking === undefined) this.#isEmpty = this.#requests > 0;
    this.user?.admitWaiters();
    if (isAnswer) this.#answered();
    // The permits may have come too late for the calls that wanted them, while other workers want them.
    this.giveBack();
    this.#requestForWaiting();
    this.#forgetIfUnused();
  }

  recall(order: StateOrders['recall']): void {
    if (order.stands) this.#recall = order;
    this.#release(order, true);
    this.#requestForWaiting();
  }

  endRecall(): void {
    this.#recall = undefined;
    this.#forgetIfUnused();
  }

  #ask(count: number): Promise<void> {
    this.#requests += count;
    const asking = new Promise<void>((resolve) => {
      const timer = setTimeout(() => {
        this.#isEmpty = true;
        this.#answered();
      }, ANSWER_MS).unref();
      this.#answered = () => {
        clearTimeout(timer);
        this.#asking = undefined;
        this.#answered = () => {};
        resolve();
      };
    });
    this.#asking = asking;
    this.#primary.report('wantPermits', { ...this.#semaphore, count });
    return asking;
  }

  /** Requests permits for calls that came while there were none, or whose permits went to others. */
  #requestForWaiting(): void {
    const { running = 0, waiting = 0 } = this.user ?? {};
    if (waiting === 0 || running < this.permits || this.#requests > 0 || this.#asking || this.#next) return;
    this.#isEmpty = true;
    void this.#ask(waiting);
  }

  #release({ keep, floor }: StateOrders['recall'], isAnswer: boolean): void {
    const { running = 0, waiting = 0 } = this.user ?? {};
    const idle = Math.max(0, this.permits - running);
    const count = Math.max(0, Math.min(idle, this.permits - (waiting > 0 ? keep : floor)));
    this.permits -= count;
    if (count > 0 || isAnswer) this.#primary.report('returnPermits', { ...this.#semaphore, count, isAnswer });
  }

  /** Without a user, an equal share need not be remembered. */
  #forgetIfUnused(): void {
    if (this.user === undefined && this.#recall === undefined && this.permits === this.#equalShare) this.#forget();
  }
}
