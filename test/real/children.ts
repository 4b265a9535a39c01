// The programs that a run starts: each says where it listens, all are ended with the run.
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { type AddressInfo, createServer } from 'node:net';
import { promisify } from 'node:util';

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
const ADDRESS = /(?:listening on|running on|started at) (http:\/\/[\w.:]+)/i;
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
      if (address !== null) resolve(address[1]!);
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

/** For programs that take no 0 for a port. */
export async function findFreePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}

/** One that does its work and ends. */
export async function runProgram({ command, args, cwd, env }: Program): Promise<void> {
  const options = { cwd, env: { PATH: process.env.PATH, HOME: process.env.HOME, ...env }, timeout: START_MS };
  await promisify(execFile)(command, args, options);
}

/** For a run that is interrupted. */
export function killChildren(): void {
  for (const child of children) child.kill('SIGKILL');
}
