// "Did you mean": the nearest of some known words, or nothing when none is near enough to be helpful.

const MAX_WORD = 64;
const MAX_CANDIDATES = 2_000;

/** The candidate a person most likely meant by `word`; undefined when every one is too far away. */
export function closest(word: string, candidates: Iterable<string>): string | undefined {
  if (word.length > MAX_WORD) return undefined;
  const given = plain(word);
  let best: string | undefined;
  let bestDistance = Math.max(1, Math.floor(given.length / 3)) + 1;
  let begins: string | undefined;
  let seen = 0;
  for (const candidate of candidates) {
    if (++seen > MAX_CANDIDATES) break;
    if (candidate.length > MAX_WORD) continue;
    if (given.length >= 2 && plain(candidate).startsWith(given)) begins ??= candidate;
    const distance = edits(given, plain(candidate), bestDistance);
    if (distance < bestDistance) {
      best = candidate;
      bestDistance = distance;
    }
  }
  // `int` is no edit away from `integer`, but a beginning of it
  return best ?? begins;
}

/** `did you mean "x"?`, or the list of what is allowed when nothing is near. */
export function hint(word: string, candidates: readonly string[]): string {
  const near = closest(word, candidates);
  if (near !== undefined) return `did you mean "${near}"?`;
  return candidates.length === 0 ? 'nothing is allowed here.' : `allowed: ${candidates.slice(0, 40).join(', ')}.`;
}

/** `perPage`, `per_page` and `Per-Page` are the same word to a person. */
function plain(word: string): string {
  return word.toLowerCase().replace(/[^a-z0-9]/g, '');
}

/** Damerau-Levenshtein (adjacent swaps count once), given up at `limit`. */
function edits(a: string, b: string, limit: number): number {
  if (Math.abs(a.length - b.length) >= limit) return limit;
  let before: number[] = [];
  let previous = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 1; i <= a.length; i++) {
    const current = [i];
    let lowest = i;
    for (let j = 1; j <= b.length; j++) {
      const same = a[i - 1] === b[j - 1];
      let cost = Math.min(previous[j]! + 1, current[j - 1]! + 1, previous[j - 1]! + (same ? 0 : 1));
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]) cost = Math.min(cost, before[j - 2]! + 1);
      current.push(cost);
      if (cost < lowest) lowest = cost;
    }
    if (lowest >= limit) return limit;
    before = previous;
    previous = current;
  }
  return previous[b.length]!;
}
