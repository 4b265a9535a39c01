// Interprets a search request in everyday language: what is to be done, and to what.

import type { Verb } from '../../endpoint/conventions/lexicon.ts';
import { isPlural, isStopWord, joinNeighbours, splitWords, stem } from './search-words.ts';
import { relatedTo, spellOut } from './synonyms.ts';
import { findPhrase, isPlainVerb, verbOfWord } from './verbs.ts';

export interface SearchRequest {
  readonly terms: readonly Term[];
  /** What is to be done; empty if no word names it. */
  readonly verbs: readonly Verb[];
  /** Whether many things are meant or one. */
  readonly many: boolean | undefined;
}

/** One word of the request, and the words that may replace it. */
export interface Term {
  /** Stems of the word itself: as it was typed, spelled out, or joined with a neighbouring word. */
  readonly stems: readonly string[];
  readonly related: ReadonlySet<string>;
  /** Its importance, apart from how rare it is. */
  readonly factor: number;
}

const MAX_TEXT = 400;
const MAX_TERMS = 16;

/** Measured on requests about real documents: nouns count more than verbs, pronouns least. */
const FACTOR = { thing: 1, telling: 0.75, phrase: 0.85, tail: 0.8, aside: 0.5, question: 0.7, plain: 0.2, hint: 0.2 };

/** Phrases at the start of a request, before its real content. */
const LEADS = [
  /^(?:hi|hey|hello|okay|ok|please|just|so|and|then|also|now|lets|let s|go ahead and|help me(?: to)?|(?:try|remember|be sure) to) /,
  /^(?:(?:can|could|would|will) (?:you|i|we)|how (?:(?:do|can|would|could) (?:i|we|you)|to)|(?:it s )?time to|are you able to) /,
  /^(?:i|we) (?:(?:(?:d|would) )?(?:want|need|like|love|have|wish)(?: you)? to|want|need|should|must|(?:d|would) like|ve got to) /,
  /^(?:is (?:there a way|it possible) to|(?:i (?:am|m) )?(?:trying|going) to) /,
];

const toSet = (words: string): ReadonlySet<string> => new Set(words.split(' '));
const ASKING = toSet('is are does do did has have had was were who what which whose when where how why any');
const MANY = toSet('all every list which who many everything everyone');
const PREPOSITIONS = toSet('of for in on from to by with at into');
/** Words that stand before a noun. */
const DETERMINERS = toSet(
  'a an the my our your his her its their this that these those some any new another of for in on with by every all each old',
);

/** Words for who or how many, and the words that documents use for them. */
const HINTS: ReadonlyMap<string, readonly string[]> = new Map(
  Object.entries({
    'user member':
      'who someone somebody anyone anybody everyone everybody people person guy colleague teammate coworker friend',
    'authenticated current me own self my': 'i me my mine myself',
    location: 'where',
    'bulk batch multiple many': 'bunch multiple several couple once batch bulk',
  }).flatMap(([meaning, words]) => words.split(' ').map((word) => [word, meaning.split(' ').map(stem)])),
);

/** Example values in a request, and the words that documents use for them. */
const VALUES: readonly (readonly [RegExp, string])[] = [
  [/\b[\w.-]{1,64}@[\w-]{1,64}\.[\w.-]{1,64}/g, ' email '],
  [/\bhttps?:\/\/[^\s,]{1,300}/g, ' url '],
  [/\b\d{1,3}(?:\.\d{1,3}){3}\/\d{1,2}\b/g, ' prefix '],
  [/\b\d{1,3}(?:\.\d{1,3}){3}\b/g, ' ip '],
  [/(?<=^|\s)#[a-z][\w-]{0,60}/gi, ' channel '],
  [/(?<=^|\s)@[a-z][\w-]{0,60}/gi, ' user '],
  [/[$€£]\s?\d[\d.,]{0,20}|\b\d[\d.,]{0,20}\s?(?:dollars|bucks|euros?|pounds|usd|eur|gbp)\b/gi, ' amount '],
];

/** Words that begin a reason, a purpose or a condition; those of RELATIVE only before one of SUBJECTS. */
const ASIDE = toSet(
  'so because since before after until till while unless though although cause if when once whenever as',
);
const RELATIVE = toSet('that who which where');
const SUBJECTS = toSet(
  'i we you he she they it nobody everyone everybody someone is are was were has have can could will would should never',
);
const MIN_CLAUSE = 3;
const ASIDE_RANK = 2;

/**
 * The clauses of a sentence, commands and questions first. The others give reasons; their verbs do not say what is to be done.
 */
function toClauses(text: string): { words: readonly string[]; rank: number }[] {
  const wording = VALUES.reduce((rest, [value, name]) => rest.replace(value, name), text.slice(0, MAX_TEXT));
  const clauses: { words: readonly string[]; rank: number }[] = [];
  const add = (words: readonly string[]) => {
    const rank = ASIDE.has(words[0]!) ? ASIDE_RANK : asksOrCommands(words) ? 0 : 1;
    clauses.push({ words, rank });
  };
  for (const part of wording.split(/[,;:!?()—]|\.\s|\s[-–]\s/)) {
    const words = withoutLeads(splitWords(part));
    let start = 0;
    for (const [place, word] of words.entries()) {
      if (place - start < MIN_CLAUSE) continue;
      if (!ASIDE.has(word) && !(RELATIVE.has(word) && SUBJECTS.has(words[place + 1] ?? ''))) continue;
      add(words.slice(start, place));
      start = place;
    }
    if (start < words.length) add(words.slice(start));
  }
  return clauses.sort((a, b) => a.rank - b.rank);
}

function asksOrCommands(words: readonly string[]): boolean {
  const stems = words.map(stem);
  return isQuestion(words) || verbOfWord(stems[0]!) !== undefined || findPhrase(stems, 0) !== undefined;
}

export function interpretRequest(text: string): SearchRequest {
  const terms = new Map<string, Term>();
  const add = (own: readonly string[], relatives: Iterable<string>, factor: number) => {
    if (terms.size >= MAX_TERMS || (terms.get(own[0]!)?.factor ?? 0) >= factor) return;
    terms.set(own[0]!, { stems: own, related: new Set(relatives), factor });
  };
  const clauses = toClauses(text);
  let verbs: readonly Verb[] = [];
  for (const { words, rank } of clauses) {
    const share = rank === ASIDE_RANK ? FACTOR.aside : 1;
    verbs = readClause(words, verbs, (own, relatives, factor) => add(own, relatives, share * factor));
  }
  return { terms: [...terms.values()], verbs, many: asksForMany(clauses[0]?.words ?? []) };
}

/** Adds the words of a clause. Returns what is to be done, if no earlier clause has said it. */
function readClause(words: readonly string[], before: readonly Verb[], add: Add): readonly Verb[] {
  const stems = words.map(stem);
  let verbs: readonly Verb[] = before.length === 0 && isQuestion(words) ? ['get', 'list'] : before;
  const takenPlaces = new Set<number>();
  /** Lower after a preposition, because what follows is less important: `on the server`, `for my mother`. */
  let tail = 1;
  let hasThing = false;
  for (const [place, word] of words.entries()) {
    if (hasThing && PREPOSITIONS.has(word)) tail = FACTOR.tail;
    if (takenPlaces.has(place)) continue;
    const isUnknown = place === 0 && isUnknownVerb(words, stems);
    const match = findPhrase(stems, place, isUnknown);
    // A phrase of one word counts as a verb only if there is no other verb.
    if (match && (match.places.length > 1 || verbs.length === 0)) {
      for (const at of match.places) takenPlaces.add(at);
      if (verbs.length === 0 || (place === 0 && before.length === 0)) verbs = match.phrase.verbs;
      const { meaning } = match.phrase;
      if (meaning.length > 0) add(meaning, [], verbs.includes('list') ? FACTOR.question : FACTOR.phrase);
      // A verb without a known meaning may still be a word of the documents.
      if (!isUnknown) continue;
    }
    const hint = HINTS.get(word);
    if (hint) add(hint, [], FACTOR.hint);
    if (hint || isStopWord(word)) continue;
    const isCommand = isVerb(words, place);
    const verb = isCommand ? verbOfWord(stems[place]!) : undefined;
    if (verbs.length === 0 && isCommand && isReversal(words, place)) verbs = ['delete', 'act'];
    else if (verbs.length === 0 && verb !== undefined) verbs = [verb];
    hasThing ||= verb === undefined;
    if (isPlainVerb(stems[place]!)) add([stems[place]!], [], FACTOR.plain);
    else addThing(words, place, tail * (verb === undefined ? FACTOR.thing : FACTOR.telling), add);
  }
  // `frobnicate the thing`: a word before an article is a verb, even an unknown one.
  return verbs.length === 0 && isUnknownVerb(words, stems) ? ['act'] : verbs;
}

const OBJECTS = toSet('me him them us it everyone everybody someone somebody');

function isUnknownVerb(words: readonly string[], stems: readonly string[]): boolean {
  const [first = '', second = ''] = words;
  if (verbOfWord(stems[0] ?? '') !== undefined || isPlural(first)) return false;
  return DETERMINERS.has(second) || OBJECTS.has(second);
}

type Add = (own: readonly string[], relatives: Iterable<string>, factor: number) => void;

function addThing(words: readonly string[], place: number, factor: number, add: Add): void {
  const word = words[place]!;
  const long = spellOut(word) ?? [];
  if (long.length > 1) {
    for (const part of long) add([stem(part)], relatedTo(stem(part)), FACTOR.thing);
    return;
  }
  const neighbours = [joinNeighbours(words[place - 1], word), joinNeighbours(word, words[place + 1])];
  const own = [...new Set([word, ...long, ...neighbours].map(stem))];
  add(
    own,
    own.flatMap((one) => [...relatedTo(one)]),
    factor,
  );
}

function withoutLeads(words: readonly string[]): readonly string[] {
  let rest = words.join(' ');
  for (let lead = LEADS.find((one) => one.test(rest)); lead; lead = LEADS.find((one) => one.test(rest))) {
    rest = rest.replace(lead, '');
  }
  return rest === '' ? [] : rest.split(' ');
}

/** `is it there`, `which ones`; but `have a look` and `do the dishes` are commands. */
function isQuestion([first = '', second = '']: readonly string[]): boolean {
  return ASKING.has(first) && !((first === 'have' || first === 'do') && DETERMINERS.has(second));
}

/** The first word is a command. Later words are verbs only in their bare form and not after an article or preposition. */
function isVerb(words: readonly string[], place: number): boolean {
  if (place === 0 && DETERMINERS.has(words[1] ?? '')) return true;
  if (/(?:ment|ion|ing)s?$/.test(words[place]!)) return false;
  return place === 0 || (!DETERMINERS.has(words[place - 1]!) && !/(?:ed|s)$/.test(words[place]!));
}

/** `stop watching it`, `unpin it`. */
function isReversal(words: readonly string[], place: number): boolean {
  const word = words[place]!;
  if (word === 'stop') return words[place + 1]?.endsWith('ing') === true;
  return word.startsWith('un') && verbOfWord(stem(word.slice(2))) !== undefined;
}

/** `all users`, `secrets of a repository`: many; `an issue`, `the latest release`: one. */
function asksForMany(words: readonly string[]): boolean | undefined {
  if (words.some((word) => MANY.has(word))) return true;
  const end = words.findIndex((word, place) => place > 0 && PREPOSITIONS.has(word));
  const thing = end < 0 ? words : words.slice(0, end);
  if (thing.some((word) => word === 'a' || word === 'an' || word === 'this')) return false;
  return thing.some((word) => isPlural(word) || (word.endsWith('s') && spellOut(word))) ? true : undefined;
}
