// What a question wants done and what an operation does, in the few words that APIs have for it.
import type { Endpoint } from '../../endpoint/model.ts';
import { literalSegments } from '../grouped/grouping.ts';
import { stem, toStems } from './search-words.ts';

/** What a call does, as far as its method, path and first word tell. `act` is whatever is none of the others. */
export type Verb = 'get' | 'list' | 'create' | 'update' | 'delete' | 'act';

const WORDS: Readonly<Record<Verb, string>> = {
  get: 'get retrieve read fetch show view check see preview download compare count',
  list: 'list search find browse',
  create: 'create add post new insert register open',
  update: 'update set edit patch put replace modify rename change upgrade downgrade',
  delete: 'delete remove destroy clear revoke erase',
  act:
    'accept approve archive assign attach block cancel capture charge close comment confirm decline deploy disable ' +
    'dismiss enable execute finalize follow fork invite join leave lock mark merge move mute notify pause pay pin ' +
    'protect publish react refund reject reopen reply request rerun reset restart restore resume revert run save ' +
    'schedule send share star start stop submit subscribe suspend sync transfer trigger unlock upload verify void vote',
};

const VERBS: ReadonlyMap<string, Verb> = new Map(
  Object.entries(WORDS).flatMap(([verb, words]) => words.split(' ').map((word) => [stem(word), verb as Verb])),
);

/** What a word asks for, where it is a verb APIs have. */
export function verbOfWord(stemmed: string): Verb | undefined {
  return VERBS.get(stemmed);
}

/** What an operation does: its method and path say most, its own first word may say it better. */
export function verbsOf({ method, path, summary, effect }: Endpoint): ReadonlySet<Verb> {
  const endsInVariable = /\}\/?$/.test(path);
  const first = verbOfWord(toStems(summary)[0] ?? '');
  const verbs = new Set<Verb>(first ? [first] : []);
  if (method === 'DELETE') verbs.add('delete');
  else if (effect === 'read') verbs.add(!endsInVariable && givesMany(path, summary) ? 'list' : 'get');
  else if (method === 'PUT' || method === 'PATCH') verbs.add('update');
  else if (first === undefined) verbs.add(endsInVariable ? 'update' : 'create');
  if (effect !== 'read' && method !== 'DELETE') verbs.add('act');
  return verbs;
}

/** A collection ends in a plural, or says so. */
function givesMany(path: string, summary: string): boolean {
  return isPlural(literalSegments(path).at(-1) ?? '') || /\b(?:lists?|all|search|find)\b/i.test(summary);
}

export function isPlural(word: string): boolean {
  return word.length > 3 && /[^siu]s$/i.test(word);
}
