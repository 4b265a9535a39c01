// Splits names, paths, texts and requests into words, and stems them, in the same way for operations and requests.

const STOP = new Set(
  (
    'a an the of for to in on at with by from and or as is are be been being was were am it its this that these those i me my we us ' +
    'our you your he she his her him they their them want need would like how do does did can could should may might will please ' +
    'some any into onto about out up off there here what which whose when where who why given specified specific using via use ' +
    'used based much many have has had got exist all every each s t d m ve re ll not no if then than so but just only also too ' +
    'right now one ones something anything everything stuff bunch bit lot over under again still already let lets go going come ' +
    'goes take takes bring keep thanks thank today tomorrow soon whom nobody none until while because most more less least very ' +
    'really even ever never else instead without back don doesn didn isn aren wasn won hasn haven couldn shouldn wouldn wants ' +
    'needs wanted needed gets getting yet anymore actually maybe quickly finally somehow asap folks guys thing things sure okay ' +
    'ok mr mrs whole same few old'
  ).split(' '),
);

/** Whether a word carries no meaning, in names and in requests. */
export function isStopWord(word: string): boolean {
  return STOP.has(word);
}

/** Words in the plural that mean one thing. */
const SINGLE = new Set(['contents', 'details', 'settings', 'stats', 'statistics', 'analytics', 'news']);

/** Whether a word is in the plural, judged by its ending. */
export function isPlural(word: string): boolean {
  return word.length > 3 && /[^siu]s$/i.test(word) && !SINGLE.has(word.toLowerCase());
}

/** Characters that are read of a text, and of a word. */
const MAX_TEXT = 400;
const MAX_LONG_TEXT = 2_000;
const MAX_WORD = 40;

/** Lower-case words: camelCase, snake_case, paths and prose alike. */
export function splitWords(text: string): string[] {
  return runsOf(text, MAX_TEXT).flatMap(splitRun);
}

/** The runs of letters and digits. How each of them is split does not depend on the others. */
function runsOf(text: string, limit: number): string[] {
  return text.slice(0, limit).match(/[\p{L}\p{N}_'’]+/gu) ?? [];
}

function splitRun(run: string): string[] {
  const words = run
    // PRs, IDs, APIs: one word each.
    .replace(/\b[A-Z]{2,}s\b/g, (word) => word.toLowerCase())
    .replace(/([a-z\d])([A-Z])/g, '$1 $2')
    .replace(/([A-Z])(?=[A-Z][a-z])/g, '$1 ')
    .toLowerCase()
    .replace(/['’]s\b/g, '')
    .match(/[\p{L}\p{N}]+/gu);
  return (words ?? []).map((word) => word.slice(0, MAX_WORD));
}

/** Two neighbouring words as one: `web hook` may be a webhook. */
export function joinNeighbours(left = '', right = ''): string {
  return (left + right).slice(0, MAX_WORD);
}

/** The stems of a text, without words that carry no meaning. */
export function toStems(text: string): string[] {
  return runsOf(text, MAX_TEXT).flatMap(stemsOf);
}

/** The same for a text of several sentences. */
export function toLongStems(text: string): string[] {
  return runsOf(text, MAX_LONG_TEXT).flatMap(stemsOf);
}

/**
 * A catalog has a few thousand different words, each about a hundred times: remembering their stems halves the time to build the
 * index. The limit bounds what the words of requests can add.
 */
const MAX_REMEMBERED = 50_000;
const stemsByRun = new Map<string, readonly string[]>();

function stemsOf(run: string): readonly string[] {
  const before = stemsByRun.get(run);
  if (before !== undefined) return before;
  const stems = splitRun(run)
    .filter((word) => !STOP.has(word))
    .map(stem);
  if (stemsByRun.size < MAX_REMEMBERED && run.length <= MAX_WORD) stemsByRun.set(run, stems);
  return stems;
}

/** Irregular forms. */
const IRREGULAR = new Map(
  `said say/says say/sent send/paid pay/made make/wrote write/written write/bought buy/told tell/left leave/built build/ran run/saw see/seen see/gave give/
took take/taken take/kept keep/found find/spent spend/sold sell/held hold/hidden hide/chose choose/broke break/broken break/forgot forget/forgotten forget/
children child/people person/men man/women woman/indices index/indexes index/matrices matrix/criteria criterion/statuses status/lives live/shown show/drawn draw/drew draw`
    .split(/[/\n]+/)
    .map((row) => row.split(' ') as [string, string]),
);

/**
 * A light stemmer: `creates`, `creating`, `created` and `creation` become `creat`, like `create`. The stems need not be words. They
 * have to be the same for operations and requests, and different for words with different meanings.
 */
export function stem(form: string): string {
  const word = IRREGULAR.get(form) ?? form;
  if (word.length <= 3 || /\d/.test(word)) return word;
  const single = toAmerican(word)
    .replace(/(?<=ss|sh|ch|x|z)es$|(?<=[^siu])s$/, '')
    .replace(/ie$/, 'y');
  const verb = toVerb(single);
  const base =
    verb.length > 5 && /(?:ing|[^e]ed)$/.test(verb) && /[aeiouy]/.test(verb.slice(0, -3))
      ? verb.replace(/(?:ing|ed)$/, '').replace(/([bdfgmnpr])\1$/, '$1')
      : verb.replace(/(?<=...(?:at|s|t))ion$|(?<=...)ment$/, '');
  return base.length > 3 ? base.replace(/e$/, '').replace(/(?<=[^aeiou])y$/, 'i') : base;
}

/** British spelling becomes American. */
function toAmerican(word: string): string {
  if (word.length <= 5) return word;
  return word.replace(/is(?=(?:e|es|ed|ing|ations?|er)$)/, 'iz').replace(/our(?=(?:s|ed|ing|ites?)?$)/, 'or');
}

/** Nouns become the verbs they are made of: subscription, invitation, notification, collaborator, approval, membership. Adverbs become adjectives. */
function toVerb(word: string): string {
  return word
    .replace(/script(?=ion$)/, 'scrib')
    .replace(/(?<=scrib)ion$/, '')
    .replace(/(?<=.{3})ification$/, 'ify')
    .replace(/(?<=.{4})(?:ations?|ator|ate[ds]?|ating)$/, '')
    .replace(/(?<=ov|ew|iev)al$/, '')
    .replace(/(?<=.{5})ly$/, '')
    .replace(/(?<=.{4})ship$/, '');
}
