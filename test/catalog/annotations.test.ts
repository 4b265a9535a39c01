import { describe, expect, test } from 'vitest';
import { aggregateAnnotations, toActionHints } from '../../src/catalog/aggregate-hints.ts';

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

  test('what is said explicitly wins, and the rest is still filled in', () => {
    const explicit = { destructiveHint: false, title: 'Safe', openWorldHint: true };
    expect(hints(aggregateAnnotations([{ destructive: true }], explicit))).toEqual({
      ...explicit,
      readOnlyHint: false,
      idempotentHint: false,
    });
  });
});

describe('toActionHints()', () => {
  test.each([
    ['read', false, { readOnly: true, destructive: false, idempotent: true }],
    ['write', true, { readOnly: false, destructive: false, idempotent: true }],
    ['destructive', false, { readOnly: false, destructive: true, idempotent: false }],
  ] as const)('%s', (effect, idempotent, want) => {
    expect(toActionHints({ effect, idempotent })).toEqual(want);
  });
});
