// The command line at a glance: every command, its flags and its help. What a command does is loaded when it runs, so
// that help and mistakes are answered at once.
import { type Command, Option } from 'commander';

const repeat = (value: string, before: string[] | undefined) => [...(before ?? []), value];
const repeatable = (flags: string, description: string) =>
  new Option(flags, `${description}; may be repeated`).argParser(repeat);

const json = () => new Option('--json', 'print JSON for scripts');
const exposure = () => new Option('--exposure <mode>', 'tools, grouped, search or auto (default: auto)');
const tokenBudget = () =>
  new Option('--token-budget <tokens>', 'what tools/list may cost before auto takes a smaller mode (default: 10000)');
const readOnly = () => new Option('--read-only', 'refuse everything that is not a read');
const guard = () => new Option('--guard <policy>', 'destructive calls: allow, confirm or deny (default: confirm)');

const refsRoot = () =>
  new Option('--refs-root <folder>', 'also let $refs of documents reach files below this folder (default: their own)');

const FILES =
  'OpenAPI documents (file, http(s) URL, or - for stdin), domain files or folders (default: ./domains, else the bundled samples)';

/** The flags that say what to load. */
function withSource(command: Command): Command {
  return command
    .addOption(repeatable('--domains <path>', 'folder of domain files, a domain file or an OpenAPI document'))
    .option('--base-url <url>', 'where the API is, instead of what the document says')
    .addOption(refsRoot())
    .addOption(repeatable('--header <header>', `sent with every request, e.g. 'Authorization: Bearer \${TOKEN}'`))
    .addOption(repeatable('--env-file <file>', 'read variables from a file'));
}

export function addCommands(program: Command): void {
  withSource(
    program
      .command('serve')
      .description('Serve APIs as MCP tools over HTTP, stdio and raw TCP.')
      .argument('[files...]', FILES),
  )
    .option('--host <address>', 'address to listen on (default: 127.0.0.1; HOST)')
    .option('-p, --port <port>', 'HTTP port, 0 picks one (default: 3333; PORT)')
    .option('--stdio', 'speak MCP on stdin and stdout (without HTTP, unless --port is given too)')
    .option('--tcp <port>', 'also listen for raw TCP, 0 picks a port')
    .option('--no-http', 'no HTTP')
    .addOption(exposure())
    .addOption(tokenBudget())
    .addOption(readOnly())
    .addOption(guard())
    .option(
      '--profiles <file>',
      'named subsets of the tools, each at /mcp/<name> (default: ./profiles.yaml where there is one)',
    )
    .option('--profile <name>', 'serve this profile on stdio and TCP')
    .option('--log-level <level>', 'trace, debug, info, warn, error, fatal or silent (default: info; LOG_LEVEL)')
    .addOption(repeatable('--allowed-host <name>', 'Host header to accept besides localhost'))
    .addOption(repeatable('--allowed-origin <origin>', 'web origin that may call, e.g. https://app.example'))
    .option('--allow-unauthenticated', 'listen beyond this machine without authentication in front')
    .option('--max-body <bytes>', 'largest message accepted (default: 1048576)')
    .option('--max-connections <n>', 'TCP connections at once (default: 100)')
    .option('--idle-seconds <n>', 'close TCP connections idle for this long (default: 300)')
    .option('--grace <seconds>', 'time for calls under way to finish on shutdown (default: 10)')
    .addOption(json())
    .addHelpText(
      'after',
      `
Examples:
  landbridge serve                                     the bundled samples on http://127.0.0.1:3333/mcp
  landbridge serve ./openapi.yaml                      any OpenAPI document
  landbridge serve https://api.example.com/openapi.json --header 'Authorization: Bearer \${TOKEN}'
  landbridge serve --stdio ./openapi.yaml              for clients that start their servers themselves
  landbridge serve ./domains --tcp 4444 --read-only    a folder of domain files, HTTP and TCP, reads only`,
    )
    .action(async (files, flags) => (await import('./serve.ts')).runServe(files, flags));

  withSource(
    program
      .command('tools')
      .description('List the tools, what they call, and what tools/list costs.')
      .argument('[files...]', FILES),
  )
    .addOption(exposure())
    .addOption(tokenBudget())
    .addOption(json())
    .addHelpText(
      'after',
      `
Examples:
  landbridge tools ./openapi.yaml                           a table, and what each exposure mode would cost
  landbridge tools ./openapi.yaml --exposure tools --json   every operation, for scripts`,
    )
    .action(async (files, flags) => (await import('./tools.ts')).runTools(files, flags));

  withSource(
    program
      .command('call')
      .description('Call one tool and print its answer.')
      .argument('<tool>', 'name, as "landbridge tools --exposure tools" lists it')
      .argument('[pairs...]', 'arguments as key=value; lists and objects as JSON, e.g. tags=\'["a","b"]\''),
  )
    .option('--args <json>', 'arguments as a JSON object')
    .option('-y, --yes', 'say yes when a destructive call asks')
    .addOption(readOnly())
    .addOption(guard())
    .addOption(json())
    .addHelpText(
      'after',
      `
Examples:
  landbridge call tasks_list_tasks status=todo
  landbridge call tasks_create_task --args '{"title":"Write the docs"}'
  landbridge call get_pet_by_id petId=7 --domains ./petstore.yaml

Exit codes: 0 the call succeeded, 1 it failed, 2 the command line is wrong.`,
    )
    .action(async (tool, pairs, flags) => (await import('./call.ts')).runCall(tool, pairs, flags));

  program
    .command('import')
    .description('Write an OpenAPI document to openapi/ and a commented domain file to domains/, ready to curate.')
    .argument('<document>', 'file, http(s) URL, or - for stdin')
    .option('--name <name>', 'name of the domain (default: from the document’s title)')
    .option('--out <folder>', 'where to write (default: here)')
    .option('--force', 'overwrite what is there')
    .option('--base-url <url>', 'where the API is, instead of what the document says')
    .addOption(refsRoot())
    .addOption(
      repeatable(
        '--header <header>',
        'sent with every request, and when the document is fetched from the origin of --base-url',
      ),
    )
    .addOption(repeatable('--env-file <file>', 'read variables from a file'))
    .addHelpText(
      'after',
      `
Examples:
  landbridge import ./petstore.yaml
  landbridge import https://api.example.com/openapi.json --name shop`,
    )
    .action(async (document, flags) => (await import('./import.ts')).runImport(document, flags));

  withSource(
    program
      .command('doctor')
      .description('Check that a catalog is fit for models and clients; exits 1 when it is not, for CI.')
      .argument('[files...]', FILES),
  )
    .addOption(exposure())
    .addOption(tokenBudget())
    .addOption(repeatable('--client <name>', 'claude, openai, gemini, vscode or cursor (default: all)'))
    .option('--online', 'also try to reach every base URL')
    .option('--strict', 'warnings fail as well')
    .addOption(readOnly())
    .addOption(guard())
    .addOption(json())
    .action(async (files, flags) => (await import('./doctor.ts')).runDoctor(files, flags));

  withSource(
    program
      .command('explain')
      .description('Show where a tool’s name, texts, arguments, defaults and credentials came from.')
      .argument('<tool>', 'name, as "landbridge tools --exposure tools" lists it')
      .argument('[files...]', FILES),
  )
    .addOption(readOnly())
    .addOption(guard())
    .addOption(json())
    .action(async (tool, files, flags) => (await import('./explain.ts')).runExplain(tool, files, flags));
}
