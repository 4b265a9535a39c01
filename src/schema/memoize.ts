// Caches results about a schema by its object, for as long as the object exists.

/** Computes once for every object. The other arguments (the root of its references, the budget) must not change the result. */
export function memoizeByObject<K extends object, V, More extends unknown[]>(
  find: (key: K, ...more: More) => V,
): (key: K, ...more: More) => V {
  const answers = new WeakMap<K, V>();
  return (key, ...more) => {
    const earlier = answers.get(key);
    if (earlier !== undefined) return earlier;
    const answer = find(key, ...more);
    answers.set(key, answer);
    return answer;
  };
}

/** The names of a part of a schema. If there are thousands, listing them costs more than looking up the names of a value. */
export const cachedKeys: (part: object) => readonly string[] = memoizeByObject((part: object) => Object.keys(part));
