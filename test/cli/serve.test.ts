import { spawn } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { programFile, runProgram, serve } from '../support/cli.ts';
import { legacy, post } from '../support/mcp.ts';
import { startUpstream } from '../support/upstream.ts';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'landbridge-serve-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

describe('landbridge serve', () => {
  test('without a terminal prints its address on one line', async () => {
    const child = spawn(process.execPath, [programFile(), 'serve', '--port', '0'], {
      cwd: folder,
      env: { ...process.env, NO_COLOR: '1' },
    });
    let out = '';
    const ended = new Promise((resolve) => child.once('exit', resolve));
    await new Promise<void>((resolve) => {
      child.stdout.on('data', (chunk: Buffer) => {
        out += chunk.toString();
        resolve();
      });
    });
    child.kill('SIGINT');
    expect(await ended).toBe(0);
    expect(out).toMatch(
      /^landbridge \S+: MCP over HTTP http:\/\/127\.0\.0\.1:\d+\/mcp; \d+ operations, \d+ tools \(exposure \w+\), about [\d,]+ tokens\n$/,
    );
  });

  test('answers health checks, and finishes a call under way on SIGTERM before it exits 0', async () => {
    const upstream = await startUpstream((_seen, response) => {
      setTimeout(() => response.end('{"late":true}'), 400);
    });
    const server = await serve([], { cwd: folder, env: { TASKS_BASE_URL: upstream.url } });
    const health = await fetch(server.http.replace('/mcp', '/healthz'));
    expect(await health.json()).toEqual({ status: 'ok' });
    const call = post(server.http, JSON.stringify(legacy(1, 'tools/call', { name: 'tasks_get_board' })));
    while (upstream.seen.length === 0) await new Promise((resolve) => setTimeout(resolve, 5));
    const code = server.stop();
    expect(JSON.parse((await call).body)).toMatchObject({ result: { content: [{ text: '{"late":true}' }] } });
    expect(await code).toBe(0);
    await upstream.close();
  });

  test('logs one line per call with request id, tool, status and duration, and no secret', async () => {
    const upstream = await startUpstream((seen, response) =>
      response.end(JSON.stringify({ got: seen.headers['x-key'] })),
    );
    await writeFile(
      join(folder, 'secret.yaml'),
      `name: vault\nbaseUrl: ${upstream.url}\ncredentials: { key: { kind: apiKey, in: header, field: X-Key, env: VAULT_KEY } }\nendpoints: { look: { path: /look, summary: Looks. } }\n`,
    );
    const server = await serve([join(folder, 'secret.yaml')], { cwd: folder, env: { VAULT_KEY: 'open-sesame-42' } });
    const { body } = await post(server.http, JSON.stringify(legacy(1, 'tools/call', { name: 'vault_look' })));
    expect(upstream.seen[0]?.headers['x-key']).toBe('open-sesame-42');
    expect(body).not.toContain('open-sesame-42');
    await server.stop();
    const line = server
      .log()
      .split('\n')
      .find((text) => text.includes('"call"'));
    expect(JSON.parse(line ?? '{}')).toMatchObject({
      requestId: expect.any(String),
      tool: 'vault_look',
      status: 200,
      outcome: 'ok',
      durationMs: expect.any(Number),
    });
    expect(server.log()).not.toContain('open-sesame-42');
    await upstream.close();
  });

  test('serves HTTP and TCP at once', async () => {
    const server = await serve(['--tcp', '0'], { cwd: folder });
    expect(server.http).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/mcp$/);
    expect(server.tcp).toMatch(/^127\.0\.0\.1:\d+$/);
    expect(await server.stop()).toBe(0);
  });

  test('--stdio writes nothing but protocol on stdout and exits 0 when stdin ends', async () => {
    const input = [legacy(1, 'ping'), legacy(2, 'tools/call', { name: 'tasks_get_task', arguments: { id: 1 } })];
    const { code, stdout } = await runProgram(['serve', '--stdio'], {
      cwd: folder,
      input: input.map((message) => `${JSON.stringify(message)}\n`).join(''),
    });
    expect(code).toBe(0);
    const answers = stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as { id: number });
    expect(answers.map(({ id }) => id).sort()).toEqual([1, 2]);
  });

  test('a profile is served at its own address with its own tools', async () => {
    await writeFile(
      join(folder, 'my-profiles.yaml'),
      'reader: { domains: [tasks], effects: [read], exposure: tools }\n',
    );
    const server = await serve(['--profiles', 'my-profiles.yaml'], { cwd: folder });
    const { body } = await post(`${server.http}/reader`, JSON.stringify(legacy(1, 'tools/list')));
    const { result } = JSON.parse(body) as { result: { tools: { name: string }[] } };
    expect(result.tools.map(({ name }) => name)).toContain('tasks_get_task');
    expect(result.tools.map(({ name }) => name)).not.toContain('tasks_delete_task');
    expect((await post(`${server.http}/nobody`, JSON.stringify(legacy(1, 'tools/list')))).status).toBe(404);
    await server.stop();
  });
});

describe('serve with --stdio alone', () => {
  /** What it says on stderr when it is ready, and its exit code after SIGTERM. */
  async function startAndStop(args: readonly string[]): Promise<{ stderr: string; code: number | null }> {
    const child = spawn(process.execPath, [programFile(), 'serve', '--stdio', ...args], {
      cwd: folder,
      env: { ...process.env, NO_COLOR: '1' },
    });
    const ended = new Promise<number | null>((resolve) => child.once('exit', resolve));
    let stderr = '';
    await new Promise<void>((resolve) => {
      child.stderr.on('data', (chunk: Buffer) => {
        stderr += chunk.toString();
        if (stderr.includes('"msg":"serving"')) resolve();
      });
    });
    child.kill('SIGTERM');
    return { code: await ended, stderr };
  }

  test('counts the tools of its profile, and exits with 0 on SIGTERM', async () => {
    await writeFile(join(folder, 'one.yaml'), 'one: { include: [tasks.get_task], exposure: tools }\n');
    const { stderr, code } = await startAndStop(['--profiles', 'one.yaml', '--profile', 'one']);
    expect(stderr).toMatch(/"stdio":true,"tools":1,.*"msg":"serving"/);
    expect(code).toBe(0);
  });

  test('does not list credentials that are neither set nor needed', async () => {
    const { stderr } = await startAndStop([]);
    expect(stderr).not.toContain('credential');
  });
});

test('serve over TCP alone announces the counts of its profile', async () => {
  await writeFile(join(folder, 'one.yaml'), 'one: { include: [tasks.get_task], exposure: tools }\n');
  const args = ['serve', '--tcp', '0', '--no-http', '--profiles', 'one.yaml', '--profile', 'one'];
  const child = spawn(process.execPath, [programFile(), ...args], {
    cwd: folder,
    env: { ...process.env, NO_COLOR: '1' },
  });
  const ended = new Promise((resolve) => child.once('exit', resolve));
  const line = await new Promise<string>((resolve) =>
    child.stdout.once('data', (chunk: Buffer) => resolve(`${chunk}`)),
  );
  child.kill('SIGTERM');
  await ended;
  expect(line).toMatch(/; 1 operation, 1 tool \(exposure tools\)/);
});

test('serve announces which variable is sent to which API', async () => {
  const text =
    'name: bank\nbaseUrl: http://127.0.0.1:9\ncredentials: { key: { kind: bearer, env: BANK_KEY } }\nendpoints: { look: { path: /look, summary: Looks. } }\n';
  await writeFile(join(folder, 'bank.yaml'), text);
  const { stderr } = await runProgram(['serve', '--stdio', 'bank.yaml'], {
    cwd: folder,
    env: { BANK_KEY: 'open-sesame-42' },
  });
  expect(stderr).toContain('BANK_KEY → http://127.0.0.1:9');
  expect(stderr).not.toContain('open-sesame-42');
});
