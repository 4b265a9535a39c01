// Shell blocks as commands: continued lines joined, comments dropped, `a && b` taken apart, words unquoted.

/** The words of every command of a block, in order. */
export function parseCommands(code: string): string[][] {
  return code
    .replaceAll(/\\\n/g, ' ')
    .split('\n')
    .flatMap((line) => splitCommands(splitWords(line)));
}

function splitWords(line: string): string[] {
  const words: string[] = [];
  for (const match of line.matchAll(/#.*$|(?:'[^']*'|"[^"]*"|[^\s'"#]|(?<=\S)#)+/g)) {
    if (match[0].startsWith('#')) break;
    words.push(match[0].replaceAll(/'([^']*)'|"([^"]*)"/g, (_, single, double) => single ?? double));
  }
  return words;
}

function splitCommands(words: readonly string[]): string[][] {
  const commands: string[][] = [[]];
  for (const word of words) {
    if (word === '&&') commands.push([]);
    else commands.at(-1)!.push(word);
  }
  return commands.filter((command) => command.length > 0);
}

/** `npx landbridge x`, `landbridge x` and `node dist/cli/main.js x` are one program: what it is called with. */
export function toProgramArgs(command: readonly string[]): readonly string[] | undefined {
  const words = command[0] === 'npx' ? command.slice(1) : command;
  if (words[0] === 'landbridge') return words.slice(1);
  if (words[0] === 'node' && words[1] === 'dist/cli/main.js') return words.slice(2);
  return undefined;
}
