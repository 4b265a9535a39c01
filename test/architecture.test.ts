// Who may import whom: a folder sees itself and what lies to its right (ARCHITECTURE.md).
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { expect, test } from 'vitest';

const root = new URL('../src/', import.meta.url).pathname;
const LINE = ['transport', 'protocol', 'adapter', 'catalog', 'model', 'orchestration', 'executor', 'endpoint'];
const SEES: Record<string, readonly string[]> = {
  ...Object.fromEntries(LINE.map((folder, index) => [folder, LINE.slice(index)])),
  openapi: ['openapi', 'endpoint'],
  domain: ['domain', 'openapi', 'endpoint'],
  sample: ['sample'],
};
/** Files at the top of src that every folder may use. */
const COMMON = ['errors.ts'];
/** Packages with one door each. */
const DOORS: Record<string, readonly string[]> = {
  express: ['transport/routes.ts'],
  undici: ['executor/send.ts'],
  'js-yaml': ['openapi/parse.ts'],
  commander: ['cli/main.ts', 'cli/commands.ts'],
};

interface Import {
  readonly file: string;
  readonly target: string;
  readonly typeOnly: boolean;
}

function readImports(): Import[] {
  const files = (readdirSync(root, { recursive: true }) as string[]).filter((name) => name.endsWith('.ts'));
  return files.flatMap((file) => {
    const text = readFileSync(join(root, file), 'utf8');
    return [
      ...text.matchAll(
        /^\s*(?:import|export)\s+(type\s)?[^'"]*?from\s+['"]([^'"]+)['"]|\bimport\(\s*['"]([^'"]+)['"]/gm,
      ),
    ].map((match) => ({
      file,
      target: match[2] ?? match[3] ?? '',
      typeOnly: match[1] !== undefined,
    }));
  });
}

const imports = readImports();

test('every folder imports only itself and what lies to its right', () => {
  const offences = imports.flatMap(({ file, target }) => {
    const from = file.split('/')[0]!;
    const allowed = SEES[from];
    if (!allowed || !target.startsWith('.')) return [];
    const path = relative(root, resolve(root, dirname(file), target));
    const to = path.includes('/') ? path.split('/')[0]! : path;
    return allowed.includes(to) || COMMON.includes(to) ? [] : [`${file} imports ${path}`];
  });
  expect(offences).toEqual([]);
});

test('every package has its door', () => {
  const offences = imports.flatMap(({ file, target, typeOnly }) => {
    const doors = DOORS[target];
    return !doors || typeOnly || doors.includes(file) ? [] : [`${file} imports ${target}`];
  });
  expect(offences).toEqual([]);
});
