// "Did you mean": the known name a misspelt one most likely stands for.

const MAX_COMPARED = 64;

/** The closest candidate, or undefined when nothing is close. */
export function nearest(name: string, candidates: Iterable<string>): string | undefined {
  const wanted = fold(name);
  if (wanted === '') return undefined;
  let best: string | undefined;
  let bestScore = Number.POSITIVE_INFINITY;
  for (const candidate of candidates) {
    const score = distance(wanted, fold(candidate));
    if (score < bestScore) {
      bestScore = score;
      best = candidate;
    }
  }
  return bestScore < 1 ? best : undefined;
}

/** 0: the same but for case and punctuation. Below 1: close. 1 and more: another word. */
function distance(a: string, b: string): number {
  if (a === b) return 0;
  if (b === '') return 2;
  const short = Math.min(a.length, b.length);
  // A plural, an abbreviation, or a name with its qualifier: repo / repository, id / user_id.
  const contains =
    (short >= 3 && (a.startsWith(b) || b.startsWith(a))) || (short >= 4 && (a.endsWith(b) || b.endsWith(a)));
  const edits = editDistance(a.slice(0, MAX_COMPARED), b.slice(0, MAX_COMPARED));
  const allowed = Math.max(1, Math.floor(Math.max(a.length, b.length) / 3));
  const byEdits = short < 3 && edits > 0 ? 2 : edits / (allowed + 1);
  return contains ? Math.min(byEdits, 0.9) : byEdits;
}

function fold(name: string): string {
  return name
    .slice(0, 200)
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]/gu, '');
}

/** Optimal string alignment: insertions, deletions, substitutions and swapped neighbours. */
export function editDistance(a: string, b: string): number {
  let before: number[] = [];
  let last = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    for (let j = 1; j <= b.length; j++) {
      const same = a[i - 1] === b[j - 1];
      let cost = Math.min(last[j]! + 1, row[j - 1]! + 1, last[j - 1]! + (same ? 0 : 1));
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]) cost = Math.min(cost, before[j - 2]! + 1);
      row.push(cost);
    }
    before = last;
    last = row;
  }
  return last[b.length]!;
}
