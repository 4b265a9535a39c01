// A real redis-server on loopback, with a folder of its own. Where the program is not installed, tests that need it are skipped.
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { connect, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export const HAS_REDIS = spawnSync('redis-server', ['--version']).status === 0;
if (!HAS_REDIS) console.warn('redis-server is not installed: tests of shared state are skipped.');

export interface Redis {
  readonly url: string;
  readonly port: number;
  /** One command, inline; the raw answer. */
  ask(command: string): Promise<string>;
  /** As a power cut would. */
  kill(): Promise<void>;
  /** Again, at the same port, with whatever was saved in the folder. */
  restart(): Promise<void>;
  /** Stops and goes on without ending: a server that hangs. */
  signal(name: 'SIGSTOP' | 'SIGCONT'): void;
  close(): Promise<void>;
}

export async function startRedis(...flags: readonly string[]): Promise<Redis> {
  const port = await freePort();
  const folder = await mkdtemp(join(tmpdir(), 'landbridge-redis-'));
  let child: ChildProcess | undefined;
  const start = async () => {
    const args = ['--port', String(port), '--bind', '127.0.0.1', '--dir', folder, '--save', '', ...flags];
    child = spawn('redis-server', args, { stdio: 'ignore' });
    while (!(await ask(port, 'PING').catch(() => ''))) await new Promise((resolve) => setTimeout(resolve, 20));
  };
  const kill = async () => {
    const running = child;
    child = undefined;
    if (running === undefined) return;
    const ended = new Promise((resolve) => running.once('exit', resolve));
    running.kill('SIGKILL');
    await ended;
  };
  await start();
  return {
    url: `redis://127.0.0.1:${port}`,
    port,
    ask: (command) => ask(port, command),
    kill,
    restart: start,
    signal: (name) => void child?.kill(name),
    async close() {
      await kill();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

function ask(port: number, command: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1', () => socket.write(`${command}\r\n`));
    socket.once('data', (data) => {
      socket.destroy();
      resolve(data.toString());
    });
    socket.once('error', reject);
  });
}

export function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const { port } = server.address() as { port: number };
      server.close(() => resolve(port));
    });
  });
}
