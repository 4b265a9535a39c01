// docs/settings.md: every setting by task, with its flag and its environment variable.
import { FIELD_TABLE, type SettingNames, spellFlag } from '../src/config/setting-table.ts';
import { SETTINGS, type Setting } from '../src/config/settings.ts';
import { DOCUMENT_PREFIX } from '../src/endpoint/environment.ts';
import { editorsSection, GENERATED } from './editors-section.ts';
import type { Field, JsonNode } from './reference.ts';
import { type Group, renderPage, toRow } from './reference-page.ts';

const INTRO = `# Settings

${GENERATED}

Settings come from four places. The first one that has a value takes precedence:

1. a flag of the command line, such as \`--port 8080\`
2. an environment variable, such as \`PORT=8080\`
3. the settings file \`landbridge.yaml\`
4. the default

\`landbridge config\` prints every setting in effect and where it comes from. This is a settings file:

\`\`\`yaml
# landbridge.yaml
domains: [./domains]
host: 0.0.0.0
publicUrl: https://mcp.example.com
profiles:
  reader: { effects: [read] }
auth:
  keys:
    - { name: ci, env: CI_KEY, profiles: [reader], effects: [read] }
limits:
  perPrincipal: { rate: 600/min, concurrent: 32 }
state: redis://\${REDIS_HOST:-127.0.0.1}:6379
secret: { env: GATEWAY_SECRET }
audit: { file: audit.jsonl, onError: refuse }
\`\`\`

- Every command reads \`landbridge.yaml\` in the folder in which you run it. \`--config\` or \`LANDBRIDGE_CONFIG\` names another file.
- Paths are relative to the folder of the file.
- \`\${NAME}\` and \`\${NAME:-default}\` in a value are replaced by environment variables. These come from the environment and from the
  files in \`envFiles\`. A variable that is not set and has no default is an error.
- If you name other files on the command line, \`domains\`, \`headers\`, \`baseUrl\` and \`refsRoot\` of the file are not used.
  \`landbridge import\` uses only \`envFiles\`. A command with \`--url\` uses nothing from the file.
- An error in the file stops the start. The message has the file, line, column, field and fix:
  \`landbridge.yaml:3:1 prot: "prot" is not known here; did you mean "port"?\`.
- A variable that begins with \`LANDBRIDGE_\` and is not listed below also stops the start. Variables that a domain file names are
  allowed, and so are those that begin with \`${DOCUMENT_PREFIX}\`.

The first column of each table also has the flag and the environment variable of the setting.`;

const GROUPS: readonly Group[] = [
  {
    title: 'Load APIs',
    intro:
      'Which APIs the gateway serves, and how it reads their documents. Without `domains`, the gateway loads the folder `domains` next to the file. If that is missing too, the start fails. The bundled samples are served only if there is no settings file.',
    example: `# landbridge.yaml
domains: [./domains, ./openapi/petstore.yaml]
envFiles: []
headers: { X-Tenant: acme }`,
    wants: { 'choose which APIs are served': '`domains`', 'read variables from a .env file': '`envFiles`' },
    fields: 'domains envFiles baseUrl headers refsRoot',
  },
  {
    title: 'Listen',
    intro: 'Where clients connect: HTTP is on by default, stdio and raw TCP are off.',
    example: `# landbridge.yaml
host: 0.0.0.0
port: 8080
allowUnauthenticated: true`,
    wants: { 'change address or port': '`host`, `port`', 'speak MCP over stdio or TCP': '`stdio`, `tcp`' },
    fields: 'host port http stdio tcp',
  },
  {
    title: 'Choose how tools are shown',
    intro: 'How many tools a client sees, and which ones. Profiles are explained in [profiles.md](profiles.md).',
    example: `# landbridge.yaml
exposure: auto
tokenBudget: 20000
profiles:
  reader: { effects: [read] }`,
    wants: { 'save tokens': '`exposure`, `tokenBudget`', 'serve only a part of the tools': '`profiles`, `profile`' },
    fields: 'exposure tokenBudget profiles profile',
  },
  {
    title: 'Decide who may call',
    intro:
      'API keys, OAuth access tokens and client certificates. Without one of them, the gateway refuses to listen for other machines.',
    example: `# landbridge.yaml
publicUrl: https://mcp.example.com
auth:
  keys:
    - { name: ci, env: CI_KEY, effects: [read] }
  oauth:
    - issuer: https://id.example.com
      scopes: { read: [api.read], write: [api.write] }`,
    wants: {
      'let callers in with API keys': '`auth.keys`',
      'accept OAuth access tokens': '`auth.oauth`',
      'accept client certificates': '`auth.certificates`, `tls.clientCa`',
    },
    fields: 'auth allowUnauthenticated',
    objects: 'auth key issuer introspection effectScopes certificate',
  },
  {
    title: 'Guard calls',
    intro: 'What happens to calls that change something. Domain files and profiles can be stricter.',
    example: `# landbridge.yaml
guard: confirm
confirm: ask`,
    wants: { 'allow only reads': '`readOnly`', 'confirm or refuse destructive calls': '`guard`, `confirm`' },
    fields: 'readOnly guard confirm',
  },
  {
    title: 'Limit calls',
    intro:
      'How much callers may call, and how much APIs are called. `landbridge tools --limits` prints the limits in effect.',
    example: `# landbridge.yaml
limits:
  perPrincipal: { rate: 600/min, concurrent: 32 }
  perUpstream: { concurrent: 64, queue: 256, waitSeconds: 5 }`,
    wants: { 'limit callers or protect an API': '`limits.perPrincipal`, `limits.perUpstream`' },
    fields: 'limits',
    objects: 'limits callLimits shed',
  },
  {
    title: 'Limit connections and messages',
    intro: 'How large messages may be, how many connections there may be, and how long they may be idle.',
    example: `# landbridge.yaml
maxBodyBytes: 4194304
keepAliveSeconds: 3700`,
    wants: { 'accept larger messages': '`maxBodyBytes`', 'accept more connections': '`maxHttpConnections`' },
    fields: 'maxBodyBytes maxConnections maxHttpConnections keepAliveSeconds idleSeconds',
  },
  {
    title: 'Run behind a proxy',
    intro: 'The public address of the gateway, and what the gateway believes of a proxy in front.',
    example: `# landbridge.yaml
publicUrl: https://example.com/tools
trustedProxies: [10.0.0.0/8]`,
    wants: {
      'set the public address': '`publicUrl`, `basePath`',
      'get the real address of callers': '`trustedProxies`',
      'call from a web page': '`allowedOrigins`',
    },
    fields: 'publicUrl basePath allowedHosts allowedOrigins trustedProxies',
  },
  {
    title: 'Encrypt connections (TLS)',
    intro: 'Certificates for HTTP and TCP. Leave them out if a proxy in front handles TLS.',
    example: `# landbridge.yaml
tls: { cert: /etc/landbridge/tls.crt, key: /etc/landbridge/tls.key, minVersion: TLSv1.3 }`,
    wants: { 'serve HTTPS': '`tls`' },
    fields: 'tls',
    objects: 'tls',
  },
  {
    title: 'Tell APIs who calls',
    intro:
      'The keys for credentials of kind [assertion](domain-files.md#assertion): short-lived JWTs about the caller.',
    example: `# landbridge.yaml
publicUrl: https://mcp.example.com
assertions: { keys: [./assertion-key.pem] }`,
    wants: { 'sign who calls, for your APIs': '`assertions`' },
    fields: 'assertions',
    objects: 'assertions',
  },
  {
    title: 'Run several processes or replicas',
    intro:
      'Workers are processes on one machine; they need no further settings. Replicas are gateways on several machines; they share a secret and a Redis or Valkey server. [state.md](state.md) explains what is shared.',
    example: `# landbridge.yaml
workers: auto
state: redis://127.0.0.1:6379
secret: { env: GATEWAY_SECRET }`,
    wants: { 'use all processor cores': '`workers`', 'run replicas': '`state`, `secret`' },
    fields: 'workers state secret',
    objects: 'secret',
  },
  {
    title: 'Write logs',
    intro: 'Logs go to stderr. [logs.md](logs.md) lists the lines.',
    example: `# landbridge.yaml
logLevel: warn`,
    wants: { 'log more or less': '`logLevel`' },
    fields: 'logLevel',
  },
  {
    title: 'Record calls (audit)',
    intro: 'A signed trail of all calls. [audit.md](audit.md) explains the records.',
    example: `# landbridge.yaml
audit: { file: audit.jsonl, onError: refuse }`,
    wants: { 'record every call': '`audit`' },
    fields: 'audit',
    objects: 'audit',
  },
  {
    title: 'Measure (metrics and readiness)',
    intro: 'A listener for Prometheus and probes. [metrics.md](metrics.md) lists the metrics.',
    example: `# landbridge.yaml
admin: { port: 9464 }`,
    wants: { 'collect metrics': '`admin`' },
    fields: 'admin',
    objects: 'admin',
  },
  {
    title: 'Send traces',
    intro: 'Spans for OpenTelemetry. [tracing.md](tracing.md) explains them.',
    example: `# landbridge.yaml
tracing: { endpoint: "http://127.0.0.1:4318", sampleRatio: 0.1 }`,
    wants: { 'trace requests': '`tracing`' },
    fields: 'tracing',
    objects: 'tracing',
  },
  {
    title: 'Shut down',
    intro:
      'How long a shutdown takes. The sum should be shorter than the time after which your container engine kills a process.',
    example: `# landbridge.yaml
drainSeconds: 15
graceSeconds: 30`,
    wants: { 'stop without losing calls': '`drainSeconds`, `graceSeconds`' },
    fields: 'drainSeconds graceSeconds',
  },
  {
    title: 'Describe the file',
    intro: 'A field for editors only.',
    fields: '$schema',
  },
];

/** Flags and variables of fields that are not settings of their own. */
const OTHER_NAMES: Readonly<Record<string, readonly string[]>> = {
  'config.http': ['--no-http'],
  'auth.keys': [...listNames(FIELD_TABLE.apiKeysFile), ...listNames(FIELD_TABLE.apiKeys)],
  'tls.cert': listNames(FIELD_TABLE.tlsCert),
  'tls.key': listNames(FIELD_TABLE.tlsKey),
  'tls.clientCa': listNames(FIELD_TABLE.tlsClientCa),
  'admin.port': listNames(FIELD_TABLE.adminPort),
  'admin.host': listNames(FIELD_TABLE.adminHost),
  'admin.token': listNames(FIELD_TABLE.adminToken),
  'tracing.endpoint': [...listNames(FIELD_TABLE.tracingEndpoint), 'OTEL_EXPORTER_OTLP_ENDPOINT'],
};

/** The flag of a setting, then its variable. */
function listNames({ flag, variable }: SettingNames): string[] {
  return [...(flag === undefined ? [] : [spellFlag(flag)]), ...(variable === undefined ? [] : [variable])];
}

function namesOf({ section, name }: Field): readonly string[] {
  const setting = section === 'config' && name in SETTINGS ? (SETTINGS as Record<string, Setting>)[name]! : {};
  return [...listNames(setting), ...(OTHER_NAMES[`${section}.${name}`] ?? [])];
}

/** An index for readers who come across a variable elsewhere. */
function renderVariables(): string {
  const own = Object.entries<Setting>(SETTINGS).flatMap(([name, { variable }]) => (variable ? [[variable, name]] : []));
  const others = Object.entries(OTHER_NAMES).flatMap(([name, all]) =>
    all.filter((one) => !one.startsWith('--')).map((one) => [one, name]),
  );
  const rows = [...own, ...others].map(([variable, name]) => [`\`${variable}\``, `\`${name}\``]);
  return [
    '## Environment variables',
    '',
    'An empty variable counts as unset, except `LANDBRIDGE_API_KEYS`: there it is an error. Write lists with commas.',
    '`LANDBRIDGE_API_KEYS` holds `name=key` pairs; `LANDBRIDGE_API_KEYS_FILE` and `--api-keys` name a file with one pair per line.',
    '`LANDBRIDGE_SECRET` and `LANDBRIDGE_ADMIN_TOKEN` hold the secret itself.',
    '',
    ...[
      ['variable', 'setting'],
      ['---', '---'],
    ].map(toRow),
    ...[
      ['`LANDBRIDGE_CONFIG`', 'the path of `landbridge.yaml`'],
      ...rows,
      [`\`${DOCUMENT_PREFIX}<NAME>_<SCHEME>\``, 'a credential of an OpenAPI document'],
    ]
      .sort(([a = ''], [b = '']) => (a < b ? -1 : 1))
      .map(toRow),
  ].join('\n');
}

export function renderSettingsPage(schema: JsonNode): string {
  const outro = `${renderVariables()}\n\n${editorsSection('config', '`landbridge.yaml`')}`;
  const elsewhere = { profile: 'profiles.md' };
  return renderPage({ intro: INTRO, groups: GROUPS, outro, schema, mains: ['config'], elsewhere, namesOf });
}
