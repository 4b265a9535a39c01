// The command line, run. Exit codes: 0 fine, 1 it failed, 2 the command line is wrong.
import { Command, CommanderError } from 'commander';
import { GatewayError } from '../errors.ts';
import { PRODUCT } from '../product.ts';
import { addCommands } from './commands.ts';
import { errorColours as pc } from './terminal/palette.ts';

const { version, description } = PRODUCT;

const HELP = `
"landbridge <command> --help" lists the flags of a command and shows examples.

Examples:
  # Serve an OpenAPI document at http://127.0.0.1:3333/mcp
  landbridge serve ./openapi.yaml
  # See the tools that a model gets, and call one
  landbridge tools ./openapi.yaml
  landbridge call ./openapi.yaml get_pet petId=7
  # Let an MCP client start the gateway
  landbridge install claude-code ./openapi.yaml`;

const program = new Command('landbridge')
  .description(description)
  .version(version, '-V, --version', 'print the version')
  .helpOption('-h, --help', 'show this help')
  .addHelpCommand(
    new Command('help')
      .argument('[command]')
      .description('Show the help of a command.')
      .helpOption(false)
      .helpGroup('Help:'),
  )
  .addHelpText('after', HELP)
  // Without "[options]" on each line, the descriptions have room.
  .configureHelp({ subcommandTerm: (one) => `${one.name()} ${one.usage().replace(/^\[options\] ?/, '')}`.trim() })
  .showHelpAfterError('(--help lists the commands and flags)')
  .configureOutput({ outputError: (text, write) => write(pc.red(text)) })
  .exitOverride();
addCommands(program);

// A reader such as `head` may close the pipe early: that is no error.
process.stdout.on('error', (error: NodeJS.ErrnoException) => process.exit(error.code === 'EPIPE' ? 0 : 1));

try {
  await program.parseAsync();
} catch (error) {
  if (error instanceof CommanderError) process.exit(error.exitCode === 0 ? 0 : 2);
  if (!(error instanceof GatewayError)) throw error;
  const { problems } = error.details;
  // Over stdio the client reads what is printed.
  if (process.argv.includes('--json') && !process.argv.includes('--stdio'))
    process.stdout.write(
      `${JSON.stringify({ error: { code: error.code, ...(problems === undefined ? { message: error.message } : { problems }) } })}\n`,
    );
  process.stderr.write(`${pc.red('landbridge:')} ${error.message}\n`);
  process.exit(error.details.usage ? 2 : 1);
}
