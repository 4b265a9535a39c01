// What a command reads and writes. The program passes the process, tests pass texts. Relative paths are those of the process.
import type { Environment } from '../endpoint/environment.ts';

export interface Input extends NodeJS.ReadableStream {
  readonly isTTY?: boolean;
}

export interface Output extends NodeJS.WritableStream {
  readonly isTTY?: boolean;
  readonly columns?: number;
  readonly rows?: number;
}

export interface Io {
  readonly stdin: Input;
  readonly stdout: Output;
  readonly stderr: Output;
  readonly env: Environment;
  /** The file that started the program. Printed commands start it again. */
  readonly script: string;
}

/** The streams are getters: the first access to `process.stdin` opens it. */
export const PROCESS_IO: Io = {
  get stdin() {
    return process.stdin;
  },
  get stdout() {
    return process.stdout;
  },
  get stderr() {
    return process.stderr;
  },
  get env() {
    return process.env;
  },
  get script() {
    return process.argv[1] ?? '';
  },
};
