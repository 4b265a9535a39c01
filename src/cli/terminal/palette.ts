// The colours of what commands print. They are decided when one is first used: a program that has the gateway as a library loads
// this file too, and may print nothing.
import { type Colours, coloursFor } from '../../colours.ts';
import type { Io } from '../io.ts';

type Terminal = Pick<Io, 'stdout' | 'stderr' | 'env'>;

let terminal: Terminal = process;
const palettes: { stdout?: Colours; stderr?: Colours } = {};

/** Called once for each command line, before anything is printed. */
export function useColoursFor(next: Terminal): void {
  terminal = next;
  delete palettes.stdout;
  delete palettes.stderr;
}

/** For stdout. */
export const colours = onFirstUse('stdout');

/** For stderr, which may be a terminal where stdout is none, or the other way round. */
export const errorColours = onFirstUse('stderr');

function onFirstUse(stream: 'stdout' | 'stderr'): Colours {
  return new Proxy({} as Colours, {
    get(_, name: keyof Colours) {
      palettes[stream] ??= coloursFor(terminal[stream], terminal.env);
      return palettes[stream][name];
    },
  });
}
