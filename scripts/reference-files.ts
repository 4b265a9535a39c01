// The files of docs/ that are made of schemas, by path: what stands above the tables, and the tables.
import { Command } from 'commander';
import { addCommands } from '../src/cli/commands.ts';
import { SECTION_VARIABLES, SETTINGS, type Setting, spellFlag } from '../src/config/settings.ts';
import { DOCUMENT_PREFIX } from '../src/endpoint/environment.ts';
import { renderMetricsPage } from './metrics-page.ts';
import {
  buildConfigSchema,
  buildDomainSchema,
  buildProfilesSchema,
  type Field,
  listGaps,
  renderReference,
  withVariables,
} from './reference.ts';

const NOTE =
  '<!-- Made by npm run docs of the schemas in src/domain/definition, src/profiles.ts and src/config: change those. -->';

const EDITORS = (kind: 'domain' | 'profiles' | 'config', file: string) => `## In an editor

Editors that know YAML schemas (VS Code with the YAML extension, JetBrains, Neovim, Helix …) complete and check the file while you
write, when its first line names the schema:

${kind === 'domain' ? '- `landbridge import` writes the schema beside the domain file and that line into it.\n' : ''}- \`landbridge schema${kind === 'domain' ? '' : ` ${kind}`}\` prints it, with \`npx\` too. Put it beside ${file} as
  \`.${kind}.schema.json\` and begin the file with \`# yaml-language-server: $schema=.${kind}.schema.json\`.
- Where the package is installed, the line may name its own:
  \`# yaml-language-server: $schema=${kind === 'domain' ? '../' : './'}node_modules/landbridge/docs/schemas/${kind}.schema.json\`.
- In a clone of this repository: \`# yaml-language-server: $schema=${kind === 'domain' ? '../' : ''}docs/schemas/${kind}.schema.json\`.`;

const DOMAIN_INTRO = `# Domain files

${NOTE}

A domain file describes one API, and how models get it: written by hand, or laid over an OpenAPI document. YAML and JSON files have
the fields below; TypeScript and JavaScript files hand the same object to \`defineDomain()\`. Files in \`domains/\` are loaded in
order of name; adding one adds a domain.

\`\`\`yaml
# domains/shop.yaml
name: shop
baseUrl: { env: SHOP_BASE_URL, default: https://shop.example/v1 }
credentials:
  key: { kind: apiKey, field: X-API-Key, env: SHOP_KEY }
endpoints:
  list_orders:
    path: /orders
    summary: Lists orders, newest first.
    tags: [orders]
    args:
      status: { type: string, enum: [open, paid, shipped], description: Only orders in this state. }
      page: { type: integer, minimum: 1, default: 1, description: "Page number, from 1." }
    pagination: { kind: page, arg: page }
    response: { pick: [id, status, customer.name] }
  cancel_order:
    method: POST
    path: /orders/{id}/cancel
    summary: Cancels an order.
    effect: destructive
    args:
      id: { type: integer, required: true, description: "Number of the order, from list_orders." }
      reason: { type: string }
\`\`\`

A mistake stops the start. Every one of the file is told at once, with its place and what to write instead:

\`\`\`
domains/shop.yaml:5:10 credentials.key.kind: "api_key" is not a kind; did you mean "apiKey"? (apiKey, bearer, basic, …)
\`\`\`

With \`--json\` they are data: \`{"error": {"code": "BAD_DOMAIN", "problems": [{"file", "line", "column", "field", "message"}]}}\`.

Values may come from the environment only where this page says so. The example of a field is a value it may have in its place.

${EDITORS('domain', 'the domain file')}`;

const PROFILES_INTRO = `# Profiles

${NOTE}

\`profiles.yaml\` (or the file that \`--profiles\` names) declares parts of the catalog by name. Each is served at \`/mcp/<name>\`; \`--profile\`
picks one for stdio and TCP. A profile is stricter than the deployment, never laxer.

\`\`\`yaml
# profiles.yaml
reader: { effects: [read] }
support: { domains: [tasks], tags: [tasks], exposure: tools, guard: confirm }
\`\`\`

A name that nothing has stops the start, and so does a profile that would serve nothing; file, line, field and fix are told.

${EDITORS('profiles', '`profiles.yaml`')}`;

const CONFIG_INTRO = `# Settings

${NOTE}

\`landbridge.yaml\` holds the settings of a deployment. Every command reads the one in the folder it runs in, or the one that
\`--config\` or \`LANDBRIDGE_CONFIG\` names. A flag counts more than a variable, that more than the file, and that more than
the default; \`landbridge config\` prints what counts and who said it.

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

- Paths count from the folder of the file. Without \`domains\` it is the folder \`domains\` beside it, and where that is missing
  nothing starts: the samples are for whoever has no settings.
- \`\${NAME}\` and \`\${NAME:-default}\` in a value are filled in from the environment and the files in \`envFiles\`; one that is
  not set is a mistake.
- \`headers\`, \`baseUrl\` and \`refsRoot\` go with the file's own \`domains\`: whoever names other files on the command line says
  this of them, too. \`landbridge import\` takes only \`envFiles\` of the file, and a command with \`--url\` nothing at all.
- A mistake stops the start, told with file, line, field and fix:
  \`landbridge.yaml:3:1 prot: "prot" is not known here; did you mean "port"?\`.
- A variable that begins with \`LANDBRIDGE_\` and is none of those below stops the start as well, unless a domain file names it or
  it begins with \`${DOCUMENT_PREFIX}\`.

${EDITORS('config', '`landbridge.yaml`')}`;

/** The flag and the variable that say the same. */
function alsoSaid({ section, name }: Field): string {
  const { flag, variable } =
    section === 'config' && name in SETTINGS ? (SETTINGS as Record<string, Setting>)[name]! : {};
  const names = [...(flag === undefined ? [] : [spellFlag(flag)]), ...(variable === undefined ? [] : [variable])];
  return names.length === 0 ? '' : ` Also ${names.map((one) => `\`${one}\``).join(', ')}.`;
}

/** Every variable the program itself reads. */
function renderVariables(): string {
  const settings = Object.entries<Setting>(SETTINGS).flatMap(([name, { variable }]) =>
    variable === undefined ? [] : [[variable, `\`${name}\``] as const],
  );
  const rows = [
    ['LANDBRIDGE_CONFIG', 'where `landbridge.yaml` is'],
    [SECTION_VARIABLES.apiKeys, 'API keys, beside `auth.keys`'],
    [SECTION_VARIABLES.apiKeysFile, 'a file of API keys, beside `auth.keys`'],
    [SECTION_VARIABLES.tlsCert, '`tls.cert`'],
    [SECTION_VARIABLES.tlsKey, '`tls.key`'],
    [SECTION_VARIABLES.tlsClientCa, '`tls.clientCa`'],
    [SECTION_VARIABLES.adminPort, '`admin.port`'],
    [SECTION_VARIABLES.adminHost, '`admin.host`'],
    [SECTION_VARIABLES.adminToken, 'what `admin.token` leads to, itself'],
    ...settings,
    [`${DOCUMENT_PREFIX}<NAME>_<SCHEME>`, 'credentials of documents'],
  ];
  const lines = rows.map(([variable, what]) => `| \`${variable}\` | ${what} |`);
  return [
    '## Variables',
    '',
    'An empty one counts as unset. Lists have commas.',
    '',
    '| variable | setting |',
    '|---|---|',
    ...lines,
  ].join('\n');
}

/** Every flag of every command, in the words of its help. */
function renderFlags(): string {
  const program = new Command('landbridge');
  addCommands(program);
  const parts = program.commands.map((command) => {
    const rows = command.options
      .filter(({ hidden }) => !hidden)
      .map(
        ({ flags, description }) => `| \`${flags}\` | ${description.replaceAll('|', '\\|').replaceAll('<', '&lt;')} |`,
      );
    const table = rows.length === 0 ? [] : ['', '| flag | what it does |', '|---|---|', ...rows];
    return [`### landbridge ${command.name()}`, '', command.description(), ...table].join('\n');
  });
  return ['## Flags', ...parts].join('\n\n');
}

/** As a reader meets them. */
const ORDER = [
  ...['domain', 'apiKey', 'bearer', 'basic', 'oauth2', 'awsSigv4', 'login', 'scheme'],
  ...['endpoint', 'argument', 'placement', 'encoding', 'response', 'pagination'],
  ...['filter', 'operation', 'argumentChange', 'addition', 'prompt', 'resource'],
];

/** Text of every file by its path in the repository. */
export function buildReferenceFiles(): Readonly<Record<string, string>> {
  const domain = buildDomainSchema();
  const profiles = buildProfilesSchema();
  const config = buildConfigSchema();
  const gaps = [...listGaps(domain), ...listGaps(profiles), ...listGaps(config)];
  if (gaps.length > 0) throw new Error(`The reference is not complete:\n${gaps.join('\n')}`);
  return {
    'docs/domain-files.md': renderReference(DOMAIN_INTRO, domain, ORDER),
    'docs/profiles.md': renderReference(PROFILES_INTRO, profiles),
    'docs/settings.md': `${renderReference(CONFIG_INTRO, config, ['config'], alsoSaid)}\n${renderVariables()}\n\n${renderFlags()}\n`,
    'docs/metrics.md': renderMetricsPage(),
    'docs/schemas/domain.schema.json': `${JSON.stringify(domain, null, 2)}\n`,
    'docs/schemas/profiles.schema.json': `${JSON.stringify(profiles, null, 2)}\n`,
    'docs/schemas/config.schema.json': `${JSON.stringify(withVariables(config), null, 2)}\n`,
  };
}
