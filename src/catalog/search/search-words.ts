// Words of names, paths and questions: split, stemmed lightly, and the same for both sides.

const STOP = new Set(
  [
    'a an the of for to in on at with by from and or as is are be been it its this that these those i we you want need',
    'would like how do does can could please some any into onto about out up off there their them what which whose when',
    'where who given specified specific using via use used based much many have has had exist all every each',
  ].flatMap((line) => line.split(' ')),
);

/** Lower-case words: camelCase, snake_case, paths and prose alike. */
export function splitWords(text: string): string[] {
  return (
    text
      // PRs, IDs, APIs: one word each.
      .replace(/\b[A-Z]{2,}s\b/g, (word) => word.toLowerCase())
      .replace(/([a-z\d])([A-Z])/g, '$1 $2')
      .replace(/([A-Z]+)([A-Z][a-z])/g, '$1 $2')
      .toLowerCase()
      .replace(/['’]s\b/g, '')
      .match(/[\p{L}\p{N}]+/gu) ?? []
  );
}

/** Stems without the words that carry no meaning. */
export function toStems(text: string): string[] {
  return splitWords(text)
    .filter((word) => !STOP.has(word))
    .map(stem);
}

/** Words the rules below would get wrong. */
const IRREGULAR: Readonly<Record<string, string>> = {
  settings: 'setting',
  setting: 'setting',
  news: 'news',
  series: 'series',
  status: 'status',
  people: 'person',
  persons: 'person',
  children: 'child',
  indices: 'index',
  indexes: 'index',
  metadata: 'metadata',
  data: 'data',
  media: 'media',
  ran: 'run',
  sent: 'send',
  paid: 'pay',
  got: 'get',
  made: 'make',
  written: 'write',
  wrote: 'write',
  licence: 'licens',
  licences: 'licens',
};

/**
 * A light stemmer: `creates`, `creating`, `created` and `creation` meet `create` at `creat`. It need not be right about
 * English, only the same on both sides and never so eager that different words meet.
 */
export function stem(word: string): string {
  let known = stems.get(word);
  if (known === undefined) {
    known = Object.hasOwn(IRREGULAR, word) ? IRREGULAR[word]! : strip(word);
    // A catalog has a few thousand different words; this only bounds what questions may add.
    if (stems.size < MAX_STEMS) stems.set(word, known);
  }
  return known;
}

const MAX_STEMS = 50_000;
const stems = new Map<string, string>();

function strip(word: string): string {
  if (word.length <= 3 || /\d/.test(word)) return word;
  // British and American spelling meet.
  let base = word.length > 6 ? word.replace(/is(?=(?:e|es|ed|ing|ation|ations|er)$)/, 'iz') : word;
  if (/(?:sses|shes|ches|xes|zes)$/.test(base)) base = base.slice(0, -2);
  else if (base.endsWith('ies')) base = `${base.slice(0, -3)}y`;
  else if (/[^siu]s$/.test(base)) base = base.slice(0, -1);
  if (base.length > 5 && /[aeiouy].*ing$/.test(base)) base = undouble(base.slice(0, -3));
  else if (base.length > 4 && /[aeiouy].*[^e]ed$/.test(base)) base = undouble(base.slice(0, -2));
  else if (base.length > 7 && base.endsWith('ation')) base = base.slice(0, -3);
  else if (base.length > 6 && /[st]ion$/.test(base)) base = base.slice(0, -3);
  else if (base.length > 7 && base.endsWith('ment')) base = base.slice(0, -4);
  if (base.length > 3 && base.endsWith('e')) base = base.slice(0, -1);
  if (base.length > 3 && /[^aeiou]y$/.test(base)) base = `${base.slice(0, -1)}i`;
  return base;
}

function undouble(base: string): string {
  return base.length > 3 && /([bdfgmnprt])\1$/.test(base) ? base.slice(0, -1) : base;
}
