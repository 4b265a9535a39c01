import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { assignToolNames } from '../../src/catalog/tool-names.ts';
import type { Endpoint } from '../../src/endpoint/model.ts';
import { TOOL_NAME, toToolName } from '../../src/endpoint/names.ts';

const named = (domain: string, toolName: string, kind: Endpoint['source']['kind'] = 'openapi', action = toolName) => ({
  id: `${domain}.${action}`,
  domain,
  toolName,
  source: { kind, file: `${domain}.yaml` },
});

describe('toToolName()', () => {
  test.each([
    ['listPets', 'list_pets'],
    ['getHTTPServer', 'get_http_server'],
    ['issues/list-for-repo', 'issues_list_for_repo'],
    ['2fa.enable', 't_2fa_enable'],
    ['__x__', 'x'],
    ['', 't'],
    ['日本', 't'],
    ['a'.repeat(60), 'a'.repeat(48)],
    [`${'a'.repeat(47)}_b`, 'a'.repeat(47)],
  ])('%s becomes %s', (given, want) => {
    expect(toToolName(given)).toBe(want);
  });
});

describe('assignToolNames()', () => {
  test('names that are unique stay unchanged', () => {
    const names = assignToolNames([named('pets', 'list_pets'), named('shop', 'list_orders')]);
    expect([...names.values()]).toEqual(['list_pets', 'list_orders']);
  });

  test('imported names that clash get their domain as a prefix, in any order', () => {
    const a = named('pets', 'search');
    const b = named('shop', 'search');
    const want = new Map([
      ['pets.search', 'pets_search'],
      ['shop.search', 'shop_search'],
    ]);
    expect(assignToolNames([a, b])).toEqual(want);
    expect(new Map([...assignToolNames([b, a])].sort())).toEqual(want);
  });

  test('a hand-written name stays unchanged if it clashes with imported ones', () => {
    const names = assignToolNames([named('pets', 'search'), named('mine', 'search', 'module')]);
    expect(names.get('mine.search')).toBe('search');
    expect(names.get('pets.search')).toBe('pets_search');
  });

  test('two hand-written names that clash both get a prefix', () => {
    const names = assignToolNames([named('a', 'search', 'yaml'), named('b', 'search', 'module')]);
    expect([...names.values()]).toEqual(['a_search', 'b_search']);
  });

  test('a reserved name is never assigned', () => {
    expect([...assignToolNames([named('a', 'search_operations')], ['search_operations']).values()]).toEqual([
      'a_search_operations',
    ]);
  });

  test('a prefixed name that equals another name gets a hash', () => {
    const names = assignToolNames([
      named('a', 'b_x'),
      named('b', 'x'),
      named('c', 'x'),
      named('d', 'b_x', 'module', 'bx'),
    ]);
    const all = [...names.values()];
    expect(new Set(all).size).toBe(all.length);
    expect(names.get('d.bx')).toBe('b_x');
    expect(names.get('a.b_x')).toBe('a_b_x');
    expect(names.get('c.x')).toBe('c_x');
    expect(names.get('b.x')).toMatch(/^b_x_[0-9a-f]{6}$/);
  });

  test('results are always unique and valid', () => {
    const word = fc.string({ minLength: 1, maxLength: 60 });
    fc.assert(
      fc.property(
        fc.uniqueArray(fc.tuple(word, word, fc.constantFrom('module', 'openapi', 'yaml')), {
          selector: ([domain, action]) => `${domain}.${action}`,
          maxLength: 30,
        }),
        (triples) => {
          const endpoints = triples.map(([domain, action, kind], index) => ({
            ...named(domain, action.slice(0, 3), kind as 'module', action),
            id: `${domain}.${action}.${index}`,
          }));
          const names = assignToolNames(endpoints);
          expect(new Set(names.values()).size).toBe(endpoints.length);
          for (const name of names.values()) expect(name).toMatch(TOOL_NAME);
        },
      ),
    );
  });
});

test('a name that starts with its domain gets no prefix', () => {
  const names = assignToolNames([named('github', 'github_list'), named('shop', 'github_list')]);
  expect([...names.values()]).toEqual(['github_list', 'shop_github_list']);
});
