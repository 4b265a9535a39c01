import { chmodSync, mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { keepCompiledCode } from '../../src/cli/compile-cache.ts';

let home: string;
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'compile-cache-'));
});
afterEach(() => rmSync(home, { recursive: true }));

const keep = (env: Record<string, string> = {}, at = () => home) => {
  const enableCompileCache = vi.fn();
  keepCompiledCode(env, { enableCompileCache }, at);
  return enableCompileCache.mock.calls;
};
const isWindows = process.platform === 'win32';

test('compiled code is kept in a folder that only its user may enter', () => {
  const folder = join(home, '.cache/landbridge/code');
  expect(keep()).toEqual([[folder]]);
  if (!isWindows) expect(statSync(folder).mode & 0o777).toBe(0o700);
});

test('where there is no such folder, or no home, it is not kept', () => {
  writeFileSync(join(home, '.cache'), 'no folder');
  expect(keep()).toEqual([]);
  const nowhere = () => {
    throw new Error('no home');
  };
  expect(keep({}, nowhere)).toEqual([]);
});

test.skipIf(isWindows)('where others may write, it is not kept', () => {
  const folder = join(home, '.cache/landbridge/code');
  mkdirSync(folder, { recursive: true });
  chmodSync(folder, 0o777);
  expect(keep()).toEqual([]);
});

test.each(['NODE_COMPILE_CACHE', 'NODE_DISABLE_COMPILE_CACHE'])('what %s says is left to Node.js', (name) => {
  expect(keep({ [name]: '1' })).toEqual([]);
  expect(() => statSync(join(home, '.cache'))).toThrow('ENOENT');
});

test('an older Node.js, which cannot keep it, makes no folder', () => {
  keepCompiledCode({}, {}, () => home);
  expect(() => statSync(join(home, '.cache'))).toThrow('ENOENT');
});
