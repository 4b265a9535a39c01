// How this gateway was started, and the command lines that start it again: for lines that people paste and for files of clients.
import { isAbsolute, relative, resolve } from 'node:path';
import { BUNDLED_DOMAINS, type Config, isOverridden } from '../../config/read-config.ts';
import { FIELD_TABLE, SETTING_TABLE, spellFlag } from '../../config/setting-table.ts';
import { isWebAddress } from '../../endpoint/address.ts';
import { mayBeWritten } from '../import/import-secrets.ts';

export interface Invocation {
  readonly config: Config;
  readonly envFiles: readonly string[];
  /** Show every warning, not only the first few of each kind. */
  readonly verbose: boolean;
  /** Processes that serve. Default: 1. */
  readonly workers?: number;
  /** The file of the program, as Node.js was given it. */
  readonly script: string;
}

/** Desktop clients start servers from an unknown folder, so every path is absolute. */
export function stdioCommand(invocation: Invocation): { command: string; args: string[] } {
  const absolute = (path: string) => (isWebAddress(path) || isAbsolute(path) ? path : resolve(path));
  const { config, script } = invocation;
  const namesPaths = config.file === undefined || isOverridden(config, 'domains');
  const args = [
    ...(namesPaths ? config.paths.map(absolute) : []),
    ...listFlags(invocation, absolute),
    // stdio is served by one process, whatever the file contains.
    ...(config.workers === 1 ? [] : ['--workers', '1']),
  ];
  // npx runs the program from a temporary folder, so the command has to use npx as well.
  const program = /[\\/]_npx[\\/]/.test(script) ? ['npx', '-y', 'landbridge'] : [process.execPath, script];
  return { command: program[0]!, args: [...program.slice(1), 'serve', '--stdio', ...args] };
}

/** The files and flags of this start, as another command in this folder accepts them. */
export function sameArguments(invocation: Invocation): string[] {
  const { paths, file } = invocation.config;
  const isImplied = paths.length === 1 && (paths[0] === 'domains' || paths[0] === BUNDLED_DOMAINS);
  const namesPaths = file === undefined ? !isImplied : isOverridden(invocation.config, 'domains');
  return [...(namesPaths ? paths : []), ...listFlags(invocation, (path) => path)];
}

/** The program as it was called: `landbridge`, or `node dist/cli/main.js` in a clone. */
export function programCommand({ script }: Pick<Invocation, 'script'>): string {
  if (/[\\/]_npx[\\/]/.test(script)) return 'npx landbridge';
  if (!/[\\/]dist[\\/]cli[\\/]main\.js$/.test(script) || /[\\/]node_modules[\\/]/.test(script)) return 'landbridge';
  const here = relative('.', script);
  return `node ${shellQuote(here.startsWith('..') ? script : here)}`;
}

/** A word, quoted for a shell if needed. */
export function shellQuote(word: string): string {
  return /^[\w./:@%+=~\\-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
}

/** Settings that the command line or a variable set; all others are in the file. */
function listFlags(invocation: Invocation, toPath: (path: string) => string): string[] {
  const { config } = invocation;
  const { file, profiles } = config;
  return [
    ...(file === undefined || (file === 'landbridge.yaml' && toPath(file) === file)
      ? []
      : [spellFlag(FIELD_TABLE.config.flag), toPath(file)]),
    ...listSourceFlags(invocation, toPath),
    ...(['readOnly', 'guard', 'confirm', 'exposure', 'tokenBudget'] as const).flatMap((name) =>
      flagWords(config, name),
    ),
    ...(typeof profiles === 'string' && (file === undefined || isOverridden(config, 'profiles'))
      ? [spellFlag(SETTING_TABLE.profiles.flag), toPath(profiles)]
      : []),
    ...flagWords(config, 'profile'),
  ];
}

/** Where the API is and what goes with it. A header that was typed out may be a secret: those are left out. */
function listSourceFlags({ config, envFiles }: Invocation, toPath: (path: string) => string): string[] {
  const headers = isOverridden(config, 'headers') ? config.headers.filter(mayBeWritten) : [];
  return [
    ...flagWords(config, 'baseUrl'),
    ...headers.flatMap((header) => [spellFlag(SETTING_TABLE.headers.flag), header]),
    ...flagWords(config, 'refsRoot', toPath),
    ...envFiles.flatMap((file) => [spellFlag(SETTING_TABLE.envFiles.flag), toPath(file)]),
  ];
}

/** Nothing if the setting comes from the file or is the default. */
function flagWords(
  config: Config,
  name: 'readOnly' | 'guard' | 'confirm' | 'exposure' | 'tokenBudget' | 'profile' | 'baseUrl' | 'refsRoot',
  toText: (value: string) => string = (value) => value,
): string[] {
  const value = config[name];
  if (!isOverridden(config, name) || value === undefined || value === false) return [];
  const flag = spellFlag(SETTING_TABLE[name].flag);
  return value === true ? [flag] : [flag, toText(String(value))];
}
