// Flags and environment → one frozen Config. The sole reader of process.env (through the CLI, which hands it in).
import { existsSync, readFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseEnv } from 'node:util';
import { z } from 'zod';
import { type Environment, expand, needsVariables } from '../endpoint/environment.ts';
import { GatewayError } from '../errors.ts';
import { LOG_LEVELS } from '../log.ts';
import { type ConfigFile, readConfigFile } from './config-file.ts';
import { keyList } from './key-sources.ts';

/** The domains that come with the package. */
export const BUNDLED_DOMAINS = fileURLToPath(new URL('../../domains', import.meta.url));

/** What tools/list may cost before `auto` takes a smaller mode. */
export const DEFAULT_TOKEN_BUDGET = 10_000;

const port = z.coerce
  .number({ error: 'must be a number from 0 to 65535' })
  .int('must be a whole number')
  .min(0, 'must be at least 0')
  .max(65_535, 'must be at most 65535');
const positive = z.coerce
  .number({ error: 'must be a number' })
  .int('must be a whole number')
  .min(1, 'must be at least 1');

/** Whoever writes anything else meant something: guessing "no" would switch a safety off. */
const truth = z.union([z.boolean(), z.stringbool()], { error: 'must be true or false' });

/** Flags are repeated; a variable has commas. */
const texts = z.preprocess((value) => (typeof value === 'string' ? splitList(value) : value), z.array(z.string()));
const url = z.url({ protocol: /^https?$/, error: 'must be an http(s) URL, for example https://api.example.com/v1' });
const header = z.string().regex(/^[^:\s]+\s*:/, 'must look like "Name: value"');
const exposure = z.enum(['tools', 'grouped', 'search', 'auto'], { error: 'must be tools, grouped, search or auto' });
const policy = z.enum(['allow', 'confirm', 'deny'], { error: 'must be allow, confirm or deny' });
const way = z.enum(['token', 'ask', 'either'], { error: 'must be token, ask or either' });
const logLevel = z.enum(LOG_LEVELS, { error: `must be one of ${LOG_LEVELS.join(', ')}` });
const seconds = z.coerce.number({ error: 'must be a number' }).min(0, 'must be at least 0');
const secret = z.string().min(32, 'must have at least 32 characters');
const profiles = z
  .string()
  .optional()
  .transform((file) => file ?? (existsSync('profiles.yaml') ? 'profiles.yaml' : undefined));

/** What may be written, with what holds when nobody says anything; the flag as commander spells it; the variable. */
type Setting = readonly [type: z.ZodType, flag?: string | undefined, variable?: string];

const SETTINGS = {
  host: [z.string().min(1, 'must not be empty').default('127.0.0.1'), 'host', 'HOST'],
  port: [port.default(3333), 'port', 'PORT'],
  stdio: [z.boolean().default(false), 'stdio'],
  tcp: [port.optional(), 'tcp'],
  baseUrl: [url.optional(), 'baseUrl'],
  refsRoot: [z.string().min(1, 'must be a folder').optional(), 'refsRoot'],
  headers: [z.array(header).default([]), 'header'],
  /** Undefined: whatever the domains say, else auto. */
  exposure: [exposure.optional(), 'exposure', 'LANDBRIDGE_EXPOSURE'],
  tokenBudget: [positive.default(DEFAULT_TOKEN_BUDGET), 'tokenBudget', 'LANDBRIDGE_TOKEN_BUDGET'],
  readOnly: [truth.default(false), 'readOnly', 'LANDBRIDGE_READ_ONLY'],
  guard: [policy.optional(), 'guard', 'LANDBRIDGE_GUARD'],
  confirm: [way.optional(), 'confirm', 'LANDBRIDGE_CONFIRM'],
  logLevel: [logLevel.default('info'), 'logLevel', 'LOG_LEVEL'],
  allowedHosts: [texts.default([]), 'allowedHost', 'LANDBRIDGE_ALLOWED_HOSTS'],
  allowedOrigins: [texts.default([]), 'allowedOrigin', 'LANDBRIDGE_ALLOWED_ORIGINS'],
  allowUnauthenticated: [truth.default(false), 'allowUnauthenticated', 'LANDBRIDGE_ALLOW_UNAUTHENTICATED'],
  /** By their hashes. */
  apiKeys: [keyList, undefined, 'LANDBRIDGE_API_KEYS'],
  apiKeysFile: [z.string().min(1, 'must be a file').optional(), 'apiKeys', 'LANDBRIDGE_API_KEYS_FILE'],
  maxBodyBytes: [positive.default(1024 * 1024), 'maxBody'],
  maxConnections: [positive.default(100), 'maxConnections'],
  idleSeconds: [positive.default(300), 'idleSeconds'],
  graceSeconds: [seconds.default(10), 'grace'],
  profile: [z.string().optional(), 'profile'],
  profiles: [profiles, 'profiles'],
  secret: [secret.optional(), undefined, 'LANDBRIDGE_SECRET'],
  publicUrl: [url.optional(), 'publicUrl', 'LANDBRIDGE_PUBLIC_URL'],
  trustedProxies: [texts.default([]), 'trustedProxy', 'LANDBRIDGE_TRUSTED_PROXIES'],
  state: [z.string().optional(), 'state', 'LANDBRIDGE_STATE'],
} as const satisfies Record<string, Setting>;

type Settings = typeof SETTINGS;
type FlagName = Exclude<Settings[keyof Settings][1], undefined>;

/** What the command line gave; undefined where it was silent. */
export type Flags = {
  readonly [Flag in FlagName]?: string | boolean | readonly string[] | undefined;
} & {
  readonly paths?: readonly string[];
  readonly domains?: readonly string[] | undefined;
  readonly http?: boolean | undefined;
  readonly envFile?: readonly string[] | undefined;
  /** The same; but Node.js takes a flag named --env-file for its own, wherever it stands, and ends where a file is missing. */
  readonly dotenv?: readonly string[] | undefined;
  /** landbridge.yaml. */
  readonly config?: string | undefined;
  readonly json?: boolean;
};

export type Config = { readonly [Key in keyof Settings]: z.output<Settings[Key][0]> } & {
  readonly paths: readonly string[];
  readonly http: boolean;
  readonly env: Environment;
} & Pick<ConfigFile, 'assertions' | 'auth' | 'limits' | 'audit' | 'tls'>;

export function readConfig(commandLine: Flags, processEnv: Environment): Config {
  const env = withEnvFiles(envFilesOf(commandLine), processEnv);
  const flags = withBaseUrl(commandLine, env);
  const file = chooseFile(flags, env);
  const settings: Readonly<Record<string, unknown>> & ConfigFile = file === undefined ? {} : readConfigFile(file);
  const values = Object.entries<Setting>(SETTINGS).map(([key, [type, flag, variable]]) => {
    // An empty variable is an unset one: `PORT= npm start` means "the default".
    const fromVariable = variable && env[variable] ? env[variable] : undefined;
    const parsed = type.safeParse(flags[flag as FlagName] ?? fromVariable ?? settings[key]);
    if (parsed.success) return [key, parsed.data];
    const option = flag && `--${flag.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
    const origin = option && variable ? `${option} (or ${variable})` : (option ?? variable);
    throw new GatewayError('BAD_CONFIG', `${origin} ${parsed.error.issues[0]!.message}.`, { usage: true });
  });
  return Object.freeze({
    ...(Object.fromEntries(values) as Pick<Config, keyof Settings>),
    ...pickSections(settings),
    ...placeAssertions(settings, file),
    paths: choosePaths(
      flags,
      settings.domains?.map((path) => resolve(dirname(file!), path)),
    ),
    // A client that starts us over stdio did not ask for a port; only a flag does.
    http: flags.http !== false && (!flags.stdio || flags.port !== undefined),
    env,
  });
}

/** What was named; else ./landbridge.yaml where there is one. */
function chooseFile({ config }: Flags, env: Environment): string | undefined {
  return config ?? (env.LANDBRIDGE_CONFIG || (existsSync('landbridge.yaml') ? 'landbridge.yaml' : undefined));
}

function pickSections({ auth, limits, audit, tls }: ConfigFile): Pick<ConfigFile, 'auth' | 'limits' | 'audit' | 'tls'> {
  return { ...(auth && { auth }), ...(limits && { limits }), ...(audit && { audit }), ...(tls && { tls }) };
}

/** Paths in the file count from where it is. */
function placeAssertions({ assertions }: ConfigFile, file = ''): Pick<ConfigFile, 'assertions'> {
  if (assertions === undefined) return {};
  return { assertions: { ...assertions, keys: assertions.keys.map((key) => resolve(dirname(file), key)) } };
}

/** Fills in the variables of --base-url. */
function withBaseUrl(flags: Flags, env: Environment): Flags {
  if (typeof flags.baseUrl !== 'string') return flags;
  const { text: baseUrl, missing } = expand(flags.baseUrl, env);
  if (missing.length === 0) return { ...flags, baseUrl };
  throw new GatewayError('BAD_CONFIG', `--base-url ${needsVariables(missing)}.`, { usage: true });
}

/** What was named; else ./domains; else what comes with the package. */
function choosePaths(flags: Flags, ofFile: readonly string[] = []): readonly string[] {
  const paths = [...(flags.paths ?? []), ...(flags.domains ?? [])];
  if (paths.length > 0) return paths;
  if (ofFile.length > 0) return ofFile;
  return [existsSync('domains') ? 'domains' : BUNDLED_DOMAINS];
}

export function envFilesOf({ envFile = [], dotenv = [] }: Flags): readonly string[] {
  return [...envFile, ...dotenv];
}

/** The real environment wins over files, a later file over an earlier one. */
function withEnvFiles(files: readonly string[], processEnv: Environment): Environment {
  const env: Record<string, string | undefined> = Object.create(null);
  for (const file of files) {
    try {
      Object.assign(env, parseEnv(readFileSync(file, 'utf8')));
    } catch (cause) {
      const { code, message } = cause as NodeJS.ErrnoException;
      const why = code === 'ENOENT' ? 'it does not exist' : code === 'EISDIR' ? 'it is a folder' : message;
      const sentence = `Cannot read the variables in ${file} (--dotenv): ${why}. Looked for ${resolve(file)}.`;
      throw new GatewayError('BAD_CONFIG', sentence, {}, cause);
    }
  }
  return Object.freeze(Object.assign(env, processEnv));
}

function splitList(text: string): string[] {
  return text
    .split(',')
    .map((item) => item.trim())
    .filter((item) => item !== '');
}
