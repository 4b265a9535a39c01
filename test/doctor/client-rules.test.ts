// Every list, in every mode, for every client: one bad tool can break a whole session.
import { describe, expect, test } from 'vitest';
import { buildRegistry } from '../../src/catalog/registry.ts';
import { toDefinition } from '../../src/catalog/tool-entry.ts';
import { CLIENTS, type ClientId, checkTool } from '../../src/doctor/client-rules.ts';
import { importDocument } from '../../src/openapi/import-document.ts';
import { anOperation } from '../catalog/support.ts';
import { OWN, SHARED } from '../support/corpus.ts';

const clients = Object.keys(CLIENTS) as ClientId[];

describe.each([
  [OWN, OWN.documents.map(({ file }) => file).filter((file) => !file.includes('alias-bomb'))],
  [
    SHARED,
    [
      'petstore-3.0.yaml',
      'notion-3.1.json',
      'github-3.0.json',
      'stripe-3.0.yaml',
      'slack-web-2.0.json',
      'kubernetes-2.0.json',
      'zulip-3.0.yaml',
      'discriminators-3.0.json',
      'circular-extensive-3.0.json',
      'reserved-words-3.0.yaml',
      'parameters-style-3.1.json',
    ],
  ],
] as const)('every client accepts what is made of $name', { timeout: 180_000 }, ({ folder, present }, files) => {
  test.skipIf(!present).each(files)('%s', async (file) => {
    const domain = await importDocument(folder + file, { env: {} });
    const operations = domain.endpoints.map((endpoint) => anOperation(endpoint));
    for (const exposure of ['tools', 'grouped', 'search'] as const) {
      const { tools } = buildRegistry({
        domains: [domain],
        operations,
        exposure,
        tokenBudget: 10_000,
      });
      const problems = [...tools.values()].flatMap(({ tool }) => [
        ...clients.flatMap((client) =>
          checkTool(toDefinition(tool), client).map((problem) => `${client} ${tool.name}: ${problem}`),
        ),
        ...((tool.description ?? '').length > 2_048 || !tool.description ? [`${tool.name}: description`] : []),
      ]);
      expect(problems.slice(0, 5)).toEqual([]);
    }
  });
});
