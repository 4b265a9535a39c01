// The built program, run as a user runs it.
import { type ChildProcess, type ChildProcessWithoutNullStreams, execFile, spawn } from 'node:child_process';
import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));

export const BIN = join(ROOT, 'dist/cli/main.js');

export interface Ran {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

export interface RunOptions {
  readonly cwd?: string;
  readonly env?: Record<string, string>;
  /** What is on stdin, which is no terminal. */
  readonly input?: string;
}

/** A clean environment: what the machine happens to have set must not change a test. */
export const CLEAN_ENV = { PATH: process.env.PATH, HOME: process.env.HOME, NO_COLOR: '1' };

/** A command as a process, for what only a process has: options of Node.js, pipes, exit codes, workers. */
export function runProgram(args: readonly string[], options: RunOptions = {}): Promise<Ran> {
  return new Promise((resolve) => {
    const child = execFile(
      process.execPath,
      [programFile(), ...args],
      { cwd: options.cwd, env: { ...CLEAN_ENV, ...options.env }, maxBuffer: 64 * 1024 * 1024 },
      (error, stdout, stderr) => resolve({ code: error ? Number(error.code ?? 1) : 0, stdout, stderr }),
    );
    // A program that ends before it has read everything closes the pipe, as it may.
    child.stdin?.on('error', () => {});
    child.stdin?.end(options.input ?? '');
  });
}

let isBuildChecked = false;

/** The file of the built program. A test of an old build would fail in ways that nobody understands. */
export function programFile(): string {
  if (isBuildChecked) return BIN;
  const built = statSync(BIN, { throwIfNoEntry: false })?.mtimeMs;
  if (built === undefined) throw new Error('there is no dist: run npm run build');
  const sources = ['src', 'sample'].flatMap((folder) =>
    (readdirSync(join(ROOT, folder), { recursive: true }) as string[]).map((name) => join(ROOT, folder, name)),
  );
  const changed = sources.find((file) => file.endsWith('.ts') && statSync(file).mtimeMs > built);
  if (changed !== undefined) throw new Error(`dist is older than src (${changed}): run npm run build`);
  isBuildChecked = true;
  return BIN;
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

/** `landbridge serve --json` as a process, ready. */
export async function serve(
  args: readonly string[],
  options: {
    cwd?: string;
    env?: Record<string, string>;
    onSpawn?: (child: ChildProcess) => void;
    detached?: boolean;
  } = {},
): Promise<Served> {
  const child = spawn(process.execPath, [programFile(), 'serve', '--json', '--port', '0', '--drain', '0', ...args], {
    cwd: options.cwd,
    env: { ...CLEAN_ENV, ...options.env },
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
