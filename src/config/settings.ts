// Every setting of a deployment that is one value: its type, default, flag and variable. The name here is its name in
// landbridge.yaml. The schemas for editors and the reference in docs/ are generated from this table.

import { isIP } from 'node:net';
import { z } from 'zod';
import { about, headerName, list, named, strict, text } from '../domain/definition/shape/fields.ts';
import { VARIABLE_NAME } from '../endpoint/environment.ts';
import { CONFIRM_WAYS, EXPOSURES, GUARD_POLICIES } from '../endpoint/model.ts';
import { LOG_LEVELS } from '../log.ts';
import { profilesFile } from '../profiles.ts';
import { filePath, sourcePath } from './file-paths.ts';

/** What tools/list may cost before `auto` takes a smaller mode. */
const DEFAULT_TOKEN_BUDGET = 10_000;

export interface Setting {
  /** Its type in landbridge.yaml, with description and example. */
  readonly type: z.ZodType;
  /** Its type as a flag or variable, if that is more than the same value as text. */
  readonly typed?: z.ZodType;
  /** The default. */
  readonly fallback?: unknown;
  /** As commander spells it. */
  readonly flag?: string;
  readonly variable?: string;
}

export const port = z
  .number({ error: 'must be a number from 0 to 65535' })
  .int('must be a whole number')
  .min(0, 'must be at least 0')
  .max(65_535, 'must be at most 65535');
const positive = z.number({ error: 'must be a number' }).int('must be a whole number').min(1, 'must be at least 1');
/** A larger number is taken for a typo. */
const workers = z.union([positive.max(256), z.literal('auto')], { error: 'must be a number from 1 to 256, or auto' });
const seconds = z.number({ error: 'must be a number' }).min(0, 'must be at least 0');
/** Only true and false: treating a typo as "no" could switch a safety off. */
const truth = z.boolean({ error: 'must be true or false' });
const url = z.url({ protocol: /^https?$/, error: 'must be an http(s) URL, for example https://api.example.com/v1' });
/** Refuses a URL that ends in /mcp: `/mcp` is appended, and clients would look at /mcp/mcp. */
const publicUrl = url.superRefine((text, context) => {
  if (!URL.canParse(text)) return;
  const { pathname, search, hash, username, password } = new URL(text);
  if (/\/mcp\/?$/.test(pathname)) context.addIssue('must not end in /mcp: the gateway adds it');
  if (search || hash || username || password) context.addIssue('must have no query, fragment or login');
});
/** No `.` or `..` segments, and none of the gateway's own paths. */
const basePath = named(
  /^(?!\/(?:mcp|healthz|readyz|\.well-known)(?:\/|$))(?:\/(?!\.{1,2}(?:\/|$))[A-Za-z0-9._~-]+)+\/?$/,
  'must be a path such as /tools, without /mcp at its end',
).refine((path) => !/\/mcp\/?$/.test(path), 'must not end in /mcp: the gateway adds it');
export const hostName = named(
  /^[a-z0-9._:[\]-]+$/i,
  'must be a host name such as mcp.example.com, without https:// and path',
);
const origin = named(
  /^[a-z][a-z0-9+.-]*:\/\/[^/\s?#]+$/i,
  'must be an origin such as https://app.example, without a path',
);
export const bindAddress = text.refine(
  (host) => !/^[^:/\s]+:\d+$|[/\s]/.test(host),
  'must be only an address or a host name, such as 0.0.0.0; the port is a separate setting',
);
const addressRange = named(
  /^[0-9a-fA-F.:]+(?:\/\d{1,3})?$/,
  'must be an address or a CIDR range, such as 10.0.0.0/8',
).refine((range) => {
  const [network = '', bits = '0'] = range.split('/');
  return isIP(network) !== 0 && Number(bits) <= (isIP(network) === 4 ? 32 : 128);
}, 'must be an address or a CIDR range, such as 10.0.0.0/8 or fd00::/8');
const headerLine = named(/^[^:\s]+\s*:/, 'must look like "Name: value"');
const headers = z
  .record(headerName('a header has a name such as X-Tenant'), named(/^[^\r\n]+$/, 'must be text on one line'))
  .transform((all): readonly string[] => Object.entries(all).map(([name, value]) => `${name}: ${value}`));
export const secretText = z.string().min(32, 'must have at least 32 characters');
export const secretSource = strict({
  env: about(named(VARIABLE_NAME, 'must be the name of a variable'), 'The variable that holds it.', 'GATEWAY_SECRET'),
  file: about(filePath, 'A file that holds it, such as a mounted secret.', '/run/secrets/gateway'),
})
  .refine(({ env, file }) => (env === undefined) !== (file === undefined), 'must have either env or file')
  .meta({ id: 'secret' });

export const SETTINGS = {
  domains: {
    type: about(
      list(sourcePath).refine((all) => all.length > 0, 'must name at least one folder, file or URL'),
      'Folders of domain files, domain files, and OpenAPI documents (files or URLs). Default: `domains` beside this file.',
      ['./domains'],
    ),
    flag: 'domains',
    variable: 'LANDBRIDGE_DOMAINS',
  },
  envFiles: {
    type: about(list(filePath), 'Files of variables, as .env files have them. The environment itself counts more.', [
      '.env',
    ]),
    flag: 'dotenv',
  },
  host: {
    type: about(bindAddress, 'Address to listen on. Default: `127.0.0.1`.', '0.0.0.0'),
    fallback: '127.0.0.1',
    flag: 'host',
    variable: 'HOST',
  },
  port: {
    type: about(port, 'HTTP port; 0 picks one. Default: 3333.', 8080),
    fallback: 3333,
    flag: 'port',
    variable: 'PORT',
  },
  http: {
    type: about(
      truth,
      'Whether to listen for HTTP. Default: yes, but not where `stdio` is asked for and `port` is not.',
      false,
    ),
  },
  stdio: {
    type: about(truth, 'Speak MCP on stdin and stdout. Default: no.', true),
    fallback: false,
    flag: 'stdio',
  },
  tcp: {
    type: about(port, 'Port for raw TCP; 0 picks one. Default: none.', 4444),
    flag: 'tcp',
    variable: 'LANDBRIDGE_TCP',
  },
  workers: {
    type: about(
      workers,
      'Processes that serve HTTP and TCP, all on the same ports; `auto`: one for each core this process may use. They share limits and used confirmations. Default: 1.',
      'auto',
    ),
    typed: z
      .string()
      .transform((text) => (/^\d+$/.test(text.trim()) ? Number(text) : text.trim()))
      .pipe(workers),
    fallback: 1,
    flag: 'workers',
    variable: 'LANDBRIDGE_WORKERS',
  },
  tokenBudget: {
    type: about(
      positive,
      'What tools/list may cost before `auto` takes a smaller mode, in tokens. Default: 10000.',
      20_000,
    ),
    fallback: DEFAULT_TOKEN_BUDGET,
    flag: 'tokenBudget',
    variable: 'LANDBRIDGE_TOKEN_BUDGET',
  },
  exposure: {
    type: about(
      z.enum(EXPOSURES, { error: 'must be tools, grouped, search or auto' }),
      'One tool per operation, one per group, or search. Default: as the domains say, else `auto`.',
      'grouped',
    ),
    flag: 'exposure',
    variable: 'LANDBRIDGE_EXPOSURE',
  },
  readOnly: {
    type: about(truth, 'Refuse everything that is not a read. Default: no.', true),
    fallback: false,
    flag: 'readOnly',
    variable: 'LANDBRIDGE_READ_ONLY',
  },
  guard: {
    type: about(
      z.enum(GUARD_POLICIES, { error: 'must be allow, confirm or deny' }),
      'What happens to destructive calls. Default: `confirm`.',
      'deny',
    ),
    flag: 'guard',
    variable: 'LANDBRIDGE_GUARD',
  },
  confirm: {
    type: about(
      z.enum(CONFIRM_WAYS, { error: 'must be token, ask or either' }),
      'What counts as a confirmation: a signed token, the user’s own answer, or either. Default: `either`.',
      'ask',
    ),
    flag: 'confirm',
    variable: 'LANDBRIDGE_CONFIRM',
  },
  profiles: {
    type: about(
      z.union([filePath, z.lazy(profilesFile)]),
      'Named parts of the catalog, each at `/mcp/<name>`: here, or in a file of their own. Default: `profiles.yaml` beside this file, where there is one.',
      { reader: { effects: ['read'] } },
      './profiles.yaml',
    ),
    flag: 'profiles',
    variable: 'LANDBRIDGE_PROFILES',
  },
  profile: {
    type: about(
      text,
      'The profile that stdio and TCP serve, and all that `tools`, `call` and `doctor` look at.',
      'reader',
    ),
    flag: 'profile',
    variable: 'LANDBRIDGE_PROFILE',
  },
  baseUrl: {
    type: about(url, 'Where the API is, instead of what documents say.', 'https://api.example.com/v1'),
    flag: 'baseUrl',
  },
  headers: {
    type: about(
      headers,
      'Sent when a document is fetched and with every request to the first API. Variables in it are kept as secrets.',
      { Authorization: `Bearer $${'{API_TOKEN}'}` },
    ),
    typed: list(headerLine),
    fallback: [],
    flag: 'header',
  },
  refsRoot: {
    type: about(filePath, 'A folder that `$ref`s of documents may reach beside their own.', './openapi'),
    flag: 'refsRoot',
  },
  publicUrl: {
    type: about(
      publicUrl,
      'Where clients reach this gateway, without `/mcp`. Tokens must be issued for it, and its host name is accepted.',
      'https://mcp.example.com',
    ),
    flag: 'publicUrl',
    variable: 'LANDBRIDGE_PUBLIC_URL',
  },
  basePath: {
    type: about(
      basePath,
      'The prefix that a proxy in front does not strip: with `/tools`, `/tools/mcp` is `/mcp`. Paths without it are served as well. Default: the path of `publicUrl`.',
      '/tools',
    ),
    flag: 'basePath',
    variable: 'LANDBRIDGE_BASE_PATH',
  },
  allowedHosts: {
    type: about(list(hostName), 'Further Host names that are accepted.', ['mcp.internal']),
    fallback: [],
    flag: 'allowedHost',
    variable: 'LANDBRIDGE_ALLOWED_HOSTS',
  },
  allowedOrigins: {
    type: about(list(origin), 'Web origins whose pages may call.', ['https://app.example']),
    fallback: [],
    flag: 'allowedOrigin',
    variable: 'LANDBRIDGE_ALLOWED_ORIGINS',
  },
  trustedProxies: {
    type: about(
      list(addressRange),
      'Proxies whose `Forwarded` and `X-Forwarded-*` headers are believed. Default: none.',
      ['10.0.0.0/8'],
    ),
    fallback: [],
    flag: 'trustedProxy',
    variable: 'LANDBRIDGE_TRUSTED_PROXIES',
  },
  allowUnauthenticated: {
    type: about(truth, 'Listen beyond this machine with no authentication. Default: no.', true),
    fallback: false,
    flag: 'allowUnauthenticated',
    variable: 'LANDBRIDGE_ALLOW_UNAUTHENTICATED',
  },
  maxBodyBytes: {
    type: about(positive, 'Largest message accepted. Default: 1048576.', 4_194_304),
    fallback: 1024 * 1024,
    flag: 'maxBody',
    variable: 'LANDBRIDGE_MAX_BODY_BYTES',
  },
  maxConnections: {
    type: about(
      positive,
      'TCP connections at once, of all workers together (each takes its share); one caller gets at most seven eighths of them. Default: 100.',
      500,
    ),
    fallback: 100,
    flag: 'maxConnections',
    variable: 'LANDBRIDGE_MAX_CONNECTIONS',
  },
  maxHttpConnections: {
    type: about(
      positive,
      'HTTP connections at once; one more takes the place of the one that has been idle longest. Default: 10000.',
      20_000,
    ),
    fallback: 10_000,
    flag: 'maxHttpConnections',
    variable: 'LANDBRIDGE_MAX_HTTP_CONNECTIONS',
  },
  keepAliveSeconds: {
    type: about(
      positive,
      'HTTP connections idle for this long are closed. It must be longer than the idle timeout of a proxy in front, so that the proxy closes first and never sends a request into a closing connection. Default: 620.',
      3_700,
    ),
    fallback: 620,
    flag: 'keepAlive',
    variable: 'LANDBRIDGE_KEEP_ALIVE_SECONDS',
  },
  idleSeconds: {
    type: about(positive, 'TCP connections idle for this long are closed. Default: 300.', 600),
    fallback: 300,
    flag: 'idleSeconds',
    variable: 'LANDBRIDGE_IDLE_SECONDS',
  },
  drainSeconds: {
    type: about(
      seconds,
      'How long new connections are still served after SIGTERM, while `/readyz` answers 503 and every answer has `Connection: close`: the time that load balancers need to switch over. Ctrl-C does not wait. Default: 5.',
      15,
    ),
    fallback: 5,
    flag: 'drain',
    variable: 'LANDBRIDGE_DRAIN_SECONDS',
  },
  graceSeconds: {
    type: about(
      seconds,
      'Time for running calls to finish on shutdown, after `drainSeconds`; then they are answered with `shutting_down`. Default: 10.',
      30,
    ),
    fallback: 10,
    flag: 'grace',
    variable: 'LANDBRIDGE_GRACE_SECONDS',
  },
  logLevel: {
    type: about(
      z.enum(LOG_LEVELS, { error: `must be one of ${LOG_LEVELS.join(', ')}` }),
      'The lowest level that is logged. Default: `info`.',
      'warn',
    ),
    fallback: 'info',
    flag: 'logLevel',
    variable: 'LOG_LEVEL',
  },
  secret: {
    type: about(
      secretSource,
      'The secret that seals confirmations and sessions, at least 32 characters. Replicas must share it, and `state` as well. Default: a new one at every start, so that replicas do not accept each other’s.',
      { file: '/run/secrets/gateway' },
    ),
    typed: secretText,
    variable: 'LANDBRIDGE_SECRET',
  },
  state: {
    type: about(
      named(/^rediss?:\/\/\S+$/, 'must be a redis:// or rediss:// URL'),
      'Redis or Valkey that replicas share: counters of limits, used confirmations, answers to questions, access tokens for APIs. Default: none; each process is on its own.',
      'redis://127.0.0.1:6379',
    ),
    flag: 'state',
    variable: 'LANDBRIDGE_STATE',
  },
} as const satisfies Record<string, Setting>;

/** Variables for fields of sections. */
export const SECTION_VARIABLES = {
  apiKeys: 'LANDBRIDGE_API_KEYS',
  apiKeysFile: 'LANDBRIDGE_API_KEYS_FILE',
  tlsCert: 'LANDBRIDGE_TLS_CERT',
  tlsKey: 'LANDBRIDGE_TLS_KEY',
  tlsClientCa: 'LANDBRIDGE_TLS_CLIENT_CA',
  adminPort: 'LANDBRIDGE_ADMIN_PORT',
  adminHost: 'LANDBRIDGE_ADMIN_HOST',
  adminToken: 'LANDBRIDGE_ADMIN_TOKEN',
} as const;

export type Settings = typeof SETTINGS;
export type SecretSource = z.output<typeof secretSource>;
export type SettingName = keyof Settings;

/** Parses the text of a flag or variable, where numbers, booleans and lists are text. */
export function readTyped({ type, typed }: Setting, value: unknown) {
  return (typed ?? type).safeParse(typed === undefined ? fromText(type, value) : value);
}

/** A list is a repeated flag, or a variable with commas. */
function fromText(type: z.ZodType, value: unknown): unknown {
  if (typeof value !== 'string') return value;
  const { def } = type as { def: { type: string; innerType?: z.ZodType } };
  if (def.type === 'readonly') return fromText(def.innerType!, value);
  if (def.type === 'number') return /^[+-]?\d+(?:\.\d+)?$/.test(value.trim()) ? Number(value) : value;
  if (def.type === 'boolean') return z.stringbool().safeParse(value).data ?? value;
  if (def.type === 'array') return value.split(',').flatMap((item) => item.trim() || []);
  return value;
}

/** `--allowed-host`, as it is written. */
export function spellFlag(flag: string): string {
  return `--${flag.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
}
