import { describe, expect, test } from 'vitest';
import { coloursFor } from '../../src/colours.ts';
import { run } from '../support/cli.ts';

describe('colours are for terminals', () => {
  test.each<[boolean, Record<string, string>, boolean]>([
    [true, {}, true],
    [true, { TERM: 'dumb' }, false],
    [true, { NO_COLOR: '1' }, false],
    [true, { NO_COLOR: '1', FORCE_COLOR: '1' }, false],
    [true, { FORCE_COLOR: '0' }, false],
    [false, {}, false],
    [false, { CI: 'true' }, false],
    [false, { FORCE_COLOR: '1' }, true],
    // An empty NO_COLOR says nothing (https://no-color.org).
    [true, { NO_COLOR: '' }, true],
  ])('terminal: %s, environment: %j', (isTTY, env, want) => {
    expect(coloursFor({ isTTY }, env).isColorSupported).toBe(want);
  });

  const ESCAPE = '\u001b[';

  test('piped output is plain, in CI too, and coloured with FORCE_COLOR', async () => {
    const plain = await run(['tools'], { env: { NO_COLOR: '', CI: 'true' } });
    expect(plain.stdout).toContain('tasks_list_tasks');
    expect(plain.stdout).not.toContain(ESCAPE);
    const coloured = await run(['tools'], { env: { NO_COLOR: '', FORCE_COLOR: '1' } });
    expect(coloured.stdout).toContain(ESCAPE);
  });

  test('errors are plain when piped, and coloured with FORCE_COLOR', async () => {
    const plain = await run(['tools', './nowhere.yaml'], { env: { NO_COLOR: '', CI: 'true' } });
    expect(plain.stderr).toMatch(/^landbridge: /);
    const coloured = await run(['tools', './nowhere.yaml'], { env: { NO_COLOR: '', FORCE_COLOR: '1' } });
    expect(coloured.stderr).toContain(ESCAPE);
  });
});
