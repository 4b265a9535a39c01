// A prompt's text with its arguments in it. What an argument that was left out would have stood in goes with it: a
// sentence that is about nothing else, or the words that lead up to it ("… of Ada" → "…").
import type { Args } from '../../endpoint/model.ts';

const PLACEHOLDER = /\{\{\s*([\w.-]+)\s*\}\}/g;
const BETWEEN_SENTENCES = /(?<=[.!?])\s+/;
/** At most this many words before a gap belong to it. */
const MAX_LEADING = 2;
const LEADING =
  /^(?:,|and|or|about|after|as|at|before|by|called|during|for|from|in|into|labelled|like|named|near|of|on|per|since|than|through|to|until|with|within|the|a|an)$/i;

/** Values where they belong, nothing where there is none: for addresses. */
export function fill(text: string, args: Args): string {
  return text.replace(PLACEHOLDER, (_, name: string) => String(args[name] ?? ''));
}

export function fillText(text: string, args: Args): string {
  if (isComplete(text, args)) return fill(text, args);
  const lines = text.split('\n').flatMap((line, row) => {
    if (isComplete(line, args)) return [fill(line, args)];
    const sentences = line.split(BETWEEN_SENTENCES).flatMap((sentence, column) => {
      if (isComplete(sentence, args)) return [fill(sentence, args)];
      // What the prompt begins with says what is wanted, and stays as far as it can.
      const isWanted = (row === 0 && column === 0) || namesAny(sentence, args);
      return isWanted ? [fill(closeGaps(sentence, args), args)] : [];
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

/** Takes out each gap with the words that lead up to it, and what would be left over of quotes and brackets. */
function closeGaps(sentence: string, args: Args): string {
  const indent = /^\s*/.exec(sentence)![0];
  const words = sentence.trim().split(/\s+/);
  const result: string[] = [];
  for (const word of words) {
    if (isComplete(word, args)) {
      result.push(word);
      continue;
    }
    for (let taken = 0; taken < MAX_LEADING && LEADING.test(result.at(-1) ?? ''); taken++) result.pop();
    // What ends the sentence still ends it.
    const mark = /(?<![.!?:;])[.!?:;]+$/.exec(word)?.[0] ?? '';
    const before = result.pop();
    if (before !== undefined) result.push(mark === '' ? before : before.replace(/[,;]$/, '') + mark);
  }
  return `${indent}${result.join(' ')}`;
}
