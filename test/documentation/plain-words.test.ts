// What people and models read is plain English: no phrase of our own, and no page harder than it has to be.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Command } from 'commander';
import { describe, expect, test } from 'vitest';
import { addCommands } from '../../src/cli/commands.ts';
import { isWalked, listProse, ROOT } from './blocks.ts';
import { HOUSE_PHRASES } from './house-phrases.ts';
import { countSyllables, readProse, toSentences } from './reading-grade.ts';

const MAX_GRADE = 9;
const read = (file: string) => readFileSync(join(ROOT, file), 'utf8');

/** `place: phrase, instead` for every phrase in a text; code that it shows counts as well. */
function listPhrases(text: string, place: string): string[] {
  return HOUSE_PHRASES.flatMap(([phrase, instead]) => {
    const match = phrase.exec(text.replace(/\s+/g, ' '));
    return match === null ? [] : [`${place}: "${match[0]}": write ${instead}`];
  });
}

/** The texts between quotes of a file of code, without its comments: one with a blank is a sentence. */
function listTexts(code: string): string[] {
  const bare = code.replace(/\/\*[\s\S]*?\*\//g, '').replace(/(?<=^|\s)\/\/.*$/gm, '');
  return [...bare.matchAll(/'((?:[^'\\\n]|\\.)*)'|"((?:[^"\\\n]|\\.)*)"|`((?:[^`\\]|\\.)*)`/g)]
    .map(([, single, double, template]) => single ?? double ?? template ?? '')
    .filter((text) => /\S \S/.test(text));
}

describe('no phrase of our own stands in', () => {
  const pages = listProse().filter((file) => file.endsWith('.md') && !file.startsWith('test/'));
  test.each(pages)('%s', (file) => {
    expect(listPhrases(read(file), file)).toEqual([]);
  });

  test('help', () => {
    const program = new Command('landbridge');
    addCommands(program);
    const found = program.commands.flatMap((command) => {
      let text = '';
      command.configureOutput({ writeOut: (part) => (text += part) }).outputHelp();
      return listPhrases(text, `${command.name()} --help`);
    });
    expect(found).toEqual([]);
  });

  test('errors, warnings, log messages and what else the program prints', () => {
    // verbs.ts is a table of what users say.
    const files = ['src', 'sample'].flatMap((folder) =>
      (readdirSync(join(ROOT, folder), { recursive: true }) as string[])
        .filter((file) => file.endsWith('.ts') && !file.endsWith('search/verbs.ts'))
        .map((file) => `${folder}/${file}`),
    );
    const found = files.flatMap((file) => listTexts(read(file)).flatMap((text) => listPhrases(text, file)));
    expect(found).toEqual([]);
  });

  test('a text, where one is looked for', () => {
    expect(listTexts(`const a = 'One is turned away.'; // turned away\nconst b = \`x \${c} y\`;`)).toEqual([
      'One is turned away.',
      `x \${c} y`,
    ]);
    expect(listPhrases('Calls\nof others are turned\naway.', 'a.md')).toEqual([
      expect.stringContaining('a.md: "are turned away"'),
    ]);
  });
});

describe('reading grade', () => {
  test('is the one of Flesch and Kincaid', () => {
    const words = ['cat', 'operation', 'called', 'credential', 'table', 'users'];
    expect(words.map(countSyllables)).toEqual([1, 4, 1, 3, 2, 2]);
    const page = '# Title\n\nOne stands here. Two stand\nthere: see `x y`.\n\n- A list item\n\n```sh\nnot this\n```\n';
    expect(toSentences(page)).toEqual(['One stands here.', 'Two stand there: see code.', 'A list item']);
    // Twelve words of one syllable in two sentences.
    expect(readProse('The cat sat on the mat. The dog ran to the door.').grade).toBe(-1.4);
  });

  const pages = listProse().filter((file) => isWalked(file) || /^[A-Z]+\.md$|^docs\/[^/]+\.md$/.test(file));
  test.each(pages)(`of %s is at most ${MAX_GRADE}`, (file) => {
    const { grade, sentences } = readProse(read(file));
    expect(grade, sentences.slice(0, 5).join('\n')).toBeLessThanOrEqual(MAX_GRADE);
  });
});
