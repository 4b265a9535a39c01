// From a question to the operations that answer it: MiniSearch proposes, then the whole question is weighed against what
// each operation says it is.
import type { Effect } from '../../endpoint/model.ts';
import { type Entry, type Index, type Verb, verbOfWord } from './search-index.ts';
import { splitWords, stem, toStems } from './search-words.ts';
import { relatedTo, spellOut } from './synonyms.ts';

export interface SearchFilter {
  readonly domain?: string | undefined;
  readonly effect?: Effect | undefined;
}

const MAX_QUERY = 400;
const MAX_TERMS = 16;
const MAX_CANDIDATES = 150;

/** One word of the question, and how it may be met. */
interface Term {
  readonly stem: string;
  readonly weight: number;
  readonly related: ReadonlySet<string>;
  readonly verb: Verb | undefined;
}

/** The best operations for a question, best first. */
export function findOperations(index: Index, query: string, limit: number, filter: SearchFilter = {}): Entry[] {
  const passes = ({ operation: { endpoint } }: Entry) =>
    (filter.domain === undefined || endpoint.domain === filter.domain) &&
    (filter.effect === undefined || endpoint.effect === filter.effect);
  // A name, an operationId or `GET /path`, typed as it is.
  const exact = [index.byKey.get(query.trim().toLowerCase())].filter(
    (entry) => entry !== undefined && passes(entry),
  ) as Entry[];
  const question = read(index, query);
  if (question.terms.length === 0) return exact.slice(0, limit);
  const proposed = propose(index, question.terms).filter(({ entry }) => passes(entry) && !exact.includes(entry));
  const ranked = proposed
    .map(({ entry, score }) => ({ entry, score: rank(index, question, entry) + 0.15 * score }))
    .sort((a, b) => b.score - a.score || a.entry.id - b.entry.id);
  return [...exact, ...ranked.map(({ entry }) => entry)].slice(0, limit);
}

/** What a question asks for: things, a deed, and whether one thing is meant or many. */
interface Question {
  readonly terms: readonly Term[];
  readonly verb: Verb | undefined;
  readonly many: boolean | undefined;
}

const WHOSE = new Set(['authenticat', 'user'].map(stem));

const ASKING = new Set([
  'is',
  'are',
  'does',
  'do',
  'did',
  'has',
  'have',
  'who',
  'what',
  'which',
  'when',
  'where',
  'how',
]);

function read(index: Index, query: string): Question {
  const raw = splitWords(query.slice(0, MAX_QUERY));
  const words = spellOut(raw);
  // "My" hints at whose it is; it is not what is asked for.
  const hinted = raw.some((word) => word === 'my' || word === 'me' || word === 'mine');
  const stems = [...new Set(toStems(words.join(' ')))].slice(0, MAX_TERMS);
  const verb = wantedVerb(words, stems);
  const named = stems.some((one) => verbOfWord(one) === undefined);
  const terms = stems.map((one) => {
    const own = verbOfWord(one);
    // "Create" alone names nothing, the thing does; but "merge" or "refund" names what few operations do.
    const verbal = own !== undefined && own !== 'act' && named ? 0.5 : 1;
    const weight = index.weight(one) * verbal * (hinted && WHOSE.has(one) ? 0.35 : 1);
    return { stem: one, weight, related: relatedTo(one), verb: own === verb ? own : undefined };
  });
  return { terms, verb, many: wantsMany(words) };
}

/** The first verb is what is wanted; one further on may well be a noun (`list pull request comments`). */
function wantedVerb(words: readonly string[], stems: readonly string[]): Verb | undefined {
  if (ASKING.has(words[0] ?? '')) return 'get';
  const first = verbOfWord(stems[0] ?? '');
  if (first !== undefined) return first;
  // `frobnicate the thing`: a word before an article is a verb, whether we know it or not.
  if (['a', 'an', 'the', 'my', 'this', 'on', 'to'].includes(words[1] ?? '')) return 'act';
  return stems.map(verbOfWord).find((verb) => verb !== undefined && verb !== 'act');
}

/** `all users`, `secrets of a repository`: many; `an issue`, `the latest release`: one. */
function wantsMany(words: readonly string[]): boolean | undefined {
  if (words.some((word) => word === 'all' || word === 'every' || word === 'list')) return true;
  const end = words.findIndex(
    (word, place) => place > 0 && ['of', 'for', 'in', 'on', 'from', 'to', 'by', 'with'].includes(word),
  );
  const thing = end < 0 ? words : words.slice(0, end);
  if (thing.some((word) => word === 'a' || word === 'an' || word === 'this')) return false;
  return thing.some((word) => word.length > 3 && /[^siu]s$/.test(word)) ? true : undefined;
}

function propose(index: Index, terms: readonly Term[]): { entry: Entry; score: number }[] {
  const boosts = { name: 3, summary: 3, path: 2, tags: 1.5, text: 1, args: 0.5 };
  const results = index.mini.search({
    combineWith: 'OR',
    queries: terms
      .map((term) => ({ term, related: [...term.related].filter(index.knows) }))
      .map(({ term, related }) => ({
        combineWith: 'OR',
        queries: [
          {
            queries: [term.stem],
            boost: boosts,
            // Guessing is for words nobody uses: it is slow, and it blurs the ones that are known.
            prefix: !index.knows(term.stem) && term.stem.length >= 3,
            fuzzy: index.knows(term.stem) || term.stem.length < 3 ? false : term.stem.length < 8 ? 1 : 2,
          },
          ...(related.length > 0
            ? [
                {
                  queries: [related.join(' ')],
                  boost: boosts,
                  weights: { fuzzy: 0, prefix: 0 },
                  boostTerm: () => 0.4,
                },
              ]
            : []),
        ],
      })),
  });
  const best = results[0]?.score ?? 1;
  return results.slice(0, MAX_CANDIDATES).map((result) => ({
    entry: index.entries[result.id as number]!,
    score: result.score / best,
  }));
}

/** How much of the question is met, how much of the operation is unasked for, and whether it does what is wanted. */
function rank(index: Index, question: Question, entry: Entry): number {
  const { terms } = question;
  let met = 0;
  let asked = 0;
  for (const term of terms) {
    asked += term.weight;
    met += term.weight * strength(term, entry);
  }
  const coverage = met / asked;
  let unasked = 0;
  let said = 0;
  for (const word of entry.head) {
    const weight = index.weight(word) * (verbOfWord(word) === undefined ? 1 : 0.3);
    said += weight;
    if (!terms.some((term) => term.stem === word || term.related.has(word))) unasked += weight;
  }
  const focus = said === 0 ? 0 : 1 - unasked / said;
  const { endpoint } = entry.operation;
  const depth = endpoint.path.split('/').length;
  return (
    coverage +
    0.45 * focus +
    0.2 * intent(question, entry) +
    0.08 * number(question, entry) +
    (terms.some((term) => term.stem === entry.target) ? 0.18 : 0) -
    0.008 * depth -
    (endpoint.deprecated ? 0.15 : 0)
  );
}

function strength(term: Term, entry: Entry): number {
  if (entry.head.has(term.stem)) return 1;
  if (entry.path.has(term.stem)) return 0.95;
  if (term.verb !== undefined && term.verb !== 'act' && agrees(term.verb, entry.verbs)) return 0.9;
  if (entry.tags.has(term.stem)) return 0.7;
  if (meets(term.related, entry.head)) return 0.7;
  if (meets(term.related, entry.path)) return 0.6;
  if (entry.text.has(term.stem)) return 0.55;
  if (entry.args.has(term.stem)) return 0.45;
  if (near(term.stem, entry.head)) return 0.6;
  return meets(term.related, entry.text) ? 0.3 : 0;
}

/** 1 when the operation does what the question's verb says, -1 when it does something else. */
function intent({ verb }: Question, entry: Entry): number {
  if (verb === undefined) return entry.operation.endpoint.effect === 'read' ? 0.3 : 0;
  return agrees(verb, entry.verbs) ? 1 : -1;
}

/** Whether one is asked for and one is given, or many and many; only reads differ in that. */
function number({ many }: Question, { verbs, operation }: Entry): number {
  if (many === undefined || operation.endpoint.effect !== 'read') return 0;
  return verbs.has('list') === many ? 1 : -1;
}

function agrees(wanted: Verb, given: ReadonlySet<Verb>): boolean {
  if (given.has(wanted)) return true;
  return wanted === 'get' ? given.has('list') : wanted === 'list' && given.has('get');
}

function meets(some: ReadonlySet<string>, others: ReadonlySet<string>): boolean {
  for (const word of some) if (others.has(word)) return true;
  return false;
}

/** A typing mistake or a longer form away. */
function near(word: string, words: ReadonlySet<string>): boolean {
  if (word.length < 3) return false;
  for (const other of words) {
    if (other.length < 4) continue;
    if (word.length >= 4 && (other.startsWith(word) || word.startsWith(other))) return true;
    if (Math.abs(other.length - word.length) <= 1 && distanceOne(word, other)) return true;
  }
  return false;
}

function distanceOne(a: string, b: string): boolean {
  let i = 0;
  while (i < a.length && i < b.length && a[i] === b[i]) i++;
  const [x, y] = [a.slice(i), b.slice(i)];
  return (
    x.slice(1) === y.slice(1) ||
    x.slice(1) === y ||
    x === y.slice(1) ||
    (x.slice(2) === y.slice(2) && x[0] === y[1] && x[1] === y[0])
  );
}
