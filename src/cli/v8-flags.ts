// Flags of V8 that the program sets for itself. They belong to the whole process: this is for our own program, not for one that has the
// gateway as a library.
import { setFlagsFromString } from 'node:v8';

/** What a flag is set in. */
export interface Host {
  readonly nodeVersion: string;
  readonly execArgv: readonly string[];
  readonly setFlags: (flags: string) => void;
}

export const THIS_PROCESS: Host = {
  nodeVersion: process.versions.node,
  execArgv: process.execArgv,
  setFlags: setFlagsFromString,
};

/**
 * What the operator says of the flag is left alone. Call it when all is loaded: V8 takes no compiled code that was kept under other
 * flags, neither that of Node's own modules (for a small document a start took 25 ms of processor time more) nor ours.
 */
export function setFlag(name: string, value: number, { execArgv, setFlags }: Host): void {
  const option = `--${name}`;
  const isSaid = execArgv.some((argument) => argument.replaceAll('_', '-').split('=')[0] === option);
  if (!isSaid) setFlags(`${option}=${value}`);
}
