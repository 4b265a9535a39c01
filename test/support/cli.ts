// The built program, run as a user runs it.
import { type ChildProcess, type ChildProcessWithoutNullStreams, execFile, spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';

export const BIN = fileURLToPath(new URL('../../dist/cli/main.js', import.meta.url));

export interface Ran {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** A clean environment: what the machine happens to have set must not change a test. */
const ENV = { PATH: process.env.PATH, HOME: process.env.HOME, NO_COLOR: '1' };

export function run(
  args: readonly string[],
  options: { cwd?: string; env?: Record<string, string>; input?: string } = {},
): Promise<Ran> {
  return new Promise((resolve) => {
    const child = execFile(
      process.execPath,
      [BIN, ...args],
      { cwd: options.cwd, env: { ...ENV, ...options.env }, maxBuffer: 64 * 1024 * 1024 },
      (error, stdout, stderr) => resolve({ code: error ? Number(error.code ?? 1) : 0, stdout, stderr }),
    );
    // A program that ends before it has read everything closes the pipe; that is its right.
    child.stdin?.on('error', () => {});
    child.stdin?.end(options.input ?? '');
  });
}

export interface Served {
  readonly child: ChildProcessWithoutNullStreams;
  readonly http: string;
  readonly tcp: string;
  /** Everything on stderr so far. */
  readonly log: () => string;
  /** Sends the signal and waits for the end. */
  stop(signal?: NodeJS.Signals): Promise<number | null>;
}

/** `landbridge serve --json`, ready. */
export async function serve(
  args: readonly string[],
  options: {
    cwd?: string;
    env?: Record<string, string>;
    onSpawn?: (child: ChildProcess) => void;
    detached?: boolean;
  } = {},
): Promise<Served> {
  const child = spawn(process.execPath, [BIN, 'serve', '--json', '--port', '0', '--drain', '0', ...args], {
    cwd: options.cwd,
    env: { ...ENV, ...options.env },
    detached: options.detached ?? false,
  });
  options.onSpawn?.(child);
  let log = '';
  child.stderr.on('data', (chunk: Buffer) => {
    log += chunk.toString();
  });
  const ended = new Promise<number | null>((resolve) => child.once('exit', resolve));
  const ready = new Promise<{ http: string; tcp: string }>((resolve, reject) => {
    child.stdout.once('data', (chunk: Buffer) =>
      resolve(JSON.parse(chunk.toString()) as { http: string; tcp: string }),
    );
    void ended.then((code) => reject(new Error(`exited with ${code}: ${log}`)));
  });
  return {
    child,
    ...(await ready),
    log: () => log,
    stop: (signal = 'SIGTERM') => {
      child.kill(signal);
      return ended;
    },
  };
}
