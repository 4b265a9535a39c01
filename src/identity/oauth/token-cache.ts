// What is known about tokens, by their hash. Limited by entries and by the size of their text; the least recently used go first.

export interface TokenCache<Value> {
  get(key: string): Value | undefined;
  /** `chars`: how much text the value holds. */
  set(key: string, value: Value, chars: number): void;
  delete(key: string): void;
}

interface Entry<Value> {
  readonly value: Value;
  readonly chars: number;
}

export function createTokenCache<Value>(maxEntries: number, maxChars: number): TokenCache<Value> {
  // A Map lists its keys in the order they were set: whatever is used is set again, at its end.
  const entries = new Map<string, Entry<Value>>();
  let heldChars = 0;
  let newest: string | undefined;

  const remove = (key: string) => {
    const entry = entries.get(key);
    if (entry === undefined) return;
    entries.delete(key);
    heldChars -= entry.chars;
  };

  return {
    get(key) {
      const entry = entries.get(key);
      if (entry === undefined) return undefined;
      if (key !== newest) {
        entries.delete(key);
        entries.set(key, entry);
        newest = key;
      }
      return entry.value;
    },
    set(key, value, chars) {
      remove(key);
      entries.set(key, { value, chars });
      heldChars += chars;
      newest = key;
      for (const oldest of entries.keys()) {
        if (entries.size <= maxEntries && heldChars <= maxChars) break;
        remove(oldest);
      }
    },
    delete: remove,
  };
}
