// The programs that a run starts: each says where it listens, all are ended with the run.
import { type ChildProcess, spawn } from 'node:child_process';

export interface Program {
  readonly command: string;
  readonly args: readonly string[];
  readonly cwd?: string;
  readonly env?: Readonly<Record<string, string>>;
}

export interface Listening {
  /** Without a slash at its end. */
  readonly url: string;
  /** Everything it has written so far. */
  readonly output: () => string;
  stop(): Promise<void>;
}

const START_MS = 120_000;
const MAX_OUTPUT_CHARS = 200_000;
const ADDRESS = /listening on (http:\/\/[\w.[\]:]+)|running on (http:\/\/[\w.:]+)/i;
const children = new Set<ChildProcess>();

export async function startProgram({ command, args, cwd, env }: Program): Promise<Listening> {
  const child = spawn(command, args, {
    ...(cwd !== undefined && { cwd }),
    env: { PATH: process.env.PATH, HOME: process.env.HOME, NO_COLOR: '1', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  children.add(child);
  let output = '';
  let wake = () => {};
  const collect = (chunk: Buffer) => {
    output = (output + chunk.toString()).slice(-MAX_OUTPUT_CHARS);
    wake();
  };
  child.stdout.on('data', collect);
  child.stderr.on('data', collect);
  const ended = new Promise<void>((resolve) => {
    child.once('error', (error) => collect(Buffer.from(`${error.message}\n`)));
    child.once('close', () => {
      children.delete(child);
      resolve();
      wake();
    });
  });
  const url = await new Promise<string>((resolve, reject) => {
    const timer = setTimeout(() => {
      child.kill('SIGKILL');
      reject(new Error(`${command} did not listen within ${START_MS / 1000} seconds:\n${output}`));
    }, START_MS);
    wake = () => {
      const address = ADDRESS.exec(output);
      if (address === null && children.has(child)) return;
      clearTimeout(timer);
      wake = () => {};
      if (address !== null) resolve((address[1] ?? address[2])!);
      else reject(new Error(`${command} ${args.join(' ')} ended:\n${output}`));
    };
  });
  return {
    url,
    output: () => output,
    stop: async () => {
      child.kill('SIGTERM');
      const timer = setTimeout(() => child.kill('SIGKILL'), 3_000);
      await ended;
      clearTimeout(timer);
    },
  };
}

/** For a run that is interrupted. */
export function killChildren(): void {
  for (const child of children) child.kill('SIGKILL');
}
