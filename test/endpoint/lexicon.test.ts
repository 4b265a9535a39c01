// The lexicon is a table that people edit: a word has one row, and every cell has roles that some code reads.
import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { effectOf } from '../../src/endpoint/conventions/effect.ts';
import { pagingWords, searchWords } from '../../src/endpoint/conventions/lexicon.ts';
import { pagingRole } from '../../src/endpoint/conventions/pagination-words.ts';
import { isVerb } from '../../src/endpoint/conventions/short-name.ts';

const source = readFileSync(new URL('../../src/endpoint/conventions/lexicon.ts', import.meta.url), 'utf8');
const rows = /const TABLE = `\n([\s\S]*?)\n`;/
  .exec(source)![1]!
  .split('\n')
  .map((row) => row.split('|').map((cell) => cell.trim()));

/** The members of a union type in the source. */
const rolesOf = (type: string) =>
  [...new RegExp(`type ${type} =([\\s\\S]*?);\\n`).exec(source)![1]!.matchAll(/'([\w-]+)'/g)].map((match) => match[1]!);

describe('the table of the lexicon', () => {
  test('has one row per word, in alphabetical order', () => {
    const words = rows.map(([word]) => word);
    expect(words).toEqual([...new Set(words)].sort());
  });

  const verbs = rolesOf('Verb');
  test.each([
    ['effect', 1, rolesOf('EffectRole')],
    ['name', 2, rolesOf('NameRole')],
    ['search', 3, [...verbs, ...verbs.map((verb) => `${verb}+`)]],
    ['paging', 4, rolesOf('PagingRole')],
  ] as const)('the %s column has every role of its type and no others', (_, column, roles) => {
    const used = rows.flatMap((row) => (row[column] ?? '').split(' ').filter((role) => role !== ''));
    // `act` is what no other verb says, so the word itself always counts.
    expect([...new Set(used)].sort()).toEqual(roles.filter((role) => role !== 'act').sort());
  });

  test('a row decides about effect, name, search and paging', () => {
    expect(effectOf({ method: 'POST', path: '/a', name: 'purge_queue' }).effect).toBe('destructive');
    expect(isVerb('purge')).toBe(true);
    expect(searchWords('delete+').has('purge')).toBe(true);
    expect([pagingWords('size').has('per_page'), pagingRole('perPage'), pagingRole('per_page')]).toEqual([
      true,
      'size',
      'size',
    ]);
  });
});
