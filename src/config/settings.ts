// The types of all settings that are one value, with their descriptions; setting-table.ts has their defaults, flags and variables. The
// name here is the name in landbridge.yaml. The schemas for editors and the reference in docs/ are generated from both.

import { isIP } from 'node:net';
import { z } from 'zod';
import { about, headerName, list, named, strict, text, withDefault } from '../domain/definition/shape/fields.ts';
import { VARIABLE_NAME, withScheme } from '../endpoint/environment.ts';
import { CONFIRM_WAYS, EXPOSURES, GUARD_POLICIES } from '../endpoint/model.ts';
import { LOG_LEVELS } from '../log.ts';
import { profilesFile } from '../profiles.ts';
import { filePath, sourcePath } from './file-paths.ts';
import { SETTING_TABLE, type SettingNames } from './setting-table.ts';

export interface Setting extends SettingNames {
  /** Its type in landbridge.yaml, with description and example. */
  readonly type: z.ZodType;
  /** Its type as a flag or variable, if that is more than the same value as text. */
  readonly textType?: z.ZodType;
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
const httpUrl = (example: string) =>
  z.url({
    protocol: /^https?$/,
    error: ({ input }) => `must be an http(s) URL, for example ${withScheme(String(input)) ?? example}`,
  });
/** Refuses a URL that ends in /mcp: `/mcp` is appended, and clients would call /mcp/mcp. */
const publicUrl = httpUrl('https://mcp.example.com').superRefine((text, context) => {
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
  env: about(
    named(VARIABLE_NAME, 'must be the name of a variable'),
    'The environment variable that holds the secret.',
    'GATEWAY_SECRET',
  ),
  file: about(filePath, 'The file that holds the secret, for example a mounted one.', '/run/secrets/gateway'),
})
  .refine(({ env, file }) => (env === undefined) !== (file === undefined), 'must have either env or file')
  .meta({ id: 'secret' });

export const SETTINGS = {
  domains: {
    ...SETTING_TABLE.domains,
    type: about(
      list(sourcePath).refine((all) => all.length > 0, 'must name at least one folder, file or URL'),
      withDefault(
        'What to load: folders of domain files, single domain files, and OpenAPI documents (files or URLs).',
        'the folder `domains` next to this file',
      ),
      ['./domains'],
    ),
  },
  envFiles: {
    ...SETTING_TABLE.envFiles,
    type: about(
      list(filePath),
      'Files of environment variables, in the format of .env files. A variable that is already set in the environment keeps its value.',
      ['.env'],
    ),
  },
  host: {
    ...SETTING_TABLE.host,
    type: about(bindAddress, 'The address to listen on. Use `0.0.0.0` to listen on all network interfaces.', '0.0.0.0'),
  },
  port: {
    ...SETTING_TABLE.port,
    type: about(port, 'The HTTP port. 0 picks a free one.', 8080),
  },
  http: {
    ...SETTING_TABLE.http,
    type: about(
      truth,
      withDefault('Listens for HTTP.', '`true`, or `false` if `stdio` is on and `port` is not set'),
      false,
    ),
  },
  stdio: {
    ...SETTING_TABLE.stdio,
    type: about(truth, 'Speaks MCP on stdin and stdout.', true),
  },
  tcp: {
    ...SETTING_TABLE.tcp,
    type: about(port, withDefault('The port for raw TCP. 0 picks a free one.', 'off'), 4444),
  },
  workers: {
    ...SETTING_TABLE.workers,
    type: about(
      workers,
      'The number of processes that serve HTTP and TCP on the same ports. `auto` starts one for each processor core. The processes share limits and used confirmations.',
      'auto',
    ),
    textType: z
      .string()
      .transform((text) => (/^\d+$/.test(text.trim()) ? Number(text) : text.trim()))
      .pipe(workers),
  },
  tokenBudget: {
    ...SETTING_TABLE.tokenBudget,
    type: about(
      positive,
      'The largest `tools/list`, in tokens. Above it, the exposure `auto` takes a smaller mode.',
      20_000,
    ),
  },
  exposure: {
    ...SETTING_TABLE.exposure,
    type: about(
      z.enum(EXPOSURES, { error: 'must be tools, grouped, search or auto' }),
      withDefault(
        'How operations become tools: one tool each (`tools`), one per group (`grouped`), or three tools that find, describe and call them (`search`). `auto` takes the first that fits `tokenBudget`.',
        `what the domain says, or \`${SETTING_TABLE.exposure.effective}\``,
      ),
      'grouped',
    ),
  },
  readOnly: {
    ...SETTING_TABLE.readOnly,
    type: about(truth, 'Allows only operations that read. All other calls are refused.', true),
  },
  guard: {
    ...SETTING_TABLE.guard,
    type: about(
      z.enum(GUARD_POLICIES, { error: 'must be allow, confirm or deny' }),
      withDefault(
        'What happens to destructive calls: they run (`allow`), need a confirmation (`confirm`) or are refused (`deny`).',
        `\`${SETTING_TABLE.guard.effective}\``,
      ),
      'deny',
    ),
  },
  confirm: {
    ...SETTING_TABLE.confirm,
    type: about(
      z.enum(CONFIRM_WAYS, { error: 'must be token, ask or either' }),
      withDefault(
        'How a call is confirmed. With `ask`, the client asks the user. With `token`, the call is repeated with a signed token. `either` allows both.',
        `\`${SETTING_TABLE.confirm.effective}\``,
      ),
      'ask',
    ),
  },
  profiles: {
    ...SETTING_TABLE.profiles,
    type: about(
      z.union([filePath, z.lazy(profilesFile)]),
      withDefault(
        'Profiles: named parts of the tools, each served at `/mcp/<name>`. Write them here, or name a file that has them.',
        '`profiles.yaml` next to this file, if it exists',
      ),
      { reader: { effects: ['read'] } },
      './profiles.yaml',
    ),
  },
  profile: {
    ...SETTING_TABLE.profile,
    type: about(
      text,
      withDefault(
        'The profile that stdio and TCP serve, and that `landbridge tools`, `call`, `explain` and `doctor` use.',
        'none: all tools',
      ),
      'reader',
    ),
  },
  baseUrl: {
    ...SETTING_TABLE.baseUrl,
    type: about(
      httpUrl('https://api.example.com/v1'),
      withDefault('The base URL of the API. It replaces the one in the document.', 'the one in the document'),
      'https://api.example.com/v1',
    ),
  },
  headers: {
    ...SETTING_TABLE.headers,
    type: about(
      headers,
      'Headers that are sent when a document is fetched, and with every request to the first API. Values from variables are kept secret.',
      { Authorization: `Bearer $${'{API_TOKEN}'}` },
    ),
    textType: list(headerLine),
  },
  refsRoot: {
    ...SETTING_TABLE.refsRoot,
    type: about(
      filePath,
      withDefault(
        'A folder from which a `$ref` in a document may read files, besides the folder of the document.',
        'none',
      ),
      './openapi',
    ),
  },
  publicUrl: {
    ...SETTING_TABLE.publicUrl,
    type: about(
      publicUrl,
      withDefault(
        'The URL at which clients reach this gateway, without `/mcp`. Access tokens must be issued for it. Its host name is accepted in the Host header.',
        'none',
      ),
      'https://mcp.example.com',
    ),
  },
  basePath: {
    ...SETTING_TABLE.basePath,
    type: about(
      basePath,
      withDefault(
        'A path prefix that the proxy in front does not strip. With `/tools`, clients reach `/mcp` at `/tools/mcp` too.',
        'the path of `publicUrl`',
      ),
      '/tools',
    ),
  },
  allowedHosts: {
    ...SETTING_TABLE.allowedHosts,
    type: about(
      list(hostName),
      'Host names that are accepted in the Host header, besides localhost and the host of `publicUrl`.',
      ['mcp.internal'],
    ),
  },
  allowedOrigins: {
    ...SETTING_TABLE.allowedOrigins,
    type: about(list(origin), 'Web origins whose pages may call this gateway from a browser.', ['https://app.example']),
  },
  trustedProxies: {
    ...SETTING_TABLE.trustedProxies,
    type: about(list(addressRange), 'Addresses of proxies whose `Forwarded` and `X-Forwarded-*` headers are trusted.', [
      '10.0.0.0/8',
    ]),
  },
  allowUnauthenticated: {
    ...SETTING_TABLE.allowUnauthenticated,
    type: about(
      truth,
      'Listens for other machines although callers need no key or token. Set it only if something in front checks who calls.',
      true,
    ),
  },
  maxBodyBytes: {
    ...SETTING_TABLE.maxBodyBytes,
    type: about(positive, 'The largest message that is accepted, in bytes.', 4_194_304),
  },
  maxConnections: {
    ...SETTING_TABLE.maxConnections,
    type: about(
      positive,
      'TCP connections at the same time, in all workers together. One caller can have at most seven eighths of them.',
      500,
    ),
  },
  maxHttpConnections: {
    ...SETTING_TABLE.maxHttpConnections,
    type: about(
      positive,
      'HTTP connections at the same time. If a new one comes, the connection that has been idle longest is closed.',
      20_000,
    ),
  },
  keepAliveSeconds: {
    ...SETTING_TABLE.keepAliveSeconds,
    type: about(
      positive,
      'Closes HTTP connections that are idle for this many seconds. Set it longer than the idle timeout of the proxy in front. Otherwise the proxy may send a request into a connection that is closing.',
      3_700,
    ),
  },
  idleSeconds: {
    ...SETTING_TABLE.idleSeconds,
    type: about(positive, 'Closes TCP connections that are idle for this many seconds.', 600),
  },
  drainSeconds: {
    ...SETTING_TABLE.drainSeconds,
    type: about(
      seconds,
      'Seconds after SIGTERM in which new connections are still served, while `/readyz` answers 503 and every answer has `Connection: close`. Load balancers use this time to switch over. Ctrl+C does not wait.',
      15,
    ),
  },
  graceSeconds: {
    ...SETTING_TABLE.graceSeconds,
    type: about(
      seconds,
      'Seconds that calls in progress have to finish, after `drainSeconds`. Then they are answered with `shutting_down`.',
      30,
    ),
  },
  logLevel: {
    ...SETTING_TABLE.logLevel,
    type: about(
      z.enum(LOG_LEVELS, { error: `must be one of ${LOG_LEVELS.join(', ')}` }),
      'The lowest level that is logged.',
      'warn',
    ),
  },
  secret: {
    ...SETTING_TABLE.secret,
    type: about(
      secretSource,
      withDefault(
        'The secret that signs confirmations and sessions, at least 32 characters. Replicas need the same secret and the same `state`.',
        'a new one at every start',
      ),
      { file: '/run/secrets/gateway' },
    ),
    textType: secretText,
  },
  state: {
    ...SETTING_TABLE.state,
    type: about(
      named(/^rediss?:\/\/\S+$/, 'must be a redis:// or rediss:// URL'),
      withDefault(
        'The Redis or Valkey server that replicas share. It keeps limit counters, used confirmations, answers to questions, and access tokens for APIs.',
        'none: replicas share nothing',
      ),
      'redis://127.0.0.1:6379',
    ),
  },
} as const satisfies Record<string, Setting>;

export type Settings = typeof SETTINGS;
export type SecretSource = z.output<typeof secretSource>;
export type SettingName = keyof Settings;

/** Parses the text of a flag or variable, where numbers, booleans and lists are text. */
export function parseSettingText({ type, textType }: Setting, value: unknown) {
  return (textType ?? type).safeParse(textType === undefined ? fromText(type, value) : value);
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
