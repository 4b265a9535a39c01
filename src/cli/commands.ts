// Every command with its flags and its help. The code of a command is loaded when it runs, so help and mistakes are answered at
// once. Flags of settings come from setting-table.ts.
import { type Command, Option } from 'commander';
import { FIELD_TABLE, type FlagHelp, SETTING_TABLE, type SettingNames, spellFlag } from '../config/setting-table.ts';
import type { Io } from './io.ts';

const option = (flags: string, description: string) => new Option(flags, description);
const repeatable = (flags: string, description: string) =>
  option(flags, `${description} (repeatable)`).argParser((value: string, before: string[] | undefined) => [
    ...(before ?? []),
    value,
  ]);
/** Puts options under a heading in the help. */
const underHeading = (heading: string, options: readonly Option[]) =>
  options.map((one) => (one.helpGroupHeading === undefined ? one.helpGroup(heading) : one));

type Flagged<Table> = { [Name in keyof Table]: Table[Name] extends { help: FlagHelp } ? Name : never }[keyof Table];
type SettingWithFlag = Flagged<typeof SETTING_TABLE> | Flagged<typeof FIELD_TABLE>;

/** The flag of a setting as its table has it; `own`: what is different for this command. An empty default is not shown. */
function flagOf(name: SettingWithFlag, own: Partial<FlagHelp> = {}): Option {
  const setting: SettingNames = { ...SETTING_TABLE, ...FIELD_TABLE }[name];
  const { flag = '', fallback, effective, help } = setting;
  const usual = typeof fallback === 'string' || typeof fallback === 'number' ? String(fallback) : '';
  const { short, value, text = '', default: words = effective ?? usual, isRepeatable } = { ...help, ...own };
  const flags = `${short === undefined ? '' : `-${short}, `}${spellFlag(flag)}${value === undefined ? '' : ` ${value}`}`;
  const description = words === '' ? text : `${text} (default: ${words})`;
  return isRepeatable ? repeatable(flags, description) : option(flags, description);
}

const json = () => option('--json', 'print JSON for scripts');
const verbose = () => option('--verbose', 'list every file, warning and reason, not only the first few');
const yes = (description: string) => option('-y, --yes', description);
/** Node.js itself interprets --env-file anywhere on the command line, and exits with its own message if the file is missing. */
const envFiles = () => [flagOf('envFiles'), repeatable('--env-file <file>', 'the same').hideHelp()];

/** The flags that select what to load. */
const source = () =>
  underHeading('APIs and settings:', [
    flagOf('headers'),
    flagOf('baseUrl'),
    flagOf('config'),
    ...envFiles(),
    flagOf('domains'),
    flagOf('refsRoot'),
  ]);
const exposure = () => underHeading('Tools:', [flagOf('exposure'), flagOf('tokenBudget')]);
const guards = () => underHeading('Tools:', [flagOf('readOnly'), flagOf('guard'), flagOf('confirm')]);
const profile = () =>
  underHeading('Tools:', [
    flagOf('profile', { text: 'use only the tools of this profile', default: '' }),
    flagOf('profiles', { text: 'file that declares profiles' }),
  ]);
const url = () =>
  option('--url <url>', 'ask a running gateway, e.g. http://127.0.0.1:3333/mcp; --header is sent to it');

const FILES: Argument = [
  '[files...]',
  'OpenAPI documents (file, http(s) URL, or - for stdin), domain files or folders (default: ./domains, or the bundled samples)',
];
const TOOL = 'one tool name, as "landbridge tools --exposure tools" lists it';
const IN_ANY_ORDER = 'files as for "landbridge serve"; in any order';

/** Every setting that has a flag. */
const deployment = () => [
  ...underHeading('Listening:', [
    flagOf('port'),
    flagOf('host'),
    flagOf('stdio'),
    flagOf('tcp'),
    option('--no-http', 'do not listen for HTTP'),
    flagOf('workers'),
  ]),
  ...source(),
  ...exposure(),
  ...guards(),
  ...underHeading('Tools:', [flagOf('profiles'), flagOf('profile')]),
  ...underHeading('Callers and TLS:', [
    flagOf('apiKeysFile'),
    flagOf('tlsCert'),
    flagOf('tlsKey'),
    flagOf('tlsClientCa'),
    flagOf('allowUnauthenticated'),
  ]),
  ...underHeading('Public address and proxies:', [
    flagOf('publicUrl'),
    flagOf('allowedHosts'),
    flagOf('allowedOrigins'),
    flagOf('basePath'),
    flagOf('trustedProxies'),
  ]),
  ...underHeading('Operation:', [
    flagOf('logLevel'),
    flagOf('adminPort'),
    flagOf('adminHost'),
    flagOf('tracingEndpoint'),
    flagOf('state'),
  ]),
  ...underHeading('Limits and shutdown:', [
    flagOf('maxBodyBytes'),
    flagOf('maxConnections'),
    flagOf('maxHttpConnections'),
    flagOf('keepAliveSeconds'),
    flagOf('idleSeconds'),
    flagOf('drainSeconds'),
    flagOf('graceSeconds'),
  ]),
];

type Argument = readonly [name: string, description: string];

interface CommandSpec {
  readonly name: string;
  /** Heading in `landbridge --help`. */
  readonly group: string;
  readonly description: string;
  readonly arguments: readonly Argument[];
  readonly options: readonly Option[];
  /** Examples and the like, below the flags; at most 80 columns wide. */
  readonly help?: string;
  readonly run: CommandRun;
}

/** `values`: what is on the command line, in order, the flags last. Resolves with the exit code. */
// biome-ignore lint/suspicious/noExplicitAny: commander hands over what its argument declarations say
export type CommandRun = (io: Io, ...values: any[]) => Promise<number>;

const START = 'Start:';
const LOOK = 'Look, try and check:';
const OPERATE = 'Operate:';

const COMMANDS: readonly CommandSpec[] = [
  {
    name: 'serve',
    group: START,
    description: 'Serve APIs as MCP tools over HTTP, stdio or raw TCP.',
    arguments: [FILES],
    options: [...deployment(), ...underHeading('Output:', [verbose(), json()])],
    help: `
Nearly every setting can also come from landbridge.yaml or from an environment
variable: docs/settings.md lists them. Flags take precedence over variables,
and variables over the file. "landbridge config" prints the settings in effect.

Examples:
  # The bundled samples, at http://127.0.0.1:3333/mcp
  landbridge serve
  # Any OpenAPI document, from a file or a URL
  landbridge serve ./openapi.yaml
  landbridge serve https://api.example.com/openapi.json --header 'Authorization: Bearer \${TOKEN}'
  # For MCP clients that start their servers themselves
  landbridge serve --stdio ./openapi.yaml
  # A folder of domain files, over HTTP and TCP, reads only
  landbridge serve ./domains --tcp 4444 --read-only`,
    run: async (io, files, flags) => (await import('./serve/serve.ts')).runServe(io, files, flags),
  },
  {
    name: 'import',
    group: START,
    description: 'Copy an OpenAPI document to openapi/ and write a domain file for it, ready to curate.',
    arguments: [
      ['[document]', 'file, http(s) URL of a document or its page, or - for stdin; with --update also a domain file'],
    ],
    options: [
      option('--name <name>', 'name of the domain (default: from the title of the document)'),
      option('--out <folder>', 'folder to write to (default: the current folder)'),
      option(
        '--update',
        'get a new version of the document; list what was added, removed and changed; leave the domain file as it is',
      ),
      option('--force', 'overwrite existing files; a backup of each is kept'),
      flagOf('baseUrl'),
      flagOf('refsRoot'),
      flagOf('headers'),
      ...envFiles(),
      verbose(),
      json(),
    ],
    help: `
Examples:
  landbridge import ./petstore.yaml
  landbridge import https://api.example.com/openapi.json --name shop --header 'Authorization: Bearer \${TOKEN}'
  # A new version, from where the document was imported
  landbridge import --update --name shop
  landbridge import --update ./petstore-2.yaml

Exit codes: 0 imported; 1 failed, or the domain file has lines that do not fit
the new version.`,
    run: async (io, document, flags) => (await import('./import/import.ts')).runImport(io, document, flags),
  },
  {
    name: 'install',
    group: START,
    description: 'Add this gateway to the configuration of an MCP client; shows the change first.',
    arguments: [['<client>', 'claude-code, claude-desktop, cursor, vscode, codex or gemini'], FILES],
    options: [
      option('--url <url>', 'connect the client to a running gateway instead of starting one; --header is sent to it'),
      option('--scope <scope>', 'user or project (default: user)'),
      option('--name <name>', 'name of the gateway in the client (default: landbridge)'),
      option('--with-values', 'write the values of the variables into the file, not only their names'),
      option('--uninstall', 'remove the gateway from the client'),
      yes('write without asking'),
      ...source(),
      ...exposure(),
      ...guards(),
      ...profile(),
    ],
    help: `
Examples:
  landbridge install claude-code ./openapi.yaml
  landbridge install cursor ./domains --scope project --yes
  landbridge install vscode --url http://127.0.0.1:3333/mcp
  landbridge install codex --uninstall

Exit codes: 0 written, or nothing to change; 1 only shown, or failed;
2 the command line is wrong.`,
    run: async (io, client, files, flags) =>
      (await import('./install/install.ts')).runInstall(io, client, files, flags),
  },
  {
    name: 'tools',
    group: LOOK,
    description: 'List the tools, the operations they call, and what tools/list costs in tokens.',
    arguments: [FILES],
    options: [
      url(),
      option('--limits', 'list the limits instead: rates, calls at once, time limits and sizes'),
      json(),
      ...source(),
      ...exposure(),
      ...profile(),
    ],
    help: `
Examples:
  # A table, and what each exposure would cost
  landbridge tools ./openapi.yaml
  # Every operation, for scripts
  landbridge tools ./openapi.yaml --exposure tools --json
  # The tools of a running gateway
  landbridge tools --url http://127.0.0.1:3333/mcp

With --url, "write or destructive" means: it changes data, and the hints of MCP
do not say which. The tokens are counted; "landbridge serve" shows an estimate.`,
    run: async (io, files, flags) => (await import('./tools.ts')).runTools(io, files, flags),
  },
  {
    name: 'call',
    group: LOOK,
    description: 'Call one tool and print its answer.',
    arguments: [
      [
        '[words...]',
        `${TOOL}; its arguments as key=value; ${IN_ANY_ORDER}. Lists and objects are JSON: tags='["a","b"]'. A file to upload is key=@path`,
      ],
    ],
    options: [
      option('--args <json>', 'arguments as a JSON object'),
      option('-o, --output <file>', 'write the answer to a file, byte for byte as the API sent it (- for stdout)'),
      yes('confirm a destructive call without asking'),
      url(),
      json(),
      ...source(),
      ...guards(),
      ...profile(),
    ],
    help: `
Examples:
  landbridge call tasks_list_tasks status=todo
  landbridge call ./petstore.yaml get_pet_by_id petId=7
  landbridge call tasks_create_task --args '{"title":"Write the docs"}'
  landbridge call ./petstore.yaml upload_photo petId=7 file=@./photo.png
  landbridge call ./petstore.yaml get_photo petId=7 --output photo.png
  landbridge call --url http://127.0.0.1:3333/mcp tasks_list_tasks status=todo --json | jq -r '.content[0].text'

The answer goes to stdout, everything else to stderr.
Exit codes: 0 the call succeeded; 1 it failed; 2 the command line is wrong.`,
    run: async (io, words, flags) => (await import('./call/call.ts')).runCall(io, words, flags),
  },
  {
    name: 'explain',
    group: LOOK,
    description: 'Show where the name, texts, arguments, defaults and credentials of a tool come from.',
    arguments: [['[words...]', `${TOOL}; ${IN_ANY_ORDER}`]],
    options: [url(), json(), ...source(), ...guards(), ...profile()],
    help: `
Examples:
  landbridge explain tasks_list_tasks
  landbridge explain ./petstore.yaml get_pet_by_id
  landbridge explain ./petstore.yaml 'GET /pet/{petId}'`,
    run: async (io, words, flags) => (await import('./explain.ts')).runExplain(io, words, flags),
  },
  {
    name: 'doctor',
    group: LOOK,
    description: 'Check that models and MCP clients can use the tools; exits with 1 if not, for CI.',
    arguments: [FILES],
    options: [
      repeatable('--client <name>', 'check for this client: claude, openai, gemini, vscode or cursor (default: all)'),
      option(
        '--online',
        'also connect to every API and authorization server, call at most 40 reads, and compare the answers with the document',
      ),
      option('--strict', 'fail on warnings too'),
      option('--fix', 'show what can be repaired, and write it into the domain files'),
      yes('write without asking at a terminal'),
      verbose(),
      json(),
      ...source(),
      ...exposure(),
      ...guards(),
      ...profile(),
    ],
    help: `
Examples:
  landbridge doctor ./openapi.yaml
  # Shows a diff, asks at a terminal, then writes
  landbridge doctor ./domains --fix
  # Writes <name>.domain.yaml beside the document
  landbridge doctor ./openapi.yaml --fix

Exit codes: 0 no errors; 1 an error was found (with --strict: or a warning);
2 the command line is wrong. With --fix, only what is left after it counts.`,
    run: async (io, files, flags) => (await import('./doctor/doctor.ts')).runDoctor(io, files, flags),
  },
  {
    name: 'schema',
    group: LOOK,
    description: 'Print the JSON Schema of domain files, profiles or landbridge.yaml, for editors.',
    arguments: [['[kind]', 'domain, profiles or config (default: domain)']],
    options: [],
    help: `
Examples:
  # Then begin each domain file with this line:
  # # yaml-language-server: $schema=.domain.schema.json
  landbridge schema > domains/.domain.schema.json
  landbridge schema profiles > .profiles.schema.json
  # For landbridge.yaml
  landbridge schema config > .config.schema.json`,
    run: async (io, kind) => (await import('./schema.ts')).runSchema(io, kind),
  },
  {
    name: 'key',
    group: OPERATE,
    description: 'Make an API key for a caller, and the line for landbridge.yaml that allows it.',
    arguments: [
      ['<action>', 'new makes a key; hash reads a key from stdin and prints its SHA-256'],
      ['[name]', 'name of the caller; it appears as key:<name> in logs, audit and limits'],
    ],
    options: [
      option(
        '--profiles <names>',
        'profiles the caller may use, separated by commas; * means all, and /mcp itself (default: *)',
      ),
      option(
        '--effects <effects>',
        'what its calls may do: read, write, destructive, separated by commas (default: all)',
      ),
      option('--expires <date>', 'date, or time with a time zone, from which the key is refused (default: never)'),
      json(),
    ],
    help: `
Examples:
  # A key without restrictions
  landbridge key new ci
  landbridge key new bot --profiles reader --effects read --expires 2099-01-01
  # The SHA-256 of a key that you already have, from stdin
  landbridge key hash

The key is shown once and is not stored. landbridge.yaml holds its SHA-256:

  auth:
    keys:
      - { name: ci, sha256: "9f86d0…" }

Without that file, use LANDBRIDGE_API_KEYS=ci=9f86d0…,bot=… or --api-keys <file>
with one key per line.

Callers send the key as "Authorization: Bearer <key>" or "X-API-Key: <key>".
The gateway reads keys when it starts: restart it after you add or remove one.
To replace a key, add a second one with the same name, give it to the caller,
then remove the first.`,
    run: async (io, action, name, flags) => (await import('./key.ts')).runKey(io, action, name, flags),
  },
  {
    name: 'config',
    group: OPERATE,
    description:
      'Print every setting in effect and where it comes from: a flag, a variable, landbridge.yaml or the default.',
    arguments: [FILES],
    options: [...underHeading('Output:', [json()]), ...deployment()],
    help: `
Examples:
  # The settings of this folder and of the environment
  landbridge config
  landbridge config --config deploy/landbridge.yaml --json

Secrets are hidden. A mistake in the file is reported with its line, its field
and how to fix it; the exit code is then 1.`,
    run: async (io, files, flags) => (await import('./print-config.ts')).runConfig(io, files, flags),
  },
  {
    name: 'health',
    group: OPERATE,
    description: 'Ask a running gateway whether it accepts calls; exits with 1 if not, for containers and scripts.',
    arguments: [],
    options: [
      option('--url <url>', 'gateway to ask, e.g. https://mcp.example.com/mcp (default: the one of these settings)'),
      flagOf('port', { text: 'its HTTP port, if a flag changed it', default: 'the one of these settings' }),
      option('--live', 'ask only whether it is alive; a gateway that drains or cannot record calls is alive'),
      flagOf('config'),
      ...envFiles(),
      json(),
    ],
    help: `
Examples:
  # The gateway of the settings in this folder
  landbridge health
  landbridge health --url http://127.0.0.1:3333
  # For a container engine, which restarts what is not alive
  landbridge health --live

Exit codes: 0 yes; 1 no, or no answer; 2 the command line is wrong.`,
    run: async (io, flags) => (await import('./remote/health.ts')).runHealth(io, flags),
  },
  {
    name: 'audit',
    group: OPERATE,
    description: 'Check audit files, or print the public key to check them with.',
    arguments: [
      ['<action>', 'verify or key'],
      [
        '[files...]',
        'for verify: audit files, including older ones of the same chain, in any order; for key: the private key (default: as landbridge.yaml says)',
      ],
    ],
    options: [
      repeatable('--key <file>', 'public key (PEM) to check signatures with; no other key is accepted'),
      repeatable('--head <seq:hash>', 'a record that must be in the files, from an "audit checkpoint" line of the log'),
      option('--closed', 'the gateway has stopped: report a file that does not end with a signature'),
      flagOf('config'),
      json(),
    ],
    help: `
verify finds lines that were removed, changed, reordered or inserted, and exits
with 1. It cannot find lines that were removed after the last signature, unless
you use --closed or --head. docs/audit.md explains the records.

Examples:
  # Keep the public key where the gateway cannot write
  landbridge audit key > audit-public.pem
  landbridge audit verify audit.jsonl --key audit-public.pem
  landbridge audit verify audit.jsonl* --key audit-public.pem --closed`,
    run: async (io, action, files, flags) => (await import('./audit.ts')).runAudit(io, action, files, flags),
  },
];

/** `start` runs a command; without it they can only be described. */
export function addCommands(
  program: Command,
  start: (run: CommandRun, values: readonly unknown[]) => Promise<void> = async () => {},
): void {
  for (const { name, group, description, arguments: args, options, help: more = '', run } of COMMANDS) {
    const command = program.command(name).helpGroup(group).description(description);
    for (const [argument, about] of args) command.argument(argument, about);
    for (const flag of options) command.addOption(flag);
    const output = options.find(({ long }) => long === '--json')?.helpGroupHeading;
    const help = option('-h, --help', 'show this help');
    command.addHelpOption(output === undefined ? help : help.helpGroup(output));
    if (more !== '') command.addHelpText('after', more);
    command.action((...values: unknown[]) => start(run, values));
  }
}
