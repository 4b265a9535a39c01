// From a question to the operations that answer it: MiniSearch proposes, then the whole question is weighed against what
// each operation says it is.
import { editDistance } from '../../endpoint/edits.ts';
import type { Effect } from '../../endpoint/model.ts';
import type { CatalogOperation } from '../tree.ts';
import { type Entry, type Index, isPlural } from './search-index.ts';
import { splitWords, toStems } from './search-words.ts';
import { relatedTo, spellOut, type Verb, verbOfWord } from './vocabulary.ts';

export interface SearchFilter {
  readonly domain?: string | undefined;
  readonly effect?: Effect | undefined;
}

const MAX_TERMS = 16;
const MAX_CANDIDATES = 150;
const BOOST = { head: 3, path: 2 };

/** The best operations for a question, best first. */
export function findOperations(
  index: Index,
  query: string,
  limit: number,
  filter: SearchFilter = {},
): CatalogOperation[] {
  const question = readQuestion(index, query);
  if (question.terms.length === 0) return [];
  return propose(index, question.terms)
    .filter(({ entry }) => passes(entry.operation, filter))
    .map(({ entry, score }) => ({ entry, score: rank(index, question, entry) + 0.15 * score }))
    .sort((a, b) => b.score - a.score || a.entry.id - b.entry.id)
    .slice(0, limit)
    .map(({ entry }) => entry.operation);
}

export function passes({ endpoint }: CatalogOperation, { domain, effect }: SearchFilter): boolean {
  return (domain ?? endpoint.domain) === endpoint.domain && (effect ?? endpoint.effect) === endpoint.effect;
}

/** What a question asks for: things, a deed, and whether one thing is meant or many. */
interface Question {
  readonly terms: readonly Term[];
  readonly verb: Verb | undefined;
  readonly many: boolean | undefined;
}

/** One word of the question, and how it may be met. */
interface Term {
  readonly stem: string;
  readonly weight: number;
  readonly related: ReadonlySet<string>;
  readonly verb: Verb | undefined;
}

const ASKING = new Set('is are does do did has have who what which when where how'.split(' '));
const ARTICLES = new Set(['a', 'an', 'the', 'my', 'this', 'on', 'to']);
const PREPOSITIONS = new Set(['of', 'for', 'in', 'on', 'from', 'to', 'by', 'with']);

function readQuestion(index: Index, query: string): Question {
  const words = spellOut(splitWords(query));
  const stems = [...new Set(toStems(words.join(' ')))].slice(0, MAX_TERMS);
  const hasThing = stems.some((stem) => verbOfWord(stem) === undefined);
  const terms = stems.map((stem) => {
    const verb = verbOfWord(stem);
    // "Create" alone names nothing, the thing does; but "merge" or "refund" names what few operations do.
    const isCommon = verb !== undefined && verb !== 'act';
    return {
      stem,
      weight: index.weight(stem) * (isCommon && hasThing ? 0.5 : 1),
      related: relatedTo(stem),
      verb: isCommon ? verb : undefined,
    };
  });
  return { terms, verb: findVerb(words, stems[0] ?? ''), many: asksForMany(words) };
}

/** The first word may say what is to be done; a verb further on may well be a noun (`list pull request comments`). */
function findVerb(words: readonly string[], first: string): Verb | undefined {
  if (ASKING.has(words[0] ?? '')) return 'get';
  // `frobnicate the thing`: a word before an article is a verb, whether we know it or not.
  return verbOfWord(first) ?? (ARTICLES.has(words[1] ?? '') ? 'act' : undefined);
}

/** `all users`, `secrets of a repository`: many; `an issue`, `the latest release`: one. */
function asksForMany(words: readonly string[]): boolean | undefined {
  if (words.some((word) => word === 'all' || word === 'every' || word === 'list')) return true;
  const end = words.findIndex((word, place) => place > 0 && PREPOSITIONS.has(word));
  const thing = end < 0 ? words : words.slice(0, end);
  if (thing.some((word) => word === 'a' || word === 'an' || word === 'this')) return false;
  return thing.some(isPlural) ? true : undefined;
}

function propose(index: Index, terms: readonly Term[]): { entry: Entry; score: number }[] {
  const queries = terms.flatMap(({ stem, related }) => {
    // Guessing is for words nobody uses: it is slow, and it blurs the ones that are known.
    const guess = !index.knows(stem) && stem.length >= 3;
    return [
      { queries: [stem], prefix: guess, fuzzy: guess && (stem.length < 8 ? 1 : 2) },
      { queries: [...related].filter(index.knows), boostTerm: () => 0.4 },
    ];
  });
  const results = index.mini.search({ combineWith: 'OR', queries, boost: BOOST }).slice(0, MAX_CANDIDATES);
  return results.map(({ id, score }) => ({ entry: index.entries[id as number]!, score: score / results[0]!.score }));
}

/** How much of the question is met, how much of the operation is unasked for, and whether it does what is to be done. */
function rank(index: Index, { terms, verb, many }: Question, entry: Entry): number {
  const { endpoint } = entry.operation;
  const weigh = (word: string) => index.weight(word) * (verbOfWord(word) === undefined ? 1 : 0.3);
  const isAsked = (word: string) => terms.some(({ stem, related }) => stem === word || related.has(word));
  const coverage = sum(terms, (term) => term.weight * strength(term, entry)) / sum(terms, ({ weight }) => weight);
  const focus = sum(entry.head, (word) => (isAsked(word) ? weigh(word) : 0)) / (sum(entry.head, weigh) || 1);
  const isRead = endpoint.effect === 'read';
  const intent = verb === undefined ? 0 : agrees(verb, entry.verbs) ? 1 : -1;
  // Only reads give one or many.
  const number = many === undefined || !isRead ? 0 : entry.verbs.has('list') === many ? 1 : -1;
  const isTarget = terms.some(({ stem }) => stem === entry.target);
  return (
    coverage +
    0.45 * focus +
    0.2 * intent +
    0.08 * number +
    (isTarget ? 0.18 : 0) -
    (endpoint.deprecated ? 0.15 : 0) -
    0.008 * endpoint.path.split('/').length
  );
}

function sum<Item>(items: Iterable<Item>, weigh: (item: Item) => number): number {
  return [...items].reduce((total, item) => total + weigh(item), 0);
}

/** How well an operation meets one word: where it says it, or says something like it. */
function strength({ stem, related, verb }: Term, { head, path, more, verbs }: Entry): number {
  if (head.has(stem)) return 1;
  if (path.has(stem)) return 0.95;
  if (verb !== undefined && agrees(verb, verbs)) return 0.9;
  if ([...related].some((word) => head.has(word) || path.has(word))) return 0.7;
  if (isNear(stem, head)) return 0.6;
  return more.has(stem) ? 0.55 : 0;
}

function agrees(verb: Verb, verbs: ReadonlySet<Verb>): boolean {
  return verbs.has(verb) || (verb === 'get' && verbs.has('list')) || (verb === 'list' && verbs.has('get'));
}

/** A typing mistake or a longer form away. */
function isNear(word: string, words: ReadonlySet<string>): boolean {
  if (word.length < 3) return false;
  return [...words].some(
    (other) =>
      other.length >= 4 &&
      ((word.length >= 4 && (other.startsWith(word) || word.startsWith(other))) || editDistance(word, other, 2) < 2),
  );
}
