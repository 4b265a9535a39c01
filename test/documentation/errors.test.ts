// docs/errors.md has every message of src/: each belongs to a family with a cause and a fix, and each family has a message.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { ERROR_FAMILIES } from '../../scripts/error-families.ts';
import { hasWords, messagesOf } from '../../scripts/errors-page.ts';
import { listThrown } from '../../scripts/thrown-messages.ts';
import { ERRORS } from '../../src/errors.ts';
import { ROOT } from './blocks.ts';

const thrown = listThrown();
const entries = Object.entries(ERROR_FAMILIES) as [keyof typeof ERROR_FAMILIES, (typeof ERROR_FAMILIES)['HTTP']][];

test('the messages are read out of src, with their codes', () => {
  const of = (code: string) => thrown.filter((one) => one.code === code).map(({ message }) => message);
  expect(thrown.length).toBeGreaterThan(300);
  // A literal, one behind a constant, one that a helper is given, one of two branches, one of a class, one of the HTTP server.
  expect(of('PARSE_ERROR')).toContainEqual(expect.stringMatching(/^Parse error: /));
  expect(of('CANNOT_LISTEN')).toContainEqual(expect.stringMatching(/^… port … on … .*in use/));
  expect(of('BAD_DOCUMENT')).toContainEqual(expect.stringMatching(/^… .*web page/));
  expect(of('TIMEOUT').length).toBe(2);
  expect(of('INSUFFICIENT_SCOPE').length).toBe(1);
  expect(of('HTTP')).toContainEqual(expect.stringMatching(/^415 /));
  // Sent by nobody yet.
  const silent = Object.keys(ERRORS).filter((code) => of(code).length === 0);
  expect(silent).toEqual(['MISSING_CLIENT_CAPABILITY']);
});

test('every message belongs to a family: add it to scripts/error-families.ts, with cause and fix', () => {
  const places = new Map<string, typeof thrown>();
  for (const one of thrown.filter(({ message }) => hasWords(message))) {
    const key = `${one.place} ${one.message}`;
    places.set(key, [...(places.get(key) ?? []), one]);
  }
  // Where the source says several codes and several messages, which one goes with which is not known: one code is enough.
  const homeless = [...places].filter(
    ([, all]) =>
      !all.some(({ code, message }) =>
        ERROR_FAMILIES[code as 'HTTP'].families.some(({ match }) => match?.test(message)),
      ),
  );
  expect(homeless.map(([key, [one]]) => `${one?.code} ${key}`)).toEqual([]);
});

test('every family has a message: correct its `match`, or remove it', () => {
  const empty = entries.flatMap(([code, { families }]) =>
    families
      .filter((family) => family.match !== undefined && messagesOf(code, family, thrown).length === 0)
      .filter(({ match, see }) => !(see !== undefined && match?.test(see)))
      .map(({ match }) => `${code} ${String(match)}`),
  );
  expect(empty).toEqual([]);
});

test('a message that a family shows by itself is made of texts of src', () => {
  const files = (readdirSync(join(ROOT, 'src'), { recursive: true }) as string[]).filter((file) =>
    file.endsWith('.ts'),
  );
  const source = files.map((file) => readFileSync(join(ROOT, 'src', file), 'utf8')).join('\n');
  const shown = entries.flatMap(([, { families }]) => families.flatMap(({ see }) => (see === undefined ? [] : [see])));
  // Without quoted names, numbers, variables and places of files: those are of the example.
  const parts = shown.flatMap((see) => see.split(/…|"[^"]*"|[;:.,()?] |\n|\S*[\d_/]\S*/));
  const missing = parts
    .map((part) => part.replace(/^\W+|\W+$/g, ''))
    .filter((part) => part.length > 14 && !source.includes(part));
  expect(missing).toEqual([]);
});
