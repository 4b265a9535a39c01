// The edit distance between two words.

/** Longer words must be cut before they are compared. */
export const MAX_COMPARED = 64;

/**
 * Optimal string alignment: insertions, deletions, substitutions and swapped neighbours; `limit` when it is that or more.
 * An enum may have tens of thousands of words, so nothing is allocated and hopeless pairs are given up early.
 */
export function editDistance(left: string, right: string, limit: number): number {
  let start = 0;
  let leftEnd = left.length;
  let rightEnd = right.length;
  if (Math.abs(leftEnd - rightEnd) >= limit) return limit;
  while (start < leftEnd && start < rightEnd && left.charCodeAt(start) === right.charCodeAt(start)) start++;
  while (leftEnd > start && rightEnd > start && left.charCodeAt(leftEnd - 1) === right.charCodeAt(rightEnd - 1)) {
    leftEnd--;
    rightEnd--;
  }
  const width = rightEnd - start;
  let [before, last, row] = ROWS as [Uint8Array, Uint8Array, Uint8Array];
  for (let j = 0; j <= width; j++) last[j] = j;
  for (let i = 1; i <= leftEnd - start; i++) {
    const a = left.charCodeAt(start + i - 1);
    const previousA = i > 1 ? left.charCodeAt(start + i - 2) : -1;
    let lowest = i;
    row[0] = i;
    for (let j = 1; j <= width; j++) {
      const b = right.charCodeAt(start + j - 1);
      let cost = Math.min(last[j]! + 1, row[j - 1]! + 1, last[j - 1]! + (a === b ? 0 : 1));
      if (j > 1 && previousA === b && a === right.charCodeAt(start + j - 2)) cost = Math.min(cost, before[j - 2]! + 1);
      row[j] = cost;
      if (cost < lowest) lowest = cost;
    }
    if (lowest >= limit) return limit;
    [before, last, row] = [last, row, before];
  }
  return Math.min(limit, last[width]!);
}

const ROWS = [0, 1, 2].map(() => new Uint8Array(MAX_COMPARED + 1));
