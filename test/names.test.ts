// Names of src: an exported name means one thing, and names and comments use words of the trade (STYLE.md, "Plain words").
import { readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { expect, test } from 'vitest';

const root = new URL('../src/', import.meta.url).pathname;
const sources = (readdirSync(root, { recursive: true }) as string[])
  .filter((name) => name.endsWith('.ts'))
  .sort()
  .map((file) => ({ file, text: readFileSync(join(root, file), 'utf8') }));

/** Declarations at the start of a line, exported or not. Names that are only exported again are not declared there. */
const DECLARATION =
  /^(export )?(?:declare )?(?:async )?(?:abstract )?(?:function\*?|class|interface|type|const|let) (\w+)/gm;

/** Coined nouns that an engineer cannot guess, with the words to use instead. */
const REFUSED: Readonly<Record<string, string>> = {
  aftermath: 'effect of a timeout, outcome',
  census: 'document scan',
  companion: 'abort listener',
  crowd: 'callers, queue',
  deeds: 'verbs',
  departure: 'abort listener',
  errand: 'send options',
  fate: 'outcome',
  guest: 'caller, waiter',
  ladder: 'schema reducer',
  lease: 'permit',
  letters: 'pending requests, messages',
  passage: 'call',
  patience: 'time limit, wait',
  ring: 'fair queue',
  room: 'semaphore, permits, capacity',
  roster: 'active set',
  shelf: 'LRU cache',
  slots: 'semaphore',
  soundness: 'early check',
  strangers: 'unknown variables',
  surroundings: 'context, caller binding',
  wish: 'request',
  dear: 'expensive',
  untold: 'unrecorded',
  nobodys: 'unknown caller',
  twins: 'duplicates',
};

/** Ordinary words of English prose: comments may use them. */
const ORDINARY = new Set(['letters', 'ring', 'room', 'slots', 'dear']);

/** Names with one of these words in its ordinary meaning. */
const ALLOWED_NAMES = new Set([
  // Space that is left in a buffer or a budget of characters.
  'hasRoom',
  'NOTE_ROOM',
  // The places of the workers: one file of the audit trail for each.
  'filesOfSlots',
]);

const wordsOf = (name: string) =>
  name
    .replace(/([a-z0-9])([A-Z])/g, '$1 $2')
    .split(/[^A-Za-z]+/)
    .map((word) => word.toLowerCase());

const refusedIn = (words: readonly string[]) => words.find((word) => Object.hasOwn(REFUSED, word));

test('every exported name of src is declared in one file', () => {
  const files = new Map<string, Set<string>>();
  for (const { file, text } of sources)
    for (const [, isExported, name] of text.matchAll(DECLARATION))
      if (isExported) files.set(name!, (files.get(name!) ?? new Set()).add(file));
  const duplicates = [...files].filter(([, places]) => places.size > 1);
  expect(duplicates.map(([name, places]) => `${name}: ${[...places].join(', ')}`).sort()).toEqual([]);
});

test('no file, type, function or constant of src has a coined name', () => {
  const offences = sources.flatMap(({ file, text }) => {
    const inPath = refusedIn(wordsOf(basename(file, '.ts')));
    const names = [...text.matchAll(DECLARATION)].map((match) => match[2]!);
    return [
      ...(inPath === undefined ? [] : [`${file}: say ${REFUSED[inPath]}`]),
      ...names.flatMap((name) => {
        const word = ALLOWED_NAMES.has(name) ? undefined : refusedIn(wordsOf(name));
        return word === undefined ? [] : [`${file}: ${name}: say ${REFUSED[word]}`];
      }),
    ];
  });
  expect(offences).toEqual([]);
});

test('no comment of src uses a coined noun', () => {
  const offences = sources.flatMap(({ file, text }) =>
    text.split('\n').flatMap((line, at) => {
      const comment = /^\s*(?:\/\/|\/?\*)(.*)|\s\/\/ (.*)/.exec(line)?.slice(1).join('') ?? '';
      // What is quoted is a name or a text of somebody else.
      const words = wordsOf(comment.replace(/`[^`]*`|"[^"]*"/g, ''));
      const word = refusedIn(words.filter((one) => !ORDINARY.has(one)));
      return word === undefined ? [] : [`${file}:${at + 1}: ${word}: say ${REFUSED[word]}`];
    }),
  );
  expect(offences).toEqual([]);
});
