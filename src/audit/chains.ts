// Audit files of several workers and replicas: finds out which of them belong to one chain, and checks each chain as a whole.
import { basename, dirname, join } from 'node:path';
import type { Head, ParsedLine } from './line.ts';
import { readRecords, type TrailVerdict, type VerifyOptions, verifyTrail } from './verify.ts';

/** The verdict on one chain. */
export interface ChainVerdict extends TrailVerdict {
  /** Absent for a gateway of one process. */
  readonly worker?: number | undefined;
  /** The file that is or was written: `audit.jsonl` for `audit.jsonl.000000001234`. */
  readonly trail: string;
}

/** Facts about a chain, from the first and the last record of one of its files. */
interface ChainFile {
  readonly file: string;
  readonly trail: string;
  readonly worker: number | undefined;
  /** Who wrote it: the host and the key. Undefined if the file does not begin with an `open` record. */
  readonly writer: string | undefined;
  /** The hash of the record before its first one. */
  readonly prev: string | undefined;
  readonly last: string | undefined;
}

/** A verdict for every chain, by trail and worker. */
export function verifyChains(files: readonly string[], options: VerifyOptions): readonly ChainVerdict[] {
  const chains = findChains(files.map(readChainFile));
  const heads = assignHeads(
    chains.map((pieces) => pieces.map(({ file }) => file)),
    options.heads ?? [],
  );
  return chains.map((pieces, index) => {
    const [{ worker, trail }] = pieces as [ChainFile];
    const own = pieces.map(({ file }) => file);
    return {
      ...(worker !== undefined && { worker }),
      trail,
      ...verifyTrail(own, { ...options, heads: heads[index]! }),
    };
  });
}

function readChainFile(file: string): ChainFile {
  let first: ParsedLine | undefined;
  let last: string | undefined;
  for (const line of readRecords(file)) {
    first ??= line;
    last = line.hash;
  }
  const opening = first?.kind === 'open' ? first.record : undefined;
  return {
    file,
    trail: trailOf(file),
    worker: typeof opening?.worker === 'number' ? opening.worker : undefined,
    writer: opening && JSON.stringify([opening.host, opening.key]),
    prev: first?.prev,
    last,
  };
}

/** `audit.jsonl.000000001234`, or a name that logrotate gave it, was `audit.jsonl`. */
export function trailOf(file: string): string {
  const name = basename(file);
  const extension = /\.jsonl?(?=[.-])/.exec(name);
  return extension === null ? file : join(dirname(file), name.slice(0, extension.index + extension[0].length));
}

/**
 * Two files belong to one chain if one continues the other, if their names are of the same trail, or if the same writer made both. So a
 * file that should continue another and does not is reported as a break, not accepted as a chain of its own. If the first record of a
 * file was removed, its name still assigns it.
 */
function findChains(pieces: readonly ChainFile[]): readonly (readonly ChainFile[])[] {
  let chains: ChainFile[][] = [];
  for (const piece of pieces) {
    const [own, others] = partition(chains, (chain) => chain.some((other) => isOneChain(piece, other)));
    chains = [...others, [...own.flat(), piece]];
  }
  return chains.sort(([one], [other]) => compare(one!, other!));
}

function isOneChain(one: ChainFile, other: ChainFile): boolean {
  if (one.prev === other.last || other.prev === one.last) return one.last !== undefined && other.last !== undefined;
  const isOneWorker = one.worker === other.worker || one.writer === undefined || other.writer === undefined;
  if (one.trail === other.trail) return isOneWorker;
  return isOneWorker && one.writer !== undefined && one.writer === other.writer;
}

function partition<Item>(items: readonly Item[], holds: (item: Item) => boolean): [Item[], Item[]] {
  return [items.filter(holds), items.filter((item) => !holds(item))];
}

function compare(one: ChainFile, other: ChainFile): number {
  const [left, right] = [dirname(one.trail), dirname(other.trail)];
  if (left !== right) return left < right ? -1 : 1;
  return (one.worker ?? 0) - (other.worker ?? 0) || (one.trail < other.trail ? -1 : 1);
}

/**
 * A record noted elsewhere is assigned to the chain that contains it. If none does, it goes to the first chain, which then
 * reports it missing.
 */
function assignHeads(chains: readonly (readonly string[])[], heads: readonly Head[]): readonly (readonly Head[])[] {
  const byChain: Head[][] = chains.map(() => []);
  if (chains.length === 1) return [heads];
  const isIn = (files: readonly string[], { seq, hash }: Head) => {
    for (const file of files)
      for (const line of readRecords(file)) if (line.seq === seq && line.hash === hash) return true;
    return false;
  };
  for (const head of heads)
    byChain[
      Math.max(
        0,
        chains.findIndex((files) => isIn(files, head)),
      )
    ]!.push(head);
  return byChain;
}
