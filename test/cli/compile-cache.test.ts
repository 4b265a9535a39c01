import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { keepCompiledCode } from '../../src/cli/compile-cache.ts';

let home: string;
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'compile-cache-'));
});
afterEach(() => rmSync(home, { recursive: true }));

test('compiled code is kept in a folder that only its user may enter', () => {
  const enableCompileCache = vi.fn();
  keepCompiledCode({ enableCompileCache }, () => home);
  const folder = join(home, '.cache/landbridge/code');
  expect(enableCompileCache.mock.calls).toEqual([[folder]]);
  if (process.platform !== 'win32') expect(statSync(folder).mode & 0o777).toBe(0o700);
});

test('where there is no such folder, or no home, it is not kept', () => {
  const enableCompileCache = vi.fn();
  writeFileSync(join(home, '.cache'), 'no folder');
  keepCompiledCode({ enableCompileCache }, () => home);
  keepCompiledCode({ enableCompileCache }, () => {
    throw new Error('no home');
  });
  expect(enableCompileCache).not.toHaveBeenCalled();
});

test('an older Node.js, which cannot keep it, makes no folder', () => {
  keepCompiledCode({}, () => home);
  expect(() => statSync(join(home, '.cache'))).toThrow('ENOENT');
});
