// Words of names, paths and questions: split, stemmed lightly, and the same for both sides.

const STOP = new Set(
  (
    'a an the of for to in on at with by from and or as is are be been it its this that these those i me we you want need ' +
    'would like how do does can could please some any into onto about out up off there their them what which whose when ' +
    'where who given specified specific using via use used based much many have has had exist all every each'
  ).split(' '),
);

/** More of a text, or of one word, is never looked at. */
const MAX_TEXT = 400;
const MAX_WORD = 40;

/** Lower-case words: camelCase, snake_case, paths and prose alike. */
export function splitWords(text: string): string[] {
  const words = text
    .slice(0, MAX_TEXT)
    // PRs, IDs, APIs: one word each.
    .replace(/\b[A-Z]{2,}s\b/g, (word) => word.toLowerCase())
    .replace(/([a-z\d])([A-Z])/g, '$1 $2')
    .replace(/([A-Z])(?=[A-Z][a-z])/g, '$1 ')
    .toLowerCase()
    .replace(/['’]s\b/g, '')
    .match(/[\p{L}\p{N}]+/gu);
  return (words ?? []).map((word) => word.slice(0, MAX_WORD));
}

/** Stems without the words that carry no meaning. */
export function toStems(text: string): string[] {
  return splitWords(text)
    .filter((word) => !STOP.has(word))
    .map(stem);
}

/** A catalog has a few thousand different words; the limit bounds what questions may add. */
const MAX_STEMS = 50_000;
const stems = new Map<string, string>();

/**
 * A light stemmer: `creates`, `creating`, `created` and `creation` meet `create` at `creat`. It need not be right about
 * English, only the same on both sides and never so eager that different words meet.
 */
export function stem(word: string): string {
  const stemmed = stems.get(word) ?? strip(word);
  if (stems.size < MAX_STEMS) stems.set(word, stemmed);
  return stemmed;
}

function strip(word: string): string {
  if (word.length <= 3 || /\d/.test(word)) return word;
  // British and American spelling meet.
  const american = word.length > 6 ? word.replace(/is(?=(?:e|es|ed|ing|ations?|er)$)/, 'iz') : word;
  const single = american.replace(/(?<=ss|sh|ch|x|z)es$|(?<=[^siu])s$/, '').replace(/ie$/, 'y');
  const base =
    single.length > 5 && /(?:ing|[^e]ed)$/.test(single) && /[aeiouy]/.test(single.slice(0, -3))
      ? single.replace(/(?:ing|ed)$/, '').replace(/([bdfgmnpr])\1$/, '$1')
      : single.replace(/(?<=...(?:at|s|t))ion$|(?<=...)ment$/, '');
  return base.length > 3 ? base.replace(/e$/, '').replace(/(?<=[^aeiou])y$/, 'i') : base;
}
