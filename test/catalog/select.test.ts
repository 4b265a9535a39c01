import { describe, expect, test } from 'vitest';
import { defineTool } from '../../src/catalog/native/define-tool.ts';
import { checkSelection, type Selection, selectEndpoints, selectNative } from '../../src/catalog/select-endpoints.ts';
import { aDomain, anEndpoint } from './support.ts';

const domains = [
  aDomain('git', [
    anEndpoint('git', 'list', { tags: ['Pull Requests', 'read'] }),
    anEndpoint('git', 'merge', { tags: ['Pull Requests'], effect: 'write' }),
    anEndpoint('git', 'wipe', { effect: 'destructive' }),
  ]),
  aDomain('shop', [anEndpoint('shop', 'orders', { tags: ['read'] })]),
];

describe('selectEndpoints()', () => {
  test.each<[string, Selection, string[]]>([
    ['everything by default', {}, ['git.list', 'git.merge', 'git.wipe', 'shop.orders']],
    ['by domain', { domains: ['shop'] }, ['shop.orders']],
    ['by effect', { effects: ['read'] }, ['git.list', 'shop.orders']],
    ['by tag, in any domain', { tags: ['read'] }, ['git.list', 'shop.orders']],
    ['by tag of one domain', { tags: ['git.read'] }, ['git.list']],
    ['by tag as the document spells it', { tags: ['Pull Requests'] }, ['git.list', 'git.merge']],
    ['by the name of its group', { tags: ['git.pull_requests'] }, ['git.list', 'git.merge']],
    ['exclusion is stronger', { tags: ['pull_requests'], excludeTags: ['read'] }, ['git.merge']],
    ['all of it together', { domains: ['git'], tags: ['pull_requests'], effects: ['write'] }, ['git.merge']],
    ['by fully-qualified name', { include: ['git.pull_requests.merge'] }, ['git.merge']],
    ['by either name of one with two tags', { include: ['git.read.list'] }, ['git.list']],
    ['by glob', { include: ['git.pull_requests.*'] }, ['git.list', 'git.merge']],
    ['by a group as a whole', { include: ['git.pull_requests'] }, ['git.list', 'git.merge']],
    ['by a domain as a whole', { include: ['shop'] }, ['shop.orders']],
    ['by id', { include: ['git.wipe'] }, ['git.wipe']],
    ['without what is named', { exclude: ['git.pull_requests.*'] }, ['git.wipe', 'shop.orders']],
    ['without, stronger than with', { include: ['git'], exclude: ['*.list'] }, ['git.merge', 'git.wipe']],
    ['tags by fully-qualified glob', { tags: ['git.read.*'] }, ['git.list']],
    ['without tags by glob', { excludeTags: ['pull*'] }, ['git.wipe', 'shop.orders']],
    ['nothing', { domains: ['nowhere'] }, []],
  ])('%s', (_, selection, want) => {
    const selected = selectEndpoints(domains, selection);
    expect(selected.flatMap(({ endpoints }) => endpoints.map(({ id }) => id))).toEqual(want);
    expect(selected.every(({ endpoints }) => endpoints.length > 0)).toBe(true);
  });

  test('a part of a domain has no document, because that describes all of it', () => {
    const [git] = domains.map((domain) => ({ ...domain, document: { text: 'all', mimeType: 'text/plain' } }));
    expect(selectEndpoints([git!], {})[0]).toHaveProperty('document');
    expect(selectEndpoints([git!], { effects: ['read', 'write', 'destructive'] })[0]).toHaveProperty('document');
    expect(selectEndpoints([git!], { effects: ['read'] })[0]).not.toHaveProperty('document');
  });
});

describe('selectNative()', () => {
  const run = async () => 'done';
  const parts = {
    tools: [
      defineTool({ name: 'look', description: 'Looks.', annotations: { readOnlyHint: true }, run }),
      defineTool({ name: 'wipe', description: 'Wipes.', annotations: { destructiveHint: true }, run }),
    ],
    resources: [{ definition: { uri: 'doc://a', name: 'a' }, read: async () => ({ contents: [] }) }],
    prompts: [{ definition: { name: 'hello' }, get: async () => ({ messages: [] }), values: {} }],
    logging: true,
  };
  const names = (selection: Selection) => {
    const { tools = [], resources = [], prompts = [] } = selectNative(parts, selection);
    return [
      ...tools.map(({ tool }) => tool.name),
      ...[...resources, ...prompts].map(({ definition }) => definition.name),
    ];
  };

  test.each<[string, Selection, string[]]>([
    ['nothing unless asked for', {}, []],
    ['all of it', { native: true }, ['look', 'wipe', 'a', 'hello']],
    ['by name, URI and glob', { native: ['look', 'doc://*', 'hel*'] }, ['look', 'a', 'hello']],
    ['of the right effect', { native: true, effects: ['read'] }, ['look', 'a', 'hello']],
  ])('%s', (_, selection, want) => {
    expect(names(selection)).toEqual(want);
  });

  test('other settings stay unchanged', () => {
    expect(selectNative(parts, { native: true }).logging).toBe(true);
  });
});

describe('checkSelection()', () => {
  const catalog = { domains, native: {} };
  test.each<[string, Selection, string, string]>([
    ['a domain', { domains: ['gti'] }, 'domains', 'there is no domain "gti"; did you mean "git"? (git'],
    ['an operation', { exclude: ['git.pul_requests.merge'] }, 'exclude', 'did you mean "git.pull_requests.merge"?'],
    ['a pattern of nothing', { include: ['git.nothing.*'] }, 'include', 'there is no operation "git.nothing.*"'],
    ['a tag', { tags: ['reed'] }, 'tags', 'there is no tag "reed"; did you mean "read"? ('],
    ['a banned tag', { excludeTags: ['nobody'] }, 'excludeTags', 'there is no tag "nobody"; ('],
    [
      'a native entry',
      { native: ['look'] },
      'native',
      'there is no tool, resource or prompt registered in code "look"',
    ],
  ])('an unknown %s is a problem', (_, selection, key, message) => {
    expect(checkSelection(selection, catalog)).toEqual([
      { path: [key, 0], message: expect.stringContaining(message) as string },
    ]);
  });

  test('each name is listed once', () => {
    const [problem] = checkSelection({ exclude: ['git.nothing.*'] }, catalog);
    const names = /\((.*)\)$/.exec(problem!.message)![1]!.split(', ');
    expect(names).toEqual([...new Set(names)]);
  });

  test('a selection that leaves nothing is a problem', () => {
    expect(checkSelection({ domains: ['git'], exclude: ['git.**'] }, catalog)).toEqual([
      {
        path: [],
        message: 'serves nothing: no operation matches domains, exclude together; relax one of them',
      },
    ]);
  });

  test('existing names are accepted', () => {
    const selection = { domains: ['git'], include: ['git.*'], exclude: ['git.pull_requests'] };
    expect(checkSelection(selection, catalog)).toEqual([]);
  });
});
