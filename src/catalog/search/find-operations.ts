// From a question to the operations that answer it: MiniSearch proposes, then the whole question is weighed against what
// each operation says it is.
import { editDistance } from '../../endpoint/edits.ts';
import type { Effect } from '../../endpoint/model.ts';
import type { CatalogOperation } from '../tree.ts';
import type { Entry, Index } from './search-index.ts';
import { splitWords, toStems } from './search-words.ts';
import { relatedTo, spellOut } from './synonyms.ts';
import { isPlural, type Verb, verbOfWord } from './verbs.ts';

export interface SearchFilter {
  readonly domain?: string | undefined;
  readonly effect?: Effect | undefined;
}

const MAX_TERMS = 16;
const MAX_CANDIDATES = 150;
const BOOSTS = { name: 3, summary: 3, path: 2, tags: 1.5, text: 1, args: 0.5 };

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

const SELF = new Set(['my', 'me', 'mine']);
const WHOSE = new Set(toStems('authenticated user'));
const ASKING = new Set('is are does do did has have who what which when where how'.split(' '));
const ARTICLES = new Set(['a', 'an', 'the', 'my', 'this', 'on', 'to']);
const PREPOSITIONS = new Set(['of', 'for', 'in', 'on', 'from', 'to', 'by', 'with']);

function readQuestion(index: Index, query: string): Question {
  const raw = splitWords(query);
  const words = spellOut(raw);
  const stems = [...new Set(toStems(words.join(' ')))].slice(0, MAX_TERMS);
  const verb = findVerb(words, stems);
  const hasThing = stems.some((one) => verbOfWord(one) === undefined);
  // "My" hints at whose it is; it is not what is asked for.
  const isOwn = raw.some((word) => SELF.has(word));
  const terms = stems.map((one) => {
    const own = verbOfWord(one);
    // "Create" alone names nothing, the thing does; but "merge" or "refund" names what few operations do.
    const factor = (own !== undefined && own !== 'act' && hasThing ? 0.5 : 1) * (isOwn && WHOSE.has(one) ? 0.35 : 1);
    return {
      stem: one,
      weight: index.weight(one) * factor,
      related: relatedTo(one),
      verb: own === verb && own !== 'act' ? own : undefined,
    };
  });
  return { terms, verb, many: asksForMany(words) };
}

/** The first verb is what is to be done; one further on may well be a noun (`list pull request comments`). */
function findVerb(words: readonly string[], stems: readonly string[]): Verb | undefined {
  if (ASKING.has(words[0] ?? '')) return 'get';
  const first = verbOfWord(stems[0] ?? '');
  if (first !== undefined) return first;
  // `frobnicate the thing`: a word before an article is a verb, whether we know it or not.
  if (ARTICLES.has(words[1] ?? '')) return 'act';
  return stems.map(verbOfWord).find((verb) => verb !== undefined && verb !== 'act');
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
    const others = [...related].filter(index.knows).join(' ');
    // Guessing is for words nobody uses: it is slow, and it blurs the ones that are known.
    const guess = !index.knows(stem) && stem.length >= 3;
    const own = { queries: [stem], boost: BOOSTS, prefix: guess, fuzzy: guess && (stem.length < 8 ? 1 : 2) };
    return others === '' ? [own] : [own, { queries: [others], boost: BOOSTS, boostTerm: () => 0.4 }];
  });
  const results = index.mini.search({ combineWith: 'OR', queries });
  const best = results[0]?.score ?? 1;
  return results
    .slice(0, MAX_CANDIDATES)
    .map(({ id, score }) => ({ entry: index.entries[id as number]!, score: score / best }));
}

/** How much of the question is met, how much of the operation is unasked for, and whether it does what is to be done. */
function rank(index: Index, question: Question, entry: Entry): number {
  const { terms, verb, many } = question;
  const { endpoint } = entry.operation;
  const total = terms.reduce((sum, term) => sum + term.weight, 0);
  const met = terms.reduce((sum, term) => sum + term.weight * strength(term, entry), 0);
  let unasked = 0;
  let all = 0;
  for (const word of entry.head) {
    const weight = index.weight(word) * (verbOfWord(word) === undefined ? 1 : 0.3);
    all += weight;
    if (!terms.some((term) => term.stem === word || term.related.has(word))) unasked += weight;
  }
  const isRead = endpoint.effect === 'read';
  const intent = verb === undefined ? (isRead ? 0.3 : 0) : agrees(verb, entry.verbs) ? 1 : -1;
  // Only reads give one or many.
  const number = many === undefined || !isRead ? 0 : entry.verbs.has('list') === many ? 1 : -1;
  return (
    met / total +
    0.45 * (all === 0 ? 0 : 1 - unasked / all) +
    0.2 * intent +
    0.08 * number +
    (terms.some((term) => term.stem === entry.target) ? 0.18 : 0) -
    0.008 * endpoint.path.split('/').length -
    (endpoint.deprecated ? 0.15 : 0)
  );
}

/** How well an operation meets one word: where it says it, or says something like it. */
function strength({ stem, related, verb }: Term, entry: Entry): number {
  if (entry.head.has(stem)) return 1;
  if (entry.path.has(stem)) return 0.95;
  if (verb !== undefined && agrees(verb, entry.verbs)) return 0.9;
  if (entry.tags.has(stem) || meets(related, entry.head)) return 0.7;
  if (meets(related, entry.path)) return 0.6;
  if (entry.text.has(stem)) return 0.55;
  if (entry.args.has(stem)) return 0.45;
  if (isNear(stem, entry.head)) return 0.6;
  return meets(related, entry.text) ? 0.3 : 0;
}

function agrees(verb: Verb, verbs: ReadonlySet<Verb>): boolean {
  return verbs.has(verb) || (verb === 'get' && verbs.has('list')) || (verb === 'list' && verbs.has('get'));
}

function meets(some: ReadonlySet<string>, others: ReadonlySet<string>): boolean {
  for (const word of some) if (others.has(word)) return true;
  return false;
}

/** A typing mistake or a longer form away. */
function isNear(word: string, words: ReadonlySet<string>): boolean {
  if (word.length < 3) return false;
  for (const other of words) {
    if (other.length < 4) continue;
    if (word.length >= 4 && (other.startsWith(word) || word.startsWith(other))) return true;
    if (editDistance(word, other, 2) < 2) return true;
  }
  return false;
}
