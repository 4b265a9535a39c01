// Pictures and collected pages are what `npm run docs` makes of the program and of the other pages.
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { describe, expect, test } from 'vitest';
import { renderCollectedPages } from '../../scripts/collected-pages.ts';
import { renderPictures } from '../../scripts/pictures.ts';
import { listProse, ROOT } from './blocks.ts';

const HINT = 'run npm run docs and commit what it writes';
const pages = renderCollectedPages(pathToFileURL(`${ROOT}/`));

test.each(Object.entries(pages))('%s is what `npm run docs` writes', (file, text) => {
  expect(readFileSync(join(ROOT, file), 'utf8'), HINT).toBe(text);
});

test('the pictures show what the program prints, and are what `npm run docs` draws', async () => {
  for (const [file, text] of Object.entries(await renderPictures()))
    expect(readFileSync(join(ROOT, file), 'utf8'), `${file}: ${HINT}`).toBe(text);
});

describe('docs/all.md', () => {
  const text = pages['docs/all.md']!;

  test('has every page of docs and examples but the index', () => {
    const own = listProse().filter(
      (file) => /^docs\/.*\.md$|^examples\/README\.md$/.test(file) && file !== 'docs/README.md',
    );
    const missing = own.filter((file) => !text.includes(readFileSync(join(ROOT, file), 'utf8').split('\n', 1)[0]!));
    expect(missing).toEqual([]);
  });

  test('has links and pictures that lead somewhere', () => {
    const links = [...text.matchAll(/\]\(([^)\s#]+)(?:#[^)\s]*)?\)|\bsrc(?:set)?="([^"]+)"/g)].map(
      (match) => match[1] ?? match[2]!,
    );
    const local = links.filter((link) => !/^[a-z]+:/.test(link));
    expect(local.filter((link) => !existsSync(join(ROOT, 'docs', link)))).toEqual([]);
  });
});

test('llms.txt has a line for every page: where it is, and what it is for', () => {
  const lines = pages['llms.txt']!.split('\n').filter((line) => line.startsWith('- '));
  for (const line of lines) expect(line).toMatch(/^- \[[^\]]+\]\([\w./-]+\.md\): [A-Z`].{15,}\.$/);
  expect(lines.length).toBeGreaterThan(20);
});
