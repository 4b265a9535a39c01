// The command line at a glance: every command, its flags and its help. What a command does is loaded when it runs, so
// that help and mistakes are answered at once.
import { type Command, Option } from 'commander';

const option = (flags: string, description: string) => new Option(flags, description);
const repeatable = (flags: string, description: string) =>
  option(flags, `${description} (repeatable)`).argParser((value: string, before: string[] | undefined) => [
    ...(before ?? []),
    value,
  ]);
/** Puts options under a heading in the help. */
const underHeading = (heading: string, options: readonly Option[]) =>
  options.map((one) => (one.helpGroupHeading === undefined ? one.helpGroup(heading) : one));

const json = () => option('--json', 'print JSON for scripts');
const verbose = () => option('--verbose', 'list every file, warning and reason, not only the first few');
const yes = (description: string) => option('-y, --yes', description);
const configFile = () => option('--config <file>', 'settings file (default: ./landbridge.yaml, if it exists)');
const baseUrl = () => option('--base-url <url>', 'base URL of the API (default: the one in the document)');
/** Node.js itself interprets --env-file anywhere on the command line, and exits with its own message if the file is missing. */
const envFile = () => [
  repeatable('--dotenv <file>', 'read environment variables from this file'),
  repeatable('--env-file <file>', 'the same').hideHelp(),
];
const refsRoot = () =>
  option(
    '--refs-root <folder>',
    'let $refs read files below this folder too (default: only the document’s own folder)',
  );
const header = () =>
  repeatable(
    '--header <header>',
    `header for fetching the document and for every request to its API, e.g. 'Authorization: Bearer \${TOKEN}'`,
  );

/** The flags that say what to load. */
const source = () =>
  underHeading('APIs and settings:', [
    header(),
    baseUrl(),
    configFile(),
    ...envFile(),
    repeatable('--domains <path>', 'domain file, folder of domain files, or OpenAPI document'),
    refsRoot(),
  ]);
const exposure = () =>
  underHeading('Tools:', [
    option('--exposure <mode>', 'how operations become tools: tools, grouped, search or auto (default: auto)'),
    option(
      '--token-budget <tokens>',
      'largest tools/list before auto takes a smaller mode, in tokens (default: 10000)',
    ),
  ]);
const guards = () =>
  underHeading('Tools:', [
    option('--read-only', 'allow only operations that read'),
    option('--guard <policy>', 'destructive calls: allow, confirm or deny (default: confirm)'),
    option(
      '--confirm <way>',
      'how such a call is confirmed: ask (the user answers), token (the client repeats it with a token) or either (default: either)',
    ),
  ]);
const profile = () =>
  underHeading('Tools:', [
    option('--profile <name>', 'use only the tools of this profile'),
    option('--profiles <file>', 'file that declares profiles (default: ./profiles.yaml, if it exists)'),
  ]);
const url = () =>
  option('--url <url>', 'ask a running gateway, e.g. http://127.0.0.1:3333/mcp; --header is sent to it');

const FILES: Argument = [
  '[files...]',
  'OpenAPI documents (file, http(s) URL, or - for stdin), domain files or folders (default: ./domains, or the bundled samples)',
];
const TOOL = 'one tool name, as "landbridge tools --exposure tools" lists it';
const IN_ANY_ORDER = 'files as for "landbridge serve"; in any order';

/** Everything that `serve` takes of a deployment. */
const deployment = () => [
  ...underHeading('Listening:', [
    option('-p, --port <port>', 'HTTP port; 0 picks a free one (default: 3333)'),
    option('--host <address>', 'address to listen on (default: 127.0.0.1)'),
    option('--stdio', 'speak MCP on stdin and stdout; without HTTP, unless you also give --port'),
    option('--tcp <port>', 'also listen for raw TCP; 0 picks a free port (default: off)'),
    option('--no-http', 'do not listen for HTTP'),
    option('--workers <n>', 'number of processes on the same ports; auto: one per core (default: 1)'),
  ]),
  ...source(),
  ...exposure(),
  ...guards(),
  ...underHeading('Tools:', [
    option(
      '--profiles <file>',
      'file that declares profiles: parts of the tools, each at /mcp/<name> (default: ./profiles.yaml, if it exists)',
    ),
    option('--profile <name>', 'profile that stdio and TCP serve (default: all tools)'),
  ]),
  ...underHeading('Callers and TLS:', [
    option('--api-keys <file>', 'API keys of callers, one name=key or name=<SHA-256 of the key> per line'),
    option('--tls-cert <file>', 'certificate for HTTP and TCP (PEM)'),
    option('--tls-key <file>', 'private key of the certificate (PEM)'),
    option('--tls-client-ca <file>', 'certificate authority of client certificates (PEM)'),
    option('--allow-unauthenticated', 'listen for other machines although callers need no key or token'),
  ]),
  ...underHeading('Public address and proxies:', [
    option('--public-url <url>', 'URL at which clients reach this gateway, e.g. https://mcp.example.com'),
    repeatable('--allowed-host <name>', 'accept this Host header besides localhost'),
    repeatable('--allowed-origin <origin>', 'accept calls from web pages of this origin, e.g. https://app.example'),
    option(
      '--base-path <path>',
      'path prefix that the proxy does not strip, e.g. /tools (default: the path of --public-url)',
    ),
    repeatable(
      '--trusted-proxy <range>',
      'trust the Forwarded and X-Forwarded-* headers of this proxy, e.g. 10.0.0.0/8',
    ),
  ]),
  ...underHeading('Operation:', [
    option(
      '--log-level <level>',
      'lowest level to log: trace, debug, info, warn, error, fatal or silent (default: info)',
    ),
    option('--admin-port <port>', 'port for metrics, readiness and the log level (default: off)'),
    option('--admin-host <address>', 'address of the admin port (default: 127.0.0.1)'),
    option(
      '--otlp-endpoint <url>',
      'send traces to this OpenTelemetry collector, e.g. http://127.0.0.1:4318 (default: off)',
    ),
    option('--state <url>', 'Redis or Valkey that replicas share, e.g. redis://127.0.0.1:6379 (default: off)'),
  ]),
  ...underHeading('Limits and shutdown:', [
    option('--max-body <bytes>', 'largest message accepted (default: 1048576)'),
    option('--max-connections <n>', 'TCP connections at once (default: 100)'),
    option('--max-http-connections <n>', 'HTTP connections at once (default: 10000)'),
    option('--keep-alive <seconds>', 'close HTTP connections after this idle time (default: 620)'),
    option('--idle-seconds <n>', 'close TCP connections after this idle time (default: 300)'),
    option('--drain <seconds>', 'after SIGTERM, serve for this long while /readyz answers 503 (default: 5)'),
    option('--grace <seconds>', 'then wait at most this long for calls in progress (default: 10)'),
  ]),
];

type Argument = readonly [name: string, description: string];

interface CommandSpec {
  readonly name: string;
  /** Its heading in `landbridge --help`. */
  readonly group: string;
  readonly description: string;
  readonly arguments: readonly Argument[];
  readonly options: readonly Option[];
  /** Examples and the like, below the flags; at most 80 columns wide. */
  readonly help?: string;
  /** What stands on the command line, in order, the flags last. */
  // biome-ignore lint/suspicious/noExplicitAny: commander hands over what its argument declarations say
  readonly run: (...values: any[]) => Promise<void>;
}

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
    run: async (files, flags) => (await import('./serve/serve.ts')).runServe(files, flags),
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
      baseUrl(),
      refsRoot(),
      header(),
      ...envFile(),
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
    run: async (document, flags) => (await import('./import/import.ts')).runImport(document, flags),
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
    run: async (client, files, flags) => (await import('./install/install.ts')).runInstall(client, files, flags),
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
  landbridge tools --url http://127.0.0.1:3333/mcp`,
    run: async (files, flags) => (await import('./tools.ts')).runTools(files, flags),
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
    run: async (words, flags) => (await import('./call/call.ts')).runCall(words, flags),
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
    run: async (words, flags) => (await import('./explain.ts')).runExplain(words, flags),
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
    run: async (files, flags) => (await import('./doctor/doctor.ts')).runDoctor(files, flags),
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
    run: async (kind) => (await import('./schema.ts')).runSchema(kind),
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
    run: async (action, name, flags) => (await import('./key/key.ts')).runKey(action, name, flags),
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
    run: async (files, flags) => (await import('./print-config.ts')).runConfig(files, flags),
  },
  {
    name: 'health',
    group: OPERATE,
    description: 'Ask a running gateway whether it accepts calls; exits with 1 if not, for containers and scripts.',
    arguments: [],
    options: [
      option('--url <url>', 'gateway to ask, e.g. https://mcp.example.com/mcp (default: the one of these settings)'),
      option('-p, --port <port>', 'its HTTP port, if a flag changed it (default: the one of these settings)'),
      option('--live', 'ask only whether it is alive; a gateway that drains or cannot record calls is alive'),
      configFile(),
      ...envFile(),
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
    run: async (flags) => (await import('./remote/health.ts')).runHealth(flags),
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
      configFile(),
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
    run: async (action, files, flags) => (await import('./audit/audit.ts')).runAudit(action, files, flags),
  },
];

export function addCommands(program: Command): void {
  for (const { name, group, description, arguments: args, options, help: more = '', run } of COMMANDS) {
    const command = program.command(name).helpGroup(group).description(description);
    for (const [argument, about] of args) command.argument(argument, about);
    for (const flag of options) command.addOption(flag);
    const output = options.find(({ long }) => long === '--json')?.helpGroupHeading;
    const help = option('-h, --help', 'show this help');
    command.addHelpOption(output === undefined ? help : help.helpGroup(output));
    if (more !== '') command.addHelpText('after', more);
    command.action(run);
  }
}
