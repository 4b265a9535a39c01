// The README, the guides and the examples, followed from top to bottom as a reader follows them.
import { copyFileSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { isWalked, listProse, ROOT } from './blocks.ts';
import { listSteps, toPattern, Walk } from './walk.ts';

const pages = listProse().filter(isWalked);

test('there is an example, a guide and the README', () => {
  expect(pages).toContain('README.md');
  expect(pages.some((file) => file.startsWith('examples/'))).toBe(true);
  expect(pages.some((file) => file.startsWith('docs/guides/'))).toBe(true);
});

test('what a page shows as printed is compared with what is printed', () => {
  const shown = 'name  … cost\n…\nlast (1)\n';
  expect(toPattern(shown, true).test('name  the cost\na\nb\nlast (1)\n')).toBe(true);
  expect(toPattern(shown, true).test('name  the cost  \nlast (1)\n')).toBe(true);
  expect(toPattern(shown, true).test('name  the costs\nlast (1)\n')).toBe(false);
  expect(toPattern(shown, true).test('name  the cost\nlast 1\n')).toBe(false);
  expect(toPattern(shown, true).test('first\nname  the cost\nlast (1)\n')).toBe(false);
  expect(toPattern('b\n', false).test('a\nb\nc\n')).toBe(true);
  expect(toPattern('b\n', false).test('ab\nc\n')).toBe(false);
});

describe('a page', () => {
  const page = (...lines: string[]) => lines.join('\n');
  const follow = async (text: string) => {
    const walk = await Walk.begin();
    try {
      for (const step of listSteps('page.md', text)) await walk.take(step);
    } finally {
      await walk.end();
    }
  };

  test('whose commands work and print what it shows is true', async () => {
    await follow(
      page('```sh', 'mkdir a && cd a', 'export WORD=there', '```', '```json b/c.json', '{"hello":1}', '```') +
        page('', '```sh', 'cat b/c.json; echo $WORD', '```', '```text', '{"hello":1}', 'there', '```', ''),
    );
  });

  test('whose gateway is changed and started again is true', async () => {
    const serve = page('```sh background', 'landbridge serve ../landbridge/domains/tasks.yaml', '```');
    const call = page('```sh', 'landbridge call --url http://127.0.0.1:3333/mcp tasks_get_board', '```');
    await follow(page(serve, '```text', '…', '  …http://127.0.0.1:3333/mcp', '```', call, serve, call, ''));
  });

  test.each([
    ['prints something else', page('```sh', 'echo a', '```', '```text', 'b', '```')],
    ['has a command that fails', page('```sh', 'false', 'true', '```')],
    ['says that a command fails, which works', page('```sh fails', 'true', '```')],
    ['skips what could be run', page('```sh skip', 'landbridge tools', '```')],
    ['has a file without a name', page('```yaml', 'a: 1', '```')],
    ['writes outside of its folder', page('```yaml', '# ../../x.yaml', 'a: 1', '```')],
    ['shows what nothing prints', page('```text', 'b', '```')],
    ['has a server that does not start', page('```sh background', 'landbridge serve ./none.yaml', '```')],
  ])('that %s is not', async (_, text) => {
    await expect(follow(text)).rejects.toThrow();
  });
});

describe.each(pages)('%s', (file) => {
  const steps = listSteps(file, readFileSync(join(ROOT, file), 'utf8'));
  let walk: Walk;
  beforeAll(async () => {
    const folder = file.startsWith('examples/') ? join(ROOT, dirname(file)) : undefined;
    walk = await Walk.begin(folder);
    // A reader of the README has a document already.
    if (file === 'README.md')
      copyFileSync(new URL('./openapi.yaml', import.meta.url), join(walk.folder, 'openapi.yaml'));
  });
  afterAll(() => walk.end());

  // A reader whose first step fails goes no further.
  let failed: string | undefined;
  test.each(steps.map((step) => [step.title, step] as const))('%s', async (title, step) => {
    if (failed !== undefined && failed !== title) throw new Error(`stopped at ${failed}`);
    failed = title;
    await walk.take(step);
    failed = undefined;
  });
});
