// Nothing is exported for nobody: what a file of src offers, another file of src or a script takes, or src/index.ts offers it on.
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { expect, test } from 'vitest';

const root = new URL('../src/', import.meta.url).pathname;
const files = (readdirSync(root, { recursive: true }) as string[]).filter((name) => name.endsWith('.ts')).sort();

/** Without comments: a name in one is no use. Line breaks stay. */
const textOf = (file: string) =>
  readFileSync(join(root, file), 'utf8')
    .replaceAll(/\/\*[\s\S]*?\*\//g, '')
    .replaceAll(/^\s*\/\/.*$/gm, '');

const DECLARATION =
  /^export (?:declare )?(?:abstract )?(?:async )?(const|let|function\*?|class|interface|type) (\w+)/gm;
const LIST = /^export (?:type )?\{([^}]*)\}(?! from)(?!\s*from)/gm;
const IMPORT = /(?:import|export)\s+(?:type\s+)?(?:\w+\s*,\s*)?(\{[^}]*\}|\*(?:\s+as\s+\w+)?)\s+from\s+'(\.[^']+)'/g;
const DYNAMIC = /(?:(?:const|let)\s+(\{[^}]*\})\s*=\s*await\s+)?(\(?await\s+)?import\('(\.[^']+)'\)\)?(?:\.(\w+))?/g;

const namesIn = (list: string) =>
  list
    .replaceAll(/[{}]/g, '')
    .split(',')
    .map((item) =>
      item
        .trim()
        .replace(/^type\s+/, '')
        .split(/\s+as\s+|:/)[0]!
        .trim(),
    )
    .filter((name) => name !== '');

/** A type may be exported for the signature beside it; a value is exported for other files. */
function listExports(file: string): string[] {
  const text = textOf(file);
  const isUsedHere = (name: string) => text.match(new RegExp(`\\b${name}\\b`, 'g'))!.length > 1;
  return [
    ...[...text.matchAll(DECLARATION)]
      .filter(([, kind, name]) => !(kind === 'interface' || kind === 'type') || !isUsedHere(name!))
      .map((match) => match[2]!),
    ...[...text.matchAll(LIST)].flatMap((match) => namesIn(match[1]!)),
  ];
}

/** `file#name` of everything some file of src imports or hands on; `file#*` where it takes all. */
function listUses(): Set<string> {
  const uses = new Set<string>();
  const scripts = readdirSync(join(root, '../scripts')).filter((name) => name.endsWith('.ts'));
  for (const file of [...files, ...scripts.map((name) => `../scripts/${name}`)]) {
    const text = textOf(file);
    const target = (path: string) => relative(root, resolve(root, dirname(file), path));
    for (const [, list, path] of text.matchAll(IMPORT)) {
      for (const name of list!.startsWith('{') ? namesIn(list!) : ['*']) uses.add(`${target(path!)}#${name}`);
    }
    for (const [, list, , path, member] of text.matchAll(DYNAMIC)) {
      for (const name of list ? namesIn(list) : [member ?? '*']) uses.add(`${target(path!)}#${name}`);
    }
  }
  return uses;
}

/** Exported for tests alone when this check was written: each loses its `export`, or its test goes through a door. */
const OFFENDERS: readonly string[] = [];

test('every export of src is used in src or public', () => {
  const uses = listUses();
  const unused = files
    .filter((file) => file !== 'index.ts')
    .filter((file) => !uses.has(`${file}#*`))
    .flatMap((file) => listExports(file).map((name) => `${file}#${name}`))
    .filter((name) => !uses.has(name) && !OFFENDERS.includes(name));
  expect(unused.sort()).toEqual([]);
});
