// How hard a text is to read: the Flesch-Kincaid grade of its prose. Code, tables and links' addresses do not count.
// By hand: npx jiti test/documentation/reading-grade.ts README.md docs/guides/*.md
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

export interface Reading {
  /** Of the prose alone. */
  readonly words: number;
  /** Years of school. */
  readonly grade: number;
  /** The longest first. */
  readonly sentences: readonly string[];
}

export function readProse(markdown: string): Reading {
  const sentences = toSentences(markdown);
  const words = sentences.flatMap(toWords);
  const syllables = words.reduce((sum, word) => sum + countSyllables(word), 0);
  const grade = 0.39 * (words.length / sentences.length) + 11.8 * (syllables / words.length) - 15.59;
  const longestFirst = sentences.toSorted((a, b) => toWords(b).length - toWords(a).length);
  return { words: words.length, grade: Math.round(grade * 10) / 10, sentences: longestFirst };
}

/** Every paragraph and list item ends a sentence; code in a line is one word. */
export function toSentences(markdown: string): string[] {
  return markdown
    .replace(/\r/g, '')
    .replace(/^(`{3,}|~{3,})[\s\S]*?^\1.*$/gm, '\n\n')
    .replace(/<!--[\s\S]*?-->|<[^>\n]+>/g, ' ')
    .replace(/^\s*\|.*$/gm, '\n')
    .replace(/^#+ .*$/gm, '\n')
    .replace(/!?\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replace(/``[^`]+``|`[^`]+`/g, 'code')
    .replace(/^\s*(?:[-*]|\d+\.) /gm, '\n\n')
    .replace(/[*_>]+/g, ' ')
    .split(/\n\s*\n/)
    .flatMap((paragraph) => paragraph.replace(/\s+/g, ' ').split(/(?<=[.!?]["')]?) (?=["'(]?[A-Za-z0-9])/))
    .map((sentence) => sentence.trim())
    .filter((sentence) => toWords(sentence).length > 2);
}

function toWords(text: string): string[] {
  return text.match(/[\p{L}\p{N}][\p{L}\p{N}'’]*/gu) ?? [];
}

/** Groups of vowels, without the silent e: right for nine words of ten, which is what the formula was made with. */
export function countSyllables(word: string): number {
  const letters = word.toLowerCase().replace(/[^a-z]/g, '');
  if (letters.length <= 3) return 1;
  const spoken = letters.replace(/(?:[^laeiouy]es|[^taeiouyd]ed|[^laeiouy]e)$/, '').replace(/^y/, '');
  return Math.max(1, spoken.match(/[aeiouy]{1,2}/g)?.length ?? 1);
}

if (process.argv[1] !== undefined && fileURLToPath(import.meta.url) === process.argv[1])
  for (const file of process.argv.slice(2)) {
    const { words, grade, sentences } = readProse(readFileSync(file, 'utf8'));
    process.stdout.write(`${file}: ${words} words of prose, grade ${grade}\n`);
    for (const sentence of sentences.slice(0, 5)) process.stdout.write(`  ${toWords(sentence).length}: ${sentence}\n`);
  }
