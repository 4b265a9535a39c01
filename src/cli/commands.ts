// The command line at a glance: every command, its flags and its help. What a command does is loaded when it runs, so
// that help and mistakes are answered at once.
import { type Command, Option } from 'commander';

const option = (flags: string, description: string) => new Option(flags, description);
const repeatable = (flags: string, description: string) =>
  option(flags, `${description}; may be repeated`).argParser((value: string, before: string[] | undefined) => [
    ...(before ?? []),
    value,
  ]);

const json = option('--json', 'print JSON for scripts');
const verbose = option('--verbose', 'list every file, warning and reason, and not the first few of each kind');
const baseUrl = option('--base-url <url>', 'where the API is, instead of what the document says');
/** Node.js itself interprets --env-file anywhere on the command line, and exits with its own message if the file is missing. */
const envFile = [
  repeatable('--dotenv <file>', 'read variables from a file, as .env files have them'),
  repeatable('--env-file <file>', 'the same').hideHelp(),
];
const refsRoot = option(
  '--refs-root <folder>',
  'also let $refs of documents reach files below this folder (default: their own)',
);
const exposure = [
  option('--exposure <mode>', 'tools, grouped, search or auto (default: auto)'),
  option('--token-budget <tokens>', 'what tools/list may cost before auto takes a smaller mode (default: 10000)'),
];
const guards = [
  option('--read-only', 'refuse everything that is not a read'),
  option('--guard <policy>', 'destructive calls: allow, confirm or deny (default: confirm)'),
  option('--confirm <way>', 'what counts as a yes to them: ask (the user), token, or either (default: either)'),
];
/** The flags that say what to load. */
const source = [
  option(
    '--config <file>',
    'settings of a deployment (default: ./landbridge.yaml where there is one; LANDBRIDGE_CONFIG)',
  ),
  repeatable('--domains <path>', 'folder of domain files, a domain file or an OpenAPI document'),
  baseUrl,
  refsRoot,
  repeatable(
    '--header <header>',
    `sent when a document is fetched and with every request, e.g. 'Authorization: Bearer \${TOKEN}'`,
  ),
  ...envFile,
];

const FILES: Argument = [
  '[files...]',
  'OpenAPI documents (file, http(s) URL, or - for stdin), domain files or folders (default: ./domains, else the bundled samples)',
];
const TOOL =
  'the tool, as "landbridge tools --exposure tools" lists it, and before or after it the files, as for serve';

const profile = [
  option('--profile <name>', 'only what this profile serves'),
  option('--profiles <file>', 'where profiles are declared (default: ./profiles.yaml where there is one)'),
];
const url = option('--url <url>', 'ask a running gateway, e.g. http://127.0.0.1:3333/mcp; --header is sent to it');

/** Everything that `serve` takes of a deployment. */
const deployment = [
  ...source,
  option('--host <address>', 'address to listen on (default: 127.0.0.1; HOST)'),
  option('-p, --port <port>', 'HTTP port, 0 picks one (default: 3333; PORT)'),
  option('--stdio', 'speak MCP on stdin and stdout (without HTTP, unless --port is given too)'),
  option('--tcp <port>', 'also listen for raw TCP, 0 picks a port'),
  option('--no-http', 'no HTTP'),
  option('--workers <n>', 'processes that serve, on the same ports; auto: one for each core (default: 1)'),
  ...exposure,
  ...guards,
  option(
    '--profiles <file>',
    'named subsets of the tools, each at /mcp/<name> (default: ./profiles.yaml where there is one)',
  ),
  option('--profile <name>', 'serve this profile on stdio and TCP'),
  option('--log-level <level>', 'trace, debug, info, warn, error, fatal or silent (default: info; LOG_LEVEL)'),
  repeatable('--allowed-host <name>', 'Host header to accept besides localhost'),
  repeatable('--allowed-origin <origin>', 'web origin that may call, e.g. https://app.example'),
  option('--public-url <url>', 'where clients reach this gateway, e.g. https://mcp.example.com'),
  option('--base-path <path>', 'what a proxy leaves before /mcp, e.g. /tools (default: the path of --public-url)'),
  repeatable('--trusted-proxy <range>', 'proxy whose Forwarded and X-Forwarded-* headers are believed'),
  option('--state <url>', 'Redis or Valkey that replicas share, e.g. redis://127.0.0.1:6379'),
  option(
    '--api-keys <file>',
    'who may call: name=key or name=<its SHA-256> per line (LANDBRIDGE_API_KEYS_FILE; LANDBRIDGE_API_KEYS holds them itself)',
  ),
  option('--tls-cert <file>', 'certificate of HTTP and TCP, PEM (LANDBRIDGE_TLS_CERT)'),
  option('--tls-key <file>', 'its private key, PEM (LANDBRIDGE_TLS_KEY)'),
  option('--tls-client-ca <file>', 'who signs client certificates, PEM (LANDBRIDGE_TLS_CLIENT_CA)'),
  option('--admin-port <port>', 'listener for metrics, readiness and the log level (LANDBRIDGE_ADMIN_PORT)'),
  option('--admin-host <address>', 'its address (default: 127.0.0.1; LANDBRIDGE_ADMIN_HOST)'),
  option(
    '--otlp-endpoint <url>',
    'send traces to this OpenTelemetry collector, e.g. http://127.0.0.1:4318 (OTEL_EXPORTER_OTLP_ENDPOINT)',
  ),
  option('--allow-unauthenticated', 'listen beyond this machine without authentication in front'),
  option('--max-body <bytes>', 'largest message accepted (default: 1048576)'),
  option('--max-connections <n>', 'TCP connections at once (default: 100)'),
  option('--max-http-connections <n>', 'HTTP connections at once (default: 10000)'),
  option('--keep-alive <seconds>', 'close HTTP connections idle for this long (default: 620)'),
  option('--idle-seconds <n>', 'close TCP connections idle for this long (default: 300)'),
  option('--drain <seconds>', 'go on serving for this long after SIGTERM, while /readyz says 503 (default: 5)'),
  option('--grace <seconds>', 'time for calls under way to finish on shutdown (default: 10)'),
];

type Argument = readonly [name: string, description: string];

interface CommandSpec {
  readonly name: string;
  readonly description: string;
  readonly arguments: readonly Argument[];
  readonly options: readonly Option[];
  /** Examples and the like, below the flags. */
  readonly help?: string;
  /** What stands on the command line, in order, the flags last. */
  // biome-ignore lint/suspicious/noExplicitAny: commander hands over what its argument declarations say
  readonly run: (...values: any[]) => Promise<void>;
}

const COMMANDS: readonly CommandSpec[] = [
  {
    name: 'serve',
    description: 'Serve APIs as MCP tools over HTTP, stdio and raw TCP.',
    arguments: [FILES],
    options: [...deployment, verbose, json],
    help: `
Examples:
  landbridge serve                                     the bundled samples on http://127.0.0.1:3333/mcp
  landbridge serve ./openapi.yaml                      any OpenAPI document
  landbridge serve https://api.example.com/openapi.json --header 'Authorization: Bearer \${TOKEN}'
  landbridge serve --stdio ./openapi.yaml              for clients that start their servers themselves
  landbridge serve ./domains --tcp 4444 --read-only    a folder of domain files, HTTP and TCP, reads only`,
    run: async (files, flags) => (await import('./serve/serve.ts')).runServe(files, flags),
  },
  {
    name: 'tools',
    description: 'List the tools, what they call, and what tools/list costs.',
    arguments: [FILES],
    options: [
      ...source,
      ...exposure,
      ...profile,
      url,
      option('--limits', 'instead: how much callers may call and APIs are called, and every other bound'),
      json,
    ],
    help: `
Examples:
  landbridge tools ./openapi.yaml                           a table, and what each exposure mode would cost
  landbridge tools ./openapi.yaml --exposure tools --json   every operation, for scripts
  landbridge tools --url http://127.0.0.1:3333/mcp          what a running gateway serves`,
    run: async (files, flags) => (await import('./tools.ts')).runTools(files, flags),
  },
  {
    name: 'call',
    description: 'Call one tool and print its answer.',
    arguments: [
      [
        '[words...]',
        `${TOOL}; arguments as key=value, lists and objects as JSON: tags='["a","b"]', a file to upload as key=@path`,
      ],
    ],
    options: [
      ...source,
      option('--args <json>', 'arguments as a JSON object'),
      option('-o, --output <file>', 'write the answer to a file, byte by byte as the API sent it (- for stdout)'),
      option('-y, --yes', 'say yes when a destructive call asks'),
      ...guards,
      ...profile,
      url,
      json,
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
Exit codes: 0 the call succeeded, 1 it failed, 2 the command line is wrong.`,
    run: async (words, flags) => (await import('./call/call.ts')).runCall(words, flags),
  },
  {
    name: 'import',
    description: 'Write an OpenAPI document to openapi/ and a commented domain file to domains/, ready to curate.',
    arguments: [
      ['[document]', 'file, http(s) URL of a document or its page, or - for stdin; with --update also a domain file'],
    ],
    options: [
      option('--name <name>', 'name of the domain (default: from the document’s title)'),
      option('--out <folder>', 'where to write (default: here)'),
      option('--update', 'a new version of the document, the domain file as it is; says what came, went and changed'),
      option('--force', 'overwrite what is there, after a backup'),
      baseUrl,
      refsRoot,
      repeatable(
        '--header <header>',
        `sent when the document is fetched and with every request, e.g. 'Authorization: Bearer \${TOKEN}'`,
      ),
      ...envFile,
      verbose,
      json,
    ],
    help: `
Examples:
  landbridge import ./petstore.yaml
  landbridge import https://api.example.com/openapi.json --name shop --header 'Authorization: Bearer \${TOKEN}'
  landbridge import --update --name shop               from where it was imported; your domain file is not changed
  landbridge import --update ./petstore-2.yaml

Exit codes: 0 imported, 1 it failed, or the domain file has lines that the new version has no place for.`,
    run: async (document, flags) => (await import('./import/import.ts')).runImport(document, flags),
  },
  {
    name: 'install',
    description: 'Write this gateway into the configuration of an MCP client; shows the change first.',
    arguments: [['<client>', 'claude-code, claude-desktop, cursor, vscode, codex or gemini'], FILES],
    options: [
      ...source,
      ...exposure,
      ...guards,
      ...profile,
      option('--url <url>', 'connect to a running gateway instead of starting one; --header is sent to it'),
      option('--scope <scope>', 'user or project (default: user)'),
      option('--name <name>', 'what the client calls it (default: landbridge)'),
      option('--with-values', 'write the present values of the variables, and not their names'),
      option('--uninstall', 'take it out again'),
      option('-y, --yes', 'write without asking'),
    ],
    help: `
Examples:
  landbridge install claude-code ./openapi.yaml
  landbridge install cursor ./domains --scope project --yes
  landbridge install vscode --url http://127.0.0.1:3333/mcp
  landbridge install codex --uninstall

Exit codes: 0 it is written, or was there already; 1 it was only shown, or failed; 2 the command line is wrong.`,
    run: async (client, files, flags) => (await import('./install/install.ts')).runInstall(client, files, flags),
  },
  {
    name: 'key',
    description: 'Make an API key for a caller, and the line of landbridge.yaml that lets it in.',
    arguments: [
      ['<action>', 'new makes a key; hash reads one from stdin and prints its SHA-256'],
      ['[name]', 'who calls with it: logs, audit and limits know the caller as key:<name>'],
    ],
    options: [
      option('--profiles <names>', 'the profiles it may use, with commas; * for all and /mcp itself (default: *)'),
      option('--effects <effects>', 'what its calls may do: read, write, destructive, with commas (default: all)'),
      option('--expires <date>', 'from when on it is refused: a date, or a time with its zone'),
      json,
    ],
    help: `
Examples:
  landbridge key new ci                                             may do everything
  landbridge key new bot --profiles reader --effects read --expires 2099-01-01
  landbridge key hash                                               of a key that is there already, from stdin

The key is shown once and kept nowhere; landbridge.yaml holds its SHA-256:

  auth:
    keys:
      - { name: ci, sha256: "9f86d0…" }

or, without that file: LANDBRIDGE_API_KEYS=ci=9f86d0…,bot=… or --api-keys <file> with a line for each.
Callers send it as "Authorization: Bearer <key>" or "X-API-Key: <key>". To change a key, add a second one
of the same name, give it to the caller, and remove the first. Keys are read at start: restart the gateway
for a new key to be let in, and for one that was removed to be refused.`,
    run: async (action, name, flags) => (await import('./key/key.ts')).runKey(action, name, flags),
  },
  {
    name: 'doctor',
    description: 'Check that a catalog is fit for models and clients; exits 1 when it is not, for CI.',
    arguments: [FILES],
    options: [
      ...source,
      ...exposure,
      repeatable('--client <name>', 'claude, openai, gemini, vscode or cursor (default: all)'),
      option(
        '--online',
        'also reach every base URL and authorization server, call reads (at most 40, nothing else), and compare the answers with the document',
      ),
      option('--strict', 'warnings fail as well'),
      option('--fix', 'show what can be repaired, and write it into the domain files'),
      option('-y, --yes', 'write without asking at a terminal'),
      verbose,
      ...guards,
      ...profile,
      json,
    ],
    help: `
Examples:
  landbridge doctor ./openapi.yaml
  landbridge doctor ./domains --fix            shows a diff, asks at a terminal, writes
  landbridge doctor ./openapi.yaml --fix       makes <name>.domain.yaml beside the document

Exit codes: 0 fit, 1 an error was found (with --strict: or a warning), 2 the command line is wrong.
With --fix they tell of what is left.`,
    run: async (files, flags) => (await import('./doctor/doctor.ts')).runDoctor(files, flags),
  },
  {
    name: 'explain',
    description: 'Show where a tool’s name, texts, arguments, defaults and credentials came from.',
    arguments: [['[words...]', TOOL]],
    options: [...source, ...guards, ...profile, url, json],
    help: `
Examples:
  landbridge explain tasks_list_tasks
  landbridge explain ./petstore.yaml get_pet_by_id
  landbridge explain ./petstore.yaml 'GET /pet/{petId}'`,
    run: async (words, flags) => (await import('./explain.ts')).runExplain(words, flags),
  },
  {
    name: 'audit',
    description: 'Check audit files, or print the public key that they are checked with.',
    arguments: [
      ['<action>', 'verify or key'],
      [
        '[files...]',
        'audit files, with older ones of the same chain in any order; for key: the private key (default: as landbridge.yaml says)',
      ],
    ],
    options: [
      repeatable('--key <file>', 'public key (PEM) to check signatures with, and no other'),
      repeatable(
        '--head <seq:hash>',
        'a record that was noted elsewhere ("audit checkpoint" in the log) and must be there',
      ),
      option('--closed', 'the gateway has stopped: a file without its last signature is wrong'),
      option('--config <file>', 'settings of a deployment (default: ./landbridge.yaml where there is one)'),
      json,
    ],
    help: `
verify finds lines that were removed, changed, reordered or inserted, says where, and exits with 1. It cannot tell whether lines
behind the last signature were removed: --closed and --head can. docs/audit.md says what the records mean.

Examples:
  landbridge audit key > audit-public.pem              keep it where the gateway cannot write
  landbridge audit verify audit.jsonl --key audit-public.pem
  landbridge audit verify audit.jsonl* --key audit-public.pem --closed`,
    run: async (action, files, flags) => (await import('./audit/audit.ts')).runAudit(action, files, flags),
  },
  {
    name: 'config',
    description: 'Print the settings that count, and who said each: a flag, a variable, landbridge.yaml or nobody.',
    arguments: [FILES],
    options: [...deployment, json],
    help: `
Examples:
  landbridge config                            of landbridge.yaml in this folder, and the environment
  landbridge config --config deploy/landbridge.yaml --json

Secrets are hidden. What is wrong with the file is told with file, line, field and fix; exit code 1.`,
    run: async (files, flags) => (await import('./print-config.ts')).runConfig(files, flags),
  },
  {
    name: 'health',
    description: 'Ask a running gateway whether it takes calls; exits 1 when it does not, for containers and scripts.',
    arguments: [],
    options: [
      option(
        '--config <file>',
        'settings of a deployment, which say where it listens (default: ./landbridge.yaml where there is one; LANDBRIDGE_CONFIG)',
      ),
      ...envFile,
      option('-p, --port <port>', 'the HTTP port that it was started with, where a flag said so (PORT)'),
      option('--url <url>', 'ask another gateway, e.g. https://mcp.example.com/mcp'),
      option('--live', 'only whether it is alive: one that is draining or cannot record calls is'),
      json,
    ],
    help: `
Examples:
  landbridge health                                    the gateway of the settings in this folder: ready, or why not
  landbridge health --url http://127.0.0.1:3333
  landbridge health --live                             for a container engine, which ends what is not alive

Exit codes: 0 it is, 1 it is not or does not answer, 2 the command line is wrong.`,
    run: async (flags) => (await import('./remote/health.ts')).runHealth(flags),
  },
  {
    name: 'schema',
    description: 'Print the JSON Schema of domain files, profiles or landbridge.yaml, for editors.',
    arguments: [['[kind]', 'domain (default), profiles or config']],
    options: [],
    help: `
Examples:
  landbridge schema > domains/.domain.schema.json      then begin domain files with
                                                       # yaml-language-server: $schema=.domain.schema.json
  landbridge schema profiles > .profiles.schema.json
  landbridge schema config > .config.schema.json       for landbridge.yaml`,
    run: async (kind) => (await import('./schema.ts')).runSchema(kind),
  },
];

export function addCommands(program: Command): void {
  for (const { name, description, arguments: args, options, help = '', run } of COMMANDS) {
    const command = program.command(name).description(description);
    for (const [argument, about] of args) command.argument(argument, about);
    for (const flag of options) command.addOption(flag);
    if (help !== '') command.addHelpText('after', help);
    command.action(run);
  }
}
