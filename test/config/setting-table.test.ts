// Defaults, flags and variables stand in one table; what repeats them for people says the same.
import { readFileSync } from 'node:fs';
import { Command } from 'commander';
import { describe, expect, test } from 'vitest';
import { addCommands } from '../../src/cli/commands.ts';
import { FIELD_TABLE, SETTING_TABLE, type SettingNames, spellFlag } from '../../src/config/setting-table.ts';

const SETTINGS: readonly (readonly [name: string, setting: SettingNames])[] = [
  ...Object.entries<SettingNames>(SETTING_TABLE),
  ...Object.entries<SettingNames>(FIELD_TABLE),
];

describe('.env.example', () => {
  const paragraphs = readFileSync(new URL('../../.env.example', import.meta.url), 'utf8').split('\n\n');
  const variables = SETTINGS.filter(([, { variable }]) => variable !== undefined);

  test.each(variables)('has %s with its default and its flag', (_, { variable, flag, fallback, effective }) => {
    const line = new RegExp(`^(?:# )?${variable}=(.*)$`, 'm');
    const paragraph = paragraphs.find((text) => line.test(text)) ?? '';
    const isPlain = ['string', 'number', 'boolean'].includes(typeof fallback);
    // Empty lists have an empty default, and so has the address of the admin listener.
    const value = variable === FIELD_TABLE.adminHost.variable ? '' : (effective ?? (isPlain ? String(fallback) : ''));
    expect(line.exec(paragraph)?.[1]).toBe(value);
    if (flag !== undefined) expect(paragraph).toMatch(new RegExp(`${spellFlag(flag)}[,)]`));
  });
});

describe('landbridge serve', () => {
  const program = new Command('landbridge');
  addCommands(program);
  const { options } = program.commands.find((command) => command.name() === 'serve')!;

  test.each(SETTINGS.filter(([, { flag }]) => flag !== undefined))('has the flag of %s', (_, { flag }) => {
    expect(options.map(({ long }) => long)).toContain(spellFlag(flag!));
  });
});
