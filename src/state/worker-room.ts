// A worker's parts of the rooms that all workers have in common. It begins with an equal part of each and asks the primary only
// for more: as long as its calls fit, nothing is said.
import type { RoomShare, RoomUser, SharedRoom } from '../limits/room.ts';
import { basePlaces, type Orders, type RoomName, type Welcome } from './state-channel.ts';
import type { WorkerLink } from './worker-link.ts';

/** How long calls wait for the primary before they count as queued; a later answer still counts. */
const ANSWER_MS = 1_000;

export class WorkerRoom implements SharedRoom {
  readonly #link: WorkerLink;
  readonly #workers: number;
  readonly #shares = new Map<string, Share>();

  constructor(link: WorkerLink, workers: number, parts: Welcome['parts']) {
    this.#link = link;
    this.#workers = workers;
    for (const part of parts) this.#shareBy(part).places = part.places;
    link.obey('places', (order) => this.#shareBy(order).receive(order));
    link.obey('recall', (order) => this.#shareBy(order).recall(order));
    link.obey('calm', (order) => this.#shareBy(order).calm());
  }

  shareOf(key: string, total: number, user: RoomUser): RoomShare {
    const share = this.#shareBy({ key, total });
    share.user = user;
    return share;
  }

  #shareBy({ key, total }: RoomName): Share {
    const name = `${total} ${key}`;
    let share = this.#shares.get(name);
    if (share === undefined) {
      const forget = () => this.#shares.delete(name);
      share = new Share(this.#link, { key, total }, basePlaces(total, this.#workers), forget);
      this.#shares.set(name, share);
    }
    return share;
  }
}

class Share implements RoomShare {
  places: number;
  user: RoomUser | undefined;
  readonly #link: WorkerLink;
  readonly #name: RoomName;
  readonly #base: number;
  readonly #forget: () => void;
  /** Places that are wanted and have not come. */
  #claimed = 0;
  /** The primary has no more now; it remembers that we want some. */
  #isEmpty = false;
  /** The standing order to give places back, while others want them. */
  #recalled: Orders['recall'] | undefined;
  /** The open question, and the calls that came after it was asked. */
  #asking: Promise<void> | undefined;
  #answered: () => void = () => {};
  #next: Promise<void> | undefined;
  #nextCount = 0;

  constructor(link: WorkerLink, name: RoomName, base: number, forget: () => void) {
    this.#link = link;
    this.#name = name;
    this.#base = base;
    this.places = base;
    this.#forget = forget;
  }

  grow(): Promise<void> | undefined {
    if (this.#isEmpty) return undefined;
    if (this.#asking === undefined) return this.#ask(1);
    this.#nextCount++;
    this.#next ??= this.#asking.then(() => {
      // Some may have left meanwhile.
      const count = Math.min(this.#nextCount, this.user?.waiting ?? 0);
      this.#next = undefined;
      this.#nextCount = 0;
      return this.#isEmpty || count === 0 ? undefined : this.#ask(count);
    });
    return this.#next;
  }

  giveBack(): void {
    if (this.#recalled === undefined) return;
    this.#release(this.#recalled, false);
    this.#claimForWaiting();
  }

  enough(): void {
    if (this.#claimed === 0) return;
    this.#claimed = 0;
    this.#isEmpty = false;
    this.#link.report('enough', this.#name);
  }

  close(): void {
    this.enough();
    this.user = undefined;
    this.#tidy();
  }

  receive({ count, isAnswer, isAll }: Orders['places']): void {
    this.places += count;
    this.#claimed = isAnswer && isAll ? 0 : Math.max(0, this.#claimed - count);
    // If nothing is claimed any more, the primary may have answered before it knew that.
    if (isAnswer) this.#isEmpty = !isAll && this.#claimed > 0;
    else if (this.#asking === undefined) this.#isEmpty = this.#claimed > 0;
    this.user?.serve();
    if (isAnswer) this.#answered();
    // The places may have come too late for the calls that wanted them, while others want them.
    this.giveBack();
    this.#claimForWaiting();
    this.#tidy();
  }

  recall(order: Orders['recall']): void {
    if (order.stands) this.#recalled = order;
    this.#release(order, true);
    this.#claimForWaiting();
  }

  calm(): void {
    this.#recalled = undefined;
    this.#tidy();
  }

  #ask(count: number): Promise<void> {
    this.#claimed += count;
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
    this.#link.report('want', { ...this.#name, count });
    return asking;
  }

  /** Claims places for calls that came while there were none, or whose places went to others. */
  #claimForWaiting(): void {
    const { running = 0, waiting = 0 } = this.user ?? {};
    if (waiting === 0 || running < this.places || this.#claimed > 0 || this.#asking || this.#next) return;
    this.#isEmpty = true;
    void this.#ask(waiting);
  }

  #release({ keep, floor }: Orders['recall'], isAnswer: boolean): void {
    const { running = 0, waiting = 0 } = this.user ?? {};
    const idle = Math.max(0, this.places - running);
    const count = Math.max(0, Math.min(idle, this.places - (waiting > 0 ? keep : floor)));
    this.places -= count;
    if (count > 0 || isAnswer) this.#link.report('back', { ...this.#name, count, isAnswer });
  }

  /** Without a user, an equal part need not be remembered. */
  #tidy(): void {
    if (this.user === undefined && this.#recalled === undefined && this.places === this.#base) this.#forget();
  }
}
