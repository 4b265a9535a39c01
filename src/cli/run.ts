// The program as a function: a command line in, an exit code out. 0: fine, 1: it failed, 2: the command line is wrong.
import { Command, CommanderError } from 'commander';
import { GatewayError } from '../errors.ts';
import { PRODUCT } from '../product.ts';
import { addCommands } from './commands.ts';
import { type Io, PROCESS_IO } from './io.ts';
import { errorColours as pc, useColoursFor } from './terminal/palette.ts';

export interface Exit {
  readonly code: number;
  /** A command that failed may leave timers and sockets behind, which must not keep the process running. */
  readonly atOnce: boolean;
}

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

/**
 * `argv`: without the program. `serve` resolves as soon as it listens; signals end it. Errors that are no GatewayError are bugs and
 * reject.
 */
export async function run(argv: readonly string[], io: Io = PROCESS_IO): Promise<Exit> {
  useColoursFor(io);
  let code = 0;
  const program = createProgram(io);
  addCommands(program, async (command, values) => {
    code = await command(io, ...values);
  });
  try {
    await program.parseAsync(argv, { from: 'user' });
    return { code, atOnce: false };
  } catch (error) {
    if (error instanceof CommanderError) return { code: error.exitCode === 0 ? 0 : 2, atOnce: true };
    if (!(error instanceof GatewayError)) throw error;
    // Over stdio the client reads what is printed.
    if (argv.includes('--json') && !argv.includes('--stdio')) io.stdout.write(`${JSON.stringify(toJson(error))}\n`);
    io.stderr.write(`${pc.red('landbridge:')} ${error.message}\n`);
    return { code: error.details.usage ? 2 : 1, atOnce: true };
  }
}

function createProgram({ stdout, stderr }: Io): Command {
  const widthOf = ({ isTTY, columns }: Io['stdout']) => (isTTY ? columns : undefined) as number;
  return (
    new Command('landbridge')
      .description(PRODUCT.description)
      .version(PRODUCT.version, '-V, --version', 'print the version')
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
      .configureOutput({
        writeOut: (text) => void stdout.write(text),
        writeErr: (text) => void stderr.write(text),
        getOutHelpWidth: () => widthOf(stdout),
        getErrHelpWidth: () => widthOf(stderr),
        outputError: (text, write) => write(pc.red(text)),
      })
      .exitOverride()
  );
}

function toJson({ code, message, details }: GatewayError): object {
  return { error: { code, ...(details.problems === undefined ? { message } : { problems: details.problems }) } };
}
