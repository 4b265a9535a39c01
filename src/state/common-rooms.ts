// The concurrency limits shared by all workers, kept by the primary: how many places each worker has, and who wants more. By
// default every worker has an equal part, without any message; a room is kept here only while the parts differ.
import { basePlaces, type Orders, type RoomName, type Welcome } from './state-channel.ts';

interface Room extends RoomName {
  readonly base: number;
  /** Places by worker. */
  readonly parts: Map<string, number>;
  /** Places that are wanted, the longest waiting worker first. */
  readonly claims: Map<string, number>;
  /** Workers that wait to be told whether there is something. */
  readonly asking: Set<string>;
  /** Workers that were asked to give back and have not answered. */
  readonly recalled: Set<string>;
  /** Workers that give back places as soon as they get idle. */
  readonly generous: Set<string>;
  isRecent: boolean;
}

type Tell = <Kind extends keyof Orders>(worker: string, order: Kind, value: Orders[Kind]) => void;

/** For further rooms, each worker has its equal part only. */
const MAX_ROOMS = 10_000;
/** A room in which nothing was wanted for this long returns to equal parts. */
const SETTLE_MS = 30_000;

export class CommonRooms {
  readonly #workers: number;
  readonly #tell: Tell;
  readonly #living = new Set<string>();
  readonly #rooms = new Map<string, Room>();
  #settling: NodeJS.Timeout | undefined;

  constructor(workers: number, tell: Tell) {
    this.#workers = workers;
    this.#tell = tell;
  }

  /** A worker starts; in rooms of which others have taken more meanwhile, it gets what is left. */
  join(worker: string): Welcome['parts'] {
    this.#living.add(worker);
    return [...this.#rooms.values()].map((room) => {
      const places = room.claims.size > 0 ? 0 : Math.min(room.base, freeOf(room));
      room.parts.set(worker, places);
      return { key: room.key, total: room.total, places };
    });
  }

  /** A worker died: what it held is free. */
  leave(worker: string): void {
    this.#living.delete(worker);
    for (const room of this.#rooms.values()) {
      for (const byWorker of [room.parts, room.claims, room.asking, room.recalled, room.generous])
        byWorker.delete(worker);
      this.#go(room);
    }
  }

  want(worker: string, name: RoomName, count: number): void {
    const room = this.#roomOf(name);
    if (room === undefined) {
      this.#tell(worker, 'places', { ...nameOf(name), count: 0, isAnswer: true, isAll: false });
      return;
    }
    room.isRecent = true;
    room.claims.set(worker, (room.claims.get(worker) ?? 0) + count);
    room.asking.add(worker);
    this.#go(room);
  }

  unclaim(worker: string, name: RoomName): void {
    const room = this.#rooms.get(idOf(name));
    if (room?.claims.delete(worker)) this.#go(room);
  }

  takeBack(worker: string, name: RoomName, count: number, isAnswer: boolean): void {
    const room = this.#rooms.get(idOf(name));
    if (room === undefined) return;
    room.parts.set(worker, (room.parts.get(worker) ?? 0) - count);
    if (isAnswer) room.recalled.delete(worker);
    this.#go(room);
  }

  #roomOf(name: RoomName): Room | undefined {
    const unequal = this.#rooms.get(idOf(name));
    if (unequal !== undefined || this.#rooms.size >= MAX_ROOMS) return unequal;
    const base = basePlaces(name.total, this.#workers);
    const room: Room = {
      ...nameOf(name),
      base,
      parts: new Map([...this.#living].map((worker) => [worker, base])),
      claims: new Map(),
      asking: new Set(),
      recalled: new Set(),
      generous: new Set(),
      isRecent: true,
    };
    this.#rooms.set(idOf(name), room);
    this.#settling ??= setInterval(() => this.#settle(), SETTLE_MS).unref();
    return room;
  }

  /** Does everything that is possible now. */
  #go(room: Room): void {
    this.#share(room);
    this.#recall(room);
    if (room.recalled.size === 0) for (const worker of room.asking) this.#answer(room, worker);
    if (room.claims.size > 0 || room.generous.size === 0) return;
    for (const worker of room.generous) this.#tell(worker, 'calm', nameOf(room));
    room.generous.clear();
  }

  /** Distributes free places to the workers that want them, in turn. */
  #share(room: Room): void {
    const gifts = new Map<string, number>();
    let free = freeOf(room);
    while (free > 0 && room.claims.size > 0) {
      const [worker, claim] = room.claims.entries().next().value!;
      const count = room.claims.size === 1 ? Math.min(free, claim) : 1;
      free -= count;
      gifts.set(worker, (gifts.get(worker) ?? 0) + count);
      room.claims.delete(worker);
      if (claim > count) room.claims.set(worker, claim - count);
    }
    for (const [worker, count] of gifts) {
      room.parts.set(worker, (room.parts.get(worker) ?? 0) + count);
      this.#tell(worker, 'places', { ...nameOf(room), count, isAnswer: false, isAll: false });
      if (!room.claims.has(worker)) this.#answer(room, worker);
    }
  }

  #answer(room: Room, worker: string): void {
    if (!room.asking.delete(worker)) return;
    const isAll = !room.claims.has(worker);
    this.#tell(worker, 'places', { ...nameOf(room), count: 0, isAnswer: true, isAll });
  }

  /** Tells each worker that holds places others want, once: from then on it gives back whatever gets idle. */
  #recall(room: Room): void {
    const order = { ...nameOf(room), keep: room.base, floor: 0, stands: true };
    for (const [worker, places] of room.parts) {
      const isWanted = room.claims.size > (room.claims.has(worker) ? 1 : 0);
      if (!isWanted || places <= 0 || room.generous.has(worker)) continue;
      room.recalled.add(worker);
      room.generous.add(worker);
      this.#tell(worker, 'recall', order);
    }
  }

  /** Back to equal parts, wherever nobody wants anything. */
  #settle(): void {
    for (const [id, room] of this.#rooms) {
      if (!room.isRecent && room.claims.size === 0) this.#level(id, room);
      room.isRecent = false;
    }
    if (this.#rooms.size > 0) return;
    clearInterval(this.#settling);
    this.#settling = undefined;
  }

  #level(id: string, room: Room): void {
    const { base, parts } = room;
    for (const [worker, places] of parts) {
      const count = Math.min(base - places, freeOf(room));
      if (count <= 0) continue;
      parts.set(worker, places + count);
      this.#tell(worker, 'places', { ...nameOf(room), count, isAnswer: false, isAll: false });
    }
    if ([...parts.values()].every((places) => places === base)) return void this.#rooms.delete(id);
    const order = { ...nameOf(room), keep: base, floor: base, stands: false };
    for (const [worker, places] of parts) if (places > base) this.#tell(worker, 'recall', order);
  }
}

function freeOf({ total, parts }: Room): number {
  let free = total;
  for (const places of parts.values()) free -= places;
  return free;
}

function nameOf({ key, total }: RoomName): RoomName {
  return { key, total };
}

function idOf({ key, total }: RoomName): string {
  return `${total} ${key}`;
}
