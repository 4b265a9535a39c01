// "Did you mean": the known name a misspelt one most likely stands for.
import { editDistance, MAX_COMPARED } from '../../endpoint/edits.ts';

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
