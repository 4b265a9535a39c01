// Flags, environment and landbridge.yaml → one frozen Config. The sole reader of settings in process.env (which the
// CLI passes).

import { existsSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { z } from 'zod';
import { isWebAddress } from '../endpoint/address.ts';
import { type Environment, expand, needsVariables } from '../endpoint/environment.ts';
import { GatewayError, usageError } from '../errors.ts';
import { PACKAGE_FOLDER } from '../product.ts';
import {
  listEnvFiles,
  readConfigFile,
  readConfigText,
  SECTION_NAMES,
  type Sections,
  type SettingsFile,
  toConfigError,
} from './config-file.ts';
import { type CompleteEnvironment, readEnvironment } from './env-files.ts';
import type { ConfiguredKey } from './key-sources.ts';
import {
  parseSetting,
  readAdminSettings,
  readKeySettings,
  readSecretSetting,
  readTlsSettings,
  readTracingPlan,
} from './section-settings.ts';
import { FIELD_TABLE, spellFlag } from './setting-table.ts';
import { SETTINGS, type Setting, type SettingName, type Settings } from './settings.ts';
import type { TracingPlan } from './tracing-plan.ts';
import { listUnknownVariables, refuseUnknownVariables } from './unknown-variables.ts';

/** The domains that come with the package. */
export const BUNDLED_DOMAINS = fileURLToPath(new URL('domains', PACKAGE_FOLDER));

type FlagName = { [Name in SettingName]: Settings[Name] extends { flag: infer Flag } ? Flag : never }[SettingName] &
  string;

/** The flags of the command line; undefined if it has none. */
export type Flags = {
  readonly [Flag in Exclude<FlagName, 'domains' | 'dotenv'>]?: string | boolean | readonly string[] | undefined;
} & {
  readonly paths?: readonly string[];
  readonly domains?: readonly string[] | undefined;
  readonly http?: boolean | undefined;
  readonly envFile?: readonly string[] | undefined;
  /** The same as `envFile`. Node.js itself interprets --env-file anywhere on the command line, and exits if the file is missing. */
  readonly dotenv?: readonly string[] | undefined;
  /** landbridge.yaml. */
  readonly config?: string | undefined;
  /** A file of API keys. */
  readonly apiKeys?: string | undefined;
  /** Files of the section `tls`. */
  readonly tlsCert?: string | undefined;
  readonly tlsKey?: string | undefined;
  readonly tlsClientCa?: string | undefined;
  /** The listener of the section `admin`. */
  readonly adminPort?: string | undefined;
  readonly adminHost?: string | undefined;
  /** The collector that gets the spans. */
  readonly otlpEndpoint?: string | undefined;
  readonly json?: boolean;
};

type ValueOf<One extends Setting> = z.output<One extends { textType: z.ZodType } ? One['textType'] : One['type']>;
type Values = {
  readonly [Name in SettingName]: Settings[Name] extends { fallback: unknown }
    ? ValueOf<Settings[Name]>
    : ValueOf<Settings[Name]> | undefined;
};

/** The `admin` section, complete. */
export interface AdminConfig {
  readonly port: number;
  readonly host: string;
  readonly token?: string;
  readonly allowAnyone: boolean;
  readonly allowedHosts: readonly string[];
}

export interface SettingOrigin {
  readonly by: 'command line' | 'flag' | 'variable' | 'file';
  /** `--port`, `PORT`, `landbridge.yaml:3`. */
  readonly where: string;
}

export type Config = Omit<Values, 'domains' | 'envFiles' | 'http'> &
  Omit<Sections, 'admin' | 'tracing'> & {
    readonly admin?: AdminConfig | undefined;
    /** Where spans go; undefined: nothing is traced. */
    readonly tracing: TracingPlan | undefined;
    readonly paths: readonly string[];
    readonly http: boolean;
    /** Files of variables; later ones take precedence. */
    readonly envFiles: readonly string[];
    readonly env: Environment;
    /** The keys of LANDBRIDGE_API_KEYS, as hashes. */
    readonly apiKeys: readonly ConfiguredKey[];
    readonly apiKeysFile: string | undefined;
    /** Where each setting comes from; defaults have no entry. */
    readonly origins: ReadonlyMap<string, SettingOrigin>;
    /** landbridge.yaml, as it was named. */
    readonly file: string | undefined;
    /** Variables with our prefix that are not settings: an error, unless a domain file uses them. */
    readonly unknownVariables: readonly string[];
    /** Variables that landbridge.yaml refers to. */
    readonly fileVariables: ReadonlySet<string>;
  };

/**
 * How much of landbridge.yaml applies: `all` of it; only its `variables`, for commands that create something new, to which its
 * headers and addresses do not belong; `nothing`, if another gateway is called, which must not get headers meant for APIs.
 */
export type FileScope = 'all' | 'variables' | 'nothing';

/** Settings that belong to `domains` of the file. They are ignored when the command line names other files. */
const ABOUT_DOMAINS: readonly SettingName[] = ['baseUrl', 'headers', 'refsRoot'];

export function readConfig(commandLine: Flags, processEnv: Environment, scope: FileScope = 'all'): Config {
  const own = envFilesOf(commandLine).map((path) => ({ path, from: '--dotenv' }));
  const before = readEnvironment(own, processEnv);
  const file = scope === 'nothing' ? undefined : chooseFile(commandLine, before.env);
  const text = file === undefined ? undefined : readConfigText(file);
  const files = [...(text ? listEnvFiles(text, before.env) : []), ...own];
  const environment = text ? readEnvironment(files, processEnv) : before;
  const settingsFile = text && readConfigFile(text, environment.env);
  const flags = withBaseUrl(commandLine, environment.env);
  const { values, origins } = readSettings(flags, environment, settingsFile, scope);
  const { domains, http, ...rest } = values;
  const fileVariables = settingsFile?.variables ?? new Set<string>();
  return Object.freeze({
    ...rest,
    ...pickSections(settingsFile, origins),
    ...readKeySettings(flags, environment.env, origins),
    ...readTlsSettings(flags, environment.env, settingsFile?.settings.tls, origins),
    admin: readAdminSettings(flags, environment.env, settingsFile, origins),
    tracing: readTracingPlan(flags, environment.env, settingsFile?.settings.tracing, origins),
    profiles: values.profiles ?? findBeside(settingsFile, 'profiles.yaml'),
    paths: domains ?? (scope === 'all' ? defaultPaths(settingsFile) : []),
    envFiles: files.map(({ path }) => path),
    http: decideHttp(flags, http, values.stdio, origins),
    env: environment.env,
    origins,
    file,
    unknownVariables: listUnknownVariables(environment.env, new Set([...fileVariables, ...variablesIn(flags)])),
    fileVariables,
  });
}

/** Refuses misspelt variables, for commands that use hardly any settings: they do not report mistakes in landbridge.yaml. */
export function checkEnvironment(flags: Flags, processEnv: Environment): void {
  let config: Config;
  try {
    config = readConfig(flags, processEnv, 'variables');
  } catch {
    return;
  }
  refuseUnknownVariables(config.unknownVariables);
}

/** The file that was named, or else ./landbridge.yaml if it exists. */
function chooseFile({ config }: Flags, env: Environment): string | undefined {
  const file = config ?? (env[FIELD_TABLE.config.variable] || undefined);
  if (file !== undefined) return file;
  if (existsSync('landbridge.yaml')) return 'landbridge.yaml';
  // A file with the wrong extension would be ignored silently, with its safety settings.
  if (existsSync('landbridge.yml'))
    throw new GatewayError(
      'BAD_CONFIG',
      'landbridge.yml is not read: rename it to landbridge.yaml, or name it with --config.',
    );
  return undefined;
}

/** Every setting from the first source that has it: flag, variable, file, default. */
function readSettings(
  flags: Flags,
  environment: CompleteEnvironment,
  settingsFile: SettingsFile | undefined,
  scope: FileScope,
): { values: Values; origins: Map<string, SettingOrigin> } {
  const origins = new Map<string, SettingOrigin>();
  const ofFile = settingsOf(settingsFile, environment.env, scope, namesDomains(flags, environment.env));
  const values = Object.entries<Setting>(SETTINGS).map(([name, setting]) => {
    const entry = findOverride(name, setting, flags, environment);
    if (entry !== undefined) origins.set(name, entry.origin);
    else if (ofFile[name] !== undefined) origins.set(name, pointTo(settingsFile!, name));
    return [name, entry === undefined ? (ofFile[name] ?? setting.fallback) : parseSetting(setting, entry.value)];
  });
  return { values: Object.fromEntries(values) as Values, origins };
}

/** The value of a flag or variable, and which of the two it is. */
function findOverride(
  name: string,
  { flag, variable }: Setting,
  flags: Flags,
  { env, fileOf }: CompleteEnvironment,
): { value: unknown; origin: SettingOrigin } | undefined {
  if (name === 'domains' && flags.paths && flags.paths.length > 0)
    return { value: [...flags.paths, ...(flags.domains ?? [])], origin: { by: 'command line', where: '' } };
  const value = name === 'envFiles' ? envFilesOf(flags) : flags[flag as keyof Flags];
  if (flag !== undefined && value !== undefined && !(Array.isArray(value) && value.length === 0))
    return { value, origin: { by: 'flag', where: spellFlag(flag) } };
  // An empty variable is an unset one: `PORT= npm start` means "the default".
  if (variable === undefined || !env[variable]) return undefined;
  const file = fileOf.get(variable);
  const where = file === undefined ? variable : `${variable} (${file})`;
  return { value: env[variable], origin: { by: 'variable', where } };
}

function settingsOf(
  settingsFile: SettingsFile | undefined,
  env: Environment,
  scope: FileScope,
  isElsewhere: boolean,
): Readonly<Record<string, unknown>> {
  if (settingsFile === undefined) return {};
  const { settings } = settingsFile;
  const values: Record<string, unknown> = { ...settings };
  if (settings.secret !== undefined) values.secret = readSecretSetting(settings.secret, ['secret'], settingsFile, env);
  if (scope === 'variables' || (isElsewhere && settings.domains !== undefined))
    for (const name of ABOUT_DOMAINS) delete values[name];
  if (scope === 'all' && !isElsewhere) refuseMissingDomains(settingsFile);
  return values;
}

function namesDomains({ paths = [], domains = [] }: Flags, env: Environment): boolean {
  return paths.length > 0 || domains.length > 0 || Boolean(env[SETTINGS.domains.variable]);
}

/** Missing domains stop the start: otherwise the bundled samples would be served in their place. */
function refuseMissingDomains(settingsFile: SettingsFile): void {
  const problems = (settingsFile.settings.domains ?? []).flatMap((path, index) =>
    isWebAddress(path) || path === '-' || existsSync(path)
      ? []
      : [{ path: ['domains', index], message: `there is no such file or folder; looked for ${resolve(path)}` }],
  );
  if (problems.length > 0) throw toConfigError(settingsFile, problems);
}

/** The folder `domains` beside landbridge.yaml. Without that file: in this folder, or else the samples of the package. */
function defaultPaths(settingsFile: SettingsFile | undefined): readonly string[] {
  const folder = findBeside(settingsFile, 'domains');
  if (folder !== undefined) return [folder];
  if (settingsFile === undefined) return [BUNDLED_DOMAINS];
  const message = `names no domains, and there is no folder "domains" beside it; add, for example, domains: [./openapi.yaml]`;
  throw toConfigError(settingsFile, [{ path: [], message }]);
}

function findBeside(settingsFile: SettingsFile | undefined, name: string): string | undefined {
  const path = settingsFile === undefined ? name : join(dirname(settingsFile.file), name);
  return existsSync(path) ? path : undefined;
}

function pickSections(settingsFile: SettingsFile | undefined, origins: Map<string, SettingOrigin>): Sections {
  const { settings = {} } = settingsFile ?? {};
  const names = SECTION_NAMES.filter((name) => settings[name] !== undefined);
  for (const name of names) origins.set(name, pointTo(settingsFile!, name));
  return Object.fromEntries(names.map((name) => [name, settings[name]]));
}

function pointTo({ file, positionOf }: SettingsFile, name: string): SettingOrigin {
  return { by: 'file', where: `${file}:${positionOf([name])?.line ?? 1}` };
}

/** With --stdio there is no HTTP unless --port is given too; a settings file with `stdio` may ask for both. */
function decideHttp(
  flags: Flags,
  ofFile: boolean | undefined,
  stdio: boolean,
  origins: Map<string, SettingOrigin>,
): boolean {
  if (flags.http === false || flags.stdio)
    origins.set('http', { by: 'flag', where: flags.http === false ? '--no-http' : '--stdio' });
  if (flags.http === false) return false;
  if (flags.stdio) return flags.port !== undefined;
  return ofFile ?? (!stdio || origins.has('port'));
}

/** Fills in the variables of --base-url. */
function withBaseUrl(flags: Flags, env: Environment): Flags {
  if (typeof flags.baseUrl !== 'string') return flags;
  const { text: baseUrl, missing } = expand(flags.baseUrl, env);
  if (missing.length === 0) return { ...flags, baseUrl };
  throw usageError(`--base-url ${needsVariables(missing)}.`);
}

/** Variables in headers of the command line. */
function variablesIn({ header }: Flags): string[] {
  return (Array.isArray(header) ? header : []).flatMap((line: string) =>
    expand(line, {}).variables.map(({ name }) => name),
  );
}

/** Whether the value comes from a flag or a variable, and not from landbridge.yaml or a default. */
export function isOverridden({ origins }: Pick<Config, 'origins'>, name: string): boolean {
  const { by = 'file' } = origins.get(name) ?? {};
  return by !== 'file';
}

export function envFilesOf({ envFile = [], dotenv = [] }: Flags): readonly string[] {
  return [...envFile, ...dotenv];
}
