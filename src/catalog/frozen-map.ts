// Object.freeze does not reach what a Map holds: its methods that change it are taken away.
import type { GatewayError } from '../errors.ts';

export function freezeMap<Key, Value>(map: Map<Key, Value>): ReadonlyMap<Key, Value> {
  const refuse = () => {
    throw new TypeError('The registry is frozen; build a new one to change it.');
  };
  return Object.freeze(Object.assign(map, { set: refuse, delete: refuse, clear: refuse }));
}

/** Entries by key, in order; two of one key are refused. */
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
