// A question to the person at the terminal that is answered with yes or no.
import { createInterface } from 'node:readline/promises';
import type { Io, Output } from '../io.ts';

export function isPersonThere({ stdin, stdout }: Io): boolean {
  return stdin.isTTY === true && stdout.isTTY === true;
}

/** Anything but a yes is a no. */
export async function askPerson({ stdin }: Io, question: string, output: Output): Promise<boolean> {
  const terminal = createInterface({ input: stdin, output });
  try {
    return /^y(es)?$/i.test((await terminal.question(`${question} [y/N] `)).trim());
  } finally {
    terminal.close();
  }
}

/** Asked before a file is written. */
export function askToWrite(io: Io): Promise<boolean> {
  return askPerson(io, 'Write this?', io.stdout);
}
