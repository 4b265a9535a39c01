import { describe, expect, test } from 'vitest';
import { aggregateAnnotations, toActionHints } from '../../src/catalog/aggregate-hints.ts';
import type { Endpoint } from '../../src/endpoint/model.ts';

const hints = (annotations: object) =>
  Object.fromEntries(Object.entries(annotations).filter(([, v]) => v !== undefined));

describe('aggregateAnnotations()', () => {
  test.each([
    [
      'all read',
      [
        { readOnly: true, idempotent: true },
        { readOnly: true, idempotent: true },
      ],
      true,
      false,
      true,
    ],
    ['one write', [{ readOnly: true, idempotent: true }, {}], false, false, false],
    ['one destroys', [{ readOnly: true }, { destructive: true, idempotent: true }], false, true, false],
    ['no actions', [], false, false, false],
  ])('%s', (_, actions, readOnlyHint, destructiveHint, idempotentHint) => {
    expect(hints(aggregateAnnotations(actions))).toEqual({ readOnlyHint, destructiveHint, idempotentHint });
  });

  test('explicit hints are kept, and missing ones follow from the actions', () => {
    const explicit = { destructiveHint: false, title: 'Safe', openWorldHint: true };
    expect(hints(aggregateAnnotations([{ destructive: true }], explicit))).toEqual({
      ...explicit,
      readOnlyHint: false,
      idempotentHint: false,
    });
  });
});

const write = (more: Partial<Endpoint>) =>
  ({ method: 'POST', path: '/users', action: 'create_user', effect: 'write', idempotent: false, ...more }) as Endpoint;

describe('toActionHints()', () => {
  test.each([
    ['read', false, { readOnly: true, destructive: false, idempotent: true, overwrites: false }],
    ['write', true, { readOnly: false, destructive: false, idempotent: true, overwrites: false }],
    ['destructive', false, { readOnly: false, destructive: true, idempotent: false, overwrites: false }],
  ] as const)('%s', (effect, idempotent, want) => {
    expect(toActionHints(write({ effect, idempotent }))).toEqual(want);
  });

  test.each([
    ['POST', '/users', 'create_user', false],
    ['POST', '/users/{id}/avatar', 'upload_avatar', false],
    ['PUT', '/users/{id}', 'put_user', true],
    ['PATCH', '/users/{id}', 'patch_user', true],
    ['POST', '/v1/customers/{customer}', 'post_customers_customer', true],
    ['POST', '/users', 'update_users', true],
    ['POST', '/users/{id}/rename', 'user_name', true],
  ] as const)(
    '%s %s: destructiveHint is false only for operations that add',
    (method, path, action, destructiveHint) => {
      const annotations = aggregateAnnotations([toActionHints(write({ method, path, action }))]);
      expect(annotations).toMatchObject({ readOnlyHint: false, destructiveHint });
    },
  );
});
