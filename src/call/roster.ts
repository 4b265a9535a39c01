// A set of items that come and go thousands of times a second.
//
// Not a Set: V8 allocates a new table for a Set whose entries change, and the old table keeps its entries and the next table
// alive. As soon as one of them has reached the old generation, all tables after it stay alive until a full collection: that was
// 4 KB per call, and every few seconds a collection of 50 ms.

export interface Listed {
  /** Index in the list; only Roster uses it. */
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

  /** The item must be in the list. */
  remove(item: Item): void {
    const last = this.#items.pop()!;
    if (last === item) return;
    this.#items[item.place] = last;
    last.place = item.place;
  }

  list(): readonly Item[] {
    return this.#items;
  }

  /** Empties the list and returns what was in it. */
  takeAll(): Item[] {
    return this.#items.splice(0);
  }
}
