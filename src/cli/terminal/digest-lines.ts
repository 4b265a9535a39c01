// Shortens many similar sentences to the first few of each kind and a count, so that the output of a start fits on a screen.

import type { Domain } from '../../endpoint/model.ts';
import { colours as pc } from './palette.ts';
import { shown } from './terminal.ts';

/** What may differ between two sentences of one kind: names in quotes, and words like a path, a file or a number. */
const WORDS = /"[^"]*"|\S+/g;
const PARTICULAR = /["/.#\\\d_]/;
const FIRST_OF_EACH = 3;
const MAX_KINDS = 15;

/** Sentences, one per line; of each kind the first few and how many more there are. `all` leaves nothing out. */
export function digestLines(sentences: readonly string[], mark: string, all = false): string[] {
  const line = (sentence: string) => `${mark} ${shown(sentence)}`;
  if (all) return sentences.map(line);
  const kinds = new Map<string, string[]>();
  for (const sentence of sentences) {
    const kind = sentence.replace(WORDS, (word) => (PARTICULAR.test(word) ? '…' : word));
    const same = kinds.get(kind);
    if (same) same.push(sentence);
    else kinds.set(kind, [sentence]);
  }
  const groups = [...kinds.values()];
  const lines = groups.slice(0, MAX_KINDS).flatMap((same) => {
    const more = same.length - FIRST_OF_EACH;
    // A line "1 more" would be as long as the sentence itself.
    if (more <= 1) return same.map(line);
    return [...same.slice(0, FIRST_OF_EACH).map(line), pc.dim(`  … and ${more} more like these (--verbose lists all)`)];
  });
  const rest = groups.slice(MAX_KINDS).flat().length;
  return rest === 0 ? lines : [...lines, pc.dim(`  … and ${rest} of other kinds (--verbose lists all)`)];
}

type Warned = Pick<Domain, 'name' | 'warnings'>;

/** The warnings of the domains at start. */
export function digestWarnings(domains: readonly Warned[], all: boolean): string[] {
  return digestLines(listWarnings(domains), pc.yellow('!'), all);
}

/** The same for the log, which has no marks. */
export function listWarningLines(domains: readonly Warned[], all: boolean): string[] {
  return digestLines(listWarnings(domains), '', all).map((line) => line.trim());
}

export function listWarnings(domains: readonly Warned[]): string[] {
  return domains.flatMap(({ name, warnings }) => warnings.map((warning) => `${name}: ${warning}`));
}
