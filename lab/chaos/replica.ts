// One replica: `landbridge serve` as it is deployed, at a port that stays the same over restarts, with a log and an audit
// trail of its own.
import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, mkdirSync, openSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Readable } from 'node:stream';
import { BIN } from '../../test/support/program.ts';
import { childrenOf, isAlive, note, noteChildren } from './processes.ts';

const START_MS = 60_000;
const STOP_MS = 45_000;

export interface ReplicaOptions {
  readonly folder: string;
  readonly logFile: string;
  readonly auditFolder: string;
  readonly port: number;
  readonly domains: Readonly<Record<string, object>>;
  readonly settings: Readonly<Record<string, unknown>>;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
}

export interface Launch {
  /** Beside those of the replica: a clock that can be set. */
  readonly env?: Readonly<Record<string, string>>;
  /** Where stderr goes, instead of its log. */
  readonly stderr?: string;
}

export class Replica {
  readonly port: number;
  readonly folder: string;
  readonly logFile: string;
  readonly auditFolder: string;
  readonly #options: ReplicaOptions;
  #child: ChildProcess | undefined;
  #ended: Promise<number | null> = Promise.resolve(0);

  constructor(options: ReplicaOptions) {
    this.#options = options;
    this.port = options.port;
    this.folder = options.folder;
    this.logFile = options.logFile;
    this.auditFolder = options.auditFolder;
    for (const folder of [this.folder, this.auditFolder, dirname(this.logFile)]) mkdirSync(folder, { recursive: true });
    for (const [file, domain] of Object.entries(options.domains))
      writeFileSync(join(this.folder, file), JSON.stringify(domain));
    const domains = Object.keys(options.domains).map((file) => `./${file}`);
    writeFileSync(join(this.folder, 'landbridge.yaml'), JSON.stringify({ domains, ...options.settings }));
  }

  get pid(): number {
    return this.#child?.pid ?? 0;
  }

  /** Those that serve: the workers, or the one process there is. */
  get serving(): number[] {
    const workers = childrenOf(this.pid).filter(isAlive);
    return workers.length > 0 ? workers : [this.pid];
  }

  get log(): string {
    try {
      return readFileSync(this.logFile, 'utf8');
    } catch {
      return '';
    }
  }

  async start({ env = {}, stderr = this.logFile }: Launch = {}): Promise<void> {
    const errors = openSync(stderr, 'a');
    const args = [BIN, 'serve', '--json', '--port', String(this.port), ...this.#options.args];
    const child = spawn(process.execPath, args, {
      cwd: this.folder,
      env: { PATH: process.env.PATH, HOME: this.folder, NO_COLOR: '1', ...this.#options.env, ...env },
      stdio: ['ignore', 'pipe', errors],
    });
    closeSync(errors);
    note(child.pid);
    this.#child = child;
    this.#ended = new Promise((resolve) => child.once('exit', (code) => resolve(code)));
    const { stdout } = child as ChildProcess & { stdout: Readable };
    stdout.on('error', () => {});
    const isUp = new Promise<true>((resolve) => stdout.once('data', () => resolve(true)));
    const isLate = new Promise<false>((resolve) => setTimeout(() => resolve(false), START_MS).unref());
    const isOver = this.#ended.then(() => false as const);
    if (!(await Promise.race([isUp, isLate, isOver]))) {
      child.kill('SIGKILL');
      throw new Error(`a replica did not start: ${this.log.slice(-2_000)}`);
    }
    await this.untilReady();
    noteChildren();
  }

  /** Asked directly, past nginx. */
  async readiness(): Promise<{ status: number; body: Record<string, unknown> }> {
    try {
      const answer = await fetch(`http://127.0.0.1:${this.port}/readyz`, { signal: AbortSignal.timeout(2_000) });
      return { status: answer.status, body: (await answer.json()) as Record<string, unknown> };
    } catch {
      return { status: 0, body: {} };
    }
  }

  /** What it takes for the time of day. */
  async clock(): Promise<number> {
    const { headers } = await fetch(`http://127.0.0.1:${this.port}/healthz`, {
      // A connection of its own, so that workers take turns.
      headers: { connection: 'close' },
      signal: AbortSignal.timeout(5_000),
    });
    return Date.parse(headers.get('date') ?? '') || 0;
  }

  async untilReady(): Promise<void> {
    for (const endsAt = performance.now() + START_MS; performance.now() < endsAt; ) {
      if ((await this.readiness()).status === 200) return;
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
    throw new Error('a replica is not ready');
  }

  /** As an orchestrator does: SIGTERM, and SIGKILL for what takes too long. Resolves with the exit code. */
  async stop(): Promise<number | null> {
    noteChildren();
    const child = this.#child;
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return this.#ended;
    child.kill('SIGTERM');
    const timer = setTimeout(() => child.kill('SIGKILL'), STOP_MS);
    const code = await this.#ended;
    clearTimeout(timer);
    return code;
  }

  /** As the machine it runs on would end: with all its processes at once. */
  async kill(): Promise<void> {
    noteChildren();
    const pids = [...childrenOf(this.pid), this.pid];
    for (const pid of pids)
      try {
        process.kill(pid, 'SIGKILL');
      } catch {
        // It has ended in between.
      }
    await this.#ended;
  }
}
