import { describe, expect, test } from 'vitest';
import { findOperations } from '../../src/catalog/search/find-operations.ts';
import { buildIndex, type SearchIndex } from '../../src/catalog/search/search-index.ts';
import { toCatalogOperations } from '../../src/catalog/tree.ts';
import type { Domain } from '../../src/endpoint/model.ts';
import { importDocument } from '../../src/openapi/import-document.ts';
import { importValue } from '../openapi/support.ts';
import { SHARED } from '../support/corpus.ts';
import { ASKED_OF_THE_ESTATE, ESTATE } from './estate.ts';
import { COLLOQUIAL_FORGE, FORGE, forgeDocument, toDocument } from './forge.ts';
import {
  COLLOQUIAL_GITHUB,
  COLLOQUIAL_STRIPE,
  COLLOQUIAL_ZULIP,
  GITEA,
  GITHUB,
  type Query,
  STRIPE,
} from './queries.ts';
import { SENTENCES } from './sentences.ts';
import { anOperation } from './support.ts';

const indexDomain = ({ endpoints }: Domain): Promise<SearchIndex> =>
  buildIndex(
    toCatalogOperations(
      endpoints.map((endpoint) => anOperation(endpoint)),
      [],
    ),
  );

const indexOwn = async (document: object) => indexDomain(await importValue(document));
const indexes = new Map<string, Promise<SearchIndex>>();
/** Several tests search the same large documents. */
const indexOf = (file: string): Promise<SearchIndex> => {
  const index = indexes.get(file) ?? importDocument(SHARED.folder + file, { env: {} }).then(indexDomain);
  indexes.set(file, index);
  return index;
};

/** The queries whose answer is among the first `at`. */
async function answered(index: SearchIndex, queries: readonly Query[], at: number): Promise<Query[]> {
  const hits = await Promise.all(queries.map(({ query }) => findOperations(index, query, at)));
  return queries.filter(({ want }, place) =>
    hits[place]!.some(({ endpoint }) => want.includes(`${endpoint.method} ${endpoint.path}`)),
  );
}

async function recall(index: SearchIndex, queries: readonly Query[], at: number): Promise<number> {
  return (await answered(index, queries, at)).length / queries.length;
}

describe('search over a code forge of eighty operations', () => {
  test('finds the right one among the first five, and mostly first', async () => {
    const index = await indexOwn(forgeDocument());
    expect(await recall(index, FORGE, 5)).toBeGreaterThanOrEqual(0.95);
    expect(await recall(index, FORGE, 1)).toBeGreaterThanOrEqual(0.8);
  });

  test('answers requests in everyday language', async () => {
    expect(await recall(await indexOwn(forgeDocument()), COLLOQUIAL_FORGE, 5)).toBe(1);
  });
});

describe('search over many services with unusual words', () => {
  test('answers requests in everyday language', async () => {
    const index = await indexOwn(toDocument(ESTATE));
    expect(await recall(index, ASKED_OF_THE_ESTATE, 5)).toBeGreaterThanOrEqual(0.96);
    expect(await recall(index, ASKED_OF_THE_ESTATE, 1)).toBeGreaterThanOrEqual(0.8);
  });
});

describe.skipIf(!SHARED.present)('search over real documents', { timeout: 180_000 }, () => {
  test.each([
    ['GitHub, 1,223 operations', 'github-3.0.json', GITHUB, 0.8],
    ['Stripe, 468 operations', 'stripe-3.0.yaml', STRIPE, 0.65],
    ['Gitea, 536 operations', 'gitea-2.0.json', GITEA, 0.75],
  ])('finds the right operation of %s among the first five', async (_, file, queries, first) => {
    const index = await indexOf(file);
    const heldOut = queries.filter((__, place) => place % 2 === 1);
    expect(await recall(index, heldOut, 5)).toBeGreaterThanOrEqual(0.95);
    expect(await recall(index, heldOut, 1)).toBeGreaterThanOrEqual(first);
    expect(await recall(index, queries, 5)).toBeGreaterThanOrEqual(0.95);
  });

  test.each([
    ['GitHub', 'github-3.0.json', COLLOQUIAL_GITHUB],
    ['Stripe', 'stripe-3.0.yaml', COLLOQUIAL_STRIPE],
    ['Zulip', 'zulip-3.0.yaml', COLLOQUIAL_ZULIP],
  ])('answers requests in everyday language for %s', async (_, file, queries) => {
    expect(await recall(await indexOf(file), queries, 5)).toBeGreaterThanOrEqual(0.9);
  });

  // The floors are a few hundredths below what was measured.
  test.each([
    ['looked at while tuning', SENTENCES.tunedOn, 0.87, 0.59],
    ['full of idioms', SENTENCES.idiomatic, 0.86, 0.53],
    ['never looked at', SENTENCES.neverLookedAt, 0.83, 0.63],
    ['written before anything was found', SENTENCES.untuned, 0.9, 0.64],
  ])('answers whole sentences (%s)', async (_, documents, amongFive, first) => {
    const all = documents.flatMap(([, queries]) => queries).length;
    let [five, one] = [0, 0];
    for (const [file, queries] of documents) {
      const index = await indexOf(file);
      five += (await answered(index, queries, 5)).length;
      one += (await answered(index, queries, 1)).length;
    }
    expect(five / all).toBeGreaterThanOrEqual(amongFive);
    expect(one / all).toBeGreaterThanOrEqual(first);
  });
});
