// Items by their keys, in the order they came. (Map.groupBy knows one key per item, and comes with Node 21.)

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
