// Rooms for calls over all workers, as the primary keeps them: how many places each worker has, and who wants more. Every
// worker has an equal part without a word; a room is remembered here only while the parts are not equal.
import { basePlaces, type Orders, type RoomName, type Welcome } from './state-channel.ts';

interface Room extends RoomName {
  readonly base: number;
  /** Places by worker. */
  readonly held: Map<string, number>;
  /** Places that are wanted, whoever has waited longest first. */
  readonly claims: Map<string, number>;
  /** Workers that wait to be told whether there is something. */
  readonly asking: Set<string>;
  /** Workers that were asked to give back and have not answered. */
  readonly recalled: Set<string>;
  /** Workers that give back whatever gets idle. */
  readonly generous: Set<string>;
  isRecent: boolean;
}

type Tell = <Kind extends keyof Orders>(worker: string, order: Kind, value: Orders[Kind]) => void;

/** Beyond them nobody gets more than its equal part. */
const MAX_ROOMS = 10_000;
/** A room in which nobody wanted anything for so long goes back to equal parts. */
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

  /** A worker begins; of rooms that others have meanwhile taken more of, it gets what is left. */
  join(worker: string): Welcome['parts'] {
    this.#living.add(worker);
    return [...this.#rooms.values()].map((room) => {
      const places = room.claims.size > 0 ? 0 : Math.min(room.base, freeOf(room));
      room.held.set(worker, places);
      return { key: room.key, total: room.total, places };
    });
  }

  /** A worker died: what it held is free. */
  leave(worker: string): void {
    this.#living.delete(worker);
    for (const room of this.#rooms.values()) {
      for (const part of [room.held, room.claims, room.asking, room.recalled, room.generous]) part.delete(worker);
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
    room.held.set(worker, (room.held.get(worker) ?? 0) - count);
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
      held: new Map([...this.#living].map((worker) => [worker, base])),
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

  /** Everything that can be done now. */
  #go(room: Room): void {
    this.#share(room);
    this.#recall(room);
    if (room.recalled.size === 0) for (const worker of room.asking) this.#answer(room, worker);
    if (room.claims.size > 0 || room.generous.size === 0) return;
    for (const worker of room.generous) this.#tell(worker, 'calm', nameOf(room));
    room.generous.clear();
  }

  /** What is free goes to those who want it, in turn. */
  #share(room: Room): void {
    const gifts = new Map<string, number>();
    let free = freeOf(room);
    while (free > 0 && room.claims.size > 0) {
      const [worker, wanted] = room.claims.entries().next().value!;
      const count = room.claims.size === 1 ? Math.min(free, wanted) : 1;
      free -= count;
      gifts.set(worker, (gifts.get(worker) ?? 0) + count);
      room.claims.delete(worker);
      if (wanted > count) room.claims.set(worker, wanted - count);
    }
    for (const [worker, count] of gifts) {
      room.held.set(worker, (room.held.get(worker) ?? 0) + count);
      this.#tell(worker, 'places', { ...nameOf(room), count, isAnswer: false, isAll: false });
      if (!room.claims.has(worker)) this.#answer(room, worker);
    }
  }

  #answer(room: Room, worker: string): void {
    if (!room.asking.delete(worker)) return;
    const isAll = !room.claims.has(worker);
    this.#tell(worker, 'places', { ...nameOf(room), count: 0, isAnswer: true, isAll });
  }

  /** Whoever holds what another wants is told so, once: from then on it gives back whatever gets idle. */
  #recall(room: Room): void {
    const order = { ...nameOf(room), keep: room.base, floor: 0, stands: true };
    for (const [worker, places] of room.held) {
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
    const { base, held } = room;
    for (const [worker, places] of held) {
      const count = Math.min(base - places, freeOf(room));
      if (count <= 0) continue;
      held.set(worker, places + count);
      this.#tell(worker, 'places', { ...nameOf(room), count, isAnswer: false, isAll: false });
    }
    if ([...held.values()].every((places) => places === base)) return void this.#rooms.delete(id);
    const order = { ...nameOf(room), keep: base, floor: base, stands: false };
    for (const [worker, places] of held) if (places > base) this.#tell(worker, 'recall', order);
  }
}

function freeOf({ total, held }: Room): number {
  let free = total;
  for (const places of held.values()) free -= places;
  return free;
}

function nameOf({ key, total }: RoomName): RoomName {
  return { key, total };
}

function idOf({ key, total }: RoomName): string {
  return `${total} ${key}`;
}
