// The built program as an attacker meets it: a process of its own on ports of its own, with a watcher beside it.
import { type ChildProcess, fork, type Serializable, spawn } from 'node:child_process';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The program. */
export const BIN = fileURLToPath(new URL('../../dist/cli/main.js', import.meta.url));
const WATCHER = fileURLToPath(new URL('./watcher.mjs', import.meta.url));
const START_MS = 30_000;

export interface Launch {
  /** Relative path → text; written to a folder of its own, in which the gateway is started. */
  readonly files?: Readonly<Record<string, string>>;
  readonly args?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
}

export interface Figures {
  readonly worstMs: number;
  readonly worstWallMs: number;
  readonly peakRssMb: number;
  readonly rssMb: number;
  readonly polls: number;
  readonly refused: number;
}

export interface Gateway {
  readonly child: ChildProcess;
  readonly http: string;
  readonly tcpPort: number;
  readonly folder: string;
  log(): string;
  alive(): boolean;
  healthy(timeoutMs: number): Promise<boolean>;
  /** Starts to measure; resolves with the memory before. */
  watch(): Promise<number>;
  figures(): Promise<Figures>;
  kill(): Promise<void>;
}

/** Why a gateway did not start. */
export class StartError extends Error {
  readonly log: string;
  constructor(reason: string, log: string) {
    super(`${reason}: ${log.slice(-2_000)}`);
    this.log = log;
  }
}

/** `landbridge serve` on HTTP, TCP and stdio at once; throws a StartError when it refuses. */
export async function launch({ files = {}, args = [], env = {} }: Launch): Promise<Gateway> {
  const folder = await mkdtemp(join(tmpdir(), 'landbridge-attack-'));
  for (const [path, text] of Object.entries(files)) {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), text);
  }
  const base = { PATH: process.env.PATH ?? '', HOME: folder, NO_COLOR: '1' };
  const argv = ['--max-old-space-size=512', BIN, 'serve', '--json', '--port', '0', '--tcp', '0', '--stdio', ...args];
  const child = spawn(process.execPath, argv, { cwd: folder, env: { ...base, ...env } });
  let log = '';
  child.stdin.on('error', () => {});
  // Every door of a long run listens for the end.
  child.setMaxListeners(0);
  let exited = false;
  const ended = new Promise<void>((resolve) =>
    child.once('exit', () => {
      exited = true;
      resolve();
    }),
  );
  const remove = () => rm(folder, { recursive: true, force: true });
  // With stdio on, what is ready is announced on stderr.
  const ready = new Promise<{ http: string; tcp: string }>((resolve, reject) => {
    const timer = setTimeout(() => {
      child.kill('SIGKILL');
      reject(new StartError('not ready in time', log));
    }, START_MS);
    child.stderr.on('data', (chunk: Buffer) => {
      if (log.length < 1_000_000) log += chunk.toString();
      for (const line of log.split('\n')) {
        if (!line.startsWith('{"') || !line.includes('"http":"http://')) continue;
        clearTimeout(timer);
        resolve(JSON.parse(line) as { http: string; tcp: string });
      }
    });
    void ended.then(() => {
      clearTimeout(timer);
      reject(new StartError('refused to start', log));
    });
  });
  let addresses: { http: string; tcp: string };
  try {
    addresses = await ready;
  } catch (error) {
    await ended;
    await remove();
    throw error;
  }
  const healthz = addresses.http.replace(/\/mcp$/, '/healthz');
  const watcher = fork(WATCHER, [healthz, String(child.pid)], { execArgv: [] });
  watcher.on('error', () => {});
  const tell = <Answer>(word: Serializable) =>
    new Promise<Answer>((resolve) => {
      watcher.once('message', (message) => resolve(message as Answer));
      watcher.send(word);
    });
  return {
    child,
    http: addresses.http,
    tcpPort: Number(addresses.tcp.split(':').at(-1)),
    folder,
    log: () => log,
    alive: () => !exited,
    healthy: async (timeoutMs) => {
      try {
        return (await fetch(healthz, { signal: AbortSignal.timeout(timeoutMs) })).ok;
      } catch {
        return false;
      }
    },
    watch: async () => (await tell<{ rssMb: number }>('start')).rssMb,
    figures: () => tell<Figures>('stop'),
    kill: async () => {
      watcher.kill('SIGKILL');
      child.kill('SIGKILL');
      await ended;
      await remove();
    },
  };
}
