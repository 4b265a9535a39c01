// The programs that a run starts: each says where it listens, all are ended with the run.
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { type AddressInfo, createServer } from 'node:net';

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
const groups = new WeakSet<ChildProcess>();

/** One more that is ended with the run; the leader of a group takes those it has started with it. */
export function track(child: ChildProcess, isGroup = false): void {
  children.add(child);
  if (isGroup) groups.add(child);
  child.once('close', () => children.delete(child));
}

export function kill(child: ChildProcess): void {
  try {
    if (groups.has(child) && child.pid !== undefined) process.kill(-child.pid, 'SIGKILL');
    else child.kill('SIGKILL');
  } catch {
    // It has ended in between.
  }
}

export async function startProgram({ command, args, cwd, env }: Program): Promise<Listening> {
  const child = spawn(command, args, {
    ...(cwd !== undefined && { cwd }),
    env: { PATH: process.env.PATH, HOME: process.env.HOME, NO_COLOR: '1', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  track(child);
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
  await new Promise<void>((resolve, reject) => {
    track(
      execFile(command, args, options, (error, stdout, stderr) =>
        error === null ? resolve() : reject(new Error(`${error.message}\n${stdout}${stderr}`)),
      ),
    );
  });
}

/** For a run that is interrupted. */
export function killChildren(): void {
  for (const child of children) kill(child);
}
