// A real nginx on loopback, with a folder of its own. Where the program is not installed, tests that need it are skipped.
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from './redis.ts';

export const HAS_NGINX = spawnSync('nginx', ['-v']).status === 0;
if (!HAS_NGINX) console.warn('nginx is not installed: tests of what stands behind it are skipped.');

export interface Nginx {
  /** Where it listens: `http://127.0.0.1:<port>`. */
  readonly url: string;
  readonly port: number;
  /** What it complained about. */
  errors(): Promise<string>;
  close(): Promise<void>;
}

/** `http`: what stands inside `http {}`; `$PORT` is the port to listen on. */
export async function startNginx(http: string): Promise<Nginx> {
  const port = await freePort();
  const folder = await mkdtemp(join(tmpdir(), 'landbridge-nginx-'));
  const paths = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
    (kind) => `${kind}_temp_path ${folder}/${kind};`,
  );
  const text = `
daemon off;
worker_processes 1;
pid ${folder}/nginx.pid;
error_log ${folder}/error.log notice;
events { worker_connections 1024; }
http {
  access_log off;
  ${paths.join('\n  ')}
  ${http.replaceAll('$PORT', String(port))}
}
`;
  const file = join(folder, 'nginx.conf');
  await writeFile(file, text);
  const child: ChildProcess = spawn('nginx', ['-p', folder, '-c', file, '-e', join(folder, 'error.log')], {
    stdio: 'ignore',
  });
  const ended = new Promise((resolve) => child.once('exit', resolve));
  const errors = () => readFile(join(folder, 'error.log'), 'utf8').catch(() => '');
  let isUp = false;
  while (!isUp) {
    isUp = await fetch(`http://127.0.0.1:${port}/`).then(
      () => true,
      () => false,
    );
    if (!isUp && child.exitCode !== null) throw new Error(`nginx ended: ${await errors()}`);
    if (!isUp) await new Promise((resolve) => setTimeout(resolve, 20));
  }
  return {
    url: `http://127.0.0.1:${port}`,
    port,
    errors,
    async close() {
      child.kill('SIGTERM');
      await ended;
      await rm(folder, { recursive: true, force: true });
    },
  };
}
