// What the built program writes where no person reads along: one line on stdout, and on stderr JSON, whoever wrote it.

import { spawn } from 'node:child_process';
import { closeSync, existsSync, openSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { programFile, serve } from '../support/cli.ts';
import { headersOf, modern, post } from '../support/mcp.ts';
import { startOtlpReceiver, toTrees } from '../support/otlp-receiver.ts';
import { useRealHttp } from '../support/real-http.ts';
import { startUpstream, type Upstream } from '../support/upstream.ts';

useRealHttp();

let folder: string;
let upstream: Upstream;
const ENV = { PATH: process.env.PATH, HOME: process.env.HOME, NO_COLOR: '1' };

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'landbridge-log-lines-'));
  upstream = await startUpstream();
  const domain = (more: string) => `name: pets
baseUrl: ${upstream.url}
endpoints:
  get: { path: '/pets/{id}', summary: Gets one., args: { id: { type: integer, required: true } } }
${more}`;
  await writeFile(join(folder, 'pets.yaml'), domain(''));
  await writeFile(join(folder, 'secret.yaml'), domain('credentials: { key: { kind: bearer, env: PETS_KEY } }\n'));
  await writeFile(
    join(folder, 'loud.mjs'),
    `import { createRequire } from 'node:module';
console.log('to whom it', { may: 'concern' });
console.error('two\\nlines');
process.emitWarning('old', { type: 'DeprecationWarning', code: 'DEP9999' });
process.on('SIGUSR2', () => { setTimeout(() => { throw new Error('nobody foresaw this'); }); });
export default { name: 'loud', baseUrl: '${upstream.url}', endpoints: { look: { path: '/look', summary: 'Looks.' } } };
`,
  );
});
afterAll(async () => {
  await upstream.close();
  await rm(folder, { recursive: true, force: true });
});

interface Line {
  readonly level: number;
  readonly time: string;
  readonly msg: string;
  readonly [fact: string]: unknown;
}

/** Every line, whole: what is no JSON fails the test. */
function parse(text: string): Line[] {
  return text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as Line);
}

/** Starts it, waits for its line on stdout or in the log, does something, and ends it. */
async function start(args: readonly string[], during: (child: ReturnType<typeof spawn>) => void, env = {}) {
  const child = spawn(process.execPath, [programFile(), 'serve', '--port', '0', ...args], {
    cwd: folder,
    env: { ...ENV, ...env },
  });
  const ended = new Promise<number | null>((resolve) => child.once('exit', resolve));
  let stdout = '';
  let stderr = '';
  let isUp = false;
  const look = () => {
    if (isUp || !stderr.includes('"msg":"serving"')) return;
    isUp = true;
    during(child);
  };
  child.stdout.on('data', (chunk: Buffer) => {
    stdout += chunk;
  });
  child.stderr.on('data', (chunk: Buffer) => {
    stderr += chunk;
    look();
  });
  return { code: await ended, stdout, lines: parse(stderr) };
}

const stop = (child: ReturnType<typeof spawn>) => void child.kill('SIGTERM');
const getPet = modern(1, 'tools/call', { name: 'pets_get', arguments: { id: 7 } });
const call = (url: string) => post(url, JSON.stringify(getPet), headersOf(getPet));

describe('serve without a terminal', () => {
  test('prints one line on stdout and everything else in the log', async () => {
    const { code, stdout, lines } = await start(['secret.yaml', '--tcp', '0'], stop, { PETS_KEY: 'open-sesame-42' });
    expect(code).toBe(0);
    expect(stdout).toMatch(/^landbridge \S+: MCP over HTTP \S+, MCP over TCP \S+; 1 operation, .*\n$/);
    expect(lines.map(({ msg }) => msg)).toEqual(['credential', 'serving', 'stopping']);
    expect(lines[0]!.credential).toContain('PETS_KEY');
    expect(lines[1]).toMatchObject({
      level: 30,
      tools: 1,
      operations: 1,
      authentication: 'none',
      pid: expect.any(Number),
    });
    expect(JSON.stringify(lines)).not.toContain('open-sesame');
    for (const { time } of lines) expect(time).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
  });

  test('logs what the code of a domain file prints, and warnings of Node.js', async () => {
    const { code, stdout, lines } = await start(['loud.mjs', '--stdio'], stop);
    expect([code, stdout]).toEqual([0, '']);
    expect(lines).toMatchObject([
      { level: 30, msg: 'console', text: "to whom it { may: 'concern' }" },
      { level: 50, msg: 'console', text: 'two\nlines' },
      { level: 40, msg: 'Node.js warning', warning: 'DeprecationWarning', code: 'DEP9999', detail: 'old' },
      { level: 30, msg: 'serving', stdio: true },
      { level: 30, msg: 'stopping' },
    ]);
  });

  test('logs an uncaught exception in one line and exits with 1', async () => {
    const { code, lines } = await start(['loud.mjs'], (child) => void child.kill('SIGUSR2'));
    expect(code).toBe(1);
    expect(lines.slice(-2)).toMatchObject([
      { level: 60, msg: 'uncaught exception', err: { message: 'nobody foresaw this' } },
      { level: 30, msg: 'stopping' },
    ]);
  });
});

describe('a log that cannot be written', () => {
  test.skipIf(!existsSync('/dev/full'))('because the disk is full does not stop the gateway from serving', async () => {
    const full = openSync('/dev/full', 'w');
    const child = spawn(process.execPath, [programFile(), 'serve', '--json', '--port', '0', 'pets.yaml'], {
      cwd: folder,
      env: ENV,
      stdio: ['ignore', 'pipe', full],
    });
    closeSync(full);
    const ended = new Promise<number | null>((resolve) => child.once('exit', resolve));
    const { http } = await new Promise<{ http: string }>((resolve) =>
      child.stdout!.once('data', (chunk: Buffer) => resolve(JSON.parse(`${chunk}`))),
    );
    for (let round = 0; round < 50; round++) expect((await call(http)).status).toBe(200);
    child.kill('SIGTERM');
    expect(await ended).toBe(0);
  });

  test('because nobody reads the pipe stops the gateway neither from serving nor from ending', async () => {
    const child = spawn(process.execPath, [programFile(), 'serve', '--json', '--port', '0', 'pets.yaml'], {
      cwd: folder,
      env: ENV,
    });
    const ended = new Promise<number | null>((resolve) => child.once('exit', resolve));
    const { http } = await new Promise<{ http: string }>((resolve) =>
      child.stdout.once('data', (chunk: Buffer) => resolve(JSON.parse(`${chunk}`))),
    );
    // Nobody reads stderr: a pipe holds 64 KB, and these are a megabyte of lines.
    const long = modern(1, 'tools/call', { name: 'x'.repeat(200), arguments: {} });
    const batch = async () => {
      for (let count = 0; count < 100; count++) await post(http, JSON.stringify(long), headersOf(long));
    };
    await Promise.all(Array.from({ length: 20 }, batch));
    expect((await call(http)).status).toBe(200);
    child.kill('SIGTERM');
    expect(await ended).toBe(0);
  });
});

describe('traces of the program', () => {
  test('are sent to the collector of the environment, at the latest at the end; the log has their ids', async () => {
    const receiver = await startOtlpReceiver();
    const served = await serve(['pets.yaml', '--exposure', 'tools'], {
      cwd: folder,
      env: { OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url, OTEL_SERVICE_NAME: 'pets-gateway' },
    });
    expect((await call(served.http)).status).toBe(200);
    expect(await served.stop()).toBe(0);
    expect(toTrees(receiver.spans)).toEqual([
      {
        name: 'tools/call pets_get',
        kind: 'server',
        steps: [{ name: 'validate' }, { name: 'GET /pets/{id}', kind: 'client' }],
      },
    ]);
    expect(receiver.spans[0]!.resource['service.name']).toBe('pets-gateway');
    const line = parse(served.log()).find(({ msg }) => msg === 'call')!;
    expect(line.trace).toBe(receiver.spans[0]!.traceId);
    await receiver.close();
  });

  test('are sent by each worker', async () => {
    const receiver = await startOtlpReceiver();
    const served = await serve(
      ['pets.yaml', '--exposure', 'tools', '--workers', '2', '--otlp-endpoint', receiver.url],
      {
        cwd: folder,
      },
    );
    for (let round = 0; round < 8; round++) expect((await call(served.http)).status).toBe(200);
    expect(await served.stop()).toBe(0);
    const servers = receiver.spans.filter(({ kind }) => kind === 'server');
    expect(servers.length).toBe(8);
    expect(new Set(servers.map(({ resource }) => resource['service.instance.id'])).size).toBe(2);
    parse(served.log());
    await receiver.close();
  });

  test('that do not arrive are reported in the log, and no call fails', async () => {
    const served = await serve(['pets.yaml', '--exposure', 'tools', '--otlp-endpoint', 'http://127.0.0.1:1'], {
      cwd: folder,
      env: { OTEL_EXPORTER_OTLP_TIMEOUT: '100', OTEL_BSP_SCHEDULE_DELAY: '1' },
    });
    expect((await call(served.http)).status).toBe(200);
    expect(await served.stop()).toBe(0);
    const where = 'http://127.0.0.1:1';
    expect(parse(served.log())).toEqual(
      expect.arrayContaining([
        expect.objectContaining({
          where,
          msg: 'traces do not reach the collector: calls continue, but their spans are lost',
        }),
        expect.objectContaining({ where, lost: 3, msg: 'spans were lost' }),
      ]),
    );
  });
});
