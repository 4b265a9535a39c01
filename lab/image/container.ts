// A container of the image's files: runc with the strictest of settings, and the network of this machine.
import { spawn, spawnSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { freePort } from '../../test/support/redis.ts';
import { inspectImage } from './build.ts';

export interface ContainerOptions {
  readonly root: string;
  /** For what runc wants to read. */
  readonly folder: string;
  /** Behind the entry point. */
  readonly args: readonly string[];
  readonly binds?: Readonly<Record<string, { readonly from: string; readonly readonly?: boolean }>>;
}

export interface Container {
  readonly port: number;
  readonly ended: Promise<number | undefined>;
  /** Everything it has printed. */
  said(): string;
  /** SIGTERM time and again: before the first line of a program runs, the kernel and Node.js keep it from process 1. */
  insist(): Promise<number | undefined>;
  listening(): Promise<void>;
  exec(words: readonly string[]): { status: number | null; stdout: string; stderr: string };
  /** SIGTERM, and SIGKILL when that is not heard, as engines do; the exit code. */
  stop(): Promise<number | undefined>;
}

const PATIENCE_MS = 30_000;
let count = 0;

export async function runContainer({ root, folder, args, binds = {} }: ContainerOptions): Promise<Container> {
  const name = `landbridge-proof-${process.pid}-${count++}`;
  const bundle = join(folder, name);
  const port = await freePort();
  mkdirSync(bundle);
  const { Entrypoint = [], Env = [], User = '' } = inspectImage();
  const [uid, gid] = User.split(':').map(Number);
  const tmpfs = (destination: string, mode: string) => ({
    destination,
    type: 'tmpfs',
    source: 'tmpfs',
    options: ['nosuid', `mode=${mode}`, 'size=16m'],
  });
  const specification = {
    ociVersion: '1.0.2',
    process: {
      user: { uid, gid },
      args: [...Entrypoint, ...args],
      env: [...Env.filter((each) => !each.startsWith('PORT=')), `PORT=${port}`],
      cwd: '/etc/landbridge',
      capabilities: { bounding: [], effective: [], permitted: [] },
      noNewPrivileges: true,
    },
    root: { path: root, readonly: true },
    mounts: [
      { destination: '/proc', type: 'proc', source: 'proc' },
      tmpfs('/dev', '755'),
      tmpfs('/tmp', '1777'),
      ...Object.entries(binds).map(([destination, { from, readonly }]) => ({
        destination,
        type: 'bind',
        source: from,
        options: ['bind', readonly ? 'ro' : 'rw'],
      })),
    ],
    linux: { namespaces: ['pid', 'mount', 'ipc', 'uts'].map((type) => ({ type })) },
  };
  writeFileSync(join(bundle, 'config.json'), JSON.stringify(specification));
  const child = spawn('runc', ['run', '--bundle', bundle, name], { stdio: ['ignore', 'pipe', 'pipe'] });
  let text = '';
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk: Buffer) => {
      text += chunk.toString();
    });
  let code: number | undefined;
  const ended = new Promise<number | undefined>((resolve) => {
    child.once('exit', (status) => {
      code = status ?? undefined;
      resolve(code);
    });
  });
  const wait = async (holds: () => Promise<boolean>) => {
    while (child.exitCode === null && !(await holds())) await new Promise((resolve) => setTimeout(resolve, 20));
  };
  const kill = (signal: string) => spawnSync('runc', ['kill', name, signal]);
  return {
    port,
    ended,
    said: () => text,
    async insist() {
      const again = setInterval(() => kill('TERM'), 100);
      const late = setTimeout(() => kill('KILL'), PATIENCE_MS);
      await ended;
      clearInterval(again);
      clearTimeout(late);
      return code;
    },
    async listening() {
      await wait(() => isOpen(port));
      if (child.exitCode !== null) throw new Error(`it ended with ${child.exitCode}: ${text}`);
    },
    exec: ([...words]) => {
      const { status, stdout, stderr } = spawnSync('runc', ['exec', name, ...words], { encoding: 'utf8' });
      return { status, stdout, stderr };
    },
    async stop() {
      kill('TERM');
      const late = setTimeout(() => kill('KILL'), PATIENCE_MS);
      await ended;
      clearTimeout(late);
      return code;
    },
  };
}

function isOpen(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => {
      socket.destroy();
      resolve(true);
    });
    socket.once('error', () => resolve(false));
  });
}
