// The image, built by buildah as docker would build it. The base stands in for node:22-bookworm-slim: Debian by debootstrap, and
// the Node.js and npm of this machine.
import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, realpathSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const BASE = 'localhost/landbridge-proof-base';
export const IMAGE = 'localhost/landbridge-proof';

const run = (program: string, ...args: readonly string[]) =>
  execFileSync(program, args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'], maxBuffer: 64 * 1024 * 1024 });

/** Made once: the next run finds it. */
export function ensureBase(folder: string): void {
  if (spawnSync('buildah', ['inspect', '--type', 'image', BASE]).status === 0) return;
  console.log('making a base of Debian packages …');
  const context = join(folder, 'base');
  mkdirSync(context);
  // Where this machine gets its packages from.
  const mirror = run('apt-get', 'indextargets', '--format', '$(REPO_URI)', 'Created-By: Packages').split('\n')[0] ?? '';
  const suite = run('sh', '-c', '. /etc/os-release && printf %s "$VERSION_CODENAME"');
  run('debootstrap', '--variant=minbase', '--include=ca-certificates', suite, join(context, 'root'), mirror);
  cpSync(realpathSync(process.execPath), join(context, 'node'));
  cpSync(join(run('npm', 'root', '--global').trim(), 'npm'), join(context, 'npm'), { recursive: true });
  writeFileSync(
    join(context, 'Dockerfile'),
    'FROM scratch\nCOPY root /\nCOPY node /usr/local/bin/node\nCOPY npm /usr/local/lib/node_modules/npm\n' +
      'RUN ln -s ../lib/node_modules/npm/bin/npm-cli.js /usr/local/bin/npm && node --version && npm --version\n',
  );
  run('buildah', 'bud', '--isolation', 'chroot', '--tag', BASE, context);
}

export function makeImage(): void {
  console.log('building the Dockerfile …');
  const npmrc = join(homedir(), '.npmrc');
  const ca = process.env.NODE_EXTRA_CA_CERTS;
  const secrets = [
    ...(existsSync(npmrc) ? ['--secret', `id=npmrc,src=${npmrc}`] : []),
    ...(ca && existsSync(ca) ? ['--secret', `id=ca,src=${ca}`] : []),
  ];
  const args = ['--isolation', 'chroot', '--format', 'docker', '--layers', '--build-arg', `BASE=${BASE}`, ...secrets];
  run('buildah', 'bud', ...args, '--tag', IMAGE, ROOT);
}

export interface ImageConfig {
  readonly User?: string;
  readonly Entrypoint?: readonly string[];
  readonly Cmd?: readonly string[];
  readonly Env?: readonly string[];
  readonly Healthcheck?: { readonly Test: readonly string[] };
}

export function inspectImage(): ImageConfig {
  const { Docker } = JSON.parse(run('buildah', 'inspect', '--type', 'image', IMAGE)) as {
    Docker: { config: ImageConfig };
  };
  return Docker.config;
}

/** Its files, as a container sees them. */
export function mountImage(): { readonly root: string; close(): void } {
  const name = run('buildah', 'from', IMAGE).trim();
  return {
    root: run('buildah', 'mount', name).trim(),
    close: () => void spawnSync('buildah', ['rm', name]),
  };
}
