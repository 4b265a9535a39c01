// nginx and Caddy as deploy/ configures them, run for real: only addresses, ports and the places of certificates are replaced.
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Pair } from '../support/certificates.ts';
import { freePort } from '../support/redis.ts';

export const DEPLOY = fileURLToPath(new URL('../../deploy/', import.meta.url));
export const HAS_NGINX = spawnSync('nginx', ['-v']).status === 0;
export const HAS_CADDY = spawnSync('caddy', ['version']).status === 0;
if (!HAS_NGINX) console.warn('nginx is not installed: tests of its configuration are skipped.');
if (!HAS_CADDY) console.warn('Caddy is not installed: tests of its configuration are skipped.');

export interface FrontDoor {
  readonly port: number;
  close(): Promise<void>;
}

/** Every one of them must be in the text: a configuration that has changed is looked at again. */
export function replaceAll(text: string, changes: Readonly<Record<string, string>>): string {
  return Object.entries(changes).reduce((all, [from, to]) => {
    if (!all.includes(from)) throw new Error(`${JSON.stringify(from)} is not in the configuration any more.`);
    return all.replaceAll(from, to);
  }, text);
}

/** deploy/nginx/landbridge.conf, between the lines that every nginx.conf has. `change` is for another variant that it describes. */
export async function startNginxOfHost(
  gateway: string,
  { cert, key }: Pair,
  change: (conf: string) => string = (conf) => conf,
): Promise<FrontDoor> {
  const folder = mkdtempSync(join(tmpdir(), 'landbridge-nginx-'));
  const port = await freePort();
  writeFileSync(join(folder, 'tls.crt'), cert);
  writeFileSync(join(folder, 'tls.key'), key);
  const site = replaceAll(change(readFileSync(`${DEPLOY}nginx/landbridge.conf`, 'utf8')), {
    '127.0.0.1:3333': gateway,
    'listen 443': `listen 127.0.0.1:${port}`,
    '/etc/landbridge/': `${folder}/`,
  });
  writeFileSync(join(folder, 'landbridge.conf'), site);
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map((name) => `${name}_temp_path ${folder};`);
  const main = `pid ${folder}/pid; error_log ${folder}/log; events {} http { access_log off; ${temporary.join(' ')} include landbridge.conf; }`;
  return runNginx(folder, main, port);
}

/** deploy/compose/nginx.conf, with two gateways of ours behind it. */
export async function startNginxOfCompose(first: string, second: string): Promise<FrontDoor> {
  const folder = mkdtempSync(join(tmpdir(), 'landbridge-nginx-'));
  const port = await freePort();
  const main = replaceAll(readFileSync(`${DEPLOY}compose/nginx.conf`, 'utf8'), {
    'gateway-1:3333': first,
    'gateway-2:3333': second,
    'listen 8080': `listen 127.0.0.1:${port}`,
    '/tmp/': `${folder}/`,
    '/dev/stderr': `${folder}/log`,
  });
  return runNginx(folder, main, port);
}

function runNginx(folder: string, main: string, port: number): Promise<FrontDoor> {
  copyFileSync(`${DEPLOY}nginx/landbridge-proxy.conf`, join(folder, 'landbridge-proxy.conf'));
  writeFileSync(join(folder, 'nginx.conf'), main);
  const args = ['-c', join(folder, 'nginx.conf'), '-e', join(folder, 'log'), '-g', 'daemon off; master_process off;'];
  return runProxy(folder, 'nginx', args, port);
}

/** deploy/caddy/Caddyfile, with a certificate of ours: it would ask the world for one. */
export async function startCaddy(
  gateway: string,
  { cert, key }: Pair,
  change: (conf: string) => string = (conf) => conf,
): Promise<FrontDoor> {
  const folder = mkdtempSync(join(tmpdir(), 'landbridge-caddy-'));
  const port = await freePort();
  writeFileSync(join(folder, 'tls.crt'), cert);
  writeFileSync(join(folder, 'tls.key'), key);
  const ours = `bind 127.0.0.1\n\ttls ${folder}/tls.crt ${folder}/tls.key`;
  const sites = replaceAll(change(readFileSync(`${DEPLOY}caddy/Caddyfile`, 'utf8')), {
    'reverse_proxy 127.0.0.1:3333': `reverse_proxy ${gateway}`,
    '\nmcp.example.com {': `\nhttps://mcp.example.com:${port} {\n\t${ours}`,
    '\nwww.example.com {': `\nhttps://www.example.com:${port} {\n\t${ours}`,
  });
  const options = `{\n\tadmin off\n\tauto_https disable_redirects\n\tstorage file_system ${folder}/storage\n}\n`;
  mkdirSync(join(folder, 'home'));
  writeFileSync(join(folder, 'Caddyfile'), options + sites);
  const home = { HOME: join(folder, 'home'), XDG_CONFIG_HOME: folder, XDG_DATA_HOME: folder };
  return runProxy(folder, 'caddy', ['run', '--config', join(folder, 'Caddyfile')], port, home);
}

async function runProxy(
  folder: string,
  program: string,
  args: readonly string[],
  port: number,
  env: Readonly<Record<string, string>> = {},
): Promise<FrontDoor> {
  const child = spawn(program, args, { env: { ...process.env, ...env }, stdio: ['ignore', 'ignore', 'pipe'] });
  let said = '';
  child.stderr.on('data', (chunk: Buffer) => {
    said += chunk.toString();
  });
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  await listens(child, port).catch(() => {
    throw new Error(`${program} did not start: ${said}`);
  });
  return {
    port,
    async close() {
      child.kill('SIGKILL');
      await ended;
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

async function listens(child: ChildProcess, port: number): Promise<void> {
  while (child.exitCode === null) {
    const isThere = await new Promise<boolean>((resolve) => {
      const socket = connect(port, '127.0.0.1', () => resolve(true)).once('error', () => resolve(false));
      socket.once('close', () => {}).once('connect', () => socket.destroy());
    });
    if (isThere) return;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  throw new Error('ended');
}
