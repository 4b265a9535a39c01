// Facts about tokens by their hash, in an LRU cache, limited by entries and by the size of their text.

interface CacheEntry<Value> {
  readonly value: Value;
  readonly chars: number;
}

export class TokenCache<Value> {
  readonly #maxEntries: number;
  readonly #maxChars: number;
  /** A Map lists its keys in the order they were set, so an entry that is used is set again, at the end. */
  readonly #entries = new Map<string, CacheEntry<Value>>();
  #chars = 0;
  #newest: string | undefined;

  constructor(maxEntries: number, maxChars: number) {
    this.#maxEntries = maxEntries;
    this.#maxChars = maxChars;
  }

  get(key: string): Value | undefined {
    const entry = this.#entries.get(key);
    if (entry === undefined) return undefined;
    if (key !== this.#newest) {
      this.#entries.delete(key);
      this.#entries.set(key, entry);
      this.#newest = key;
    }
    return entry.value;
  }

  /** `chars`: how much text the value holds. */
  set(key: string, value: Value, chars: number): void {
    this.delete(key);
    this.#entries.set(key, { value, chars });
    this.#chars += chars;
    this.#newest = key;
    for (const oldest of this.#entries.keys()) {
      if (this.#entries.size <= this.#maxEntries && this.#chars <= this.#maxChars) break;
      this.delete(oldest);
    }
  }

  delete(key: string): void {
    const entry = this.#entries.get(key);
    if (entry === undefined) return;
    this.#entries.delete(key);
    this.#chars -= entry.chars;
  }
}
