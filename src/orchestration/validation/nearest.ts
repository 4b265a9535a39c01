// "Did you mean": the known name a misspelt one most likely stands for.

const MAX_COMPARED = 64;

/** The closest candidate, or undefined when nothing is close. */
export function nearest(name: string, candidates: Iterable<string>): string | undefined {
  const wanted = fold(name);
  if (wanted === '') return undefined;
  let best: string | undefined;
  let bestScore = Number.POSITIVE_INFINITY;
  for (const candidate of candidates) {
    const score = distance(wanted, fold(candidate), bestScore);
    if (score < bestScore) {
      bestScore = score;
      best = candidate;
    }
  }
  return bestScore < 1 ? best : undefined;
}

/** 0: the same but for case and punctuation. Below 1: close. 1 and more: another word. Exact only below `worst`. */
function distance(a: string, b: string, worst: number): number {
  if (a === b) return 0;
  if (b === '') return 2;
  const short = Math.min(a.length, b.length);
  // A plural, an abbreviation, or a name with its qualifier: repo / repository, id / user_id.
  const contains =
    (short >= 3 && (a.startsWith(b) || b.startsWith(a))) || (short >= 4 && (a.endsWith(b) || b.endsWith(a)));
  const allowed = Math.max(1, Math.floor(Math.max(a.length, b.length) / 3));
  const limit = Math.ceil(Math.min(1, worst) * (allowed + 1));
  const edits = editDistance(a.slice(0, MAX_COMPARED), b.slice(0, MAX_COMPARED), limit);
  const byEdits = short < 3 && edits > 0 ? 2 : edits / (allowed + 1);
  return contains ? Math.min(byEdits, 0.9) : byEdits;
}

function fold(name: string): string {
  return name
    .slice(0, 200)
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]/gu, '');
}

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
