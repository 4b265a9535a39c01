// Flags and environment → one frozen Config. The sole reader of process.env (through the CLI, which hands it in).
import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { parseEnv } from 'node:util';
import { z } from 'zod';
import { GatewayError } from './errors.ts';
import { LOG_LEVELS } from './log.ts';

export type Environment = Readonly<Record<string, string | undefined>>;

/** The domains that come with the package. */
export const BUNDLED_DOMAINS = fileURLToPath(new URL('../domains', import.meta.url));

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

const schema = z.strictObject({
  paths: z.array(z.string()),
  host: z.string().min(1, 'must not be empty'),
  port,
  http: z.boolean(),
  stdio: z.boolean(),
  tcp: port.optional(),
  baseUrl: z
    .url({ protocol: /^https?$/, error: 'must be an http(s) URL, for example https://api.example.com/v1' })
    .optional(),
  refsRoot: z.string().min(1, 'must be a folder').optional(),
  headers: z.array(z.string().regex(/^[^:\s]+\s*:/, 'must look like "Name: value"')),
  /** Undefined: whatever the domains say, else auto. */
  exposure: z
    .enum(['tools', 'grouped', 'search', 'auto'], { error: 'must be tools, grouped, search or auto' })
    .optional(),
  tokenBudget: positive,
  readOnly: truth,
  guard: z.enum(['allow', 'confirm', 'deny'], { error: 'must be allow, confirm or deny' }).optional(),
  logLevel: z.enum(LOG_LEVELS, { error: `must be one of ${LOG_LEVELS.join(', ')}` }),
  allowedHosts: z.array(z.string()),
  allowedOrigins: z.array(z.string()),
  allowUnauthenticated: truth,
  maxBodyBytes: positive,
  maxConnections: positive,
  idleSeconds: positive,
  graceSeconds: z.coerce.number({ error: 'must be a number' }).min(0, 'must be at least 0'),
  profile: z.string().optional(),
  profiles: z.string().optional(),
  secret: z.string().min(32, 'must have at least 32 characters').optional(),
});

export type Config = Readonly<z.infer<typeof schema>> & { readonly env: Environment };

/** What the command line gave; undefined where it was silent. */
export interface Flags {
  readonly paths?: readonly string[];
  readonly domains?: readonly string[] | undefined;
  readonly host?: string | undefined;
  readonly port?: string | undefined;
  readonly http?: boolean | undefined;
  readonly stdio?: boolean | undefined;
  readonly tcp?: string | undefined;
  readonly baseUrl?: string | undefined;
  readonly refsRoot?: string | undefined;
  readonly header?: readonly string[] | undefined;
  readonly exposure?: string | undefined;
  readonly tokenBudget?: string | undefined;
  readonly readOnly?: boolean | undefined;
  readonly guard?: string | undefined;
  readonly logLevel?: string | undefined;
  readonly allowedHost?: readonly string[] | undefined;
  readonly allowedOrigin?: readonly string[] | undefined;
  readonly allowUnauthenticated?: boolean | undefined;
  readonly maxBody?: string | undefined;
  readonly maxConnections?: string | undefined;
  readonly idleSeconds?: string | undefined;
  readonly grace?: string | undefined;
  readonly profile?: string | undefined;
  readonly profiles?: string | undefined;
  readonly envFile?: readonly string[] | undefined;
}

/** Where each setting comes from, for the message when it is wrong. */
const ORIGIN: Record<string, string> = {
  port: '--port (or PORT)',
  host: '--host (or HOST)',
  tcp: '--tcp',
  baseUrl: '--base-url',
  refsRoot: '--refs-root',
  headers: '--header',
  exposure: '--exposure (or LANDBRIDGE_EXPOSURE)',
  tokenBudget: '--token-budget',
  guard: '--guard (or LANDBRIDGE_GUARD)',
  readOnly: '--read-only (or LANDBRIDGE_READ_ONLY)',
  allowUnauthenticated: '--allow-unauthenticated (or LANDBRIDGE_ALLOW_UNAUTHENTICATED)',
  logLevel: '--log-level (or LOG_LEVEL)',
  maxBodyBytes: '--max-body',
  maxConnections: '--max-connections',
  idleSeconds: '--idle-seconds',
  graceSeconds: '--grace',
  secret: 'LANDBRIDGE_SECRET',
};

export function readConfig(flags: Flags, processEnv: Environment): Config {
  const env = withEnvFiles(flags.envFile ?? [], processEnv);
  // An empty variable is an unset one: `PORT= npm start` means "the default".
  const from = (name: string) => env[name] || undefined;
  const parsed = schema.safeParse({
    paths: choosePaths(flags),
    host: flags.host ?? from('HOST') ?? '127.0.0.1',
    port: flags.port ?? from('PORT') ?? '3333',
    // A client that starts us over stdio did not ask for a port; only a flag does.
    http: flags.http !== false && (!flags.stdio || flags.port !== undefined),
    stdio: flags.stdio ?? false,
    tcp: flags.tcp,
    baseUrl: flags.baseUrl,
    refsRoot: flags.refsRoot,
    headers: [...(flags.header ?? [])],
    exposure: flags.exposure ?? from('LANDBRIDGE_EXPOSURE'),
    tokenBudget: flags.tokenBudget ?? from('LANDBRIDGE_TOKEN_BUDGET') ?? '10000',
    readOnly: flags.readOnly ?? from('LANDBRIDGE_READ_ONLY') ?? false,
    guard: flags.guard ?? from('LANDBRIDGE_GUARD'),
    logLevel: flags.logLevel ?? from('LOG_LEVEL') ?? 'info',
    allowedHosts: [...(flags.allowedHost ?? list(from('LANDBRIDGE_ALLOWED_HOSTS')))],
    allowedOrigins: [...(flags.allowedOrigin ?? list(from('LANDBRIDGE_ALLOWED_ORIGINS')))],
    allowUnauthenticated: flags.allowUnauthenticated ?? from('LANDBRIDGE_ALLOW_UNAUTHENTICATED') ?? false,
    maxBodyBytes: flags.maxBody ?? String(1024 * 1024),
    maxConnections: flags.maxConnections ?? '100',
    idleSeconds: flags.idleSeconds ?? '300',
    graceSeconds: flags.grace ?? '10',
    profile: flags.profile,
    profiles: flags.profiles ?? (existsSync('profiles.yaml') ? 'profiles.yaml' : undefined),
    secret: from('LANDBRIDGE_SECRET'),
  });
  if (!parsed.success) {
    const issue = parsed.error.issues[0]!;
    const key = String(issue.path[0] ?? '');
    throw new GatewayError('BAD_CONFIG', `${ORIGIN[key] ?? key} ${issue.message}.`, { usage: true });
  }
  return Object.freeze({ ...parsed.data, env });
}

/** What was named; else ./domains; else what comes with the package. */
function choosePaths(flags: Flags): string[] {
  const named = [...(flags.paths ?? []), ...(flags.domains ?? [])];
  if (named.length > 0) return named;
  return [existsSync('domains') ? 'domains' : BUNDLED_DOMAINS];
}

/** The real environment wins over files, a later file over an earlier one. */
function withEnvFiles(files: readonly string[], processEnv: Environment): Environment {
  const env: Record<string, string | undefined> = Object.create(null);
  for (const file of files) {
    try {
      Object.assign(env, parseEnv(readFileSync(file, 'utf8')));
    } catch (cause) {
      const why = (cause as NodeJS.ErrnoException).code === 'ENOENT' ? 'it does not exist' : (cause as Error).message;
      throw new GatewayError('BAD_CONFIG', `Cannot read the env file ${file}: ${why}.`, {}, cause);
    }
  }
  return Object.freeze(Object.assign(env, processEnv));
}

function list(text: string | undefined): string[] {
  return (text ?? '')
    .split(',')
    .map((item) => item.trim())
    .filter((item) => item !== '');
}
