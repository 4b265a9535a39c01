import { existsSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { findOperations } from '../../src/catalog/search/find-operations.ts';
import { buildIndex, type Index } from '../../src/catalog/search/search-index.ts';
import { nameOperations } from '../../src/catalog/tree.ts';
import { importDocument } from '../../src/openapi/import-document.ts';
import {
  COLLOQUIAL_GITHUB,
  COLLOQUIAL_STRIPE,
  COLLOQUIAL_ZULIP,
  GITEA,
  GITHUB,
  type Query,
  STRIPE,
} from './queries.ts';
import { anOperation } from './support.ts';

const specs = '../shared/specs';

async function indexOf(file: string): Promise<Index> {
  const domain = await importDocument(`${specs}/${file}`, { env: {} });
  return buildIndex(
    nameOperations(
      domain.endpoints.map((endpoint) => anOperation(endpoint)),
      [],
    ),
  );
}

function recall(index: Index, queries: readonly Query[], at: number): number {
  const found = queries.filter(({ query, want }) =>
    findOperations(index, query, at).some(({ endpoint }) => want.includes(`${endpoint.method} ${endpoint.path}`)),
  );
  return found.length / queries.length;
}

describe.skipIf(!existsSync(specs))('search recall on real documents', { timeout: 180_000 }, () => {
  test.each([
    ['GitHub, 1,223 operations', 'github-3.0.json', GITHUB, 0.8],
    ['Stripe, 468 operations', 'stripe-3.0.yaml', STRIPE, 0.65],
    ['Gitea, 536 operations', 'gitea-2.0.json', GITEA, 0.75],
  ])('%s: the right one is among the first five', async (_, file, queries, first) => {
    const index = await indexOf(file);
    const heldOut = queries.filter((__, place) => place % 2 === 1);
    expect(recall(index, heldOut, 5)).toBeGreaterThanOrEqual(0.95);
    expect(recall(index, heldOut, 1)).toBeGreaterThanOrEqual(first);
    expect(recall(index, queries, 5)).toBeGreaterThanOrEqual(0.95);
  });

  test.each([
    ['GitHub', 'github-3.0.json', COLLOQUIAL_GITHUB],
    ['Stripe', 'stripe-3.0.yaml', COLLOQUIAL_STRIPE],
    ['Zulip', 'zulip-3.0.yaml', COLLOQUIAL_ZULIP],
  ])('%s, asked the way people talk', async (_, file, queries) => {
    expect(recall(await indexOf(file), queries, 5)).toBeGreaterThanOrEqual(0.88);
  });
});
