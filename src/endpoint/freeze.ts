// Freezes what is built at start, deeply. Getters are not called, so that lazy schemas stay unbuilt.

/** Deeply freezes plain objects and arrays; class instances (zod types) and functions are left as they are. */
export function freeze<T>(value: T): T {
  const waiting: unknown[] = [value];
  while (waiting.length > 0) {
    const next = waiting.pop();
    if (typeof next !== 'object' || next === null || Object.isFrozen(next)) continue;
    const prototype: unknown = Object.getPrototypeOf(next);
    // Objects of jiti and vm contexts have another Object.prototype, so they are left unfrozen; they still work.
    if (prototype !== Object.prototype && prototype !== Array.prototype && prototype !== null) continue;
    Object.freeze(next);
    if (Array.isArray(next)) {
      for (const inner of next) if (typeof inner === 'object') waiting.push(inner);
      continue;
    }
    for (const key of Object.getOwnPropertyNames(next)) {
      const inner: unknown = Object.getOwnPropertyDescriptor(next, key)!.value;
      if (typeof inner === 'object') waiting.push(inner);
    }
  }
  return value;
}
