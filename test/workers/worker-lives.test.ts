// How workers start, end and are replaced: the built program, with real signals.
import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import type { ServerResponse } from 'node:http';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { run, runProgram, type Served, serve } from '../support/cli.ts';
import { legacy, post, type Rpc } from '../support/mcp.ts';
import { until } from '../support/until.ts';
import { startUpstream, type Upstream } from '../support/upstream.ts';
import { isRunning, pidOf, readLog } from '../support/workers.ts';

/** No client has to be told to go elsewhere before the end. */
const NO_WAITING = { LANDBRIDGE_DRAIN_SECONDS: '0' };

let folder: string;
let upstream: Upstream;
let held: ServerResponse[];
let started: ChildProcess[];

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'landbridge-lives-'));
  held = [];
  started = [];
  upstream = await startUpstream((_request, response) => held.push(response));
  writeFileSync(
    join(folder, 'pets.yaml'),
    `name: pets\nbaseUrl: ${upstream.url}\nendpoints: { list: { path: /pets, summary: Lists pets. } }\n`,
  );
});
afterEach(async () => {
  for (const child of started) if (child.exitCode === null && child.signalCode === null) child.kill('SIGKILL');
  await upstream.close();
  rmSync(folder, { recursive: true, force: true });
});

function start(args: readonly string[] = ['pets.yaml'], detached = false): Promise<Served> {
  return serve(['--workers', '2', ...args], {
    cwd: folder,
    env: NO_WAITING,
    detached,
    onSpawn: (child) => started.push(child),
  });
}

const list = (gateway: Served) => post(gateway.http, JSON.stringify(legacy(1, 'tools/call', { name: 'pets_list' })));
const textOf = ({ body }: { body: string }) => (JSON.parse(body) as Rpc).result?.content;

/** A call in progress in every worker, and one more. */
async function holdCalls(gateway: Served): Promise<Promise<{ body: string }>[]> {
  const calls = Array.from({ length: 4 }, () => list(gateway));
  await until(() => held.length === calls.length);
  return calls;
}

function answerAll(): void {
  for (const response of held) response.end('{"late":true}');
}

const LATE = [{ type: 'text', text: '{"late":true}' }];

describe('the end of a gateway with workers', () => {
  test('lets the calls of all workers finish after SIGTERM, with exit code 0', async () => {
    const gateway = await start();
    const calls = await holdCalls(gateway);
    const code = gateway.stop();
    await until(() => readLog(gateway).filter(({ msg }) => msg === 'stopping').length === 2);
    answerAll();
    expect((await Promise.all(calls)).map(textOf)).toEqual(calls.map(() => LATE));
    expect(await code).toBe(0);
  });

  test('treats Ctrl-C in a terminal, which all processes get, as one signal', async () => {
    const gateway = await start(['pets.yaml'], true);
    const calls = await holdCalls(gateway);
    const ended = new Promise((resolve) => gateway.child.once('exit', resolve));
    process.kill(-gateway.child.pid!, 'SIGINT');
    await until(() => readLog(gateway).filter(({ msg }) => msg === 'stopping').length === 2);
    answerAll();
    expect((await Promise.all(calls)).map(textOf)).toEqual(calls.map(() => LATE));
    expect(await ended).toBe(0);
  });

  test('comes at once after a second signal', async () => {
    const gateway = await start();
    const calls = (await holdCalls(gateway)).map((call) =>
      call.then(
        () => 'answered',
        () => 'hung up on',
      ),
    );
    const code = gateway.stop();
    await until(() => readLog(gateway).filter(({ msg }) => msg === 'stopping').length === 2);
    // A signal right after the first is the same one, passed on by a parent process.
    const again = setInterval(() => gateway.child.kill('SIGTERM'), 100);
    expect(await code).toBe(130);
    clearInterval(again);
    expect(await Promise.all(calls)).toEqual(calls.map(() => 'hung up on'));
  });

  test('comes for workers of a killed primary when their calls are answered', async () => {
    const gateway = await start();
    const pids = [await pidOf(gateway, 1), await pidOf(gateway, 2)];
    const calls = await holdCalls(gateway);
    gateway.child.kill('SIGKILL');
    await until(() => readLog(gateway).filter(({ msg }) => msg === 'stopping').length === 2);
    answerAll();
    expect((await Promise.all(calls)).map(textOf)).toEqual(calls.map(() => LATE));
    await until(() => !pids.some(isRunning));
  });

  test('is waited for by later workers that need the same audit files', async () => {
    writeFileSync(
      join(folder, 'landbridge.yaml'),
      'domains: [./pets.yaml]\nexposure: tools\naudit: { file: audit.jsonl }\n',
    );
    const gateway = await start([]);
    const calls = await holdCalls(gateway);
    const over = Promise.all(calls);
    gateway.child.kill('SIGKILL');
    await until(() => readLog(gateway).filter(({ msg }) => msg === 'stopping').length === 2);
    const output: string[] = [];
    const next = serve(['--workers', '2'], {
      cwd: folder,
      env: NO_WAITING,
      onSpawn: (child) => {
        started.push(child);
        child.stderr?.on('data', (data) => output.push(String(data)));
      },
    });
    await until(() => output.join('').includes('waiting for the audit file'));
    answerAll();
    expect((await over).map(textOf)).toEqual(calls.map(() => LATE));
    const successor = await next;
    expect(await successor.stop()).toBe(0);
    const { code, stdout } = await run(['audit', 'verify', '--closed'], { cwd: folder });
    expect(stdout).toContain('Worker 2');
    expect(code).toBe(0);
  });

  test('does not come by SIGHUP, which reaches all workers', async () => {
    writeFileSync(
      join(folder, 'landbridge.yaml'),
      JSON.stringify({ domains: ['pets.yaml'], audit: { file: 'a.jsonl' } }),
    );
    const gateway = await start([]);
    const files = [1, 2].map((slot) => join(folder, `a-${slot}.jsonl`));
    expect(files.map((file) => existsSync(file))).toEqual([true, true]);
    for (const file of files) rmSync(file);
    gateway.child.kill('SIGHUP');
    // After a rename, a new file is started.
    await until(() => files.every((file) => existsSync(file)));
    expect([await pidOf(gateway, 1), await pidOf(gateway, 2)].every(isRunning)).toBe(true);
    expect(await gateway.stop()).toBe(0);
  });
});

describe('a failing start of workers', () => {
  test('is reported once, with the reason and its exit code', async () => {
    writeFileSync(join(folder, 'broken.yaml'), 'name: broken\nendpoints: 7\n');
    const one = await runProgram(['serve', '--port', '0', 'broken.yaml'], { cwd: folder });
    const two = await runProgram(['serve', '--port', '0', '--workers', '2', 'broken.yaml'], { cwd: folder });
    expect(two).toEqual(one);
    expect(two.code).toBe(1);
    expect(two.stderr).toContain('broken.yaml');
  });

  test('because of a port in use is reported in JSON if that was requested', async () => {
    const other = createServer();
    await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
    const { port } = other.address() as { port: number };
    const { code, stdout, stderr } = await runProgram(
      ['serve', '--json', '--port', String(port), '--workers', '2', 'pets.yaml'],
      { cwd: folder },
    );
    other.close();
    const message = `HTTP port ${port} on 127.0.0.1 is already in use. Stop the other program, or choose another port with --port (0 picks a free one).`;
    expect({ code, stderr, stdout: JSON.parse(stdout) }).toEqual({
      code: 1,
      stderr: `landbridge: ${message}\n`,
      stdout: { error: { code: 'CANNOT_LISTEN', message } },
    });
  });

  test.each([
    [['--workers', '0'], '--workers (or LANDBRIDGE_WORKERS) must be at least 1.'],
    [['--workers', 'many'], '--workers (or LANDBRIDGE_WORKERS) must be a number from 1 to 256, or auto.'],
    [['--workers', '2', '--stdio'], 'Several workers cannot share stdio'],
    [['--workers', 'auto', '--stdio'], 'Several workers cannot share stdio'],
    [['--workers', '2', '-'], 'Every worker reads the document, but stdin can be read only once'],
  ])('is a usage error for %j', async (args, sentence) => {
    const { code, stderr } = await runProgram(['serve', '--port', '0', ...args], { cwd: folder });
    expect(code).toBe(2);
    expect(stderr).toContain(sentence);
    expect(stderr.match(/landbridge:/g)).toHaveLength(1);
  });
});

describe('workers that keep ending', () => {
  test('are restarted after growing delays, and serve at the same port when the cause is fixed', async () => {
    const reason = join(folder, 'reason');
    // Ends every process that loads it, as long as the file `reason` exists.
    writeFileSync(
      join(folder, 'fragile.js'),
      `import { existsSync } from 'node:fs';
setInterval(() => existsSync(${JSON.stringify(reason)}) && process.exit(7), 10).unref();
if (existsSync(${JSON.stringify(reason)})) process.exit(7);
export default { name: 'fragile', baseUrl: '${upstream.url}', endpoints: { list: { path: '/pets', summary: 'Lists.' } } };
`,
    );
    const gateway = await start(['pets.yaml', 'fragile.js']);
    writeFileSync(reason, '');
    const delaysOf = (slot: number) =>
      readLog(gateway).flatMap(({ worker, restartInMs }) => (worker === slot && restartInMs ? [restartInMs] : []));
    await until(() => delaysOf(1).length >= 3 && delaysOf(2).length >= 3);
    rmSync(reason);
    for (const slot of [1, 2]) expect(delaysOf(slot).slice(0, 3)).toEqual([100, 200, 400]);
    await until(() => [1, 2].every((slot) => isServedBy(gateway, slot)));
    const call = list(gateway);
    await until(() => held.length === 1);
    answerAll();
    expect(textOf(await call)).toEqual(LATE);
    expect(await gateway.stop()).toBe(0);
  });

  test('that serve other tools than the first are reported', async () => {
    const gateway = await start(['pets.yaml']);
    const pid = await pidOf(gateway, 2);
    writeFileSync(
      join(folder, 'pets.yaml'),
      `name: pets\nbaseUrl: ${upstream.url}\nendpoints: { find: { path: /pets, summary: Finds pets. } }\n`,
    );
    process.kill(pid, 'SIGKILL');
    await until(() =>
      readLog(gateway).some(({ worker, msg }) => worker === 2 && /serves other tools/.test(String(msg))),
    );
    await gateway.stop();
  });
});

/** The last line about this slot says that it serves. */
function isServedBy(gateway: Served, slot: number): boolean {
  const last = readLog(gateway)
    .filter(({ worker, msg }) => worker === slot && /^a worker /.test(String(msg)))
    .at(-1);
  return last?.msg === 'a worker serves';
}

test('a worker that does not answer is killed and replaced', async () => {
  const script = fileURLToPath(new URL('supervised.mjs', import.meta.url));
  const child = spawn(process.execPath, [script], { stdio: ['ignore', 'pipe', 'inherit'] });
  started.push(child);
  let log = '';
  child.stdout!.on('data', (chunk: Buffer) => {
    log += chunk.toString();
  });
  const gateway = { log: () => log };
  const pid = await pidOf(gateway, 2);
  process.kill(pid, 'SIGSTOP');
  await pidOf(gateway, 2, pid);
  expect(isRunning(pid)).toBe(false);
  expect(readLog(gateway)).toContainEqual(
    expect.objectContaining({ worker: 2, msg: 'a worker has not answered for long: it is killed' }),
  );
  const ended = new Promise((resolve) => child.once('exit', resolve));
  child.kill('SIGTERM');
  expect(await ended).toBe(0);
});

test('processes started by a worker see nothing of it in their environment', async () => {
  const seen = join(folder, 'seen.json');
  writeFileSync(
    join(folder, 'curious.js'),
    `import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
writeFileSync(${JSON.stringify(seen)}, execFileSync(process.execPath, ['-p', 'JSON.stringify([process.env, process.argv])']));
export default { name: 'curious', baseUrl: '${upstream.url}', endpoints: { list: { path: '/pets', summary: 'Lists.' } } };
`,
  );
  const gateway = await start(['curious.js']);
  const [env] = JSON.parse(readFileSync(seen, 'utf8')) as [Record<string, string>];
  expect(Object.keys(env).filter((name) => /WORKER|NODE_|SECRET/.test(name))).toEqual([]);
  await gateway.stop();
});

test('flags of Node.js, NODE_OPTIONS and env files apply to workers as well', async () => {
  const seen = join(folder, 'seen.json');
  writeFileSync(
    join(folder, 'curious.js'),
    `import { writeFileSync } from 'node:fs';
writeFileSync(${JSON.stringify(seen)}, JSON.stringify([process.title, process.execArgv]));
export default { name: 'curious', baseUrl: '\${WHERE}', endpoints: { list: { path: '/pets', summary: 'Lists.' } } };
`,
  );
  writeFileSync(join(folder, 'vars.env'), `WHERE=${upstream.url}\n`);
  const gateway = await serve(['--workers', '2', '--dotenv', 'vars.env', 'curious.js'], {
    cwd: folder,
    env: { ...NO_WAITING, NODE_OPTIONS: '--title=a-gateway' },
    onSpawn: (child) => started.push(child),
  });
  const call = post(gateway.http, JSON.stringify(legacy(1, 'tools/call', { name: 'curious_list' })));
  await until(() => held.length === 1);
  answerAll();
  expect(textOf(await call)).toEqual(LATE);
  const [title, flags] = JSON.parse(readFileSync(seen, 'utf8')) as [string, string[]];
  expect({ title, flags }).toEqual({
    title: 'a-gateway',
    flags: [expect.stringMatching(/^--max-semi-space-size=\d+$/)],
  });
  await gateway.stop();
});
