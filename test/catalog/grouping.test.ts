import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { literalSegments, minGroupCount, planGroups } from '../../src/catalog/grouped/grouping.ts';
import { buildTree, toCatalogOperations } from '../../src/catalog/tree.ts';
import type { Effect, Endpoint } from '../../src/endpoint/model.ts';
import { aDomain, anEndpoint, anOperation } from './support.ts';

function plan(endpoints: readonly Endpoint[], everyTag = true) {
  const domain = aDomain('api', endpoints);
  const operations = toCatalogOperations(
    endpoints.map((endpoint) => anOperation(endpoint)),
    [],
  );
  const [tree] = buildTree([domain], operations);
  return planGroups(tree!.group, tree!.operations, everyTag);
}

const outline = (endpoints: readonly Endpoint[]) =>
  plan(endpoints).map(({ kind, labels, members }) => [kind, labels, members.map(({ endpoint }) => endpoint.action)]);

const many = (count: number, tag: string, more: Parameters<typeof anEndpoint>[2] = {}) =>
  Array.from({ length: count }, (_, i) =>
    anEndpoint('api', `${tag}_${i}`, { tags: [tag], path: `/${tag}/thing${i}`, ...more }),
  );

describe('planGroups()', () => {
  test('a small domain has two groups: reads and writes', () => {
    expect(
      outline([
        anEndpoint('api', 'list', { tags: ['users'] }),
        anEndpoint('api', 'make', { tags: ['user_groups'], effect: 'write' }),
        anEndpoint('api', 'kill', { tags: ['users'], effect: 'destructive' }),
      ]),
    ).toEqual([
      ['read', [], ['list']],
      ['write', [], ['kill', 'make']],
    ]);
  });

  test('unrelated tags never share a tool, however few operations they have', () => {
    const small = (tag: string) => anEndpoint('api', `list_${tag}`, { tags: [tag], path: `/${tag}` });
    expect(outline(['pets', 'orders', 'pet_toys'].map(small))).toEqual([
      ['read', ['pets', 'pet_toys'], ['list_pets', 'list_pet_toys']],
      ['read', ['orders'], ['list_orders']],
    ]);
  });

  test('a larger domain is divided by tags, and an operation with two tags is in both groups', () => {
    const both = anEndpoint('api', 'both', { tags: ['pets', 'shops'] });
    const groups = outline([...many(10, 'pets'), both, ...many(8, 'shops')]);
    expect(groups.map(([, labels, members]) => [labels, (members as string[]).length])).toEqual([
      [['pets'], 11],
      [['shops'], 9],
    ]);
    for (const [, , members] of groups) expect(members).toContain('both');
    const [pets, shops] = plan([...many(10, 'pets'), both, ...many(8, 'shops')], false);
    expect([pets?.members.length, shops?.members.length]).toEqual([11, 8]);
  });

  test('without tags, the first word of the path decides, except versions', () => {
    const at = (path: string, n: number) => anEndpoint('api', `op_${n}`, { path });
    const endpoints = [
      ...Array.from({ length: 9 }, (_, i) => at(`/v1/customers/x${i}`, i)),
      ...Array.from({ length: 9 }, (_, i) => at(`/v1/invoices/y${i}`, 10 + i)),
    ];
    expect(outline(endpoints).map(([, labels]) => labels)).toEqual([['customers'], ['invoices']]);
  });

  test('a tag with hundreds of operations is divided by paths, and small groups are merged again', () => {
    const endpoints = ['branches', 'hooks', 'keys', 'pages'].flatMap((segment) =>
      Array.from({ length: segment === 'branches' ? 20 : 4 }, (_, i) =>
        anEndpoint('api', `${segment}_${i}`, { tags: ['repos'], path: `/repos/{owner}/{repo}/${segment}/x${i}` }),
      ),
    );
    const groups = plan(endpoints);
    expect(groups.every(({ labels }) => labels[0] === 'repos')).toBe(true);
    expect(groups.flatMap(({ members }) => members)).toHaveLength(32);
    expect(groups.length).toBeLessThanOrEqual(4);
  });

  test('a group is also divided if it has too many fields', () => {
    const wide = (n: number) =>
      anEndpoint('api', `w_${n}`, {
        properties: Object.fromEntries(Array.from({ length: 15 }, (_, i) => [`f${n}_${i}`, {}])),
      });
    expect(plan([wide(1), wide(2), wide(3)])).toHaveLength(3);
  });

  test('every operation is in exactly one group within the limits, and the result is always the same', () => {
    const endpoint = fc.record({
      tags: fc.subarray(['a', 'b', 'c'], { maxLength: 2 }),
      effect: fc.constantFrom<Effect>('read', 'write', 'destructive'),
      path: fc
        .array(fc.constantFrom('x', 'y', 'z', '{id}', 'v2'), { maxLength: 4 })
        .map((parts) => `/${parts.join('/')}`),
      fields: fc.array(fc.integer({ min: 0, max: 60 }), { maxLength: 40 }),
    });
    fc.assert(
      fc.property(fc.array(endpoint, { maxLength: 60 }), (records) => {
        const endpoints = records.map(({ fields, ...init }, n) =>
          anEndpoint('api', `op_${n}`, {
            ...init,
            properties: Object.fromEntries(fields.map((field) => [`f${field}`, {}])),
          }),
        );
        const groups = plan(endpoints);
        const placed = groups.flatMap(({ members }) => members.map((member) => member.endpoint.action));
        expect([...new Set(placed)].sort()).toEqual(endpoints.map(({ action }) => action).sort());
        for (const { members } of groups) expect(new Set(members).size).toBe(members.length);
        const apart = plan(endpoints, false);
        const operations = endpoints.map((each) => ({ endpoint: each, controls: {} }));
        expect(minGroupCount([operations], Number.POSITIVE_INFINITY)).toBeLessThanOrEqual(apart.length);
        const once = apart.flatMap(({ members }) => members.map((member) => member.endpoint.action));
        expect(once.sort()).toEqual(endpoints.map(({ action }) => action).sort());
        for (const { kind, members } of groups) {
          expect(members.every(({ endpoint: one }) => (one.effect === 'read') === (kind === 'read'))).toBe(true);
          if (members.length === 1) continue;
          expect(members.length).toBeLessThanOrEqual(12);
          const fields = members.flatMap((member) => [
            ...member.endpoint.args.map(({ key }) => key),
            ...Object.keys(member.controls),
          ]);
          expect(new Set(fields).size).toBeLessThanOrEqual(25);
        }
        expect(plan(endpoints).map(({ labels }) => labels)).toEqual(groups.map(({ labels }) => labels));
      }),
      { numRuns: 50 },
    );
  });
});

describe('literalSegments()', () => {
  test.each([
    ['/v1/customers/{id}/cards', ['customers', 'cards']],
    ['/api/v2.1/x', ['x']],
    ['/compare/{base}...{head}', ['compare']],
    ['/', []],
  ])('%s', (path, want) => {
    expect(literalSegments(path)).toEqual(want);
  });
});
