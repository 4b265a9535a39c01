// The official suite and the Node it needs (22 or newer), in a folder of their own below node_modules/.cache: neither is
// a dependency of the gateway, which stays on its own Node.
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { copyFile, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

export interface Suite {
  /** A Node that can run it. */
  readonly node: string;
  /** Its command line. */
  readonly main: string;
  /** Its frozen lists of required scenarios, one YAML file per revision. */
  readonly requirements: string;
  /** A folder for what a run leaves behind. */
  readonly results: string;
}

const PINNED = fileURLToPath(new URL('./suite/', import.meta.url));
const FOLDER = fileURLToPath(new URL('../../node_modules/.cache/landbridge-conformance/', import.meta.url));
const FILES = ['package.json', 'package-lock.json'];

export async function installSuite(say: (line: string) => void): Promise<Suite> {
  const home = join(FOLDER, 'node_modules/@modelcontextprotocol/conformance');
  const suite: Suite = {
    node: isEnough(process.versions.node) ? process.execPath : join(FOLDER, 'node_modules/node/bin/node'),
    main: join(home, 'dist/index.js'),
    requirements: join(home, 'requirements'),
    results: join(FOLDER, 'results'),
  };
  const wanted = await fingerprint();
  const stamp = join(FOLDER, 'installed');
  if (!existsSync(stamp) || (await readFile(stamp, 'utf8')) !== wanted) {
    say('Installing the conformance suite (once)…');
    await rm(FOLDER, { recursive: true, force: true });
    await mkdir(FOLDER, { recursive: true });
    for (const file of FILES) await copyFile(join(PINNED, file), join(FOLDER, file));
    await npmCi();
    await writeFile(stamp, wanted);
  }
  for (const file of [suite.node, suite.main]) {
    if (!existsSync(file)) {
      await rm(stamp, { force: true });
      throw new Error(
        `${file} is missing after the installation. The npm package "node" brings its binary by an install script: allow install scripts, or run this with Node 22 or newer.`,
      );
    }
  }
  return suite;
}

function isEnough(version: string): boolean {
  return Number(version.split('.')[0]) >= 22;
}

/** Of everything the installation depends on. */
async function fingerprint(): Promise<string> {
  const hash = createHash('sha256').update(`${process.platform} ${process.arch}\n`);
  for (const file of FILES) hash.update(await readFile(join(PINNED, file)));
  return hash.digest('hex');
}

async function npmCi(): Promise<void> {
  // The npm that runs this script, if one does: it need not be the one on the PATH.
  const npm = process.env.npm_execpath;
  const [command, ...first] = npm?.endsWith('.js') ? [process.execPath, npm] : ['npm'];
  const child = spawn(command!, [...first, 'ci', '--no-audit', '--no-fund', '--loglevel=error', '--prefix', FOLDER], {
    cwd: FOLDER,
    stdio: ['ignore', 'ignore', 'inherit'],
    shell: npm === undefined && process.platform === 'win32',
  });
  const code = await new Promise<number | null>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', resolve);
  });
  if (code !== 0) throw new Error(`npm could not install the conformance suite (exit code ${code}).`);
}
