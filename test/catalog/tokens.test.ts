import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { buildRegistry } from '../../src/catalog/registry.ts';
import { costOf, estimateListCost, fitsBudget, listCost } from '../../src/catalog/tokens.ts';
import { describeCost } from '../../src/cli/exposure-cost.ts';
import { loadDomains } from '../../src/domain/load.ts';
import type { Domain } from '../../src/endpoint/model.ts';
import { createGateway } from '../../src/gateway.ts';
import { importDocument } from '../../src/openapi/import-document.ts';
import { importValue } from '../openapi/support.ts';
import { SHARED } from '../support/corpus.ts';
import { petsDomain } from '../support/pets.ts';
import { forgeDocument, toDocument } from './forge.ts';
import { aDomain, anEndpoint, anOperation } from './support.ts';

function cost(domains: readonly Domain[], exposure: 'tools' | 'grouped' | 'search', tokenBudget = 10_000): number {
  const operations = domains.flatMap(({ endpoints }) => endpoints.map((endpoint) => anOperation(endpoint)));
  const { tools } = buildRegistry({ domains, operations, exposure, tokenBudget });
  return listCost([...tools.values()].map(({ tool }) => tool));
}

describe('tokens', () => {
  test('are counted as o200k does, over name, description and inputSchema alone', () => {
    const definition = { name: 'a', description: 'b', inputSchema: { type: 'object' } } as const;
    // Counted with the reference tokenizer: the JSON of name, description and inputSchema, nothing else.
    expect(costOf(definition)).toBe(16);
    expect(costOf({ ...definition, annotations: { readOnlyHint: true }, outputSchema: {} } as never)).toBe(16);
    expect(listCost([definition, definition])).toBe(34);
  });

  test('text that looks like a special token counts as text', () => {
    const definition = { name: 'a', description: '<|endoftext|>', inputSchema: { type: 'object' } } as const;
    expect(costOf(definition)).toBeGreaterThan(costOf({ ...definition, description: 'b' }));
  });

  test('an estimate is within a fifth of the count, without the tokenizer', () => {
    const tools = (exposure: 'tools' | 'grouped' | 'search') => [
      ...createGateway({ domains: [petsDomain('http://127.0.0.1:9')], exposure }).registry.tools.values(),
    ];
    for (const exposure of ['tools', 'grouped', 'search'] as const) {
      const definitions = tools(exposure).map(({ tool }) => tool);
      const ratio = estimateListCost(definitions) / listCost(definitions);
      expect(ratio).toBeGreaterThan(0.8);
      expect(ratio).toBeLessThan(1.2);
    }
  });

  test('fitsBudget() agrees with counting, whichever way it decides', () => {
    const list = (chars: number, word: string) => [
      { name: 'n', description: word.repeat(chars / word.length), inputSchema: {} },
    ];
    for (const [chars, word] of [
      [100, 'word '],
      [2_000, 'word '],
      [5_000, 'word '],
      [9_000, '漢字'],
      [60_000, 'word '],
      [3_000, 'qzx;'],
    ] as const) {
      for (const budget of [100, 1_000, 2_000, 20_000]) {
        expect(fitsBudget(list(chars, word), budget)).toBe(listCost(list(chars, word)) <= budget);
      }
    }
  });
});

// A catalog of every shape that costs tokens. Whoever makes it dearer should know: change the figures on purpose.
const shapes = aDomain('shapes', [
  anEndpoint('shapes', 'list_things', {
    summary: 'List things',
    tags: ['things'],
    path: '/things',
    properties: {
      state: { type: 'string', enum: ['open', 'closed'], description: 'Only things in this state.' },
      per_page: { type: 'integer', minimum: 1, maximum: 100, default: 30, description: 'Results per page (max 100).' },
      since: { type: 'string', format: 'date-time', examples: ['2026-01-31T00:00:00Z'] },
    },
  }),
  anEndpoint('shapes', 'get_thing', {
    summary: 'Get a thing',
    tags: ['things'],
    path: '/things/{id}',
    properties: { id: { type: 'integer', description: 'ID of the thing.' } },
    required: ['id'],
  }),
  anEndpoint('shapes', 'create_thing', {
    summary: 'Create a thing',
    description: 'Creates a thing. For more information, see "Things" in the manual.',
    tags: ['things'],
    effect: 'write',
    path: '/things',
    properties: {
      name: { type: 'string', minLength: 1, maxLength: 255, description: 'What it is called.' },
      owner: {
        type: 'object',
        properties: { login: { type: 'string' }, team: { type: 'object', properties: { id: { type: 'integer' } } } },
      },
      labels: { type: 'array', items: { type: 'string' } },
    },
    required: ['name'],
  }),
  anEndpoint('shapes', 'update_thing', {
    summary: 'Update a thing',
    tags: ['things'],
    effect: 'write',
    method: 'PATCH',
    path: '/things/{id}',
    properties: { id: { type: 'integer' }, name: { type: 'string' } },
    required: ['id'],
  }),
  anEndpoint('shapes', 'delete_thing', {
    summary: 'Delete a thing',
    tags: ['things'],
    effect: 'destructive',
    path: '/things/{id}',
    properties: { id: { type: 'integer' } },
    required: ['id'],
  }),
]);

describe('tools/list of a small catalog costs no more than before', () => {
  test.each([
    ['tools', 464],
    ['grouped', 528],
    ['search', 237],
  ] as const)('%s', (exposure, known) => {
    const now = cost([shapes], exposure);
    expect(now).toBeLessThanOrEqual(known * 1.03);
    // Much cheaper is news as well: write the new figure down.
    expect(now).toBeGreaterThanOrEqual(known * 0.9);
  });
});

describe('tools/list of the bundled domains costs no more than before', () => {
  test.each([
    ['tools', 6_514],
    ['grouped', 5_374],
    ['search', 261],
  ] as const)('%s', async (exposure, known) => {
    const domains = await loadDomains({ paths: ['domains'], env: {}, embedded: () => 'http://127.0.0.1:9' });
    const now = cost(domains, exposure);
    expect(now).toBeLessThanOrEqual(known * 1.03);
    expect(now).toBeGreaterThanOrEqual(known * 0.9);
  });
});

describe('tools/list of eighty operations costs no more than before', () => {
  test.each([
    ['tools', 6_040],
    ['grouped', 6_158],
    ['search', 237],
  ] as const)('%s', async (exposure, known) => {
    const now = cost([await importValue(forgeDocument())], exposure);
    expect(now).toBeLessThanOrEqual(known * 1.03);
    expect(now).toBeGreaterThanOrEqual(known * 0.9);
  });
});

/** This many operations on two hundred and more kinds of things, in forty areas. */
function documentOf(operations: number): object {
  const rows = Array.from({ length: operations }, (_, n) => {
    const [thing, action] = [Math.floor(n / 5), n % 5];
    const path = `/area-${thing % 40}/thing-${thing}`;
    return [
      `GET ${path} Lists things of kind ${thing}`,
      `POST ${path} Creates a thing of kind ${thing}`,
      `GET ${path}/{id} Gets a thing of kind ${thing}`,
      `PATCH ${path}/{id} Updates a thing of kind ${thing}`,
      `DELETE ${path}/{id} Deletes a thing of kind ${thing}`,
    ][action]!;
  });
  return toDocument(rows.join('\n'));
}

describe("the README's figures for GitHub", () => {
  const readme = readFileSync(new URL('../../README.md', import.meta.url), 'utf8').replace(/\s+/g, ' ');
  const claim = /All ([\d,]+) operations of GitHub cost (\d+) tokens instead of ([\d,]+)/.exec(readme)!;
  const [operations, tokens] = [Number(claim[1]!.replace(',', '')), Number(claim[2])];

  function expectTruth(domain: Domain): void {
    expect(domain.endpoints).toHaveLength(operations);
    const { registry } = createGateway({ domains: [domain] });
    expect(registry.exposure).toBe('search');
    expect(Math.abs(listCost([...registry.tools.values()].map(({ tool }) => tool)) - tokens)).toBeLessThanOrEqual(15);
    // The banner has an estimate, because it does not wait for the tokenizer.
    const words = /^about (\d+) tokens$/.exec(describeCost({ registry }))!;
    expect(Math.abs(Number(words[1]) - tokens)).toBeLessThanOrEqual(50);
  }

  // Search costs nearly the same for every document, so one that is made here shows it in every clone.
  test('is true of a document with as many operations', async () => {
    expectTruth(await importValue(documentOf(operations)));
  });

  test.skipIf(!SHARED.present)('is true of its own document', { timeout: 180_000 }, async () => {
    expectTruth(await importDocument(`${SHARED.folder}github-3.0.json`, { env: {}, name: 'github' }));
  });
});

/** One tool per operation (full), grouped (full where it fits the budget; slim, with notes), search. */
describe.skipIf(!SHARED.present)('tools/list of real documents costs no more than before', { timeout: 180_000 }, () => {
  test.each([
    // Grouped: more than published by a tool per tag, describe_operation, and full fields while the budget has room.
    // 1,862 and the words on `fields` and `dry_run`, which stand in every tool.
    ['petstore-3.0.yaml', 2_120, 1_930, 1_720, 281],
    // 22,642 and the confirmation tokens of what is named for deletion (`POST /chat.delete`).
    ['slack-web-2.0.json', 22_940, 15_894, 14_050, 466],
    ['github-3.0.json', 368_192, 120_083, 98_300, 406],
    ['stripe-3.0.yaml', 258_293, 145_491, 110_563, 431],
  ])('%s', async (file, tools, grouped, slim, search) => {
    const domain = await importDocument(SHARED.folder + file, { env: {}, name: file.split('-')[0]! });
    expect(cost([domain], 'search')).toBeLessThanOrEqual(search);
    expect(cost([domain], 'grouped')).toBeLessThanOrEqual(grouped);
    expect(cost([domain], 'grouped', 1)).toBeLessThanOrEqual(slim);
    expect(cost([domain], 'tools')).toBeLessThanOrEqual(tools);
  });
});
