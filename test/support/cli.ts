// The commands of landbridge in this process, from the sources. What listens, or needs options of Node.js, is started as a process
// (program.ts).
import { PassThrough, Writable } from 'node:stream';
import nock from 'nock';
import { run as runInProcess } from '../../src/cli/run.ts';
import { optimizeAsUsual } from '../../src/cli/v8-flags.ts';
import { BIN, CLEAN_ENV, type Ran, type RunOptions } from './program.ts';
import { useRealHttp } from './real-http.ts';

export * from './program.ts';

/** A test process has one working folder: commands wait for each other. */
let queue: Promise<unknown> = Promise.resolve();

/** A `serve` that starts to listen is an error here: `serve()` and `runProgram()` are for it. */
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
    const { code } = await runInProcess(args, { stdin, stdout, stderr, env: { ...CLEAN_ENV, ...env }, script: BIN });
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
