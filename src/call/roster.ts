// Who is there at the moment, where somebody comes and goes thousands of times a second.
//
// Not a Set: V8 makes a new table of a Set whose entries change, and an old table goes on holding the entries it had and the
// table after it. As soon as one of them has reached the old generation, all that ever followed stays alive until a full
// collection: 4 KB of every call did, and every few seconds one took 50 ms.

export interface Listed {
  /** Where it stands; nobody else's business. */
  place: number;
}

export class Roster<Item extends Listed> {
  readonly #items: Item[] = [];

  get size(): number {
    return this.#items.length;
  }

  add(item: Item): void {
    item.place = this.#items.push(item) - 1;
  }

  /** It must be there. */
  remove(item: Item): void {
    const last = this.#items.pop()!;
    if (last === item) return;
    this.#items[item.place] = last;
    last.place = item.place;
  }

  list(): readonly Item[] {
    return this.#items;
  }

  /** Everybody, and then nobody. */
  takeAll(): Item[] {
    return this.#items.splice(0);
  }
}
