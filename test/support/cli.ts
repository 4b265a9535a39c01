// The commands of landbridge, run as a user runs them: in this process where nothing has to listen, else as the built program.
import { type ChildProcess, type ChildProcessWithoutNullStreams, execFile, spawn } from 'node:child_process';
import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { PassThrough, Writable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import nock from 'nock';
import { run as runInProcess } from '../../src/cli/run.ts';
import { optimizeAsUsual } from '../../src/cli/v8-flags.ts';
import { useRealHttp } from './real-http.ts';

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
const ENV = { PATH: process.env.PATH, HOME: process.env.HOME, NO_COLOR: '1' };

/** A test process has one working folder: commands wait for each other. */
let queue: Promise<unknown> = Promise.resolve();

/** A command in this process, from the sources. A `serve` that starts to listen is an error here: `serve()` and `runProgram()` are for it. */
export function run(args: readonly string[], options: RunOptions = {}): Promise<Ran> {
  const next = queue.then(() => runHere(args, options));
  queue = next.catch(() => {});
  return next;
}

async function runHere(args: readonly string[], { cwd, env, input = '' }: RunOptions): Promise<Ran> {
  if (
    args.includes('--stdio') ||
    args.includes('--workers') ||
    Object.keys(env ?? {}).some((name) => /^NODE_/.test(name))
  )
    throw new Error(`${args.join(' ')}: needs a process of its own, use runProgram()`);
  if (nock.isActive()) useRealHttp();
  const [stdout, stderr] = [new Collector(), new Collector()];
  const stdin = new PassThrough();
  stdin.end(input);
  const restore = keepProcess();
  try {
    if (cwd !== undefined) process.chdir(cwd);
    const { code } = await runInProcess(args, { stdin, stdout, stderr, env: { ...ENV, ...env }, script: BIN });
    if (code === 0 && args[0] === 'serve' && !args.includes('--help'))
      throw new Error(`${args.join(' ')} listens, and is not stopped: use serve()`);
    return { code, stdout: stdout.text, stderr: stderr.text };
  } finally {
    restore();
  }
}

class Collector extends Writable {
  readonly #chunks: Buffer[] = [];

  override _write(chunk: Buffer, _encoding: string, done: () => void): void {
    this.#chunks.push(chunk);
    done();
  }

  get text(): string {
    return Buffer.concat(this.#chunks).toString();
  }
}

/** What a command may change in its process: the folder, flags of V8, and for `serve` also the console and listeners. */
function keepProcess(): () => void {
  const folder = process.cwd();
  const methods = { ...console };
  const warnings = process.listeners('warning');
  const errors = process.stderr.listeners('error');
  return () => {
    process.chdir(folder);
    optimizeAsUsual();
    Object.assign(console, methods);
    process.removeAllListeners('warning');
    for (const listener of warnings) process.on('warning', listener as never);
    process.stderr.removeAllListeners('error');
    for (const listener of errors) process.stderr.on('error', listener as never);
  };
}

/** The same as a process, for what only a process has: options of Node.js, pipes, exit codes, workers. */
export function runProgram(args: readonly string[], options: RunOptions = {}): Promise<Ran> {
  return new Promise((resolve) => {
    const child = execFile(
      process.execPath,
      [programFile(), ...args],
      { cwd: options.cwd, env: { ...ENV, ...options.env }, maxBuffer: 64 * 1024 * 1024 },
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
