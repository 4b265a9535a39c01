// Shortens long names word by word: the least specific words go first, the verb and the last words stay. The result depends on the
// operation alone, so that adding or removing another one changes no name.
import { fitName } from '../names.ts';
import { nameWords, shortForms } from './lexicon.ts';

/** Verbs that are not nouns as well: `terminate_sessions` is an action, `test_runs` are things. */
const PLAIN_VERBS = nameWords('only-verb');
const VERBS: ReadonlySet<string> = new Set([...PLAIN_VERBS, ...nameWords('verb')]);
/** Nouns before which such a verb is an adjective, not an action: `delete_requests`. */
const HEADS: ReadonlySet<string> = new Set([...nameWords('head')].map((word) => `${word.replace(/y$/, 'ie')}s`));

/** Words that join others. Articles are dropped first, prepositions next. */
const ARTICLES = new Set('a an and for of that the this to which'.split(' '));
const PREPOSITIONS = new Set('as at by from in into on or with within'.split(' '));

/** `api`, `rest`, `v1`, `v1beta1`, `2010-04-01`: words that only mean that this is an API, and which version. */
export const EDITION =
  /^(?:apis?|rest|v\d{1,4}(?:[._]\d{1,4})?(?:(?:alpha|beta|rc)\d{0,3})?|\d{1,4}(?:[._-]\d{1,4}){0,3})$/i;

export function isVerb(word: string): boolean {
  return VERBS.has(word);
}

/** Whether these words are a verb and its objects: `terminate_sessions`. */
export function isVerbWithObjects([verb = '', ...things]: readonly string[]): boolean {
  return PLAIN_VERBS.has(verb) && things.length > 0 && !HEADS.has(things.at(-1)!);
}

/** Words in -s that are no plurals, beside those in -ss, -us and -is. */
const NO_PLURAL = /(?:ss|us|is|series|species|news|https|kubernetes|alias|atlas|canvas|dns|sms|tls|ios|aws)$/;

/** The singular, judged by spelling: `policies` → `policy`, `boxes` → `box`; `status` stays. */
export function toSingular(word: string): string {
  if (word.length < 4 || !word.endsWith('s') || NO_PLURAL.test(word)) return word;
  if (/(?:mov|cook|[^aeiou]t)ies$/.test(word)) return word.slice(0, -1);
  if (word.endsWith('ies')) return `${word.slice(0, -3)}y`;
  return /(?:ss|tus|rus|pus|nus|x|sh|[^a]ch|alias)es$/.test(word) ? word.slice(0, -2) : word.slice(0, -1);
}

export function isPluralWord(word: string): boolean {
  return toSingular(word) !== word;
}

/** Names around an operation. Words of these may be left out of its own name. */
export interface NameContext {
  /** The name of the API. */
  readonly domain: readonly string[];
  /** A word of it that may be left out by itself. */
  readonly brand?: string | undefined;
  /** Its tags, each in words: many ids begin with one. */
  readonly tags: readonly (readonly string[])[];
  /** The path before its last word: what a thing belongs to. */
  readonly path: readonly string[];
  /** The last word of the path, as one: the thing itself. */
  readonly thing: string;
}

const NO_CONTEXT: NameContext = { domain: [], tags: [], path: [], thing: '' };

/**
 * The words as a name of at most `room` characters. `keep` holds the words that distinguish it from other operations. A hash is the
 * last resort, for words that are too long by themselves.
 */
export function shortenName(
  words: readonly string[],
  room: number,
  context: NameContext = NO_CONTEXT,
  keep: ReadonlySet<string> = NO_WORDS,
): string {
  const whole = words.join('_');
  if (whole.length <= room) return whole;
  const parts: (string | undefined)[] = [...words];
  let length = whole.length;
  const verb = words.findIndex(isVerb);
  const isFixed = (index: number) => index === verb || index === words.length - 1;
  for (const selects of dropOrder(words, context)) {
    for (let index = 0; index < words.length && length > room; index++) {
      const word = parts[index];
      if (word === undefined || isFixed(index) || keep.has(words[index]!) || !selects(words[index]!, index)) continue;
      parts[index] = undefined;
      length -= word.length + 1;
    }
    if (length <= room) break;
    if (selects === isArticle) {
      for (const [index, word] of parts.entries())
        if (word !== undefined) parts[index] = shortForms().get(word) ?? word;
      length = joinWords(parts).length;
    }
  }
  return fitName(joinWords(parts), room);
}

const NO_WORDS: ReadonlySet<string> = new Set();

type Selects = (word: string, index: number) => boolean;

const isArticle: Selects = (word) => ARTICLES.has(word);

/** Which words are dropped, in this order. Of each kind the first words go first, because the end of a name is the most specific part. */
function dropOrder(words: readonly string[], { domain, brand, tags, path, thing }: NameContext): Selects[] {
  const singular = words.map(toSingular);
  const tag = Math.max(0, ...tags.map((tagWords) => sharedStart(words, tagWords)));
  const belongsTo = (word: string) =>
    path.some((other) => word === other || (other.length > 3 && word.startsWith(other)));
  const domainPlaces = placesOf(domain, words);
  return [
    isArticle,
    (word) => PREPOSITIONS.has(word),
    (word, index) => word === brand || domainPlaces.has(index),
    (_word, index) => singular.indexOf(singular[index]!, index + 1) > 0,
    (word, index) => index < tag && !EDITION.test(word),
    (word, index) => !EDITION.test(word) && belongsTo(singular[index]!),
    (word) => EDITION.test(word) && !/\d/.test(word),
    // The `collection` of delete_collection_… is in no path.
    (word) => thing.includes(word) && !EDITION.test(word),
    (word) => !EDITION.test(word),
    () => true,
  ];
}

/** The places where all words of a name follow each other: `network` alone does not repeat `network_connectivity`. */
function placesOf(name: readonly string[], words: readonly string[]): ReadonlySet<number> {
  const places = new Set<number>();
  if (name.length === 0) return places;
  for (let start = 0; start + name.length <= words.length; start++) {
    if (name.every((word, offset) => word === words[start + offset]))
      for (const offset of name.keys()) places.add(start + offset);
  }
  return places;
}

/** How many words both begin with. */
function sharedStart(a: readonly string[], b: readonly string[]): number {
  let count = 0;
  while (count < a.length && count < b.length && a[count] === b[count]) count++;
  return count;
}

function joinWords(words: readonly (string | undefined)[]): string {
  return words.filter((word) => word !== undefined).join('_');
}
