// docs/cli.md: every command with its arguments, flags and examples, in the words of its help.
import { Command, type Option } from 'commander';
import { groupBy } from '../src/catalog/maps.ts';
import { addCommands } from '../src/cli/commands.ts';
import { GENERATED } from './editors-section.ts';
import { toRow } from './reference-page.ts';

const INTRO = `# Command line

${GENERATED}

\`landbridge <command> --help\` prints the same text in the terminal. [Install](guides/install.md) tells you how to get the command
\`landbridge\`.

- Flags, environment variables and the settings file set the same things. [settings.md](settings.md) has all names of each setting.
- Answers go to stdout. Messages for people go to stderr.
- \`--json\` prints JSON for scripts. An error is \`{"error": {"code", "message"}}\`; [errors.md](errors.md) lists the codes.
- A flag that is marked "repeatable" can be given several times.

| exit code | meaning |
| --- | --- |
| 0 | The command succeeded. |
| 1 | The command failed, or it found a problem. |
| 2 | The command line or a setting is wrong. |`;

export function renderCliPage(): string {
  const program = new Command('landbridge');
  addCommands(program);
  const index = program.commands.map((command) =>
    toRow([`[landbridge ${command.name()}](#landbridge-${command.name()})`, command.description()]),
  );
  const table = [toRow(['command', 'what it does']), toRow(['---', '---']), ...index].join('\n');
  return `${[INTRO, table, ...program.commands.map(renderCommand)].join('\n\n')}\n`;
}

function renderCommand(command: Command): string {
  const parameters = command.registeredArguments.map((one) => {
    const word = `${one.name()}${one.variadic ? '...' : ''}`;
    return [`\`${one.required ? `<${word}>` : `[${word}]`}\``, inCell(one.description)];
  });
  const groups = groupBy(
    command.options.filter(({ hidden }) => !hidden),
    ({ helpGroupHeading = 'Options:' }) => [helpGroupHeading.replace(/:$/, '')],
  );
  return [
    `## landbridge ${command.name()}`,
    command.description(),
    `\`\`\`\nlandbridge ${command.name()} ${command.usage()}\n\`\`\``,
    ...(parameters.length === 0
      ? []
      : [[['argument', 'what it is'], ['---', '---'], ...parameters].map(toRow).join('\n')]),
    ...[...groups].map(([title, options]) => renderOptions(title, options, groups.size)),
    ...helpAfter(command),
  ].join('\n\n');
}

function renderOptions(title: string, options: readonly Option[], count: number): string {
  const rows = options.map(({ flags, description }) => {
    const [, what = description, fallback = ''] =
      /^(.*?) \(default: (.*)\)(?: \(repeatable\))?$/s.exec(description) ?? [];
    const isRepeatable = description.endsWith('(repeatable)') && !what.endsWith('(repeatable)');
    return [`\`${flags}\``, inCell(fallback), inCell(isRepeatable ? `${what} (repeatable)` : what)];
  });
  const head = [count > 1 ? title : 'flag', 'default', 'what it does'];
  return [head, head.map(() => '---'), ...rows].map(toRow).join('\n');
}

/** Examples and exit codes, as the help has them below the flags. */
function helpAfter(command: Command): string[] {
  let text = '';
  // The event that commander emits when it prints the help; its types leave it out.
  const listeners = command as unknown as { emit(event: string, context: object): void };
  listeners.emit('afterHelp', { error: false, command, write: (part: string) => (text += part) });
  const help = text.trim();
  return help === '' ? [] : [`\`\`\`\n${help}\n\`\`\``];
}

/** `<name>` is not HTML. */
function inCell(text: string): string {
  return text.replaceAll('<', '&lt;');
}
