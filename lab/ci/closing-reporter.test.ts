// The reporter at the end of a real run of vitest, in a process of its own, as CI starts it.
import { execFile } from 'node:child_process';
import { mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';

const root = fileURLToPath(new URL('../..', import.meta.url));
let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'landbridge-closing-'));
  await symlink(join(root, 'node_modules'), join(folder, 'node_modules'), 'junction');
  const reporter = JSON.stringify(join(root, 'test/support/closing-reporter.ts'));
  await writeFile(
    join(folder, 'vitest.config.ts'),
    `import { ClosingReporter } from ${reporter};
export default { test: { retry: process.env.CI ? 1 : 0, reporters: ['default', new ClosingReporter()] } };`,
  );
});
afterAll(() => rm(folder, { recursive: true, force: true }));

interface Run {
  readonly code: number;
  /** From the first line of ours on. */
  readonly closing: string[];
}

/** `steady` tests that pass, `flaky` ones that fail at first, and whatever else the text says. */
async function runTests(name: string, counts: { steady: number; flaky: number }, text = '', ci = true): Promise<Run> {
  const file = `${name}.test.ts`;
  await writeFile(
    join(folder, file),
    `import { beforeAll, describe, expect, test } from 'vitest';
for (let n = 1; n <= ${counts.steady}; n++) test('steady ' + n, () => {});
for (let n = 1; n <= ${counts.flaky}; n++) {
  let tries = 0;
  describe('second', () => test('try ' + n, () => expect(++tries).toBe(2)));
}
${text}`,
  );
  const { CI: _, ...env } = process.env;
  return new Promise((resolve) => {
    execFile(
      process.execPath,
      [join(root, 'node_modules/vitest/vitest.mjs'), 'run', file],
      { cwd: folder, env: { ...env, NO_COLOR: '1', ...(ci && { CI: 'true' }) } },
      (error, stdout) => {
        const after = stdout.slice(stdout.lastIndexOf('   Duration'));
        const closing = after
          .split('\n')
          .slice(1)
          .filter((line) => line !== '');
        resolve({ code: error ? Number(error.code) : 0, closing });
      },
    );
  });
}

test('a run without faults ends with its counts', async () => {
  expect(await runTests('clean', { steady: 3, flaky: 0 })).toEqual({ code: 0, closing: ['3 passed, 0 failed'] });
});

test('two tests that needed a second try are named, and the run passes', async () => {
  expect(await runTests('two', { steady: 1, flaky: 2 }, `test.skip('later', () => {});`)).toEqual({
    code: 0,
    closing: [
      'Passed only when repeated: 2',
      '  two.test.ts > second > try 1',
      '  two.test.ts > second > try 2',
      '3 passed, 0 failed, 1 skipped',
    ],
  });
});

test('a third fails the run', async () => {
  expect(await runTests('three', { steady: 1, flaky: 3 })).toEqual({
    code: 1,
    closing: [
      'Passed only when repeated: 3',
      '  three.test.ts > second > try 1',
      '  three.test.ts > second > try 2',
      '  three.test.ts > second > try 3',
      'More than 2 tests needed a second try: the run fails. Repair them.',
      '4 passed, 0 failed',
    ],
  });
});

test('a test that fails twice fails the run, and so does whatever breaks outside a test', async () => {
  const broken = `test('never', () => expect(1).toBe(2));
describe('hook', () => { beforeAll(() => { throw new Error('no'); }); test('behind it', () => {}); });`;
  const { code, closing } = await runTests('broken', { steady: 1, flaky: 0 }, broken);
  expect([code, closing.at(-1)]).toEqual([1, '1 passed, 2 failed, 1 skipped']);
});

test('outside CI nothing is repeated', async () => {
  const { code, closing } = await runTests('desk', { steady: 0, flaky: 1 }, '', false);
  expect([code, closing.at(-1)]).toEqual([1, '0 passed, 1 failed']);
});
