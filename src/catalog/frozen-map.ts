// Object.freeze does not reach what a Map holds: its methods that change it are taken away.

export function freezeMap<Key, Value>(map: Map<Key, Value>): ReadonlyMap<Key, Value> {
  const refuse = () => {
    throw new TypeError('The registry is frozen; build a new one to change it.');
  };
  return Object.freeze(Object.assign(map, { set: refuse, delete: refuse, clear: refuse }));
}
