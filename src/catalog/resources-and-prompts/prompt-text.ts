// Fills arguments into the text of a prompt. If an argument is missing, the text that is only about it is removed: a sentence, a
// bracket or a phrase between commas. In text that stays, the words that lead up to the gap are removed ("… of Ada" → "…").
import type { Args } from '../../endpoint/model.ts';

const PLACEHOLDER = /\{\{\s*([\w.-]+)\s*\}\}/g;
const BETWEEN_SENTENCES = /(?<=[.!?])\s+/;
const BETWEEN_PHRASES = /(?<=[,;])\s+/;
const BRACKETS = / ?\([^()]*\)/g;
/** Punctuation that must survive when the words before it are removed. */
const END_MARK = /(?<![.!?:;])[.!?:;]+$/;
/** How many words before a gap are removed with it, not counting those of a quantity. */
const MAX_LEADING = 2;
const QUANTITY =
  /(?:^| )(?:at most|at least|up to|no more than|more than|no fewer than|fewer than|less than|exactly|around|roughly)$/i;
const LEADING =
  /^(?:,|and|or|about|after|as|at|before|by|called|during|for|from|in|into|labelled|like|named|near|of|on|per|since|than|through|to|until|with|within|the|a|an)$/i;

/** Replaces placeholders by values, and missing ones by nothing: for URIs. */
export function fillPlaceholders(text: string, args: Args): string {
  return text.replace(PLACEHOLDER, (_, name: string) => String(args[name] ?? ''));
}

export function fillPrompt(text: string, args: Args): string {
  if (isComplete(text, args)) return fillPlaceholders(text, args);
  const lines = text.split('\n').flatMap((line, row) => {
    if (isComplete(line, args)) return [fillPlaceholders(line, args)];
    const sentences = line.split(BETWEEN_SENTENCES).flatMap((sentence, column) => {
      if (isComplete(sentence, args)) return [fillPlaceholders(sentence, args)];
      // The first sentence says what is wanted, so as much of it as possible is kept.
      const isWanted = (row === 0 && column === 0) || namesAny(sentence, args);
      return isWanted ? [fillPlaceholders(closeGaps(sentence, args), args)] : [];
    });
    return sentences.length === 0 ? [] : [sentences.join(' ')];
  });
  return lines.join('\n');
}

function isSet(args: Args, name: string): boolean {
  return args[name] !== undefined && args[name] !== '';
}

function isComplete(text: string, args: Args): boolean {
  return [...text.matchAll(PLACEHOLDER)].every(([, name]) => isSet(args, name!));
}

function namesAny(text: string, args: Args): boolean {
  return [...text.matchAll(PLACEHOLDER)].some(([, name]) => isSet(args, name!));
}

/** Removes the text around each gap. The first phrase says what is wanted, so it loses only words, never all of itself. */
function closeGaps(sentence: string, args: Args): string {
  const indent = /^\s*/.exec(sentence)![0];
  const hasOnlyGaps = (text: string) => !isComplete(text, args) && !namesAny(text, args);
  // A placeholder is one word, however it is written.
  const plain = sentence.trim().replace(PLACEHOLDER, '{{$1}}');
  const text = plain.replace(BRACKETS, (brackets) => (hasOnlyGaps(brackets) ? '' : brackets));
  const phrases: string[] = [];
  for (const [index, phrase] of text.split(BETWEEN_PHRASES).entries()) {
    const rest = index > 0 && hasOnlyGaps(phrase) ? '' : closeWords(phrase, args);
    if (rest !== '') phrases.push(rest);
    if (rest === '') endWith(phrases, endOf(phrase));
  }
  const result = phrases.join(' ');
  const isCapital = /^\p{Lu}/u.test(text);
  return indent + (isCapital ? result.replace(/^\p{Ll}/u, (letter) => letter.toUpperCase()) : result);
}

/** Removes each gap with the words that lead up to it and what it counts ("in at most … sentences"). */
function closeWords(phrase: string, args: Args): string {
  const result: string[] = [];
  let isCounted = false;
  for (const word of phrase.split(/\s+/)) {
    if (isComplete(word, args)) {
      if (isCounted && /^\p{L}{3,30}s[.,!?:;]{0,3}$/u.test(word))
        endWith(result, /[.,!?:;]{1,3}$/.exec(word)?.[0] ?? '');
      else result.push(word);
      isCounted = false;
      continue;
    }
    const quantity = QUANTITY.exec(lastWords(result))?.[0].trim();
    if (quantity !== undefined) result.splice(-quantity.split(' ').length);
    const leading: string[] = [];
    while (leading.length < MAX_LEADING && LEADING.test(result.at(-1) ?? '')) leading.push(result.pop()!);
    const mark = END_MARK.exec(word)?.[0] ?? '';
    // "List the … tasks" still makes sense without its value; "within … days" does not, so "days" is removed, too.
    isCounted = word.endsWith('}}') && leading.some((one) => !/^(?:,|and|or|the|a|an)$/i.test(one));
    endWith(result, mark);
  }
  return result.join(' ');
}

/** The words before a gap, as many as a quantity may have. */
function lastWords(words: readonly string[]): string {
  return words
    .slice(-3)
    .map((word) => word.slice(-20))
    .join(' ');
}

/** The punctuation a removed phrase leaves behind: the end of its sentence, or of brackets that were opened before it. */
function endOf(phrase: string): string {
  const mark = /\){0,3}[.!?:;,]{0,3}$/.exec(phrase)![0];
  const text = phrase.includes('(') ? mark.replaceAll(')', '') : mark;
  return /^[;,]$/.test(text) ? '' : text;
}

function endWith(parts: string[], mark: string): void {
  const last = mark === '' ? undefined : parts.pop();
  if (last !== undefined) parts.push(last.replace(/[,;]$/, '') + mark);
}
