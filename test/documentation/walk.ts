// Follows a page as a reader does: writes its files, runs its commands in order in one folder, keeps its servers running, and
// compares what is printed with what the page shows. CONTRIBUTING.md lists what the words behind ```sh mean.
import { type ChildProcessWithoutNullStreams, execFile, spawn, spawnSync } from 'node:child_process';
import { chmod, cp, mkdir, mkdtemp, readFile, realpath, rm, symlink, writeFile } from 'node:fs/promises';
import { connect, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { basename, dirname, join, resolve, sep } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { programFile } from '../support/program.ts';
import { type Block, findBlocks, ROOT } from './blocks.ts';
import { parseCommands } from './shell.ts';

const PORT =
  /(?<=(?:127\.0\.0\.1|localhost|0\.0\.0\.0):)\d{4,5}|(?<=(?:--(?:port|tcp|admin-port)[ =]|\bport: |\bPORT=))\d{4,5}/g;
const DEFAULT_PORT = '3333';
/** A page shows how to use these programs; a test machine does not have them, or they would change it. */
const SKIPPED = new Set(['docker', 'helm', 'kubectl', 'systemctl', 'sudo', 'claude', 'code', 'brew']);
/** On the page about installing: what is slow, or changes the machine. */
const INSTALLING = new Set(['npm', 'npx', 'git', 'cd', 'tar']);
/** Seconds; the whole page has a time limit of its own. */
const START_LIMIT = 60;

/** `sh background` → background; `json .vscode/mcp.json` → the path. */
type Mode = 'run' | 'fails' | 'background' | 'skip';
const MODES: ReadonlySet<string> = new Set(['fails', 'background', 'skip']);

export interface Step {
  readonly title: string;
  readonly block: Block;
  readonly mode: Mode;
  /** What the page shows as printed, from the `text` block behind it. */
  readonly shown?: string;
}

/** What there is to do on a page, in its order. */
export function listSteps(file: string, text: string): Step[] {
  const blocks = findBlocks(file, text);
  return blocks.flatMap((block, at): Step[] => {
    const { language, info, line } = block;
    const title = `line ${line}: ${block.code.split('\n', 1)[0]}`;
    if (language === 'text') {
      if (blocks[at - 1]?.language === 'sh') return [];
      throw new Error(`${file}:${line}: a text block shows what the sh block before it prints.`);
    }
    if (language === '') return [];
    if (language !== 'sh') return [{ title, block, mode: 'run' }];
    if (info !== '' && !MODES.has(info)) throw new Error(`${file}:${line}: sh ${info}: fails, background or skip.`);
    const next = blocks[at + 1];
    const shown = next?.language === 'text' ? { shown: next.code } : {};
    return [{ title, block, mode: (info || 'run') as Mode, ...shown }];
  });
}

/** The folder of a block that is a file: named in its first line, or behind its language. */
export function pathOf({ code, info, language, file, line }: Block): string {
  const path = info || /^(?:#|\/\/) (\S+)\s*\n/.exec(code)?.[1];
  if (path === undefined)
    throw new Error(`${file}:${line}: which file is this ${language}? Say so in its first line: # domains/shop.yaml`);
  return path;
}

/** `…` stands for anything in a line; a line that is only `…` for any number of lines. */
export function toPattern(shown: string, isWhole: boolean): RegExp {
  const lines = shown.trimEnd().split('\n');
  const parts = lines.map((line) =>
    line.trim() === '…'
      ? '(?:.*\\n)*?'
      : `${line
          .trimEnd()
          .split('…')
          .map((part) => part.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&'))
          .join('.*')}[ \\t]*\\n`,
  );
  return new RegExp(`${isWhole ? '^' : '(?:^|\\n)'}${parts.join('')}${isWhole ? '$' : ''}`);
}

interface Background {
  readonly child: ChildProcessWithoutNullStreams;
  readonly isGateway: boolean;
  readonly ended: Promise<unknown>;
  output: string;
}

export class Walk {
  readonly #ports = new Map<string, string>();
  readonly #background: Background[] = [];
  readonly #home: string;
  /** Where the reader begins. */
  readonly folder: string;

  private constructor(home: string, start: string) {
    this.#home = home;
    this.folder = start;
  }

  /** In an empty folder, or in a copy of this one, beside a link to the repository. */
  static async begin(example?: string): Promise<Walk> {
    const home = await realpath(await mkdtemp(join(tmpdir(), 'landbridge-walk-')));
    const start = join(home, example === undefined ? 'folder' : basename(example));
    if (example === undefined) await mkdir(start);
    else await cp(example, start, { recursive: true });
    for (const place of [home, start]) await symlink(ROOT, join(place, 'landbridge'), 'junction');
    if (example !== undefined) await rm(join(start, 'landbridge'));
    await symlink(join(ROOT, 'node_modules'), join(home, 'node_modules'), 'junction');
    await symlink(join(ROOT, 'examples', 'bookshop.mjs'), join(home, 'bookshop.mjs')).catch(() => {});
    await mkdir(join(home, 'bin'));
    await mkdir(join(home, 'state'));
    await writeProgram(join(home, 'bin', 'landbridge'), `exec '${process.execPath}' '${programFile()}' "$@"`);
    // Installing is what `.ci/run` does; `npm start` is its script.
    const { scripts } = JSON.parse(await readFile(join(ROOT, 'package.json'), 'utf8')) as {
      scripts: Record<string, string>;
    };
    await writeProgram(
      join(home, 'bin', 'npm'),
      `case "$1" in install|ci|test) exit 0;; start) cd '${ROOT}' && LANDBRIDGE_DOMAINS='${ROOT}/domains' exec ${scripts.start};; *) echo "npm $1 is not tried here" >&2; exit 1;; esac`,
    );
    const walk = new Walk(home, start);
    await writeFile(join(home, 'state', 'cwd'), start);
    await writeFile(join(home, 'state', 'env'), '');
    await walk.#portFor(DEFAULT_PORT);
    return walk;
  }

  async take({ block, mode, shown }: Step): Promise<void> {
    if (block.language !== 'sh') return this.#write(block);
    if (mode === 'skip') {
      const isInstalling = (program: string) => block.file === 'docs/guides/install.md' && INSTALLING.has(program);
      const others = parseCommands(block.code).filter(([program]) => !SKIPPED.has(program!) && !isInstalling(program!));
      if (others.length > 0) throw new Error(`Only ${[...SKIPPED].join(', ')} may be skipped: ${others[0]!.join(' ')}`);
      return;
    }
    const code = await this.#map(block.code);
    if (mode === 'background') return this.#serve(code, shown);
    const { failed, output } = await this.#run(code);
    if (failed !== (mode === 'fails')) throw new Error(`${failed ? 'failed' : 'did not fail'}: ${code}\n${output}`);
    if (shown !== undefined) compare(output, shown, true);
  }

  /** Ends all that the page has started. */
  async end(): Promise<void> {
    for (const one of this.#background.splice(0).reverse()) await stop(one);
    await this.#endJobs();
    await rm(this.#home, { recursive: true, force: true });
  }

  /** What a block has put into the background itself (`program & echo $! > program.pid`), and the page did not end. */
  async #endJobs(): Promise<void> {
    const jobs = await readFile(join(this.#home, 'state', 'jobs'), 'utf8').catch(() => '');
    for (const pid of jobs.split('\n').filter(Boolean)) {
      try {
        process.kill(Number(pid), 'SIGKILL');
      } catch {
        // It has ended.
      }
    }
  }

  async #write(block: Block): Promise<void> {
    const cwd = (await readFile(join(this.#home, 'state', 'cwd'), 'utf8')).trim();
    const path = resolve(cwd, pathOf(block));
    if (!path.startsWith(this.#home + sep)) throw new Error(`${pathOf(block)} is outside of the reader's folder.`);
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, await this.#map(block.code));
  }

  #run(code: string): Promise<{ failed: boolean; output: string }> {
    const state = join(this.#home, 'state');
    const script = [
      `source '${state}/env'; cd "$(cat '${state}/cwd')"; exec 2>&1; set -eo pipefail`,
      `trap 'export -p >"${state}/env"; pwd >"${state}/cwd"; jobs -p >>"${state}/jobs"' EXIT`,
      code,
    ].join('\n');
    return new Promise((done) => {
      const options = { cwd: this.folder, env: this.#env(), timeout: 60_000, maxBuffer: 16 * 1024 * 1024 };
      const child = execFile('bash', ['-c', script], options, (error, stdout) =>
        done({ failed: error !== null, output: this.#unmap(stdout) }),
      );
      child.stdin?.end();
    });
  }

  async #serve(code: string, shown: string | undefined): Promise<void> {
    const isGateway = /^\s*(?:\w+=\S+ )*(?:landbridge serve|npm (?:install && npm )?start)\b/m.test(code);
    for (const one of this.#background.filter((other) => isGateway && other.isGateway)) {
      await stop(one);
      this.#background.splice(this.#background.indexOf(one), 1);
    }
    const state = join(this.#home, 'state');
    const before = await this.#listOpenPorts();
    const line = `source '${state}/env'; cd "$(cat '${state}/cwd')"; ${code.trim()}`;
    const child = onTerminal(line, this.#env());
    const one: Background = { child, isGateway, output: '', ended: new Promise((done) => child.once('exit', done)) };
    this.#background.push(one);
    for (const stream of [child.stdout, child.stderr])
      stream.on('data', (chunk: Buffer) => {
        one.output += chunk.toString();
      });
    let hasEnded = false;
    void one.ended.then(() => {
      hasEnded = true;
    });
    const said = () => this.#unmap(stripVTControlCharacters(one.output).replaceAll('\r', ''));
    const isUp = async () =>
      shown === undefined
        ? (await this.#listOpenPorts()).some((port) => !before.includes(port))
        : toPattern(shown, false).test(said());
    for (let waited = 0; !(await isUp()); waited++) {
      if (hasEnded) throw new Error(`ended: ${code}\n${said()}`);
      if (waited > START_LIMIT * 10) {
        if (shown !== undefined) compare(said(), shown, false);
        throw new Error(`does not listen after ${START_LIMIT} seconds: ${code}\n${said()}`);
      }
      await new Promise((done) => setTimeout(done, 100));
    }
  }

  #env(): NodeJS.ProcessEnv {
    return {
      PATH: `${join(this.#home, 'bin')}:${dirname(process.execPath)}:${process.env.PATH}`,
      HOME: this.#home,
      TERM: 'xterm',
      LANG: 'C.UTF-8',
      NO_COLOR: '1',
      PORT: this.#ports.get(DEFAULT_PORT),
    };
  }

  async #listOpenPorts(): Promise<string[]> {
    const all = [...this.#ports.values()];
    const isOpen = await Promise.all(all.map(accepts));
    return all.filter((_, at) => isOpen[at]);
  }

  /** With a free port for every one that the page names. */
  async #map(text: string): Promise<string> {
    for (const [port] of text.matchAll(PORT)) await this.#portFor(port);
    return text.replaceAll(PORT, (port) => this.#ports.get(port)!);
  }

  #unmap(text: string): string {
    let result = text;
    for (const [shown, real] of this.#ports) result = result.replaceAll(new RegExp(`\\b${real}\\b`, 'g'), shown);
    return result;
  }

  async #portFor(shown: string): Promise<void> {
    if (this.#ports.has(shown)) return;
    const server = createServer().listen(0, '127.0.0.1');
    await new Promise((done) => server.once('listening', done));
    const { port } = server.address() as { port: number };
    await new Promise((done) => server.close(done));
    this.#ports.set(shown, String(port));
  }
}

function compare(output: string, shown: string, isWhole: boolean): void {
  const text = `${output.replaceAll('\r', '').trimEnd()}\n`;
  if (!toPattern(shown, isWhole).test(text))
    throw new Error(`The page shows:\n${shown}\nand this is printed:\n${text}`);
}

function accepts(port: string): Promise<boolean> {
  return new Promise((done) => {
    const socket = connect(Number(port), '127.0.0.1');
    socket.once('connect', () => done(true)).once('error', () => done(false));
    socket.once('connect', () => socket.destroy());
  });
}

async function writeProgram(path: string, line: string): Promise<void> {
  await writeFile(path, `#!/bin/sh\n${line}\n`);
  await chmod(path, 0o755);
}

/** util-linux has `script`, which gives a program a terminal of its own. */
const HAS_TERMINAL = process.platform === 'linux' && spawnSync('script', ['--version']).status === 0;

/** The command in a terminal of 24 lines of 80 columns; only the terminal can be closed on it, as a person does. */
function onTerminal(line: string, env: NodeJS.ProcessEnv): ChildProcessWithoutNullStreams {
  const command = HAS_TERMINAL
    ? ['script', '-qefc', `stty cols 80 rows 24; exec bash -c '${line.replaceAll("'", `'\\''`)}'`, '/dev/null']
    : ['bash', '-c', line];
  return spawn(command[0]!, command.slice(1), { env: { ...env, SHELL: '/bin/bash' }, detached: !HAS_TERMINAL });
}

/** Ctrl+C, twice where the first lets calls finish. */
async function stop({ child, ended }: Background): Promise<void> {
  const interrupt = () => {
    if (HAS_TERMINAL) child.stdin.write('\x03');
    else process.kill(-child.pid!, 'SIGINT');
  };
  if (child.exitCode !== null) return;
  interrupt();
  const again = setTimeout(interrupt, 500);
  const last = setTimeout(() => child.kill('SIGKILL'), 20_000);
  await ended;
  clearTimeout(again);
  clearTimeout(last);
}
