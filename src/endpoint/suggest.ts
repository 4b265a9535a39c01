// "Did you mean": the nearest of some known words, or nothing when none is near enough to be helpful.
import { editDistance, MAX_COMPARED } from './edits.ts';

const MAX_CANDIDATES = 2_000;

/** The candidate a person most likely meant by `word`; undefined when every one is too far away. */
export function closest(word: string, candidates: Iterable<string>): string | undefined {
  if (word.length > MAX_COMPARED) return undefined;
  const given = plain(word);
  let best: string | undefined;
  let bestDistance = Math.max(1, Math.floor(given.length / 3)) + 1;
  let begins: string | undefined;
  let seen = 0;
  for (const candidate of candidates) {
    if (++seen > MAX_CANDIDATES) break;
    if (candidate.length > MAX_COMPARED) continue;
    if (given.length >= 2 && plain(candidate).startsWith(given)) begins ??= candidate;
    const distance = editDistance(given, plain(candidate), bestDistance);
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
