// Every setting by name: its default, flag and variable, and its text in --help. It imports nothing, because --help loads it.
// settings.ts adds the types.

export interface SettingNames {
  /** The default. */
  readonly fallback?: unknown;
  /** The default that domains and profiles may replace. */
  readonly effective?: string;
  /** As commander spells it. */
  readonly flag?: string;
  readonly variable?: string;
  /** For settings with a flag. */
  readonly help?: FlagHelp;
}

export interface FlagHelp {
  /** One letter. */
  readonly short?: string;
  /** What follows the flag; absent for flags without a value. */
  readonly value?: string;
  readonly text: string;
  /** The default in words, if it is not the value itself. */
  readonly default?: string;
  readonly isRepeatable?: true;
}

export const SETTING_TABLE = {
  domains: {
    flag: 'domains',
    variable: 'LANDBRIDGE_DOMAINS',
    help: { value: '<path>', text: 'domain file, folder of domain files, or OpenAPI document', isRepeatable: true },
  },
  envFiles: {
    flag: 'dotenv',
    help: { value: '<file>', text: 'read environment variables from this file', isRepeatable: true },
  },
  host: {
    fallback: '127.0.0.1',
    flag: 'host',
    variable: 'HOST',
    help: { value: '<address>', text: 'address to listen on' },
  },
  port: {
    fallback: 3333,
    flag: 'port',
    variable: 'PORT',
    help: { short: 'p', value: '<port>', text: 'HTTP port; 0 picks a free one' },
  },
  http: {},
  stdio: {
    fallback: false,
    flag: 'stdio',
    help: { text: 'speak MCP on stdin and stdout; without HTTP, unless you also give --port' },
  },
  tcp: {
    flag: 'tcp',
    variable: 'LANDBRIDGE_TCP',
    help: { value: '<port>', text: 'also listen for raw TCP; 0 picks a free port', default: 'off' },
  },
  workers: {
    fallback: 1,
    flag: 'workers',
    variable: 'LANDBRIDGE_WORKERS',
    help: { value: '<n>', text: 'number of processes on the same ports; auto: one per core' },
  },
  tokenBudget: {
    fallback: 10_000,
    flag: 'tokenBudget',
    variable: 'LANDBRIDGE_TOKEN_BUDGET',
    help: { value: '<tokens>', text: 'largest tools/list before auto takes a smaller mode, in tokens' },
  },
  exposure: {
    effective: 'auto',
    flag: 'exposure',
    variable: 'LANDBRIDGE_EXPOSURE',
    help: { value: '<mode>', text: 'how operations become tools: tools, grouped, search or auto' },
  },
  readOnly: {
    fallback: false,
    flag: 'readOnly',
    variable: 'LANDBRIDGE_READ_ONLY',
    help: { text: 'allow only operations that read' },
  },
  guard: {
    effective: 'confirm',
    flag: 'guard',
    variable: 'LANDBRIDGE_GUARD',
    help: { value: '<policy>', text: 'destructive calls: allow, confirm or deny' },
  },
  confirm: {
    effective: 'either',
    flag: 'confirm',
    variable: 'LANDBRIDGE_CONFIRM',
    help: {
      value: '<way>',
      text: 'how such a call is confirmed: ask (the user answers), token (the client repeats it with a token) or either',
    },
  },
  profiles: {
    flag: 'profiles',
    variable: 'LANDBRIDGE_PROFILES',
    help: {
      value: '<file>',
      text: 'file that declares profiles: parts of the tools, each at /mcp/<name>',
      default: './profiles.yaml, if it exists',
    },
  },
  profile: {
    flag: 'profile',
    variable: 'LANDBRIDGE_PROFILE',
    help: { value: '<name>', text: 'profile that stdio and TCP serve', default: 'all tools' },
  },
  baseUrl: {
    flag: 'baseUrl',
    help: { value: '<url>', text: 'base URL of the API', default: 'the one in the document' },
  },
  headers: {
    fallback: [],
    flag: 'header',
    help: {
      value: '<header>',
      text: `header for fetching the document and for every request to its API, e.g. 'Authorization: Bearer \${TOKEN}'`,
      isRepeatable: true,
    },
  },
  refsRoot: {
    flag: 'refsRoot',
    help: {
      value: '<folder>',
      text: 'let $refs read files below this folder too',
      default: 'only the document’s own folder',
    },
  },
  publicUrl: {
    flag: 'publicUrl',
    variable: 'LANDBRIDGE_PUBLIC_URL',
    help: { value: '<url>', text: 'URL at which clients reach this gateway, e.g. https://mcp.example.com' },
  },
  basePath: {
    flag: 'basePath',
    variable: 'LANDBRIDGE_BASE_PATH',
    help: {
      value: '<path>',
      text: 'path prefix that the proxy does not strip, e.g. /tools',
      default: 'the path of --public-url',
    },
  },
  allowedHosts: {
    fallback: [],
    flag: 'allowedHost',
    variable: 'LANDBRIDGE_ALLOWED_HOSTS',
    help: { value: '<name>', text: 'accept this Host header besides localhost', isRepeatable: true },
  },
  allowedOrigins: {
    fallback: [],
    flag: 'allowedOrigin',
    variable: 'LANDBRIDGE_ALLOWED_ORIGINS',
    help: {
      value: '<origin>',
      text: 'accept calls from web pages of this origin, e.g. https://app.example',
      isRepeatable: true,
    },
  },
  trustedProxies: {
    fallback: [],
    flag: 'trustedProxy',
    variable: 'LANDBRIDGE_TRUSTED_PROXIES',
    help: {
      value: '<range>',
      text: 'trust the Forwarded and X-Forwarded-* headers of this proxy, e.g. 10.0.0.0/8',
      isRepeatable: true,
    },
  },
  allowUnauthenticated: {
    fallback: false,
    flag: 'allowUnauthenticated',
    variable: 'LANDBRIDGE_ALLOW_UNAUTHENTICATED',
    help: { text: 'listen for other machines although callers need no key or token' },
  },
  maxBodyBytes: {
    fallback: 1024 * 1024,
    flag: 'maxBody',
    variable: 'LANDBRIDGE_MAX_BODY_BYTES',
    help: { value: '<bytes>', text: 'largest message accepted' },
  },
  maxConnections: {
    fallback: 100,
    flag: 'maxConnections',
    variable: 'LANDBRIDGE_MAX_CONNECTIONS',
    help: { value: '<n>', text: 'TCP connections at once' },
  },
  maxHttpConnections: {
    fallback: 10_000,
    flag: 'maxHttpConnections',
    variable: 'LANDBRIDGE_MAX_HTTP_CONNECTIONS',
    help: { value: '<n>', text: 'HTTP connections at once' },
  },
  keepAliveSeconds: {
    fallback: 620,
    flag: 'keepAlive',
    variable: 'LANDBRIDGE_KEEP_ALIVE_SECONDS',
    help: { value: '<seconds>', text: 'close HTTP connections after this idle time' },
  },
  idleSeconds: {
    fallback: 300,
    flag: 'idleSeconds',
    variable: 'LANDBRIDGE_IDLE_SECONDS',
    help: { value: '<n>', text: 'close TCP connections after this idle time' },
  },
  drainSeconds: {
    fallback: 5,
    flag: 'drain',
    variable: 'LANDBRIDGE_DRAIN_SECONDS',
    help: { value: '<seconds>', text: 'after SIGTERM, serve for this long while /readyz answers 503' },
  },
  graceSeconds: {
    fallback: 10,
    flag: 'grace',
    variable: 'LANDBRIDGE_GRACE_SECONDS',
    help: { value: '<seconds>', text: 'then wait at most this long for calls in progress' },
  },
  logLevel: {
    fallback: 'info',
    flag: 'logLevel',
    variable: 'LOG_LEVEL',
    help: { value: '<level>', text: 'lowest level to log: trace, debug, info, warn, error, fatal or silent' },
  },
  secret: {
    variable: 'LANDBRIDGE_SECRET',
  },
  state: {
    flag: 'state',
    variable: 'LANDBRIDGE_STATE',
    help: { value: '<url>', text: 'Redis or Valkey that replicas share, e.g. redis://127.0.0.1:6379', default: 'off' },
  },
} as const satisfies Record<string, SettingNames>;

/** Flags and variables for single fields of sections, and for the settings file itself. */
export const FIELD_TABLE = {
  config: {
    flag: 'config',
    variable: 'LANDBRIDGE_CONFIG',
    help: { value: '<file>', text: 'settings file', default: './landbridge.yaml, if it exists' },
  },
  apiKeys: { variable: 'LANDBRIDGE_API_KEYS' },
  apiKeysFile: {
    flag: 'apiKeys',
    variable: 'LANDBRIDGE_API_KEYS_FILE',
    help: { value: '<file>', text: 'API keys of callers, one name=key or name=<SHA-256 of the key> per line' },
  },
  tlsCert: {
    flag: 'tlsCert',
    variable: 'LANDBRIDGE_TLS_CERT',
    help: { value: '<file>', text: 'certificate for HTTP and TCP (PEM)' },
  },
  tlsKey: {
    flag: 'tlsKey',
    variable: 'LANDBRIDGE_TLS_KEY',
    help: { value: '<file>', text: 'private key of the certificate (PEM)' },
  },
  tlsClientCa: {
    flag: 'tlsClientCa',
    variable: 'LANDBRIDGE_TLS_CLIENT_CA',
    help: { value: '<file>', text: 'certificate authority of client certificates (PEM)' },
  },
  adminPort: {
    flag: 'adminPort',
    variable: 'LANDBRIDGE_ADMIN_PORT',
    help: { value: '<port>', text: 'port for metrics, readiness and the log level', default: 'off' },
  },
  adminHost: {
    fallback: '127.0.0.1',
    flag: 'adminHost',
    variable: 'LANDBRIDGE_ADMIN_HOST',
    help: { value: '<address>', text: 'address of the admin port' },
  },
  adminToken: { variable: 'LANDBRIDGE_ADMIN_TOKEN' },
  tracingEndpoint: {
    flag: 'otlpEndpoint',
    help: {
      value: '<url>',
      text: 'send traces to this OpenTelemetry collector, e.g. http://127.0.0.1:4318',
      default: 'off',
    },
  },
} as const satisfies Record<string, SettingNames>;

/** Every variable of the table, the settings file's first. */
export const SETTING_VARIABLES: readonly string[] = [FIELD_TABLE, SETTING_TABLE].flatMap((table) =>
  Object.values<SettingNames>(table).flatMap(({ variable }) => variable ?? []),
);

/** `--allowed-host`, as it is written. */
export function spellFlag(flag: string): string {
  return `--${flag.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
}
