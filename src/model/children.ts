// A list that only its owner can change: everybody else is handed a frozen copy, made again after a change.

export class Children<Child> {
  readonly #items: Child[] = [];
  #list: readonly Child[] | undefined;

  get list(): readonly Child[] {
    this.#list ??= Object.freeze([...this.#items]);
    return this.#list;
  }

  add(child: Child): void {
    this.#items.push(child);
    this.#list = undefined;
  }
}
