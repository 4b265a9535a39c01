// What the run needs and the project does not depend on: npm packages in folders of their own below node_modules/.cache, as
// their lock files say, and a Python that has FastAPI (a Debian package). What cannot be had is said, and skipped.
import { execFile, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { copyFile, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { kill, track } from './children.ts';

export type Part = 'frameworks' | 'prism' | 'directus';

const CACHE = fileURLToPath(new URL('../../node_modules/.cache/landbridge-real/', import.meta.url));
const APPS = fileURLToPath(new URL('./apps/', import.meta.url));
const FILES = ['package.json', 'package-lock.json'];
const INSTALL_MS = 10 * 60_000;
const installs = new Map<Part, Promise<string>>();

/** The folder that has the part's node_modules. Tried once in a run: what could not be had is not waited for again. */
export function installPart(part: Part, say: (line: string) => void): Promise<string> {
  const install = installs.get(part) ?? installOnce(part, say);
  installs.set(part, install);
  return install;
}

async function installOnce(part: Part, say: (line: string) => void): Promise<string> {
  const pinned = fileURLToPath(new URL(`./packages/${part}/`, import.meta.url));
  const folder = join(CACHE, part);
  const stamp = join(folder, 'installed');
  const hash = createHash('sha256').update(`${process.platform} ${process.arch} ${process.versions.modules}\n`);
  for (const file of FILES) hash.update(await readFile(join(pinned, file)));
  const fingerprint = hash.digest('hex');
  if (existsSync(stamp) && (await readFile(stamp, 'utf8')) === fingerprint) return folder;
  say(`Installing ${part} (once)…`);
  await rm(folder, { recursive: true, force: true });
  await mkdir(folder, { recursive: true });
  for (const file of FILES) await copyFile(join(pinned, file), join(folder, file));
  // Scripts run for the packages that are compiled here, and for no others.
  await npm(folder, ['ci', '--ignore-scripts', '--no-audit', '--no-fund']);
  if (NATIVE[part] !== undefined) await npm(folder, ['rebuild', ...NATIVE[part]]);
  await writeFile(stamp, fingerprint);
  return folder;
}

const NATIVE: Partial<Record<Part, readonly string[]>> = { directus: ['sqlite3', 'isolated-vm'] };

async function npm(folder: string, args: readonly string[]): Promise<void> {
  // The npm that runs this script, if one does: it need not be the one on the PATH.
  const program = process.env.npm_execpath;
  const [command, ...first] = program?.endsWith('.js') ? [process.execPath, program] : ['npm'];
  const prefix = dirname(dirname(process.execPath));
  // The headers of this Node, where they came with it: what compiles would download them otherwise.
  const headers = existsSync(join(prefix, 'include/node/node.h')) ? { npm_config_nodedir: prefix } : {};
  const child = spawn(command!, [...first, ...args, '--loglevel=error', '--prefix', folder], {
    cwd: folder,
    env: { ...process.env, ...headers },
    stdio: ['ignore', 'ignore', 'inherit'],
    shell: program === undefined && process.platform === 'win32',
    // A group of its own: what npm compiles with is ended with it.
    detached: process.platform !== 'win32',
  });
  track(child, process.platform !== 'win32');
  let isLate = false;
  const timer = setTimeout(() => {
    isLate = true;
    kill(child);
  }, INSTALL_MS);
  const code = await new Promise<number | null>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', resolve);
  }).finally(() => clearTimeout(timer));
  if (isLate) throw new Error(`npm ${args[0]} took longer than ${INSTALL_MS / 60_000} minutes in ${folder}`);
  if (code !== 0) throw new Error(`npm ${args[0]} failed in ${folder} (exit code ${code})`);
}

type Transpile = (text: string, options: object) => { readonly outputText: string };

/** A program of apps/ as JavaScript, beside the packages it imports. */
export async function compileApp(app: string, folder: string): Promise<string> {
  const { transpileModule } = createRequire(join(folder, 'package.json'))('typescript') as {
    readonly transpileModule: Transpile;
  };
  const compilerOptions = {
    target: 'ES2022',
    module: 'ESNext',
    experimentalDecorators: true,
    emitDecoratorMetadata: true,
    useDefineForClassFields: false,
  };
  const { outputText } = transpileModule(await readFile(join(APPS, app, 'main.ts'), 'utf8'), { compilerOptions });
  const file = join(folder, `${app}.mjs`);
  await writeFile(file, outputText);
  return file;
}

const PYTHONS = ['python3', '/usr/bin/python3'];

/** The first Python that has FastAPI and what its forms need. */
export async function findPython(): Promise<string | undefined> {
  for (const python of PYTHONS) {
    const found = await new Promise<boolean>((resolve) => {
      execFile(python, ['-c', 'import fastapi, uvicorn, multipart'], (error) => resolve(error === null));
    });
    if (found) return python;
  }
  return undefined;
}
