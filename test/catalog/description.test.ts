import { decode } from '@toon-format/toon';
import { describe, expect, test } from 'vitest';
import { buildDescription, buildToonDescription } from '../../src/catalog/grouped/grouped-description.ts';

const flat = {
  toolName: 'users',
  description: 'Manage users',
  actions: [
    { key: 'list', name: 'list', required: [], destructive: false },
    { key: 'create', name: 'create', description: 'Create a user', required: ['email', 'role'], destructive: false },
    { key: 'ban', name: 'ban', description: 'Ban a user.', required: ['id'], destructive: true },
  ],
};

const grouped = {
  toolName: 'platform',
  actions: [
    { key: 'users.list', name: 'list', group: 'users', required: [], destructive: false },
    { key: 'users.ban', name: 'ban', group: 'users', required: [], destructive: true },
    {
      key: 'billing.refund',
      name: 'refund',
      group: 'billing',
      description: 'Pay back',
      required: [],
      destructive: false,
    },
  ],
};

const many = {
  toolName: 'big',
  description: 'A lot',
  actions: Array.from({ length: 60 }, (_, i) => ({
    key: `action_${i}`,
    name: `action_${i}`,
    description: `Does thing number ${i} in a very particular way`,
    required: [],
    destructive: i === 59,
  })),
};

describe('buildDescription()', () => {
  test('a flat tool has three layers, and destructive actions are marked', () => {
    expect(buildDescription(flat)).toEqual({
      description: [
        'Manage users',
        'Actions: list, create, ban',
        'Workflow:',
        "- 'create': Create a user. Requires: email, role",
        "- 'ban': Ban a user. Requires: id ⚠️ DESTRUCTIVE",
      ].join('\n'),
    });
  });

  test('a tool with groups lists modules; without a description, its name comes first', () => {
    expect(buildDescription(grouped).description).toBe(
      [
        'platform',
        'Modules: users (list,ban) | billing (refund)',
        'Workflow:',
        "- 'users.ban': ⚠️ DESTRUCTIVE",
        "- 'billing.refund': Pay back",
      ].join('\n'),
    );
  });

  test('if the text exceeds 2,048 characters, all lines of the actions move to the discriminator', () => {
    const { description, actionText } = buildDescription(many);
    expect(description.length).toBeLessThanOrEqual(2_048);
    expect(description).toContain('A lot\nActions: action_0, action_1');
    expect(actionText).toContain("- 'action_59': Does thing number 59 in a very particular way ⚠️ DESTRUCTIVE");
  });

  test('a listing that is too long by itself is cut to the limit', () => {
    const huge = {
      ...many,
      actions: many.actions.flatMap((a) => [0, 1, 2, 3].map((n) => ({ ...a, key: `${a.key}_${n}_abcdefgh` }))),
    };
    const { description, actionText } = buildDescription(huge);
    expect(description.length).toBeLessThanOrEqual(2_048);
    expect(actionText?.split('\n')).toHaveLength(241);
  });
});

describe('buildDescription(), lean', () => {
  test('actions have a line if their name does not say it all, and destructive ones always', () => {
    expect(buildDescription({ ...flat, lean: true })).toEqual({
      description: 'Manage users\ncreate: Create a user\nban: Ban a user. ⚠️ DESTRUCTIVE',
    });
  });
});

test('a lean tool says nothing about actions whose names say it all', () => {
  const action = (key: string, description: string, destructive = false) => ({
    key,
    name: key,
    description,
    required: [],
    destructive,
  });
  expect(
    buildDescription({
      lean: true,
      toolName: 'pets',
      description: 'Pets',
      actions: [
        action('find_pets_by_tags', 'Finds Pets by tags'),
        action('delete_pet', 'Deletes a pet', true),
        action('get_inventory', 'Returns pet inventories by status'),
      ],
    }).description,
  ).toBe('Pets\ndelete_pet: ⚠️ DESTRUCTIVE\nget_inventory: Returns pet inventories by status');
});

describe('buildToonDescription()', () => {
  test('gives a summary line and a table that decodes to the actions', () => {
    const [summary, ...table] = buildToonDescription(flat).description.split('\n');
    expect(summary).toBe('Manage users');
    expect(table[0]).toBe('[3|]{action|desc|required|destructive}:');
    expect(decode(table.join('\n'))).toEqual([
      { action: 'list', desc: '', required: '', destructive: false },
      { action: 'create', desc: 'Create a user', required: 'email,role', destructive: false },
      { action: 'ban', desc: 'Ban a user.', required: 'id', destructive: true },
    ]);
  });

  test('gives one table per group', () => {
    const [, ...table] = buildToonDescription(grouped).description.split('\n');
    expect(decode(table.join('\n'))).toEqual({
      users: [
        { action: 'list', desc: '', required: '', destructive: false },
        { action: 'ban', desc: '', required: '', destructive: true },
      ],
      billing: [{ action: 'refund', desc: 'Pay back', required: '', destructive: false }],
    });
  });

  test('a table that does not fit goes to the discriminator', () => {
    const { description, actionText } = buildToonDescription(many);
    expect(description).toBe('A lot');
    expect(decode(actionText!)).toHaveLength(60);
  });
});
