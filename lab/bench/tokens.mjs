// npm run bench:tokens: what tools/list costs a model in every exposure mode, in o200k tokens of the compact JSON of name,
// description and inputSchema, beside the figures published for other ways to write the same tools.
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { listCost } from '../../dist/catalog/tokens.js';
import { loadDomains } from '../../dist/domain/load.js';
import { createGateway } from '../../dist/gateway.js';
import { SPECS } from './cache.mjs';
import { fixed, renderTable, whole } from './table.mjs';

const MODES = ['tools', 'grouped', 'search'];
/** The published column each mode is compared with: the slim variants, as ours are slim too. */
const COLUMN = { tools: '1:1 slim', grouped: 'grouped slim + "Required for"', search: 'search/describe/call' };
const PUBLISHED = {
  'petstore-3.0': { operations: 20, full: 1_862, tools: 1_563, grouped: 1_174, search: 281 },
  'notion-3.1': { operations: 13, full: 1_642, tools: 821, grouped: 846, search: 285 },
  'slack-web-2.0': { operations: 174, full: 22_642, tools: 17_942, grouped: 13_694, search: 466 },
  'github-3.0': { operations: 1_223, full: 368_192, tools: 172_743, grouped: 93_860, search: 406 },
  'stripe-3.0': { operations: 452, full: 258_293, tools: 180_884, grouped: 110_563, search: 431 },
};

const { values } = parseArgs({
  options: { all: { type: 'boolean', default: false }, json: { type: 'boolean', default: false } },
});
if (!existsSync(join(SPECS, 'index.json'))) {
  console.log('No ../shared/specs here, nothing to count. `landbridge tools <document>` counts any document.');
  process.exit(0);
}

const { documents } = JSON.parse(readFileSync(join(SPECS, 'index.json'), 'utf8'));
const chosen = documents.filter(({ id, operations }) => id in PUBLISHED || (values.all && operations > 0));
const rows = [];
for (const { id, file } of chosen) {
  if (process.stderr.isTTY) process.stderr.write(`\r\x1b[K${id}`);
  const row = await count(id, join(SPECS, file)).catch((error) => ({ id, error: error.message }));
  rows.push(row);
}
if (process.stderr.isTTY) process.stderr.write('\r\x1b[K');
if (values.json) console.log(JSON.stringify(rows, null, 1));
else print(rows);

async function count(id, file) {
  const domains = await loadDomains({ paths: [file], env: {}, baseUrl: 'http://127.0.0.1:1' });
  const build = (exposure) => createGateway({ domains, exposure }).registry;
  const cost = (registry) => listCost([...registry.tools.values()].map(({ tool }) => tool));
  const registries = Object.fromEntries(MODES.map((mode) => [mode, build(mode)]));
  const operations = registries.tools.operations.length;
  const tokens = Object.fromEntries(MODES.map((mode) => [mode, cost(registries[mode])]));
  const published = PUBLISHED[id];
  return {
    id,
    operations,
    auto: build('auto').exposure,
    groupedTools: registries.grouped.tools.size,
    tokens,
    ...(published && { published, ratios: ratios(tokens, published, operations) }),
  };
}

/** The documents have grown since the figures were published: a list is compared per operation, search as it is. */
function ratios(tokens, published, operations) {
  const perOperation = (mode) => tokens[mode] / operations / (published[mode] / published.operations);
  return {
    full: tokens.tools / operations / (published.full / published.operations),
    tools: perOperation('tools'),
    grouped: perOperation('grouped'),
    search: tokens.search / published.search,
  };
}

function print(counted) {
  const compared = counted.filter(({ ratios: known }) => known !== undefined);
  console.log('\nTokens of tools/list, and their ratio to the published figure of the same way to write them');
  console.log(
    `(${MODES.map((mode) => `${mode}: "${COLUMN[mode]}"`).join(', ')}; lists per operation; below 1 is better)\n`,
  );
  const head = [
    '',
    'operations',
    'published',
    ...MODES.flatMap((mode) => [mode, 'ratio']),
    'to 1:1 full',
    'auto takes',
  ];
  const body = compared.map(({ id, operations, published, tokens, ratios: known, auto }) => [
    id,
    whole(operations),
    whole(published.operations),
    ...MODES.flatMap((mode) => [whole(tokens[mode]), fixed(known[mode])]),
    fixed(known.full),
    auto,
  ]);
  console.log(renderTable(head, body));
  const others = counted.filter(({ ratios: known, error }) => known === undefined && error === undefined);
  if (others.length > 0) {
    console.log('\nDocuments without a published figure\n');
    const cells = ({ id, operations, tokens, auto }) => [
      id,
      whole(operations),
      ...MODES.map((m) => whole(tokens[m])),
      auto,
    ];
    console.log(renderTable(['', 'operations', ...MODES, 'auto takes'], others.map(cells)));
  }
  for (const { id, error } of counted) if (error) console.log(`  ${id}: ${error.split('\n', 1)[0].slice(0, 150)}`);
}
