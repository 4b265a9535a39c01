// A real nginx in front of the replicas, in the foreground, with a folder of its own.
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { childrenOf, note, noteChildren } from './processes.ts';

export const HAS_NGINX = spawnSync('nginx', ['-v']).status === 0;
/** Idle connections to the gateways that nginx keeps. */
const KEPT_BY_NGINX = 16;

export interface Nginx {
  readonly url: string;
  readonly pid: number;
  /** New workers take over; the old ones finish what they have. */
  reload(): Promise<void>;
  errors(): string;
  stop(): Promise<void>;
}

/** As it is shipped: what is judged here is what people copy. */
const SHIPPED = fileURLToPath(new URL('../../deploy/nginx/landbridge-proxy.conf', import.meta.url));

/**
 * It hides no mistake of the gateways: nginx repeats no POST that a gateway may have got; only one whose connection was refused
 * goes to the other.
 */
function buildConfig(folder: string, port: number, gateways: readonly number[]): string {
  return `daemon off;
worker_processes 1;
pid ${folder}/nginx.pid;
error_log ${folder}/error.log warn;
events { worker_connections 8192; }
http {
  access_log off;
  client_body_temp_path ${folder}/body;
  proxy_temp_path ${folder}/proxy;
  fastcgi_temp_path ${folder}/fastcgi;
  uwsgi_temp_path ${folder}/uwsgi;
  scgi_temp_path ${folder}/scgi;
  upstream gateways {
${gateways.map((gateway) => `    server 127.0.0.1:${gateway} max_fails=2 fail_timeout=1s;`).join('\n')}
    keepalive ${KEPT_BY_NGINX};
  }
  server {
    listen 127.0.0.1:${port} backlog=4096;
    location / {
      proxy_pass http://gateways;
      include ${SHIPPED};
      add_header X-Served-By $upstream_addr always;
    }
  }
}
`;
}

export async function startNginx(folder: string, port: number, gateways: readonly number[]): Promise<Nginx> {
  mkdirSync(folder, { recursive: true });
  const config = join(folder, 'nginx.conf');
  writeFileSync(config, buildConfig(folder, port, gateways));
  const child = spawn('nginx', ['-c', config, '-e', `${folder}/error.log`], { stdio: 'ignore' });
  note(child.pid);
  const errors = () => readFileSync(`${folder}/error.log`, 'utf8');
  const url = `http://127.0.0.1:${port}`;
  await waitUntil('nginx', child, () => isReached(`${url}/healthz`), errors);
  noteChildren();
  const pid = child.pid!;
  return {
    url,
    pid,
    errors,
    async reload() {
      const old = childrenOf(pid);
      child.kill('SIGHUP');
      await waitUntil('nginx after a reload', child, () => childrenOf(pid).some((one) => !old.includes(one)), errors);
      // The old ones go on taking connections for a moment, which they then close as idle.
      const until = performance.now() + OLD_WORKERS_MS;
      while (childrenOf(pid).some((one) => old.includes(one)) && performance.now() < until) await sleep(20);
      noteChildren();
    },
    async stop() {
      const ended = new Promise((resolve) => child.once('exit', resolve));
      if (child.exitCode !== null || child.signalCode !== null) return;
      child.kill('SIGTERM');
      await ended;
    },
  };
}

/** By then whoever still has a request to finish has long stopped listening. */
const OLD_WORKERS_MS = 3_000;

async function isReached(url: string): Promise<boolean> {
  try {
    return (await fetch(url, { signal: AbortSignal.timeout(1_000) })).ok;
  } catch {
    return false;
  }
}

async function waitUntil(
  what: string,
  child: ChildProcess,
  holds: () => boolean | Promise<boolean>,
  log: () => string,
): Promise<void> {
  for (const endsAt = performance.now() + 15_000; performance.now() < endsAt; ) {
    if (await holds()) return;
    if (child.exitCode !== null) break;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  throw new Error(`${what} is not there: ${log()}`);
}
