// The words that start this gateway again, or ask it: for lines that people paste and files of clients.
import { isAbsolute, relative, resolve } from 'node:path';
import { BUNDLED_DOMAINS, type Config, isTyped } from '../../config/read-config.ts';
import { isWebAddress } from '../../endpoint/address.ts';
import { mayBeWritten } from '../import/import-secrets.ts';

/** How this gateway was started, so that what people paste starts the same one. */
export interface Launch {
  readonly config: Config;
  readonly envFiles: readonly string[];
  /** Show every warning, not only the first few of each kind. */
  readonly verbose: boolean;
  /** Processes that serve. Default: 1. */
  readonly workers?: number;
}

/** Desktop clients start servers from an unknown folder, so every path is absolute. */
export function stdioCommand(launch: Launch): { command: string; args: string[] } {
  const absolute = (path: string) => (isWebAddress(path) || isAbsolute(path) ? path : resolve(path));
  const { config } = launch;
  const hasFolder = config.file === undefined || isTyped(config, 'domains');
  const args = [
    ...(hasFolder ? config.paths.map(absolute) : []),
    ...launchFlags(launch, absolute),
    // stdio is served by one process, whatever the file says.
    ...(config.workers === 1 ? [] : ['--workers', '1']),
  ];
  const script = process.argv[1] ?? '';
  // npx runs the program from a temporary folder, so the command has to use npx as well.
  const program = /[\\/]_npx[\\/]/.test(script) ? ['npx', '-y', 'landbridge'] : [process.execPath, script];
  return { command: program[0]!, args: [...program.slice(1), 'serve', '--stdio', ...args] };
}

/** The files and flags of this start, as another command in this folder takes them. */
export function hereAgain(launch: Launch): string[] {
  const { paths, file } = launch.config;
  const isImplied = paths.length === 1 && (paths[0] === 'domains' || paths[0] === BUNDLED_DOMAINS);
  const isTold = file === undefined ? !isImplied : isTyped(launch.config, 'domains');
  return [...(isTold ? paths : []), ...launchFlags(launch, (path) => path)];
}

/** The program as it was called: `landbridge`, or `node dist/cli/main.js` in a clone. */
export function programWords(): string {
  const script = process.argv[1] ?? '';
  if (/[\\/]_npx[\\/]/.test(script)) return 'npx landbridge';
  if (!/[\\/]dist[\\/]cli[\\/]main\.js$/.test(script) || /[\\/]node_modules[\\/]/.test(script)) return 'landbridge';
  const here = relative('.', script);
  return `node ${quoted(here.startsWith('..') ? script : here)}`;
}

/** A word as a shell takes it. */
export function quoted(word: string): string {
  return /^[\w./:@%+=~\\-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
}

/** All other settings are in the file. */
function launchFlags(launch: Launch, toPath: (path: string) => string): string[] {
  const { config } = launch;
  const { file, readOnly, guard, confirm, exposure, tokenBudget, profiles, profile } = config;
  const ifTyped = (name: keyof Config, words: () => string[]) => (isTyped(config, name) ? words() : []);
  return [
    ...(file === 'landbridge.yaml' && toPath(file) === file ? [] : flag('--config', file && toPath(file))),
    ...sourceFlags(launch, toPath),
    ...ifTyped('readOnly', () => (readOnly ? ['--read-only'] : [])),
    ...ifTyped('guard', () => flag('--guard', guard)),
    ...ifTyped('confirm', () => flag('--confirm', confirm)),
    ...ifTyped('exposure', () => flag('--exposure', exposure)),
    ...ifTyped('tokenBudget', () => flag('--token-budget', String(tokenBudget))),
    ...(typeof profiles === 'string' && (file === undefined || isTyped(config, 'profiles'))
      ? flag('--profiles', toPath(profiles))
      : []),
    ...ifTyped('profile', () => flag('--profile', profile)),
  ];
}

/** Where the API is and what goes with it. A header that was typed out may be a secret: those are left out. */
function sourceFlags({ config, envFiles }: Launch, toPath: (path: string) => string): string[] {
  const { baseUrl, headers, refsRoot } = config;
  return [
    ...(isTyped(config, 'baseUrl') ? flag('--base-url', baseUrl) : []),
    ...(isTyped(config, 'headers') ? headers : []).filter(mayBeWritten).flatMap((header) => flag('--header', header)),
    ...(isTyped(config, 'refsRoot') ? flag('--refs-root', refsRoot && toPath(refsRoot)) : []),
    ...envFiles.flatMap((file) => flag('--dotenv', toPath(file))),
  ];
}

function flag(name: string, value: string | undefined): string[] {
  return value === undefined ? [] : [name, value];
}
