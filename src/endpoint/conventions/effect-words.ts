// Where in a name, a path or a sentence the words of the lexicon count as verbs. `delete_points` and `points_delete` delete;
// `list_deleted`, `get_delete_status`, `undelete` and `cancel_deletion` do not.

import { toSnakeCase } from '../names.ts';
import { stripHtml } from './html.ts';
import { effectWords } from './lexicon.ts';

const words = (list: string): ReadonlySet<string> => new Set(list.trim().split(/\s+/));

const DELETIONS = effectWords('deletes');
const DELETION_NOUNS = effectWords('deletion');
const ENDINGS = effectWords('ends');
const GOVERNING_VERBS = effectWords('governs');
const SWITCHES = effectWords('switches');
const HEADS = effectWords('head');
const NOUNS = effectWords('noun');
const LATER_NOUNS = effectWords('noun-later');
const STARTS = effectWords('starts');
const STARTED = effectWords('started');
const FINAL_VERBS = effectWords('final');
const READS = effectWords('reads');
const READS_IN_SENTENCE: ReadonlySet<string> = new Set([...READS, ...effectWords('tells-read')]);
const SURE_CHANGES = effectWords('changes-surely');
const CHANGES: ReadonlySet<string> = new Set([...SURE_CHANGES, ...effectWords('changes')]);
const DATA_CHANGES = effectWords('changes-data');
const ACTIONS = effectWords('acts');
const UPDATES = effectWords('updates');
const ISSUED = effectWords('issued');

/** `drop_off` and `drop_down` are nouns, not deletions. */
const AFTER_DROP = words('off down box in out point points zone zones ship shipping');
/** `stop_and_delete`, `find_one_and_remove`: each part is judged as a separate name. */
const JOINERS = words('and or then');
/** Adverbs and adjectives for how an action is done. */
const MANNERS = words('bulk batch mass multi permanently hard soft force forcibly immediately admin');
/** Words in front of the verb of a sentence: `This endpoint allows you to …`. */
const FILLERS =
  words(`this the a an api endpoint method operation call request route function service resource action it you
  users user to allows allow lets let used use can be will is for permits enables and may deprecated beta experimental
  internal admin only`);

/** `Run a search`, `Perform multiple searches`: the noun is more informative than the verb. */
const RUNS = words('run runs execute executes perform performs multiple');
const SEARCHES = words('search searches lookup count');

/** Whether a word is one of these verbs, also as `deletes`, `flushes`, `empties`. */
function isVerbOf(word: string, verbs: ReadonlySet<string>): boolean {
  if (verbs.has(word)) return true;
  if (word.endsWith('ies') && verbs.has(`${word.slice(0, -3)}y`)) return true;
  return word.endsWith('s') && (verbs.has(word.slice(0, -1)) || (word.endsWith('es') && verbs.has(word.slice(0, -2))));
}

/** What `toSnakeCase` reads of a name. */
const MAX_NAME_CHARS = 512;
/** Characters that are read of a sentence: before and after markup is removed. */
const MAX_SENTENCE_CHARS = 240;
const MAX_TEXT_CHARS = 120;
/** `GET_DeleteVolume`, `post-search`: generated names begin with the method. A `get` in small letters is a verb as well. */
const METHOD_PREFIX = /^(?:(?:GET|HEAD|POST|PUT|PATCH|OPTIONS)[_-]|(?:Post|Put|Patch)(?=[A-Z])|(?:post|put|patch)[_-])/;

/** The words of a name, or of one segment of a path. */
export function toWords(name: string): string[] {
  if (name === '') return [];
  return toSnakeCase(name.slice(0, MAX_NAME_CHARS).replace(METHOD_PREFIX, '')).split('_');
}

/** What is read of a sentence, without markup and without a remark in front. */
function beginningOf(sentence: string): string {
  const text = stripHtml(sentence.slice(0, MAX_SENTENCE_CHARS), false).replace(/^\s*[([][^()[\]]*[)\]]/, (remark) =>
    toSnakeCase(remark).split('_').some(isDeletionVerb) ? remark : ' ',
  );
  return text.slice(0, MAX_TEXT_CHARS);
}

/** The words of a sentence, and where its verb is: after `(Deprecated)`, `This endpoint …`, `Permanently …`. */
function readSentence(sentence: string): { readonly all: readonly string[]; readonly position: number } {
  const all = toSnakeCase(beginningOf(sentence)).split('_');
  const isRun = (word: string, index: number) => RUNS.has(word) && SEARCHES.has(all[index + 2] ?? '');
  const position = all.findIndex((word, index) => !FILLERS.has(word) && !MANNERS.has(word) && !isRun(word, index));
  return { all, position };
}

/** The main verb of a sentence: its first, or a deletion joined to it (`Retrieves and deletes messages`). */
export function verbOf(sentence: string, mayChange: boolean): string {
  if (sentence === '') return '';
  const { all, position } = readSentence(sentence);
  const verb = all[position] ?? '';
  if (isDeletionVerb(verb)) return verb;
  const second = all.find((word, index) => isDeletionVerb(word) && /^(?:and|then)$/.test(all[index - 1] ?? ''));
  const deletion = second ?? (mayChange ? coordinatedDeletion(sentence) : undefined);
  if (deletion !== undefined) return deletion;
  // `Cancel a deletion` keeps what would have been deleted, so it does not count as an ending.
  const isUndone = ENDINGS.has(verb.replace(/s$/, '')) && all.slice(position + 1).some(isDeletionWord);
  return isUndone || (/^resets?$/.test(verb) && all.includes('password')) ? '' : verb;
}

/** `Create, update or delete users`, `Add/remove tags`, `Updates a node and permanently deletes its keys`. */
const COORDINATED =
  /(?:\b(?:and|or|then)\b|[,;/&])\s{0,3}(?:also |then |permanently |optionally )?([a-z]{2,14})\b(?!-)/gi;
/** After these words, the verb is only a possibility: `Grants the permission to read or delete`. */
const NOT_DONE =
  /\b(?:permissions?|whether|rights?|ability|abilities|privileges?|if|when|before|after|unless|without|not)\b/i;
/** Before these words, the verbs are adjectives: `Create update or delete requests`. */
const BEFORE_HEAD = /^\s{1,3}([a-z]{2,14})/i;

function coordinatedDeletion(sentence: string): string | undefined {
  const text = sentence.slice(0, MAX_SENTENCE_CHARS);
  for (const { 0: match, 1: word = '', index } of text.matchAll(COORDINATED)) {
    const verb = word.toLowerCase();
    if (!isDeletionVerb(verb)) continue;
    const [, next = ''] = BEFORE_HEAD.exec(text.slice(index + match.length, index + match.length + 20)) ?? [];
    const isThing = isHead(next.toLowerCase()) || (/^drops?$/.test(verb) && AFTER_DROP.has(next.toLowerCase()));
    if (!isThing && !NOT_DONE.test(text.slice(0, index))) return verb;
  }
  return undefined;
}

const ENDING_WORDS = [...new Set([...DELETIONS, ...DELETION_NOUNS, ...ENDINGS])];
/** Without its last letter, a word is part of its other forms too: `delet` of `deleting`, `empt` of `empties`. */
const ENDING_STEM = new RegExp(
  ENDING_WORDS.flatMap((word) => (word.length > 3 ? word.slice(0, -1) : [])).join('|'),
  'i',
);
/** `rm` and `del` are in every `form` and `model`: they count as words, in every form that `isVerbOf` accepts. */
const SHORT_WORDS = ENDING_WORDS.filter((word) => word.length <= 3);
const SHORT_ENDING = new RegExp(`(?<![a-z])(?:${SHORT_WORDS.join('|')})(?:e?s)?(?![a-z])`, 'i');
/** In names, a capital begins a word as well: `addDel`, `delTags`, `addDELTags`. */
const SHORT_IN_NAME = new RegExp(
  SHORT_WORDS.flatMap((word) => {
    const capital = word[0]!.toUpperCase() + word.slice(1);
    return [`(?<![A-Za-z])${word}(?:e?s)?(?=[A-Z])`, `${capital}(?:e?s)?(?![a-z])`, word.toUpperCase()];
  }).join('|'),
);
/** What has to be decoded before it is read: letters outside ASCII, markup and entities. */
const ENCODED = /[^ -;=?-~]|&[#a-z]/i;

/** Whether a text may name a deletion or an ending. All of it is searched. */
function mayDelete(text: string): boolean {
  return ENDING_STEM.test(text) || SHORT_ENDING.test(text) || SHORT_IN_NAME.test(text) || ENCODED.test(text);
}

/**
 * A quick test that avoids splitting most names into words. False is certain, true is not. It reads only as much of the name as the
 * full check does, because a word that is cut off may be another one: `deliver` → `del`.
 */
export function nameMayDelete(name: string): boolean {
  return mayDelete(name.slice(0, MAX_NAME_CHARS));
}

/** The same for a path. Each segment is cut separately, so a long path has to be read. */
export function pathMayDelete(path: string): boolean {
  return path.length > MAX_NAME_CHARS || mayDelete(path);
}

/** The same for a sentence. It has two limits: `coordinatedDeletion` reads further than `readSentence`. */
export function sentenceMayDelete(sentence: string): boolean {
  if (mayDelete(sentence.slice(0, MAX_SENTENCE_CHARS))) return true;
  return sentence.length > MAX_TEXT_CHARS && mayDelete(beginningOf(sentence));
}

/** `This cannot be undone`. */
const FINAL =
  /\b(?:irreversibl[ey]|irrecoverabl[ey]|unrecoverabl[ey]|destructive|permanently|(?:can ?not|can't|can never) be (?:undone|reversed|reverted|recovered|restored|undeleted))\b/gi;
/** `non-destructive`, `does not permanently delete`. */
const NEGATED = /\b(?:non|not|never|without|nor|no|isn't|doesn't|won't)[ -]{1,2}(?:a |being )?$/i;

/** The words of a summary, or of the beginning of a description, that say the change cannot be undone. */
export function irreversibleIn(text: string): string | undefined {
  const beginning = text.slice(0, MAX_FINAL_CHARS);
  for (const { 0: words, index } of beginning.matchAll(FINAL))
    if (!NEGATED.test(beginning.slice(Math.max(0, index - 20), index))) return words;
  return undefined;
}

const MAX_FINAL_CHARS = 400;

function isDeletionVerb(word: string): boolean {
  return isVerbOf(word, DELETIONS);
}

/** After these words comes a noun: `Search for issues`, `Count the updates of a set`. */
const BEFORE_THINGS = words('a an the of for by in with from each all any multiple');

/** Whether a sentence describes a read and nothing else. */
export function describesOnlyRead(sentence: string): boolean {
  const { all, position } = readSentence(sentence);
  if (meaningOf(all[position] ?? '') !== 'reads') return false;
  return !all.some((word, index) => {
    if (index <= position) return false;
    if (isAnyFormOf(word, DELETIONS) || isAnyFormOf(word, ENDINGS) || DELETION_NOUNS.has(word) || word === 'creation')
      return true;
    // `List tags`
    const isThing = BEFORE_THINGS.has(all[index - 1]!) || (index === position + 1 && word.endsWith('s'));
    return !isThing && isAnyFormOf(word, CHANGES);
  });
}

const MAX_DESCRIPTION_CHARS = 600;
/** Words before a verb for what the operation does. */
const BEFORE_VERBS = words('will also and or then which it this may can');

/** Whether a description mentions a change after its first verb: `it will alter the state of the queue`. */
export function describesChange(description: string): boolean {
  const all = toSnakeCase(description.slice(0, MAX_DESCRIPTION_CHARS)).split('_');
  return all.some((word, index) => {
    const isVerb = BEFORE_VERBS.has(all[index - 1] ?? '');
    return isVerb && (isAnyFormOf(word, DELETIONS) || isAnyFormOf(word, DATA_CHANGES));
  });
}

/** The same, also as `removing` or `marking`. */
function isAnyFormOf(word: string, verbs: ReadonlySet<string>): boolean {
  if (!word.endsWith('ing')) return isVerbOf(word, verbs);
  const stem = word.slice(0, -3);
  return verbs.has(stem) || verbs.has(`${stem}e`) || verbs.has(stem.slice(0, -1));
}

function isDeletionWord(word: string): boolean {
  return DELETION_NOUNS.has(word) || DELETIONS.has(word);
}

/** The effect that the verb of a sentence indicates. */
export function meaningOf(verb: string): 'deletes' | 'ends' | 'reads' | 'changes' | undefined {
  if (verb === '') return undefined;
  if (isVerbOf(verb, DELETIONS) || verb === 'deleting' || verb === 'removing') return 'deletes';
  if (verb !== 'empty' && verb !== 'void' && isVerbOf(verb, ENDINGS)) return 'ends';
  if (isVerbOf(verb, READS_IN_SENTENCE)) return 'reads';
  return isVerbOf(verb, CHANGES) ? 'changes' : undefined;
}

/** Whether a name deletes. `mayChange`: the method may change data, so that doubts make it stricter. */
export function namesDeletion(name: readonly string[], mayChange: boolean): boolean {
  let rest = name;
  for (;;) {
    const at = rest.findIndex((word) => JOINERS.has(word));
    if (deletes(at < 0 ? rest : rest.slice(0, at), mayChange)) return true;
    if (at < 0) return false;
    rest = rest.slice(at + 1);
  }
}

function deletes(name: readonly string[], mayChange: boolean): boolean {
  const at = findDeletion(name);
  if (at < 0) return mayChange && startsDeletion(name);
  const before = name.slice(0, at);
  const isLast = at === name.length - 1 && !before.includes('auto');
  const isThing = (word: string, index: number) =>
    mayChange && (NOUNS.has(word) || (LATER_NOUNS.has(word) && (index > 0 || isLast)));
  const isOther = before.some((word, index) => GOVERNING_VERBS.has(word) && !isThing(word, index));
  if (isOther) return mayChange && startsDeletion(name);
  if (name[at + 1] === 'protection' && before.some((word) => SWITCHES.has(word))) return false;
  return mayChange || !isHead(name[at + 1]) || !READS.has(name.at(-1)!);
}

function findDeletion(name: readonly string[]): number {
  return name.findIndex((word, at) => DELETIONS.has(word) && !(word === 'drop' && AFTER_DROP.has(name[at + 1] ?? '')));
}

function isHead(word = ''): boolean {
  return HEADS.has(word) || HEADS.has(word.replace(/s$/, '')) || word === 'policies';
}

/** Whether a path segment is a thing about deletions: `delete-requests`, `remove-token`. */
export function isDeletionThing(segment: readonly string[]): boolean {
  const at = findDeletion(segment);
  return at === segment.length - 2 && (isHead(segment[at + 1]) || segment[at + 1] === 'token');
}

function startsDeletion(name: readonly string[]): boolean {
  const at = name.findIndex((word) => DELETION_NOUNS.has(word));
  if (at < 0) return false;
  const before = name.slice(0, at);
  const after = name.slice(at + 1).filter((word) => !STARTED.has(word.replace(/s$/, '')));
  // `account_deletion` without a verb: a POST starts it.
  const isOther = before.some((word) => (GOVERNING_VERBS.has(word) || SWITCHES.has(word)) && !STARTS.has(word));
  const isStarted = before.some((word) => STARTS.has(word)) || /(?:ion|al|ure)$/.test(name[at]!);
  return after.length === 0 && !isOther && isStarted;
}

/** Whether a name ends something for good, by its first or its last word. */
export function namesEnding(name: readonly string[]): boolean {
  if (name.some((word, index) => index > 0 && isDeletionWord(word))) return false;
  // Part of recovering a forgotten password: requesting a reset destroys nothing.
  if (name.includes('reset') && (name.includes('password') || name.includes('confirm'))) return false;
  const verbs = name.filter((word) => !MANNERS.has(word));
  const last = verbs.pop() ?? '';
  if (ENDINGS.has(verbs[0] ?? last)) return !FINAL_VERBS.has(last) && !(last === 'update' && verbs.length > 1);
  const others = [GOVERNING_VERBS, SWITCHES, STARTS];
  return ENDINGS.has(last) && !verbs.some((word) => others.some((list) => list.has(word)));
}

/** Whether a name can only mean a read: `search_points`. A `price_list` and a `saved_search` are nouns. */
export function namesRead(name: readonly string[]): boolean {
  const verbs = name.filter((word) => !MANNERS.has(word));
  return READS.has(verbs[0] ?? '') && !verbs.some(isNoRead);
}

/** Whether a name may be that of a read: one of its words indicates it, and none contradicts it. */
export function mentionsRead(name: readonly string[]): boolean {
  return name.some((word) => READS.has(word)) && !name.some(isNoRead);
}

function isNoRead(word: string): boolean {
  return CHANGES.has(word) || isDeletionWord(word) || ENDINGS.has(word) || ISSUED.has(word);
}

/** Whether a GET of this name changes something. */
export function namesChange(name: readonly string[]): boolean {
  return SURE_CHANGES.has(name[0] ?? '') && !name.some((word) => READS.has(word));
}

/** Whether a path segment is an action and nothing else: `logout`, `sign-out`, `force-restart`. */
export function isActionSegment(segment: readonly string[]): boolean {
  return segment.length > 0 && ACTIONS.has(segment.filter((word) => !MANNERS.has(word)).join(''));
}

/** Whether a name or segment begins or ends with an action. Words that may also be nouns do not count beside a reading verb. */
export function mentionsAction(name: readonly string[]): boolean {
  if (isActionSegment(name) || ACTIONS.has(name[0] ?? '')) return true;
  const isAction = (word = '') => [ACTIONS, CHANGES, DELETIONS, ENDINGS].some((list) => list.has(word));
  return (isAction(name[0]) || isAction(name.at(-1))) && !name.some((word) => READS_IN_SENTENCE.has(word));
}

/** Whether a name means that something gets another value. */
export function namesUpdate(name: readonly string[]): boolean {
  return UPDATES.has(name[0] ?? '') || UPDATES.has(name.at(-1) ?? '');
}

export function beginsWithRead(name: readonly string[]): boolean {
  return READS_IN_SENTENCE.has(name[0] ?? '');
}

/** Whether a name contains a word for a deletion, as a verb or as a noun. */
export function mentionsDeletion(name: readonly string[]): boolean {
  return name.some(isDeletionWord);
}

/** Whether the only verb of a read is `query`: a query may be a statement in a language that can do anything. */
export function isOnlyQuery(name: readonly string[]): boolean {
  return !name.some((word) => word !== 'query' && READS.has(word));
}

/** A path segment that is a deletion and nothing else: `delete`, `bulk-delete`. */
export function isDeletionSegment(segment: readonly string[]): boolean {
  const verbs = segment.filter((word) => !MANNERS.has(word));
  return verbs.length > 0 && verbs.every((word) => DELETIONS.has(word));
}
