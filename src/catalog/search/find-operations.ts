// Finds the operations for a search request. Every word is looked up in the names and texts of the operations. An operation
// ranks by how much of the request it matches, how little else it does, and whether its effect is the requested one.

import type { Effect } from '../../endpoint/model.ts';
import { editDistance } from '../../endpoint/suggest.ts';
import { inSteps } from '../../event-loop/turns.ts';
import type { CatalogOperation } from '../tree.ts';
import type { IndexEntry, SearchIndex } from './search-index.ts';
import { interpretRequest, type SearchRequest, type Term } from './search-request.ts';
import { agreement, verbOfWord } from './verbs.ts';

export interface SearchFilter {
  readonly domain?: string | undefined;
  readonly effect?: Effect | undefined;
}

export interface SearchResult {
  /** Best first. */
  readonly operations: readonly CatalogOperation[];
  /** Even the best one matches little of the request, which probably uses other words than the documents. */
  readonly weak: boolean;
}

/** The best operations for a request, best first. */
export async function findOperations(
  index: SearchIndex,
  query: string,
  limit: number,
  filter: SearchFilter = {},
): Promise<readonly CatalogOperation[]> {
  return (await searchOperations(index, query, limit, filter)).operations;
}

/** Yields to other requests every few milliseconds, as building the index does. */
export function searchOperations(
  index: SearchIndex,
  query: string,
  limit: number,
  filter: SearchFilter = {},
): Promise<SearchResult> {
  return inSteps(search(index, query, limit, filter));
}

/** Entries per step. */
const SLICE = 200;

/** A step is a word of the request, or some of the entries. */
function* search(
  index: SearchIndex,
  query: string,
  limit: number,
  filter: SearchFilter,
): Generator<void, SearchResult> {
  const request = interpretRequest(query);
  const terms: WeighedTerm[] = [];
  for (const term of request.terms) {
    terms.push(weighTerm(index, term));
    yield;
  }
  const candidates: { entry: IndexEntry; met: number }[] = [];
  for (const entry of index.entries) {
    if (entry.id % SLICE === 0) yield;
    if (!matchesFilter(entry.operation, filter)) continue;
    let score = 0;
    for (const { weight, strengths } of terms) score += weight * strengths[entry.id]!;
    if (score > 0) candidates.push({ entry, met: score });
  }
  const qualities = stemQualities(terms);
  // Relative to the best candidate, not to all words: no operation has all words of a long sentence, and what it does match would
  // count too little compared with rank().
  const most = candidates.reduce((best, { met }) => Math.max(best, met), 0);
  const hits: { entry: IndexEntry; score: number }[] = [];
  for (const { entry, met } of candidates) {
    hits.push({ entry, score: met / most + rank(index, request, qualities, entry) });
    if (hits.length % SLICE === 0) yield;
  }
  hits.sort((a, b) => b.score - a.score || a.entry.id - b.entry.id);
  yield;
  const entries = spread(hits.map(({ entry }) => entry));
  return { operations: entries.slice(0, limit).map(({ operation }) => operation), weak: isWeak(terms, entries[0]) };
}

export function matchesFilter({ endpoint }: CatalogOperation, { domain, effect }: SearchFilter): boolean {
  return (domain ?? endpoint.domain) === endpoint.domain && (effect ?? endpoint.effect) === endpoint.effect;
}

/** A word of the request, compared with all operations. */
interface WeighedTerm {
  readonly factor: number;
  /** How well each stem matches the word. */
  readonly quality: ReadonlyMap<string, number>;
  /** How strongly each operation matches it. */
  readonly strengths: Float32Array;
  readonly weight: number;
}

/** How well another word matches the one that was typed. */
const QUALITY = { related: 0.7, relatedToUnknown: 0.8, bare: 1, longer: 0.65, near: 0.6 };

function weighTerm(index: SearchIndex, { stems, related, factor }: Term): WeighedTerm {
  const quality = new Map<string, number>();
  const allow = (stem: string, how: number) => quality.set(stem, Math.max(how, quality.get(stem) ?? 0));
  // If the documents contain the word itself, synonyms count less and spelling is not guessed.
  const isKnown = stems.some(index.knows);
  for (const stem of stems) allow(stem, 1);
  for (const stem of related) allow(stem, isKnown ? QUALITY.related : QUALITY.relatedToUnknown);
  const word = stems[0]!;
  // An unknown `unpin` is looked up as `pin`, `rescan` as `scan`.
  if (!isKnown && /^(?:re|un)/.test(word)) allow(word.slice(2), QUALITY.bare);
  const mayBeCut = word.length >= 4 && verbOfWord(word) === undefined;
  if (mayBeCut || (!isKnown && word.length >= 3)) {
    for (const other of index.words) {
      if (mayBeCut && other.startsWith(word)) allow(other, isKnown ? QUALITY.longer : QUALITY.near);
      else if (!isKnown && isNear(word, other)) allow(other, QUALITY.near);
    }
  }
  const strengths = new Float32Array(index.entries.length);
  for (const [stem, how] of quality) {
    index.eachEntry(stem, (id, strength) => {
      strengths[id] = Math.max(strengths[id]!, how * strength);
    });
  }
  let reach = 0;
  let strongest = 0;
  for (const strength of strengths) {
    reach += strength;
    if (strength > strongest) strongest = strength;
  }
  // The fewer operations contain a word, the more it counts; a word that occurs only in weak places counts less.
  const weight = factor * Math.sqrt(strongest) * Math.log(1 + index.entries.length / (0.4 + reach));
  return { factor, quality, strengths, weight };
}

/** One typing mistake away, or part of a compound. The first letter is rarely mistyped, so it must match. */
function isNear(word: string, other: string): boolean {
  if (other.length < 4) return false;
  if (other.endsWith(word) && word.length >= 5) return true;
  if (other[0] !== word[0]) return false;
  return (word.startsWith(other) && word.length - other.length <= 4) || editDistance(word, other, 2) < 2;
}

/** For each stem that matches a word of the request: how well. */
function stemQualities(terms: readonly WeighedTerm[]): ReadonlyMap<string, number> {
  const qualities = new Map<string, number>();
  for (const { quality } of terms) {
    for (const [stem, how] of quality) qualities.set(stem, Math.max(how, qualities.get(stem) ?? 0));
  }
  return qualities;
}

/**
 * Adds to the matched words: how little else the operation does, whether its effect is the requested one, and one thing or many.
 */
function rank(
  index: SearchIndex,
  { verbs, many }: SearchRequest,
  qualities: ReadonlyMap<string, number>,
  entry: IndexEntry,
): number {
  const { endpoint } = entry.operation;
  let overlap = 0;
  for (const word of entry.head) overlap += (qualities.get(word) ?? 0) * index.weight(word);
  const focus = overlap / (index.headWeights[entry.id]! || 1);
  const intent = verbs.length === 0 ? 0 : 2 * agreement(verbs, entry.verbs) - 1;
  // Only reads return one thing or many.
  const number = many === undefined || endpoint.effect !== 'read' ? 0 : entry.verbs.has('list') === many ? 1 : -1;
  let target = 0;
  for (const word of entry.target) target = Math.max(target, qualities.get(word) ?? 0);
  const isUnlikely = endpoint.deprecated || endpoint.method === 'HEAD' || endpoint.method === 'OPTIONS';
  return (
    0.4 * focus +
    0.3 * intent +
    0.14 * number +
    0.2 * target -
    (isUnlikely ? 0.15 : 0) -
    0.01 * endpoint.path.split('/').length
  );
}

function sum<Item>(items: readonly Item[], weigh: (item: Item) => number): number {
  return items.reduce((total, item) => total + weigh(item), 0);
}

const MAX_ALIKE = 2;

/** Of operations with the same summary, all but the first two go to the end, so that they do not fill the list of hits. */
function spread(entries: readonly IndexEntry[]): IndexEntry[] {
  const counts = new Map<string, number>();
  const rest: IndexEntry[] = [];
  const first = entries.filter((entry) => {
    const { summary } = entry.operation.endpoint;
    const count = (counts.get(summary) ?? 0) + 1;
    counts.set(summary, count);
    if (count > MAX_ALIKE) rest.push(entry);
    return count <= MAX_ALIKE;
  });
  return [...first, ...rest];
}

const WEAK = 0.4;

function isWeak(terms: readonly WeighedTerm[], best: IndexEntry | undefined): boolean {
  const score = sum(terms, ({ factor, strengths }) => factor * (best ? strengths[best.id]! : 0));
  return score < WEAK * sum(terms, ({ factor }) => factor);
}
