import { describe, expect, test } from 'vitest';
import { type Selection, selectEndpoints } from '../../src/catalog/select-endpoints.ts';
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
    ['nothing', { domains: ['nowhere'] }, []],
  ])('%s', (_, selection, want) => {
    const selected = selectEndpoints(domains, selection);
    expect(selected.flatMap(({ endpoints }) => endpoints.map(({ id }) => id))).toEqual(want);
    expect(selected.every(({ endpoints }) => endpoints.length > 0)).toBe(true);
  });
});
