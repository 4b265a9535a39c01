// Tools and actions with the same text are distinguished by method and path, in every exposure that shows their texts.
import { describe, expect, test } from 'vitest';
import { CLIENTS } from '../../src/doctor/client-rules.ts';
import { TOOL_NAME } from '../../src/endpoint/names.ts';
import { createGateway } from '../../src/gateway.ts';
import { importDocument } from '../../src/openapi/import-document.ts';
import { importValue, openapi } from '../openapi/support.ts';
import { SHARED } from '../support/corpus.ts';

const hook = (operationId: string) => ({ get: { operationId, summary: 'Get a hook' } });
const HOOKS = openapi({
  '/repos/{repo}/hooks/{id}': hook('repoGetHook'),
  '/orgs/{org}/hooks/{id}': hook('orgGetHook'),
  '/hooks': { get: { operationId: 'listHooks', summary: 'List hooks' }, post: { operationId: 'addHook' } },
});

describe('operations with the same summary', () => {
  test('as tools, they name method and path; others do not', async () => {
    const { registry } = createGateway({ domains: [await importValue(HOOKS)], exposure: 'tools' });
    expect([...registry.tools.values()].map(({ tool }) => [tool.name, tool.description])).toEqual([
      ['repo_get_hook', 'Get a hook. GET /repos/{repo}/hooks/{id}'],
      ['org_get_hook', 'Get a hook. GET /orgs/{org}/hooks/{id}'],
      ['list_hooks', 'List hooks.'],
      ['add_hook', 'Add hook (POST /hooks).'],
    ]);
  });

  test('as actions of one tool, they name method and path', async () => {
    const document = openapi({
      '/a/{x}': { get: { operationId: 'one', summary: 'Show it' } },
      '/b/{x}': { get: { operationId: 'two', summary: 'Show it' } },
    });
    const { registry } = createGateway({ domains: [await importValue(document)], exposure: 'grouped' });
    const text = JSON.stringify([...registry.tools.values()].map(({ tool }) => [tool.description, tool.inputSchema]));
    expect(text).toContain('Show it GET /a/{x}');
    expect(text).toContain('Show it GET /b/{x}');
  });
});

describe('the arguments of a tool', () => {
  test('are listed in this order: specific ones, generic ones, the gateway’s own with a description', async () => {
    const names = ['per_page', 'sort', 'city', 'page', 'street'];
    const parameters = names.map((name) => ({ name, in: 'query', schema: { type: 'string' } }));
    const { registry } = createGateway({
      domains: [await importValue(openapi({ '/x': { get: { parameters }, post: {} } }))],
      exposure: 'tools',
    });
    const [list, add] = [...registry.tools.values()].map(
      ({ tool }) => (tool.inputSchema as { properties: object }).properties,
    );
    expect(Object.keys(list!)).toEqual(['city', 'street', 'per_page', 'sort', 'page', 'fields', 'dry_run']);
    expect(list).toMatchObject({ fields: { description: 'Keep only: id,a.b' } });
    expect(Object.keys(add!)).toEqual(['fields', 'dry_run']);
  });
});

describe.skipIf(!SHARED.present)('tools of large real documents', { timeout: 120_000 }, () => {
  const large = SHARED.documents.filter(({ operations }) => operations > 40);
  test.each(large.map(({ id, file }) => [id, file]))(
    '%s: no name ends in a hash, no two descriptions are equal, no sentence is cut',
    async (_id, file) => {
      const domain = await importDocument(SHARED.folder + file, { env: {}, baseUrl: 'http://127.0.0.1:1' });
      const { registry } = createGateway({ domains: [domain], exposure: 'tools' });
      const tools = [...registry.tools.values()].map(({ tool }) => tool);
      const texts = tools.map(({ description }) => description ?? '');
      const offences = tools.filter(({ name }) => /_(?=[0-9a-f]*\d)[0-9a-f]{6}$/.test(name)).map(({ name }) => name);
      expect(offences).toEqual([]);
      expect(new Set(texts).size).toBe(texts.length);
      expect(texts.filter((text) => /[:,]$|\b(?:e\.g|i\.e)\.?$|```/i.test(text))).toEqual([]);
      for (const { name } of tools) {
        expect(name).toMatch(TOOL_NAME);
        for (const rules of Object.values(CLIENTS)) expect(name).toMatch(rules.name);
      }
    },
  );
});
