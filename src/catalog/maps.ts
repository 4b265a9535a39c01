// Maps of the catalog: frozen, with unique keys, or with several entries per key.
import type { GatewayError } from '../errors.ts';

/** Object.freeze does not protect the entries of a Map, so its mutating methods are replaced. */
export function freezeMap<Key, Value>(map: Map<Key, Value>): ReadonlyMap<Key, Value> {
  const refuse = () => {
    throw new TypeError('The registry is frozen; build a new one to change it.');
  };
  return Object.freeze(Object.assign(map, { set: refuse, delete: refuse, clear: refuse }));
}

/** Entries by key, in order. A key that occurs twice is refused. */
export function indexEntries<Entry>(
  entries: readonly Entry[],
  keyOf: (entry: Entry) => string,
  refuse: (key: string) => GatewayError,
): ReadonlyMap<string, Entry> {
  const index = new Map<string, Entry>();
  for (const entry of entries) {
    const key = keyOf(entry);
    if (index.has(key)) throw refuse(key);
    index.set(key, entry);
  }
  return freezeMap(index);
}

/** Items by their keys, in their order. (Map.groupBy has one key per item, and needs Node 21.) */
export function groupBy<Item>(items: Iterable<Item>, keysOf: (item: Item) => readonly string[]): Map<string, Item[]> {
  const groups = new Map<string, Item[]>();
  for (const item of items) {
    for (const key of keysOf(item)) {
      const group = groups.get(key);
      if (group) group.push(item);
      else groups.set(key, [item]);
    }
  }
  return groups;
}
