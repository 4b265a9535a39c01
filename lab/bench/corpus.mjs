// npm run bench:corpus: how well the tools made of real documents read, counted over ../shared/specs. What the documents
// mean is judged here from their own words, not with the importer's rules, so that a mistake of those shows.
import { existsSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import { SPECS } from './cache.mjs';
import { renderTable, whole } from './table.mjs';

const { values } = parseArgs({
  options: { dist: { type: 'string' }, json: { type: 'boolean', default: false } },
});
/** Another build can be measured with the same eyes: `--dist ../other-checkout/dist`. */
const DIST = values.dist ? pathToFileURL(`${resolve(values.dist)}/`) : new URL('../../dist/', import.meta.url);
const load = (file) => import(new URL(file, DIST));
const [{ listCost }, { loadDomains }, { createGateway }] = await Promise.all(
  ['catalog/tokens.js', 'domain/load.js', 'gateway.js'].map(load),
);

const MODES = ['tools', 'grouped', 'search'];
/** A verb in front of an operation's name, or alone in its path, that leaves less behind than there was. */
const DELETION =
  /^(?:bulk[_-]?|batch[_-]?)?(?:delete|destroy|purge|terminate|erase|wipe|remove|revoke|drop|prune|truncate|uninstall)(?![a-z]*d\b)/i;

if (!existsSync(join(SPECS, 'index.json'))) {
  console.log('No ../shared/specs here, nothing to count.');
  process.exit(0);
}
const { documents } = JSON.parse(readFileSync(join(SPECS, 'index.json'), 'utf8'));
const rows = [];
for (const { id, file, operations } of documents) {
  if (operations === 0 || id.includes('alias-bomb')) continue;
  if (process.stderr.isTTY) process.stderr.write(`\r\x1b[K${id}`);
  rows.push(await measure(id, join(SPECS, file)).catch((error) => ({ id, error: error.message })));
}
if (process.stderr.isTTY) process.stderr.write('\r\x1b[K');
if (values.json) console.log(JSON.stringify(rows, null, 1));
else print(rows);

async function measure(id, file) {
  const domains = await loadDomains({ paths: [file], env: {}, baseUrl: 'http://127.0.0.1:1' });
  const build = (exposure) => createGateway({ domains, exposure }).registry;
  const registries = Object.fromEntries(MODES.map((mode) => [mode, build(mode)]));
  const tools = [...registries.tools.tools.values()].map(({ tool }) => tool);
  const destructive = new Set(tools.filter((tool) => tool.annotations?.destructiveHint).map(({ name }) => name));
  const deletions = registries.tools.operations.filter(
    ({ endpoint }) => endpoint.method !== 'DELETE' && endpoint.source.kind === 'openapi' && isDeletion(endpoint),
  );
  return {
    id,
    count: tools.length,
    hashes: tools.filter(({ name }) => isHashed(name)).length,
    sharedTexts: countShared(tools.map(({ description }) => description ?? '')),
    brokenTexts: tools.filter(({ description }) => /(?::|\be\.g\.|\bi\.e\.)$/.test(firstParagraph(description))).length,
    deletions: deletions.length,
    guardedDeletions: deletions.filter(({ name }) => destructive.has(name)).length,
    sixWay: tools.reduce((sum, { inputSchema }) => sum + countSixWay(inputSchema), 0),
    ...Object.fromEntries(
      MODES.map((mode) => [mode, listCost([...registries[mode].tools.values()].map((e) => e.tool))]),
    ),
  };
}

function isDeletion({ action, path, summary }) {
  const last = path.split('/').at(-1) ?? '';
  return [action, last.replace(/^[_:]/, ''), summary ?? ''].some((text) => DELETION.test(text));
}

/** Six hexadecimal digits at the end, not a word that happens to be spelled with them. */
function isHashed(name) {
  const end = /_([0-9a-f]{6,})$/.exec(name)?.[1];
  return end !== undefined && /[0-9]/.test(end);
}

function firstParagraph(description = '') {
  return description.split('\n', 1)[0].trim();
}

function countShared(texts) {
  const counts = new Map();
  for (const text of texts) counts.set(text, (counts.get(text) ?? 0) + 1);
  return texts.filter((text) => counts.get(text) > 1).length;
}

/** Places where a value of no declared type became a union of every type there is. */
function countSixWay(node) {
  if (typeof node !== 'object' || node === null) return 0;
  const own = Array.isArray(node.anyOf) && node.anyOf.length >= 5 ? 1 : 0;
  const types = Array.isArray(node.type) && node.type.length >= 6 ? 1 : 0;
  return Object.values(node).reduce((sum, child) => sum + countSixWay(child), own + types);
}

function print(counted) {
  const head = ['', 'tools', 'hash', 'shared', 'broken', 'deletions', 'guarded', 'any type', ...MODES];
  const cells = (row) => [
    row.id,
    ...[row.count, row.hashes, row.sharedTexts, row.brokenTexts, row.deletions, row.guardedDeletions, row.sixWay].map(
      whole,
    ),
    ...MODES.map((mode) => whole(row[mode])),
  ];
  const good = counted.filter(({ error }) => error === undefined);
  const total = good.reduce(
    (sum, row) => Object.fromEntries(Object.keys(row).map((key) => [key, (sum[key] ?? 0) + row[key]])),
    {},
  );
  console.log(
    '\nTools of real documents: names that end in a hash, texts another tool has too, texts that end in the middle,',
  );
  console.log(
    'deletions that are no DELETE and how many of them are marked destructive, values of any type, tokens per mode\n',
  );
  console.log(renderTable(head, [...good.map(cells), cells({ ...total, id: 'all' })]));
  for (const { id, error } of counted) if (error) console.log(`  ${id}: ${error.split('\n', 1)[0].slice(0, 150)}`);
}
