// A question to the person at the terminal that is answered with yes or no.
import { createInterface } from 'node:readline/promises';

export function isPersonThere(): boolean {
  return process.stdin.isTTY && process.stdout.isTTY;
}

/** Anything but a yes is a no. */
export async function askPerson(question: string, output: NodeJS.WritableStream = process.stdout): Promise<boolean> {
  const terminal = createInterface({ input: process.stdin, output });
  try {
    return /^y(es)?$/i.test((await terminal.question(`${question} [y/N] `)).trim());
  } finally {
    terminal.close();
  }
}

/** Asked before a file is written. */
export function askToWrite(): Promise<boolean> {
  return askPerson('Write this?');
}
