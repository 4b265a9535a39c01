// Several audit files at once. Each worker of a gateway has a chain of its own, and says so in the first record of every
// file: files are told apart by it, and each chain is checked as one.
import type { Head } from './line.ts';
import { readRecords, type Verdict, type VerifyOptions, verifyTrail } from './verify.ts';

/** One chain, and what is to be said of it. */
export interface ChainVerdict extends Verdict {
  /** Absent for a gateway of one process. */
  readonly worker?: number | undefined;
}

/** A verdict for every chain, by worker. */
export function verifyChains(files: readonly string[], options: VerifyOptions): readonly ChainVerdict[] {
  const chains = [...groupByWorker(files)].sort(([one = 0], [other = 0]) => one - other);
  const heads = shareOutHeads(
    chains.map(([, own]) => own),
    options.heads ?? [],
  );
  return chains.map(([worker, own], index) => ({
    ...(worker !== undefined && { worker }),
    ...verifyTrail(own, { ...options, heads: heads[index]! }),
  }));
}

function groupByWorker(files: readonly string[]): ReadonlyMap<number | undefined, readonly string[]> {
  const groups = new Map<number | undefined, string[]>();
  for (const file of files) {
    const [first] = readRecords(file);
    // Whoever took away the first record is told as what it is: a chain whose beginning is missing.
    const { worker } = first?.kind === 'open' ? first.record : {};
    const key = typeof worker === 'number' ? worker : undefined;
    groups.set(key, [...(groups.get(key) ?? []), file]);
  }
  return groups;
}

/** A record that was noted elsewhere belongs to the chain that has it; one that none has, to the first, which misses it. */
function shareOutHeads(chains: readonly (readonly string[])[], heads: readonly Head[]): readonly (readonly Head[])[] {
  const shares: Head[][] = chains.map(() => []);
  if (chains.length === 1) return [heads];
  const isIn = (files: readonly string[], { seq, hash }: Head) => {
    for (const file of files)
      for (const line of readRecords(file)) if (line.seq === seq && line.hash === hash) return true;
    return false;
  };
  for (const head of heads)
    shares[
      Math.max(
        0,
        chains.findIndex((files) => isIn(files, head)),
      )
    ]!.push(head);
  return shares;
}
