// The one question that is asked before a file is written.
import { createInterface } from 'node:readline/promises';

export function isPersonThere(): boolean {
  return process.stdin.isTTY && process.stdout.isTTY;
}

export async function askToWrite(): Promise<boolean> {
  const terminal = createInterface({ input: process.stdin, output: process.stdout });
  try {
    return /^y(es)?$/i.test((await terminal.question('Write this? [y/N] ')).trim());
  } finally {
    terminal.close();
  }
}
